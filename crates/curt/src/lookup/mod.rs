//! Finds files by relative names in a list of root directories, as languages find modules. Fast if
//! few roots have the file and directories are searched repeatedly.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-lookup-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("one/json"))?;
//! # std::fs::create_dir_all(scratch.join("two/json"))?;
//! # std::fs::write(scratch.join("one/json/parser.so"), "")?;
//! # std::fs::write(scratch.join("two/json/parser.rb"), "")?;
//! use curt::lookup::{Lookup, Order};
//!
//! // `scratch` is a directory with one/json/parser.so and two/json/parser.rb.
//! let mut lookup = Lookup::new([scratch.join("one"), scratch.join("two")]);
//! let found = lookup.find("json/parser", [".rb", ".so"]);
//! assert_eq!(found, Some(scratch.join("two/json/parser.rb")));
//!
//! let mut lookup = lookup.order(Order::RootFirst);
//! let found = lookup.find("json/parser", [".rb", ".so"]);
//! assert_eq!(found, Some(scratch.join("one/json/parser.so")));
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! - The result is the first candidate that is not a directory, as if all were queried in order.
//!   Symlinks are followed, and case is ignored if the filesystem ignores it.
//! - A result is never older than the last [`Lookup::revalidate`], because the stamp (device, file
//!   number, times) of each directory involved has been checked since. A directory is relisted
//!   unless its stamp is unchanged and old enough to reveal any later change.
//! - All state is in the `Lookup`, and no directory remains open.
//!
//! # Call ceiling
//!
//! | after `revalidate`, for each root up to the first that has the file | system calls |
//! |---|---|
//! | the root lacks the first of several components | 1 |
//! | the root has the first component, or the name has only one component | 1 |
//! | the directory is new or was changed | on Linux 4 more, and 1 for each further buffer |
//! | the listing does not prove that the name is a file (a symlink, other letter case) | 1 more |
//! | the same directory again, before the next `revalidate` | 0 |
//!
//! On Windows a missing directory takes 1 more call.
//!
//! # Races
//!
//! If a file vanishes before its use, call [`Lookup::revalidate`] and search again.
//!
//! Changes of a directory are detected by its times. A change in the same clock tick would go
//! unnoticed, so a directory is relisted after each `revalidate` until its stamp is older than 20
//! ms (2 s if times are whole seconds). On a network filesystem, attributes cached by the system
//! can hide recent changes.
//!
//! # Fallbacks
//!
//! Candidates are queried one by one if their directory cannot be listed, or if their names may
//! have alternative spellings: `.`, `..`, and names that are not ASCII, contain `~`, `\` or `:`, or
//! end in a dot or a space.

// For `Lookup::find("a/b", [".rb", ".so"])`, `Roots::find` looks for `a` in the listing of each
// root, then for `b.rb` in the listing of `root/a`. A `Directory` is relisted if its stamp has
// changed.
mod directory;
mod roots;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

pub use self::roots::Order;
use self::roots::Roots;
use crate::sys::{Features, Os, OsUnit, Setup, Sys, SystemUnit};

/// Root directories and their cached listings.
pub struct Lookup {
    roots: Roots<Os>,
}

impl Lookup {
    /// Creates a lookup in these roots, in order. Makes no system call.
    ///
    /// Relative roots are resolved against the working directory during the search.
    pub fn new<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Lookup {
        let sys = Os::start(&Setup::default().for_listing(Features::default()));
        let mut lookup = Lookup { roots: Roots::new(sys) };
        lookup.set_roots(roots);
        lookup
    }

    /// Sets the order of candidates; [`Order::ExtensionFirst`] by default.
    #[must_use]
    pub fn order(mut self, order: Order) -> Lookup {
        self.roots.order = order;
        self
    }

    /// Replaces the roots. Keeps the cached listings of roots that are in both lists. Makes no
    /// system call.
    pub fn set_roots<P: AsRef<Path>>(&mut self, roots: impl IntoIterator<Item = P>) {
        self.roots.set(roots.into_iter().map(|root| OsUnit::units(root.as_ref())));
    }

    /// Finds a file, or returns `None` if no root has it.
    ///
    /// The result consists of the root, the relative name and an extension as given, but `/`
    /// becomes `\` if the root begins with `\\?\`. `""` is a valid extension.
    pub fn find<E: AsRef<OsStr>>(
        &mut self,
        relative: impl AsRef<Path>,
        extensions: impl IntoIterator<Item = E>,
    ) -> Option<PathBuf> {
        let relative = OsUnit::units(relative.as_ref());
        let units = |extension: E| OsUnit::units(Path::new(extension.as_ref()));
        let found = self.roots.find(&relative, extensions.into_iter().map(units));
        found.map(OsUnit::path)
    }

    /// Afterwards, searches check each directory for changes again. Makes no system call.
    pub fn revalidate(&mut self) {
        self.roots.revalidate();
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup").field("order", &self.roots.order).finish_non_exhaustive()
    }
}
