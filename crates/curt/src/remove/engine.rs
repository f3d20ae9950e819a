//! The traversal of one worker: depth first, without recursion.
//!
//! A directory is read one buffer at a time. Files are removed straight from the buffer; the names of
//! subdirectories are kept, because the same buffer serves the whole worker. Then each subdirectory
//! is entered, and the next buffer is read after that. When nothing is left, the attempt to remove
//! the directory is the test for its end.

use std::sync::Arc;

use super::batch::Buffer;
use super::frame::{Directories, Frame, Level, Role};
use super::operand::{Operands, Parents, Tree};
use super::options::Question;
use super::room::Room;
use super::run::Run;
use super::share::{self, Piece, Task};
use super::worker::{Outcome, Worker};
use super::writers::{self, Lookout};
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::name::Names;
use crate::sys::{Entry, Opened, Setup, Sys};
use crate::tree::{Links, Lost, Stack, Start, Waited, Way, Why, Work};

/// One worker of a removal.
pub(super) struct Engine<'r, S: Sys> {
    pub(super) worker: Worker<'r, S>,
    pub(super) stack: Directories<S>,
    buffer: Buffer<S>,
    room: Room,
    lookout: Lookout,
    parents: Parents<S>,
}

impl<'r, S: Sys> Engine<'r, S> {
    pub(super) fn new(
        run: &'r Run<'r, S>,
        setup: &Setup,
        number: usize,
        start: Option<Start<'r>>,
    ) -> Self {
        Engine {
            worker: Worker::new(run, setup, number, start),
            stack: Stack::new(run.descriptors_of(number)),
            buffer: Buffer::default(),
            room: Room::default(),
            lookout: Lookout::default(),
            parents: Parents::default(),
        }
    }

    /// Works until nothing is left for anybody, then adds its part to the report.
    pub(super) fn work(&mut self) {
        let run = self.worker.run;
        while let Some(work) = run.pool().next(self.worker.number, || run.next_operand()) {
            match work {
                Work::Piece(task) => self.do_task(task),
                Work::Operand(path) if !run.is_cancelled() => {
                    let Engine { worker, buffer, parents, .. } = self;
                    if let Some(tree) = (Operands { worker, buffer, parents }).remove(path) {
                        self.remove_tree(tree);
                    }
                }
                Work::Operand(_) => {}
            }
        }
        self.parents.close(&self.worker.sys);
        self.worker.end();
    }

    /// Removes the tree below an operand that has been opened.
    fn remove_tree(&mut self, tree: Tree<S>) {
        self.buffer.forget_file_system();
        let base = self.stack.len();
        self.stack.push_base(tree.parent, 0, &Names::new(), Frame::base(None));
        let at = self.stack.keep(tree.name.as_name());
        self.push(tree.dir, Frame::new(Role::Operand, at, tree.is_protected));
        self.empty(base);
    }

    /// Does a piece of another worker's directory.
    fn do_task(&mut self, task: Task<S>) {
        let Task { dir, mut names, what, path, join, left } = task;
        let before = std::mem::replace(&mut self.worker.path, path);
        let mut kept = false;
        if let Piece::Files(kind) = what {
            (kept, names) = share::remove_files::<S>(&names, kind, &dir, &left, &mut self.worker);
        }
        if names.len() > 0 {
            let (base, path_len) = (self.stack.len(), self.worker.path.len());
            self.stack.push_base(Arc::clone(&dir), path_len, &names, Frame::base(Some(left)));
            kept |= self.empty(base);
        }
        self.worker.path = before;
        // Whoever waits for the join takes the directory back, so ours must be gone by then.
        drop(dir);
        self.worker.run.pool().finish(&join, kept);
    }

