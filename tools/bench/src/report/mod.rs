//! What a run found, shown as text, as Markdown, as JSON and as a page.

mod full;
mod html;
mod json;
mod plots;
mod published;
mod quick;
mod readme;
mod table;

pub(crate) use full::full;
pub(crate) use html::page;
pub(crate) use json::json;
pub(crate) use quick::quick;
pub(crate) use readme::update;
pub(crate) use table::{Line, Table};

use crate::programs::Programs;
use crate::result::{Cell, Row};
use crate::stats::Median;
use std::collections::BTreeMap;

/// Everything that is shown.
pub(crate) struct Report {
    /// The cells that were measured.
    pub(crate) cells: Vec<Cell>,
    /// What was not measured, and why.
    pub(crate) left_out: Vec<String>,
    /// Programs that are not there, and the packages that have them.
    pub(crate) missing: BTreeMap<&'static str, &'static str>,
    /// The day.
    pub(crate) date: String,
    /// The machine, in words.
    pub(crate) machine: String,
    /// How many processes were waiting for a processor at the start, if more than should be.
    pub(crate) load: Option<f64>,
    /// Whether calls could be counted.
    pub(crate) has_strace: bool,
    /// Whether caches were dropped.
    pub(crate) cold: bool,
}

impl Report {
    /// How to get what is missing, in one line, if something is.
    fn how_to_get(&self) -> Option<String> {
        let packages: Vec<&str> =
            self.missing.values().copied().filter(|package| !package.is_empty()).collect();
        let mut packages: Vec<&str> = if self.has_strace {
            packages
        } else {
            packages.into_iter().chain(["strace"]).collect()
        };
        packages.sort_unstable();
        packages.dedup();
        let mut ways = Vec::new();
        if !packages.is_empty() {
            ways.push(format!("apt-get install {}", packages.join(" ")));
        }
        if !self.missing.is_empty() {
            ways.push("cargo xtask rivals".to_owned());
        }
        (!ways.is_empty()).then(|| ways.join("; "))
    }

    /// The noise of the cells: its median, and the worst with its name.
    fn noise(&self) -> Option<(f64, f64, String)> {
        let noise = |cell: &Cell| Some((cell.noise()?, cell.name()));
        let mut all: Vec<(f64, String)> = self.cells.iter().filter_map(noise).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        let middle = all.get(all.len() / 2)?.0;
        let (worst, name) = all.pop()?;
        Some((middle, worst, name))
    }
}

/// A median with its interval.
fn interval(median: Option<Median>) -> String {
    median.map_or_else(none, |Median { low, middle, high }| {
        format!("{middle:.2} [{low:.2}, {high:.2}]")
    })
}

/// What stands where nothing is known.
fn none() -> String {
    "–".to_owned()
}

/// Calls for an entry, with as many digits as tell few from none.
fn calls(row: Option<&Row>) -> String {
    let slope = row.and_then(|row| row.slope.as_ref());
    slope.map_or_else(none, |slope| {
        let number = slope.per_entry();
        if number.abs() < 0.095 { format!("{number:.3}") } else { format!("{number:.2}") }
    })
}

/// Whether the answer was the right one.
fn answer(row: &Row) -> String {
    row.wrong.as_ref().map_or_else(|| "yes".to_owned(), |why| format!("NO: {why}"))
}

/// What a reader needs to judge times.
pub(crate) fn machine(programs: &Programs) -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let release = read("/proc/sys/kernel/osrelease");
    let information = read("/proc/cpuinfo");
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("", |(_, model)| model.trim());
    let system = format!("{} {} {}", std::env::consts::OS, release.trim(), std::env::consts::ARCH);
    let curt = programs.version_of_curt();
    let text = format!("curt {curt}, {system}, {processors} processors {model}");
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",")
}

/// The load of the machine, if others work on it.
pub(crate) fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (load > 0.5 * processors as f64).then_some(load)
}
