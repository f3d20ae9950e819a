//! Windows: handles of ntdll, each step relative to an open directory, nothing through Win32.
//!
//! A directory is listed and removed through one handle, so no name is resolved twice; a file is
//! opened, marked for removal and closed. Both are opened as what they are, never as what they lead
//! to, and a directory's own handle says whether it is a link before it is listed: links, junctions
//! and mounted volumes are removed as links, whoever puts one there meanwhile.
//!
//! Rejected for now: removal in one call (`NtDeleteFile`) or two (deletion on close). They keep the
//! name until the last handle closes, refuse what is read-only, and report success for directories
//! that stay; `docs/limits.md` has what is to be tried on real Windows first.

mod call;
mod dir;
mod info;
pub(crate) mod native;
mod status;
#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem as win;

use self::call::{Door, Target};
use self::dir::CLASSES;
pub(crate) use self::dir::{Dir, DirBuf};
use self::info::target;
use self::status::{Result, Status};
use super::{
    Batch, Feature, Features, Finished, Identity, Mounts, Opened, Operand, Removed, Setup, Stat,
    Sys, Usage,
};
use crate::calls::Calls;
use crate::fields::Kind;
use crate::name::Name;

const DELETE: u32 = win::DELETE;
const READ_ATTRIBUTES: u32 = win::FILE_READ_ATTRIBUTES;
const WRITE_ATTRIBUTES: u32 = win::FILE_WRITE_ATTRIBUTES;
/// To list, to ask, and to wait for the answer.
const LIST: u32 = win::FILE_LIST_DIRECTORY | READ_ATTRIBUTES | win::SYNCHRONIZE;
/// To reach what is below.
const REACH: u32 = win::FILE_TRAVERSE | READ_ATTRIBUTES | win::SYNCHRONIZE;

/// The entry itself and not what it leads to, also where only the right to make backups allows it.
const ABOUT: u32 = nt::FILE_OPEN_REPARSE_POINT | nt::FILE_OPEN_FOR_BACKUP_INTENT;
const FILE: u32 = ABOUT | nt::FILE_NON_DIRECTORY_FILE;
const DIRECTORY: u32 = ABOUT | nt::FILE_DIRECTORY_FILE;
const LISTED: u32 = DIRECTORY | nt::FILE_SYNCHRONOUS_IO_NONALERT;
const PLACE: u32 =
    nt::FILE_DIRECTORY_FILE | nt::FILE_SYNCHRONOUS_IO_NONALERT | nt::FILE_OPEN_FOR_BACKUP_INTENT;

/// Windows, as one worker sees it.
pub(crate) struct Windows {
    door: Door,
    without: Features,
}

/// A directory that the caller has open, as a place to begin from.
pub(crate) fn place(handle: OwnedHandle) -> Dir {
    place_by(&Door::new(&Setup::default()), handle)
}

/// A place to begin from: 1 call, which asks for the volume.
fn place_by(door: &Door, handle: OwnedHandle) -> Dir {
    let serial = info::serial(door, handle.as_handle());
    let mut dir = Dir::new(handle, door.native.volume(serial));
    dir.is_place = true;
    dir
}

