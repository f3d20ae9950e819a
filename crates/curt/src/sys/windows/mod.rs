//! Windows: ntdll, each step relative to an open directory, nothing through Win32.
//!
//! A directory is listed and removed through one handle, so no name is resolved twice; a file is
//! opened, marked for removal and closed. Links are never followed, and the handle of a directory
//! is asked whether it is a link before it is listed: links, junctions and mounted volumes are
//! removed as links, even if another process puts one there meanwhile.
//!
//! A listing carries nearly all fields. The others are asked for by name, without opening the
//! entry, where the system can do that (`query.rs`). What a volume does not support is not asked
//! for again. Files in a cloud are never fetched.
//!
//! Rejected for now: removal in one call (`NtDeleteFile`) or two (deletion on close). They keep the
//! name until the last handle closes, refuse read-only entries, and report success for directories
//! that stay; `PLATFORMS.md` says what must be tried on real Windows first.

mod beneath;
mod call;
mod content;
mod dir;
pub(crate) mod host;
mod lookup;
pub(crate) mod native;
pub(crate) mod process;
mod query;
mod removal;
mod security;
mod status;
#[cfg(test)]
mod tests;
mod text;
mod values;

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem as win;

use self::call::{Door, Target};
use self::dir::CLASSES;
pub(crate) use self::dir::{Dir, DirBuf};
use self::native::Key;
use self::status::{Result, Status};
use super::beneath::{Beneath, Fault};
use super::{
    Ask, Batch, DirRemoved, Feature, Features, Identity, Mounts, Opened, Owners, Removed, Setup,
    Sources, Sys,
};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, NameBuf, Unit};

const DELETE: u32 = win::DELETE;
const READ_ATTRIBUTES: u32 = win::FILE_READ_ATTRIBUTES;
const WRITE_ATTRIBUTES: u32 = win::FILE_WRITE_ATTRIBUTES;
/// To list and to query, waiting for the answer.
const LIST: u32 = win::FILE_LIST_DIRECTORY | READ_ATTRIBUTES | win::SYNCHRONIZE;
/// To open entries of a directory.
const REACH: u32 = win::FILE_TRAVERSE | READ_ATTRIBUTES | win::SYNCHRONIZE;

/// Opens the entry itself without following it, also where only the backup privilege allows that.
const ABOUT: u32 = nt::FILE_OPEN_REPARSE_POINT | nt::FILE_OPEN_FOR_BACKUP_INTENT;
/// Follows links; nothing is fetched from remote storage.
const FOLLOW: u32 = nt::FILE_OPEN_FOR_BACKUP_INTENT | nt::FILE_OPEN_NO_RECALL;
const FILE: u32 = ABOUT | nt::FILE_NON_DIRECTORY_FILE;
const DIRECTORY: u32 = ABOUT | nt::FILE_DIRECTORY_FILE;
const LISTED: u32 = DIRECTORY | nt::FILE_SYNCHRONOUS_IO_NONALERT;
const PLACE: u32 =
    nt::FILE_DIRECTORY_FILE | nt::FILE_SYNCHRONOUS_IO_NONALERT | nt::FILE_OPEN_FOR_BACKUP_INTENT;

/// Asks for the attributes only.
const ATTRIBUTES: Ask = Ask { fields: Fields::ATTRIBUTES, follow: false, cached: false };

/// The fields that a listing carries.
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

/// Windows, as one worker uses it.
pub(crate) struct Windows {
    door: Door,
    without: Features,
    /// Whether directories are opened for listing only, so that other processes may remove or
    /// rename them.
    reads_only: bool,
    accounts: security::Accounts,
}

/// Duplicates a directory that the caller has open, to resolve operands in. A handle of anything
/// else is refused, also of a link to a directory. Also returns the calls made: 3.
pub(crate) fn open_directory(handle: BorrowedHandle<'_>) -> (io::Result<Dir>, Calls) {
    let door = Door::new(&Setup::default());
    let dir =
        door.duplicate(handle).and_then(|copy| match query::kind_of(&door, copy.as_handle())? {
            Kind::Directory => Ok(place_by(&door, copy)),
            _ => Err(<Windows as Beneath>::error(Fault::NotDirectory)),
        });
    (dir, door.calls())
}

