use crate::place;
use crate::rivals::{Contender, Part, RIVALS};
use crate::scenario::{SCENARIOS, Scenario};
use std::path::{Path, PathBuf};

const ABOUT: &str = "Measure curt beside the tools on this machine";

const AFTER: &str = "\
Without options it prints one table in a minute, or on a busy machine in up to three. Started by \
'cargo run --release -p curt-bench', it builds curt in release mode and measures that; the \
environment variable CURT names another one. 'cargo xtask rivals' brings the newest rivals and builds \
programs around other people's libraries, which then take part. Everything happens in new temporary \
folders, which are removed, also after Ctrl-C.";

#[derive(clap::Parser, Debug)]
#[command(name = "curt-bench", version, about = ABOUT, after_help = AFTER)]
pub(crate) struct Options {
    /// Measure every scenario at full size with every rival; takes long
    #[arg(long)]
    pub(crate) full: bool,
    /// Measure only this scenario of --list, with every rival (repeatable)
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    #[arg(value_parser = SCENARIOS.map(|one| one.name))]
    pub(crate) only: Vec<String>,
    /// Beside curt and the usual tool, measure only this contender (repeatable)
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    #[arg(value_parser = RIVALS.iter().map(|one| one.name).collect::<Vec<_>>())]
    pub(crate) rival: Vec<String>,
    /// Run the programs of the five bug reports, without and with curt, and print a table for each;
    /// nothing else is measured unless selected
    #[arg(long)]
    pub(crate) reports: bool,
    /// List the scenarios and their contenders
    #[arg(long)]
    pub(crate) list: bool,
    /// Count calls and compare answers, measure no time
    #[arg(long)]
    pub(crate) calls: bool,
    /// Time for a quick run; it takes up to three times as long if seven rounds of each row need it
    #[arg(long, value_name = "SECONDS", default_value_t = 46)]
    pub(crate) seconds: u32,
    /// Make exactly N rounds, at full size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(7..=1_000))]
    pub(crate) rounds: Option<u32>,
    /// Work in this directory's filesystem only (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    pub(crate) dirs: Vec<PathBuf>,
    /// Drop the system's caches before each timed run (root only; slows the whole machine down)
    #[arg(long)]
    pub(crate) cold: bool,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write the report as a page with plots, in one file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the table of this README, and the picture beside it, from this run
    #[arg(long, value_name = "README")]
    pub(crate) readme: Option<PathBuf>,
    /// Compare with the results in this file, which --json wrote
    #[arg(long, value_name = "OLD")]
    pub(crate) compare: Option<PathBuf>,
    /// Fail where curt makes more calls than in this file, or is slower by more than the noise
    #[arg(long, value_name = "BASELINE")]
    pub(crate) check: Option<PathBuf>,
}

impl Options {
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        (self.cold && !place::may_drop_caches()).then_some("--cold needs root on Linux")
    }

    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Path> {
        [&self.json, &self.html].into_iter().flatten().map(PathBuf::as_path)
    }

    pub(crate) fn is_quick(&self) -> bool {
        !self.full && !self.calls && self.rounds.is_none() && self.only.is_empty()
    }

    pub(crate) fn admits(&self, contender: &Contender) -> bool {
        let is_one_of_two = matches!(contender.line.part, Part::Curt | Part::Usual);
        if self.rival.is_empty() {
            return self.full || !self.only.is_empty() || contender.line.quick;
        }
        is_one_of_two || self.rival.iter().any(|name| name == contender.rival.name)
    }

    pub(crate) fn wants(&self, scenario: &Scenario) -> bool {
        if self.only.is_empty() {
            return self.full || !self.reports && scenario.quick.is_some();
        }
        self.only.iter().any(|name| name == scenario.name)
    }
}
