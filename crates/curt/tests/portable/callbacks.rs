use std::collections::HashSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use curt::remove::{Confirm, Question, Subject};
use curt::{Answer, Cancel, Next, Remove, Threads, Unvisited, Usage, Walk};
use curt_testkit::Scratch;

const DIRECTORIES: u64 = if cfg!(windows) { 4 } else { 20 };
const FILES: u64 = 100;
const THREADS: [usize; 3] = [1, 2, 8];

fn bushes(scratch: &Scratch) -> PathBuf {
    for directory in 0..DIRECTORIES {
        for file in 0..FILES {
            scratch.file(format!("tree/{directory}/{file}"));
        }
    }
    scratch.at("tree")
}

fn long_names() -> Scratch {
    let scratch = Scratch::new();
    let name = "x".repeat(200);
    for number in 0..5000 {
        scratch.file(format!("tree/{}/{name}-{number}", number / 100));
    }
    scratch
}

fn assert_stops<'a>(label: &str, set: impl Fn(Remove<'a>) -> Remove<'a>) {
    for threads in THREADS {
        for on_caller in [false, true] {
            let scratch = Scratch::new();
            let tree = bushes(&scratch);
            let removal = Remove::new()
                .threads(Threads::AtMost(threads))
                .callbacks_on_caller_thread(on_caller);
            let missing = scratch.at("missing");
            let report = set(removal).run([&missing, &tree]);
            assert!(report.stopped && !report.is_complete(), "{label}, {threads}: {report:?}");
            assert!(scratch.exists("tree"), "{label}, {threads} threads: nothing is left");
        }
    }
}

#[test]
fn every_callback_can_stop_a_removal() {
    assert_stops("on_error", |removal| removal.on_error(|_| ControlFlow::Break(())));
    assert_stops("on_removed", |removal| removal.on_removed(|_, _| Next::Stop));
    assert_stops("on_progress", |removal| removal.on_progress(|_| Next::Stop));
    assert_stops("poll", |removal| removal.poll(|| Next::Stop));
    assert_stops("exclude", |removal| removal.exclude(|_| Answer::Stop));
    assert_stops("confirm", |removal| {
        removal.confirm(Confirm::Always, |_, _| ControlFlow::Break(()))
    });
}

