//! The calls of `rm`'s contenders: a tree and an empty directory each, once per scenario.

use super::Context;
use super::calls::{Calls, Run, Slope};
use super::contender::Contender;
use super::measure::{Answer, Sample};
use super::place::Kind;
use super::rm::Arena;
use super::tree::Tree;
use std::collections::HashMap;
use std::io;
use std::time::Instant;

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
        let limit = if self.context.options.full { 5_000 } else { 800 };
        let entries = |tree: &Tree| tree.files() + tree.directories();
        let tree = (0..7).map(|power| (arena.scenario.make)(1 << power));
        let tree =
            tree.reduce(|larger, tree| if entries(&larger) <= limit { larger } else { tree });
        let Some(tree) = tree else {
            return Ok(Vec::new());
        };
        let right = |samples: &Vec<Sample>| {
            !samples.is_empty() && samples.iter().all(|sample| sample.answer == Answer::Same)
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
        tree: &Tree,
    ) -> io::Result<Option<Slope>> {
        if self.context.interrupt.wanted() || Instant::now() >= self.context.hard {
            return Ok(None);
        }
        // The file system matters little, only to those that get short listings: an ordinary quick
        // run counts in the first place only.
        let own = self.context.options.full || arena.place.kind == Kind::Given;
        let place = if own { arena.place.name.clone() } else { String::new() };
        let key = (contender.name.clone(), arena.scenario.name.to_owned(), place.clone());
        if let Some(known) = self.slopes.get(&key) {
            return Ok(known.clone());
        }
        let full = self.count(arena, contender, Some(tree))?;
        let empty_key = (contender.name.clone(), place);
        let empty = match self.empty.get(&empty_key) {
            Some(known) => known.clone(),
            None => self.count(arena, contender, None)?,
        };
        self.empty.insert(empty_key, empty.clone());
        let entries = tree.files() + tree.directories() - 1;
        let slope = empty.zip(full).map(|(empty, full)| Slope::between(&empty, &full, entries));
        self.slopes.insert(key, slope.clone());
        Ok(slope)
    }

    /// The calls of one run on the tree, or on an empty directory.
    fn count(
        &self,
        arena: &Arena<'_>,
        contender: &Contender,
        tree: Option<&Tree>,
    ) -> io::Result<Option<Calls>> {
        let sandbox = &arena.place.sandbox;
        let path = arena.path();
        sandbox.remove(&path)?;
        match tree {
            Some(tree) => tree.build(&path, &sandbox.canary())?,
            None => std::fs::create_dir(&path)?,
        }
        sandbox.check(&path)?;
        let run = Run {
            scratch: sandbox.root(),
            patience: arena.patience(),
            interrupt: &self.context.interrupt,
        };
        let calls = self.context.counter.count(contender, &path, &run);
        let gone = path.symlink_metadata().is_err();
        sandbox.remove(&path)?;
        // What did not do the work has no calls to compare.
        Ok(calls.filter(|_| gone))
    }
}
