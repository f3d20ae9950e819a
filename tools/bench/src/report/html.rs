//! The report as one page that needs nothing else: no script, no font, no network.

use super::plots::{self, Bar, COLOURS, Curve};
use super::published::PUBLISHED;
use super::table::{grouped, milliseconds};
use super::{Report, full, none, quick};
use crate::oracle::Question;
use crate::result::{Cell, Row};
use crate::scenario::Part;
use crate::stats::Median;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;

const STYLE: &str = include_str!("page.css");

/// The page.
pub(crate) fn page(report: &Report) -> String {
    let title = "curt beside the usual tools";
    let timed: Vec<&Cell> = report.cells.iter().filter(|cell| is_timed(cell)).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(colours())) }
            }
            body {
                a class="skip" href="#main" { "Skip to the results" }
                header {
                    h1 { (title) }
                    p { (report.date) " · " (report.machine) }
                    (navigation(&timed))
                }
                main id="main" {
                    (headline(report, &timed))
                    (calls(report))
                    (scaling(&timed))
                    (reports(&timed))
                    (scenarios(&timed))
                    (method(report))
                }
            }
        }
    };
    page.into_string()
}

/// A picture of the ratios alone, with its own colours and width.
pub(crate) fn picture(report: &Report) -> String {
    let timed: Vec<&Cell> = report.cells.iter().filter(|cell| is_timed(cell)).collect();
    let bars: Vec<Bar> = ratios(&timed).into_iter().filter(|bar| bar.part == Part::Curt).collect();
    let drawn = plots::bars(&bars, RATIO, Some(1.0), two_digits);
    // Beside the page's own rules, those that need a page do no harm.
    let style = format!("<style>{STYLE}{}</style>", colours());
    let (begin, rest) = drawn.split_once('>').unwrap_or_default();
    format!("{begin} width=\"512\">\n{style}{rest}")
}

const RATIO: &str = "times as fast as the usual tool";

fn two_digits(value: f64) -> String {
    format!("{value:.2}")
}

fn is_timed(cell: &Cell) -> bool {
    cell.curt().and_then(Row::wall).is_some()
}

/// The style rules that give the plots the colours of the page.
fn colours() -> String {
    let rules = COLOURS.iter().map(|(name, plotters::style::RGBColor(red, green, blue))| {
        let code = format!("#{red:02X}{green:02X}{blue:02X}");
        format!(
            "svg [fill=\"{code}\"]{{fill:var(--{name})}}svg [stroke=\"{code}\"]{{stroke:var(--{name})}}"
        )
    });
    rules.collect()
}

fn navigation(timed: &[&Cell]) -> Markup {
    html! {
        nav aria-label="Sections" {
            ul {
                li { a href="#headline" { "Overview" } }
                li { a href="#calls" { "Calls" } }
                @if has_scaling(timed) { li { a href="#scaling" { "Scaling" } } }
                @if PUBLISHED.iter().any(|one| asked_by(timed, one.report).next().is_some()) {
                    li { a href="#reports" { "The five reports" } }
                }
                li { a href="#scenarios" { "Every scenario" } }
                li { a href="#method" { "Method" } }
            }
        }
    }
}

fn headline(report: &Report, timed: &[&Cell]) -> Markup {
    let quick: Vec<&Cell> =
        timed.iter().copied().filter(|cell| cell.scenario.quick.is_some()).collect();
    let cells = if quick.is_empty() { timed } else { &quick };
    html! {
        section id="headline" {
            h2 { "Overview" }
            p {
                "The speed of curt, and below it that of the fastest other program, relative to \
                 the usual tool, which the line marks. All took turns in one run. Whiskers are \
                 95 % intervals."
            }
            (key(&["curt", "rival"]))
            (figure("Ratio to the usual tool", &plots::bars(&ratios(cells), RATIO, Some(1.0), two_digits),
                &quick::TITLES, cells.iter().map(|cell| (false, quick::row(cell)))))
            @if let Some(warning) = report.busy() { p { strong { (warning) } } }
        }
    }
}

/// The file system in the name of a place.
fn file_system(cell: &Cell) -> &str {
    cell.place.split(['(', ')']).nth(1).unwrap_or(&cell.place)
}

/// The ratios of curt and of the best rival to the usual tool in each cell.
fn ratios(cells: &[&Cell]) -> Vec<Bar> {
    let bars = cells.iter().flat_map(|cell| {
        let curt = format!("{}, {}", cell.scenario.name, file_system(cell));
        let curt = cell.curt().map(|row| (row, Part::Curt, curt));
        let rival = cell.best_rival();
        let rival = rival.map(|row| (row, Part::Rival, row.found.contender.name.to_owned()));
        [curt, rival].into_iter().flatten().filter_map(|(row, part, label)| {
            Some(Bar { label, part, value: row.ratio(cell.usual()?)? })
        })
    });
    bars.collect()
}

