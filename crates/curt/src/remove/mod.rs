//! Removes trees.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-remove-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("build/debug"))?;
//! # std::fs::write(scratch.join("build/debug/a.o"), "")?;
//! # std::fs::write(scratch.join("build/keep"), "")?;
//! // `scratch` is a directory with build/keep and build/debug/a.o.
//! // `remove_tree` removes everything. `Remove` has options.
//! let removal = curt::Remove::new().exclude(|entry| entry.name() == "keep");
//! let report = removal.run(scratch.join("build"));
//! for error in &report.errors {
//!     eprintln!("{error}");
//! }
//! assert!(report.is_complete());
//! assert_eq!((report.files, report.directories, report.skipped), (1, 1, 1));
//!
//! curt::remove_tree(scratch.join("build"))?;
//! # std::fs::remove_dir(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! - Everything inside an operand is removed if possible. The rest is reported, with one error for
//!   each entry that failed, and none for its parents unless [`Remove::try_parents`] is set.
//! - Symlinks are removed and never followed. `link/` is an error.
//! - No path is resolved twice: every call names one entry of an open directory, never `..`. The
//!   only exception is a directory closed for lack of descriptors. It is reopened by several names
//!   in one call that refuses symlinks, or, below 8 descriptors, by `..` from a descendant. The
//!   reopened directory must have the same identity.
//! - Descriptors and stack are bounded at any depth and any number of entries. So is memory, except
//!   for errors (see [`Remove::on_error`]), the names of entries that remain, the names of
//!   subdirectories in one listing buffer per level (64 KiB, or 1 MiB in a huge directory), and, in
//!   a dry run of operands that may overlap, the names already removed. The time that a concurrent
//!   writer can add is bounded, too.
//! - Mounts inside an operand are not crossed, and the root directory is not removed, unless
//!   requested.
//! - A removal is **not atomic**: other processes see partial trees, and a failure does not bring
//!   back entries already removed.
//!
//! # Call ceiling
//!
//! For N non-directories and M directories, including the operand:
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | non-directory | 1 (`unlinkat`) | 1 |
//! | directory | 5 (`openat2`, `getdents64` twice, `unlinkat`, `close`) | 6 (`openat`, `fstat`, 2 by `readdir`, `unlinkat`, `close`) |
//! | each further 64 KiB of listing | 1 | 1 |
//! | operand whose parent differs from the previous operand's | 2 more (`openat`, `close`); 0 for a bare name | the same |
//! | directory operand, even for contents only | 2 more (`statx`), and `openat` instead of `openat2` | 2 more |
//! | non-directory operand | 1 more (`openat`) | the same |
//! | directory that remains: contents only, or a failure in it | 3 for each relisting, until one finds no new entry | the same |
//! | directory listed for longer than the retry window | one more listing of the remaining entries | the same |
//! | every 1,024 entries | 1 (`statx`) for the next directory | the same |
//! | once | 2 (the descriptor limit, the identity of the root) | the same |
//! | several threads | 1 for every 256 entries (`getrusage`), 20 for each thread | 20 for each thread |
//! | confirmation | 1 or 2 for each entry | the same |
//! | dry run | 1 for each entry; for each directory 1 more, and 2 to 4 to check permissions inside it | the same |
//! | dry run of operands that may overlap | 2 more for each entry | the same |
//! | depth beyond the descriptor budget | about 6 for each reopened directory (`openat2`, 2 `statx`, `getdents64`, `close`, and some to reach it) | the same |
//!
//! The total is N + 5M on Linux. An entry's metadata is queried only if an option needs it.
//!
//! # Races
//!
//! *Prevented*:
//!
//! - A directory swapped for a symlink, at any level and any moment, is not followed.
//! - An entry is handled by its kind at the moment of removal. It may vanish before that.
//! - A new mount is refused by the call that would enter it or, without `openat2`, by comparing the
//!   opened directory with its parent.
//! - A directory that grows is emptied again within the limits of [`Remove::retries`], then
//!   reported. This holds even if entries are added as fast as they are removed, or in new
//!   directories ahead of the removal.
//! - An operand renamed during its removal is reported, and an entry that took its name remains.
//!   The name is last checked right before the operand itself is removed.
//!
//! *Not prevented*:
//!
//! - Entries moved **into** the tree during the removal are removed with it.
//! - A directory moved out of the tree after it was opened is still emptied.
//! - If a listed file is replaced with another file, the new file is removed. If a directory just
//!   emptied is replaced with an empty directory, the new directory is removed (for an operand,
//!   only after the last check of its name). Windows prevents this second race, where permitted, by
//!   removing a directory by its handle.
//! - The parent of an operand is found by the given path, and symlinks in that path are followed.
//!
//! # Fallbacks
//!
//! Without `openat2` (Linux before 5.6, or a filter that refuses it), `openat` and a comparison of
//! mounts cost one more call for each directory. Without `statx` or its mount numbers, devices are
//! compared instead, which cannot detect a bind mount of the same filesystem. If the listing has no
//! kinds, each entry is unlinked on Linux, where `unlinkat` never removes a directory. Elsewhere a
//! stat finds its kind.
//!
//! # Compared with others
//!
//! | | calls for a directory | inner symlinks safe | `link/` | 10,000 levels, 1,024 descriptors | same-device bind mount | after an error |
//! |---|---|---|---|---|---|---|
//! | curt | 5 | yes | error, nothing touched | yes | refused | continues, reports all |
//! | GNU rm 9.1 | 17 | yes | empties the target, exits 0 | yes | emptied | continues, reports all |
//! | Rust std 1.95 | 8 | yes | empties the target | fails | emptied | stops |
//! | Zig `deleteTree` | 5 | yes | – | quadratic | emptied | stops |
//! | Go `RemoveAll` | 6 | yes | removes the symlink | fails | emptied | continues, reports the first |
//! | Python `shutil.rmtree` | 13 | on Unix | empties the target, then fails | fails | emptied | by callback |

