//! Fails every call of every operation once, with each plausible error. The operation must report
//! that error or work around it, and never call it a refusal.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::Arc;

use curt_testkit::Scratch;
use rustix::io::Errno;

use super::{TestRoot, operations};
use crate::beneath::steps::Failure;
use crate::sys::beneath::Beneath;
use crate::sys::fault::{Faults, PlannedFailure};
use crate::sys::{Features, Os, Setup, Sys};
use curt_paths::Refusal;

/// The injected errors, except `ENOSYS`, because the process remembers that one.
const ERRORS: [Errno; 15] = {
    use Errno as E;
    [
        E::PERM,
        E::NOENT,
        E::IO,
        E::ACCESS,
        E::BUSY,
        E::NOTDIR,
        E::ISDIR,
        E::INVAL,
        E::MFILE,
        E::NOMEM,
        E::ROFS,
        E::LOOP,
        E::AGAIN,
        E::STALE,
        E::INTR,
    ]
};

fn tree() -> Scratch {
    let scratch = Scratch::new();
    let make = |top: &Path| {
        fs::create_dir_all(top.join("root/a/b/c"))?;
        fs::create_dir(top.join("root/a/b/empty"))?;
        fs::create_dir(top.join("out"))?;
        fs::write(top.join("root/a/b/c/file"), "")?;
        fs::write(top.join("out/canary"), "")?;
        symlink("a/b", top.join("root/link"))?;
        symlink("../a/b/c", top.join("root/a/up"))
    };
    make(scratch.path()).unwrap();
    scratch
}

fn state(scratch: &Scratch) -> Vec<String> {
    let about = |line: String| {
        let found = fs::symlink_metadata(scratch.at("root").join(&line[2..])).unwrap();
        format!("{line} {:o} {}", found.mode(), found.mtime() == 0)
    };
    scratch.list("root").into_iter().map(about).collect()
}

fn every_call_fails_once<S: Beneath>(setup: &Setup) {
    for (what, operation) in operations::<S>() {
        let mut shared = Some(tree());
        let untouched = state(shared.as_ref().unwrap());
        let mut expected = None;
        let errors = ERRORS.map(Errno::raw_os_error);
        Faults::each(setup, &errors, |setup, fails| {
            let scratch = shared.take().unwrap_or_else(tree);
            let answer = match TestRoot::<S>::try_open(setup, &scratch.at("root")) {
                Ok(root) => operation(&root.confined()),
                Err(error) => Err(Failure::System(error)),
            };
            let state = state(&scratch);
            let case = format!("{what}: {fails:?}: {answer:?}");
            assert_eq!(scratch.list("out"), ["- canary"], "{case}");
            let believed = [Errno::NOENT, Errno::INVAL].map(Errno::raw_os_error);
            let is_believed = what == "canonical name"
                && fails.is_some_and(|fails| believed.contains(&fails.errno));
            if let (Ok(learned), false) = (&answer, is_believed) {
                let made = (learned.clone(), state.clone());
                assert_eq!(&made, expected.get_or_insert_with(|| made.clone()), "{case}");
            }
            match fails {
                Some(fails) => check(&answer, fails, &case),
                None => assert!(answer.is_ok(), "{case}"),
            }
            shared = (state == untouched).then_some(scratch);
        });
    }
}

fn check(answer: &Result<String, Failure>, fails: PlannedFailure, case: &str) {
    let (name, error) = (fails.kind, Errno::from_raw_os_error(fails.errno));
    let is_repeated = error == Errno::INTR && ["openat2", "openat", "open"].contains(&name);
    assert!(answer.is_ok() || !is_repeated, "{case}");
    match answer {
        Ok(_) => {}
        Err(Failure::Refused(refusal)) => panic!("{refusal}: {case}"),
        Err(Failure::System(failure)) => {
            let Some(failure) = Errno::from_io_error(failure) else {
                assert!(
                    [std::io::ErrorKind::NotADirectory, std::io::Error::from(error).kind()]
                        .contains(&failure.kind()),
                    "{case}"
                );
                return;
            };
            // A step that finds neither a directory nor a symlink reports `ENOTDIR` or `ELOOP`.
            // If a directory of the path was moved, the path is resolved again, which can fail with
            // `EAGAIN` or `ENOENT`.
            let by_step = [Errno::NOTDIR, Errno::LOOP, Errno::AGAIN, Errno::NOENT];
            let is_known = failure == error
                || (matches!(error, Errno::NOTDIR | Errno::LOOP) && by_step.contains(&failure))
                // The file is open, so `ENOENT` means that `/proc` is missing.
                || (["fchmodat", "utimensat"].contains(&name)
                    && (error, failure) == (Errno::NOENT, Errno::NOSYS))
                || (name == "readlinkat" && error == Errno::INVAL);
            assert!(is_known, "{failure:?} {case}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn with_openat2() {
    every_call_fails_once::<crate::sys::Os>(&Setup::default());
}

#[test]
fn without_linux_features() {
    let without = Features::all();
    every_call_fails_once::<Os>(&Setup { without, ..Setup::default() });
}

/// Runs each operation while `openat2` fails `times` times. `check` gets the numbers of `openat2`
/// and `openat` calls.
#[cfg(target_os = "linux")]
fn while_openat2_fails(
    times: u64,
    errno: Errno,
    check: impl Fn(Result<String, Failure>, [u64; 2]),
) {
    for (_, operation) in operations::<Os>() {
        let scratch = tree();
        let fail = |all: Faults, nth| all.fail("openat2", nth, errno.raw_os_error());
        let all = (0..times).fold(Faults::default(), fail);
        let setup = Setup { faults: Some(Arc::new(all)), ..Setup::default() };
        let root = TestRoot::<Os>::open(&setup, &scratch.at("root"));
        let calls = || ["openat2", "openat"].map(|name| root.sys().calls().of(name));
        let ([_, before], answer) = (calls(), operation(&root.confined()));
        let [whole, steps] = calls();
        check(answer, [whole, steps - before]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_refusal_of_the_kernel_is_taken_for_what_it_is() {
    while_openat2_fails(1, Errno::XDEV, |answer, _| {
        assert!(matches!(answer, Err(Failure::Refused(Refusal::Escape))), "{answer:?}");
    });
    // During endless renames the kernel returns `EAGAIN`. The operation must fail with `EAGAIN`
    // instead of falling back to single steps, which know less about symlinks than the kernel.
    while_openat2_fails(20, Errno::AGAIN, |answer, _| assert!(answer.is_ok(), "{answer:?}"));
    let has_number = |answer: &Result<_, Failure>, errno: Errno| match answer {
        Err(Failure::System(error)) => error.raw_os_error() == Some(errno.raw_os_error()),
        _ => false,
    };
    while_openat2_fails(10_000, Errno::AGAIN, |answer, [_, steps]| {
        assert!(has_number(&answer, Errno::AGAIN) && steps == 0, "{answer:?} {steps}");
    });
    // One `EPERM` is about the file. If the root is refused as well, a filter refuses `openat2`.
    while_openat2_fails(1, Errno::PERM, |answer, _| {
        assert!(has_number(&answer, Errno::PERM), "{answer:?}");
    });
    while_openat2_fails(1_000, Errno::PERM, |answer, [whole, _]| {
        assert!(answer.is_ok() && whole <= 2, "a filter is asked {whole} times: {answer:?}");
    });
}
