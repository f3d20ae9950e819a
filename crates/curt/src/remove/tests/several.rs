use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::in_memory::{FIXED, remove};
use super::remove_on;
use crate::control::{Next, Operands, Threads};
use crate::remove::{DirectoryOperands, Remove, overlap};
use crate::sys::Os;
use crate::sys::memory::{Memory, Setup, World};

#[test]
fn every_operand_counts_towards_threads_and_progress() {
    use DirectoryOperands::{OnlyEmpty, Recursive, Refuse};
    for (directories, is_file, dry_run) in [
        (Recursive, true, false),
        (Recursive, true, true),
        (Recursive, false, true),
        (OnlyEmpty, true, false),
        (OnlyEmpty, false, false),
        (OnlyEmpty, false, true),
        (Refuse, true, false),
        (Refuse, false, false),
    ] {
        let mut world = World::new();
        world.rules.processors = 4;
        let operands: Vec<_> = (0..2_000).map(|number| format!("tree/{number}")).collect();
        for operand in &operands {
            if is_file {
                world.file(operand)
            } else {
                world.dir(operand)
            };
        }
        let called = AtomicU64::new(0);
        let options = Remove::new()
            .threads(Threads::AtMost(4))
            .directories(directories)
            .dry_run(dry_run)
            .on_progress(|_| _ = called.fetch_add(1, Ordering::Relaxed));
        let report = remove_on::<Memory>(&options, &Setup::new(world), &operands.into_paths());
        let case = format!("{directories:?}, files: {is_file}, dry: {dry_run}: {report:?}");
        assert_eq!(report.error_count > 0, directories == Refuse && !is_file, "{case}");
        assert_eq!(report.threads, 4, "{case}");
        assert!(called.load(Ordering::Relaxed) > 4, "{case}");
    }
}

#[test]
fn every_failure_of_every_thread_is_counted() {
    const FILES: u64 = 20_000;
    for threads in [1, 2, 8] {
        let mut world = World::new();
        (world.rules.page, world.rules.processors) = (FILES as usize, threads);
        for number in 0..FILES {
            let path = format!("tree/{number}");
            world.file(&path);
            if number % 2 == 1 {
                world.deny(&path, FIXED);
            }
        }
        let setup = Setup::new(world);
        let options = Remove::new().threads(Threads::AtMost(threads));
        let report = remove(&options, &setup);
        assert_eq!(report.threads > 1, threads > 1);
        assert_eq!((report.error_count, report.files), (FILES / 2, FILES / 2), "{threads}");
        assert_eq!(report.directories, 0);
        assert!(report.errors.iter().all(|error| error.raw_os_error() == Some(1)));
        setup.world(|world| {
            let odd: Vec<u64> = (0..FILES).filter(|number| number % 2 == 1).collect();
            assert!(odd.iter().all(|number| world.exists(format!("tree/{number}"))));
            assert_eq!(world.list("tree").len(), odd.len());
        });
    }
}

#[test]
fn parents_are_tried_after_the_callbacks() {
    for (threads, helps) in [(1, true), (1, false), (8, true), (8, false)] {
        let mut world = World::new();
        world.rules.processors = threads;
        for number in 0..30 {
            for file in 0..200 {
                world.file(format!("tree/{number}/a/{file}"));
            }
            world.deny(format!("tree/{number}/a/7"), FIXED);
        }
        let (setup, failed) = (Setup::new(world), Mutex::new(Vec::new()));
        let options = Remove::new()
            .threads(Threads::AtMost(threads))
            .callbacks_on_caller_thread(true)
            .try_parents(true)
            .on_error(|error| {
                failed.lock().unwrap().push(error.path().to_owned());
                if helps {
                    setup.world(|world| _ = world.vanish(error.path().to_str().unwrap()));
                }
            });
        let report = remove(&options, &setup);
        drop(options);
        let (failed, parents) = (failed.into_inner().unwrap(), if helps { 61 } else { 0 });
        assert_eq!((report.directories, failed.len()), (parents, 91 - parents as usize));
        for (index, path) in failed.iter().enumerate() {
            assert!(failed[index..].iter().all(|later| later == path || !later.starts_with(path)));
        }
    }
}

