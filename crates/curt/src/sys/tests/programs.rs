use std::sync::Arc;

use curt_testkit::Scratch;

use crate::sys::fault::Faults;
use crate::sys::tests::portably;
use crate::sys::{Os, Setup, Sys, Unsearched, Which};

const PERM: i32 = 1;
const NOENT: i32 = 2;
const ACCES: i32 = 13;
const NOSYS: i32 = 38;

fn ask(scratch: &Scratch, name: &str, fault: Option<(&'static str, i32)>) -> String {
    let faults = fault.map(|(call, errno)| Arc::new(Faults::default().fail(call, 0, errno)));
    let sys = Os::start(&Setup { faults: faults.clone(), ..Setup::default() });
    let (root, path) = sys.locate(&scratch.at(name)).unwrap();
    let answer = sys.executable(&root, path.as_name());
    assert!(faults.is_none_or(|faults| faults.hits() == 1), "{name} {fault:?}");
    match answer {
        Ok(verdict) => format!("{verdict:?}"),
        Err(Unsearched::Failed(error)) => format!("failed {}", error.raw_os_error().unwrap()),
        Err(reason) => format!("{reason:?}"),
    }
}

fn check(scratch: &Scratch) {
    let (right, about) = ("faccessat2", "statx");
    let ask = |name, fault| ask(scratch, name, fault);
    for refusal in [None, Some((right, PERM)), Some((right, NOSYS))] {
        for (name, expected) in
            [("program", "Program"), ("plain", "NotExecutable"), ("directory", "Directory")]
        {
            assert_eq!(ask(name, refusal), expected, "{name} {refusal:?}");
        }
        if refusal.is_some() {
            assert_eq!(ask("missing", refusal), "Absent", "{refusal:?}");
        }
    }
    for call in [right, about] {
        // EIO, ENOMEM, ENODEV, ENFILE, EMFILE, ENAMETOOLONG, ELOOP, ESTALE and ETIMEDOUT.
        for errno in [5, 12, 19, 23, 24, 36, 40, 116, 110] {
            assert_eq!(ask("program", Some((call, errno))), format!("failed {errno}"), "{call}");
        }
        for errno in [NOENT, 20] {
            assert_eq!(ask("program", Some((call, errno))), "Absent", "{call}");
        }
    }
    assert_eq!(ask("program", Some((right, ACCES))), "NotExecutable");
    assert_eq!(ask("program", Some((about, ACCES))), "Denied");
}

#[test]
fn only_missing_files_are_absent() {
    let scratch = Scratch::new();
    scratch.script("program", "", 0o755);
    scratch.script("plain", "", 0o644);
    scratch.dir("directory");
    check(&scratch);
    portably(|| check(&scratch));
}
