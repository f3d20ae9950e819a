use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Seen, Step, each_step, plan, walk_with};
use crate::calls::Calls;
use crate::control::{Cancel, Next, Threads};
use crate::error::{Cause, Error};
use crate::fields::Fields;
use crate::filters::IgnoreRules;
use crate::sys::memory::play::{INTRUSIONS, TARGETS, setup};
use crate::sys::memory::{Denied, Ending, Memory, Order, Setup, World};
use crate::tree::Stop;
use crate::walk::{Visited, Walk};

fn walk(options: &Walk<'_>, setup: &Setup) -> Seen {
    let seen = walk_with::<Memory>(setup, options, Path::new(""), Path::new("tree"));
    setup.world(|world| world.assert_unharmed());
    seen
}

fn walks() -> [Walk<'static>; 4] {
    [
        plan(),
        plan().sort_by_name(true),
        plan().contents_first(true),
        Walk::of(Vec::new()).fields(Fields::SIZE).sort_by_name(true).contents_first(true),
    ]
}

const ALL: usize = 17;

#[test]
fn every_kind_of_listing_is_read_to_its_end() {
    for order in [Order::Created, Order::Reversed, Order::ByName, Order::Hashed, Order::Slots] {
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
fn rules_apply_where_listings_have_no_kinds() {
    for kinds in [true, false] {
        for walk_of in [plan(), plan().sort_by_name(true)] {
            let setup = setup(|world| {
                world.dir("tree/.hidden").file("tree/.hidden/x");
                world.rules.kinds = kinds;
            });
            let seen = walk(&walk_of.ignore(IgnoreRules::new()), &setup);
            assert_eq!((seen.errors.len(), seen.entries.len()), (0, ALL), "{:?}", seen.paths());
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
    for (what, intrusion) in INTRUSIONS {
        for place in TARGETS {
            for call in 0..calls {
                for walk_of in walks() {
                    let setup = setup(|world| {
                        world.after(call, move |world| intrusion(world, place));
                    });
                    let seen = walk(&walk_of, &setup);
                    let case = format!("somebody {what}, {place}, before call {call}");
                    assert_only_lost_at(place, &seen, &all, &case);
                }
            }
        }
    }
}

/// Asserts that every entry outside `place` was yielded once, and that all errors are about
/// `place`.
fn assert_only_lost_at(place: &str, seen: &Seen, all: &[String], case: &str) {
    for error in &seen.errors {
        assert!(error.path().starts_with(place), "{case}: {error}");
    }
    let is_elsewhere = |path: &&str| !path.starts_with(place);
    let all = all.iter().map(String::as_str);
    let kept: Vec<&str> = seen.sorted().into_iter().filter(is_elsewhere).collect();
    let expected: BTreeSet<&str> = all.clone().filter(is_elsewhere).collect();
    assert!(kept.iter().eq(&expected), "{case}: {kept:?}");
    for path in seen.paths().into_iter().filter(|path| path.starts_with(place)) {
        let is_new = case.contains("adds a file");
        assert!(is_new || all.clone().any(|known| known == path), "{case}: {path}");
    }
}

fn visit(options: &Walk<'_>, threads: usize, setup: &Setup) -> Seen {
    let walk = options.clone().operands(vec!["tree".into()]).threads(Threads::AtMost(threads));
    let mut seen = Seen { entries: Vec::new(), errors: Vec::new(), calls: Calls::default() };
    let note = |entry: Result<Visited<'_>, Error>, chunk: &mut Vec<_>| {
        chunk.push(
            entry.map(|entry| (entry.path().display().to_string(), entry.kind(), entry.depth())),
        );
        Next::Continue
    };
    let take = |chunk: &mut Vec<_>| {
        for noted in chunk.drain(..) {
            match noted {
                Ok(entry) => seen.entries.push(entry),
                Err(error) => seen.errors.push(error),
            }
        }
    };
    let summary =
        walk.visit_in_chunks::<Memory, _>(setup, &Stop::new(walk.cancel, None), note, take);
    assert!(!summary.stopped && summary.threads <= threads);
    setup.world(|world| world.assert_unharmed());
    seen
}

fn large(change: impl FnOnce(&mut World)) -> Setup {
    setup(|world| {
        for number in 0..150 {
            world.file(format!("tree/many/{number}/file"));
        }
        change(world);
    })
}

#[test]
fn changes_before_any_call_lose_nothing_elsewhere_with_several_threads() {
    let quiet = large(|_| {});
    let expected = walk(&plan().sort_by_name(true), &quiet);
    let all: Vec<String> = expected.paths().into_iter().map(str::to_owned).collect();
    let calls = quiet.world(|world| world.calls_made());
    for walk_of in [plan(), plan().sort_by_name(true)] {
        for threads in [2, 3] {
            let mut seen = visit(&walk_of, threads, &large(|_| {}));
            if !walk_of.settings.is_sorted {
                seen.entries.sort();
            }
            assert!(seen.errors.is_empty(), "{:?}", seen.errors);
            assert!(seen.paths().iter().copied().eq(expected.paths()), "{threads} threads");
            for (what, intrusion) in INTRUSIONS {
                for place in ["tree/a/b", "tree/e", "tree/many", "tree/many/90"] {
                    for call in (0..calls).step_by(197) {
                        let setup = large(|world| {
                            world.after(call, move |world| intrusion(world, place));
                        });
                        let seen = visit(&walk_of, threads, &setup);
                        let case = format!("{threads}: somebody {what}, {place}, before {call}");
                        assert_only_lost_at(place, &seen, &all, &case);
                    }
                }
            }
        }
    }
}

#[test]
fn a_walk_stops_between_two_calls_of_a_listing() {
    for walk_of in walks() {
        let setup = setup(|world| {
            world.rules.page = 1;
            for number in 0..1_000 {
                world.file(format!("tree/{number}"));
            }
        });
        let cancel: &'static Cancel = Box::leak(Box::default());
        setup.world(|world| {
            world.after(50, |_| cancel.cancel());
        });
        let seen = walk(&walk_of.cancel(cancel), &setup);
        assert!((50..=55).contains(&seen.calls.total()), "{:?}", seen.calls);
    }
}

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
            let most = setup.world(|world| world.max_open);
            // If a walk needs each directory only once, it closes the directory when it enters the
            // next one.
            let is_plain = !walk_of.settings.contents_first && !walk_of.settings.is_sorted;
            assert_eq!(most, if is_plain { 3 } else { descriptors }, "{descriptors}");
        }
    }
}

