use super::table::{Line, Table, digits, wrapped};
use super::{Report, TITLES, calls, cells, interval, none, operation};
use crate::result::{Cell, Row};
use std::fmt::Write as _;

pub(super) const QUICK_TITLES: [&str; 6] =
    ["operation", "curt", "usual tool, ms", "speed of curt, ×", "best rival, ms", "calls"];

const LEGEND: &str = "
ratio: how many times as fast as the usual tool, median of the rounds with its 95 % interval.
median: ± half of its 95 % interval. baseline loop: the bare calls in one thread.
processors: time of all processors together.
calls for one: by strace on small trees, without the start of the program, waiting, memory, and what
bfs hands to an io_uring.
";

pub(crate) fn quick(report: &Report) -> String {
    let mut table = Table::new(&QUICK_TITLES);
    let mut heading = "";
    for cell in report.cells.iter().filter(|cell| cell.has_times() || !cell.is_right()) {
        let place = if cell.scenario.everywhere { cell.place.as_str() } else { "any filesystem" };
        if heading != place {
            heading = place;
            table.lines.push(Line::Heading(format!("– {place}")));
        }
        table.lines.push(Line::Cells(row(cell)));
    }
    let mut out = format!("{}\n\n{}", wrapped(&report.machine, 1), table.text());
    for (line, most) in footer(report) {
        let _ = writeln!(out, "{}", wrapped(&line, most));
    }
    out
}

pub(super) fn row(cell: &Cell) -> Vec<String> {
    let (curt, usual, rival) = (cell.curt(), cell.usual(), cell.best_rival());
    let time = |row: &Row| row.wall().map_or_else(none, |wall| digits(wall.middle * 1e3));
    let named = |row: &Row| format!("{} {}", row.name(), time(row));
    vec![
        operation(cell),
        curt.map_or_else(none, time),
        usual.map_or_else(none, named),
        match curt.and_then(|row| row.wrong.as_ref()) {
            Some(_) => "WRONG ANSWER".to_owned(),
            None => interval(cell.ratio()),
        },
        rival.map_or_else(none, named),
        format!("{}, {}", calls(curt), calls(usual)),
    ]
}

fn footer(report: &Report) -> Vec<(String, usize)> {
    let timed = || report.cells.iter().filter(|cell| cell.has_times());
    let (least, most) = (timed().map(Cell::rounds).min(), timed().map(Cell::rounds).max());
    let rounds = match (least.unwrap_or(0), most.unwrap_or(0)) {
        (least, most) if least == most => most.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    let caches = if report.cold { "cold" } else { "warm" };
    let smaller = if report.cells.iter().any(Cell::is_smaller) { " *: slow machine." } else { "" };
    let measured = format!(
        "Times in ms: medians of {rounds} rounds, {caches} caches; ratios with 95 % intervals, noise \
         {}. Calls for one entry: curt, usual tool.{smaller}",
        report.noise()
    );
    let mut lines = vec![(measured, 2)];
    let loses = |cell: &&Cell| cell.ratio().is_some_and(|ratio| ratio.middle < 1.0);
    let lost: Vec<String> = timed().filter(loses).map(Cell::name).collect();
    if !lost.is_empty() {
        lines.push((format!("Slower than the usual tool: {}.", lost.join(", ")), 2));
    }
    lines.extend(report.late().map(|text| (text, report.late.len())));
    let left_out = format!("Left out: {}.", report.left_out.join("; "));
    lines.extend((!report.left_out.is_empty()).then_some((left_out, 1)));
    lines.extend(report.wrong().map(|text| (text, 1)));
    lines.extend(report.absent().map(|text| (text, 2)));
    lines.push((
        "More: --full, --list, --only NAME, --html FILE, --help; docs/performance.md.".to_owned(),
        1,
    ));
    lines
}

pub(crate) fn full(report: &Report) -> String {
    let mut table = Table::new(&TITLES);
    for cell in &report.cells {
        table.lines.push(Line::Heading(heading(cell)));
        table.lines.extend(cell.rows.iter().map(|row| Line::Cells(cells(cell, row))));
    }
    let mut out = format!("{}\n\n{}{LEGEND}", report.machine, table.text());
    let _ = writeln!(out, "noise of the ratios: {}.", report.noise());
    if let Some(line) = report.absent() {
        let _ = writeln!(out, "{line}");
    }
    for line in &report.left_out {
        let _ = writeln!(out, "Left out: {line}.");
    }
    out
}

pub(super) fn heading(cell: &Cell) -> String {
    format!("{} · {}: {} {}", cell.scenario.name, cell.place, operation(cell), cell.scenario.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn the_first_screen_is_one_and_shows_where_curt_loses() {
        let mut report = report(|scenario| scenario.quick.is_some());
        report.left_out.push("reason ".repeat(30));
        let late = report.cells.split_off(report.cells.len() - 3);
        report.late = late.iter().map(Cell::name).collect();
        for cell in &mut report.cells {
            let last = cell.rows.len() - 1;
            cell.rows[last].wrong = Some("3 missing, such as a".to_owned());
        }
        let rivals = crate::rivals::RIVALS.iter().map(|rival| (rival.name, rival.get));
        report.missing = rivals.collect();
        report.machine = "curt 0.1.0, linux 6.18.44-fc-v669 x86_64, 128 processors AMD ".repeat(2);
        let text = quick(&report);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100) && text.lines().count() <= 32, "{widest:?}\n{text}");
        for cell in &report.cells {
            assert!(text.contains(&operation(cell)), "{}", cell.name());
        }
        let lost = |cell: &&Cell| cell.ratio().is_some_and(|ratio| ratio.middle < 1.0);
        let lost = report.cells.iter().find(lost).unwrap().name();
        assert!(text.contains(&format!("Slower than the usual tool: {lost}")), "{text}");
        assert!(report.late.iter().all(|name| text.contains(name)), "{text}");
        assert!(text.contains("Another answer: ") && text.contains("curt, usual tool."), "{text}");
    }

    #[test]
    fn a_wrong_answer_is_seen() {
        let mut report = report(|scenario| scenario.name == "remove");
        report.cells[0].rows[0].wrong = Some("the tree is still there".to_owned());
        let text = quick(&report);
        assert!(
            text.contains("WRONG ANSWER") && text.contains("the tree is still there"),
            "{text}"
        );
        assert!(full(&report).contains("WRONG: the tree is still there"));
    }
}
