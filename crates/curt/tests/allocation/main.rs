//! What allocates nothing once it is warm: the check of a text, an open beneath a root.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use curt::paths::{Aliases, Flavor, PathCheck};
use curt_testkit::alloc::measure;

#[global_allocator]
static ALLOCATOR: curt_testkit::alloc::Counting = curt_testkit::alloc::Counting;

#[test]
fn the_check_of_a_text_allocates_nothing() {
    for flavor in [Flavor::Posix, Flavor::Windows] {
        for aliases in [Aliases::Open, Aliases::Strict] {
            let check = PathCheck::new(flavor).aliases(aliases);
            for text in ["pub/index.html", "a/../b/./c", "../x", "a/com1.txt", "caf\u{e9}~1/x.", ""]
            {
                let (_, usage) = measure(|| (check.check(text.as_bytes()), text.len()));
                assert_eq!(usage.count, 0, "{text} {check:?}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_open_beneath_a_root_allocates_nothing() {
    let scratch = curt_testkit::Scratch::new();
    scratch.file("a/b/c/file");
    let root = curt::Root::open(scratch.path()).unwrap();
    let options = curt::beneath::OpenOptions::new().read(true);
    root.open_file("a/b/c/file", &options).unwrap();
    let (file, usage) = measure(|| root.open_file("a/b/./c/file", &options));
    file.unwrap();
    // The first of this length makes room; the next finds it.
    let (file, usage_again) = measure(|| root.open_file("a/b/./c/file", &options));
    file.unwrap();
    assert!(usage.count <= 1, "{usage:?}");
    assert_eq!(usage_again.count, 0, "{usage_again:?}");
}
