//! What happens when a traversal holds as many directories open as it may.
//!
//! **Hoisting.** The next directory is renamed into one that is made for this in the operand, which
//! nobody else may look into, and dealt with when the traversal comes back there. So a tree of any depth takes the same
//! number of descriptors and a constant number of calls per level; nothing climbs with `..`, no
//! path is resolved twice, and no length of a path matters.
//!
//! **Releasing.** Where a directory cannot or must not be moved, one between the operand and the
//! present one is closed, and opened again by name when the traversal comes back to it; it must
//! then be the same directory. Those that stay open lie closer together the nearer they are, so
//! that the way back to any of them costs a logarithmic number of calls on the average.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::engine::Engine;
use super::frame::{Hold, Moved, Role, Shelf};
use crate::error::{Cause, Operation};
use crate::name::{Name, Unit};
use crate::sys::{Finished, Opened, Sys};

/// So many directories below the one that others are moved to are entered in any case.
const LEAST_DEPTH: usize = 4;
/// How many directories may wait in the one that they were moved to. Beyond, those that follow are
/// entered where they are.
const MOST_MOVED: usize = 4096;
/// How often a fresh name that is already taken is changed.
const FRESH_NAMES: usize = 16;
/// How long to wait before looking for a descriptor again.
const NAP: Duration = Duration::from_millis(2);

