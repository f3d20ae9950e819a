//! Operands, and what of a tree stays. Whole trees are removed beside GNU rm, and on the file
//! system in memory.

use std::sync::atomic::{AtomicBool, Ordering};

use curt_testkit::Scratch;

use super::{mixed_tree, remove};
use crate::error::{Cause, Kept};
use crate::remove::{Cancel, DirectoryOperands, Remove, Threads};
use crate::sys::{Os, Setup};

/// A file gives its bytes back when its last link is removed, and only then.
#[test]
fn dry_run_counts_the_bytes_of_files_with_one_link() {
    let bytes = |linked: bool| {
        let scratch = Scratch::new();
        scratch.file_with("tree/file", &vec![7; 50_000]);
        if linked {
            scratch.hard_link("tree/file", "outside");
        }
        let options = Remove::new().dry_run(true).threads(Threads::AtMost(1));
        let report = remove::<Os>(&options, &scratch, "tree");
        assert!(report.is_complete(), "{report:?}");
        report.bytes.unwrap()
    };
    let (stays, goes) = (bytes(true), bytes(false));
    assert!(stays < 50_000, "the other link keeps {stays} bytes");
    assert!((50_000..100_000).contains(&goes), "{goes}");
}

#[test]
fn contents_only_keeps_the_directory() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    scratch.file("file");
    let report =
        remove::<Os>(&Remove::new().directories(DirectoryOperands::Contents), &scratch, "tree");
    assert!(report.is_complete());
    assert_eq!((report.files, report.directories), (7, 5));
    let report =
        remove::<Os>(&Remove::new().directories(DirectoryOperands::Contents), &scratch, "file");
    assert_eq!(report.error_count, 1);
    assert_eq!(scratch.list("."), ["- file", "d tree"]);
    // Not on a path that takes names as they are, from which `join` removes the dots.
    let remove = |path: &str| {
        let options = Remove::new().directories(DirectoryOperands::Contents);
        super::remove_on::<Os>(&options, &Setup::default(), &[scratch.typed().join(path)])
    };
    scratch.file("tree/sub/file");
    let report = remove("tree/sub/..");
    assert!(matches!(report.errors[0].cause(), Cause::Kept(Kept::DotOrDotDot)), "{report:?}");
    assert!(remove("tree/.").is_complete());
    assert!(scratch.exists("tree") && scratch.list("tree").is_empty());
}

#[test]
fn panic_on_another_thread_stops_the_removal() {
    let scratch = Scratch::new();
    for dir in 0..100 {
        for file in 0..100 {
            scratch.file(format!("tree/{dir}/{file}"));
        }
    }
    let caller = std::thread::current().id();
    let has_panicked = AtomicBool::new(false);
    let options = Remove::new().threads(Threads::AtMost(4)).on_removed(|_, _| {
        let is_other = std::thread::current().id() != caller;
        if is_other && !has_panicked.swap(true, Ordering::Relaxed) {
            std::panic::resume_unwind(Box::new(7));
        }
        // Leaves the others time to begin, and one of them to panic.
        std::thread::sleep(std::time::Duration::from_millis(1));
    });
    let run = || remove::<Os>(&options, &scratch, "tree");
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    assert_eq!(outcome.expect_err("it panics").downcast_ref(), Some(&7));
    let left = scratch.list("tree").len();
    assert!(left > 5_000, "{left} of 10,100 entries are left");
}

/// However many entries one listing has brought.
#[test]
fn nothing_is_removed_after_a_cancellation() {
    let scratch = Scratch::new();
    for number in 0..2_000 {
        scratch.file(format!("tree/{number}"));
    }
    let cancel = Cancel::new();
    let options = Remove::new().threads(Threads::AtMost(1)).cancel(&cancel);
    let options = options.on_removed(|_, _| cancel.cancel());
    for files in [1, 0] {
        let report = remove::<Os>(&options, &scratch, "tree");
        assert!(report.stopped && !report.is_complete(), "{report:?}");
        assert_eq!(report.files, files, "{report:?}");
    }
}
