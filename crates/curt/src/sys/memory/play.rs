//! A small tree and an intruder's changes, the same for every operation.

use super::{Setup, World};

pub(crate) fn setup(change: impl FnOnce(&mut World)) -> Setup {
    let mut world = World::new();
    for file in ["a/b/c/d/file", "a/b/c/x", "a/b/y", "a/z", "e/1", "e/2", "e/f/3", "top"] {
        world.file(format!("tree/{file}"));
    }
    world.link("tree/e/link", "/canary").dir("tree/empty");
    change(&mut world);
    Setup::new(world)
}

pub(crate) type Intrusion = fn(&mut World, &str);

pub(crate) const INTRUSIONS: [(&str, Intrusion); 4] = [
    ("swaps it for a link", |world, path| {
        world.swap_for_link(path, "/canary");
    }),
    ("moves it out", |world, path| {
        world.rename(path, path.replace('/', "-"));
    }),
    ("lets it vanish", |world, path| {
        world.vanish(path);
    }),
    ("adds a file to it", |world, path| {
        world.intrude(path);
    }),
];

pub(crate) const TARGETS: [&str; 8] = [
    "tree",
    "tree/a",
    "tree/a/b",
    "tree/a/b/c",
    "tree/a/b/c/d",
    "tree/e",
    "tree/e/f",
    "tree/empty",
];
