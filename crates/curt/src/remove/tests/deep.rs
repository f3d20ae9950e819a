//! Trees deeper than descriptors, paths and stacks reach.

use curt_testkit::Scratch;

use super::{on_real_platforms, remove};
use crate::fields::Kind;
use crate::remove::{Cancel, Observer, Remove, Threads};
use crate::sys::tests::as_here;
use crate::sys::{Feature, Setup, Sys};

on_real_platforms!(
    deep_trees_take_few_descriptors,
    without_moving_it_works_too,
    a_dry_run_reaches_the_bottom,
    small_stacks_are_enough,
    moved_directories_are_named_when_it_stops,
    deep_and_wide,
);

fn deep_trees_take_few_descriptors<S: Sys<Setup = Setup>>() {
    let scratch = Scratch::in_memory();
    scratch.deep("tree", 10_000, "directory");
    let options = Remove::new().descriptors(16).threads(Threads::AtMost(1));
    let report = remove::<S>(&options, &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.directories, 10_001);
    assert!(report.calls.total() < 7 * 10_001, "{:?}", report.calls);
    assert_eq!(scratch.list("."), Vec::<String>::new());
}

fn without_moving_it_works_too<S: Sys<Setup = Setup>>() {
    let scratch = Scratch::in_memory();
    scratch.deep("tree", 2_000, "directory");
    let options = Remove::new().descriptors(16).without(Feature::Hoist);
    let report = remove::<S>(&options, &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.directories, 2_001);
    assert!(report.calls.total() < 60 * 2_001, "{:?}", report.calls);
    assert_eq!(scratch.list("."), Vec::<String>::new());
}

fn a_dry_run_reaches_the_bottom<S: Sys<Setup = Setup>>() {
    let scratch = Scratch::in_memory();
    scratch.deep("tree", 3_000, "directory");
    let keep = |_: &std::path::Path, _: Kind| false;
    let options = Remove::new().descriptors(8).exclude(&keep);
    let report = remove::<S>(&options.dry_run(true), &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.directories, 3_001);
    let report = remove::<S>(&options, &scratch, "tree");
    assert_eq!(report.directories, 3_001, "{report:?}");
    assert_eq!(scratch.list("."), Vec::<String>::new());
}

fn small_stacks_are_enough<S: Sys<Setup = Setup>>() {
    let scratch = Scratch::in_memory();
    scratch.deep("tree", 5_000, "d");
    std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let work = || remove::<S>(&Remove::new().descriptors(32), &scratch, "tree");
        let report = small.spawn_scoped(scope, as_here(work)).unwrap().join().unwrap();
        assert!(report.is_complete(), "{report:?}");
    });
}

/// Whether nobody but its owner may look into a directory.
#[cfg(unix)]
fn is_private(directory: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(directory).unwrap().mode() & 0o7777 == 0o700
}

/// Cancels after so many directories.
struct Stop<'a>(&'a Cancel, std::sync::atomic::AtomicU64, u64);

impl Observer for Stop<'_> {
    fn wants_removed(&self) -> bool {
        true
    }

    fn removed(&self, _: &std::path::Path, _: Kind) {
        if self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == self.2 {
            self.0.cancel();
        }
    }
}

fn moved_directories_are_named_when_it_stops<S: Sys<Setup = Setup>>() {
    let scratch = Scratch::in_memory();
    scratch.deep("tree", 500, "d");
    let cancel = Cancel::new();
    let stop = Stop(&cancel, 0.into(), 100);
    let options = Remove::new().descriptors(8).cancel(&cancel).observer(&stop);
    let report = remove::<S>(&options, &scratch, "tree");
    assert!(report.cancelled, "{report:?}");
    assert!(!report.relocated.is_empty(), "{report:?}");
    for relocated in &report.relocated {
        assert!(relocated.to.exists(), "{relocated:?}");
        assert!(relocated.to.starts_with(scratch.at("tree")), "{relocated:?}");
        #[cfg(unix)]
        assert!(is_private(relocated.to.parent().unwrap()), "{relocated:?}");
        assert!(relocated.from.ends_with("d") && !relocated.from.exists(), "{relocated:?}");
    }
    let report = remove::<S>(&Remove::new(), &scratch, "tree");
    assert!(report.is_complete());
    assert_eq!(scratch.list("."), Vec::<String>::new());
}

fn deep_and_wide<S: Sys<Setup = Setup>>() {
    for threads in [1, 4] {
        let scratch = Scratch::in_memory();
        let mut files = 0;
        let mut path = String::from("tree");
        for level in 0..40 {
            for side in 0..3 {
                scratch.file(format!("{path}/s{side}/x/y/file"));
                files += 1;
            }
            path = format!("{path}/l{level}");
        }
        let options = Remove::new().descriptors(8).threads(Threads::AtMost(threads));
        let report = remove::<S>(&options, &scratch, "tree");
        assert!(report.is_complete(), "{report:?}");
        assert_eq!((report.files, report.directories), (files, 1 + 39 + 40 * 9));
        assert_eq!(scratch.list("."), Vec::<String>::new());
    }
}