    /// Removes what waits in the base at this level and all that is above it on the stack, and takes
    /// the base off. Returns whether anything stays.
    fn empty(&mut self, base: usize) -> bool {
        loop {
            if self.worker.run.is_cancelled() {
                if let Some(level) = self.stack.last_mut() {
                    level.give_up();
                }
            } else if self.worker.may_give() {
                share::give_directories(base, &mut self.stack, &self.worker);
            }
            let Some(level) = self.stack.last() else { return true };
            let has_more = level.passes.has_more();
            // A directory that was closed early is listed from its beginning again. Where somebody
            // chooses what stays, that would meet it twice, so the listing is read to its end first.
            let list_first = has_more && !self.worker.run.empties;
            if level.has_waiting() && !list_first {
                self.enter_next();
            } else if has_more {
                if self.reopen_topmost() {
                    self.buffer.take_batch(&mut self.stack, &mut self.worker);
                }
            } else if !self.wait_for_pieces() {
                if self.stack.len() == base + 1 {
                    return self.take_off_base();
                }
                self.leave();
            }
        }
    }

    fn take_off_base(&mut self) -> bool {
        self.stack.pop(&self.worker.sys).is_none_or(|mut base| {
            base.hand_back();
            base.is_kept()
        })
    }

    /// Waits for the pieces of the topmost directory that other workers have. Returns whether
    /// something else was done meanwhile, so that the traversal has to look again.
    fn wait_for_pieces(&mut self) -> bool {
        let Some(level) = self.stack.last_mut() else { return false };
        let Some(join) = level.join() else { return false };
        match self.worker.run.pool().wait_for(&join) {
            Waited::Piece(task) => {
                self.worker.nesting += 1;
                self.do_task(task);
                self.worker.nesting -= 1;
                true
            }
            Waited::Joined => {
                level.has_joined();
                false
            }
        }
    }

    /// Enters the next subdirectory of the topmost directory.
    fn enter_next(&mut self) {
        let Some(at) = self.stack.next_waiting() else { return };
        if !self.reopen_topmost() {
            return;
        }
        self.stack.make_room(&self.worker.sys);
        self.enter(at);
    }

    /// Opens the child of the topmost directory whose name lies at `at`. Where there is no descriptor
    /// at the moment, its turn comes again.
    fn enter(&mut self, at: usize) {
        let Engine { worker, stack, room, lookout, .. } = self;
        let (Some(name), Some(dir)) = (stack.names().get(at), stack.last().and_then(Level::dir))
        else {
            return;
        };
        let path_len = worker.path.len();
        worker.path.push(name);
        let is_protected = worker.is_protected(dir, name, Kind::Directory);
        match worker.open_child(dir, name, worker.run.mounts()) {
            Opened::Dir(dir) => {
                room.was_enough(worker);
                let must_leave = lookout.must_leave(&dir, worker);
                self.push(dir, Frame::new(Role::Child, at, is_protected));
                if must_leave {
                    self.leave_to_writer();
                }
            }
            Opened::Shortage(_) if room.make(stack, worker) => {
                worker.path.truncate(path_len);
                stack.put_back(at);
            }
            opened => self.not_entered(at, path_len, opened),
        }
    }

    /// Puts a directory that was just opened on top; its path is at hand. Where questions are asked,
    /// asks whether to go on, unless it is empty.
    fn push(&mut self, dir: S::Dir, frame: Frame<S::Unit>) {
        let Engine { worker, stack, buffer, .. } = self;
        let is_protected = frame.is_protected();
        let asks = worker.run.options.confirm.asks(is_protected);
        let first = asks.then(|| buffer.peek(&dir, &worker.sys));
        stack.push(dir, worker.path.len(), None, frame);
        let (Some(first), Some(level)) = (first, stack.last_mut()) else { return };
        match first {
            Ok((batch, true)) => {
                level.passes.prefetch(batch);
                if !worker.ask(Question::Descend, Kind::Directory, false, is_protected) {
                    level.give_up();
                    worker.skipped();
                }
            }
            Ok((batch, false)) => level.passes.prefetch(batch),
            Err(error) => {
                level.give_up();
                worker.fail(Operation::ReadDirectory, Cause::Os(error));
            }
        }
    }

