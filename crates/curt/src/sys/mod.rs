//! The platform contract: what operations need from a system, with one method per intent ("remove
//! this child") instead of one per system call (ADR 1).
//!
//! Each platform implements [`Sys`] in its own folder. All its system calls go through one syscall
//! layer (`syscalls.rs`), which counts them and lets tests fail the nth call. Algorithms are
//! generic over the platform; public functions use [`Os`].
//!
//! - `unix`: the portable `*at` calls for macOS and the BSDs, and Linux fast paths that can be
//!   switched off.
//! - `windows`: ntdll.
//! - `memory`: a small in-memory filesystem with scheduled races, for tests.
//!
//! [`Sys`] covers files and directories, [`Host`] this process, [`Beneath`](beneath::Beneath)
//! untrusted paths, [`Copying`](copying::Copying) what only a copy needs, and [`Which`] program
//! searches.
#![allow(unsafe_code, reason = "the platforms make the calls that have no safe form")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) use self::answer::{
    Batch, Entry, Extended, Identity, Mounts, Opened, Owners, Removed, Request, Sources,
};
pub use self::features::Feature;
pub(crate) use self::features::Features;
pub(crate) use self::os_error::{
    OsError, is_loop, is_missing, is_not_permitted, is_shortage, is_too_long, may_pass, os_error,
};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
#[cfg(any(test, fuzzing, not(windows)))]
use crate::name::Unit;
use crate::name::{Name, NameBuf};
use canonical::{Links, Missing};
pub(crate) use host::Host;
pub(crate) use text::{Last, SplitOperand, SystemUnit, kind_by_target};
pub(crate) use which::{Completeness, Match, Unsearched, Verdict, Which, script_interpreter};

#[cfg(test)]
pub(crate) use memory::machine::Condvar;
#[cfg(not(test))]
pub(crate) use std::sync::Condvar;

mod answer;
pub(crate) mod beneath;
pub(crate) mod canonical;
pub(crate) mod copying;
#[cfg(test)]
pub(crate) mod fault;
mod features;
mod gate;
pub(crate) mod host;
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(test), allow(dead_code, unused_imports, reason = "tests use more of it"))]
pub(crate) mod memory;
mod os_error;
#[cfg(test)]
pub(crate) mod tests;
mod text;
#[cfg(unix)]
pub(crate) mod unix;
mod which;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(unix)]
pub(crate) type Os = unix::Unix;
#[cfg(windows)]
pub(crate) type Os = windows::Windows;
pub(crate) type OsUnit = <Os as Sys>::Unit;
#[cfg(not(any(unix, windows)))]
compile_error!("curt runs on Unix and on Windows; there is no platform for this system");

#[cfg(unix)]
pub(crate) use unix::{how_of, into_descriptor, open_directory, process};
#[cfg(windows)]
pub(crate) use windows::{how_of, into_descriptor, open_directory, process};

/// Whether directories that refuse this user get the permissions of an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Repairs {
    #[default]
    None,
    /// Nothing is changed, but predictions expect it.
    Expected,
    Made,
}

#[derive(Clone)]
#[cfg_attr(not(test), derive(Default))]
pub(crate) struct Setup {
    pub(crate) without: Features,
    /// Whether directories are only listed, never removed through the same handle.
    #[cfg_attr(
        not(any(windows, target_os = "linux")),
        allow(dead_code, reason = "decides an access right on Windows and a buffer size on Linux")
    )]
    pub(crate) lists_only: bool,
    #[cfg_attr(windows, allow(dead_code, reason = "read-only directories are removed anyway"))]
    pub(crate) repairs: Repairs,
    /// The longest time a removal waits for other processes to close an entry.
    #[cfg_attr(not(windows), allow(dead_code, reason = "only Windows refuses to remove them"))]
    pub(crate) busy_window: Duration,
    /// Account names, shared by workers.
    #[cfg(unix)]
    pub(crate) accounts: Option<unix::accounts::Shared>,
    #[cfg(all(windows, test))]
    pub(crate) native: Option<&'static windows::native::Native>,
    #[cfg(any(test, fuzzing))]
    pub(crate) world: Option<memory::Shared>,
    #[cfg(test)]
    pub(crate) faults: Option<std::sync::Arc<fault::Faults>>,
}

/// In tests, a default setup has the current thread's missing features and faults.
#[cfg(test)]
impl Default for Setup {
    fn default() -> Self {
        Setup {
            without: tests::lacking(),
            lists_only: false,
            repairs: Repairs::None,
            busy_window: Duration::ZERO,
            #[cfg(unix)]
            accounts: None,
            #[cfg(windows)]
            native: None,
            world: None,
            faults: tests::failing(),
        }
    }
}

impl Setup {
    pub(crate) fn with(&self, without: Features) -> Setup {
        Setup { without: self.without.and(without), ..self.clone() }
    }

    pub(crate) fn for_listing(&self, without: Features) -> Setup {
        Setup { lists_only: true, ..self.with(without) }
    }

