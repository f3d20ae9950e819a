//! The calls of the contenders: on a tree and on an empty directory each, once per scenario.

use super::arena::Arena;
use super::calls::{Calls, Run, Slope};
use super::contender::Contender;
use super::context::Context;
use super::ground::{Ground, Use};
use super::measure::{Answer, Sample};
use super::operation::{Grown, SHRINKS};
use super::place::Kind;
use std::collections::HashMap;
use std::io;
use std::time::Instant;

/// The least fraction that calls are counted on. Nothing is timed on so little.
pub(super) const LEAST: u32 = 128;

/// Counted calls, each combination once.
pub(super) struct Counts<'a> {
    context: &'a Context<'a>,
    empty: HashMap<(String, String), Option<Calls>>,
    slopes: HashMap<(String, String, String), Option<Slope>>,
}

impl<'a> Counts<'a> {
    /// Nothing counted yet.
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context, empty: HashMap::new(), slopes: HashMap::new() }
    }

    /// The slopes of the contenders of a cell, of those that did right in it: what hangs or fails
    /// is not asked again.
    pub(super) fn of_cell(
        &mut self,
        arena: &Arena<'_>,
        samples: &[Vec<Sample>],
    ) -> io::Result<Vec<Option<Slope>>> {
        self.context.step("counting calls");
        let times = if self.context.options.full { 6 } else { 1 };
        let limit = arena.scenario.counted.saturating_mul(times);
        let shrinks = SHRINKS.into_iter().chain([LEAST]);
        let trees = shrinks.map(|shrink| arena.scenario.grow(shrink));
        let tree =
            trees.reduce(|larger, tree| if larger.tree.entries() <= limit { larger } else { tree });
        let Some(tree) = tree else {
            return Ok(Vec::new());
        };
        // What needs no tree makes the same calls with and without one.
        let is_counted = !arena.scenario.question.measures_itself();
        let right = |samples: &Vec<Sample>| {
            let is_right = samples.iter().all(|sample| sample.answer == Answer::Same);
            is_counted && !samples.is_empty() && is_right
        };
        let contenders = arena.contenders.iter().zip(samples);
        let slopes = contenders.map(|(contender, samples)| {
            if right(samples) { self.of(arena, contender, &tree) } else { Ok(None) }
        });
        slopes.collect()
    }

    fn of(
        &mut self,
        arena: &Arena<'_>,
        contender: &Contender,
        tree: &Grown,
    ) -> io::Result<Option<Slope>> {
        if self.context.interrupt.wanted() || Instant::now() >= self.context.hard {
            return Ok(None);
        }
        // The file system matters little, only to those that get short listings: an ordinary quick
        // run counts in the first place only.
        let own = self.context.options.full || arena.place.kind == Kind::Given;
        let place = if own { arena.place.name.clone() } else { String::new() };
        let key = (contender.line(), arena.scenario.name.to_owned(), place.clone());
        if let Some(known) = self.slopes.get(&key) {
            return Ok(known.clone());
        }
        let full = self.count(arena, contender, Some(tree))?;
        let empty_key = (contender.line(), place);
        let empty = match self.empty.get(&empty_key) {
            Some(known) => known.clone(),
            None => self.count(arena, contender, None)?,
        };
        self.empty.insert(empty_key, empty.clone());
        let entries = tree.tree.entries();
        let slope = empty.zip(full).map(|(empty, full)| Slope::between(&empty, &full, entries));
        self.slopes.insert(key, slope.clone());
        Ok(slope)
    }

    /// The calls of one run on the tree, or on an empty directory.
    fn count(
        &self,
        arena: &Arena<'_>,
        contender: &Contender,
        tree: Option<&Grown>,
    ) -> io::Result<Option<Calls>> {
        let reads = arena.scenario.reads();
        let path = match tree {
            Some(tree) if reads => arena.standing(tree, Use::Count)?.path,
            Some(tree) => Ground::fresh(arena.place, tree)?,
            None => Ground::empty(arena.place)?,
        };
        let run = Run {
            scratch: self.context.scratch.root(),
            patience: arena.patience(),
            interrupt: &self.context.interrupt,
        };
        let calls = self.context.counter.count(contender, &path, &run);
        if reads {
            return Ok(calls);
        }
        let gone = path.symlink_metadata().is_err();
        arena.place.sandbox.remove(&path)?;
        // What did not do the work has no calls to compare.
        Ok(calls.filter(|_| gone))
    }
}
