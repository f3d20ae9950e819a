//! Runs every suite and adds up the counts.
//!
//! A test that cannot run here prints `skipped: SUITE: TEST: REASON` and returns; it is then
//! counted as skipped, not as passed. `skips` says which of them may.

use crate::host::{self, Failure, Outcome};
use crate::nobody::Suite;
use crate::say;
use crate::skips::{self, Skip};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The task `test`: everything, or one package with its default features. Root also runs the
/// library's unit tests as `nobody`, when all of them run. The last line on standard output is the
/// total.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut cargo = host::cargo();
    cargo.args(["test", "--locked", "--no-fail-fast"]);
    match arguments {
        [] => cargo.arg("--workspace"),
        [package] if !package.starts_with('-') => cargo.args(["--package", package]),
        _ => return Err(Failure::usage("test takes the name of one package, or nothing")),
    };
    let mut tally = run_suites(cargo.args(["--", "--show-output"]))?;
    let mut unlisted = owned(skips::unlisted(&tally.skips));
    if arguments.is_empty() && host::is_root() {
        let again = run_as_nobody()?;
        unlisted.extend(owned(skips::unlisted_of(&again.skips, false)));
        tally.add(again, "as nobody");
    }
    conclude(&tally, &unlisted)
}

/// Runs a command that runs suites. What they print is passed on, and then the total.
pub(crate) fn tallied(suites: &mut Command) -> Outcome {
    let tally = run_suites(suites)?;
    conclude(&tally, &owned(skips::unlisted(&tally.skips)))
}

fn owned(skips: Vec<&Skip>) -> Vec<Skip> {
    skips.into_iter().cloned().collect()
}

/// Runs the library's unit tests as `nobody`.
fn run_as_nobody() -> Result<Tally, Failure> {
    say::out("\nthe unit tests of the library, as nobody:");
    run_suites(&mut Suite::find()?.command())
}

/// Runs a command that runs suites, passes on what they print, and counts.
fn run_suites(suites: &mut Command) -> Result<Tally, Failure> {
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
    Ok(tally)
}

/// Says the total, and whether all went well.
fn conclude(tally: &Tally, unlisted: &[Skip]) -> Outcome {
    if !unlisted.is_empty() {
        say::out("\nskipped, and not listed in tools/xtask/src/skips.txt:");
        for skip in unlisted {
            say::out(format_args!("  {skip}"));
        }
    }
    say::out(tally.summary());
    match (tally.failed, unlisted.is_empty()) {
        (0, true) => Ok(()),
        (0, false) => Err(Failure::new("a test was skipped that must run")),
        _ => Err(Failure::new("not every test passed")),
    }
}

/// The counts so far.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Tests that passed only because they skipped themselves, with every reason.
    skips: BTreeSet<Skip>,
    /// Tests that libtest ignored, and why.
    ignores: Vec<String>,
}

impl Tally {
    /// Takes one line of libtest's output.
    fn line(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count(counts, "passed");
            self.failed += count(counts, "failed");
            self.ignored += count(counts, "ignored");
        } else if let Some(skip) = skipped(line) {
            self.skips.insert(skip);
        } else if let Some((test, reason)) = ignored(line) {
            self.ignores.push(format!("{test}: {reason}"));
        }
    }

    /// Adds the counts of suites that ran a second time, in the way that `how` says.
    fn add(&mut self, other: Tally, how: &str) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.ignores.extend(other.ignores);
        let skips = other.skips.into_iter();
        self.skips
            .extend(skips.map(|skip| Skip { suite: format!("{} {how}", skip.suite), ..skip }));
    }

    /// What was skipped, and the total as the last line.
    fn summary(&self) -> String {
        let skips = self.skips.iter().map(Skip::to_string);
        let reasons: Vec<String> = skips.chain(self.ignores.iter().cloned()).collect();
        let mut text = String::new();
        if !reasons.is_empty() {
            text = format!("\nskipped:\n  {}\n", reasons.join("\n  "));
        }
        let tests = self.skips.iter().map(|skip| (&skip.suite, &skip.test));
        let skipping = tests.collect::<BTreeSet<_>>().len();
        let passed = self.passed.saturating_sub(skipping);
        let skipped = self.ignored + skipping;
        text + &format!("{passed} passed, {} failed, {skipped} skipped", self.failed)
    }
}

/// What a line says was skipped. With one test thread libtest has begun a line before the test
/// runs.
fn skipped(line: &str) -> Option<Skip> {
    let line = match line.strip_prefix("test ") {
        Some(begun) => begun.split_once(" ... ")?.1,
        None => line,
    };
    Skip::parse(line.strip_prefix("skipped: ")?)
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
        test c ... ignored, needs a quiet machine\ntest d ... FAILED\n\n\
        skipped: SUITE: b: no strace\nskipped: SUITE: b: no ext4\n\n\
        test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n";

    #[test]
    fn counts_are_added_over_suites() {
        let text = SUITE.to_owned() + &SUITE.replace("SUITE", "curt/other");
        let summary = tally(&text).summary();
        assert_eq!(summary.lines().last(), Some("2 passed, 2 failed, 4 skipped"));
    }

    #[test]
    fn suites_that_ran_twice_are_counted_twice() {
        let mut first = tally(SUITE);
        first.add(tally(SUITE), "as nobody");
        let summary = first.summary();
        assert!(summary.contains("  SUITE as nobody: b: no ext4\n"), "{summary}");
        assert_eq!(summary.lines().last(), Some("2 passed, 2 failed, 4 skipped"));
    }

    #[test]
    fn every_reason_is_listed() {
        let summary = tally(SUITE).summary();
        let lines: Vec<&str> = summary.lines().collect();
        let skips = ["  SUITE: b: no ext4", "  SUITE: b: no strace", "  c: needs a quiet machine"];
        assert_eq!(lines[1], "skipped:");
        assert_eq!(lines[2..5], skips);
    }

    #[test]
    fn one_test_thread_puts_the_name_before_the_reason() {
        let text = "test b ... skipped: curt-cli/gnu: b: no strace\nok\n\ntest result: ok. \
            1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(tally(text).summary().lines().last(), Some("0 passed, 0 failed, 1 skipped"));
    }

    #[test]
    fn nothing_skipped_is_one_line() {
        let text = "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(tally(text).summary(), "12 passed, 0 failed, 0 skipped");
    }
}
