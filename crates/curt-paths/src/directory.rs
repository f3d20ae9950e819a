use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::options::ExpandError;

#[derive(Clone, Debug)]
pub(crate) struct Directory<U> {
    pub(crate) text: Vec<U>,
    /// The length of the root (`C:\`), which `..` cannot remove, and from which `\x` starts.
    pub(crate) root: usize,
}

/// A value computed on first use.
///
/// With a plain `OnceLock`, other callers would wait for the first one. After a fork the child
/// could wait forever, because the caller's thread does not exist there. So concurrent callers each
/// compute the value.
#[derive(Debug)]
pub(crate) struct Cell<T> {
    value: OnceLock<Result<T, ExpandError>>,
    /// Whether a thread has begun to set the value. A second thread would block.
    is_claimed: AtomicBool,
}

impl<T> Default for Cell<T> {
    fn default() -> Self {
        Cell { value: OnceLock::new(), is_claimed: AtomicBool::new(false) }
    }
}

impl<T: Clone> Cell<T> {
    pub(crate) fn get(
        &self,
        find: impl FnOnce() -> Result<T, ExpandError>,
    ) -> Result<Cow<'_, T>, ExpandError> {
        let known = if let Some(known) = self.value.get() {
            known
        } else {
            let found = find();
            if self.is_claimed.swap(true, Ordering::Relaxed) {
                return found.map(Cow::Owned);
            }
            self.value.get_or_init(|| found)
        };
        known.as_ref().map(Cow::Borrowed).map_err(|&error| error)
    }
}

#[derive(Debug)]
pub struct Known<U> {
    pub(crate) cwd: Cell<Directory<U>>,
    pub(crate) base: Cell<Directory<U>>,
}

impl<U> Default for Known<U> {
    fn default() -> Self {
        Known { cwd: Cell::default(), base: Cell::default() }
    }
}

#[derive(Debug, Default)]
pub struct Cache {
    pub(crate) bytes: Known<u8>,
    pub(crate) wide: Known<u16>,
}
