//! Unix: the POSIX `*at` calls and, on Linux (`linux`), fast paths that can each be switched off,
//! as tests do to run the portable path of macOS and the BSDs.
//!
//! Below an operand, every step is relative to an open directory and refuses symlinks, unless the
//! caller wants to follow them. An operation therefore never leaves its tree, whatever other
//! processes swap meanwhile. The portable calls have limits:
//!
//! - **Mounts** are recognized by their device, so a mount of the same filesystem, such as a bind
//!   or null mount, goes unnoticed.
//! - **Listings** come from `readdir`, with a C library buffer in each open directory.
//! - **Kinds** missing from a listing are queried before unlinking: on Solaris and its relatives,
//!   `unlink` by root removes a directory but not its entries. Only there, a file that becomes a
//!   directory between listing and unlinking is at risk.

pub(crate) mod accounts;
mod beneath;
mod canonical;
mod copying;
pub(crate) mod dir;
mod failing;
pub(crate) mod host;
pub(crate) mod process;
mod removal;
mod repair;
pub(crate) mod syscalls;
mod values;
mod which;

pub(crate) use self::values::how_of;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use self::linux as native;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use self::other as native;

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use self::accounts::Accounts;
#[cfg(all(fuzzing, target_os = "linux"))]
pub use self::dir::listed;
use self::dir::text;
pub(crate) use self::dir::{Dir, DirBuf};
use self::syscalls::Syscalls;
use super::canonical::{Links, Missing};
use super::{
    Batch, Feature, Mounts, Opened, Owners, Removed, Repairs, Request, Setup, Sources, Sys,
    SystemUnit, os_error,
};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, NameBuf};

const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// With `O_PATH`, opening needs no permission to list the directory.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const LOOKUP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const LOOKUP: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

pub(crate) struct Unix {
    syscalls: Syscalls,
    setup: Setup,
    native: native::State,
    accounts: RefCell<Accounts>,
    repairs: Cell<u64>,
    /// For content that the kernel cannot copy by itself.
    buffer: Cell<Vec<u8>>,
}

/// A `Child` with an empty name counts as missing, and does not mean the directory itself.
#[derive(Clone, Copy)]
enum StatTarget<'a> {
    Itself,
    Child(&'a CStr),
}

impl StatTarget<'_> {
    /// The working directory has no descriptor, so it is queried as `.`.
    fn of(dir: &Dir) -> Self {
        if dir.is_working() { StatTarget::Child(c".") } else { StatTarget::Itself }
    }
}

/// Makes 1 system call. An empty path duplicates the descriptor.
pub(crate) fn open_directory(fd: BorrowedFd<'_>, path: &Path) -> (io::Result<Dir>, Calls) {
    let syscalls = Syscalls::new(&Setup::default());
    let opened = if path.as_os_str().is_empty() {
        // Descriptors below 3 belong to the standard streams.
        syscalls.duplicate_from(fd, 3)
    } else {
        syscalls.open_path(fd, path, LOOKUP)
    };
    (opened.map(Dir::from).map_err(io::Error::from), syscalls.calls())
}

/// Refuses anything but a directory. Makes 1 system call.
pub(crate) fn adopt_directory(fd: OwnedFd) -> io::Result<Dir> {
    Ok(directory_only(&Syscalls::new(&Setup::default()), fd)?.into())
}

fn directory_only(syscalls: &Syscalls, fd: OwnedFd) -> Result<OwnedFd, Errno> {
    match values::facts_from(&syscalls.fstat(fd.as_fd())?).kind {
        Kind::Directory => Ok(fd),
        _ => Err(Errno::NOTDIR),
    }
}

/// Returns the descriptor, or a duplicate if a C library stream owns it.
pub(crate) fn into_descriptor(dir: Dir) -> io::Result<OwnedFd> {
    match dir.into_descriptor() {
        Ok(fd) => Ok(fd),
        Err(dir) => Ok(Syscalls::new(&Setup::default()).duplicate_from(dir.as_fd(), 3)?),
    }
}

impl Unix {
    pub(crate) fn adopt(&self, fd: OwnedFd) -> io::Result<Dir> {
        Ok(self.listed(directory_only(&self.syscalls, fd)?)?)
    }

    fn has(&self, feature: Feature) -> bool {
        cfg!(target_os = "linux") && !self.setup.without.has(feature)
    }

    fn listed(&self, fd: OwnedFd) -> Result<Dir, Errno> {
        if self.has(Feature::RawListing) { Ok(fd.into()) } else { Dir::streaming(fd) }
    }

