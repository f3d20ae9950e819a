//! Walks trees.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-walk-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("src"))?;
//! # std::fs::create_dir_all(scratch.join("target/debug"))?;
//! # std::fs::write(scratch.join("src/main.rs"), "")?;
//! # std::fs::write(scratch.join("target/debug/main"), "")?;
//! // `scratch` is a directory with src/main.rs and target/debug/main.
//! let mut files = Vec::new();
//! for entry in curt::walk(&scratch).exclude(|entry| entry.name() == "target") {
//!     let entry = entry?;
//!     if entry.kind().is_file() {
//!         files.push(entry.path);
//!     }
//! }
//! assert_eq!(files, [scratch.join("src/main.rs")]);
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Which way to walk
//!
//! | | threads | entries | use it |
//! |---|---|---|---|
//! | `for entry in walk` ([`Walk::iter`]) | the caller's | owned, in order | for small trees, and to keep the entries |
//! | [`Walk::start`] | the caller's | borrowed, in order | to avoid allocation, and to fetch fields of some entries, or remove them |
//! | [`Walk::visit`] | as many as help | borrowed, in any order | for work that needs no order: counting, searching |
//! | [`Walk::visit_with`] | as many as help | borrowed, in any order, with a value for each thread | to gather results without a lock |
//! | [`DirectoryWalk`](crate::list::DirectoryWalk) | the caller's | a directory at a time | to prune or reorder by a directory's contents, as with `os.walk` |
//!
//! In order means all entries of a directory before those of its subdirectories, unless the walk is
//! [sorted](Walk::sort_by_name). Several threads help with large trees, slow queries, or much work
//! per entry.
//!
//! Threads that print entries wait for the lock of standard output. Gather text on each thread
//! instead ([`Walk::visit_with`]).
//!
//! # Promises
//!
//! - Every entry inside an operand is yielded once: the operand first, a directory before its
//!   contents (or after them, on request). A directory that cannot be opened or read is an error in
//!   the stream, and the walk continues. Without an error, it ends early only if a callback or a
//!   [`Cancel`](crate::Cancel) token stops it. A field that cannot be queried has no value, and
//!   [`Metadata::failures`](crate::Metadata::failures) has the error.
//! - Only fields of the plan are queried, and only once.
//! - Symlinks are followed only if requested. A followed symlink to an ancestor, or a directory
//!   mounted inside itself (Linux), is an error that [names the ancestor](crate::Cause::Loop). The
//!   ancestor is found by one lookup in a set at any depth. For other symlinks that cannot be
//!   followed, see [`Follow::Links`](crate::fields::Follow::Links).
//! - Memory, descriptors and stack are bounded at any depth, and no path is too long for the walk.
//! - Mounts are entered, except with [`Walk::same_file_system`].
//! - A small tree starts no thread (see [`Threads`](crate::Threads)).
//!
//! # Call ceiling
//!
//! | | Linux | portable (POSIX) | Windows |
//! |---|---|---|---|
//! | operand | 1 (`statx`) | 1 | 1 |
//! | directory | 4 (`openat2`, or `openat` for the operand itself; 2 `getdents64`; `close`) | 5 | 4 |
//! | entry, for name and kind | 0 | 0 | 0 |
//! | entry, for other fields | as in [`fields`](crate::fields) | the same | the same |
//! | dry run | 1 for each entry, 2 to 4 for each directory | the same | 1 for each entry |
//! | dry run of several operands | 2 more for each entry | the same | the same |
//! | [`Visited::is_empty`], unless known | 3 | 3 | 3 |
//! | following symlinks | 1 for each symlink; after the first to a directory, 3 for each of its ancestors, then 1 for each directory | 1 for each symlink, 1 for each directory | the same |
//! | one filesystem, by mount | 0 | 1 for each directory | 0 |
//! | a mount point | 2, and 3 for each ancestor | – | – |
//! | one filesystem, by device | 1 for each directory | the same | the same |
//! | several threads | 1 for every 256 entries (`getrusage`) | – | – |
//! | ignore rules | 0 without any; 5 for each file | 5 | 4 |
//! | git's configuration, for each work tree | up to 6 files, 1 for a missing one | the same | the same |
//! | ignore rules above an operand | 3, and 2 or 3 for each ancestor | the same | 2 to 4 for each |
//! | depth beyond the descriptor budget | about 4 for each reopened directory | the same | the same |
//!
//! # Races
//!
//! A walk is not a snapshot. If a directory is replaced with a different kind of entry before it is
//! opened, that is an error. A symlink that replaces a directory is not followed (unless symlinks
//! are). All calls are relative to open directories, so a directory moved during its walk is walked
//! to its end. When descriptors run out, a directory is closed and later reopened by names from the
//! operand, whose own directory remains open. If those names lead to a different directory, the
//! unread rest of the original is reported as replaced. If contents come first, the parent of the
//! operand remains open as well, so that the operand is removed from its original parent.
//!
//! # Fallbacks
//!
//! Without `openat2`, a mount is recognized by comparing the open directory with its parent. On
//! Linux that costs 1 more call for each directory. Elsewhere no directory can be mounted inside
//! itself. Deep directories are reopened name by name. If listings have no kinds, each entry costs
//! one query.

