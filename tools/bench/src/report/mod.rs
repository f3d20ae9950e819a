mod json;
mod page;
mod readme;
mod table;
mod text;

pub(crate) use json::json;
pub(crate) use page::page;
pub(crate) use readme::{check, update};
pub(crate) use table::{Line, Table};
pub(crate) use text::{full, quick};

use crate::programs::Programs;
use crate::proofs::Proof;
use crate::result::{Cell, ENOUGH, Row};
use crate::stats::Median;
use std::collections::{BTreeMap, BTreeSet};
use table::{digits, grouped, time};

pub(crate) struct Report {
    pub(crate) proofs: Vec<Proof>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) late: Vec<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) missing: BTreeMap<&'static str, &'static str>,
    pub(crate) date: String,
    pub(crate) machine: String,
    pub(crate) cold: bool,
}

impl Report {
    fn absent(&self) -> Option<String> {
        let names: Vec<&str> = self.missing.keys().copied().collect();
        let packages: BTreeSet<&str> =
            self.missing.values().copied().filter(|package| !package.is_empty()).collect();
        let packages = packages.into_iter().collect::<Vec<_>>().join(" ");
        let names = names.join(", ");
        let ways = "cargo xtask rivals";
        let install = format!("apt-get install {packages}; ");
        let install = if packages.is_empty() { "" } else { &install };
        let text = format!("Not found: {names}. To get them: {install}{ways}.");
        (!self.missing.is_empty()).then_some(text)
    }

    fn late(&self) -> Option<String> {
        let names = self.late.join(", ");
        let text = format!("No time for {ENOUGH} rounds, --seconds gives more: {names}.");
        (!self.late.is_empty()).then_some(text)
    }

    fn wrong(&self) -> Option<String> {
        let rows = self.cells.iter().flat_map(|cell| cell.rows.iter().map(move |row| (cell, row)));
        let wrong = rows.filter_map(|(cell, row)| {
            Some(format!("{} ({}): {}", row.name(), cell.scenario.name, row.wrong.as_ref()?))
        });
        let wrong: BTreeSet<String> = wrong.collect();
        let text = wrong.into_iter().collect::<Vec<_>>().join("; ");
        (!text.is_empty()).then(|| format!("Another answer: {text}."))
    }

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

pub(crate) fn interval(median: Option<Median>) -> String {
    median.map_or_else(none, |Median { low, middle, high }| {
        format!("{} [{}, {}]", digits(middle), digits(low), digits(high))
    })
}

fn none() -> String {
    "–".to_owned()
}

fn calls(row: Option<&Row>) -> String {
    let slope = row.and_then(|row| row.slope.as_ref());
    slope.map_or_else(none, |slope| digits(slope.per_entry()))
}

fn operation(cell: &Cell) -> String {
    let smaller = if cell.is_smaller() { "*" } else { "" };
    format!("{}, {}{smaller}", cell.scenario.title, grouped(cell.scenario.units(cell.size)))
}

const TITLES: [&str; 7] =
    ["contender", "median", "ratio [95 %]", "processors", "calls for one", "rounds", "answer"];

fn cells(cell: &Cell, row: &Row) -> Vec<String> {
    let usual = cell.usual();
    let ratio = match usual {
        Some(usual) if usual.name() == row.name() => "usual tool".to_owned(),
        usual => interval(usual.and_then(|usual| row.ratio(usual))),
    };
    let middle = |median: Median| time(median.middle);
    let spread = |median: Median| format!("{} ±{:.0} %", middle(median), 100.0 * median.noise());
    vec![
        row.name().to_owned(),
        row.wall().map_or_else(none, spread),
        ratio,
        row.cpu().map_or_else(none, middle),
        calls(Some(row)),
        row.samples.len().to_string(),
        row.wrong.as_ref().map_or_else(|| "right".to_owned(), |why| format!("WRONG: {why}")),
    ]
}

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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::calls::Slope;
    use crate::programs::Found;
    use crate::result::Sample;
    use crate::scenario::{SCENARIOS, Scenario};

    pub(crate) fn report(wanted: impl Fn(&Scenario) -> bool) -> Report {
        let mut cells = Vec::new();
        for (place, everywhere) in [("disk (overlayfs)", true), ("tmpfs", false), ("tmpfs", true)] {
            let here = SCENARIOS.iter().filter(|scenario| scenario.everywhere == everywhere);
            for scenario in here.filter(|scenario| wanted(scenario)) {
                let size = scenario.quick.map_or(1_000, |quick| quick.size);
                let row = |(at, contender)| {
                    let found = Found { contender, program: "/bin/x".into() };
                    let mut row = Row::new(&found);
                    let each = f64::from((at + cells.len() as u32) % 5 + 1);
                    row.samples = (1..=9)
                        .map(|round| {
                            let wall = f64::from(round + 8) * each * 0.1;
                            Sample { round, wall, cpu: Some(wall) }
                        })
                        .collect();
                    let by_name = [("openat".to_owned(), 50 * i64::from(at))].into();
                    row.slope = Some(Slope { by_name, entries: 400 });
                    row
                };
                let rows = (0..).zip(scenario.contenders()).map(row).collect();
                cells.push(Cell { scenario, place: place.to_owned(), size, rows });
            }
        }
        Report {
            proofs: Vec::new(),
            cells,
            late: Vec::new(),
            left_out: vec!["find on <a place>: no \"room\" & more".to_owned()],
            missing: [("rmz", ""), ("bfs", "bfs")].into(),
            date: "1 January 2026".to_owned(),
            machine: "curt 0.1.0, linux 6.18 x86_64, 2 processors".to_owned(),
            cold: false,
        }
    }
}
