//! Measures one cell: all contenders of a scenario in one place. A warm-up compares every answer.
//! In each round, every contender runs once, in a new order, so that disturbances affect all. The
//! time includes waiting for the process to end. Answers go to a file in memory, because some
//! programs do less if standard output is `/dev/null`.

use crate::calls::{Calls, Slope, counting, parse};
use crate::command::command;
use crate::ground::Ground;
use crate::oracle::{Question, Truth, refute_copy};
use crate::place::{Place, drop_caches, file_system, has_room};
use crate::process::{Ended, run_to_end};
use crate::programs::Found;
use crate::progress::{self, Interrupt};
use crate::result::{Cell, ENOUGH, Row, Sample};
use crate::rivals::Part;
use crate::sandbox::Sandbox;
use crate::scenario::Scenario;
use crate::stats::Random;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Effort {
    Until(Instant),
    Rounds(u32),
    Within(Duration),
    Calls,
}

pub(crate) struct Bench {
    pub(crate) scratch: Sandbox,
    pub(crate) ground: Ground,
    pub(crate) strace: Option<PathBuf>,
    pub(crate) interrupt: Interrupt,
    pub(crate) cold: bool,
    /// A quick run does not wait until new trees are written back.
    pub(crate) is_quick: bool,
    /// The time after which a quick run starts no rounds.
    pub(crate) latest: Instant,
    pub(crate) slopes: RefCell<HashMap<(&'static str, &'static str), Option<Slope>>>,
}

const MOST: u32 = 21;
const MOST_IN_FULL: u32 = 2 * ENOUGH + 1;
/// A quick run on a slow machine divides the size of removed trees by one of these, unless they
/// have fewer than `LARGE` entries.
const PARTS: [u32; 3] = [1, 2, 4];
const LARGE: u32 = 1_000;
/// A quick run times at most `TIMED_RIVALS` rivals: the fastest in the warm-up, and others within
/// this factor of its time.
const TOO_SLOW: f64 = 1.15;
const TIMED_RIVALS: usize = 2;
const OUTPUT: &str = "stdout";
/// The stream to which programs that time themselves print their duration.
const ERRORS: &str = "stderr";
const TIME_LIMIT: Duration = Duration::from_secs(120);
const QUICK_TIME_LIMIT: Duration = Duration::from_secs(8);

struct Trial<'a> {
    scenario: &'static Scenario,
    place: &'a Place,
    size: u32,
    found: &'a Found,
}

type Lengths = HashMap<&'static str, u64>;

impl Bench {
    /// Returns a reason if the cell cannot be measured. `Effort::Calls` only compares answers and
    /// counts calls, on a small tree.
    pub(crate) fn cell(
        &self,
        scenario: &'static Scenario,
        place: &Place,
        size: u32,
        contenders: &[Found],
        mut effort: Effort,
    ) -> io::Result<Result<Cell, String>> {
        let mut size = if matches!(effort, Effort::Calls) { scenario.counted[1] } else { size };
        let mut name = place.name.clone();
        if let Some(stands) = scenario.stands.map(Path::new) {
            if !stands.is_dir() {
                return Ok(Err("it is not there".to_owned()));
            }
            let (_, truth) = self.ground.standing(place, scenario, 0, false)?;
            size = u32::try_from(truth.entries()).unwrap_or(u32::MAX);
            name = format!("where it is ({})", file_system(stands));
        }
        let (root, tree) = (place.sandbox.root(), scenario.grow(size));
        if scenario.stands.is_none() && !has_room(root, tree.room(), tree.entries()) {
            return Ok(Err("not enough room".to_owned()));
        }
        let rows = contenders.iter().map(Row::new).collect();
        let mut cell = Cell { scenario, place: name, size, rows };
        let lengths = match effort {
            Effort::Until(until) if !scenario.reads() => {
                // Every removal needs a new tree. A warm-up with small trees shows which size fits.
                let parts = if size < LARGE { &PARTS[..1] } else { &PARTS[..] };
                let smallest = parts[parts.len() - 1];
                cell.size = size / smallest;
                let begin = Instant::now();
                let lengths = self.warm_up(&mut cell, place)?;
                let now = Instant::now();
                let cost = (now - begin) * ENOUGH;
                let left = until.saturating_duration_since(now);
                let fits = |part: &&u32| cost * (smallest / **part) <= left;
                cell.size = size / parts.iter().find(fits).unwrap_or(&smallest);
                if now + cost > self.latest {
                    effort = Effort::Calls;
                }
                lengths
            }
            _ => self.warm_up(&mut cell, place)?,
        };
        self.count(&mut cell, place)?;
        self.race(&mut cell, place, effort, &lengths)?;
        if self.interrupt.wanted() {
            return Ok(Err("interrupted".to_owned()));
        }
        Ok(Ok(cell))
    }

