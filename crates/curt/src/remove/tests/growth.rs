//! The clock of the in-memory filesystem advances with each call.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::in_memory::{FIXED, remain_reason, remove};
use super::operands;
use crate::control::Cancel;
use crate::error::RemainReason;
use crate::remove::{DirectoryOperands, Remove, Threads};
use crate::sys::fault::Faults;
use crate::sys::memory::{Ending, Setup, World};

fn options() -> Remove<'static> {
    Remove::new().retries(1_000_000, Duration::from_millis(10))
}

fn hard_links(world: &mut World, directory: &str, names: usize) {
    for number in 0..names {
        let name = format!("{directory}/{number}");
        if number % 100 == 0 {
            world.file(name);
        } else {
            world.hard_link(&format!("{directory}/{}", number - number % 100), name);
        }
    }
}

#[test]
fn entries_added_to_contents_are_removed_too() {
    for call in 0..30 {
        let mut world = World::new();
        for number in 0..10 {
            world.file(format!("tree/{number}"));
        }
        world.after(call, |world| {
            world.intrude("tree");
        });
        let setup = Setup::new(world);
        let options =
            options().threads(Threads::AtMost(1)).directories(DirectoryOperands::Contents);
        let report = remove(&options, &setup);
        assert!(report.is_complete(), "before call {call}: {report:?}");
        let left = setup.world(|world| world.list("tree").len() as u64);
        assert!(left == 0 || report.files == 10, "before call {call}: {report:?}");
    }
}

/// Each call finds one new entry. Creation times do not reveal this, because a hard link has the
/// creation time of its file.
#[test]
fn listing_that_grows_as_fast_as_it_is_read_is_left() {
    for (contents, watched, links) in
        [(false, false, true), (false, true, false), (true, false, false), (true, true, true)]
    {
        let mut world = World::new();
        (world.rules.page, world.rules.call_time) = (1, Duration::from_millis(1));
        world.file("tree/file").file("old");
        let mut calls = 0_u64;
        world.before_each_call(move |world| {
            calls += 1;
            assert!(calls < 2_000_000, "it does not end");
            if calls % 2 == 0 && links {
                world.hard_link("old", format!("tree/{calls}"));
            } else if calls % 2 == 0 {
                world.intrude("tree");
            }
        });
        let setup = Setup::new(world);
        let options = options().threads(Threads::AtMost(1)).directories(operands(contents));
        let options = if watched { options.on_removed(|_, _| ()) } else { options };
        let report = remove(&options, &setup);
        assert_eq!(remain_reason(&report), RemainReason::BeingWrittenTo);
        assert!(report.appeared > 0 || contents, "{report:?}");
        assert!(setup.world(|world| world.calls_made()) < 10_000);
    }
}

#[test]
fn directories_made_for_ever_are_one_error() {
    for form in ["wide", "full", "deep", "both", "bushes"] {
        for (threads, contents) in [(1, false), (8, true)] {
            let mut world = World::new();
            world.rules.page = 50;
            world.dir("tree/a/old").dir("tree/b").file("tree/c/file");
            let mut calls = 0_u64;
            world.before_each_call(move |world| {
                calls += 1;
                assert!(calls < 2_000_000, "it does not end");
                if form == "deep" || form == "both" {
                    world.deepen("tree/a/old");
                }
                if !world.exists("tree/a/old") {
                    return;
                }
                if form == "wide" || form == "both" {
                    world.dir(format!("tree/a/old/{calls}"));
                }
                if form == "full" && calls % 2_000 == 1 {
                    for number in 0..3_000 {
                        world.file(format!("tree/a/old/{calls}/{number}"));
                    }
                }
                if form == "bushes" {
                    world
                        .dir(format!("tree/a/old/{calls}/x/y"))
                        .dir(format!("tree/a/old/{calls}/z"));
                }
            });
            let setup = Setup::new(world);
            let options = options().retries(1_000, Duration::from_millis(2));
            let options = options.threads(Threads::AtMost(threads)).directories(operands(contents));
            let report = remove(&options, &setup);
            let about = format!("{form}, {threads} threads, contents {contents}: {report:?}");
            assert_eq!(remain_reason(&report), RemainReason::BeingWrittenTo, "{about}");
            assert_eq!(report.errors[0].kind(), std::io::ErrorKind::DirectoryNotEmpty, "{about}");
            if form == "deep" || form == "both" {
                let (path, old) = (report.errors[0].path(), Path::new("tree/a/old"));
                assert!(old.starts_with(path) || threads > 1 && path.starts_with(old), "{about}");
                continue;
            }
            assert_eq!(report.errors[0].path(), PathBuf::from("tree/a/old"), "{about}");
            let left = setup.world(|world| world.list("tree"));
            assert!(left.iter().all(|line| line[2..].starts_with('a')), "{about} {left:?}");
        }
    }
}

