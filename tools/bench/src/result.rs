//! What a run found.

use crate::calls::Slope;
use crate::programs::Found;
use crate::rivals::Part;
use crate::scenario::Scenario;
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
    /// Processor seconds, where the system tells.
    pub(crate) cpu: Option<f64>,
}

/// One contender in one cell.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) found: Found,
    pub(crate) samples: Vec<Sample>,
    pub(crate) slope: Option<Slope>,
    /// Why its answer is not the right one, if it is not. It is not run again then.
    pub(crate) wrong: Option<String>,
    /// Whether it is not timed, because another rival is faster.
    pub(crate) is_too_slow: bool,
}

/// One scenario in one place.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) scenario: &'static Scenario,
    pub(crate) place: String,
    pub(crate) size: u32,
    pub(crate) rows: Vec<Row>,
}

impl Row {
    pub(crate) fn new(found: &Found) -> Self {
        let found = found.clone();
        Self { found, samples: Vec::new(), slope: None, wrong: None, is_too_slow: false }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.found.contender.rival.name
    }

    fn part(&self) -> Part {
        self.found.contender.line.part
    }

    /// Whether it takes part in rounds.
    pub(crate) fn takes_part(&self) -> bool {
        self.wrong.is_none() && !self.is_too_slow
    }

    /// The median of its times, if it has enough that count.
    pub(crate) fn wall(&self) -> Option<Median> {
        self.median(self.samples.iter().map(|sample| sample.wall))
    }

    pub(crate) fn cpu(&self) -> Option<Median> {
        self.median(self.samples.iter().filter_map(|sample| sample.cpu))
    }

    fn median(&self, values: impl Iterator<Item = f64>) -> Option<Median> {
        let values: Vec<f64> = values.collect();
        let is_enough = self.wrong.is_none() && values.len() >= ENOUGH as usize;
        is_enough.then(|| Median::of(&values)).flatten()
    }

    /// How many times as fast it is as another: the ratios of the rounds that both finished.
    pub(crate) fn ratio(&self, other: &Row) -> Option<Median> {
        let ratio = |sample: &Sample| {
            let other = other.samples.iter().find(|other| other.round == sample.round)?;
            Some(other.wall / sample.wall)
        };
        other.wrong.is_none().then(|| self.median(self.samples.iter().filter_map(ratio))).flatten()
    }
}

impl Cell {
    pub(crate) fn curt(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.part() == Part::Curt)
    }

    /// The usual tool, to which ratios refer: the first one that gave the right answer.
    pub(crate) fn usual(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.part() == Part::Usual && row.wrong.is_none())
    }

    /// The part of a row here: of the usual tools only the first one found is that.
    pub(crate) fn part(&self, row: &Row) -> Part {
        match row.part() {
            Part::Usual if self.usual().is_none_or(|usual| usual.name() != row.name()) => {
                Part::Rival
            }
            part => part,
        }
    }

    /// The fastest of the other programs.
    pub(crate) fn best_rival(&self) -> Option<&Row> {
        let rivals = self.rows.iter().filter(|row| self.part(row) == Part::Rival);
        let rivals = rivals.filter_map(|row| Some((row, row.wall()?.middle)));
        rivals.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(row, _)| row)
    }

    pub(crate) fn name(&self) -> String {
        format!("{} on {}", self.scenario.name, self.place)
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rows.iter().map(|row| row.samples.len()).max().unwrap_or(0)
    }

    /// Whether there were enough of them for a median.
    pub(crate) fn has_times(&self) -> bool {
        self.rounds() >= ENOUGH as usize
    }

    /// Whether the tree is smaller than it should be, because the machine is slow.
    pub(crate) fn is_smaller(&self) -> bool {
        self.has_times() && self.scenario.quick.is_some_and(|quick| quick.size > self.size)
    }

    /// How many times as fast as the usual tool curt is.
    pub(crate) fn ratio(&self) -> Option<Median> {
        self.curt()?.ratio(self.usual()?)
    }

    /// Whether curt gave the right answer, with any options.
    pub(crate) fn is_right(&self) -> bool {
        let is_curt = |row: &&Row| matches!(row.part(), Part::Curt | Part::Variant);
        self.rows.iter().filter(is_curt).all(|row| row.wrong.is_none())
    }
}
