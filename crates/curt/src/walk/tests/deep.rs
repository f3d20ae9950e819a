//! Trees that are deeper than descriptors, paths and stacks reach.

use curt_testkit::Scratch;

use super::{on_real_platforms, plan, walk};
#[cfg(target_os = "linux")]
use crate::sys::Setup;
use crate::sys::tests::as_here;
use crate::sys::{Feature, Sys};
use crate::walk::Order;

on_real_platforms!(a_comb_is_complete, small_stacks_are_enough);

/// How deep a tree is; less where the standard library cannot make long paths.
fn levels<S: Sys>(most: usize) -> usize {
    if std::any::type_name::<S>().contains("Other") || cfg!(windows) { 60 } else { most }
}

/// A chain of directories.
#[cfg(unix)]
fn chain(scratch: &Scratch, levels: usize, name: &str) {
    scratch.deep("t", levels, name);
}

/// A chain of directories, no longer than a path may be.
#[cfg(windows)]
fn chain(scratch: &Scratch, levels: usize, name: &str) {
    scratch.dir(format!("t{}", format!("/{name}").repeat(levels)));
}

/// A chain with branches at every level, before and behind the next level in every order.
fn comb(scratch: &Scratch, levels: usize) {
    chain(scratch, levels, "spine");
    let mut path = String::from("t");
    for level in 0..levels.min(100) {
        scratch.dir(format!("{path}/branch-{level}"));
        scratch.dir(format!("{path}/a-{level}"));
        path += "/spine";
    }
}

fn a_comb_is_complete<S: Sys>() {
    let scratch = Scratch::new();
    let levels = levels::<S>(400);
    comb(&scratch, levels);
    let expected = levels + 1 + 2 * levels.min(100);
    for options in [plan(), plan().sort(Order::default())] {
        let few = options.descriptors(8);
        for options in
            [few.clone(), few.clone().without(Feature::Openat2), few.contents_first(true)]
        {
            let seen = walk::<S>(&options, &scratch, "t");
            assert!(seen.errors.is_empty(), "{:?}", &seen.errors[..1]);
            assert_eq!(seen.entries.len(), expected);
        }
    }
}

fn small_stacks_are_enough<S: Sys>() {
    let scratch = Scratch::new();
    let levels = levels::<S>(1_000);
    chain(&scratch, levels, "d");
    std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let work = || walk::<S>(&plan().descriptors(8), &scratch, "t");
        let seen = small.spawn_scoped(scope, as_here(work)).unwrap().join().unwrap();
        assert_eq!(seen.entries.len(), levels + 1);
    });
}

/// Each open fails in its turn. If that opens a directory again, the error of the system is
/// reported, and the rest of the directory is lost.
#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_cannot_be_opened_again_is_reported_with_its_reason() {
    use crate::sys::Os;
    use crate::sys::fault::Faults;
    let scratch = Scratch::new();
    let mut path = String::from("t");
    for _ in 0..15 {
        for branch in ["branch", "spine", "then"] {
            scratch.dir(format!("{path}/{branch}"));
        }
        path += "/spine";
    }
    let options = plan().sort(Order::default()).descriptors(8);
    let whole = walk::<Os>(&options, &scratch, "t").entries.len();
    let mut reopened = 0;
    for call in 0..200 {
        let faults = std::sync::Arc::new(Faults::default().fail("openat2", call, libc::EIO));
        let setup = Setup { faults: Some(std::sync::Arc::clone(&faults)), ..Setup::default() };
        let (base, operand) = (scratch.path(), scratch.at("t"));
        let seen = super::walk_with::<Os>(&setup, &options, base, &operand);
        if faults.hits() == 0 {
            break;
        }
        assert_eq!(seen.errors.len(), 1, "{call}: {:?}", seen.errors);
        assert_eq!(seen.errors[0].raw_os_error(), Some(libc::EIO), "{:?}", seen.errors);
        let path = super::spelled(seen.errors[0].path().strip_prefix(base).unwrap());
        let below = format!("{path}/");
        if seen.paths().iter().any(|seen| seen.starts_with(&below)) {
            assert!(seen.entries.len() < whole, "{path}");
            reopened += 1;
        } else {
            assert!(seen.paths().contains(&path.as_str()), "{path}");
        }
    }
    assert!(reopened > 0, "no directory was closed in between");
}
