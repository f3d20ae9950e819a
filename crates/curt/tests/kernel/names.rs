//! What canonical names cost, and that they are right wherever the root is by then.

use std::fs;
use std::path::Path;

use curt::{Canonical, Root};
use curt_testkit::{Scratch, skip};

use crate::{SCOPES, WAYS, has_openat2, root};

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("root/releases/7/lib/file");
    scratch.file("root/plain/lib/file");
    scratch.link("root/current", "releases/7");
    scratch.link("root/plain/up", "../releases");
    scratch.link("root/plain/dangling", "../releases/new");
    scratch
}

/// The name, whether it is missing, and how many calls that took.
fn asked(root: &Root, path: &str) -> (String, bool, u64) {
    let before = root.calls().total();
    let Canonical { path, missing, .. } = root.canonical(path).unwrap();
    (path.display().to_string(), missing, root.calls().total() - before)
}

#[test]
fn a_name_costs_two_calls_without_links_and_four_through_known_ones() {
    if !has_openat2() {
        return skip("the kernel has no openat2");
    }
    let scratch = tree();
    // Where anything anywhere is renamed meanwhile, as other tests do, `openat2` may have to be asked again.
    let mut seen = counts_are_right(&scratch);
    for _ in 0..50 {
        if seen.is_ok() {
            break;
        }
        seen = counts_are_right(&scratch);
    }
    assert_eq!(seen, Ok(()));
}

/// Asks a fresh root for one name after the other; the error is the first that took another number of calls.
fn counts_are_right(scratch: &Scratch) -> Result<(), String> {
    let root = root(&scratch.at("root"), &[]);
    let file = "releases/7/lib/file";
    for (path, name, missing, calls) in [
        ("plain/lib/file", "plain/lib/file", false, 2),
        ("plain/lib/new", "plain/lib/new", true, 3),
        // That there are links is found out, and then known.
        ("current/lib/file", file, false, 5),
        ("current/lib/file", file, false, 4),
        ("plain/lib/file", "plain/lib/file", false, 2),
        ("current/./lib", "releases/7/lib", false, 4),
        ("current/lib/new", "releases/7/lib/new", true, 6),
        // Some paths that begin alike have links, and some have not.
        ("plain/up/7", "releases/7", false, 5),
        ("plain/lib/file", "plain/lib/file", false, 4),
        ("plain/lib/file", "plain/lib/file", false, 2),
        ("plain/up/new", "releases/new", true, 7),
    ] {
        let (found, is_missing, took) = asked(&root, path);
        assert_eq!((&*found, is_missing), (name, missing), "{path}");
        if took != calls {
            return Err(format!("{path} took {took} calls instead of {calls}"));
        }
    }
    // A missing name that is a link all the same is looked at by single steps.
    let (name, missing, _) = asked(&root, "plain/dangling");
    assert_eq!((&*name, missing), ("releases/new", true));
    Ok(())
}

#[test]
fn links_that_come_and_go_are_noticed() {
    let scratch = tree();
    for (_, without) in WAYS {
        for (scope, _) in SCOPES {
            let root = root(&scratch.at("root"), without).scope(scope);
            for _ in 0..2 {
                assert_eq!(asked(&root, "current/lib/file").0, "releases/7/lib/file");
                fs::remove_file(scratch.at("root/current")).unwrap();
                scratch.file("root/current/lib/file");
                assert_eq!(asked(&root, "current/lib/file").0, "current/lib/file");
                assert_eq!(asked(&root, "current/lib/file").0, "current/lib/file");
                fs::remove_dir_all(scratch.at("root/current")).unwrap();
                scratch.link("root/current", "releases/7");
            }
        }
    }
}

/// Also where what was found still begins with the old name of the root.
#[test]
fn a_root_that_was_moved_keeps_its_names() {
    let scratch = tree();
    for (way, without) in WAYS {
        let place = scratch.at("root");
        let root = root(&place, without);
        let check = |at: &Path| {
            for (path, name) in [
                ("current/lib/file", "releases/7/lib/file"),
                ("plain/lib/file", "plain/lib/file"),
                ("current/lib/new", "releases/7/lib/new"),
            ] {
                assert_eq!(asked(&root, path).0, name, "{way} {}", at.display());
            }
        };
        check(&place);
        let aside = scratch.at("aside");
        fs::rename(&place, &aside).unwrap();
        check(&aside);
        // Below its own old name.
        fs::create_dir(&place).unwrap();
        let below = place.join("releases");
        fs::rename(&aside, &below).unwrap();
        check(&below);
        fs::rename(&below, &aside).unwrap();
        fs::remove_dir(&place).unwrap();
        fs::rename(&aside, &place).unwrap();
        check(&place);
    }
}
