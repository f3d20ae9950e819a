//! Paths longer than the system takes.

use crate::list::descent::{Anchors, LONGEST, MOST_ANCHORS, next_anchor};
use crate::name::Name;
use crate::sys::{Ask, Opened, Os, Setup, Sys};
use curt_testkit::Scratch;
use std::path::{Path, PathBuf};

#[test]
fn an_anchor_ends_behind_a_whole_name() {
    let path = "abc/".repeat(LONGEST / 2);
    assert_eq!(next_anchor(path.as_bytes(), 0), Some(LONGEST));
    let double = "abc//".repeat(LONGEST / 2);
    let end = next_anchor(double.as_bytes(), 0).unwrap();
    assert_eq!((end % 5, double.as_bytes()[end]), (0, b'a'), "no name begins with a separator");
    assert_eq!(next_anchor(&path.as_bytes()[..LONGEST - 1], 0), None);
    let name = "x".repeat(LONGEST * 2);
    assert_eq!(next_anchor(name.as_bytes(), 0), None, "one name that nobody takes");
    assert_eq!(next_anchor(format!("/{name}").as_bytes(), 0), None);
    let slashes = "/".repeat(LONGEST * 2);
    assert_eq!(next_anchor(slashes.as_bytes(), 0), None);
}

/// Goes down a chain and up again, and counts the calls.
fn down_and_up<S: Sys>(levels: usize) {
    let scratch = Scratch::in_memory();
    scratch.deep("t", levels, "name");
    let sys = S::start(&Setup::default());
    let mut anchors = Anchors::new(S::start(&Setup::default()));
    let mut path: PathBuf = scratch.at("t");
    let mut paths = vec![path.clone()];
    for _ in 0..levels {
        path.push("name");
        paths.push(path.clone());
    }
    let asked = Ask { fields: crate::Fields::ID, follow: false, cached: false };
    let id = |dir: &S::Dir, name: Name<'_, S::Unit>| sys.query(dir, name, asked).unwrap().id;
    let mut down: Vec<u128> = paths.iter().map(|path| anchors.at_path(path, id).unwrap()).collect();
    assert!(anchors.open.len() <= MOST_ANCHORS);
    let long = paths.last().map_or(0, |path| path.as_os_str().len());
    let calls = anchors.sys.calls().total() as usize;
    assert!(calls <= 2 * long / (LONGEST - 8) + 1, "{calls} calls for {long} bytes");
    let up: Vec<u128> = paths.iter().rev().map(|path| anchors.at_path(path, id).unwrap()).collect();
    down.reverse();
    assert_eq!(up, down);
    down.sort_unstable();
    down.dedup();
    assert_eq!(down.len(), levels + 1, "each is another directory");
    // A neighbour of the same length is another path.
    let other = path.parent().unwrap().join("eman");
    let opened = anchors.at_path(&other, |dir, name| sys.open_below(dir, name, true)).unwrap();
    assert!(matches!(opened, Opened::Gone));
    anchors.clear();
    assert!(anchors.at_path(Path::new("."), id).is_ok() && anchors.open.is_empty());
}

#[test]
fn every_depth_is_reached_with_few_anchors() {
    down_and_up::<Os>(5_000);
    #[cfg(unix)]
    crate::sys::tests::portably(|| down_and_up::<Os>(2_000));
}
