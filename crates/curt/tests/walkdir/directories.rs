//! A directory at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use curt::{Fields, Walk};
use curt_testkit::Scratch;

use super::tree;

type Listed = Vec<(PathBuf, usize, Vec<(String, bool)>)>;

/// What a walk yields, with the entries of each directory sorted.
fn ours(walk: &Walk<'_>) -> Listed {
    let mut listed = Vec::new();
    let mut directories = walk.directories();
    while let Some(directory) = directories.next() {
        let directory = directory.unwrap();
        let name =
            |entry: &curt::walk::DirectoryEntry<'_>| entry.name().to_str().unwrap().to_owned();
        let mut entries: Vec<_> =
            directory.entries().map(|entry| (name(&entry), entry.kind().is_dir())).collect();
        entries.sort();
        listed.push((directory.path().into_owned(), directory.depth(), entries));
    }
    listed
}

/// The same by the standard library, sorted by name.
fn naive(path: &Path, depth: usize, late: bool, into: &mut Listed) {
    let mut entries: Vec<_> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path().is_dir()))
        .collect();
    entries.sort();
    let own = (path.to_owned(), depth, entries.clone());
    if !late {
        into.push(own.clone());
    }
    for (name, _) in entries.iter().filter(|(_, is_dir)| *is_dir) {
        naive(&path.join(name), depth + 1, late, into);
    }
    if late {
        into.push(own);
    }
}

fn sorted(path: &Path) -> Walk<'static> {
    Walk::new(path).sort_by(|a, b| a.name().cmp(&b.name()))
}

#[test]
fn every_directory_comes_once_with_all_of_its_entries() {
    let scratch = tree();
    for late in [false, true] {
        let mut expected = Vec::new();
        naive(&scratch.at("t"), 0, late, &mut expected);
        assert_eq!(ours(&sorted(&scratch.at("t")).contents_first(late)), expected);
        let as_set = |listed: Listed| {
            listed.into_iter().map(|(path, depth, list)| (path, (depth, list))).collect()
        };
        let unsorted: BTreeMap<_, _> =
            as_set(ours(&Walk::new(scratch.at("t")).contents_first(late)));
        assert_eq!(unsorted, as_set(expected));
    }
}

#[test]
fn directories_cost_the_calls_of_a_walk() {
    let scratch = tree();
    for late in [false, true] {
        let walk = Walk::new(scratch.at("t")).contents_first(late);
        let mut entries = walk.start();
        while entries.next().is_some() {}
        let mut directories = walk.directories();
        while let Some(directory) = directories.next() {
            assert!(directory.is_ok());
        }
        assert!(directories.calls().total() <= entries.calls().total(), "{late}");
    }
}

#[test]
fn pruned_directories_are_not_entered_and_the_others_in_the_order_that_was_set() {
    let scratch = tree();
    let walk = Walk::new(scratch.at("t"));
    let mut directories = walk.directories();
    let mut seen = Vec::new();
    while let Some(directory) = directories.next() {
        let mut directory = directory.unwrap();
        directory.retain(|entry| entry.name() != "y");
        directory.sort_by(|a, b| b.name().cmp(&a.name()));
        let names: Vec<_> = directory.entries().map(|entry| entry.name().into_owned()).collect();
        assert!(names.is_sorted_by(|a, b| a > b) && !names.contains(&"y".into()), "{names:?}");
        if directory.path().ends_with("two") {
            directory.skip();
        }
        seen.push(directory.path().strip_prefix(scratch.at("")).unwrap().to_owned());
    }
    assert_eq!(seen, ["t", "t/empty", "t/c", "t/c/two", "t/b"].map(PathBuf::from));
}

#[test]
fn depths_limit_the_entries_that_are_listed() {
    let scratch = tree();
    let walk = sorted(&scratch.at("t")).min_depth(2).max_depth(2);
    let paths: Vec<_> = ours(&walk).into_iter().map(|(path, depth, _)| (path, depth)).collect();
    let expected = ["t/b", "t/c", "t/empty"].map(|path| (scratch.at(path), 1));
    assert_eq!(paths, expected);
    assert!(ours(&walk.max_depth(0)).is_empty());
}

