//! Copies trees.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-copy-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("app/src"))?;
//! # std::fs::write(scratch.join("app/src/main.rs"), "fn main() {}")?;
//! // `scratch` is a directory with app/src/main.rs (12 bytes).
//! let report = curt::Copy::new().run(scratch.join("app"), scratch.join("backup"));
//! for error in &report.errors {
//!     eprintln!("{error}");
//! }
//! assert!(report.is_complete());
//! assert_eq!((report.directories, report.files, report.bytes), (2, 1, 12));
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! - **The copy follows no swapped symlink.** Both trees are walked by open directories, and every
//!   call names one entry of one. Every file is new: it is created with `O_EXCL` and `O_NOFOLLOW`.
//!   So nothing outside the source is read, and nothing outside the destination is written,
//!   whatever other processes rename, link or mount meanwhile. With [`Copy::follow`], the symlinks
//!   of the source may lead out of it.
//! - A file is complete or absent. If its content cannot be copied, or the copy is stopped, it is
//!   removed and reported, and the rest goes on. A killed process leaves at most one incomplete
//!   file for each thread: a new one under its own name, which [`Existing::ReplaceChanged`]
//!   completes later, or a replacement as `.curt-` and 16 digits.
//! - An existing file is replaced by renaming its finished successor, so it is never lost.
//! - A file whose permissions are preserved can be opened by nobody else until it has them. Set-id
//!   bits are dropped unless [`Preserve::MODE`] is given, and if the owner cannot be
//!   preserved.
//! - A source is not copied into itself, and a destination not onto its source.
//! - Descriptors and stack are bounded at any depth and any number of entries. So is memory, except
//!   for errors, the names of subdirectories in one listing per level, and with
//!   [`Preserve::LINKS`] the paths of files with several names or, if symlinks are followed, of all
//!   files.
//! - A copy is **not atomic**: other processes see partial trees, and a failure does not remove
//!   what was copied before. Nothing is flushed to the disk.
//!
//! # Call ceiling
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | file, by its content | 7 (`openat`, `statx`, `openat`, `copy_file_range`, `read`, `close` twice) | 7 (`read` twice and `write` instead) |
//! | each further 16 MiB | 1 | 128 |
//! | file, by a reflink | 6 | – |
//! | file, by a hard link | 1 (`linkat`) | 1 |
//! | symlink | 2 (`readlinkat`, `symlinkat`) | 2 |
//! | directory | 9 (`openat2`, `statx`, `getdents64` twice, `close`; `mkdirat`, `openat2`, `statx`, `close`) | 9 |
//! | each further 64 KiB of listing | 1 | 1 |
//! | sparse file | 4 more for each part, and 4 | – |
//! | preserved mode, owner, times | 1 each; mode 2 more, for a directory 3 | 1 each |
//! | symlink or special file with any of these | 3 more (`openat`, `statx`, `close`), for a special file up to 4 more | – |
//! | extended attribute | 2 more | – |
//! | replaced file | 9 more | 9 more |
//! | source operand | 3 more, and for a directory 3 and 1 for each ancestor of the destination | the same |
//! | several threads | 1 for every 256 calls (`getrusage`), 20 for each thread | 20 for each thread |
//!
//! A reflink that the filesystems do not support costs 1 call on each thread.
//!
//! # Races
//!
//! *Prevented*: a source or destination that is swapped for a symlink, at any level and any moment,
//! is reported, not followed. A source that turns into another kind of entry is copied as that. A
//! mount on a directory that the copy has just created is not entered.
//!
//! *Not prevented*: a source that is written meanwhile may be copied in part old, in part new. A
//! destination directory that was moved elsewhere after it was opened is still filled. The parents
//! of the operands are found by the given paths, and symlinks in these are followed.
//!
//! # Fallbacks
//!
//! Where the kernel cannot copy between two files, their content is read and written. `openat2` is
//! replaced as in a [walk](mod@crate::walk). Outside Linux there are reflinks only on `ReFS`, holes
//! are filled, and extended attributes are not preserved.

// One run:
//
// - `copy_on` creates the state shared by all workers (`shared.rs`, `links.rs`), and calls
//   `WorkerPool::work` (`tree/`), which runs one closure on each thread.
// - `Engine::work` (`engine.rs`) is the loop of one worker. `Engine::copy_operand` (`operand.rs`)
//   finds source and destination. `Engine::step` lists, copies or descends.
// - `Worker::copy` (`entry.rs`) copies anything but a directory: `Worker::place` creates it, or
//   replaces what is there. `Worker::make_directory` creates a directory, and `Engine::leave`
//   gives it its final permissions and times.

mod content;
mod directory;
mod engine;
mod entry;
mod links;
mod operand;
mod options;
mod place;
mod predict;
mod report;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

pub use options::{Copy, Existing, Method, Preserve};
pub use report::{Report, Totals};

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use crate::error::CopyRefusal;

use crate::control::Operands;
use crate::sys::copying::Copying;
use crate::sys::{Os, Setup};
use engine::Engine;
use shared::{Destination, Shared};
use worker::Worker;

impl Copy<'_> {
    /// Copies `source`, which becomes `destination`. Returns the report with all failures.
    ///
    /// The parent of `destination` must exist. If `destination` is an existing directory, the source
    /// does not go into it, as with `cp -T`, but becomes it: an error with [`Existing::Fail`].
    pub fn run(&self, source: impl AsRef<Path>, destination: impl AsRef<Path>) -> Report {
        let destination = Destination::Path(destination.as_ref());
        copy_on::<Os>(self, &Setup::default(), &[source.as_ref()], destination)
    }

    /// Copies one source or several into an existing directory, each under its own name. Returns
    /// the report with all failures.
    ///
    /// The contents of a source that ends in `.` go into the directory itself.
    pub fn run_into(&self, sources: impl Operands, directory: impl AsRef<Path>) -> Report {
        let destination = Destination::Into(directory.as_ref());
        sources.lend(|paths| copy_on::<Os>(self, &Setup::default(), paths, destination))
    }
}

fn copy_on<S: Copying>(
    options: &Copy<'_>,
    setup: &Setup,
    sources: &[&Path],
    destination: Destination<'_>,
) -> Report {
    let setup = options.setup(setup);
    let sys = S::start(&setup);
    let shared = Shared::<S>::new(options, &sys, sources, destination);
    let next = AtomicUsize::new(0);
    let next = || sources.get(next.fetch_add(1, Ordering::Relaxed)).copied();
    shared.pool.work(sys, &setup, &shared.notifier.stop, |member, sys| {
        let _guard = member.is_caller().then(|| shared.notifier.close_at_end());
        Engine::new(Worker::new(&shared, sys, member)).work(next);
    });
    shared.into_report()
}
