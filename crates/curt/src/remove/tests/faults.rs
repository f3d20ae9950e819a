//! Makes every call of a removal fail once, with each plausible error.

#[cfg(unix)]
use std::sync::Arc;

use curt_testkit::Scratch;

use super::{mixed_tree, on_real_platforms, remove_on};
#[cfg(unix)]
use crate::error::Operation;
#[cfg(unix)]
use crate::remove::DirectoryOperands;
use crate::remove::{Remove, Threads};
#[cfg(unix)]
use crate::sys::Feature;
use crate::sys::fault::Faults;
use crate::sys::{Setup, Sys};

on_real_platforms!(failure_of_any_call_is_reported);

#[cfg(target_os = "linux")]
mod network {
    use super::super::on_real_platforms;
    use super::a_stale_operand_is_gone;

    on_real_platforms!(a_stale_operand_is_gone);
}

#[cfg(unix)]
mod steps {
    use super::super::on_real_platforms;
    use super::{
        a_full_directory_has_two_errors, emptied_operand_remains, failure_names_its_step,
        only_a_first_look_forgives,
    };

    on_real_platforms!(
        a_full_directory_has_two_errors,
        emptied_operand_remains,
        failure_names_its_step,
        only_a_first_look_forgives,
    );
}

/// On a network filesystem, an operand removed by another machine has lost its name, and its handle
/// is stale. If the handle is valid, the operand was renamed.
#[cfg(target_os = "linux")]
fn a_stale_operand_is_gone<S: Sys>() {
    use rustix::io::Errno;
    for (stale, failed) in [(3, 0), (4, 1)] {
        let scratch = Scratch::new();
        scratch.file("tree/file");
        let faults = Faults::default().fail("statx", 2, Errno::NOENT.raw_os_error());
        let (setup, faults) = setup(faults.fail("statx", stale, Errno::STALE.raw_os_error()));
        let options = options().missing_is_fine(true);
        let report = remove_on::<S>(&options, &setup, &[scratch.at("tree")]);
        assert_eq!((faults.hits(), report.error_count), (2 - failed, failed), "{report:?}");
        assert!(scratch.exists("tree"));
    }
}

/// POSIX allows both errors for a non-empty directory, so both must cause a relisting.
#[cfg(unix)]
fn a_full_directory_has_two_errors<S: Sys>() {
    for error in [rustix::io::Errno::NOTEMPTY, rustix::io::Errno::EXIST] {
        let scratch = Scratch::new();
        scratch.file("tree/dir/file");
        let (setup, faults) = setup(Faults::default().fail("unlinkat", 1, error.raw_os_error()));
        let report = remove_on::<S>(&options(), &setup, &[scratch.at("tree")]);
        assert_eq!((faults.hits(), report.error_count), (1, 0), "{report:?}");
    }
}

#[cfg(unix)]
fn emptied_operand_remains<S: Sys>() {
    for (directories, stays) in
        [(DirectoryOperands::Contents, true), (DirectoryOperands::Recursive, false)]
    {
        let scratch = Scratch::new();
        scratch.dir("dir");
        let denied = rustix::io::Errno::ACCESS.raw_os_error();
        let (setup, faults) = setup(Faults::default().fail("openat", 1, denied));
        let options = options().directories(directories);
        let report = remove_on::<S>(&options, &setup, &[scratch.at("dir")]);
        assert_eq!((faults.hits(), report.error_count), (1, u64::from(stays)), "{report:?}");
        assert_eq!(scratch.exists("dir"), stays);
    }
}

#[cfg(unix)]
fn failure_names_its_step<S: Sys>() {
    let has_openat2 = cfg!(target_os = "linux") && !Setup::default().without.has(Feature::Openat2);
    let open = if has_openat2 { ("openat2", 0, "dir") } else { ("openat", 2, "dir") };
    let steps = [
        open,
        ("getdents64", 0, ""),
        ("readdir", 0, ""),
        ("unlinkat", 0, "dir/file"),
        ("unlinkat", 1, "dir"),
    ];
    let expected = [
        Operation::OpenDirectory,
        Operation::ReadDirectory,
        Operation::ReadDirectory,
        Operation::RemoveFile,
        Operation::RemoveDirectory,
    ];
    let mut hits = 0;
    for ((name, nth, path), operation) in steps.into_iter().zip(expected) {
        let scratch = Scratch::new();
        scratch.file("tree/dir/file");
        let fault = Faults::default().fail(name, nth, rustix::io::Errno::IO.raw_os_error());
        let (setup, faults) = setup(fault);
        let report = remove_on::<S>(&options(), &setup, &[scratch.at("tree")]);
        if faults.hits() > 0 {
            hits += 1;
            let error = &report.errors[0];
            assert_eq!((report.error_count, error.operation()), (1, operation), "{report:?}");
            assert_eq!(error.path(), scratch.at("tree").join(path), "{report:?}");
        }
    }
    assert_eq!(hits, 4, "a directory is listed by one of two calls");
}

