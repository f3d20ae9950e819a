//! The tree is changed while it is removed. A canary outside must survive.

#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

#[cfg(unix)]
use curt_testkit::race_time;
use curt_testkit::{Over, Scratch};

#[cfg(unix)]
use super::remove_on;
use super::{many, on_real_platforms, remove};
use crate::error::Cause;
use crate::remove::{Remove, Threads};
#[cfg(unix)]
use crate::sys::Setup;
use crate::sys::Sys;
#[cfg(unix)]
use crate::sys::fault::Faults;
use crate::sys::tests::as_here;

on_real_platforms!(removal_ends_while_files_are_added_for_ever, two_removals_of_one_tree_succeed);

#[cfg(unix)]
mod links {
    use super::super::on_real_platforms;
    use super::{
        directories_swapped_for_links_are_not_followed,
        entries_added_before_a_refused_removal_are_removed,
        released_directory_that_grew_is_reopened, removal_ends_while_levels_are_made_for_ever,
    };

    on_real_platforms!(
        released_directory_that_grew_is_reopened,
        directories_swapped_for_links_are_not_followed,
        removal_ends_while_levels_are_made_for_ever,
        entries_added_before_a_refused_removal_are_removed,
    );
}

/// How long a race may take until removals met enough swaps: on a busy machine that takes longer.
#[cfg(unix)]
const LONGEST_RACE: Duration = Duration::from_secs(60);

#[cfg(unix)]
fn directories_swapped_for_links_are_not_followed<S: Sys>() {
    const DEPTH: usize = 6;
    let scratch = Scratch::new();
    for name in ["one", "two/three", "d/d/d/d/canary"] {
        scratch.file(format!("victim/{name}"));
    }
    let canary = scratch.list("victim");
    let over = AtomicBool::new(false);
    let swaps = AtomicU64::new(0);
    let begin = Instant::now();
    let (mut rounds, mut met) = (0, 0);
    std::thread::scope(|scope| {
        let _at_last = Over(&over);
        // One thread only: two would follow each other's links and swap directories in the victim.
        scope.spawn(|| swap(&scratch, DEPTH, &over, &swaps));
        let is_enough = |rounds, met| rounds > 10 && met > 0 && swaps.load(Ordering::Relaxed) > 10;
        while begin.elapsed() < race_time()
            || (!is_enough(rounds, met) && begin.elapsed() < LONGEST_RACE)
        {
            for side in 0..4 {
                scratch.dir(format!("tree/s{side}"));
                let _ = std::fs::create_dir_all(scratch.at("tree").join("d/".repeat(DEPTH)));
            }
            let options = Remove::new()
                .threads(Threads::AtMost(1 + rounds % 3))
                .retries(3, Duration::from_millis(5));
            let report = remove::<S>(&options, &scratch, "tree");
            for error in &report.errors {
                assert!(error.path().starts_with(scratch.at("tree")), "{error}");
            }
            met += report.vanished + report.error_count;
            rounds += 1;
        }
    });
    // (Making the tree again may have followed a link and added to the victim.)
    let left = scratch.list("victim");
    let lost: Vec<_> = canary.iter().filter(|entry| !left.contains(entry)).collect();
    assert!(lost.is_empty(), "outside of the tree, these were lost: {lost:?}");
    assert!(met > 0, "no removal met a swap in {rounds} rounds");
    assert!(rounds > 10 && swaps.into_inner() > 10, "the race did not take place: {rounds} rounds");
}

/// Swaps the directory at some level for a link to the victim, and back.
#[cfg(unix)]
fn swap(scratch: &Scratch, depth: usize, over: &AtomicBool, swaps: &AtomicU64) {
    let aside = scratch.at("aside");
    let mut level = 0;
    while !over.load(Ordering::Relaxed) {
        level = (level + 1) % depth;
        let place = scratch.at("tree").join("d/".repeat(level) + "d");
        if std::fs::rename(&place, &aside).is_ok() {
            // A relative link, since the kernel refuses absolute ones for other reasons.
            let linked = symlink("../".repeat(level + 1) + "victim", &place).is_ok();
            swaps.fetch_add(u64::from(linked), Ordering::Relaxed);
            std::hint::spin_loop();
            let _ = std::fs::remove_file(&place);
            if std::fs::rename(&aside, &place).is_err() {
                let _ = std::fs::remove_dir_all(&aside);
            }
        }
    }
}

fn removal_ends_while_files_are_added_for_ever<S: Sys>() {
    for threads in [1, 2] {
        let scratch = Scratch::new();
        scratch.dir("tree/busy");
        let over = AtomicBool::new(false);
        let busy = scratch.at("tree/busy");
        let report = std::thread::scope(|scope| {
            let _at_last = Over(&over);
            for writer in 0..2 {
                let (busy, over) = (&busy, &over);
                scope.spawn(move || add_files(busy, writer, over));
            }
            wait_for_an_entry(&busy);
            let options = Remove::new()
                .threads(Threads::AtMost(threads))
                .retries(1_000_000, Duration::from_millis(200));
            remove::<S>(&options, &scratch, "tree")
        });
        // The directory may have been empty for a moment; then it is gone.
        if report.error_count > 0 {
            assert!(matches!(report.errors[0].cause(), Cause::BeingWrittenTo), "{report:?}");
            assert_eq!(report.error_count, 1, "none for the parents: {report:?}");
            assert!(report.appeared > 0);
        } else {
            assert!(!scratch.exists("tree"));
        }
    }
}