/// Makes a directory to resolve operands in. 1 call, for the volume.
fn place_by(door: &Door, handle: OwnedHandle) -> Dir {
    let volume = query::volume(door, handle.as_handle());
    let mut dir = Dir::new(handle, volume);
    dir.is_place = true;
    dir
}

/// Interprets the status of a directory that was not opened.
fn not_opened(status: Status) -> Opened<Dir> {
    match status {
        Status::NOT_A_DIRECTORY => Opened::NotDirectory,
        status if status.is_gone() => Opened::Gone,
        status if status.is_pending() => Opened::Pending,
        status if status.is_shortage() => Opened::Shortage(status.into()),
        status => Opened::Failed(status.into()),
    }
}

/// Returns the handle of a directory.
pub(crate) fn into_descriptor(dir: Dir) -> io::Result<OwnedHandle> {
    dir.into_handle().ok_or_else(|| Status::INVALID_HANDLE.into())
}

impl Windows {
    /// Makes a directory for listing from the caller's handle. 2 calls.
    pub(crate) fn adopt(&self, handle: OwnedHandle) -> io::Result<Dir> {
        match query::kind_of(&self.door, handle.as_handle())? {
            Kind::Directory => {}
            _ => return Err(<Windows as Beneath>::error(Fault::NotDirectory)),
        }
        let volume = query::volume(&self.door, handle.as_handle());
        let mut dir = Dir::new(handle, volume);
        dir.may_remove = false;
        Ok(dir)
    }

    /// Opens a directory for listing and removal, or for listing only if another process does not
    /// share it for removal: its entries can still be removed.
    fn open_listed(&self, parent: &Dir, name: Name<'_, u16>) -> Result<Dir> {
        let target = parent.target(name.units());
        if self.reads_only {
            let handle = self.door.open(target, LIST, LISTED)?;
            let mut dir = Dir::new(handle, parent.volume);
            dir.may_remove = false;
            return Ok(dir);
        }
        let refused = match self.door.open(target, LIST | DELETE, LISTED) {
            Ok(handle) => return Ok(Dir::new(handle, parent.volume)),
            Err(status @ (Status::SHARING_VIOLATION | Status::ACCESS_DENIED)) => status,
            Err(status) => return Err(status),
        };
        let handle = self.door.open(target, LIST, LISTED).map_err(|_| refused)?;
        let mut dir = Dir::new(handle, parent.volume);
        dir.may_remove = false;
        Ok(dir)
    }

    /// Reopens a directory that turned out not to be empty, by its handle, because some systems
    /// continue the old listing on the old handle.
    fn open_again(&self, dir: Dir) -> Dir {
        let target = Target { root: dir.root(), name: &[], any_case: false };
        let access = if dir.may_remove { LIST | DELETE } else { LIST };
        if let Ok(handle) = self.door.open(target, access, LISTED) {
            let mut again = Dir::new(handle, dir.volume);
            again.may_remove = dir.may_remove;
            self.close(dir);
            return again;
        }
        dir.rewind();
        dir
    }

    /// Fills the buffer with the newest form of record that the volume supports.
    fn fill(&self, dir: &Dir, buf: &mut DirBuf) -> Result<bool> {
        let restart = dir.take_restart();
        loop {
            let rung = dir.volume.listing.get().min(CLASSES.len() - 1);
            let class = CLASSES[rung];
            let handle = dir.handle()?;
            match self.door.query_directory(handle, buf.space(), class.number, restart) {
                Ok(bytes) => return Ok(buf.take(bytes, class, dir.volume.serial())),
                Err(status) if status.is_refusal() && rung + 1 < CLASSES.len() => {
                    dir.volume.listing.below(rung);
                }
                Err(status) => return Err(status),
            }
        }
    }

    /// Returns a directory that was opened without following it, unless it is a link.
    fn if_no_link(&self, dir: Dir) -> Opened<Dir> {
        match dir.handle().and_then(|handle| query::kind_of(&self.door, handle)) {
            Ok(Kind::Directory) => Opened::Dir(dir),
            Ok(_) => {
                self.close(dir);
                Opened::NotDirectory
            }
            Err(status) => {
                self.close(dir);
                Opened::Failed(status.into())
            }
        }
    }

