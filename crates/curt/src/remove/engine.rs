//! The traversal: one worker, depth first, without recursion.
//!
//! A directory is read one buffer at a time. Files are removed straight from the buffer; the names
//! of subdirectories are copied to an arena, because the same buffer serves the whole worker. Then
//! each subdirectory is entered, and the next buffer is read after that. When nothing is left, the
//! attempt to remove the directory is the test for its end.
//!
//! The files of this module: `worker.rs` what is done with one entry · `batch.rs` what happens to
//! one buffer · `finish.rs` how a directory ends · `room.rs` what happens when descriptors run out ·
//! `share.rs` how work is handed over.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::frame::{Frame, Level, Role};
use super::options::{Confirm, Question};
use super::run::Run;
use super::worker::{Outcome, Worker};
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::sys::{Batch, Entry, Listing, Opened, Sys};
use crate::tree::{Stack, Start, Work};

/// How many directories are entered before it is looked at whether somebody makes them meanwhile.
const DIRECTORIES_BETWEEN_LOOKS: u64 = 1024;

/// One worker of a removal.
pub(super) struct Engine<'r, S: Sys> {
    pub(super) at: Worker<'r, S>,
    pub(super) buf: S::DirBuf,
    /// Positions of the entries at hand, where they are taken in another order.
    pub(super) order: Vec<(u64, usize)>,
    /// Whether another order pays on the file system of the operand; asked at most once for each.
    pub(super) order_pays: Option<bool>,
    pub(super) stack: Stack<S, Frame<S::Unit>>,
    /// How many pieces of others are on the stack, each begun while the one below it waits.
    pub(super) nesting: u32,
    /// Whether the last base that was taken off had something left in it.
    pub(super) base_kept: bool,
    /// Whether what is opened next was waited for.
    pub(super) has_waited: bool,
    /// How many directories were entered, and since when each of those that were looked at had been
    /// made after the removal began.
    pub(super) entered: u64,
    pub(super) new_since: Option<Duration>,
    /// For too long: whatever is that new is left.
    pub(super) leaves_new: bool,
    /// The directory of the operand before: many operands lie in the same.
    pub(super) parent: Option<(PathBuf, Arc<S::Dir>)>,
}

impl<'r, S: Sys> Engine<'r, S> {
    pub(super) fn new(
        run: &'r Run<'r, S>,
        setup: &S::Setup,
        number: usize,
        start: Option<Start<'r>>,
    ) -> Self {
        Engine {
            at: Worker::new(run, setup, number, start),
            buf: S::DirBuf::default(),
            order: Vec::new(),
            order_pays: None,
            stack: Stack::new(run.descriptors_of(number)),
            nesting: 0,
            base_kept: false,
            has_waited: false,
            entered: 0,
            new_since: None,
            leaves_new: false,
            parent: None,
        }
    }

    /// Works until nothing is left for anybody, then adds its part to the report.
    pub(super) fn work(&mut self) {
        let run = self.at.run;
        while let Some(work) = run.pool().next(self.at.number, || run.next_operand()) {
            match work {
                Work::Piece(task) => self.run_task(task),
                Work::Operand(path) if !run.is_cancelled() => self.remove_operand(path),
                Work::Operand(_) => {}
            }
        }
        self.forget_parent();
        self.at.tell_progress();
        self.at.run.add(&mut self.at.report, &self.at.sys);
    }

    /// Runs until no frame is left above the first `floor`.
    pub(super) fn drive(&mut self, floor: usize) {
        while self.stack.len() > floor {
            if self.at.run.is_cancelled() {
                self.abandon(floor);
                return;
            }
            if self.may_give() {
                self.share_directories(floor);
            }
            let Some(frame) = self.stack.last() else {
                return;
            };
            let more = frame.role != Role::Base && frame.listing == Batch::More;
            // A directory that was closed early is listed from its beginning again. Where somebody
            // chooses what stays, that would meet it twice, so the listing is read to its end first.
            let list_first = more && !self.at.run.empties;
            if frame.has_waiting() && !list_first {
                self.enter_next();
            } else if more {
                self.read_batch();
            } else {
                self.leave();
            }
        }
    }

    /// Enters the next child of the topmost frame.
    fn enter_next(&mut self) {
        let Some(at) = self.stack.next_waiting() else { return };
        if !self.reopen_topmost() {
            return;
        }
        self.stack.make_room(&self.at.sys);
        self.enter(at);
    }

    /// Opens the child of the topmost directory whose name lies at `at` in the arena, and pushes a
    /// frame for it. Where there is no descriptor at the moment, its turn comes again.
    fn enter(&mut self, at: usize) {
        let parent = self.stack.len() - 1;
        let (Some(name), Some(dir)) = (self.stack.names().get(at), self.stack[parent].dir()) else {
            return;
        };
        let mounts = self.at.run.mounts();
        let path_len = self.at.path.len();
        self.at.path.push(name);
        let protected = self.at.run.options.confirm != Confirm::Never
            && !self.at.sys.may_write(dir, name, Kind::Directory);
        match self.at.open_child(dir, name, mounts) {
            Opened::Dir(dir) => {
                self.came_free();
                self.push(dir, Role::Child, at, protected);
                if self.is_made_ahead() {
                    self.leave_to_maker();
                }
            }
            Opened::Shortage(_) if self.wait_for_descriptors() => {
                self.at.path.truncate(path_len);
                self.stack.put_back(at);
            }
            opened => self.not_entered(at, path_len, opened),
        }
    }

