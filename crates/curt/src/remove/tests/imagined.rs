use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::in_memory::{chain, remain_reason, remove};
use super::remove_on;
use crate::calls::Calls;
use crate::control::Unvisited;
use crate::error::{Cause, Error, Operation, RemainReason};
use crate::remove::{Confirm, DirectoryOperands, Remove, Threads};
use crate::sys::fault::Faults;
use crate::sys::memory::play::{INTRUSIONS, TARGETS, setup};
use crate::sys::memory::{Denied, Ending, Memory, Order, Positions, Setup, World};

const FILES: u64 = 9;
const DIRECTORIES: u64 = 8;

fn options() -> Remove<'static> {
    let window = Duration::from_millis(10);
    Remove::new().threads(Threads::AtMost(1)).missing_is_fine(true).retries(10, window)
}

#[test]
fn every_kind_of_listing_is_read_to_its_end() {
    for order in [Order::Created, Order::Reversed, Order::ByName, Order::Hashed, Order::Slots] {
        for ending in [Ending::Empty, Ending::Exact] {
            for (page, given) in [(1000, usize::MAX), (1, usize::MAX), (10, 2), (3, 3)] {
                for (kinds, inode_order) in [(true, false), (false, false), (true, true)] {
                    for threads in [1, 3] {
                        let setup = setup(|world| {
                            (world.rules.order, world.rules.ending) = (order, ending);
                            (world.rules.page, world.rules.given) = (page, given);
                            world.rules.kinds = kinds;
                            world.rules.inode_order = inode_order;
                        });
                        let report = remove(&options().threads(Threads::AtMost(threads)), &setup);
                        assert!(report.is_complete(), "{order:?} {ending:?} {page}: {report:?}");
                        assert_eq!((report.files, report.directories), (FILES, DIRECTORIES));
                        assert_eq!((report.appeared, report.vanished), (0, 0), "{report:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_refusal_may_mean_a_directory_where_listings_have_no_kinds() {
    for nth in 0..FILES + DIRECTORIES {
        let mut setup = setup(|world| world.rules.kinds = false);
        let faults = Arc::new(Faults::default().fail("unlinkat", nth, 13));
        setup.faults = Some(faults.clone());
        let report = remove(&options(), &setup);
        assert_eq!(faults.hits(), 1);
        let is_of_directory = |error: &Error| error.operation() == Operation::RemoveDirectory;
        assert!(report.errors.iter().all(is_of_directory), "{nth}: {report:?}");
    }
}

#[test]
fn entries_skipped_by_a_listing_are_found_again() {
    let setup = setup(|world| {
        (world.rules.positions, world.rules.page) = (Positions::Counted, 5);
        for number in 0..500 {
            world.file(format!("tree/many/{number}"));
        }
    });
    let report = remove(&options(), &setup);
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.files, FILES + 500);
}

#[test]
fn any_change_before_any_call_is_survived() {
    for directories in [DirectoryOperands::Recursive, DirectoryOperands::Removable] {
        any_change_is_survived(&options().directories(directories));
    }
}

fn any_change_is_survived(options: &Remove<'_>) {
    let calls = {
        let setup = setup(|_| {});
        assert!(remove(options, &setup).is_complete());
        setup.world(|world| world.calls_made())
    };
    for (what, intrusion) in INTRUSIONS {
        for place in TARGETS {
            for call in 0..calls {
                let setup = setup(|world| {
                    world.after(call, move |world| intrusion(world, place));
                });
                let report = remove(options, &setup);
                let case = format!("{what}, {place}, before call {call}: {report:?}");
                assert!(report.error_count <= 1, "{case}");
                let left = setup.world(|world| world.exists("tree"));
                assert_eq!(report.is_complete(), !left, "{case}");
            }
        }
    }
}

#[test]
fn two_changes_with_few_descriptors_are_survived() {
    for first in 0..40 {
        for second in [1, 5, 17] {
            for (_, one) in INTRUSIONS {
                let (_, two) = INTRUSIONS[(first % 4) as usize];
                let setup = setup(|world| {
                    for level in 0..20 {
                        world.file(format!("tree/{}file", "deep/".repeat(level)));
                    }
                    world.after(first, move |world| one(world, "tree/deep/deep/deep/deep/deep"));
                    world.after(first + second, move |world| two(world, "tree/deep/deep"));
                });
                let report = remove(&options().descriptors(8), &setup);
                assert!(report.error_count <= 2, "{report:?}");
                let left = setup.world(|world| world.exists("tree"));
                assert_eq!(report.is_complete(), !left, "{report:?}");
            }
        }
    }
}

#[test]
fn directory_that_grows_before_every_call_is_reported() {
    for threads in [1, 2] {
        let setup = setup(|world| {
            world.before_each_call(|world| {
                world.intrude("tree/a/b");
            });
        });
        let report = remove(&options().threads(Threads::AtMost(threads)), &setup);
        let reason = remain_reason(&report);
        assert_eq!(reason, RemainReason::BeingWrittenTo, "and nothing for the parents");
        assert!(report.errors[0].path().ends_with("tree/a/b"));
        assert!(report.appeared > 0);
        assert!(setup.world(|world| world.clock) < Duration::from_secs(1));
        assert!(!setup.world(|world| world.exists("tree/e")), "the rest goes");
    }
}

#[test]
fn mounts_are_refused_unless_crossing_is_allowed() {
    for device in [1, 2] {
        let setup = setup(|world| {
            world.mount("tree/a/b", device);
        });
        let report = remove(&options(), &setup);
        assert_eq!(remain_reason(&report), RemainReason::MountPoint);
        assert!(setup.world(|world| world.exists("tree/a/b/c/d/file")));
        let report = remove(&options().same_file_system(false), &setup);
        assert_eq!(report.error_count, 1, "{report:?}");
        assert_eq!(setup.world(|world| world.list("tree")), ["d a", "d a/b"]);
    }
}

/// Runs a removal whose first `unlinkat` fails. Also returns how many entries remain.
fn remove_if_removable(
    operand: &str,
    errno: i32,
    change: impl FnOnce(&mut World),
) -> (Option<(Operation, i32)>, usize, Calls) {
    let faults = Faults::default();
    let faults = if errno == 0 { faults } else { faults.fail("unlinkat", 0, errno) };
    let setup = setup(change).with_faults(faults);
    let options = options().missing_is_fine(false).directories(DirectoryOperands::Removable);
    let report = remove_on::<Memory>(&options, &setup, &[PathBuf::from(operand)]);
    assert!(report.error_count < 2, "{report:?}");
    let error = report.errors.first().map(|error| (error.operation(), error.errno()));
    let left = |world: &mut World| world.exists("tree").then(|| world.list("tree").len());
    (error, setup.world(left).unwrap_or(0), report.calls)
}

#[test]
fn a_directory_that_cannot_be_removed_keeps_everything() {
    use Operation::{Remove, RemoveDirectory, RemoveFile};
    let all = setup(|_| {}).world(|world| world.list("tree").len());
    let run = |operand: &str, errno| remove_if_removable(operand, errno, |_| {});
    let mounted = remove_if_removable("tree", 0, |world| _ = world.mount("tree", 2));
    assert_eq!((mounted.0, mounted.1), (Some((RemoveDirectory, 16)), all));
    for (operand, errno, error, left) in [
        ("tree", 0, None, 0),
        ("tree", 13, Some((RemoveDirectory, 13)), all),
        ("tree", 1, None, 0),
        ("tree/empty/", 0, None, all - 1),
        ("tree/e/1", 0, None, all - 1),
        ("tree/e/1", 13, None, all - 1),
        ("tree/e/1/", 0, Some((Remove, 20)), all),
        ("tree/e/link", 0, None, all - 1),
        ("tree/missing", 0, Some((Remove, 2)), all),
        ("tree/missing", 30, Some((Remove, 2)), all),
    ] {
        let (found, entries, _) = run(operand, errno);
        assert_eq!((found, entries), (error, left), "{operand} {errno}");
    }
    let denied = Denied { change: true, ..Denied::default() };
    let fixed = remove_if_removable("tree/e/1", 0, |world| _ = world.deny("tree/e", denied));
    assert_eq!((fixed.0, fixed.1), (Some((RemoveFile, 13)), all));
    for (target, error) in
        [("../a", (RemoveDirectory, 20)), ("1", (Remove, 20)), ("x", (Remove, 2))]
    {
        let linked = |world: &mut World| _ = world.link("tree/e/to", target);
        let (found, entries, _) = remove_if_removable("tree/e/to/", 0, linked);
        assert_eq!((found, entries), (Some(error), all + 1), "{target}");
    }
    assert_eq!(run("tree/empty", 0).2.of("openat"), 1);
    assert_eq!(run("tree/e/1", 0).2.of("openat"), 1);
}

#[test]
fn an_operand_that_vanishes_is_no_missing_one() {
    let directories = DirectoryOperands::Removable;
    let options = options().missing_is_fine(false).directories(directories);
    let run = |call| {
        let setup = setup(|world| _ = world.after(call, |world| _ = world.vanish("tree")));
        let report = remove(&options, &setup);
        (report.errors.first().map(Error::operation), setup.world(|world| world.calls_made()))
    };
    let steps: Vec<_> = (0..run(u64::MAX).1).map(|call| run(call).0).collect();
    let missing = steps.iter().take_while(|step| **step == Some(Operation::Remove)).count();
    assert!(missing > 0 && missing < steps.len(), "{steps:?}");
    assert!(steps[missing..].iter().all(Option::is_none), "{steps:?}");
}

#[test]
fn nothing_is_crossed_to_another_device_or_mount() {
    let one = options().same_file_system(true);
    for (unreadable, threads) in [(false, 1), (false, 4), (true, 1)] {
        let setup = setup(|world| {
            world.mount("tree/a/b", 2).mount("tree/e", 1).dir("tree/a/next");
            if unreadable {
                world.deny("tree/a/b", Denied { list: true, ..Denied::default() });
            }
        });
        let report = remove(&one.clone().threads(Threads::AtMost(threads)), &setup);
        let mut causes: Vec<_> = report.errors.iter().map(|it| (it.path(), it.cause())).collect();
        causes.sort_by_key(|(path, _)| path.to_owned());
        let [
            (elsewhere, Cause::Remains(RemainReason::OtherFileSystem)),
            (mounted, Cause::Remains(RemainReason::MountPoint)),
        ] = causes[..]
        else {
            panic!("{report:?}");
        };
        assert!(elsewhere.ends_with("tree/a/b") && mounted.ends_with("tree/e"), "{report:?}");
        assert!(setup.world(|world| world.exists("tree/a/b/c/d/file")));
        assert!(setup.world(|world| world.exists("tree/e/1")), "a bind mount is not crossed");
    }
}

/// A directory whose device is unknown is treated like a directory on a different device.
#[test]
fn a_mount_that_cannot_be_queried_is_not_removed() {
    let run = |faults: Faults| {
        let setup = setup(|world| _ = world.mount("tree/a/b", 2)).with_faults(faults);
        let report = remove(&options().same_file_system(true), &setup);
        assert!(setup.world(|world| world.exists("tree/a/b/c/d/file")), "{report:?}");
        report
    };
    for (call, errno) in [("openat", 13), ("statx", 5)] {
        let mut reported = 0;
        for nth in 0..run(Faults::default()).calls.of(call) {
            let report = run(Faults::default().fail(call, nth, errno));
            for error in report.errors.iter().filter(|error| error.path().ends_with("a/b")) {
                let is_elsewhere =
                    matches!(error.cause(), Cause::Remains(RemainReason::OtherFileSystem));
                let is_unknown = call == "statx" && error.raw_os_error() == Some(errno);
                assert!(is_elsewhere || is_unknown, "{report:?}");
                reported += 1;
            }
        }
        assert!(reported > 2, "{reported}");
    }
}

#[test]
fn forbidden_entries_stay_and_the_rest_is_removed() {
    let list = Denied { list: true, ..Denied::default() };
    let setup_unreadable = setup(|world| {
        world.deny("tree/a/b", list).deny("tree/empty", list);
    });
    let report = remove(&options(), &setup_unreadable);
    assert_eq!(report.error_count, 1, "an empty one can be removed unread: {report:?}");
    assert!(report.errors[0].path().ends_with("tree/a/b"), "{report:?}");
    assert_eq!(setup_unreadable.world(|world| world.list("tree").len()), 7);
    setup_unreadable.world(|world| _ = world.dir("tree/shut").deny("tree/shut", list));
    let asking = options().confirm(Confirm::WriteProtected, |_, _| true);
    let report = remove(&asking, &setup_unreadable);
    assert_eq!(report.error_count, 2, "no question is about an unreadable one: {report:?}");

    let change = Denied { change: true, ..Denied::default() };
    let setup_fixed = setup(|world| {
        world.deny("tree/e", change);
    });
    let report = remove(&options(), &setup_fixed);
    assert_eq!(report.error_count, 4, "three entries and a directory: {report:?}");
    let left = ["- e/1", "- e/2", "d e", "d e/f", "l e/link"];
    assert_eq!(setup_fixed.world(|world| world.list("tree")), left);
}

#[test]
fn deep_directories_stay_within_the_budget() {
    for (descriptors, threads) in [(8, 1), (16, 1), (64, 1), (64, 2), (256, 4)] {
        let setup = setup(|world| {
            let mut path = String::from("tree/deep");
            for level in 0..300 {
                world.file(format!("{path}/file"));
                path = format!("{path}/{level}");
            }
        });
        let options = options().descriptors(descriptors).threads(Threads::AtMost(threads));
        let report = remove(&options, &setup);
        assert!(report.is_complete(), "{report:?}");
        let most = setup.world(|world| world.max_open);
        assert!(most <= descriptors, "{descriptors}, {threads} threads: {most}");
        assert!(threads > 1 || most == descriptors, "{descriptors}: {most}");
    }
}

#[test]
fn few_descriptors_are_never_exceeded_and_never_fatal() {
    for descriptors in [6, 8, 12] {
        for threads in [1, 3] {
            let setup = setup(|world| {
                world.rules.descriptors = descriptors;
                for level in 0..50 {
                    world.file(format!("tree/{}file", "deep/".repeat(level)));
                    world.file(format!("tree/{}side/file", "deep/".repeat(level)));
                }
            });
            let options = options().threads(Threads::AtMost(threads));
            let report = remove(&options, &setup);
            if threads == 1 {
                assert!(report.is_complete(), "{descriptors}: {report:?}");
            }
            let left = setup.world(|world| world.exists("tree"));
            assert_eq!(report.is_complete(), !left, "{report:?}");
        }
    }
}

#[test]
fn excluded_entries_survive_every_kind_of_listing() {
    for given in [usize::MAX, 1, 3] {
        let setup = setup(|world| (world.rules.page, world.rules.given) = (10, given));
        let keep = |entry: &Unvisited<'_>| {
            entry.kind().is_dir() && entry.name() == "c" || entry.name() == "2"
        };
        let report = remove(&options().try_parents(given == 1).exclude(keep), &setup);
        assert!(report.is_complete());
        assert_eq!(report.skipped, 2);
        let left =
            ["- a/b/c/d/file", "- a/b/c/x", "- e/2", "d a", "d a/b", "d a/b/c", "d a/b/c/d", "d e"];
        assert_eq!(setup.world(|world| world.list("tree")), left);
    }
}

#[test]
fn excluded_directories_among_many_files_survive_with_several_threads() {
    let setup = setup(|world| {
        (world.rules.page, world.rules.processors) = (100_000, 4);
        for number in 0..20_000 {
            if number % 20 == 0 {
                world.file(format!("tree/keep{number}/file"));
            } else {
                world.file(format!("tree/{number}"));
            }
        }
    });
    let keep = |entry: &Unvisited<'_>| entry.name().as_encoded_bytes().starts_with(b"keep");
    let report = remove(&options().threads(Threads::AtMost(4)).exclude(keep), &setup);
    assert!(report.is_complete() && report.skipped == 1_000, "{report:?}");
    assert_eq!(setup.world(|world| world.list("tree").len()), 2_000);
}

#[test]
fn dry_run_removes_nothing() {
    let list = Denied { list: true, ..Denied::default() };
    for threads in [1, 2] {
        for directories in [
            DirectoryOperands::Recursive,
            DirectoryOperands::Removable,
            DirectoryOperands::Contents,
            DirectoryOperands::OnlyEmpty,
        ] {
            for operand in ["tree", "tree/e", "tree/empty", "tree/shut"] {
                let setup = setup(|world| {
                    world.dir("tree/shut").deny("tree/shut", list);
                });
                let before = setup.world(|world| world.list("tree"));
                let options = options().threads(Threads::AtMost(threads)).directories(directories);
                let operands = [PathBuf::from(operand)];
                let report = remove_on::<Memory>(&options.dry_run(true), &setup, &operands);
                assert!(!report.stopped, "{report:?}");
                if (operand, directories) == ("tree", DirectoryOperands::Recursive) {
                    assert_eq!((report.files, report.error_count), (FILES, 1), "{report:?}");
                    assert_eq!(report.directories, DIRECTORIES - 1, "{report:?}");
                }
                if (operand, directories) == ("tree/e", DirectoryOperands::Contents) {
                    assert_eq!((report.files, report.directories), (4, 1), "{report:?}");
                }
                assert_eq!(setup.world(|world| world.list("tree")), before, "{operand}");
            }
        }
    }
}

#[test]
fn dry_run_names_the_operation_that_fails_in_the_real_run() {
    let failed = |dry_run: bool| {
        let operations = (0..6).flat_map(|nth| {
            let setup = setup(|_| {}).with_faults(Faults::default().fail("statx", nth, 5));
            let options = options().confirm(Confirm::Always, |_, _| true).dry_run(dry_run);
            let report = remove_on::<Memory>(&options, &setup, &[PathBuf::from("tree/top")]);
            report.errors.into_iter().map(|error| format!("{:?}", error.operation()))
        });
        operations.collect::<BTreeSet<_>>()
    };
    assert_eq!(failed(true), failed(false));
}

#[test]
fn nothing_is_removed_if_the_root_is_unknown() {
    for nth in 0..2 {
        let setup = setup(|_| {}).with_faults(Faults::default().fail("statx", nth, 5));
        let report = remove(&options(), &setup);
        assert_eq!(report.errors[0].raw_os_error(), Some(5), "{report:?}");
        assert_eq!((report.files, report.directories), (0, 0));
    }
}

#[test]
fn an_operand_that_is_renamed_meanwhile_is_reported() {
    let contents = options().directories(DirectoryOperands::Contents);
    let keep = |entry: &Unvisited<'_>| entry.name() == "c";
    for options in [&options(), &contents, &contents.clone().exclude(keep)] {
        let calls = {
            let setup = setup(|_| {});
            assert!(remove(options, &setup).is_complete());
            setup.world(|world| world.calls_made())
        };
        for call in 5..calls {
            for replaced in [false, true] {
                for missing_is_fine in [false, true] {
                    let setup = setup(|world| {
                        world.after(call, move |world| {
                            if world.exists("tree") {
                                world.rename("tree", "elsewhere");
                                if replaced {
                                    world.dir("tree");
                                }
                            }
                        });
                    });
                    let options = options.clone().missing_is_fine(missing_is_fine);
                    let report = remove(&options, &setup);
                    let elsewhere = setup.world(|world| world.exists("elsewhere"));
                    // A rename after the last check of the name cannot be detected.
                    if elsewhere && call + 4 < calls {
                        assert_eq!(report.error_count, 1, "before call {call}: {report:?}");
                        assert_eq!(setup.world(|world| world.exists("tree")), replaced);
                    }
                }
            }
        }
    }
}

#[test]
fn lasting_shortage_is_waited_for_once() {
    for threads in [1, 2, 8] {
        let setup = setup(|world| {
            for number in 0..2_000 {
                world.file(format!("tree/a{number}/file"));
                world.file(format!("second/a{number}/file"));
            }
            world.after(3_000, |world| world.rules.descriptors = 0);
        });
        let window = Duration::from_millis(50);
        let options = options().retries(10, window).threads(Threads::AtMost(threads));
        let operands = ["second", "tree", "tree/many"].map(PathBuf::from);
        let report = remove_on::<Memory>(&options, &setup, &operands);
        assert!(report.error_count >= 1_000, "{threads}: {}", report.error_count);
        let waits = report.calls.of("clock_nanosleep");
        // Each wait takes 2 ms, and the last may exceed the window.
        assert!((10..=25 + threads as u64).contains(&waits), "{threads}: {waits} waits");
    }
}

#[test]
fn replacement_of_a_released_directory_is_left() {
    let place = "tree/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep";
    let mut replaced = [0_u64; 2];
    for link in [false, true] {
        for call in (180..700).step_by(13) {
            let mut world = chain();
            world.file("victim/file");
            world.after(call, move |world| {
                if link {
                    world.swap_for_link(place, "/victim");
                } else if world.exists(place) {
                    world.rename(place, "aside").rename("victim", place);
                }
            });
            let setup = Setup::new(world);
            let options = options().descriptors(8);
            let report = remove(&options, &setup);
            let victim = if link { String::from("victim") } else { String::from(place) };
            if setup.world(|world| world.exists("aside") || world.exists("aside-1")) {
                let left = setup.world(|world| world.exists(format!("{victim}/file")));
                assert!(left, "before call {call}: {report:?}");
                let is_replaced = |error: &crate::Error| matches!(error.cause(), Cause::Replaced);
                replaced[usize::from(link)] += u64::from(report.errors.iter().any(is_replaced));
            }
        }
    }
    assert!(replaced.iter().all(|&times| times > 5), "{replaced:?}");
}

#[test]
fn the_new_parent_of_a_moved_directory_is_left() {
    let mut moved = 0;
    for levels in [20, 50] {
        for call in (60..600).step_by(10) {
            let mut world = chain();
            world.rules.descriptors = 6;
            world.file("victim/file");
            let place = format!("tree/{}", "deep/".repeat(levels));
            world.after(call, move |world| {
                world.rename(place.trim_end_matches('/'), "victim/moved");
            });
            let setup = Setup::new(world);
            let report = remove(&options(), &setup);
            let case = format!("{levels} levels, before call {call}: {report:?}");
            assert!(setup.world(|world| world.exists("victim/file")), "{case}");
            moved += u64::from(setup.world(|world| world.exists("victim/moved")));
        }
    }
    assert!(moved > 30, "{moved}");
}
