//! The syscall layer of the in-memory tree, which also runs due events.

use std::sync::MutexGuard;

use super::system::{Effect, Errno};
use super::{Shared, World};
use crate::calls::Calls;
use crate::sys::Setup;
use crate::sys::gate::{Gate, calls};

// Program searches under Windows rules use Windows names; everything else uses Linux names.
calls! {
    Openat "openat",
    Getdents64 "getdents64",
    Unlinkat "unlinkat",
    Close "close",
    Statx "statx",
    Renameat2 "renameat2",
    Lseek "lseek",
    Faccessat2 "faccessat2",
    Readlinkat "readlinkat",
    Mkdirat "mkdirat",
    Symlinkat "symlinkat",
    Linkat "linkat",
    Fchmodat "fchmodat",
    Fchownat "fchownat",
    Utimensat "utimensat",
    Mknodat "mknodat",
    Flistxattr "flistxattr",
    Ioctl "ioctl",
    CopyFileRange "copy_file_range",
    Fstatfs "fstatfs",
    Prlimit64 "prlimit64",
    SchedGetaffinity "sched_getaffinity",
    Nanosleep "clock_nanosleep",
    NtOpenFile "NtOpenFile",
    NtQueryDirectoryFile "NtQueryDirectoryFile",
    NtQueryInformationFile "NtQueryInformationFile",
}

pub(super) struct Syscalls {
    gate: Gate,
    pub(super) world: Shared,
}

impl Syscalls {
    pub(super) fn new(world: Shared, setup: &Setup) -> Self {
        Syscalls { gate: Gate::new(NAMES, setup), world }
    }

    pub(super) fn calls(&self) -> Calls {
        self.gate.calls()
    }

    /// Begins a call. Dropping the guard ends it.
    pub(super) fn pass(&self, call: Call) -> Effect<MutexGuard<'_, World>> {
        self.begin_in(call, None)
    }

    pub(super) fn begin_in(&self, call: Call, dir: Option<u64>) -> Effect<MutexGuard<'_, World>> {
        super::machine::call(NAMES[call as usize], dir, &self.world);
        let mut world = self.world.lock();
        world.before_call();
        self.gate.pass(call as usize).map_err(Errno)?;
        Ok(world)
    }
}
