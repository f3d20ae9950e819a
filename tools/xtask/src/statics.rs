//! Runs the command's suites with a static binary, except the call ceilings, because the calls at
//! startup depend on the C library.

use crate::host::{self, Failure, Outcome};
use crate::skips::{self, Skip};
use crate::test;

const TARGET: &str = "x86_64-unknown-linux-musl";

/// The suites. A short run has only the suite and the tests in `SHORT`.
const SUITES: [&str; 5] = ["authorities", "cli", "git", "gnu", "limits"];
const SHORT: (&str, [&str; 2]) = ("gnu", ["rm::", "stat::"]);

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_short = arguments == ["--short"];
    if !arguments.is_empty() && !is_short {
        return Err(Failure::usage("static-test takes --short only"));
    }
    if !host::has_library(TARGET) {
        return skips::chore(&Skip {
            suite: "xtask".to_owned(),
            test: "static-test".to_owned(),
            reason: format!("no standard library for {TARGET} can be had here"),
        });
    }
    let mut selection = vec!["--package", "curt-cli", "--target", TARGET];
    let (suites, filters) =
        if is_short { (&[SHORT.0][..], &SHORT.1[..]) } else { (&SUITES[..], &[][..]) };
    selection.extend(suites.iter().flat_map(|suite| ["--test", suite]));
    test::conclude(&test::by_users(&selection, TARGET, filters, false)?)
}
