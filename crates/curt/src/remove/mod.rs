//! Removing trees.
//!
//! # Promises
//!
//! - Everything below an operand that can be removed is removed; the rest is reported, one error
//!   for each entry and none for the directories that stay because of it.
//! - Symbolic links are removed and never followed. An operand that ends in a separator must be a
//!   directory itself: `link/` is an error, and what the link leads to is not touched.
//! - No path is resolved twice: every call names one entry of a directory that is open. No name
//!   contains a separator, and none is `..`.
//! - Memory, descriptors and stack are bounded at any depth and any number of entries, and the time
//!   that somebody who keeps adding entries can cost is bounded too.
//! - Mounts below an operand are not crossed, the root directory is not removed, unless asked for.
//! - It is **not atomic**: whoever looks meanwhile sees a part of the tree, and what was removed
//!   before a failure stays removed.
//!
//! # Call budget
//!
//! For N entries that are not directories and M directories, the operand included:
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | entry that is not a directory | 1 (`unlinkat`) | 1 |
//! | directory | 4 (`openat2`, `getdents64`, `unlinkat`, `close`) | 6 (`openat`, `fstat`, `readdir`, which makes 2, `unlinkat`, `close`) |
//! | each further 64 KiB of listing | 1 | 1 |
//! | wrong guess that a listing had ended | 1, at most 4 times | never made |
//! | operand | 2 (`openat`, `close`) where it lies in another directory than the one before, 3 (`statx`) if it is a directory, 1 (`openat2`) if it is not | the same |
//! | directory that stays: contents only, or a failure in it | 3 for another listing, until nothing new is found | the same |
//! | every 65,536 entries of one directory | one more listing of what is left | the same |
//! | every 1,024 directories | 1 (`statx`) | the same |
//! | beside | 2 (the limit of descriptors, the root's identity) | the same |
//! | several threads | 1 for 256 entries (`getrusage`), 20 for each thread | 20 for each thread |
//! | question, bytes, owner | 1 or 2 for each entry | the same |
//! | depth beyond the descriptors | about 4 for each directory opened again (`openat2`, 2 `statx`, `close`) | the same |
//!
//! No listing call is made to learn that a listing has ended: removing the directory is the test.
//! No entry is asked for its metadata unless an option needs it.
//!
//! # Races
//!
//! *Prevented*: a directory swapped for a link at any level and any moment leads nowhere; an entry
//! that changes its kind is dealt with as what it is when it is removed; an entry that vanishes is
//! no error; a mount that appears is refused by the call that would enter it (on systems without
//! `openat2`, by comparing what was opened with its parent); a directory that grows is emptied
//! again, for as long as [`Remove::retries`] says, and then reported; where it stays, it is listed
//! until nothing new is found. Somebody who adds entries as fast as they go, to one directory or
//! ahead of the removal in new ones, is dealt with for as long. An operand that is renamed while it
//! is removed is reported, and what has its name by then stays.
//!
//! *Not prevented*: entries that somebody moves **into** the tree while it is removed go with it.
//! What somebody moves out of the tree after its directory was opened is still emptied: it is the
//! same directory. A file that replaces another under the same name before its turn is removed in
//! its place. The operand's own parent is found by the path as typed, links in it followed.
//!
//! # Fallbacks
//!
//! Without `openat2` (Linux before 5.6, or a filter that refuses it): `openat` and a comparison of
//! mounts, one call more for each directory. Without `statx` or its mount numbers: devices are
//! compared, which cannot tell a bind mount of the same file system. Where the listing has no kinds:
//! removal is tried first, which on Linux never removes a directory; elsewhere a stat tells. Where
//! descriptors run out, directories on the way are closed and opened again: see `tree/stack.rs`.
//! The whole is run on the portable platform too, on Linux, by the same tests.
//!
//! # Compared with others
//!
//! | | calls for a directory | inner links safe | `link/` | 10,000 levels, 1,024 descriptors | same-device bind mount | after an error |
//! |---|---|---|---|---|---|---|
//! | curt | 4 | yes | error, nothing touched | yes | refused | goes on, all reported |
//! | GNU rm 9.1 | 17 | yes | empties the target, exits 0 | yes | emptied | goes on, all reported |
//! | Rust std 1.95 | 8 | yes | empties the target | fails | emptied | stops |
//! | Zig `deleteTree` | 5 | yes | – | quadratic | emptied | stops |
//! | Go `RemoveAll` | 6 | yes | removes the link | fails | emptied | goes on, first reported |
//! | CPython `rmtree` | 13 | on Unix | empties the target, then fails | fails | emptied | by callback |

mod batch;
mod busy;
mod engine;
mod finish;
mod frame;
mod operand;
mod options;
mod passes;
mod report;
mod room;
mod run;
mod share;
#[cfg(test)]
mod tests;
mod worker;
mod writers;

#[cfg(test)]
pub(crate) use crate::control::{Cancel, Threads};
pub use options::{Confirm, Directories, Observer, Question, Remove, Subject, Totals};
pub use report::{Incomplete, Report};

use std::path::{Path, PathBuf};

use crate::control::Operands;
use crate::sys::{Os, Setup, Sys};

/// Removes a tree, whatever it is: a directory with everything below it, a file, a link (never what
/// it leads to). Takes one path or several.
///
/// Returns what was done, or, if anything is left, all errors. The defaults are the safe ones: see
/// [`Remove::new`]. Not atomic: what was removed before a failure stays removed.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("target/debug"))?;
/// let report = curt::remove_tree(scratch.join("target"))?;
/// assert_eq!(report.directories, 2);
/// # std::fs::remove_dir(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn remove_tree(operands: impl Operands) -> Result<Report, Incomplete> {
    Remove::new().run(operands).into_result()
}

impl Remove<'_> {
    /// Removes the operands, one path or several, and reports what was done and everything that
    /// failed. Several are removed in one pool of threads; with one thread they are taken in order.
    /// Operands that lie in the same directory, one behind the other, share the call that opens it.
    #[must_use = "a removal may have failed; the report says so"]
    pub fn run(&self, operands: impl Operands) -> Report {
        let paths = operands.into_paths();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        self.run_in(None, &paths)
    }

    /// Removes paths or, with an open directory, names in it.
    pub(crate) fn run_in(&self, dir: Option<<Os as Sys>::Dir>, names: &[&Path]) -> Report {
        run::Run::<Os>::remove(self, &Setup::default(), names, dir)
    }
}

/// Removes paths on a platform that a test has set up.
#[cfg(test)]
pub(crate) fn run_on<S: Sys>(options: &Remove<'_>, setup: &Setup, paths: &[&Path]) -> Report {
    run::Run::<S>::remove(options, setup, paths, None)
}
