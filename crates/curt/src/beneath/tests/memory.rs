//! Tests single steps in an in-memory tree that another process changes between any two calls.

use std::path::Path;

use super::{TestRoot, operations, text};
use crate::beneath::options::Scope;
use crate::beneath::steps::Failure;
use crate::sys::beneath::{Beneath, How, Open};
use crate::sys::memory::{Memory, Setup, World};
use curt_paths::Refusal;

fn world() -> World {
    let mut world = World::new();
    world.file("root/a/b/c/file").link("root/link", "a/b").link("root/a/up", "../a/b/c");
    world.dir("root/x").dir("root/a/b/empty");
    world
}

fn root(setup: &Setup, scope: Scope) -> TestRoot<Memory> {
    let mut root = TestRoot::open(setup, Path::new("root"));
    root.policy.scope = scope;
    root
}

type Trick = fn(&mut World, &str);

const TRICKS: [(&str, Trick); 6] = [
    ("swaps it for a link out", |world, path| {
        world.swap_for_link(path, "/canary/nest");
    }),
    ("swaps it for a link up and out", |world, path| {
        world.swap_for_link(path, "../../canary/nest");
    }),
    ("swaps it for a dangling link out", |world, path| {
        world.swap_for_link(path, "/canary/made");
    }),
    ("moves it out", |world, path| {
        world.rename(path, "away");
    }),
    ("moves it elsewhere", |world, path| {
        world.rename(path, "root/x/moved");
    }),
    ("removes it", |world, path| {
        world.vanish(path);
    }),
];

const TARGETS: [&str; 6] =
    ["root/a", "root/a/b", "root/a/b/c", "root/a/b/c/file", "root/link", "root/a/up"];

fn whatever_changes(
    scope: Scope,
    world: fn() -> World,
    act: impl Fn(&TestRoot<Memory>, &Setup, &str),
) {
    for (trick, play) in TRICKS {
        for place in TARGETS {
            for after in 0.. {
                let setup = Setup::new(world());
                let root = root(&setup, scope);
                let begin = setup.world(|world| {
                    world.after(after, move |world| play(world, place));
                    world.calls_made()
                });
                let case = format!("{trick} at {place} after {after}");
                act(&root, &setup, &case);
                drop(root);
                assert_eq!(setup.world(|world| world.open_now()), 0, "{case}");
                if setup.world(|world| world.calls_made()) <= begin + after {
                    break;
                }
            }
        }
    }
}

#[test]
fn nothing_outside_is_touched_or_opened_whatever_changes_between_two_calls() {
    for (what, operation) in operations::<Memory>() {
        for scope in [Scope::Beneath, Scope::InRoot] {
            whatever_changes(scope, world, |root, setup, case| {
                let answer = operation(&root.confined());
                setup.world(|world| world.assert_canary_lives());
                let is_allowed = match &answer {
                    Ok(_) | Err(Failure::System(_)) => true,
                    Err(Failure::Refused(refusal)) => {
                        *refusal == Refusal::Escape && scope == Scope::Beneath
                    }
                };
                assert!(is_allowed, "{what}: {case}: {answer:?}");
            });
        }
    }
    let read = How { read: true, follow: true, ..How::default() };
    let with_files_outside = || {
        let mut world = world();
        world.file("canary/nest/c/file").file("canary/nest/b/c/file").file("canary/nest/file");
        world
    };
    for path in ["a/b/c/file", "link/c/file", "a/b/../b/c/../c/file", "a/up/../c/file"] {
        whatever_changes(Scope::Beneath, with_files_outside, |root, _, case| {
            let parsed = text(&root.confined(), path).unwrap();
            if let Ok(handle) = root.confined().open_file(&parsed, &read) {
                let name = root.sys().path_of(Open::File(&handle)).unwrap();
                assert!(!name.starts_with(b"/canary"), "{path}: {case}: {name:?}");
            }
        });
    }
}

