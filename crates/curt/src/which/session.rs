//! Look-ups one after the other in the same directories.

use std::ffi::OsStr;

use super::found::Found;
use super::policy::Policy;
use super::{FindAll, Search};
use crate::calls::Calls;
use crate::error::FindError;

/// A search that keeps what it learns of directories from one look-up to the next: each directory of
/// `PATH` is opened once and asked through its handle, and one that was absent is not asked again.
///
/// **What may be stale.** Files are asked for each time. A directory that was absent when it was first
/// looked for stays absent, and one that was moved or replaced since is searched as it was, until
/// [`Session::refresh`]. On Windows a directory that is kept open, and those above it, cannot be renamed
/// by anybody. At most 256 directories are kept; those beyond are asked as without a session.
#[must_use = "a session does nothing until it is asked for a program"]
pub struct Session(Search);

impl Session {
    pub(super) fn new(search: Search) -> Session {
        Session(search)
    }

    /// As [`Search::find`].
    pub fn find(&mut self, name: impl AsRef<OsStr>) -> Result<Found, FindError> {
        self.0.find(name)
    }

    /// As [`Search::find_into`].
    pub fn find_into(
        &mut self,
        name: impl AsRef<OsStr>,
        found: &mut Found,
    ) -> Result<(), FindError> {
        self.0.find_into(name, found)
    }

    /// As [`Search::find_all`].
    pub fn find_all(&mut self, name: impl AsRef<OsStr>) -> FindAll<'_> {
        self.0.find_all(name)
    }

    /// As [`Search::look_into`].
    pub fn look_into(&mut self, found: &mut Found) {
        self.0.look_into(found);
    }

    /// Forgets what is known of directories, and closes them. The environment stays as it was taken.
    pub fn refresh(&mut self) {
        if let Some(engine) = &mut self.0.engine {
            engine.refresh();
        }
    }

    pub(crate) fn policy_in_force(&self) -> &Policy {
        self.0.policy_in_force()
    }

    /// The calls made so far.
    pub fn calls(&self) -> Calls {
        self.0.calls()
    }
}
