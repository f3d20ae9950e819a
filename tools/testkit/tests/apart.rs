//! Tests that run in separate processes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

/// The test runs itself, so that the skip is seen here alone and no tally counts it.
#[test]
fn a_skip_in_another_process_is_passed_on() {
    const NAME: &str = "a_skip_in_another_process_is_passed_on";
    const INNER: &str = "CURT_TEST_SKIP_APART";
    if std::env::var_os(INNER).is_some() {
        if !curt_testkit::ran_apart(NAME) {
            curt_testkit::skip("on purpose");
        }
        return;
    }
    for threads in ["1", "2"] {
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args([NAME, "--exact", "--test-threads", threads]).env(INNER, "1");
        let output = test.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        let line = format!("skipped: curt-testkit/apart: {NAME}: on purpose");
        assert_eq!(said.matches(&line).count(), 1, "{said}");
    }
}
