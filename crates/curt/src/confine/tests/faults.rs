//! Every call of every operation fails once, with each error that it can plausibly have: that error is
//! told, or another way is found. None of them is taken for a refusal.

use std::sync::Arc;

use curt_testkit::Scratch;
use rustix::io::Errno;

use super::deeds;
use crate::confine::engine::{Confined, Failure};
use crate::refusal::Refusal;
use crate::sys::beneath::Beneath;
use crate::sys::fault::Faults;
use crate::sys::posix::Posix;
use crate::sys::{Feature, Features, Setup, Sys};

/// `ENOSYS` is not among them: the process remembers it.
const ERRORS: [Errno; 14] = [
    Errno::PERM,
    Errno::NOENT,
    Errno::IO,
    Errno::ACCESS,
    Errno::BUSY,
    Errno::NOTDIR,
    Errno::ISDIR,
    Errno::INVAL,
    Errno::MFILE,
    Errno::NOMEM,
    Errno::ROFS,
    Errno::LOOP,
    Errno::AGAIN,
    Errno::STALE,
];

fn tree() -> Scratch {
    let scratch = Scratch::in_memory();
    scratch.file("root/a/b/c/file");
    scratch.file("out/canary");
    scratch.link("root/link", "a/b");
    scratch.link("root/a/up", "../a/b/c");
    scratch
}

fn every_call_fails_once<S: Beneath<Setup = Setup>>(setup: &Setup) {
    for (what, deed) in deeds::<S>() {
        let measure = |_| {
            let scratch = tree();
            let root = Confined::<S>::open(S::start(setup), &scratch.at("root")).unwrap();
            let before = root.sys().calls();
            deed(&root).unwrap_or_else(|failure| panic!("{what}: {failure:?}"));
            (before, root.sys().calls())
        };
        // A rename anywhere on the system makes the kernel ask to be asked again (`EAGAIN`).
        let (before, made) = (0..5).map(measure).min_by_key(|(_, made)| made.total()).unwrap();
        for (name, count) in made.iter() {
            for nth in before.of(name)..count {
                for error in ERRORS {
                    let scratch = tree();
                    let faults = Arc::new(Faults::default().fail(name, nth, error.raw_os_error()));
                    let setup = Setup { faults: Some(Arc::clone(&faults)), ..setup.clone() };
                    let root = Confined::<S>::open(S::start(&setup), &scratch.at("root")).unwrap();
                    let answer = deed(&root);
                    let case = format!("{what}: {name} {nth} {error:?}: {answer:?}");
                    assert_eq!(faults.hits(), 1, "{case}");
                    assert_eq!(scratch.list("out"), ["- canary"], "{case}");
                    check(&answer, name, error, &case);
                }
            }
        }
    }
}

fn check(answer: &Result<(), Failure>, name: &str, error: Errno, case: &str) {
    match answer {
        Ok(()) => {}
        Err(Failure::Refused(refusal)) => panic!("{refusal}: {case}"),
        Err(Failure::System(told)) => {
            let Some(told) = Errno::from_io_error(told) else {
                // The standard library has kinds alone for what a walk finds by itself.
                assert!(
                    [std::io::ErrorKind::NotADirectory, std::io::Error::from(error).kind()]
                        .contains(&told.kind()),
                    "{case}"
                );
                return;
            };
            // A step that met neither a directory nor a link says so, and the way back is tried again.
            let by_step = [Errno::NOTDIR, Errno::LOOP, Errno::AGAIN, Errno::NOENT];
            let is_known = told == error
                || (matches!(error, Errno::NOTDIR | Errno::LOOP) && by_step.contains(&told))
                // What is no link by its number alone is none, and holds nothing.
                || (name == "readlinkat" && error == Errno::INVAL);
            assert!(is_known, "{told:?} {case}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn by_one_call() {
    every_call_fails_once::<crate::sys::linux::Linux>(&Setup::default());
}

#[cfg(target_os = "linux")]
#[test]
fn by_single_steps() {
    let without = Features::default().with(Feature::Openat2);
    every_call_fails_once::<crate::sys::linux::Linux>(&Setup { without, ..Setup::default() });
}

#[test]
fn on_the_portable_platform() {
    every_call_fails_once::<Posix>(&Setup::default());
}

/// The kernel's word for leaving is the only one that is.
#[cfg(target_os = "linux")]
#[test]
fn leaving_is_what_the_kernel_says() {
    let scratch = tree();
    let faults = Faults::default().fail("openat2", 0, Errno::XDEV.raw_os_error());
    let setup = Setup { faults: Some(Arc::new(faults)), ..Setup::default() };
    let root =
        Confined::open(crate::sys::linux::Linux::start(&setup), &scratch.at("root")).unwrap();
    let answer = deeds().map(|(_, deed)| deed(&root));
    assert!(matches!(answer[0], Err(Failure::Refused(Refusal::Escape))));
    assert!(answer[1].is_ok());
}
