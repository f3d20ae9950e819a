//! The walk of one worker: depth first, without recursion.
//!
//! A directory is listed to its end through the one buffer of the worker, and its entries are
//! yielded as they are read; the names of its subdirectories wait on the stack. Then these are
//! entered one after the other. Where entries are sorted or left out by ignore rules, all of them
//! are stored before the first is yielded.
//!
//! When a directory is yielded, its name waits already; [`Cursor::skip`] takes it back.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::directory::{State, WalkFrame};
use super::operand::{self, Operand};
use super::options::{Settings, excludes};
use super::order::Order;
use super::rules::{self, ListedDirectory};
use super::step::{Step, Yielded};
use super::stored::StoredEntry;
use crate::ask::{Asker, Subject};
use crate::control::Exclude;
use crate::error::{Cause, Error, Operation, bug};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::sys::{Sys, SystemUnit};
use crate::tree::{Admitted, Branch, Reader, ReopenError};

/// One worker's walk. The path and the depth of the current entry are those of the branch.
pub(super) struct Cursor<S: Sys> {
    pub(super) asker: Asker<S>,
    pub(super) settings: Settings,
    pub(super) branch: Branch<S, WalkFrame>,
    pub(super) operand: Operand<S>,
    /// What is known of the current entry.
    pub(super) metadata: Metadata,
    reader: Reader<S>,
    /// Steps to return before the walk goes on.
    pending: VecDeque<Step>,
    /// The predicate that leaves entries out has stopped the walk.
    pub(super) is_stopped: bool,
}

