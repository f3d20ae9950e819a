//! Listing a tree from its top down.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::Path;

use super::{Directory, List, Stat};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation, bug};
use crate::fields::{Follow, Plan};
use crate::name::{NameBuf, Unit};
use crate::sys::{Features, Listing, Opened, Os, OsUnit, Setup, Sys, SystemUnit};
use crate::tree::{Admitted, Branch, Limits};

/// How many directories are open at a time, if the system has that many descriptors.
const MOST_OPEN: usize = 64;

/// Lists the directories of a tree one after the other, a directory before those that lie in it.
///
/// [`DirectoryWalk::open`] begins with an operand. When a directory was listed,
/// [`DirectoryWalk::enter`] says which of its subdirectories are listed after it, and
/// [`DirectoryWalk::next`] opens the next one. Each is opened relative to its parent, so a tree can
/// be deeper than a path may be long.
///
/// Below the operand no link is followed, unless [`DirectoryWalk::follow`] asks for it, so that
/// nothing that is swapped meanwhile leads out of the tree. A directory that leads back to one of
/// its ancestors, by a link or because it is mounted there (Linux), is the error
/// [`Cause::Loop`](crate::Cause::Loop).
///
/// Cost: that of listing each directory. 1 call more for each where links are followed, on Linux
/// from the first link on, and 3 for each directory above that. On Linux 2 for a mount point, and 3
/// for each directory above it. About 4 for each directory that was closed and is opened again,
/// which happens only in trees that have more than 64 levels with several directories each.
///
/// Races: those of a walk. A directory that was moved while it stays open is listed where it is.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-directory-walk-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a/b"))?;
/// use curt::list::DirectoryWalk;
/// use curt::Fields;
/// let mut walk = DirectoryWalk::new();
/// let mut paths = Vec::new();
/// let mut next = Some(walk.open(&scratch));
/// while let Some(directory) = next {
///     let directory = directory?;
///     paths.push(directory.path().to_owned());
///     let mut list = directory.list(Fields::KIND);
///     let mut names = Vec::new();
///     while let Some(entry) = list.next() {
///         let entry = entry?;
///         if entry.kind().is_dir() {
///             names.push(entry.to_name());
///         }
///     }
///     walk.enter(list, names)?;
///     next = walk.next();
/// }
/// assert_eq!(paths, [scratch.clone(), scratch.join("a"), scratch.join("a/b")]);
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DirectoryWalk {
    /// What the platform of each directory is started with.
    setup: Setup,
    sys: Os,
    branch: Branch<Os, ()>,
    /// Whether names may be added to a directory after its last one was opened.
    is_revisable: bool,
    /// The size of the buffer for listings, if the caller chose one.
    capacity: Option<usize>,
    /// The buffer of the directory that was listed last, for the next one.
    buffer: Option<<Os as Sys>::DirBuf>,
}

impl fmt::Debug for DirectoryWalk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryWalk").finish_non_exhaustive()
    }
}

impl Default for DirectoryWalk {
    fn default() -> Self {
        Self::new()
    }
}

impl DirectoryWalk {
    /// Prepares to list trees. Nothing is open yet.
    pub fn new() -> DirectoryWalk {
        let setup = Setup::default().for_listing(Features::default()).sharing_owners();
        let (sys, branch) = (Os::start(&setup), Branch::new(Limits::default(), MOST_OPEN));
        DirectoryWalk { setup, sys, branch, is_revisable: false, capacity: None, buffer: None }
    }

    /// Chooses which symbolic links are followed: operands always, and with [`Follow::Links`] links
    /// to directories below them, too.
    #[must_use]
    pub fn follow(self, follow: Follow) -> DirectoryWalk {
        let limits = Limits { follow: follow == Follow::Links, ..Limits::default() };
        DirectoryWalk { branch: Branch::new(limits, MOST_OPEN), ..self }
    }

    /// Lets [`DirectoryWalk::revise`] change what is listed. More directories stay open meanwhile.
    #[must_use]
    pub fn revisable(self, yes: bool) -> DirectoryWalk {
        DirectoryWalk { is_revisable: yes, ..self }
    }

    /// Lists through a buffer of about this many bytes, instead of one that grows from 64 KiB. All
    /// directories that are [entered](DirectoryWalk::enter) share it. It holds at least the longest
    /// name.
    #[must_use]
    pub fn buffer(self, bytes: usize) -> DirectoryWalk {
        DirectoryWalk { capacity: Some(bytes), buffer: None, ..self }
    }

