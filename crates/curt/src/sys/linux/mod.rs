//! Linux: `openat2` sees every mount for no call of its own, `getdents64` reads into our
//! buffer. Each has a fallback for kernels or filters without it.

mod beneath;
mod call;
mod cgroup;
mod clone;
mod descriptor;
pub(crate) mod dir;
mod extended;
mod long_name;
mod lookup;
mod loops;
mod process;
mod query;
mod raw;
mod surroundings;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{Access, AtFlags, Mode, OFlags, ResolveFlags, StatxAttributes, StatxFlags};
use rustix::io::Errno;

use self::call::Door;
#[cfg(feature = "model")]
pub use self::dir::listed;
use self::dir::text;
pub(crate) use self::dir::{Dir, DirBuf};
use super::accounts::Accounts;
use super::unix;
use super::{
    Ask, Batch, Extended, Feature, Finished, Identity, Mounts, Opened, Operand, Owners, Removed,
    Setup, Sources, Stat, Sys,
};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;

/// What this kernel was seen to lack. Written once, never for an answer that a security filter may
/// have given (`EPERM`): only `ENOSYS` says that the call does not exist.
static NO_OPENAT2: AtomicBool = AtomicBool::new(false);

const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A directory to ask and to open from, which takes no permission to list it.
const PLACE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Linux, as one worker sees it.
pub(crate) struct Linux {
    door: Door,
    setup: Setup,
    /// A filter refused `openat2` and then let `openat` through: this worker stops asking.
    openat2_refused: Cell<bool>,
    /// `statx` was refused, or is not there, and the older call was not: this worker stops asking.
    statx_refused: Cell<bool>,
    /// The fields that were asked for last, and what asks for them.
    asked: Cell<(Fields, StatxFlags)>,
    accounts: RefCell<Accounts>,
    /// Devices without extended attributes.
    without_extended: RefCell<BTreeSet<u64>>,
}

impl Linux {
    fn may_openat2(&self) -> bool {
        !self.setup.without.has(Feature::Openat2)
            && !self.openat2_refused.get()
            && !NO_OPENAT2.load(Ordering::Relaxed)
    }

    /// Opens a directory some names below another one.
    fn open_without_links(&self, from: &Dir, path: Name<'_, u8>, mounts: Mounts) -> Opened<Dir> {
        if self.may_openat2() {
            let resolve = match mounts {
                Mounts::Cross => ResolveFlags::NO_SYMLINKS,
                Mounts::Refuse => ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV,
            };
            match self.door.openat2(from.as_fd(), text(path), LIST, Mode::empty(), resolve) {
                Err(Errno::NOSYS) => NO_OPENAT2.store(true, Ordering::Relaxed),
                Err(Errno::PERM) => {}
                answer => return unix::opened(answer.and_then(|fd| self.listed(fd))),
            }
        }
        super::open_step_by_step(self, from, path, mounts)
    }

    /// A directory that was opened to be listed.
    fn listed(&self, fd: OwnedFd) -> Result<Dir, Errno> {
        if self.setup.without.has(Feature::RawListing) { Dir::streaming(fd) } else { Ok(fd.into()) }
    }

    /// Opens a child where mounts are refused: the kernel refuses them itself.
    fn open_unmounted(&self, parent: &Dir, name: Name<'_, u8>) -> Result<OwnedFd, Errno> {
        if self.may_openat2() {
            let opened = self.door.openat2(
                parent.as_fd(),
                text(name),
                LIST,
                Mode::empty(),
                ResolveFlags::NO_XDEV,
            );
            match opened {
                Err(Errno::NOSYS) => NO_OPENAT2.store(true, Ordering::Relaxed),
                Err(Errno::PERM) => {
                    // A filter, or the file system itself. Only if the older call now succeeds
                    // was it a filter.
                    let fd = self.open_compared(parent, name)?;
                    self.openat2_refused.set(true);
                    return Ok(fd);
                }
                answer => return answer,
            }
        }
        self.open_compared(parent, name)
    }

    /// The twin of the above for older kernels: open, then compare the mounts of both ends. What
    /// is compared is what was opened, so nothing can be swapped in between.
    fn open_compared(&self, parent: &Dir, name: Name<'_, u8>) -> Result<OwnedFd, Errno> {
        let fd = self.door.openat(parent.as_fd(), text(name), LIST, Mode::empty())?;
        let same = self.mount_of(parent.as_fd(), &parent.mount).and_then(|ours| {
            let theirs = self.mount_of(fd.as_fd(), &std::sync::OnceLock::new())?;
            Ok(ours == theirs)
        });
        match same {
            Ok(true) => Ok(fd),
            Ok(false) => {
                self.door.close(fd);
                Err(Errno::XDEV)
            }
            Err(error) => {
                self.door.close(fd);
                Err(error)
            }
        }
    }

