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
pub(crate) use readme::{check, update};
pub(crate) use table::{Line, Table};

use crate::programs::Programs;
use crate::result::{Cell, Row};
use crate::stats::Median;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

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
    /// How many processors other programs kept busy meanwhile, if that is known.
    pub(crate) others: Option<f64>,
    /// Whether calls could be counted.
    pub(crate) has_strace: bool,
    /// Whether caches were dropped.
    pub(crate) cold: bool,
}

impl Report {
    /// What was not found, how to get it, and what was not measured.
    fn absent(&self) -> String {
        let strace = (!self.has_strace).then_some(("strace", "strace"));
        let missing = || self.missing.iter().map(|(&name, &package)| (name, package)).chain(strace);
        let names: Vec<&str> = missing().map(|(name, _)| name).collect();
        let packages: BTreeSet<&str> = missing().map(|(_, package)| package).collect();
        let packages: Vec<&str> = packages.into_iter().filter(|name| !name.is_empty()).collect();
        let mut ways = Vec::new();
        if !packages.is_empty() {
            ways.push(format!("apt-get install {}", packages.join(" ")));
        }
        if !self.missing.is_empty() {
            ways.push("cargo xtask rivals".to_owned());
        }
        let mut text = if names.is_empty() {
            "Not found: nothing.".to_owned()
        } else {
            format!("Not found: {}. To get them: {}.", names.join(", "), ways.join("; "))
        };
        if !self.left_out.is_empty() {
            let _ = write!(text, " Left out: {}.", self.left_out.join("; "));
        }
        text
    }

    /// A warning, if times were measured while others kept a quarter of a processor or more busy.
    fn busy(&self) -> Option<String> {
        let is_disturbed = |others: &f64| *others >= 0.25 && self.cells.iter().any(Cell::has_times);
        let others = self.others.filter(is_disturbed)?;
        Some(format!(
            "Other programs kept {others:.1} processors busy meanwhile: run again when they do not."
        ))
    }

    /// The noise of the ratios: the median and the worst.
    fn noise(&self) -> String {
        let noise = |cell: &Cell| Some((cell.ratio()?.noise() * 100.0, cell.name()));
        let mut all: Vec<(f64, String)> = self.cells.iter().filter_map(noise).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (Some((middle, _)), Some((worst, name))) = (all.get(all.len() / 2), all.last()) else {
            return "unknown".to_owned();
        };
        format!("±{middle:.0} %, at worst ±{worst:.0} % ({name})")
    }
}

/// A median with its interval.
pub(crate) fn interval(median: Option<Median>) -> String {
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
