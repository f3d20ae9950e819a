//! Limits of stack, heap and descriptors for trees of any shape, and the behavior when one runs
//! out.
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

fn assert_all(report: &Report, files: u64, directories: u64) {
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (files, directories), "{report:?}");
}

fn fill(directory: &Path, files: usize) {
    for number in 0..files {
        std::fs::File::create(directory.join(format!("f{number}"))).unwrap();
    }
}
