use std::path::Path;

use curt_testkit::Scratch;

use super::Walk;
use super::control::Control;
use super::cursor::{Cursor, Step};
use crate::calls::Calls;
#[cfg(unix)]
use crate::control::SameFileSystem;
use crate::error::Error;
use crate::fields::Kind;
#[cfg(unix)]
use crate::fields::{Fields, Follow};
#[cfg(target_os = "linux")]
use crate::sys::Feature;
use crate::sys::tests::on_real_platforms;
use crate::sys::{Setup, Sys};
use crate::tree::Stop;

mod deep;
mod ignoring;
mod imagined;
mod visiting;

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

fn spelled(path: &Path) -> String {
    path.display().to_string().replace(std::path::MAIN_SEPARATOR, "/")
}

fn sample() -> Scratch {
    sample_in(Scratch::new())
}

fn sample_in(scratch: Scratch) -> Scratch {
    scratch.tree("", "t/a/deep/er/x t/a/y t/b/z t/a.b t/c/only/one/chain/end t/~");
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

#[test]
#[cfg(unix)]
fn only_operands_are_followed_on_request() {
    let scratch = Scratch::new();
    scratch.tree("t", "real/file real/back->.. alias->real");
    let entries = |follow| {
        let walk_of = Walk::of(Vec::new()).follow(follow);
        walk::<crate::sys::Os>(&walk_of, &scratch, "t/alias").entries.len()
    };
    assert_eq!([Follow::Never, Follow::CommandLine].map(entries), [1, 3]);
}

/// Fetches the creation time, because the first query has not returned it.
#[test]
#[cfg(unix)]
fn fetching_more_follows_the_text_of_an_operand() {
    let scratch = Scratch::new();
    scratch.tree("t", "real/file");
    std::thread::sleep(std::time::Duration::from_millis(20));
    scratch.tree("t", "alias->real");
    for (operand, named) in [("t/alias", "t/alias"), ("t/alias/", "t/real")] {
        let created = std::fs::symlink_metadata(scratch.at(named)).unwrap().created().ok();
        for contents_first in [false, true] {
            let options = plan().contents_first(contents_first);
            let mut cursor = options.cursor::<crate::sys::Os>(&Setup::default());
            let mut fetched = None;
            each_step(&mut cursor, &options, &scratch.at(operand), |cursor, _| {
                let mut entry = cursor.entry();
                if entry.depth() == 0 {
                    fetched = entry.fetch(Fields::CREATED).created().known();
                }
            });
            if let Some(fetched) = fetched {
                let wrong = format!("{operand}, contents first: {contents_first}");
                assert_eq!(fetched.to_system_time(), created, "{wrong}");
            }
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_costs_its_listing_and_two_calls() {
    use crate::sys::Os;
    let scratch = sample();
    let listings = 21 * 4;
    let entries = walk::<Os>(&plan(), &scratch, "t").entries.len() as u64;
    let costs = |options: &Walk<'_>, wanted: u64| {
        // Take the minimum, because a signal during a listing call costs another call.
        let walks = (0..3).map(|_| walk::<Os>(options, &scratch, "t"));
        let seen = walks.min_by_key(|seen| seen.calls.total()).unwrap();
        assert_eq!(seen.entries.len() as u64, entries);
        assert_eq!(seen.calls.total(), wanted, "{:?}", seen.calls);
    };
    // The 2 calls are the queries of the operand and of the descriptor limit.
    costs(&plan(), listings + 2);
    costs(&plan().sort_by_name(true), listings + 2);
    costs(&plan().same_file_system(SameFileSystem::Mount), listings + 2);
    costs(&plan().same_file_system(true), listings + 21 + 2);
    costs(&Walk::of(Vec::new()).fields(Fields::SIZE), listings + 1 + entries);
    costs(&Walk::of(Vec::new()).follow(Follow::Links), listings + 2);
    let older = plan().without(Feature::Openat2).without(Feature::Statx);
    assert_eq!(walk::<Os>(&older, &scratch, "t").entries.len() as u64, entries);
}
