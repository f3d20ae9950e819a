//! The full report: a table for each scenario and place, with every contender.

use super::table::{Line, Table, grouped, milliseconds};
use super::{Report, answer, calls, interval, none};
use crate::oracle::Question;
use crate::result::{Cell, Row, Sample};
use crate::scenario::Part;
use std::fmt::Write as _;

pub(super) const TITLES: [&str; 10] = [
    "contender",
    "median",
    "ratio [95 %]",
    "user",
    "system",
    "waiting",
    "peak",
    "calls for one",
    "rounds",
    "right",
];

const LEGEND: &str = "
ratio: how many times as fast as the usual tool, median of the rounds with its 95 % interval.
user, system: processor time. waiting: the rest of the time; below zero, threads worked at once.
peak: memory, where it is more than this program's. baseline loop: the bare calls in one thread.
calls for one: by strace on small trees, without the start of the program, waiting and memory.
";

/// All tables, and what could not be shown.
pub(crate) fn full(report: &Report, markdown: bool) -> String {
    let mark = if markdown { "# " } else { "" };
    let mut out = format!("{mark}curt-bench\n\n{}\n\n", report.machine);
    let mut table = Table::new(&TITLES);
    for cell in &report.cells {
        table.lines.push(Line::Heading(heading(cell)));
        table.lines.extend(cell.rows.iter().map(|row| Line::Cells(cells(cell, row))));
    }
    out.push_str(&if markdown { table.markdown() } else { table.text() });
    out.push_str(LEGEND);
    let _ = writeln!(out, "noise of the ratios: {}.\n", report.noise());
    for line in report.busy().into_iter().chain([report.absent()]) {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// What a cell is about.
pub(super) fn heading(cell: &Cell) -> String {
    let scenario = cell.scenario;
    let amount = match scenario.question {
        Question::Lengths(_) => "time for one path".to_owned(),
        _ => format!("{} {}", grouped(scenario.units(cell.size)), scenario.unit()),
    };
    format!("{} · {}: {}, {amount}", scenario.name, cell.place, scenario.title)
}

/// A contender's row, one text for each title.
pub(super) fn cells(cell: &Cell, row: &Row) -> Vec<String> {
    let ratio = match cell.usual() {
        Some(_) if cell.part(row) == Part::Usual => "usual tool".to_owned(),
        Some(usual) => interval(row.ratio(usual)),
        None => none(),
    };
    let used = |value: fn(&Sample) -> Option<f64>| {
        row.median(value).map_or_else(none, |median| milliseconds(median.middle))
    };
    let waiting = |sample: &Sample| sample.used.map(|used| sample.wall - used.user - used.system);
    let peak = row.median(|sample| Some(sample.used?.peak? as f64));
    let name = [row.found.contender.name, row.version.as_str()].join(" ");
    vec![
        name.trim_end().to_owned(),
        row.wall().map_or_else(none, |wall| milliseconds(wall.middle)),
        ratio,
        used(|sample| sample.used.map(|used| used.user)),
        used(|sample| sample.used.map(|used| used.system)),
        used(waiting),
        peak.map_or_else(none, |peak| format!("{:.0} MiB", peak.middle / 1_048_576.0)),
        calls(Some(row)),
        row.samples.len().to_string(),
        answer(row),
    ]
}
