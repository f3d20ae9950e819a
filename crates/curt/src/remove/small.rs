//! Removal in little memory: nothing is allocated beyond a buffer that the caller made, and no more
//! than three directories are open at a time.
//!
//! Each subdirectory of the operand is opened, emptied of files, and relieved of its subdirectories
//! by moving those into the operand, under fresh names; then it is removed. The fresh names are
//! numbered, so two numbers are the list of the directories that wait for their turn, and every
//! directory costs the same few calls however deep it lay. Where a directory cannot be moved, its
//! tree is taken apart from the bottom instead, one descent for each directory: slow (the square of
//! the depth), but with no more memory. If something in such a tree cannot be removed either, what
//! comes after it in that tree stays too: to know what was tried already would take memory.
//!
//! Calls: N + 5M for N files and M directories (open, list, move, remove, close), one call per
//! listing page beyond the first, and about 10 beside.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use super::batch::READS_BETWEEN_CHECKS;
use super::options::Totals;
use super::room::{MOVED_NAME, moved_serial, write_moved_name};
use super::run::WRONG_GUESSES;
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::{
    Batch, Finished, Last, Listing, Mounts, Opened, Os, Removed, Settings, Setup, Sys,
};

/// The buffer of [`remove_tree_with`]: the only memory that it uses.
pub struct Buffer(Buffers<Os>);

pub(super) struct Buffers<S: Sys> {
    top: S::DirBuf,
    below: S::DirBuf,
    kept: Vec<S::Unit>,
}

impl Buffer {
    /// A buffer of about `bytes` bytes; what is too small for the longest name is made larger. A
    /// few kilobytes are enough: above 4 KiB only the number of listing calls changes.
    pub fn new(bytes: usize) -> Self {
        Buffer(Buffers::new(bytes))
    }
}

impl<S: Sys> Buffers<S> {
    pub(super) fn new(bytes: usize) -> Self {
        Buffers {
            top: S::DirBuf::with_capacity(bytes / 2),
            below: S::DirBuf::with_capacity(bytes / 2),
            kept: Vec::with_capacity(LONGEST_NAME),
        }
    }
}

/// Room for the longest name that any platform has, and its terminator.
const LONGEST_NAME: usize = 1024;

/// What [`remove_tree_with`] did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outline {
    /// What was removed.
    pub totals: Totals,
    /// How many entries could not be removed.
    pub failed: u64,
    /// The first failure. Describing it is the one thing that allocates. The path is the operand's
    /// and the name that the entry had when it failed.
    pub first: Option<Error>,
    /// The calls made.
    pub calls: Calls,
}

/// Removes the tree at `path` in little memory: see [`Buffer`]. The text of the path is copied
/// once; nothing else is allocated, unless something fails. Mounts are not crossed, the root
/// directory is refused, no thread is started, and at most three directories are open at a time.
///
/// Subdirectories are moved into the operand on the way, so after a failure or a crash what is
/// left of the tree has another shape, with names that begin with `.curt-`.
pub fn remove_tree_with(path: impl AsRef<Path>, buffer: &mut Buffer) -> Outline {
    Small::<Os>::remove(path.as_ref(), &Setup::default(), &mut buffer.0)
}

/// How often, and for how long, a directory is emptied again that somebody adds to.
const PASSES: u32 = 20;
const WINDOW: Duration = Duration::from_secs(1);

/// One removal in little memory.
pub(super) struct Small<'b, S: Sys> {
    sys: S,
    path: &'b Path,
    outline: Outline,
    /// The number of the next directory that is moved into the operand, and of the next of those
    /// that is to be removed.
    serial: u64,
    next: u64,
    wrong_guesses: u32,
    begun: Duration,
}

/// What a pass over a directory came to.
#[derive(Default)]
struct Pass {
    /// Something stays.
    kept: bool,
    /// The listing was read to its end, and not only to where it seemed to end.
    ended: bool,
}

/// How long somebody has kept a directory from becoming empty.
#[derive(Default)]
struct Patience {
    passes: u32,
    since: Option<Duration>,
}

impl Patience {
    /// One more pass is about to begin. Returns whether it may.
    fn lasts(&mut self, now: Duration) -> bool {
        let since = *self.since.get_or_insert(now);
        self.passes += 1;
        self.passes <= PASSES && now.saturating_sub(since) <= WINDOW
    }
}

