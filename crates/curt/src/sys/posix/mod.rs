//! The portable platform: the `*at` calls of POSIX through rustix. macOS and the BSDs run on it,
//! and in tests Linux does, as the twin of its own fast paths.
//!
//! Every step is relative to an open directory and refuses links, so nothing outside a tree is ever
//! reached, whoever swaps what meanwhile. What it cannot do as Linux can:
//!
//! - **Mounts** are recognised by the device of the opened directory. A mount of the same file
//!   system, such as a bind or null mount, has the same device and is not seen.
//! - **Listings** come through `readdir`, one allocated name at a time, with the C library's own
//!   buffer in each open directory.
//! - **Kinds** that a listing leaves open are asked for before unlinking: on Solaris and its
//!   relatives `unlink` by root removes a directory and leaves what is in it adrift. There, and
//!   there alone, a file that becomes a directory between the listing and the unlink is at risk.

mod beneath;
mod call;
pub(crate) mod dir;
mod long_name;
mod lookup;
mod loops;
mod process;
mod surroundings;

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use self::call::Door;
use self::dir::text;
pub(crate) use self::dir::{Dir, DirBuf};
use super::accounts::Accounts;
use super::unix;
use super::{
    Ask, Batch, Finished, Identity, Mounts, Opened, Operand, Owners, Removed, Setup, Sources, Stat,
    Sys,
};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;

const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opening a directory only to begin from it needs no permission to read it, where the system has
/// a flag for that.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const PLACE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const PLACE: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The portable platform, as one worker sees it.
pub(crate) struct Posix {
    door: Door,
    accounts: RefCell<Accounts>,
}

impl Posix {
    /// Opens, then compares devices. What is compared is what was opened, so nothing can be
    /// swapped in between.
    fn open(&self, parent: &Dir, name: Name<'_, u8>, mounts: Mounts) -> Result<Dir, Errno> {
        let dir = Dir::try_from(self.door.open_listing(parent.as_fd(), text(name), LIST)?)?;
        if mounts == Mounts::Cross {
            return Ok(dir);
        }
        let same = self.device_of(parent).and_then(|ours| Ok(ours == self.device_of(&dir)?));
        match same {
            Ok(true) => Ok(dir),
            Ok(false) => {
                self.close(dir);
                Err(Errno::XDEV)
            }
            Err(error) => {
                self.close(dir);
                Err(error)
            }
        }
    }

    fn device_of(&self, dir: &Dir) -> Result<u64, Errno> {
        if let Some(&device) = dir.device.get() {
            return Ok(device);
        }
        let device = self.stat_open(dir)?.identity.device;
        Ok(*dir.device.get_or_init(|| device))
    }

    fn stat_open(&self, dir: &Dir) -> Result<Stat, Errno> {
        let stat = if dir.is_working() {
            self.door.fstatat(dir.as_fd(), c".", AtFlags::empty())?
        } else {
            self.door.fstat(dir.as_fd())?
        };
        Ok(unix::facts_from(&stat).into())
    }

    fn stat(&self, parent: &Dir, name: Name<'_, u8>) -> Result<Stat, Errno> {
        let stat = self.door.fstatat(parent.as_fd(), text(name), AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(unix::facts_from(&stat).into())
    }

    fn unlink(&self, parent: &Dir, name: Name<'_, u8>) -> Result<(), Errno> {
        self.door.unlinkat(parent.as_fd(), text(name), AtFlags::empty())
    }

    fn remove(&self, parent: &Dir, name: Name<'_, u8>, kind: Kind) -> Result<Removed, Errno> {
        let is_directory = |stat: Stat| stat.kind == Kind::Directory;
        if matches!(kind, Kind::Unknown | Kind::Directory)
            && self.stat(parent, name).map(is_directory)?
        {
            return Ok(Removed::IsDirectory);
        }
        match self.unlink(parent, name) {
            Ok(()) => Ok(Removed::Done),
            // The systems differ in what they say of a directory, and `EPERM` has other reasons.
            Err(error @ (Errno::PERM | Errno::ISDIR)) => {
                let became = self.stat(parent, name).is_ok_and(is_directory);
                if became { Ok(Removed::IsDirectory) } else { Err(error) }
            }
            Err(error) => Err(error),
        }
    }
}

impl Sys for Posix {
    type Unit = u8;
    type Dir = Dir;
    type DirBuf = DirBuf;
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        Posix {
            door: Door::new(setup),
            accounts: RefCell::new(Accounts::new(setup.accounts.clone())),
        }
    }

    fn calls(&self) -> Calls {
        self.door.calls()
    }

    fn operand(path: &Path) -> Operand<u8> {
        unix::operand(path)
    }

    fn append_units(path: &Path, to: &mut Vec<u8>) {
        unix::append_units(path, to);
    }

    fn path(units: Vec<u8>) -> PathBuf {
        unix::path(units)
    }

