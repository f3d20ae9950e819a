//! Walks in one worker: depth first, without recursion.
//!
//! A recursive walk could not return each entry to an iterator, and would overflow the thread's
//! stack in a deep tree. So the state of each level is a `Frame` on a stack, and each call of
//! `Cursor::next` continues from the topmost level.
//!
//! There are two ways to read a directory. [`listed`] yields entries as they are read. [`stored`]
//! reads all of them first, to sort them, to apply ignore rules, or to count them in a dry run.

use std::collections::VecDeque;
use std::path::Path;

use super::control::Control;
use super::entry::Visited;
use super::frame::Frame;
use super::options::Walk;
use super::position::Position;
use super::{listed, operand, rules, stored};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Kind, Metadata};
use crate::sys::{Sys, SystemUnit};
use crate::tree::{Admitted, Reader};

pub(super) struct Cursor<S: Sys> {
    pub(super) at: Position<S>,
    pub(super) metadata: Metadata,
    /// The current listing. A name in it is valid until the next read.
    pub(super) reader: Reader<S>,
    stores: bool,
    /// Whether the entry just yielded is a directory to enter.
    enters: bool,
    pub(super) pending: VecDeque<Step>,
}

pub(super) enum Step {
    Entry,
    Error(Error),
    /// The point where the results of the task with this number belong.
    ResultsOf(u64),
}

impl<S: Sys> Cursor<S> {
    pub(super) fn new(sys: S, walk: &Walk<'_>, descriptors: usize) -> Self {
        Cursor {
            stores: walk.settings.stores(),
            at: Position::new(sys, walk, descriptors),
            metadata: Metadata::default(),
            reader: Reader::new(S::DirBuf::default()),
            enters: false,
            pending: VecDeque::new(),
        }
    }

    pub(super) fn sys(&self) -> &S {
        &self.at.querier.sys
    }

    pub(super) fn begin(&mut self, operand: &Path) -> Option<Step> {
        let Position { querier, settings, branch, operand: last, removal, .. } = &mut self.at;
        last.close(&querier.sys);
        branch.begin(S::Unit::units(operand));
        match operand::query(operand, settings, querier, &removal.gone, &mut self.metadata) {
            Ok(enters) => {
                self.enters = enters;
                (!enters || !settings.contents_first).then_some(Step::Entry)
            }
            Err(error) => Some(Step::Error(error)),
        }
    }

    /// Returns the next step, or `None` if the operand or task is finished or the walk must stop.
    pub(super) fn next(&mut self, control: &Control<'_>) -> Option<Step> {
        (self.at.removal.remaining, self.at.is_boundary) = (None, false);
        let mut step = self.pending.pop_front();
        if step.is_none() && std::mem::take(&mut self.enters) {
            if self.at.is_operand() {
                step = self.enter_operand();
            } else {
                self.at.branch.add_waiting();
            }
        }
        while step.is_none() {
            let Some(level) = self.at.branch.stack.last() else {
                self.at.operand.close(&self.at.querier.sys);
                return None;
            };
            self.at.branch.path.truncate(level.path_len());
            step =
                if self.stores { stored::step(self, control) } else { listed::step(self, control) };
            if step.is_none() && control.must_stop(self.sys()) {
                return None;
            }
        }
        step
    }

