//! Directories that lead back to one above them.
//!
//! Where links are followed, or devices compared, each directory is asked which it is, and its ancestors
//! are a set. Otherwise only a mount can lead back (a directory mounted below itself, or one that holds
//! the operand), and opening tells of a mount for no call; then the directories above it are asked, from
//! the nearest to the operand. If one of them is of the same file system, they are the beginning of such
//! a set for all that lies below the mount.

use std::io;

use super::cursor::{Cursor, Entering};
use super::options::OneFileSystem;
use crate::error::Cause;
use crate::fields::{Fields, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Ask, Identity, Opened, Sys};
use crate::tree;

impl<S: Sys> Cursor<S> {
    /// Whether each directory is asked which it is.
    pub(super) fn tracks(&self) -> bool {
        self.follows_all()
            || self.settings.one_file_system == OneFileSystem::Device
            || !self.ancestors.is_empty()
    }

    /// Whether a directory is to be entered, and which it is where somebody wants to know.
    pub(super) fn may_enter(&mut self, dir: &S::Dir) -> Result<Entering, Cause> {
        // A link says nothing of mounts, so where links are followed devices are compared.
        let by_device = match self.settings.one_file_system {
            OneFileSystem::No => false,
            OneFileSystem::Mount => self.follows_all(),
            OneFileSystem::Device => true,
        };
        self.ancestors.extend(&self.climbed);
        if !self.tracks() {
            return Ok(Entering::Yes(None));
        }
        let entering = self.enters_once(dir, by_device);
        if !matches!(entering, Ok(Entering::Yes(_))) {
            for identity in self.climbed.drain(..) {
                self.ancestors.remove(&identity);
            }
        }
        entering
    }

    /// Enters a directory unless it is one of those above it, or on another device.
    fn enters_once(&mut self, dir: &S::Dir, by_device: bool) -> Result<Entering, Cause> {
        let identity = tree::identity(dir, &self.asker.sys).map_err(Cause::Os)?;
        if by_device && *self.device.get_or_insert(identity.device) != identity.device {
            return Ok(Entering::No);
        }
        if !self.ancestors.insert(identity) {
            return Err(Cause::Loop);
        }
        Ok(Entering::Yes(Some(identity)))
    }

    /// Which the directory of a frame is, and those above it as far as the operand, from the nearest. They are
    /// reached by `..`: no directory is without, whichever worker opened it.
    fn above(&self, index: usize) -> io::Result<Vec<Identity>> {
        let frame = &self.stack[index];
        let sys = &self.asker.sys;
        let up = [S::Unit::ascii(b'.'), S::Unit::ascii(b'.'), S::Unit::NUL];
        let mut above: Option<S::Dir> = None;
        let mut found = Ok(Vec::new());
        for level in 1..=frame.depth {
            let Some(dir) = above.as_ref().or_else(|| frame.dir()) else { break };
            let identity = tree::identity(dir, sys);
            found = found.and_then(|mut found: Vec<_>| {
                found.push(identity?);
                Ok(found)
            });
            if level == frame.depth || found.is_err() {
                break;
            }
            let Some(up) = Name::until_nul(&up) else { break };
            let opened = sys.open_below(dir, up, true);
            if let Some(below) = above.take() {
                sys.close(below);
            }
            match opened {
                Opened::Dir(dir) => above = Some(dir),
                Opened::Failed(error) | Opened::Shortage(error) => return Err(error),
                // It was moved out of the tree, or is gone.
                _ => return found,
            }
        }
        if let Some(last) = above {
            sys.close(last);
        }
        found
    }

    /// Whether a directory that is mounted in that of a frame is one of those above it. If it is not, and is
    /// of the same file system as one of them, a directory in it may be: what lies below it is compared
    /// with all of them.
    pub(super) fn leads_back(&mut self, index: usize, mounted: Identity) -> io::Result<bool> {
        let above = self.above(index)?;
        if above.contains(&mounted) {
            return Ok(true);
        }
        if above.iter().any(|above| above.device == mounted.device) {
            self.climbed = above;
        }
        Ok(false)
    }

    /// Whether the entry that was yielded is a directory above it, mounted there or above there. No call for
    /// anything but mounts, and what lies below one of the same file system.
    #[inline]
    pub(super) fn is_mounted_ancestor(&mut self) -> bool {
        let facts = &self.metadata.facts;
        if facts.kind != Kind::Directory {
            return false;
        }
        if S::is_mount(facts) {
            return self.is_ancestor();
        }
        !self.ancestors.is_empty()
            && facts.known.contains(Fields::ID | Fields::DEVICE)
            && self.ancestors.contains(&Identity { device: facts.device, file: facts.id })
    }

    #[cold]
    fn is_ancestor(&mut self) -> bool {
        let Some(index) =
            self.stack.len().checked_sub(1).filter(|&index| self.reopen(index).is_ok())
        else {
            return false;
        };
        let name = [&self.path.units()[self.current.name..], &[S::Unit::NUL]].concat();
        let (Some(dir), Some(name)) = (self.stack[index].dir(), Name::until_nul(&name)) else {
            return false;
        };
        let fields = Fields::ID | Fields::DEVICE;
        let ask = Ask { fields, follow: false, cached: false };
        let Ok(facts) = self.asker.sys.query(dir, name, ask) else { return false };
        let identity = Identity { device: facts.device, file: facts.id };
        self.ancestors.contains(&identity)
            || self.above(index).is_ok_and(|above| above.contains(&identity))
    }
}
