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

const MAX_OPEN: usize = 64;

/// Lists the directories of a tree one after another, parents first.
///
/// [`DirectoryWalk::enter`] selects subdirectories after the listing of their parent. Each
/// directory is opened relative to its parent, so paths in the tree may exceed the system's path
/// limit.
///
/// A symlink as the operand is followed. Others are not, even if one replaces a directory
/// meanwhile, unless [`DirectoryWalk::follow`] is set. A directory that is its own ancestor,
/// through a symlink or a mount (Linux), fails with [`Cause::Loop`].
///
/// Costs as much as listing each directory. Following symlinks adds 1 call per directory (on Linux
/// only after the first symlink), and 3 per ancestor. A mount point on Linux adds 2 calls, and 3
/// per ancestor. In deep trees each reopened directory adds about 4 calls.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-directory-walk-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a/b"))?;
/// use curt::list::DirectoryWalk;
/// use curt::Fields;
/// // `scratch` is a directory with a/b/.
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
    setup: Setup,
    sys: Os,
    branch: Branch<Os, ()>,
    is_revisable: bool,
    capacity: Option<usize>,
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
    /// Creates a walk without opening a directory.
    pub fn new() -> DirectoryWalk {
        let setup = Setup::default().for_listing(Features::default()).sharing_owners();
        let (sys, branch) = (Os::start(&setup), Branch::new(Limits::default(), MAX_OPEN));
        DirectoryWalk { setup, sys, branch, is_revisable: false, capacity: None, buffer: None }
    }

    /// Sets whether to follow symlinks to directories in the tree. A symlink as the operand is
    /// always followed.
    #[must_use]
    pub fn follow(self, follow: Follow) -> DirectoryWalk {
        let limits = Limits { follow: follow == Follow::Links, ..Limits::default() };
        DirectoryWalk { branch: Branch::new(limits, MAX_OPEN), ..self }
    }

    /// Sets whether [`DirectoryWalk::revise`] is permitted at any time, which keeps more
    /// directories open; `false` by default.
    #[must_use]
    pub fn revisable(self, yes: bool) -> DirectoryWalk {
        DirectoryWalk { is_revisable: yes, ..self }
    }

    /// Sets a fixed size for the listing buffer, which otherwise grows from 64 KiB.
    ///
    /// All [entered](DirectoryWalk::enter) directories share the buffer. It always fits the longest
    /// name.
    #[must_use]
    pub fn buffer(self, bytes: usize) -> DirectoryWalk {
        DirectoryWalk { capacity: Some(bytes), buffer: None, ..self }
    }

    /// Creates a [`Stat`] for this plan. On Unix it shares the walk's cache of owner names.
    pub fn stat(&self, plan: Plan) -> Stat {
        Stat::started(Os::start(&self.setup), plan)
    }

    /// Opens an operand for listing, as [`Directory::open`] does. Abandons the previous operand.
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

    /// Returns the depth of the last opened directory below the operand. Once the directory is
    /// [entered](DirectoryWalk::enter), returns the depth of its subdirectories.
    pub fn depth(&self) -> usize {
        self.branch.depth()
    }

    /// Enters the last opened directory: queues its subdirectories `names`, in this order. Makes no
    /// system call.
    ///
    /// Fails if `list` is not the listing of that directory, or if a name is invalid.
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

    /// Replaces the queued names of the innermost entered directory.
    ///
    /// Fails once the directory's last name was opened, unless the walk is
    /// [revisable](DirectoryWalk::revisable).
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

    /// Leaves the innermost entered directory, skipping its queued names.
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

    /// Opens the next queued directory, or returns `None` at the end. After an error, the next call
    /// continues with the following directory.
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

    /// Closes all directories. Returns the walk's own calls, without those of its [`Stat`]s and
    /// directories.
    pub fn finish(mut self) -> Calls {
        self.clear();
        self.sys.calls()
    }
}
