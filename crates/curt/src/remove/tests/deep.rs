use curt_testkit::Scratch;

use super::{on_real_platforms, remove};
use crate::remove::{Remove, Threads};
use crate::sys::Sys;
use crate::sys::tests::as_here;

on_real_platforms!(deep_trees_take_few_descriptors_and_calls_and_a_small_stack);

fn deep_trees_take_few_descriptors_and_calls_and_a_small_stack<S: Sys>() {
    let scratch = Scratch::new();
    scratch.deep("tree", 5_000, "directory");
    let options = Remove::new().descriptors(16).threads(Threads::AtMost(1));
    let work = || {
        let dry = options.clone().descriptors(8).exclude(|_| false).dry_run(true);
        [remove::<S>(&dry, &scratch, "tree"), remove::<S>(&options, &scratch, "tree")]
    };
    let [counted, removed] = std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        small.spawn_scoped(scope, as_here(work)).unwrap().join().unwrap()
    });
    assert!(counted.is_complete() && removed.is_complete(), "{counted:?} {removed:?}");
    assert_eq!((counted.directories, removed.directories), (5_001, 5_001));
    let ceiling = if removed.calls.of("openat2") > 0 { 11 } else { 25 };
    assert!(removed.calls.total() < ceiling * 5_001, "{:?}", removed.calls);
}