    /// Removes what is no directory. Linux never unlinks a directory, not even for root, so this may be tried
    /// on anything. Elsewhere the kind is asked for where it is not known.
    fn unlink(&self, parent: &Dir, name: &CStr, kind: Kind) -> Result<Removed, Errno> {
        let at = parent.as_fd();
        let is_directory = || {
            let stat = self.plain_stat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(unix::kind_of_mode(stat.st_mode) == Kind::Directory)
        };
        let asks = self.setup.without.has(Feature::BlindUnlink);
        if asks && matches!(kind, Kind::Unknown | Kind::Directory) && is_directory()? {
            return Ok(Removed::IsDirectory);
        }
        match self.door.unlinkat(at, name, AtFlags::empty()) {
            Ok(()) => Ok(Removed::Done),
            Err(Errno::ISDIR) if !asks => Ok(Removed::IsDirectory),
            // The systems differ in what they say of a directory, and `EPERM` has other reasons.
            Err(Errno::PERM | Errno::ISDIR) if asks && is_directory().unwrap_or(false) => {
                Ok(Removed::IsDirectory)
            }
            Err(error) => Err(error),
        }
    }

    /// The device and, since Linux 5.8, the mount that a directory lies on, asked once.
    fn mount_of(
        &self,
        fd: BorrowedFd<'_>,
        known: &std::sync::OnceLock<(u64, u64)>,
    ) -> Result<(u64, u64), Errno> {
        if let Some(&mount) = known.get() {
            return Ok(mount);
        }
        let mount = self.mount(fd)?;
        Ok(*known.get_or_init(|| mount))
    }
}

impl Sys for Linux {
    type Unit = u8;
    type Dir = Dir;
    type DirBuf = DirBuf;
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        Linux {
            door: Door::new(setup),
            setup: setup.clone(),
            openat2_refused: Cell::new(false),
            statx_refused: Cell::new(false),
            asked: Cell::new((Fields::NONE, StatxFlags::empty())),
            accounts: RefCell::new(Accounts::new(setup.accounts.clone())),
            without_extended: RefCell::default(),
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

    const MOUNTS_MAY_LOOP: bool = true;

    fn is_mount(facts: &Facts) -> bool {
        let mount_root = StatxAttributes::MOUNT_ROOT.bits();
        facts.known.contains(Fields::ATTRIBUTES) && facts.attributes & mount_root != 0
    }

    fn open_child(&self, parent: &Dir, name: Name<'_, u8>, mounts: Mounts) -> Opened<Dir> {
        let opened = match mounts {
            Mounts::Refuse => self.open_unmounted(parent, name),
            Mounts::Cross => self.door.openat(parent.as_fd(), text(name), LIST, Mode::empty()),
        };
        unix::opened(opened.and_then(|fd| self.listed(fd)))
    }

    /// The kernel counts the users of what a descriptor stands for, in each call and in one place, as soon as
    /// the process has several threads: two that share one wait for each other. Where the process may have
    /// no more, they do.
    fn reopen(&self, dir: &Dir) -> Option<Dir> {
        self.door.openat(dir.as_fd(), c".", PLACE, Mode::empty()).ok().map(Dir::from)
    }

    fn close(&self, dir: Dir) {
        if !dir.is_working() {
            self.door.close(dir);
        }
    }

    fn read(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        let space = buf.space(self.setup.reads_only);
        if let Some(stream) = dir.stream() {
            return Ok(self.door.readdir(stream, space)?);
        }
        match self.door.getdents64(dir.as_fd(), space) {
            Ok(()) if buf.is_empty() => Ok(Batch::End),
            // A directory that was removed by somebody else while it was open lists nothing.
            Err(Errno::NOENT) => Ok(Batch::End),
            Ok(()) if buf.has_slack() && !self.setup.without.has(Feature::ShortListing) => {
                Ok(Batch::ProbablyLast)
            }
            Ok(()) => Ok(Batch::More),
            Err(error) => Err(error.into()),
        }
    }

    fn rewind(&self, dir: &Dir) -> io::Result<()> {
        Ok(self.door.rewind(dir)?)
    }

    fn remove_child(&self, parent: &Dir, name: Name<'_, u8>, kind: Kind) -> Removed {
        match self.unlink(parent, text(name), kind) {
            Ok(removed) => removed,
            Err(Errno::NOENT) => Removed::Gone,
            Err(error) => Removed::Failed(error.into()),
        }
    }

    /// Removes, then closes: the inode is destroyed when its last user lets go, and this way that
    /// happens in the close, outside the lock of the parent.
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
        match self.door.renameat2(from, name, to, fresh) {
            // A system, a kernel or a file system that does not know how to refuse.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            answer => return Ok(answer?),
        }
        Ok(self.door.rename_over(from, name, to, fresh)?)
    }