/// Levels are made faster than any removal: each is opened from the one before.
#[cfg(unix)]
fn removal_ends_while_levels_are_made_for_ever<S: Sys>() {
    for threads in [1, 8] {
        let scratch = Scratch::new();
        let top = scratch.dir("tree/busy");
        let over = AtomicBool::new(false);
        let report = std::thread::scope(|scope| {
            let _at_last = Over(&over);
            scope.spawn(|| make_levels(&top, &over));
            wait_for_an_entry(&top);
            let options = Remove::new()
                .threads(Threads::AtMost(threads))
                .retries(3, Duration::from_millis(100));
            remove::<S>(&options, &scratch, "tree")
        });
        // The tree is gone if the removal overtook the maker.
        assert_eq!(report.is_complete(), !scratch.exists("tree"), "{report:?}");
        scratch.dir("tree");
        scratch.remove("tree");
    }
}

#[cfg(unix)]
fn make_levels(top: &Path, over: &AtomicBool) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(mut at) = openat(CWD, top, flags, Mode::empty()) else { return };
    while !over.load(Ordering::Relaxed) {
        let _ = mkdirat(&at, "d", Mode::RWXU);
        let next = openat(&at, "d", flags, Mode::empty());
        match next.or_else(|_| openat(CWD, top, flags, Mode::empty())) {
            Ok(next) => at = next,
            Err(_) => return,
        }
    }
}

/// Waits until a directory that another thread fills has an entry.
fn wait_for_an_entry(directory: &Path) {
    while std::fs::read_dir(directory).unwrap().next().is_none() {
        std::thread::yield_now();
    }
}

fn add_files(directory: &Path, writer: usize, over: &AtomicBool) {
    let mut number = 0_u64;
    while !over.load(Ordering::Relaxed) {
        number += 1;
        if std::fs::File::create(directory.join(format!("{writer}-{number}"))).is_err() {
            std::thread::yield_now();
        }
    }
}

fn two_removals_of_one_tree_succeed<S: Sys>() {
    for _ in 0..many(20) {
        let scratch = Scratch::new();
        for package in 0..20 {
            for file in 0..10 {
                scratch.file(format!("tree/p{package}/d/f{file}"));
            }
        }
        let work = || {
            let options = Remove::new().threads(Threads::AtMost(2)).missing_is_fine(true);
            remove::<S>(&options, &scratch, "tree")
        };
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(as_here(work));
            (work(), other.join().unwrap())
        });
        assert!(one.is_complete() && two.is_complete(), "{one:?} {two:?}");
        // On Windows both may have a file open, and both remove it.
        let files = one.files + two.files;
        assert!(if cfg!(windows) { files >= 200 } else { files == 200 }, "{files}");
        assert!(!scratch.exists("tree"));
    }
}

/// A level that was released gets a file, while the next one is moved away.
#[cfg(unix)]
fn released_directory_that_grew_is_reopened<S: Sys>() {
    const LEVELS: usize = 100;
    for level in [2, 4, 8, 10, 20, 53, 60, 80] {
        let scratch = Scratch::new();
        scratch.file(format!("tree/{}bottom", "d/".repeat(LEVELS)));
        let interfere = |path: &Path, _| {
            if path.ends_with("bottom") {
                let here = scratch.at("tree").join("d/".repeat(level));
                std::fs::rename(here.join("d"), scratch.at("moved")).unwrap();
                std::fs::write(here.join("new"), "").unwrap();
            }
        };
        let options =
            Remove::new().descriptors(8).threads(Threads::AtMost(1)).on_removed(interfere);
        let report = remove::<S>(&options, &scratch, "tree");
        assert!(!scratch.exists("tree"), "level {level}: {report:?}");
    }
}

/// A directory whose removal is refused stays, but entries that were added meanwhile are removed.
#[cfg(unix)]
fn entries_added_before_a_refused_removal_are_removed<S: Sys>() {
    let scratch = Scratch::new();
    scratch.file("tree/stays/file");
    let fault = Faults::default().fail("unlinkat", 1, rustix::io::Errno::ACCESS.raw_os_error());
    let setup = Setup { faults: Some(Arc::new(fault)), ..Setup::default() };
    let options = Remove::new().threads(Threads::AtMost(1)).on_removed(|path, _| {
        if path.ends_with("file") {
            std::fs::write(scratch.at("tree/stays/new"), "").unwrap();
        }
    });
    let report = remove_on::<S>(&options, &setup, &[scratch.at("tree")]);
    assert_eq!(report.error_count, 1, "{report:?}");
    assert_eq!(scratch.list("tree"), ["d stays"], "{report:?}");
}
