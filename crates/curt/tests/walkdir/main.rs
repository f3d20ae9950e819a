//! Compares walks with those of the crate walkdir.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use curt::fields::Follow;
use curt::{Cause, Feature, Fields, Kind, Walk};
use curt_testkit::{Choices, Scratch};
use walkdir::WalkDir;

const NAMES: [&str; 8] = ["a", "a.b", "a!", "ab", "b", "Z", "\u{e9}", "~"];

/// No symlink points above the tree: walkdir detects loops only at symlinks, so it would enter the
/// tree again.
fn tree(choices: &mut Choices) -> Scratch {
    let scratch = Scratch::new();
    let top = scratch.dir("t");
    for _ in 0..choices.below(60) {
        let names = (0..=choices.below(5)).map(|_| choices.one_of(&NAMES));
        let path = names.fold(top.clone(), |path, name| path.join(name));
        let _ = match choices.below(4) {
            0 => fs::create_dir_all(path),
            1 => link(choices.one_of(&[".", "a", "../b", "../../a/b", "none", "b/.."]), &path),
            _ => fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, "x")),
        };
    }
    scratch
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn link(_target: &str, path: &Path) -> std::io::Result<()> {
    fs::write(path, "x")
}

/// Depth and kind, or the target of a symlink loop. A broken symlink has no kind.
type Seen = (PathBuf, Result<(usize, Option<Kind>), Option<PathBuf>>);

fn theirs(walk: WalkDir) -> Vec<Seen> {
    let seen = walk.into_iter().map(|entry| match entry {
        Ok(entry) => {
            let kind = match entry.file_type() {
                kind if kind.is_dir() => Kind::Directory,
                kind if kind.is_symlink() => Kind::Symlink,
                _ => Kind::File,
            };
            (entry.path().to_owned(), Ok((entry.depth(), Some(kind))))
        }
        Err(error) if error.io_error().is_some_and(|error| error.kind() == NotFound) => {
            (error.path().unwrap().to_owned(), Ok((error.depth(), None)))
        }
        Err(error) => {
            (error.path().unwrap().to_owned(), Err(error.loop_ancestor().map(Path::to_owned)))
        }
    });
    seen.collect()
}

fn ours(walk: &Walk<'_>, follows: bool) -> Vec<Seen> {
    let seen = walk.iter().map(|entry| match entry {
        Ok(entry) => {
            let kind = Some(entry.kind()).filter(|kind| !(follows && kind.is_link()));
            (entry.path.clone(), Ok((entry.depth, kind)))
        }
        Err(error) => {
            let ancestor = match error.cause() {
                Cause::Loop(ancestor) => Some(ancestor.clone()),
                _ => None,
            };
            (error.path().to_owned(), Err(ancestor))
        }
    });
    let mut seen: Vec<Seen> = seen.collect();
    let failed = seen.iter().filter(|(_, seen)| seen.is_err()).map(|(path, _)| path.clone());
    let failed: HashSet<PathBuf> = failed.collect();
    seen.retain(|(path, seen)| seen.is_err() || !failed.contains(path));
    seen
}

#[test]
fn random_trees_are_walked_as_by_walkdir() {
    let mut choices = Choices::new(1);
    for round in 0..200 {
        let scratch = tree(&mut choices);
        let path = scratch.at("t");
        let mut yes = || choices.below(2) == 0;
        let (follows, is_late, is_sorted) = (yes(), yes(), yes());
        let without: &[Feature] = if yes() { &[] } else { &[Feature::Openat2, Feature::Statx] };
        let most = if follows || choices.below(2) == 0 { 99 } else { choices.below(5) };
        let mut walk = Walk::new(&path).contents_first(is_late).max_depth(most);
        let mut known = WalkDir::new(&path).contents_first(is_late).follow_links(follows);
        known = known.max_depth(most);
        for &feature in without {
            walk = walk.without(feature);
        }
        if follows {
            walk = walk.follow(Follow::Links);
        }
        if is_sorted {
            walk = walk.sort_by_name(true);
            known = known.sort_by_file_name();
        }
        let case = format!("{round}: {walk:?} {}", scratch.list("t").join(", "));
        let (mut ours, mut theirs) = (ours(&walk, follows), theirs(known));
        if !is_sorted {
            let place = |path: &Path| ours.iter().position(|(known, _)| known == path);
            for (index, (entry, _)) in ours.iter().enumerate() {
                let is_in_order = |parent| if is_late { parent > index } else { parent < index };
                let parent = entry.parent().and_then(place);
                assert!(parent.is_none_or(is_in_order), "{entry:?} and its parent: {case}");
            }
            ours.sort();
            theirs.sort();
        }
        let differs = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
        assert!(differs.is_none(), "{differs:?}: {case}");
        assert_eq!(ours.len(), theirs.len(), "{case}");
    }
}

#[test]
fn links_that_are_followed_are_known_as_by_walkdir() {
    let mut choices = Choices::new(2);
    for round in 0..50 {
        let scratch = tree(&mut choices);
        let known = WalkDir::new(scratch.at("t")).follow_links(true).min_depth(1);
        let known = known.into_iter().flatten().filter(|entry| !entry.file_type().is_symlink());
        let theirs: HashMap<PathBuf, bool> =
            known.map(|entry| (entry.path().to_owned(), entry.path_is_symlink())).collect();
        let mut walking = Walk::new(scratch.at("t")).follow(Follow::Links).start();
        let mut ours = HashMap::new();
        while let Some(entry) = walking.next() {
            let Ok(entry) = entry else { continue };
            ours.insert(entry.path().into_owned(), entry.is_followed_link());
        }
        for (path, is_link) in theirs {
            assert_eq!(ours.get(&path), Some(&is_link), "{path:?} in round {round}");
        }
    }
}

#[test]
fn excluded_entries_are_not_queried() {
    let scratch = Scratch::new();
    let walk = Walk::new(scratch.dir("t"))
        .fields(Fields::SIZE)
        .sort_by_name(true)
        .exclude(|entry| entry.name() != "kept");
    let calls = || walk.visit(|_| ()).calls.total();
    scratch.file("t/kept");
    calls();
    let alone = calls();
    for number in 0..10 {
        scratch.file(format!("t/{number}"));
    }
    assert_eq!(calls(), alone);
}
