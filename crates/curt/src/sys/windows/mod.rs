//! Windows, through ntdll: each step is relative to an open directory (ADR 32).
//!
//! A directory is listed and removed through one handle, so no name is resolved twice. A file is
//! opened, marked for removal and closed. Before a directory is listed, its handle is checked for
//! being a link. So symlinks, junctions and mounted volumes are removed as links, even if another
//! process swaps one in (ADR 33).
//!
//! A listing has nearly all fields. The others are queried by name, without opening the entry, if
//! the system supports it (`query.rs`). Cloud files are downloaded only to copy them.
//!
//! Rejected for now: removal in one call (`NtDeleteFile`) or two (delete on close). These keep the
//! name until the last handle closes, refuse read-only entries, and report success for directories
//! that remain. `PLATFORMS.md` lists the trials on real Windows that must come first.

mod beneath;
mod busy;
mod canonical;
mod content;
mod copying;
mod dir;
pub(crate) mod host;
pub(crate) mod native;
pub(crate) mod process;
mod query;
mod removal;
mod security;
mod status;
mod syscalls;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod values;
mod which;

use std::cell::Cell;
use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem as win;

use self::busy::BusyTime;
use self::dir::CLASSES;
use self::dir::Use;
pub(crate) use self::dir::{Dir, DirBuf};
use self::native::{Key, Volume};
use self::status::{Result, Status};
use self::syscalls::{Syscalls, Target};
pub(crate) use self::values::how_of;
use super::canonical::{Links, Missing};
use super::os_error::OsError;
use super::{Batch, Identity, Mounts, Opened, Owners, Removed, Request, Setup, Sources, Sys};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, NameBuf, Unit};

const DELETE: u32 = win::DELETE;
const READ_ATTRIBUTES: u32 = win::FILE_READ_ATTRIBUTES;
const WRITE_ATTRIBUTES: u32 = win::FILE_WRITE_ATTRIBUTES;
const LIST: u32 = win::FILE_LIST_DIRECTORY | READ_ATTRIBUTES | win::SYNCHRONIZE;
const REACH: u32 = win::FILE_TRAVERSE | READ_ATTRIBUTES | win::SYNCHRONIZE;

/// Opens the entry itself, even if only the backup privilege allows that.
const ABOUT: u32 = nt::FILE_OPEN_REPARSE_POINT | nt::FILE_OPEN_FOR_BACKUP_INTENT;
/// Follows links, but does not recall files from remote storage.
const FOLLOW: u32 = nt::FILE_OPEN_FOR_BACKUP_INTENT | nt::FILE_OPEN_NO_RECALL;
const FILE: u32 = ABOUT | nt::FILE_NON_DIRECTORY_FILE;
const DIRECTORY: u32 = ABOUT | nt::FILE_DIRECTORY_FILE;
const LISTED: u32 = DIRECTORY | nt::FILE_SYNCHRONOUS_IO_NONALERT;
const LOOKUP: u32 =
    nt::FILE_DIRECTORY_FILE | nt::FILE_SYNCHRONOUS_IO_NONALERT | nt::FILE_OPEN_FOR_BACKUP_INTENT;

const ATTRIBUTES: Request = Request { fields: Fields::ATTRIBUTES, follow: false };

const LISTED_FIELDS: Fields = Fields::KIND
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CHANGED)
    .union(Fields::CREATED)
    .union(Fields::ATTRIBUTES);

pub(crate) struct Windows {
    syscalls: Syscalls,
    lists_only: bool,
    busy_time: BusyTime,
    accounts: security::Accounts,
    /// For the content of copied files.
    buffer: Cell<Vec<u64>>,
    /// The volume of the last one.
    volume: Cell<Option<&'static Volume>>,
}

/// Makes 3 system calls.
pub(crate) fn open_directory(handle: BorrowedHandle<'_>) -> (io::Result<Dir>, Calls) {
    let syscalls = Syscalls::new(&Setup::default());
    let dir = syscalls.duplicate(handle).and_then(|copy| from_caller(&syscalls, copy, Use::Lookup));
    (dir, syscalls.calls())
}

