//! The quick run's one table: a row for each operation.

use super::table::{Line, Table, grouped, milliseconds};
use super::{Report, answer, calls, interval, none};
use crate::result::{Cell, Row};
use std::fmt::Write as _;

pub(super) const TITLES: [&str; 8] =
    ["", "of", "curt", "usual tool", "ratio [95 %]", "best rival", "calls for one", "right"];

/// The table, and below it how it was measured, what was not found, and how to see more.
pub(crate) fn quick(report: &Report, markdown: bool) -> String {
    let mut table = Table::new(&TITLES.map(str::to_owned));
    let mut heading = String::new();
    for cell in report.cells.iter().filter(|cell| !cell.is_untimed) {
        let place = if cell.scenario.everywhere { cell.place.as_str() } else { "any filesystem" };
        if heading != place {
            place.clone_into(&mut heading);
            table.lines.push(Line::Heading(heading.clone()));
        }
        table.lines.push(Line::Cells(row(cell)));
    }
    let shown = if markdown { table.markdown() } else { table.text() };
    let space = if markdown { "\n" } else { "" };
    let mut out = format!("{}\n\n{shown}{space}", report.machine);
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
    let smaller = if cell.is_smaller { "*" } else { "" };
    let units = grouped(cell.scenario.units(cell.size));
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
    let timed = report.cells.iter().filter(|cell| !cell.is_untimed);
    let rounds = timed.map(Cell::rounds);
    let (least, most) = (rounds.clone().min().unwrap_or(0), rounds.max().unwrap_or(0));
    let caches = if report.cold { "cold" } else { "warm" };
    let noise = report.noise().map_or_else(String::new, |(middle, worst, name)| {
        let (middle, worst) = (middle * 100.0, worst * 100.0);
        format!("; noise ±{middle:.0} %, at worst ±{worst:.0} % ({name})")
    });
    let mut measured = format!(
        "Measured: start of the process until its end is waited for, {caches} caches, {least}–{most} \
         rounds in random order after a warm-up, sizes at which starting a process hardly counts; \
         ratio: median of usual ÷ curt in a round{noise}."
    );
    if report.cells.iter().any(|cell| cell.is_smaller) {
        measured.push_str(" *: smaller, because the machine is slow.");
    }
    if let Some(load) = report.load {
        let _ =
            write!(measured, " The machine was busy (load {load:.1}): run again when it is not.");
    }
    let mut wrong: Vec<String> = Vec::new();
    for row in report.cells.iter().flat_map(|cell| &cell.rows) {
        let text = format!("{} ({})", row.found.contender.name, answer(row));
        if row.wrong.is_some() && !wrong.contains(&text) {
            wrong.push(text);
        }
    }
    let names: Vec<&str> = report.missing.keys().copied().collect();
    let mut absent = match report.how_to_get() {
        None => "Not found: nothing.".to_owned(),
        Some(how) if names.is_empty() => format!("Not found: strace. To get it: {how}."),
        Some(how) => format!("Not found: {}. To get them: {how}.", names.join(", ")),
    };
    for (what, list) in [("Left out", &report.left_out), ("Another answer", &wrong)] {
        if !list.is_empty() {
            let _ = write!(absent, " {what}: {}.", list.join("; "));
        }
    }
    let more = "More: --full (every scenario and rival), --list, --only NAME, --json FILE, --help; \
                docs/performance.md.";
    vec![measured, absent, more.to_owned()]
}