    /// Opens a directory for listing only, following links. 2 calls, the second for the volume.
    fn open_followed(&self, target: Target<'_>) -> Result<Dir> {
        let handle = self.door.open(target, LIST, PLACE)?;
        let volume = query::volume(&self.door, handle.as_handle());
        let mut dir = Dir::new(handle, volume);
        dir.may_remove = false;
        Ok(dir)
    }

    /// Opens a directory by its path below another one, one name after the other, without following
    /// links. It is opened for listing only, so other processes may remove or rename it.
    fn open_steps(&self, from: Dir, path: &[u16]) -> Opened<Dir> {
        let mut dir = from;
        for name in path.split(|&unit| unit == u16::SEPARATOR).filter(|name| !name.is_empty()) {
            let target = Target { root: dir.root(), name, any_case: true };
            let mut next = match self.door.open(target, LIST, LISTED) {
                Ok(handle) => Dir::new(handle, dir.volume),
                Err(status) => {
                    self.close(dir);
                    return not_opened(status);
                }
            };
            next.may_remove = false;
            self.close(std::mem::replace(&mut dir, next));
            dir = match self.if_no_link(dir) {
                Opened::Dir(dir) => dir,
                other => return other,
            };
        }
        Opened::Dir(dir)
    }

    fn shows_the_end(&self, has_room: bool) -> bool {
        has_room && !self.without.has(Feature::ShortListing)
    }
}

impl Sys for Windows {
    type Unit = u16;
    type Dir = Dir;
    type DirBuf = DirBuf;

    const ITSELF: Name<'static, u16> = Name::EMPTY;

    fn start(setup: &Setup) -> Self {
        Windows {
            door: Door::new(setup),
            without: setup.without,
            reads_only: setup.reads_only,
            accounts: security::Accounts::default(),
        }
    }

    fn calls(&self) -> Calls {
        self.door.calls()
    }

    /// 2 calls, the second for the volume.
    fn open_parent(&self, path: &Path) -> io::Result<Dir> {
        let name = text::native(path)?;
        let target = Target { root: None, name: &name, any_case: true };
        Ok(place_by(&self.door, self.door.open(target, REACH, PLACE)?))
    }

    /// A mounted volume is a link, so there are no mounts to refuse.
    fn open_child(&self, parent: &Dir, name: Name<'_, u16>, _mounts: Mounts) -> Opened<Dir> {
        let dir = match self.open_listed(parent, name) {
            Ok(dir) => dir,
            Err(status) => return not_opened(status),
        };
        self.if_no_link(dir)
    }

    fn open_beside(&self, dir: &Dir) -> Opened<Dir> {
        let target = Target { root: dir.root(), name: &[], any_case: false };
        let opened = self.door.open(target, LIST, LISTED);
        opened.map_or_else(not_opened, |handle| Opened::Dir(Dir::new(handle, dir.volume)))
    }

    fn close(&self, dir: Dir) {
        if let Some(handle) = dir.into_handle() {
            self.door.close(handle);
        }
    }

