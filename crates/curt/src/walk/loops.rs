//! Directories that lead back to one above them.
//!
//! Where links are followed, or devices compared, each directory is asked which it is, and its ancestors
//! are a set. Otherwise only a mount can lead back (a directory mounted below itself), and opening tells
//! of a mount for no call; then the directories above it are asked, from the nearest to the operand.

use std::io;

use super::cursor::Cursor;
use crate::fields::{Fields, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Ask, Opened, Sys};

impl<S: Sys> Cursor<S> {
    /// Whether the directory of a frame, or one above it as far as the operand, is the one with these
    /// numbers. They are reached by `..`: no directory is without, whichever worker opened it.
    pub(super) fn leads_back(&self, index: usize, identity: (u64, u128)) -> io::Result<bool> {
        let frame = &self.frames[index];
        let sys = &self.asker.sys;
        let up = [S::Unit::ascii(b'.'), S::Unit::ascii(b'.'), S::Unit::NUL];
        let mut above: Option<S::Dir> = None;
        let mut answer = Ok(false);
        for level in 1..=frame.depth {
            let Some(dir) = above.as_ref().or_else(|| frame.dir()) else { break };
            answer = self.identity(dir).map(|found| found == identity);
            if level == frame.depth || !matches!(answer, Ok(false)) {
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
                _ => return Ok(false),
            }
        }
        if let Some(last) = above {
            sys.close(last);
        }
        answer
    }

    /// Whether the entry that was yielded is a directory above it, mounted there. No call for anything
    /// but mounts.
    #[inline]
    pub(super) fn is_mounted_ancestor(&mut self) -> bool {
        let facts = &self.metadata.facts;
        facts.kind == Kind::Directory && S::is_mount(facts) && self.is_ancestor()
    }

    #[cold]
    fn is_ancestor(&mut self) -> bool {
        let Some(index) = self.frames.len().checked_sub(1).filter(|&index| self.reopen(index))
        else {
            return false;
        };
        let name = [&self.path[self.current.name..], &[S::Unit::NUL]].concat();
        let (Some(dir), Some(name)) = (self.frames[index].dir(), Name::until_nul(&name)) else {
            return false;
        };
        let fields = Fields::ID | Fields::DEVICE;
        let ask = Ask { fields, follow: false, cached: false };
        let Ok(facts) = self.asker.sys.query(dir, name, ask) else { return false };
        self.leads_back(index, (facts.device, facts.id)).unwrap_or(false)
    }
}
