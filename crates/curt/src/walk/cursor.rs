//! The traversal: one worker, depth first, without recursion.
//!
//! A directory is listed to its end, through the one buffer of the worker, and its entries are told of
//! as they come; the names of its subdirectories are copied to an arena. Then they are entered, one
//! after the other.
//!
//! `frame.rs` is one directory · `store.rs` listings that are stored before they are told of · `rules.rs`
//! rules that directories hold · `operand.rs` where it begins · `share.rs` how work is handed over.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::frame::{Frame, State};
use super::operand::Parent;
use super::options::{OneFileSystem, Settings};
use super::rules::InForce;
use crate::ask::{Asker, Subject};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Follow, Kind, Metadata};
use crate::name::{Name, Unit};
use crate::sys::{self, Ask, Batch, Identity, Listing, Mounts, Opened, Sys};
use crate::tree::{self, Stack, TreePath};

/// One worker of a walk.
pub(super) struct Cursor<S: Sys> {
    pub(super) asker: Asker<S>,
    pub(super) settings: Settings,
    pub(super) buf: S::DirBuf,
    /// Where the next entry lies in the buffer; nothing was read into it yet for the topmost frame.
    pub(super) position: usize,
    pub(super) is_read: bool,
    pub(super) stack: Stack<S, Frame>,
    pub(super) path: TreePath<S::Unit>,
    pub(super) metadata: Metadata,
    pub(super) current: Current,
    pub(super) after: After,
    /// What the consumer knows the directory by that was just told of.
    pub(super) tag: u64,
    /// A directory that could not be entered and is told of after what it holds: now, and its depth.
    late: Option<(Metadata, usize)>,
    /// What the operand is to be removed from, where that may come after it was walked.
    pub(super) parent: Option<Parent<S>>,
    /// The directories on the way, where loops are looked for.
    pub(super) ancestors: HashSet<Identity>,
    /// Those to be added for the directory that was opened last.
    pub(super) climbed: Vec<Identity>,
    /// The file system of the operand, where only one is walked, by its number.
    pub(super) device: Option<u64>,
    /// The rules of the directories above the operand.
    pub(super) above: Option<Arc<InForce>>,
    /// Files with rules that could not be read, and where links could not be followed: still to be told of.
    pub(super) troubles: Vec<Error>,
}

/// What is being told of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Current {
    pub(super) depth: usize,
    /// Where its name begins in the path.
    pub(super) name: usize,
    pub(super) place: Place,
}

/// Where more can be asked about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// By its path.
    #[default]
    Path,
    /// In the buffer, below the topmost frame.
    Buffer(usize),
    /// In the arena, below the topmost frame.
    Arena(usize),
}

/// What follows when the consumer has seen an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum After {
    #[default]
    Nothing,
    /// Enter the operand.
    EnterOperand,
    /// Enter the child whose name lies here.
    Enter(usize),
    /// Its name was put here to be entered in its turn.
    Noted(usize),
}

