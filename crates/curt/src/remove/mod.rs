//! Removing trees.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-remove-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("build/debug"))?;
//! # std::fs::write(scratch.join("build/debug/a.o"), "")?;
//! # std::fs::write(scratch.join("build/keep"), "")?;
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
//! - Everything below an operand that can be removed is removed. The rest is reported: one error
//!   for each entry that failed, and none for the directories that stay because of it, unless
//!   [`Remove::try_parents`] is set.
//! - Symbolic links are removed and never followed. An operand that ends in a separator must be a
//!   directory itself: `link/` is an error, and the target of the link is not touched.
//! - No path is resolved twice: every call names one entry of an open directory, never `..`. The
//!   exception is a directory that was closed for the descriptor budget: it is reopened by several
//!   names in one call, which refuses links, or where the system has fewer than 8 descriptors left,
//!   by `..` from one below it, and its identity is compared.
//! - Descriptors and stack are bounded at any depth and any number of entries. So is memory, apart
//!   from the errors that the report keeps (see [`Remove::on_error`]), the names of the entries
//!   that stay, those of the subdirectories in one buffer of listing for each level (64 KiB, or
//!   1 MiB in a huge directory), and, in a dry run of operands that may overlap, the removed
//!   directories and the names removed from others. So is the time a process can add by creating
//!   entries.
//! - Mounts below an operand are not crossed, and the root directory is not removed, unless that
//!   was asked for.
//! - A removal is **not atomic**: other processes see a part of the tree meanwhile, and entries
//!   that were removed before a failure stay removed.
//!
//! # Call ceiling
//!
//! For N entries that are not directories and M directories, the operand included:
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | entry that is not a directory | 1 (`unlinkat`) | 1 |
//! | directory | 5 (`openat2`, `getdents64` twice, `unlinkat`, `close`) | 6 (`openat`, `fstat`, `readdir`, which makes 2, `unlinkat`, `close`) |
//! | each further 64 KiB of listing | 1 | 1 |
//! | operand whose parent is not that of the operand before | 2 more (`openat`, `close`); none if it is a name alone | the same |
//! | operand that is a directory, also for contents only | 2 more (`statx`), and `openat` instead of `openat2` | 2 more |
//! | operand that is not a directory | 1 more (`openat`) | the same |
//! | directory that stays: contents only, or a failure in it | 3 for each further listing, until nothing new is found | the same |
//! | directory that is listed for longer than the retry window | one more listing of the entries that are left then | the same |
//! | every 1,024 entries | 1 (`statx`) for the next directory | the same |
//! | once | 2 (the descriptor limit, the identity of the root) | the same |
//! | several threads | 1 for 256 entries (`getrusage`), 20 for each thread | 20 for each thread |
//! | question | 1 or 2 for each entry | the same |
//! | dry run | 1 for each entry; for each directory 1 more, and 2 to 4 for the right to remove what is in it | the same |
//! | the same, of operands that may overlap | 2 more for each entry | the same |
//! | depth beyond the descriptor budget | about 6 for each directory that is reopened (`openat2`, 2 `statx`, `getdents64`, `close`, and some to reach it) | the same |
//!
//! That is N + 5M on Linux. No entry is asked for its metadata unless an option needs it.
//!
//! # Races
//!
//! *Prevented*:
//!
//! - A directory that is swapped for a link, at any level and any moment, is not followed.
//! - An entry that changes its kind is treated as what it is when it is removed, and an entry that
//!   vanishes is no error.
//! - A mount that appears is refused by the call that would enter it or, without `openat2`, by
//!   comparing the directory that was opened with its parent.
//! - A directory that grows is emptied again, for as long as [`Remove::retries`] says, and then
//!   reported. One that stays anyway is listed until nothing new is found. A process that adds
//!   entries as fast as they are removed, to one directory or in new ones ahead of the removal, is
//!   tolerated for as long.
//! - An operand that is renamed while it is removed is reported, and an entry that has taken its
//!   name stays. Its name is looked up last right before it is removed itself.
//!
//! *Not prevented*:
//!
//! - Entries that are moved **into** the tree while it is removed go with it.
//! - A directory that is moved out of the tree after it was opened is still emptied.
//! - A file that replaces another one of the same name before its turn is removed in its place. So
//!   is an empty directory that replaces one that was just emptied, except on Windows, where a
//!   directory is removed by its handle unless that is denied; an operand only after that look.
//! - The parent of an operand is found by the path as it was given, and links in it are followed.
//!
//! # Fallbacks
//!
//! Without `openat2` (Linux before 5.6, or a filter that refuses it): `openat` and a comparison of
//! mounts, one call more for each directory. Without `statx` or its mount numbers: devices are
//! compared, which cannot detect a bind mount of the same file system. If the listing has no kinds,
//! the entry is unlinked, which on Linux never removes a directory; elsewhere a stat tells its
//! kind. When the descriptor budget is used up, ancestors are closed, and reopened when the removal
//! comes back to them. The same tests run all of this on the portable platform too, on Linux.
//!
//! # Compared with others
//!
//! | | calls for a directory | inner links safe | `link/` | 10,000 levels, 1,024 descriptors | same-device bind mount | after an error |
//! |---|---|---|---|---|---|---|
//! | curt | 5 | yes | error, nothing touched | yes | refused | goes on, all reported |
//! | GNU rm 9.1 | 17 | yes | empties the target, exits 0 | yes | emptied | goes on, all reported |
//! | Rust std 1.95 | 8 | yes | empties the target | fails | emptied | stops |
//! | Zig `deleteTree` | 5 | yes | – | quadratic | emptied | stops |
//! | Go `RemoveAll` | 6 | yes | removes the link | fails | emptied | goes on, first reported |
//! | Python `shutil.rmtree` | 13 | on Unix | empties the target, then fails | fails | emptied | by callback |

