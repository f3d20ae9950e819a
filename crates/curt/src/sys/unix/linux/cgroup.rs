//! A control group for one child. What the child starts is born in it and does not leave it by
//! creating process groups and sessions, so all of it can be killed at once (`cgroup.kill`, Linux
//! 5.14).

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::sys::unix::{PLACE, Unix};

/// How long killed processes may take to disappear: the number of pauses, and their length.
const PAUSES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(1);

/// A group for one child, in a directory that the caller named.
#[derive(Debug)]
pub(crate) struct Cgroup {
    parent: OwnedFd,
    name: CString,
    dir: OwnedFd,
    /// Whether its processes were killed.
    is_killed: AtomicBool,
}

impl Cgroup {
    /// The descriptor of its directory, as `clone3` takes it.
    pub(super) fn number(&self) -> u64 {
        u64::try_from(self.dir.as_raw_fd()).unwrap_or(0)
    }
}

impl Unix {
    /// Creates a group below the one with this directory. 3 calls.
    pub(in crate::sys::unix) fn make_cgroup(&self, parent: &Path) -> Result<Cgroup, Errno> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let parent = self.door.open_path(parent, PLACE)?;
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name = CString::new(format!("curt-{}-{number}", std::process::id()));
            let name = name.map_err(|_| Errno::INVAL)?;
            match self.door.mkdirat(parent.as_fd(), &name, Mode::from_raw_mode(0o755)) {
                // An earlier process with the same number left it.
                Err(Errno::EXIST) => continue,
                Err(error) => {
                    self.door.close(parent);
                    return Err(error);
                }
                Ok(()) => {}
            }
            match self.door.openat(parent.as_fd(), &name, PLACE, Mode::empty()) {
                Ok(dir) => {
                    return Ok(Cgroup { parent, name, dir, is_killed: AtomicBool::new(false) });
                }
                Err(error) => {
                    let _ = self.door.unlinkat(parent.as_fd(), &name, AtFlags::REMOVEDIR);
                    self.door.close(parent);
                    return Err(error);
                }
            }
        }
    }

    /// Kills all processes in it. 3 calls.
    pub(in crate::sys::unix) fn kill_cgroup(&self, group: &Cgroup) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let file = self.door.openat(group.dir.as_fd(), c"cgroup.kill", flags, Mode::empty())?;
        let written = self.door.write(file.as_fd(), b"1");
        self.door.close(file);
        group.is_killed.store(true, Ordering::Relaxed);
        written
    }

    /// Removes it, unless processes live on in it: then it is left to the caller that named the
    /// directory. 3 calls, and 2 more for each millisecond until killed processes have ended.
    pub(in crate::sys::unix) fn remove_cgroup(&self, group: Cgroup) {
        let Cgroup { parent, name, dir, is_killed } = group;
        self.door.close(dir);
        let pauses = if is_killed.into_inner() { PAUSES } else { 0 };
        for pause in 0..=pauses {
            let removed = self.door.unlinkat(parent.as_fd(), &name, AtFlags::REMOVEDIR);
            if removed != Err(Errno::BUSY) || pause == pauses {
                break;
            }
            self.door.sleep(PAUSE);
        }
        self.door.close(parent);
    }
}
