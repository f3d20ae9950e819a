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
fn names_cost_what_the_last_paths_say() {
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

const FILE: &str = "plain/lib/file";
const LINKED: &str = "releases/7/lib/file";

/// What one root is asked for one after the other: the path, its name, whether it is missing, and the calls
/// for it, the close among them.
type Asked = &'static [(&'static str, &'static str, bool, u64)];

const COUNTS: [Asked; 5] = [
    // A fresh root, as every start of the command has it.
    &[(FILE, FILE, false, 4)],
    &[("current/lib/file", LINKED, false, 4)],
    &[("plain/lib/new", "plain/lib/new", true, 4)],
    &[("current/lib/new", "releases/7/lib/new", true, 7)],
    &[
        (FILE, FILE, false, 4),
        // The last one had no link.
        (FILE, FILE, false, 2),
        ("releases/7/./lib", "releases/7/lib", false, 2),
        ("plain/lib/new", "plain/lib/new", true, 3),
        // Neither will this one: a wrong guess, and the next is not guessed.
        ("current/lib/file", LINKED, false, 5),
        ("current/lib/file", LINKED, false, 4),
        (FILE, FILE, false, 4),
        // Both ways are known by now.
        (FILE, FILE, false, 2),
        ("current/./lib", "releases/7/lib", false, 4),
        (FILE, FILE, false, 2),
        ("current/lib/new", "releases/7/lib/new", true, 6),
        // The last one was missing.
        ("current/lib/new", "releases/7/lib/new", true, 5),
        ("current/lib/file", LINKED, false, 5),
        ("current/lib/file", LINKED, false, 4),
        // Some paths that begin alike have links, and some have not.
        ("plain/up/7", "releases/7", false, 5),
        (FILE, FILE, false, 4),
        (FILE, FILE, false, 2),
        ("plain/up/new", "releases/new", true, 7),
    ],
];

/// The error is the first that took another number of calls.
fn counts_are_right(scratch: &Scratch) -> Result<(), String> {
    for asking in COUNTS {
        let root = root(&scratch.at("root"), &[]);
        for &(path, name, missing, calls) in asking {
            let (found, is_missing, took) = asked(&root, path);
            assert_eq!((&*found, is_missing), (name, missing), "{path}");
            if took != calls {
                return Err(format!("{path} took {took} calls instead of {calls}"));
            }
        }
    }
    Ok(())
}

/// A missing name that is a link all the same is looked at by single steps, whatever was asked before.
#[test]
fn a_link_that_leads_nowhere_is_told_by_where_it_leads() {
    let scratch = tree();
    for (way, without) in WAYS {
        for before in [&[][..], &[FILE], &["current/lib/new"], &["plain/up/new"]] {
            let root = root(&scratch.at("root"), without);
            for path in before {
                asked(&root, path);
            }
            let (name, missing, _) = asked(&root, "plain/dangling");
            assert_eq!((&*name, missing), ("releases/new", true), "{way} {before:?}");
        }
    }
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