impl Windows {
    /// Opens a directory for listing and removal, or for listing alone where somebody else does not
    /// allow removal: what it holds can still go.
    fn open_listed(&self, parent: &Dir, name: Name<'_, u16>) -> Result<Dir> {
        let target = target(parent, name);
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

    /// A directory that turned out not to be empty, by a fresh handle: some systems go on with the
    /// listing, and with the answer, of the first. Not by its name, so it is the same.
    fn open_again(&self, dir: Dir) -> Dir {
        let target = Target { root: Some(dir.as_handle()), name: &[], any_case: false };
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

    /// Removes what is no directory.
    fn remove_file(&self, parent: &Dir, name: Name<'_, u16>, kind: Kind) -> Result<Removed> {
        // A link may be a file or a directory; its own handle is of both.
        let options = if kind == Kind::Symlink { ABOUT } else { FILE };
        match self.remove(parent, name, options) {
            Ok(()) => Ok(Removed::Done),
            Err(Status::FILE_IS_A_DIRECTORY) => self.remove_directory_link(parent, name),
            // It was a link when it was listed.
            Err(Status::DIRECTORY_NOT_EMPTY) => Ok(Removed::IsDirectory),
            Err(status) => Err(status),
        }
    }

    /// Opens, marks and closes: 3 calls.
    fn remove(&self, parent: &Dir, name: Name<'_, u16>, options: u32) -> Result<()> {
        let handle = self.door.open(target(parent, name), DELETE, options)?;
        let marked = info::dispose(&self.door, handle.as_handle(), parent.volume);
        self.door.close(handle);
        match marked {
            Err(Status::CANNOT_DELETE) => info::dispose_readonly(&self.door, parent, name, options),
            answer => answer,
        }
    }

    /// Removes a directory that stands for another one: a link, a junction, a mounted volume.
    fn remove_directory_link(&self, parent: &Dir, name: Name<'_, u16>) -> Result<Removed> {
        let access = DELETE | READ_ATTRIBUTES;
        let handle = self.door.open(target(parent, name), access, DIRECTORY)?;
        let removed = match info::kind_of(&self.door, handle.as_handle()) {
            Ok(Kind::Symlink) => {
                info::dispose(&self.door, handle.as_handle(), parent.volume).map(|()| Removed::Done)
            }
            Ok(_) => Ok(Removed::IsDirectory),
            Err(status) => Err(status),
        };
        self.door.close(handle);
        match removed {
            Err(Status::CANNOT_DELETE) => {
                info::dispose_readonly(&self.door, parent, name, DIRECTORY)?;
                Ok(Removed::Done)
            }
            answer => answer,
        }
    }

    /// Fills the buffer in the newest form that the volume did not refuse.
    fn fill(&self, dir: &Dir, buf: &mut DirBuf) -> Result<bool> {
        let restart = dir.take_restart();
        loop {
            let rung = dir.volume.listing.get().min(CLASSES.len() - 1);
            let class = CLASSES[rung];
            let handle = dir.as_handle();
            match self.door.query_directory(handle, buf.space(), class.number, restart) {
                Ok(bytes) => return Ok(buf.take(bytes, class)),
                Err(status) if status.is_refusal() && rung + 1 < CLASSES.len() => {
                    dir.volume.listing.below(rung);
                }
                Err(status) => return Err(status),
            }
        }
    }

    fn shows_the_end(&self, has_room: bool) -> bool {
        has_room && !self.without.has(Feature::ShortListing)
    }
}

impl Sys for Windows {
    type Unit = u16;
    type Dir = Dir;
    type DirBuf = DirBuf;
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        Windows { door: Door::new(setup), without: setup.without }
    }

    fn calls(&self) -> Calls {
        self.door.calls()
    }

    fn operand(path: &Path) -> Operand<u16> {
        text::operand(path)
    }

    fn units(path: &Path) -> Vec<u16> {
        text::units(path)
    }

    fn path(units: Vec<u16>) -> PathBuf {
        text::path(&units)
    }

    /// 2 calls: the second asks for the volume.
    fn open_parent(&self, path: &Path) -> io::Result<Dir> {
        let name = text::native(path)?;
        let target = Target { root: None, name: &name, any_case: true };
        Ok(place_by(&self.door, self.door.open(target, REACH, PLACE)?))
    }

    /// A mounted volume is a link here, so there is no mount to be refused.
    fn open_child(&self, parent: &Dir, name: Name<'_, u16>, _mounts: Mounts) -> Opened<Dir> {
        let dir = match self.open_listed(parent, name) {
            Ok(dir) => dir,
            Err(Status::NOT_A_DIRECTORY) => return Opened::NotDirectory,
            Err(status) if status.is_gone() => return Opened::Gone,
            Err(status) if status.is_pending() => return Opened::Pending,
            Err(status) if status.is_shortage() => return Opened::Shortage(status.into()),
            Err(status) => return Opened::Failed(status.into()),
        };
        match info::kind_of(&self.door, dir.as_handle()) {
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

    fn close(&self, dir: Dir) {
        self.door.close(dir.into_handle());
    }

    fn read(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        match self.fill(dir, buf) {
            Ok(has_room) if self.shows_the_end(has_room) => Ok(Batch::ProbablyLast),
            Ok(_) => Ok(Batch::More),
            // A directory that somebody else has removed lists nothing.
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

    /// Marks it and closes it: as long as it is open its parent cannot go.
    fn finish_dir(&self, parent: &Dir, name: Name<'_, u16>, dir: Dir) -> Finished<Dir> {
        let marked = if dir.may_remove {
            match info::dispose(&self.door, dir.as_handle(), dir.volume) {
                Err(Status::CANNOT_DELETE) => {
                    info::dispose_readonly(&self.door, parent, name, DIRECTORY)
                }
                answer => answer,
            }
        } else {
            self.remove(parent, name, DIRECTORY)
        };
        match marked {
            Ok(()) => {
                self.close(dir);
                Finished::Done
            }
            Err(Status::DIRECTORY_NOT_EMPTY) => Finished::NotEmpty(self.open_again(dir)),
            Err(status) if status.is_gone() || status.is_pending() => {
                self.close(dir);
                Finished::Gone
            }
            Err(status) => Finished::Failed(dir, status.into()),
        }
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, u16>) -> io::Result<()> {
        Ok(self.remove(parent, name, DIRECTORY)?)
    }

    fn move_dir(
        &self,
        from: &Dir,
        name: Name<'_, u16>,
        to: &Dir,
        fresh: Name<'_, u16>,
    ) -> io::Result<()> {
        let access = DELETE | win::SYNCHRONIZE;
        let handle = self.door.open(target(from, name), access, LISTED)?;
        let renamed = info::rename(&self.door, handle.as_handle(), to, fresh);
        self.door.close(handle);
        Ok(renamed?)
    }

    fn stat_child(&self, parent: &Dir, name: Name<'_, u16>) -> io::Result<Stat> {
        Ok(info::about_name(&self.door, parent, name)?.stat)
    }

    fn stat_dir(&self, dir: &Dir) -> io::Result<Stat> {
        Ok(info::about_handle(&self.door, dir.as_handle(), dir.volume)?.stat)
    }

    /// That of the drive of the working directory.
    fn root_identity(&self) -> io::Result<Identity> {
        let root = self.open_parent(Path::new(r"\"))?;
        let stat = self.stat_dir(&root);
        self.close(root);
        Ok(stat?.identity)
    }

    /// Each volume has a root directory; the handle says whether this is one.
    fn is_root(
        &self,
        dir: &Dir,
        _identity: Identity,
        _known: &OnceLock<Option<Identity>>,
    ) -> io::Result<bool> {
        Ok(info::is_root(&self.door, dir.as_handle())?)
    }

    fn is_busy(error: &io::Error) -> bool {
        use windows_sys::Win32::Foundation::{ERROR_LOCK_VIOLATION, ERROR_SHARING_VIOLATION};
        let busy = [ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION];
        error.raw_os_error().is_some_and(|number| busy.contains(&(number as u32)))
    }

    fn may_write(&self, parent: &Dir, name: Name<'_, u16>, kind: Kind) -> bool {
        kind == Kind::Symlink
            || info::about_name(&self.door, parent, name)
                .is_ok_and(|about| about.attributes & win::FILE_ATTRIBUTE_READONLY == 0)
    }

    /// NTFS keeps its directories in the order of names.
    fn inode_order_pays(&self, _dir: &Dir) -> bool {
        false
    }

    /// Handles are limited by memory; so many are held at most.
    fn descriptor_limit(&self) -> usize {
        16 << 10
    }

    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn now(&self) -> Duration {
        self.door.now()
    }

    fn sleep(&self, time: Duration) {
        self.door.sleep(time);
    }

    fn wall_clock(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    /// The system tells in ticks of 16 ms, which is of no use here.
    fn thread_usage(&self) -> Usage {
        Usage::default()
    }
}
