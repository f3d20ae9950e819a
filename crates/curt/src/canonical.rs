//! Canonical names: absolute paths without links, `.` and `..`, of what exists and of what does not
//! exist yet.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-canonical-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("a/b"))?;
//! use curt::canonical::{Canonicalizer, Missing, relative};
//! use std::path::Path;
//!
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
//! - On Unix the answer is that of GNU `realpath`, in the odd cases too: which names may be missing
//!   ([`Missing`]), when `..` is removed ([`Links`]), and what a link loop is.
//! - On Windows it is what `GetFinalPathNameByHandle` says of the part that exists: names are
//!   spelled as on the disk, and short names are long. The prefix `\\?\` is left out where the path
//!   means the same to every program without it.
//!
//! # Call ceiling
//!
//! | | Linux | other Unix |
//! |---|---|---|
//! | what exists | 5 (`openat`, `readlinkat`, `newfstatat`, `fstat`, `close`) | 1 for each name and link |
//! | the last name is missing | 7 | the same |
//! | anything else, [`Links::Keep`] | 1 for each name and link, on top | the same |
//!
//! One more for the working directory where names are asked for one by one, one for a name that
//! must be a directory because `..` or a separator ends the path behind it, and one for each link
//! from the twenty-first on. On Windows: 4 for each name that is missing, and 4.
//!
//! # Races
//!
//! A name is true at one moment. Where names are asked for one by one, that is a moment for each of
//! them, and links that others swap meanwhile can lead to a name that nothing ever had. For
//! untrusted paths there is [`Root`](crate::Root).
//!
//! A name is text for people, and no address: where `/proc/PID/root` leads to another mount
//! namespace, it is the name there, as for GNU `realpath`. Compare device and file number before
//! something is changed by it.
//!
//! # Fallbacks
//!
//! Names are asked for one by one where the kernel has no name for what is open (without `/proc`),
//! where its name does not lead there (in another mount namespace, below a later mount),
//! where it follows no more links (after 40), where a rule of the system forbids it to follow a
//! link (`fs.protected_symlinks`), and where the path is longer than it accepts. More than 1,024
//! links are an error, with [`Links::FollowFew`] more than 40.

// One run, of `Canonicalizer::find`: it asks the platform (`canonical_name`), on Unix in
// `sys/unix/canonical.rs`, on Windows in `sys/windows/canonical.rs`.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::calls::{Calls, SharedCalls};
use crate::error::{Cause, Error, Operation};
pub use crate::sys::canonical::{Links, Missing};
use crate::sys::{Feature, Os, Setup, Sys};

/// Finds canonical names. The [module](self) has an example.
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
    /// Finds names of what exists, and follows links.
    pub fn new() -> Canonicalizer {
        Canonicalizer::default()
    }

    /// Sets which names may be missing; [`Missing::Nothing`] by default.
    pub fn missing(mut self, missing: Missing) -> Canonicalizer {
        self.missing = missing;
        self
    }

    /// Sets what happens to links; [`Links::Follow`] by default.
    pub fn links(mut self, links: Links) -> Canonicalizer {
        self.links = links;
        self
    }

    /// Switches a feature of the system off, for tests.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Canonicalizer {
        self.setup.without = self.setup.without.with(feature);
        self
    }

    /// Finds the canonical name of a path. The empty path leads to nothing.
    ///
    /// # Errors
    ///
    /// The system's: a name is missing that may not be, a directory may not be searched, a link
    /// loop.
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

/// Returns the path that leads from a directory to a path, both by their canonical names; `.` if
/// they are the same, and `None` if they have no root in common, as on two drives. No call.
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