#[test]
fn entries_that_other_workers_have_are_not_met_again() {
    for _ in 0..40 {
        let mut world = World::new();
        world.rules.processors = 8;
        let mut level = vec![String::from("tree")];
        for _ in 0..10 {
            level = level.iter().flat_map(|dir| [format!("{dir}/a"), format!("{dir}/b")]).collect();
        }
        for dir in &level {
            world.dir(dir);
        }
        let setup = Setup::new(world);
        let options = Remove::new().threads(Threads::AtMost(8)).descriptors(64);
        let report = remove(&options, &setup);
        assert!(report.is_complete(), "{report:?}");
        assert_eq!((report.directories, report.vanished), (2047, 0), "{report:?}");
    }
}

#[test]
fn exclude_is_called_once_for_every_entry() {
    let mut world = World::new();
    world.rules.processors = 4;
    for number in 0..2_000 {
        world.file(format!("tree/{number}/a/file"));
    }
    let asked = Mutex::new(Vec::new());
    let options = Remove::new().threads(Threads::AtMost(4)).exclude(|entry| {
        asked.lock().unwrap().push(entry.path().to_owned());
        false
    });
    let report = remove(&options, &Setup::new(world));
    drop(options);
    assert!(report.is_complete() && report.threads == 4, "{report:?}");
    let mut asked = asked.into_inner().unwrap();
    asked.sort();
    assert_eq!(asked.len(), 6_000);
    asked.dedup();
    assert_eq!(asked.len(), 6_000, "some are asked about twice");
}

#[test]
fn failures_are_reported_in_turn_until_one_stops() {
    let mut world = World::new();
    (world.rules.page, world.rules.processors) = (5_000, 4);
    for number in 0..20_000 {
        let path = format!("tree/{number}");
        world.file(&path);
        if number % 2 == 1 {
            world.deny(&path, FIXED);
        }
    }
    let (calls, is_running) = (AtomicU64::new(0), AtomicBool::new(false));
    let options = Remove::new().threads(Threads::AtMost(4)).on_error(|_| {
        assert!(!is_running.swap(true, Ordering::Relaxed), "two at a time");
        let call = calls.fetch_add(1, Ordering::Relaxed);
        assert!(call < 2_500, "after the one that stopped");
        std::thread::yield_now();
        is_running.store(false, Ordering::Relaxed);
        if call + 1 < 2_500 { Next::Continue } else { Next::Stop }
    });
    let report = remove(&options, &Setup::new(world));
    assert!(report.stopped && report.threads == 4, "{report:?}");
}

#[test]
fn many_operands_are_polled_before_the_first_is_removed() {
    let operands: Vec<_> = (0..100_000).map(|number| format!("missing/{number}/file")).collect();
    let polls = AtomicU64::new(0);
    let poll = || match polls.fetch_add(1, Ordering::Relaxed) {
        0 => Next::Continue,
        _ => Next::Stop,
    };
    let options = Remove::new().threads(Threads::AtMost(2)).poll(poll);
    let report = remove_on::<Os>(&options, &crate::sys::Setup::default(), &operands.into_paths());
    assert!(report.stopped, "{report:?}");
    assert_eq!(report.error_count, 0, "no operand was begun");
    assert_eq!(polls.load(Ordering::Relaxed), 2, "nothing is called after an answer that stops");
}

#[test]
fn operands_overlap_wherever_they_stand() {
    let disjoint: Vec<_> =
        (0..5_000).map(|number| format!("{:04}/x", number * 7 % 5_000)).collect();
    let disjoint: Vec<_> = disjoint.iter().map(Path::new).collect();
    assert!(!overlap(&disjoint, || true));
    for (also, expected) in [
        ("0000", true),
        ("4999/x/y/z", true),
        ("./2500//x", true),
        (".", true),
        ("2500/x-y", false),
        ("2500/", true),
        ("2500/y", false),
        ("/0000", false),
    ] {
        for at in [0, 1_024, 5_000] {
            let mut operands = disjoint.clone();
            operands.insert(at, Path::new(also));
            assert_eq!(overlap(&operands, || true), expected, "{also} at {at}");
        }
    }
    for stops in [0, 3, 4_999] {
        let mut asked = 0;
        let goes_on = || {
            asked += 1;
            asked <= stops
        };
        assert!(!overlap(&disjoint, goes_on));
        assert_eq!(asked, stops + 1);
    }
}
