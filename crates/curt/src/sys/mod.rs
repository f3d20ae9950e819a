//! The platform contract: what the operations ask of a system, cut by intent and not by system
//! call.
//!
//! Each platform implements [`Sys`] in its own folder and makes all its system calls through one
//! door, which counts them and, in tests, can fail the nth (`door.rs`, on Windows `call.rs`).
//! The algorithms are generic over the platform; the public functions fix it to [`Os`].
//!
//! - `unix`: the portable `*at` calls for macOS and the BSDs, and for Linux fast paths that can be
//!   switched off.
//! - `windows`: ntdll.
//! - `memory`: a small file system in memory with scheduled races, for tests.
//!
//! [`Sys`] is about files and directories, [`Host`] about this process;
//! [`Beneath`](beneath::Beneath) and [`Which`] hold what one operation needs besides.
#![allow(unsafe_code, reason = "the platforms make the calls that have no safe form")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) use self::answer::{
    Ask, Batch, Entry, Extended, Identity, Mounts, Opened, Owners, Removed, Sources,
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
pub(crate) use which::{Match, Shown, Unsearched, Verdict, Which, script_interpreter};

#[cfg(test)]
pub(crate) use memory::machine::Condvar;
#[cfg(not(test))]
pub(crate) use std::sync::Condvar;

mod answer;
pub(crate) mod beneath;
pub(crate) mod canonical;
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

/// The platform that curt is built for.
#[cfg(unix)]
pub(crate) type Os = unix::Unix;
/// The platform that curt is built for.
#[cfg(windows)]
pub(crate) type Os = windows::Windows;
/// A unit of the names of [`Os`].
pub(crate) type OsUnit = <Os as Sys>::Unit;
#[cfg(not(any(unix, windows)))]
compile_error!("curt runs on Unix and on Windows; there is no platform for this system");

// What only the public functions need, which are fixed to `Os`: conversions of what the caller has
// open, and what the standard library's start of a program lacks (`Os::spawn` and others).
#[cfg(unix)]
pub(crate) use unix::{how_of, into_descriptor, open_directory, process};
#[cfg(windows)]
pub(crate) use windows::{how_of, into_descriptor, open_directory, process};

/// How the workers of an operation are set up.
#[derive(Clone)]
#[cfg_attr(not(test), derive(Default))]
pub(crate) struct Setup {
    /// The features that are switched off.
    pub(crate) without: Features,
    /// No directory is removed through the handle that lists it. (Entries may still be removed by
    /// name.) On Windows directories are then opened without the right to delete them; on Linux a
    /// buffer grows only after several full batches, not after the first.
    #[cfg_attr(
        not(any(windows, target_os = "linux")),
        allow(dead_code, reason = "decides an access right on Windows and a buffer size on Linux")
    )]
    pub(crate) lists_only: bool,
    /// How long to wait for entries that another process has open, before their removal fails.
    #[cfg_attr(not(windows), allow(dead_code, reason = "only Windows refuses to remove them"))]
    pub(crate) busy_window: Duration,
    /// The names of owners found so far, where workers share them.
    #[cfg(unix)]
    pub(crate) accounts: Option<unix::accounts::Shared>,
    /// The native functions to call.
    #[cfg(all(windows, test))]
    pub(crate) native: Option<&'static windows::native::Native>,
    /// The tree of the platform in memory.
    #[cfg(any(test, fuzzing))]
    pub(crate) world: Option<memory::Shared>,
    /// The calls that fail.
    #[cfg(test)]
    pub(crate) faults: Option<std::sync::Arc<fault::Faults>>,
}

