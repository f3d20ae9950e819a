//! Whole trees, and the entries of them that stay.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use curt_testkit::Scratch;

use super::{mixed_tree, remove};
use crate::control::Unvisited;
use crate::error::Cause;
use crate::remove::{Cancel, Confirm, DirectoryOperands, Remove, Threads};
use crate::sys::{Os, Setup};

#[test]
fn tree_is_removed_and_counted() {
    let scratch = Scratch::on_disk();
    scratch.file("outside/canary");
    mixed_tree(&scratch, "tree");
    let report = remove::<Os>(&Remove::new().count_bytes(true), &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (7, 6));
    assert!(report.bytes.unwrap() >= 8192, "{report:?}");
    assert_eq!(scratch.list("."), ["- outside/canary", "d outside"]);
}

/// A file gives its bytes back when its last link is removed, and only then.
#[test]
fn bytes_are_counted_with_the_last_link() {
    let bytes = |linked: bool| {
        let scratch = Scratch::new();
        scratch.file_with("tree/file", &vec![7; 50_000]);
        if linked {
            scratch.hard_link("tree/file", "outside");
        } else {
            scratch.hard_link("tree/file", "tree/second");
        }
        let options = Remove::new().count_bytes(true).threads(Threads::AtMost(1));
        let report = remove::<Os>(&options, &scratch, "tree");
        assert!(report.is_complete(), "{report:?}");
        report.bytes.unwrap()
    };
    let (stays, goes) = (bytes(true), bytes(false));
    assert!(stays < 50_000, "the other link keeps {stays} bytes");
    assert!((50_000..100_000).contains(&goes), "{goes}");
}

#[test]
fn dry_run_counts_the_same_and_removes_nothing() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    let before = scratch.list(".");
    let report = remove::<Os>(&Remove::new().dry_run(true), &scratch, "tree");
    assert!(report.is_complete());
    assert_eq!((report.files, report.directories), (7, 6));
    assert_eq!(scratch.list("."), before);
}

#[test]
fn excluded_entries_stay_with_their_parents() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    let keep = |entry: &Unvisited<'_>| {
        entry.relative_path() == Path::new("a/b/c") || entry.name() == "pipe"
    };
    let report = remove::<Os>(&Remove::new().exclude(keep), &scratch, "tree");
    assert!(report.is_complete());
    assert_eq!(report.skipped, 2);
    let pipe = if cfg!(unix) { "p tree/a/pipe" } else { "- tree/a/pipe" };
    let mut left = ["- tree/a/b/c/file", "d tree", "d tree/a", "d tree/a/b", "d tree/a/b/c", pipe];
    left.sort_unstable();
    assert_eq!(scratch.list("."), left);
}

#[test]
fn contents_only_keeps_the_directory() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    scratch.file("file");
    let report = remove::<Os>(&Remove::new().contents_only(true), &scratch, "tree");
    assert!(report.is_complete());
    assert_eq!((report.files, report.directories), (7, 5));
    let report = remove::<Os>(&Remove::new().contents_only(true), &scratch, "file");
    assert_eq!(report.error_count, 1);
    assert_eq!(scratch.list("."), ["- file", "d tree"]);
    // Not on a path that takes names as they are, from which `join` removes the dots.
    let remove = |path: &str| {
        let options = Remove::new().contents_only(true);
        super::remove_on::<Os>(&options, &Setup::default(), &[scratch.typed().join(path)])
    };
    scratch.file("tree/sub/file");
    let report = remove("tree/sub/..");
    assert!(matches!(report.errors[0].cause(), Cause::DotOrDotDot), "{report:?}");
    assert!(remove("tree/.").is_complete());
    assert!(scratch.exists("tree") && scratch.list("tree").is_empty());
}