    fn open_without_links(&self, from: &Dir, path: Name<'_, u8>, mounts: Mounts) -> Opened<Dir> {
        match self.open_at_once(from, text(path), true, mounts) {
            None | Some(Err(Errno::PERM)) => super::open_step_by_step(self, from, path, mounts),
            Some(opened) => values::opened(opened.and_then(|fd| self.listed(fd))),
        }
    }

    fn open_on_same_mount(&self, parent: &Dir, name: Name<'_, u8>) -> Result<OwnedFd, Errno> {
        match self.open_at_once(parent, text(name), false, Mounts::Refuse) {
            None => self.open_compared(parent, name, LIST),
            // If the portable call succeeds, a security filter has refused `openat2`.
            Some(Err(Errno::PERM)) => {
                self.open_compared(parent, name, LIST).inspect(|_| self.native.stop_openat2())
            }
            Some(opened) => opened,
        }
    }

    /// Compares the mounts of open directories, so swapping an entry has no effect.
    fn open_compared(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        let fd = self.syscalls.openat(parent.as_fd(), text(name), flags, Mode::empty())?;
        let ours = parent
            .cached()
            .mount
            .get()
            .map_or_else(|| self.mount(parent.as_fd(), StatTarget::of(parent)), |&mount| Ok(mount));
        let same = ours.and_then(|ours| {
            let ours = *parent.cached().mount.get_or_init(|| ours);
            Ok(ours == self.mount(fd.as_fd(), StatTarget::Itself)?)
        });
        match same {
            Ok(true) => Ok(fd),
            Ok(false) => {
                self.syscalls.close(fd);
                Err(Errno::XDEV)
            }
            Err(error) => {
                self.syscalls.close(fd);
                Err(error)
            }
        }
    }

    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "not u64 everywhere")]
    fn mount(&self, fd: BorrowedFd<'_>, target: StatTarget<'_>) -> Result<(u64, u64), Errno> {
        match self.mount_by_statx(fd)? {
            Some(mount) => Ok(mount),
            None => Ok((self.plain_stat(fd, target, AtFlags::empty())?.st_dev as u64, 0)),
        }
    }

    /// Falls back to the portable call, which lacks only the creation time and the attributes.
    fn stat_into(
        &self,
        at: BorrowedFd<'_>,
        target: StatTarget<'_>,
        flags: AtFlags,
        request: Request,
        known: &mut Facts,
    ) -> Result<(), Errno> {
        if self.query_statx(at, target, flags, request, known)? {
            return Ok(());
        }
        known.update(values::facts_from(&self.plain_stat(at, target, flags)?));
        Ok(())
    }

    fn plain_stat(
        &self,
        at: BorrowedFd<'_>,
        target: StatTarget<'_>,
        flags: AtFlags,
    ) -> Result<rustix::fs::Stat, Errno> {
        let stat = match target {
            StatTarget::Itself => self.syscalls.fstat(at),
            StatTarget::Child(name) => self.syscalls.fstatat(at, name, flags),
        };
        stat.inspect_err(|_| self.native.resume_statx())
    }

    fn unlink(&self, parent: &Dir, name: &CStr, kind: Kind) -> Result<Removed, Errno> {
        let at = parent.as_fd();
        let is_directory = || {
            let stat = self.syscalls.fstatat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(values::facts_from(&stat).kind == Kind::Directory)
        };
        let checks_kind = !self.has(Feature::BlindUnlink);
        if checks_kind && matches!(kind, Kind::Unknown | Kind::Directory) && is_directory()? {
            return Ok(Removed::IsDirectory);
        }
        match self.syscalls.unlinkat(at, name, AtFlags::empty()) {
            Ok(()) => Ok(Removed::Done),
            Err(Errno::ISDIR) if !checks_kind => Ok(Removed::IsDirectory),
            // Systems disagree on the error for a directory, and `EPERM` has other causes too.
            Err(Errno::PERM | Errno::ISDIR) if checks_kind && is_directory().unwrap_or(false) => {
                Ok(Removed::IsDirectory)
            }
            Err(error) => Err(error),
        }
    }
}

impl Unix {
    /// The null device counts as an empty file, because sandboxes mask files with it. Other special
    /// files are refused: they might be endless, or end at once like an empty file.
    fn read_regular(&self, file: BorrowedFd<'_>, most: usize) -> io::Result<Vec<u8>> {
        let stat = self.syscalls.fstat(file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                super::read_whole(most, |buffer| Ok(self.syscalls.read(file, buffer)?))
            }
            FileType::CharacterDevice if native::is_null(stat.st_rdev as _) => Ok(Vec::new()),
            FileType::Directory => Err(os_error(io::ErrorKind::IsADirectory)),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "it is not a regular file")),
        }
    }
}

