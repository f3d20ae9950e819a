//! The walk of one worker: depth first, without recursion.
//!
//! A directory is listed to its end through the one buffer of the worker, and its entries are
//! yielded as they are read; the names of its subdirectories wait on the stack. Then these are
//! entered one after the other. Where entries are sorted or left out by ignore rules, all of them
//! are stored before the first is yielded.
//!
//! A yielded directory is already queued; [`Cursor::skip`] removes it.

use std::path::{Path, PathBuf};

use super::directory::{Level, State, StoredEntry, WalkFrame};
use super::operand::Operand;
use super::options::Settings;
use super::rules;
use super::task::Task;
use crate::ask::{Asker, Subject};
use crate::control::Unvisited;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::sys::{Listing, Sys, SystemUnit};
use crate::tree::{Admitted, Branch, Reader, ReopenError, TreePath, bug};

/// One worker's walk. The path and the depth of the current entry are those of the branch.
pub(super) struct Cursor<S: Sys> {
    pub(super) asker: Asker<S>,
    pub(super) settings: Settings,
    pub(super) branch: Branch<S, WalkFrame>,
    pub(super) operand: Operand<S>,
    /// What is known of the current entry.
    pub(super) metadata: Metadata,
    reader: Reader<S>,
    /// A step to return before continuing.
    second: Option<Step>,
}

/// One step of a walk.
pub(super) enum Step {
    Entry(Found),
    Error(Error),
    /// The results of the task with this number belong here.
    Join(u64),
}

/// The current entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The position of the directory's name, if it is to be entered.
    waiting: Option<usize>,
}

impl<S: Sys> Cursor<S> {
    pub(super) fn new(sys: S, settings: Settings) -> Self {
        let buffer = settings.buffer.map_or_else(S::DirBuf::default, Listing::with_capacity);
        Cursor {
            asker: Asker::new(sys, settings.plan).report_unfollowable_links(),
            branch: Branch::new(settings.limits(), settings.descriptors),
            settings,
            operand: Operand::default(),
            metadata: Metadata::default(),
            reader: Reader::new(buffer),
            second: None,
        }
    }

    /// Starts an operand. `None` if it is not yielded now.
    pub(super) fn begin(&mut self, operand: &Path) -> Option<Step> {
        self.operand.close(&self.asker.sys);
        self.branch.begin(S::Unit::units(operand));
        let Cursor { settings, asker, metadata, .. } = self;
        if let Err(error) = self.operand.ask(operand, settings, asker, metadata) {
            return Some(Step::Error(error));
        }
        if self.operand.waits && settings.contents_first {
            return None;
        }
        (settings.min_depth == 0).then_some(Step::Entry(Found::default()))
    }

    /// Begins with part of a directory of another worker.
    pub(super) fn begin_task(&mut self, task: Task<S>) {
        task.begin(&mut self.branch);
    }

    /// Takes half of the work that waits, for another worker.
    pub(super) fn split(&mut self, number: impl FnOnce() -> u64) -> Option<Task<S>> {
        Task::split(&mut self.branch, number)
    }

    /// The next entry or failure; `None` when the operand, or the task, is done, or when the walk
    /// is to stop before there is one.
    pub(super) fn next(&mut self, is_over: impl Fn() -> bool) -> Option<Step> {
        if let Some(step) = self.second.take() {
            return Some(step);
        }
        loop {
            let step = if let Some(level) = self.branch.stack.last() {
                self.branch.path.truncate(level.path_len());
                match level.state {
                    State::Listing if self.settings.stores() => self.store(),
                    State::Listing => self.list(),
                    State::Yielding => self.yield_stored(),
                    State::Entering => self.enter_next(),
                }
            } else if self.operand.waits {
                self.enter_operand()
            } else {
                self.operand.close(&self.asker.sys);
                return None;
            };
            if step.is_some() || is_over() {
                return step;
            }
        }
    }

    /// Does not enter the directory that was just found.
    pub(super) fn skip(&mut self, found: Found) {
        let is_sorted = self.settings.order.is_some();
        match (self.branch.stack.last_mut(), found.waiting) {
            (None, _) => self.operand.waits = false,
            // Its name is one of those that are stored.
            (Some(level), Some(_)) if is_sorted => level.drop_waiting(),
            (Some(_), Some(at)) => self.branch.stack.remove_waiting(at),
            (Some(_), None) => {}
        }
    }

