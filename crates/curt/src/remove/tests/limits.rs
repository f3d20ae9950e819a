use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::in_memory::{FIXED, chain, remove};
use super::remove_on;
use crate::control::{Cancel, Next};
use crate::remove::{DirectoryOperands, Remove, Report, Threads};
use crate::sys::fault::Faults;
use crate::sys::memory::{Memory, Order, Setup, World};

fn options() -> Remove<'static> {
    Remove::new().retries(10, Duration::from_millis(50))
}

fn assert_once(report: &Report, stays: usize) {
    let paths: BTreeSet<_> = report.errors.iter().map(crate::Error::path).collect();
    assert_eq!(paths.len(), report.errors.len(), "reported twice: {report:?}");
    assert_eq!(paths.len(), stays, "{report:?}");
    assert_eq!(report.vanished, 0, "{report:?}");
}

fn deep(world: &mut World) -> usize {
    let mut path = String::from("tree");
    let mut stays = 0;
    for level in 0..60 {
        for name in ["a", "b", "n/x", "n/y", "y", "z"] {
            world.file(format!("{path}/{name}"));
        }
        if level % 7 == 3 {
            world.deny(format!("{path}/b"), FIXED).deny(format!("{path}/n/y"), FIXED);
            stays += 2;
        }
        path = format!("{path}/m");
    }
    world.file(format!("{path}/last")).deny(format!("{path}/last"), FIXED);
    stays + 1
}

#[test]
fn failures_are_reported_once_when_descriptors_run_out() {
    for order in [Order::ByName, Order::Reversed, Order::Hashed] {
        for page in [1, 2, 4, 1000] {
            for what in 0..4 {
                let mut world = World::new();
                let stays = deep(&mut world);
                (world.rules.order, world.rules.page) = (order, page);
                let setup = Setup::new(world);
                let mut options = options().threads(Threads::AtMost(1)).descriptors(8);
                match what {
                    0 => options = options.directories(DirectoryOperands::Contents),
                    1 => options = options.on_removed(|_, _| ()),
                    2 => options = options.exclude(|entry| entry.name() == "a"),
                    _ => {}
                }
                let report = remove(&options, &setup);
                assert_once(&report, stays);
                assert_eq!(report.skipped, if what == 2 { 60 } else { 0 }, "{report:?}");
                let left = setup.world(|world| world.list("tree").len());
                assert!(left > stays, "{left}");
            }
        }
    }
}

#[test]
fn a_directory_that_fails_is_not_tried_again() {
    let mut world = World::new();
    world.rules.page = 2;
    world.file("tree/1").file("tree/2").file("tree/3");
    let unreadable = (1..50).fold(Faults::default(), |all, nth| all.fail("getdents64", nth, 5));
    assert_once(&remove(&options(), &Setup::new(world).with_faults(unreadable)), 1);

    let mut world = World::new();
    world.file("tree/stays/file").deny("tree/stays", FIXED);
    let failures = AtomicU64::new(0);
    let options = options().try_parents(true).on_error(|_| {
        let is_over = failures.fetch_add(1, Ordering::Relaxed) == 9;
        if is_over { Next::Stop } else { Next::Continue }
    });
    let report = remove(&options, &Setup::new(world));
    assert_eq!(report.error_count, 2, "the directory, and its parent: {report:?}");
}

#[test]
fn a_directory_of_unknown_identity_stays_open() {
    let run = |faults: Faults| {
        let setup = Setup::new(chain()).with_faults(faults);
        remove(&options().threads(Threads::AtMost(1)).descriptors(8), &setup)
    };
    let mut failed = 0;
    for nth in 0..run(Faults::default()).calls.of("statx") {
        let report = run(Faults::default().fail("statx", nth, 5));
        failed += report.error_count;
        let is_of_call = |error: &crate::Error| error.raw_os_error() == Some(5);
        assert!(report.errors.iter().all(is_of_call), "{nth}: {report:?}");
    }
    assert!(failed > 20, "{failed} directories were not reopened");
}

#[test]
fn released_directory_that_vanished_is_no_error() {
    let mut vanished = 0;
    for call in (100..2000).step_by(7) {
        let mut world = chain();
        world.after(call, |world| {
            world.vanish("tree/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep");
        });
        let setup = Setup::new(world);
        let options = options().threads(Threads::AtMost(1)).descriptors(8);
        let report = remove(&options, &setup);
        assert!(report.is_complete(), "before call {call}: {report:?}");
        assert!(!setup.world(|world| world.exists("tree")));
        vanished += report.vanished;
    }
    assert!(vanished > 0, "none was there when it was listed, and gone later");
}

