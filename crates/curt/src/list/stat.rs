//! Asking about paths.

use std::fmt;
use std::path::Path;

use crate::ask::Asker;
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Follow, Metadata, Plan};
use crate::sys::{Os, Setup, Sys};

/// Asks about a path. A path that is missing, or that cannot be reached, is an error whatever the
/// plan asks for, even without any field. A field that failed while others did not is a failure in
/// the [`Metadata`].
///
/// A link is not followed, unlike by [`std::fs::metadata`], unless the plan says so
/// ([`Plan::follow`]). A broken link then yields its own metadata.
///
/// Cost: as in [`fields`](crate::fields) for one entry, as if nothing came from a listing; 1 call
/// on Linux for everything but targets, access, access rules and labels. A plan that asks only for
/// those, or for nothing, costs 1 more: whether the path exists.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-stat-{}", std::process::id()));
/// # std::fs::write(&scratch, "four")?;
/// use curt::{Fields, Kind, Plan};
/// let metadata = curt::stat(&scratch, Plan::new(Fields::KIND | Fields::SIZE))?;
/// assert_eq!(metadata.kind(), Kind::File);
/// assert_eq!(metadata.size().known(), Some(4));
/// # std::fs::remove_file(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stat(path: impl AsRef<Path>, plan: impl Into<Plan>) -> Result<Metadata, Error> {
    Stat::new(plan).path(path)
}

/// Asks about paths, and remembers the names of owners, and what file systems do not have.
#[must_use = "it does nothing until it is asked about a path"]
pub struct Stat {
    pub(super) asker: Asker<Os>,
}

impl fmt::Debug for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stat").finish_non_exhaustive()
    }
}

impl Stat {
    /// Asks for what the plan says.
    pub fn new(plan: impl Into<Plan>) -> Stat {
        Stat::started(Os::start(&Setup::default()), plan.into())
    }

    pub(super) fn started(sys: Os, plan: Plan) -> Stat {
        Stat { asker: Asker::new(sys, plan).always_querying() }
    }

    /// Asks about one path, as [`stat`] does.
    pub fn path(&mut self, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        let mut metadata = Metadata::default();
        match self.asker.ask_path(path, self.follows(), &mut metadata) {
            Ok(()) => metadata.whole(),
            Err(error) => Err(Error::new(Operation::Stat, path.to_owned(), Cause::Os(error))),
        }
    }

    pub(super) fn follows(&self) -> bool {
        self.asker.plan().follow != Follow::Never
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        self.asker.sys.calls()
    }
}
