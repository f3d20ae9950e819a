use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use curt_testkit::Scratch;

use super::{sample, spelled};
use crate::control::{Cancel, Next, Threads};
use crate::error::{Cause, Error};
use crate::fields::{Fields, Follow};
use crate::sys::{Os, Setup};
use crate::tree::Stop;
use crate::walk::{Summary, Visited, Walk};

fn collect(walk: &Walk<'_>, answer: Next) -> (Vec<PathBuf>, Summary) {
    let (summary, paths) = walk.visit_with(Vec::new, |paths, entry| {
        let entry = entry.unwrap();
        paths.push(entry.path().into_owned());
        if *entry.name() == *"many" { answer } else { Next::Continue }
    });
    assert_eq!(paths.len(), summary.threads);
    (paths.concat(), summary)
}

pub(super) fn visit(
    walk: &Walk<'_>,
    scratch: &curt_testkit::Scratch,
    answer: Next,
) -> (Vec<String>, usize) {
    let walk = walk.clone().operands(vec![scratch.at("t")]);
    let (paths, summary) = collect(&walk, answer);
    let base = scratch.path();
    let mut paths: Vec<String> =
        paths.iter().map(|path| spelled(path.strip_prefix(base).unwrap())).collect();
    assert_eq!(summary.entries, paths.len() as u64);
    paths.sort_unstable();
    (paths, summary.threads)
}

fn gather(entry: Result<Visited<'_>, Error>, chunk: &mut Vec<PathBuf>) -> Next {
    chunk.push(entry.expect("nothing fails").path().into_owned());
    Next::Continue
}

#[test]
fn order_does_not_depend_on_threads() {
    let scratch = sample();
    for number in 0..400 {
        scratch.dir(format!("t/wide/{number}/x"));
        scratch.file(format!("t/wide/{number}/file"));
    }
    let operands = [scratch.at("t"), scratch.at("t/a"), scratch.at("t/wide")];
    let walk = Walk::new(&operands).sort_by_name(true);
    let expected: Vec<PathBuf> = walk.iter().map(|entry| entry.unwrap().path).collect();
    for threads in [1, 2, 4] {
        for round in 0..4 {
            let mut paths = Vec::new();
            let walk = walk.clone().threads(Threads::AtMost(threads));
            let summary = walk.visit_in_chunks::<Os, _>(
                &Setup::default(),
                &Stop::new(walk.cancel, None),
                gather,
                |chunk| paths.append(chunk),
            );
            assert!(paths == expected, "{threads} threads, round {round}");
            assert_eq!(summary.threads, threads);
        }
    }
}

#[test]
#[cfg(unix)]
fn loops_do_not_depend_on_threads() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new();
    for number in 0..200 {
        let dir = scratch.dir(format!("t/wide/{number}"));
        scratch.file(format!("t/wide/{number}/a/b/file"));
        symlink("../..", dir.join("a/b/up")).unwrap();
        if number % 2 == 0 {
            symlink("../../far", dir.join("far")).unwrap();
        }
    }
    symlink("../wide/0", scratch.dir("t/far").join("back")).unwrap();
    symlink("..", scratch.at("t/top")).unwrap();
    let expected = followed(&scratch, 1);
    let loops = expected.iter().filter(|(_, is_loop)| *is_loop).count();
    assert!(loops > 400, "{loops}");
    for threads in [2, 4] {
        assert!(followed(&scratch, threads) == expected, "{threads} threads");
    }
}

#[cfg(unix)]
fn followed(scratch: &Scratch, threads: usize) -> Vec<(PathBuf, bool)> {
    let found = Mutex::new(Vec::new());
    let walk = Walk::new(scratch.at("t")).follow(Follow::Links);
    let summary = walk.threads(Threads::AtMost(threads)).visit(|entry| {
        let entry = match entry {
            Ok(entry) => (entry.path().into_owned(), false),
            Err(error) => {
                assert!(matches!(error.cause(), Cause::Loop(_)), "{error}");
                (error.path().to_owned(), true)
            }
        };
        found.lock().unwrap().push(entry);
        Next::Continue
    });
    assert_eq!(summary.threads, threads);
    let mut found = found.into_inner().unwrap();
    found.sort_unstable();
    found
}

#[test]
fn a_stopped_walk_consumes_what_it_has_visited() {
    let scratch = sample();
    let walk = Walk::new(scratch.at("t")).sort_by_name(true).threads(Threads::AtMost(1));
    let visited = AtomicUsize::new(0);
    let mut consumed = 0;
    let summary = walk.visit_in_chunks::<Os, _>(
        &Setup::default(),
        &Stop::new(walk.cancel, None),
        |entry, chunk: &mut Vec<PathBuf>| {
            gather(entry, chunk);
            if visited.fetch_add(1, Ordering::Relaxed) + 1 < 300 {
                Next::Continue
            } else {
                Next::Stop
            }
        },
        |chunk| consumed += chunk.drain(..).len(),
    );
    assert_eq!((summary.stopped, consumed), (true, 300));
}

