//! A start by name: the calls of the search, and one program that is executed.

use std::path::Path;

use curt_testkit::Scratch;

use crate::strace::{trace, tracing};

/// Traces a start of `true` by its name in this `PATH`. Returns what was asked about before the
/// start, and how many files the program was executed from, or tried to be.
fn started(path: &str) -> (usize, usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (_, log) = trace(&Scratch::new(), program, &["run", "--path", path, "--", "true"]);
    let parent = log.split(' ').next().unwrap();
    // The first line is curt itself, which becomes the program.
    let executed = log.lines().skip(1).filter(|line| line.contains(" execve(")).count();
    assert!(log.lines().all(|line| line.starts_with(parent)), "{log}");
    let before = log.lines().take_while(|line| !line.contains(" execve(\"/bin/true\""));
    (before.filter(|line| line.contains(" faccessat2(")).count(), executed)
}

/// However many directories are searched, one file is executed.
#[test]
fn a_name_is_searched_for_and_not_tried() {
    let Some(()) = tracing() else { return };
    assert_eq!(started("/bin"), (1, 1));
    assert_eq!(started("/curt-no-such:/curt-no-such-either:/bin"), (3, 1));
}
