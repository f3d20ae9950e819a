//! Leaves a directory: removes it, lets it remain, or relists it.

use std::io;

use super::callbacks::Question;
use super::engine::Engine;
use super::frame::Role;
use super::options::DirectoryOperands;
use super::rounds::Reason;
use crate::error::{Cause, Operation, RemainReason};
use crate::fields::Facts;
use crate::sys::{Identity, Request, Sys, os_error};

impl<S: Sys> Engine<'_, S> {
    pub(super) fn leave_top(&mut self) {
        let level = self.stack.top_mut();
        if level.rounds.is_overrun() {
            self.retry(Reason::NotEmpty);
        } else if self.may_have_more() {
            self.retry(Reason::Remains);
        } else if self.is_tried() {
            // Flush first, because a callback may remove the remaining entries or stop the removal.
            self.worker.flush();
            if self.worker.shared.is_cancelled() { self.pop() } else { self.remove_top() }
        } else if self.settle_without_removal() {
            if self.is_only_emptied() && !self.worker.shared.options.dry_run {
                self.check_operand();
            }
            self.pop();
        } else {
            self.remove_top();
        }
    }

    /// Returns whether to relist a directory that will remain. Removing entries during a listing
    /// can hide other entries from it. On removal, `ENOTEMPTY` would reveal them.
    fn may_have_more(&self) -> bool {
        let shared = self.worker.shared;
        let level = self.stack.top();
        (level.is_remaining() || self.is_only_emptied())
            && level.rounds.has_found()
            && !level.rounds.is_stopped()
            && self.may_list_again()
            && !shared.pool.queue.is_over()
    }

    fn is_only_emptied(&self) -> bool {
        let directories = self.worker.shared.options.directories;
        directories == DirectoryOperands::Contents && self.stack.top().role == Role::Operand
    }

    /// Returns whether the directory can be relisted. It cannot once entries were skipped, because
    /// their names are not stored.
    fn may_list_again(&self) -> bool {
        let shared = self.worker.shared;
        shared.removes_all || !(self.stack.top().is_remaining() || shared.options.dry_run)
    }

    /// Returns whether [`try_parents`](super::Remove::try_parents) applies to the directory.
    fn is_tried(&self) -> bool {
        let shared = self.worker.shared;
        let level = self.stack.top();
        level.is_remaining()
            && shared.options.try_parents
            && shared.removes_all
            && !(level.is_reported || self.is_only_emptied() || shared.is_cancelled())
    }

    fn settle_without_removal(&mut self) -> bool {
        if self.stack.top().is_remaining() || self.is_only_emptied() {
            return true;
        }
        let is_protected = self.stack.top().is_protected;
        let is_declined = self.worker.shared.options.confirm.asks(is_protected)
            && !self.worker.ask_about_directory(Question::RemoveDirectory, is_protected);
        if is_declined {
            self.stack.top_mut().mark_remaining();
        }
        is_declined
    }

    fn remove_top(&mut self) {
        let index = self.stack.len() - 1;
        let is_operand = self.stack[index].role == Role::Operand;
        if is_operand {
            if !self.check_operand() {
                return self.pop();
            }
        } else if !self.reopen(index - 1) {
            return;
        }
        let had_remains = self.stack[index].is_remaining();
        let error = match self.remove_from_parent(index) {
            Ok(stat) => {
                self.stack[index].forget_remains();
                self.worker.removed_directory(stat.as_ref());
                return self.pop();
            }
            Err(error) => error,
        };
        match error.kind() {
            io::ErrorKind::NotFound if is_operand => {
                if let Some((parent, name)) = self.parent_of(index) {
                    self.worker.operand_lost(parent, name, Operation::RemoveDirectory, error);
                }
            }
            io::ErrorKind::NotFound => {
                self.stack[index].forget_remains();
                self.worker.counts.vanished += 1;
            }
            io::ErrorKind::DirectoryNotEmpty if had_remains => {
                self.worker.fail(Operation::RemoveDirectory, Cause::Os(error));
            }
            io::ErrorKind::DirectoryNotEmpty => {
                if self.reopen(index) {
                    self.retry(Reason::NotEmpty);
                }
                return;
            }
            _ => {
                self.stack[index].mark_remaining();
                self.stack[index].is_reported = true;
                return self.worker.fail(Operation::RemoveDirectory, Cause::Os(error));
            }
        }
        self.pop();
    }

    /// Returns whether the operand's name still refers to the directory just emptied. If not,
    /// reports the operand.
    fn check_operand(&self) -> bool {
        let Engine { worker, stack, operand, .. } = self;
        let (Some(dir), Some(operand)) = (stack.top().dir(), operand) else {
            worker.internal_error("an operand is checked that is not open");
            return false;
        };
        let name = operand.name.as_name();
        let is_there = |identity| worker.sys.is_child(&operand.parent, name, dir, identity);
        let there = match is_there(operand.identity) {
            // Look again, because some overlay filesystems renumber a directory when it is written
            // to.
            Ok(false) => worker
                .sys
                .query_dir(dir, Request::STAT)
                .and_then(|stat| is_there(Identity::of(&stat))),
            there => there,
        };
        let cause = match there {
            Ok(true) => return true,
            Ok(false) => Cause::Replaced,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match worker.sys.query_dir(dir, Request::STAT) {
                    Ok(stat) if stat.links == 0 => {
                        worker.operand_failed(Operation::RemoveDirectory, error);
                        return false;
                    }
                    Ok(_) => Cause::Os(error),
                    Err(stale) if stale.kind() == io::ErrorKind::StaleNetworkFileHandle => {
                        worker.operand_failed(Operation::RemoveDirectory, error);
                        return false;
                    }
                    Err(error) => Cause::Os(error),
                }
            }
            Err(error) => Cause::Os(error),
        };
        worker.fail(Operation::Remove, cause);
        false
    }

    fn remove_from_parent(&mut self, index: usize) -> io::Result<Option<Facts>> {
        let is_dry = self.worker.shared.options.dry_run;
        let dir = if is_dry { None } else { self.stack.take_top() };
        let Some((parent, name)) = self.parent_of(index) else {
            self.worker.internal_error("a directory is removed from a parent that is not open");
            return Err(os_error(io::ErrorKind::NotFound));
        };
        let sys = &self.worker.sys;
        if is_dry {
            let stat = sys.query(parent, name, Request::STAT)?;
            sys.check_removal(parent, name, &stat)?;
            self.worker.gone.add(parent, name, &stat, sys);
            return Ok(Some(stat));
        }
        let removed = match dir {
            Some(dir) => sys.remove_open_dir(parent, name, dir).map_err(|(dir, error)| {
                self.stack.put_top_back(dir);
                error
            }),
            None => sys.remove_empty_dir(parent, name),
        };
        removed.map(|()| None)
    }

    fn retry(&mut self, reason: Reason) {
        let may_list_again = self.may_list_again();
        let (worker, level) = (&self.worker, self.stack.top_mut());
        let pause = if may_list_again {
            level.rounds.retry(reason, worker.sys.now(), worker.shared.options)
        } else {
            Err(Cause::Remains(RemainReason::BeingWrittenTo))
        };
        match pause {
            Ok(pause) => {
                worker.sleep(pause);
                self.list_again();
            }
            Err(cause) => {
                level.give_up();
                level.is_reported = true;
                if let Cause::Remains(RemainReason::BeingWrittenTo) = cause {
                    worker.shared.writers.report_left(worker.to_path(level.path_len()));
                } else {
                    worker.fail(Operation::RemoveDirectory, cause);
                }
            }
        }
    }

    fn list_again(&mut self) {
        let (worker, level) = (&self.worker, self.stack.top_mut());
        level.rounds.begin();
        // A released directory needs no rewinding, because reopening relists it.
        let rewound = level.dir().map_or(Ok(()), |dir| worker.sys.rewind(dir));
        if let Err(error) = rewound {
            level.give_up();
            worker.fail(Operation::ReadDirectory, Cause::Os(error));
        }
    }

    /// Leaves the topmost directory to the process that creates directories ahead of the removal.
    /// Gives up all directories up to the nearest one older than the removal, and reports that one.
    pub(super) fn abandon_to_writer(&mut self) {
        let Engine { worker, stack, .. } = self;
        let writers = &worker.shared.writers;
        let mut index = stack.len() - 1;
        stack[index].give_up();
        while let Role::Child(_) = stack[index].role {
            index -= 1;
            let level = &mut stack[index];
            level.give_up();
            let stat = level.dir().and_then(|dir| worker.sys.query_dir(dir, Request::STAT).ok());
            // Assume that a released directory is new, because the open directories inside it are.
            // A wrong guess gives up more than necessary.
            if stat.is_some_and(|stat| !writers.is_new(&stat)) {
                break;
            }
        }
        stack[index].is_reported = true;
        writers.report_left(worker.to_path(stack[index].path_len()));
    }
}