    /// Shares owners' names among workers started from this setup or a copy.
    pub(crate) fn sharing_owners(self) -> Setup {
        #[cfg(unix)]
        return Setup { accounts: Some(unix::accounts::Shared::default()), ..self };
        #[cfg(not(unix))]
        self
    }
}

/// The entries in a worker's buffer, in the system's order.
pub(crate) trait Listing: Send + Sync {
    type Unit: SystemUnit;
    /// Returns the entry at `position` (at first 0) and the next position. Omits `.` and `..`.
    fn entry(&self, position: usize) -> Option<(Entry<'_, Self::Unit>, usize)>;
    /// Adds the listed fields to `facts`, which must be empty.
    fn facts(&self, position: usize, entry: &Entry<'_, Self::Unit>, facts: &mut Facts) {
        let _ = position;
        facts.add_listed(entry.kind, entry.id.into());
    }
    /// Estimates the number of entries from `position` on.
    fn left(&self, position: usize) -> usize;
    /// Creates a buffer of about this size, which never grows but fits the longest name.
    fn with_capacity(bytes: usize) -> Self;
}

/// A platform, as used by one worker.
pub(crate) trait Sys: Host + Sized + Send {
    type Unit: SystemUnit;
    /// An open directory. Workers close it with [`Sys::close`], because dropping it does not count
    /// the call.
    type Dir: Send + Sync;
    type DirBuf: Listing<Unit = Self::Unit> + Default;
    /// The name of a directory within itself.
    const ITSELF: Name<'static, Self::Unit>;

    fn start(setup: &Setup) -> Self;
    fn calls(&self) -> Calls;

    /// Opens a directory, such as an operand's parent, to resolve names in it. Follows symlinks.
    /// The empty path means the working directory, which costs no system call on Unix.
    fn open_for_lookup(&self, path: &Path) -> io::Result<Self::Dir>;
    /// Whether a directory can be mounted inside itself. If so, [`Mounts::Refuse`] detects mounts,
    /// on recent systems without an extra call (ADR 15).
    const MOUNTS_MAY_LOOP: bool = false;
    /// Opens a directory for listing. Does not follow a symlink.
    fn open_child(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        mounts: Mounts,
    ) -> Opened<Self::Dir>;
    /// Closes a directory, which gets back the permissions that it had before [`Repairs`].
    fn close(&self, dir: Self::Dir);
    /// Closes a directory that will be opened again. Repaired permissions stay, and those from
    /// before are returned, to pass to [`Sys::reopened`].
    fn close_for_now(&self, dir: Self::Dir) -> Option<u32> {
        self.close(dir);
        None
    }
    /// Gives a directory that was opened again what it knew before.
    fn reopened(&self, dir: &Self::Dir, before: Option<u32>) {
        let _ = (dir, before);
    }
    /// Returns how many directories got permissions.
    fn count_repairs(&self) -> u64 {
        0
    }
    fn read_entries(&self, dir: &Self::Dir, buf: &mut Self::DirBuf) -> io::Result<Batch>;
    fn rewind(&self, dir: &Self::Dir) -> io::Result<()>;

    /// Removes an entry unless it is a directory. `kind` comes from the listing.
    fn remove_child(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, kind: Kind) -> Removed;
    /// Removes an emptied directory and closes it. On failure, also returns the directory, which
    /// can be relisted if it is not empty.
    ///
    /// The default removes the name first, so that the last close, which destroys the inode,
    /// happens outside the parent's lock. Windows removes through the handle if it can, otherwise
    /// by name.
    fn remove_open_dir(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        dir: Self::Dir,
    ) -> Result<(), (Self::Dir, io::Error)> {
        match self.remove_empty_dir(parent, name) {
            Ok(()) => {
                self.close(dir);
                Ok(())
            }
            Err(error) => Err((dir, error)),
        }
    }
    fn remove_empty_dir(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>) -> io::Result<()>;

