//! The algorithm on the file system in memory: listings that no real system gives on demand, and
//! races that happen between exactly two calls, for every two.

use std::path::PathBuf;
use std::time::Duration;

use super::remove_on;
use crate::error::Cause;
use crate::remove::{Remove, Report, Threads};
use crate::sys::memory::{Denied, Ending, Memory, Order, Positions, Setup, World};

fn options() -> Remove<'static> {
    Remove::new()
        .threads(Threads::AtMost(1))
        .retries(3, Duration::from_millis(20))
}

fn remove_top(options: &Remove<'_>, setup: &Setup) -> Report {
    remove_on::<Memory>(options, setup, &[PathBuf::from("top")])
}

/// A tree of 6 directories and 8 files, some of them links to the canary.
fn tree() -> World {
    let mut world = World::new();
    world.file("top/a/b/c/file").file("top/a/b/file");
    world.file("top/a/one").file("top/a/two").file("top/z/last");
    world.link("top/a/b/link", "../../../canary");
    world
        .link("top/link", "/canary")
        .link("top/z/link", "../../canary/song");
    world.dir("top/a/empty");
    world
}

fn causes(report: &Report) -> Vec<String> {
    report.errors.iter().map(ToString::to_string).collect()
}

/// Removes the tree while something happens after the nth call, for every n that there is.
fn at_every_call(
    happens: impl Fn(&mut World) + Copy + Send + 'static,
    check: impl Fn(&World, &Report),
) {
    for n in 0.. {
        let mut world = tree();
        world.after(n, happens);
        let setup = Setup::new(world);
        let report = remove_top(&options(), &setup);
        let over = setup.world(|world| {
            world.assert_canary_lives();
            assert_eq!(world.open_now(), 0, "after {n} calls");
            check(world, &report);
            world.calls_made() < n
        });
        if over {
            assert!(n > 20, "there are more calls than that");
            return;
        }
    }
}

#[test]
fn every_kind_of_listing_is_removed() {
    for order in [
        Order::Created,
        Order::Reversed,
        Order::ByName,
        Order::Hashed,
        Order::Slots,
    ] {
        for ending in [Ending::Guessed, Ending::Exact] {
            for positions in [Positions::Stable, Positions::Counted] {
                for (given, kinds) in [(usize::MAX, true), (7, true), (100, false), (1, true)] {
                    let mut world = tree();
                    world.rules.order = order;
                    world.rules.ending = ending;
                    world.rules.positions = positions;
                    (world.rules.given, world.rules.kinds) = (given, kinds);
                    world.rules.page = 100;
                    let mut world = rebuilt(world);
                    world.dir("kept");
                    let setup = Setup::new(world);
                    let report = remove_top(&options(), &setup);
                    let case = (order, ending, positions, given, kinds);
                    assert_eq!(causes(&report), [""; 0], "{case:?}");
                    setup.world(|world| {
                        assert!(!world.exists("top") && world.exists("kept"), "{case:?}");
                        world.assert_canary_lives();
                        assert_eq!(world.open_now(), 0);
                    });
                }
            }
        }
    }
}

/// Adds 450 entries, every tenth a directory with a file.
fn rebuilt(mut world: World) -> World {
    for index in 0..450 {
        if index % 10 == 0 {
            world.file(format!("top/many/{index}/file"));
        } else {
            world.file(format!("top/many/{index}"));
        }
    }
    world
}

#[test]
fn a_directory_swapped_for_a_link_leads_nowhere() {
    for path in ["top/a", "top/a/b", "top/z", "top"] {
        at_every_call(
            move |world| _ = world.swap_for_link(path, "/canary"),
            |world, _| assert!(world.exists("canary/nest/egg")),
        );
    }
}

#[test]
fn what_vanishes_is_no_error() {
    for path in ["top/a", "top/a/b", "top/a/b/c", "top/a/one", "top/z"] {
        at_every_call(
            move |world| _ = world.vanish(path),
            |world, report| {
                assert_eq!(causes(report), [""; 0]);
                assert!(!world.exists("top"));
            },
        );
    }
}

#[test]
fn a_directory_moved_away_takes_nothing_else_with_it() {
    for path in ["top/a", "top/a/b", "top/a/b/c"] {
        at_every_call(
            move |world| _ = world.rename(path, "elsewhere/moved"),
            |world, _| assert!(!world.exists("top")),
        );
    }
}

#[test]
fn somebody_who_writes_for_ever_is_named() {
    for path in ["top", "top/a/b"] {
        let mut world = tree();
        world.before_each_call(move |world| _ = world.intrude(path));
        let setup = Setup::new(world);
        let report = remove_top(&options(), &setup);
        let named = |cause: &Cause| matches!(cause, Cause::BeingWrittenTo);
        assert!(
            report.errors.iter().any(|error| named(error.cause())),
            "{:?}",
            causes(&report)
        );
        setup.world(|world| assert!(world.calls_made() < 100_000));
    }
}

#[test]
fn mounts_stay_unless_crossing_was_asked_for() {
    for device in [1, 2] {
        let mut world = tree();
        world
            .mount("top/a/mounted", device)
            .file("top/a/mounted/file");
        let setup = Setup::new(world);
        let report = remove_top(&options(), &setup);
        assert!(
            matches!(report.errors[0].cause(), Cause::MountPoint),
            "{:?}",
            causes(&report)
        );
        setup.world(|world| assert!(world.exists("top/a/mounted/file") && !world.exists("top/z")));

        remove_top(&options().cross_mounts(true), &setup);
        setup.world(|world| {
            // What is mounted can be emptied; the mount point itself is busy.
            assert_eq!(world.list("top"), ["d a", "d a/mounted"]);
        });
    }
}

#[test]
fn a_refusal_keeps_its_directories_and_nothing_else() {
    let mut world = tree();
    let shut = Denied {
        list: true,
        ..Denied::default()
    };
    let held = Denied {
        removal: true,
        ..Denied::default()
    };
    world.deny("top/a/b/c", shut).deny("top/a/one", held);
    let setup = Setup::new(world);
    let report = remove_top(&options(), &setup);
    assert_eq!(report.errors.len(), 2, "{:?}", causes(&report));
    setup.world(|world| {
        let left = ["- a/b/c/file", "- a/one", "d a", "d a/b", "d a/b/c"];
        assert_eq!(world.list("top"), left);
    });
}

#[test]
fn depth_needs_no_more_descriptors_than_there_are() {
    let mut world = World::new();
    world.dir(format!("top/{}", "deep/".repeat(1000)));
    world.rules.descriptors = 12;
    let setup = Setup::new(world);
    let report = remove_top(&options(), &setup);
    assert_eq!(causes(&report), [""; 0]);
    setup.world(|world| {
        assert!(!world.exists("top"));
        assert!(world.most_open <= 12 && world.open_now() == 0);
        assert!(world.calls_made() < 8000, "{}", world.calls_made());
    });
}