    pub(super) fn entry(&mut self) -> Visited<'_> {
        let (depth, has_error) = (self.at.branch.depth(), !self.pending.is_empty());
        Visited::new(&mut self.metadata, depth, has_error, &mut self.at)
    }

    pub(super) fn skip(&mut self) {
        self.enters = false;
    }

    pub(super) fn abandon(&mut self) {
        let Position { branch, operand, querier, .. } = &mut self.at;
        while branch.leave(&querier.sys).is_some() {}
        operand.close(&querier.sys);
        self.enters = false;
        self.pending.clear();
    }

    #[inline(never)]
    pub(super) fn read(&mut self) -> Option<Step> {
        let Cursor { at, reader, .. } = self;
        let read = |dir| reader.read(dir, &at.querier.sys).map_err(Cause::Os);
        let cause = at.listed_dir().and_then(read).err()?;
        Some(self.not_listed(cause))
    }

    pub(super) fn not_listed(&mut self, cause: Cause) -> Step {
        self.at.branch.stack.top_mut().is_listed = true;
        self.failed(Operation::ReadDirectory, cause)
    }

    /// Yields the current entry. If contents come first, makes a directory wait instead.
    #[inline]
    pub(super) fn yield_entry(&mut self) -> Option<Step> {
        if self.metadata.has_more {
            if let Some(error) = self.metadata.take_failed_kind() {
                return Some(Step::Error(error));
            }
            self.pending.extend(self.metadata.take_unfollowed().map(Step::Error));
        }
        let Position { branch, settings, .. } = &mut self.at;
        if self.metadata.facts.kind == Kind::Directory && branch.depth() < settings.max_depth {
            if settings.contents_first {
                branch.add_waiting();
                branch.stack.top_mut().later.push_back(std::mem::take(&mut self.metadata));
                return self.pending.pop_front();
            }
            self.enters = true;
        }
        Some(Step::Entry)
    }

    #[inline(never)]
    fn enter_operand(&mut self) -> Option<Step> {
        let Position { operand, branch, settings, querier, .. } = &mut self.at;
        let (path, sys) = (branch.to_path(), &querier.sys);
        let own = settings.contents_first.then(|| std::mem::take(&mut self.metadata));
        let rules = match rules::above_operand(&path, settings, sys) {
            Ok(rules) => rules,
            Err(error) => return Some(self.not_entered(own, error)),
        };
        let opened = operand.open(&path, settings, sys);
        let admitted = branch.admit(opened, sys).map_err(|cause| branch.not_opened(cause));
        self.entered(admitted, Frame { rules, own, ..Frame::default() })
    }

    #[inline(never)]
    pub(super) fn enter_next(&mut self) -> Option<Step> {
        let Position { branch, settings, querier, .. } = &mut self.at;
        // Keep a directory open while the caller can still remove or query its entries by name.
        let keeps = |frame: &Frame| settings.contents_first || frame.entries.left() > 0;
        let Some(admitted) = branch.open_next(keeps, &querier.sys) else { return self.leave() };
        let level = branch.stack.top_mut();
        let (own, rules) = (level.later.pop_front(), level.rules.clone());
        self.entered(admitted, Frame { rules, own, ..Frame::default() })
    }

    fn entered(
        &mut self,
        admitted: Result<Option<Admitted<S::Dir>>, Error>,
        frame: Frame,
    ) -> Option<Step> {
        match admitted {
            Ok(Some(admitted)) => {
                self.at.branch.enter(admitted, frame);
                self.reader.reset();
                None
            }
            Ok(None) => self.yield_late(frame.own, None, true),
            Err(error) => Some(self.not_entered(frame.own, error)),
        }
    }

    /// Yields the error and, if contents come first, the directory itself after it.
    fn not_entered(&mut self, own: Option<Metadata>, error: Error) -> Step {
        let late = self.yield_late(own, None, false);
        self.pending.extend(late);
        Step::Error(error)
    }

    fn leave(&mut self) -> Option<Step> {
        let frame = self.at.branch.leave(&self.at.querier.sys)?;
        let remaining = self.at.settings.dry_run.then_some(frame.remaining);
        self.yield_late(frame.own, remaining, false)
    }

    fn yield_late(
        &mut self,
        own: Option<Metadata>,
        remaining: Option<usize>,
        is_boundary: bool,
    ) -> Option<Step> {
        self.metadata = own?;
        (self.at.removal.remaining, self.at.is_boundary) = (remaining, is_boundary);
        Some(Step::Entry)
    }

    pub(super) fn failed(&self, operation: Operation, cause: Cause) -> Step {
        Step::Error(self.at.error(operation, cause))
    }
}