#[test]
fn dot_dot_goes_back_further_than_directories_stay_open() {
    let mut world = World::new();
    let deep = "d/".repeat(100);
    world.file(format!("root/{deep}file")).file("root/d/other");
    world.rules.descriptors = 40;
    let setup = Setup::new(world);
    let root = root(&setup, Scope::Beneath);
    let canonical = |path: &str| {
        let found = root.confined().canonical(&text(&root.confined(), path).unwrap());
        found.map(|found| String::from_utf8(found.path).unwrap())
    };
    let up = |levels: usize| deep.clone() + &"../".repeat(levels);
    assert_eq!(canonical(&(up(99) + "other")).unwrap(), "d/other");
    assert_eq!(canonical(&(up(50) + &"d/".repeat(50) + "file")).unwrap(), deep.clone() + "file");
    assert_eq!(canonical(&up(100)).unwrap(), ".");
    assert!(matches!(canonical(&up(101)), Err(Failure::Refused(Refusal::Escape))));
}

#[test]
fn a_way_back_that_is_gone_starts_over() {
    let mut world = World::new();
    let deep = "d/".repeat(60);
    world.file(format!("root/{deep}file")).file("root/d/d/other");
    let setup = Setup::new(world);
    let root = root(&setup, Scope::Beneath);
    let path = deep + &"../".repeat(58) + "other";
    let calls = setup.world(|world| world.calls_made());
    let parsed = text(&root.confined(), &path).unwrap();
    assert_eq!(root.confined().canonical(&parsed).unwrap().path, b"d/d/other");
    let calls = setup.world(|world| world.calls_made()) - calls;
    for after in 0..calls {
        setup.world(|world| {
            world.after(after, |world| {
                world
                    .rename("root/d", "aside")
                    .rename("root/e", "root/d")
                    .rename("aside", "root/e");
                world.file("root/d/d/other2");
            });
            world.vanish("root/d/d/other2").vanish("root/e/d/other2");
        });
        match root.confined().canonical(&parsed) {
            Ok(found) => assert_eq!(found.path, b"d/d/other"),
            Err(Failure::System(_)) => {}
            Err(Failure::Refused(refusal)) => panic!("{refusal}"),
        }
        setup.world(|world| {
            if !world.exists("root/d/d/other") {
                world.rename("root/d", "aside").rename("root/e", "root/d").vanish("aside");
            }
        });
    }
}

#[test]
fn a_way_back_over_a_link_ends_where_the_path_leads() {
    const LEVELS: usize = 40;
    let read = How { read: true, follow: true, ..How::default() };
    let path = "d/".repeat(LEVELS) + &"../".repeat(LEVELS - 3) + "other";
    let opened = |after: Option<u64>, target: &'static str| {
        let mut world = World::new();
        world.file(format!("root/{}file", "d/".repeat(LEVELS)));
        for level in 0..LEVELS {
            world.file(format!("root/{}other", "d/".repeat(level)));
        }
        let setup = Setup::new(world);
        let root = root(&setup, Scope::Beneath);
        let parsed = text(&root.confined(), &path).unwrap();
        let before = setup.world(|world| world.calls_made());
        if let Some(after) = after {
            setup.world(|world| {
                world.after(after, move |world| {
                    world.swap_for_link("root/d/d", target);
                });
            });
        }
        let name = root
            .confined()
            .open_file(&parsed, &read)
            .map(|file| root.sys().path_of(Open::File(&file)).unwrap());
        (name, setup.world(|world| world.calls_made()) - before)
    };
    let (name, calls) = opened(None, "");
    assert!(name.unwrap().ends_with(b"root/d/d/d/other"));
    for target in [".", "..", "d", "nosuch"] {
        for after in 0..calls {
            match opened(Some(after), target).0 {
                Ok(name) => {
                    let name = String::from_utf8(name).unwrap();
                    let is_right = name.ends_with("/d/d/d/other") || !name.contains("/root/");
                    assert!(is_right, "{target} after {after}: {name}");
                }
                Err(Failure::System(_) | Failure::Refused(Refusal::Escape)) => {}
                Err(failure) => panic!("{target} after {after}: {failure:?}"),
            }
        }
    }
}
