//! Models removals by many workers. The real code runs on a simulated machine in virtual time,
//! without caches and memory bus.

use std::time::Duration;

use super::remove_on;
use crate::control::Threads;
use crate::remove::Remove;
use crate::sys::memory::machine::{self, Prices};
use crate::sys::memory::{Memory, Setup, World};

/// Medians for 10,000 directories of 7 files each on tmpfs, Linux 6.18, each call between two clock
/// readings. The costs of locks are from `docs/performance.md`.
const TMPFS: Prices = Prices {
    call: |name| match name {
        "openat" => Duration::from_nanos(770),
        "getdents64" => Duration::from_nanos(1330),
        "unlinkat" => Duration::from_nanos(1150),
        "close" => Duration::from_nanos(270),
        _ => Duration::ZERO,
    },
    directory: 0.6,
    shared: 0.03,
    contended: 0.0,
};
/// A filesystem where all changes take one lock, and waiting threads sleep.
const ONE_LOCK: Prices = Prices { shared: 0.8, directory: 0.0, contended: 2.0, ..TMPFS };

fn grow(world: &mut World, shape: &str) {
    let (count, files) = match shape {
        "packages" => (1250, [1, 2, 3, 4, 5, 6, 7, 28]),
        "large" => (2500, [1, 2, 3, 4, 5, 6, 7, 28]),
        "tiny" => (1667, [2; 8]),
        "flat" => (1, [6_000; 8]),
        _ => (30, [99; 8]),
    };
    let (mut random, mut paths) = (1_u64, vec!["tree".to_owned()]);
    for number in 0..count {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let parent = match shape {
            "packages" | "large" if number > count / 5 => (random >> 33) as usize % number,
            "chain" => number,
            _ => 0,
        };
        let path = format!("{}/d{number}", paths[parent]);
        for file in 0..files[number % 8] {
            world.file(format!("{path}/{file}"));
        }
        paths.push(path);
    }
}

fn time(shape: &str, prices: Prices, threads: Threads, processors: usize) -> f64 {
    let mut world = World::new();
    grow(&mut world, shape);
    world.rules.processors = processors;
    let (setup, options) = (Setup::new(world), Remove::new().threads(threads));
    let report = machine::run(prices, || remove_on::<Memory>(&options, &setup, &["tree".into()]));
    assert!(report.is_complete(), "{report:?}");
    setup.world(|world| world.clock.as_secs_f64())
}

#[test]
fn many_workers_pay_and_the_rule_finds_those_that_do() {
    // Each row has two minimum speedups over one worker: with a fixed number of workers, and with
    // the number that the governor chooses. The governor's trials take milliseconds, longer than
    // the removal of a small tree.
    let rows = [
        ("packages", TMPFS, 16, 8.0, 2.3),
        ("large", TMPFS, 32, 14.0, 3.5),
        ("tiny", TMPFS, 8, 4.5, 2.0),
        ("flat", TMPFS, 8, 1.5, 1.3),
        ("chain", TMPFS, 4, 0.95, 0.95),
        ("packages", ONE_LOCK, 4, 0.3, 0.6),
    ];
    for (shape, prices, workers, least, least_by_rule) in rows {
        let one = time(shape, prices, Threads::AtMost(1), 1);
        let fixed = one / time(shape, prices, Threads::AtMost(workers), workers);
        let by_rule = one / time(shape, prices, Threads::Automatic, workers);
        let row = format!("{shape}, {workers} workers: {fixed:.2}, by the rule {by_rule:.2}");
        println!("{row}");
        assert!(fixed > least && by_rule > least_by_rule, "{row}");
    }
}
