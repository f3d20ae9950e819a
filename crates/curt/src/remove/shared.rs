use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::callbacks::Totals;
use super::frame::Task;
use super::options::{Confirm, Remove};
use super::report::{Counts, Report};
use super::shortage::Shortage;
use super::writers::Writers;
use crate::error::{Cause, Error, Operation, RemainReason, bug};
use crate::fields::Kind;
use crate::notifier::Notifier;
use crate::sys::{Identity, Sys};
use crate::tree::WorkerPool;

pub(crate) enum Parent<D> {
    Open(D),
    /// The parent could not be opened. If the operand's name is refused, that is reported instead.
    Failed(io::Error),
    Refused(Cause),
}

type ParentSlot<D> = Mutex<Option<Parent<D>>>;

pub(super) struct Shared<'r, S: Sys> {
    pub(super) options: &'r Remove<'r>,
    pub(super) notifier: Notifier<'r, (PathBuf, Kind), Totals>,
    pub(super) pool: WorkerPool<Task<S>>,
    /// Whether entries are removed without a confirmation, path or stat.
    pub(super) is_plain: bool,
    /// Whether every entry is to be removed, so that a directory may be relisted at any time.
    pub(super) removes_all: bool,
    pub(super) operands_overlap: bool,
    /// The operand's parent, if the caller opened it, and the path for the report.
    pub(super) parent: Option<(ParentSlot<S::Dir>, &'r Path)>,
    pub(super) root: OnceLock<Identity>,
    pub(super) shortage: Shortage,
    pub(super) writers: Writers,
    report: Mutex<Report>,
}

impl<'r, S: Sys> Shared<'r, S> {
    pub(super) fn new(
        options: &'r Remove<'r>,
        sys: &S,
        parent: Option<(Parent<S::Dir>, &'r Path)>,
        operands_overlap: bool,
    ) -> Self {
        let asks = options.confirm != Confirm::Never;
        let excludes = options.callbacks.exclude.is_some();
        // Use one worker if operands overlap, or if entries wait for the caller's answer.
        let is_alone = operands_overlap || asks || (excludes && options.callbacks.on_caller_thread);
        let notifier = Notifier::new(&options.callbacks, options.cancel);
        let removes_all = !asks && !excludes && !options.dry_run;
        Shared {
            options,
            pool: WorkerPool::new(sys, options.threads, is_alone, options.descriptors),
            is_plain: removes_all && !notifier.tells_done(),
            notifier,
            removes_all,
            operands_overlap,
            parent: parent.map(|(dir, shown)| (Mutex::new(Some(dir)), shown)),
            root: OnceLock::new(),
            shortage: Shortage::none(),
            writers: Writers::since(sys.wall_clock()),
            report: Mutex::new(Report { bytes: options.dry_run.then_some(0), ..Report::default() }),
        }
    }

    pub(super) fn take_parent(&self) -> Option<Parent<S::Dir>> {
        let (parent, _) = self.parent.as_ref()?;
        let given = parent.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Refuse; otherwise the name would be looked up in the working directory.
        Some(given.unwrap_or_else(|| Parent::Refused(bug("a parent is taken twice"))))
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.notifier.stop.is_stopped()
    }

    pub(super) fn excludes(&self) -> bool {
        self.options.callbacks.exclude.is_some()
    }

    pub(super) fn add(&self, counts: &Counts, sys: &S) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.add(counts);
        report.calls.add(&sys.calls());
        report.made_writable += sys.count_repairs();
    }

    pub(super) fn into_report(self) -> Report {
        let mut report = self.report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.threads = self.pool.queue.workers();
        for path in self.writers.into_left() {
            let cause = Cause::Remains(RemainReason::BeingWrittenTo);
            self.notifier.failed(true, Error::new(Operation::RemoveDirectory, path, cause));
        }
        let (failures, stop) = self.notifier.end();
        (report.error_count, report.errors) = (failures.count, failures.errors);
        report.stopped = stop.is_stopped();
        report
    }
}