// One run:
//
// - `Remove::run` calls `remove_on`, which creates the state shared by all workers (`shared.rs`,
//   `shortage.rs`, `writers.rs`), and calls `WorkerPool::work` (`tree/`), which runs one closure on
//   each thread.
// - `Engine::work` (`engine.rs`) is the loop of one worker. `Engine::remove_operand` (`operand.rs`)
//   opens a tree, and `Engine::remove_levels` empties and removes it.
// - `Engine::read_batch` lists the topmost directory into the buffer (`listing.rs`, then
//   `getdents64`). `handle_entry` saves the name of a directory for later, and removes any other
//   entry by `Worker::remove_listed` (`entry.rs`, then `unlinkat`). `Engine::enter_next` opens a
//   subdirectory (`openat2`), whose state is in `frame.rs`. `rounds.rs` decides how often it is
//   listed.
// - `Engine::leave_top` (`leave.rs`) removes the directory, or relists it.
//
// `Worker::tick` calls `WorkerPool::checkpoint`, which starts threads. `Engine::hand_off` gives
// part of a directory to an idle worker. `Worker::fail` passes failures to the `Notifier`.

mod callbacks;
mod engine;
mod entry;
mod frame;
mod leave;
mod listing;
mod operand;
mod options;
mod report;
mod rounds;
mod shared;
mod shortage;
#[cfg(test)]
mod tests;
mod worker;
mod writers;

#[cfg(test)]
pub(crate) use crate::control::Cancel;
pub use callbacks::{Question, Subject, Totals};
pub use options::{Confirm, DirectoryOperands, Preserve, Remove};
pub use report::{Incomplete, Report};

pub use crate::error::RemainReason;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::control::{Operands, Threads};
use crate::sys::{Os, Setup, Sys};
use crate::tree::Stop;
use engine::Engine;
pub(crate) use shared::Parent;
use shared::Shared;
use worker::Worker;

