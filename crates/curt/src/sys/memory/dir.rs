//! Open directories of the tree.

use std::fmt;

use super::Shared;
use crate::sys::records::Records;

/// The buffer of one worker.
pub(crate) type DirBuf = Records<u8>;

/// The number of the working directory, which is the root and never closed.
pub(super) const WORKING: u64 = 0;

/// An open directory: a number for a node, wherever that is moved.
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