#[test]
fn an_operand_that_is_no_directory_is_an_error() {
    let scratch = tree();
    for (name, kind) in
        [("t/a", std::io::ErrorKind::NotADirectory), ("missing", std::io::ErrorKind::NotFound)]
    {
        let mut directories = Walk::new([scratch.at(name), scratch.at("t/empty")]).directories();
        let error = directories.next().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.path()), (kind, &*scratch.at(name)));
        assert_eq!(directories.next().unwrap().unwrap().path(), scratch.at("t/empty"));
        assert!(directories.next().is_none());
    }
}

#[test]
fn entries_have_the_fields_that_the_walk_asks_for() {
    let scratch = tree();
    let walk = Walk::new(scratch.at("t")).max_depth(1).fields(Fields::SIZE);
    let mut directories = walk.directories();
    let directory = directories.next().unwrap().unwrap();
    let large = directory.entries().find(|entry| entry.name() == "large").unwrap();
    assert_eq!(large.metadata().size().known(), Some(4000));
    assert!(directories.next().is_none());
    let mut plain = Walk::new(scratch.at("t")).max_depth(1).directories();
    let directory = plain.next().unwrap().unwrap();
    let large = directory.entries().find(|entry| entry.name() == "large").unwrap();
    assert!(large.metadata().is_file() && large.metadata().size().known().is_none());
}

#[test]
fn excluded_entries_are_in_no_list() {
    let scratch = tree();
    let walk = sorted(&scratch.at("t")).exclude(|entry| entry.name() == "c");
    let listed = ours(&walk);
    assert!(listed.iter().all(|(path, _, _)| !path.starts_with(scratch.at("t/c"))));
    assert!(listed[0].2.iter().all(|(name, _)| name != "c"));
}

#[test]
fn a_deep_tree_is_listed_within_the_descriptor_budget() {
    let scratch = Scratch::new();
    let deep = format!("t{}", "/d".repeat(60));
    for depth in 0..=60 {
        scratch.file(format!("{}/file", &deep[..=2 * depth]));
        scratch.file(format!("{}/e/file", &deep[..=2 * depth]));
    }
    for late in [false, true] {
        let mut expected = Vec::new();
        naive(&scratch.at("t"), 0, late, &mut expected);
        let walk = sorted(&scratch.at("t")).contents_first(late).descriptors(8);
        assert_eq!(ours(&walk), expected);
    }
}

#[cfg(unix)]
#[test]
fn the_descriptor_is_that_of_the_directory_at_any_depth() {
    use curt::os::unix::OpenDirectory;
    use std::os::unix::fs::MetadataExt;
    let scratch = Scratch::new();
    scratch.file(format!("t{}/file", "/d".repeat(60)));
    for late in [false, true] {
        let walk = Walk::new(scratch.at("t")).contents_first(late).descriptors(8);
        let mut directories = walk.directories();
        let mut count = 0;
        while let Some(directory) = directories.next() {
            let mut directory = directory.unwrap();
            let opened = directory.descriptor().unwrap().try_clone_to_owned().unwrap();
            let opened = std::fs::File::from(opened).metadata().unwrap();
            let named = directory.path().symlink_metadata().unwrap();
            assert_eq!((opened.dev(), opened.ino()), (named.dev(), named.ino()));
            count += 1;
        }
        assert_eq!(count, 61);
    }
}

#[test]
fn a_directory_that_vanishes_is_an_error_and_the_walk_goes_on() {
    let scratch = tree();
    let mut directories = sorted(&scratch.at("t")).directories();
    let (mut failed, mut count) = (Vec::new(), 0);
    while let Some(directory) = directories.next() {
        match directory {
            Ok(directory) if directory.depth() == 0 => scratch.remove("t/b"),
            Ok(_) => count += 1,
            Err(error) => failed.push(error.path().to_owned()),
        }
    }
    assert_eq!((failed, count), (vec![scratch.at("t/b")], 4));
}
