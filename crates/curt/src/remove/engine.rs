//! The traversal of one worker: depth first, without recursion.
//!
//! The obvious recursive loop overflows the thread's stack in a deep tree, and its listing buffers,
//! 64 KiB per level, exhaust memory. So the levels are kept on a `Stack`, and share one buffer. The
//! worker fills the buffer from the topmost directory and removes the files straight from it. It
//! saves the names of the subdirectories, because entering one overwrites the buffer, and enters
//! each of them before it reads the next batch. At the end of the listing it removes the directory
//! (`leave.rs`).
//!
//! Some directories are listed twice: those closed to save descriptors, and those that did not
//! become empty. The second listing must not handle remaining entries again. Therefore:
//!
//! - Names of entries that failed are stored and skipped (`frame.rs`).
//! - Names of entries that the caller skips are not stored. If the caller may skip entries, the
//!   worker lists a directory to its end before it enters a subdirectory.
//! - Before it reads the rest of a reopened directory, the worker waits for the entries that it
//!   handed off.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::callbacks::Question;
use super::entry::Outcome;
use super::frame::{Frame, FrameStack, OperandEntry, Remains, Role, Task};
use super::listing::Buffer;
use super::worker::Worker;
use super::writers::Samples;
use crate::control::SameFileSystem;
use crate::error::{Cause, Operation, RemainReason};
use crate::fields::{Fields, Kind};
use crate::name::{Name, Names};
use crate::sys::{Entry, Mounts, Opened, Request, Sys, is_shortage};
use crate::tree::{Links, Meanwhile, ReopenError, ReopenFailure, Stack, Waited, Work};

const ENTRIES_PER_CHECK: u64 = 16;
const MIN_SPLIT: usize = 128;

/// The maximum number of tasks that a worker nests while it waits. Each takes 1.5 KiB of stack and
/// holds a directory of another worker open. A worker at the limit hands off no work: with a limit
/// of 2, 32 workers took longer than 16 in the model (`tests/scaling.rs`).
const MAX_NESTED: u32 = 8;
const CALLS_FOR_DIRECTORY: u32 = 5;
const SHORTAGE_PAUSE: Duration = Duration::from_millis(2);

pub(super) struct Engine<'r, S: Sys> {
    pub(super) worker: Worker<'r, S>,
    pub(super) stack: FrameStack<S>,
    pub(super) buffer: Buffer<S>,
    samples: Samples,
    /// The parent of the previous operand, for the next operand in the same directory.
    pub(super) parent: Option<(PathBuf, Arc<S::Dir>)>,
    pub(super) operand: Option<OperandEntry<S>>,
    nested: u32,
}

impl<'r, S: Sys> Engine<'r, S> {
    pub(super) fn new(worker: Worker<'r, S>) -> Self {
        Engine {
            stack: Stack::new(worker.member.descriptors, Links::Refuse),
            worker,
            buffer: Buffer::default(),
            samples: Samples::default(),
            parent: None,
            operand: None,
            nested: 0,
        }
    }

