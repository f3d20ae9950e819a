//! Walks of the file system in memory: listings of every kind, and trees that change meanwhile.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Cursor, Seen, Step, plan, walk_with};
use crate::error::{Cause, Error};
use crate::fields::Fields;
use crate::sys::Sys;
use crate::sys::memory::play::{DEEDS, PLACES, setup};
use crate::sys::memory::{Denied, Ending, Memory, Order as Listed, Setup};
use crate::walk::{Order, Walk};

fn walk(options: &Walk<'_>, setup: &Setup) -> Seen {
    let seen = walk_with::<Memory>(setup, options, Path::new(""), Path::new("tree"));
    setup.world(|world| {
        world.assert_canary_lives();
        assert_eq!(world.open_now(), 0, "a directory was left open");
    });
    seen
}

fn walks() -> [Walk<'static>; 4] {
    [
        plan(),
        plan().sort(Order::default()),
        plan().contents_first(true),
        Walk::of(Vec::new()).fields(Fields::SIZE).sort(Order::default()).contents_first(true),
    ]
}

const ALL: usize = 17;

#[test]
fn every_kind_of_listing_is_read_to_its_end() {
    for order in [Listed::Created, Listed::Reversed, Listed::ByName, Listed::Hashed, Listed::Slots]
    {
        for ending in [Ending::Empty, Ending::Exact] {
            for (page, given) in [(1000, usize::MAX), (1, usize::MAX), (10, 2), (3, 3)] {
                for kinds in [true, false] {
                    for walk_of in walks() {
                        let setup = setup(|world| {
                            (world.rules.order, world.rules.ending) = (order, ending);
                            (world.rules.page, world.rules.given) = (page, given);
                            world.rules.kinds = kinds;
                        });
                        let seen = walk(&walk_of.descriptors(8), &setup);
                        let case = format!("{order:?} {ending:?} {page} {given} {kinds}");
                        assert!(seen.errors.is_empty(), "{case}: {:?}", seen.errors);
                        assert_eq!(seen.entries.len(), ALL, "{case}");
                        let yielded: BTreeSet<&str> = seen.paths().into_iter().collect();
                        assert_eq!(yielded.len(), ALL, "{case}: yielded twice");
                    }
                }
            }
        }
    }
}

#[test]
fn directory_that_may_not_be_listed_is_one_error() {
    for walk_of in walks() {
        let setup = setup(|world| {
            world.deny("tree/a/b", Denied { list: true, ..Denied::default() });
        });
        let seen = walk(&walk_of, &setup);
        assert_eq!(seen.errors.len(), 1, "{:?}", seen.errors);
        assert_eq!(seen.errors[0].path(), Path::new("tree/a/b"));
        assert_eq!(seen.entries.len(), ALL - 5, "{:?}", seen.paths());
        assert!(seen.paths().contains(&"tree/a/b"), "the directory itself is yielded");
    }
}

#[test]
fn changes_before_any_call_lose_nothing_elsewhere() {
    let quiet = setup(|_| {});
    let all: Vec<String> = walk(&plan(), &quiet).paths().into_iter().map(str::to_owned).collect();
    let calls = quiet.world(|world| world.calls_made());
    for (what, deed) in DEEDS {
        for place in PLACES {
            for call in 0..calls {
                for walk_of in walks() {
                    let setup = setup(|world| {
                        world.after(call, move |world| deed(world, place));
                    });
                    let seen = walk(&walk_of, &setup);
                    let case = format!("somebody {what}, {place}, before call {call}");
                    // Only the place that was changed may lack entries, and then an error says so.
                    // (A directory that replaces another may be listed besides it.)
                    for error in &seen.errors {
                        assert!(error.path().starts_with(place), "{case}: {error}");
                    }
                    for path in seen.paths() {
                        let is_new = what == "adds a file to it" && path.starts_with(place);
                        assert!(is_new || all.iter().any(|known| known == path), "{case}: {path}");
                    }
                    let is_elsewhere = |path: &&String| !path.starts_with(place);
                    for path in all.iter().filter(is_elsewhere) {
                        assert!(seen.paths().contains(&path.as_str()), "{case}: {path} is missing");
                    }
                }
            }
        }
    }
}

