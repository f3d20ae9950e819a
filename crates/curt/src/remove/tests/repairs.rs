//! Removes trees whose directories refuse their owner, as a user without privileges.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

use curt_testkit::{Choices, NOBODY, Scratch, is_root, skip, threads};

use super::remove_on;
use crate::control::{Threads, Unvisited};
use crate::remove::Remove;
use crate::sys::fault::Faults;
use crate::sys::tests::as_here;
use crate::sys::{Os, Setup};

#[test]
fn directories_are_repaired() {
    on_each_platform(repair_random_trees);
}

#[test]
fn no_failure_of_a_call_loses_permissions() {
    on_each_platform(fail_each_call);
}

fn on_each_platform(test: fn()) {
    if !is_root() {
        return skip("acting as another user needs root");
    }
    test();
    #[cfg(target_os = "linux")]
    crate::sys::tests::portably(test);
}

const KEPT: &str = "kept";
const MODES: [u32; 9] = [0o755, 0o755, 0o555, 0o500, 0o600, 0o200, 0o000, 0o711, SET_GROUP | 0o555];
/// For directories of another group, whose set-group-ID bit would be lost.
const SET_GROUP: u32 = 0o2000;

/// A directory with its permissions, and whether it belongs to the user.
struct Dir {
    mode: u32,
    is_own: bool,
    entries: BTreeMap<String, Option<Dir>>,
}

impl Dir {
    fn random(choices: &mut Choices, depth: usize) -> Dir {
        let mut entries = BTreeMap::new();
        for name in ["a", "b", "c", KEPT] {
            match choices.below(4) {
                0 | 1 if depth > 0 => {
                    entries.insert(name.to_owned(), Some(Dir::random(choices, depth - 1)));
                }
                0..=2 => _ = entries.insert(name.to_owned(), None),
                _ => {}
            }
        }
        Dir { mode: *choices.pick(&MODES), is_own: !choices.one_in(6), entries }
    }

    fn deep(choices: &mut Choices) -> Dir {
        let mut dir = Dir::random(choices, 3);
        for _ in 0..choices.below(14) {
            let file = choices.one_in(3).then(|| (KEPT.to_owned(), None));
            let entries = file.into_iter().chain([("a".to_owned(), Some(dir))]).collect();
            dir = Dir { mode: *choices.pick(&MODES), is_own: true, entries };
        }
        dir
    }

    fn make(&self, path: &Path) {
        fs::create_dir(path).unwrap();
        for (name, entry) in &self.entries {
            match entry {
                Some(dir) => dir.make(&path.join(name)),
                None => fs::write(path.join(name), "").unwrap(),
            }
        }
        let group = (self.mode & SET_GROUP != 0).then_some(NOBODY);
        lchown(path, Some(if self.is_own { NOBODY } else { 0 }), group).unwrap();
        fs::set_permissions(path, Permissions::from_mode(self.mode)).unwrap();
    }

    /// Returns what remains of the directory. One that is not repaired refuses all changes, and may
    /// refuse to be listed.
    fn removed(self, keeps: bool) -> Option<Dir> {
        let Dir { mode, is_own, entries } = self;
        let refuses = !is_own || mode & SET_GROUP != 0;
        if refuses && mode & 0o5 != 0o5 {
            return (!entries.is_empty()).then_some(Dir { mode, is_own, entries });
        }
        let remaining = |(name, entry): (String, Option<Dir>)| {
            if keeps && name == KEPT {
                return Some((name, entry));
            }
            let entry = match entry {
                None => refuses.then_some(None),
                // Its parent keeps even an empty directory.
                Some(dir) if refuses => {
                    let (mode, is_own) = (dir.mode, dir.is_own);
                    let empty = Dir { mode, is_own, entries: BTreeMap::new() };
                    Some(Some(dir.removed(keeps).unwrap_or(empty)))
                }
                Some(dir) => dir.removed(keeps).map(Some),
            };
            Some((name, entry?))
        };
        let entries: BTreeMap<_, _> = entries.into_iter().filter_map(remaining).collect();
        (!entries.is_empty()).then_some(Dir { mode, is_own, entries })
    }

