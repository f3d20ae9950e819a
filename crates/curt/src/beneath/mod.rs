//! Staying beneath a directory: untrusted paths are opened, and nothing outside can be reached.
//!
//! # Promises
//!
//! - What is opened, made, removed, renamed or asked about lies beneath the root, **whoever changes
//!   the tree meanwhile**. The answer is a handle (or the deed done relative to one), never a text
//!   that is looked up again.
//! - A refusal carries one reason ([`Refusal`](crate::paths::Refusal)). An ordinary failure is
//!   never told as a refusal: what the system says is passed on as it is.
//! - The text is not folded before the system has seen it: `link/../x` means on POSIX what the
//!   kernel says. So the check of text alone may differ from an open, there.
//! - Two scopes: [`Scope::Beneath`] refuses what leaves the root, [`Scope::InRoot`] keeps it in.
//!   Two ways with aliases: [`Aliases::Open`] and [`Aliases::Strict`].
//! - Mounts and hard links beneath the root belong to it, wherever else they can be reached from.
//!
//! # Call budget
//!
//! For the path of any depth on which no link is:
//!
//! | | Linux | by single steps (POSIX, `--without openat2`) of n names |
//! |---|---|---|
//! | open a file or directory | 1 (`openat2`), and its close | 2n - 1, and 1 for each `..` |
//! | ask, read a link, make, remove, rename one name in the root | 1 | 1 |
//! | the same below | 3 (`openat2`, the deed, `close`); rename 5 | 2n - 1 |
//! | full name of something open | 1 (`readlinkat`) | – |
//!
//! A canonical name, its close counted apart:
//!
//! | Linux | last name missing | no links followed (strict) | by single steps |
//! |---|---|---|---|
//! | 3, close | 5, close | 1, close; missing 2, close | 2n - 1, and 6 to 11 for each link |
//!
//! `openat2` finds what the path leads to, and two `readlinkat` tell its name and that of the root,
//! wherever that was moved. A missing last name takes more because `ENOENT` leaves open whether the
//! name is missing or a link that leads nowhere, whose name is that of the place where it leads:
//! the directory must be opened, looked into and named. On Windows: 4 calls, last name missing 6.
//!
//! Opening through links costs nothing more where the kernel follows them. A refusal may cost a
//! walk on top that opens nothing but directories, where the kernel's answer leaves open which
//! reason it was (`ELOOP`).
//!
//! # Races
//!
//! *Prevented*: a directory on the way swapped for a link, a link that changes its target, a rename
//! of any part of the tree, an exchange of parents, a file that is made through a dangling link.
//! The kernel checks the path while it walks it; the single steps open each name relative to the
//! directory opened before, follow nothing, and walk `..` back over the directories they came
//! through.
//!
//! *Not prevented*: a directory that is moved out of the root after it was opened is still that
//! directory. What a path means may change between two operations; a handle does not. A name that
//! [`Root::canonical`] tells is one of a moment.
//!
//! # Fallbacks
//!
//! Without `openat2` (Linux before 5.6, or a filter) and on other systems: single steps, with at
//! most 32 directories open, 40 links followed. That the kernel lacks the call (`ENOSYS`) is
//! remembered by the process, that a filter refuses it (`EPERM`, for the root itself as well) by
//! this root. The steps keep the rules of Linux about links: of a mount (`nosymfollow`), and of the
//! system (`fs.protected_symlinks`; only root may read that setting, so for others it is on). Other
//! systems have no such question, and a mount of theirs that says so is not noticed.
//!
//! Any other refusal of `openat2` is the answer. `EAGAIN`, which says that a rename or a mount
//! somewhere made `..` unprovable, is tried again for some 10 ms, and then told: nobody can choose
//! the single steps by renaming. A single step whose answers contradict each other is taken again,
//! 64 times at most. Without `/proc`, or where the full name is longer than the system tells: the
//! names of canonical paths are gathered by single steps. Opening a directory as a place needs no
//! permission to read it where the system has a flag for that (Linux, FreeBSD).

mod canonical;
mod engine;
mod options;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod walk;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::options::{OpenOptions, Scope};

use self::engine::{Confined, Failure, Place};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Metadata, Plan};
use crate::name::Unit;
use crate::sys::beneath::{Beneath, File, Purpose};
use crate::sys::{Feature, Features, Os, OsUnit, Setup, Sys, SystemUnit};
use crate::{Directory, Remove, Report};
use curt_paths::Aliases;

/// What directories are made with, less what the process masks.
const DIRECTORY_MODE: u32 = 0o777;

