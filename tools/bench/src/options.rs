//! The command line.

use crate::place::{self, images};
use crate::scenario::{Contender, Part};
use crate::scenarios;
use std::path::{Path, PathBuf};

const ABOUT: &str = "Measure curt beside the tools on this machine";

const AFTER: &str = "\
Without options it prints one table in less than a minute. Started by 'cargo run --release -p \
curt-bench', it builds curt in release mode and measures that; the environment variable CURT names \
another one. 'cargo xtask rivals' builds programs around other people's libraries, which then take \
part. Everything happens in new temporary folders, which are removed, also after Ctrl-C.";

/// Options of `curt-bench`.
#[derive(clap::Parser, Debug)]
#[command(name = "curt-bench", version, about = ABOUT, after_help = AFTER)]
pub(crate) struct Options {
    /// Measure every scenario at full size with every rival; takes long
    #[arg(long)]
    pub(crate) full: bool,
    /// Measure only this scenario of --list, with every rival (repeatable)
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = scenarios::all().map(|one| one.name).collect::<Vec<_>>())]
    pub(crate) only: Vec<String>,
    /// Beside curt and the usual tool, measure only this contender (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) rival: Vec<String>,
    /// List the scenarios and their contenders
    #[arg(long)]
    pub(crate) list: bool,
    /// Count calls and compare answers, measure no time
    #[arg(long)]
    pub(crate) calls: bool,
    /// Time for a quick run
    #[arg(long, value_name = "SECONDS", default_value_t = 46)]
    pub(crate) seconds: u32,
    /// Make exactly N rounds, at full size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(7..=1_000))]
    pub(crate) rounds: Option<u32>,
    /// Work in this directory's filesystem only (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    pub(crate) dirs: Vec<PathBuf>,
    /// Also work on images of journaled ext4, XFS and btrfs and on a FUSE mount (root only)
    #[arg(long)]
    pub(crate) images: bool,
    /// Work only in places whose name contains TEXT (repeatable)
    #[arg(long = "place", value_name = "TEXT")]
    pub(crate) places: Vec<String>,
    /// Drop the system's caches before each timed run (root only; slows the whole machine down)
    #[arg(long)]
    pub(crate) cold: bool,
    /// Write the results as JSON, in hyperfine's shape
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write the report as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
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
    /// Already in a private mount namespace
    #[arg(long, hide = true)]
    pub(crate) in_namespace: bool,
}

impl Options {
    /// What cannot be done, if something is asked for that cannot.
    pub(crate) fn wrong(&self) -> Option<String> {
        let is_known = |name: &&String| {
            let mut contenders = scenarios::all().flat_map(|scenario| scenario.contenders);
            contenders.any(|contender| contender.name == **name)
        };
        if self.images && !images::allowed() {
            return Some("--images needs root on Linux".to_owned());
        }
        if self.cold && !place::may_drop_caches() {
            return Some("--cold needs root on Linux".to_owned());
        }
        let unknown = self.rival.iter().find(|name| !is_known(name))?;
        Some(format!("no contender is called '{unknown}'; --list names them"))
    }

    /// The files that are written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Path> {
        [&self.json, &self.markdown, &self.html].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Whether the quick table is asked for: sizes and rounds fit the time.
    pub(crate) fn is_quick(&self) -> bool {
        !self.full && !self.calls && self.rounds.is_none() && self.only.is_empty()
    }

    /// Whether every rival takes part, not only those of the quick run.
    pub(crate) fn has_all_rivals(&self) -> bool {
        self.full || !self.only.is_empty()
    }

    /// Whether the contender takes part.
    pub(crate) fn admits(&self, contender: &Contender) -> bool {
        let is_one_of_two = matches!(contender.part, Part::Curt | Part::Usual);
        if self.rival.is_empty() {
            return self.has_all_rivals() || contender.quick;
        }
        is_one_of_two || self.rival.iter().any(|name| name == contender.name)
    }

    /// Whether the scenario is asked for.
    pub(crate) fn wants(&self, scenario: &crate::scenario::Scenario) -> bool {
        if self.only.is_empty() {
            return self.full || scenario.quick.is_some();
        }
        self.only.iter().any(|name| name == scenario.name)
    }
}
