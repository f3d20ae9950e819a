//! The traversal of one worker: depth first, without recursion.
//!
//! A directory is listed to its end, through the one buffer of the worker, and its entries are told
//! of as they come; the names of its subdirectories are kept. Then they are entered, one after the
//! other. Where entries are put in order or left out by rules, all of them are stored before the first
//! is told of.

use std::io;
use std::path::{Path, PathBuf};

use super::entry::{Current, Place};
use super::frame::{Frame, Level, State};
use super::loops::{self, Entering, Loops};
use super::operand::{self, Parent};
use super::options::{OneFileSystem, Settings};
use super::reader::Reader;
use super::rules;
use super::share::Piece;
use super::stored::StoredEntry;
use crate::ask::{Asker, Subject};
use crate::control::Unvisited;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Fields, Follow, Kind, Metadata};
use crate::sys::{self, Batch, Identity, Mounts, Opened, Sys, SystemUnit};
use crate::tree::{Links, ReopenError, Stack, TreePath};

/// One worker of a walk.
pub(super) struct Cursor<S: Sys> {
    pub(super) asker: Asker<S>,
    pub(super) settings: Settings,
    pub(super) reader: Reader<S>,
    pub(super) stack: Stack<S, Frame>,
    pub(super) path: TreePath<S::Unit>,
    pub(super) parent: Parent<S>,
    pub(super) loops: Loops,
    /// What is being told of, and what was found out about it.
    pub(super) current: Current,
    pub(super) metadata: Metadata,
    /// What the consumer knows the directory by that was just told of.
    pub(super) tag: u64,
    after: After,
    /// A directory that could not be entered and is told of after what it holds: now, and its depth.
    late: Option<(Metadata, usize)>,
    /// Links that could not be followed: still to be told of.
    troubles: Vec<Error>,
}

/// What follows when the consumer has seen an entry, unless it skips that.
#[derive(Clone, Copy, Debug, Default)]
enum After {
    #[default]
    Nothing,
    /// Enter the operand.
    EnterOperand,
    /// Enter the child whose name lies here.
    Enter(usize),
    /// Its name was put here to be entered in its turn.
    Noted(usize),
}

/// What a step of the walk came upon.
pub(super) enum Step {
    /// An entry, described by the cursor.
    Entry,
    /// The place of the piece of this number, which another worker has.
    Join(u64),
    Error(Error),
}

impl<S: Sys> Cursor<S> {
    pub(super) fn new(sys: S, settings: Settings) -> Self {
        let follows = settings.plan.follow == Follow::Links;
        let links = if follows { Links::Follow } else { Links::Refuse };
        Cursor {
            asker: Asker::new(sys, settings.plan).name_strays(),
            reader: Reader::new(settings.buffer),
            stack: Stack::new(settings.descriptors, links),
            settings,
            path: TreePath::default(),
            parent: Parent::default(),
            loops: Loops::default(),
            current: Current::default(),
            metadata: Metadata::default(),
            tag: 0,
            after: After::Nothing,
            late: None,
            troubles: Vec::new(),
        }
    }

    pub(super) fn follows_all(&self) -> bool {
        self.settings.plan.follow == Follow::Links
    }

    /// Begins with an operand, and tells of it; `None` where it is not wanted itself.
    pub(super) fn begin(&mut self, operand: &Path) -> Option<Step> {
        self.path = TreePath::operand(S::Unit::units(operand));
        self.parent.close(&self.asker.sys);
        self.loops = Loops::default();
        let path = self.path();
        if let Err(error) = operand::ask(&path, &self.settings, &self.asker, &mut self.metadata) {
            return Some(Step::Error(error));
        }
        self.current = Current::default();
        let is_directory = self.metadata.facts.kind == Kind::Directory;
        if is_directory && self.settings.max_depth > 0 {
            self.after = After::EnterOperand;
        }
        if is_directory && self.settings.contents_first {
            return None;
        }
        (self.settings.min_depth == 0).then_some(Step::Entry)
    }

    /// Begins with a piece of another worker's directory.
    pub(super) fn begin_piece(&mut self, piece: Piece<S>) {
        (self.path, self.loops) = piece.begin(&mut self.stack);
    }

