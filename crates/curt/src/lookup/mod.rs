//! Finds files by their names relative to one of many root directories, as languages load their
//! modules: few roots have the file, and the same directories are searched again and again.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-lookup-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("one/json"))?;
//! # std::fs::create_dir_all(scratch.join("two/json"))?;
//! # std::fs::write(scratch.join("one/json/parser.so"), "")?;
//! # std::fs::write(scratch.join("two/json/parser.rb"), "")?;
//! use curt::lookup::{Lookup, Order};
//!
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
//! - The answer is that of asking about each candidate in turn, and taking the first that is not a
//!   directory: links are followed, and so is the case of names where the file system has it so.
//! - An answer is never older than the last [`Lookup::revalidate`]: each directory that it depends
//!   on has been asked for its stamp (device, file number, times) since then, and listed again
//!   unless the stamp is the same and cannot hide a later change.
//! - Nothing is kept outside of the `Lookup`, and no directory stays open.
//!
//! # Call ceiling
//!
//! | after `revalidate`, for each root up to the one that has the file | calls |
//! |---|---|
//! | the root does not contain the first name of several | 1 |
//! | it does, or there is only one name | 1 |
//! | the directory is new or was changed | on Linux 4 more, and 1 for each further buffer |
//! | the listing does not say whether it is a file: a link, another case | 1 more |
//! | the same directory again, before the next `revalidate` | 0 |
//!
//! On Windows a missing directory takes 1 more.
//!
//! # Races
//!
//! An answer is true at one moment: the file may vanish before it is opened. Then, call
//! [`Lookup::revalidate`] and look again.
//!
//! A change of a directory is seen by its times, so those that are younger than 20 ms when it is
//! listed do not count, and 2 s where times are whole seconds: until they are older, the directory
//! is listed again each time. Over a network a stamp is as old as the attributes that the system
//! keeps.
//!
//! # Fallbacks
//!
//! Each candidate is asked about in a directory that may not be listed, and where names may have
//! other spellings: those that are not ASCII, or contain `.`, `..`, `~`, `\` or `:`.

// One run, of `Lookup::find("a/b", [".rb", ".so"])`: `Roots::find` (`roots.rs`) makes a candidate
// of each extension, and asks each root whether it has it: `a` in the listing of the root, then
// `b.rb` in the listing of `root/a`. A `Directory` (`directory.rs`) is asked for its stamp and
// listed when that is needed.
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

/// Root directories, and what is known of them. The [module](self) has an example.
pub struct Lookup {
    roots: Roots<Os>,
}

impl Lookup {
    /// Looks in these roots, in this order. A relative root begins at the working directory of each
    /// call. No call.
    pub fn new<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Lookup {
        let sys = Os::start(&Setup::default().for_listing(Features::default()));
        let mut lookup = Lookup { roots: Roots::new(sys) };
        lookup.set_roots(roots);
        lookup
    }

    /// Sets which candidate comes first; [`Order::ExtensionFirst`] by default.
    #[must_use]
    pub fn order(mut self, order: Order) -> Lookup {
        self.roots.order = order;
        self
    }

    /// Looks in other roots from now on, and keeps what is known of those that stay. No call.
    pub fn set_roots<P: AsRef<Path>>(&mut self, roots: impl IntoIterator<Item = P>) {
        self.roots.set(roots.into_iter().map(|root| OsUnit::units(root.as_ref())));
    }

    /// Finds a file: the path of the root, the relative name, and one of the extensions, each as it
    /// was given, but with `\` for `/` if the root begins with `\\?\`. `""` is an extension, too.
    /// `None` if no root has it.
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

    /// Lets what is found from now on depend on nothing that was asked before. No call.
    pub fn revalidate(&mut self) {
        self.roots.revalidate();
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup").field("order", &self.roots.order).finish_non_exhaustive()
    }
}