    /// Asks about paths by this plan. On Unix it shares the names of owners with the listings that
    /// this opens.
    pub fn asking(&self, plan: Plan) -> Stat {
        Stat::started(Os::start(&self.setup), plan)
    }

    /// Opens an operand for listing, as [`Directory::open`] does, and forgets the one before.
    pub fn open(&mut self, path: impl AsRef<Path>) -> Result<Directory, Error> {
        self.clear();
        let path = path.as_ref();
        self.branch.begin(SystemUnit::units(path));
        let opened = self.sys.locate(path).map_or_else(Opened::Failed, |(from, name)| {
            self.sys.open_below(&from, name.as_name(), true)
        });
        let admitted = self.branch.admit(opened, &self.sys);
        match admitted.map_err(|cause| self.branch.not_opened(cause))? {
            Some(admitted) => Ok(self.directory(admitted)),
            None => Err(self.branch.not_opened(bug("an operand was left out"))),
        }
    }

    /// Returns how deep the directory that was opened last lies below its operand, until it is
    /// [entered](DirectoryWalk::enter).
    pub fn depth(&self) -> usize {
        self.branch.depth()
    }

    /// Lists the subdirectories with these names, in this order, after the directory that was
    /// opened last; `list` is its listing. No call. A name that no entry can have is an error, and
    /// so is the listing of another directory.
    pub fn enter<N: AsRef<OsStr>>(
        &mut self,
        list: List,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), Error> {
        let List { dir, path: above, reader, .. } = list;
        self.buffer = Some(reader.into_buffer());
        if above != self.branch.to_path() {
            let cause = Cause::Os(io::ErrorKind::InvalidInput.into());
            return Err(Error::new(Operation::OpenDirectory, above, cause));
        }
        self.branch.enter(Admitted::from(dir), ());
        self.add(&above, names)
    }

    /// Replaces the names that wait in the innermost directory that was entered and not left: those
    /// of its subdirectories that were not opened yet. Without [`DirectoryWalk::revisable`] this
    /// fails in a directory whose last name was opened.
    pub fn revise<N: AsRef<OsStr>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), Error> {
        let Some(level) = self.branch.stack.last() else { return Ok(()) };
        self.branch.path.truncate(level.path_len());
        self.branch.stack.top_mut().drop_waiting();
        self.branch.stack.clear_names();
        self.add(&self.branch.to_path(), names)
    }

    /// Leaves the innermost directory that was entered: names that wait in it are not listed.
    pub fn leave(&mut self) {
        self.branch.leave(&self.sys);
    }

    fn add<N: AsRef<OsStr>>(
        &mut self,
        above: &Path,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), Error> {
        for name in names {
            let path = Path::new(name.as_ref());
            let units = SystemUnit::units(path);
            let is_path = units.iter().any(|unit: &OsUnit| unit.is_separator());
            let name = NameBuf::new(units).ok().filter(|name| {
                let name = name.as_name();
                !is_path && !name.units().is_empty() && !name.is_dot_or_dot_dot()
            });
            let Some(name) = name else {
                let cause = Cause::Os(io::ErrorKind::InvalidInput.into());
                return Err(Error::new(Operation::OpenDirectory, above.join(path), cause));
            };
            self.branch.stack.add_waiting(name.as_name());
        }
        Ok(())
    }

    /// Opens the next directory for listing; `None` if none is left. After an error the next call
    /// goes on with the one behind it.
    #[allow(clippy::should_implement_trait, reason = "`enter` is called in between")]
    pub fn next(&mut self) -> Option<Result<Directory, Error>> {
        while self.branch.stack.len() > 0 {
            match self.branch.open_next(|()| self.is_revisable, &self.sys) {
                None => drop(self.branch.leave(&self.sys)),
                Some(Ok(Some(admitted))) => return Some(Ok(self.directory(admitted))),
                Some(Ok(None)) => {}
                Some(Err(error)) => return Some(Err(error)),
            }
        }
        None
    }

    fn directory(&mut self, admitted: Admitted<<Os as Sys>::Dir>) -> Directory {
        let new = || self.capacity.map(Listing::with_capacity).unwrap_or_default();
        let buf = self.buffer.take().unwrap_or_else(new);
        let directory = Directory::of(
            self.setup.clone(),
            &Calls::default(),
            admitted.dir,
            self.branch.to_path(),
        );
        Directory { buf, ..directory }
    }

    fn clear(&mut self) {
        while self.branch.leave(&self.sys).is_some() {}
    }

    /// Closes what is open. Returns the calls made, beside those of the directories that it opened
    /// and of the [`Stat`]s.
    pub fn finish(mut self) -> Calls {
        self.clear();
        self.sys.calls()
    }
}