    pub(super) fn work<'p>(mut self, next_operand: impl Fn() -> Option<&'p Path>) {
        let shared = self.worker.shared;
        let queue = &shared.pool.queue;
        loop {
            self.worker.attend();
            let number = self.worker.member.number;
            let next = |attend: Meanwhile<'_>| queue.next(number, &next_operand, attend);
            let Some(work) = self.worker.while_attending(next) else { break };
            match work {
                Work::Task(task) => self.do_task(task),
                Work::Operand(_) if shared.is_cancelled() => {}
                Work::Operand(path) => self.remove_operand(path),
            }
        }
        self.close_parent();
        self.worker.end();
    }

    fn do_task(&mut self, task: Task<S>) {
        let Task { dir, path, names, kind, parts } = task;
        let base = self.stack.len();
        let path_before = std::mem::replace(&mut self.worker.path, path);
        let (path_len, part) = (self.worker.path.len(), Frame::part());
        if kind == Kind::Directory {
            self.stack.push_base(dir, path_len, &names, part);
        } else {
            self.stack.push_base(dir, path_len, &Names::new(), part);
            for (_, name) in names.between(0, names.len()) {
                if self.worker.shared.is_cancelled() {
                    break;
                }
                handle_entry(Entry { name, kind, id: 0 }, &mut self.stack, &mut self.worker);
            }
        }
        let remains = self.remove_levels(base);
        self.worker.path = path_before;
        parts.add(remains);
        self.worker.shared.pool.queue.finish(&parts.join);
    }

    /// Removes all levels from `base` on. If another worker handed off the level `base`, returns
    /// the entries that remain in it.
    pub(super) fn remove_levels(&mut self, base: usize) -> Remains<S::Unit> {
        while self.stack.len() > base {
            if self.worker.is_over() {
                self.stack.top_mut().give_up();
            } else if self.should_hand_off() {
                self.hand_off_directories(base);
            }
            let level = self.stack.top();
            let has_more = level.rounds.has_more();
            // A second listing would meet skipped entries again, so finish this one before
            // descending.
            let list_first = has_more && !self.worker.shared.removes_all;
            if level.has_waiting() && !list_first {
                self.enter_next();
                continue;
            }
            // Before leaving the directory, wait for the entries handed off. After a reopening,
            // wait even before reading on, because the new listing would meet these entries again.
            let may_read_on = has_more && !level.was_released();
            if !may_read_on && self.wait_for_parts() {
                continue;
            }
            if has_more {
                if self.reopen_top() {
                    self.read_batch();
                }
                continue;
            }
            if self.stack.top().role == Role::Part {
                let part = self.stack.pop(&self.worker.sys);
                return part.map_or_else(Remains::none, Frame::into_remains);
            }
            self.leave_top();
        }
        Remains::none()
    }

    fn wait_for_parts(&mut self) -> bool {
        let Some(parts) = self.stack.top().handed_off() else { return false };
        let queue = &self.worker.shared.pool.queue;
        match self.worker.while_attending(|attend| queue.wait_for(&parts.join, attend)) {
            Waited::Task(task) => {
                self.nested += 1;
                self.do_task(task);
                self.nested -= 1;
                true
            }
            Waited::Joined => {
                self.stack.top_mut().join();
                false
            }
        }
    }

    fn read_batch(&mut self) {
        if self.check_overrun() {
            return;
        }
        let (worker, level) = (&mut self.worker, self.stack.top_mut());
        let Some(dir) = level.dir() else {
            level.give_up();
            return worker.internal_error("a directory is read that is not open");
        };
        let batch = match self.buffer.read(dir, worker.shared.is_plain, &worker.sys) {
            Ok(batch) => batch,
            Err(error) => {
                level.give_up();
                return worker.fail(Operation::ReadDirectory, Cause::Os(error));
            }
        };
        level.rounds.after_read(batch);
        if level.take_question() && !self.buffer.is_empty() {
            let is_protected = level.is_protected;
            if !worker.ask_about_directory(Question::Descend, is_protected) {
                return level.give_up();
            }
        }
        self.stack.clear_names();
        self.take_entries();
    }

    fn check_overrun(&mut self) -> bool {
        let (worker, (dir, frame)) = (&self.worker, self.stack.top_mut().split());
        let count = || self.buffer.count(dir?, &worker.sys, || worker.is_over());
        let (now, options) = (|| worker.sys.now(), worker.shared.options);
        !options.dry_run && frame.rounds.end_if_overrun(now, options.retry_window, count)
    }

    fn take_entries(&mut self) {
        let shared = self.worker.shared;
        loop {
            if self.should_hand_off() {
                self.hand_off_files();
            }
            for _ in 0..ENTRIES_PER_CHECK {
                if shared.is_cancelled() {
                    return;
                }
                let Some(entry) = self.buffer.next() else { return };
                handle_entry(entry, &mut self.stack, &mut self.worker);
            }
        }
    }

    /// Returns whether to hand off work. At the nesting limit a worker must not: it would have to
    /// wait for the result, and a waiting worker must accept further tasks, or all might end up
    /// waiting.
    fn should_hand_off(&self) -> bool {
        self.nested < MAX_NESTED && self.worker.shared.pool.queue.wants_tasks()
    }

    fn hand_off_files(&mut self) {
        let left = self.buffer.left();
        if left < MIN_SPLIT || !self.worker.shared.is_plain {
            return;
        }
        let mut files = Names::new();
        let mut kind = Kind::File;
        while self.buffer.left() > left / 2 {
            let Some(entry) = self.buffer.next() else { break };
            let level = self.stack.top_mut();
            if level.has_remaining(entry.name) {
                continue;
            }
            level.rounds.count();
            self.worker.counts.appeared += u64::from(level.rounds.is_retry());
            if entry.kind == Kind::Directory {
                self.stack.add_waiting(entry.name);
                continue;
            }
            if entry.kind == Kind::Unknown {
                kind = Kind::Unknown;
            }
            files.push(entry.name);
        }
        if files.len() > 0 {
            self.hand_off(self.stack.len() - 1, files, kind);
        }
    }

    fn hand_off_directories(&mut self, base: usize) {
        let stack = &mut self.stack;
        let Some(index) = stack.open_from(base).find(|&index| stack[index].has_waiting()) else {
            return;
        };
        if let Some(names) = stack.split_waiting(index) {
            self.hand_off(index, names, Kind::Directory);
        }
    }

    fn hand_off(&mut self, index: usize, names: Names<S::Unit>, kind: Kind) {
        let level = &mut self.stack[index];
        let Some(dir) = level.share() else {
            level.mark_remaining();
            return self.worker.internal_error("a directory is shared that is not open");
        };
        let mut path = self.worker.path.clone();
        path.truncate(level.path_len());
        let parts = level.add_part();
        self.worker.shared.pool.queue.hand_off(Task { dir, path, names, kind, parts });
    }

    fn enter_next(&mut self) {
        let Some(at) = self.stack.next_waiting() else { return };
        if self.reopen_top() {
            self.stack.release_if_full(&self.worker.sys);
            self.enter(at);
        }
    }

    fn enter(&mut self, at: usize) {
        let Engine { worker, stack, .. } = self;
        let (Some(name), Some(dir)) = (stack.names().get(at), stack.top().dir()) else {
            return worker.internal_error("a directory is entered that is not open");
        };
        let (shared, path_len) = (worker.shared, worker.path.len());
        worker.path.push(name);
        let is_protected = worker.is_protected(dir, name, Kind::Directory);
        let mounts = match shared.options.same_file_system {
            SameFileSystem::No => Mounts::Cross,
            SameFileSystem::Device | SameFileSystem::Mount => Mounts::Refuse,
        };
        let opened = worker.sys.open_child(dir, name, mounts);
        if let Some(cause) = self.other_device(at, &opened) {
            if let Opened::Dir(dir) = opened {
                self.worker.sys.close(dir);
            }
            self.worker.fail(Operation::OpenDirectory, cause);
            return self.handle_outcome(at, path_len, Outcome::Remains);
        }
        match opened {
            Opened::Dir(dir) => {
                let (worker, window) = (&self.worker, shared.options.retry_window);
                let (files, writers) = (worker.counts.files, &shared.writers);
                let must_leave = self.samples.must_leave(&dir, files, writers, window, &worker.sys);
                self.push(dir, Role::Child(at), is_protected);
                if must_leave {
                    self.abandon_to_writer();
                }
            }
            Opened::Failed(error)
                if is_shortage(&error) && (self.overcome_shortage() || shared.is_cancelled()) =>
            {
                self.worker.path.truncate(path_len);
                self.stack.put_back(at);
            }
            opened => self.not_entered(at, path_len, opened),
        }
    }

    /// Returns why [`SameFileSystem::Device`] excludes a child. Queries an unopened child by name,
    /// because a refused mount may be on the same device, and an unreadable directory may still be
    /// removed.
    fn other_device(&mut self, at: usize, opened: &Opened<S::Dir>) -> Option<Cause> {
        let Engine { worker, stack, .. } = self;
        if worker.shared.options.same_file_system != SameFileSystem::Device {
            return None;
        }
        let request = Request { fields: Fields::DEVICE, follow: false };
        let (level, names) = stack.level_with_names(stack.len() - 1);
        let (name, dir) = (names.get(at)?, level.dir()?);
        let asked = match opened {
            Opened::Dir(child) => worker.sys.query_dir(child, request),
            Opened::Failed(error) if is_shortage(error) => return None,
            Opened::Failed(_) | Opened::Mount => worker.sys.query(dir, name, request),
            _ => return None,
        };
        let own = match level.device {
            Some(device) => Ok(device),
            None => worker.sys.query_dir(dir, request).map(|own| own.device),
        };
        match asked.and_then(|child| Ok((child.device, own?))) {
            Ok((child, own)) => {
                level.device = Some(own);
                (child != own).then_some(Cause::Remains(RemainReason::OtherFileSystem))
            }
            Err(error) => Some(Cause::Os(error)),
        }
    }

    pub(super) fn push(&mut self, dir: S::Dir, role: Role, is_protected: bool) {
        let asks_first = self.worker.shared.options.confirm.asks(is_protected);
        let frame = Frame::new(role, is_protected, asks_first);
        self.stack.push(dir, self.worker.path.len(), None, frame);
        self.worker.shared.shortage.opened(self.stack.count_open());
    }

    fn not_entered(&mut self, at: usize, path_len: usize, opened: Opened<S::Dir>) {
        let (Some(name), Some(dir)) = (self.stack.names().get(at), self.stack.top().dir()) else {
            return self.worker.internal_error("a directory is entered that is not open");
        };
        let outcome = self.worker.remove_unopened(dir, name, opened);
        self.handle_outcome(at, path_len, outcome);
    }

    fn handle_outcome(&mut self, at: usize, path_len: usize, outcome: Outcome) {
        self.worker.path.truncate(path_len);
        match outcome {
            Outcome::Gone => self.worker.counts.vanished += 1,
            Outcome::Pending => self.stack.top_mut().rounds.count_pending(),
            Outcome::Remains => self.add_remaining_child(at),
            Outcome::Removed | Outcome::Directory => {}
        }
    }

    fn reopen_top(&mut self) -> bool {
        self.reopen(self.stack.len() - 1)
    }

    pub(super) fn reopen(&mut self, index: usize) -> bool {
        if self.stack[index].dir().is_some() {
            return true;
        }
        loop {
            match self.stack.reopen(index, self.worker.path.units(), &self.worker.sys) {
                Ok(()) => {
                    self.worker.shared.shortage.opened(self.stack.count_open());
                    return true;
                }
                Err(lost) if lost.reason.is_shortage() && self.overcome_shortage() => {}
                Err(lost) => {
                    self.drop_lost(lost);
                    return false;
                }
            }
        }
    }

    fn drop_lost(&mut self, lost: ReopenError) {
        while self.stack.len() > lost.level + 1 {
            self.pop_without_reopening();
        }
        if let ReopenFailure::Vanished = lost.reason {
            self.worker.counts.vanished += 1;
        } else {
            self.worker.fail(Operation::OpenDirectory, lost.into_cause());
            self.stack.top_mut().mark_remaining();
        }
        self.pop_without_reopening();
    }

    pub(super) fn pop(&mut self) {
        // Only an open directory gets back its permissions.
        let remains = self.stack.last().is_some_and(|level| level.is_remaining());
        if !remains || !self.stack.owes_permissions() || self.reopen_top() {
            self.pop_without_reopening();
        }
    }

    fn pop_without_reopening(&mut self) {
        let Some(frame) = self.stack.pop(&self.worker.sys) else { return };
        let Role::Child(name) = frame.role else { return };
        self.worker.tick(CALLS_FOR_DIRECTORY);
        self.worker.path.truncate(self.stack.top().path_len());
        if frame.is_remaining() {
            self.add_remaining_child(name);
        }
    }

    fn add_remaining_child(&mut self, at: usize) {
        let (level, names) = self.stack.level_with_names(self.stack.len() - 1);
        match names.get(at) {
            Some(name) => level.add_remaining(name, self.worker.shared.removes_all),
            None => level.mark_remaining(),
        }
    }

    pub(super) fn parent_of(&self, index: usize) -> Option<(&S::Dir, Name<'_, S::Unit>)> {
        match self.stack[index].role {
            Role::Operand => {
                self.operand.as_ref().map(|operand| (&*operand.parent, operand.name.as_name()))
            }
            Role::Child(name) => self.stack[index - 1].dir().zip(self.stack.names().get(name)),
            Role::Part => None,
        }
    }

    /// After a shortage of descriptors, releases a directory or waits. Returns `false` if the
    /// shortage has lasted too long or the removal is over.
    pub(super) fn overcome_shortage(&mut self) -> bool {
        let Worker { shared, sys, .. } = &self.worker;
        if self.stack.lower_budget(sys) {
            return true;
        }
        let (held, window) = (self.stack.count_open(), shared.options.retry_window);
        shared.shortage.may_wait(held, sys.now(), window) && self.worker.sleep(SHORTAGE_PAUSE)
    }
}

#[inline]
fn handle_entry<S: Sys>(
    entry: Entry<'_, S::Unit>,
    stack: &mut FrameStack<S>,
    worker: &mut Worker<'_, S>,
) {
    let level = stack.top_mut();
    let is_gone = |dir| worker.gone.has(dir, entry.name, &worker.sys);
    if level.has_remaining(entry.name) || level.dir().is_some_and(is_gone) {
        return;
    }
    level.rounds.count();
    let appeared = level.rounds.is_retry();
    let Some(dir) = level.dir() else {
        level.give_up();
        return worker.internal_error("an entry is removed from a directory that is not open");
    };
    match worker.remove_listed(dir, entry) {
        Outcome::Removed => {}
        Outcome::Gone => worker.counts.vanished += 1,
        Outcome::Pending => {
            level.rounds.count_pending();
            return;
        }
        Outcome::Remains => level.add_remaining(entry.name, worker.shared.removes_all),
        Outcome::Directory if worker.excludes_directory(entry.name) => level.mark_remaining(),
        Outcome::Directory => {
            stack.add_waiting(entry.name);
        }
    }
    worker.counts.appeared += u64::from(appeared);
}