    /// Takes half of what waits, for another worker.
    pub(super) fn split(&mut self, number: impl FnOnce() -> u64) -> Option<Piece<S>> {
        self.settle();
        Piece::split(&mut self.stack, &self.path, &self.loops, number)
    }

    /// The next entry or failure; `None` when the operand, or the piece, is done.
    pub(super) fn next(&mut self) -> Option<Step> {
        if self.late.is_some() {
            if let Some(step) = self.tell_of_late() {
                return Some(step);
            }
        }
        loop {
            if let Some(error) = self.troubles.pop() {
                return Some(Step::Error(error));
            }
            if let After::EnterOperand = self.after {
                self.after = After::Nothing;
                if let Some(step) = self.enter_operand() {
                    return Some(step);
                }
                continue;
            }
            let Some(level) = self.stack.last() else {
                self.path.truncate(0);
                self.parent.close(&self.asker.sys);
                return None;
            };
            self.path.truncate(level.path_len());
            let state = level.state;
            self.settle();
            let step = match (std::mem::take(&mut self.after), state) {
                (After::Enter(at), _) => self.enter(at),
                (_, State::Listing) if self.settings.stores() => self.store(),
                (_, State::Listing) => self.list(),
                (_, State::Telling) => self.tell_stored(),
                (_, State::Entering) => self.enter_next(),
            };
            if step.is_some() {
                return step;
            }
        }
    }

    /// The directory that was told of last is not skipped: keeps what the consumer knows it by.
    fn settle(&mut self) {
        let After::Noted(_) = self.after else { return };
        self.after = After::Nothing;
        if let (true, Some(level)) = (self.settings.tags, self.stack.last_mut()) {
            level.tags.push_back(self.tag);
        }
    }

    /// Does not enter the directory that was just told of.
    pub(super) fn skip(&mut self) {
        if let After::Noted(at) = self.after {
            self.stack.remove_waiting(at);
        }
        self.after = After::Nothing;
    }

    /// Stops here: closes everything, and forgets what was to follow.
    pub(super) fn abandon(&mut self) {
        while self.stack.pop(&self.asker.sys).is_some() {}
        self.parent.close(&self.asker.sys);
        (self.after, self.late) = (After::Nothing, None);
        self.troubles.clear();
    }

    /// Tells of the next entry of the topmost directory as it is listed.
    #[inline(never)]
    fn list(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        let Cursor { asker, reader, stack, path, metadata, settings, .. } = self;
        let level = &stack[index];
        let Some((entry, at)) = reader.next() else {
            if reader.is_read() && level.listing == Batch::End {
                stack[index].state = State::Entering;
                return None;
            }
            return self.read(index);
        };
        let name = path.push(entry.name);
        if is_excluded::<S>(settings, path, entry.kind) || settings.hides(entry.name) {
            return None;
        }
        let to_path = || S::Unit::path(path.units().to_vec());
        let follow = settings.plan.follow == Follow::Links;
        let subject = Subject { dir: level.dir()?, name: entry.name, path: &to_path, follow };
        asker.begin(metadata);
        reader.facts(at, &entry, &mut metadata.facts);
        asker.tell(&subject, metadata);
        self.current = Current { depth: level.depth, name, place: Place::Buffer(at) };
        if let Some(error) = metadata.take_trouble(&mut self.troubles) {
            return Some(Step::Error(error));
        }
        if metadata.facts.kind == Kind::Directory && level.depth < settings.max_depth {
            self.after = After::Noted(stack.add_waiting(entry.name));
            if settings.contents_first {
                stack[index].put_off(metadata);
                return None;
            }
        }
        (self.current.depth >= settings.min_depth).then_some(Step::Entry)
    }

    /// Reads the next entries of the topmost directory.
    #[inline(never)]
    fn read(&mut self, index: usize) -> Option<Step> {
        let level = &mut self.stack[index];
        match self.reader.read(level.dir()?, &self.asker.sys) {
            // A short listing is not the end of it: a signal may have cut it short.
            Ok(batch) => {
                level.listing = batch;
                None
            }
            Err(error) => {
                level.end_listing();
                Some(self.failed(Operation::ReadDirectory, Cause::Os(error)))
            }
        }
    }