fn eighty_chunks() -> Scratch {
    let scratch = Scratch::new();
    let top = scratch.dir("t");
    for number in 0..80 * 256 {
        std::fs::create_dir_all(top.join(format!("{}/{number}", number % 80))).unwrap();
    }
    scratch
}

#[test]
fn panic_of_a_callback_on_another_thread_stops_the_walk() {
    let scratch = eighty_chunks();
    let caller = thread::current().id();
    let (has_panicked, later) = (AtomicBool::new(false), AtomicUsize::new(0));
    let visit = |_: Result<Visited<'_>, Error>| {
        let has_panicked_before = has_panicked.load(Ordering::Relaxed);
        later.fetch_add(usize::from(has_panicked_before), Ordering::Relaxed);
        if has_panicked_before || thread::current().id() == caller {
            thread::sleep(Duration::from_millis(1));
        } else if !has_panicked.swap(true, Ordering::Relaxed) {
            std::panic::resume_unwind(Box::new(7));
        }
    };
    let walk = Walk::new(scratch.at("t")).threads(Threads::AtMost(4));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| walk.visit(visit)));
    assert_eq!(panic.err().and_then(|panic| panic.downcast_ref().copied()), Some(7));
    let later = later.load(Ordering::Relaxed);
    assert!(later < 1_000, "{later} entries were visited after the panic");
}

#[test]
fn a_small_tree_starts_no_thread() {
    let scratch = Scratch::new();
    for number in 0..200 {
        scratch.file(format!("t/{number}"));
    }
    let (_, threads) = visit(&Walk::of(Vec::new()), &scratch, Next::Continue);
    assert_eq!(threads, 1);
}

#[test]
fn skipped_directories_are_not_entered() {
    let scratch = sample();
    let (paths, _) = visit(&Walk::of(Vec::new()), &scratch, Next::Skip);
    assert!(paths.contains(&"t/many".to_owned()));
    assert!(!paths.iter().any(|path| path.starts_with("t/many/")));
    let mut walk = Walk::of(Vec::new()).operands(vec![scratch.at("t")]).start();
    let mut seen = 0;
    while let Some(entry) = walk.next() {
        seen += 1;
        if *entry.unwrap().name() == *"many" {
            walk.skip();
        }
    }
    assert_eq!(seen, paths.len());
}

#[test]
fn a_stopped_walk_begins_no_operand() {
    let scratch = Scratch::new();
    let operands: Vec<PathBuf> = (0..4).map(|number| scratch.at(format!("{number}"))).collect();
    for number in 0..4 {
        scratch.dir(format!("{number}/many"));
    }
    let (paths, summary) = collect(&Walk::new(operands), Next::Stop);
    assert_eq!(summary.entries, 2, "{paths:?}");
    assert!(summary.stopped);
}

#[test]
fn cancelled_walk_ends_on_every_thread() {
    const ENOUGH: usize = 6_000;
    let scratch = Scratch::new();
    for number in 0..4_000 {
        scratch.dir(format!("t/{}/{number}/x", number % 4));
    }
    for threads in [1, 2, 4, 8] {
        let (cancel, entries) = (Cancel::new(), AtomicUsize::new(0));
        let walk = Walk::new(scratch.at("t")).fields(Fields::SIZE);
        let walk = walk.threads(Threads::AtMost(threads)).cancel(&cancel);
        let summary = walk.visit(|entry| {
            entry.unwrap();
            if entries.fetch_add(1, Ordering::Relaxed) == ENOUGH {
                cancel.cancel();
            }
        });
        assert!(summary.stopped);
        assert_eq!(summary.threads, threads);
        // Each worker may have visited one more entry after the cancellation.
        let entries = entries.into_inner();
        assert!((ENOUGH..=ENOUGH + 1 + threads).contains(&entries), "{threads}: {entries}");
    }
}

#[test]
fn entries_have_their_path_below_the_operand() {
    let scratch = Scratch::new();
    scratch.file("t/a/file");
    let mut operand = scratch.at("t").into_os_string();
    operand.push(std::path::MAIN_SEPARATOR_STR);
    for operand in [scratch.at("t"), operand.into()] {
        let (walk, mut below) = (Walk::new(operand), Vec::new());
        let mut walking = walk.start();
        while let Some(entry) = walking.next() {
            below.push(entry.unwrap().relative_path().into_owned());
        }
        assert_eq!(below, [PathBuf::new(), "a".into(), Path::new("a").join("file")]);
    }
}
