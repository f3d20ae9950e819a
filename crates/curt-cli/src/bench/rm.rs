//! `curt rm` against everybody else who removes trees.
//!
//! Each run gets a fresh tree of the same shape; building it is not timed, waiting for the process to
//! end is. "Same answer" means: exit 0, the tree gone, and nothing beside it touched, though a link in
//! the tree points there.

use super::Context;
use super::contender::{Contender, version};
use super::measure::{Answer, Budget, Sample, race, run_to_end};
use super::place::{Kind, Place, drop_caches};
use super::report::{Cell, Row, Section, describe_tree};
use super::rm_calls::Counts;
use super::rm_contenders::{self, REFERENCE};
use super::tree::{Content, REACT_BYTES, Tree};
use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A shape of tree and where it is worth removing.
pub(super) struct Scenario {
    /// As `--scenario` takes it.
    pub(super) name: &'static str,
    /// The tree, or a fraction of it.
    pub(super) make: fn(shrink: u32) -> Tree,
    /// Shares of a quick run's time in memory and on disk; 0 leaves it to `--full`.
    quick: (u32, u32),
}

const SCENARIOS: [Scenario; 5] = [
    Scenario { name: "cra", make: |shrink| Tree::react(shrink, Content::Empty), quick: (6, 4) },
    Scenario {
        name: "cra-344mib",
        make: |shrink| Tree::react(shrink, Content::Total(REACT_BYTES / u64::from(shrink))),
        quick: (0, 0),
    },
    Scenario {
        name: "small-dirs",
        make: |shrink| Tree::small_directories(20_000 / shrink, Content::Empty),
        quick: (4, 4),
    },
    Scenario {
        name: "flat-4k",
        make: |shrink| Tree::flat(50_000 / shrink, Content::Each(4096)),
        quick: (0, 4),
    },
    Scenario { name: "ten", make: |_| Tree::ten(), quick: (1, 0) },
];

/// The fractions a quick run may fall back to.
const SHRINKS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The names that `--scenario` takes.
pub(crate) fn scenario_names() -> Vec<&'static str> {
    SCENARIOS.iter().map(|scenario| scenario.name).collect()
}

/// Runs every scenario in every place and returns the table.
pub(crate) fn run(context: &Context<'_>) -> io::Result<Section> {
    let found = rm_contenders::find(context.options.full, &context.options.rivals)?;
    let mut section = Section {
        title: "curt rm: removing a tree".to_owned(),
        reference: REFERENCE.to_owned(),
        caption: Vec::new(),
        cells: Vec::new(),
        left_out: found.left_out,
        missing: found.missing,
    };
    let mut counts = Counts::new(context);
    let hung = RefCell::default();
    let mut cells = planned(context);
    while let Some((scenario, place, weight)) = cells.pop() {
        if context.interrupt.wanted() {
            break;
        }
        let rest: u32 = weight + cells.iter().map(|(_, _, weight)| weight).sum::<u32>();
        let arena = Arena { context, place, scenario, contenders: &found.contenders, hung: &hung };
        match arena.cell(&mut counts, f64::from(weight) / f64::from(rest))? {
            Ok(cell) => section.cells.push(cell),
            Err(reason) => {
                section.left_out.push(format!("{} · {}: {reason}", scenario.name, place.name));
            }
        }
    }
    section.caption = caption(context, &found.contenders);
    Ok(section)
}

/// What is to be done, last first, each with its share of the time.
fn planned<'a>(context: &'a Context<'_>) -> Vec<(&'static Scenario, &'a Place, u32)> {
    let options = context.options;
    let everything = options.full || !options.scenarios.is_empty();
    let in_memory = context.places.iter().any(|place| place.kind == Kind::Memory);
    let mut cells = Vec::new();
    let wanted = |scenario: &&Scenario| {
        let names = &options.scenarios;
        names.is_empty() || names.iter().any(|name| name == scenario.name)
    };
    // Place by place: what a disk still has to write disturbs the next scenario in memory least
    // when that is not the next one.
    for place in &context.places {
        for scenario in SCENARIOS.iter().filter(wanted) {
            let weight = match place.kind {
                Kind::Memory => scenario.quick.0,
                Kind::Disk if in_memory => scenario.quick.1,
                Kind::Disk | Kind::Given => scenario.quick.0.max(scenario.quick.1),
            };
            if weight > 0 || everything {
                cells.push((scenario, place, weight.max(1)));
            }
        }
    }
    cells.reverse();
    cells
}

