//! Runs every suite and adds up the counts. A test that cannot run here prints `skipped: SUITE:
//! TEST: REASON`. For root, the suites run as `daemon`, because root's privileges hide failures;
//! tests that skip as `daemon` run again as root.

use crate::host::{self, Failure, Folder, Outcome};
use crate::say;
use crate::skips::{self, Skip};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the tests' directory. Without `TMPDIR`, it is in `/dev/shm` if 2 GB are free and programs
/// can run in there, because most tests then take half the time.
pub(crate) const FOLDER: &str = r#"
place=${TMPDIR:-/dev/shm}
if [ -z "${TMPDIR:-}" ] && ! [ "$(df -k --output=avail /dev/shm | tail -n 1)" -gt 2000000 ]; then
    place=/tmp
fi
folder=$(mktemp -d -p "$place" curt-tests-XXXXXX)
if ! { cp /bin/true "$folder" && "$folder/true"; }; then
    rm -r "$folder"
    folder=$(mktemp -d -p /tmp curt-tests-XXXXXX)
fi
rm -f "$folder/true"
chmod 1777 "$folder"
echo "$folder"
"#;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let selection = match arguments {
        [] => vec!["--workspace"],
        [package] if !package.starts_with('-') => vec!["--package", package],
        _ => return Err(Failure::usage("test takes the name of one package, or nothing")),
    };
    conclude(&by_users(&selection, &host::triple(), &[], true)?)
}

pub(crate) fn by_users(
    selection: &[&str],
    target: &str,
    filters: &[&str],
    has_documents: bool,
) -> Result<Tally, Failure> {
    let suites = |more: &[&str]| {
        let mut cargo = host::cargo();
        cargo.args(["test", "--locked", "--no-fail-fast"]).args(selection).args(more);
        cargo
    };
    if !cfg!(target_os = "linux") {
        return run_suites(suites(&["--", "--show-output"]).args(filters));
    }
    let folder = Folder::made_by(&["sh", "-euc", FOLDER])?;
    let suites = |more: &[&str]| {
        let mut cargo = suites(more);
        cargo.env("TMPDIR", folder.path());
        cargo
    };
    if !host::is_root() {
        return run_suites(suites(&["--", "--show-output"]).args(filters));
    }
    let mut tally = run_suites(&mut suites(&["--no-run"]))?;
    if tally.failed > 0 {
        return Ok(tally);
    }
    let runner = as_daemon(target)?;
    let all = if has_documents { &["--tests"][..] } else { &[] };
    let mut daemon = suites(&[all, &["--config", &runner, "--", "--show-output"]].concat());
    tally.add(run_suites(daemon.args(filters))?);
    let names = tally.leave_out_skips();
    if has_documents {
        say::out("\nexamples in the documentation, as root, who has the compiler:");
        tally.add(run_suites(&mut suites(&["--doc", "--", "--show-output"]))?);
    }
    if !names.is_empty() {
        say::out("\nwhat skipped itself as daemon, as root:");
        let mut again = suites(&[all, &["--", "--show-output", "--exact"]].concat());
        let again = run_suites(again.args(&names))?;
        if again.passed + again.failed < names.len() {
            return Err(Failure::new("a test that skipped itself was not found again"));
        }
        tally.add(again);
    }
    Ok(tally)
}

fn as_daemon(target: &str) -> Result<String, Failure> {
    let script = host::checkout().join("tools/xtask/src/daemon.sh");
    let built = host::target();
    fs::create_dir_all(&built)?;
    let compiler = host::output_of("rustc", &["--print", "sysroot"]).unwrap_or_default();
    let compiler = Path::new(compiler.trim());
    let words = [Path::new("sh"), Path::new("-eu"), &script, &host::checkout(), &built, compiler];
    let words: Vec<String> = words.iter().map(|word| format!("'{}'", word.display())).collect();
    Ok(format!("target.{target}.runner = [{}]", words.join(", ")))
}

pub(crate) fn run_suites(suites: &mut Command) -> Result<Tally, Failure> {
    let mut child = suites.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut tally = Tally::default();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
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

pub(crate) fn conclude(tally: &Tally) -> Outcome {
    let unlisted = skips::unlisted(&tally.skips);
    if !unlisted.is_empty() {
        say::out("\nskipped, and not listed in tools/xtask/src/skips.txt:");
        for skip in &unlisted {
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

#[derive(Debug, Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Tests that the harness counts as passed although they skipped themselves.
    skips: BTreeSet<Skip>,
    ignores: Vec<String>,
}

impl Tally {
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

    pub(crate) fn skip(&mut self, skip: Skip) {
        self.passed += 1;
        self.skips.insert(skip);
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.ignores.extend(other.ignores);
        self.skips.extend(other.skips);
    }

    fn leave_out_skips(&mut self) -> BTreeSet<String> {
        self.passed = self.passed.saturating_sub(self.skipping());
        std::mem::take(&mut self.skips).into_iter().map(|skip| skip.test).collect()
    }

    fn skipping(&self) -> usize {
        self.skips.iter().map(|skip| (&skip.suite, &skip.test)).collect::<BTreeSet<_>>().len()
    }

    pub(crate) fn summary(&self) -> String {
        let skips = self.skips.iter().map(Skip::to_string);
        let reasons: Vec<String> = skips.chain(self.ignores.iter().cloned()).collect();
        let mut text = String::new();
        if !reasons.is_empty() {
            text = format!("\nskipped:\n  {}\n", reasons.join("\n  "));
        }
        let passed = self.passed.saturating_sub(self.skipping());
        let skipped = self.ignored + self.skipping();
        text + &format!("{passed} passed, {} failed, {skipped} skipped", self.failed)
    }
}

/// With one test thread, libtest has already printed `test NAME ... ` on the line.
fn skipped(line: &str) -> Option<Skip> {
    let line = match line.strip_prefix("test ") {
        Some(begun) => begun.split_once(" ... ")?.1,
        None => line,
    };
    Skip::parse(line.strip_prefix("skipped: ")?)
}

fn count(counts: &str, word: &str) -> usize {
    let words: Vec<&str> = counts.split([' ', ';']).collect();
    let at = words.iter().position(|found| *found == word);
    at.and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok()).unwrap_or(0)
}

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
    fn what_skipped_itself_and_runs_again_is_counted_once() {
        let mut first = tally(SUITE);
        assert_eq!(first.leave_out_skips(), BTreeSet::from(["b".to_owned()]));
        first.add(tally("test result: ok. 1 passed; 0 failed; 0 ignored; 9 filtered out"));
        assert_eq!(first.summary().lines().last(), Some("2 passed, 1 failed, 1 skipped"));
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