/// A sorted walk, and one with rules, read a whole directory before they yield its first entry.
#[test]
fn a_walk_stops_between_two_calls_of_a_listing() {
    for walk_of in walks() {
        let setup = setup(|world| {
            world.rules.page = 1;
            for number in 0..1_000 {
                world.file(format!("tree/{number}"));
            }
        });
        let mut settings = walk_of.settings.clone();
        settings.descriptors = 8;
        let mut cursor = Cursor::<Memory>::new(Memory::start(&walk_of.setup(&setup)), settings);
        let stop = |sys: &Memory| sys.calls().total() >= 50;
        let mut step = cursor.begin(Path::new("tree")).or_else(|| cursor.next(stop, None));
        while step.is_some() {
            step = cursor.next(stop, None);
        }
        cursor.abandon();
        let calls = cursor.asker.sys.calls();
        assert!((50..=55).contains(&calls.total()), "{calls:?}");
    }
}

/// The one that is listed, its ancestors and the parent of the operand count.
#[test]
fn a_deep_tree_opens_as_many_directories_as_it_may() {
    for descriptors in [8, 16, 64] {
        for walk_of in walks() {
            let setup = setup(|world| {
                for level in 0..100 {
                    world.dir(format!("tree/{}z", "d/".repeat(level)));
                }
            });
            walk(&walk_of.clone().descriptors(descriptors), &setup);
            let most = setup.world(|world| world.most_open);
            // A walk that needs no directory twice closes each as it enters the next one.
            let is_plain = !walk_of.settings.contents_first && walk_of.settings.order.is_none();
            assert_eq!(most, if is_plain { 3 } else { descriptors }, "{descriptors}");
        }
    }
}

/// Removes every entry of the tree as a walk yields it, and returns the errors.
fn delete(setup: &Setup) -> Vec<Error> {
    let options = plan().contents_first(true);
    let sys = Memory::start(&options.setup(setup));
    let mut settings = options.settings.clone();
    settings.descriptors = options.descriptor_budget(&sys);
    let mut cursor = Cursor::<Memory>::new(sys, settings);
    let mut errors = Vec::new();
    let mut step = cursor
        .begin(Path::new("tree"))
        .or_else(|| cursor.next(|_| false, options.exclude.as_ref()));
    while let Some(now) = step {
        errors.extend(match now {
            Step::Entry(_) => cursor.remove().err(),
            Step::Error(error) => Some(error),
            Step::ResultsOf(_) => unreachable!("no worker took a part"),
        });
        step = cursor.next(|_| false, options.exclude.as_ref());
    }
    errors
}

#[test]
fn replacement_of_an_operand_is_left() {
    let quiet = setup(|_| {});
    assert!(delete(&quiet).is_empty());
    assert!(!quiet.world(|world| world.exists("tree")));
    let calls = quiet.world(|world| world.calls_made());
    let mut replaced = 0;
    for call in 5..calls {
        let setup = setup(|world| {
            world.after(call, |world| {
                if world.exists("tree") {
                    world.rename("tree", "elsewhere").dir("tree");
                }
            });
        });
        let errors = delete(&setup);
        // A change between the last look and the removal itself cannot be noticed.
        if setup.world(|world| world.exists("elsewhere")) && call + 4 < calls {
            assert!(setup.world(|world| world.exists("tree")), "before call {call}: {errors:?}");
            assert_eq!(errors.len(), 1, "before call {call}: {errors:?}");
            assert!(matches!(errors[0].cause(), Cause::Replaced), "before call {call}: {errors:?}");
            replaced += 1;
        }
    }
    assert!(replaced > 10, "{replaced}");
}
