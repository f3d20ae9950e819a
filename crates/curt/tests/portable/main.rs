//! Guarantees on every system, tested through the public interface.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod below;
mod callbacks;
mod canonical;

use std::sync::Mutex;

use curt::{Remove, Threads, Walk};
use curt_testkit::Scratch;

#[test]
fn reported_paths_begin_with_the_operand() {
    let scratch = Scratch::new();
    scratch.tree("t", "a sub/c sub/deep/e");
    let (path, notes) = (scratch.typed().join("t"), Mutex::new(Vec::new()));
    let report = Remove::new()
        .threads(Threads::AtMost(1))
        .on_removed(|path, _| notes.lock().unwrap().push(path.to_owned()))
        .run(&path);
    assert_eq!((report.files, report.directories), (3, 3), "{report:?}");
    let notes = notes.into_inner().unwrap();
    assert!(notes.contains(&path.join("sub").join("deep").join("e")), "{notes:?}");
    assert_eq!((notes.len(), notes.last()), (6, Some(&path)));
}

#[test]
fn error_messages_contain_no_control_characters() {
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

#[test]
fn walk_reports_whether_it_removed_an_entry() {
    let scratch = Scratch::new();
    scratch.tree("", "t/d/a t/d/b");
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
