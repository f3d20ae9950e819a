//! Runs every test of the Windows build under Wine, and adds up the counts.
//!
//! The chores themselves are for Unix: they are left out.

use super::Windows;
use crate::host::{Failure, Outcome};
use crate::test;

/// The task `windows-test`: every test, or those whose names contain one of the filters.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument.starts_with('-')) {
        return Err(Failure::usage("windows-test takes parts of the names of tests, or nothing"));
    }
    let windows = Windows::ready()?;
    let mut cargo = vec!["test", "--workspace", "--exclude", "xtask", "--no-fail-fast"];
    cargo.extend(["--", "--show-output"]);
    cargo.extend(arguments.iter().map(String::as_str));
    test::tallied(&mut windows.session(&windows.cargo(&cargo))?)
}