/// Refuses everything but a directory, even a link to one. Makes 2 system calls.
fn from_caller(syscalls: &Syscalls, handle: OwnedHandle, used_for: Use) -> io::Result<Dir> {
    match query::kind_of(syscalls, handle.as_handle())? {
        Kind::Directory => Ok(on_its_volume(syscalls, handle, used_for)),
        _ => Err(OsError::NotDirectory.error()),
    }
}

/// Makes 1 system call.
fn on_its_volume(syscalls: &Syscalls, handle: OwnedHandle, used_for: Use) -> Dir {
    let volume = query::volume(syscalls, handle.as_handle());
    Dir::new(handle, volume, used_for)
}

/// `None` means a link.
fn opened(answer: Result<Option<Dir>>) -> Opened<Dir> {
    match answer {
        Ok(Some(dir)) => Opened::Dir(dir),
        Ok(None) | Err(Status::NOT_A_DIRECTORY) => Opened::NotDirectory,
        Err(status) if status.is_gone() => Opened::Gone,
        Err(status) if status.is_pending() => Opened::Pending,
        Err(status) => Opened::Failed(status.into()),
    }
}

pub(crate) fn into_descriptor(dir: Dir) -> io::Result<OwnedHandle> {
    dir.into_handle().ok_or_else(|| Status::INVALID_HANDLE.into())
}

impl Windows {
    /// Makes 2 system calls.
    pub(crate) fn adopt(&self, handle: OwnedHandle) -> io::Result<Dir> {
        from_caller(&self.syscalls, handle, Use::Listing)
    }

    /// If the directory is a link, opens the link itself.
    fn open_listed(
        &self,
        target: Target<'_>,
        volume: &'static Volume,
        used_for: Use,
    ) -> Result<Dir> {
        let access = if used_for == Use::Removal { LIST | DELETE } else { LIST };
        Ok(Dir::new(self.syscalls.open(target, access, LISTED)?, volume, used_for))
    }

    /// If another process does not share the directory for removal, opens it for listing, because
    /// its entries can still be removed.
    fn open_for_removal(&self, target: Target<'_>, volume: &'static Volume) -> Result<Dir> {
        match self.open_listed(target, volume, Use::Removal) {
            Err(refused @ (Status::SHARING_VIOLATION | Status::ACCESS_DENIED)) => {
                self.open_listed(target, volume, Use::Listing).map_err(|_| refused)
            }
            answer => answer,
        }
    }

    /// Reopens a non-empty directory, because some systems continue the old listing on the old
    /// handle.
    fn open_again(&self, dir: Dir) -> Dir {
        if let Ok(again) = self.open_listed(dir.itself(), dir.volume, dir.used_for) {
            self.close(dir);
            return again;
        }
        dir.rewind();
        dir
    }

    fn fill(&self, dir: &Dir, buf: &mut DirBuf) -> Result<()> {
        let restart = dir.take_restart();
        loop {
            let rung = dir.volume.listing.get().min(CLASSES.len() - 1);
            let class = CLASSES[rung];
            let handle = dir.handle()?;
            match self.syscalls.query_directory(handle, buf.space(), class.number, restart, None) {
                Ok(bytes) => {
                    buf.take(bytes, class, dir.volume.serial());
                    return Ok(());
                }
                Err(status) if status.is_refusal() && rung + 1 < CLASSES.len() => {
                    dir.volume.listing.below(rung);
                }
                Err(status) => return Err(status),
            }
        }
    }

    /// Closes a link, and returns `None`.
    fn if_no_link(&self, dir: Dir) -> Result<Option<Dir>> {
        match dir.handle().and_then(|handle| query::kind_of(&self.syscalls, handle)) {
            Ok(Kind::Directory) => Ok(Some(dir)),
            answer => {
                self.close(dir);
                answer.map(|_| None)
            }
        }
    }

    fn open_followed(&self, target: Target<'_>) -> Result<Dir> {
        let handle = self.syscalls.open(target, LIST, LOOKUP)?;
        Ok(on_its_volume(&self.syscalls, handle, Use::Listing))
    }

