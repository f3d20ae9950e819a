//! Changes, stops and deaths before every call.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;

use super::trees::{difference, entries, relative};
use super::{copy, every, is_below, kind, quiet, run, setup, tree};
use crate::control::{Cancel, Threads};
use crate::copy::shared::Destination;
use crate::copy::{Copy, Existing, Preserve, Report, copy_on};
use crate::error::{Cause, CopyRefusal, Error};
use crate::fields::{Follow, Kind};
use crate::sys::fault::Faults;
use crate::sys::memory::{Memory, Setup, World};

const PLACES: [&str; 6] = ["", "a", "a/b", "a/large", "a/b/z", "e"];

type Change = fn(&mut World, &str);

const CHANGES: [(&str, Change); 7] = [
    ("swaps it for a link", |world, path| {
        let is_dir = kind(world, path) == Some(Kind::Directory);
        world.swap_for_link(path, if is_dir { "/canary" } else { "/canary/song" });
    }),
    ("moves it out", |world, path| {
        world.rename(path, path.replace('/', "-"));
    }),
    ("lets it vanish", |world, path| {
        world.vanish(path);
    }),
    ("puts another file in its place", |world, path| {
        world.vanish(path).sized_file(path, 3);
    }),
    ("puts another directory in its place", |world, path| {
        world.vanish(path).sized_file(format!("{path}/new"), 3);
    }),
    (TAKE, |world, path| {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        if world.exists(above) {
            world.sized_file(path, 3).file("taken");
        }
    }),
    (MOUNT, |world, path| {
        if path.starts_with("to") && kind(world, path) == Some(Kind::Directory) {
            world.vanish(path).bind(path, "canary");
        } else if kind(world, path) == Some(Kind::Directory) {
            world.mount(path, 9);
        }
    }),
];

const TAKE: &str = "takes its name first";
const MOUNT: &str = "mounts something on a directory";

#[test]
fn any_change_before_any_call_is_survived() {
    for (existing, options) in every() {
        let undisturbed = setup(existing, |_| {});
        let source = undisturbed.world(|world| tree(world, "from/tree"));
        let (calls, _) = quiet(&options, &undisturbed);
        // A mount on a directory that exists may be wanted.
        let changes = CHANGES.into_iter().filter(|&(what, _)| what != MOUNT || !existing);
        for (what, change) in changes {
            // An existing destination does not change how a source is read.
            let sides = if existing { &["to/dest"][..] } else { &["from/tree", "to/dest"] };
            let at = |place| sides.iter().map(move |&side| (side, place));
            for (side, place) in PLACES.into_iter().flat_map(at) {
                for call in 0..calls {
                    let path = format!("{side}/{place}").trim_end_matches('/').to_owned();
                    let setup = setup(existing, |world| {
                        world.after(call, move |world| {
                            if world.exists(&path) != (what == TAKE) {
                                change(world, &path);
                            }
                        });
                    });
                    let report = copy(&options, &setup);
                    let case = format!("{what}, {side}/{place}, before call {call}: {report:?}");
                    setup.world(|world| {
                        assert_only_lost_at(place, side, world, &source, &report, &case);
                        // A new directory contains nothing to replace.
                        if world.exists("taken") && !existing {
                            let taken = world.find(format!("{side}/{place}").as_bytes());
                            let is_kept = |node| world.node(node).content == Some(node);
                            assert!(taken.is_some_and(is_kept), "{case}");
                        }
                    });
                }
            }
        }
    }
}

/// Asserts that everything outside `place` is copied, that failures are about `place`, and that
/// without a failure only that is missing which the change has taken away.
fn assert_only_lost_at(
    place: &str,
    side: &str,
    world: &World,
    source: &BTreeMap<String, usize>,
    report: &Report,
    case: &str,
) {
    let is_at = |path: &str| is_below(path, place);
    let names = ["a/b/z", "e/z"];
    let is_affected =
        |path: &str| is_at(path) || names.contains(&path) && names.into_iter().any(is_at);
    for error in &report.errors {
        assert!(is_affected(&relative(error)), "{case}");
    }
    for (path, &node) in source {
        let original = world.node(node);
        let made = world.find(format!("to/dest/{path}").as_bytes()).map(|made| world.node(made));
        let is_copied = made.is_some_and(|made| {
            let is_whole = made.kind != Kind::File || made.content == original.content;
            is_whole && (made.kind, &made.target) == (original.kind, &original.target)
        });
        let is_gone = side == "to/dest" && is_at(path)
            || world.find(format!("from/tree/{path}").as_bytes()) != Some(node);
        let is_excused = is_affected(path) && (report.error_count > 0 || is_gone);
        assert!(is_copied || is_excused, "{path}, {case}");
    }
}