/// Tests switch features off for every setup that they make.
#[cfg(test)]
impl Default for Setup {
    fn default() -> Self {
        Setup {
            without: tests::lacking(),
            lists_only: false,
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
    /// Switches more features off.
    pub(crate) fn with(&self, without: Features) -> Setup {
        Setup { without: self.without.and(without), ..self.clone() }
    }

    /// Switches features off, for an operation that [only lists](Setup::lists_only) the directories
    /// that it opens.
    pub(crate) fn for_listing(&self, without: Features) -> Setup {
        Setup { lists_only: true, ..self.with(without) }
    }

    /// Lets all workers that start with this setup, or with a copy of it, share the names of
    /// owners.
    pub(crate) fn sharing_owners(self) -> Setup {
        #[cfg(unix)]
        return Setup { accounts: Some(unix::accounts::Shared::default()), ..self };
        #[cfg(not(unix))]
        self
    }
}

/// The entries of a listing, in the system's order.
pub(crate) trait Listing: Send + Sync {
    type Unit: SystemUnit;
    /// Returns the entry at `position` and the position of the next one; `None` at the end. The
    /// first position is 0. `.` and `..` never appear.
    fn entry(&self, position: usize) -> Option<(Entry<'_, Self::Unit>, usize)>;
    /// Adds what the listing says about `entry`, which is at `position`, to empty facts.
    fn facts(&self, position: usize, entry: &Entry<'_, Self::Unit>, facts: &mut Facts) {
        let _ = position;
        facts.add_listed(entry.kind, entry.id.into());
    }
    /// Estimates the number of entries from `position` on.
    fn left(&self, position: usize) -> usize;
    /// Allocates a buffer of about this many bytes, which never grows. It always holds the longest
    /// name.
    fn with_capacity(bytes: usize) -> Self;
}

/// A platform, as one worker of an operation uses it.
pub(crate) trait Sys: Host + Sized + Send {
    type Unit: SystemUnit;
    /// An open directory. Dropping it closes it without counting the call; workers use
    /// [`Sys::close`].
    type Dir: Send + Sync;
    /// The buffer of a worker, and the listing in it.
    type DirBuf: Listing<Unit = Self::Unit> + Default;
    /// The name by which a directory contains itself.
    const ITSELF: Name<'static, Self::Unit>;

    /// Returns the platform for one worker.
    fn start(setup: &Setup) -> Self;
    /// Returns the calls made so far.
    fn calls(&self) -> Calls;

    /// Opens a directory to resolve names in, following the links in its path: the parent of an
    /// operand, or an operand that has no name in one. The empty path is the working directory and
    /// costs no call.
    fn open_place(&self, path: &Path) -> io::Result<Self::Dir>;
    /// Whether a directory can be mounted below itself. Then [`Mounts::Refuse`] recognises mounts,
    /// on recent systems for no extra call.
    const MOUNTS_MAY_LOOP: bool = false;
    /// Opens a child for listing. A link is not followed.
    fn open_child(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        mounts: Mounts,
    ) -> Opened<Self::Dir>;
    /// Closes a directory.
    fn close(&self, dir: Self::Dir);
    /// Reads the next entries into the buffer.
    fn read_entries(&self, dir: &Self::Dir, buf: &mut Self::DirBuf) -> io::Result<Batch>;
    /// Starts the listing again.
    fn rewind(&self, dir: &Self::Dir) -> io::Result<()>;

    /// Removes a child that is not a directory; `kind` is what the listing said.
    fn remove_child(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, kind: Kind) -> Removed;
    /// Removes an emptied directory and closes it. Hands it back with the error: one that is not
    /// empty can be listed again.
    ///
    /// This removes by name, then closes: the last close destroys the inode, outside the lock of
    /// the parent. Windows removes by the handle, and only if it must by name.
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
    /// Removes an empty directory by its name.
    fn remove_empty_dir(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>) -> io::Result<()>;

    /// Where the platform gets fields from.
    const SOURCES: Sources;
    /// Returns a directory to resolve a path from, and the path as a name in it, without a call.
    /// The directory needs no [`Sys::close`]. Only [`Sys::query_into`], [`Sys::read_link`],
    /// [`Sys::read_file`], [`Sys::may`], [`Sys::extended`], [`Sys::owners`], [`Sys::open_below`]
    /// and, where mounts are crossed, [`Sys::open_child`] take such names with separators. All but
    /// [`Sys::open_below`] follow the links on the way, and decide about the last name alone.
    fn locate(&self, path: &Path) -> io::Result<(Self::Dir, NameBuf<Self::Unit>)>;
    /// Opens a directory for listing by its path below another one. All links in the path are
    /// followed, or none.
    fn open_below(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        follow: bool,
    ) -> Opened<Self::Dir>;
    /// Asks about an entry of which something may be known, and adds the answer. Fields that the
    /// answer lacks are ones the file system does not have.
    fn query_into(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        ask: Ask,
        known: &mut Facts,
    ) -> io::Result<()>;
    /// Asks about an entry of which nothing is known.
    fn query(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, ask: Ask) -> io::Result<Facts> {
        let mut facts = Facts::default();
        self.query_into(parent, name, ask, &mut facts)?;
        Ok(facts)
    }
    /// Asks about an open directory.
    fn query_dir(&self, dir: &Self::Dir, ask: Ask) -> io::Result<Facts>;
    /// Reads the target of a link into an empty buffer.
    fn read_link(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        target: &mut Vec<Self::Unit>,
    ) -> io::Result<()>;
    /// Makes a path absolute by text. The empty path is the working directory. If the result
    /// `is_opened`, the path of the working directory must lead to it: a later mount may cover it.
    fn absolute(&self, path: &Path, is_opened: bool) -> io::Result<PathBuf>;
    /// Returns the canonical name of a path, as [`Canonicalizer`](crate::canonical::Canonicalizer).
    fn canonical_name(&self, path: &Path, missing: Missing, links: Links) -> io::Result<PathBuf>;
    /// Reads a file of at most `most` bytes; a longer one is an error. Opening a pipe does not
    /// block.
    fn read_file(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        follow: bool,
        most: usize,
    ) -> io::Result<Vec<u8>>;
    /// Returns which of [`Fields::READABLE`], [`Fields::WRITABLE`] and [`Fields::EXECUTABLE`] hold,
    /// for one call each.
    fn may(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        asked: Fields,
    ) -> io::Result<Fields>;
    /// Reads extended attributes; `None` where the file system has none, which is remembered for
    /// the device if that is known.
    fn extended(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        asked: Fields,
        follow: bool,
        device: Option<u64>,
    ) -> io::Result<Option<Extended>> {
        let _ = (parent, name, asked, follow, device);
        Ok(None)
    }
    /// Returns the names of the owners of an entry. Where owners have numbers, these are in the
    /// facts.
    fn owners(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        asked: Fields,
        facts: &Facts,
    ) -> io::Result<Owners>;

    /// Whether [`Sys::remove_open_dir`] would remove an open directory of this identity under this
    /// name, and not another entry that has it now.
    fn is_child(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        dir: &Self::Dir,
        identity: Identity,
    ) -> io::Result<bool> {
        let _ = dir;
        Ok(Identity::of(&self.query(parent, name, Ask::STAT)?) == identity)
    }
    /// Whether an open directory of this identity is a root directory. `root` caches the identity
    /// of the root for all workers.
    fn is_root(
        &self,
        dir: &Self::Dir,
        identity: Identity,
        root: &OnceLock<Identity>,
    ) -> io::Result<bool> {
        let _ = dir;
        if root.get().is_none() {
            let (dir, name) = self.locate(Path::new("/"))?;
            let found = self.query(&dir, name.as_name(), Ask::STAT)?;
            root.get_or_init(|| Identity::of(&found));
        }
        Ok(root.get() == Some(&identity))
    }
    /// Whether the process may write to a child. Always true for links, whose permissions are
    /// ignored.
    fn may_write(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, kind: Kind) -> bool {
        let may = || self.may(parent, name, Fields::WRITABLE);
        kind.is_link() || may().is_ok_and(|allowed| allowed.contains(Fields::WRITABLE))
    }
    /// Predicts the error of removing a child, as [`Remove::dry_run`](crate::Remove::dry_run)
    /// tells. `facts` answer [`Ask::STAT`]. A directory may still not be empty.
    fn check_removal(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        facts: &Facts,
    ) -> io::Result<()> {
        let _ = (parent, name, facts);
        Ok(())
    }
    /// Whether the file system of this directory removes files faster in the order of their
    /// numbers.
    fn inode_order_pays(&self, dir: &Self::Dir) -> bool {
        let _ = dir;
        false
    }
}

/// Opens a directory by its path below another one (or below the root, if the path is absolute),
/// one name after the other, so that no link on the way is followed.
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
        match sys.open_place(Path::new("/")) {
            Ok(root) => last = Some(root),
            Err(error) => return Opened::Failed(error),
        }
        if names.iter().all(|unit| unit.is_separator()) {
            // What `open_place` opened cannot be listed.
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

/// Reads a file of at most `most` bytes to its end by calling `read`. A short read is not the end.
fn read_whole(
    most: usize,
    mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
) -> io::Result<Vec<u8>> {
    /// Most ignore files fit into this.
    const ROOM: usize = 8 << 10;
    let mut whole = vec![0; ROOM];
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