    /// Returns `None` at a link.
    fn open_steps(&self, from: Dir, path: &[u16]) -> Result<Option<Dir>> {
        let mut dir = from;
        for name in path.split(|&unit| unit == u16::SEPARATOR).filter(|name| !name.is_empty()) {
            let target = Target { root: dir.root(), name, any_case: true };
            let next = self.open_listed(target, dir.volume, Use::Listing);
            self.close(dir);
            match self.if_no_link(next?)? {
                Some(next) => dir = next,
                None => return Ok(None),
            }
        }
        Ok(Some(dir))
    }
}

impl Sys for Windows {
    type Unit = u16;
    type Dir = Dir;
    type DirBuf = DirBuf;

    const ITSELF: Name<'static, u16> = Name::EMPTY;

    fn start(setup: &Setup) -> Self {
        Windows {
            syscalls: Syscalls::new(setup),
            lists_only: setup.lists_only,
            busy_time: BusyTime::new(setup.busy_window),
            accounts: security::Accounts::default(),
            buffer: Cell::default(),
            volume: Cell::default(),
        }
    }

    fn calls(&self) -> Calls {
        self.syscalls.calls()
    }

    fn open_for_lookup(&self, path: &Path) -> io::Result<Dir> {
        let name = text::native(path)?;
        let target = Target { root: None, name: &name, any_case: true };
        Ok(on_its_volume(&self.syscalls, self.syscalls.open(target, REACH, LOOKUP)?, Use::Lookup))
    }

    /// Mounted volumes are links, so there are no mounts to refuse.
    fn open_child(&self, parent: &Dir, name: Name<'_, u16>, _mounts: Mounts) -> Opened<Dir> {
        let target = parent.target(name.units());
        let dir = if self.lists_only {
            self.open_listed(target, parent.volume, Use::Listing)
        } else {
            self.busy_time.wait(&self.syscalls, || self.open_for_removal(target, parent.volume))
        };
        opened(dir.and_then(|dir| self.if_no_link(dir)))
    }

    fn close(&self, dir: Dir) {
        if let Some(handle) = dir.into_handle() {
            self.syscalls.close(handle);
        }
    }

    fn read_entries(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        match self.fill(dir, buf) {
            Ok(()) => Ok(Batch::More),
            // A directory removed by another process lists as empty.
            Err(status) if status.is_end() || status.is_gone() || status.is_pending() => {
                Ok(Batch::End)
            }
            Err(status) => Err(status.into()),
        }
    }

    fn rewind(&self, dir: &Dir) -> io::Result<()> {
        dir.rewind();
        Ok(())
    }

    fn remove_child(&self, parent: &Dir, name: Name<'_, u16>, kind: Kind) -> Removed {
        match self.busy_time.wait(&self.syscalls, || self.remove_file(parent, name, kind)) {
            Ok(removed) => removed,
            Err(status) if status.is_gone() => Removed::Gone,
            Err(status) if status.is_pending() => Removed::Pending,
            Err(status) => Removed::Failed(status.into()),
        }
    }

    /// Also closes the directory, because its parent cannot be removed while it is open.
    fn remove_open_dir(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        dir: Dir,
    ) -> std::result::Result<(), (Dir, io::Error)> {
        let mark = || {
            if dir.used_for != Use::Removal {
                return self.remove(parent, name, DIRECTORY);
            }
            match removal::dispose(&self.syscalls, dir.handle()?, dir.volume) {
                Err(Status::CANNOT_DELETE) => {
                    removal::dispose_readonly(&self.syscalls, parent, name, DIRECTORY)
                }
                answer => answer,
            }
        };
        match self.busy_time.wait(&self.syscalls, mark) {
            Ok(()) => {
                self.close(dir);
                Ok(())
            }
            Err(status @ Status::DIRECTORY_NOT_EMPTY) => Err((self.open_again(dir), status.into())),
            // An entry pending deletion counts as gone, although its Win32 error is "access
            // denied".
            Err(status) if status.is_gone() || status.is_pending() => {
                Err((dir, OsError::NotFound.error()))
            }
            Err(status) => Err((dir, status.into())),
        }
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, u16>) -> io::Result<()> {
        Ok(self.remove(parent, name, DIRECTORY)?)
    }