    fn list(&self, path: PathBuf, found: &mut BTreeMap<PathBuf, u32>) {
        for (name, entry) in &self.entries {
            match entry {
                Some(dir) => dir.list(path.join(name), found),
                None => _ = found.insert(path.join(name), 0),
            }
        }
        found.insert(path, self.mode);
    }
}

/// Returns all paths, and the permissions of directories.
fn found(path: &Path, all: &mut BTreeMap<PathBuf, u32>) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let mode = if metadata.is_dir() { metadata.mode() & 0o7777 } else { 0 };
    all.insert(path.to_owned(), mode);
    for entry in fs::read_dir(path).into_iter().flatten() {
        found(&entry.unwrap().path(), all);
    }
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::set_permissions(scratch.path(), Permissions::from_mode(0o755)).unwrap();
    lchown(scratch.path(), Some(NOBODY), None).unwrap();
    scratch
}

fn as_nobody<T: Send>(part: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let work = as_here(|| {
            threads::become_user(NOBODY).unwrap();
            part()
        });
        scope.spawn(work).join().unwrap()
    })
}

fn repair_random_trees() {
    curt_testkit::try_seeds("remove repairs", "", |choices| {
        let (seed, keeps) = (choices.below(1 << 30) as u64, choices.one_in(3));
        let new = || Dir::deep(&mut Choices::new(seed));
        let scratch = scratch();
        let top = scratch.at("tree");
        new().make(&top);
        let threads = Threads::AtMost(*choices.pick(&[1, 1, 3]));
        let options = Remove::new().make_writable(true).threads(threads);
        let mut options = options.descriptors(*choices.pick(&[2, 4, 1024]));
        if keeps {
            options = options.exclude(|entry: &Unvisited<'_>| entry.name() == KEPT);
        }
        let top_path = [top.clone()];
        let dry = options.clone().dry_run(true);
        as_nobody(|| remove_on::<Os>(&dry, &Setup::default(), &top_path));
        let (mut before, mut all) = (BTreeMap::new(), BTreeMap::new());
        found(&top, &mut before);
        new().list(top.clone(), &mut all);
        assert_eq!(before, all, "a dry run has changed something");

        let report = as_nobody(|| remove_on::<Os>(&options, &Setup::default(), &top_path));
        let (mut after, mut expected) = (BTreeMap::new(), BTreeMap::new());
        found(&top, &mut after);
        if let Some(dir) = new().removed(keeps) {
            dir.list(top.clone(), &mut expected);
        }
        let is_same = after == expected;
        let gone = before.len() - after.len();
        let is_counted = report.files + report.directories == gone as u64;
        let differs = || format!("{report:?}\nfound {after:?}\nexpected {expected:?}");
        (is_same && is_counted).then_some(()).ok_or_else(differs)
    });
}

fn fail_each_call() {
    let mut calls = 0;
    Faults::each(&Setup::default(), &[5, 13], |setup, fails| {
        let scratch = scratch();
        let top = scratch.at("tree");
        let leaf = |mode| {
            let entries = BTreeMap::from([("file".to_owned(), None)]);
            Some(Dir { mode, is_own: true, entries })
        };
        let modes = [("a", 0o555), ("b", 0o000), ("c", 0o600)];
        let entries = modes.map(|(name, mode)| (name.to_owned(), leaf(mode)));
        Dir { mode: 0o500, is_own: true, entries: BTreeMap::from(entries) }.make(&top);
        let mut before = BTreeMap::new();
        found(&top, &mut before);
        let options = Remove::new().make_writable(true).threads(Threads::AtMost(1));
        let report = as_nobody(|| remove_on::<Os>(&options, setup, std::slice::from_ref(&top)));
        let mut after = BTreeMap::new();
        found(&top, &mut after);
        let case = format!("{fails:?}: {report:?}");
        assert_eq!(report.is_complete(), after.is_empty(), "{case}");
        let is_lost = |path: &Path| after[path] != before[path];
        let restoring =
            fails.is_some_and(|fails| fails.kind == "fchmod" || fails.kind == "fchmodat");
        let lost: Vec<_> = after.keys().filter(|path| is_lost(path)).collect();
        assert!(lost.is_empty() || restoring, "{lost:?}, {case}");
        calls += 1;
    });
    assert!(calls > 20, "few calls were made: {calls}");
}
