//! One cell: a scenario in a place, with everybody who takes part.
//!
//! Building trees is not timed, waiting for the process to end is. Where trees are used up each run
//! gets a fresh one of the same shape; where they are read, all runs read the same, and write what
//! they find to a file in memory: some programs do less when nobody can read it.

use super::answer::Question;
use super::contender::Contender;
use super::context::Context;
use super::ground::{Ground, Standing, Use};
use super::measure::{Answer, Budget, Ended, Sample, race, run_to_end};
use super::operation::{Grown, Operation, SHRINKS, Scenario};
use super::place::{Kind, Place, drop_caches};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Contenders that hung, and will not be waited for again, by operation and name.
pub(super) type Hung = RefCell<HashSet<(&'static str, String)>>;

/// One scenario in one place.
pub(super) struct Arena<'a> {
    context: &'a Context<'a>,
    operation: &'static Operation,
    /// Of what.
    pub(super) scenario: &'static Scenario,
    /// Where.
    pub(super) place: &'a Place,
    /// Who takes part.
    pub(super) contenders: &'a [Contender],
    /// The trees that stand.
    pub(super) ground: &'a Ground,
    hung: &'a Hung,
    /// Whose answer about which fraction was looked at.
    seen: RefCell<HashSet<(String, u32)>>,
}

/// A cell after its race.
pub(super) struct Raced {
    /// The tree in words.
    pub(super) heading: String,
    /// The runs of each contender.
    pub(super) samples: Vec<Vec<Sample>>,
}

/// What a run of a probe takes: the time to get ready for all runs, and that of each.
#[derive(Clone, Copy, Default)]
struct Cost {
    once: Duration,
    each: Duration,
}

impl<'a> Arena<'a> {
    /// A cell that nothing was measured in yet.
    pub(super) fn new(
        context: &'a Context<'a>,
        operation: &'static Operation,
        scenario: &'static Scenario,
        place: &'a Place,
        contenders: &'a [Contender],
        ground: &'a Ground,
        hung: &'a Hung,
    ) -> Self {
        let seen = RefCell::default();
        Self { context, operation, scenario, place, contenders, ground, hung, seen }
    }

    /// Times the cell with its share of the time that is left, or says why it cannot.
    pub(super) fn race(&self, share: f64) -> io::Result<Result<Raced, String>> {
        /// Of the cell's time, for counting calls after the race.
        const COUNTING: Duration = Duration::from_millis(1_500);
        let begin = Instant::now();
        let left = self.context.soft.saturating_duration_since(begin).mul_f64(share);
        let soft = begin + left.saturating_sub(COUNTING.min(left / 4));
        let say = |text: &str| {
            let (operation, scenario) = (self.operation.name, self.scenario.name);
            self.context.stage(&format!("{operation}: {scenario} · {}: {text}", self.place.name));
        };
        say("trying out");
        let grown = self.scenario.grow(self.choose_size(soft)?);
        let heading = (self.operation.describe)(&grown.tree);
        if !self.has_room(&grown) {
            return Ok(Err("not enough room".to_owned()));
        }
        say(&heading);
        let budget = self.budget(begin, soft);
        let samples =
            race(self.contenders, &budget, &self.context.interrupt, &mut |contender, round| {
                self.context.step(&format!("round {}: {}", round + 1, contender.name));
                self.trial(&grown, contender, round, budget.patience)
            })?;
        Ok(Ok(Raced { heading, samples }))
    }

    /// A cell that turns out slower than its probe may take half as long again, not the time of
    /// those after it.
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

    fn has_room(&self, grown: &Grown) -> bool {
        let tree = &grown.tree;
        self.place.has_room(tree.room(), tree.files() + tree.directories())
    }

    /// The largest fraction of the tree that a few rounds of have time before `soft`.
    fn choose_size(&self, soft: Instant) -> io::Result<u32> {
        const ROUNDS: f64 = 4.0;
        const PROBE: u32 = 16;
        const CHEAP: Duration = Duration::from_millis(100);
        if self.context.options.unhurried() {
            return Ok(1);
        }
        if let Some(shrink) = self.ground.shrink_of(self.place, self.scenario) {
            // The same tree for the questions that are asked about the same shape.
            return Ok(shrink);
        }
        let name = self.operation.reference;
        let Some(reference) = self.contenders.iter().find(|contender| contender.name == name)
        else {
            return Ok(PROBE);
        };
        // From small to larger: on a disk that others keep busy, the small one is dear enough. What
        // is only read is so quick that at first the start of the program hides the rest.
        let probes: &[u32] = if self.scenario.reads() { &[64, 16, 4] } else { &[64, 16] };
        let mut probe = PROBE;
        let mut cost = Cost::default();
        for &shrink in probes.iter().filter(|&&shrink| self.has_room(&self.scenario.grow(shrink))) {
            if cost.once + cost.each < CHEAP {
                probe = shrink;
                cost = self.probe(probe, reference)?;
            }
        }
        let left = soft.saturating_duration_since(Instant::now()).as_secs_f64();
        // Real disks get slower under the bench than a probe shows: ext4 without a journal, for
        // one, does not reuse an inode for minutes and looks further with every tree.
        let reserve = if self.place.kind == Kind::Memory { 1.0 } else { 3.0 };
        let runs = ROUNDS * self.contenders.len() as f64;
        let all = reserve * (cost.once.as_secs_f64() + cost.each.as_secs_f64() * runs);
        let fits = |shrink: &u32| {
            let part = f64::from(probe) / f64::from(*shrink);
            all * part <= left && self.has_room(&self.scenario.grow(*shrink))
        };
        Ok(SHRINKS.into_iter().find(fits).unwrap_or(64))
    }

