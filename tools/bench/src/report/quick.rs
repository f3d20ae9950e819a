//! The quick run's one table: a row for each operation.

use super::table::{Line, Table, grouped, milliseconds};
use super::{Report, answer, calls, interval, none};
use crate::measure::TIMED_RIVALS;
use crate::result::{Cell, Row};
use std::fmt::Write as _;

pub(super) const TITLES: [&str; 8] = [
    "operation",
    "of",
    "curt",
    "usual tool",
    "ratio [95 %]",
    "best rival",
    "calls for one",
    "right",
];

/// The table, and below it how it was measured, what was not found, and how to see more.
pub(crate) fn quick(report: &Report, markdown: bool) -> String {
    let mut table = Table::new(&TITLES);
    let mut heading = String::new();
    let shown = || report.cells.iter().filter(|cell| cell.has_times() || !cell.is_right());
    for cell in shown() {
        let place = if cell.scenario.everywhere { cell.place.as_str() } else { "any filesystem" };
        if heading != place {
            place.clone_into(&mut heading);
            table.lines.push(Line::Heading(heading.clone()));
        }
        table.lines.push(Line::Cells(row(cell)));
    }
    let text = if markdown { table.markdown() } else { table.text() };
    let space = if markdown { "\n" } else { "" };
    let mut out = format!("{}\n\n{text}{space}", report.machine);
    for line in footer(report) {
        let line = if markdown { line } else { wrapped(&line) };
        let _ = writeln!(out, "{line}{space}");
    }
    out
}

/// The text in lines of at most 100 columns.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > 100 {
            out.push_str("\n  ");
            width = 2;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out
}

/// The cells of a row, one for each title.
pub(super) fn row(cell: &Cell) -> Vec<String> {
    let (curt, usual, rival) = (cell.curt(), cell.usual(), cell.best_rival());
    let time = |row: Option<&Row>| {
        row.and_then(Row::wall).map_or_else(none, |wall| milliseconds(wall.middle))
    };
    let named = |row: Option<&Row>| match row {
        Some(row) => format!("{} {}", row.found.contender.name, time(Some(row))),
        None => none(),
    };
    let units = grouped(cell.scenario.units(cell.size));
    let smaller = if cell.is_smaller() { "*" } else { "" };
    vec![
        cell.scenario.title.to_owned(),
        format!("{units}{smaller} {}", cell.scenario.unit()),
        time(curt),
        named(usual),
        interval(cell.ratio()),
        named(rival),
        [curt, usual, rival].map(calls).join(" · "),
        curt.map_or_else(none, answer),
    ]
}

fn footer(report: &Report) -> Vec<String> {
    let rounds = report.cells.iter().filter(|cell| cell.has_times()).map(Cell::rounds);
    let (least, most) = (rounds.clone().min().unwrap_or(0), rounds.max().unwrap_or(0));
    let caches = if report.cold { "cold" } else { "warm" };
    let rounds = if least == most { least.to_string() } else { format!("{least}–{most}") };
    let mut measured = format!(
        "Measured: start of the process until its end is waited for, {caches} caches, {rounds} \
         rounds in random order after a warm-up, sizes at which starting a process hardly counts; \
         ratio: median of usual ÷ curt in a round; noise {}. Best rival: of the \
         {TIMED_RIVALS} fastest in the warm-up.",
        report.noise()
    );
    if report.cells.iter().any(Cell::is_smaller) {
        measured.push_str(" *: smaller, because the machine is slow.");
    }
    if let Some(warning) = report.busy() {
        let _ = write!(measured, " {warning}");
    }
    let mut wrong: Vec<String> = Vec::new();
    for row in report.cells.iter().flat_map(|cell| &cell.rows) {
        let text = format!("{} ({})", row.found.contender.name, answer(row));
        if row.wrong.is_some() && !wrong.contains(&text) {
            wrong.push(text);
        }
    }
    let mut absent = report.absent();
    if !wrong.is_empty() {
        let _ = write!(absent, " Another answer: {}.", wrong.join("; "));
    }
    let more = "More: --full (every scenario and rival), --list, --only NAME, --json FILE, --help; \
                docs/performance.md.";
    vec![measured, absent, more.to_owned()]
}