fn calls(report: &Report) -> Markup {
    let mut seen = BTreeSet::new();
    let cells: Vec<&Cell> =
        report.cells.iter().filter(|cell| seen.insert(cell.scenario.name)).collect();
    let each = |row: &Row| Some(row.slope.as_ref()?.per_entry());
    let bars = cells.iter().filter(|cell| cell.scenario.quick.is_some()).flat_map(|cell| {
        let usual = cell.usual().and_then(each).filter(|&usual| usual > 0.0);
        [cell.curt(), cell.best_rival()].into_iter().flatten().filter_map(move |row| {
            let contender = row.found.contender;
            let label = format!("{}: {}", cell.scenario.name, contender.name);
            let value = Median::of(&[each(row)?.max(0.0) / usual?])?;
            let part = if row.is_curt() { Part::Curt } else { Part::Rival };
            Some(Bar { label, part, value })
        })
    });
    let bars: Vec<Bar> = bars.collect();
    html! {
        section id="calls" {
            h2 { "System calls" }
            @if bars.is_empty() {
                p { "No calls were counted: strace is missing here." }
            } @else {
                p { "Calls for one entry or path, counted by strace, without the start of \
                     the program. The line marks those of the usual tool." }
                (key(&["curt", "rival"]))
                (figure("Calls for one",
                    &plots::bars(&bars, "calls, × the usual tool's", Some(1.0), two_digits),
                    &["scenario", "contender", "calls for one", "which"],
                    cells.iter().flat_map(|cell| cell.rows.iter().filter_map(|row| {
                        let slope = row.slope.as_ref()?;
                        let names = slope.by_name.iter().map(|(name, count)| format!("{name} {count}"));
                        let names = names.collect::<Vec<_>>().join(", ");
                        Some((is_curt(row), vec![
                            cell.scenario.title.to_owned(),
                            row.found.contender.name.to_owned(),
                            super::calls(Some(row)),
                            format!("{names} for {}", grouped(slope.entries)),
                        ]))
                    }))))
            }
        }
    }
}

/// The cells of a scenario in a place that differ in size, if there are several.
fn families<'a>(timed: &[&'a Cell]) -> Vec<Vec<&'a Cell>> {
    let mut families: Vec<Vec<&Cell>> = Vec::new();
    for &cell in timed {
        let is_kin = |family: &&mut Vec<&Cell>| {
            family[0].scenario.name == cell.scenario.name && family[0].place == cell.place
        };
        match families.iter_mut().find(is_kin) {
            Some(family) => family.push(cell),
            None => families.push(vec![cell]),
        }
    }
    families.retain(|family| family.len() > 1);
    families
}

fn has_scaling(timed: &[&Cell]) -> bool {
    !families(timed).is_empty() || timed.iter().any(|cell| !threads(cell).is_empty())
}

fn scaling(timed: &[&Cell]) -> Markup {
    if !has_scaling(timed) {
        return html! {};
    }
    let families = families(timed);
    html! {
        section id="scaling" {
            h2 { "Scaling" }
            p { "Time over the number of threads, and the time for each entry over the number of \
                 entries: medians, on logarithmic axes." }
            (key(&["curt", "usual", "rival", "baseline"]))
            @for cell in timed.iter().filter(|cell| !threads(cell).is_empty()) {
                @let title = format!("{}, {}", cell.scenario.title, cell.place);
                (figure(&title, &plots::curves(&threads(cell), ["threads", "milliseconds"]),
                    &full::TITLES, contenders(cell)))
            }
            @for family in &families {
                @let title = format!("{}, {}", family[0].scenario.title, family[0].place);
                (figure(&title, &plots::curves(&curves(family), ["entries", "µs for one"]),
                    &["entries", "contender", "time", "time for one"],
                    family.iter().flat_map(|cell| cell.rows.iter().filter_map(|row| {
                        let (wall, units) = (row.wall()?.middle, cell.scenario.units(cell.size));
                        Some((is_curt(row), vec![
                            grouped(units),
                            row.found.contender.name.to_owned(),
                            milliseconds(wall),
                            milliseconds(wall / units as f64),
                        ]))
                    }))))
            }
        }
    }
}

/// Time for one entry over the size, for every contender with several points.
fn curves(family: &[&Cell]) -> Vec<Curve> {
    let points = family.iter().flat_map(|cell| {
        let units = cell.scenario.units(cell.size) as f64;
        let point = move |row: &Row| Some((units, row.wall()?.middle / units * 1e6));
        cell.rows
            .iter()
            .filter_map(move |row| Some((row.found.contender.name, cell.part(row), point(row)?)))
    });
    joined(points, 2)
}

/// Time over the number of threads, of contenders called `NAME -jN` with at least three of them.
fn threads(cell: &Cell) -> Vec<Curve> {
    let points = cell.rows.iter().filter_map(|row| {
        let (label, number) = row.found.contender.name.split_once(" -j")?;
        let part = if row.is_curt() { Part::Curt } else { cell.part(row) };
        Some((label, part, (number.parse().ok()?, row.wall()?.middle * 1_000.0)))
    });
    joined(points, 3)
}

