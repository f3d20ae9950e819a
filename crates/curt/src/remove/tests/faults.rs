//! Every call of a removal fails once, with each error that it can plausibly have.

use std::sync::Arc;

use curt_testkit::Scratch;
use rustix::io::Errno;

use super::{mixed_tree, on_real_platforms, remove_on};
use crate::remove::{Remove, Threads};
use crate::sys::fault::Faults;
use crate::sys::{Setup, Sys};

on_real_platforms!(every_call_fails_once, shortage_of_descriptors_passes);

const ERRORS: [Errno; 14] = [
    Errno::PERM,
    Errno::NOENT,
    Errno::IO,
    Errno::NOMEM,
    Errno::ACCESS,
    Errno::BUSY,
    Errno::NOTDIR,
    Errno::ISDIR,
    Errno::NFILE,
    Errno::MFILE,
    Errno::ROFS,
    Errno::NOTEMPTY,
    Errno::LOOP,
    Errno::STALE,
];

fn setup(faults: Faults) -> (Setup, Arc<Faults>) {
    let faults = Arc::new(faults);
    (Setup { faults: Some(Arc::clone(&faults)), ..Setup::default() }, faults)
}

/// The removal of the mixed tree, with a short window so that waiting ends soon.
fn options() -> Remove<'static> {
    let window = std::time::Duration::from_millis(4);
    Remove::new().threads(Threads::AtMost(1)).descriptors(8).retries(3, window)
}

fn every_call_fails_once<S: Sys<Setup = Setup>>() {
    let scratch = Scratch::in_memory();
    scratch.file("outside/canary");
    mixed_tree(&scratch, "tree");
    let calls = {
        let copy = Scratch::in_memory();
        mixed_tree(&copy, "tree");
        remove_on::<S>(&options(), &Setup::default(), &[copy.at("tree")]).calls
    };
    for (name, count) in calls.iter() {
        for nth in 0..count {
            for errno in ERRORS {
                mixed_tree_again(&scratch);
                let (setup, faults) =
                    setup(Faults::default().fail(name, nth, errno.raw_os_error()));
                let report = remove_on::<S>(&options(), &setup, &[scratch.at("tree")]);
                let case = format!("{name} {nth} fails with {errno}: {report:?}");
                assert_eq!(faults.hits(), 1, "{case}");
                // What was reported complete is gone, and what is not gone was reported, by a
                // path within the tree.
                // (A call that lies about an entry being gone is believed.)
                if errno != Errno::NOENT {
                    assert_eq!(report.error_count == 0, !scratch.exists("tree"), "{case}");
                }
                for error in &report.errors {
                    assert!(error.path().starts_with(scratch.at("tree")), "{case}");
                }
                assert_eq!(scratch.list("outside"), ["- canary"], "{case}");
            }
        }
    }
}

fn mixed_tree_again(scratch: &Scratch) {
    if scratch.exists("tree") {
        scratch.remove("tree");
    }
    mixed_tree(scratch, "tree");
}

fn shortage_of_descriptors_passes<S: Sys<Setup = Setup>>() {
    for errno in [Errno::MFILE, Errno::NFILE, Errno::NOMEM] {
        let scratch = Scratch::in_memory();
        scratch.deep("tree", 40, "d");
        let open = if std::any::type_name::<S>().contains("Linux") { "openat2" } else { "openat" };
        let mut faults = Faults::default();
        for nth in [6, 7, 20, 33] {
            faults = faults.fail(open, nth, errno.raw_os_error());
        }
        let (setup, faults) = setup(faults);
        let options = Remove::new().threads(Threads::AtMost(1));
        let report = remove_on::<S>(&options, &setup, &[scratch.at("tree")]);
        assert!(report.is_complete(), "{errno}: {report:?}");
        assert_eq!(faults.hits(), 4);
    }
}