/// A missing operand or parent is forgiven only at the first lookup. A read-only filesystem does
/// not mean that an operand is missing.
#[cfg(unix)]
fn only_a_first_look_forgives<S: Sys>() {
    use rustix::io::Errno;
    let trees = [
        ("tree/d/f tree/f", DirectoryOperands::Recursive),
        ("tree", DirectoryOperands::Recursive),
        ("tree/", DirectoryOperands::OnlyEmpty),
    ];
    for (tree, directories) in trees {
        let options = || options().missing_is_fine(true).directories(directories);
        let run = |faults| {
            let scratch = Scratch::new();
            scratch.tree("", tree);
            let (setup, faults) = setup(faults);
            let report = remove_on::<S>(&options(), &setup, &[scratch.at("tree")]);
            (report, scratch.exists("tree"), faults.hits())
        };
        run(Faults::default());
        let calls = run(Faults::default()).0.calls;
        let mut forgiven = Vec::new();
        for (name, count) in calls.iter() {
            for nth in 0..count {
                for errno in [Errno::NOENT, Errno::NOTDIR, Errno::ROFS] {
                    let fault = Faults::default().fail(name, nth, errno.raw_os_error());
                    let (report, is_there, hits) = run(fault);
                    assert_eq!(hits, 1);
                    if is_there && report.error_count == 0 {
                        forgiven.push((name, nth, errno));
                    }
                }
            }
        }
        assert_eq!(forgiven.len(), 3, "{tree}: {forgiven:?}");
    }
}

#[cfg(unix)]
mod numbers {
    use rustix::io::Errno;

    pub(super) const GONE: &[i32] = &[Errno::NOENT.raw_os_error()];
    pub(super) const SHORTAGES: [i32; 3] =
        [Errno::MFILE.raw_os_error(), Errno::NFILE.raw_os_error(), Errno::NOMEM.raw_os_error()];
    pub(super) const INTERRUPTED: Option<i32> = Some(Errno::INTR.raw_os_error());
    pub(super) const OTHERS: [i32; 11] = [
        Errno::INTR.raw_os_error(),
        Errno::PERM.raw_os_error(),
        Errno::IO.raw_os_error(),
        Errno::ACCESS.raw_os_error(),
        Errno::BUSY.raw_os_error(),
        Errno::NOTDIR.raw_os_error(),
        Errno::ISDIR.raw_os_error(),
        Errno::ROFS.raw_os_error(),
        Errno::NOTEMPTY.raw_os_error(),
        Errno::LOOP.raw_os_error(),
        Errno::STALE.raw_os_error(),
    ];
}

#[cfg(windows)]
mod numbers {
    use windows_sys::Win32::Foundation as codes;

    pub(super) const GONE: &[i32] =
        &[codes::STATUS_OBJECT_NAME_NOT_FOUND, codes::STATUS_DELETE_PENDING];
    pub(super) const SHORTAGES: [i32; 1] = [codes::STATUS_INSUFFICIENT_RESOURCES];
    pub(super) const INTERRUPTED: Option<i32> = None;
    pub(super) const OTHERS: [i32; 7] = [
        codes::STATUS_ACCESS_DENIED,
        codes::STATUS_SHARING_VIOLATION,
        codes::STATUS_CANNOT_DELETE,
        codes::STATUS_DIRECTORY_NOT_EMPTY,
        codes::STATUS_NOT_A_DIRECTORY,
        codes::STATUS_FILE_IS_A_DIRECTORY,
        codes::STATUS_INVALID_PARAMETER,
    ];
}

fn errors() -> impl Iterator<Item = i32> {
    numbers::GONE.iter().copied().chain(numbers::SHORTAGES).chain(numbers::OTHERS)
}

#[cfg(unix)]
fn setup(faults: Faults) -> (Setup, Arc<Faults>) {
    let faults = Arc::new(faults);
    (Setup { faults: Some(Arc::clone(&faults)), ..Setup::default() }, faults)
}

fn options() -> Remove<'static> {
    let window = std::time::Duration::from_millis(4);
    Remove::new().threads(Threads::AtMost(1)).descriptors(8).retries(3, window)
}

fn failure_of_any_call_is_reported<S: Sys>() {
    let scratch = Scratch::new();
    scratch.file("outside/canary");
    mixed_tree(&scratch, "tree");
    let errors: Vec<i32> = errors().collect();
    Faults::each(&Setup::default(), &errors, |setup, fails| {
        if scratch.exists("tree") {
            scratch.remove("tree");
        }
        mixed_tree(&scratch, "tree");
        let report = remove_on::<S>(&options(), setup, &[scratch.at("tree")]);
        let case = format!("{fails:?}: {report:?}");
        if fails.is_none_or(|fails| !numbers::GONE.contains(&fails.errno)) {
            assert_eq!(report.error_count == 0, !scratch.exists("tree"), "{case}");
        }
        let is_interrupted = fails.is_some_and(|fails| Some(fails.errno) == numbers::INTERRUPTED);
        assert!(report.is_complete() || !is_interrupted, "{case}");
        for error in &report.errors {
            assert!(error.path().starts_with(scratch.at("tree")), "{case}");
        }
        assert_eq!(scratch.list("outside"), ["- canary"], "{case}");
    });
}
