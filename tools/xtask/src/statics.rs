//! Runs the suites of the command with a static binary, which packages for any Linux hold.
//!
//! Budgets of calls are those of the GNU C library: how a program starts is the C library's.

use crate::host::{self, Failure, Outcome};
use crate::skips::{self, Skip};
use crate::test;

const TARGET: &str = "x86_64-unknown-linux-musl";

/// The suites that run.
const SUITES: &[&str] = &["authorities", "cli", "git", "gnu", "limits"];

/// The task `static-test`. The last line on standard output is the total.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("static-test takes no arguments"));
    }
    if !host::has_library(TARGET) {
        return skips::chore(&Skip {
            suite: "xtask".to_owned(),
            test: "static-test".to_owned(),
            reason: format!("no standard library for {TARGET} can be had here"),
        });
    }
    let mut cargo = host::cargo();
    cargo.args(["test", "--locked", "--no-fail-fast", "--package", "curt-cli"]);
    cargo.args(["--target", TARGET]);
    cargo.args(SUITES.iter().flat_map(|suite| ["--test", suite]));
    test::tallied(cargo.args(["--", "--show-output"]))
}