impl Sys for Unix {
    type Unit = u8;
    type Dir = Dir;
    type DirBuf = DirBuf;

    const ITSELF: Name<'static, u8> = Name::from_c(c".");

    fn start(setup: &Setup) -> Self {
        Unix {
            syscalls: Syscalls::new(setup),
            setup: setup.clone(),
            native: native::State::default(),
            accounts: RefCell::new(Accounts::new(setup.accounts.clone())),
            repairs: Cell::default(),
            buffer: Cell::default(),
        }
    }

    fn calls(&self) -> Calls {
        self.syscalls.calls()
    }

    fn open_for_lookup(&self, path: &Path) -> io::Result<Dir> {
        if path.as_os_str().is_empty() {
            return Ok(Dir::working());
        }
        Ok(self.syscalls.open_path(CWD, path, LOOKUP)?.into())
    }

    const MOUNTS_MAY_LOOP: bool = native::MOUNTS_MAY_LOOP;

    fn open_child(&self, parent: &Dir, name: Name<'_, u8>, mounts: Mounts) -> Opened<Dir> {
        let opened = self.with_access(parent, || match mounts {
            Mounts::Refuse => self.open_on_same_mount(parent, name),
            Mounts::Cross => self.syscalls.openat(parent.as_fd(), text(name), LIST, Mode::empty()),
        });
        let opened = match opened {
            Err(Errno::ACCESS) if self.setup.repairs == Repairs::Made => {
                self.open_unreadable(parent, name, mounts)
            }
            opened => opened.and_then(|fd| self.listed(fd)).inspect(|dir| self.allow_repair(dir)),
        };
        values::opened(opened)
    }

    fn close(&self, dir: Dir) {
        self.take_back_permissions(&dir);
        if !dir.is_working() {
            self.syscalls.close(dir);
        }
    }

    fn close_for_now(&self, dir: Dir) -> Option<u32> {
        let before = dir.before_repair();
        self.syscalls.close(dir);
        before
    }

    fn reopened(&self, dir: &Dir, before: Option<u32>) {
        self.allow_repair(dir);
        if let (Some(before), Some(repair)) = (before, dir.repair()) {
            repair.get_or_init(|| Some(before));
        }
    }

    fn count_repairs(&self) -> u64 {
        self.repairs.get()
    }

    fn read_entries(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        match dir.stream() {
            Some(stream) => Ok(self.syscalls.readdir(stream, buf.space(self.setup.lists_only))?),
            None => self.read_raw(dir, buf),
        }
    }

    fn rewind(&self, dir: &Dir) -> io::Result<()> {
        Ok(self.syscalls.rewind(dir)?)
    }

    fn remove_child(&self, parent: &Dir, name: Name<'_, u8>, kind: Kind) -> Removed {
        match self.with_access(parent, || self.unlink(parent, text(name), kind)) {
            Ok(removed) => removed,
            Err(Errno::NOENT) => Removed::Gone,
            Err(error) => Removed::Failed(error.into()),
        }
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, u8>) -> io::Result<()> {
        let remove = || self.syscalls.unlinkat(parent.as_fd(), text(name), AtFlags::REMOVEDIR);
        let removed = self.with_access(parent, remove);
        // POSIX allows either error for a non-empty directory.
        Ok(removed.map_err(|error| if error == Errno::EXIST { Errno::NOTEMPTY } else { error })?)
    }

    const SOURCES: Sources = Sources {
        listing: Fields::KIND.union(Fields::ID),
        query: values::STAT.union(native::QUERIED),
        extended: native::EXTENDED,
        secured: Fields::NONE,
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, NameBuf<u8>)> {
        Ok((Dir::working(), NameBuf::new(u8::units(path))?))
    }

    fn open_below(&self, from: &Dir, path: Name<'_, u8>, follow: bool) -> Opened<Dir> {
        if follow {
            let flags = LIST.difference(OFlags::NOFOLLOW);
            let opened = self.syscalls.openat(from.as_fd(), text(path), flags, Mode::empty());
            return values::followed(opened.and_then(|fd| self.listed(fd)));
        }
        self.open_without_links(from, path, Mounts::Cross)
    }

