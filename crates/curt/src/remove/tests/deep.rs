//! Trees deeper than the limits of descriptors, paths and stacks.

use curt_testkit::Scratch;

use super::{on_real_platforms, remove};
use crate::remove::{Remove, Threads};
use crate::sys::Sys;
use crate::sys::tests::as_here;

on_real_platforms!(
    deep_trees_take_few_descriptors,
    dry_run_reaches_the_bottom,
    small_stack_is_enough,
    deep_and_wide_tree_is_removed,
);

fn deep_trees_take_few_descriptors<S: Sys>() {
    let scratch = Scratch::new();
    scratch.deep("tree", 10_000, "directory");
    let options = Remove::new().descriptors(16).threads(Threads::AtMost(1));
    let report = remove::<S>(&options, &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.directories, 10_001);
    // On the portable platform, each name on the way is opened by itself.
    let ceiling = if report.calls.of("openat2") > 0 { 11 } else { 25 };
    assert!(report.calls.total() < ceiling * 10_001, "{:?}", report.calls);
    assert_eq!(scratch.list("."), Vec::<String>::new());
}

fn dry_run_reaches_the_bottom<S: Sys>() {
    let scratch = Scratch::new();
    scratch.deep("tree", 3_000, "directory");
    let options = Remove::new().descriptors(8).exclude(|_| false);
    let report = remove::<S>(&options.clone().dry_run(true), &scratch, "tree");
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.directories, 3_001);
    let report = remove::<S>(&options, &scratch, "tree");
    assert_eq!(report.directories, 3_001, "{report:?}");
    assert_eq!(scratch.list("."), Vec::<String>::new());
}

fn small_stack_is_enough<S: Sys>() {
    let scratch = Scratch::new();
    scratch.deep("tree", 5_000, "d");
    std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let work = || remove::<S>(&Remove::new().descriptors(32), &scratch, "tree");
        let report = small.spawn_scoped(scope, as_here(work)).unwrap().join().unwrap();
        assert!(report.is_complete(), "{report:?}");
    });
}

fn deep_and_wide_tree_is_removed<S: Sys>() {
    for threads in [1, 4] {
        let scratch = Scratch::new();
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