    /// Leaves what somebody makes as fast as it is removed.
    fn leave_to_writer(&mut self) {
        if let Some(path) = writers::leave_directory(&mut self.stack, &self.worker) {
            let here = std::mem::replace(&mut self.worker.path, path);
            self.worker.fail(Operation::Remove, Cause::BeingWrittenTo);
            self.worker.path = here;
        }
    }

    /// Deals with a child of the topmost directory that could not be entered.
    fn not_entered(&mut self, at: usize, path_len: usize, opened: Opened<S::Dir>) {
        let worker = &mut self.worker;
        let Some((level, names)) = self.stack.last_with_names() else { return };
        let (Some(name), Some(dir)) = (names.get(at), level.dir()) else { return };
        let outcome = match opened {
            Opened::Dir(_) => Outcome::Removed,
            Opened::Gone => Outcome::Gone,
            Opened::Pending => Outcome::Pending,
            Opened::NotDirectory => {
                // It was a directory when it was listed, or nobody knew. Now it is something else.
                worker.path.truncate(path_len);
                let entry = Entry { name, kind: Kind::Unknown, id: 0 };
                worker.remove_entry(dir, entry, true)
            }
            Opened::Mount => {
                worker.fail(Operation::Remove, Cause::MountPoint);
                Outcome::Kept
            }
            Opened::Failed(error) | Opened::Shortage(error) => {
                worker.remove_unreadable(dir, name, error)
            }
        };
        worker.path.truncate(path_len);
        match outcome {
            Outcome::Removed => return,
            Outcome::Gone => return worker.vanished(),
            Outcome::Pending => return level.passes.is_pending(),
            Outcome::Kept => {}
            Outcome::Directory => {
                // And a directory again: somebody is playing with it.
                worker.path.push(name);
                worker.fail(Operation::Remove, Cause::Replaced);
                worker.path.truncate(path_len);
            }
        }
        if worker.run.empties {
            level.keep_name(name);
        }
        level.keep();
    }

    /// Makes sure that the topmost directory is open.
    fn reopen_topmost(&mut self) -> bool {
        self.stack.len().checked_sub(1).is_some_and(|index| self.reopen(index))
    }

    /// Makes sure that a directory is open. Where it is no longer what it was, says so, takes off
    /// everything from there on, and returns `false`.
    pub(super) fn reopen(&mut self, index: usize) -> bool {
        if self.stack[index].dir().is_some() {
            return true;
        }
        loop {
            let Engine { worker, stack, room, .. } = self;
            let way = Way { path: worker.path.units(), links: Links::Refuse, sys: &worker.sys };
            match stack.reopen(index, &way) {
                Ok(()) => {
                    room.was_enough(worker);
                    return true;
                }
                Err(Lost { why: Why::Shortage(_), .. })
                    if !worker.run.is_cancelled() && room.make(stack, worker) => {}
                Err(lost) => {
                    self.lose(lost);
                    return false;
                }
            }
        }
    }

    /// A directory is gone while it was closed, or cannot be opened again.
    fn lose(&mut self, lost: Lost) {
        while self.stack.len() > lost.level + 1 {
            self.pop();
        }
        if let Why::Vanished = lost.why {
            self.worker.vanished();
        } else {
            self.worker.fail(Operation::Remove, lost.into_cause());
            if let Some(level) = self.stack.last_mut() {
                level.keep();
            }
        }
        self.pop();
    }

    /// Takes the topmost directory off, closes it, and passes on to the one below whether something
    /// stays.
    pub(super) fn pop(&mut self) {
        let Some(frame) = self.stack.pop(&self.worker.sys) else { return };
        let Some((below, names)) = self.stack.last_with_names() else { return };
        self.worker.path.truncate(below.path_len());
        if !frame.is_kept() {
            return;
        }
        match names.get(frame.name()) {
            Some(name) if self.worker.run.empties => below.keep_name(name),
            _ => below.keep(),
        }
    }
}
