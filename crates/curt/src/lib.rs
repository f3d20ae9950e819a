//! Filesystem and process operations in few system calls, with the exact results and errors of the
//! system.
//!
//! | task | module | instead of |
//! |---|---|---|
//! | remove a tree | [`remove`] | `std::fs::remove_dir_all`, `remove_dir_all` |
//! | walk a tree | [`mod@walk`] | `walkdir`, `jwalk`, `ignore` |
//! | measure a tree | [`usage`] | `du` |
//! | list a directory, query an entry | [`mod@list`] | `std::fs::read_dir` and `metadata` |
//! | find a program | [`mod@which`] | `which` |
//! | find a file in one of many roots | [`lookup`] | a loop over `metadata` |
//! | start a program | [`process`] | `std::process` |
//! | open untrusted paths beneath a directory | [`beneath`] | `cap-std` |
//! | find the canonical name of a path | [`canonical`] | `soft-canonicalize`, `normpath` |
//! | make a path absolute, check an untrusted path | [`paths`] | `path-absolutize`, `path-clean` |
//!
//! Operations on whole trees may start threads ([`Threads`]), and join them before they return.
//! Every failure is reported with operation, path and the system's error number ([`Error`]).
//!
//! A *call* is a system call, and a *call ceiling* the maximum number of calls that an operation
//! makes. An *operand* is a path given to an operation, unlike the entries found in its tree.
//! [`Walk::fields`] takes the [`Fields`] to query; [`stat`] and [`list::Directory::list`] take a
//! [`Plan`]. To stop an operation with Ctrl-C, see [`Cancel`].
//!
//! # Remove a tree
//!
//! ```no_run
//! let report = curt::remove_tree("node_modules")?;
//! println!("{} directories, {} calls", report.directories, report.calls.total());
//! # Ok::<(), curt::remove::Incomplete>(())
//! ```
//!
//! # Walk a tree
//!
//! ```
//! for entry in curt::walk("src") {
//!     println!("{}", entry?.path.display());
//! }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! [`Walk::exclude`] skips the entries for which the closure returns `true`, and their contents.
//! The walk below skips hidden entries, and gets sizes with [`Walk::fields`].
//!
//! ```
//! use curt::fields::Value;
//!
//! let walk = curt::walk("src").exclude(|entry| entry.name().as_encoded_bytes().starts_with(b"."));
//! for entry in walk.fields(curt::Fields::SIZE) {
//!     let entry = entry?;
//!     if entry.kind().is_file() {
//!         match entry.metadata.size() {
//!             Value::Known(size) => println!("{size} {}", entry.path.display()),
//!             Value::Failed(error) => eprintln!("{error}"),
//!             Value::NotRequested | Value::Unsupported => {}
//!         }
//!     }
//! }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! On Linux a size costs a call, so this walk queries it only for files. [`known`] returns `None`
//! also if the query failed.
//!
//! ```
//! use curt::Fields;
//!
//! let mut walking = curt::walk("src").start();
//! while let Some(entry) = walking.next() {
//!     let mut entry = entry?;
//!     if entry.kind().is_file() {
//!         if let Some(size) = entry.fetch(Fields::SIZE).size().known() {
//!             println!("{size} {}", entry.path().display());
//!         }
//!     }
//! }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! Coming from walkdir: in a [`WalkEntry`](walk::WalkEntry), `path`, `depth` and `metadata` are
//! fields, `name()` replaces `file_name()`, and `kind()` replaces `file_type()`. `exclude` replaces
//! `filter_entry` (with the opposite result), and [`Walking::skip`](walk::Walking::skip) replaces
//! `skip_current_dir`.
//!
//! For other ways, including several threads, see
//! [Which way to walk](mod@walk#which-way-to-walk).
//!
//! [`known`]: fields::Value::known
//!
//! # List a directory
//!
//! A [`List`](list::List) is not an `Iterator`, because its entries borrow from it. Neither is a
//! [`Walking`](walk::Walking). Use `while let`:
//!
//! ```
//! let mut list = curt::list("src")?;
//! while let Some(entry) = list.next() {
//!     println!("{}", entry?.name().to_string_lossy());
//! }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! # Measure a tree
//!
//! ```
//! let total = curt::Usage::new().measure("src").total();
//! println!("{} bytes in {} entries", total.allocated, total.entries);
//! ```
//!
//! # Find and start a program
//!
//! ```no_run
//! let git = curt::which("git")?;
//! println!("{}", git.display());
//! let output = curt::Command::new("git").arg("status").output()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Open an untrusted path
//!
//! ```no_run
//! use curt::beneath::OpenOptions;
//!
//! let root = curt::Root::open("/srv/www")?;
//! let file = root.open_file("index.html", OpenOptions::new().read(true))?;
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! # Make a path absolute
//!
//! ```
//! use curt::paths::{Expander, ThisProcess};
//!
//! let full = Expander::new(ThisProcess::new()).expand_path("src/./lib.rs")?.into_owned();
//! assert_eq!(full, std::env::current_dir()?.join("src").join("lib.rs"));
//! # Ok::<(), std::io::Error>(())
//! ```
// On docs.rs, show which system each item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::expect_used, clippy::panic)
)]

