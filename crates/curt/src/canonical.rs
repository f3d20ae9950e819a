//! Finds canonical names: absolute paths without symlinks, `.` and `..`. The files may be missing
//! if the caller allows it.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-canonical-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("a/b"))?;
//! use curt::canonical::{Canonicalizer, Missing, relative};
//! use std::path::Path;
//!
//! // `scratch` is a directory with a/b/.
//! let names = Canonicalizer::new().missing(Missing::Anything);
//! let base = names.find(&scratch)?;
//! let name = names.find(scratch.join("a/b/../new/x"))?;
//! assert_eq!(name, base.join("a").join("new").join("x"));
//! assert_eq!(relative(&base, &name), Some(Path::new("a").join("new").join("x")));
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! - On Unix the result is that of GNU `realpath`, even for missing names ([`Missing`]), `..`
//!   ([`Links`]) and symlink loops.
//! - On Windows the result is that of `GetFinalPathNameByHandle`: names are spelled as on disk, and
//!   short names are expanded. The prefix `\\?\` is dropped if the path means the same without it.
//!
//! # Call ceiling
//!
//! | | Linux | other Unix |
//! |---|---|---|
//! | the path exists | 5 (`openat`, `readlinkat`, `newfstatat`, `fstat`, `close`) | 1 per name and symlink |
//! | its last component is missing | 7 | the same |
//! | otherwise, and with [`Links::Keep`] | 1 per name and symlink, in addition | the same |
//!
//! Looking up names one by one also costs one call for the working directory, one for each name
//! that must be a directory because `..` or a trailing separator follows it, and one for each
//! symlink after the twentieth. Windows takes 4 calls, and 4 more per missing name.
//!
//! # Races
//!
//! If symlinks are swapped while names are looked up one by one, the result can be a name that
//! never existed. For untrusted paths use [`Root`](crate::Root).
//!
//! Through `/proc/PID/root` of another mount namespace, a name is valid only in that namespace, as
//! with GNU `realpath`.
//!
//! # Fallbacks
//!
//! Names are looked up one by one if the kernel cannot name the open file (without `/proc`), if the
//! name it returns does not lead back to the file (another mount namespace, a later mount), if it
//! gives up on symlinks (after 40) or refuses to follow one (`fs.protected_symlinks`), or if the
//! path is too long. More than 1,024 symlinks are an error (more than 40 with
//! [`Links::FollowFew`]).

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::calls::{Calls, SharedCalls};
use crate::error::{Cause, Error, Operation};
pub use crate::sys::canonical::{Links, Missing};
use crate::sys::{Feature, Os, Setup, Sys};

/// Finds canonical names.
#[derive(Default)]
#[must_use]
pub struct Canonicalizer {
    missing: Missing,
    links: Links,
    setup: Setup,
    calls: SharedCalls,
}

impl fmt::Debug for Canonicalizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Canonicalizer");
        shown.field("missing", &self.missing).field("links", &self.links).finish_non_exhaustive()
    }
}

impl Canonicalizer {
    /// Creates a canonicalizer for existing files that follows symlinks.
    pub fn new() -> Canonicalizer {
        Canonicalizer::default()
    }

    /// Sets which components may be missing; [`Missing::Nothing`] by default.
    pub fn missing(mut self, missing: Missing) -> Canonicalizer {
        self.missing = missing;
        self
    }

    /// Sets how to treat symlinks; [`Links::Follow`] by default.
    pub fn links(mut self, links: Links) -> Canonicalizer {
        self.links = links;
        self
    }

    /// Disables a feature of the system, for tests.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Canonicalizer {
        self.setup.without = self.setup.without.with(feature);
        self
    }

    /// Finds the canonical name of a path.
    ///
    /// # Errors
    ///
    /// Fails with the system's error if a component must exist but is missing, if a directory
    /// cannot be searched, or on a symlink loop. The empty path counts as a missing file.
    pub fn find(&self, path: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let path = path.as_ref();
        let sys = Os::start(&self.setup);
        let found = sys.canonical_name(path, self.missing, self.links);
        self.calls.add(&sys.calls());
        found
            .map_err(|error| Error::new(Operation::Canonicalize, path.to_owned(), Cause::Os(error)))
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        let mut calls = Os::start(&self.setup).calls();
        self.calls.add_to(&mut calls);
        calls
    }
}

/// Returns the relative path between two canonical names. Makes no system call.
///
/// The result is `.` if they are equal, and `None` if they have no common root, as on two drives.
///
/// ```
/// use curt::canonical::relative;
/// use std::path::Path;
/// assert_eq!(relative("/usr/lib", "/usr/bin/env"), Some(Path::new("..").join("bin").join("env")));
/// assert_eq!(relative("/usr", "/usr"), Some(".".into()));
/// ```
pub fn relative(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Option<PathBuf> {
    let mut from = from.as_ref().components().peekable();
    let mut to = to.as_ref().components().peekable();
    let mut has_common = false;
    while let (Some(one), Some(other)) = (from.peek(), to.peek()) {
        if one != other {
            break;
        }
        has_common = true;
        from.next();
        to.next();
    }
    if !has_common {
        return None;
    }
    let path: PathBuf = from.map(|_| Component::ParentDir).chain(to).collect();
    Some(if path.as_os_str().is_empty() { ".".into() } else { path })
}