    const SOURCES: Sources = Sources {
        listing: Fields::KIND.union(Fields::ID),
        query: unix::STAT.union(Fields::CREATED).union(Fields::ATTRIBUTES),
        query_calls: 1,
        directory_calls: 4,
        target_calls: 1,
        extended: Fields::ACL.union(Fields::CAPABILITY).union(Fields::LABEL),
        extended_calls: 1,
        secured: Fields::NONE,
        secured_calls: 0,
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, Vec<u8>)> {
        Ok((Dir::working(), unix::located(path)?))
    }

    fn open_below(&self, from: &Dir, path: Name<'_, u8>, follow: bool) -> Opened<Dir> {
        if follow {
            let flags = LIST.difference(OFlags::NOFOLLOW);
            let opened = self.door.openat(from.as_fd(), text(path), flags, Mode::empty());
            return unix::followed(opened.and_then(|fd| self.listed(fd)));
        }
        self.open_without_links(from, path, Mounts::Cross)
    }

    fn open_within_mount(&self, from: &Dir, path: Name<'_, u8>) -> Opened<Dir> {
        self.open_without_links(from, path, Mounts::Refuse)
    }

    fn query(&self, parent: &Dir, name: Name<'_, u8>, ask: Ask) -> io::Result<Facts> {
        let mut facts = Facts::default();
        self.query_more(parent, name, ask, &mut facts)?;
        Ok(facts)
    }

    fn query_more(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        ask: Ask,
        known: &mut Facts,
    ) -> io::Result<()> {
        let flags = if ask.follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        Ok(self.ask(parent.as_fd(), text(name), flags, ask, known)?)
    }

    fn query_dir(&self, dir: &Dir, ask: Ask) -> io::Result<Facts> {
        let mut facts = Facts::default();
        let (name, flags) =
            if dir.is_working() { (c".", AtFlags::empty()) } else { (c"", AtFlags::EMPTY_PATH) };
        self.ask(dir.as_fd(), name, flags, ask, &mut facts)?;
        Ok(facts)
    }

    fn read_link(&self, parent: &Dir, name: Name<'_, u8>, target: &mut Vec<u8>) -> io::Result<()> {
        Ok(self.door.readlinkat(parent.as_fd(), text(name), target)?)
    }

    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        unix::absolute(path, || self.door.getcwd())
    }

    fn read_file(&self, parent: &Dir, name: Name<'_, u8>, most: usize) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.door.openat(parent.as_fd(), text(name), flags, Mode::empty())?;
        let whole = unix::read_whole(most, |room| self.door.read(file.as_fd(), room));
        self.door.close(file);
        whole
    }

    fn may(&self, parent: &Dir, name: Name<'_, u8>, asked: Fields) -> io::Result<Fields> {
        unix::may(asked, |access| self.door.may(parent.as_fd(), text(name), access))
    }

    fn extended(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        asked: Fields,
        device: Option<u64>,
    ) -> io::Result<Option<Extended>> {
        extended::read(&self.door, &self.without_extended, parent, name, asked, device)
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
        let root = Name::of_terminated(b"/\0");
        Ok(Stat::from(self.query(&Dir::working(), root, Stat::ASK)?).identity)
    }

    fn may_write(&self, parent: &Dir, name: Name<'_, u8>, kind: Kind) -> bool {
        kind == Kind::Symlink || self.door.may(parent.as_fd(), text(name), Access::WRITE_OK).is_ok()
    }

    fn inode_order_pays(&self, dir: &Dir) -> bool {
        !self.setup.without.has(Feature::InodeOrder)
            && self.door.file_system(dir.as_fd()).is_ok_and(|(magic, _)| magic == EXT4)
    }

    fn descriptor_limit(&self) -> usize {
        self.door.descriptor_limit().map_or(usize::MAX, |limit| limit as usize)
    }

    fn processors(&self) -> usize {
        self.door.processors()
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

    fn waits(&self) -> u64 {
        self.door.waits()
    }
}

/// The magic number that ext2, ext3 and ext4 share.
const EXT4: i64 = 0xEF53;
