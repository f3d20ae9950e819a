//! Full paths that other paths start from.

use std::sync::OnceLock;

use crate::options::ExpandError;

/// A full path that a relative one starts from.
#[derive(Clone, Debug)]
pub(crate) struct Directory<U> {
    pub(crate) text: Vec<U>,
    /// The length of the part that `..` cannot remove, and that a rooted path keeps.
    pub(crate) root: usize,
}

/// A directory that is computed when it is first needed.
pub(crate) type Cell<U> = OnceLock<Result<Directory<U>, ExpandError>>;

/// The directories that an expander has computed, in one kind of units.
#[derive(Debug)]
pub struct Known<U> {
    pub(crate) cwd: Cell<U>,
    pub(crate) base: Cell<U>,
}

impl<U> Default for Known<U> {
    fn default() -> Self {
        Known { cwd: OnceLock::new(), base: OnceLock::new() }
    }
}

/// The directories that an expander has computed, in each kind of units that it was asked in.
#[derive(Debug, Default)]
pub struct Cache {
    pub(crate) bytes: Known<u8>,
    pub(crate) wide: Known<u16>,
}
