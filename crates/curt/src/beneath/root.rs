use std::fmt;
use std::fs::Permissions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::SystemTime;

use super::confined::{self, Confined, PairFailure, Policy};
use super::options::{OpenOptions, Scope};
use super::steps::Failure;
use super::text::Text;
use crate::calls::{Calls, SharedCalls};
use crate::error::{Cause, Error, Operation, RemainReason};
use crate::fields::{Metadata, Plan, Time};
use crate::list::Directory;
use crate::name::{NameBuf, Unit};
use crate::querier::Querier;
use crate::remove::{Parent, Remove, Report};
use crate::sys::beneath::{Change, File, Purpose};
use crate::sys::{Feature, Features, Os, OsUnit, Setup, Sys, SystemUnit};
use curt_paths::Aliases;

const DIRECTORY_MODE: u32 = 0o777;

const MAX_REUSED: usize = 4096;

type OsDir = <Os as Sys>::Dir;

/// An open directory that confines untrusted paths: operations never leave it.
///
/// The directory may be renamed while the root is open. Threads can share a root.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-root-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("pub"))?;
/// # std::fs::write(scratch.join("pub/page"), "hello")?;
/// use curt::beneath::{OpenOptions, Refusal};
/// use curt::{Cause, Root};
/// use std::io::Read;
///
/// // `scratch` is a directory with pub/page.
/// let root = Root::open(&scratch)?;
/// let mut text = String::new();
/// root.open_file("pub/page", OpenOptions::new().read(true))?.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// let refused = root.open_file("../../etc/passwd", OpenOptions::new().read(true)).unwrap_err();
/// assert!(matches!(refused.cause(), Cause::Refused(Refusal::Escape)));
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub struct Root {
    dir: Arc<OsDir>,
    policy: Policy,
    setup: Setup,
    worker: Mutex<Worker>,
    /// System calls made with a temporary worker, because another thread held the lock.
    other_calls: SharedCalls,
}

struct Worker {
    querier: Querier<Os>,
    buffer: Vec<OsUnit>,
}

impl Worker {
    fn new(sys: Os) -> Worker {
        Worker { querier: Querier::new(sys, Plan::default()), buffer: Vec::new() }
    }
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Root").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// Clones share the open directory, but have their own call counts and policy. Cloning makes no
/// system call.
impl Clone for Root {
    fn clone(&self) -> Root {
        self.at(Arc::clone(&self.dir))
    }
}

/// The result of [`Root::canonical`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The path from the root, without symlinks and dots; `.` for the root itself.
    pub path: PathBuf,
    /// Whether the last component does not exist (yet).
    pub missing: bool,
}

impl Root {
    /// Opens a directory as a root, following symlinks in its path.
    ///
    /// Makes 1 system call (2 on Windows).
    pub fn open(path: impl AsRef<Path>) -> Result<Root, Error> {
        Root::open_without(path, &[])
    }

    /// Opens a root, for tests, without using these kernel features.
    #[doc(hidden)]
    pub fn open_without(path: impl AsRef<Path>, without: &[Feature]) -> Result<Root, Error> {
        let path = path.as_ref();
        let features = without.iter().fold(Features::default(), |all, &one| all.with(one));
        let setup = Setup::default().for_listing(features);
        let sys = Os::start(&setup);
        let dir = confined::open_root(&sys, path).map_err(|error| {
            Error::new(Operation::OpenDirectory, path.to_owned(), Cause::Os(error))
        })?;
        Ok(Root::new(sys, Arc::new(dir), Policy::default(), setup))
    }

    fn new(sys: Os, dir: Arc<OsDir>, policy: Policy, setup: Setup) -> Root {
        let worker = Mutex::new(Worker::new(sys));
        Root { dir, policy, setup, worker, other_calls: SharedCalls::default() }
    }

    /// Sets how to treat a path that would leave the root; [`Scope::Beneath`] by default.
    pub fn scope(mut self, scope: Scope) -> Root {
        self.policy.scope = scope;
        self
    }

    /// Sets how to treat symlinks and alternative spellings; [`Aliases::Open`] by default.
    pub fn aliases(mut self, aliases: Aliases) -> Root {
        self.policy.aliases = aliases;
        self
    }

    pub(crate) fn adopted(dir: io::Result<OsDir>) -> Result<Root, Error> {
        let dir = dir.map_err(|error| {
            Error::new(Operation::OpenDirectory, PathBuf::new(), Cause::Os(error))
        })?;
        let setup = Setup::default().for_listing(Features::default());
        Ok(Root::new(Os::start(&setup), Arc::new(dir), Policy::default(), setup))
    }