impl<S: Sys> Engine<'_, S> {
    /// Makes room for the child whose name lies at `at`. Returns whether it is to be entered now;
    /// otherwise it was moved, or has vanished.
    pub(super) fn make_room(&mut self, at: usize) -> bool {
        if self.held.len() < self.descriptors || self.depth() < LEAST_DEPTH {
            return true;
        }
        if self.may_hoist && self.frames[self.top].waiting() < MOST_MOVED {
            if self.hoist(at) {
                return false;
            }
            // It cannot be done here: another file system layer, or no permission.
            self.may_hoist = false;
        }
        self.release_one(self.frames.len() - 1);
        true
    }

    /// How far below the directory that others are moved to the topmost one is.
    fn depth(&self) -> usize {
        (self.frames.len() - 1).saturating_sub(self.top)
    }

    /// Moves the child whose name lies at `at` into the shelf of the topmost directory of this tree.
    fn hoist(&mut self, at: usize) -> bool {
        if self.frames[self.top].shelf.is_none() && !self.make_shelf() {
            return false;
        }
        let Some(name) = self.names.get(at) else {
            return false;
        };
        let Some(from) = self.frames.last().and_then(|frame| frame.dir()) else {
            return false;
        };
        let Some(to) = self.frames[self.top].dir_with(Role::Moved) else {
            return false;
        };
        let serial = self.at.run.serial();
        let fresh = moved_name::<S::Unit>(serial);
        let Some(fresh) = Name::until_nul(&fresh) else {
            return false;
        };
        match self.at.sys.move_dir(from, name, to, fresh) {
            Ok(()) => {
                let name = name.terminated().to_vec();
                let moved = Moved { serial, parent: self.shared_path(), name };
                self.frames[self.top].moved_here().push_back(moved);
                true
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.at.report.vanished += 1;
                true
            }
            Err(_) => false,
        }
    }

    /// Makes the shelf of the topmost directory of this tree. What protects a directory may be the
    /// mode of one that it lies in, so nobody else may look into this one.
    fn make_shelf(&mut self) -> bool {
        for _ in 0..FRESH_NAMES {
            let serial = self.at.run.serial();
            let fresh = moved_name::<S::Unit>(serial);
            let (Some(name), Some(top)) = (Name::until_nul(&fresh), self.frames[self.top].dir())
            else {
                return false;
            };
            match self.at.sys.make_private(top, name) {
                Ok(dir) => {
                    self.frames[self.top].shelf = Some(Box::new(Shelf { dir, serial }));
                    return true;
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Removes the shelf of the topmost directory, where all that was moved there had its turn.
    pub(super) fn remove_shelf(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Some(shelf) = frame.shelf.take() else {
            return;
        };
        let fresh = moved_name::<S::Unit>(shelf.serial);
        let (Some(name), Some(dir)) = (Name::until_nul(&fresh), frame.dir()) else {
            return;
        };
        match self.at.sys.finish_dir(dir, name, shelf.dir) {
            Finished::Done | Finished::Gone => {}
            // What stays in it was reported by the path where it was found.
            Finished::NotEmpty(dir) if frame.kept => self.at.sys.close(dir),
            Finished::NotEmpty(dir) => {
                self.at.sys.close(dir);
                self.at.fail_in(name, std::io::ErrorKind::DirectoryNotEmpty.into());
                frame.kept = true;
            }
            Finished::Failed(dir, error) => {
                self.at.sys.close(dir);
                self.at.fail_in(name, error);
                frame.kept = true;
            }
        }
    }

    /// Closes one directory between the operand and the present one, if there is one to spare, but
    /// not that of the frame `keep`.
    fn release_one(&mut self, keep: usize) {
        let topmost = self.frames.len() - 1;
        let mut best: Option<(usize, usize, usize)> = None;
        for i in 1..self.held.len().saturating_sub(1) {
            let (below, index, above) = (self.held[i - 1], self.held[i], self.held[i + 1]);
            if index <= self.top
                || index == keep
                || !matches!(self.frames[index].hold, Hold::Own(_))
            {
                continue;
            }
            // The gap that it leaves, in proportion to how far away it is.
            let (gap, far) = (above - below, topmost - index);
            if best.is_none_or(|(_, best_gap, best_far)| gap * best_far < best_gap * far) {
                best = Some((i, gap, far));
            }
        }
        let Some((i, ..)) = best else { return };
        let index = self.held[i];
        if self.frames[index].identity.is_none() {
            let Some(dir) = self.frames[index].dir() else {
                return;
            };
            let Ok(stat) = self.at.sys.stat_dir(dir) else {
                return;
            };
            self.frames[index].identity = Some(stat.identity);
        }
        self.held.remove(i);
        if let Some(dir) = self.frames[index].take() {
            self.at.sys.close(dir);
        }
    }

    /// Makes sure that the topmost directory is open.
    pub(super) fn reopen_topmost(&mut self) -> bool {
        match self.frames.len().checked_sub(1) {
            Some(index) => self.reopen(index),
            None => false,
        }
    }

    /// Makes sure that the directory of a frame is open. Where it is no longer what it was, says
    /// so, takes off everything from there on, and returns `false`.
    pub(super) fn reopen(&mut self, index: usize) -> bool {
        if self.frames[index].dir().is_some() {
            return true;
        }
        let Some(open) = (0..index).rev().find(|&below| self.frames[below].dir().is_some()) else {
            return false;
        };
        for next in open + 1..=index {
            if let Err(cause) = self.reopen_child(next) {
                self.lose(next, cause);
                return false;
            }
            if self.held.len() > self.descriptors {
                self.release_one(next);
            }
        }
        true
    }

    /// Opens the directory of one frame again, below that of the frame before it. `Err(None)` if
    /// it has vanished.
    fn reopen_child(&mut self, index: usize) -> Result<(), Option<Cause>> {
        let dir = loop {
            match self.open_again(index) {
                Opened::Dir(dir) => break dir,
                Opened::Gone | Opened::Pending => return Err(None),
                Opened::Shortage(error) => {
                    let held = self.held.len();
                    self.release_one(index - 1);
                    let fewer = self.held.len() < held;
                    if self.at.run.is_cancelled() || !(fewer || self.wait_for_descriptors()) {
                        return Err(Some(Cause::Os(error)));
                    }
                }
                Opened::Failed(error) => return Err(Some(Cause::Os(error))),
                Opened::NotDirectory | Opened::Mount => return Err(Some(Cause::Replaced)),
            }
        };
        self.came_free();
        let known = self.frames[index].identity;
        let same = self.at.sys.stat_dir(&dir).is_ok_and(|stat| Some(stat.identity) == known);
        if !same {
            self.at.sys.close(dir);
            return Err(Some(Cause::Replaced));
        }
        self.frames[index].hold = Hold::Own(dir);
        let place = self.held.partition_point(|&held| held < index);
        self.held.insert(place, index);
        Ok(())
    }

    fn open_again(&self, index: usize) -> Opened<S::Dir> {
        let Some(name) = self.names.get(self.frames[index].name) else {
            return Opened::Gone;
        };
        let Some(parent) = self.frames[index - 1].dir_with(self.frames[index].role) else {
            return Opened::Gone;
        };
        self.at.sys.open_child(parent, name, self.at.run.mounts())
    }

    /// The directory of a frame is gone from under the traversal, or cannot be opened again.
    fn lose(&mut self, index: usize, cause: Option<Cause>) {
        while self.frames.len() > index + 1 {
            if let Some(dir) = self.frames.last_mut().and_then(super::frame::Frame::take) {
                self.at.sys.close(dir);
            }
            self.pop();
        }
        match cause {
            Some(cause) => {
                self.at.fail(Operation::Remove, cause);
                if let Some(frame) = self.frames.last_mut() {
                    frame.kept = true;
                }
            }
            None => self.at.report.vanished += 1,
        }
        self.pop();
    }

    /// There is no descriptor. Holds fewer from now on, or waits for those of others to come free;
    /// `false` when that has been tried for long enough.
    pub(super) fn wait_for_descriptors(&mut self) -> bool {
        let fewer = self.held.len().min(self.descriptors.saturating_sub(1));
        // This must end: where nothing can be moved or closed, holding fewer is of no help.
        if self.depth() >= LEAST_DEPTH && fewer >= LEAST_DEPTH {
            self.descriptors = fewer;
            return true;
        }
        let now = self.at.sys.now();
        // A shortage that lasts is waited for once by all workers together, and not again for each
        // directory that meets it.
        let since = *self.short_since().get_or_insert(now);
        self.has_waited = now.saturating_sub(since) <= self.at.run.options.retry_window;
        if self.has_waited {
            self.at.sys.sleep(NAP);
        }
        self.has_waited
    }

    /// A directory was opened: if it was waited for, the shortage is over.
    pub(super) fn came_free(&mut self) {
        if std::mem::take(&mut self.has_waited) {
            *self.short_since() = None;
        }
    }

    fn short_since(&self) -> MutexGuard<'_, Option<Duration>> {
        self.at.run.short_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of the topmost directory, to be shared by all that are moved from there.
    fn shared_path(&mut self) -> std::sync::Arc<super::path::Above<S::Unit>> {
        let path = &self.at.path;
        let frame = self.frames.last_mut();
        match frame {
            Some(frame) => std::sync::Arc::clone(frame.shared.get_or_insert_with(|| path.share())),
            None => path.share(),
        }
    }
}

/// Room for the name of a directory that was moved upwards: two numbers and a few characters.
const MOVED_NAME: usize = 40;

/// The name of a directory that was moved upwards, or that such are moved into, terminated:
/// `.curt-PROCESS-SERIAL`.
pub(super) fn moved_name<U: Unit>(serial: u64) -> [U; MOVED_NAME] {
    let mut name = [U::NUL; MOVED_NAME];
    let mut at = 0;
    let mut put = |character: u8| {
        name[at] = U::ascii(character);
        at += 1;
    };
    b".curt-".iter().for_each(|&character| put(character));
    write_hexadecimal(u64::from(std::process::id()), &mut put);
    put(b'-');
    write_hexadecimal(serial, &mut put);
    name
}

/// Whether a name is the one with this number.
pub(super) fn is_moved_name<U: Unit>(name: Name<'_, U>, serial: u64) -> bool {
    Name::until_nul(&moved_name::<U>(serial)).is_some_and(|moved| moved.units() == name.units())
}

fn write_hexadecimal(number: u64, put: &mut impl FnMut(u8)) {
    let digits = (u64::BITS - number.leading_zeros()).div_ceil(4).max(1);
    for digit in (0..digits).rev() {
        put(b"0123456789abcdef"[(number >> (4 * digit)) as usize & 15]);
    }
}

#[cfg(test)]
mod tests {
    use super::{is_moved_name, moved_name};
    use crate::name::Name;

    #[test]
    fn moved_names_are_plain_and_fit() {
        for serial in [0, 1, 0xabc, u64::MAX] {
            let name = moved_name::<u8>(serial);
            let expected = format!(".curt-{:x}-{serial:x}", std::process::id());
            let name = Name::until_nul(&name).unwrap();
            assert_eq!(name.units(), expected.as_bytes());
            assert!(is_moved_name(name, serial) && !is_moved_name(name, serial ^ 1));
        }
    }
}