// A map of `walk.visit(…)` on Linux: `work` in `visit.rs` runs the worker pool of `tree/`. Each
// worker drives a `Cursor`, and passes the entry or failure of each step to a sink. `Cursor::begin`
// queries the operand (`operand.rs`). `Cursor::next` finds the next entry of the topmost directory,
// either by `stored.rs` or by `listed.rs`. Both list the directory (`tree/reader.rs`, then
// `getdents64`), and enter the waiting subdirectories (`Branch::open_next` in `tree/branch.rs`).
// Fields missing from the listing are queried on demand: `Visited::fetch`, `position.rs`,
// `Querier::fetch` in `querier.rs`, then `statx`.
//
// - `position.rs`: the current entry, partly visible through `entry.rs`
// - `frame.rs`: the state of each ancestor, with its stored entries (`entries.rs`) and its ignore
//   rules (`rule_stack.rs`, read by `rules.rs` and `git_config.rs`)
mod chunks;
mod control;
mod cursor;
mod entries;
mod entry;
mod frame;
mod git_config;
mod listed;
mod operand;
mod options;
mod position;
mod removal;
mod rule_stack;
mod rule_text;
mod rules;
mod stored;
mod task;
#[cfg(test)]
mod tests;
mod visit;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::vec;

pub use entry::{Visited, WalkEntry};
#[cfg(fuzzing)]
#[doc(hidden)]
pub use git_config::fuzzing;
pub use options::Walk;
pub use visit::Summary;

use self::control::Control;
use self::cursor::{Cursor, Step};
use self::visit::AnyOrder;
use crate::calls::Calls;
use crate::control::{Exclude, Next, Operands};
use crate::error::Error;
use crate::fields::Metadata;
use crate::sys::{Os, Setup, Sys};
use crate::tree::{self, Stop};

/// Walks the operands, one path or several, as [`Walk::new`] does.
///
/// ```
/// for entry in curt::walk("src") {
///     println!("{}", entry?.path.display());
/// }
/// # Ok::<(), curt::Error>(())
/// ```
pub fn walk(operands: impl Operands) -> Walk<'static> {
    Walk::new(operands)
}

