//! Runs every suite and adds up the counts.
//!
//! A test that cannot run here prints `skipped: TEST: REASON` and returns; it is then counted as
//! skipped, not as passed. `--show-output` brings those lines out of tests that pass.

use crate::host::{self, Failure, Outcome};
use crate::say;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The task `test`. The last line on standard output is the total.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("test takes no arguments: it runs everything"));
    }
    let mut cargo = host::cargo();
    tallied(cargo.args(["test", "--workspace", "--no-fail-fast", "--", "--show-output"]))
}

/// Runs a command that runs suites. What they print is passed on, and then the total.
pub(crate) fn tallied(suites: &mut Command) -> Outcome {
    let mut child = suites.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut tally = Tally::default();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        // Tests may print anything: not every line is text.
        while reader.read_until(b'\n', &mut line)? != 0 {
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            say::out(text);
            tally.line(text);
            line.clear();
        }
    }
    let status = child.wait()?;
    if !status.success() && tally.failed == 0 {
        tally.failed = 1;
        say::out(format_args!("\na suite did not compile or did not end: {status}"));
    }
    say::out(tally.summary());
    if tally.failed == 0 {
        return Ok(());
    }
    Err(Failure::new("not every test passed"))
}

/// The counts so far.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Suites seen: tests of the same name in two suites are two tests.
    suites: usize,
    /// The test whose output is being shown.
    current: Option<String>,
    /// Tests that passed only because they skipped themselves.
    skipping: BTreeSet<(usize, String)>,
    /// What was skipped and why, in order.
    reasons: Vec<String>,
}

impl Tally {
    /// Takes one line of libtest's output.
    fn line(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count(counts, "passed");
            self.failed += count(counts, "failed");
            self.ignored += count(counts, "ignored");
            self.suites += 1;
            self.current = None;
        } else if let Some(header) = line.strip_prefix("---- ") {
            self.current = header.strip_suffix(" stdout ----").map(str::to_owned);
        } else if let Some(reason) = line.strip_prefix("skipped: ") {
            let name = reason.split(": ").next().unwrap_or(reason);
            let name = self.current.as_deref().unwrap_or(name);
            self.skipping.insert((self.suites, name.to_owned()));
            self.reasons.push(reason.to_owned());
        } else if let Some((test, reason)) = ignored(line) {
            self.reasons.push(format!("{test}: {reason}"));
        }
    }

    /// What was skipped, and the total as the last line.
    fn summary(&self) -> String {
        let mut text = String::new();
        if !self.reasons.is_empty() {
            text.push_str("\nskipped:\n");
        }
        for reason in &self.reasons {
            text.push_str("  ");
            text.push_str(reason);
            text.push('\n');
        }
        let passed = self.passed.saturating_sub(self.skipping.len());
        let skipped = self.ignored + self.skipping.len();
        text + &format!("{passed} passed, {} failed, {skipped} skipped", self.failed)
    }
}

/// The number before a word: `ok. 3 passed; 0 failed; …`.
fn count(counts: &str, word: &str) -> usize {
    let words: Vec<&str> = counts.split([' ', ';']).collect();
    let at = words.iter().position(|found| *found == word);
    at.and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok()).unwrap_or(0)
}

/// The test and the reason of a line `test NAME ... ignored, REASON`.
fn ignored(line: &str) -> Option<(&str, &str)> {
    let (test, verdict) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
    Some((test, verdict.strip_prefix(", ").unwrap_or("no reason given")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(text: &str) -> Tally {
        let mut tally = Tally::default();
        text.lines().for_each(|line| tally.line(line));
        tally
    }

    const SUITE: &str = "running 4 tests\ntest a ... ok\ntest b ... ok\n\
        test c ... ignored, needs a quiet machine\ntest d ... FAILED\n\nsuccesses:\n\n\
        ---- b stdout ----\nskipped: b: no strace\nskipped: b: no ext4\n\n\
        test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n";

    #[test]
    fn counts_are_added_over_suites() {
        let summary = tally(&SUITE.repeat(2)).summary();
        assert_eq!(summary.lines().last(), Some("2 passed, 2 failed, 4 skipped"));
    }

    #[test]
    fn every_reason_is_listed() {
        let summary = tally(SUITE).summary();
        let lines: Vec<&str> = summary.lines().collect();
        assert_eq!(
            lines[1..5],
            ["skipped:", "  c: needs a quiet machine", "  b: no strace", "  b: no ext4"]
        );
    }

    #[test]
    fn nothing_skipped_is_one_line() {
        let text = "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(tally(text).summary(), "12 passed, 0 failed, 0 skipped");
    }
}
