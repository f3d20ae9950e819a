//! Few descriptors, and deep trees.

use curt_testkit::Scratch;

use super::trees::{difference, entries};
use super::{copy, quiet};
use crate::control::Threads;
use crate::copy::shared::Destination;
use crate::copy::{Copy, Existing, Preserve, copy_on};
use crate::sys::Setup;
use crate::sys::copying::Copying;
use crate::sys::memory::World;
use crate::sys::tests::{as_here, on_real_platforms};

on_real_platforms!(deep_trees_take_few_descriptors_and_calls_and_a_small_stack);

fn options(threads: usize) -> Copy<'static> {
    Copy::new().preserve(Preserve::ALL).threads(Threads::AtMost(threads))
}

fn deep_trees_take_few_descriptors_and_calls_and_a_small_stack<S: Copying>() {
    let long = "x".repeat(255);
    for (levels, name, descriptors) in [(10_000, "directory", 16), (1_000, &long[..], 8)] {
        let scratch = Scratch::new();
        scratch.deep("tree", levels, name);
        let (source, target) = (scratch.at("tree"), scratch.at("copy"));
        let run = || {
            let options = options(1).existing(Existing::Merge).descriptors(descriptors);
            let target = Destination::Path(&target);
            copy_on::<S>(&options, &Setup::default(), &[&source], target)
        };
        let [first, again] = std::thread::scope(|scope| {
            let small = std::thread::Builder::new().stack_size(64 << 10);
            let work = as_here(|| [run(), run()]);
            small.spawn_scoped(scope, work).unwrap().join().unwrap()
        });
        assert!(first.is_complete() && again.is_complete(), "{first:?} {again:?}");
        assert_eq!((first.directories, again.directories), (levels as u64 + 1, 0));
        let ceiling = if first.calls.of("openat2") > 0 { 20 } else { 41 };
        assert!(first.calls.total() < ceiling * levels as u64, "{:?}", first.calls);
    }
}

/// Directories in each other, each with names of one file, and one that is entered before or after.
fn chain(levels: usize, change: impl FnOnce(&mut World)) -> Setup {
    let mut world = World::new();
    world.dir("to").sized_file("from/tree/file", 1);
    for level in 0..levels {
        let path = format!("from/tree/{}", "deep/".repeat(level));
        world.hard_link("from/tree/file", format!("{path}name"));
        world.sized_file(format!("{path}{}/file", if level % 2 == 0 { "a" } else { "side" }), 2);
    }
    change(&mut world);
    Setup::new(world)
}

#[test]
fn the_budget_is_kept() {
    let (_, complete) = quiet(&options(1), &chain(200, |_| {}));
    for (descriptors, threads) in [(8, 1), (16, 1), (64, 1), (64, 2), (256, 4)] {
        let setup = chain(200, |world| world.rules.processors = threads);
        let (_, found) = quiet(&options(threads).descriptors(descriptors), &setup);
        assert_eq!(difference(&complete, &found), None);
        let most = setup.world(|world| world.max_open);
        // The others are two files, and the directory that contains the destination.
        assert!(most <= descriptors + 3, "{descriptors}, {threads} threads: {most}");
    }
}

/// One worker goes on with few descriptors. Several report what fails meanwhile.
#[test]
fn a_shortage_at_any_time_is_survived_or_reported() {
    let (calls, complete) = quiet(&options(1), &chain(30, |_| {}));
    for (descriptors, threads) in [(8, 1), (12, 1), (16, 3)] {
        for (begin, length) in (0..calls).step_by(11).flat_map(|call| [(call, 5), (call, calls)]) {
            let setup = chain(30, |world| {
                world.rules.processors = threads;
                world.after(begin, move |world| world.rules.descriptors = descriptors);
                world.after(begin + length, |world| world.rules.descriptors = 1024);
            });
            let report = copy(&options(threads), &setup);
            let is_shortage = |error: &crate::Error| error.raw_os_error() == Some(24);
            assert!(report.errors.iter().all(is_shortage), "{report:?}");
            assert!(report.error_count == 0 || threads > 1, "before call {begin}: {report:?}");
            let difference = difference(&complete, &setup.world(|world| entries(world)));
            assert_eq!(difference.is_none(), report.is_complete(), "{difference:?}, {report:?}");
        }
    }
}
