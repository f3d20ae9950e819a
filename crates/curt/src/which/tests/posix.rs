//! The rules of POSIX in directories that only another user could set up on a real system.

use std::ffi::OsStr;
use std::path::Path;

use super::Ground;
use crate::which::{Cwd, Policy};
use curt_paths::Flavor;

#[test]
fn files_that_may_not_be_executed_are_skipped_and_named_in_the_error() {
    let ground = Ground::posix("/a:/b", |world| {
        world.file("a/x").no_execution("a/x").file("b/x").file("a/y").no_execution("a/y");
        world.dir("a/d").dir("w");
    });
    ground.assert_finds("x", "/b/x path:1 executable");
    ground.assert_finds("y", "not-executable /a/y");
    ground.assert_finds("d", "not-executable /a/d");
    ground.assert_finds("/a/d/", "not-executable /a/d/");
}

#[test]
fn unsearchable_directories_are_reported() {
    let ground = |policy| {
        Ground::new(policy, Flavor::Posix, "/a:/b", |world| {
            world.file("a/x").no_execution("a").file("b/y").dir("w");
        })
    };
    ground(Policy::Native).assert_finds("x", "not-found");
    ground(Policy::Native).assert_finds("y", "/b/y path:1 executable");
    ground(Policy::Posix).assert_finds("x", "permission-denied /a");
    ground(Policy::Posix).assert_finds("/a/x", "permission-denied /a");
}

#[test]
fn an_unsearchable_path_is_reported_with_its_own_directory() {
    let ground = Ground::posix("/a", |world| {
        world.dir("a").file("s/x").no_execution("s");
    });
    let error = ground.engine().find(OsStr::new("/s/x")).unwrap_err();
    assert_eq!(error.unsearchable(), [Path::new("/s/")]);
}

/// On other systems the error number means something else.
#[cfg(unix)]
#[test]
fn link_loops_end_the_search_only_by_policy() {
    let ground = |policy| {
        Ground::new(policy, Flavor::Posix, "/a:/b", |world| {
            world.link("a/x", "x").link("a/y", "y").file("b/x").dir("w");
        })
    };
    ground(Policy::Native).assert_finds("x", "/b/x path:1 executable");
    ground(Policy::Native).assert_finds("y", "link-loop /a/y");
    let both = Ground::posix("/a:/b", |world| {
        world.link("a/y", "y").link("b/y", "y").dir("w");
    });
    both.assert_finds("y", "link-loop /a/y");
    ground(Policy::Posix).assert_finds("x", "link-loop /a/x");
}

#[test]
fn empty_entries_are_the_working_directory_by_policy() {
    for path in [":/a", "/a::", ""] {
        let ground = |cwd| {
            Ground::posix(path, |world| {
                world.file("w/x").dir("a");
            })
            .cwd(cwd)
        };
        ground(Cwd::Never).assert_finds("x", "not-found /w/x");
        ground(Cwd::Auto).assert_finds("x", "/w/x cwd executable relative");
        ground(Cwd::Report).assert_finds("x", "relative-result /w/x");
    }
}

#[test]
fn invalid_names_cost_no_call() {
    let ground = Ground::posix("/a", |world| {
        world.dir("a");
    });
    for name in ["", ".", "..", "a\0b"] {
        assert_eq!(ground.find(name), ("invalid-name".into(), 0), "{name:?}");
    }
    for name in ["x".repeat(256), format!("d/{}", "x".repeat(256))] {
        assert_eq!(ground.find(&name), ("name-too-long".into(), 0));
    }
}