impl<S: Sys> Cursor<S> {
    pub(super) fn new(sys: S, settings: Settings) -> Self {
        Cursor {
            asker: Asker::new(sys, settings.plan).report_unfollowable_links(),
            branch: Branch::new(settings.limits(), settings.descriptors),
            settings,
            operand: Operand::default(),
            metadata: Metadata::default(),
            reader: Reader::new(S::DirBuf::default()),
            pending: VecDeque::new(),
            is_stopped: false,
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
        (settings.min_depth == 0).then_some(Step::Entry(Yielded::default()))
    }

    /// The next entry or failure; `None` when the operand, or the task, is done, or when the walk
    /// is to stop before there is one. `must_stop` says so, and may poll: it is called for each
    /// entry that is not yielded, and for each batch of a listing.
    ///
    /// The steps that it is made of (`list`, `store`, `yield_stored`, `enter_next` and so on) each
    /// change the state of the walk, and return `None` if that yielded nothing: then the next one
    /// follows.
    pub(super) fn next(
        &mut self,
        must_stop: impl Fn(&S) -> bool,
        exclude: Option<&Exclude<'_>>,
    ) -> Option<Step> {
        if let Some(step) = self.pending.pop_front() {
            return Some(step);
        }
        loop {
            let step = if let Some(level) = self.branch.stack.last() {
                self.branch.path.truncate(level.path_len());
                match level.state {
                    State::Listing if self.settings.stores() => self.store(&must_stop, exclude),
                    State::Listing => self.list(exclude),
                    State::Yielding => self.yield_stored(),
                    State::Entering => self.enter_next(),
                }
            } else if self.operand.waits {
                self.enter_operand()
            } else {
                self.operand.close(&self.asker.sys);
                return None;
            };
            if step.is_some() || self.is_stopped || must_stop(&self.asker.sys) {
                return step;
            }
        }
    }

    /// Does not enter the directory that was just yielded.
    pub(super) fn skip(&mut self, yielded: Yielded) {
        let is_sorted = self.settings.order.is_some();
        match (self.branch.stack.last_mut(), yielded.waiting) {
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
        self.operand.waits = false;
        self.pending.clear();
    }

    /// Yields the next entry of the topmost directory as it is listed.
    #[inline(never)]
    fn list(&mut self, exclude: Option<&Exclude<'_>>) -> Option<Step> {
        let index = self.branch.stack.len() - 1;
        let depth = self.branch.depth();
        let Cursor { asker, reader, branch, metadata, settings, is_stopped, .. } = self;
        let Branch { stack, path, .. } = branch;
        let Some((entry, at)) = reader.next() else {
            if reader.is_at_end() {
                stack[index].state = State::Entering;
                return None;
            }
            return self.read(index);
        };
        path.push(entry.name);
        if excludes(exclude, path, entry.kind, is_stopped) || settings.hides(entry.name) {
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
            self.pending.extend(unfollowable.map(Step::Error));
        }
        let mut yielded = Yielded::default();
        if metadata.facts.kind == Kind::Directory && depth < settings.max_depth {
            yielded.waiting = Some(stack.add_waiting(entry.name));
            if settings.contents_first {
                stack[index].later.push_back(std::mem::take(metadata));
                return self.pending.pop_front();
            }
        }
        (depth >= settings.min_depth).then_some(Step::Entry(yielded))
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
    /// them. Stores none if the walk is over.
    #[inline(never)]
    fn store(
        &mut self,
        must_stop: &impl Fn(&S) -> bool,
        exclude: Option<&Exclude<'_>>,
    ) -> Option<Step> {
        let index = self.branch.stack.len() - 1;
        let mut failed = self.read_all(index, must_stop);
        if must_stop(&self.asker.sys) {
            self.drop_stored(index);
            return failed;
        }
        if self.settings.reads_rules() {
            if failed.is_none() {
                failed = self.read_rules(index).err().map(Step::Error);
            }
            // Without the whole listing and all rules, it is unknown what they leave out.
            if failed.is_some() {
                self.branch.stack[index].stored.clear();
            }
        }
        self.choose(index, must_stop, exclude);
        if self.is_stopped || must_stop(&self.asker.sys) {
            self.drop_stored(index);
            return failed;
        }
        let (level, names) = self.branch.stack.level_with_names(index);
        if let Some(order) = self.settings.order {
            level.stored.sort(order, names);
        }
        level.state = State::Yielding;
        failed
    }

    /// Drops what is stored of a directory, because the walk is over.
    fn drop_stored(&mut self, index: usize) {
        let level = &mut self.branch.stack[index];
        level.stored.clear();
        level.state = State::Entering;
    }

    fn read_all(&mut self, index: usize, must_stop: &impl Fn(&S) -> bool) -> Option<Step> {
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
            if self.reader.is_at_end() || must_stop(&self.asker.sys) {
                return None;
            }
            let failed = self.read(index);
            if failed.is_some() {
                return failed;
            }
        }
    }

    fn read_rules(&mut self, index: usize) -> Result<(), Error> {
        let path = self.path();
        let level = &self.branch.stack[index];
        let Some(dir) = level.dir() else {
            let cause = bug("a directory was closed while it was listed");
            return Err(Error::new(Operation::ReadDirectory, path, cause));
        };
        let (entries, names) = (level.stored.entries(), self.branch.stack.names());
        let (path_len, above) = (level.path_len(), level.rules.clone());
        let listed = ListedDirectory { dir, entries, names, path: &path, path_len };
        let rules = rules::of_directory(&listed, above, &self.settings, &self.asker.sys)?;
        self.branch.stack[index].rules = rules;
        Ok(())
    }

    /// Drops the stored entries that are left out. Asks about the others if their order needs it.
    fn choose(
        &mut self,
        index: usize,
        must_stop: &impl Fn(&S) -> bool,
        exclude: Option<&Exclude<'_>>,
    ) {
        let mut stored = std::mem::take(&mut self.branch.stack[index].stored);
        let may_go_on = |cursor: &Self| !cursor.is_stopped && !must_stop(&cursor.asker.sys);
        stored.retain(|entry| may_go_on(self) && self.chooses(index, entry, exclude));
        self.branch.stack[index].stored = stored;
    }

    fn chooses(
        &mut self,
        index: usize,
        entry: &mut StoredEntry,
        exclude: Option<&Exclude<'_>>,
    ) -> bool {
        let Cursor { branch: Branch { stack, path, .. }, is_stopped, .. } = self;
        path.truncate(stack[index].path_len());
        let Some(name) = stack.names().get(entry.name) else {
            debug_assert!(false, "the names of stored entries are kept");
            return false;
        };
        path.push(name);
        let is_known = entry.kind != Kind::Unknown;
        if excludes(exclude, path, entry.kind, is_stopped)
            || is_known && self.is_ignored(index, entry.kind)
        {
            return false;
        }
        let must_ask = !is_known && self.settings.rulebook.is_some()
            || self.settings.order.is_some_and(Order::asks);
        if !must_ask {
            return true;
        }
        let mut metadata = Metadata::default();
        let Cursor { asker, branch, settings, .. } = self;
        entry.ask(asker, branch, settings.follows_all(), &mut metadata);
        let kind = metadata.facts.kind;
        entry.keep(metadata);
        is_known || !self.is_ignored(index, kind)
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
        if let Some(asked) = entry.take_asked() {
            self.metadata = asked;
        } else {
            if let Err(lost) = self.branch.reopen(&self.asker.sys) {
                return Some(self.give_up(lost));
            }
            let Cursor { asker, branch, settings, metadata, .. } = self;
            entry.ask(asker, branch, settings.follows_all(), metadata);
        }
        let (failed, unfollowable) = self.metadata.take_failed_entry();
        if let Some(error) = failed {
            return Some(Step::Error(error));
        }
        self.pending.extend(unfollowable.map(Step::Error));
        let mut yielded = Yielded::default();
        if self.metadata.facts.kind == Kind::Directory && depth < self.settings.max_depth {
            let stack = &mut self.branch.stack;
            if self.settings.order.is_some() {
                stack.set_only_waiting(entry.name);
                stack[index].state = State::Entering;
                yielded.waiting = Some(entry.name);
            } else {
                yielded.waiting = stack.add_waiting_kept(entry.name);
            }
            if self.settings.contents_first {
                stack[index].later.push_back(std::mem::take(&mut self.metadata));
                return self.pending.pop_front();
            }
        }
        (depth >= self.settings.min_depth).then_some(Step::Entry(yielded))
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
                let late = own.and_then(|own| self.yield_late(own));
                self.pending.extend(late);
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
            Some(task) => Some(Step::ResultsOf(task)),
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
                let late = directory.own.and_then(|own| self.yield_late(own));
                self.pending.extend(late);
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
        is_wanted.then_some(Step::Entry(Yielded::default()))
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

    /// The path of the current entry, as the system's text.
    pub(super) fn text(&self) -> Cow<'_, OsStr> {
        S::Unit::text(self.branch.path.units())
    }

    /// The path of the current entry, borrowed where the system's text is a path.
    pub(super) fn shown_path(&self) -> Cow<'_, Path> {
        match self.text() {
            Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
            Cow::Owned(text) => Cow::Owned(text.into()),
        }
    }

    /// The last part of the path of the current entry; the whole operand for an operand.
    pub(super) fn name(&self) -> Cow<'_, OsStr> {
        S::Unit::text(self.branch.name())
    }

