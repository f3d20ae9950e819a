use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::engine::Task;
use super::links::HardLinks;
use super::options::{Copy, Method, Preserve};
use super::report::{Counts, Report, Totals};
use crate::notifier::Notifier;
use crate::sys::copying::{Copying, Kept};
use crate::sys::{Last, Sys, SystemUnit};
use crate::tree::{Limits, WorkerPool};
use curt_paths::Flavor;

/// Where the sources go.
#[derive(Clone, Copy)]
pub(super) enum Destination<'r> {
    /// The source becomes this path.
    Path(&'r Path),
    /// Each source keeps its name in this directory.
    Into(&'r Path),
}

pub(super) struct Shared<'r, S: Copying> {
    pub(super) options: &'r Copy<'r>,
    pub(super) kept: Kept,
    pub(super) limits: Limits,
    pub(super) notifier: Notifier<'r, (PathBuf, PathBuf), Totals>,
    pub(super) pool: WorkerPool<Task<S>>,
    pub(super) destination: Destination<'r>,
    /// Whether several sources may have entries of one name in the destination.
    pub(super) are_repeated: bool,
    pub(super) links: HardLinks<S>,
    unsupported: Mutex<HashMap<(u64, u64), Unsupported>>,
    report: Mutex<Report>,
}

impl<'r, S: Copying> Shared<'r, S> {
    pub(super) fn new(
        options: &'r Copy<'r>,
        sys: &S,
        sources: &[&'r Path],
        destination: Destination<'r>,
    ) -> Self {
        let mut names = HashSet::new();
        let mut is_repeated = |source: &&Path| match S::Unit::operand(source).last {
            Last::Name(name) => {
                let name = S::Unit::path(name.as_name().units().to_vec());
                !names.insert(same_name::<S>(name.as_os_str()))
            }
            // Its contents go into the directory itself.
            _ => sources.len() > 1,
        };
        let are_repeated =
            matches!(destination, Destination::Into(_)) && sources.iter().any(&mut is_repeated);
        let excludes = options.callbacks.exclude.is_some();
        // Use one worker if sources may meet in one directory, if entries wait for the caller's
        // answer, or if nothing is written.
        let is_alone = are_repeated
            || options.confirm.is_some()
            || options.dry_run
            || (excludes && options.callbacks.on_caller_thread);
        Shared {
            options,
            kept: options.kept(S::ALWAYS),
            limits: options.limits(),
            notifier: Notifier::new(&options.callbacks, options.cancel),
            pool: WorkerPool::new(sys, options.threads, is_alone, options.descriptors),
            destination,
            are_repeated,
            links: HardLinks::new(),
            unsupported: Mutex::default(),
            report: Mutex::default(),
        }
    }

    pub(super) fn keeps_links(&self) -> bool {
        self.options.preserve.contains(Preserve::LINKS)
    }

    pub(super) fn unsupported(&self, devices: (u64, u64)) -> Unsupported {
        let unsupported = self.unsupported.lock().unwrap_or_else(PoisonError::into_inner);
        unsupported.get(&devices).copied().unwrap_or_default()
    }

    pub(super) fn add_unsupported(&self, devices: (u64, u64), method: Method) -> Unsupported {
        let mut unsupported = self.unsupported.lock().unwrap_or_else(PoisonError::into_inner);
        let known = unsupported.entry(devices).or_default();
        known.0 |= 1 << method as u8;
        *known
    }

    pub(super) fn add(&self, counts: &Counts, sys: &S) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.add(counts);
        report.calls.add(&sys.calls());
    }

    pub(super) fn into_report(self) -> Report {
        let mut report = self.report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.threads = self.pool.queue.workers();
        let (failures, stop) = self.notifier.end();
        (report.error_count, report.errors) = (failures.count, failures.errors);
        report.stopped = stop.is_stopped();
        report
    }
}

/// Returns the same name for all spellings that may belong to one entry.
pub(super) fn same_name<S: Copying>(name: &OsStr) -> OsString {
    match S::FLAVOR {
        Flavor::Windows => name.to_string_lossy().to_lowercase().into(),
        Flavor::Posix => name.to_owned(),
    }
}

/// The methods that are known not to work for a pair of file systems, one bit each.
#[derive(Clone, Copy, Default)]
pub(super) struct Unsupported(u8);

impl Unsupported {
    pub(super) fn contains(self, method: Method) -> bool {
        self.0 >> method as u8 & 1 == 1
    }
}

/// What is known about the directory into which a worker copies.
pub(super) struct Place<S: Sys> {
    /// The directory in which the operand's copy is, and the length of its path.
    pub(super) root: Arc<S::Dir>,
    pub(super) root_len: usize,
    pub(super) device: u64,
    /// Whether this copy has created it, or else the name in question, so that nothing is replaced.
    pub(super) is_new: bool,
}

impl<S: Sys> Clone for Place<S> {
    fn clone(&self) -> Self {
        Place { root: Arc::clone(&self.root), ..*self }
    }
}