    fn at(&self, dir: Arc<OsDir>) -> Root {
        Root::new(Os::start(&self.setup), dir, self.policy, self.setup.clone())
    }

    fn with_worker<T>(&self, run: impl FnOnce(Confined<'_, Os>, &mut Vec<OsUnit>) -> T) -> T {
        let run = |worker: &mut Worker| {
            let Worker { querier, buffer } = worker;
            run(Confined { querier, dir: &self.dir, policy: self.policy }, buffer)
        };
        match self.worker.try_lock() {
            Ok(mut worker) => run(&mut worker),
            Err(TryLockError::Poisoned(poisoned)) => run(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let mut worker = Worker::new(Os::start(&self.setup));
                let answer = run(&mut worker);
                self.other_calls.add(&worker.querier.sys.calls());
                answer
            }
        }
    }

    fn run<T>(
        &self,
        operation: Operation,
        path: &Path,
        act: impl FnOnce(Confined<'_, Os>, &Text<OsUnit>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let answer = self.with_worker(|confined, buffer| {
            let text = confined.text(path, std::mem::take(buffer))?;
            let answer = act(confined, &text);
            let used = text.into_buffer();
            if used.capacity() <= MAX_REUSED {
                *buffer = used;
            }
            answer
        });
        answer.map_err(|failure| error(failure, operation, path))
    }

    fn run_pair(
        &self,
        operation: Operation,
        [first, second]: [&Path; 2],
        act: impl FnOnce(
            Confined<'_, Os>,
            &Text<OsUnit>,
            Result<Text<OsUnit>, Failure>,
        ) -> Result<(), PairFailure>,
    ) -> Result<(), Error> {
        let fresh = self.with_worker(|confined, _| confined.text(second, Vec::new()));
        let done = self.run(operation, first, |confined, text| Ok(act(confined, text, fresh)))?;
        done.map_err(|PairFailure { is_second, failure }| {
            error(failure, operation, if is_second { second } else { first })
        })
    }

    /// Opens a file. Makes 1 system call on Linux.
    ///
    /// Opens any kind of entry, even a directory or a device. Opening a FIFO for reading waits
    /// until another process opens it for writing. If other users can create files beneath the
    /// root, set [`OpenOptions::nonblocking`], and check `file.metadata()?.is_file()`.
    pub fn open_file(&self, path: impl AsRef<Path>, options: &OpenOptions) -> Result<File, Error> {
        let path = path.as_ref();
        let Some(how) = options.how() else {
            let cause = Cause::Os(io::ErrorKind::InvalidInput.into());
            return Err(Error::new(Operation::Open, path.to_owned(), cause));
        };
        self.run(Operation::Open, path, |confined, text| confined.open_file(text, &how))
    }

    /// Opens a directory as a new root with the same policy. Makes 1 system call on Linux.
    pub fn open_dir(&self, path: impl AsRef<Path>) -> Result<Root, Error> {
        let opened = self.run(Operation::OpenDirectory, path.as_ref(), |confined, text| {
            confined.enter(text, Purpose::Lookup)
        });
        Ok(self.at(Arc::new(opened?)))
    }

    /// Opens a directory for listing. The paths of its entries begin with `path` as given.
    ///
    /// Makes 1 system call on Linux.
    pub fn read_dir(&self, path: impl AsRef<Path>) -> Result<Directory, Error> {
        let path = path.as_ref();
        let dir = self.run(Operation::OpenDirectory, path, |confined, text| {
            confined.enter(text, Purpose::Listing)
        })?;
        Ok(Directory::of(self.setup.clone(), &Calls::default(), dir, path.to_owned()))
    }

    /// Creates a directory with `mode` minus the umask. Windows ignores the mode.
    ///
    /// Fails if the name exists, even as a symlink.
    pub fn create_dir_with_mode(&self, path: impl AsRef<Path>, mode: u32) -> Result<(), Error> {
        self.run(Operation::CreateDirectory, path.as_ref(), |confined, text| {
            confined.create_dir(text, mode)
        })
    }

    /// Creates a directory and its missing parents, as [`std::fs::create_dir_all`] does.
    ///
    /// Succeeds for an existing directory, or for a symlink to a directory beneath the root. Costs
    /// 2 system calls if the directory exists (one of them closes it), otherwise at most 4 for each
    /// directory created.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-all-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// let root = curt::Root::open(&scratch)?;
    /// root.create_dir_all("a/b/c")?;
    /// root.create_dir_all("a/b/c")?;
    /// assert!(root.create_dir_all("a/../../b").is_err());
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn create_dir_all(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        self.run(Operation::CreateDirectory, path, |confined, text| {
            confined.create_dir_all(text, DIRECTORY_MODE)
        })
    }

