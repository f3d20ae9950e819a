//! One batch of entries: read, removed, and in part handed over to another worker.

use std::io;

use super::frame::{Directories, Level, Role};
use super::share::{self, Piece};
use super::worker::{Outcome, Worker, may_hide_directory};
use crate::error::{Cause, Operation};
use crate::fields::Kind;
use crate::name::Names;
use crate::sys::{Batch, Entry, Listing, Opened, Removed, Sys, os_error};

/// The most that the names of subdirectories may take. What does not fit is forgotten and listed
/// again: by then, what was entered is gone, so the directory is its own list of what is left.
const ARENA: usize = 1 << 20;
/// So much may be remembered of each directory, whatever others take: or else, with many of those
/// below, a directory would only ever be listed.
const LEAST: usize = 4 << 10;

/// How many entries are dealt with before it is looked at whether somebody wants some.
const ENTRIES_BETWEEN_LOOKS: u64 = 16;

/// With fewer entries than this in the buffer, a hand-over is not worth its price.
const LEAST_SLICE: usize = 128;

/// So many portions in a row that are much smaller than others end the counting.
const TRICKLES: u32 = 64;

/// With so many entries, a listing is worth taking in the order of file numbers.
const LARGE: usize = 1000;

/// The one buffer of a worker, and the entries in it.
pub(super) struct Buffer<S: Sys> {
    entries: S::DirBuf,
    /// Their positions, where they are taken in the order of their file numbers.
    order: Vec<(u64, usize)>,
    /// Whether that pays on the file system of the operand; asked at most once for each.
    order_pays: Option<bool>,
}

impl<S: Sys> Default for Buffer<S> {
    fn default() -> Self {
        Buffer { entries: S::DirBuf::default(), order: Vec::new(), order_pays: None }
    }
}

impl<S: Sys> Buffer<S> {
    /// Another operand is begun with.
    pub(super) fn forget_file_system(&mut self) {
        self.order_pays = None;
    }

    /// Reads the first entries of a directory. What the listing said, and whether there are any.
    pub(super) fn peek(&mut self, dir: &S::Dir, sys: &S) -> io::Result<(Batch, bool)> {
        let batch = sys.read(dir, &mut self.entries)?;
        Ok((batch, self.entries.entry(0).is_some()))
    }

    /// Reads the next entries of the topmost directory, removes the files among them and keeps the
    /// names of the directories.
    pub(super) fn take_batch(&mut self, stack: &mut Directories<S>, worker: &mut Worker<'_, S>) {
        if self.is_overrun(stack, worker) {
            if let Some(level) = stack.last_mut() {
                level.passes.overrun();
            }
            return;
        }
        let Some(level) = stack.last_mut() else { return };
        let read = match (level.passes.take_prefetched(), level.dir()) {
            (Some(batch), _) => Ok(batch),
            (None, Some(dir)) => worker.sys.read(dir, &mut self.entries),
            (None, None) => {
                debug_assert!(false, "the topmost directory is open, or its entries are at hand");
                return level.give_up();
            }
        };
        let batch = match read {
            Ok(batch) => batch,
            Err(error) => {
                level.give_up();
                worker.fail(Operation::ReadDirectory, Cause::Os(error));
                return;
            }
        };
        // A guess is only worth making, and only right, if the removal of the directory follows.
        let run = worker.run;
        let stays = level.is_kept() || (run.options.contents && level.role() == Role::Operand);
        level.passes.has_read(batch, run.empties && !stays && run.may_guess());
        let before = level.passes.before_batch();
        stack.clear_names();
        let is_ordered = self.put_in_order(stack, worker);
        let found = if is_ordered {
            self.take_ordered(stack, worker)
        } else {
            self.take_in_turn(stack, worker)
        };
        if let Some(level) = stack.last_mut() {
            worker.appeared(level.passes.has_dealt_with(found, before));
        }
    }

    /// Whether the pass over the topmost directory is to end here, because somebody adds to it as
    /// fast as it is emptied. A pass over what was there when it was counted ends by itself, however
    /// many entries that are; what was added since is dealt with for as long as the limits on
    /// retries say.
    fn is_overrun(&mut self, stack: &mut Directories<S>, worker: &Worker<'_, S>) -> bool {
        let options = &worker.run.options;
        let Some(level) = stack.last_mut() else { return false };
        if level.passes.is_too_long(|| worker.sys.now(), options) {
            return true;
        }
        if options.dry_run {
            return false;
        }
        if level.passes.must_be_counted() {
            if let Some(count) = level.dir().and_then(|dir| self.count(dir, worker)) {
                level.passes.are_left(count);
            }
        }
        level.passes.is_beyond_bound()
    }

