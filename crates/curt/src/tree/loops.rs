//! Detects loops: directories that lead back to one of their ancestors.
//!
//! A loop would make a traversal endless. Comparing every directory with its ancestors finds all
//! loops, but costs one more call per directory. Without symlinks only a mount can lead back: a
//! directory mounted inside itself, or a mounted directory that contains the operand. Opening a
//! directory reports a mount at no cost (ADR 15; on Linux with `RESOLVE_NO_XDEV`). So ancestors are
//! collected on demand:
//! - At a mount, its ancestors are queried up to the operand. If one of them is on the mounted
//!   filesystem, they are put into a set, and everything inside the mount is compared with the set.
//! - At the first followed symlink to a directory, all its ancestors are put into the set. From
//!   then on every directory is compared.
//! - If symlinks are followed and opening does not report mounts, or if only one device is
//!   traversed, every directory is compared from the operand on.

use std::collections::HashMap;
use std::io;

use super::identity;
use crate::control::SameFileSystem;
use crate::error::Cause;
use crate::name::{NameBuf, Unit};
use crate::sys::{Identity, Opened, Sys};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) follow: bool,
    /// Whether to skip mounts. Has an effect only if opening a directory reports mounts.
    pub(crate) refuse_mounts: bool,
    /// Whether to skip directories on a different device from the operand. If mounts are refused, a
    /// directory opened on the mount of its parent needs no comparison.
    pub(crate) one_device: bool,
}

impl Limits {
    pub(crate) fn new(same_file_system: SameFileSystem, follow: bool) -> Self {
        let by_mount = same_file_system == SameFileSystem::Mount;
        Limits {
            follow,
            refuse_mounts: by_mount,
            // Compare the device of a followed symlink's target, because following reports no
            // mount.
            one_device: same_file_system == SameFileSystem::Device || by_mount && follow,
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Loops {
    pub(super) limits: Limits,
    asks_all: bool,
    /// The set of ancestors and their depths.
    ancestors: HashMap<Identity, usize>,
    /// The ancestors in order, each with the depth of the directory for which it was added.
    added: Vec<(usize, Identity)>,
    device: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    OnSameMount,
    /// On a different mount from its parent, so the directory may be one of its own ancestors.
    Mount,
    /// On an unknown mount, for example through a followed symlink.
    Anywhere,
}

pub(super) enum Verdict {
    Enter(Option<Identity>),
    Skip,
    Loop(usize),
}

impl Loops {
    pub(super) fn new(limits: Limits, reports_mounts: bool) -> Self {
        let asks_all = limits.one_device || limits.follow && !reports_mounts;
        Loops { limits, asks_all, ..Loops::default() }
    }

    pub(super) fn begin(&mut self) {
        *self = Loops { limits: self.limits, asks_all: self.asks_all, ..Loops::default() };
    }

    pub(super) fn needs_identities(&self) -> bool {
        self.asks_all || !self.ancestors.is_empty()
    }

    pub(super) fn lacks_ancestors(&self) -> bool {
        self.limits.follow && !self.needs_identities()
    }

    /// Adds a directory at depth `count - 1` and its ancestors, all reached without symlinks.
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
            return Ok(Verdict::Skip);
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

    /// Adds the directory at `depth` until the traversal leaves the directory at depth `below`. If
    /// an ancestor has the same identity, returns the ancestor's depth instead.
    fn add(&mut self, identity: Identity, depth: usize, below: usize) -> Option<usize> {
        if let Some(&before) = self.ancestors.get(&identity) {
            return Some(before);
        }
        self.ancestors.insert(identity, depth);
        self.added.push((below, identity));
        None
    }

    pub(super) fn leave(&mut self, depth: usize) {
        let kept = self.added.partition_point(|&(added, _)| added < depth);
        for (_, identity) in self.added.drain(kept..) {
            self.ancestors.remove(&identity);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ancestors.is_empty()
    }

    pub(super) fn contain(&self, identity: Identity) -> bool {
        self.ancestors.contains_key(&identity)
    }
}

/// Returns `count` identities, from `dir` upwards. Opens `..` repeatedly, because the ancestors may
/// be open only in another worker.
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
            // The directory was moved out of the tree or removed.
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
