//! Options of removals through the public interface: limits, and the contents of `.`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use curt::{Cause, Next, Remove, Threads};
use curt_testkit::Scratch;

/// Four files and three directories.
fn tree(scratch: &Scratch) {
    for path in ["t/a", "t/b", "t/sub/c", "t/sub/deep/d"] {
        scratch.file(path);
    }
}

#[test]
fn a_tree_above_the_most_entries_is_left_whole() {
    let scratch = Scratch::new();
    tree(&scratch);
    let before = scratch.list(".");
    for threads in [Threads::AtMost(1), Threads::AtMost(4), Threads::Automatic] {
        let report = Remove::new().threads(threads).max_entries(6).run(scratch.at("t"));
        assert!(matches!(report.errors[0].cause(), Cause::TooManyEntries(6)), "{report:?}");
        assert_eq!(report.errors[0].path(), scratch.at("t"));
        assert_eq!((report.error_count, report.files, report.directories), (1, 0, 0));
        assert!(report.calls.total() > 0 && !report.stopped);
        assert_eq!(scratch.list("."), before);
    }
    let keep = |entry: &curt::Unvisited<'_>| entry.name() == "sub";
    let report = Remove::new().exclude(keep).max_entries(2).run(scratch.at("t"));
    assert_eq!((report.files, report.skipped, report.error_count), (2, 1, 0), "{report:?}");
    let report = Remove::new().max_entries(5).run(scratch.at("t"));
    assert!(report.is_complete() && !scratch.exists("t"), "{report:?}");
}

#[test]
fn operands_are_counted_together() {
    let scratch = Scratch::new();
    let files = ["a", "b", "c"].map(|name| scratch.file(name));
    let report = Remove::new().max_entries(2).run(&files);
    assert_eq!(report.error_count, 1, "{report:?}");
    assert!(files.iter().all(|file| file.exists()));
    let report = Remove::new().max_entries(3).run(&files);
    assert_eq!((report.error_count, report.files), (0, 3), "{report:?}");
}

#[test]
fn a_poll_stops_the_count_and_nothing_is_removed() {
    let scratch = Scratch::new();
    tree(&scratch);
    let report = Remove::new().max_entries(100).poll(|| Next::Stop).run(scratch.at("t"));
    assert!(report.stopped && report.error_count == 0, "{report:?}");
    assert!(scratch.exists("t/sub/deep/d"));
}

#[test]
fn a_rate_bounds_one_thread_and_no_dry_run() {
    let scratch = Scratch::new();
    for number in 0..40 {
        scratch.file(format!("t/{number}"));
    }
    let removal = Remove::new().threads(Threads::AtMost(4)).rate(200);
    let begun = Instant::now();
    let report = removal.clone().dry_run(true).run(scratch.at("t"));
    assert_eq!(report.files, 40);
    assert!(begun.elapsed() < Duration::from_millis(195), "{:?}", begun.elapsed());
    let begun = Instant::now();
    let report = removal.run(scratch.at("t"));
    assert_eq!((report.files, report.directories, report.threads), (40, 1, 1), "{report:?}");
    assert!(begun.elapsed() >= Duration::from_millis(195), "{:?}", begun.elapsed());
}

/// The device and the number of an entry.
#[cfg(unix)]
fn identity(path: std::path::PathBuf) -> (u64, u128) {
    let seen = curt::stat(path, curt::Fields::DEVICE | curt::Fields::ID).unwrap();
    (seen.device().known().unwrap(), seen.id().known().unwrap())
}

// Volumes have no numbers under Wine, where this would run for Windows.
#[cfg(unix)]
#[test]
fn only_one_directory_may_be_removed() {
    use curt::remove::DirectoryOperands;

    let scratch = Scratch::new();
    tree(&scratch);
    scratch.file("u/f");
    scratch.dir("empty");
    scratch.file("file");
    let (device, id) = identity(scratch.at("t"));
    let removal = Remove::new().only_directory(device, id);
    let before = scratch.list(".");
    for directories in
        [DirectoryOperands::Recursive, DirectoryOperands::OnlyEmpty, DirectoryOperands::Refuse]
    {
        for operand in ["u", "empty", "file"] {
            let removal = removal.clone().directories(directories);
            let report = removal.run(scratch.at(operand));
            assert!(matches!(report.errors[0].cause(), Cause::Replaced), "{operand}: {report:?}");
            let contents = removal.contents_only(true).run(scratch.at(operand));
            assert_eq!(contents.error_count, 1, "{operand}: {contents:?}");
        }
    }
    let other_device = Remove::new().only_directory(device ^ 1, id).run(scratch.at("t"));
    assert!(matches!(other_device.errors[0].cause(), Cause::Replaced), "{other_device:?}");
    assert_eq!(scratch.list("."), before);
    let report = removal.run(scratch.at("t"));
    assert!(report.is_complete() && !scratch.exists("t"), "{report:?}");
    assert!(scratch.exists("u/f"));
}

#[test]
fn a_directory_named_dot_can_be_emptied_but_not_removed() {
    let scratch = Scratch::new();
    tree(&scratch);
    // Not on a path that takes names as they are, from which `join` removes the dots.
    let at = |path: &str| scratch.typed().join(path);
    for path in ["t/.", "t/sub/.."] {
        let report = Remove::new().run(at(path));
        assert!(matches!(report.errors[0].cause(), Cause::DotOrDotDot), "{report:?}");
    }
    let report = Remove::new().contents_only(true).run(at("t/sub/.."));
    assert!(matches!(report.errors[0].cause(), Cause::DotOrDotDot), "{report:?}");
    let report = Remove::new().contents_only(true).run(at("t/."));
    assert!(report.is_complete(), "{report:?}");
    assert!(scratch.exists("t") && scratch.list("t").is_empty());
}

#[cfg(unix)]
#[test]
fn a_name_below_a_directory_is_never_dot() {
    use curt::os::unix::RemoveBelow;
    use std::os::fd::AsFd;

    let scratch = Scratch::new();
    tree(&scratch);
    let dir = std::fs::File::open(scratch.at("t")).unwrap();
    let report = Remove::new().contents_only(true).run_below(dir.as_fd(), ".");
    assert_eq!(report.error_count, 1, "{report:?}");
    let report = Remove::new().max_entries(1).run_below(dir.as_fd(), "sub");
    assert!(matches!(report.errors[0].cause(), Cause::TooManyEntries(1)), "{report:?}");
    assert!(scratch.exists("t/sub/deep/d"));
    let report = Remove::new().max_entries(4).run_below(dir.as_fd(), "sub");
    assert!(report.is_complete() && !scratch.exists("t/sub"), "{report:?}");
}