    fn query_into(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        request: Request,
        known: &mut Facts,
    ) -> io::Result<()> {
        let flags = if request.follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let target = StatTarget::Child(text(name));
        let stat = || self.stat_into(parent.as_fd(), target, flags, request, known);
        Ok(self.with_access(parent, stat)?)
    }

    fn query_dir(&self, dir: &Dir, request: Request) -> io::Result<Facts> {
        let mut facts = Facts::default();
        self.stat_into(dir.as_fd(), StatTarget::of(dir), AtFlags::empty(), request, &mut facts)?;
        Ok(facts)
    }

    fn read_link(&self, parent: &Dir, name: Name<'_, u8>, target: &mut Vec<u8>) -> io::Result<()> {
        Ok(self.syscalls.readlinkat(parent.as_fd(), text(name), target)?)
    }

    fn canonical_name(&self, path: &Path, missing: Missing, links: Links) -> io::Result<PathBuf> {
        self.find_name(path, missing, links)
    }

    fn absolute(&self, path: &Path, is_opened: bool) -> io::Result<PathBuf> {
        if path.is_absolute() {
            return Ok(path.to_owned());
        }
        let here = self.syscalls.getcwd()?;
        if is_opened {
            let name = NameBuf::new(u8::units(&here))?;
            let stat = |path: &CStr| self.syscalls.fstatat(CWD, path, AtFlags::empty());
            let (named, own) = (stat(text(name.as_name()))?, stat(c".")?);
            if (named.st_dev, named.st_ino) != (own.st_dev, own.st_ino) {
                return Err(Errno::NOENT.into());
            }
        }
        Ok(if path.as_os_str().is_empty() { here } else { here.join(path) })
    }

    fn read_file(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        follow: bool,
        most: usize,
    ) -> io::Result<Vec<u8>> {
        let last = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = OFlags::RDONLY | last | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.syscalls.openat(parent.as_fd(), text(name), flags, Mode::empty())?;
        let whole = self.read_regular(file.as_fd(), most);
        self.syscalls.close(file);
        whole
    }

    fn may(&self, parent: &Dir, name: Name<'_, u8>, fields: Fields) -> io::Result<Fields> {
        values::may(fields, |access| self.syscalls.may(parent.as_fd(), text(name), access))
    }

    #[cfg(target_os = "linux")]
    fn extended(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        fields: Fields,
        follow: bool,
        device: Option<u64>,
    ) -> io::Result<Option<super::Extended>> {
        self.read_extended(parent, name, fields, follow, device)
    }

    fn owners(
        &self,
        _parent: &Dir,
        _name: Name<'_, u8>,
        fields: Fields,
        facts: &Facts,
    ) -> io::Result<Owners> {
        values::owners(&self.accounts, fields, facts)
    }

    fn check_removal(&self, parent: &Dir, name: Name<'_, u8>, facts: &Facts) -> io::Result<()> {
        self.predict_removal(parent, name, facts)
    }

    #[cfg(target_os = "linux")]
    fn inode_order_pays(&self, dir: &Dir) -> bool {
        self.is_on_ext4(dir)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::{AsFd, AsRawFd};
    use std::process::Command;

    use super::{Unix, into_descriptor, open_directory};
    use crate::sys::{Feature, Features, Setup, Sys};

    /// Runs in a child process without standard input.
    #[test]
    fn copies_are_not_inherited_and_leave_the_standard_streams_alone() {
        const CHILD: &str = "CURT_TEST_WITHOUT_INPUT";
        let dir = std::fs::File::open(".").unwrap();
        if std::env::var_os(CHILD).is_none() {
            let name = std::thread::current().name().unwrap().to_owned();
            let mut child = Command::new(std::env::current_exe().unwrap());
            let child = child.args(["--exact", &name]).env(CHILD, "1").output().unwrap();
            assert!(child.status.success(), "{child:?}");
            assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "{child:?}");
            return;
        }
        // SAFETY: no memory is involved; this process never reads standard input.
        unsafe { libc::close(0) };
        let copy = open_directory(dir.as_fd(), "".as_ref()).0.unwrap();
        let without = Setup::default().with(Features::default().with(Feature::RawListing));
        let stream = Unix::start(&without).adopt(dir.try_clone().unwrap().into()).unwrap();
        let given = into_descriptor(stream).unwrap();
        for copy in [copy.as_fd(), given.as_fd()] {
            assert!(copy.as_raw_fd() >= 3, "{copy:?}");
            let flags = rustix::io::fcntl_getfd(copy).unwrap();
            assert!(flags.contains(rustix::io::FdFlags::CLOEXEC), "{copy:?}");
        }
    }
}
