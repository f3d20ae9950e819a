//! Removal in little memory, on the file system in memory: the same result as the other, whatever
//! the listing, whatever fails, whatever happens meanwhile.

use std::path::{Path, PathBuf};

use super::remove_on;
use crate::error::Cause;
use crate::remove::small::{Buffers, Outline, Small};
use crate::remove::{Remove, Threads};
use crate::sys::fault::Faults;
use crate::sys::memory::{Denied, Ending, Memory, Order, Positions, Setup, World};

fn remove(setup: &Setup) -> Outline {
    let outline = Small::<Memory>::remove(Path::new("tree"), setup, &mut Buffers::new(0));
    setup.world(|world| {
        world.assert_canary_lives();
        assert_eq!(world.open_now(), 0, "a directory was left open");
        assert!(world.most_open <= 4, "the parent, and three: {}", world.most_open);
    });
    let left = setup.world(|world| world.exists("tree"));
    assert_eq!(outline.failed == 0, !left, "{outline:?}");
    assert_eq!(outline.failed == 0, outline.first.is_none(), "{outline:?}");
    outline
}

/// 10 files and links, 9 directories.
fn tree(world: &mut World) {
    for file in ["a/b/c/d/file", "a/b/c/x", "a/b/y", "a/z", "e/1", "e/2", "e/f/g/3", "top", "u"] {
        world.file(format!("tree/{file}"));
    }
    world.link("tree/e/link", "/canary").dir("tree/empty");
}

fn setup(change: impl FnOnce(&mut World)) -> Setup {
    let mut world = World::new();
    tree(&mut world);
    change(&mut world);
    Setup::new(world)
}

/// Renames that are refused: as between file systems, or without permission.
fn unmovable(setup: Setup, errno: i32) -> Setup {
    let faults =
        (0..2_000).fold(Faults::default(), |faults, nth| faults.fail("renameat2", nth, errno));
    setup.with_faults(faults)
}

#[test]
fn every_kind_of_listing() {
    for order in [Order::Created, Order::Reversed, Order::ByName, Order::Hashed, Order::Slots] {
        for ending in [Ending::Guessed, Ending::Exact] {
            for positions in [Positions::default(), Positions::Counted] {
                for (page, given) in [(1000, usize::MAX), (1, usize::MAX), (10, 2), (3, 3)] {
                    for kinds in [true, false] {
                        for errno in [0, 1, 18] {
                            let setup = setup(|world| {
                                (world.rules.order, world.rules.ending) = (order, ending);
                                (world.rules.page, world.rules.given) = (page, given);
                                (world.rules.positions, world.rules.kinds) = (positions, kinds);
                            });
                            let setup = if errno == 0 { setup } else { unmovable(setup, errno) };
                            let outline = remove(&setup);
                            assert!(outline.failed == 0, "{order:?} {page} {errno}: {outline:?}");
                            let totals = outline.totals;
                            assert_eq!((totals.files, totals.directories), (10, 9));
                        }
                    }
                }
            }
        }
    }
}

/// As long as directories can be moved, all goes that can go, and each failure counts once.
#[test]
fn what_fails_is_left_by_both_ways_of_removal() {
    let denied = |list, change, removal| Denied { list, change, removal, write: false };
    for place in ["tree/a/b/c/x", "tree/e/1", "tree/top", "tree/empty", "tree/e/f/g/3"] {
        for other in ["tree/a/b/c/d/file", "tree/a/z", "tree/u"] {
            for order in [Order::ByName, Order::Reversed] {
                let change = |world: &mut World| {
                    (world.rules.order, world.rules.page) = (order, 2);
                    for path in [place, other] {
                        world.deny(path, denied(false, false, true));
                    }
                };
                let (one, two) = (setup(change), setup(change));
                let outline = remove(&one);
                let options = Remove::new().threads(Threads::AtMost(1));
                let report = remove_on::<Memory>(&options, &two, &[PathBuf::from("tree")]);
                assert_eq!(outline.failed, report.error_count, "{outline:?} {report:?}");
                assert_eq!(outline.totals.files, report.files);
            }
        }
    }
    // Unreadable, unless it is empty.
    let unread = setup(|world| {
        world.deny("tree/a/b", denied(true, false, false));
        world.deny("tree/empty", denied(true, false, false));
    });
    let outline = remove(&unread);
    assert_eq!((outline.failed, outline.totals.files), (1, 7), "{outline:?}");
}

