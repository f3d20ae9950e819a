//! Counts a contender's system calls per entry, with strace in untimed runs. Subtracting the calls
//! on a small tree from those on a larger one cancels the startup.

use crate::programs::on_path;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) type Calls = BTreeMap<String, u64>;

/// Excluded, because waits for other threads are random, and the allocator's calls are not
/// filesystem work.
const LEFT_OUT: [&str; 7] = ["futex", "brk", "mmap", "munmap", "mremap", "madvise", "mprotect"];

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slope {
    pub(crate) by_name: BTreeMap<String, i64>,
    pub(crate) entries: u64,
}

impl Slope {
    pub(crate) fn between(less: &Calls, more: &Calls, entries: u64) -> Self {
        let mut by_name = BTreeMap::new();
        for name in less.keys().chain(more.keys()) {
            let count = |calls: &Calls| {
                i64::try_from(calls.get(name).copied().unwrap_or(0)).unwrap_or(i64::MAX)
            };
            let difference = count(more) - count(less);
            if difference != 0 && !LEFT_OUT.contains(&name.as_str()) {
                by_name.insert(name.clone(), difference);
            }
        }
        Self { by_name, entries }
    }

    pub(crate) fn per_entry(&self) -> f64 {
        self.by_name.values().sum::<i64>() as f64 / self.entries as f64
    }
}

pub(crate) fn strace() -> Option<PathBuf> {
    on_path("strace").filter(|_| cfg!(target_os = "linux"))
}

pub(crate) fn counting(strace: &Path, log: &Path) -> Command {
    let mut command = Command::new(strace);
    command.args(["-f", "-c", "-o"]).arg(log).arg("--");
    command
}

pub(crate) fn parse(table: &str) -> Calls {
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
    fn a_table_of_strace_is_read() {
        let expected = [("futex", 7), ("openat", 242), ("unlinkat", 721)];
        assert_eq!(parse(TABLE), expected.map(|(name, count)| (name.to_owned(), count)).into());
        assert!(parse("strace: cannot").is_empty());
    }

    #[test]
    fn a_slope_leaves_out_starting_waiting_and_memory() {
        let less = [("execve", 1), ("openat", 4), ("futex", 9), ("brk", 2)];
        let more = [("execve", 1), ("openat", 24), ("unlinkat", 100), ("futex", 90)];
        let calls = |list: &[(&str, u64)]| -> Calls {
            list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        let slope = Slope::between(&calls(&less), &calls(&more), 60);
        assert_eq!(slope.by_name, [("openat".to_owned(), 20), ("unlinkat".to_owned(), 100)].into());
        assert!((slope.per_entry() - 2.0).abs() < 1e-9);
    }
}
