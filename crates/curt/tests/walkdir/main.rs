//! Walks beside the crate walkdir, and a directory at a time beside the standard library.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use curt::walk::{Order, SortBy};
use curt::{Fields, Plan, Walk};
use curt_testkit::Scratch;
use walkdir::WalkDir;

mod directories;

fn tree() -> Scratch {
    let scratch = Scratch::new();
    for path in ["t/b/x", "t/b/y/z", "t/a", "t/c/one", "t/c/two/three/four", "t/d.txt"] {
        scratch.file(path);
    }
    scratch.file_with("t/large", &[b'x'; 4000]);
    scratch.dir("t/empty");
    scratch
}

fn theirs(walk: WalkDir) -> Vec<PathBuf> {
    walk.into_iter().map(|entry| entry.unwrap().into_path()).collect()
}

fn ours(walk: &Walk<'_>) -> Vec<PathBuf> {
    walk.iter().map(|entry| entry.unwrap().path).collect()
}

#[test]
fn entries_are_sorted_by_a_closure_as_walkdir_sorts_them() {
    let scratch = tree();
    let path = scratch.at("t");
    let expected = theirs(WalkDir::new(&path).sort_by(|a, b| b.file_name().cmp(a.file_name())));
    let walk = Walk::new(&path).sort_by(|a, b| b.name().cmp(&a.name()));
    assert_eq!(ours(&walk), expected);
    let late = WalkDir::new(&path).sort_by_file_name().contents_first(true);
    let walk = Walk::new(&path).sort_by(|a, b| a.name().cmp(&b.name())).contents_first(true);
    assert_eq!(ours(&walk), theirs(late));
}

#[test]
fn a_closure_sorts_by_what_the_walk_asks_for() {
    let scratch = tree();
    let size = |path: &Path| path.symlink_metadata().unwrap().len();
    let path = scratch.at("t");
    let expected = theirs(WalkDir::new(&path).sort_by(move |a, b| {
        (size(b.path()), a.file_name()).cmp(&(size(a.path()), b.file_name()))
    }));
    let walk = Walk::new(&path).fields(Fields::SIZE).sort_by(|a, b| {
        let size = |entry: &curt::Metadata| entry.size().known().unwrap();
        size(b.metadata()).cmp(&size(a.metadata())).then_with(|| a.name().cmp(&b.name()))
    });
    assert_eq!(ours(&walk), expected);
}

#[test]
fn skip_current_dir_skips_what_walkdir_skips() {
    let scratch = tree();
    let path = scratch.at("t");
    for stop in ["b", "x", "one", "two", "t", "a", "three", "large"] {
        let mut expected = Vec::new();
        let mut entries = WalkDir::new(&path).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = entry.unwrap();
            expected.push(entry.path().to_owned());
            if entry.file_name() == stop {
                entries.skip_current_dir();
            }
        }
        let mut seen = Vec::new();
        let mut entries = Walk::new(&path).sort_by(|a, b| a.name().cmp(&b.name())).iter();
        while let Some(entry) = entries.next() {
            let entry = entry.unwrap();
            seen.push(entry.path.clone());
            if entry.name() == stop {
                entries.skip_current_dir();
            }
        }
        assert_eq!(seen, expected, "{stop}");
    }
}

#[test]
fn leaving_the_parent_of_an_unsorted_entry_enters_none_of_its_siblings() {
    let scratch = Scratch::new();
    for number in 0..200 {
        scratch.file(format!("t/one/{number}/file"));
        scratch.file(format!("t/two/{number}/file"));
    }
    let walk = Walk::new(scratch.at("t"));
    let mut walking = walk.start();
    let mut seen = Vec::new();
    while let Some(entry) = walking.next() {
        let mut entry = entry.unwrap();
        let path = entry.path().into_owned();
        if entry.depth() == 2 && path.starts_with(scratch.at("t/one")) {
            entry.leave_parent();
        }
        seen.push(path);
    }
    let below = |name: &str| seen.iter().filter(|path| path.starts_with(scratch.at(name))).count();
    assert_eq!((below("t/one"), below("t/two")), (2, 401));
}

#[test]
fn an_owned_entry_answers_after_the_walk() {
    let scratch = tree();
    let entries: Vec<_> = Walk::new(scratch.at("t")).iter().map(Result::unwrap).collect();
    let large = entries.iter().find(|entry| entry.name() == "large").unwrap();
    assert!(large.metadata.size().known().is_none());
    assert_eq!(large.stat(Plan::new(Fields::SIZE)).unwrap().size().known(), Some(4000));
    scratch.remove("t/large");
    let error = large.stat(Fields::SIZE).unwrap_err();
    assert_eq!((error.kind(), error.path()), (std::io::ErrorKind::NotFound, &*large.path));
}

#[test]
fn excluded_entries_are_not_asked_about_in_order_to_sort() {
    let scratch = Scratch::new();
    let walk = Walk::new(scratch.dir("t"))
        .sort(Order { by: SortBy::Size, reverse: false })
        .exclude(|entry| entry.name() != "kept");
    let calls = || {
        let mut walking = walk.start();
        while walking.next().is_some() {}
        walking.calls().total()
    };
    scratch.file("t/kept");
    // The first walk of a process may ask the system for more.
    calls();
    let alone = calls();
    for number in 0..10 {
        scratch.file(format!("t/{number}"));
    }
    assert_eq!(calls(), alone);
}