fn caption(context: &Context<'_>, contenders: &[Contender]) -> Vec<String> {
    let reference = contenders.iter().find(|contender| contender.name == REFERENCE);
    let known = reference.and_then(|contender| version(&contender.program));
    let known = known.unwrap_or_else(|| "the system's own".to_owned());
    let mut lines = vec![
        format!("x {REFERENCE}: how many times as fast as {known}, median of the ratios within each round, and"),
        "their quartiles. Times are from the start of the process until waiting for it returns; median.".to_owned(),
        "CPU: mean of user and system time of the process and its threads (the system tells it in 10 ms steps).".to_owned(),
        "floor: the bare loop of calls in one thread. std: std::fs::remove_dir_all.".to_owned(),
        "calls/entry: system calls in a run on a smaller tree of that shape minus those on an empty directory,".to_owned(),
        "futex left out, divided by the entries; curt counts its own (--stats), strace counts the others.".to_owned(),
    ];
    if !context.options.unhurried() {
        lines.push("Sizes fit the time there is, and on disk trees are removed as just written; --full and --repeat".to_owned());
        lines.push("take full sizes and write each tree back first.".to_owned());
    }
    if !context.counter.has_strace() {
        lines.push(
            "strace is not installed (apt-get install strace): only curt's calls are known."
                .to_owned(),
        );
    }
    lines
}

/// One scenario in one place.
pub(super) struct Arena<'a> {
    context: &'a Context<'a>,
    /// Where.
    pub(super) place: &'a Place,
    /// Of what.
    pub(super) scenario: &'static Scenario,
    /// Who takes part.
    pub(super) contenders: &'a [Contender],
    /// Who hung in an earlier scenario, and will not be waited for again.
    hung: &'a RefCell<HashSet<String>>,
}

impl<'a> Arena<'a> {
    /// Measures the cell with its share of the time that is left, or says why it cannot.
    fn cell(&self, counts: &mut Counts<'a>, share: f64) -> io::Result<Result<Cell, String>> {
        /// Of the cell's time, for counting calls after the race.
        const COUNTING: Duration = Duration::from_millis(1_500);
        let begin = Instant::now();
        let left = self.context.soft.saturating_duration_since(begin).mul_f64(share);
        let soft = begin + left.saturating_sub(COUNTING.min(left / 4));
        let say = |text: &str| {
            self.context.stage(&format!("{} · {}: {text}", self.scenario.name, self.place.name));
        };
        say("trying out");
        let tree = (self.scenario.make)(self.choose_size(soft)?);
        let heading = describe(&tree);
        if !self.place.has_room(tree.room(), tree.files() + tree.directories()) {
            return Ok(Err("not enough room".to_owned()));
        }
        say(&heading);
        let budget = self.budget(begin, soft);
        let samples =
            race(self.contenders, &budget, &self.context.interrupt, &mut |contender, round| {
                self.context.step(&format!("round {}: {}", round + 1, contender.name));
                self.trial(&tree, contender, round, budget.patience)
            })?;
        self.context.step("counting calls");
        let slopes = counts.of_cell(self, &samples)?;
        let rows = self.contenders.iter().zip(samples).zip(slopes);
        let rows = rows.map(|((contender, samples), slope)| Row {
            contender: contender.clone(),
            samples,
            slope,
        });
        Ok(Ok(Cell {
            scenario: self.scenario.name.to_owned(),
            place: self.place.name.clone(),
            heading,
            rows: rows.collect(),
        }))
    }

    /// A cell that turns out slower than its probe may take half as long again, not the time of those
    /// after it.
    fn budget(&self, begin: Instant, soft: Instant) -> Budget {
        let options = self.context.options;
        let patience = self.patience();
        let hard = soft + (soft - begin) / 2;
        let (least, most) = match options.repeat {
            Some(repeat) => (repeat, repeat),
            None if options.full => (10, 10),
            None => (3, 40),
        };
        Budget { soft, hard: hard.min(self.context.hard), least, most, patience }
    }

