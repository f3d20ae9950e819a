//! How many system calls a contender makes, counted in runs that are not timed.
//!
//! What is wanted is the slope: calls for the entries, without what starting the program costs. So
//! the calls of a run on an empty directory are subtracted from those of a run on a tree.

use super::contender::{Contender, Counting, on_path, quiet};
use super::measure::run_to_end;
use super::progress::Interrupt;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Calls by name.
pub(crate) type Calls = BTreeMap<String, u64>;

/// Waiting for other threads is not work on files, and how often it happens is chance.
const NOT_COUNTED: &str = "futex";

/// The calls made for the entries of a tree, its root left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slope {
    /// Calls by name, more than in the empty run.
    pub(crate) by_name: BTreeMap<String, i64>,
    /// Entries of the tree, its root left out.
    pub(crate) entries: u64,
}

impl Slope {
    /// The difference of two counts.
    pub(crate) fn between(empty: &Calls, full: &Calls, entries: u64) -> Self {
        let mut by_name = BTreeMap::new();
        for name in empty.keys().chain(full.keys()) {
            let count = |calls: &Calls| {
                i64::try_from(calls.get(name).copied().unwrap_or(0)).unwrap_or(i64::MAX)
            };
            let more = count(full) - count(empty);
            if more != 0 && name != NOT_COUNTED {
                by_name.insert(name.clone(), more);
            }
        }
        Self { by_name, entries }
    }

    /// Calls for each entry.
    pub(crate) fn per_entry(&self) -> f64 {
        self.by_name.values().sum::<i64>() as f64 / self.entries as f64
    }
}

/// Counts with whatever means the contender has.
#[derive(Debug)]
pub(crate) struct Counter {
    strace: Option<PathBuf>,
}

impl Counter {
    /// Looks for strace.
    pub(crate) fn new() -> Self {
        Self { strace: on_path("strace").filter(|_| cfg!(target_os = "linux")) }
    }

    /// Whether calls of programs that do not count themselves can be counted.
    pub(crate) fn has_strace(&self) -> bool {
        self.strace.is_some()
    }

    /// The calls of one run of `contender` on `path`. Nothing when they cannot be counted, or the
    /// run failed.
    pub(crate) fn count(&self, contender: &Contender, path: &Path, run: &Run<'_>) -> Option<Calls> {
        let calls = match contender.counting {
            Counting::Itself => {
                let mut asking = contender.clone();
                ask(&mut asking, &["--stats", "--json"]);
                parse_summary(&run.text(asking.command(path), None)?)
            }
            Counting::Either if self.strace.is_none() => {
                let mut asking = contender.clone();
                ask(&mut asking, &["--stats"]);
                Some(parse_stats(&run.said(asking.command(path))?))
            }
            Counting::Strace | Counting::Either => {
                let mut command = Command::new(self.strace.as_ref()?);
                let log = run.scratch.join("strace");
                command.args(["-f", "-c", "-o"]).arg(&log).arg("--").arg(&contender.program);
                command.args(&contender.before).arg(path).args(&contender.after);
                quiet(&mut command);
                Some(parse_strace(&run.text(command, Some(log))?))
            }
        };
        calls.filter(|calls| !calls.is_empty())
    }
}

/// How a counting run is kept in check.
pub(crate) struct Run<'a> {
    /// A folder for files of ours.
    pub(crate) scratch: &'a Path,
    /// After this it is killed.
    pub(crate) patience: Duration,
    /// The user may want to stop.
    pub(crate) interrupt: &'a Interrupt,
}

impl Run<'_> {
    /// What the command wrote to `log`, or else to its standard output, if it succeeded.
    fn text(&self, command: Command, log: Option<PathBuf>) -> Option<String> {
        let (output, _) = self.to_end(command)?;
        read(&log.unwrap_or(output))
    }

    /// What the command wrote to its standard error, if it succeeded.
    fn said(&self, command: Command) -> Option<String> {
        let (_, said) = self.to_end(command)?;
        read(&said)
    }

    /// The files with what the command wrote, if it succeeded.
    fn to_end(&self, mut command: Command) -> Option<(PathBuf, PathBuf)> {
        let output = self.scratch.join("stdout");
        command.stdout(File::create(&output).ok()?);
        let said = self.scratch.join("stderr");
        let ended = run_to_end(&mut command, &said, self.patience, self.interrupt).ok()?;
        (!ended.killed && ended.status.success()).then_some((output, said))
    }
}

