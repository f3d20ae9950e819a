//! The shapes are what the reports say, to the entry, both computed and on disk.

use super::*;
use crate::place::sandbox::Sandbox;
use std::collections::HashSet;

fn levels(tree: &Tree) -> usize {
    let deepest = tree.directories.iter().map(|directory| directory.path.components().count());
    deepest.max().unwrap() + 1
}

#[test]
fn react_is_the_tree_of_the_report() {
    let tree = Tree::react(REACT_ENTRIES, Content::Total(REACT_BYTES));
    assert_eq!(tree.files(), 36_346);
    assert_eq!(tree.directories(), 4_863);
    assert_eq!(levels(&tree), 10);
    assert_eq!((0..tree.files()).map(|file| tree.size(file)).sum::<u64>(), 344 << 20);
    let packages = tree.directories.iter().filter(|directory| {
        directory.path.file_name().is_some_and(|name| name.to_string_lossy().contains("-plugin-"))
    });
    assert!((900..1_100).contains(&packages.count()));
}

#[test]
fn react_is_uneven_like_real_packages() {
    let tree = Tree::react(REACT_ENTRIES, Content::Empty);
    let largest = tree.directories.iter().map(|directory| directory.files).max().unwrap();
    let few = tree.directories.iter().filter(|directory| directory.files <= 5).count();
    assert!(largest >= 50, "{largest}");
    assert!(few > tree.directories.len() / 3, "{few}");
}

#[test]
fn shapes_repeat_themselves_and_hold_no_path_twice() {
    for make in [
        || Tree::react(REACT_ENTRIES, Content::Empty),
        || Tree::react(REACT_ENTRIES / 8, Content::Empty),
        || Tree::react(41, Content::Empty),
        || Tree::small_directories(20_000, Content::Empty),
    ] {
        let tree = make();
        let paths: Vec<_> = tree.directories.iter().map(|directory| &directory.path).collect();
        assert_eq!(paths, make().directories.iter().map(|d| &d.path).collect::<Vec<_>>());
        assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len());
        assert!(paths[0].as_os_str().is_empty());
        let seen: HashSet<_> = paths.iter().copied().collect();
        assert!(paths[1..].iter().all(|path| seen.contains(&path.parent().unwrap().to_path_buf())));
    }
}

#[test]
fn shrinking_divides_the_counts() {
    let tree = Tree::react(REACT_ENTRIES / 8, Content::Empty);
    assert_eq!((tree.files(), tree.directories()), (36_346 / 8, 4_863 / 8));
    assert_eq!(levels(&tree), 10);
}

#[test]
fn other_shapes() {
    let small = Tree::small_directories(20_000, Content::Empty);
    assert_eq!((small.directories(), small.files()), (20_001, 1 + 60_000 - 1));
    let flat = Tree::flat(50_000, Content::Each(4096));
    assert_eq!((flat.directories(), flat.files(), flat.bytes()), (1, 50_000, 50_000 * 4096));
    let ten = Tree::ten();
    assert_eq!((ten.directories(), ten.files()), (3, 10));
}

fn count(path: &Path) -> (u64, u64, u64) {
    let mut total = (0, 1, 0);
    for entry in std::fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            let (files, directories, bytes) = count(&entry.path());
            total = (total.0 + files, total.1 + directories, total.2 + bytes);
        } else {
            let size = if entry.file_type().unwrap().is_file() {
                entry.metadata().unwrap().len()
            } else {
                0
            };
            total = (total.0 + 1, total.1, total.2 + size);
        }
    }
    total
}

#[test]
fn what_is_written_is_what_was_computed() {
    let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
    for (name, tree) in [
        ("react", Tree::react(REACT_ENTRIES / 16, Content::Empty)),
        ("full", Tree::react(640, Content::Total(1 << 20))),
        ("flat", Tree::flat(300, Content::Each(4096))),
        ("ten", Tree::ten()),
        ("mixed", Tree::mixed(340, 15, 3)),
        ("some", Tree::react(640, Content::Some)),
    ] {
        let root = sandbox.entry(name);
        tree.build(&root, &sandbox.canary()).unwrap();
        let (files, directories, bytes) = count(&root);
        assert_eq!((files, directories), (tree.files(), tree.directories()), "{name}");
        // Links stand in for the first files.
        let lost: u64 = (0..u64::from(tree.links.all)).map(|file| tree.size(file)).sum();
        assert!(bytes == tree.bytes() || bytes == tree.bytes() - lost, "{name}");
        assert!(tree.build(&root, &sandbox.canary()).is_err(), "never into an existing folder");
    }
}

#[test]
fn the_mixed_directory_has_what_its_name_says() {
    let tree = Tree::mixed(3_400, 150, 30);
    assert_eq!((tree.files(), tree.directories(), tree.entries()), (3_550, 31, 3_580));
    let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
    let root = sandbox.entry("mixed");
    tree.build(&root, &sandbox.canary()).unwrap();
    let (mut files, mut links, mut dangling, mut below) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        files += u32::from(kind.is_file());
        links += u32::from(kind.is_symlink());
        dangling += u32::from(!path.exists());
        below += u32::from(kind.is_dir());
    }
    if cfg!(unix) {
        assert_eq!((files, links, dangling, below), (3_400, 150, 30, 30));
    } else {
        assert_eq!((files + links, below), (3_550, 30));
    }
}
