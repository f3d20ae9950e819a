//! The budget of `curt expand`: nothing for a path, one call for the working directory.

use std::path::Path;

use curt_testkit::Scratch;

use crate::strace::{count, total, trace, tracing};

/// What starting the command takes; more of it is in the snapshot `start`.
const STARTING: u64 = 8;

/// How many calls a command makes above an empty one, and the log.
fn calls(scratch: &Scratch, args: &[&str]) -> (u64, String) {
    let (_, log) = trace(scratch, Path::new(env!("CARGO_BIN_EXE_curt")), args);
    (total(&count(&log)), log)
}

#[test]
fn expanding_takes_no_call() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let paths: Vec<String> =
        (0..500).map(|number| format!("/marked/{number}/../x/./y//z")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for options in [
        &["expand", "--dotdot", "clamp"][..],
        &["expand", "--json"],
        &["expand", "--explain"],
        &["expand", "--flavor", "windows", "--cwd", r"C:\x", "--home", r"C:\h"],
        &["expand", "--style", "ruby"],
    ] {
        let (one, _) = calls(&scratch, &[options, &paths[..1]].concat());
        let (all, log) = calls(&scratch, &[options, &paths[..]].concat());
        assert!(all <= one + 1, "{options:?}: {one} calls for a path, {all} for 500\n{log}");
        let marked = log.lines().filter(|line| line.contains("marked"));
        let asked = marked.filter(|line| !line.contains("execve(") && !line.contains("write("));
        assert_eq!(asked.count(), 0, "{log}");
    }
}

#[test]
fn the_working_directory_is_read_once() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    for options in [&["expand"][..], &["expand", "--style", "ruby"]] {
        let (total, log) = calls(&scratch, &[options, &["a", "b/../c", "../d", "~/e"]].concat());
        let asked = log.lines().filter(|line| line.contains("getcwd(")).count();
        assert_eq!(asked, 1, "{log}");
        assert!(total <= STARTING + 1, "{total}\n{log}");
    }
    let (_, log) = calls(&scratch, &["expand", "/a/../b", "--base", "/c", "d"]);
    assert!(!log.contains("getcwd("), "{log}");
}

#[test]
fn only_users_are_looked_up() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let (_, log) = calls(&scratch, &["expand", "--style", "ruby", "--home", "/h", "~/x", "/~root"]);
    assert!(!log.contains("passwd"), "{log}");
    let (_, log) = calls(&scratch, &["expand", "--style", "ruby", "~root/x"]);
    assert!(log.contains("passwd"), "{log}");
}