    fn is_operand(&self) -> bool {
        self.branch.stack.len() == 0
    }

    /// Asks for more about the current entry.
    pub(super) fn fetch(&mut self, more: Fields) {
        if self.metadata.requested.contains(more) {
            return;
        }
        let follow = self.settings.follows_all();
        if self.is_operand() {
            let path = self.path();
            let Cursor { asker, operand, settings, metadata, .. } = self;
            return operand.fetch(&path, more, settings, asker, metadata);
        }
        let reopened = self.branch.reopen(&self.asker.sys).map_err(ReopenError::into_cause);
        let Cursor { asker, branch, metadata, .. } = self;
        let path = || S::Unit::path(branch.path.units().to_vec());
        match reopened.and_then(|()| branch.place()) {
            Ok((dir, name)) => {
                asker.fetch(&Subject { dir, name, path: &path, follow }, more, metadata);
            }
            Err(cause) => {
                metadata.requested |= more;
                metadata.fail(more, Error::new(Operation::Stat, path(), cause));
            }
        }
    }

    /// Removes the current entry.
    pub(super) fn remove(&mut self) -> Result<bool, Error> {
        let removed = if self.is_operand() {
            let (path, kind) = (self.path(), self.metadata.facts.kind);
            self.operand.remove(&path, kind, &self.asker.sys)
        } else {
            self.remove_below()
        };
        removed.map_err(|cause| Error::new(Operation::Remove, self.path(), cause))
    }

    fn remove_below(&mut self) -> Result<bool, Cause> {
        let (sys, kind) = (&self.asker.sys, self.metadata.facts.kind);
        self.branch.reopen(sys).map_err(ReopenError::into_cause)?;
        let (dir, name) = self.branch.place()?;
        operand::remove_child(dir, name, kind, sys).map_err(Cause::Os)
    }

    /// Whether the current entry is a mount of one of its ancestors. Makes calls only for mounts.
    #[inline]
    pub(super) fn is_mounted_ancestor(&mut self) -> bool {
        self.branch.leads_back(&self.metadata.facts, &self.asker.sys)
    }

    /// Whether the current entry is a link whose target is missing, in a walk that follows links.
    /// Behind any other link that cannot be followed waits an error.
    pub(super) fn is_broken_link(&self) -> bool {
        let is_link = self.metadata.facts.kind.is_link();
        is_link && self.settings.follows_all() && self.pending.is_empty()
    }

    /// The path of the current entry.
    pub(super) fn path(&self) -> PathBuf {
        S::Unit::path(self.branch.path.units().to_vec())
    }
}
