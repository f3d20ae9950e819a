//! Features of Unix: removal below an open directory, descriptors, names as bytes, and owners'
//! names.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process;

use crate::beneath::Root;
use crate::error::{Cause, Error, Operation};
use crate::gone::Gone;
use crate::list::{Directory, Entry, EntryName, List};
use crate::name::NameBuf;
use crate::process::{Command, Stream};
use crate::remove::{Remove, Report};
use crate::sys::unix::{accounts, adopt_directory};
use crate::sys::{Os, Request, Setup, Sys, into_descriptor, open_directory};

/// Access to names as the system stores them.
pub trait Units {
    /// Returns the bytes of the name without a copy.
    fn units(&self) -> &[u8];
}

impl Units for Entry<'_> {
    fn units(&self) -> &[u8] {
        self.name.units()
    }
}

impl Units for EntryName<'_> {
    fn units(&self) -> &[u8] {
        self.0.units()
    }
}

/// Removal beneath an open directory.
pub trait RemoveBelow {
    /// Removes `path` relative to the directory `dir`, as `unlinkat(2)` resolves it.
    ///
    /// Symlinks and `..` in the path are followed, so use [`Root::remove_tree`] for an untrusted
    /// path. `dir` may be open with `O_PATH`. It is ignored if the path is absolute. Paths in
    /// errors and events begin with `path`.
    ///
    /// Costs the same as [`Remove::run`]. A single name costs two more calls to duplicate the
    /// descriptor, and their failure is reported like any other, even to the callbacks.
    #[must_use = "a removal may have failed; the report says so"]
    fn run_below(&self, dir: BorrowedFd<'_>, path: impl AsRef<Path>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedFd<'_>, path: impl AsRef<Path>) -> Report {
        super::remove_below(self, path.as_ref(), |parent| open_directory(dir, parent))
    }
}

#[doc(hidden)]
#[derive(Debug)]
pub struct DryMoves(Gone<u8>);

impl Default for DryMoves {
    fn default() -> Self {
        DryMoves(Gone::new(true))
    }
}

impl DryMoves {
    pub fn cut(&self, path: &Path) -> bool {
        self.0.breaks(path, false, &Os::start(&Setup::default()))
    }

    /// Adds a move, unless [`Remove::dry_run`] would report the entry as not removable, or `check`
    /// fails.
    pub fn add<E: From<io::Error>>(
        &self,
        dir: BorrowedFd<'_>,
        name: &OsStr,
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let dir = open_directory(dir, Path::new("")).0?;
        let name = NameBuf::new(name.as_encoded_bytes().to_vec())?;
        let sys = Os::start(&Setup::default());
        let facts = sys.query(&dir, name.as_name(), Request::STAT)?;
        sys.check_removal(&dir, name.as_name(), &facts)?;
        check()?;
        self.0.add(&dir, name.as_name(), &facts, &sys);
        Ok(())
    }
}

/// Returns the open directory, for the caller's own system calls. It is open with `O_PATH` where
/// supported.
impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir().as_fd()
    }
}

/// Adopts a directory that is open for reading, like `scandir(fd)`.
///
/// Makes 1 system call on Linux, and 3 elsewhere, for the `DIR` stream. Refuses anything but a
/// directory. Closes the descriptor on an error.
///
/// ```
/// use curt::list::Directory;
/// use curt::Fields;
/// let opened = std::fs::File::open("src")?;
/// let directory = Directory::try_from(std::os::fd::OwnedFd::from(opened))?;
/// let mut list = directory.list(Fields::KIND);
/// while let Some(entry) = list.next() {
///     println!("{}", entry?.path().display());
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
impl TryFrom<OwnedFd> for Directory {
    type Error = Error;

    fn try_from(fd: OwnedFd) -> Result<Directory, Error> {
        Directory::adopted(|sys| sys.adopt(fd))
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

impl AsFd for List {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// Returns the descriptor. Makes no system call on Linux. Elsewhere the descriptor is duplicated,
/// because closing a `DIR` stream closes its descriptor.
impl TryFrom<Directory> for OwnedFd {
    type Error = Error;

    fn try_from(directory: Directory) -> Result<OwnedFd, Error> {
        let path = directory.path().to_owned();
        into_descriptor(directory.dir)
            .map_err(|error| Error::new(Operation::OpenDirectory, path, Cause::Os(error)))
    }
}

/// Creates a root from an open directory, which may be open with `O_PATH`. Makes 1 system call.
/// Refuses and closes other descriptors.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-fd-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// use std::os::fd::OwnedFd;
///
/// // `scratch` is an empty directory.
/// let root = curt::Root::try_from(OwnedFd::from(std::fs::File::open(&scratch)?))?;
/// root.create_dir_all("made")?;
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
impl TryFrom<OwnedFd> for Root {
    type Error = Error;

    fn try_from(fd: OwnedFd) -> Result<Root, Error> {
        Root::adopted(adopt_directory(fd))
    }
}

/// Replaces this process with the first program that `execute` can start.
///
/// `execute` also gets argument zero and whether the environment is inherited, because
/// [`process::Command`] does not expose them. `command` must not set a directory: a relative one
/// would be entered again for a second candidate.
#[doc(hidden)]
pub fn exec(command: &Command, execute: fn(&process::Command, &OsStr, bool) -> io::Error) -> Error {
    let start = |_: &_, ready: &mut process::Command| {
        Err::<Infallible, _>(execute(ready, command.zeroth(), command.inherits_variables()))
    };
    match command.start([Stream::Inherit; 3], start) {
        Ok((never, _)) => match never {},
        Err(error) => error,
    }
}

/// Returns the name of a user from the C library's user database, or `None` if the user has none.
///
/// The cost depends on the database: a file, for example, is read each time. Fails if descriptors
/// or memory run out, or with `EIO`. Other failures return `None`, because their error numbers
/// depend on the database (`getpwuid_r(3)`).
///
/// ```
/// assert_eq!(curt::os::unix::user_name(0)?.unwrap(), "root");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn user_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::user_name(id)
}

/// Returns the name of a group as [`user_name`] does for a user (`getgrgid_r(3)`).
pub fn group_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::group_name(id)
}