    /// Stops here, and closes everything.
    pub(super) fn abandon(&mut self) {
        while self.branch.leave(&self.asker.sys).is_some() {}
        self.operand.close(&self.asker.sys);
        (self.operand.waits, self.second) = (false, None);
    }

    /// Yields the next entry of the topmost directory as it is listed.
    #[inline(never)]
    fn list(&mut self) -> Option<Step> {
        let index = self.branch.stack.len() - 1;
        let depth = self.branch.depth();
        let Cursor { asker, reader, branch, metadata, settings, .. } = self;
        let Branch { stack, path, .. } = branch;
        let Some((entry, at)) = reader.next() else {
            if reader.is_at_end() {
                stack[index].state = State::Entering;
                return None;
            }
            return self.read(index);
        };
        path.push(entry.name);
        if is_excluded::<S>(settings, path, entry.kind) || settings.hides(entry.name) {
            return None;
        }
        let Some(dir) = stack[index].dir() else { return Some(self.lost_listing(index)) };
        let to_path = || S::Unit::path(path.units().to_vec());
        let subject =
            Subject { dir, name: entry.name, path: &to_path, follow: settings.follows_all() };
        asker.reset(metadata);
        reader.facts(at, &entry, &mut metadata.facts);
        asker.complete(&subject, metadata);
        if metadata.has_more {
            let (failed, unfollowable) = metadata.take_failed_entry();
            if let Some(error) = failed {
                return Some(Step::Error(error));
            }
            self.second = unfollowable.map(Step::Error);
        }
        let mut found = Found::default();
        if metadata.facts.kind == Kind::Directory && depth < settings.max_depth {
            found.waiting = Some(stack.add_waiting(entry.name));
            if settings.contents_first {
                stack[index].later.push_back(std::mem::take(metadata));
                return self.second.take();
            }
        }
        (depth >= settings.min_depth).then_some(Step::Entry(found))
    }

    /// Reads the next entries of the topmost directory.
    #[inline(never)]
    fn read(&mut self, index: usize) -> Option<Step> {
        let level = &mut self.branch.stack[index];
        let Some(dir) = level.dir() else { return Some(self.lost_listing(index)) };
        let error = self.reader.read(dir, &self.asker.sys).err()?;
        level.state = State::Entering;
        Some(self.failed(Operation::ReadDirectory, Cause::Os(error)))
    }

    #[cold]
    fn lost_listing(&mut self, index: usize) -> Step {
        self.branch.stack[index].state = State::Entering;
        self.failed(Operation::ReadDirectory, bug("a directory was closed while it was listed"))
    }

    /// Stores all entries of the topmost directory, with the ignore rules that it holds, and sorts
    /// them.
    #[inline(never)]
    fn store(&mut self) -> Option<Step> {
        let index = self.branch.stack.len() - 1;
        let mut failed = self.read_all(index);
        if self.settings.reads_rules() {
            if failed.is_none() {
                failed = self.read_rules(index).err().map(Step::Error);
            }
            // Without the whole listing and all rules, it is unknown what they leave out.
            if failed.is_some() {
                self.branch.stack[index].stored.clear();
            }
        }
        if let Some(order) = self.settings.order {
            if order.asks() {
                self.ask_stored(index);
            }
            let (level, names) = self.branch.stack.level_with_names(index);
            level.stored.sort(order, names);
        }
        self.branch.stack[index].state = State::Yielding;
        failed
    }

    fn read_all(&mut self, index: usize) -> Option<Step> {
        let keeps_facts = !(Fields::KIND | Fields::ID).contains(S::SOURCES.listing);
        loop {
            while let Some((entry, at)) = self.reader.next() {
                let listed = keeps_facts.then(|| {
                    let mut facts = Facts::default();
                    self.reader.facts(at, &entry, &mut facts);
                    facts
                });
                let name = self.branch.stack.store_name(entry.name);
                self.branch.stack[index].stored.push(name, &entry, listed);
            }
            if self.reader.is_at_end() {
                return None;
            }
            let failed = self.read(index);
            if failed.is_some() {
                return failed;
            }
        }
    }

    fn read_rules(&mut self, index: usize) -> Result<(), Error> {
        let (names, level) = (self.branch.stack.names(), &self.branch.stack[index]);
        let rules =
            rules::of_directory(level, names, &self.path(), &self.settings, &self.asker.sys)?;
        self.branch.stack[index].rules = rules;
        Ok(())
    }

