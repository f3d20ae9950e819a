#[cfg(unix)]
use std::os::unix::fs::symlink;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(unix)]
use std::time::{Duration, Instant};

use curt_testkit::Scratch;
#[cfg(unix)]
use curt_testkit::{Over, race_time};

use super::{many, on_real_platforms, remove};
use crate::remove::{Remove, Threads};
use crate::sys::Sys;
use crate::sys::tests::as_here;

on_real_platforms!(two_removals_of_one_tree_succeed);

#[cfg(unix)]
mod links {
    use super::super::on_real_platforms;
    use super::directories_swapped_for_links_are_not_followed;
    on_real_platforms!(directories_swapped_for_links_are_not_followed);
}

#[cfg(unix)]
const LONGEST_RACE: Duration = Duration::from_secs(60);

#[cfg(unix)]
fn directories_swapped_for_links_are_not_followed<S: Sys>() {
    const DEPTH: usize = 6;
    let scratch = Scratch::new();
    scratch.tree("victim", "one two/three d/d/d/d/canary");
    let canary = scratch.list("victim");
    let over = AtomicBool::new(false);
    let swaps = AtomicU64::new(0);
    let begin = Instant::now();
    let (mut rounds, mut met) = (0, 0);
    std::thread::scope(|scope| {
        let _at_last = Over(&over);
        // Use one thread, because two would swap directories in the victim through each other's
        // symlinks.
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
    // Check only for lost entries: recreating the tree may have added some through a symlink.
    let left = scratch.list("victim");
    let lost: Vec<_> = canary.iter().filter(|entry| !left.contains(entry)).collect();
    assert!(lost.is_empty(), "outside of the tree, these were lost: {lost:?}");
    assert!(met > 0, "no removal met a swap in {rounds} rounds");
    assert!(rounds > 10 && swaps.into_inner() > 10, "the race did not take place: {rounds} rounds");
}

#[cfg(unix)]
fn swap(scratch: &Scratch, depth: usize, over: &AtomicBool, swaps: &AtomicU64) {
    let aside = scratch.at("aside");
    let mut level = 0;
    while !over.load(Ordering::Relaxed) {
        level = (level + 1) % depth;
        let place = scratch.at("tree").join("d/".repeat(level) + "d");
        if std::fs::rename(&place, &aside).is_ok() {
            // Use a relative symlink, because the kernel refuses absolute ones for a different
            // reason.
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
        // On Windows both removals may have the same file open, and both count it.
        let files = one.files + two.files;
        assert!(if cfg!(windows) { files >= 200 } else { files == 200 }, "{files}");
        assert!(!scratch.exists("tree"));
    }
}
