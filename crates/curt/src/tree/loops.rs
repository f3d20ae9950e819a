//! Detects loops: directories that lead back to one of their ancestors.
//!
//! Where devices are compared, each directory is asked for its identity, and the identities of all
//! ancestors form a set. Otherwise only a mount can lead back, a directory that is mounted below
//! itself, or one that holds the operand; or a symbolic link, where links are followed. Opening a
//! directory reports a mount for no extra call; then the ancestors of the mount are asked, from its
//! parent up to the operand. If one of them is on the file system of the mount, they are the
//! beginning of such a set for everything below the mount. At the first link to a directory all its
//! ancestors become such a set, and all other directories are asked from then on. Where opening a
//! directory reports no mounts, all are asked if links are followed.

use std::collections::HashMap;
use std::io;

use super::identity;
use crate::error::Cause;
use crate::name::{NameBuf, Unit};
use crate::sys::{Identity, Opened, Sys};

/// Which directories a traversal enters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Symbolic links are followed.
    pub(crate) follow: bool,
    /// Mounts are left out, as far as opening a directory reports them.
    pub(crate) refuse_mounts: bool,
    /// Directories on another device than the operand are left out; of those that opening
    /// reported to be on the same mount as their parents, only if mounts are not refused.
    pub(crate) one_device: bool,
}

/// Which directories are entered, and the identities of the ancestors, as far as they have to be
/// compared.
#[derive(Clone, Default)]
pub(super) struct Loops {
    pub(super) limits: Limits,
    /// Every directory is asked for its identity from the operand on.
    asks_all: bool,
    /// Each with its depth.
    ancestors: HashMap<Identity, usize>,
    /// The same, each with the depth of the directory for which it was added, the deepest last.
    added: Vec<(usize, Identity)>,
    /// The device of the operand, where only one is wanted.
    device: Option<u64>,
}

/// What opening a directory reported about its mount.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// It is on the mount of its parent.
    OnSameMount,
    /// It is a mount, and may be one of its ancestors.
    Mount,
    /// Nothing, as for a link that was followed.
    Anywhere,
}

/// Whether an open directory is entered. With it, its identity if that was asked.
pub(super) enum Verdict {
    Enter(Option<Identity>),
    LeaveOut,
    /// It is the ancestor at this depth.
    Loop(usize),
}

impl Loops {
    /// `reports_mounts` says that opening a directory does.
    pub(super) fn new(limits: Limits, reports_mounts: bool) -> Self {
        let asks_all = limits.one_device || limits.follow && !reports_mounts;
        Loops { limits, asks_all, ..Loops::default() }
    }

    /// Begins with another operand.
    pub(super) fn begin(&mut self) {
        *self = Loops { limits: self.limits, asks_all: self.asks_all, ..Loops::default() };
    }

    /// Returns whether every directory is asked for its identity.
    pub(super) fn needs_identities(&self) -> bool {
        self.asks_all || !self.ancestors.is_empty()
    }

    /// Returns whether the ancestors are to be added before a link is followed.
    pub(super) fn lacks_ancestors(&self) -> bool {
        self.limits.follow && !self.needs_identities()
    }

    /// Adds a directory at the depth `count - 1` and its ancestors, none of which was reached by a
    /// link.
    pub(super) fn add_ancestors<S: Sys>(
        &mut self,
        dir: &S::Dir,
        count: usize,
        sys: &S,
    ) -> io::Result<()> {
        for (up, ancestor) in ancestors(dir, count, sys)?.into_iter().enumerate().rev() {
            self.add(ancestor, count - 1 - up, count - 1 - up);
        }
        Ok(())
    }

    /// Decides whether to enter `dir`, which lies at this depth.
    pub(super) fn enter<S: Sys>(
        &mut self,
        dir: &S::Dir,
        depth: usize,
        reached: Reached,
        parent: Option<&S::Dir>,
        sys: &S,
    ) -> Result<Verdict, Cause> {
        let mounted_in = parent.filter(|_| reached == Reached::Mount);
        if mounted_in.is_none() && !self.needs_identities() {
            return Ok(Verdict::Enter(None));
        }
        let own = identity(dir, sys).map_err(Cause::Os)?;
        let compares = self.limits.one_device
            && !(self.limits.refuse_mounts && reached == Reached::OnSameMount);
        if compares && *self.device.get_or_insert(own.device) != own.device {
            return Ok(Verdict::LeaveOut);
        }
        if let Some(parent) = mounted_in {
            let ancestors = ancestors(parent, depth, sys).map_err(Cause::Os)?;
            if let Some(up) = ancestors.iter().position(|ancestor| *ancestor == own) {
                return Ok(Verdict::Loop(depth - 1 - up));
            }
            if ancestors.iter().all(|ancestor| ancestor.device != own.device) {
                return Ok(Verdict::Enter(Some(own)));
            }
            for (up, ancestor) in ancestors.into_iter().enumerate() {
                self.add(ancestor, depth - 1 - up, depth);
            }
        }
        Ok(match self.add(own, depth, depth) {
            None => Verdict::Enter(Some(own)),
            Some(ancestor) => Verdict::Loop(ancestor),
        })
    }

    /// Adds the directory at `depth`, for the one at `below`. Returns the depth at which it was
    /// added before, if it was.
    fn add(&mut self, identity: Identity, depth: usize, below: usize) -> Option<usize> {
        if let Some(&before) = self.ancestors.get(&identity) {
            return Some(before);
        }
        self.ancestors.insert(identity, depth);
        self.added.push((below, identity));
        None
    }

    /// Removes the directory at this depth, and deeper ones, from the ancestors.
    pub(super) fn leave(&mut self, depth: usize) {
        let kept = self.added.partition_point(|&(added, _)| added < depth);
        for (_, identity) in self.added.drain(kept..) {
            self.ancestors.remove(&identity);
        }
    }

    /// Returns whether no identity has to be compared.
    pub(super) fn is_empty(&self) -> bool {
        self.ancestors.is_empty()
    }

    /// Returns whether this is the identity of an ancestor.
    pub(super) fn contain(&self, identity: Identity) -> bool {
        self.ancestors.contains_key(&identity)
    }
}

/// Returns the identities of a directory and of its ancestors up to the operand, `count` in all.
/// They are reached by `..`, since another worker may have opened them.
pub(super) fn ancestors<S: Sys>(dir: &S::Dir, count: usize, sys: &S) -> io::Result<Vec<Identity>> {
    let up = NameBuf::new(vec![S::Unit::ascii(b'.'); 2])?;
    let mut found = Vec::new();
    let mut parent: Option<S::Dir> = None;
    let result = loop {
        let dir = parent.as_ref().unwrap_or(dir);
        match identity(dir, sys) {
            Ok(identity) => found.push(identity),
            Err(error) => break Err(error),
        }
        if found.len() >= count {
            break Ok(());
        }
        match sys.open_below(dir, up.as_name(), true) {
            Opened::Dir(dir) => {
                if let Some(child) = parent.replace(dir) {
                    sys.close(child);
                }
            }
            Opened::Failed(error) => break Err(error),
            // It was moved out of the tree, or is gone.
            _ => break Ok(()),
        }
    };
    if let Some(last) = parent {
        sys.close(last);
    }
    result.map(|()| found)
}

#[cfg(test)]
mod tests;