// One run, from the public function to the system call:
//
// - `Remove::run`, below (what was asked for is in `options.rs`), calls `remove_on`, which makes
//   what all workers share (`shared.rs`, with `shortage.rs` and `writers.rs`) and calls
//   `Crew::work` of `tree/`: that runs one closure on each thread.
// - `Engine::work` (`engine.rs`) is the loop of one worker. `Engine::remove_operand` (`operand.rs`)
//   opens an operand that is a tree, and `Engine::remove_levels` empties and removes it.
// - `Engine::read_batch` lists the topmost directory into the buffer (`listing.rs`, then
//   `Sys::read_entries`, which is `getdents64`); `handle_entry` keeps a directory's name for
//   later, and removes any other entry by `Worker::remove_listed` (`entry.rs`) and
//   `Sys::remove_child` (`unlinkat`); `Engine::enter_next` opens a subdirectory by
//   `Sys::open_child` (`openat2`). The state of one directory is in `frame.rs`, and how often
//   it is listed in `passes.rs`.
// - `Engine::leave_top` (`leave.rs`) removes it by `Sys::remove_open_dir`, or lists it again.
//
// Threads: `Worker::tick` calls `Crew::checkpoint`, which starts them; `Engine::hand_off` gives a
// part of a directory to one that has no work. Failures: `Worker::fail` passes them to the
// `Notifier`, which keeps them and calls the callbacks (`callbacks.rs`), each on the right thread;
// `Stop` of `tree/` says whether one has stopped the removal.
// `worker.rs` counts; `report.rs` is the result.

mod callbacks;
mod engine;
mod entry;
mod frame;
mod leave;
mod listing;
mod notifier;
mod operand;
mod options;
mod passes;
mod report;
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

pub use crate::error::Kept;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::control::{Operands, Threads};
use crate::sys::{Os, Setup, Sys};
use crate::tree::Stop;
use engine::Engine;
pub(crate) use shared::Given;
use shared::Shared;
use worker::Worker;

/// Removes a tree: a directory with everything below it, a file, or a link (never its target).
/// Takes one path or several.
///
/// Returns the report, or an error that carries it if anything is left. The defaults are the safe
/// ones: see [`Remove::new`]. Not atomic: entries that were removed before a failure stay removed.
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
    /// Removes the operands, one path or several, and returns the report with everything that
    /// failed.
    ///
    /// Several operands share the threads, unless one is below another or, in a dry run, could be
    /// because they are not names in one directory; with one thread they are removed in order.
    /// Consecutive operands that lie in the same directory share the call that opens it.
    #[must_use = "a removal may have failed; the report says so"]
    pub fn run(&self, operands: impl Operands) -> Report {
        operands.lend(|paths| remove_on::<Os>(self, &Setup::default(), paths, None))
    }

    /// Removes the last name of a path from the directory that holds it, which the caller has
    /// opened, or could not open. Paths in the report begin with `shown`.
    pub(crate) fn run_in(&self, dir: Given<<Os as Sys>::Dir>, path: &Path, shown: &Path) -> Report {
        remove_on::<Os>(self, &Setup::default(), &[path], Some((dir, shown)))
    }
}

/// Removes operands on a platform. `parent` is the directory that holds the last name of the only
/// one, if the caller has opened it, and the path to report instead.
fn remove_on<S: Sys>(
    options: &Remove<'_>,
    setup: &Setup,
    operands: &[&Path],
    parent: Option<(Given<S::Dir>, &Path)>,
) -> Report {
    let setup = options.setup(setup);
    let sys = S::start(&setup);
    // One thread has no need to know: sorting can take a third as long as removing as many files.
    let is_alone = matches!(options.threads, Threads::AtMost(0 | 1));
    let stop = Stop::new(options.cancel, options.callbacks.poll.as_ref());
    let goes_on = || {
        stop.poll(|| sys.now());
        !stop.is_stopped()
    };
    // By the text alone a dry run can only rule it out for names in one directory.
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
    shared.crew.work(sys, &setup, &shared.notifier.stop, |member, sys| {
        let _guard = member.is_caller().then(|| shared.notifier.close_at_end());
        Engine::new(Worker::new(&shared, sys, member)).work(next);
    });
    shared.into_report()
}

/// Returns whether an operand is another one, or below it, as far as the text tells. Such operands
/// are removed one after the other: in parallel, one could vanish with the other before its turn.
/// Many operands take a while, so it asks in between whether to go on.
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
    // What is below a path comes right after it.
    sorted.iter().zip(sorted.iter().skip(1)).any(|(above, path)| path.starts_with(above))
}

/// Removes paths on a platform that a test has set up.
#[cfg(test)]
pub(crate) fn run_on<S: Sys>(
    options: &Remove<'_>,
    setup: &Setup,
    paths: &[std::path::PathBuf],
) -> Report {
    paths.lend(|paths| remove_on::<S>(options, setup, paths, None))
}
