//! What allocates nothing once it is warm: a hit of a search, the check of a text, an open beneath
//! a root.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use curt::Search;
use curt::paths::{Aliases, Flavor, PathCheck};
use curt::which::Found;
use curt_testkit::Scratch;
use curt_testkit::alloc::measure;

#[global_allocator]
static ALLOCATOR: curt_testkit::alloc::Counting = curt_testkit::alloc::Counting;

/// A program in the last of many directories.
fn ground() -> (Scratch, String) {
    let scratch = Scratch::new();
    let separator = if cfg!(windows) { ";" } else { ":" };
    let mut entries = Vec::new();
    for number in 0..50 {
        let directory = scratch.dir(format!("d{number}"));
        scratch.file(format!("d{number}/program.txt"));
        entries.push(directory.display().to_string());
    }
    scratch.file("d49/program.exe");
    let plain = scratch.file("d49/program");
    executable(&plain);
    (scratch, entries.join(separator))
}

#[cfg(unix)]
fn executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn executable(_path: &std::path::Path) {}

#[test]
fn a_hit_allocates_nothing() {
    let (_scratch, path) = ground();
    let search = Search::new().path(&path).pathext(".COM;.EXE;.BAT;.CMD");
    let mut found = Found::default();
    search.find_into("program", &mut found).unwrap();
    let (result, usage) = measure(|| search.find_into("program", &mut found));
    result.unwrap();
    assert!(found.path().parent().unwrap().ends_with("d49"), "{found:?}");
    assert_eq!(usage.count, 0, "{usage:?}");
}

#[test]
fn a_session_allocates_nothing_either() {
    let (_scratch, path) = ground();
    let session = Search::new().path(&path).pathext(".COM;.EXE;.BAT;.CMD").session();
    let mut found = Found::default();
    session.find_into("program", &mut found).unwrap();
    let (result, usage) = measure(|| session.find_into("program", &mut found));
    result.unwrap();
    assert_eq!(usage.count, 0, "{usage:?}");
}

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
    let scratch = Scratch::new();
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