    /// Creates a symlink at `link`, as [`std::os::unix::fs::symlink`] does.
    ///
    /// The name must not exist. The target can be any text. Operations of a root never follow the
    /// symlink outside the root, but other programs do, so check an untrusted target before other
    /// programs see the tree.
    ///
    /// Fails on Windows with [`Unsupported`](io::ErrorKind::Unsupported), because creating symlinks
    /// requires a privilege there.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// # let scratch = std::env::temp_dir().join(format!("curt-link-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// let root = curt::Root::open(&scratch)?;
    /// root.symlink("/etc", "out")?;
    /// assert!(root.read_dir("out").is_err());
    /// # std::fs::remove_dir_all(scratch)?;
    /// # }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn symlink(&self, target: impl AsRef<Path>, link: impl AsRef<Path>) -> Result<(), Error> {
        let (target, link) = (OsUnit::units(target.as_ref()), link.as_ref());
        self.run(Operation::CreateLink, link, |confined, text| {
            confined.symlink(NameBuf::new(target)?.as_name(), text)
        })
    }

    /// Creates a hard link; both paths are beneath the root.
    ///
    /// If `original` ends in a symlink, the symlink itself is linked. [`Error::path`] returns the
    /// path that caused the error, or `original` if unknown.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-hard-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// # std::fs::write(scratch.join("one"), "")?;
    /// let root = curt::Root::open(&scratch)?;
    /// root.hard_link("one", "two")?;
    /// assert!(root.hard_link("../outside", "three").is_err());
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn hard_link(
        &self,
        original: impl AsRef<Path>,
        link: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let paths = [original.as_ref(), link.as_ref()];
        self.run_pair(Operation::CreateLink, paths, |confined, original, link| {
            confined.hard_link(original, link)
        })
    }

    /// Changes the permissions of a file or directory.
    ///
    /// A symlink in the last component is followed within the root. Linux opens the file with
    /// `O_PATH` and changes it through `/proc`, in 3 system calls. Without `/proc`, fails with
    /// [`Unsupported`](io::ErrorKind::Unsupported). On Windows only the read-only attribute
    /// changes.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-mode-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// # let file = std::fs::File::create(scratch.join("file"))?;
    /// let root = curt::Root::open(&scratch)?;
    /// let mut permissions = file.metadata()?.permissions();
    /// permissions.set_readonly(true);
    /// root.set_permissions("file", permissions)?;
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn set_permissions(
        &self,
        path: impl AsRef<Path>,
        permissions: Permissions,
    ) -> Result<(), Error> {
        let change = Change::Permissions(permissions);
        self.run(Operation::SetPermissions, path.as_ref(), |confined, text| {
            confined.change(text, &change)
        })
    }

    /// Changes the access and modification times of a file or directory.
    ///
    /// `None` leaves a time unchanged. Symlinks and costs are as for [`Root::set_permissions`].
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-times-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// # let file = std::fs::File::create(scratch.join("file"))?;
    /// use std::time::{Duration, SystemTime};
    ///
    /// let root = curt::Root::open(&scratch)?;
    /// let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    /// root.set_times("file", None, Some(time))?;
    /// assert_eq!(file.metadata()?.modified()?, time);
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn set_times(
        &self,
        path: impl AsRef<Path>,
        accessed: Option<SystemTime>,
        modified: Option<SystemTime>,
    ) -> Result<(), Error> {
        let (accessed, modified) = (accessed.map(Time::from), modified.map(Time::from));
        let change = Change::Times { accessed, modified };
        self.run(Operation::SetTimes, path.as_ref(), |confined, text| {
            confined.change(text, &change)
        })
    }

    /// Removes an empty directory. Fails for a symlink, and for a path that ends in `.` or `..`.
    pub fn remove_dir(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.run(Operation::Remove, path.as_ref(), |confined, text| confined.remove_dir(text))
    }

    /// Removes a file or a symlink, but never the symlink's target.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.run(Operation::Remove, path.as_ref(), |confined, text| confined.remove_file(text))
    }

    /// Removes a tree, as [`Remove`] does. Paths in the report begin with `path`.
    ///
    /// Fails for a missing tree unless [`Remove::missing_is_fine`] is set, and for a symlink with a
    /// trailing slash.
    #[must_use = "a removal may have failed; the report says so"]
    pub fn remove_tree(&self, path: impl AsRef<Path>, removal: &Remove<'_>) -> Report {
        let path = path.as_ref();
        let parent = self.run(Operation::Remove, path, |confined, text| confined.open_parent(text));
        let refused = |cause| removal.run_in(Parent::Refused(cause), path, path);
        let (dir, name) = match parent {
            Ok(Some(parent)) => parent,
            Ok(None) => return refused(Cause::Remains(RemainReason::DotOrDotDot)),
            Err(error) => return refused(error.into_cause()),
        };
        let mut name = name.units().to_vec();
        if OsUnit::units(path).last().is_some_and(|unit| unit.is_separator()) {
            // Keep the trailing separator, so that the removal refuses a symlink to a directory.
            name.push(Unit::SEPARATOR);
        }
        removal.run_in(Parent::Open(dir), &SystemUnit::path(name), path)
    }

    /// Renames an entry. Replaces an existing entry with the new name under the system's rules.
    ///
    /// A symlink in the last component is itself renamed or replaced. [`Error::path`] returns the
    /// path that caused the error, or `from` if unknown.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        self.rename_as([from.as_ref(), to.as_ref()], true)
    }

    /// Renames as [`Root::rename`] does, but fails if the new name exists.
    ///
    /// The check is atomic on Linux and macOS, and fails with `EINVAL` if the filesystem does not
    /// support it. Other Unix systems fail with [`Unsupported`](io::ErrorKind::Unsupported).
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-new-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// let root = curt::Root::open(&scratch)?;
    /// root.create_dir_all("one")?;
    /// root.create_dir_all("two")?;
    /// let error = root.rename_new("one", "two").unwrap_err();
    /// assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    /// root.rename_new("one", "three")?;
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rename_new(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        self.rename_as([from.as_ref(), to.as_ref()], false)
    }

    fn rename_as(&self, paths: [&Path; 2], replace: bool) -> Result<(), Error> {
        self.run_pair(Operation::Rename, paths, |confined, from, to| {
            confined.rename(from, to, replace)
        })
    }

    /// Returns the metadata of a path, always including the kind.
    ///
    /// A symlink in the last component is followed only if the plan says so ([`Plan::follow`]). A
    /// broken symlink is then an error.
    pub fn stat(&self, path: impl AsRef<Path>, plan: impl Into<Plan>) -> Result<Metadata, Error> {
        let (path, plan) = (path.as_ref(), plan.into());
        self.run(Operation::Stat, path, |confined, text| confined.stat(text, path, plan))
    }

    /// Reads the target of a symlink, which can be any text.
    pub fn read_link(&self, path: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let read =
            self.run(Operation::ReadLink, path.as_ref(), |confined, text| confined.read_link(text));
        Ok(SystemUnit::path(read?))
    }

    /// Returns the canonical path from the root.
    ///
    /// The last component may be missing, for a file to be created. The result is correct even if
    /// the root or one of its ancestors was renamed, and for paths of any length.
    pub fn canonical(&self, path: impl AsRef<Path>) -> Result<Canonical, Error> {
        let found = self.run(Operation::Canonicalize, path.as_ref(), |confined, text| {
            confined.canonical(text)
        })?;
        Ok(Canonical { path: SystemUnit::path(found.path), missing: found.missing })
    }

    /// Returns the current path of an open file from the root. Makes 4 system calls on Linux.
    ///
    /// Compare this path, not the requested one, with allowed or forbidden names. A file that was
    /// moved out of the root is refused with [`Refusal::Escape`](super::Refusal::Escape).
    pub fn name_of(&self, file: &File) -> Result<PathBuf, Error> {
        let name = self.with_worker(|confined, _| confined.name_of(file));
        let fail = |failure| error(failure, Operation::Canonicalize, Path::new(""));
        Ok(SystemUnit::path(name.map_err(fail)?))
    }

    pub(crate) fn dir(&self) -> &OsDir {
        &self.dir
    }

    /// Returns the calls made so far, except those by which the standard library closes files.
    pub fn calls(&mut self) -> Calls {
        let worker = self.worker.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut calls = worker.querier.sys.calls();
        self.other_calls.add_to(&mut calls);
        calls
    }
}

fn error(failure: Failure, operation: Operation, path: &Path) -> Error {
    let cause = match failure {
        Failure::Refused(refusal) => Cause::Refused(refusal),
        Failure::System(error) => Cause::Os(error),
    };
    Error::new(operation, path.to_owned(), cause)
}