    /// Counts the entries of a directory, by a listing beside the one that is under way.
    fn count(&mut self, dir: &S::Dir, worker: &Worker<'_, S>) -> Option<u64> {
        let Opened::Dir(dir) = worker.sys.open_beside(dir) else {
            return None;
        };
        let (mut count, mut most, mut trickles) = (0, 0, 0);
        // A listing that goes on by a few entries at a time has caught up with somebody who adds them.
        while trickles < TRICKLES {
            let read = worker.sys.read(&dir, &mut self.entries);
            let mut position = 0;
            let mut found = 0_u64;
            while let Some((_, next)) = self.entries.entry(position) {
                (position, found) = (next, found + 1);
            }
            count += found;
            most = most.max(found);
            trickles = if found * 16 < most { trickles + 1 } else { 0 };
            match read {
                Ok(batch) if batch != Batch::End && found > 0 && !worker.run.is_cancelled() => {}
                Ok(_) => break,
                Err(_) => {
                    worker.sys.close(dir);
                    return None;
                }
            }
        }
        worker.sys.close(dir);
        Some(count)
    }

    /// Takes the entries as they come. Returns how many there were.
    fn take_in_turn(&mut self, stack: &mut Directories<S>, worker: &mut Worker<'_, S>) -> u64 {
        let mut position = 0;
        let mut found = 0;
        loop {
            if worker.may_give() {
                found += self.share_from(&mut position, stack, worker);
            }
            for _ in 0..ENTRIES_BETWEEN_LOOKS {
                let Some((entry, next)) = self.entries.entry(position) else {
                    return found;
                };
                if worker.run.is_cancelled() {
                    return found;
                }
                position = next;
                found += u64::from(take(entry, stack, worker));
            }
        }
    }

    /// Takes the entries in the order of their file numbers. Returns how many there were.
    fn take_ordered(&mut self, stack: &mut Directories<S>, worker: &mut Worker<'_, S>) -> u64 {
        let mut found = 0;
        let mut next = 0;
        while let Some(&(_, position)) = self.order.get(next) {
            if next as u64 % ENTRIES_BETWEEN_LOOKS == 0 && worker.may_give() {
                found += self.share_ordered(next, stack, worker);
            }
            if worker.run.is_cancelled() {
                break;
            }
            let Some((entry, _)) = self.entries.entry(position) else { break };
            next += 1;
            found += u64::from(take(entry, stack, worker));
        }
        found
    }

    /// Puts the entries in the order of their file numbers, if there are many and the file system is
    /// one where it pays.
    fn put_in_order(&mut self, stack: &Directories<S>, worker: &Worker<'_, S>) -> bool {
        self.order.clear();
        if !worker.run.plain || self.entries.left(0) < LARGE {
            return false;
        }
        let Some(dir) = stack.last().and_then(Level::dir) else {
            return false;
        };
        if !*self.order_pays.get_or_insert_with(|| worker.sys.inode_order_pays(dir)) {
            return false;
        }
        let mut position = 0;
        while let Some((entry, next)) = self.entries.entry(position) {
            self.order.push((entry.id, position));
            position = next;
        }
        self.order.sort_unstable();
        true
    }

    /// Hands over half of the entries from `position` on, which is then that of the next entry that
    /// is ours. Returns how many were handed over.
    fn share_from(
        &self,
        position: &mut usize,
        stack: &mut Directories<S>,
        worker: &Worker<'_, S>,
    ) -> u64 {
        let rest = self.entries.left(*position);
        if rest < LEAST_SLICE || !may_give_files(stack, worker) {
            return 0;
        }
        let mut theirs = Vec::new();
        while self.entries.left(*position) > rest / 2 {
            let Some((_, next)) = self.entries.entry(*position) else { break };
            theirs.push(*position);
            *position = next;
        }
        self.give_files(theirs, stack, worker)
    }

    /// The same for entries in another order, of which the first `done` are dealt with.
    fn share_ordered(
        &mut self,
        done: usize,
        stack: &mut Directories<S>,
        worker: &Worker<'_, S>,
    ) -> u64 {
        let rest = self.order.len() - done;
        if rest < LEAST_SLICE || !may_give_files(stack, worker) {
            return 0;
        }
        let theirs = self.order.split_off(done + rest / 2);
        self.give_files(theirs.into_iter().map(|(_, position)| position), stack, worker)
    }