const NUMBERED: Fields = Fields::ID.union(Fields::KIND);

fn numbers(options: &Walk<'_>, more: Fields) -> BTreeMap<String, Option<u128>> {
    let setup = setup(|world| {
        world.mount("tree/a/b", 2).mount("tree/empty", 1);
    });
    let (mut cursor, mut numbers) = (options.cursor::<Memory>(&setup), BTreeMap::new());
    each_step(&mut cursor, options, Path::new("tree"), |cursor, step| {
        assert!(matches!(step, Step::Entry));
        let mut entry = cursor.entry();
        let path = entry.path().display().to_string();
        numbers.insert(path, entry.fetch(more).id().known());
    });
    numbers
}

/// Listings have the file number of the directory hidden under a mount.
#[test]
fn file_number_does_not_depend_on_other_fields() {
    let expected = numbers(&plan().fields(Fields::ALL), Fields::NONE);
    assert!(expected.len() == ALL && expected.values().all(Option::is_some));
    for walk_of in walks() {
        for fields in [Fields::SIZE, Fields::DEVICE, Fields::NAME, Fields::NONE] {
            let (all, some) = (NUMBERED | fields, walk_of.clone().fields(fields));
            assert_eq!(numbers(&walk_of.clone().fields(all), Fields::NONE), expected, "{fields}");
            assert_eq!(numbers(&some, NUMBERED), expected, "{fields} were asked before");
            assert_eq!(numbers(&some, all), expected, "{fields}");
        }
    }
}

