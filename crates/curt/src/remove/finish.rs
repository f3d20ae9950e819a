//! How a directory ends: removed, kept, or emptied once more.

use std::io;

use super::engine::Engine;
use super::frame::{Again, Role};
use super::options::Question;
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::pause::Pause;
use crate::sys::{Batch, Finished, Stat, Sys, os_error};
use crate::tree::Waited;

impl<S: Sys> Engine<'_, S> {
    /// The topmost frame has nothing left to enter or to read.
    pub(super) fn leave(&mut self) {
        if self.wait_for_pieces() {
            return;
        }
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        if frame.role == Role::Base {
            self.pop();
            return;
        }
        if frame.overrun {
            frame.overrun = false;
            (frame.bound, frame.dealt) = (None, 0);
            self.list_again_within_limits(true);
            return;
        }
        if frame.forgotten > 0 && !self.at.run.is_cancelled() {
            let known = frame.dealt + std::mem::take(&mut frame.forgotten);
            frame.bound = Some(frame.bound.map_or(known, |bound| bound.min(known)));
            self.list_again();
            return;
        }
        if frame.listing == Batch::ProbablyLast && frame.kept {
            // Nothing will test the guess now.
            frame.listing = Batch::More;
            return;
        }
        if self.may_hold_more() {
            return;
        }
        if self.stays() {
            self.pop();
            return;
        }
        self.finish();
    }

    /// Waits for the pieces of the topmost directory that other workers have. Returns whether
    /// something else was done meanwhile, so that the traversal has to look again.
    fn wait_for_pieces(&mut self) -> bool {
        let Some(frame) = self.stack.last_mut() else {
            return false;
        };
        let Some(join) = frame.join.clone() else {
            return false;
        };
        match self.at.run.pool().wait_for(&join) {
            Waited::Piece(task) => {
                self.nesting += 1;
                self.run_task(task);
                self.nesting -= 1;
                true
            }
            Waited::Joined => {
                frame.joined();
                false
            }
        }
    }

    /// Where the topmost directory stays, no removal tests the end of its listing: it is listed
    /// again until nothing new is found. Returns whether the traversal has to look again.
    fn may_hold_more(&mut self) -> bool {
        let run = self.at.run;
        let Some(frame) = self.stack.last() else {
            return false;
        };
        let stays = frame.kept || (run.options.contents && frame.role == Role::Root);
        if !stays || frame.found == 0 || frame.given_up || run.is_cancelled() {
            return false;
        }
        // Where a worker panicked, what it had is left to the caller.
        if !self.may_list_again() || run.pool().is_over() {
            return false;
        }
        self.list_again_within_limits(false);
        true
    }

    /// Whether another listing of the topmost directory meets nothing that was dealt with: where
    /// somebody chooses what stays, the names of that are not kept.
    fn may_list_again(&self) -> bool {
        let run = self.at.run;
        let is_kept = self.stack.last().is_none_or(|frame| frame.kept);
        run.empties || !(is_kept || run.options.dry_run)
    }

    /// Whether the topmost directory is not to be removed.
    fn stays(&mut self) -> bool {
        let options = &self.at.run.options;
        let Some(frame) = self.stack.last() else {
            return true;
        };
        if frame.kept || (options.contents && frame.role == Role::Root) {
            return true;
        }
        if options.confirm.asks(frame.protected)
            && !self.at.ask(Question::RemoveDirectory, Kind::Directory, false, frame.protected)
        {
            if let Some(frame) = self.stack.last_mut() {
                frame.kept = true;
            }
            self.at.report.skipped += 1;
            return true;
        }
        if self.at.run.options.dry_run {
            let stat = self.directory_stat();
            self.at.count_bytes(stat.as_ref());
            self.at.report.directories += 1;
            self.at.tell_removed(Kind::Directory);
            return true;
        }
        false
    }

    /// What the topmost directory gives back, if that is wanted.
    fn directory_stat(&self) -> Option<Stat> {
        if !self.at.run.options.count_bytes {
            return None;
        }
        let dir = self.stack.last().and_then(|frame| frame.dir())?;
        self.at.sys.stat_dir(dir).ok()
    }

    /// Closes the topmost directory, takes its frame off, and passes on to the one below whether
    /// something stayed.
    pub(super) fn pop(&mut self) {
        let Some(mut frame) = self.stack.pop(&self.at.sys) else {
            return;
        };
        frame.hand_back();
        if frame.kept && frame.role != Role::Base && self.at.run.empties {
            if let Some((below, names)) = self.stack.last_with_names() {
                if let Some(name) = names.get(frame.name) {
                    below.stays(name);
                }
            }
        }
        match self.stack.last_mut() {
            Some(below) if frame.role != Role::Base => {
                self.at.path.truncate(below.path_len());
                below.kept |= frame.kept;
            }
            _ => self.base_kept = frame.kept,
        }
    }

    /// Removes the topmost directory.
    fn finish(&mut self) {
        let index = self.stack.len() - 1;
        if !self.reopen(index - 1) {
            return;
        }
        let guesses = self.stack[index].listing == Batch::ProbablyLast;
        if guesses && !self.at.run.begin_guess() {
            // Too many were wrong meanwhile.
            self.stack[index].listing = Batch::More;
            return;
        }
        if self.stack[index].role == Role::Root && !self.is_still_there(index) {
            self.stack[index].kept = true;
            self.pop();
            return;
        }
        let stat = self.directory_stat();
        let finished = self.remove_topmost();
        let is_empty =
            !finished.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty);
        if guesses && is_empty {
            self.at.run.end_guess();
        }
        match finished {
            Ok(()) => {
                self.at.report.directories += 1;
                self.at.count_bytes(stat.as_ref());
                self.at.tell_removed(Kind::Directory);
                self.at.tick();
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.vanished(),
            Err(_) if !is_empty => {
                if self.reopen(index) {
                    self.not_empty();
                }
                return;
            }
            Err(error) => {
                self.stack[index].kept = true;
                self.at.fail(Operation::Remove, Cause::Os(error));
            }
        }
        self.pop();
    }

    /// The topmost directory is no longer there.
    fn vanished(&mut self) {
        let is_operand = self.stack.last().is_some_and(|frame| frame.role == Role::Root);
        if is_operand {
            self.operand_failed(os_error(io::ErrorKind::NotFound));
        } else {
            self.at.report.vanished += 1;
        }
    }

    /// Whether the operand's name still leads to the directory that was emptied. Where somebody has
    /// renamed it, it lives on under another name, and what has its name now is not ours to remove.
    fn is_still_there(&mut self, index: usize) -> bool {
        let frame = &self.stack[index];
        let name = self.stack.names().get(frame.name);
        let (Some(name), Some(dir), Some(parent)) =
            (name, frame.dir(), self.stack[index - 1].dir())
        else {
            return true;
        };
        let Ok(stat) = self.at.sys.stat_dir(dir) else {
            return true;
        };
        let renamed = match self.at.sys.is_child(parent, name, stat.identity) {
            Ok(true) => return true,
            Ok(false) => Cause::Replaced,
            // It was removed, or it has another name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.at.sys.stat_dir(dir).map_or(true, |stat| stat.links == 0) {
                    self.operand_failed(error);
                    return false;
                }
                Cause::Os(error)
            }
            Err(error) => Cause::Os(error),
        };
        self.at.fail(Operation::Remove, renamed);
        false
    }

    /// Removes the topmost directory from the one below it, which is open.
    fn remove_topmost(&mut self) -> io::Result<()> {
        let index = self.stack.len() - 1;
        let dir = self.stack.take();
        let vanished = || io::Error::from(io::ErrorKind::NotFound);
        let name = self.stack.names().get(self.stack[index].name).ok_or_else(vanished)?;
        let parent = self.stack[index - 1].dir().ok_or_else(vanished)?;
        let Some(dir) = dir else {
            return self.at.sys.remove_empty_dir(parent, name);
        };
        match self.at.finish_dir(parent, name, dir) {
            Finished::Done => Ok(()),
            Finished::Gone => Err(vanished()),
            Finished::NotEmpty(dir) => {
                self.stack.give_back(dir);
                Err(os_error(io::ErrorKind::DirectoryNotEmpty))
            }
            Finished::Failed(dir, error) => {
                self.at.sys.close(dir);
                Err(error)
            }
        }
    }

    /// The topmost directory still has entries.
    fn not_empty(&mut self) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        if frame.listing == Batch::ProbablyLast {
            // The guess was wrong, and stays counted.
            frame.listing = Batch::More;
            return;
        }
        self.list_again_within_limits(true);
    }

    /// Lists the topmost directory again, or gives it up where the limits on that are over. That it
    /// holds more than was found is `certain`, or only possible: then one more listing is no retry.
    fn list_again_within_limits(&mut self, certain: bool) {
        if !self.may_list_again() {
            return self.give_up(Cause::BeingWrittenTo);
        }
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        let now = self.at.sys.now();
        let found = frame.found.saturating_sub(frame.pending);
        let first = frame.again.is_none();
        let again = frame.again.get_or_insert_with(|| {
            Box::new(Again {
                passes: 0,
                since: now,
                found_before: found,
                wrote: false,
                pause: Pause::default(),
            })
        });
        again.passes += u32::from(certain || !first);
        if !first {
            again.wrote |= found > 0;
            if found > 0 && found * 2 <= again.found_before {
                again.since = now;
                again.passes = 1;
            }
            // Less than at any time before: a number that goes up and down is no progress.
            again.found_before = again.found_before.min(found);
        }
        let options = &self.at.run.options;
        let waited = now.saturating_sub(again.since);
        if again.passes > options.retries || waited > options.retry_window {
            let cause = if again.wrote {
                Cause::BeingWrittenTo
            } else {
                Cause::Os(os_error(io::ErrorKind::DirectoryNotEmpty))
            };
            return self.give_up(cause);
        }
        if found == 0 {
            let pause = again.pause.next(options.retry_window.saturating_sub(waited));
            self.at.nap(pause);
        }
        self.list_again();
    }

    /// Leaves the topmost directory as it is, and says why.
    pub(super) fn give_up(&mut self, cause: Cause) {
        if let Some(frame) = self.stack.last_mut() {
            frame.give_up();
        }
        let is_written_to = matches!(cause, Cause::BeingWrittenTo);
        if !is_written_to || self.at.run.is_first_to_leave(&self.at.path) {
            self.at.fail(Operation::Remove, cause);
        }
    }

    /// Begins the listing of the topmost directory again.
    fn list_again(&mut self) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        (frame.found, frame.pending) = (0, 0);
        frame.listing = Batch::More;
        let Some(dir) = frame.dir() else { return };
        if let Err(error) = self.at.sys.rewind(dir) {
            frame.give_up();
            self.at.fail(Operation::ReadDirectory, Cause::Os(error));
        }
    }
}