    fn read(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        match self.fill(dir, buf) {
            Ok(has_room) if self.shows_the_end(has_room) => Ok(Batch::ProbablyLast),
            Ok(_) => Ok(Batch::More),
            // A directory that another process removed lists nothing.
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
        match self.remove_file(parent, name, kind) {
            Ok(removed) => removed,
            Err(status) if status.is_gone() => Removed::Gone,
            Err(status) if status.is_pending() => Removed::Pending,
            Err(status) => Removed::Failed(status.into()),
        }
    }

    /// Marks the directory, then closes it: while it is open, its parent cannot be removed.
    fn remove_open_dir(&self, parent: &Dir, name: Name<'_, u16>, dir: Dir) -> DirRemoved<Dir> {
        let marked = if dir.may_remove {
            match dir.handle().and_then(|handle| removal::dispose(&self.door, handle, dir.volume)) {
                Err(Status::CANNOT_DELETE) => {
                    removal::dispose_readonly(&self.door, parent, name, DIRECTORY)
                }
                answer => answer,
            }
        } else {
            self.remove(parent, name, DIRECTORY)
        };
        match marked {
            Ok(()) => {
                self.close(dir);
                DirRemoved::Done
            }
            Err(Status::DIRECTORY_NOT_EMPTY) => DirRemoved::NotEmpty(self.open_again(dir)),
            Err(status) if status.is_gone() || status.is_pending() => {
                self.close(dir);
                DirRemoved::Gone
            }
            Err(status) => DirRemoved::Failed(dir, status.into()),
        }
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, u16>) -> io::Result<()> {
        Ok(self.remove(parent, name, DIRECTORY)?)
    }

    const SOURCES: Sources = Sources {
        listing: LISTED_FIELDS,
        query: LISTED_FIELDS.union(Fields::LINKS).union(query::LINUX).union(query::ACCESS),
        // One of them asks for the volume.
        directory_calls: 5,
        target_calls: 3,
        extended: Fields::NONE,
        secured: Fields::USER.union(Fields::GROUP).union(Fields::ACL),
        secured_calls: 3,
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, NameBuf<u16>)> {
        if path.as_os_str().is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let name = text::native(path)?;
        let volume = self.door.native.volume(text::drive(&name).map_or(Key::Unknown, Key::Drive));
        Ok((Dir::nowhere(volume), NameBuf::new(name)?))
    }

    fn open_below(&self, from: &Dir, path: Name<'_, u16>, follow: bool) -> Opened<Dir> {
        let path = from.spelled(path);
        let target = from.target(&path);
        if follow {
            return self.open_followed(target).map_or_else(not_opened, Opened::Dir);
        }
        // The root of a full path is not a link. A directory is opened again, so that it can be
        // closed.
        let root = if from.root().is_some() { 0 } else { text::root_length(&path) };
        let (root, path) = path.split_at(root);
        let begin = if root.is_empty() {
            let handle = self.door.open(Target { name: &[], ..target }, LIST, LISTED);
            handle.map(|handle| Dir::new(handle, from.volume))
        } else {
            self.open_followed(Target { name: root, ..target })
        };
        begin.map_or_else(not_opened, |begin| self.open_steps(begin, path))
    }

    fn query(&self, parent: &Dir, name: Name<'_, u16>, ask: Ask) -> io::Result<Facts> {
        Ok(query::about_name(&self.door, parent, name, ask)?)
    }

    fn query_dir(&self, dir: &Dir, ask: Ask) -> io::Result<Facts> {
        Ok(query::about_dir(&self.door, dir, ask.fields)?)
    }

    fn read_link(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        target: &mut Vec<u16>,
    ) -> io::Result<()> {
        let found = content::link_target(&self.door, parent, name)?;
        *target = found.ok_or(io::ErrorKind::Unsupported)?;
        Ok(())
    }

    /// By text, without a call.
    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
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
        content::small_file(&self.door, parent, name, follow, most)
    }

    fn may(&self, parent: &Dir, name: Name<'_, u16>, asked: Fields) -> io::Result<Fields> {
        Ok(query::may(&self.door, parent, name, asked)?)
    }

    fn owners(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        asked: Fields,
        facts: &Facts,
    ) -> io::Result<Owners> {
        Ok(security::owners(&self.door, &self.accounts, parent, name, asked, facts)?)
    }

    /// A directory is removed by its handle, so its name does not matter.
    fn is_child(
        &self,
        _parent: &Dir,
        _name: Name<'_, u16>,
        _identity: Identity,
    ) -> io::Result<bool> {
        Ok(true)
    }

    /// Each volume has a root directory, and the handle knows its path on the volume.
    fn is_root(
        &self,
        dir: &Dir,
        _identity: Identity,
        _known: &OnceLock<Identity>,
    ) -> io::Result<bool> {
        Ok(query::is_root(&self.door, dir.handle()?)?)
    }

    fn cygwin_target(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        facts: &Facts,
    ) -> io::Result<Option<Vec<u16>>> {
        content::cygwin_target(&self.door, parent, name, facts)
    }

    fn may_write(&self, parent: &Dir, name: Name<'_, u16>, kind: Kind) -> bool {
        kind.is_link()
            || self
                .query(parent, name, ATTRIBUTES)
                .is_ok_and(|facts| facts.attributes & u64::from(win::FILE_ATTRIBUTE_READONLY) == 0)
    }
}
