//! What a run found.

use crate::calls::Slope;
use crate::process::Used;
use crate::programs::Found;
use crate::scenario::{Part, Scenario};
use crate::stats::Median;

/// Fewer rounds bound no median, so no time is shown.
pub(crate) const ENOUGH: u32 = 7;

/// One timed run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// The round that it belongs to.
    pub(crate) round: u32,
    /// Seconds from the start of the process until waiting for it returned, or what it measured
    /// itself.
    pub(crate) wall: f64,
    /// What it used, where the system tells.
    pub(crate) used: Option<Used>,
}

/// One contender in one cell.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Which one.
    pub(crate) found: Found,
    /// Its version, if it tells.
    pub(crate) version: String,
    /// Its timed runs.
    pub(crate) samples: Vec<Sample>,
    /// Its calls, if they were counted.
    pub(crate) slope: Option<Slope>,
    /// Why its answer is not the right one, if it is not. It is not run again then.
    pub(crate) wrong: Option<String>,
    /// Whether it is not timed, because another rival is faster.
    pub(crate) is_too_slow: bool,
}

/// One scenario in one place.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Which one.
    pub(crate) scenario: &'static Scenario,
    /// The place.
    pub(crate) place: String,
    /// The size.
    pub(crate) size: u32,
    /// The contenders.
    pub(crate) rows: Vec<Row>,
}

impl Row {
    /// The median of its times, if it has enough that count.
    pub(crate) fn wall(&self) -> Option<Median> {
        self.median(|sample| Some(sample.wall))
    }

    /// The median of some value of its runs, if there are enough.
    pub(crate) fn median(&self, value: impl Fn(&Sample) -> Option<f64>) -> Option<Median> {
        let values: Vec<f64> = self.samples.iter().filter_map(value).collect();
        if self.wrong.is_some() || values.len() < ENOUGH as usize {
            return None;
        }
        Median::of(&values)
    }

    /// How many times as fast it is as another: the ratios of the rounds that both finished.
    pub(crate) fn ratio(&self, other: &Row) -> Option<Median> {
        if self.wrong.is_some() || other.wrong.is_some() {
            return None;
        }
        let ratios: Vec<f64> = self
            .samples
            .iter()
            .filter_map(|sample| {
                let other = other.samples.iter().find(|other| other.round == sample.round)?;
                Some(other.wall / sample.wall)
            })
            .collect();
        if ratios.len() < ENOUGH as usize {
            return None;
        }
        Median::of(&ratios)
    }

    /// Whether it is another program than curt and the usual one.
    pub(crate) fn is_rival(&self, usual: Option<&str>) -> bool {
        let contender = self.found.contender;
        matches!(contender.part, Part::Rival | Part::Usual) && Some(contender.name) != usual
    }

    /// Whether it is curt, with or without options.
    pub(crate) fn is_curt(&self) -> bool {
        matches!(self.found.contender.part, Part::Curt | Part::Variant)
    }
}

impl Cell {
    /// curt.
    pub(crate) fn curt(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.found.contender.part == Part::Curt)
    }

    /// The usual tool, to which ratios refer: the first one that gave the right answer.
    pub(crate) fn usual(&self) -> Option<&Row> {
        let is_usual = |row: &&Row| row.found.contender.part == Part::Usual && row.wrong.is_none();
        self.rows.iter().find(is_usual)
    }

    /// The part of a row here: of the usual tools only the first one found is that.
    pub(crate) fn part(&self, row: &Row) -> Part {
        let usual = self.usual().map(|row| row.found.contender.name);
        if row.is_rival(usual) { Part::Rival } else { row.found.contender.part }
    }

    /// The fastest of the other programs.
    pub(crate) fn best_rival(&self) -> Option<&Row> {
        let rivals = self.rows.iter().filter(|row| self.part(row) == Part::Rival);
        let rivals = rivals.filter_map(|row| Some((row, row.wall()?.middle)));
        rivals.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(row, _)| row)
    }

    /// As it is called in messages.
    pub(crate) fn name(&self) -> String {
        format!("{} on {}", self.scenario.name, self.place)
    }

    /// The rounds that were made.
    pub(crate) fn rounds(&self) -> usize {
        self.rows.iter().map(|row| row.samples.len()).max().unwrap_or(0)
    }

    /// Whether the tree is smaller than it should be, because the machine is slow.
    pub(crate) fn is_smaller(&self) -> bool {
        self.has_times() && self.scenario.quick.is_some_and(|quick| quick.size > self.size)
    }

    /// Whether there were enough of them for a median.
    pub(crate) fn has_times(&self) -> bool {
        self.rounds() >= ENOUGH as usize
    }

    /// How many times as fast as the usual tool curt is.
    pub(crate) fn ratio(&self) -> Option<Median> {
        self.curt()?.ratio(self.usual()?)
    }

    /// Whether curt gave the right answer, with any options.
    pub(crate) fn is_right(&self) -> bool {
        self.rows.iter().all(|row| !row.is_curt() || row.wrong.is_none())
    }
}