    /// How long a run may take before it counts as hanging.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(if self.context.options.unhurried() { 600 } else { 6 })
    }

    /// The largest fraction of the tree that a few rounds of have time before `soft`.
    fn choose_size(&self, soft: Instant) -> io::Result<u32> {
        const ROUNDS: f64 = 4.0;
        const PROBE: u32 = 16;
        const SMALL_PROBE: u32 = 64;
        const CHEAP: Duration = Duration::from_millis(100);
        if self.context.options.unhurried() {
            return Ok(1);
        }
        let Some(reference) = self.contenders.iter().find(|contender| contender.name == REFERENCE)
        else {
            return Ok(PROBE);
        };
        // From small to larger: on a disk that others keep busy, the small one is dear enough.
        let mut probe = SMALL_PROBE;
        let mut cost = self.probe(&(self.scenario.make)(probe), reference)?;
        if cost < CHEAP {
            probe = PROBE;
            cost = self.probe(&(self.scenario.make)(probe), reference)?;
        }
        let left = soft.saturating_duration_since(Instant::now()).as_secs_f64();
        // Real disks get slower under the bench than a probe shows: ext4 without a journal, for
        // one, does not reuse an inode for minutes and looks further with every tree.
        let reserve = if self.place.kind == Kind::Memory { 1.0 } else { 3.0 };
        let runs = reserve * ROUNDS * self.contenders.len() as f64;
        let fits = |shrink: &u32| {
            let tree = (self.scenario.make)(*shrink);
            let part = f64::from(probe) / f64::from(*shrink);
            cost.as_secs_f64() * part * runs <= left
                && self.place.has_room(tree.room(), tree.files() + tree.directories())
        };
        Ok(SHRINKS.into_iter().find(fits).unwrap_or(64))
    }

    /// How long one run of the reference takes, with everything around it.
    fn probe(&self, tree: &Tree, reference: &Contender) -> io::Result<Duration> {
        let begin = Instant::now();
        self.trial(tree, reference, 0, self.patience())?;
        Ok(begin.elapsed())
    }

    /// Whether trees are written back to the device before they are removed. On the machine's own
    /// disk that may take any time, because everybody's data is written; a run with a limit has
    /// none to spare.
    fn settles(&self) -> bool {
        match self.place.kind {
            Kind::Memory => false,
            Kind::Disk => self.context.options.unhurried(),
            Kind::Given => true,
        }
    }

    /// Where the tree of a run is.
    pub(super) fn path(&self) -> PathBuf {
        self.place.sandbox.entry("tree")
    }

    /// One run: build, remove, look.
    fn trial(
        &self,
        tree: &Tree,
        contender: &Contender,
        round: u32,
        patience: Duration,
    ) -> io::Result<Sample> {
        let failed =
            |why: String| Ok(Sample { round, wall: 0.0, cpu: None, answer: Answer::Differs(why) });
        if self.hung.borrow().contains(&contender.name) {
            return failed("hung in an earlier scenario".to_owned());
        }
        let sandbox = &self.place.sandbox;
        let path = self.path();
        sandbox.remove(&path)?;
        tree.build(&path, &sandbox.canary())?;
        if self.settles() {
            self.place.settle();
        }
        if self.context.options.cold {
            drop_caches();
        }
        sandbox.check(&path)?;
        let said = sandbox.entry("stderr");
        let mut command = contender.command(&path);
        let ended = match run_to_end(&mut command, &said, patience, &self.context.interrupt) {
            Ok(ended) => ended,
            Err(error) => return failed(format!("cannot start: {error}")),
        };
        let answer = if ended.killed {
            self.hung.borrow_mut().insert(contender.name.clone());
            Answer::Differs(format!("killed after {} s", patience.as_secs()))
        } else {
            self.judge(&path, ended.status.code(), &said)?
        };
        sandbox.remove(&path)?;
        Ok(Sample { round, wall: ended.wall, cpu: ended.cpu, answer })
    }

    fn judge(&self, path: &Path, code: Option<i32>, said: &Path) -> io::Result<Answer> {
        if !self.place.sandbox.canary_lives() {
            self.place.sandbox.place_canary()?;
            return Ok(Answer::Differs("removed something outside the tree".to_owned()));
        }
        if code != Some(0) {
            let code = code.map_or("a signal".to_owned(), |code| format!("exit {code}"));
            let said = std::fs::read_to_string(said).unwrap_or_default();
            let said: String = said.lines().next().unwrap_or_default().chars().take(60).collect();
            return Ok(Answer::Differs(format!("{code} {said}").trim_end().to_owned()));
        }
        if path.symlink_metadata().is_ok() {
            return Ok(Answer::Differs("exit 0, but the tree is there".to_owned()));
        }
        Ok(Answer::Same)
    }
}

/// The tree in words, and the fewest calls known for it.
fn describe(tree: &Tree) -> String {
    let text = describe_tree(tree.files(), tree.directories(), tree.bytes());
    let below = tree.directories() - 1;
    let least = tree.files() + 3 * below + below.div_ceil(256);
    let per_entry = least as f64 / (tree.files() + below) as f64;
    format!("{text}; fewest known {per_entry:.2} calls/entry")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_shrinks_to_every_fraction() {
        for scenario in &SCENARIOS {
            for shrink in SHRINKS {
                let tree = (scenario.make)(shrink);
                assert!(tree.files() > 0 && tree.directories() > 0, "{}", scenario.name);
            }
        }
    }

    #[test]
    fn the_fewest_calls_are_stated() {
        let text = describe(&(SCENARIOS[0].make)(1));
        let expected = "36,346 files, 4,863 directories, empty; fewest known 1.24 calls/entry";
        assert_eq!(text, expected);
    }
}