    /// Stores all entries of the topmost directory, and puts them in order.
    #[inline(never)]
    fn store(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        let mut failed = self.read_all(index);
        if self.settings.reads_rules() {
            let found = match failed {
                Some(failed) => Err(failed),
                None => self.find_rules(index).map_err(Step::Error),
            };
            // Where the listing or the rules are not whole, it is not known what is wanted.
            failed = found.err();
            if failed.is_some() {
                self.stack[index].stored.clear();
            }
        }
        if let Some(order) = self.settings.order {
            if order.asks() {
                self.ask_stored(index);
            }
            let (level, names) = self.stack.level_with_names(index);
            level.stored.sort(order, names);
        }
        self.stack[index].state = State::Telling;
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
                let name = self.stack.keep(entry.name);
                self.stack[index].stored.push(name, &entry, listed);
            }
            if self.reader.is_read() && self.stack[index].listing == Batch::End {
                return None;
            }
            let failed = self.read(index);
            if failed.is_some() {
                return failed;
            }
        }
    }

    fn find_rules(&mut self, index: usize) -> Result<(), Error> {
        let (names, level) = (self.stack.names(), &self.stack[index]);
        let directory = S::Unit::path(self.path.units()[..level.path_len()].to_vec());
        let rules = rules::of_directory(level, names, &directory, &self.settings, &self.asker.sys)?;
        self.stack[index].rules = rules;
        Ok(())
    }

    /// Asks about all stored entries, because their order depends on it.
    fn ask_stored(&mut self, index: usize) {
        let mut stored = std::mem::take(&mut self.stack[index].stored);
        for entry in stored.entries_mut() {
            let mut metadata = Metadata::default();
            self.ask_about(index, entry, &mut metadata);
            entry.keep(metadata);
        }
        self.stack[index].stored = stored;
    }

    fn ask_about(&mut self, index: usize, entry: &StoredEntry, metadata: &mut Metadata) {
        let follow = self.follows_all();
        let Cursor { asker, stack, path, .. } = self;
        let (Some(name), Some(dir)) = (stack.names().get(entry.name), stack[index].dir()) else {
            return;
        };
        let path_len = path.len();
        path.push(name);
        let to_path = || S::Unit::path(path.units().to_vec());
        let subject = Subject { dir, name, path: &to_path, follow };
        asker.begin(metadata);
        entry.add_to(&mut metadata.facts);
        asker.tell(&subject, metadata);
        path.truncate(path_len);
    }

    /// Tells of the next stored entry.
    #[inline(never)]
    fn tell_stored(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        let (level, names) = self.stack.level_with_names(index);
        let Some(mut entry) = level.stored.next() else {
            return self.told_all(index);
        };
        let name = self.path.push(names.get(entry.name)?);
        let is_known = entry.kind != Kind::Unknown;
        if is_excluded::<S>(&self.settings, &self.path, entry.kind)
            || is_known && self.is_ignored(index, name, entry.kind)
        {
            return None;
        }
        self.path.truncate(self.stack[index].path_len());
        if let Some(asked) = entry.take_asked() {
            self.metadata = asked;
        } else {
            if let Err(lost) = self.reopen(index) {
                return Some(self.give_up(lost));
            }
            let mut metadata = std::mem::take(&mut self.metadata);
            self.ask_about(index, &entry, &mut metadata);
            self.metadata = metadata;
        }
        self.path.push(self.stack.names().get(entry.name)?);
        if !is_known && self.is_ignored(index, name, self.metadata.facts.kind) {
            return None;
        }
        if let Some(error) = self.metadata.take_trouble(&mut self.troubles) {
            return Some(Step::Error(error));
        }
        let depth = self.stack[index].depth;
        self.current = Current { depth, name, place: Place::Kept(entry.name) };
        if self.metadata.facts.kind == Kind::Directory && depth < self.settings.max_depth {
            self.after = if self.settings.order.is_some() {
                After::Enter(entry.name)
            } else {
                After::Noted(self.stack.add_waiting_kept(entry.name)?)
            };
            if self.settings.contents_first {
                self.stack[index].put_off(&mut self.metadata);
                return None;
            }
        }
        (depth >= self.settings.min_depth).then_some(Step::Entry)
    }

    /// All stored entries were told of. In order, each directory was entered after it was told of.
    fn told_all(&mut self, index: usize) -> Option<Step> {
        let level = &mut self.stack[index];
        if self.settings.order.is_some() {
            return match level.stored.next_piece() {
                Some(piece) => Some(Step::Join(piece)),
                None => self.leave(),
            };
        }
        level.stored.clear();
        level.state = State::Entering;
        None
    }

    /// Whether rules leave out the entry at the path, whose name begins here.
    fn is_ignored(&self, index: usize, name: usize, kind: Kind) -> bool {
        let rules = self.stack[index].rules.as_deref();
        rules::leave_out::<S>(&self.path, name, kind, rules, &self.settings)
    }

    /// Opens the operand.
    #[inline(never)]
    fn enter_operand(&mut self) -> Option<Step> {
        let operand = self.path();
        let mut frame = Frame::new(1);
        frame.own = self.settings.contents_first.then(|| std::mem::take(&mut self.metadata));
        frame.tag = self.tag;
        let Cursor { parent, settings, asker: Asker { sys, .. }, .. } = self;
        match rules::above_operand(&operand, settings, sys) {
            Ok(rules) => frame.rules = rules,
            Err(error) => {
                self.late = frame.own.map(|own| (own, 0));
                return Some(Step::Error(error));
            }
        }
        let opened = if settings.contents_first { parent.open(&operand, sys) } else { Ok(()) };
        let opened = match opened {
            Ok(()) => parent.open_operand(&operand, settings, sys),
            Err(error) => Opened::Failed(error),
        };
        self.entered(Ok(opened), frame)
    }

    /// Enters the next subdirectory of the topmost directory, or leaves that.
    #[inline(never)]
    fn enter_next(&mut self) -> Option<Step> {
        match self.stack.next_waiting() {
            Some(at) => self.enter(at),
            None => self.leave(),
        }
    }

    /// Opens the child of the topmost directory whose name lies at `at`.
    #[inline(never)]
    fn enter(&mut self, at: usize) -> Option<Step> {
        let index = self.stack.len() - 1;
        if let Err(lost) = self.reopen(index) {
            return Some(self.give_up(lost));
        }
        self.stack.make_room(&self.asker.sys);
        let level = &mut self.stack[index];
        let mut frame = Frame::new(level.depth + 1);
        frame.own = level.later.pop_front();
        frame.tag = level.tags.pop_front().unwrap_or(0);
        frame.rules.clone_from(&level.rules);
        frame.name = self.path.push(self.stack.names().get(at)?);
        let opened = loop {
            let opened = self.open(index, at, &mut frame.above);
            let is_short = matches!(opened, Ok(Opened::Shortage(_)));
            if !is_short || !self.stack.lower_budget(&self.asker.sys) {
                break opened;
            }
        };
        // Where directories are told of later, somebody may want to remove them from it.
        // The operand's own is where the others are opened again from.
        let is_needed = self.stack[index].is_needed() || self.settings.contents_first;
        if index > 0 && !is_needed {
            self.stack.close(index, &self.asker.sys);
        }
        self.entered(opened, frame)
    }

    /// Opens the child of a directory whose name lies at `at`. If it is a mount, what lies below it may
    /// have to be compared with those `above` it.
    fn open(
        &self,
        index: usize,
        at: usize,
        above: &mut Vec<Identity>,
    ) -> Result<Opened<S::Dir>, Cause> {
        let (level, sys) = (&self.stack[index], &self.asker.sys);
        let (Some(name), Some(dir)) = (self.stack.names().get(at), level.dir()) else {
            return Ok(Opened::Gone);
        };
        if self.follows_all() {
            return Ok(sys.open_below(dir, name, true));
        }
        let by_mount = self.settings.one_file_system == OneFileSystem::Mount;
        let may_loop = S::MOUNTS_MAY_LOOP && !self.loops.asks(&self.settings);
        if !by_mount && !may_loop {
            return Ok(sys.open_child(dir, name, Mounts::Cross));
        }
        match sys.open_child(dir, name, Mounts::Refuse) {
            Opened::Mount if !by_mount => {}
            opened => return Ok(opened),
        }
        let opened = sys.open_child(dir, name, Mounts::Cross);
        if let Opened::Dir(mounted) = opened {
            match loops::above_mount(&mounted, level, sys) {
                Ok(found) => *above = found,
                Err(cause) => {
                    sys.close(mounted);
                    return Err(cause);
                }
            }
            return Ok(Opened::Dir(mounted));
        }
        Ok(opened)
    }

    /// Puts the directory that was opened on top; its path is at hand.
    fn entered(&mut self, opened: Result<Opened<S::Dir>, Cause>, mut frame: Frame) -> Option<Step> {
        self.current.name = frame.name;
        let depth = frame.depth - 1;
        let cause = match opened {
            Err(cause) => cause,
            Ok(Opened::Dir(dir)) => {
                let Cursor { loops, settings, asker, .. } = self;
                match loops.enter(&dir, &frame.above, settings, &asker.sys) {
                    Ok(Entering::Yes(identity)) => {
                        self.stack.push(dir, self.path.len(), identity, frame);
                        self.reader.forget();
                        return None;
                    }
                    Ok(Entering::No) => {
                        asker.sys.close(dir);
                        return frame.own.and_then(|own| self.tell_late(own, depth));
                    }
                    Err(cause) => {
                        asker.sys.close(dir);
                        cause
                    }
                }
            }
            Ok(Opened::Mount) => return frame.own.and_then(|own| self.tell_late(own, depth)),
            Ok(Opened::Gone | Opened::Pending) => Cause::Os(sys::os_error(io::ErrorKind::NotFound)),
            Ok(Opened::NotDirectory) => Cause::Os(sys::os_error(io::ErrorKind::NotADirectory)),
            Ok(Opened::Shortage(error) | Opened::Failed(error)) => Cause::Os(error),
        };
        self.late = frame.own.take().map(|own| (own, depth));
        Some(self.failed(Operation::OpenDirectory, cause))
    }

    #[cold]
    fn tell_of_late(&mut self) -> Option<Step> {
        let (own, depth) = self.late.take()?;
        self.tell_late(own, depth)
    }

    /// Tells of a directory after what it holds; its path is at hand.
    fn tell_late(&mut self, own: Metadata, depth: usize) -> Option<Step> {
        self.current = Current { depth, place: Place::Path, ..self.current };
        self.metadata = own;
        (depth >= self.settings.min_depth).then_some(Step::Entry)
    }

    /// Leaves the topmost directory, and tells of it where it was not told of before.
    fn leave(&mut self) -> Option<Step> {
        let identity = self.stack.last().and_then(Level::<S>::identity);
        let frame = self.stack.pop(&self.asker.sys)?;
        self.loops.leave(identity, &frame.above);
        self.current.name = frame.name;
        self.tell_late(frame.own?, frame.depth - 1)
    }

    /// Sees to it that the directory of a level is open.
    pub(super) fn reopen(&mut self, index: usize) -> Result<(), ReopenError> {
        self.stack.reopen(index, self.path.units(), &self.asker.sys)
    }

    /// Reports that the rest of a directory is lost, and of all those below it on the stack.
    fn give_up(&mut self, lost: ReopenError) -> Step {
        let path = self.path.units()[..self.stack[lost.level].path_len()].to_vec();
        for index in lost.level..self.stack.len() {
            self.stack[index].give_up();
        }
        Step::Error(Error::new(Operation::OpenDirectory, S::Unit::path(path), lost.into_cause()))
    }

    fn failed(&self, operation: Operation, cause: Cause) -> Step {
        Step::Error(Error::new(operation, self.path(), cause))
    }

    /// The path of what is at hand.
    pub(super) fn path(&self) -> PathBuf {
        S::Unit::path(self.path.units().to_vec())
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
