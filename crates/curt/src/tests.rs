//! Fails every call of every operation once, with each plausible error. The result must be the same
//! as without a failure, or a failure must be reported.
//!
//! Errors that an operation normally handles are not injected into it.

use std::path::Path;

use curt_testkit::Scratch;

use crate::fields::{Fields, Follow};
use crate::list::{DirectoryWalk, List};
use crate::sys::Setup;
use crate::sys::fault::Faults;
use crate::sys::tests::failing_as;
use crate::{Error, Next, Search, Threads, Usage, Walk};

#[cfg(unix)]
const DENIED: i32 = rustix::io::Errno::ACCESS.raw_os_error();
#[cfg(unix)]
const INTERRUPTED: i32 = rustix::io::Errno::INTR.raw_os_error();
#[cfg(windows)]
const INTERRUPTED: i32 = 0;
#[cfg(windows)]
const DENIED: i32 = windows_sys::Win32::Foundation::STATUS_ACCESS_DENIED;

#[cfg(unix)]
const ERRORS: [i32; 8] = {
    use rustix::io::Errno as E;
    [
        E::PERM.raw_os_error(),
        E::IO.raw_os_error(),
        DENIED,
        E::BUSY.raw_os_error(),
        E::MFILE.raw_os_error(),
        E::NOMEM.raw_os_error(),
        E::STALE.raw_os_error(),
        INTERRUPTED,
    ]
};
#[cfg(windows)]
const ERRORS: [i32; 3] = {
    use windows_sys::Win32::Foundation as codes;
    [codes::STATUS_IO_DEVICE_ERROR, DENIED, codes::STATUS_INSUFFICIENT_RESOURCES]
};

#[derive(Debug, Default)]
struct Outcome {
    lines: Vec<String>,
    failed: usize,
}

impl Outcome {
    fn add<T>(&mut self, answer: Result<T, Error>) -> Option<T> {
        self.failed += usize::from(answer.is_err());
        answer.ok()
    }

    fn line(&mut self, path: &Path) {
        self.lines.push(path.display().to_string().replace('\\', "/"));
    }

    fn remains(scratch: &Scratch, operand: &str, failed: u64) -> Outcome {
        let is_lost = scratch.exists(operand) && failed == 0;
        let lines = is_lost.then(|| format!("{operand} remains")).into_iter().collect();
        Outcome { lines, failed: failed as usize }
    }
}

