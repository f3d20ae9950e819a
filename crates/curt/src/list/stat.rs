use std::fmt;
use std::path::Path;

use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Follow, Metadata, Plan};
use crate::querier::Querier;
use crate::sys::{Os, Setup, Sys};

/// Queries the metadata of a path.
///
/// A missing or unreachable path is an error, even with an empty plan. If only some fields fail,
/// they are marked as failed in the [`Metadata`].
///
/// Unlike [`std::fs::metadata`], this follows a symlink only if the plan says so
/// ([`Plan::follow`]). A broken symlink yields its own metadata even then.
///
/// On Linux 1 call covers all fields except targets, access, access rules and labels (see
/// [`fields`](crate::fields)). If the plan has only these four, or no fields, 1 more call checks
/// that the path exists.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-stat-{}", std::process::id()));
/// # std::fs::write(&scratch, "four")?;
/// use curt::{Fields, Kind, Plan};
/// // `scratch` is a file of 4 bytes.
/// let metadata = curt::stat(&scratch, Plan::new(Fields::KIND | Fields::SIZE))?;
/// assert_eq!(metadata.kind(), Kind::File);
/// assert_eq!(metadata.size().known(), Some(4));
/// # std::fs::remove_file(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stat(path: impl AsRef<Path>, plan: impl Into<Plan>) -> Result<Metadata, Error> {
    Stat::new(plan).path(path)
}

/// Queries paths. Caches owner names, and which fields each filesystem lacks.
#[must_use = "it does nothing until it is asked about a path"]
pub struct Stat {
    pub(super) querier: Querier<Os>,
}

impl fmt::Debug for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stat").finish_non_exhaustive()
    }
}

impl Stat {
    /// Creates a `Stat` for the fields of `plan`.
    pub fn new(plan: impl Into<Plan>) -> Stat {
        Stat::started(Os::start(&Setup::default()), plan.into())
    }

    pub(super) fn started(sys: Os, plan: Plan) -> Stat {
        Stat { querier: Querier::new(sys, plan).always_querying() }
    }

    /// Queries one path, as [`stat`] does.
    pub fn path(&mut self, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        let mut metadata = Metadata::default();
        match self.querier.query_path(path, self.follows(), &mut metadata) {
            Ok(()) => metadata.whole(),
            Err(error) => Err(Error::new(Operation::Stat, path.to_owned(), Cause::Os(error))),
        }
    }

    pub(super) fn follows(&self) -> bool {
        self.querier.plan().follow != Follow::Never
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        self.querier.sys.calls()
    }
}