#[test]
fn old_entries_are_not_taken_for_new_ones() {
    for (threads, contents, added) in
        [(1, false, 0), (1, true, 0), (8, false, 0), (8, true, 0), (1, false, 2), (8, true, 2)]
    {
        let mut world = World::new();
        world.dir(format!("tree/deep/{}", "d/".repeat(5_000)));
        hard_links(&mut world, "tree/flat", 20_000);
        for number in 0..5_000 {
            world.file(format!("tree/wide/{number}/file"));
        }
        if added > 0 {
            world.after(30_000, |world| _ = world.intrude("tree/flat").intrude("tree/wide"));
        }
        let setup = Setup::new(world);
        let options = options().retries(added, Duration::from_millis(1));
        let options = options.threads(Threads::AtMost(threads)).directories(operands(contents));
        let options = if threads == 1 { options } else { options.on_removed(|_, _| ()) };
        let report = remove(&options, &setup);
        assert!(report.is_complete(), "{report:?}");
        assert_eq!(report.files, 25_000 + u64::from(added), "{report:?}");
        assert!(added > 0 || report.appeared == 0, "{report:?}");
        let (left, clock) = setup.world(|world| (world.exists("tree"), world.clock));
        assert!(left == contents && clock > Duration::from_millis(40), "{clock:?}");
        assert!(!left || setup.world(|world| world.list("tree").is_empty()));
    }
}

#[test]
fn listing_without_kinds_is_removed_or_reported() {
    for threads in [1, 2, 4, 8] {
        for contents in [false, true] {
            for stays in [0, 1, 7] {
                let mut world = World::new();
                (world.rules.kinds, world.rules.page) = (false, 300);
                for number in 0..1_000 {
                    world.file(format!("tree/f{number}")).dir(format!("tree/d{number}/e"));
                }
                for number in 0..stays {
                    let path = format!("tree/f{}", number * 120);
                    world.deny(&path, FIXED);
                }
                let setup = Setup::new(world);
                let options =
                    options().threads(Threads::AtMost(threads)).directories(operands(contents));
                let report = remove(&options, &setup);
                assert_eq!(report.error_count, stays, "{threads}: {report:?}");
                assert_eq!(report.files, 1_000 - stays);
                assert_eq!(report.directories, 2_000 + u64::from(!contents && stays == 0));
                let exists = setup.world(|world| world.exists("tree"));
                assert_eq!(exists, contents || stays > 0);
                if exists {
                    let left = setup.world(|world| world.list("tree"));
                    assert_eq!(left.len() as u64, stays, "{left:?}");
                }
            }
        }
    }
}

#[test]
fn entries_added_before_a_refused_removal_are_removed() {
    let mut world = World::new();
    world.file("tree/stays/file");
    world.rules.ending = Ending::Exact;
    let refused = Faults::default().fail("unlinkat", 1, 13);
    let setup = Setup::new(world).with_faults(refused);
    let options = Remove::new().threads(Threads::AtMost(1)).on_removed(|path, _| {
        if path.ends_with("file") {
            setup.world(|world| _ = world.intrude("tree/stays"));
        }
    });
    let report = remove(&options, &setup);
    assert_eq!(report.error_count, 1, "{report:?}");
    assert_eq!(setup.world(|world| world.list("tree")), ["d stays"], "{report:?}");
}

#[test]
fn handed_off_work_stops_when_cancelled() {
    let mut world = World::new();
    world.rules.page = 100_000;
    for number in 0..60_000 {
        world.file(format!("tree/{number}"));
    }
    let setup = Setup::new(world);
    let (cancel, files) = (Cancel::new(), std::sync::OnceLock::new());
    let caller = std::thread::current().id();
    let options = options().threads(Threads::AtMost(2)).cancel(&cancel).on_progress(|totals| {
        if std::thread::current().id() != caller && totals.files > 0 {
            let _ = files.set(totals.files);
            cancel.cancel();
        }
    });
    let report = remove(&options, &setup);
    assert!(report.stopped && report.threads == 2, "{report:?}");
    let later = report.files - files.get().unwrap();
    assert!(later < 10_000, "{later} files were removed after the cancellation");
}
