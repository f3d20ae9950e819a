//! The only door to the tree: it lets happen what is due between two calls, counts, and fails what
//! a test planned to fail.

use std::sync::MutexGuard;

use super::{Shared, World};
use crate::calls::Calls;
use crate::sys::Setup;
use crate::sys::gate::Gate;

/// The kinds of call, in the order of [`NAMES`].
#[derive(Clone, Copy)]
pub(super) enum Call {
    Openat,
    Getdents64,
    Unlinkat,
    Close,
    Statx,
    Renameat2,
    Lseek,
    Faccessat2,
    Readlinkat,
    Mkdirat,
    Fstatfs,
    Prlimit64,
    SchedGetaffinity,
    Nanosleep,
    NtOpenFile,
    NtQueryDirectoryFile,
    NtQueryInformationFile,
    NtQueryAttributesFile,
}

/// Their names: those of Linux, and of Windows where a search asks as that has it.
const NAMES: [&str; 18] = [
    "openat",
    "getdents64",
    "unlinkat",
    "close",
    "statx",
    "renameat2",
    "lseek",
    "faccessat2",
    "readlinkat",
    "mkdirat",
    "fstatfs",
    "prlimit64",
    "sched_getaffinity",
    "clock_nanosleep",
    "NtOpenFile",
    "NtQueryDirectoryFile",
    "NtQueryInformationFile",
    "NtQueryAttributesFile",
];

/// The door of one worker.
pub(super) struct Door {
    gate: Gate,
    pub(super) world: Shared,
}

impl Door {
    pub(super) fn new(world: Shared, setup: &Setup) -> Self {
        Door { gate: Gate::new(&NAMES, setup), world }
    }

    pub(super) fn calls(&self) -> Calls {
        self.gate.calls()
    }

    /// Begins a call; it is over when the guard is dropped.
    pub(super) fn pass(&self, call: Call) -> Result<MutexGuard<'_, World>, i32> {
        let mut world = self.world.lock();
        world.before_call();
        self.gate.pass(call as usize)?;
        Ok(world)
    }
}
