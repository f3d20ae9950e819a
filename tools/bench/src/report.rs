//! What a bench run found, and how it is shown: as text, as Markdown, and as JSON in the shape that
//! hyperfine writes, so that scripts made for that work here.

use super::calls::Slope;
use super::contender::{Contender, Missing};
use super::measure::{Answer, Sample, ratios};
use super::stats::{Spread, mean, standard_deviation};
use super::table::{Line, Table, grouped, milliseconds};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Fewer repeats than this are pointed out.
pub(crate) const ENOUGH: usize = 3;

/// One contender in one cell.
#[derive(Debug)]
pub(crate) struct Row {
    /// Who.
    pub(crate) contender: Contender,
    /// Its runs.
    pub(crate) samples: Vec<Sample>,
    /// Its calls, if they were counted.
    pub(crate) slope: Option<Slope>,
}

/// One scenario in one place.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Short name, as `--scenario` takes it.
    pub(crate) scenario: String,
    /// The place.
    pub(crate) place: String,
    /// What was worked on, in words.
    pub(crate) heading: String,
    /// The contenders. The reference is the row with the name in [`Section::reference`].
    pub(crate) rows: Vec<Row>,
}

/// One operation: one table.
#[derive(Debug)]
pub(crate) struct Section {
    /// What the operation is.
    pub(crate) title: String,
    /// The contender that ratios refer to.
    pub(crate) reference: String,
    /// How to read the table.
    pub(crate) caption: Vec<String>,
    /// The measurements.
    pub(crate) cells: Vec<Cell>,
    /// Contenders that only `--full` has time for.
    pub(crate) later: Vec<String>,
    /// What could not be shown, in words.
    pub(crate) left_out: Vec<String>,
    /// Who did not take part.
    pub(crate) missing: Vec<Missing>,
}

impl Section {
    /// A section with nothing in it.
    pub(crate) fn new(title: &str, reference: &str) -> Self {
        Self {
            title: title.to_owned(),
            reference: reference.to_owned(),
            caption: Vec::new(),
            cells: Vec::new(),
            later: Vec::new(),
            left_out: Vec::new(),
            missing: Vec::new(),
        }
    }

    fn reference_samples<'a>(&self, cell: &'a Cell) -> &'a [Sample] {
        let row = cell.rows.iter().find(|row| row.contender.name == self.reference);
        row.map_or(&[], |row| &row.samples)
    }

    fn table(&self) -> Table {
        let speed = format!("x {}", self.reference);
        let titles = [
            "contender",
            &speed,
            "quartiles",
            "median",
            "CPU",
            "calls/entry",
            "runs",
            "same answer",
        ];
        let mut table = Table::new(&titles.map(str::to_owned));
        for cell in &self.cells {
            table.lines.push(Line::Heading(format!(
                "{} · {}: {}",
                cell.scenario, cell.place, cell.heading
            )));
            let reference = self.reference_samples(cell);
            for row in &cell.rows {
                table.lines.push(Line::Cells(self.cells_of(row, reference)));
            }
        }
        table
    }

    fn cells_of(&self, row: &Row, reference: &[Sample]) -> Vec<String> {
        let ratio = ratios(&row.samples, reference);
        let none = || "-".to_owned();
        let quartiles = match ratio {
            _ if row.contender.name == self.reference => "reference".to_owned(),
            Some(ratio) => format!("{:.2}–{:.2}", ratio.low, ratio.high),
            None => none(),
        };
        let few = if row.samples.len() < ENOUGH { " (few)" } else { "" };
        vec![
            row.contender.name.clone(),
            ratio.map_or_else(none, |ratio| format!("{:.2}", ratio.middle)),
            quartiles,
            row.wall().map_or_else(none, |wall| milliseconds(wall.middle)),
            row.cpu().map_or_else(none, |(user, system)| milliseconds(user + system)),
            row.slope.as_ref().map_or_else(none, |slope| calls(slope.per_entry())),
            format!("{}{few}", row.samples.len()),
            row.answer(),
        ]
    }

    /// The section as text (`markdown` false) or as Markdown.
    pub(crate) fn render(&self, markdown: bool) -> String {
        let mut out = String::new();
        let mark = if markdown { "## " } else { "" };
        let _ = writeln!(out, "{mark}{}\n", self.title);
        out.push_str(&if markdown { self.table().markdown() } else { self.table().text() });
        out.push('\n');
        for line in &self.caption {
            let _ = writeln!(out, "{line}");
        }
        if markdown {
            out.push('\n');
        }
        let item = if markdown { "- " } else { "  " };
        let mut left_out = self.left_out.clone();
        if !self.later.is_empty() {
            let names = self.later.join(", ");
            left_out.insert(0, format!("{names}: found, but only --full has time for them"));
        }
        if !left_out.is_empty() {
            let _ = writeln!(out, "Left out:\n");
            for line in &left_out {
                let _ = writeln!(out, "{item}{line}");
            }
        }
        if !self.missing.is_empty() {
            let _ = writeln!(out, "{}Missing:\n", if left_out.is_empty() { "" } else { "\n" });
            for Missing { name, how } in &self.missing {
                let _ = writeln!(out, "{item}{name}: {how}");
            }
        }
        out
    }

    /// The results in hyperfine's shape, with keys of our own besides.
    pub(crate) fn json(&self) -> Vec<Value> {
        let mut results = Vec::new();
        for cell in &self.cells {
            let reference = self.reference_samples(cell);
            for row in &cell.rows {
                results.push(row.json(self, cell, ratios(&row.samples, reference)));
            }
        }
        results
    }
}