/// A curve for each label that has enough points.
fn joined<'a>(
    points: impl Iterator<Item = (&'a str, Part, (f64, f64))>,
    least: usize,
) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for (label, part, point) in points {
        match curves.iter_mut().find(|curve| curve.label == label) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { label: label.to_owned(), part, points: vec![point] }),
        }
    }
    curves.retain(|curve| curve.points.len() >= least);
    curves
}

fn asked_by<'a>(
    timed: &'a [&'a Cell],
    report: crate::scenario::Report,
) -> impl Iterator<Item = &'a Cell> {
    timed.iter().copied().filter(move |cell| cell.scenario.report == Some(report))
}

fn reports(timed: &[&Cell]) -> Markup {
    if !timed.iter().any(|cell| cell.scenario.report.is_some()) {
        return html! {};
    }
    html! {
        section id="reports" {
            h2 { "The five reports" }
            p {
                "curt began with five public reports. Their numbers are from other machines and \
                 other years; ratios may be compared, times may not."
            }
            (key(&["curt", "usual", "rival", "baseline"]))
            @for published in &PUBLISHED {
                @if asked_by(timed, published.report).next().is_some() {
                    h3 { (published.title) }
                    p { (published.story) }
                    (table("As published", published.columns, published.rows.iter().map(|row| {
                        (false, row.iter().map(|&cell| cell.to_owned()).collect())
                    })))
                    @for cell in asked_by(timed, published.report) { (scenario(cell)) }
                }
            }
        }
    }
}

fn scenarios(timed: &[&Cell]) -> Markup {
    let others: Vec<&&Cell> = timed.iter().filter(|cell| cell.scenario.report.is_none()).collect();
    html! {
        section id="scenarios" {
            h2 { "Every scenario" }
            @if others.is_empty() {
                p { "All are above." }
            } @else {
                p { "The median time of every program, with its 95 % interval." }
                (key(&["curt", "usual", "rival", "baseline"]))
            }
            @for cell in others { (scenario(cell)) }
        }
    }
}

/// The medians of all contenders, as bars and as a table.
fn scenario(cell: &Cell) -> Markup {
    let is_short = matches!(cell.scenario.question, Question::Lengths(_));
    let (unit, second) = if is_short { ("nanoseconds", 1e9) } else { ("milliseconds", 1e3) };
    let bar = |row: &Row| {
        let label = row.found.contender.name.to_owned();
        let value = row.median(|sample| Some(sample.wall * second))?;
        Some(Bar { label, part: cell.part(row), value })
    };
    let bars: Vec<Bar> = cell.rows.iter().filter_map(bar).collect();
    let plot = plots::bars(&bars, unit, None, |value| milliseconds(value / second));
    figure(&full::heading(cell), &plot, &full::TITLES, contenders(cell))
}

/// The rows of the full report's table.
fn contenders(cell: &Cell) -> impl Iterator<Item = Cells> {
    cell.rows.iter().map(|row| (is_curt(row), full::cells(cell, row)))
}

/// The command as users get it, which is marked.
fn is_curt(row: &Row) -> bool {
    row.found.contender.part == Part::Curt
}

fn method(report: &Report) -> Markup {
    html! {
        section id="method" {
            h2 { "Method" }
            p {
                "Every program runs once and its answer is compared with the truth, which the \
                 standard library says; a program with another answer has no time. Then come \
                 rounds: in each, every program runs once, in a random order. Time is from the \
                 start of the process until waiting for it returns. A ratio is formed within a \
                 round; its interval is the sign test's. Fewer than seven rounds show no time."
            }
            p { "Caches are " (if report.cold { "dropped before each run, the programs' too" } else { "warm" }) "." }
            p { "Noise of the ratios: " (report.noise()) "." }
            p { (report.absent()) }
        }
    }
}

/// What the colours of these names stand for.
fn key(names: &[&str]) -> Markup {
    html! {
        p class="key" {
            @for name in names {
                span {
                    i style=(format!("background:var(--{name})")) aria-hidden="true" {}
                    (match *name { "usual" => "the usual tool", "rival" => "other programs", "baseline" => "the baseline loop", name => name })
                }
            }
        }
    }
}

/// A row of a table, and whether it is marked as curt's.
type Cells = (bool, Vec<String>);

/// A plot with its table behind it.
fn figure(title: &str, plot: &str, titles: &[&str], rows: impl Iterator<Item = Cells>) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            div class="plot" role="img" aria-label=(format!("{title}: the table below has the numbers")) {
                (PreEscaped(plot))
            }
            details {
                summary { "Table" }
                (table(title, titles, rows))
            }
        }
    }
}

fn table(title: &str, titles: &[&str], rows: impl Iterator<Item = Cells>) -> Markup {
    html! {
        div class="scroll" role="region" aria-label=(title) tabindex="0" {
            table {
                caption { (title) }
                thead { tr { @for title in titles { th scope="col" { (title) } } } }
                tbody {
                    @for (is_curt, row) in rows {
                        tr class=[is_curt.then_some("curt")] {
                            @for (at, cell) in row.iter().enumerate() {
                                @let cell = if cell.is_empty() { none() } else { cell.clone() };
                                @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