pub mod beneath;
mod calls;
pub mod canonical;
mod control;
pub mod copy;
mod error;
pub mod fields;
pub mod filters;
mod gone;
pub mod list;
pub mod lookup;
mod name;
mod notifier;
pub mod os;
mod pause;
pub mod process;
mod querier;
mod quoted;
pub mod remove;
mod sys;
#[cfg(test)]
mod tests;
mod this_process;
mod tree;
pub mod usage;
pub mod walk;
pub mod which;

pub use beneath::Root;
pub use calls::Calls;
pub use control::{Answer, Cancel, Next, Operands, SameFileSystem, Threads, Unvisited};
#[doc(inline)]
pub use copy::Copy;
pub use error::{Cause, Error, Operation};
#[doc(hidden)]
pub use error::{number_of, words_of};
pub use fields::{Fields, Kind, Metadata, Plan};
#[doc(inline)]
pub use list::{list, stat};
pub use process::Command;
pub use quoted::is_printable;
#[doc(inline)]
pub use remove::{Remove, remove_tree};
#[doc(hidden)]
pub use sys::Feature;
pub use usage::Usage;
#[doc(inline)]
pub use walk::{Walk, walk};
#[doc(inline)]
pub use which::{Search, which};

pub mod paths {
    //! Makes paths full, and checks the text of untrusted paths.
    //!
    //! This module contains the crate [`curt_paths`], whose page has examples, and [`ThisProcess`],
    //! which queries the system.
    //!
    //! ```
    //! use curt::paths::{Expander, ThisProcess};
    //! let expander = Expander::new(ThisProcess::new());
    //! let full = expander.expand_path("src/lib.rs")?;
    //! assert_eq!(full, std::env::current_dir()?.join("src/lib.rs"));
    //! # Ok::<(), std::io::Error>(())
    //! ```
    //!
    //! # Promises
    //!
    //! - Results depend only on the path, the environment and the options, so paths of any system
    //!   can be processed on any other.
    //! - Paths need not be Unicode, and no path causes a panic.
    //! - On POSIX `..` is kept by default, because a symlink can precede it.
    //! - A [check](PathCheck) sees only the text. A path that passes can still lead out through a
    //!   symlink, so open it beneath a [`Root`](crate::Root).
    //!
    //! # Call ceiling
    //!
    //! | | calls |
    //! |---|---|
    //! | expand, fold, check, quote | 0 |
    //! | the working directory of [`ThisProcess`], once for each expander | 1 (0 on Windows) |
    //! | `~user`, and `~` if `HOME` is not set | those of the user database |
    //!
    //! # Races
    //!
    //! An expander caches the working directory, so it does not notice later changes.
    //!
    //! # Fallbacks
    //!
    //! Every system runs the same code.

    pub use curt_paths::*;

    pub use crate::this_process::ThisProcess;
}

/// Compiles the programs of the README and the cookbook.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/cookbook.md")]
struct Programs;
