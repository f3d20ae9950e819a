//! Starting a program by name costs the calls of the search and one `execve`.

use std::path::Path;

use curt_testkit::Scratch;

use crate::strace::{trace, tracing};

/// Returns the number of checked candidates, and of `execve` calls.
fn started(path: &str) -> (usize, usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (_, log) = trace(&Scratch::new(), program, &["run", "--path", path, "--", "true"]);
    let parent = log.split(' ').next().unwrap();
    let executed = log.lines().skip(1).filter(|line| line.contains(" execve(")).count();
    assert!(log.lines().all(|line| line.starts_with(parent)), "{log}");
    let before = log.lines().take_while(|line| !line.contains(" execve(\"/bin/true\""));
    (before.filter(|line| line.contains(" faccessat2(")).count(), executed)
}

#[test]
fn a_name_is_searched_for_and_not_tried() {
    let Some(()) = tracing() else { return };
    assert_eq!(started("/bin"), (1, 1));
    assert_eq!(started("/curt-no-such:/curt-no-such-either:/bin"), (3, 1));
}
