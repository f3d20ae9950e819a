//! Start-up: how many calls an empty command makes.

use std::path::Path;

use curt_testkit::{Scratch, skip};

use crate::strace::{available, count, start_up, trace};

#[test]
fn an_empty_command_stays_within_its_budget() {
    if !available() {
        return skip("strace is not installed, or may not trace");
    }
    let scratch = Scratch::new();
    let budget = start_up(&scratch);
    for args in [&["rm", "-f"][..], &["rm", "-rf", "missing"]] {
        let (_, log) = trace(&scratch, Path::new(env!("CARGO_BIN_EXE_curt")), args);
        let calls: u64 = count(&log).values().sum();
        assert!(calls <= budget, "{args:?}: {calls} calls, {budget} allowed\n{log}");
    }
}