impl<'b, S: Sys> Small<'b, S> {
    pub(super) fn remove(path: &'b Path, setup: &S::Setup, buffers: &mut Buffers<S>) -> Outline {
        let outline =
            Outline { totals: Totals::default(), failed: 0, first: None, calls: Calls::default() };
        let sys = S::start(&setup.with(crate::sys::Features::default(), 0));
        let begun = sys.wall_clock();
        let mut small = Small { sys, path, outline, serial: 0, next: 0, wrong_guesses: 0, begun };
        small.operand(buffers);
        small.outline.calls = small.sys.calls();
        small.outline
    }

    fn operand(&mut self, buffers: &mut Buffers<S>) {
        let operand = S::operand(self.path);
        let name = match &operand.last {
            Last::Name(name) => name,
            Last::DotOrDotDot => return self.fail(None, Cause::DotOrDotDot),
            Last::Root => return self.fail(None, Cause::RootDirectory),
            &Last::Invalid(kind) => return self.fail(None, Cause::Os(kind.into())),
        };
        let Some(name) = Name::until_nul(name) else {
            return;
        };
        let parent = match self.sys.open_parent(&operand.parent) {
            Ok(parent) => parent,
            Err(error) => return self.fail(None, Cause::Os(error)),
        };
        match self.sys.open_child(&parent, name, Mounts::Cross) {
            Opened::Dir(dir) => self.tree(&parent, name, dir, buffers),
            Opened::NotDirectory if !operand.directory_only => {
                match self.sys.remove_child(&parent, name, Kind::Unknown) {
                    Removed::Done => self.outline.totals.files += 1,
                    Removed::IsDirectory => self.fail(None, Cause::Replaced),
                    Removed::Gone | Removed::Pending => self.fail(None, missing()),
                    Removed::Failed(error) => self.fail(None, Cause::Os(error)),
                }
            }
            Opened::NotDirectory => {
                self.fail(None, Cause::Os(io::ErrorKind::NotADirectory.into()));
            }
            Opened::Gone | Opened::Pending => self.fail(None, missing()),
            Opened::Mount => self.fail(None, Cause::MountPoint),
            Opened::Shortage(error) | Opened::Failed(error) => self.fail(None, Cause::Os(error)),
        }
        self.sys.close(parent);
    }

    /// Empties and removes the operand.
    fn tree(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        mut top: S::Dir,
        buffers: &mut Buffers<S>,
    ) {
        if self.is_root(&top) {
            self.sys.close(top);
            return self.fail(None, Cause::RootDirectory);
        }
        let mut patience = Patience::default();
        loop {
            let pass = self.pass(&top, buffers);
            if pass.kept {
                return self.sys.close(top);
            }
            match self.sys.finish_dir(parent, name, top) {
                Finished::Done => {
                    self.outline.totals.directories += 1;
                    return;
                }
                Finished::Gone => return,
                Finished::Failed(dir, error) => {
                    self.sys.close(dir);
                    return self.fail(None, Cause::Os(error));
                }
                Finished::NotEmpty(dir) => top = dir,
            }
            if !self.again(&top, &pass, &mut patience) {
                self.sys.close(top);
                return self.fail(None, Cause::BeingWrittenTo);
            }
        }
    }

    fn is_root(&self, dir: &S::Dir) -> bool {
        let root = OnceLock::new();
        let stat = self.sys.stat_dir(dir);
        stat.and_then(|stat| self.sys.is_root(dir, stat.identity, &root)).unwrap_or(false)
    }

    /// A directory was not empty after a pass over it: goes on with its listing, or begins it
    /// again. Returns whether to go on at all.
    fn again(&mut self, dir: &S::Dir, pass: &Pass, patience: &mut Patience) -> bool {
        if !pass.ended {
            self.wrong_guesses += 1;
            return true;
        }
        patience.lasts(self.sys.now()) && self.sys.rewind(dir).is_ok()
    }

    /// Whether the pass over a directory ends after this page of its listing.
    fn ends(&self, batch: Batch, pass: &mut Pass) -> bool {
        // Nothing tests a guess where something stays.
        let guess = !pass.kept && self.wrong_guesses < WRONG_GUESSES;
        pass.ended = batch == Batch::End;
        pass.ended || (batch == Batch::ProbablyLast && guess)
    }

    /// Whether somebody adds to a directory whose listing does not end.
    fn is_written_to(&self, dir: &S::Dir, buf: &S::DirBuf, reads: u32) -> bool {
        if reads % READS_BETWEEN_CHECKS != 0 {
            return false;
        }
        let Some((entry, _)) = buf.entry(0) else {
            return false;
        };
        // What was moved here was changed by that.
        moved_serial(entry.name).is_none()
            && self.sys.stat_child(dir, entry.name).is_ok_and(|stat| stat.changed > self.begun)
    }