    const SOURCES: Sources = Sources {
        listing: LISTED_FIELDS,
        query: LISTED_FIELDS.union(Fields::LINKS).union(query::LINUX).union(query::ACCESS),
        extended: Fields::NONE,
        secured: Fields::USER.union(Fields::GROUP).union(Fields::ACL),
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, NameBuf<u16>)> {
        if path.as_os_str().is_empty() {
            return Err(OsError::NotFound.error());
        }
        let name = text::native(path)?;
        let volume =
            self.syscalls.native.volume(text::drive(&name).map_or(Key::Unknown, Key::Drive));
        Ok((Dir::nowhere(volume), NameBuf::new(name)?))
    }

    fn open_below(&self, from: &Dir, path: Name<'_, u16>, follow: bool) -> Opened<Dir> {
        let path = from.spelled(path);
        let target = from.target(&path);
        if follow {
            return opened(self.open_followed(target).map(Some));
        }
        // The root of a full path is never a link. Without a root, reopen the starting directory,
        // because `open_steps` closes it.
        let root = if from.root().is_some() { 0 } else { text::root_length(&path) };
        let (root, path) = path.split_at(root);
        let begin = if root.is_empty() {
            self.open_listed(from.itself(), from.volume, Use::Listing)
        } else {
            self.open_followed(Target { name: root, ..target })
        };
        opened(begin.and_then(|begin| self.open_steps(begin, path)))
    }

    fn query_into(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        request: Request,
        known: &mut Facts,
    ) -> io::Result<()> {
        known.update(query::about_name(&self.syscalls, parent, name, request)?);
        Ok(())
    }

    fn query_dir(&self, dir: &Dir, request: Request) -> io::Result<Facts> {
        Ok(query::about_dir(&self.syscalls, dir, request.fields)?)
    }

    fn read_link(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        target: &mut Vec<u16>,
    ) -> io::Result<()> {
        let found = content::link_target(&self.syscalls, parent, name)?;
        *target = found.ok_or(io::ErrorKind::Unsupported)?;
        Ok(())
    }

    fn canonical_name(&self, path: &Path, missing: Missing, links: Links) -> io::Result<PathBuf> {
        self.find_name(path, missing, links)
    }

    fn absolute(&self, path: &Path, _is_opened: bool) -> io::Result<PathBuf> {
        let here = Path::new(".");
        std::path::absolute(if path.as_os_str().is_empty() { here } else { path })
    }

    fn read_file(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        follow: bool,
        most: usize,
    ) -> io::Result<Vec<u8>> {
        content::small_file(&self.syscalls, parent, name, follow, most)
    }

    fn may(&self, parent: &Dir, name: Name<'_, u16>, fields: Fields) -> io::Result<Fields> {
        Ok(query::may(&self.syscalls, parent, name, fields)?)
    }

    fn owners(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        fields: Fields,
        facts: &Facts,
    ) -> io::Result<Owners> {
        Ok(security::owners(&self.syscalls, &self.accounts, parent, name, fields, facts)?)
    }

    /// The name does not matter if the directory is removed by its handle.
    fn is_child(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        dir: &Dir,
        identity: Identity,
    ) -> io::Result<bool> {
        Ok(dir.used_for == Use::Removal
            || Identity::of(&self.query(parent, name, Request::STAT)?) == identity)
    }

    fn is_root(
        &self,
        dir: &Dir,
        _identity: Identity,
        _known: &OnceLock<Identity>,
    ) -> io::Result<bool> {
        Ok(query::is_root(&self.syscalls, dir.handle()?)?)
    }

    fn may_write(&self, parent: &Dir, name: Name<'_, u16>, kind: Kind) -> io::Result<bool> {
        let read_only = u64::from(win::FILE_ATTRIBUTE_READONLY);
        let query = || self.query(parent, name, ATTRIBUTES);
        Ok(kind.is_link() || query()?.attributes & read_only == 0)
    }
}
