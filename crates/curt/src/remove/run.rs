//! One removal: what its workers share, and how they are started.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::engine::Engine;
use super::options::{Confirm, Remove, Totals};
use super::report::Report;
use super::room::Shortage;
use super::share::Task;
use super::writers::Writers;
use crate::control::Cancel;
use crate::error::{Cause, Error, Operation};
use crate::pause::Backoff;
use crate::sys::{Feature, Identity, Mounts, Setup, Sys, SystemUnit};
use crate::tree::{Crew, Pool, Sample, TreePath, budget};

/// How often the guess that a listing has ended may be wrong before it is no longer made.
pub(super) const WRONG_GUESSES: u32 = 4;
/// What the workers of one removal share.
pub(super) struct Run<'r, S: Sys> {
    pub(super) options: Remove<'r>,
    pub(super) crew: Crew<Task<S>>,
    /// Nothing but removal was asked for: no question, no path, no stat per entry.
    pub(super) plain: bool,
    /// Nobody chooses what stays.
    pub(super) empties: bool,
    /// For what is in use.
    pub(super) backoff: Mutex<Backoff>,
    /// Of descriptors or memory.
    pub(super) shortage: Shortage,
    /// How many directories all workers together may hold open.
    descriptors: usize,
    pub(super) root: OnceLock<Identity>,
    pub(super) writers: Writers,
    /// Guesses that were wrong, and those that are being tested.
    guesses: AtomicU32,
    operands: &'r [&'r Path],
    /// The open directory that the operands are names in, if they are not paths.
    pub(super) below: Option<Arc<S::Dir>>,
    next_operand: AtomicUsize,
    totals: Mutex<Totals>,
    report: Mutex<Report>,
}

impl<'r, S: Sys> Run<'r, S> {
    /// Removes the operands and returns the report.
    ///
    /// With a directory to be `below`, each operand is a name in it.
    pub(super) fn remove(
        options: &Remove<'r>,
        setup: &Setup,
        operands: &'r [&'r Path],
        below: Option<S::Dir>,
    ) -> Report {
        // In steps, because what each has on the stack lies below all that follows otherwise.
        let run = Run::<S>::begin(options, setup, operands, below);
        run.work(&setup.with(options.without));
        run.end()
    }

    fn begin(
        options: &Remove<'r>,
        setup: &Setup,
        operands: &'r [&'r Path],
        below: Option<S::Dir>,
    ) -> Self {
        let first = S::start(setup);
        let limit = options.descriptors.unwrap_or_else(|| first.descriptor_limit() / 2);
        let budget = budget(limit);
        let is_alone = options.confirm != Confirm::Never;
        let begin = Sample { now: first.now(), ..Sample::default() };
        let report = Report { calls: first.calls(), ..Report::default() };
        Run {
            options: options.clone(),
            crew: Crew::new(options.threads, is_alone, budget, begin),
            plain: is_plain(options),
            empties: empties(options),
            backoff: Mutex::new(Backoff::new(options.retry_window)),
            shortage: Shortage::default(),
            descriptors: budget,
            root: OnceLock::new(),
            writers: Writers::since(first.wall_clock()),
            guesses: AtomicU32::new(0),
            operands,
            below: below.map(Arc::new),
            next_operand: AtomicUsize::new(0),
            totals: Mutex::default(),
            report: Mutex::new(report),
        }
    }

    fn end(self) -> Report {
        let options = &self.options;
        let threads = self.pool().workers();
        let mut report = self.report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.threads = threads;
        for path in self.writers.unreported() {
            let error = Error::new(Operation::Remove, path, Cause::BeingWrittenTo);
            options.observer.failed(&error);
            report.error_count += 1;
            report.errors.push(error);
        }
        report.cancelled = options.cancel.is_some_and(Cancel::is_cancelled);
        report.errors.truncate(options.keep_errors);
        if options.count_bytes {
            report.bytes.get_or_insert(0);
        }
        report
    }

    fn work(&self, setup: &Setup) {
        self.crew.work(|number, start| {
            Engine::<S>::new(self, setup, number, start).work();
        });
    }

    /// Where the workers meet.
    pub(super) fn pool(&self) -> &Pool<Task<S>> {
        &self.crew.pool
    }

    /// How many directories the worker of this number may hold open.
    pub(super) fn descriptors_of(&self, number: usize) -> usize {
        self.crew.descriptors_of(number, self.descriptors)
    }

    /// The next operand, in order.
    pub(super) fn next_operand(&self) -> Option<&'r Path> {
        self.operands.get(self.next_operand.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// What to do at a mount point below an operand.
    pub(super) fn mounts(&self) -> Mounts {
        if self.options.cross_mounts { Mounts::Cross } else { Mounts::Refuse }
    }

    /// Whether to guess that a listing with room left in its buffer has ended.
    pub(super) fn may_guess(&self) -> bool {
        !self.options.without.has(Feature::ShortListing)
            && self.guesses.load(Ordering::Relaxed) < WRONG_GUESSES
    }

    /// A guess is about to be tested, if it may be. It is counted as wrong until it turns out to
    /// be right, so that no number of threads makes more wrong ones than are allowed.
    pub(super) fn begin_guess(&self) -> bool {
        let more = |guesses| (guesses < WRONG_GUESSES).then_some(guesses + 1);
        self.guesses.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// A guess was right.
    pub(super) fn end_guess(&self) {
        self.guesses.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.options.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// Adds to the totals that progress shows.
    pub(super) fn progress(&self, files: u64, directories: u64) {
        let totals = {
            let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
            totals.files += files;
            totals.directories += directories;
            *totals
        };
        self.options.observer.progress(&totals);
    }

    /// Whether helpers may be used at all.
    pub(super) fn may_share(&self) -> bool {
        self.crew.may_share()
    }

    /// Adds what a worker did to the report.
    pub(super) fn add(&self, part: &mut Report, sys: &S) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.files += part.files;
        report.directories += part.directories;
        report.skipped += part.skipped;
        report.appeared += part.appeared;
        report.vanished += part.vanished;
        report.error_count += part.error_count;
        if let Some(bytes) = part.bytes {
            *report.bytes.get_or_insert(0) += bytes;
        }
        report.errors.append(&mut part.errors);
        report.calls.add(&sys.calls());
    }
}

/// Whether an entry needs nothing but its removal.
fn is_plain(options: &Remove<'_>) -> bool {
    options.confirm == Confirm::Never
        && options.exclude.is_none()
        && !options.dry_run
        && !options.count_bytes
        && !options.observer.wants_removed()
}

/// Whether all entries are to go: nobody is asked, and nothing is kept.
fn empties(options: &Remove<'_>) -> bool {
    options.confirm == Confirm::Never && options.exclude.is_none() && !options.dry_run
}

/// A path from units, for errors and events.
pub(super) fn to_path<S: Sys>(path: &TreePath<S::Unit>) -> PathBuf {
    S::Unit::path(path.units().to_vec())
}