#[test]
fn mounts_stay_and_the_rest_goes() {
    let setup = setup(|world| {
        world.mount("tree/e/f", 7);
    });
    let outline = remove(&setup);
    assert_eq!(outline.failed, 1, "{outline:?}");
    assert!(matches!(outline.first.as_ref().unwrap().cause(), Cause::MountPoint));
    setup.world(|world| assert!(world.exists("tree/e/f/g/3") && !world.exists("tree/a")));
}

#[test]
fn every_call_fails_once() {
    let calls = {
        let setup = setup(|world| world.rules.page = 3);
        remove(&setup).calls
    };
    for (name, count) in calls.iter() {
        for nth in 0..count {
            for errno in [1, 2, 5, 12, 13, 16, 20, 24, 39, 40] {
                let setup = setup(|world| world.rules.page = 3);
                let faults = Faults::default().fail(name, nth, errno);
                let setup = setup.with_faults(faults);
                let outline =
                    Small::<Memory>::remove(Path::new("tree"), &setup, &mut Buffers::new(0));
                setup.world(|world| {
                    world.assert_canary_lives();
                    assert_eq!(world.open_now(), 0);
                });
                let left = setup.world(|world| world.exists("tree"));
                // (A call that lies about an entry being gone is believed.)
                assert!(
                    errno == 2 || (outline.failed == 0) != left,
                    "{name} {nth} fails with {errno}: {outline:?}"
                );
            }
        }
    }
}

/// Something that an intruder does.
type Deed = fn(&mut World, &str);

const DEEDS: [Deed; 4] = [
    |world, path| {
        world.swap_for_link(path, "/canary");
    },
    |world, path| {
        world.rename(path, path.replace('/', "-"));
    },
    |world, path| {
        world.vanish(path);
    },
    |world, path| {
        world.intrude(path);
    },
];

#[test]
fn whatever_happens_before_whichever_call() {
    for errno in [0, 18] {
        let ready = || {
            let setup = setup(|world| world.rules.page = 3);
            if errno == 0 { setup } else { unmovable(setup, errno) }
        };
        let calls = {
            let setup = ready();
            remove(&setup);
            setup.world(|world| world.calls_made())
        };
        for deed in DEEDS {
            for place in ["tree", "tree/a", "tree/a/b", "tree/a/b/c", "tree/e/f", "tree/empty"] {
                for call in 0..calls {
                    let setup = ready();
                    setup.world(|world| {
                        world.after(call, move |world| deed(world, place));
                    });
                    let outline =
                        Small::<Memory>::remove(Path::new("tree"), &setup, &mut Buffers::new(0));
                    setup.world(|world| {
                        world.assert_canary_lives();
                        assert_eq!(world.open_now(), 0);
                    });
                    assert!(outline.failed <= 1, "{place} before call {call}: {outline:?}");
                }
            }
        }
    }
}

#[test]
fn somebody_who_adds_before_every_call_is_named() {
    for place in ["tree", "tree/a/b"] {
        for errno in [0, 18] {
            let setup = setup(|world| {
                world.rules.call_time = std::time::Duration::from_millis(1);
                world.before_each_call(move |world| {
                    world.intrude(place);
                });
            });
            let setup = if errno == 0 { setup } else { unmovable(setup, errno) };
            let outline = remove(&setup);
            if place == "tree" || errno != 0 {
                assert_eq!(outline.failed, 1, "{outline:?}");
                let cause = outline.first.as_ref().unwrap().cause();
                assert!(matches!(cause, Cause::BeingWrittenTo), "{outline:?}");
            }
        }
    }
}