#[test]
fn special_operands_are_refused() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    let before = scratch.list(".");
    for dots in ["tree/.", "tree/a/..", "tree/./", "tree/a/b/../"] {
        let path = scratch.typed().join(dots);
        let report = super::remove_on::<Os>(&Remove::new(), &Setup::default(), &[path]);
        assert!(matches!(report.errors[0].cause(), Cause::DotOrDotDot), "{dots}: {report:?}");
    }
    let nothing = Remove::new().directories(DirectoryOperands::Refuse);
    let report = remove::<Os>(&nothing, &scratch, "tree");
    assert!(matches!(report.errors[0].cause(), Cause::IsADirectory), "{report:?}");
    let empty = Remove::new().directories(DirectoryOperands::OnlyEmpty);
    let report = remove::<Os>(&empty, &scratch, "tree/a");
    assert_eq!(report.errors[0].kind(), std::io::ErrorKind::DirectoryNotEmpty);
    let report = remove::<Os>(&Remove::new(), &scratch, "tree/missing");
    assert_eq!(report.errors[0].kind(), std::io::ErrorKind::NotFound);
    assert!(remove::<Os>(&Remove::new().missing_is_fine(true), &scratch, "no/where").is_complete());
    assert_eq!(scratch.list("."), before);
    assert!(remove::<Os>(&empty, &scratch, "tree/empty").is_complete());
    assert!(remove::<Os>(&nothing, &scratch, "tree/second").is_complete());
    assert_eq!(scratch.list(".").len(), before.len() - 2);
}

#[cfg(unix)]
#[test]
fn link_with_a_separator_is_not_followed() {
    let scratch = Scratch::new();
    scratch.file("victim/canary");
    scratch.link("link", "victim");
    let options = Remove::new().missing_is_fine(true);
    for directories in
        [DirectoryOperands::Recursive, DirectoryOperands::OnlyEmpty, DirectoryOperands::Refuse]
    {
        for path in ["link/", "link//"] {
            let operands = [scratch.path().join(path)];
            let options = options.clone().directories(directories);
            let report = super::remove_on::<Os>(&options, &Setup::default(), &operands);
            assert_eq!(report.error_count, 1, "{directories:?} {report:?}");
            assert_eq!(report.errors[0].kind(), std::io::ErrorKind::NotADirectory, "{report:?}");
        }
    }
    assert!(remove::<Os>(&Remove::new(), &scratch, "link").is_complete());
    assert_eq!(scratch.list("."), ["- victim/canary", "d victim"]);
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

#[test]
fn answers_to_questions_are_obeyed() {
    let scratch = Scratch::new();
    scratch.tree("tree", "empty/ full/file no/file");
    let asked = std::sync::Mutex::new(Vec::new());
    let options = Remove::new().confirm(Confirm::Always, |question, subject| {
        let name = subject.path.file_name().unwrap().to_str().unwrap();
        asked.lock().unwrap().push(format!("{question:?} {name}"));
        name != "no"
    });
    let report = remove::<Os>(&options, &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.skipped, 1);
    assert_eq!(scratch.list("."), ["- tree/no/file", "d tree", "d tree/no"]);
    drop(options);
    let mut asked = asked.into_inner().unwrap();
    assert_eq!(asked[0], "Descend tree");
    asked.sort();
    let expected = [
        "Descend full",
        "Descend no",
        "Descend tree",
        "RemoveDirectory empty",
        "RemoveDirectory full",
        "RemoveFile file",
    ];
    assert_eq!(asked, expected);
}

#[test]
fn cancelled_removal_removes_nothing() {
    let scratch = Scratch::new();
    mixed_tree(&scratch, "tree");
    let before = scratch.list(".");
    let cancel = Cancel::new();
    cancel.cancel();
    let report = remove::<Os>(&Remove::new().cancel(&cancel), &scratch, "tree");
    assert!(report.stopped && !report.is_complete());
    assert_eq!(scratch.list("."), before);
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
    let report = remove::<Os>(&options.on_removed(|_, _| cancel.cancel()), &scratch, "tree");
    assert!(report.stopped, "{report:?}");
    assert_eq!(report.files, 1, "{report:?}");
}