    /// How long one run of the reference takes, with everything around it.
    fn probe(&self, shrink: u32, reference: &Contender) -> io::Result<Cost> {
        let grown = self.scenario.grow(shrink);
        let begin = Instant::now();
        if self.scenario.reads() {
            self.standing(&grown, Use::Race)?;
        }
        let once = begin.elapsed();
        self.trial(&grown, reference, 0, self.patience())?;
        Ok(Cost { once, each: begin.elapsed().saturating_sub(once) })
    }

    /// Whether trees are written back to the device before they are worked on. On the machine's own
    /// disk that may take any time, because everybody's data is written; a run with a limit has
    /// none to spare.
    fn settles(&self) -> bool {
        match self.place.kind {
            Kind::Memory => false,
            Kind::Disk => self.context.options.unhurried(),
            Kind::Given => true,
        }
    }

    /// The tree, built if it does not stand yet.
    pub(super) fn standing(&self, grown: &Grown, used: Use) -> io::Result<Standing> {
        self.ground.standing(self.place, self.scenario, grown, used, self.settles())
    }

    /// The tree for a run, and what is known of it.
    fn ready(&self, grown: &Grown) -> io::Result<(PathBuf, Option<Standing>)> {
        if self.scenario.reads() {
            let standing = self.standing(grown, Use::Race)?;
            return Ok((standing.path.clone(), Some(standing)));
        }
        let path = Ground::fresh(self.place, grown)?;
        if self.settles() {
            self.place.settle();
        }
        Ok((path, None))
    }

    /// One run: get ready, run, look.
    fn trial(
        &self,
        grown: &Grown,
        contender: &Contender,
        round: u32,
        patience: Duration,
    ) -> io::Result<Sample> {
        let failed =
            |why: String| Ok(Sample { round, wall: 0.0, cpu: None, answer: Answer::Differs(why) });
        let key = (self.operation.name, contender.name.clone());
        if self.hung.borrow().contains(&key) {
            return failed("hung in an earlier scenario".to_owned());
        }
        let (path, standing) = self.ready(grown)?;
        if self.context.options.cold {
            drop_caches();
        }
        self.place.sandbox.check(&path)?;
        let said = self.context.scratch.entry("stderr");
        let output = self.context.scratch.entry("stdout");
        let mut command = contender.command(&path);
        if standing.is_some() {
            command.stdout(File::create(&output)?);
        }
        let ended = match run_to_end(&mut command, &said, patience, &self.context.interrupt) {
            Ok(ended) => ended,
            Err(error) => return failed(format!("cannot start: {error}")),
        };
        let wrong = if ended.killed {
            self.hung.borrow_mut().insert(key);
            Some(format!("killed after {} s", patience.as_secs()))
        } else {
            self.wrong(&ended, &path, &said)?
        };
        let wall = match self.own_time(&output)? {
            Some(own) if wrong.is_none() => own,
            _ => ended.wall,
        };
        let wrong = match standing {
            Some(standing) if wrong.is_none() => {
                self.refute(&standing, (contender.name.clone(), grown.shrink), &output)?
            }
            Some(_) => wrong,
            None => {
                self.place.sandbox.remove(&path)?;
                wrong
            }
        };
        let answer = wrong.map_or(Answer::Same, Answer::Differs);
        Ok(Sample { round, wall, cpu: ended.cpu, answer })
    }

    /// What the contender measured itself, where it does.
    fn own_time(&self, output: &Path) -> io::Result<Option<f64>> {
        if !self.scenario.question.measures_itself() {
            return Ok(None);
        }
        Ok(super::works::own_time(&std::fs::read(output)?))
    }

    /// What is wrong with how it ended and what it left, if something is.
    fn wrong(&self, ended: &Ended, path: &Path, said: &Path) -> io::Result<Option<String>> {
        if !self.place.sandbox.canary_lives() {
            self.place.sandbox.place_canary()?;
            return Ok(Some("removed something outside the tree".to_owned()));
        }
        if !ended.status.success() {
            return Ok(Some(failure(ended.status.code(), said)));
        }
        let is_there = path.symlink_metadata().is_ok();
        Ok(match (self.scenario.reads(), is_there) {
            (false, true) => Some("exit 0, but the tree is there".to_owned()),
            (true, false) => Some("removed the tree".to_owned()),
            _ => None,
        })
    }

    /// What is wrong with the output, which is looked at once for each contender and tree.
    fn refute(
        &self,
        standing: &Standing,
        who: (String, u32),
        output: &Path,
    ) -> io::Result<Option<String>> {
        if !self.seen.borrow_mut().insert(who) {
            return Ok(None);
        }
        let question = self.scenario.question;
        let text = std::fs::read(output)?;
        let wrong = standing.truth.refute(question, &standing.path, &text);
        if wrong.is_none() || question != Question::Total {
            return Ok(wrong);
        }
        // A file system may give other blocks to a file when it is written back.
        let truth = self.ground.look_again(&standing.path)?;
        Ok(truth.refute(question, &standing.path, &text))
    }
}

/// How a process failed, in words.
pub(super) fn failure(code: Option<i32>, said: &Path) -> String {
    let code = code.map_or("a signal".to_owned(), |code| format!("exit {code}"));
    let said = std::fs::read_to_string(said).unwrap_or_default();
    let said: String = said.lines().next().unwrap_or_default().chars().take(60).collect();
    format!("{code} {said}").trim_end().to_owned()
}

#[cfg(test)]
#[path = "arena_tests.rs"]
mod tests;
