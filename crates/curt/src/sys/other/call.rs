//! The only door to the system where there is nothing but the standard library: one function per
//! operation of `std::fs`, each counted, each of which a test can fail. No logic.
//!
//! The kinds counted are the library's operations, several calls of the system each. One reading of
//! up to a thousand entries counts as one.

use std::fs::{self, Metadata, ReadDir};
use std::io::{Error, Result};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use super::dir::{DirBuf, Stream};
use crate::calls::Calls;
use crate::sys::gate::Gate;
use crate::sys::{Batch, Setup};

/// The kinds of call, in the order of [`NAMES`].
#[derive(Clone, Copy)]
enum Call {
    OpenDir,
    NextEntries,
    Close,
    RemoveFile,
    RemoveDir,
    Metadata,
    #[cfg(not(unix))]
    Canonicalize,
    Rename,
    Now,
    Sleep,
    ReadLink,
    Read,
    Absolute,
    CreateDir,
    Open,
    Spawn,
    Wait,
    Kill,
}

/// Their names, as in the standard library.
const NAMES: &[&str] = &[
    "read_dir",
    "next",
    "close",
    "remove_file",
    "remove_dir",
    "symlink_metadata",
    #[cfg(not(unix))]
    "canonicalize",
    "rename",
    "now",
    "sleep",
    "read_link",
    "read",
    "absolute",
    "create_dir",
    "open",
    "spawn",
    "wait",
    "kill",
];

/// The door of one worker.
pub(super) struct Door(Gate);

impl Door {
    pub(super) fn new(setup: &Setup) -> Self {
        Door(Gate::new(NAMES, setup))
    }

    pub(super) fn calls(&self) -> Calls {
        self.0.calls()
    }

    fn pass(&self, call: Call) -> Result<()> {
        self.0.pass(call as usize).map_err(Error::from_raw_os_error)
    }

    pub(super) fn read_dir(&self, path: &Path) -> Result<ReadDir> {
        self.pass(Call::OpenDir)?;
        fs::read_dir(path)
    }

    pub(super) fn next_entries(&self, stream: &mut Stream, buf: &mut DirBuf) -> Result<Batch> {
        self.pass(Call::NextEntries)?;
        stream.fill(buf)
    }

    pub(super) fn close(&self, stream: Stream) {
        let _ = self.pass(Call::Close);
        drop(stream);
    }

    pub(super) fn remove_file(&self, path: &Path) -> Result<()> {
        self.pass(Call::RemoveFile)?;
        fs::remove_file(path)
    }

    pub(super) fn remove_dir(&self, path: &Path) -> Result<()> {
        self.pass(Call::RemoveDir)?;
        fs::remove_dir(path)
    }

    /// What the entry itself is, a link included.
    pub(super) fn symlink_metadata(&self, path: &Path) -> Result<Metadata> {
        self.pass(Call::Metadata)?;
        fs::symlink_metadata(path)
    }

    pub(super) fn read_link(&self, path: &Path) -> Result<std::path::PathBuf> {
        self.pass(Call::ReadLink)?;
        fs::read_link(path)
    }

    pub(super) fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.pass(Call::Read)?;
        fs::read(path)
    }

    /// What a file begins with, as much as there is room for.
    pub(super) fn read_head(&self, path: &Path, room: &mut [u8]) -> Result<usize> {
        use std::io::Read;
        self.pass(Call::Read)?;
        let mut file = fs::File::open(path)?.take(room.len() as u64);
        let mut length = 0;
        while let more @ 1.. = file.read(&mut room[length..])? {
            length += more;
        }
        Ok(length)
    }

    pub(super) fn absolute(&self, path: &Path) -> Result<std::path::PathBuf> {
        self.pass(Call::Absolute)?;
        let here = std::path::Path::new(".");
        std::path::absolute(if path.as_os_str().is_empty() { here } else { path })
    }

    /// What the path leads to.
    pub(super) fn metadata(&self, path: &Path) -> Result<Metadata> {
        self.pass(Call::Metadata)?;
        fs::metadata(path)
    }

    #[cfg(not(unix))]
    pub(super) fn canonicalize(&self, path: &Path) -> Result<std::path::PathBuf> {
        self.pass(Call::Canonicalize)?;
        fs::canonicalize(path)
    }

    pub(super) fn create_dir(&self, path: &Path) -> Result<()> {
        self.pass(Call::CreateDir)?;
        fs::create_dir(path)
    }

    pub(super) fn open(&self, path: &Path, options: &fs::OpenOptions) -> Result<fs::File> {
        self.pass(Call::Open)?;
        options.open(path)
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.pass(Call::Rename)?;
        fs::rename(from, to)
    }

    pub(super) fn now(&self) -> Duration {
        let _ = self.pass(Call::Now);
        crate::sys::gate::monotonic()
    }

    pub(super) fn sleep(&self, time: Duration) {
        if self.pass(Call::Sleep).is_ok() {
            std::thread::sleep(time);
        }
    }

    pub(super) fn spawn(&self, command: &mut Command) -> Result<Child> {
        self.pass(Call::Spawn)?;
        command.spawn()
    }

    pub(super) fn wait(&self, child: &mut Child) -> Result<ExitStatus> {
        self.pass(Call::Wait)?;
        child.wait()
    }

    pub(super) fn try_wait(&self, child: &mut Child) -> Result<Option<ExitStatus>> {
        self.pass(Call::Wait)?;
        child.try_wait()
    }

    pub(super) fn kill(&self, child: &mut Child) -> Result<()> {
        self.pass(Call::Kill)?;
        child.kill()
    }
}
