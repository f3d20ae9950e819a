//! How much an operation takes: stack, heap, descriptors, at any depth and width; and what it does
//! where something runs out.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod heap;
mod shapes;
mod stack;
mod swapped;

use std::path::Path;

use curt::remove::Report;
use curt_testkit::Scratch;

#[global_allocator]
static ALLOCATOR: curt_testkit::alloc::Counting = curt_testkit::alloc::Counting;

/// Checks that everything was removed: this number of entries.
fn assert_all(report: &Report, files: u64, directories: u64) {
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (files, directories), "{report:?}");
}

/// Makes this number of empty files in a directory that exists.
fn fill(directory: &Path, files: usize) {
    for number in 0..files {
        std::fs::File::create(directory.join(format!("f{number}"))).unwrap();
    }
}

/// A chain of directories each of which also has `bushes` directories with `files` files. Returns
/// how many files and directories there are.
fn chain_with_bushes(
    scratch: &Scratch,
    root: &str,
    levels: usize,
    bushes: usize,
    files: usize,
) -> (u64, u64) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut at = openat(CWD, scratch.dir(root), flags, Mode::empty()).unwrap();
    for _ in 0..levels {
        for bush in 0..bushes {
            let name = format!("b{bush}");
            mkdirat(&at, &name, Mode::RWXU).unwrap();
            let bush = openat(&at, &name, flags, Mode::empty()).unwrap();
            for file in 0..files {
                openat(&bush, format!("f{file}"), new, Mode::RWXU).unwrap();
            }
        }
        mkdirat(&at, "chain", Mode::RWXU).unwrap();
        at = openat(&at, "chain", flags, Mode::empty()).unwrap();
    }
    ((levels * bushes * files) as u64, (1 + levels * (1 + bushes)) as u64)
}
