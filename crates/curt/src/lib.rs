//! **curt**: filesystem operations with the fewest operating-system calls that still give the
//! system's exact answer.
//!
//! # A map of the files
//!
//! | file | what it holds |
//! |---|---|
//! | `remove/` | removing trees: [`remove_tree`], [`Remove`] |
//! | `usage/` | measuring trees: [`Usage`] |
//! | `walk/` | walking trees: [`Walk`] |
//! | `beneath/` | staying beneath a directory: [`Root`] |
//! | `list/` | listing and asking: [`list`], [`stat`](fn@stat), [`Directory`], [`Descent`] |
//! | `ask.rs` | how the fields of one entry are gathered |
//! | `error.rs` | [`Error`]: operation, path and cause |
//! | `control.rs` | [`Threads`], [`Cancel`] |
//! | crate `curt-paths` | the text of paths and of Windows command lines: [`paths`] |
//! | `calls.rs` | [`Calls`]: the calls made, by kind |
//! | `fields/` | [`Fields`], [`Plan`], [`Metadata`]: what can be asked, and the answers |
//! | `filters.rs`, `filters/` | globs and ignore rules (feature `filters`) |
//! | `this_process.rs` | [`ThisProcess`]: what the expansion of paths asks of the process |
//! | `long_name.rs` | [`long_name()`]: the long form of a short name of Windows |
//! | `which/` | looking for programs: [`Search`], [`Policy`], [`Session`] |
//! | `name.rs` | names as the system gives them |
//! | `process/` | starting programs: [`Command`], [`Child`] |
//! | `tree/` | the traversal: open directories, threads and when they pay |
//! | `os/` | what one system has beyond the others: [`os`] |
//! | `sys/` | the platforms behind one private contract |
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::expect_used, clippy::panic)
)]

mod ask;
mod beneath;
mod calls;
mod control;
mod error;
mod fields;
mod file_name;
#[cfg(feature = "filters")]
mod filters;
mod list;
mod long_name;
mod name;
pub mod os;
mod pause;
mod process;
mod quoted;
mod remove;
mod sys;
mod this_process;
mod tree;
mod usage;
mod walk;
mod which;

pub use beneath::{Canonical, OpenOptions, Root, Scope};
pub use calls::Calls;
pub use control::{Cancel, Next, Operands, Threads, Unvisited};
pub use curt_paths as paths;
pub use error::{Cause, Error, FindCause, FindError, Operation, StartFailure};
pub use fields::{Cost, Fields, Follow, Freshness, Kind, Metadata, Origin, Plan, Time, Value};
pub use file_name::FileName;
#[cfg(feature = "filters")]
pub use filters::{GlobError, Globs, IgnoreFile, IgnoreRules};
pub use list::{
    Descent, Directory, Entry, List, ListEntries, ListEntry, Stat, list, stat, stat_many,
};
pub use long_name::long_name;
pub use process::{Child, ChildInput, ChildOutput, Command, Stream};
pub use quoted::is_printable;
pub use remove::{
    Confirm, Directories, Incomplete, Observer, Question, Remove, Report, Subject, Totals,
    remove_tree,
};
#[doc(hidden)]
pub use sys::Feature;
pub use this_process::ThisProcess;
pub use usage::{Sizes, Usage, UsageRecord, UsageReport};
pub use walk::{
    Entries, InOrder, OneFileSystem, Order, SortBy, Summary, Visited, Visitor, Walk, WalkEntry,
    Walking, walk,
};
#[cfg(fuzzing)]
#[doc(hidden)]
pub use which::fuzzing;
pub use which::{
    Bare, Cwd, Extensions, FindAll, Found, FoundIn, Interpreter, LaunchFailure, Literal, Looked,
    Policy, Program, Search, SearchExplanation, Session,
};

/// A report that nobody looks at is warned about:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Remove::new().run("missing");
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// use curt::os::unix::RemoveBelow;
/// use std::os::fd::AsFd;
/// curt::Remove::new().run_below(std::io::stdin().as_fd(), "missing");
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Usage::new().measure(["missing"]);
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Walk::new(".").visit(|_| curt::Next::Continue);
/// ```
///
/// So is a builder that is never run:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Remove::new();
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Walk::new(".");
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Search::new();
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Search::new().session();
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Stat::new(curt::Fields::KIND);
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::IgnoreRules::new();
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::IgnoreRules::new().files(false);
/// ```
///
/// And a directory that is opened and never listed, or listed without looking at its entries:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Directory::open(".").unwrap();
/// ```
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// curt::Directory::open(".").unwrap().list(curt::Fields::KIND);
/// ```
///
/// The report of `remove_tree` is of a removal that did not fail:
///
/// ```no_run
/// #![deny(unused_must_use)]
/// curt::remove_tree("tree")?;
/// # Ok::<(), curt::Incomplete>(())
/// ```
///
/// Without the lint all others compile:
///
/// ```no_run
/// # #![allow(unused_must_use)]
/// curt::Remove::new().run("missing");
/// curt::Usage::new().measure(["missing"]);
/// curt::Walk::new(".").visit(|_| curt::Next::Continue);
/// curt::Remove::new();
/// curt::Walk::new(".");
/// curt::Search::new();
/// curt::Search::new().session();
/// curt::Stat::new(curt::Fields::KIND);
/// curt::Directory::open(".").unwrap();
/// curt::Directory::open(".").unwrap().list(curt::Fields::KIND);
/// # #[cfg(feature = "filters")]
/// curt::IgnoreRules::new();
/// # #[cfg(feature = "filters")]
/// curt::IgnoreRules::new().files(false);
/// # #[cfg(unix)]
/// # {
/// use curt::os::unix::RemoveBelow;
/// use std::os::fd::AsFd;
/// curt::Remove::new().run_below(std::io::stdin().as_fd(), "missing");
/// # }
/// ```
#[cfg(doctest)]
struct ResultsAreUsed;