    /// Whether the topmost directory, just entered, is one of those that somebody makes ahead of the
    /// removal: levels or branches, so that it would never come to an end. One in so many is looked
    /// at; once all of these have been new for the length of the window, each is, and what is new is
    /// left.
    fn is_made_ahead(&mut self) -> bool {
        self.entered += 1;
        if self.entered % DIRECTORIES_BETWEEN_LOOKS == 0 {
            self.leaves_new |= self.at.run.leaves_new();
        } else if !self.leaves_new {
            return false;
        }
        let Some(stat) =
            self.stack.last().and_then(Level::dir).map(|dir| self.at.sys.stat_dir(dir))
        else {
            return false;
        };
        if !stat.is_ok_and(|stat| stat.made > self.at.run.begun) {
            self.new_since = None;
            return false;
        }
        let now = self.at.sys.now();
        let since = *self.new_since.get_or_insert(now);
        if now.saturating_sub(since) > self.at.run.options.retry_window {
            self.leaves_new = true;
            self.at.run.leave_new();
        }
        self.leaves_new
    }

    /// Leaves the directory in which somebody makes others: of those above the topmost one, the nearest that
    /// was there when the removal began. Its error stands for all that is new in it.
    fn leave_to_maker(&mut self) {
        let begun = self.at.run.begun;
        let mut index = self.stack.len() - 1;
        self.stack[index].give_up();
        while let Some(below) = index.checked_sub(1) {
            let frame = &mut self.stack[below];
            let is_base = frame.role == Role::Base;
            if is_base && frame.left.is_none() {
                // What the operand lies in.
                break;
            }
            frame.give_up();
            index = below;
            let dir = self.stack[below].dir();
            let stat = dir.and_then(|dir| self.at.sys.stat_dir(dir).ok());
            // What was closed early lies below others that are new, or far above them.
            let is_old = stat.is_some_and(|stat| stat.made <= begun);
            if is_base && !is_old {
                // The worker that has the directories above it knows which of them is not.
                let path = self.path_of(index);
                return self.at.run.leave_unsaid(&path);
            }
            if is_old {
                break;
            }
        }
        let path = self.path_of(index);
        if self.at.run.is_first_to_leave(&path) {
            let here = std::mem::replace(&mut self.at.path, path);
            self.at.fail(Operation::Remove, Cause::BeingWrittenTo);
            self.at.path = here;
        }
    }

    /// Pushes a frame for a directory that was just opened; its path is at hand.
    pub(super) fn push(&mut self, dir: S::Dir, role: Role, name: usize, protected: bool) {
        let mut frame = Frame::new(role, name);
        frame.protected = protected;
        self.stack.push(dir, self.at.path.len(), None, frame);
        self.confirm_descent();
    }

    /// Deals with a child of the topmost directory that could not be entered.
    fn not_entered(&mut self, at: usize, path_len: usize, opened: Opened<S::Dir>) {
        let Some((parent, names)) = self.stack.last_with_names() else { return };
        let (Some(name), Some(dir)) = (names.get(at), parent.dir()) else { return };
        let kept = match opened {
            Opened::Gone => {
                self.at.report.vanished += 1;
                false
            }
            Opened::Pending => {
                parent.pending += 1;
                false
            }
            Opened::NotDirectory => {
                // It was a directory when it was listed, or nobody knew. Now it is something else.
                self.at.path.truncate(path_len);
                let entry = Entry { name, kind: Kind::Unknown, id: 0 };
                match self.at.remove_entry(dir, entry, true) {
                    Outcome::Removed | Outcome::Pending => false,
                    Outcome::Kept => true,
                    Outcome::Directory => {
                        // And back again: somebody is playing with it.
                        self.at.path.push(name);
                        self.at.fail(Operation::Remove, Cause::Replaced);
                        true
                    }
                }
            }
            Opened::Mount => {
                self.at.fail(Operation::Remove, Cause::MountPoint);
                true
            }
            Opened::Failed(error) | Opened::Shortage(error) => {
                !self.at.remove_unreadable(dir, name, error)
            }
            Opened::Dir(_) => false,
        };
        if kept && self.at.run.empties {
            parent.stays(name);
        }
        parent.kept |= kept;
        self.at.path.truncate(path_len);
    }

    /// Where questions are asked: reads the first entries of the directory just opened, and asks
    /// whether to go on unless it is empty.
    fn confirm_descent(&mut self) {
        let Some(frame) = self.stack.last() else {
            return;
        };
        let protected = frame.protected;
        if !self.at.run.options.confirm.asks(protected) {
            return;
        }
        let Some(dir) = frame.dir() else { return };
        let read = self.at.sys.read(dir, &mut self.buf);
        let empty = self.buf.entry(0).is_none();
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        match read {
            Ok(batch) => frame.prefetched = Some(batch),
            Err(error) => {
                frame.give_up();
                self.at.fail(Operation::ReadDirectory, Cause::Os(error));
                return;
            }
        }
        if !empty && !self.at.ask(Question::Descend, Kind::Directory, false, protected) {
            frame.give_up();
            self.at.report.skipped += 1;
        }
    }

    /// Stops here: closes everything above the first `floor` frames.
    pub(super) fn abandon(&mut self, floor: usize) {
        while self.stack.len() > floor {
            if let Some(frame) = self.stack.last_mut() {
                frame.give_up();
                frame.overrun = false;
            }
            self.leave();
        }
    }

    /// Closes the directory that operands were removed from.
    pub(super) fn forget_parent(&mut self) {
        if let Some(dir) = self.parent.take().and_then(|(_, dir)| Arc::into_inner(dir)) {
            self.at.sys.close(dir);
        }
    }
}
