//! Runs the tests under Wine. xtask's own tests are left out, because they are for Unix.

use super::Windows;
use crate::host::{Failure, Outcome};
use crate::test::{self, Tally};

const SHORT: [&[&str]; 2] = [&["--lib", "--", "sys::tests"], &["--test", "win32", "--"]];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let windows = Windows::ready()?;
    let run = |selection: &[&str]| {
        let cargo = [&["test", "--no-fail-fast"], selection, &["--show-output"]].concat();
        test::run_suites(&mut windows.session(&windows.cargo(&cargo)))
    };
    if arguments == ["--short"] {
        let mut tally = Tally::default();
        for selection in SHORT {
            tally.add(run(&[&["--package", "curt", "--package", "curt-cli"], selection].concat())?);
        }
        return test::conclude(&tally);
    }
    if arguments.iter().any(|argument| argument.starts_with('-')) {
        let text = "windows-test takes --short, or parts of the names of tests, or nothing";
        return Err(Failure::usage(text));
    }
    let mut selection = vec!["--workspace", "--exclude", "xtask", "--"];
    selection.extend(arguments.iter().map(String::as_str));
    test::conclude(&run(&selection)?)
}
