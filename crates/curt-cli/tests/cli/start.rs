//! Start-up: how many calls an empty command makes.

use std::process::{Command, Stdio};

use curt_testkit::{Scratch, skip};

/// What design.md allows.
const BUDGET: usize = 75;

#[test]
fn an_empty_command_stays_within_its_budget() {
    let scratch = Scratch::new();
    for args in [&["rm", "-f"][..], &["rm", "-rf", "missing"]] {
        let log = scratch.at("log");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o"]).arg(&log).arg(env!("CARGO_BIN_EXE_curt")).args(args);
        command.current_dir(scratch.path()).stdin(Stdio::null());
        // Cargo's search path for libraries would be searched in vain, a call for each.
        command.env_remove("LD_LIBRARY_PATH");
        if !command.status().is_ok_and(|status| status.success()) {
            skip("strace is not installed, or may not trace");
            return;
        }
        let text = std::fs::read_to_string(&log).unwrap();
        let calls = text.lines().filter(|line| line.contains('(')).count();
        assert!(calls <= BUDGET, "{args:?}: {calls} calls\n{text}");
        scratch.remove("log");
    }
}
