//! The in-memory tests use Unix error numbers.
#![cfg(unix)]

mod faults;
mod imagined;
mod limits;
mod links;
mod trees;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::trees::{Entry, entries};
use super::{Copy, Existing, Method, Preserve, Report};
use crate::control::Threads;
use crate::copy::shared::Destination;
use crate::error::Operation;
use crate::fields::{Follow, Kind};
use crate::sys::memory::{Memory, Setup, World};

/// Copies `from/tree` to `to/dest`. Asserts that nothing else has changed, that every new file is
/// complete and from the source, that no temporary file is left, and that everything is closed.
fn copy(options: &Copy<'_>, setup: &Setup) -> Report {
    let (nodes, source, target) = setup.world(|world| {
        world.touched.clear();
        let nodes = |path| tree(world, path).into_values();
        let source = if options.follow == Follow::Never { "from/tree" } else { "" };
        let source: BTreeSet<usize> = nodes(source).collect();
        let target: BTreeSet<usize> = nodes("to/dest").chain(world.find(b"to")).collect();
        (nodes("").max().unwrap_or(0) + 1, source, target)
    });
    let report = run(options, setup);
    setup.world(|world| {
        world.assert_unharmed();
        let is_foreign = |node: &&usize| **node < nodes && !target.contains(node);
        let foreign = world.touched.iter().find(is_foreign).map(|&node| world.path_of(node));
        assert_eq!(foreign, None, "{report:?}");
        for (path, node) in tree(world, "").into_iter().filter(|&(_, node)| node >= nodes) {
            let file = world.node(node);
            let is_source = |content| content >= nodes || source.contains(&content);
            // The empty file of a refused reflink may resist its removal.
            let is_left = options.methods.get(1) == Some(&Method::HardLink)
                && report.errors.iter().any(|error| error.operation() == Operation::RemoveFile);
            let is_whole =
                is_left || file.kind != Kind::File || file.content.is_some_and(is_source);
            let is_named = is_left || !path.contains(".curt-");
            assert!(is_whole && is_named, "{path}: {report:?}");
        }
    });
    report
}

fn run(options: &Copy<'_>, setup: &Setup) -> Report {
    let (from, to) = (Path::new("from/tree"), Destination::Path(Path::new("to/dest")));
    super::copy_on::<Memory>(options, setup, &[from], to)
}

/// Returns the relative paths and the nodes of a tree, which itself is `""`.
fn tree(world: &World, path: &str) -> BTreeMap<String, usize> {
    let (mut found, mut waiting) = (BTreeMap::new(), Vec::new());
    waiting.extend(world.find(path.as_bytes()).map(|top| (String::new(), top)));
    while let Some((path, node)) = waiting.pop() {
        let separator = if path.is_empty() { "" } else { "/" };
        let below = |(name, child)| (format!("{path}{separator}{name}"), child);
        waiting.extend(world.children(node).into_iter().map(below));
        found.insert(path, node);
    }
    found
}

fn kind(world: &World, path: &str) -> Option<Kind> {
    world.find(path.as_bytes()).map(|node| world.node(node).kind)
}

fn is_below(path: &str, above: &str) -> bool {
    let below = path.strip_prefix(above);
    above.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

const FILES: [&str; 5] = ["a/b/c/x", "a/b/y", "a/large", "e/1", "e/z"];

/// A small tree, and with `existing` a destination with some of its names.
fn setup(existing: bool, change: impl FnOnce(&mut World)) -> Setup {
    let mut world = World::new();
    for (number, file) in FILES.into_iter().enumerate() {
        let size = if file == "a/large" { 40 << 20 } else { number as u64 };
        world.sized_file(format!("from/tree/{file}"), size);
    }
    world.hard_link("from/tree/e/z", "from/tree/a/b/z").link("from/tree/e/link", "/canary");
    world.dir("from/tree/empty").mode("from/tree/a/b", 0o555);
    world.special("from/tree/a/pipe", Kind::Fifo).dir("to");
    if existing {
        for file in ["a/b/c/other", "a/b/y", "e/1", "e/z", "more"] {
            world.sized_file(format!("to/dest/{file}"), 9);
        }
        world.link("to/dest/a/large", "/canary/song");
    }
    change(&mut world);
    Setup::new(world)
}

fn every() -> [(bool, Copy<'static>); 3] {
    let copy = Copy::new().threads(Threads::AtMost(1));
    let replace = copy.clone().existing(Existing::Replace);
    let links = [Method::HardLink, Method::Data];
    [
        (false, replace.clone().preserve(Preserve::ALL)),
        (true, replace.clone().preserve(Preserve::TIMES)),
        (true, replace.methods(&links)),
    ]
}

/// Returns the number of calls of a copy that nothing disturbs, and what it makes.
fn quiet(options: &Copy<'_>, setup: &Setup) -> (u64, BTreeMap<String, Entry>) {
    let report = copy(options, setup);
    assert!(report.is_complete(), "{report:?}");
    let (calls, mut complete) = setup.world(|world| (world.calls_made(), entries(world)));
    if !options.preserve.contains(Preserve::TIMES) {
        let directories = complete.values_mut().filter(|entry| entry.kind.is_dir());
        directories.for_each(|entry| entry.modified = None);
    }
    (calls, complete)
}
