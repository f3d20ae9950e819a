use std::path::PathBuf;
use std::time::Duration;

use crate::control::Threads;
use crate::fields::{Fields, Time};
use crate::sys::fault::Faults;
use crate::sys::memory::play::{INTRUSIONS, setup};
use crate::sys::memory::{Memory, Setup, World};
use crate::usage::report::Records;
use crate::usage::{Usage, UsageReport};

fn measure(usage: &Usage<'_>, setup: &Setup, operands: &[&str]) -> UsageReport {
    let operands: Vec<PathBuf> = operands.iter().map(PathBuf::from).collect();
    let report = usage.run::<Memory>(setup, &operands, Records::default());
    setup.world(|world| world.assert_unharmed());
    report
}

fn large(change: impl FnOnce(&mut World)) -> Setup {
    setup(|world| {
        for number in 0..150 {
            let file = format!("tree/many/{number}/file");
            world.sized_file(&file, number).hard_link(&file, format!("names/{number}"));
        }
        change(world);
    })
}

fn usages(threads: &[usize]) -> impl Iterator<Item = Usage<'static>> {
    threads.iter().flat_map(|&threads| {
        let usage = Usage::new().threads(Threads::AtMost(threads));
        [usage.clone(), usage.clone().files(true), usage.max_depth(0)]
    })
}

#[test]
fn the_newest_time_is_not_that_of_the_last_entry() {
    let setup = setup(|world| {
        let files = ["a/1", "a/2", "b/1"].map(|file| format!("times/{file}"));
        world.dir("times/a").dir("times/b");
        for (file, seconds) in files.iter().zip([9, 3, 5]) {
            world.clock = Duration::from_secs(seconds);
            world.file(file);
        }
    });
    let report = measure(&Usage::new().newest(Fields::CREATED), &setup, &["times"]);
    let seconds = |time: Option<Time>| time.map(|time| time.seconds);
    let times = report.records.iter().map(|it| (seconds(it.newest), seconds(it.own_newest)));
    let expected = [(9, 9), (5, 5), (9, 0)].map(|(all, own)| (Some(all), Some(own)));
    assert_eq!(times.collect::<Vec<_>>(), expected);
    assert_eq!(seconds(report.newest()), Some(9));
}

#[test]
fn changes_before_any_call_lose_nothing_elsewhere() {
    let quiet = large(|_| {});
    let all = measure(&Usage::new(), &quiet, &["tree"]).total().entries;
    let calls = quiet.world(|world| world.calls_made());
    for usage in usages(&[3]) {
        for (what, intrusion) in INTRUSIONS {
            for (place, holds) in [("tree/a/b", 6), ("tree/e", 5), ("tree/many/90", 1)] {
                for call in (0..calls).step_by(157) {
                    let setup = large(|world| {
                        world.after(call, move |world| intrusion(world, place));
                    });
                    let report = measure(&usage, &setup, &["tree"]);
                    let case = format!("{usage:?}: somebody {what}, {place}, before call {call}");
                    for error in &report.errors {
                        assert!(error.path().starts_with(place), "{case}: {error}");
                    }
                    let entries = report.total().entries;
                    assert!((all - 1 - holds..=all + 2).contains(&entries), "{case}: {entries}");
                }
            }
        }
    }
}

#[test]
fn each_failed_question_is_one_error() {
    for usage in usages(&[1, 3]) {
        for nth in (1..300).step_by(40) {
            let setup = large(|_| {}).with_faults(Faults::default().fail("statx", nth, 5));
            let report = measure(&usage, &setup, &["tree"]);
            assert_eq!(report.error_count, 1, "{usage:?}, {nth}: {:?}", report.errors);
            assert_eq!(report.errors[0].raw_os_error(), Some(5));
        }
    }
}
