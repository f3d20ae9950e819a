//! Removal below a directory that the caller has open.

use std::os::fd::AsFd;

use curt::Remove;
use curt::os::unix::RemoveBelow;
use curt::remove::DirectoryOperands;
use curt_testkit::Scratch;

#[test]
fn a_name_is_removed_and_nothing_but_a_name_is_taken() {
    let scratch = Scratch::new();
    scratch.file("here/tree/a/file");
    scratch.file("here/canary");
    let here = std::fs::File::open(scratch.at("here")).unwrap();
    for name in ["..", ".", "tree/a", "tree/", "canary/", "/", ""] {
        let report = Remove::new().run_below(here.as_fd(), name);
        assert_eq!(report.error_count, 1, "{name}: {report:?}");
        // A refusal is none of the things that may be fine; an empty name is a missing one.
        let report = Remove::new().missing_is_fine(true).run_below(here.as_fd(), name);
        assert_eq!(report.error_count, u64::from(!name.is_empty()), "{name}: {report:?}");
    }
    let report =
        Remove::new().directories(DirectoryOperands::Contents).run_below(here.as_fd(), ".");
    assert_eq!(report.error_count, 1, "{report:?}");
    let report = Remove::new().run_below(here.as_fd(), "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (1, 2));
    assert_eq!(scratch.list("here"), ["- canary"]);
}

/// The descriptor that the removal works with is a copy of the caller's.
#[test]
fn the_copy_of_the_descriptor_is_counted() {
    let scratch = Scratch::new();
    scratch.file("here/file");
    let here = std::fs::File::open(scratch.at("here")).unwrap();
    let report = Remove::new().run_below(here.as_fd(), "file");
    assert!(report.is_complete(), "{report:?}");
    let copies = report.calls.iter().filter(|(name, _)| *name == "fcntl");
    assert_eq!(copies.map(|(_, count)| count).sum::<u64>(), 1, "{report:?}");
}