#[test]
fn a_copy_that_ends_before_any_call_is_completed_by_another_one() {
    for (existing, options) in every() {
        let (calls, complete) = quiet(&options, &setup(existing, |_| {}));
        for (call, is_killed) in (0..calls).flat_map(|call| [(call, false), (call, true)]) {
            let cancel = Arc::new(Cancel::new());
            let token = Arc::clone(&cancel);
            let setup = setup(existing, |world| {
                world.after(call, move |_| {
                    if is_killed {
                        resume_unwind(Box::new("killed"));
                    }
                    token.cancel();
                });
            });
            let options = options.clone().cancel(&cancel);
            if is_killed {
                let killed = catch_unwind(AssertUnwindSafe(|| run(&options, &setup)));
                assert!(killed.is_err());
                let is_incomplete = |node: &usize| {
                    setup.world(|world| {
                        let node = world.node(*node);
                        node.kind == Kind::File && node.content.is_none()
                    })
                };
                let all = setup.world(|world| tree(world, "to"));
                assert!(all.values().filter(|node| is_incomplete(node)).count() <= 1, "{all:?}");
            } else {
                let report = copy(&options, &setup);
                let is_stop = |error: &Error| error.kind() == ErrorKind::Interrupted;
                let is_stopped = report.stopped && report.error_count <= 1;
                assert!(is_stopped && report.errors.iter().all(is_stop), "{report:?}");
            }
            let (unused, again) = (Cancel::new(), options.existing(Existing::ReplaceChanged));
            let report = copy(&again.cancel(&unused), &setup);
            // A special file without the time of its source is not replaced.
            let is_pipe = |error: &Error| error.path().ends_with("a/pipe");
            assert!(report.errors.iter().all(is_pipe), "before call {call}: {report:?}");
            let mut found = setup.world(|world| entries(world));
            found.retain(|path, _| !path.contains(".curt-"));
            if report.error_count > 0 {
                found.insert("a/pipe".into(), complete["a/pipe"].clone());
            }
            let difference = difference(&complete, &found);
            assert_eq!(difference, None, "before call {call}: {report:?}");
        }
    }
}

#[test]
fn a_copy_into_itself_ends() {
    let into = |options: &Copy<'_>, setup: &Setup, target: &str| {
        let target = Destination::Path(Path::new(target));
        let report = copy_on::<Memory>(options, setup, &[Path::new("from/tree")], target);
        let is_refused =
            |error: &Error| matches!(error.cause(), Cause::CopyRefused(CopyRefusal::IntoItself, _));
        assert!(report.errors.iter().any(is_refused), "{report:?}");
        setup.world(|world| world.assert_unharmed());
    };
    for errno in [0, 5] {
        // Without the canonical name, the ancestors of the destination are unknown.
        let faults = if errno == 0 {
            Faults::default()
        } else {
            Faults::default().fail("readlinkat", 0, errno)
        };
        into(&Copy::new(), &setup(false, |_| {}).with_faults(faults), "from/tree/empty/new");
    }
    let ways: [Change; 3] = [
        |world, path| _ = world.link(path, "/to"),
        |world, path| _ = world.link(path, "/to/dest/e"),
        |world, path| _ = world.dir("to/dest/e").bind(path, "to/dest/e"),
    ];
    for (threads, way) in [1, 3].into_iter().flat_map(|threads| ways.map(|way| (threads, way))) {
        let setup = setup(false, |world| {
            way(world, "from/tree/e/to");
            for number in 0..60 {
                world.file(format!("from/tree/many/{number}/file"));
            }
        });
        let options = Copy::new().follow(Follow::Links).existing(Existing::Merge);
        into(&options.threads(Threads::AtMost(threads)), &setup, "to/dest");
    }
}

#[test]
fn of_several_contents_the_last_wins() {
    let setup = setup(false, |world| {
        for path in (0..200).map(|number| format!("{number}/file")) {
            world.sized_file(format!("from/x/{path}"), 1).sized_file(format!("from/y/{path}"), 2);
        }
    });
    let options = Copy::new().existing(Existing::Replace).threads(Threads::AtMost(3));
    let sources = ["from/x/.", "from/y/."].map(Path::new);
    let report = copy_on::<Memory>(&options, &setup, &sources, Destination::Into(Path::new("to")));
    assert!(report.is_complete() && report.files == 400, "{report:?}");
    setup.world(|world| {
        let last = (0..200).map(|number| world.find(format!("to/{number}/file").as_bytes()));
        assert!(last.into_iter().all(|file| world.node(file.unwrap()).size == 2));
    });
}

#[test]
fn a_stop_ends_the_copy_of_a_large_file() {
    let cancel = Arc::new(Cancel::new());
    let token = Arc::clone(&cancel);
    let setup = setup(false, |world| {
        world.vanish("from/tree").sized_file("from/tree", 1 << 40);
        world.after(50, move |_| token.cancel());
    });
    let report = copy(&Copy::new().cancel(&cancel), &setup);
    assert!(report.stopped && report.calls.total() < 60, "{report:?}");
}

#[test]
fn a_file_is_private_until_it_has_its_permissions() {
    for (existing, options) in every() {
        let is_private = options.preserve.contains(Preserve::MODE);
        let setup = setup(existing, |world| {
            if existing {
                world.mode("to/dest/e/1", 0o600);
            }
            world.before_each_call(move |world| {
                for (path, node) in tree(world, "to") {
                    let node = world.node(node);
                    let is_open = node.kind == Kind::File && node.content.is_none();
                    let is_private = is_private || path.starts_with("dest/e/.curt-");
                    assert!(!(is_open && is_private) || node.mode & 0o700 == node.mode, "{path}");
                }
            });
        });
        quiet(&options, &setup);
    }
}

/// An incomplete file is removed, but not what has taken its name.
#[test]
fn a_failure_removes_no_file_of_others() {
    let new = |call: u64| {
        let faults = Faults::default().fail("copy_file_range", 2, 5);
        let large = |world: &mut World| {
            world.vanish("from/tree").sized_file("from/tree", 40 << 20);
            world.after(call, |world| {
                if world.exists("to/dest") {
                    world.rename("to/dest", "to/aside").sized_file("to/dest", 3);
                }
            });
        };
        setup(false, large).with_faults(faults)
    };
    let mut lost = 0;
    for call in 0..20 {
        let setup = new(call);
        assert_eq!(run(&Copy::new(), &setup).error_count, 1);
        lost +=
            u64::from(setup.world(|world| world.exists("to/aside") && !world.exists("to/dest")));
    }
    assert_eq!(lost, 1, "only a change after the last look is missed");
}