    fn warm_up(&self, cell: &mut Cell, place: &Place) -> io::Result<Lengths> {
        let (scenario, size) = (cell.scenario, cell.size);
        let mut lengths = Lengths::new();
        let mut walls = Vec::new();
        for row in &mut cell.rows {
            let name = row.name();
            progress::step(&format!("{} · {}: {name}", scenario.title, place.name));
            let trial = Trial { scenario, place, size, found: &row.found };
            match self.run(&trial, 0, None)? {
                Ok((sample, length)) => {
                    lengths.insert(name, length);
                    let again = self.is_quick && scenario.reads();
                    let second = if again { self.run(&trial, 0, Some(length))?.ok() } else { None };
                    let second = second.map_or(f64::INFINITY, |(second, _)| second.wall);
                    walls.push(second.min(sample.wall));
                }
                Err(why) => {
                    row.wrong = Some(why);
                    walls.push(f64::INFINITY);
                }
            }
            if self.interrupt.wanted() {
                return Ok(lengths);
            }
        }
        if self.is_quick {
            leave_out_slow_rivals(cell, &walls);
        }
        Ok(lengths)
    }

    fn race(
        &self,
        cell: &mut Cell,
        place: &Place,
        effort: Effort,
        lengths: &Lengths,
    ) -> io::Result<()> {
        let (rounds, until, latest) = match effort {
            Effort::Calls => (0, None, None),
            Effort::Rounds(rounds) => (rounds, None, None),
            Effort::Within(time) => (MOST_IN_FULL, Some(Instant::now() + time), None),
            Effort::Until(until) => (MOST, Some(until), Some(self.latest)),
        };
        let (scenario, size) = (cell.scenario, cell.size);
        // Seed the order by cell, so that no program always runs after the same one.
        let seed = |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte));
        let mut random = Random::new(cell.name().bytes().fold(size.into(), seed));
        for round in 1..=rounds {
            let limit = if round > ENOUGH { until } else { latest };
            if limit.is_some_and(|limit| Instant::now() > limit) {
                break;
            }
            progress::step(&format!(
                "{} · {}: round {round} of {rounds}",
                scenario.title, place.name
            ));
            let mut order: Vec<usize> = (0..cell.rows.len()).collect();
            random.shuffle(&mut order);
            for index in order {
                let row = &mut cell.rows[index];
                if !row.takes_part() {
                    continue;
                }
                let trial = Trial { scenario, place, size, found: &row.found };
                let length = lengths.get(row.name()).copied();
                let sample = self.run(&trial, round, length)?;
                if self.interrupt.wanted() {
                    return Ok(());
                }
                match sample {
                    Ok((sample, _)) => row.samples.push(sample),
                    Err(why) => row.wrong = Some(why),
                }
            }
        }
        Ok(())
    }

    /// Runs one contender. Compares its output with the truth, unless it has the `known` length.
    fn run(
        &self,
        trial: &Trial<'_>,
        round: u32,
        known: Option<u64>,
    ) -> io::Result<Result<(Sample, u64), String>> {
        let (path, truth) = self.tree(trial)?;
        if self.cold {
            trial.place.settle();
            drop_caches()?;
        }
        let ended = match self.start(trial, &path, None)? {
            Ok(ended) => ended,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let output = self.scratch.entry(OUTPUT);
        let length = output.metadata()?.len();
        if let Some(truth) = truth.filter(|_| known != Some(length)) {
            if let Some(wrong) = self.refute(trial, &truth, &path, &output)? {
                return Ok(Err(wrong));
            }
        }
        let (wall, cpu) = if trial.scenario.times_itself {
            let said = std::fs::read_to_string(self.scratch.entry(ERRORS))?;
            match own_time(&said) {
                Some(wall) => (wall, None),
                None => return Ok(Err("no time".to_owned())),
            }
        } else {
            (ended.wall, ended.cpu)
        };
        Ok(Ok((Sample { round, wall, cpu }, length)))
    }

    fn start(
        &self,
        trial: &Trial<'_>,
        tree: &Path,
        under: Option<Command>,
    ) -> io::Result<Result<Ended, String>> {
        let Trial { scenario, place, size, found } = *trial;
        let said = self.scratch.entry(ERRORS);
        let copy = Ground::unused(place);
        let mut command = command(scenario, size, found, tree, &copy, under)?;
        command.stdout(File::create(self.scratch.entry(OUTPUT))?);
        let time_limit = if self.is_quick { QUICK_TIME_LIMIT } else { TIME_LIMIT };
        let ended = run_to_end(&mut command, &said, time_limit, &self.interrupt);
        let wrong = left_behind(place, scenario, tree, &copy)?;
        Ok(match (ended, wrong) {
            (Err(error), _) => Err(format!("cannot start: {error}")),
            (Ok(ended), _) if ended.killed => {
                Err(format!("killed after {} s", time_limit.as_secs()))
            }
            (Ok(ended), _) if !ended.status.success() => Err(failure(ended.status.code(), &said)),
            (Ok(_), Some(wrong)) => Err(wrong),
            (Ok(ended), None) => Ok(ended),
        })
    }

    fn tree(&self, trial: &Trial<'_>) -> io::Result<(PathBuf, Option<Rc<Truth>>)> {
        let Trial { scenario, place, size, .. } = *trial;
        let settle = !self.is_quick;
        if scenario.reads() {
            let (path, truth) = self.ground.standing(place, scenario, size, settle)?;
            if settle && matches!(scenario.question, Question::Copied { .. }) {
                place.settle();
            }
            return Ok((path, Some(truth)));
        }
        let path = Ground::fresh(place, scenario, size)?;
        if settle {
            place.settle();
        }
        Ok((path, None))
    }

    fn refute(
        &self,
        trial: &Trial<'_>,
        truth: &Rc<Truth>,
        tree: &Path,
        output: &Path,
    ) -> io::Result<Option<String>> {
        let question = trial.scenario.question;
        let text = std::fs::read(output)?;
        let wrong = truth.refute(question, trial.size, tree, &text);
        if wrong.is_none() || question != Question::Total {
            return Ok(wrong);
        }
        // Compute the truth again: writeback may have changed the number of allocated blocks.
        Ok(self.ground.look(tree)?.refute(question, trial.size, tree, &text))
    }

    fn count(&self, cell: &mut Cell, place: &Place) -> io::Result<()> {
        let scenario = cell.scenario;
        let is_countable = scenario.stands.is_none() && !scenario.times_itself;
        let Some(strace) = self.strace.as_ref().filter(|_| is_countable) else { return Ok(()) };
        for row in cell.rows.iter_mut().filter(|row| row.takes_part()) {
            if self.interrupt.wanted() {
                return Ok(());
            }
            let name = row.name();
            let key = (scenario.name, name);
            if let Some(known) = self.slopes.borrow().get(&key) {
                row.slope.clone_from(known);
                continue;
            }
            progress::step(&format!("{}: counting the calls of {name}", scenario.title));
            let mut counts = Vec::new();
            for size in scenario.counted {
                let trial = Trial { scenario, place, size, found: &row.found };
                counts.push(self.calls(&trial, strace)?);
            }
            let [less, more] = scenario.counted.map(|size| scenario.units(size));
            row.slope = match counts.as_slice() {
                [Some(few), Some(many)] => Some(Slope::between(few, many, more - less)),
                _ => None,
            };
            self.slopes.borrow_mut().insert(key, row.slope.clone());
        }
        Ok(())
    }

    fn calls(&self, trial: &Trial<'_>, strace: &Path) -> io::Result<Option<Calls>> {
        let log = self.scratch.entry("strace");
        let (tree, _) = self.tree(trial)?;
        let ended = self.start(trial, &tree, Some(counting(strace, &log)))?;
        Ok(ended.ok().and_then(|_| Some(parse(&std::fs::read_to_string(log).ok()?))))
    }
}