#[test]
fn a_short_shortage_is_waited_for_at_every_opening() {
    let mut hits = 0;
    for (operand, calls) in [("tree/deep/file", 2), ("tree", 240)] {
        for (nth, errno) in (0..calls).zip([12, 23, 24].into_iter().cycle()) {
            let faults = Arc::new(Faults::default().fail("openat", nth, errno));
            let setup = Setup { faults: Some(Arc::clone(&faults)), ..Setup::new(chain()) };
            let options = options().threads(Threads::AtMost(1)).descriptors(8);
            let report = remove_on::<Memory>(&options, &setup, &[PathBuf::from(operand)]);
            assert!(report.is_complete(), "{operand}, {nth}, {errno}: {report:?}");
            hits += faults.hits();
        }
    }
    assert!(hits > 150, "{hits} shortages");
}

#[test]
fn each_shortage_is_waited_for() {
    for threads in [1, 4] {
        let mut world = World::new();
        for number in 0..2_000 {
            world.file(format!("tree/{number}/file"));
        }
        for (call, descriptors) in [(3_000, 0), (3_400, 1024), (5_000, 0), (5_040, 1024)] {
            world.after(call, move |world| world.rules.descriptors = descriptors);
        }
        let setup = Setup::new(world);
        let (first, later) = (AtomicU64::new(0), AtomicU64::new(0));
        let options = options().threads(Threads::AtMost(threads)).on_error(|_| {
            let is_first = setup.world(|world| world.calls_made()) < 4_800;
            let count = if is_first { &first } else { &later };
            count.fetch_add(1, Ordering::Relaxed);
        });
        let report = remove(&options, &setup);
        assert!(first.load(Ordering::Relaxed) > 0, "{threads} threads: the first one lasts");
        let later = later.load(Ordering::Relaxed);
        assert!(later <= threads as u64, "{threads} threads: {later} of {report:?}");
    }
}

#[test]
fn each_shortage_of_operands_is_waited_for() {
    let mut world = World::new();
    let operands: Vec<PathBuf> =
        (0..400).map(|number| format!("tree/{number}/file").into()).collect();
    for operand in &operands {
        world.file(operand.as_os_str().as_encoded_bytes());
    }
    for begin in [300, 700] {
        world.after(begin, |world| {
            world.clock += Duration::from_secs(60);
            world.rules.descriptors = 0;
        });
        world.after(begin + 10, |world| world.rules.descriptors = 1024);
    }
    let options = options().retries(10, Duration::from_secs(1)).threads(Threads::AtMost(1));
    let report = remove_on::<Memory>(&options, &Setup::new(world), &operands);
    assert!(report.is_complete() && report.files == 400, "{report:?}");
}

#[test]
fn a_cancelled_removal_does_not_fail_for_want_of_descriptors() {
    for call in (310..350).step_by(5) {
        let mut world = World::new();
        for number in 0..1_000 {
            world.file(format!("tree/{number}/file"));
        }
        let cancel = Arc::new(Cancel::new());
        let token = Arc::clone(&cancel);
        world.after(300, |world| world.rules.descriptors = 0);
        world.after(call, move |_| token.cancel());
        let report = remove(&options().cancel(&cancel), &Setup::new(world));
        assert!(report.stopped && report.error_count == 0, "{call}: {report:?}");
    }
}

#[test]
fn a_poll_ends_a_wait_for_descriptors() {
    let mut world = chain();
    world.rules.descriptors = 0;
    let setup = Setup::new(world);
    let options = options().retries(10, Duration::from_secs(60)).poll(|| {
        let is_late = setup.world(|world| world.clock) > Duration::from_millis(20);
        if is_late { Next::Stop } else { Next::Continue }
    });
    let report = remove(&options, &setup);
    assert!(report.stopped && report.error_count == 0, "{report:?}");
    assert!(setup.world(|world| world.clock) < Duration::from_millis(40));
}

#[test]
fn a_cancelled_removal_only_closes() {
    let mut world = World::new();
    world.file(format!("tree/{}file", "d/".repeat(1_000)));
    let cancel = Arc::new(Cancel::new());
    let token = Arc::clone(&cancel);
    world.after(1_500, move |_| token.cancel());
    let shown = AtomicU64::new(0);
    let options = options().threads(Threads::AtMost(4)).cancel(&cancel);
    let report = remove(
        &options.on_progress(|_| _ = shown.fetch_add(1, Ordering::Relaxed)),
        &Setup::new(world),
    );
    assert!(report.stopped && report.files == 0, "{report:?}");
    assert_eq!((report.threads, shown.into_inner()), (1, 1), "{report:?}");
}