#[test]
fn no_callback_is_called_after_one_has_stopped_the_removal() {
    for threads in THREADS {
        let scratch = Scratch::new();
        let tree = bushes(&scratch);
        let (calls, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        let report = Remove::new()
            .threads(Threads::AtMost(threads))
            .callbacks_on_caller_thread(true)
            .on_removed(|_, _| {
                assert!(!is_over.load(Ordering::Relaxed), "{threads} threads: called again");
                if calls.fetch_add(1, Ordering::Relaxed) == 500.min(DIRECTORIES * FILES / 2) {
                    is_over.store(true, Ordering::Relaxed);
                    return Next::Stop;
                }
                Next::Continue
            })
            .poll(|| assert!(!is_over.load(Ordering::Relaxed), "{threads} threads: polled"))
            .on_progress(|_| assert!(!is_over.load(Ordering::Relaxed), "{threads}: progress"))
            .run(&tree);
        assert!(report.stopped, "{report:?}");
    }
}

#[test]
fn the_largest_totals_are_those_of_the_report() {
    for threads in THREADS {
        for on_caller in [false, true] {
            let scratch = Scratch::new();
            let tree = bushes(&scratch);
            let (files, directories) = (AtomicU64::new(0), AtomicU64::new(0));
            let report = Remove::new()
                .threads(Threads::AtMost(threads))
                .callbacks_on_caller_thread(on_caller)
                .on_progress(|totals| {
                    files.fetch_max(totals.files, Ordering::Relaxed);
                    directories.fetch_max(totals.directories, Ordering::Relaxed);
                })
                .run(&tree);
            let largest = (files.into_inner(), directories.into_inner());
            assert_eq!(largest, (report.files, report.directories), "{threads} threads");
            assert_eq!(largest, (DIRECTORIES * FILES, DIRECTORIES + 1));
        }
    }
}

#[test]
fn callbacks_on_the_caller_thread_get_every_entry_in_order() {
    for threads in THREADS {
        let scratch = Scratch::new();
        let tree = bushes(&scratch);
        let caller = thread::current().id();
        let assert_here = || assert_eq!(thread::current().id(), caller, "{threads} threads");
        let removed = Mutex::new(Vec::new());
        let report = Remove::new()
            .threads(Threads::AtMost(threads))
            .callbacks_on_caller_thread(true)
            .on_error(|_| assert_here())
            .on_progress(|_| assert_here())
            .poll(assert_here)
            .on_removed(|path, _| {
                assert_here();
                removed.lock().unwrap().push(path.to_owned());
            })
            .run([&scratch.at("missing"), &tree, &scratch.at("gone")]);
        assert_eq!((report.error_count, report.errors.len()), (2, 1), "{report:?}");
        let removed = removed.into_inner().unwrap();
        assert_eq!(removed.len() as u64, DIRECTORIES * (FILES + 1) + 1);
        let mut gone = HashSet::new();
        for path in &removed {
            let parent = path.parent().unwrap();
            assert!(!gone.contains(parent), "{threads} threads: {} is late", path.display());
            assert!(gone.insert(path.as_path()), "{} is told twice", path.display());
        }
    }
}

#[test]
fn entries_at_which_a_removal_stops_are_not_counted_as_skipped() {
    fn assert_skips(label: &str, path: &str, removal: &Remove<'_>, skipped: u64) {
        let scratch = Scratch::new();
        scratch.file(path);
        let report = removal.run(scratch.at("tree"));
        assert!(report.stopped, "{label}, {path}: {report:?}");
        assert_eq!(report.skipped, skipped, "{label}, {path}: {report:?}");
        assert!(scratch.exists(path), "{label}: {path}");
    }
    for path in ["tree/file", "tree/directory/file"] {
        for answer in [Answer::Yes, Answer::No, Answer::Stop] {
            let cancel = Cancel::new();
            let removal = Remove::new().cancel(&cancel).exclude(|_| {
                cancel.cancel();
                answer
            });
            let skipped = u64::from(answer == Answer::Yes);
            assert_skips(&format!("exclude, {answer:?}"), path, &removal, skipped);
            for last in [Question::Descend, Question::RemoveFile] {
                let cancel = Cancel::new();
                let confirm = |question, _: &Subject<'_>| {
                    if question != last {
                        return Answer::Yes;
                    }
                    cancel.cancel();
                    answer
                };
                let removal = Remove::new().cancel(&cancel).confirm(Confirm::Always, confirm);
                let skipped = u64::from(answer == Answer::No);
                assert_skips(&format!("{last:?}, {answer:?}"), path, &removal, skipped);
            }
        }
    }
}

#[test]
fn panic_on_the_caller_thread_ends_a_removal_with_a_full_queue() {
    for threads in THREADS {
        let scratch = long_names();
        let calls = AtomicU64::new(0);
        let removal = Remove::new()
            .threads(Threads::AtMost(threads))
            .callbacks_on_caller_thread(true)
            .on_removed(|_, _| {
                if calls.fetch_add(1, Ordering::Relaxed) == 1000 {
                    thread::sleep(Duration::from_millis(50));
                    // `panic!` would print a message.
                    resume_unwind(Box::new("broken"));
                }
            });
        let outcome = catch_unwind(AssertUnwindSafe(|| removal.run(scratch.at("tree"))));
        let panic = outcome.expect_err("the callback panics");
        assert_eq!(panic.downcast_ref(), Some(&"broken"), "{threads} threads");
    }
}

