use super::table::{Line, Table, digits, time};
use super::text::{QUICK_TITLES, heading, row};
use super::{Report, TITLES, cells};
use crate::result::{Cell, Row};
use crate::rivals::Part;
use crate::stats::Median;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");

pub(crate) fn page(report: &Report) -> String {
    let title = "curt beside the usual tools";
    let mut overview = Table::new(&QUICK_TITLES);
    let timed = report.cells.iter().filter(|cell| cell.ratio().is_some());
    let quick: Vec<&Cell> = timed.filter(|cell| cell.scenario.quick.is_some()).collect();
    overview.lines = quick.iter().map(|cell| Line::Cells(row(cell))).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p { (report.date) " · " (report.machine) }
                @if !report.proofs.is_empty() { (proofs(report)) }
                p {
                    "The speed of curt, and below it that of the fastest other program, relative \
                     to the usual tool, which the line marks. All took turns in one run. Whiskers \
                     are 95 % intervals."
                }
                p class="key" {
                    @for (part, text) in KEY { span { i class=(part) {} (text) } }
                }
                @let speeds = bars(&ratios(&quick), Some(1.0), digits);
                (figure("Speed relative to the usual tool", &speeds, &overview))
                h2 { "Every scenario" }
                @for cell in &report.cells { (scenario(cell)) }
                h2 { "Method" }
                p {
                    "In each round every program runs once, in a random order, until waiting for it \
                     returns; a program with a wrong answer has no time. Caches are "
                    (if report.cold { "dropped before each run" } else { "warm" })
                    ". Noise of the ratios: " (report.noise()) "."
                }
                @for text in [report.absent(), report.wrong(), report.late()].iter().flatten() {
                    p { (text) }
                }
                @for text in &report.left_out { p { "Left out: " (text) } }
            }
        }
    };
    page.into_string()
}

fn proofs(report: &Report) -> Markup {
    html! {
        figure {
            figcaption { "The programs of the reports, as they were and with curt inside" }
            @for proof in &report.proofs {
                h2 { (proof.title) }
                pre class="scroll" tabindex="0" { (proof.text()) }
            }
        }
    }
}

pub(super) fn picture(cells: &[&Cell]) -> String {
    let curt = ratios(cells).into_iter().filter(|bar| bar.part == Part::Curt).collect::<Vec<_>>();
    let drawn = bars(&curt, Some(1.0), digits).into_string();
    let (begin, rest) = drawn.split_once('>').unwrap_or_default();
    format!("{begin} width=\"512\">\n<style>{STYLE}</style>{rest}\n")
}

const KEY: [(&str, &str); 4] = [
    ("curt", "curt"),
    ("usual", "the usual tool"),
    ("rival", "other programs"),
    ("baseline", "the baseline loop"),
];

struct Bar {
    label: String,
    part: Part,
    value: Median,
}

fn ratios(cells: &[&Cell]) -> Vec<Bar> {
    let bars = cells.iter().flat_map(|cell| {
        let filesystem = cell.place.split(['(', ')']).nth(1).unwrap_or(&cell.place);
        let everywhere = cell.scenario.everywhere;
        let place = if everywhere { format!(", {filesystem}") } else { String::new() };
        let name = format!("{}{place}", cell.scenario.name);
        let curt = cell.curt().map(|row| (row, name));
        let rival = cell.best_rival().map(|row| (row, row.name().to_owned()));
        [curt, rival].into_iter().flatten().filter_map(|(row, label)| {
            Some(Bar { label, part: cell.part(row), value: row.ratio(cell.usual()?)? })
        })
    });
    bars.collect()
}

fn scenario(cell: &Cell) -> Markup {
    let bar = |row: &Row| {
        Some(Bar { label: row.name().to_owned(), part: cell.part(row), value: row.wall()? })
    };
    let bars: Vec<Bar> = cell.rows.iter().filter_map(bar).collect();
    let mut table = Table::new(&TITLES);
    table.lines = cell.rows.iter().map(|row| Line::Cells(cells(cell, row))).collect();
    figure(&heading(cell), &self::bars(&bars, None, time), &table)
}

