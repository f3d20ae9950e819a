//! Another thread changes the tree while curt resolves paths in it. No file outside may be read or
//! created.
//!
//! `CURT_RACE_SECONDS` sets the minimum duration of each race.

use std::fs;
use std::fs::Permissions;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use curt::beneath::OpenOptions;
use curt::paths::{Aliases, Refusal};
use curt::{Cause, Error, Root};
use curt_testkit::{Over, Scratch, race_time};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::{SCOPES, WAYS, root};

const LONGEST: Duration = Duration::from_secs(60);

fn tree() -> Scratch {
    let scratch = Scratch::new();
    for file in ["root/a/b/c/file", "root/x/b/c/file", "root/plain/file"] {
        scratch.file_with(file, b"inside");
    }
    for file in ["out/file", "out/b/c/file", "out/c/file"] {
        scratch.file_with(file, b"outside");
    }
    scratch.dir("root/new");
    scratch
}

#[derive(Debug, Default)]
struct Outcome {
    opened: u64,
    refused: u64,
    failed: u64,
}

impl Outcome {
    fn has_met(&self) -> bool {
        self.opened > 0 && self.refused + self.failed > 0
    }

    fn is_large(&self) -> bool {
        self.opened + self.refused + self.failed > 100
    }

    fn is_always_open(&self) -> bool {
        self.is_large() && self.refused + self.failed == 0
    }
}

fn race(disturb: impl Fn(&Path) + Sync, act: impl Fn(&Scratch, &Root) -> Result<(), Error> + Sync) {
    for (scope, _) in SCOPES {
        for (way, without) in WAYS {
            let scratch = tree();
            let outside = contents(&scratch.at("out"));
            let root = root(&scratch.at("root"), without).scope(scope);
            let outcome = run(&scratch, &root, &disturb, &act, Outcome::has_met);
            assert_eq!(contents(&scratch.at("out")), outside, "{scope:?} by {way}");
            let _ = writeln!(io::stdout(), "{scope:?} by {way}: {outcome:?}");
            assert!(outcome.has_met(), "{scope:?} by {way}: {outcome:?}");
        }
    }
}

/// Runs a race until its outcome suffices, because the disturbing thread might not be scheduled for
/// some time.
fn run(
    scratch: &Scratch,
    root: &Root,
    disturb: &(impl Fn(&Path) + Sync),
    act: &(impl Fn(&Scratch, &Root) -> Result<(), Error> + Sync),
    is_enough: impl Fn(&Outcome) -> bool,
) -> Outcome {
    let mut outcome = Outcome::default();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let _at_last = Over(&is_over);
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                disturb(scratch.path());
            }
        });
        let least = race_time() / (SCOPES.len() * WAYS.len()) as u32;
        let begun = Instant::now();
        while begun.elapsed() < least || (!is_enough(&outcome) && begun.elapsed() < LONGEST) {
            match act(scratch, root) {
                Ok(()) => outcome.opened += 1,
                Err(error) => match error.cause() {
                    Cause::Refused(Refusal::Escape | Refusal::Link) => outcome.refused += 1,
                    Cause::Os(error) => {
                        let gone = error.kind() == ErrorKind::NotFound;
                        let changed = matches!(error.raw_os_error(), Some(11 | 17 | 40));
                        assert!(gone || changed, "{error}");
                        outcome.failed += 1;
                    }
                    other => panic!("{other}"),
                },
            }
        }
    });
    outcome
}

fn contents(at: &Path) -> Vec<(PathBuf, Vec<u8>, [i64; 3])> {
    let mut found = Vec::new();
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(contents(&path));
            found.push((path, Vec::new(), [0; 3]));
        } else {
            let about = entry.metadata().unwrap();
            let about = [about.mode().into(), about.mtime(), i64::try_from(about.nlink()).unwrap()];
            found.push((path.clone(), fs::read(path).unwrap(), about));
        }
    }
    found.sort();
    found
}

fn read(path: &'static str) -> impl Fn(&Scratch, &Root) -> Result<(), Error> + Sync {
    move |_, root| {
        let mut text = String::new();
        root.open_file(path, OpenOptions::new().read(true))?.read_to_string(&mut text).unwrap();
        assert_eq!(text, "inside");
        Ok(())
    }
}

fn exchange(from: &Path, to: &Path) {
    renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE).unwrap();
}

fn swap(at: &Path, name: &str, link: &str, target: &str) {
    let (path, link) = (at.join("root").join(name), at.join("root").join(link));
    let _ = std::os::unix::fs::symlink(target, &link);
    exchange(&path, &link);
    exchange(&path, &link);
}

fn displace(at: &Path, from: &str, to: &str) {
    let (from, to) = (at.join(from), at.join(to));
    fs::rename(&from, &to).unwrap();
    fs::rename(&to, &from).unwrap();
}

#[test]
fn a_directory_or_a_file_is_swapped_for_a_link() {
    race(|at| swap(at, "a", "link", "../out"), read("a/b/c/file"));
    race(|at| swap(at, "plain/file", "plain/link", "../../out/file"), read("plain/file"));
}

