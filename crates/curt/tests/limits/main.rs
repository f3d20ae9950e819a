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
