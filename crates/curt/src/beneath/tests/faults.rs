//! Every call of every operation fails once, with each error that it can plausibly have: that error
//! is told, or another way is found. None of them is taken for a refusal.

use std::sync::Arc;

use curt_testkit::Scratch;
use rustix::io::Errno;

use super::deeds;
use crate::beneath::engine::{Confined, Failure};
use crate::sys::beneath::Beneath;
use crate::sys::fault::Faults;
use crate::sys::{Feature, Features, Os, Setup, Sys};
use curt_paths::Refusal;

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

fn every_call_fails_once<S: Beneath>(setup: &Setup) {
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
            // A step that met neither a directory nor a link says so, and the way back is tried
            // again.
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
    every_call_fails_once::<crate::sys::Os>(&Setup::default());
}

#[cfg(target_os = "linux")]
#[test]
fn by_single_steps() {
    let without = Features::default().with(Feature::Openat2);
    every_call_fails_once::<crate::sys::Os>(&Setup { without, ..Setup::default() });
}

#[test]
fn on_the_portable_platform() {
    let without = Features::of_linux();
    every_call_fails_once::<Os>(&Setup { without, ..Setup::default() });
}

/// The kernel's word for leaving is the only one that is.
#[cfg(target_os = "linux")]
#[test]
fn leaving_is_what_the_kernel_says() {
    let scratch = tree();
    let faults = Faults::default().fail("openat2", 0, Errno::XDEV.raw_os_error());
    let setup = Setup { faults: Some(Arc::new(faults)), ..Setup::default() };
    let root = Confined::open(crate::sys::Os::start(&setup), &scratch.at("root")).unwrap();
    let answer = deeds().map(|(_, deed)| deed(&root));
    assert!(matches!(answer[0], Err(Failure::Refused(Refusal::Escape))));
    assert!(answer[1].is_ok());
}

/// Signals interrupt opens, as the standard library's, without effect.
#[test]
fn an_open_that_is_interrupted_is_made_again() {
    fn check<S: Beneath>(setup: &Setup, names: &[&'static str]) {
        for (what, deed) in deeds::<S>() {
            for &name in names {
                for nth in 1..8 {
                    let scratch = tree();
                    let faults = Faults::default().fail(name, nth, Errno::INTR.raw_os_error());
                    let setup = Setup { faults: Some(Arc::new(faults)), ..setup.clone() };
                    let root = Confined::<S>::open(S::start(&setup), &scratch.at("root")).unwrap();
                    let answer = deed(&root);
                    assert!(answer.is_ok(), "{what}: {name} {nth}: {answer:?}");
                }
            }
        }
    }
    #[cfg(target_os = "linux")]
    {
        use crate::sys::Os;
        check::<Os>(&Setup::default(), &["openat2"]);
        let without = Features::default().with(Feature::Openat2);
        check::<Os>(&Setup { without, ..Setup::default() }, &["openat"]);
    }
    let without = Features::of_linux();
    check::<Os>(&Setup { without, ..Setup::default() }, &["openat", "open"]);
}

/// Somebody who renames without end makes the kernel ask to be asked again. That ends in this
/// error, and never in the single steps, which follow links by rules that are less than the
/// kernel's.
#[cfg(target_os = "linux")]
#[test]
fn renames_without_end_do_not_choose_the_single_steps() {
    use crate::sys::Os;
    for (times, is_over) in [(20, false), (10_000, true)] {
        for (what, deed) in deeds::<Os>() {
            let scratch = tree();
            let again = Errno::AGAIN.raw_os_error();
            let all =
                (0..times).fold(Faults::default(), |all, nth| all.fail("openat2", nth, again));
            let setup = Setup { faults: Some(Arc::new(all)), ..Setup::default() };
            let root = Confined::open(Os::start(&setup), &scratch.at("root")).unwrap();
            let opened = root.sys().calls().of("openat");
            match deed(&root) {
                Ok(()) => assert!(!is_over, "{what}"),
                Err(Failure::System(error)) => {
                    assert_eq!((error.raw_os_error(), is_over), (Some(again), true), "{what}");
                    assert_eq!(root.sys().calls().of("openat"), opened, "{what}");
                }
                Err(failure) => panic!("{what}: {failure:?}"),
            }
        }
    }
}

/// `EPERM` is the file's own answer, unless the root is refused as well: then a filter refuses the
/// call.
#[cfg(target_os = "linux")]
#[test]
fn a_refusal_is_an_answer_and_a_filter_is_none() {
    use crate::sys::Os;
    let refused = Errno::PERM.raw_os_error();
    for (what, deed) in deeds::<Os>() {
        for (times, is_filter) in [(1, false), (1_000, true)] {
            let scratch = tree();
            let all =
                (0..times).fold(Faults::default(), |all, nth| all.fail("openat2", nth, refused));
            let setup = Setup { faults: Some(Arc::new(all)), ..Setup::default() };
            let root = Confined::open(Os::start(&setup), &scratch.at("root")).unwrap();
            let answer = deed(&root);
            let told = match &answer {
                Err(Failure::System(error)) => error.raw_os_error() == Some(refused),
                _ => false,
            };
            assert_eq!((answer.is_ok(), told), (is_filter, !is_filter), "{what}: {answer:?}");
            let asked = root.sys().calls().of("openat2");
            assert!(asked <= 2 || !is_filter, "{what}: a filter is asked {asked} times");
        }
    }
}