#[test]
fn a_link_changes_its_target() {
    let disturb = |at: &Path| {
        for target in ["a/b", "../out", "/", "a/b/../../../out", "a/b"] {
            let (fresh, link) = (at.join("root/fresh"), at.join("root/way"));
            std::os::unix::fs::symlink(target, &fresh).unwrap();
            fs::rename(fresh, link).unwrap();
        }
    };
    race(disturb, read("way/c/file"));
}

#[test]
fn a_directory_is_renamed_or_moved_out_and_back() {
    let renamed = |at: &Path| displace(at, "root/a/b", "root/x/moved");
    race(renamed, read("a/b/../b/c/../../../x/b/c/file"));
    let moved_out = |at: &Path| displace(at, "root/a/b", "out/moved");
    race(moved_out, read("a/b/c/../../../a/b/../../plain/file"));
}

#[test]
fn parents_are_exchanged() {
    let disturb = |at: &Path| {
        exchange(&at.join("root/a"), &at.join("out/b"));
        exchange(&at.join("root/a"), &at.join("out/b"));
    };
    race(disturb, |_, root| {
        let way = ["a/b/../../plain/file", "a/c/../../plain/file"];
        let read = |path| root.open_file(path, OpenOptions::new().read(true));
        let mut file = read(way[0]).or_else(|_| read(way[1]))?;
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "inside");
        Ok(())
    });
}

#[test]
fn broken_links_create_no_file_outside() {
    let disturb = |at: &Path| {
        let (fresh, name) = (at.join("root/fresh"), at.join("root/new/name"));
        std::os::unix::fs::symlink("../../out/made", &fresh).unwrap();
        fs::rename(&fresh, &name).unwrap();
        let _ = fs::remove_file(&name);
        std::os::unix::fs::symlink(at.join("out/made"), &fresh).unwrap();
        fs::rename(&fresh, &name).unwrap();
        let _ = fs::remove_file(&name);
    };
    race(disturb, |_, root| {
        for options in [
            OpenOptions::new().write(true).create(true),
            OpenOptions::new().write(true).create_new(true),
        ] {
            match root.open_file("new/name", options) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                answer => drop(answer?),
            }
        }
        Ok(())
    });
}

#[test]
fn directories_are_created_and_removed_inside_only() {
    let disturb = |at: &Path| swap(at, "a", "link", "../out");
    race(disturb, |_, root| {
        // A failed attempt can leave the directory or the new name behind. Accept or undo this, or
        // all later attempts would fail.
        match root.create_dir_with_mode("a/made", 0o777) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            answer => answer?,
        }
        let removal = curt::Remove::new().missing_is_fine(true);
        for error in root.remove_tree("a/made", &removal).errors {
            if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                return Err(error);
            }
        }
        let _ = root.rename("a/b/c/file2", "a/b/c/file");
        root.rename("a/b/c/file", "a/b/c/file2")?;
        root.rename("a/b/c/file2", "a/b/c/file")
    });
}

#[test]
fn trees_links_permissions_and_times_are_made_inside_only() {
    let disturb = |at: &Path| {
        swap(at, "a", "a_link", "../out");
        swap(at, "plain/file", "plain/file_link", "../../out/file");
    };
    race(disturb, |_, root| {
        let unless_made = |answer: Result<(), Error>| match answer {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            answer => answer,
        };
        unless_made(root.symlink("../../out/file", "a/b/to"))?;
        unless_made(root.hard_link("a/b/c/file", "a/b/second"))?;
        unless_made(root.hard_link("plain/file", "plain/second"))?;
        root.remove_file("plain/second")?;
        root.create_dir_all("a/b/made/deep")?;
        root.set_permissions("plain/file", Permissions::from_mode(0o600))?;
        root.set_times("plain/file", None, Some(SystemTime::UNIX_EPOCH))?;
        root.set_permissions("a/b/c/file", Permissions::from_mode(0o600))?;
        root.set_times("a/b/c/file", None, Some(SystemTime::UNIX_EPOCH))?;
        root.remove_file("a/b/to")?;
        root.remove_dir("a/b/made/deep")?;
        root.remove_file("a/b/second")
    });
}

fn disturb_inside(at: &Path) {
    swap(at, "a", "a_link", "x");
    swap(at, "plain/file", "plain/file_link", "../x/b/c/file");
}

#[test]
fn a_file_that_always_exists_is_always_found() {
    let directory = |_: &Scratch, root: &Root| root.open_dir("a").map(drop);
    for (scope, _) in SCOPES {
        for (way, without) in WAYS {
            let scratch = tree();
            let open = || root(&scratch.at("root"), without).scope(scope);
            for path in ["a/b/c/file", "plain/file"] {
                let outcome =
                    run(&scratch, &open(), &disturb_inside, &read(path), Outcome::is_large);
                assert!(outcome.is_always_open(), "{path} {scope:?} by {way}: {outcome:?}");
                let strict = open().aliases(Aliases::Strict);
                let enough = Outcome::has_met;
                let outcome = run(&scratch, &strict, &disturb_inside, &read(path), enough);
                let is_decided = outcome.has_met() && outcome.failed == 0;
                assert!(is_decided, "{path} {scope:?} by {way}: {outcome:?}");
            }
            let outcome = run(&scratch, &open(), &disturb_inside, &directory, Outcome::is_large);
            assert!(outcome.is_always_open(), "{scope:?} by {way}: {outcome:?}");
        }
    }
}
