//! Whether a file may be executed, if a call fails or is refused.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use curt_testkit::Scratch;

use crate::sys::fault::Faults;
use crate::sys::tests::portably;
use crate::sys::{Lookup, Os, Setup, Unsearched};

const PERM: i32 = 1;
const NOENT: i32 = 2;
const ACCES: i32 = 13;
const NOSYS: i32 = 38;

/// A directory with a program, a plain file and a directory.
struct Ground {
    scratch: Scratch,
}

impl Ground {
    fn new() -> Ground {
        let scratch = Scratch::new();
        for (name, mode) in [("program", 0o755), ("plain", 0o644)] {
            let path = scratch.file(name);
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        }
        scratch.dir("directory");
        Ground { scratch }
    }

    /// The answer about a name if a call fails like this.
    fn ask<S: Lookup>(&self, name: &str, fault: Option<(&'static str, i32)>) -> String {
        let faults = fault.map(|(call, errno)| Arc::new(Faults::default().fail(call, 0, errno)));
        let sys = S::start(&Setup { faults: faults.clone(), ..Setup::default() });
        let (root, path) = sys.locate(&self.scratch.at(name)).unwrap();
        let answer = sys.executable(&root, path.as_name());
        assert!(faults.is_none_or(|faults| faults.hits() == 1), "{name} {fault:?}");
        match answer {
            Ok(verdict) => format!("{verdict:?}"),
            Err(Unsearched::Failed(error)) => format!("failed {}", error.raw_os_error().unwrap()),
            Err(reason) => format!("{reason:?}"),
        }
    }

    /// Checks a platform that asks for the right with one call, and for the kind with another.
    fn check<S: Lookup>(&self, right: &'static str, about: &'static str) {
        let refusals = [None, Some((right, PERM)), Some((right, NOSYS))];
        for refusal in refusals {
            for (name, expected) in
                [("program", "Program"), ("plain", "NotExecutable"), ("directory", "Directory")]
            {
                assert_eq!(self.ask::<S>(name, refusal), expected, "{name} {refusal:?}");
            }
            if refusal.is_some() {
                assert_eq!(self.ask::<S>("missing", refusal), "Absent", "{refusal:?}");
            }
        }
        for call in [right, about] {
            // EIO, ENOMEM, ENODEV, ENFILE, EMFILE, ENAMETOOLONG, ELOOP, ESTALE and ETIMEDOUT.
            for errno in [5, 12, 19, 23, 24, 36, 40, 116, 110] {
                let answer = self.ask::<S>("program", Some((call, errno)));
                assert_eq!(answer, format!("failed {errno}"), "{call}");
            }
            for errno in [NOENT, 20] {
                assert_eq!(self.ask::<S>("program", Some((call, errno))), "Absent", "{call}");
            }
        }
        assert_eq!(self.ask::<S>("program", Some((right, ACCES))), "NotExecutable");
        assert_eq!(self.ask::<S>("program", Some((about, ACCES))), "Denied");
    }
}

#[test]
fn only_missing_files_are_absent() {
    let ground = Ground::new();
    ground.check::<Os>("faccessat2", "statx");
    portably(|| ground.check::<Os>("faccessat2", "statx"));
}