type Operation = (&'static str, fn(&Scratch) -> Outcome);

const READING: &[Operation] = &[
    ("listing", |scratch| {
        listed(scratch, |list, all| {
            while let Some(entry) = list.next() {
                match entry {
                    Ok(entry) => all.line(Path::new(&entry.to_name())),
                    Err(_) => all.failed += 1,
                }
            }
        })
    }),
    ("visiting a listing", |scratch| {
        listed(scratch, |list, all| {
            let mut names = Vec::new();
            while all.add(list.visit_batch(|_, entry| {
                names.push(entry.to_name());
                Next::Continue
            })) == Some(true)
            {}
            for name in names {
                all.line(Path::new(&name));
            }
        })
    }),
    ("gathering names", |scratch| {
        listed(scratch, |list, all| {
            let mut names = Vec::new();
            let name = |name: &std::ffi::OsStr| Some(name.to_owned());
            all.add(list.gather(Threads::AtMost(1), &mut names, name, |_, _| {}));
            for name in names {
                all.line(Path::new(&name));
            }
        })
    }),
    ("gathering metadata", |scratch| {
        let mut all = Outcome::default();
        let Some(list) = all.add(crate::list(scratch.at("t/d/e"))) else { return all };
        let mut found = Vec::new();
        let begin = |name: &std::ffi::OsStr| Some((name.to_owned(), None, 0));
        let gathered = list.fields(Fields::LINKS).gather(
            Threads::AtMost(1),
            &mut found,
            begin,
            |(_, links, failed), entry| {
                *links = entry.metadata().links().known();
                *failed = entry.metadata().failures().count();
            },
        );
        all.add(gathered);
        for (name, links, failed) in found {
            all.failed += failed;
            assert_eq!((failed, links), (failed.min(1), (failed == 0).then_some(1)), "{name:?}");
            all.line(Path::new(&name));
        }
        all
    }),
    ("descending", |scratch| {
        let mut all = Outcome::default();
        let mut walk = DirectoryWalk::new();
        let mut next = Some(walk.open(scratch.at("t")));
        while let Some(directory) = next {
            if let Some(directory) = all.add(directory) {
                let path = directory.path().to_owned();
                let (mut list, mut below) = (directory.list(Fields::KIND), Vec::new());
                while let Some(entry) = list.next() {
                    if let Some(entry) = all.add(entry).filter(|entry| entry.kind().is_dir()) {
                        below.push(entry.to_name());
                    }
                }
                all.line(&path);
                all.add(walk.enter(list, below));
            }
            next = walk.next();
        }
        all
    }),
    ("walking", |scratch| walked(scratch, |walk| walk)),
    ("walking one file system", |scratch| walked(scratch, |walk| walk.same_file_system(true))),
    ("following links", |scratch| walked(scratch, |walk| walk.follow(Follow::Links))),
    ("sorting", |scratch| walked(scratch, |walk| walk.fields(Fields::SIZE).sort_by_name(true))),
    ("walking contents first", |scratch| walked(scratch, |walk| walk.contents_first(true))),
    ("leaving out ignored entries", |scratch| walked(scratch, ignoring)),
    ("sorting without ignored entries", |scratch| {
        walked(scratch, |walk| ignoring(walk).sort_by_name(true))
    }),
    ("measuring", |scratch| {
        let usage = Usage::new().threads(Threads::AtMost(1)).files(true);
        let report = usage.measure(scratch.at("t/d"));
        let line = |record: &crate::usage::UsageRecord| {
            format!("{} {}", record.path.display(), record.sizes.entries)
        };
        let lines = if report.error_count == 0 { &report.records[..] } else { &[] };
        let lines = lines.iter().map(line).collect();
        Outcome { lines, failed: report.error_count as usize }
    }),
    ("searching for all programs of a name", |scratch| {
        let path = ["", "d", "x", "x/y"].map(|name| scratch.at("t").join(name));
        let path = std::env::join_paths(path).unwrap();
        let search = Search::new().path(path).pathext(".EXE").environment::<String, String>([]);
        let mut all = Outcome::default();
        for found in search.find_all("program.exe") {
            match found {
                Ok(found) => all.line(found.path()),
                Err(error) => {
                    all.failed += usize::from(error.kind() != std::io::ErrorKind::NotFound);
                }
            }
        }
        all
    }),
];

const REMOVING: &[Operation] = &[
    ("removing the entries of a walk", |scratch| removed(scratch, "t")),
    ("removing a file of a walk", |scratch| removed(scratch, "t/b")),
];

fn listed(scratch: &Scratch, list: impl Fn(&mut List, &mut Outcome)) -> Outcome {
    let mut all = Outcome::default();
    let opened = DirectoryWalk::new().buffer(0).open(scratch.at("t/wide"));
    if let Some(opened) = all.add(opened) {
        list(&mut opened.list(Fields::KIND), &mut all);
    }
    all
}

fn walked(scratch: &Scratch, options: impl Fn(Walk<'static>) -> Walk<'static>) -> Outcome {
    let mut all = Outcome::default();
    let walk = options(Walk::new(scratch.at("t/d")).descriptors(8));
    for entry in &walk {
        if let Some(entry) = all.add(entry) {
            all.failed += entry.metadata.failures().count();
            all.line(&entry.path);
        }
    }
    all.lines.sort();
    all
}

fn ignoring(walk: Walk<'static>) -> Walk<'static> {
    walk.ignore(crate::filters::IgnoreRules::new())
}

fn removed(scratch: &Scratch, operand: &str) -> Outcome {
    let mut walk = Walk::new(scratch.at(operand)).contents_first(true).descriptors(8).start();
    let mut failed = 0;
    while let Some(entry) = walk.next() {
        let removed = entry.and_then(|mut entry| entry.remove());
        failed += u64::from(removed.is_err());
        assert!(removed.unwrap_or(true), "nobody else removes anything");
    }
    Outcome::remains(scratch, operand, failed)
}

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("outside/canary");
    scratch.tree("t", "a.o b d/a.o d/hidden d/e/secret d/e/f x/y/z/file");
    scratch.dir("t/.git/info");
    scratch.file_with("t/.git/info/exclude", b"secret\n");
    scratch.file_with("t/.gitignore", b"*.o\n");
    scratch.file_with("t/d/.ignore", b"hidden\n");
    #[cfg(unix)]
    scratch.link("t/d/link", "../x");
    scratch
}

fn wide_tree() -> Scratch {
    let scratch = tree();
    for number in 0..60 {
        scratch.file(format!("t/wide/{number}"));
    }
    for directory in ["x", "x/y"] {
        let path = format!("t/{directory}/program.exe");
        #[cfg(unix)]
        scratch.script(path, "#!/bin/sh\n", 0o755);
        #[cfg(windows)]
        scratch.file(path);
    }
    scratch
}

fn every_call_fails_once() {
    let shared = wide_tree();
    let reading = READING.iter().map(|operation| (operation, false));
    let removing = REMOVING.iter().map(|operation| (operation, true));
    for (&(what, operation), changes) in reading.chain(removing) {
        // A program search treats a candidate without permission as a file that is not a program.
        let believes = |errno: &i32| what.starts_with("searching") && *errno == DENIED;
        let errors: Vec<i32> = ERRORS.into_iter().filter(|errno| !believes(errno)).collect();
        let mut expected = None;
        Faults::each(&Setup::default(), &errors, |setup, fails| {
            let fresh = changes.then(tree);
            let scratch = fresh.as_ref().unwrap_or(&shared);
            let outcome = failing_as(setup, || operation(scratch));
            let expected = expected.get_or_insert_with(|| outcome.lines.clone());
            let case = format!("{what}: {fails:?}: {outcome:?}, expected {expected:?}");
            assert!(outcome.lines.iter().all(|line| expected.contains(line)), "{case}");
            assert!(outcome.failed > 0 || outcome.lines == *expected, "{case}");
            let is_failure = fails.is_some_and(|fails| fails.errno != INTERRUPTED);
            assert!(outcome.failed == 0 || is_failure, "{case}");
            assert_eq!(scratch.list("outside"), ["- canary"], "{case}");
        });
    }
}

mod os {
    #[test]
    fn every_call_fails_once() {
        super::every_call_fails_once();
    }
}

#[cfg(target_os = "linux")]
mod portable {
    #[test]
    fn every_call_fails_once() {
        crate::sys::tests::portably(super::every_call_fails_once);
    }
}
