//! Walks on both real platforms. What they yield, and in which order, is compared with walkdir.

use std::path::Path;

use curt_testkit::Scratch;

#[cfg(unix)]
use super::OneFileSystem;
use super::control::Control;
use super::cursor::{Cursor, Step};
use super::{Order, SortBy, Walk};
use crate::calls::Calls;
use crate::error::Error;
#[cfg(unix)]
use crate::fields::Follow;
use crate::fields::{Fields, Kind};
#[cfg(target_os = "linux")]
use crate::sys::Feature;
use crate::sys::{Setup, Sys};
use crate::tree::Stop;

mod deep;
mod ignoring;
mod imagined;
mod visiting;

/// Makes each generic test function one test for each real platform.
macro_rules! on_real_platforms {
    ($($name:ident),* $(,)?) => {
        mod os { $(#[test] fn $name() { super::$name::<crate::sys::Os>(); })* }
        #[cfg(target_os = "linux")]
        mod portable {
            use crate::sys::tests::portably;
            $(#[test] fn $name() { portably(super::$name::<crate::sys::Os>); })*
        }
    };
}
use on_real_platforms;

/// What a walk yielded: paths below the scratch folder with kinds and depths, and failures. Beside
/// them, the calls made.
struct Seen {
    entries: Vec<(String, Kind, usize)>,
    errors: Vec<Error>,
    calls: Calls,
}

impl Seen {
    fn paths(&self) -> Vec<&str> {
        self.entries.iter().map(|(path, ..)| path.as_str()).collect()
    }

    fn sorted(&self) -> Vec<&str> {
        let mut paths = self.paths();
        paths.sort_unstable();
        paths
    }
}

fn walk<S: Sys>(options: &Walk<'_>, scratch: &Scratch, operand: &str) -> Seen {
    walk_path::<S>(options, scratch.path(), &scratch.at(operand))
}

fn walk_path<S: Sys>(options: &Walk<'_>, base: &Path, operand: &Path) -> Seen {
    walk_with::<S>(&Setup::default(), options, base, operand)
}

fn walk_with<S: Sys>(setup: &Setup, options: &Walk<'_>, base: &Path, operand: &Path) -> Seen {
    let mut cursor = options.cursor::<S>(setup);
    let mut seen = Seen { entries: Vec::new(), errors: Vec::new(), calls: Calls::default() };
    each_step(&mut cursor, options, operand, |cursor, step| match step {
        Step::Entry => {
            let entry = cursor.entry();
            let path = entry.path();
            let path = spelled(path.strip_prefix(base).unwrap_or(&path));
            seen.entries.push((path, entry.kind(), entry.depth()));
        }
        Step::Error(error) => seen.errors.push(error),
        Step::ResultsOf(_) => unreachable!("no worker took a part"),
    });
    seen.calls = cursor.sys().calls();
    assert_eq!(cursor.at.branch.stack.len(), 0, "everything is closed");
    seen
}

/// Walks an operand, and handles each step.
fn each_step<S: Sys>(
    cursor: &mut Cursor<S>,
    options: &Walk<'_>,
    operand: &Path,
    mut handle: impl FnMut(&mut Cursor<S>, Step),
) {
    let stop = Stop::new(options.cancel, None);
    let control = Control { stop: &stop, exclude: options.exclude.as_ref(), polls: false };
    let mut step = cursor.begin(operand).or_else(|| cursor.next(&control));
    while let Some(now) = step {
        handle(cursor, now);
        step = cursor.next(&control);
    }
    if stop.is_stopped() {
        cursor.abandon();
    }
}

/// The directory that a link loop leads back to.
#[cfg(unix)]
fn loop_ancestor(error: &Error) -> Option<&Path> {
    match error.cause() {
        crate::Cause::Loop(ancestor) => Some(ancestor),
        _ => None,
    }
}

/// A path with the separator that the tests are written with.
fn spelled(path: &Path) -> String {
    path.display().to_string().replace(std::path::MAIN_SEPARATOR, "/")
}

/// Walks by the standard library: each directory before its contents, sorted by name.
fn naive(base: &Path, path: &Path, into: &mut Vec<String>) {
    into.push(spelled(path.strip_prefix(base).unwrap()));
    if path.symlink_metadata().unwrap().is_dir() {
        let mut names: Vec<_> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        for name in names {
            naive(base, &path.join(name), into);
        }
    }
}

fn sample() -> Scratch {
    sample_in(Scratch::new())
}

fn sample_in(scratch: Scratch) -> Scratch {
    for path in ["t/a/deep/er/x", "t/a/y", "t/b/z", "t/a.b", "t/c/only/one/chain/end", "t/~"] {
        scratch.file(path);
    }
    scratch.dir("t/empty");
    for number in 0..300 {
        scratch.file(format!("t/many/file-{number}"));
        if number % 30 == 0 {
            scratch.file(format!("t/many/sub-{number}/inner"));
        }
    }
    scratch
}

fn plan() -> Walk<'static> {
    Walk::of(Vec::new())
}

on_real_platforms!(
    sorted_walks_are_in_order,
    links_are_followed_if_asked_for,
    sizes_are_read_from_the_file_system,
);

fn sorted_walks_are_in_order<S: Sys>() {
    let scratch = sample();
    let mut expected = Vec::new();
    naive(scratch.path(), &scratch.at("t"), &mut expected);
    let by_name = plan().sort(Order::default());
    assert_eq!(walk::<S>(&by_name, &scratch, "t").paths(), expected);
    scratch.file_with("t/a/large", &[b'x'; 10_000]);
    scratch.file_with("t/a/small", b"x");
    let by_size = plan().sort(Order { by: SortBy::Size, reverse: true }).max_depth(1);
    let seen = walk::<S>(&by_size, &scratch, "t/a");
    let position = |name: &str| seen.paths().iter().position(|path| path.ends_with(name)).unwrap();
    assert!(position("y") < position("small") && position("small") < position("large"));
    // Equal ones come in the order of their names.
    for reverse in [false, true] {
        let by_size = plan().sort(Order { by: SortBy::Size, reverse });
        let seen = walk::<S>(&by_size, &scratch, "t/many");
        let files = || seen.paths().into_iter().filter(|path| path.contains("file-"));
        assert!(if reverse { files().rev().is_sorted() } else { files().is_sorted() });
        assert_eq!(files().count(), 300);
    }
}

#[cfg(unix)]
fn links_are_followed_if_asked_for<S: Sys>() {
    let scratch = Scratch::new();
    scratch.tree("t", "real/file real/back->.. alias->real nowhere->missing");
    let links = Walk::of(Vec::new()).follow(Follow::Links);
    let seen = walk::<S>(&links, &scratch, "t");
    let expected = ["t", "t/alias", "t/alias/back", "t/alias/file", "t/nowhere", "t/real"];
    assert_eq!(seen.sorted()[..6], expected);
    let ancestor = scratch.at("t");
    assert_eq!(seen.errors.len(), 2, "{:?}", seen.errors);
    assert!(seen.errors.iter().all(|error| loop_ancestor(error) == Some(&*ancestor)));
    // The operand alone.
    let operand = Walk::of(Vec::new()).follow(Follow::CommandLine);
    assert_eq!(walk::<S>(&operand, &scratch, "t/alias").entries.len(), 3);
    assert_eq!(walk::<S>(&plan(), &scratch, "t/alias").entries.len(), 1);
}

#[cfg(not(unix))]
fn links_are_followed_if_asked_for<S: Sys>() {
    curt_testkit::skip("links cannot be made here without a privilege");
}

fn sizes_are_read_from_the_file_system<S: Sys>() {
    let scratch = Scratch::new();
    scratch.file_with("t/a/one", &[b'x'; 1234]);
    scratch.file_with("t/two", &[b'x'; 5]);
    let options = plan().fields(Fields::SIZE);
    let (mut cursor, mut sizes) = (options.cursor::<S>(&Setup::default()), Vec::new());
    each_step(&mut cursor, &options, &scratch.at("t"), |cursor, _| {
        if cursor.metadata.facts.kind == Kind::File {
            sizes.extend(cursor.metadata.size().known());
        }
    });
    sizes.sort_unstable();
    assert_eq!(sizes, [5, 1234]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_costs_its_listing_and_two_calls() {
    use crate::sys::Os;
    let scratch = sample();
    // Each is opened, listed, asked for more and closed.
    let listings = 21 * 4;
    let entries = walk::<Os>(&plan(), &scratch, "t").entries.len() as u64;
    let costs = |options: &Walk<'_>, wanted: u64| {
        // A signal while the system writes a listing cuts it short, which costs a call: of three
        // walks, the one with the fewest calls counts.
        let walks = (0..3).map(|_| walk::<Os>(options, &scratch, "t"));
        let seen = walks.min_by_key(|seen| seen.calls.total()).unwrap();
        assert_eq!(seen.entries.len() as u64, entries);
        assert_eq!(seen.calls.total(), wanted, "{:?}", seen.calls);
    };
    // Two more: the question about the operand, and the limit of descriptors.
    costs(&plan(), listings + 2);
    costs(&plan().sort(Order::default()), listings + 2);
    costs(&plan().one_file_system(OneFileSystem::Mount), listings + 2);
    costs(&plan().one_file_system(OneFileSystem::Device), listings + 21 + 2);
    costs(&Walk::of(Vec::new()).fields(Fields::SIZE), listings + 1 + entries);
    costs(&Walk::of(Vec::new()).follow(Follow::Links), listings + 21 + 2);
    let older = plan().without(Feature::Openat2).without(Feature::Statx);
    assert_eq!(walk::<Os>(&older, &scratch, "t").entries.len() as u64, entries);
}
