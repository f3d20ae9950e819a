//! What happens to one buffer of entries.

use super::engine::Engine;
use super::frame::{Frame, Level, Role};
use super::worker::{Outcome, Worker, may_hide_directory};
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::{Batch, Entry, Listing, Opened, Removed, Sys};
use crate::tree::Stack;

/// The most that the names of subdirectories may take. What does not fit is forgotten and listed
/// again: by then, what was entered is gone, so the directory is its own list of what is left.
const ARENA: usize = 1 << 20;
/// So much may be remembered of each directory, whatever others take: or else, with many of those
/// below, a directory would only ever be listed.
const LEAST: usize = 4 << 10;

/// How many entries are dealt with before it is looked at whether somebody wants some.
const ENTRIES_BETWEEN_LOOKS: u64 = 16;

/// After so many entries of one directory, those that are left are counted: more than that can only
/// be what somebody has added since.
const UNCOUNTED: u64 = 1 << 16;
/// So many portions in a row that are much smaller than others end the counting.
const TRICKLES: u32 = 64;

/// With so many entries, a listing is worth taking in the order of file numbers.
const LARGE: usize = 1000;

impl<S: Sys> Engine<'_, S> {
    /// Reads the next entries of the topmost directory, removes the files among them and keeps
    /// the names of the directories.
    pub(super) fn read_batch(&mut self) {
        if !self.reopen_topmost() {
            return;
        }
        if self.is_overrun() {
            if let Some(frame) = self.stack.last_mut() {
                frame.overrun = true;
                frame.listing = Batch::End;
            }
            return;
        }
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        let read = if let Some(batch) = frame.prefetched.take() {
            Ok(batch)
        } else {
            let Some(dir) = frame.dir() else { return };
            self.at.sys.read(dir, &mut self.buf)
        };
        match read {
            Ok(batch) => frame.listing = batch,
            Err(error) => {
                frame.give_up();
                self.at.fail(Operation::ReadDirectory, Cause::Os(error));
                return;
            }
        }
        // A guess is only worth making, and only right, if the removal of the directory follows.
        let stays = frame.kept || (self.at.run.options.contents && frame.role == Role::Root);
        let guess = self.at.run.empties && !stays && self.at.run.may_guess();
        if frame.listing == Batch::ProbablyLast && !guess {
            frame.listing = Batch::More;
        }
        let (pending, forgotten) = (frame.pending, frame.forgotten);
        self.stack.clear_names();
        self.order.clear();
        let found = if self.ordered() { self.take_ordered() } else { self.take_in_turn() };
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        frame.found += found;
        frame.dealt += found.saturating_sub(frame.forgotten - forgotten);
        if frame.again.is_some() && frame.forgotten == 0 {
            // What only waits to be closed by somebody is nothing new.
            self.at.report.appeared += found.saturating_sub(frame.pending - pending);
        }
    }

    /// Whether the pass over the topmost directory is to end here, because somebody adds to it as
    /// fast as it is emptied. A pass over what was there when it was counted ends by itself, however
    /// many entries that are; what was added since is dealt with for as long as the limits on
    /// retries say.
    fn is_overrun(&mut self) -> bool {
        let Some(frame) = self.stack.last() else {
            return false;
        };
        if let Some(again) = &frame.again {
            let waited = self.at.sys.now().saturating_sub(again.since);
            let is_progress = frame.found * 2 <= again.found_before;
            if !is_progress && waited > self.at.run.options.retry_window {
                return true;
            }
        }
        if frame.dealt < UNCOUNTED || self.at.run.options.dry_run {
            return false;
        }
        let (dealt, bound) = (frame.dealt, frame.bound);
        let bound = bound.or_else(|| self.count().map(|count| dealt + count));
        if let Some(frame) = self.stack.last_mut() {
            frame.bound = bound;
        }
        bound.is_some_and(|bound| dealt > bound)
    }

    /// Counts the entries of the topmost directory, by a listing beside the one that is under way.
    fn count(&mut self) -> Option<u64> {
        let Opened::Dir(dir) = self.at.sys.open_beside(self.stack.last()?.dir()?) else {
            return None;
        };
        let (mut count, mut most, mut trickles) = (0, 0, 0);
        // A listing that goes on by a few entries at a time has caught up with somebody who adds them.
        while trickles < TRICKLES {
            let read = self.at.sys.read(&dir, &mut self.buf);
            let mut position = 0;
            let mut found = 0_u64;
            while let Some((_, next)) = self.buf.entry(position) {
                (position, found) = (next, found + 1);
            }
            count += found;
            most = most.max(found);
            trickles = if found * 16 < most { trickles + 1 } else { 0 };
            match read {
                Ok(batch) if batch != Batch::End && found > 0 && !self.at.run.is_cancelled() => {}
                Ok(_) => break,
                Err(_) => {
                    self.at.sys.close(dir);
                    return None;
                }
            }
        }
        self.at.sys.close(dir);
        Some(count)
    }

    /// Takes the entries as they come.
    fn take_in_turn(&mut self) -> u64 {
        let mut position = 0;
        let mut found = 0;
        loop {
            if self.may_give() {
                position = self.share_files(position, &mut found);
            }
            for _ in 0..ENTRIES_BETWEEN_LOOKS {
                let Some((entry, next)) = self.buf.entry(position) else {
                    return found;
                };
                if self.at.run.is_cancelled() {
                    return found;
                }
                position = next;
                if !self.passes_over(entry.name) {
                    found += 1;
                    take(&mut self.at, &mut self.stack, entry);
                }
            }
        }
    }

    /// Whether the topmost directory is to pass over an entry.
    fn passes_over(&self, name: Name<'_, S::Unit>) -> bool {
        self.stack.last().is_some_and(|frame| frame.passes_over(name))
    }

    /// Takes the entries in the order of their file numbers.
    fn take_ordered(&mut self) -> u64 {
        let mut order = std::mem::take(&mut self.order);
        let mut found = 0;
        let mut next = 0;
        while let Some(&(_, position)) = order.get(next) {
            if next as u64 % ENTRIES_BETWEEN_LOOKS == 0 && self.may_give() {
                found += self.share_ordered(&mut order, next);
            }
            if self.at.run.is_cancelled() {
                break;
            }
            let Some((entry, _)) = self.buf.entry(position) else { break };
            next += 1;
            if !self.passes_over(entry.name) {
                found += 1;
                take(&mut self.at, &mut self.stack, entry);
            }
        }
        self.order = order;
        found
    }

    /// Fills the order if the buffer is large and the file system one where it pays.
    fn ordered(&mut self) -> bool {
        if !self.at.run.plain || self.buf.left(0) < LARGE {
            return false;
        }
        let Some(dir) = self.stack.last().and_then(Level::dir) else {
            return false;
        };
        if !*self.order_pays.get_or_insert_with(|| self.at.sys.inode_order_pays(dir)) {
            return false;
        }
        let mut position = 0;
        while let Some((entry, next)) = self.buf.entry(position) {
            self.order.push((entry.id, position));
            position = next;
        }
        self.order.sort_unstable();
        true
    }
}

