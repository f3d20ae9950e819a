//! The single steps against a tree in memory: what others do happens between any two calls.

use std::path::Path;

use super::deeds;
use crate::beneath::engine::{Confined, Failure};
use crate::beneath::options::Scope;
use crate::sys::Sys;
use crate::sys::beneath::{Beneath, Create, How};
use crate::sys::memory::{Memory, Setup, World};
use curt_paths::Aliases;
use curt_paths::Refusal;

fn world() -> World {
    let mut world = World::new();
    world.file("root/a/b/c/file").link("root/link", "a/b").link("root/a/up", "../a/b/c");
    world.dir("root/x");
    world
}

fn root(setup: &Setup, scope: Scope) -> Confined<Memory> {
    let mut root = Confined::open(Memory::start(setup), Path::new("root")).unwrap();
    root.set_scope(scope);
    root
}

/// What somebody does to a place in the root.
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

const PLACES: [&str; 6] =
    ["root/a", "root/a/b", "root/a/b/c", "root/a/b/c/file", "root/link", "root/a/up"];

#[test]
fn whatever_happens_between_two_calls_nothing_outside_is_touched() {
    for (what, deed) in deeds::<Memory>() {
        for scope in [Scope::Beneath, Scope::InRoot] {
            for (trick, play) in TRICKS {
                for place in PLACES {
                    for after in 0..20 {
                        let setup = Setup::new(world());
                        let root = root(&setup, scope);
                        setup.world(|world| {
                            world.after(after, move |world| play(world, place));
                        });
                        let answer = deed(&root);
                        let case = format!("{what}: {trick} at {place} after {after}: {answer:?}");
                        setup.world(|world| world.assert_canary_lives());
                        let allowed = match &answer {
                            Ok(()) | Err(Failure::System(_)) => true,
                            Err(Failure::Refused(refusal)) => {
                                *refusal == Refusal::Escape && scope == Scope::Beneath
                            }
                        };
                        assert!(allowed, "{case}");
                        drop(root);
                        assert_eq!(setup.world(|world| world.open_now()), 0, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn nothing_outside_is_opened() {
    let read = How { read: true, follow: true, ..How::default() };
    for path in ["a/b/c/file", "link/c/file", "a/b/../b/c/../c/file", "a/up/../c/file"] {
        for (trick, play) in TRICKS {
            for place in PLACES {
                for after in 0..20 {
                    let mut world = world();
                    world.file("canary/nest/c/file").file("canary/nest/b/c/file");
                    world.file("canary/nest/file");
                    let setup = Setup::new(world);
                    let root = root(&setup, Scope::Beneath);
                    setup.world(|world| {
                        world.after(after, move |world| play(world, place));
                    });
                    let text = root.text(Path::new(path)).unwrap();
                    if let Ok(handle) = root.open_file(&text, &read) {
                        let name = root.sys().path_of(&handle).unwrap();
                        let name = String::from_utf8(name).unwrap();
                        let case = format!("{path}: {trick} at {place} after {after}: {name}");
                        assert!(!name.starts_with("/canary"), "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_way_back_may_be_long() {
    let mut world = World::new();
    let deep = "d/".repeat(100);
    world.file(format!("root/{deep}file")).file("root/d/other");
    world.rules.descriptors = 40;
    let setup = Setup::new(world);
    let root = root(&setup, Scope::Beneath);
    let canonical = |path: &str| {
        let found = root.canonical(&root.text(Path::new(path)).unwrap());
        found.map(|found| String::from_utf8(found.path).unwrap())
    };
    let up = |levels: usize| deep.clone() + &"../".repeat(levels);
    assert_eq!(canonical(&(up(99) + "other")).unwrap(), "d/other");
    assert_eq!(canonical(&(up(50) + &"d/".repeat(50) + "file")).unwrap(), deep.clone() + "file");
    assert_eq!(canonical(&up(100)).unwrap(), ".");
    assert!(matches!(canonical(&up(101)), Err(Failure::Refused(Refusal::Escape))));
}

#[test]
fn a_way_back_that_is_gone_is_walked_anew() {
    let mut world = World::new();
    let deep = "d/".repeat(60);
    world.file(format!("root/{deep}file")).file("root/d/d/other");
    let setup = Setup::new(world);
    let root = root(&setup, Scope::Beneath);
    let path = deep + &"../".repeat(58) + "other";
    let calls = setup.world(|world| world.calls_made());
    let text = root.text(Path::new(&path)).unwrap();
    assert_eq!(root.canonical(&text).unwrap().path, b"d/d/other");
    let calls = setup.world(|world| world.calls_made()) - calls;
    // Whenever the first directory is replaced by another one, the answer is one of those two.
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
        match root.canonical(&text) {
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

/// The way back leads over directories that were closed, and one of them may be a link by then.
#[test]
fn a_way_back_over_a_link_ends_where_the_path_leads() {
    let read = How { read: true, follow: true, ..How::default() };
    let path = "d/".repeat(60) + &"../".repeat(57) + "other";
    let opened = |after: Option<u64>, target: &'static str| {
        let mut world = World::new();
        world.file(format!("root/{}file", "d/".repeat(60)));
        for level in 0..60 {
            world.file(format!("root/{}other", "d/".repeat(level)));
        }
        let setup = Setup::new(world);
        let root = root(&setup, Scope::Beneath);
        let text = root.text(Path::new(&path)).unwrap();
        let before = setup.world(|world| world.calls_made());
        if let Some(after) = after {
            setup.world(|world| {
                world.after(after, move |world| {
                    world.swap_for_link("root/d/d", target);
                });
            });
        }
        let name = root.open_file(&text, &read).map(|file| root.sys().path_of(&file).unwrap());
        (name, setup.world(|world| world.calls_made()) - before)
    };
    let (name, calls) = opened(None, "");
    assert!(name.unwrap().ends_with(b"root/d/d/d/other"));
    for target in [".", "..", "d", "nosuch"] {
        for after in 0..calls {
            match opened(Some(after), target).0 {
                // It was found before, or through the link, which leads elsewhere.
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

#[test]
fn links_are_refused_where_aliases_are() {
    let mut world = world();
    world.link("root/out", "../canary").link("root/absolute", "/canary").link("root/loop", "loop");
    let setup = Setup::new(world);
    let mut root = root(&setup, Scope::Beneath);
    root.set_aliases(Aliases::Strict);
    let read = How { read: true, follow: true, ..How::default() };
    for (path, expected) in [
        ("link/c/file", Refusal::Link),
        ("a/up", Refusal::Link),
        ("loop", Refusal::Link),
        ("link/nosuch", Refusal::Link),
        ("link/../../..", Refusal::Escape),
        ("out/song", Refusal::Escape),
        ("absolute", Refusal::Escape),
    ] {
        let answer = root.open_file(&root.text(Path::new(path)).unwrap(), &read);
        assert!(matches!(answer, Err(Failure::Refused(refusal)) if refusal == expected), "{path}");
    }
    let made = How { write: true, create: Create::Missing, ..read };
    assert!(root.open_file(&root.text(Path::new("a/made")).unwrap(), &made).is_ok());
    // A link itself may be dealt with.
    assert_eq!(root.read_link(&root.text(Path::new("link")).unwrap()).unwrap(), b"a/b");
    root.remove_file(&root.text(Path::new("link")).unwrap()).unwrap();
}
