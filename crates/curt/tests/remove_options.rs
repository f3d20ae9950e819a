//! Options of removals through the public interface: the contents of `.`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use curt::{Cause, Remove};
use curt_testkit::Scratch;

/// Four files and three directories.
fn tree(scratch: &Scratch) {
    for path in ["t/a", "t/b", "t/sub/c", "t/sub/deep/d"] {
        scratch.file(path);
    }
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
    assert!(scratch.exists("t/sub/deep/d"));
    let report = Remove::new().run_below(dir.as_fd(), "sub");
    assert!(report.is_complete() && !scratch.exists("t/sub"), "{report:?}");
}