/// Deals with one entry of a directory.
fn take<S: Sys>(
    at: &mut Worker<'_, S>,
    stack: &mut Stack<S, Frame<S::Unit>>,
    entry: Entry<'_, S::Unit>,
) {
    if entry.kind == Kind::Directory {
        remember(at, stack, entry);
        return;
    }
    let Some(frame) = stack.last_mut() else { return };
    let Some(dir) = frame.dir() else { return };
    if at.run.plain {
        match at.remove_child(dir, entry.name, entry.kind) {
            Removed::Done => {
                at.report.files += 1;
                at.tick();
                return;
            }
            Removed::IsDirectory => {
                remember(at, stack, entry);
                return;
            }
            Removed::Gone => {
                at.report.vanished += 1;
                return;
            }
            Removed::Pending => {
                frame.pending += 1;
                return;
            }
            Removed::Failed(error) => {
                if may_hide_directory(entry.kind, &error) {
                    remember(at, stack, entry);
                } else {
                    at.fail_in(entry.name, error);
                    frame.stays(entry.name);
                }
                return;
            }
        }
    }
    match at.remove_entry(dir, entry, false) {
        Outcome::Removed => {}
        Outcome::Pending => frame.pending += 1,
        Outcome::Kept if at.run.empties => frame.stays(entry.name),
        Outcome::Kept => frame.kept = true,
        Outcome::Directory => remember(at, stack, entry),
    }
}

/// Keeps the name of a subdirectory, or forgets it for now where there is no room.
fn remember<S: Sys>(
    at: &mut Worker<'_, S>,
    stack: &mut Stack<S, Frame<S::Unit>>,
    entry: Entry<'_, S::Unit>,
) {
    let all = stack.names().len();
    let ours = stack.names_of_topmost();
    let Some(frame) = stack.last_mut() else { return };
    if at.run.options.exclude.is_some() {
        let path_len = at.path.len();
        at.path.push(entry.name);
        let excluded = at.is_excluded(Kind::Directory);
        at.path.truncate(path_len);
        if excluded {
            at.report.skipped += 1;
            frame.kept = true;
            return;
        }
    }
    // Where somebody chooses what stays, a second listing would meet it again; then all are
    // remembered, as they are where others have pieces: what stays of those is not known.
    let may_forget = at.run.plain && frame.join.is_none();
    let many = all > ARENA && ours > LEAST;
    if may_forget && many {
        frame.forgotten += 1;
    } else {
        stack.wait(entry.name);
    }
}
