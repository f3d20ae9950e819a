//! POSIX' rules, where a system of one's own would have to be asked as somebody else.

use super::Ground;
use crate::which::policy::{Cwd, Policy};

#[test]
fn what_may_not_be_executed_is_passed_over_and_named() {
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
fn what_may_not_be_searched_is_told_of() {
    let ground = |policy| {
        Ground::new(policy, "/a:/b", |world| {
            world.file("a/x").no_execution("a").file("b/y").dir("w");
        })
    };
    let safe = Policy::safe(curt_paths::Flavor::Posix);
    ground(safe.clone()).assert_finds("x", "not-found");
    ground(safe).assert_finds("y", "/b/y path:1 executable");
    ground(Policy::execvp()).assert_finds("x", "permission-denied /a");
    ground(Policy::execvp()).assert_finds("/a/x", "permission-denied /a");
}

/// Elsewhere the number of the error means something else.
#[cfg(unix)]
#[test]
fn loops_end_the_search_where_the_authority_lets_them() {
    let ground = |policy| {
        Ground::new(policy, "/a:/b", |world| {
            world.link("a/x", "x").link("a/y", "y").file("b/x").dir("w");
        })
    };
    let safe = Policy::safe(curt_paths::Flavor::Posix);
    ground(safe.clone()).assert_finds("x", "/b/x path:1 executable");
    ground(safe).assert_finds("y", "link-loop /a/y");
    ground(Policy::execvp()).assert_finds("x", "link-loop /a/x");
}

#[test]
fn empty_entries_are_the_place_that_nobody_named() {
    for path in [":/a", "/a::", ""] {
        let ground = |cwd| {
            Ground::posix(path, |world| {
                world.file("w/x").dir("a");
            })
            .with(|policy| policy.cwd = cwd)
        };
        ground(Cwd::Never).assert_finds("x", "not-found /w/x");
        ground(Cwd::Auto).assert_finds("x", "/w/x cwd executable relative");
        ground(Cwd::Report).assert_finds("x", "relative-result /w/x");
    }
}

#[test]
fn names_that_cannot_be_cost_nothing() {
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
