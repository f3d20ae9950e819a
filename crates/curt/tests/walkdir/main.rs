//! Walks beside the crate walkdir.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

use curt::Walk;
use curt::walk::{Order, SortBy};
use curt_testkit::Scratch;
use walkdir::WalkDir;

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
fn entries_are_sorted_as_walkdir_sorts_them() {
    let scratch = tree();
    let path = scratch.at("t");
    let expected = theirs(WalkDir::new(&path).sort_by(|a, b| b.file_name().cmp(a.file_name())));
    let walk = Walk::new(&path).sort(Order { by: SortBy::Name, reverse: true });
    assert_eq!(ours(&walk), expected);
    let late = WalkDir::new(&path).sort_by_file_name().contents_first(true);
    let walk = Walk::new(&path).sort(Order::default()).contents_first(true);
    assert_eq!(ours(&walk), theirs(late));
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
