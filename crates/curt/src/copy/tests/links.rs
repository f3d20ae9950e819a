//! Hard links, by several workers.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::trees::relative;
use super::{copy, run, tree};
use crate::control::Threads;
use crate::copy::{Copy, Preserve, Report, Totals};
use crate::sys::fault::Faults;
use crate::sys::memory::{Setup, World};

/// Many names of a few files, which several workers meet.
fn names(size: u64) -> Setup {
    let mut world = World::new();
    world.rules.processors = 4;
    world.dir("to");
    for number in 0..400 {
        world.file(format!("from/tree/a{}/{number}", number % 40));
    }
    for (number, file) in (0..180).map(|number| (number, number % 3)) {
        let path = format!("from/tree/b{}/{number}", number / 3);
        if number < 3 {
            world.sized_file(path, if file == 0 { size } else { 1 });
        } else {
            world.hard_link(&format!("from/tree/b0/{file}"), path);
        }
    }
    Setup::new(world)
}

fn options() -> Copy<'static> {
    Copy::new().preserve(Preserve::LINKS).threads(Threads::AtMost(4))
}

/// Returns the names of each file, but not those that failed.
fn partition(setup: &Setup, path: &str, report: &Report) -> BTreeSet<Vec<String>> {
    let failed: Vec<String> = report.errors.iter().map(relative).collect();
    let mut names = BTreeMap::<usize, Vec<String>>::new();
    for (path, node) in setup.world(|world| tree(world, path)) {
        if !failed.contains(&path) {
            names.entry(node).or_default().push(path);
        }
    }
    names.into_values().collect()
}

#[test]
fn all_names_of_a_file_become_names_of_one_copy() {
    // An empty file takes one call, the others two.
    for failing in (0..390).step_by(30).chain(390..=406) {
        let setup = names(1).with_faults(Faults::default().fail("copy_file_range", failing, 5));
        let report = copy(&options(), &setup);
        assert_eq!(report.error_count, u64::from(failing < 406), "{report:?}");
        let [expected, found] =
            ["from/tree", "to/dest"].map(|path| partition(&setup, path, &report));
        assert_eq!(found, expected, "{report:?}");
    }
}

#[test]
fn no_worker_waits_for_one_that_panics() {
    for _ in 0..10 {
        let setup = names(40 << 20);
        let options = options().on_progress(|totals: &Totals| {
            std::thread::sleep(Duration::from_millis(u64::from(totals.bytes > 0) * 30));
            assert_eq!(totals.bytes, 0);
        });
        assert!(catch_unwind(AssertUnwindSafe(|| run(&options, &setup))).is_err());
    }
}

#[test]
fn no_worker_waits_for_the_callbacks_of_one_that_waits() {
    for _ in 0..10 {
        let setup = names(256 << 30);
        let told = AtomicBool::new(false);
        let options = options().callbacks_on_caller_thread(true);
        let options = options.on_progress(|_: &Totals| told.store(true, Ordering::Relaxed));
        assert!(copy(&options, &setup).is_complete() && told.load(Ordering::Relaxed));
    }
}