/// A directory that is kept open, beneath which untrusted paths are used.
///
/// Its name does not matter any more once it is open: it may be renamed. A root belongs to one
/// thread at a time; [`Root::share`] makes another for another thread without a call.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-root-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("pub"))?;
/// # std::fs::write(scratch.join("pub/page"), "hello")?;
/// use curt::{Cause, OpenOptions, Root};
/// use curt::paths::Refusal;
/// use std::io::Read;
///
/// let root = Root::open(&scratch)?;
/// let mut text = String::new();
/// root.open_file("pub/page", &OpenOptions::new().read(true))?.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// let refused = root.open_file("../../etc/passwd", &OpenOptions::new().read(true)).unwrap_err();
/// assert!(matches!(refused.cause(), Cause::Refused(Refusal::Escape)));
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub struct Root {
    confined: Confined<Os>,
    setup: Setup,
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Root").field("rules", &self.confined.rules).finish_non_exhaustive()
    }
}

/// What [`Root::canonical`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The name from the root on, without links and dots; `.` for the root itself.
    pub path: PathBuf,
    /// Whether the last name is not there (yet).
    pub missing: bool,
}

impl Root {
    /// Opens a root, following links as the path is typed. 1 call (2 on Windows).
    pub fn open(path: impl AsRef<Path>) -> Result<Root, Error> {
        Root::open_without(path, &[])
    }

    /// Does without features of the system, as it is tested.
    #[doc(hidden)]
    pub fn open_without(path: impl AsRef<Path>, without: &[Feature]) -> Result<Root, Error> {
        let path = path.as_ref();
        let features = without.iter().fold(Features::default(), |all, &one| all.with(one));
        let setup = Setup::default().for_reading(features);
        let confined = Confined::open(Os::start(&setup), path);
        let fail = |error| Error::new(Operation::OpenDirectory, path.to_owned(), Cause::Os(error));
        Ok(Root { confined: confined.map_err(fail)?, setup })
    }

    /// What happens to a path that would leave the root; [`Scope::Beneath`] by default.
    pub fn scope(mut self, scope: Scope) -> Root {
        self.confined.set_scope(scope);
        self
    }

    /// What happens to aliases; [`Aliases::Open`] by default.
    pub fn aliases(mut self, aliases: Aliases) -> Root {
        self.confined.set_aliases(aliases);
        self
    }

    /// The same root for another thread: the same open directory, calls counted apart. No call.
    pub fn share(&self) -> Root {
        self.of(Arc::clone(&self.confined.dir))
    }

    fn of(&self, dir: Arc<<Os as Sys>::Dir>) -> Root {
        let confined = self.confined.with(Os::start(&self.setup), dir);
        Root { confined, setup: self.setup.clone() }
    }

