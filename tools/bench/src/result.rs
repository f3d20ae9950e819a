use crate::calls::Slope;
use crate::programs::Found;
use crate::rivals::Part;
use crate::scenario::Scenario;
use crate::stats::Median;

/// The minimum of rounds for a time in the report. Fewer do not bound a median.
pub(crate) const ENOUGH: u32 = 7;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) round: u32,
    /// The seconds until the process was waited for, or the seconds that it measured itself.
    pub(crate) wall: f64,
    pub(crate) cpu: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) found: Found,
    pub(crate) samples: Vec<Sample>,
    pub(crate) slope: Option<Slope>,
    pub(crate) wrong: Option<String>,
    pub(crate) is_too_slow: bool,
}

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

    pub(crate) fn takes_part(&self) -> bool {
        self.wrong.is_none() && !self.is_too_slow
    }

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

    pub(crate) fn usual(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.part() == Part::Usual && row.wrong.is_none())
    }

    /// Only the first of several usual tools counts as usual.
    pub(crate) fn part(&self, row: &Row) -> Part {
        match row.part() {
            Part::Usual if self.usual().is_none_or(|usual| usual.name() != row.name()) => {
                Part::Rival
            }
            part => part,
        }
    }

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

    pub(crate) fn has_times(&self) -> bool {
        self.rounds() >= ENOUGH as usize
    }

    pub(crate) fn is_smaller(&self) -> bool {
        self.has_times() && self.scenario.quick.is_some_and(|quick| quick.size > self.size)
    }

    pub(crate) fn ratio(&self) -> Option<Median> {
        self.curt()?.ratio(self.usual()?)
    }

    pub(crate) fn is_right(&self) -> bool {
        let is_curt = |row: &&Row| matches!(row.part(), Part::Curt | Part::Variant);
        self.rows.iter().filter(is_curt).all(|row| row.wrong.is_none())
    }
}