/// Holds up one thread until the caller's thread has polled much longer than its own work takes.
#[test]
fn caller_thread_polls_while_it_waits() {
    let scratch = Scratch::new();
    let tree = bushes(&scratch);
    let (caller, polls) = (thread::current().id(), AtomicU64::new(0));
    let is_held_up = AtomicBool::new(false);
    let report = Remove::new()
        .threads(Threads::AtMost(2))
        .poll(|| {
            polls.fetch_add(1, Ordering::Relaxed);
        })
        .on_removed(|_, _| {
            let is_other = thread::current().id() != caller;
            if is_other && !is_held_up.swap(true, Ordering::Relaxed) {
                while polls.load(Ordering::Relaxed) < 200 {
                    thread::sleep(Duration::from_millis(1));
                }
            } else if !is_held_up.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        })
        .run(&tree);
    assert!(report.is_complete(), "{report:?}");
    assert!(report.threads == 1 || is_held_up.into_inner() || cfg!(windows), "{report:?}");
}

#[test]
fn failure_at_which_a_removal_stops_is_the_only_one_of_the_report() {
    for threads in THREADS {
        for on_caller in [false, true] {
            let scratch = Scratch::new();
            let mut operands = Vec::new();
            for number in 0..10 {
                for file in 0..50 {
                    scratch.file(format!("{number}/{file}"));
                }
                operands.push(scratch.at(number.to_string()));
            }
            for number in 10..1000 {
                operands.push(scratch.at(number.to_string()));
            }
            scratch.file("last");
            operands.push(scratch.at("last"));
            let reported = AtomicU64::new(0);
            let report = Remove::new()
                .threads(Threads::AtMost(threads))
                .callbacks_on_caller_thread(on_caller)
                .on_error(|_| {
                    reported.fetch_add(1, Ordering::Relaxed);
                    Next::Stop
                })
                .run(&operands);
            assert!(report.stopped, "{report:?}");
            assert_eq!((report.error_count, report.errors.len()), (1, 1), "{report:?}");
            let reported = reported.into_inner();
            assert!(reported == 1 || (threads > 1 && !on_caller), "{threads} threads: {reported}");
            assert!(scratch.exists("last") || (threads > 1 && on_caller));
        }
    }
}

#[test]
fn progress_of_a_measurement_is_called_on_the_caller_thread_and_can_stop_it() {
    for threads in THREADS {
        let scratch = Scratch::new();
        let tree = bushes(&scratch);
        let caller = thread::current().id();
        let (calls, last) = (AtomicU64::new(0), AtomicU64::new(0));
        let progress = |entries| {
            assert_eq!(thread::current().id(), caller, "{threads} threads");
            assert!(last.swap(entries, Ordering::Relaxed) <= entries);
            calls.fetch_add(1, Ordering::Relaxed);
        };
        let usage = Usage::new().threads(Threads::AtMost(threads));
        let slow = usage.clone().exclude(|_| {
            thread::sleep(Duration::from_micros(50));
            false
        });
        let report = slow.on_progress(progress).measure(&tree);
        assert!(!report.stopped && calls.into_inner() > 1, "{report:?}");
        assert!((1..=report.total().entries).contains(&last.into_inner()), "{report:?}");
        assert!(usage.on_progress(|_| Next::Stop).measure(&tree).stopped);
    }
}