impl<'a> Walk<'a> {
    /// Starts the walk on this thread.
    ///
    /// Yielded entries borrow from the walk, so no entry is allocated.
    ///
    /// ```
    /// let walk = curt::Walk::new("src");
    /// let mut walking = walk.start();
    /// while let Some(entry) = walking.next() {
    ///     println!("{}", entry?.path().display());
    /// }
    /// # Ok::<(), curt::Error>(())
    /// ```
    pub fn start(&self) -> Walking<'a> {
        Walking {
            cursor: self.cursor(&Setup::default()),
            operands: self.operands.clone().into_iter(),
            exclude: self.exclude.clone(),
            stop: Stop::new(self.cancel, None),
        }
    }

    /// Returns an iterator over owned entries, which walks on the thread that uses it.
    pub fn iter(&self) -> Entries<'a> {
        Entries(self.start())
    }

    /// Walks with as many threads as help. Calls `visit` with each entry and each failure.
    ///
    /// `visit` runs on the thread that found the entry, possibly on several threads at once. Its
    /// result decides how the walk continues: `()`, a [`ControlFlow`](std::ops::ControlFlow) or a
    /// [`Next`].
    ///
    /// With several threads, entries of different directories come in any order, but a directory
    /// still comes before its contents. A walk that is sorted or yields contents first uses one
    /// thread.
    ///
    /// ```
    /// use curt::{Next, Walk};
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// let files = AtomicU64::new(0);
    /// let summary = Walk::new("src").visit(|entry| match entry {
    ///     Ok(entry) if entry.name() == ".git" => Next::Skip,
    ///     Ok(entry) => {
    ///         files.fetch_add(u64::from(entry.kind().is_file()), Ordering::Relaxed);
    ///         Next::Continue
    ///     }
    ///     Err(error) => {
    ///         eprintln!("{error}");
    ///         Next::Continue
    ///     }
    /// });
    /// assert_eq!(summary.error_count, 0);
    /// assert!(files.into_inner() > 10);
    /// ```
    pub fn visit<N: Into<Next>>(
        &self,
        visit: impl Fn(Result<Visited<'_>, Error>) -> N + Sync,
    ) -> Summary {
        self.visit_with(|| (), |(), entry| visit(entry)).0
    }

    /// Walks as [`Walk::visit`] does, with a value for each thread, to gather results without a
    /// lock.
    ///
    /// Calls `make` for the initial value of each thread. Returns the values in any order.
    ///
    /// ```
    /// let (summary, files) = curt::walk("src").visit_with(
    ///     || 0,
    ///     |files, entry| *files += usize::from(entry.is_ok_and(|entry| entry.kind().is_file())),
    /// );
    /// assert_eq!(summary.error_count, 0);
    /// assert!(files.into_iter().sum::<usize>() > 10);
    /// ```
    pub fn visit_with<T: Send, N: Into<Next>>(
        &self,
        make: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, Result<Visited<'_>, Error>) -> N + Sync,
    ) -> (Summary, Vec<T>) {
        // A sorted walk needs a single thread, because each worker calls its visitor immediately.
        let one_thread = self.settings.is_sorted;
        let (setup, stop) = (Setup::default(), Stop::new(self.cancel, None));
        let values = Mutex::default();
        let make = || AnyOrder { value: make(), visit: &visit, values: &values };
        let summary = visit::work::<Os, _>(self, &setup, &stop, one_thread, &make);
        (summary, values.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Walks as [`Walk::visit`] does, and consumes the results: in order if the walk is sorted.
    ///
    /// `consume` runs on one thread at a time. It must leave the chunk as empty as the default, for
    /// reuse. If a sorted walk is stopped, only the chunks before the first missing one are
    /// consumed.
    pub(crate) fn visit_in_chunks<S: Sys, C: Default + Send>(
        &self,
        setup: &Setup,
        stop: &Stop<'_>,
        visit: impl Fn(Result<Visited<'_>, Error>, &mut C) -> Next + Sync,
        consume: impl FnMut(&mut C) + Send,
    ) -> Summary {
        chunks::visit_in_chunks::<S, _>(self, setup, stop, &visit, consume)
    }

    /// Queries the operands without walking them, and passes each result to `take`. Returns the
    /// system calls made.
    pub(crate) fn query_operands<S: Sys>(
        &self,
        setup: &Setup,
        mut take: impl FnMut(usize, Result<&mut Metadata, Error>) -> Next,
    ) -> Calls {
        let mut cursor = self.cursor::<S>(setup);
        for (index, operand) in self.operands.iter().enumerate() {
            let queried = match cursor.begin(operand) {
                Some(Step::Error(error)) => Err(error),
                _ => Ok(&mut cursor.metadata),
            };
            if take(index, queried) == Next::Stop {
                break;
            }
        }
        cursor.sys().calls()
    }

    fn setup(&self, setup: &Setup) -> Setup {
        setup.for_listing(self.without)
    }

    fn cursor<S: Sys>(&self, setup: &Setup) -> Cursor<S> {
        let sys = S::start(&self.setup(setup));
        let descriptors = tree::descriptor_budget(&sys, self.max_descriptors);
        Cursor::new(sys, self, descriptors)
    }
}

/// A walk in progress on this thread.
///
/// Not an `Iterator`, because entries borrow from it. Loop with
/// `while let Some(entry) = walking.next()`; for a `for` loop, use the [`Walk`] itself.
#[must_use = "a walk does nothing until it is asked for entries"]
pub struct Walking<'a> {
    cursor: Cursor<Os>,
    operands: vec::IntoIter<PathBuf>,
    exclude: Option<Exclude<'a>>,
    stop: Stop<'a>,
}

impl fmt::Debug for Walking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walking").field("operands", &self.operands).finish_non_exhaustive()
    }
}

impl Walking<'_> {
    /// Returns the next entry or failure, or `None` at the end or after a cancellation.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<Visited<'_>, Error>> {
        loop {
            match self.next_step()? {
                Step::Entry => return Some(Ok(self.cursor.entry())),
                Step::Error(error) => return Some(Err(error)),
                Step::ResultsOf(_) => {}
            }
        }
    }

    fn next_step(&mut self) -> Option<Step> {
        let Walking { cursor, operands, exclude, stop } = self;
        let control = Control { stop, exclude: exclude.as_ref(), polls: false };
        while !stop.is_stopped() {
            let mut step = cursor.next(&control);
            if step.is_none() && !stop.is_stopped() {
                step = cursor.begin(&operands.next()?);
            }
            if step.is_some() {
                return step;
            }
        }
        None
    }

    /// Skips only the contents of the directory just yielded, not its siblings.
    pub fn skip(&mut self) {
        self.cursor.skip();
    }
}

impl<'a> IntoIterator for Walk<'a> {
    type Item = Result<WalkEntry, Error>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Walk<'a> {
    type Item = Result<WalkEntry, Error>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// Iterates over the owned entries of a walk.
#[derive(Debug)]
#[must_use = "iterators do nothing until they are used"]
pub struct Entries<'a>(Walking<'a>);

impl Iterator for Entries<'_> {
    type Item = Result<WalkEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(Visited::into_entry))
    }
}