#[test]
fn fetching_more_hides_nothing_that_was_known() {
    let deep = |world: &mut World| {
        for level in 0..30 {
            world.file(format!("tree/{}z", "d/".repeat(level)));
        }
    };
    let more = Fields::KIND | Fields::ID | Fields::SIZE | Fields::LINKS | Fields::CREATED;
    for walk_of in walks() {
        let options = walk_of.descriptors(8);
        let mut failed = 0;
        for call in (0..200).step_by(3) {
            let setup = setup(|world| {
                deep(world);
                world.after(call, |world| {
                    world.rename("tree/d/d/d", "elsewhere");
                });
            });
            let mut cursor = options.cursor::<Memory>(&setup);
            each_step(&mut cursor, &options, Path::new("tree"), |cursor, step| {
                if let Step::Entry = step {
                    let mut entry = cursor.entry();
                    let known = (entry.kind(), entry.metadata().size().known());
                    let fetched = entry.fetch(more);
                    assert_eq!(fetched.kind(), known.0, "before call {call}");
                    let size = fetched.size().known();
                    assert!(known.1.is_none() || size == known.1, "before call {call}");
                    failed += fetched.failures().count();
                }
            });
        }
        assert!(failed > 0 || !options.settings.contents_first, "{failed}");
    }
}

fn delete(setup: &Setup) -> Vec<Error> {
    let (options, mut errors) = (plan().contents_first(true), Vec::new());
    let mut cursor = options.cursor::<Memory>(setup);
    each_step(&mut cursor, &options, Path::new("tree"), |cursor, step| {
        errors.extend(match step {
            Step::Entry => cursor.entry().remove().err(),
            Step::Error(error) => Some(error),
            Step::ResultsOf(_) => unreachable!("no worker took a part"),
        });
    });
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
        // A change after the last check of the name cannot be detected.
        if setup.world(|world| world.exists("elsewhere")) && call + 4 < calls {
            assert!(setup.world(|world| world.exists("tree")), "before call {call}: {errors:?}");
            assert_eq!(errors.len(), 1, "before call {call}: {errors:?}");
            assert!(matches!(errors[0].cause(), Cause::Replaced), "before call {call}: {errors:?}");
            replaced += 1;
        }
    }
    assert!(replaced > 10, "{replaced}");
}

#[test]
fn what_is_known_of_a_directory_is_not_said_of_the_next_entry() {
    for walk_of in walks() {
        let setup = setup(|world| {
            world.dir("tree/b").mount("tree/c", 2).file("tree/c/file");
        });
        let options = walk_of.same_file_system(true).dry_run(true);
        let (mut cursor, mut seen) = (options.cursor::<Memory>(&setup), Vec::new());
        each_step(&mut cursor, &options, Path::new("tree"), |cursor, step| {
            assert!(matches!(step, Step::Entry));
            let mut entry = cursor.entry();
            let path = entry.path().display().to_string();
            let is_empty = entry.kind().is_dir().then(|| entry.is_empty().unwrap());
            let removed = entry.remove().map_err(|error| error.kind());
            assert_eq!(removed.is_ok(), is_empty.unwrap_or(true), "{path}: {removed:?}");
            if is_empty == Some(true) || entry.is_boundary() {
                seen.push((path, entry.is_boundary()));
            }
        });
        seen.sort();
        let late = ["a", "a/b", "a/b/c", "a/b/c/d", "b", "c", "e", "e/f", "empty"];
        let names = if options.settings.contents_first { &late[..] } else { &["b", "empty"] };
        let is_boundary = |name: &&str| (format!("tree/{name}"), *name == "c");
        assert_eq!(seen, names.iter().map(is_boundary).collect::<Vec<_>>());
    }
}

#[test]
fn replacement_of_an_operand_is_not_taken_for_empty() {
    let (setup, options) = (setup(|_| {}), plan().contents_first(true));
    let mut cursor = options.cursor::<Memory>(&setup);
    each_step(&mut cursor, &options, Path::new("tree"), |cursor, _| {
        if cursor.entry().depth() == 0 {
            assert!(!cursor.entry().is_empty().unwrap());
            setup.world(|world| {
                world.rename("tree", "elsewhere").dir("tree");
            });
            let error = cursor.entry().is_empty().unwrap_err();
            assert!(matches!(error.cause(), Cause::Replaced), "{error}");
        }
    });
}