/// Whether a directory that was opened is to be entered, and which it is where somebody wants to know.
pub(super) enum Entering {
    Yes(Option<Identity>),
    No,
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
        let buf = settings.buffer.map_or_else(S::DirBuf::default, Listing::with_capacity);
        let stack = Stack::new(settings.descriptors);
        Cursor {
            asker: Asker::new(sys, settings.plan).name_strays(),
            settings,
            buf,
            position: 0,
            is_read: false,
            stack,
            path: TreePath::default(),
            metadata: Metadata::default(),
            current: Current::default(),
            after: After::Nothing,
            tag: 0,
            late: None,
            parent: None,
            ancestors: HashSet::new(),
            climbed: Vec::new(),
            device: None,
            above: None,
            troubles: Vec::new(),
        }
    }

    pub(super) fn follows_all(&self) -> bool {
        self.settings.plan.follow == Follow::Links
    }

    /// Begins with an operand, and tells of it; `None` where it is not wanted itself.
    pub(super) fn begin(&mut self, operand: &Path) -> Option<Step> {
        self.path = TreePath::operand(S::units(operand));
        self.close_parent();
        self.ancestors.clear();
        self.device = None;
        let follow = self.settings.plan.follow != Follow::Never;
        if let Err(error) = self.ask_operand(follow) {
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

    fn ask_operand(&mut self, follow: bool) -> Result<(), Error> {
        let Cursor { asker, path, metadata, .. } = self;
        let path = S::path(path.units().to_vec());
        if let Err(error) = asker.tell_path(&path, follow, metadata) {
            return Err(Error::new(Operation::Stat, path, Cause::Os(error)));
        }
        if follow && self.settings.broken_operands_fail && metadata.facts.kind.is_link() {
            let ask = Ask { fields: Fields::KIND, follow, cached: false };
            let answer = asker.sys.at_path(&path, |dir, name| asker.sys.query(dir, name, ask));
            if let Ok(Err(error)) | Err(error) = answer {
                return Err(Error::new(Operation::Stat, path, Cause::Os(error)));
            }
        }
        let stray = metadata.take_stray();
        metadata.take_failure(Fields::KIND).or(stray).map_or(Ok(()), Err)
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
            let Some(frame) = self.stack.last() else {
                self.path.truncate(0);
                self.close_parent();
                return None;
            };
            self.path.truncate(frame.path_len());
            let state = frame.state;
            self.settle();
            let after = std::mem::take(&mut self.after);
            let step = match (after, state) {
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

    #[cold]
    fn tell_of_late(&mut self) -> Option<Step> {
        let (own, depth) = self.late.take()?;
        self.tell_late(own, depth)
    }

    /// The directory that was told of last is not skipped: keeps what the consumer knows it by.
    pub(super) fn settle(&mut self) {
        let goes_down = matches!(self.after, After::Noted(_) | After::Enter(_));
        if let (true, Some(frame)) = (goes_down && self.settings.tags, self.stack.last_mut()) {
            frame.tags.push_back(self.tag);
        }
        if let After::Noted(_) = self.after {
            self.after = After::Nothing;
        }
    }

    /// Forgets what was to follow.
    pub(super) fn stop(&mut self) {
        (self.after, self.late) = (After::Nothing, None);
        self.troubles.clear();
    }

    /// Does not enter the directory that was just told of.
    pub(super) fn skip(&mut self) {
        if let After::Noted(at) = self.after {
            self.stack.wait_no_more(at);
        }
        self.after = After::Nothing;
    }

    /// Tells of the next entry in the buffer.
    #[inline(never)]
    fn list(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        if self.is_read {
            if let Some((entry, next)) = self.buf.entry(self.position) {
                let at = std::mem::replace(&mut self.position, next);
                let Cursor { asker, stack, path, metadata, settings, .. } = self;
                let frame = &mut stack[index];
                let dir = frame.dir()?;
                let name_at = path.push(entry.name);
                if is_excluded::<S>(settings, path, entry.kind) || settings.hides(entry.name) {
                    return None;
                }
                let to_path = || S::path(path.units().to_vec());
                let follow = settings.plan.follow == Follow::Links;
                let subject = Subject { dir, name: entry.name, path: &to_path, follow };
                asker.begin(metadata);
                self.buf.facts(at, &entry, &mut metadata.facts);
                asker.tell(&subject, metadata);
                self.current =
                    Current { depth: frame.depth, name: name_at, place: Place::Buffer(at) };
                if let Some(error) = metadata.take_trouble(&mut self.troubles) {
                    return Some(Step::Error(error));
                }
                let goes_down =
                    metadata.facts.kind == Kind::Directory && frame.depth < settings.max_depth;
                if goes_down {
                    if settings.contents_first {
                        frame.put_off(metadata);
                    }
                    self.after = After::Noted(stack.wait(entry.name));
                    if settings.contents_first {
                        return None;
                    }
                }
                return (self.current.depth >= settings.min_depth).then_some(Step::Entry);
            }
            if self.stack[index].listing == Batch::End {
                self.stack[index].state = State::Entering;
                return None;
            }
        }
        self.read(index)
    }

    /// Reads the next entries of the topmost directory.
    #[inline(never)]
    pub(super) fn read(&mut self, index: usize) -> Option<Step> {
        let Cursor { asker, buf, stack, .. } = self;
        let frame = &mut stack[index];
        let read = asker.sys.read(frame.dir()?, buf);
        (self.is_read, self.position) = (true, 0);
        match read {
            // A short listing is not the end of it: a signal may have cut it short.
            Ok(batch) => {
                frame.listing = batch;
                None
            }
            Err(error) => {
                frame.listing = Batch::End;
                frame.state = State::Entering;
                self.is_read = false;
                Some(self.failed(Operation::ReadDirectory, error))
            }
        }
    }

    /// Enters the next subdirectory of the topmost frame, or leaves it.
    #[inline(never)]
    fn enter_next(&mut self) -> Option<Step> {
        match self.stack.next_waiting() {
            Some(at) => self.enter(at),
            None => self.leave(),
        }
    }

    /// Opens the operand.
    #[inline(never)]
    fn enter_operand(&mut self) -> Option<Step> {
        let own = self.settings.contents_first.then(|| std::mem::take(&mut self.metadata));
        match self.rules_above() {
            Ok(above) => self.above = above,
            Err(error) => {
                self.late = own.map(|own| (own, 0));
                return Some(Step::Error(error));
            }
        }
        let parent = if self.settings.contents_first { self.open_parent() } else { Ok(()) };
        let opened = match parent {
            Ok(()) => self.open_operand(),
            Err(error) => Opened::Failed(error),
        };
        self.entered(Ok(opened), 1, 0, own)
    }

    /// Opens the child whose name lies at `at` in the arena.
    #[inline(never)]
    fn enter(&mut self, at: usize) -> Option<Step> {
        let index = self.stack.len() - 1;
        if let Err(lost) = self.reopen(index) {
            return Some(self.gave_up(lost));
        }
        self.stack.make_room(&self.asker.sys);
        let name = self.path.push(self.stack.names().get(at)?);
        let mut opened = self.open(index, at);
        while matches!(opened, Ok(Opened::Shortage(_))) && self.stack.hold_fewer(&self.asker.sys) {
            opened = self.open(index, at);
        }
        let frame = &mut self.stack[index];
        let own = frame.later.pop_front();
        self.tag = frame.tags.pop_front().unwrap_or(0);
        let depth = frame.depth + 1;
        // Where directories are told of later, somebody may want to remove them from it.
        // The operand's own is where the others are opened again from.
        let needs_it = frame.has_waiting() || frame.has_stored();
        if index > 0 && !needs_it && !self.settings.contents_first {
            self.stack.close(index, &self.asker.sys);
        }
        self.entered(opened, depth, name, own)
    }

    fn open(&mut self, index: usize, at: usize) -> Result<Opened<S::Dir>, Cause> {
        let (Some(name), Some(dir)) = (self.stack.names().get(at), self.stack[index].dir()) else {
            return Ok(Opened::Gone);
        };
        let sys = &self.asker.sys;
        if self.follows_all() {
            return Ok(sys.open_below(dir, name, true));
        }
        let by_mount = self.settings.one_file_system == OneFileSystem::Mount;
        if !by_mount && (self.tracks() || !S::MOUNTS_MAY_LOOP) {
            return Ok(sys.open_child(dir, name, Mounts::Cross));
        }
        let opened = sys.open_child(dir, name, Mounts::Refuse);
        if by_mount || !matches!(opened, Opened::Mount) {
            return Ok(opened);
        }
        let opened = sys.open_child(dir, name, Mounts::Cross);
        if let Opened::Dir(mounted) = &opened {
            let found = tree::identity(mounted, &self.asker.sys);
            let is_above = found.and_then(|found| self.leads_back(index, found));
            let cause = match is_above {
                Ok(false) => return Ok(opened),
                Ok(true) => Cause::Loop,
                Err(error) => Cause::Os(error),
            };
            if let Opened::Dir(mounted) = opened {
                self.asker.sys.close(mounted);
            }
            return Err(cause);
        }
        Ok(opened)
    }

    /// Pushes a frame for the directory that was opened; its path is at hand.
    fn entered(
        &mut self,
        opened: Result<Opened<S::Dir>, Cause>,
        depth: usize,
        name: usize,
        own: Option<Metadata>,
    ) -> Option<Step> {
        self.current.name = name;
        let error = match opened {
            Err(cause) => cause,
            Ok(Opened::Dir(dir)) => match self.may_enter(&dir) {
                Ok(Entering::Yes(identity)) => {
                    let mut frame = Frame::new(State::Listing, depth);
                    frame.name = name;
                    frame.own = own;
                    frame.above = std::mem::take(&mut self.climbed);
                    frame.tag = self.tag;
                    frame.rules = match self.stack.last() {
                        Some(parent) => parent.rules.clone(),
                        None => self.above.take(),
                    };
                    self.stack.push(dir, self.path.len(), identity, frame);
                    self.is_read = false;
                    return None;
                }
                Ok(Entering::No) => {
                    self.asker.sys.close(dir);
                    return own.and_then(|own| self.tell_late(own, depth - 1));
                }
                Err(error) => {
                    self.asker.sys.close(dir);
                    error
                }
            },
            Ok(Opened::Mount) => return own.and_then(|own| self.tell_late(own, depth - 1)),
            Ok(Opened::Gone | Opened::Pending) => Cause::Os(sys::os_error(io::ErrorKind::NotFound)),
            Ok(Opened::NotDirectory) => Cause::Os(sys::os_error(io::ErrorKind::NotADirectory)),
            Ok(Opened::Shortage(error) | Opened::Failed(error)) => Cause::Os(error),
        };
        let failed =
            Error::new(Operation::OpenDirectory, S::path(self.path.units().to_vec()), error);
        self.late = own.map(|own| (own, depth - 1));
        Some(Step::Error(failed))
    }

    /// Tells of a directory after what it holds; its path is at hand.
    fn tell_late(&mut self, own: Metadata, depth: usize) -> Option<Step> {
        self.current = Current { depth, place: Place::Path, ..self.current };
        self.metadata = own;
        (depth >= self.settings.min_depth).then_some(Step::Entry)
    }

    /// Leaves the topmost directory, and tells of it where it was not told of before.
    pub(super) fn leave(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        let identity = self.stack[index].identity();
        let frame = self.stack.pop(&self.asker.sys)?;
        for identity in identity.iter().chain(&frame.above) {
            self.ancestors.remove(identity);
        }
        self.current.name = frame.name;
        let own = frame.own?;
        self.tell_late(own, frame.depth - 1)
    }

    pub(super) fn failed(&self, operation: Operation, error: io::Error) -> Step {
        Step::Error(Error::new(operation, S::path(self.path.units().to_vec()), Cause::Os(error)))
    }

    /// The path of what is told of.
    pub(super) fn text(&self) -> Cow<'_, std::ffi::OsStr> {
        S::text(self.path.units())
    }

    /// Asks for more about what is told of.
    pub(super) fn fetch(&mut self, more: Fields) {
        if self.metadata.requested.contains(more) {
            return;
        }
        let Some(index) = self.stack.len().checked_sub(1) else {
            return self.fetch_operand(more);
        };
        if let Err(lost) = self.reopen(index) {
            let path = S::path(self.path.units().to_vec());
            let error = Error::new(Operation::Stat, path, lost.into_cause());
            self.metadata.requested |= more;
            self.metadata.has_more = true;
            self.metadata.failed.push((more, error));
            return;
        }
        let follow = self.follows_all();
        let Cursor { asker, stack, path, metadata, buf, current, .. } = self;
        let to_path = || -> PathBuf { S::path(path.units().to_vec()) };
        let last;
        let name = match current.place {
            Place::Buffer(at) => buf.entry(at).map(|(entry, _)| entry.name),
            Place::Arena(at) => stack.names().get(at),
            Place::Path => {
                last = [&path.units()[current.name..], &[S::Unit::NUL]].concat();
                Name::until_nul(&last)
            }
        };
        if let (Some(name), Some(dir)) = (name, stack[index].dir()) {
            asker.fetch(&Subject { dir, name, path: &to_path, follow }, more, metadata);
        }
    }

    fn fetch_operand(&mut self, more: Fields) {
        let follow = self.settings.plan.follow != Follow::Never;
        let Cursor { asker, path, metadata, parent, .. } = self;
        let to_path = || -> PathBuf { S::path(path.units().to_vec()) };
        if let Some(Parent { dir, name, directory_only }) = parent {
            let follow = follow || *directory_only;
            if let Some(name) = Name::until_nul(name) {
                asker.fetch(&Subject { dir, name, path: &to_path, follow }, more, metadata);
            }
            return;
        }
        // What cannot be a path was not told of.
        let _ = asker.fetch_path(&to_path(), follow, more, metadata);
    }
}

/// Whether the caller leaves out the entry at `path`.
pub(super) fn is_excluded<S: Sys>(
    settings: &Settings,
    path: &TreePath<S::Unit>,
    kind: Kind,
) -> bool {
    let Some(exclude) = &settings.exclude else {
        return false;
    };
    let (path, relative) = (S::text(path.units()), S::text(path.relative()));
    exclude.excludes_entry(Path::new(&path), Path::new(&relative), kind)
}
