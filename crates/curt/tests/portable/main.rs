//! What the library promises on every system, through its public interface.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(unix)]
mod below;
mod callbacks;
mod canonical;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use curt::{Cause, Remove, Threads, Walk, remove_tree};
use curt_testkit::Scratch;

/// Five files and three directories, the root included.
fn tree(scratch: &Scratch, root: &str) -> PathBuf {
    for name in ["a", "b.keep", "sub/c", "sub/d.keep", "sub/deep/e"] {
        scratch.file(format!("{root}/{name}"));
    }
    scratch.typed().join(root)
}

#[test]
fn many_paths_go_in_one_pool() {
    let scratch = Scratch::new();
    let paths = [tree(&scratch, "one"), tree(&scratch, "two"), scratch.file("three")];
    let report = remove_tree(&paths).unwrap();
    assert_eq!((report.files, report.directories), (11, 6));
    assert!(scratch.list(".").is_empty());
}

#[test]
fn paths_are_those_that_were_given_and_what_lies_below() {
    let scratch = Scratch::new();
    let path = tree(&scratch, "t");
    let notes = Mutex::new(Vec::new());
    let report = Remove::new()
        .threads(Threads::AtMost(1))
        .on_removed(|path, _| notes.lock().unwrap().push(path.to_owned()))
        .run(&path);
    assert!(report.is_complete(), "{report:?}");
    let notes = notes.into_inner().unwrap();
    assert_eq!(notes.len(), 8);
    assert!(notes.contains(&path.join("sub").join("deep").join("e")), "{notes:?}");
    assert_eq!(notes.last(), Some(&path));
}

/// Programs print errors, and a terminal would act upon what names can hold.
#[test]
fn messages_of_errors_hold_nothing_that_a_terminal_acts_upon() {
    let name = "no\u{1b}[31m\u{7}\u{9b}\u{202e}\u{200f}\u{2028}\nsuch";
    let shown = r"no\u{1b}[31m\u{7}\u{9b}\u{202e}\u{200f}\u{2028}\u{a}such";
    let errors = [
        curt::remove_tree(name).unwrap_err().to_string(),
        curt::stat(name, curt::Plan::new(curt::Fields::SIZE)).unwrap_err().to_string(),
        curt::Search::new().find(format!("./{name}")).unwrap_err().to_string(),
        curt::Command::new(format!("./{name}")).spawn().unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.contains(shown), "{error:?}");
        assert!(!error.contains(char::is_control), "{error:?}");
        assert!(!error.contains(['\u{202e}', '\u{200f}', '\u{2028}']), "{error:?}");
    }
}

/// Walks a tree with the contents first and removes every entry; `swap` is called before the
/// operand is removed. Returns the failures.
fn remove_all(operand: &Path, swap: impl Fn()) -> Vec<curt::Error> {
    let mut walking = Walk::new(operand).contents_first(true).start();
    let mut errors = Vec::new();
    while let Some(entry) = walking.next() {
        let mut entry = entry.unwrap();
        if entry.path() == operand {
            swap();
        }
        errors.extend(entry.remove().err());
    }
    errors
}

#[test]
fn walk_says_whether_it_removed_an_entry() {
    let scratch = Scratch::new();
    scratch.file("t/d/a");
    scratch.file("t/d/b");
    let mut walking = Walk::new(scratch.at("t")).contents_first(true).start();
    let mut removed = Vec::new();
    while let Some(entry) = walking.next() {
        let mut entry = entry.unwrap();
        let path = entry.path().into_owned();
        if path.ends_with("a") || path.ends_with("t") {
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_dir(&path);
        }
        removed.push((path.file_name().unwrap().to_owned(), entry.remove().unwrap()));
    }
    removed.sort();
    let expected = [("a", false), ("b", true), ("d", true), ("t", false)];
    assert_eq!(removed, expected.map(|(name, removed)| (name.into(), removed)));
}

#[test]
fn walk_does_not_remove_a_directory_that_replaced_the_operand() {
    let scratch = Scratch::new();
    scratch.file("t/a");
    let errors = remove_all(&scratch.at("t"), || {
        std::fs::rename(scratch.at("t"), scratch.at("moved")).unwrap();
        scratch.dir("t");
    });
    let causes: Vec<_> = errors.iter().map(curt::Error::cause).collect();
    assert!(matches!(causes[..], [Cause::Replaced]), "{errors:?}");
    assert_eq!(scratch.list("."), ["d moved", "d t"]);
}

#[test]
fn an_operand_that_vanished_is_removed() {
    let scratch = Scratch::new();
    scratch.file("t/a");
    let errors = remove_all(&scratch.at("t"), || {
        std::fs::rename(scratch.at("t"), scratch.at("moved")).unwrap();
    });
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(scratch.list("."), ["d moved"]);
}
