//! Looking for programs allocates nothing on a hit, once the search is warm.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use curt::{Found, Search};
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
    let mut search = Search::new().path(&path).pathext(".COM;.EXE;.BAT;.CMD");
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
    let mut session = Search::new().path(&path).pathext(".COM;.EXE;.BAT;.CMD").session();
    let mut found = Found::default();
    session.find_into("program", &mut found).unwrap();
    let (result, usage) = measure(|| session.find_into("program", &mut found));
    result.unwrap();
    assert_eq!(usage.count, 0, "{usage:?}");
}