    const SOURCES: Sources;
    /// Splits a path into a directory, which need not be closed, and a name in it, without a system
    /// call. The name may contain separators, which only [`Sys::query_into`], [`Sys::read_link`],
    /// [`Sys::read_file`], [`Sys::may`], [`Sys::extended`], [`Sys::owners`], [`Sys::open_below`]
    /// and, if mounts are crossed, [`Sys::open_child`] accept. All but [`Sys::open_below`] follow
    /// symlinks before the last component; an argument such as `follow` only affects the last one.
    fn locate(&self, path: &Path) -> io::Result<(Self::Dir, NameBuf<Self::Unit>)>;
    /// Opens a directory for listing. `follow` applies to all symlinks in the path.
    fn open_below(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        follow: bool,
    ) -> Opened<Self::Dir>;
    /// Adds the requested fields to `known`. A field still missing afterwards does not exist on
    /// this filesystem.
    fn query_into(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        request: Request,
        known: &mut Facts,
    ) -> io::Result<()>;
    fn query(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        request: Request,
    ) -> io::Result<Facts> {
        let mut facts = Facts::default();
        self.query_into(parent, name, request, &mut facts)?;
        Ok(facts)
    }
    fn query_dir(&self, dir: &Self::Dir, request: Request) -> io::Result<Facts>;
    /// Reads a symlink's target into `target`, which must be empty.
    fn read_link(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        target: &mut Vec<Self::Unit>,
    ) -> io::Result<()>;
    /// Makes a path absolute without resolving it. The empty path means the working directory. If
    /// the result will be opened (`is_opened`), fails if a later mount has covered the working
    /// directory's path.
    fn absolute(&self, path: &Path, is_opened: bool) -> io::Result<PathBuf>;
    fn canonical_name(&self, path: &Path, missing: Missing, links: Links) -> io::Result<PathBuf>;
    /// Fails if the file has more than `most` bytes. Opening a pipe does not block.
    fn read_file(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        follow: bool,
        most: usize,
    ) -> io::Result<Vec<u8>>;
    /// Returns which of the requested [`Fields::READABLE`], [`Fields::WRITABLE`] and
    /// [`Fields::EXECUTABLE`] apply.
    fn may(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        fields: Fields,
    ) -> io::Result<Fields>;
    /// Returns `None` if the filesystem has no such fields, and remembers this if `device` is
    /// given.
    fn extended(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        fields: Fields,
        follow: bool,
        device: Option<u64>,
    ) -> io::Result<Option<Extended>> {
        let _ = (parent, name, fields, follow, device);
        Ok(None)
    }
    /// On Unix, `facts` must include the owners' IDs.
    fn owners(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        fields: Fields,
        facts: &Facts,
    ) -> io::Result<Owners>;

    /// Whether `name` still is this directory, so that [`Sys::remove_open_dir`] would not remove a
    /// different entry.
    fn is_child(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        dir: &Self::Dir,
        identity: Identity,
    ) -> io::Result<bool> {
        let _ = dir;
        Ok(Identity::of(&self.query(parent, name, Request::STAT)?) == identity)
    }
    /// `root` caches the filesystem root's identity for all workers.
    fn is_root(
        &self,
        dir: &Self::Dir,
        identity: Identity,
        root: &OnceLock<Identity>,
    ) -> io::Result<bool> {
        let _ = dir;
        if root.get().is_none() {
            let (dir, name) = self.locate(Path::new("/"))?;
            let found = self.query(&dir, name.as_name(), Request::STAT)?;
            root.get_or_init(|| Identity::of(&found));
        }
        Ok(root.get() == Some(&identity))
    }
    /// True for symlinks, whose permissions are ignored.
    fn may_write(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        kind: Kind,
    ) -> io::Result<bool> {
        let may = || self.may(parent, name, Fields::WRITABLE);
        Ok(kind.is_link() || may()?.contains(Fields::WRITABLE))
    }
    /// Predicts the error of a removal, but does not check whether a directory is empty. `facts`
    /// must include the fields of [`Request::STAT`].
    fn check_removal(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        facts: &Facts,
    ) -> io::Result<()> {
        let _ = (parent, name, facts);
        Ok(())
    }
    fn inode_order_pays(&self, dir: &Self::Dir) -> bool {
        let _ = dir;
        false
    }
}

/// Opens a directory one component at a time, so that no symlink is followed.
#[cfg(any(test, fuzzing, not(windows)))]
fn open_step_by_step<S: Sys>(
    sys: &S,
    from: &S::Dir,
    path: Name<'_, S::Unit>,
    mounts: Mounts,
) -> Opened<S::Dir> {
    let mut last = None;
    let mut names = path.units();
    let here = [S::Unit::ascii(b'.')];
    if names.first().is_some_and(|unit| unit.is_separator()) {
        match sys.open_for_lookup(Path::new("/")) {
            Ok(root) => last = Some(root),
            Err(error) => return Opened::Failed(error),
        }
        if names.iter().all(|unit| unit.is_separator()) {
            // The directory from `open_for_lookup` cannot be listed, so reopen it.
            names = &here;
        }
    }
    for name in names.split(|unit| unit.is_separator()).filter(|name| !name.is_empty()) {
        let opened = match NameBuf::new(name.to_vec()) {
            Ok(name) => sys.open_child(last.as_ref().unwrap_or(from), name.as_name(), mounts),
            Err(error) => Opened::Failed(error),
        };
        let before = match opened {
            Opened::Dir(dir) => last.replace(dir),
            other => {
                if let Some(dir) = last {
                    sys.close(dir);
                }
                return other;
            }
        };
        if let Some(dir) = before {
            sys.close(dir);
        }
    }
    last.map_or(Opened::Gone, Opened::Dir)
}

/// Reads a whole file. A short read is not its end.
fn read_whole(
    most: usize,
    mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
) -> io::Result<Vec<u8>> {
    /// Large enough for most ignore files.
    const CAPACITY: usize = 8 << 10;
    let mut whole = vec![0; CAPACITY];
    let mut length = 0;
    while length <= most {
        if length == whole.len() {
            whole.resize(length * 2, 0);
        }
        match read(&mut whole[length..]) {
            Ok(0) => {
                whole.truncate(length);
                return Ok(whole);
            }
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::FileTooLarge.into())
}
