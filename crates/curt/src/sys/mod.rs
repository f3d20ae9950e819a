//! The platform contract: what the operations ask of a system, cut by intent and not by call.
//!
//! `Sys` is implemented once per platform, in a folder of its own, each with one way to the system that counts
//! every call and, in tests, can fail the nth (`door.rs`, on Windows `call.rs`). Operations are generic over
//! it; the public functions fix it to [`Os`].
//!
//! - `unix`: the portable `*at` calls, for macOS and the BSDs, and for Linux with faster ways beside them that can
//!   be switched off.
//! - `windows`: Windows.
//! - `memory`: a small file system in memory with scheduled races, for tests and for counting.
#![allow(unsafe_code, reason = "the platforms are where the calls without a safe form are made")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(crate) use self::answer::{
    Ask, Batch, Entry, Extended, Finished, Identity, Mounts, Opened, Owners, Removed, Sources,
};
pub use self::features::Feature;
pub(crate) use self::features::Features;
pub(crate) use self::os_error::{is_busy, is_loop, os_error};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
#[cfg(any(test, fuzzing, not(windows)))]
use crate::name::Unit;
use crate::name::{Name, NameBuf};
pub(crate) use host::Host;
pub(crate) use lookup::{Candidate, Lookup, Match};
pub(crate) use text::{Last, Operand, SystemUnit, kind_by_target};

mod answer;
pub(crate) mod beneath;
#[cfg(test)]
pub(crate) mod fault;
mod features;
mod gate;
pub(crate) mod host;
mod lookup;
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(test), allow(dead_code, unused_imports, reason = "tests ask more of it"))]
pub(crate) mod memory;
mod os_error;
pub(crate) mod process;
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(test), allow(dead_code, reason = "listings in memory are told of one by one"))]
mod records;
#[cfg(test)]
pub(crate) mod tests;
mod text;
#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;

/// Today's platform.
#[cfg(unix)]
pub(crate) type Os = unix::Unix;
/// Today's platform.
#[cfg(windows)]
pub(crate) type Os = windows::Windows;
/// A unit of today's platform.
pub(crate) type OsUnit = <Os as Sys>::Unit;
#[cfg(not(any(unix, windows)))]
compile_error!("curt runs on Unix and on Windows; there is no platform for this system");

/// A directory of our own from one that the caller has open.
#[cfg(windows)]
pub(crate) fn open_directory(
    handle: std::os::windows::io::BorrowedHandle<'_>,
) -> io::Result<<Os as Sys>::Dir> {
    windows::place(handle.try_clone_to_owned()?)
}

/// A directory of our own from one that the caller has open.
#[cfg(unix)]
pub(crate) fn open_directory(fd: std::os::fd::BorrowedFd<'_>) -> io::Result<<Os as Sys>::Dir> {
    Ok(fd.try_clone_to_owned()?.into())
}

/// What all workers of one operation are started with.
#[derive(Clone)]
#[cfg_attr(not(test), derive(Default))]
pub(crate) struct Setup {
    /// Features to do without.
    pub(crate) without: Features,
    /// Nothing will be removed: directories are opened for listing alone.
    #[cfg_attr(
        not(any(windows, target_os = "linux")),
        allow(dead_code, reason = "a right of Windows, and the size of a buffer on Linux")
    )]
    pub(crate) reads_only: bool,
    /// The names of owners that all workers know, if they share them.
    #[cfg(unix)]
    pub(crate) accounts: Option<unix::accounts::Shared>,
    /// The native functions to use.
    #[cfg(all(windows, test))]
    pub(crate) native: Option<&'static windows::native::Native>,
    /// The tree of the platform in memory.
    #[cfg(any(test, fuzzing))]
    pub(crate) world: Option<memory::Shared>,
    /// Calls to fail.
    #[cfg(test)]
    pub(crate) faults: Option<std::sync::Arc<fault::Faults>>,
}

/// A test chooses what all setups are without.
#[cfg(test)]
impl Default for Setup {
    fn default() -> Self {
        Setup {
            without: tests::lacking(),
            reads_only: false,
            #[cfg(unix)]
            accounts: None,
            #[cfg(windows)]
            native: None,
            world: None,
            faults: None,
        }
    }
}

impl Setup {
    /// The same, without these features either.
    pub(crate) fn with(&self, without: Features) -> Setup {
        Setup { without: self.without.and(without), ..self.clone() }
    }

