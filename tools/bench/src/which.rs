//! The operation `which`: ways of searching by Windows' rules, counted and not timed.
//!
//! What is counted are native calls over a file system in memory, so the table is the same on every system
//! and in every run: that of the ways is what the reports of Zig and libuv compare.

use std::fmt::Write as _;

use curt::model::{Counted, WAYS, count};
use serde_json::{Value, json};

/// As `--operation` takes it.
pub(super) const NAME: &str = "which";

/// What the largest directories are divided by, unless a run is full.
const SHRINK: usize = 10;

/// The counts of a run.
pub(super) struct Table(Vec<Counted>);

impl Table {
    /// Counts.
    pub(super) fn measure(full: bool) -> Table {
        Table(count(if full { 1 } else { SHRINK }))
    }

    /// The table as text, or as Markdown.
    pub(super) fn render(&self, markdown: bool) -> String {
        let mut text = String::from(if markdown { "## " } else { "" });
        // Writing into memory cannot fail.
        let _ = writeln!(
            text,
            "Looking for a program by Windows' rules (which): native calls, counted\n"
        );
        let _ = writeln!(
            text,
            "Over a file system in memory that counts as ntdll does. 'found in 197 of 211' is a whole search,\n\
             the others one directory. curt's calls include those for the spelling of what was found. The\n\
             two largest directories are a tenth of their size without --full, which changes 'read all' alone.\n"
        );
        if markdown {
            let _ = writeln!(text, "| workload | extensions | {} |", WAYS.join(" | "));
            let _ = writeln!(text, "|---|---:|{}", "---:|".repeat(WAYS.len()));
        } else {
            let [first, second, third, fourth] = WAYS;
            let _ = writeln!(
                text,
                "{:<24} {:>10} {first:>12} {second:>12} {third:>16} {fourth:>8}",
                "workload", "extensions"
            );
        }
        for row in &self.0 {
            let [first, second, third, fourth] = row.calls;
            let (workload, extensions) = (row.workload, row.extensions);
            let _ = if markdown {
                writeln!(
                    text,
                    "| {workload} | {extensions} | {first} | {second} | {third} | {fourth} |"
                )
            } else {
                writeln!(
                    text,
                    "{workload:<24} {extensions:>10} {first:>12} {second:>12} {third:>16} {fourth:>8}"
                )
            };
        }
        text
    }

    /// The counts, one object for each way.
    pub(super) fn json(&self) -> Vec<Value> {
        let ways = |row: &Counted| WAYS.into_iter().zip(row.calls).collect::<Vec<_>>();
        let rows = self.0.iter().flat_map(|row| {
            ways(row).into_iter().map(|(way, calls)| {
                json!({
                    "command": way,
                    "parameters": {
                        "operation": NAME,
                        "workload": row.workload,
                        "extensions": row.extensions,
                    },
                    "calls": calls,
                })
            })
        });
        rows.collect()
    }

    /// Whether curt made the fewest calls, as its budget says.
    pub(super) fn keeps_the_budget(&self) -> bool {
        self.0.iter().all(|row| {
            let candidates = row.extensions as u64;
            let directories = if row.workload.contains("211") { 197 } else { 1 };
            row.calls[3] <= directories * 3 + candidates
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Table;
    use curt::model::Counted;

    #[test]
    fn the_table_shows_every_count() {
        let counted = Counted { workload: "no match", extensions: 11, calls: [11, 3, 4, 5] };
        let table = Table(vec![counted]);
        assert!(table.render(true).contains("| no match | 11 | 11 | 3 | 4 | 5 |"));
        assert!(table.render(false).lines().any(|line| line.ends_with(" 5")));
        assert_eq!(table.json().len(), 4);
        assert!(table.keeps_the_budget());
        let over = Counted { workload: "no match", extensions: 2, calls: [2, 3, 3, 6] };
        assert!(!Table(vec![over]).keeps_the_budget());
    }
}