    /// One pass over the entries of the operand, and over all that is moved there meanwhile.
    fn pass(&mut self, top: &S::Dir, buffers: &mut Buffers<S>) -> Pass {
        let mut pass = Pass::default();
        let first = self.serial;
        let mut reads = 0;
        loop {
            let batch = match self.sys.read(top, &mut buffers.top) {
                Ok(batch) => batch,
                Err(error) => {
                    self.fail(None, Cause::Os(error));
                    pass.kept = true;
                    return pass;
                }
            };
            reads += 1;
            let written_to = self.is_written_to(top, &buffers.top, reads);
            let mut position = 0;
            while let Some((entry, next)) = buffers.top.entry(position) {
                position = next;
                let ours = first..self.serial;
                if moved_serial(entry.name).is_some_and(|serial| ours.contains(&serial)) {
                    continue;
                }
                if entry.kind != Kind::Directory {
                    match self.sys.remove_child(top, entry.name, entry.kind) {
                        Removed::IsDirectory => {}
                        removed => {
                            self.removed(entry.name, removed, &mut pass);
                            continue;
                        }
                    }
                }
                let (buf, kept) = (&mut buffers.below, &mut buffers.kept);
                self.child(top, entry.name, buf, kept, &mut pass);
                self.moved(top, buf, kept, &mut pass);
            }
            if written_to {
                pass.ended = true;
                return pass;
            }
            if self.ends(batch, &mut pass) {
                return pass;
            }
        }
    }

    /// Removes all directories that were moved into the operand.
    fn moved(
        &mut self,
        top: &S::Dir,
        buf: &mut S::DirBuf,
        kept: &mut Vec<S::Unit>,
        pass: &mut Pass,
    ) {
        while self.next < self.serial {
            let mut name = [S::Unit::NUL; MOVED_NAME];
            write_moved_name(self.next, &mut name);
            self.next += 1;
            if let Some(name) = Name::until_nul(&name) {
                self.child(top, name, buf, kept, pass);
            }
        }
    }

    /// Removes a directory of the operand, after moving what it has into the operand.
    fn child(
        &mut self,
        top: &S::Dir,
        name: Name<'_, S::Unit>,
        buf: &mut S::DirBuf,
        kept: &mut Vec<S::Unit>,
        pass: &mut Pass,
    ) {
        let Some(mut dir) = self.open(top, name, pass) else {
            return;
        };
        let mut patience = Patience::default();
        loop {
            let mut here = Pass::default();
            let left = self.empty(top, &dir, buf, kept, &mut here);
            if left && !here.kept {
                // Its directories could not be moved. Taking it apart needs its place.
                self.sys.close(dir);
                return self.take_apart(top, name, buf, kept, pass);
            }
            if here.kept {
                pass.kept = true;
                return self.sys.close(dir);
            }
            match self.finish(top, name, dir, pass) {
                Some(again) => dir = again,
                None => return,
            }
            if !self.again(&dir, &here, &mut patience) {
                self.sys.close(dir);
                self.fail(Some(name), Cause::BeingWrittenTo);
                pass.kept = true;
                return;
            }
        }
    }

    /// Removes an emptied directory of the operand. Gives it back if it is not empty.
    fn finish(
        &mut self,
        top: &S::Dir,
        name: Name<'_, S::Unit>,
        dir: S::Dir,
        pass: &mut Pass,
    ) -> Option<S::Dir> {
        match self.sys.finish_dir(top, name, dir) {
            Finished::Done => self.outline.totals.directories += 1,
            Finished::Gone => {}
            Finished::Failed(dir, error) => {
                self.sys.close(dir);
                self.fail(Some(name), Cause::Os(error));
                pass.kept = true;
            }
            Finished::NotEmpty(dir) => return Some(dir),
        }
        None
    }