    /// The same, for an operation that removes nothing.
    pub(crate) fn for_reading(&self, without: Features) -> Setup {
        Setup { reads_only: true, ..self.with(without) }
    }

    /// What is started with this knows the names of owners that others looked up which are started
    /// with it or a copy of it, where owners have numbers.
    pub(crate) fn sharing_owners(self) -> Setup {
        #[cfg(unix)]
        return Setup { accounts: Some(unix::accounts::Shared::default()), ..self };
        #[cfg(not(unix))]
        self
    }
}

/// Entries of a listing, in the order of the system.
pub(crate) trait Listing: Send + Sync {
    type Unit: SystemUnit;
    /// The entry at `position`, and the position of the next; `None` at the end. Positions begin
    /// at 0. `.` and `..` never appear.
    fn entry(&self, position: usize) -> Option<(Entry<'_, Self::Unit>, usize)>;
    /// Adds what the listing carries of the entry at `position`, which is `entry`, to facts of which
    /// nothing is known yet.
    fn facts(&self, position: usize, entry: &Entry<'_, Self::Unit>, facts: &mut Facts) {
        let _ = position;
        facts.add_listed(entry.kind, entry.id.into());
    }
    /// About how many entries there are from `position` on.
    fn left(&self, position: usize) -> usize;
    /// A buffer of about this many bytes, allocated now and never again. It is made large enough
    /// for the longest name in any case.
    fn with_capacity(bytes: usize) -> Self;
    /// The least capacity that holds the longest name.
    const LEAST_CAPACITY: usize;
}

/// A platform, as one worker of an operation sees it.
pub(crate) trait Sys: Host + Sized + Send {
    type Unit: SystemUnit;
    /// An open directory. Dropping it closes it, uncounted; workers use [`Sys::close`].
    type Dir: Send + Sync;
    /// The buffer of one worker, and the listing in it.
    type DirBuf: Listing<Unit = Self::Unit> + Default;
    /// The name of a directory in itself.
    const ITSELF: Name<'static, Self::Unit>;

    fn start(setup: &Setup) -> Self;
    /// The calls made so far.
    fn calls(&self) -> Calls;

    /// Opens the directory that an operand lies in, following links as the caller typed them; an
    /// empty path is the working directory and costs nothing.
    fn open_parent(&self, path: &Path) -> io::Result<Self::Dir>;
    /// Whether a directory can be mounted below itself. [`Mounts::Refuse`] then tells of mounts, for no
    /// call more where the system is recent.
    const MOUNTS_MAY_LOOP: bool = false;
    /// Opens a child for listing, without following a link.
    fn open_child(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        mounts: Mounts,
    ) -> Opened<Self::Dir>;
    /// Opens a directory a second time, for a listing from its beginning beside the one that is under way.
    fn open_beside(&self, dir: &Self::Dir) -> Opened<Self::Dir> {
        self.open_child(dir, Self::ITSELF, Mounts::Cross)
    }
    /// The same directory once more, for a thread that asks about many of its entries while others do: `None`
    /// where they may as well share it.
    fn reopen(&self, dir: &Self::Dir) -> Option<Self::Dir> {
        let _ = dir;
        None
    }
    /// Closes a directory.
    fn close(&self, dir: Self::Dir);
    /// Reads the next entries into the buffer.
    fn read(&self, dir: &Self::Dir, buf: &mut Self::DirBuf) -> io::Result<Batch>;
    /// Begins the listing again.
    fn rewind(&self, dir: &Self::Dir) -> io::Result<()>;

    /// Removes a child that the listing says to be of `kind`.
    fn remove_child(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, kind: Kind) -> Removed;
    /// Removes an emptied directory and closes it, in the order that the platform wants.
    fn finish_dir(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        dir: Self::Dir,
    ) -> Finished<Self::Dir>;
    /// Removes a directory that is not open, if it is empty.
    fn remove_empty_dir(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>) -> io::Result<()>;