    /// Hands over the entries at these positions; those that are known to be directories stay here.
    /// Returns how many there were, without those that failed before.
    fn give_files(
        &self,
        positions: impl IntoIterator<Item = usize>,
        stack: &mut Directories<S>,
        worker: &Worker<'_, S>,
    ) -> u64 {
        let mut found = 0;
        let mut files = Names::new();
        let mut kind = Kind::File;
        for position in positions {
            let Some((entry, _)) = self.entries.entry(position) else { break };
            if stack.last().is_some_and(|level| level.has_kept(entry.name)) {
                continue;
            }
            found += 1;
            match entry.kind {
                Kind::Directory => {
                    stack.wait(entry.name);
                    continue;
                }
                Kind::Unknown => kind = Kind::Unknown,
                _ => {}
            }
            files.push(entry.name);
        }
        if files.len() > 0 {
            share::give(stack.len() - 1, files, Piece::Files(kind), stack, worker);
        }
        found
    }
}

/// Whether a directory is empty, by its listing.
pub(super) fn check_empty<S: Sys>(dir: &S::Dir, buffer: &mut Buffer<S>, sys: &S) -> io::Result<()> {
    match buffer.peek(dir, sys)? {
        (_, true) => Err(os_error(io::ErrorKind::DirectoryNotEmpty)),
        (_, false) => Ok(()),
    }
}

/// Whether entries of the topmost directory may be handed over. One that has to be listed again must
/// know what failed in it.
fn may_give_files<S: Sys>(stack: &Directories<S>, worker: &Worker<'_, S>) -> bool {
    worker.run.plain && stack.last().is_some_and(|level| !level.passes.has_forgotten())
}

/// Deals with one entry of the topmost directory. Returns whether it is one that has not failed before.
fn take<S: Sys>(
    entry: Entry<'_, S::Unit>,
    stack: &mut Directories<S>,
    worker: &mut Worker<'_, S>,
) -> bool {
    let Some(level) = stack.last_mut() else { return false };
    if level.has_kept(entry.name) {
        return false;
    }
    let Some(dir) = level.dir() else { return false };
    let outcome = if entry.kind == Kind::Directory {
        Outcome::Directory
    } else if worker.run.plain {
        remove_plainly(entry, dir, worker)
    } else {
        worker.remove_entry(dir, entry, false)
    };
    match outcome {
        Outcome::Removed => {}
        Outcome::Gone => worker.vanished(),
        Outcome::Pending => level.passes.is_pending(),
        Outcome::Kept if worker.run.empties => level.keep_name(entry.name),
        Outcome::Kept => level.keep(),
        Outcome::Directory => remember(entry, stack, worker),
    }
    true
}

/// Removes an entry where nothing else is wanted: no question, no path, no bytes.
#[inline]
fn remove_plainly<S: Sys>(
    entry: Entry<'_, S::Unit>,
    dir: &S::Dir,
    worker: &mut Worker<'_, S>,
) -> Outcome {
    match worker.remove_child(dir, entry.name, entry.kind) {
        Removed::Done => {
            worker.removed_file();
            worker.tick();
            Outcome::Removed
        }
        Removed::IsDirectory => Outcome::Directory,
        Removed::Gone => Outcome::Gone,
        Removed::Pending => Outcome::Pending,
        Removed::Failed(error) if may_hide_directory(entry.kind, &error) => Outcome::Directory,
        Removed::Failed(error) => {
            worker.fail_in(entry.name, error);
            Outcome::Kept
        }
    }
}

/// Keeps the name of a subdirectory, or forgets it for now where there is no room.
fn remember<S: Sys>(
    entry: Entry<'_, S::Unit>,
    stack: &mut Directories<S>,
    worker: &mut Worker<'_, S>,
) {
    let is_full = stack.names().len() > ARENA && stack.names_of_topmost() > LEAST;
    let Some(level) = stack.last_mut() else { return };
    if worker.excludes_directory(entry.name) {
        worker.skipped();
        return level.keep();
    }
    // Where somebody chooses what stays, a second listing would meet it again; then all are
    // remembered, as they are where others have pieces: what stays of those is not known.
    if is_full && worker.run.plain && !level.has_pieces() {
        level.passes.forget();
    } else {
        stack.wait(entry.name);
    }
}