fn leave_out_slow_rivals(cell: &mut Cell, walls: &[f64]) {
    let is_rival = |at: &usize| cell.part(&cell.rows[*at]) == Part::Rival;
    let mut rivals: Vec<usize> = (0..cell.rows.len()).filter(is_rival).collect();
    rivals.sort_by(|one, other| walls[*one].total_cmp(&walls[*other]));
    let Some(limit) = rivals.first().map(|&best| TOO_SLOW * walls[best]) else { return };
    for (place, at) in rivals.into_iter().enumerate() {
        cell.rows[at].is_too_slow = place >= TIMED_RIVALS || walls[at] > limit;
    }
}

fn left_behind(
    place: &Place,
    scenario: &Scenario,
    tree: &Path,
    copy: &Path,
) -> io::Result<Option<String>> {
    let is_there = tree.symlink_metadata().is_ok();
    let (used, wrong) = match scenario.question {
        Question::Gone => (Some(tree), is_there.then(|| "the tree is still there".to_owned())),
        Question::Copied { is_linked } => (Some(copy), refute_copy(tree, copy, is_linked)),
        _ => (None, (!is_there).then(|| "removed the tree".to_owned())),
    };
    if let Some(used) = used {
        place.sandbox.remove(used)?;
        // Keep the name in use by an empty directory, so that ext4 puts the next tree elsewhere
        // (see `spread`).
        std::fs::create_dir(used)?;
    }
    if !place.sandbox.canary_lives() {
        place.sandbox.place_canary()?;
        return Ok(Some("removed something outside the tree".to_owned()));
    }
    Ok(wrong)
}

fn failure(code: Option<i32>, said: &Path) -> String {
    let code = code.map_or("a signal".to_owned(), |code| format!("exit {code}"));
    let said = std::fs::read_to_string(said).unwrap_or_default();
    let said: String = said.lines().next().unwrap_or_default().chars().take(60).collect();
    format!("{code} {said}").trim_end().to_owned()
}

fn own_time(said: &str) -> Option<f64> {
    let nanoseconds: f64 = said.split_whitespace().nth(1)?.parse().ok()?;
    (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_may_say_their_own_time() {
        assert_eq!(own_time("took 1500.5\n"), Some(1500.5e-9));
        for none in ["", "took", "took x", "took 0", "took -1"] {
            assert_eq!(own_time(none), None, "{none}");
        }
    }
}
