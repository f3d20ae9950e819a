use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error};
use crate::fields::{Fields, Follow, Plan};
use crate::list::DirectoryWalk;
use curt_testkit::Scratch;

type Seen = (Vec<PathBuf>, Vec<Error>);

fn descend(mut walk: DirectoryWalk, operand: &Path) -> (Seen, u64) {
    let mut stat = walk.stat(Plan::new(Fields::ID).follow(Follow::Never));
    let (mut seen, mut calls) = (Seen::default(), 0);
    let mut next = Some(walk.open(operand));
    while let Some(opened) = next {
        match opened {
            Ok(directory) => {
                let below = directory.path().strip_prefix(operand).unwrap();
                assert_eq!(walk.depth(), below.components().count());
                seen.0.push(below.to_owned());
                let mut list = directory.list(Fields::KIND | Fields::ID);
                let mut entries: Vec<(OsString, Option<u128>)> = Vec::new();
                while let Some(entry) = list.next() {
                    let entry = entry.unwrap();
                    if entry.kind().is_dir() || entry.kind().is_symlink() {
                        entries.push((entry.to_name(), entry.metadata().id().known()));
                    }
                }
                entries.sort();
                for (name, id) in &entries {
                    assert_eq!(list.stat(&mut stat, name).unwrap().id().known(), *id);
                }
                calls += list.calls().total();
                walk.enter(list, entries.iter().map(|(name, _)| name)).unwrap();
            }
            Err(error) => seen.1.push(error),
        }
        next = walk.next();
    }
    (seen, calls + walk.finish().total())
}

#[test]
fn a_chain_is_listed_to_its_end_at_any_depth() {
    let scratch = Scratch::new();
    let calls = |levels: usize| {
        scratch.deep("t", levels, "name");
        let ((listed, failed), calls) = descend(DirectoryWalk::new(), &scratch.at("t"));
        assert!(failed.is_empty(), "{failed:?}");
        assert_eq!(listed.len(), levels + 1);
        assert_eq!(listed[levels].components().count(), levels);
        scratch.remove("t");
        calls
    };
    let more = calls(2_000) - calls(400);
    assert!(!cfg!(target_os = "linux") || more <= 4 * 1_600, "{more} calls");
}

#[test]
fn all_directories_are_listed_through_the_buffer_that_was_chosen() {
    let scratch = Scratch::new();
    for dir in ["t/a", "t/b"] {
        (0..100).for_each(|number| drop(scratch.dir(format!("{dir}/a-name-of-{number}"))));
    }
    let calls = |walk| {
        let ((listed, failed), calls) = descend(walk, &scratch.at("t"));
        assert!(failed.is_empty(), "{failed:?}");
        assert_eq!(listed.len(), 203);
        calls
    };
    assert!(calls(DirectoryWalk::new().buffer(1)) >= calls(DirectoryWalk::new()) + 4);
}

#[test]
fn directories_that_were_closed_meanwhile_are_opened_again() {
    let scratch = Scratch::new();
    let mut path = String::from("t");
    for level in 0..200 {
        scratch.dir(format!("{path}/branch-{level}"));
        path += "/a";
    }
    let ((listed, failed), _) = descend(DirectoryWalk::new(), &scratch.at("t"));
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(listed.len(), 1 + 199 + 200);
    assert_eq!(listed.last().unwrap(), Path::new("branch-0"));
}

#[test]
fn links_are_followed_on_request_and_never_in_a_loop() {
    let scratch = Scratch::new();
    scratch.tree("t", "real/inner/ real/inner/up->../.. alias->real");
    let ((listed, failed), _) = descend(DirectoryWalk::new(), &scratch.at("t"));
    assert_eq!(listed, ["", "real", "real/inner"].map(PathBuf::from));
    assert_eq!(failed.len(), 2, "{failed:?}");
    let following = DirectoryWalk::new().follow(Follow::Links);
    let ((listed, failed), _) = descend(following, &scratch.at("t"));
    let all = ["", "alias", "alias/inner", "real", "real/inner"];
    assert_eq!(listed, all.map(PathBuf::from));
    assert_eq!(failed.len(), 2);
    assert!(failed.iter().all(|error| matches!(error.cause(), Cause::Loop(_))), "{failed:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_followed_link_leads_to_another_file_system() {
    let scratch = Scratch::new();
    scratch.tree("t", "other->/proc");
    let mut walk = DirectoryWalk::new().follow(Follow::Links);
    let list = walk.open(scratch.at("t")).unwrap().list(Fields::KIND);
    walk.enter(list, ["other"]).unwrap();
    assert_eq!(walk.next().unwrap().unwrap().path(), scratch.at("t/other"));
}

#[test]
fn names_that_no_entry_can_have_are_refused() {
    let scratch = Scratch::new();
    scratch.dir("t/a");
    for name in ["..", ".", "", "a/../..", "/", "a\0b"] {
        let mut walk = DirectoryWalk::new();
        let list = walk.open(scratch.at("t")).unwrap().list(Fields::KIND);
        assert!(walk.enter(list, [name]).is_err(), "{name:?}");
        assert!(walk.next().is_none());
    }
}

#[test]
fn only_the_directory_that_was_opened_last_is_entered() {
    let scratch = Scratch::new();
    scratch.dir("t/a/b/c");
    let open = |path: &str| crate::list(scratch.at(path)).unwrap();
    let mut walk = DirectoryWalk::new();
    let top = walk.open(scratch.at("t")).unwrap().list(Fields::KIND);
    walk.enter(top, ["a"]).unwrap();
    let a = walk.next().unwrap().unwrap().list(Fields::KIND);
    for other in ["t", "t/a/b"] {
        let refused = walk.enter(open(other), ["c"]).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
    }
    walk.enter(a, ["b"]).unwrap();
    assert_eq!(walk.next().unwrap().unwrap().path(), scratch.at("t/a/b"));
}

#[test]
fn names_that_wait_can_be_revised() {
    const LEVELS: usize = 100;
    let scratch = Scratch::new();
    let deep: PathBuf = std::iter::repeat_n("deep", LEVELS).collect();
    std::fs::create_dir_all(scratch.path().join(&deep)).unwrap();
    for number in 0..LEVELS {
        let above: PathBuf = std::iter::repeat_n("deep", number).collect();
        std::fs::create_dir(scratch.path().join(above).join("late")).unwrap();
    }
    let mut walk = DirectoryWalk::new().revisable(true);
    let mut next = Some(walk.open(scratch.path()));
    let (mut seen, mut levels) = (Vec::new(), 0);
    while let Some(opened) = next {
        let list = opened.unwrap().list(Fields::KIND);
        let name = if levels < LEVELS { Some("deep") } else { None };
        walk.enter(list, name).unwrap();
        if name.is_none() {
            walk.leave();
            if seen.last().is_some_and(|path: &PathBuf| path.ends_with("late")) {
                walk.leave();
            }
            walk.revise(["late"]).unwrap();
        }
        levels += 1;
        next = walk.next();
        if let Some(Ok(directory)) = &next {
            seen.push(directory.path().strip_prefix(scratch.path()).unwrap().to_owned());
        }
        if levels > 2 * LEVELS {
            break;
        }
    }
    assert_eq!(levels, 2 * LEVELS + 1);
    assert_eq!(seen.len(), 2 * LEVELS);
    assert_eq!(seen[LEVELS - 1], deep);
    assert_eq!(seen[2 * LEVELS - 1], Path::new("late"));
}