    fn text(units: &[u8]) -> Cow<'_, OsStr> {
        unix::text(units)
    }

    fn open_parent(&self, path: &Path) -> io::Result<Dir> {
        if path.as_os_str().is_empty() {
            return Ok(Dir::working());
        }
        Ok(self.door.open_path(path, PLACE)?.into())
    }

    fn open_child(&self, parent: &Dir, name: Name<'_, u8>, mounts: Mounts) -> Opened<Dir> {
        unix::opened(self.open(parent, name, mounts))
    }

    fn close(&self, dir: Dir) {
        if let Some(handle) = dir.into_handle() {
            self.door.close(handle);
        }
    }

    fn read(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        buf.clear();
        Ok(dir.with_stream(|stream| self.door.readdir(stream, buf))?)
    }

    fn rewind(&self, dir: &Dir) -> io::Result<()> {
        Ok(dir.with_stream(|stream| self.door.rewinddir(stream))?)
    }

    fn remove_child(&self, parent: &Dir, name: Name<'_, u8>, kind: Kind) -> Removed {
        match self.remove(parent, name, kind) {
            Ok(removed) => removed,
            Err(Errno::NOENT) => Removed::Gone,
            Err(error) => Removed::Failed(error.into()),
        }
    }

    /// Removes, then closes, as on Linux: see there.
    fn finish_dir(&self, parent: &Dir, name: Name<'_, u8>, dir: Dir) -> Finished<Dir> {
        let removed = self.door.unlinkat(parent.as_fd(), text(name), AtFlags::REMOVEDIR);
        unix::finished(removed, dir, |dir| self.close(dir))
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, u8>) -> io::Result<()> {
        Ok(self.door.unlinkat(parent.as_fd(), text(name), AtFlags::REMOVEDIR)?)
    }

    fn make_private(&self, parent: &Dir, name: Name<'_, u8>) -> io::Result<Dir> {
        unix::make_private(self, parent, name, self.door.effective_user())
    }

    /// Without a rename that refuses to replace, the plain one does: a directory can replace
    /// nothing but an empty directory, and the target lies in the tree that is being removed,
    /// under a name that was made up.
    fn move_dir(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
    ) -> io::Result<()> {
        let (from, name, to, fresh) = (from.as_fd(), text(name), to.as_fd(), text(fresh));
        match self.door.rename_exclusively(from, name, to, fresh) {
            // A system, a kernel or a file system that does not know how to refuse.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            answer => return Ok(answer?),
        }
        Ok(self.door.renameat(from, name, to, fresh)?)
    }

    const SOURCES: Sources = Sources {
        listing: Fields::KIND.union(Fields::ID),
        query: unix::STAT,
        query_calls: 1,
        // The C library's stream asks for the state of what it was given.
        directory_calls: 5,
        target_calls: 1,
        extended: Fields::NONE,
        extended_calls: 0,
        secured: Fields::NONE,
        secured_calls: 0,
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, Vec<u8>)> {
        Ok((Dir::working(), unix::located(path)?))
    }

    /// Refusing links on the way takes an open for each name.
    fn open_below(&self, from: &Dir, path: Name<'_, u8>, follow: bool) -> Opened<Dir> {
        if follow {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let opened = self.door.open_listing(from.as_fd(), text(path), flags);
            return unix::followed(opened.and_then(Dir::try_from));
        }
        super::open_step_by_step(self, from, path, Mounts::Cross)
    }

    fn query(&self, parent: &Dir, name: Name<'_, u8>, ask: Ask) -> io::Result<Facts> {
        let flags = if ask.follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        Ok(unix::facts_from(&self.door.fstatat(parent.as_fd(), text(name), flags)?))
    }

    fn query_dir(&self, dir: &Dir, _ask: Ask) -> io::Result<Facts> {
        if dir.is_working() {
            return Ok(unix::facts_from(&self.door.fstatat(
                dir.as_fd(),
                c".",
                AtFlags::empty(),
            )?));
        }
        Ok(unix::facts_from(&self.door.fstat(dir.as_fd())?))
    }

    fn read_link(&self, parent: &Dir, name: Name<'_, u8>, target: &mut Vec<u8>) -> io::Result<()> {
        Ok(self.door.readlinkat(parent.as_fd(), text(name), target)?)
    }

    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        unix::absolute(path, || self.door.getcwd())
    }

    fn read_file(&self, parent: &Dir, name: Name<'_, u8>, most: usize) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.door.open_file(parent.as_fd(), text(name), flags, Mode::empty())?;
        let whole = unix::read_whole(most, |room| self.door.read(file.as_fd(), room));
        self.door.close(file);
        whole
    }

    fn may(&self, parent: &Dir, name: Name<'_, u8>, asked: Fields) -> io::Result<Fields> {
        unix::may(asked, |access| self.door.may(parent.as_fd(), text(name), access))
    }

    fn owners(
        &self,
        _parent: &Dir,
        _name: Name<'_, u8>,
        asked: Fields,
        facts: &Facts,
    ) -> io::Result<Owners> {
        unix::owners(&self.accounts, asked, facts)
    }

    fn root_identity(&self) -> io::Result<Identity> {
        let stat = self.door.fstatat(rustix::fs::CWD, c"/", AtFlags::empty())?;
        Ok(Stat::from(unix::facts_from(&stat)).identity)
    }

    fn may_write(&self, parent: &Dir, name: Name<'_, u8>, kind: Kind) -> bool {
        kind == Kind::Symlink || self.door.may(parent.as_fd(), text(name), Access::WRITE_OK).is_ok()
    }

    /// Known to pay on ext4 alone, which the Linux platform serves.
    fn inode_order_pays(&self, _dir: &Dir) -> bool {
        false
    }

    fn descriptor_limit(&self) -> usize {
        self.door.descriptor_limit().map_or(usize::MAX, |limit| limit as usize)
    }

    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn now(&self) -> Duration {
        unix::now()
    }

    fn sleep(&self, time: Duration) {
        self.door.sleep(time);
    }

    fn wall_clock(&self) -> Duration {
        unix::wall_clock()
    }
}