fn read(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
}

/// Asks curt: the options go in front of the `--` that ends the options.
fn ask(contender: &mut Contender, options: &[&str]) {
    let words = &mut contender.before;
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, options.iter().map(Into::into));
}

/// The counts that `--stats` writes for people: a line of a number and a name for each.
fn parse_stats(said: &str) -> Calls {
    let pair = |line: &str| {
        let (count, name) = line.trim().split_once(' ')?;
        (!name.contains(' ')).then_some((name.to_owned(), count.parse().ok()?))
    };
    said.lines().filter_map(pair).collect()
}

/// The counts in the last line of curt's JSON output.
fn parse_summary(output: &str) -> Option<Calls> {
    let line = output.lines().rev().find(|line| !line.trim().is_empty())?;
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let calls = value.get("summary")?.get("calls")?.as_object()?;
    let counts = calls.iter().filter(|(name, _)| *name != "total");
    let counts: Calls =
        counts.filter_map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect();
    if counts.is_empty() {
        // Only a sum: still a count.
        let total = calls.get("total")?.as_u64()?;
        return Some(Calls::from([("total".to_owned(), total)]));
    }
    Some(counts)
}

/// The table that `strace -c` writes: the fourth column counts, the last names.
fn parse_strace(table: &str) -> Calls {
    let mut calls = Calls::new();
    for line in table.lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (Some(count), Some(name)) = (fields.get(3), fields.last()) else {
            continue;
        };
        if fields.len() < 5 || *name == "total" {
            continue;
        }
        if let Ok(count) = count.parse() {
            calls.insert((*name).to_owned(), count);
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 74.00    0.006400           8       721           unlinkat
  9.64    0.000834           3       242         1 openat
  0.00    0.000000           0         7           futex
------ ----------- ----------- --------- --------- ----------------
100.00    0.008649           5       970         1 total
";

    #[test]
    fn strace_table() {
        let calls = parse_strace(TABLE);
        let expected = [("futex", 7), ("openat", 242), ("unlinkat", 721)];
        assert_eq!(calls, expected.map(|(name, count)| (name.to_owned(), count)).into());
        assert!(parse_strace("strace: cannot").is_empty());
    }

    #[test]
    fn summary_is_the_last_line() {
        let output = "{\"path\":\"x\"}\n{\"summary\":{\"files\":3,\"calls\":{\"openat2\":2,\"unlinkat\":5,\"total\":7}}}\n";
        let calls = parse_summary(output).unwrap();
        assert_eq!(calls, [("openat2".to_owned(), 2), ("unlinkat".to_owned(), 5)].into());
        assert_eq!(parse_summary("{\"summary\":{\"calls\":{\"total\":9}}}").unwrap()["total"], 9);
        assert_eq!(parse_summary("{\"summary\":{}}"), None);
        assert_eq!(parse_summary(""), None);
        assert_eq!(parse_summary("curt rm: removed"), None);
    }

    #[test]
    fn stats_for_people() {
        let said =
            "curt walk: 3 entries, 1 thread, 7 calls\n           2 openat\n           5 close\n";
        let expected = [("openat".to_owned(), 2), ("close".to_owned(), 5)].into();
        assert_eq!(parse_stats(said), expected);
        assert!(parse_stats("cannot").is_empty());
    }

    #[test]
    fn slope_leaves_out_starting_and_waiting() {
        let empty = [("execve", 1), ("openat", 4), ("futex", 9), ("gone", 2)];
        let full = [("execve", 1), ("openat", 24), ("unlinkat", 100), ("futex", 90)];
        let calls = |list: &[(&str, u64)]| -> Calls {
            list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        let slope = Slope::between(&calls(&empty), &calls(&full), 59);
        assert_eq!(slope.by_name.get("openat"), Some(&20));
        assert_eq!(slope.by_name.get("execve"), None);
        assert_eq!(slope.by_name.get("futex"), None);
        assert!((slope.per_entry() - 2.0).abs() < 1e-9);
    }
}