impl Row {
    fn good(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(|sample| sample.answer == Answer::Same)
    }

    fn walls(&self) -> Vec<f64> {
        self.good().map(|sample| sample.wall).collect()
    }

    fn wall(&self) -> Option<Spread> {
        Spread::of(&self.walls())
    }

    /// Means, because the system tells processor time in coarse ticks.
    fn cpu(&self) -> Option<(f64, f64)> {
        let all: Vec<(f64, f64)> = self.good().filter_map(|sample| sample.cpu).collect();
        let user: Vec<f64> = all.iter().map(|cpu| cpu.0).collect();
        let system: Vec<f64> = all.iter().map(|cpu| cpu.1).collect();
        Some((mean(&user)?, mean(&system)?))
    }

    fn answer(&self) -> String {
        let differs = self.samples.iter().find_map(|sample| match &sample.answer {
            Answer::Differs(how) => Some(how),
            Answer::Same => None,
        });
        match differs {
            Some(how) => format!("NO: {how}"),
            None if self.samples.is_empty() => "not run".to_owned(),
            None => "yes".to_owned(),
        }
    }

    fn json(&self, section: &Section, cell: &Cell, ratio: Option<Spread>) -> Value {
        let walls = self.walls();
        let spread = self.wall();
        let cpu = self.cpu();
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        put("command", json!(self.contender.line()));
        put("mean", json!(mean(&walls)));
        put("stddev", json!(standard_deviation(&walls)));
        put("median", json!(spread.map(|spread| spread.middle)));
        put("user", json!(cpu.map(|cpu| cpu.0)));
        put("system", json!(cpu.map(|cpu| cpu.1)));
        put("min", json!(walls.iter().copied().reduce(f64::min)));
        put("max", json!(walls.iter().copied().reduce(f64::max)));
        put("times", json!(walls));
        put("operation", json!(section.title));
        put("contender", json!(self.contender.name));
        put("scenario", json!(cell.scenario));
        put("place", json!(cell.place));
        put("tree", json!(cell.heading));
        put("reference", json!(section.reference));
        put("ratio", json!(ratio.map(|ratio| ratio.middle)));
        put("ratio_quartiles", json!(ratio.map(|ratio| [ratio.low, ratio.high])));
        put("calls_per_entry", json!(self.slope.as_ref().map(Slope::per_entry)));
        put("calls", json!(self.slope.as_ref().map(|slope| &slope.by_name)));
        put("answer", json!(self.answer()));
        Value::Object(map)
    }
}

/// Calls for an entry, with as many digits as tell few from none.
fn calls(number: f64) -> String {
    if number.abs() < 0.095 { format!("{number:.4}") } else { format!("{number:.2}") }
}

/// What a tree is made of, in words.
pub(crate) fn describe_tree(files: u64, directories: u64, bytes: u64) -> String {
    let plural = if directories == 1 { "directory" } else { "directories" };
    let mut text = format!("{} files, {} {plural}", grouped(files), grouped(directories));
    if bytes >= 1 << 20 {
        let _ = write!(text, ", {} MiB", grouped(bytes >> 20));
    } else if bytes == 0 {
        text.push_str(", empty");
    }
    text
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