/// Removes trees: directories with everything inside, files, and symlinks (never their targets).
///
/// Returns the report if everything was removed, otherwise an error that contains the report.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("target/debug"))?;
/// // `scratch` is a directory with target/debug/.
/// let report = curt::remove_tree(scratch.join("target"))?;
/// assert_eq!(report.directories, 2);
/// # std::fs::remove_dir(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn remove_tree(operands: impl Operands) -> Result<Report, Incomplete> {
    Remove::new().run(operands).into_result()
}

impl Remove<'_> {
    /// Removes one operand or several. Returns the report with all failures.
    ///
    /// Several threads remove operands in parallel, unless one operand contains another. A dry run
    /// works in parallel only if all operands are names in one directory. A single thread removes
    /// operands in order. Consecutive operands in one directory share the call that opens it.
    #[must_use = "a removal may have failed; the report says so"]
    pub fn run(&self, operands: impl Operands) -> Report {
        operands.lend(|paths| remove_on::<Os>(self, &Setup::default(), paths, None))
    }

    /// Removes the last component of `path` from its parent, which the caller has opened or failed
    /// to open. Paths in the report begin with `shown`.
    pub(crate) fn run_in(&self, at: Parent<<Os as Sys>::Dir>, path: &Path, shown: &Path) -> Report {
        remove_on::<Os>(self, &Setup::default(), &[path], Some((at, shown)))
    }
}

/// For a single operand, `parent` can be its opened parent and the path to report.
fn remove_on<S: Sys>(
    options: &Remove<'_>,
    setup: &Setup,
    operands: &[&Path],
    parent: Option<(Parent<S::Dir>, &Path)>,
) -> Report {
    let setup = options.setup(setup);
    let sys = S::start(&setup);
    // A single thread needs no check for overlaps, which takes up to a third of the removal's time.
    let is_alone = matches!(options.threads, Threads::AtMost(0 | 1));
    let stop = Stop::new(options.cancel, options.callbacks.poll.as_ref());
    let goes_on = || {
        stop.poll(|| sys.now());
        !stop.is_stopped()
    };
    // In a dry run, assume an overlap unless all operands are in one directory.
    let is_elsewhere =
        |path: &&Path| path.file_name().is_none() || path.parent() != operands[0].parent();
    let overlaps = options.dry_run && operands.len() > 1 && operands.iter().any(is_elsewhere)
        || (options.dry_run || !is_alone) && overlap(operands, goes_on);
    let shared = Shared::<S>::new(options, &sys, parent, overlaps);
    if stop.is_stopped() {
        shared.notifier.stop.stop();
    }
    let next = AtomicUsize::new(0);
    let next = || operands.get(next.fetch_add(1, Ordering::Relaxed)).copied();
    shared.pool.work(sys, &setup, &shared.notifier.stop, |member, sys| {
        let _guard = member.is_caller().then(|| shared.notifier.close_at_end());
        Engine::new(Worker::new(&shared, sys, member)).work(next);
    });
    shared.into_report()
}

/// Returns whether one operand equals or contains another, by path only. In parallel, the inner one
/// could vanish before its turn. Sorting many paths takes time, so `goes_on` is called for each
/// path.
fn overlap(operands: &[&Path], mut goes_on: impl FnMut() -> bool) -> bool {
    if operands.len() < 2 {
        return false;
    }
    let mut sorted = BTreeSet::new();
    for path in operands {
        if !goes_on() {
            return false;
        }
        if !sorted.insert(path.strip_prefix(".").unwrap_or(path)) {
            return true;
        }
    }
    sorted.iter().zip(sorted.iter().skip(1)).any(|(above, path)| path.starts_with(above))
}

#[cfg(test)]
pub(crate) fn run_on<S: Sys>(
    options: &Remove<'_>,
    setup: &Setup,
    paths: &[std::path::PathBuf],
) -> Report {
    paths.lend(|paths| remove_on::<S>(options, setup, paths, None))
}