    /// Where the platform has fields from.
    const SOURCES: Sources;
    /// A place to ask about a path from, and the path as a name there: for [`Sys::query`],
    /// [`Sys::read_link`], [`Sys::read_file`], [`Sys::may`], [`Sys::extended`], [`Sys::owners`] and
    /// [`Sys::open_below`], which alone take names with separators. No call.
    fn locate(&self, path: &Path) -> io::Result<(Self::Dir, NameBuf<Self::Unit>)>;
    /// Asks about a path from its place, and lets go of that.
    fn at_path<T>(
        &self,
        path: &Path,
        ask: impl FnOnce(&Self::Dir, Name<'_, Self::Unit>) -> T,
    ) -> io::Result<T> {
        let (dir, name) = self.locate(path)?;
        let answer = ask(&dir, name.as_name());
        self.close(dir);
        Ok(answer)
    }
    /// Opens a directory for listing, some names below another one. Either all links on the way are
    /// followed, or none is.
    fn open_below(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        follow: bool,
    ) -> Opened<Self::Dir>;
    /// The same without following links, and [`Opened::Mount`] where a mount lies on the way, which the
    /// system tells of where mounts may loop.
    fn open_within_mount(&self, from: &Self::Dir, path: Name<'_, Self::Unit>) -> Opened<Self::Dir> {
        self.open_below(from, path, false)
    }
    /// Asks about an entry. What the answer lacks, the system or the file system does not have.
    fn query(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, ask: Ask) -> io::Result<Facts>;
    /// The same, beside what is known of the entry already: an answer takes its place.
    fn query_more(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        ask: Ask,
        known: &mut Facts,
    ) -> io::Result<()> {
        let mut facts = self.query(parent, name, ask)?;
        facts.adopt(known);
        *known = facts;
        Ok(())
    }
    /// Asks about an open directory.
    fn query_dir(&self, dir: &Self::Dir, ask: Ask) -> io::Result<Facts>;
    /// Reads what a link holds, and puts it into the empty buffer.
    fn read_link(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        target: &mut Vec<Self::Unit>,
    ) -> io::Result<()>;
    /// The path from a root, by text: below the working directory where it is relative, or that where it is
    /// empty.
    fn absolute(&self, path: &Path) -> io::Result<PathBuf>;
    /// Reads a small file to its end; one that is longer than `most` is an error. A link in its place is
    /// not followed, and nothing is waited for where it is no plain file.
    fn read_file(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        most: usize,
    ) -> io::Result<Vec<u8>>;
    /// Which of [`Fields::READABLE`], [`Fields::WRITABLE`] and [`Fields::EXECUTABLE`] hold; one call
    /// for each that is asked, unless [`Sys::query`] tells them.
    fn may(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        asked: Fields,
    ) -> io::Result<Fields>;
    /// What extended attributes tell; `None` where the file system has none, which is remembered for
    /// the device, if that is known. Most platforms have none that tell anything.
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
    /// The owners of an entry, whose numbers are in the facts where owners have numbers.
    fn owners(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        asked: Fields,
        facts: &Facts,
    ) -> io::Result<Owners>;

    /// Returns what a link of Cygwin holds, if the entry is one, which is recognised by the facts in nearly
    /// all cases and then costs no call. Opens, reads and closes.
    fn cygwin_target(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        facts: &Facts,
    ) -> io::Result<Option<Vec<Self::Unit>>> {
        let _ = (parent, name, facts);
        Ok(None)
    }

    /// Whether the directory that [`Sys::finish_dir`] would remove under this name has this identity.
    fn is_child(
        &self,
        parent: &Self::Dir,
        name: Name<'_, Self::Unit>,
        identity: Identity,
    ) -> io::Result<bool> {
        Ok(Identity::of(&self.query(parent, name, Ask::STAT)?) == identity)
    }
    /// Whether an open directory of this identity is a root directory. `root` keeps the answer of the first
    /// question for all workers.
    fn is_root(
        &self,
        dir: &Self::Dir,
        identity: Identity,
        root: &OnceLock<Identity>,
    ) -> io::Result<bool>;
    /// Whether the process may write to a child; `true` for links, whose permissions mean nothing.
    fn may_write(&self, parent: &Self::Dir, name: Name<'_, Self::Unit>, kind: Kind) -> bool;
    /// Whether removing in the order of file numbers can pay on the file system of this directory.
    fn inode_order_pays(&self, dir: &Self::Dir) -> bool;
}

/// Opens a directory some names below another one (or below the root, where the path begins there), one
/// step after the other, so that no link on the way is followed.
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
        match sys.open_parent(Path::new("/")) {
            Ok(root) => last = Some(root),
            Err(error) => return Opened::Failed(error),
        }
        if names.iter().all(|unit| unit.is_separator()) {
            // A place to begin from is none to be listed.
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

/// Reads a small file to its end, where `read` puts what comes next into a buffer. Less than fits is not the end.
fn read_whole(
    most: usize,
    mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
) -> io::Result<Vec<u8>> {
    /// Most files with rules fit into this.
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
