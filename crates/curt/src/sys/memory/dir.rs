use std::fmt;

use super::Shared;
use crate::fields::Kind;
use crate::name::Names;
use crate::sys::{Entry, Listing};

#[derive(Debug)]
pub(crate) struct DirBuf {
    pub(super) names: Names<u8>,
    pub(super) heads: Vec<(usize, Kind, u64)>,
}

impl Default for DirBuf {
    fn default() -> Self {
        DirBuf { names: Names::new(), heads: Vec::new() }
    }
}

impl Listing for DirBuf {
    type Unit = u8;

    fn entry(&self, position: usize) -> Option<(Entry<'_, u8>, usize)> {
        let &(name, kind, id) = self.heads.get(position)?;
        Some((Entry { name: self.names.get(name)?, kind, id }, position + 1))
    }

    fn left(&self, position: usize) -> usize {
        self.heads.len().saturating_sub(position)
    }

    fn with_capacity(_bytes: usize) -> Self {
        Self::default()
    }
}

/// The working directory is the root, and is never closed.
pub(super) const WORKING: u64 = 0;

/// An open directory, whose number identifies the node even after a move.
pub(crate) struct Dir {
    pub(super) world: Shared,
    pub(super) number: u64,
}

impl Drop for Dir {
    fn drop(&mut self) {
        self.world.lock().close(self.number);
    }
}

impl fmt::Debug for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dir({})", self.number)
    }
}