    /// Removes the files of a directory and moves its directories into the operand. Returns
    /// whether one could not be moved; the name of the first is then in `kept`.
    fn empty(
        &mut self,
        top: &S::Dir,
        dir: &S::Dir,
        buf: &mut S::DirBuf,
        kept: &mut Vec<S::Unit>,
        pass: &mut Pass,
    ) -> bool {
        kept.clear();
        let mut reads = 0;
        loop {
            let batch = match self.sys.read(dir, buf) {
                Ok(batch) => batch,
                Err(error) => {
                    self.fail(None, Cause::Os(error));
                    pass.kept = true;
                    return false;
                }
            };
            reads += 1;
            let written_to = self.is_written_to(dir, buf, reads);
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                position = next;
                if entry.kind != Kind::Directory {
                    match self.sys.remove_child(dir, entry.name, entry.kind) {
                        Removed::IsDirectory => {}
                        removed => {
                            self.removed(entry.name, removed, pass);
                            continue;
                        }
                    }
                }
                if !self.move_up(dir, entry.name, top) && kept.is_empty() {
                    kept.extend_from_slice(entry.name.terminated());
                }
            }
            if written_to {
                pass.ended = true;
            }
            if written_to || self.ends(batch, pass) {
                return !kept.is_empty();
            }
        }
    }

    fn move_up(&mut self, dir: &S::Dir, name: Name<'_, S::Unit>, top: &S::Dir) -> bool {
        let mut fresh = [S::Unit::NUL; MOVED_NAME];
        loop {
            write_moved_name(self.serial, &mut fresh);
            let Some(fresh) = Name::until_nul(&fresh) else {
                return false;
            };
            match self.sys.move_dir(dir, name, top, fresh) {
                Ok(()) => {
                    self.serial += 1;
                    return true;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
                // Left by another process of the same number: it goes with the others.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.serial += 1,
                Err(_) => return false,
            }
        }
    }

    /// Removes a directory of the operand without moving anything: descends to where nothing lies
    /// deeper, removes that, and begins again from the top.
    fn take_apart(
        &mut self,
        top: &S::Dir,
        name: Name<'_, S::Unit>,
        buf: &mut S::DirBuf,
        kept: &mut Vec<S::Unit>,
        pass: &mut Pass,
    ) {
        let mut patience = Patience::default();
        loop {
            let Some(mut dir) = self.open(top, name, pass) else {
                return;
            };
            let mut here = Pass::default();
            let directories = self.outline.totals.directories;
            let mut deep = false;
            while self.empty(top, &dir, buf, kept, &mut here) && !here.kept {
                let Some(next) = Name::until_nul(kept) else {
                    break;
                };
                if self.sys.remove_empty_dir(&dir, next).is_ok() {
                    self.outline.totals.directories += 1;
                    // What else is here is listed again.
                    if self.sys.rewind(&dir).is_err() {
                        break;
                    }
                } else {
                    let Some(deeper) = self.open(&dir, next, &mut here) else {
                        // It is gone, and what else is here is listed again.
                        if here.kept || self.sys.rewind(&dir).is_err() {
                            break;
                        }
                        continue;
                    };
                    self.sys.close(std::mem::replace(&mut dir, deeper));
                    deep = true;
                }
            }
            if here.kept {
                pass.kept = true;
                return self.sys.close(dir);
            }
            if deep {
                self.sys.close(dir);
            } else {
                match self.finish(top, name, dir, pass) {
                    Some(dir) => self.sys.close(dir),
                    None => return,
                }
            }
            // To begin again is what each directory takes; to begin again for files is not.
            if self.outline.totals.directories > directories {
                patience = Patience::default();
            }
            if !patience.lasts(self.sys.now()) {
                self.fail(Some(name), Cause::BeingWrittenTo);
                pass.kept = true;
                return;
            }
        }
    }

    fn open(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        pass: &mut Pass,
    ) -> Option<S::Dir> {
        let cause = match self.sys.open_child(parent, name, Mounts::Refuse) {
            Opened::Dir(dir) => return Some(dir),
            Opened::Gone | Opened::Pending => return None,
            Opened::NotDirectory => {
                let removed = self.sys.remove_child(parent, name, Kind::Unknown);
                self.removed(name, removed, pass);
                return None;
            }
            Opened::Mount => Cause::MountPoint,
            Opened::Shortage(error) | Opened::Failed(error) => {
                if self.sys.remove_empty_dir(parent, name).is_ok() {
                    self.outline.totals.directories += 1;
                    return None;
                }
                Cause::Os(error)
            }
        };
        self.fail(Some(name), cause);
        pass.kept = true;
        None
    }

    fn removed(&mut self, name: Name<'_, S::Unit>, removed: Removed, pass: &mut Pass) {
        match removed {
            Removed::Done => self.outline.totals.files += 1,
            Removed::Gone | Removed::IsDirectory | Removed::Pending => {}
            Removed::Failed(error) => {
                self.fail(Some(name), Cause::Os(error));
                pass.kept = true;
            }
        }
    }

    fn fail(&mut self, name: Option<Name<'_, S::Unit>>, cause: Cause) {
        self.outline.failed += 1;
        if self.outline.first.is_none() {
            let mut path = super::path::LogicalPath::operand(S::units(self.path));
            if let Some(name) = name {
                path.push(name);
            }
            let path = super::run::to_path::<S>(&path);
            self.outline.first = Some(Error::new(Operation::Remove, path, cause));
        }
    }
}

fn missing() -> Cause {
    Cause::Os(io::ErrorKind::NotFound.into())
}