    /// Does something with a path that has passed the check of its text.
    fn with<T>(
        &self,
        operation: Operation,
        path: &Path,
        act: impl FnOnce(&Confined<Os>, &text::Text<<Os as Sys>::Unit>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let answer = self.confined.text(path).and_then(|text| {
            let answer = act(&self.confined, &text);
            self.confined.reuse(text);
            answer
        });
        answer.map_err(|fail| fail.of(operation, path))
    }

    /// Opens a file. 1 call on Linux. What is opened may be anything that has that name: a
    /// directory, a device, a pipe (see [`OpenOptions::nonblocking`]).
    pub fn open_file(&self, path: impl AsRef<Path>, options: &OpenOptions) -> Result<File, Error> {
        let path = path.as_ref();
        let Some(how) = options.how() else {
            let cause = Cause::Os(io::ErrorKind::InvalidInput.into());
            return Err(Error::new(Operation::Open, path.to_owned(), cause));
        };
        self.with(Operation::Open, path, |confined, text| confined.open_file(text, how))
    }

    /// Makes a file, or empties the one that is there, and opens it for writing. 1 call on Linux.
    pub fn create(&self, path: impl AsRef<Path>) -> Result<File, Error> {
        self.open_file(path, &OpenOptions::new().write(true).create(true).truncate(true))
    }

    /// Opens a directory as a root of its own, with the same scope and policy. 1 call on Linux.
    pub fn open_dir(&self, path: impl AsRef<Path>) -> Result<Root, Error> {
        let opened = self.with(Operation::OpenDirectory, path.as_ref(), |confined, text| {
            confined.enter(text, Purpose::Place)
        });
        Ok(self.of(Arc::new(opened?)))
    }

    /// Opens a directory for listing. 1 call on Linux; what listing costs is in [`Directory`]. In
    /// paths and errors the entries lie below the path as given here.
    pub fn read_dir(&self, path: impl AsRef<Path>) -> Result<Directory, Error> {
        let path = path.as_ref();
        let dir = self.with(Operation::OpenDirectory, path, |confined, text| {
            confined.enter(text, Purpose::Listing)
        })?;
        Ok(Directory::of(self.setup.clone(), Os::start(&self.setup), dir, path.to_owned()))
    }

    /// Makes a directory. A name that is there already, a link included, is an error.
    pub fn create_dir(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.with(Operation::CreateDirectory, path.as_ref(), |confined, text| {
            confined.create_dir(text, DIRECTORY_MODE)
        })
    }

    /// Removes a file, or a link (never what it leads to).
    pub fn remove_file(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.with(Operation::Remove, path.as_ref(), Confined::remove_file)
    }

    /// Removes a tree, as [`Remove`] does. In the report, paths begin with the last name of this
    /// one.
    pub fn remove_tree(
        &self,
        path: impl AsRef<Path>,
        removal: &Remove<'_>,
    ) -> Result<Report, Error> {
        let path = path.as_ref();
        let place = self.with(Operation::Remove, path, Confined::place_of)?;
        let Some(Place { dir, name }) = place else {
            return Err(Error::new(Operation::Remove, path.to_owned(), Cause::DotOrDotDot));
        };
        let mut name = name.units().to_vec();
        if OsUnit::units(path).last().is_some_and(|unit| unit.is_separator()) {
            // A directory by its text, and not a link to one.
            name.push(Unit::SEPARATOR);
        }
        Ok(removal.run_in(Some(dir), &[&SystemUnit::path(name)]))
    }

    /// Renames, and replaces what has the new name as the system does. Both paths lie beneath the
    /// root. Links at the ends are renamed and replaced themselves.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let fresh = self.confined.text(to).map_err(|fail| fail.of(Operation::Rename, to))?;
        self.with(Operation::Rename, from, |confined, text| confined.rename(text, &fresh))
    }

    /// Asks about what a path leads to; about a link itself where the plan says
    /// [`Follow::Never`](crate::Follow::Never), which is its default. The kind is told in any case.
    pub fn stat(&self, path: impl AsRef<Path>, plan: Plan) -> Result<Metadata, Error> {
        let path = path.as_ref();
        self.with(Operation::Stat, path, |confined, text| confined.stat(text, path, plan))
    }

    /// Reads what a link holds, which may be any text.
    pub fn read_link(&self, path: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let read = self.with(Operation::ReadLink, path.as_ref(), Confined::read_link);
        Ok(SystemUnit::path(read?))
    }

    /// The name of what a path leads to, from the root on, without links and dots: also right when
    /// the root, or what lies above it, was renamed meanwhile, and however long the full name is.
    /// Its last name may be missing, so that the place of a file to be made can be told.
    pub fn canonical(&self, path: impl AsRef<Path>) -> Result<Canonical, Error> {
        let found = self.with(Operation::Canonicalize, path.as_ref(), Confined::canonical)?;
        Ok(Canonical { path: SystemUnit::path(found.path), missing: found.missing })
    }

    /// The name of an open file from the root on, as the directories have it now, in 2 calls: what
    /// a list of names is to be compared with, since it is the name of what will be read, however
    /// it was asked for. A file that no longer lies beneath the root is refused as
    /// [`Refusal::Escape`](crate::paths::Refusal::Escape).
    pub fn name_of(&self, file: &File) -> Result<PathBuf, Error> {
        let name = self.confined.name_of(file);
        Ok(SystemUnit::path(name.map_err(|fail| fail.of(Operation::Canonicalize, Path::new("")))?))
    }

    /// The full path of an open file as the directories have it now, in 1 call: what was opened as
    /// `HTACCE~1` is told as `.htaccess`. A file without a name is an error: one that was never
    /// given one, or whose name was removed, also where another hard link to it is left.
    pub fn true_name(&self, file: &File) -> Result<PathBuf, Error> {
        let name = self.confined.sys().path_of(file);
        let fail = |error| Error::new(Operation::Canonicalize, PathBuf::new(), Cause::Os(error));
        Ok(SystemUnit::path(name.map_err(fail)?))
    }

    /// The open directory.
    #[allow(dead_code, reason = "handed out where it is a descriptor")]
    pub(crate) fn dir(&self) -> &<Os as Sys>::Dir {
        &self.confined.dir
    }

    /// The calls made so far, closing of files not counted: the standard library does that.
    pub fn calls(&self) -> Calls {
        self.confined.sys().calls()
    }
}