    /// Asks about all stored entries, because their order depends on it.
    fn ask_stored(&mut self, index: usize) {
        let mut stored = std::mem::take(&mut self.branch.stack[index].stored);
        let Cursor { asker, branch, settings, .. } = self;
        for entry in stored.entries_mut() {
            let mut metadata = Metadata::default();
            branch.path.truncate(branch.stack[index].path_len());
            if let Some(name) = branch.stack.names().get(entry.name) {
                branch.path.push(name);
            }
            ask_about(asker, branch, settings.follows_all(), entry, &mut metadata);
            entry.keep(metadata);
        }
        self.branch.stack[index].stored = stored;
    }

    /// Yields the next stored entry.
    #[inline(never)]
    fn yield_stored(&mut self) -> Option<Step> {
        let index = self.branch.stack.len() - 1;
        let depth = self.branch.depth();
        let (level, names) = self.branch.stack.level_with_names(index);
        let Some(mut entry) = level.stored.next() else {
            level.stored.clear();
            level.state = State::Entering;
            return None;
        };
        self.branch.path.push(names.get(entry.name)?);
        let is_known = entry.kind != Kind::Unknown;
        if is_excluded::<S>(&self.settings, &self.branch.path, entry.kind)
            || is_known && self.is_ignored(index, entry.kind)
        {
            return None;
        }
        if let Some(asked) = entry.take_asked() {
            self.metadata = asked;
        } else {
            if let Err(lost) = self.branch.reopen(&self.asker.sys) {
                return Some(self.give_up(lost));
            }
            let Cursor { asker, branch, settings, metadata, .. } = self;
            ask_about(asker, branch, settings.follows_all(), &entry, metadata);
        }
        if !is_known && self.is_ignored(index, self.metadata.facts.kind) {
            return None;
        }
        let (failed, unfollowable) = self.metadata.take_failed_entry();
        if let Some(error) = failed {
            return Some(Step::Error(error));
        }
        self.second = unfollowable.map(Step::Error);
        let mut found = Found::default();
        if self.metadata.facts.kind == Kind::Directory && depth < self.settings.max_depth {
            let stack = &mut self.branch.stack;
            if self.settings.order.is_some() {
                stack.wait_for(entry.name);
                stack[index].state = State::Entering;
                found.waiting = Some(entry.name);
            } else {
                found.waiting = stack.add_waiting_kept(entry.name);
            }
            if self.settings.contents_first {
                stack[index].later.push_back(std::mem::take(&mut self.metadata));
                return self.second.take();
            }
        }
        (depth >= self.settings.min_depth).then_some(Step::Entry(found))
    }

    /// Whether the ignore rules of a directory leave out its current entry.
    fn is_ignored(&self, index: usize, kind: Kind) -> bool {
        let rules = self.branch.stack[index].rules.as_deref();
        let Branch { path, .. } = &self.branch;
        rules::leave_out::<S>(path, self.branch.name(), kind, rules, &self.settings)
    }

    /// Opens and enters the operand.
    #[inline(never)]
    fn enter_operand(&mut self) -> Option<Step> {
        self.operand.waits = false;
        let path = self.path();
        let Cursor { operand, settings, asker: Asker { sys, .. }, .. } = self;
        let own = settings.contents_first.then(|| std::mem::take(&mut self.metadata));
        let rules = match rules::above_operand(&path, settings, sys) {
            Ok(rules) => rules,
            Err(error) => {
                self.second = own.and_then(|own| self.yield_late(own));
                return Some(Step::Error(error));
            }
        };
        let opened = operand.open(&path, settings, sys);
        let admitted = self.branch.admit(opened, sys);
        self.entered(admitted, WalkFrame { own, rules, ..WalkFrame::default() })
    }

    /// Enters the subdirectory of the topmost directory that waits, yields what is stored behind
    /// it, or leaves the directory.
    #[inline(never)]
    fn enter_next(&mut self) -> Option<Step> {
        if let Some(at) = self.branch.stack.next_waiting() {
            return self.enter(at);
        }
        let level = self.branch.stack.last_mut()?;
        if level.stored.left() > 0 {
            level.state = State::Yielding;
            return None;
        }
        match level.stored.next_handed_off() {
            Some(task) => Some(Step::Join(task)),
            None => self.leave(),
        }
    }