/// The walk queries the whole directory before it yields the first entry.
#[test]
fn an_operation_is_stopped_while_it_stores_or_leaves_out_one_directory() {
    let scratch = Scratch::new();
    for file in 0..FILES {
        scratch.file(format!("tree/{file}"));
    }
    for is_sorted in [false, true] {
        let tree = scratch.at("tree");
        let queried = AtomicU64::new(0);
        let calls = AtomicU64::new(0);
        let report = Usage::new()
            .max_depth(if is_sorted { usize::MAX } else { 0 })
            .threads(Threads::AtMost(1))
            .exclude(|_| {
                queried.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(3));
                true
            })
            .on_progress(|_| match calls.fetch_add(1, Ordering::Relaxed) {
                0..10 => Next::Continue,
                _ => Next::Stop,
            })
            .measure(&tree);
        assert!(report.stopped, "sorted: {is_sorted}");
        let queried = queried.into_inner();
        assert!(queried < FILES / 2, "sorted: {is_sorted}, {queried} entries after 11 calls");

        let walk = Walk::new(tree).threads(Threads::AtMost(1));
        let walk = walk.sort_by_name(is_sorted);
        let (cancel, queried) = (Cancel::new(), AtomicU64::new(0));
        let cancelled = walk.exclude(|_| {
            queried.fetch_add(1, Ordering::Relaxed);
            cancel.cancel();
            true
        });
        assert_eq!(cancelled.cancel(&cancel).visit(|_| ()).entries, 1);
        assert_eq!(queried.load(Ordering::Relaxed), 1, "sorted: {is_sorted}");
    }
}

#[test]
fn an_answer_about_exclusion_stops_a_walk_and_a_measurement() {
    let scratch = Scratch::new();
    let tree = bushes(&scratch);
    let stop = |entry: &Unvisited<'_>| if entry.name() == "7" { Answer::Stop } else { Answer::No };
    let whole = DIRECTORIES * (FILES + 1) + 1;
    for is_sorted in [false, true] {
        let walk = Walk::new(&tree).sort_by_name(is_sorted);
        let walk = walk.exclude(stop);
        for threads in THREADS {
            let walk = walk.clone().threads(Threads::AtMost(threads));
            let summary = walk.visit(|entry| assert_ne!(entry.unwrap().name(), "7"));
            assert!(summary.stopped, "sorted: {is_sorted}, {threads}");
            assert!(summary.entries < whole, "sorted: {is_sorted}, {threads}");
        }
        let entries = walk.iter().map(Result::unwrap).collect::<Vec<_>>();
        assert!((entries.len() as u64) < whole, "sorted: {is_sorted}");
        assert!(entries.iter().all(|entry| entry.name() != "7"), "sorted: {is_sorted}");
    }
    let report = Usage::new().exclude(stop).measure(&tree);
    assert!(report.stopped, "{report:?}");
    let report = Usage::new().exclude(|_| ControlFlow::Break(())).measure(&tree);
    assert!(report.stopped, "{report:?}");
}

#[test]
fn progress_stops_a_measurement_of_files() {
    let scratch = Scratch::new();
    let files = ["a", "b", "c"].map(|file| scratch.file(file));
    let caller = thread::current().id();
    let polls = AtomicU64::new(0);
    let progress = |_| {
        assert_eq!(thread::current().id(), caller);
        polls.fetch_add(1, Ordering::Relaxed);
    };
    let report = Usage::new().on_progress(progress).measure(&files);
    assert!(!report.stopped && report.records.len() == 3, "{report:?}");
    assert!(polls.load(Ordering::Relaxed) > 0);
    let report = Usage::new().on_progress(|_| Next::Stop).measure(&files);
    assert!(report.stopped && report.records.is_empty(), "{report:?}");
    let is_reported = AtomicBool::new(false);
    let progress =
        |_| if is_reported.load(Ordering::Relaxed) { Next::Stop } else { Next::Continue };
    let report = Usage::new().on_progress(progress).measure_each(&files, |_| {
        is_reported.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(5));
    });
    assert!(report.stopped && report.records.len() == 1, "{report:?}");
}

/// In parallel, an operand could vanish when its ancestor is removed.
#[test]
fn operands_below_others_are_removed_in_order() {
    for [first, second] in [["tree/1", "tree"], ["./tree/1/", "tree"], ["tree", "tree/1"]] {
        let scratch = Scratch::new();
        bushes(&scratch);
        let operands = [first, second].map(|operand| scratch.at(".").join(operand));
        let report = Remove::new().threads(Threads::AtMost(8)).run(&operands);
        assert_eq!(report.threads, 1);
        let missing = usize::from(first == "tree");
        assert_eq!(report.errors.len(), missing, "{report:?}");
    }
}
