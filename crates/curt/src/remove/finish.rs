//! How a directory ends: removed, kept, or listed once more.

use std::io;

use super::engine::Engine;
use super::frame::Role;
use super::options::Question;
use crate::error::{Cause, Operation};
use crate::fields::{Facts, Kind};
use crate::sys::{Ask, Finished, Identity, Sys, os_error};

impl<S: Sys> Engine<'_, S> {
    /// The topmost directory has nothing left to enter or to read.
    pub(super) fn leave(&mut self) {
        let Some(level) = self.stack.last_mut() else { return };
        if level.passes.take_overrun() {
            self.retry(true);
        } else if level.passes.take_forgotten() {
            self.list_again();
        } else if level.is_kept() && level.passes.is_guess() {
            level.passes.read_on();
        } else if self.may_hold_more() {
            self.retry(false);
        } else if self.stays() {
            self.pop();
        } else {
            self.finish();
        }
    }

    /// Whether the topmost directory may hold more: where it stays, no removal tests the end of its
    /// listing, so it is listed again until nothing new is found.
    fn may_hold_more(&self) -> bool {
        let run = self.worker.run;
        let Some(level) = self.stack.last() else { return false };
        let stays = level.is_kept() || (run.options.contents && level.role() == Role::Operand);
        // Where a worker has panicked, what it had is left to the caller.
        stays
            && level.passes.has_found()
            && !level.passes.is_over()
            && self.may_list_again()
            && !run.pool().is_over()
    }

    /// Whether another listing of the topmost directory meets nothing that was dealt with: where
    /// somebody chooses what stays, the names of that are not kept.
    fn may_list_again(&self) -> bool {
        let run = self.worker.run;
        let is_kept = self.stack.last().is_none_or(|level| level.is_kept());
        run.empties || !(is_kept || run.options.dry_run)
    }

    /// Whether the topmost directory is not to be removed.
    fn stays(&mut self) -> bool {
        let worker = &mut self.worker;
        let options = &worker.run.options;
        let Some(level) = self.stack.last_mut() else { return true };
        if level.is_kept() || (options.contents && level.role() == Role::Operand) {
            return true;
        }
        let is_protected = level.is_protected();
        if options.confirm.asks(is_protected)
            && !worker.ask(Question::RemoveDirectory, Kind::Directory, false, is_protected)
        {
            level.keep();
            worker.skipped();
            return true;
        }
        if options.dry_run {
            let stat = self.stat_topmost();
            self.worker.removed_directory(stat.as_ref());
            return true;
        }
        false
    }

    /// What the topmost directory gives back, if that is wanted.
    fn stat_topmost(&self) -> Option<Facts> {
        if !self.worker.run.options.count_bytes {
            return None;
        }
        let dir = self.stack.last().and_then(|level| level.dir())?;
        self.worker.sys.query_dir(dir, Ask::STAT).ok()
    }

    /// Removes the topmost directory.
    fn finish(&mut self) {
        let index = self.stack.len() - 1;
        if !self.reopen(index - 1) {
            return;
        }
        let run = self.worker.run;
        let level = &mut self.stack[index];
        let guesses = level.passes.is_guess();
        if guesses && !run.begin_guess() {
            // Too many were wrong meanwhile.
            return level.passes.read_on();
        }
        if level.role() == Role::Operand && !self.is_still_there(index) {
            self.stack[index].keep();
            return self.pop();
        }
        let stat = self.stat_topmost();
        let finished = self.remove_topmost();
        let is_empty =
            !finished.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty);
        if guesses && is_empty {
            run.end_guess();
        }
        match finished {
            Ok(()) => {
                self.worker.removed_directory(stat.as_ref());
                self.worker.tick();
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.vanished(),
            Err(_) if !is_empty => {
                if self.reopen(index) {
                    self.not_empty();
                }
                return;
            }
            Err(error) => {
                // It stays, so its listing is read to the end: see `leave`.
                self.stack[index].keep();
                self.worker.fail(Operation::Remove, Cause::Os(error));
                return;
            }
        }
        self.pop();
    }

    /// The topmost directory is no longer there.
    fn vanished(&mut self) {
        if self.stack.last().is_some_and(|level| level.role() == Role::Operand) {
            self.worker.operand_failed(os_error(io::ErrorKind::NotFound));
        } else {
            self.worker.vanished();
        }
    }

    /// Whether the operand's name still leads to the directory that was emptied. Where somebody has
    /// renamed it, it lives on under another name, and what has its name now is not ours to remove.
    fn is_still_there(&mut self, index: usize) -> bool {
        let level = &self.stack[index];
        let name = self.stack.names().get(level.name());
        let (Some(name), Some(dir), Some(parent)) =
            (name, level.dir(), self.stack[index - 1].dir())
        else {
            return true;
        };
        let sys = &self.worker.sys;
        let Ok(stat) = sys.query_dir(dir, Ask::STAT) else {
            return true;
        };
        let renamed = match sys.is_child(parent, name, Identity::of(&stat)) {
            Ok(true) => return true,
            Ok(false) => Cause::Replaced,
            // It was removed, or it has another name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if sys.query_dir(dir, Ask::STAT).map_or(true, |stat| stat.links == 0) {
                    self.worker.operand_failed(error);
                    return false;
                }
                Cause::Os(error)
            }
            Err(error) => Cause::Os(error),
        };
        self.worker.fail(Operation::Remove, renamed);
        false
    }

    /// Removes the topmost directory from the one below it, which is open.
    fn remove_topmost(&mut self) -> io::Result<()> {
        let index = self.stack.len() - 1;
        let dir = self.stack.take();
        let vanished = || io::Error::from(io::ErrorKind::NotFound);
        let name = self.stack.names().get(self.stack[index].name()).ok_or_else(vanished)?;
        let parent = self.stack[index - 1].dir().ok_or_else(vanished)?;
        let Some(dir) = dir else {
            return self.worker.sys.remove_empty_dir(parent, name);
        };
        match self.worker.finish_dir(parent, name, dir) {
            Finished::Done => Ok(()),
            Finished::Gone => Err(vanished()),
            Finished::NotEmpty(dir) => {
                self.stack.give_back(dir);
                Err(os_error(io::ErrorKind::DirectoryNotEmpty))
            }
            Finished::Failed(dir, error) => {
                self.stack.give_back(dir);
                Err(error)
            }
        }
    }

    /// The topmost directory still has entries.
    fn not_empty(&mut self) {
        let Some(level) = self.stack.last_mut() else { return };
        if level.passes.is_guess() {
            // The guess was wrong, and stays counted.
            level.passes.read_on();
        } else {
            self.retry(true);
        }
    }

    /// Lists the topmost directory again, or leaves it where the limits on that are reached. See
    /// [`Passes::retry`](super::passes::Passes::retry).
    fn retry(&mut self, certain: bool) {
        let may_list_again = self.may_list_again();
        let worker = &mut self.worker;
        let Some(level) = self.stack.last_mut() else { return };
        let pause = if may_list_again {
            level.passes.retry(certain, worker.sys.now(), &worker.run.options)
        } else {
            Err(Cause::BeingWrittenTo)
        };
        match pause {
            Ok(pause) => {
                worker.nap(pause);
                self.list_again();
            }
            Err(cause) => {
                level.give_up();
                worker.report_left(cause);
            }
        }
    }

    /// Begins the listing of the topmost directory again.
    fn list_again(&mut self) {
        let Some(level) = self.stack.last_mut() else { return };
        level.passes.begin();
        let Some(dir) = level.dir() else { return };
        if let Err(error) = self.worker.sys.rewind(dir) {
            level.give_up();
            self.worker.fail(Operation::ReadDirectory, Cause::Os(error));
        }
    }
}