fn figure(title: &str, plot: &Markup, table: &Table) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            (plot)
            details { summary { "Table" } (table.html()) }
        }
    }
}

fn bars(bars: &[Bar], reference: Option<f64>, text: impl Fn(f64) -> String) -> Markup {
    const LABELS: f64 = 150.0;
    const BARS: f64 = 125.0;
    const STEP: f64 = 24.0;
    if bars.is_empty() {
        return html! {};
    }
    let most = bars.iter().map(|bar| bar.value.high).chain(reference).fold(0.0, f64::max);
    let x = |value: f64| LABELS + value / most.max(f64::MIN_POSITIVE) * BARS;
    let height = STEP * bars.len() as f64;
    html! {
        svg viewBox=(format!("0 0 360 {height}")) xmlns="http://www.w3.org/2000/svg" role="img" {
            @for (bar, y) in bars.iter().zip((0..).map(|at| STEP * f64::from(at))) {
                @let Median { low, middle, high } = bar.value;
                text x=(LABELS - 6.0) y=(y + 16.0) text-anchor="end" { (bar.label) }
                rect class=(class(bar.part)) x=(LABELS) y=(y + 4.0) height="16"
                    width=(format!("{:.1}", x(middle) - LABELS)) {}
                path d=(format!("M{:.1} {}H{:.1}", x(low), y + 12.0, x(high))) {}
                text x=(format!("{:.1}", x(high) + 6.0)) y=(y + 16.0) { (text(middle)) }
            }
            @if let Some(reference) = reference {
                path d=(format!("M{:.1} 0V{height}", x(reference))) {}
            }
        }
    }
}

fn class(part: Part) -> &'static str {
    match part {
        Part::Curt | Part::Variant => "curt",
        Part::Usual => "usual",
        Part::Rival => "rival",
        Part::Baseline => "baseline",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proofs::Proof;
    use crate::report::tests::report;

    #[test]
    fn every_scenario_has_its_plot_and_its_table() {
        let report = report(|_| true);
        let page = page(&report);
        let count = |text: &str| page.matches(text).count();
        assert_eq!(count("<figure>"), report.cells.len() + 1);
        assert_eq!(count("<figure>"), count("<svg"));
        assert_eq!(count("<figure>"), count("<table>"));
        for cell in &report.cells {
            assert!(page.contains(&heading(cell)), "{}", cell.name());
        }
        assert!(page.contains("find on &lt;a place&gt;: no &quot;room&quot; &amp; more"));
    }

    #[test]
    fn the_tables_of_the_reports_come_first() {
        let proof = Proof {
            title: "Report 5".to_owned(),
            tables: "calls  <7>".to_owned(),
            failure: Some("no Wine".to_owned()),
            is_missing: true,
        };
        let page = page(&Report { proofs: vec![proof], ..report(|_| true) });
        let (_, first) = page.split_once("<figure>").unwrap();
        let (first, _) = first.split_once("</figure>").unwrap();
        for text in ["<h2>Report 5</h2>", ">calls  &lt;7&gt;\nLeft out: no Wine</pre>"] {
            assert!(first.contains(text), "{text}\n{first}");
        }
    }

    #[test]
    fn the_page_asks_for_nothing_else() {
        let page = page(&report(|_| true)).replace("http://www.w3.org/2000/svg", "");
        for text in ["http:", "https:", "src=", "<script", "<link", "@import", "url("] {
            assert!(!page.contains(text), "{text}");
        }
    }

    #[test]
    fn a_bar_is_as_long_as_its_value() {
        let bar = |part, middle| Bar {
            label: "x".to_owned(),
            part,
            value: Median { low: middle, middle, high: middle },
        };
        let drawn = bars(&[bar(Part::Curt, 2.0), bar(Part::Rival, 0.5)], Some(1.0), digits);
        let drawn = drawn.into_string();
        for text in [
            r#"<rect class="curt" x="150" y="4" height="16" width="125.0">"#,
            r#"<rect class="rival" x="150" y="28" height="16" width="31.2">"#,
            r#"<path d="M212.5 0V48">"#,
            ">2.00</text>",
        ] {
            assert!(drawn.contains(text), "{text}\n{drawn}");
        }
    }
}
