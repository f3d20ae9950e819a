//! Tests POSIX rules in directories that a user could not set up on a real system.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::{Fixture, build};
use crate::fields::Kind;
use crate::sys::fault::Faults;
use crate::which::Policy;
use curt_paths::Flavor;

#[test]
fn what_may_not_be_executed_or_searched_is_skipped_and_named_in_the_error() {
    let fixture = |policy| {
        Fixture::new(policy, Flavor::Posix, "/a:/b:/s", |world| {
            build(world, "a/x! b/x a/y! a/d/ s/z");
            world.no_execution("s");
        })
    };
    let unfit = "x /b/x path:1 executable | y not-executable /a/y | d not-executable /a/d
                 /a/d/ not-executable /a/d/";
    fixture(Policy::Native).assert_finds(unfit);
    fixture(Policy::Native).assert_finds("z not-found");
    fixture(Policy::Posix).assert_finds("z permission-denied /s | /s/z permission-denied /s");
    let error = fixture(Policy::Native).engine().find(OsStr::new("/s/z")).unwrap_err();
    assert_eq!(super::reason(&error).unsearchable(), [Path::new("/s/")]);
}

#[test]
fn system_failures_are_reported_before_unfit_files() {
    let mut fixture = Fixture::new(Policy::Native, Flavor::Posix, "/a:/b", |world| {
        build(world, "a/x! b/x!");
    });
    fixture.assert_finds("x not-executable /a/x");
    for (nth, place) in [(0, "/a"), (1, "/b")] {
        fixture.setup.faults = Some(Arc::new(Faults::default().fail("faccessat2", nth, 5)));
        fixture.assert_finds(&format!("x other {place}"));
    }
}

/// The test is for Unix, because elsewhere the error number means something else.
#[cfg(unix)]
#[test]
fn link_loops_end_the_search_only_by_policy() {
    for (policy, tree, answers) in [
        (Policy::Native, "b/x", "x /b/x path:1 executable | y link-loop /a/y"),
        (Policy::Native, "b/y->y", "y link-loop /a/y"),
        (Policy::Native, "b/y!", "y not-executable /b/y"),
        (Policy::Posix, "b/x", "x link-loop /a/x"),
    ] {
        let fixture = Fixture::new(policy, Flavor::Posix, "/a:/b", |world| {
            build(world, "a/x->x a/y->y");
            build(world, tree);
        });
        fixture.assert_finds(answers);
    }
}

#[test]
fn empty_entries_are_the_working_directory_by_policy() {
    for path in [":/a", "/a::", ""] {
        let fixture = |cwd| Fixture::posix(path, |world| build(world, "w/x a/")).cwd(cwd);
        fixture(false).assert_finds("x not-found /w/x");
        fixture(true).assert_finds("x /w/x cwd executable relative");
        let of_go = fixture(false).policy(Policy::Go);
        of_go.assert_finds(if path.is_empty() { "x not-found" } else { "x not-found /w/x" });
    }
    let of_go = Fixture::posix(":/a", |world| build(world, "w/x a/")).policy(Policy::Go);
    of_go.assert_finds("x relative-result /w/x");
}

#[test]
fn authorities_differ_on_pipes_and_on_a_missing_or_empty_path() {
    for (policy, finds_pipe, has_default, empty) in [
        (Policy::Native, false, true, "not-found /w/x"),
        (Policy::Posix, false, true, "/w/x cwd executable relative"),
        (Policy::CPython, true, true, "not-found"),
        (Policy::Go, true, false, "not-found"),
    ] {
        let find = |path: Option<&str>, name| {
            let mut fixture = Fixture::new(policy, Flavor::Posix, "", |world| {
                build(world, "bin/x w/x");
                world.special("bin/p", Kind::Fifo);
            });
            fixture.options.path = path.map(Into::into);
            fixture.find(name).0
        };
        assert_eq!(find(Some("/bin"), "p").contains("path:0"), finds_pipe, "{policy:?}");
        assert_eq!(find(None, "x").contains("path:0"), has_default, "{policy:?}");
        assert_eq!(find(Some(""), "x"), empty, "{policy:?}");
    }
}

#[test]
fn without_a_base_relative_paths_name_nothing_and_cost_no_call() {
    for (flavor, path) in [(Flavor::Posix, "w:.::../w"), (Flavor::Windows, "w;.;;..\\w")] {
        for policy in [Policy::Native, Policy::CPython, Policy::Go] {
            let fixture = Fixture::new(policy, flavor, path, |world| build(world, "w/x.exe"));
            for name in ["x.exe", "./x.exe", "w/x.exe"] {
                let found = fixture.find(name);
                assert_ne!((found.0.as_str(), found.1), ("not-found", 0), "{policy:?} {name}");
            }
            let fixture = fixture.no_base();
            for name in ["x.exe", "./x.exe", "w/x.exe"] {
                assert_eq!(fixture.find(name), ("not-found".into(), 0), "{policy:?} {name}");
            }
        }
    }
}

#[test]
fn invalid_names_cost_no_call() {
    let fixture = Fixture::posix("/a", |world| build(world, "a/"));
    for name in ["", ".", "..", "a\0b"] {
        assert_eq!(fixture.find(name), ("invalid-name".into(), 0), "{name:?}");
    }
    for name in ["x".repeat(256), format!("d/{}", "x".repeat(256))] {
        assert_eq!(fixture.find(&name), ("name-too-long".into(), 0));
    }
}