    /// Opens and enters the child of the topmost directory whose name lies at `at`.
    #[inline(never)]
    fn enter(&mut self, at: usize) -> Option<Step> {
        let index = self.branch.stack.len() - 1;
        if let Err(lost) = self.branch.reopen(&self.asker.sys) {
            return Some(self.give_up(lost));
        }
        let admitted = self.branch.open(at, &self.asker.sys);
        let level = &mut self.branch.stack[index];
        let (own, rules) = (level.later.pop_front(), level.rules.clone());
        // The operand's own directory stays open, because others are opened again from there. So
        // does every directory that may still be removed, or asked about, by its name.
        let is_needed = level.is_needed() || self.settings.contents_first;
        if index > 0 && !is_needed {
            self.branch.stack.close(index, &self.asker.sys);
        }
        self.entered(admitted, WalkFrame { own, rules, ..WalkFrame::default() })
    }

    /// Pushes an opened directory, or reports why it could not be opened. Its path is the current
    /// one.
    fn entered(
        &mut self,
        admitted: Result<Option<Admitted<S::Dir>>, Cause>,
        directory: WalkFrame,
    ) -> Option<Step> {
        match admitted {
            Ok(Some(admitted)) => {
                self.branch.enter(admitted, directory);
                self.reader.reset();
                None
            }
            Ok(None) => directory.own.and_then(|own| self.yield_late(own)),
            Err(cause) => {
                let failed = self.failed(Operation::OpenDirectory, cause);
                self.second = directory.own.and_then(|own| self.yield_late(own));
                Some(failed)
            }
        }
    }

    /// Leaves the topmost directory, and yields it if its contents came first.
    fn leave(&mut self) -> Option<Step> {
        let directory = self.branch.leave(&self.asker.sys)?;
        self.yield_late(directory.own?)
    }

    /// Yields a directory after its contents. Its path is the current one.
    fn yield_late(&mut self, own: Metadata) -> Option<Step> {
        self.metadata = own;
        let is_wanted = self.branch.depth() >= self.settings.min_depth;
        is_wanted.then_some(Step::Entry(Found::default()))
    }

    /// Reports that the rest of a directory is lost, and of all deeper directories on the stack.
    fn give_up(&mut self, lost: ReopenError) -> Step {
        let stack = &mut self.branch.stack;
        let path = self.branch.path.units()[..stack[lost.level].path_len()].to_vec();
        for index in lost.level..stack.len() {
            stack[index].give_up();
        }
        Step::Error(Error::new(Operation::OpenDirectory, S::Unit::path(path), lost.into_cause()))
    }

    fn failed(&self, operation: Operation, cause: Cause) -> Step {
        Step::Error(Error::new(operation, self.path(), cause))
    }

    /// The path of the current entry.
    pub(super) fn path(&self) -> PathBuf {
        S::Unit::path(self.branch.path.units().to_vec())
    }
}

impl<S: Sys> Level<S> {
    /// Whether any of its entries has not been yielded or entered yet.
    pub(super) fn is_needed(&self) -> bool {
        self.has_waiting() || self.stored.left() > 0
    }

    /// Neither yields nor enters any more of its entries.
    fn give_up(&mut self) {
        self.drop_waiting();
        self.stored.clear();
        self.later.clear();
        self.state = State::Entering;
    }
}

/// Whether the caller leaves out the entry at `path`.
fn is_excluded<S: Sys>(settings: &Settings, path: &TreePath<S::Unit>, kind: Kind) -> bool {
    let Some(exclude) = &settings.exclude else {
        return false;
    };
    let (path, relative) = (S::Unit::text(path.units()), S::Unit::text(path.relative()));
    exclude(&Unvisited { path: Path::new(&path), relative: Path::new(&relative), kind })
}

/// Asks about a stored entry of the topmost directory, whose path is the current one.
fn ask_about<S: Sys>(
    asker: &Asker<S>,
    Branch { stack, path, .. }: &Branch<S, WalkFrame>,
    follow: bool,
    entry: &StoredEntry,
    metadata: &mut Metadata,
) {
    let level = stack.last().and_then(|level| Some((level.dir()?, level.path_len())));
    let Some((dir, path_len)) = level else {
        debug_assert!(false, "stored entries lie in an open directory");
        return;
    };
    let name = path.name_below(path_len);
    let to_path = || S::Unit::path(path.units().to_vec());
    asker.reset(metadata);
    entry.add_to(&mut metadata.facts);
    asker.complete(&Subject { dir, name, path: &to_path, follow }, metadata);
}
