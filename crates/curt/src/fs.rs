//! Drop-in replacements for functions of [`std::fs`]: called in the same way, with the same errors.
//!
//! `use curt::fs::{read_dir, remove_dir_all}`, and each of these functions costs less or does more
//! (what is not here has nothing to gain, and stays `std::fs`):
//!
//! | function | cost on Linux | beside the standard library's |
//! |---|---|---|
//! | [`remove_dir_all`] | N + 4M + 1 for N other entries and M directories | continues after a failure; crosses no mount |
//! | [`read_dir`] | 4 for a directory, 0 for an entry | larger buffers; [`DirEntry`] is the same |
//! | [`metadata`], [`symlink_metadata`], [`DirEntry::metadata`] | 1 | the same |
//! | [`canonicalize`] | 3 | the standard library needs 1 for each name in the path |
//!
//! # Differences
//!
//! - [`remove_dir_all`] starts threads for large trees, and ends them before it returns. It refuses
//!   mount points, paths that end in `.` or `..`, the root directory, and a link with a separator
//!   behind it; nothing is removed there. If several entries cannot be removed, the first error is
//!   returned and everything else is gone. [`Remove`] has all failures.
//! - [`Metadata`] and [`FileType`] are types of this module, as nobody else can make those of the
//!   standard library. They have the same methods but for `permissions`; [`Metadata::details`] has
//!   the mode, the numbers of the owner and everything else that the system said.
//! - Errors have the same kind and, on Unix, the same number; on Windows some have another number.
//!   What curt refuses itself has no number.
//! - [`canonicalize`] follows links as the system follows them: where `fs.protected_symlinks` is in
//!   force, a link that nobody may follow is an error.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-fs-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("tree/sub"))?;
//! # std::fs::write(scratch.join("tree/file"), "four")?;
//! use curt::fs;
//!
//! let tree = fs::canonicalize(scratch.join("tree/sub/.."))?;
//! for entry in fs::read_dir(&tree)? {
//!     let entry = entry?;
//!     if entry.file_type()?.is_file() {
//!         assert_eq!(entry.metadata()?.len(), 4);
//!     }
//! }
//! fs::remove_dir_all(&tree)?;
//! assert!(fs::metadata(&tree).is_err());
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error;
use crate::fields::{Fields, Kind, Plan, Time, Value};
use crate::list::{Directory, ListEntries, ListEntry};
use crate::remove::Remove;
use crate::sys::{Ask, Os, Setup, Sys, host, os_error};

/// What the standard library has methods for.
const BASIC: Fields = Fields::KIND
    .union(Fields::SIZE)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CREATED);

/// What one query answers.
const FIELDS: Fields = BASIC
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::ALLOCATED)
    .union(Fields::CHANGED)
    .union(Fields::LINKS)
    .union(Fields::MODE)
    .union(Fields::USER_ID)
    .union(Fields::GROUP_ID)
    .union(Fields::DEVICE_NUMBER)
    .union(Fields::BLOCK_SIZE)
    .union(Fields::ATTRIBUTES);

/// Removes a directory and everything in it; a link is removed itself.
///
/// In place of [`std::fs::remove_dir_all`]; the [module](self) has the differences. One call more
/// than [`remove_tree`](crate::remove_tree), which also removes files.
///
/// # Errors
///
/// Those of the standard library: the path is missing, or no directory and no link. If entries
/// could not be removed, the first of these failures.
///
/// # Races
///
/// Nothing that is swapped for a link leads out of the tree. An entry that another process removes
/// at the same time counts as removed.
pub fn remove_dir_all<P: AsRef<Path>>(path: P) -> io::Result<()> {
    let path = path.as_ref();
    let file_type = symlink_metadata(path)?.file_type();
    // With a separator at its end, it is refused if it is no directory any more.
    let with_separator = path.join("");
    let report = if file_type.is_symlink() {
        Remove::new().run(path)
    } else if file_type.is_dir() {
        Remove::new().run(&with_separator)
    } else {
        return Err(os_error(io::ErrorKind::NotADirectory));
    };
    let Some(error) = report.errors.into_iter().next() else { return Ok(()) };
    let (operation, failed, cause) = error.into_parts();
    let as_given = if failed == with_separator { path.to_owned() } else { failed };
    Err(Error::new(operation, as_given, cause).into_system())
}

/// Lists a directory, following links in the path.
///
/// In place of [`std::fs::read_dir`]: `.` and `..` are left out, and the order is that of the
/// system. 4 calls on Linux for a directory that fits into one buffer, none for an entry.
/// [`list`](crate::list()) is the same with fields that the caller chooses.
///
/// # Errors
///
/// Those of opening the directory. A failure to read on is an item of the iterator, and the last.
pub fn read_dir<P: AsRef<Path>>(path: P) -> io::Result<ReadDir> {
    let directory = Directory::open(path).map_err(Error::into_system)?;
    let listed = FIELDS.intersection(Os::SOURCES.listing);
    Ok(ReadDir(directory.list(listed).into_iter()))
}

/// Asks about what a path leads to. In place of [`std::fs::metadata`]; 1 call on Unix.
///
/// # Errors
///
/// The path is missing or cannot be reached; a broken link and a link loop are errors, too.
pub fn metadata<P: AsRef<Path>>(path: P) -> io::Result<Metadata> {
    ask(path.as_ref(), true)
}

/// Asks about a path; a link at its end is not followed. In place of
/// [`std::fs::symlink_metadata`]; 1 call on Unix.
///
/// # Errors
///
/// The path is missing or cannot be reached.
pub fn symlink_metadata<P: AsRef<Path>>(path: P) -> io::Result<Metadata> {
    ask(path.as_ref(), false)
}

fn ask(path: &Path, follow: bool) -> io::Result<Metadata> {
    let sys = Os::start(&Setup::default());
    let ask = Ask { fields: FIELDS, follow, cached: false };
    let facts = sys.at_path(path, |dir, name| sys.query(dir, name, ask))??;
    let mut metadata = crate::fields::Metadata::default();
    metadata.reset(FIELDS);
    metadata.facts = facts;
    Ok(Metadata(metadata))
}

/// Returns the absolute path of what a path leads to, without links, `.` and `..`.
///
/// In place of [`std::fs::canonicalize`], with the same result: on Windows an extended-length path
/// (`\\?\C:\…`). 3 calls on Linux however long the path is; where the kernel has no name for the
/// file, and on other systems, those of the standard library. [`Root::canonical`] stays beneath a
/// directory.
///
/// # Errors
///
/// The path is missing or cannot be reached.
///
/// # Races
///
/// On Linux the result is the name that the file had at one moment, even if links in the path are
/// swapped meanwhile.
///
/// [`Root::canonical`]: crate::Root::canonical
pub fn canonicalize<P: AsRef<Path>>(path: P) -> io::Result<PathBuf> {
    host::canonical(path.as_ref())
}

/// Iterates over the entries of a directory: see [`read_dir`].
#[derive(Debug)]
#[must_use = "iterators do nothing until they are used"]
pub struct ReadDir(ListEntries);

impl Iterator for ReadDir {
    type Item = io::Result<DirEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| entry.map(DirEntry).map_err(Error::into_system))
    }
}

/// An entry of a directory: see [`read_dir`]. It keeps the directory open.
#[derive(Clone, Debug)]
pub struct DirEntry(ListEntry);

impl DirEntry {
    /// Returns the path: that of the directory as it was given, and the name.
    pub fn path(&self) -> PathBuf {
        self.0.path.clone()
    }

    /// Returns the name.
    pub fn file_name(&self) -> OsString {
        self.0.name().to_owned()
    }

    /// Returns the kind of the entry; a link is not followed. No call, or 1 where listings have no
    /// kinds.
    pub fn file_type(&self) -> io::Result<FileType> {
        match self.0.kind() {
            Kind::Unknown => Ok(self.metadata()?.file_type()),
            kind => Ok(FileType(kind)),
        }
    }

    /// Asks about the entry; a link is not followed. 1 call on Unix, relative to the open
    /// directory; none on Windows, where the listing had it.
    pub fn metadata(&self) -> io::Result<Metadata> {
        if self.0.metadata.facts.known.contains(BASIC) {
            return Ok(Metadata(self.0.metadata.clone()));
        }
        self.0.stat(Plan::new(FIELDS)).map(Metadata).map_err(Error::into_system)
    }
}

/// The metadata of a file: see [`metadata`].
#[derive(Clone, Debug)]
pub struct Metadata(crate::fields::Metadata);

#[allow(clippy::len_without_is_empty, reason = "the standard library's type has none either")]
impl Metadata {
    /// Returns the kind of the file.
    pub fn file_type(&self) -> FileType {
        FileType(self.0.facts.kind)
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        self.file_type().is_dir()
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.file_type().is_file()
    }

    /// Whether it is a link: only [`symlink_metadata`] and [`DirEntry::metadata`] say so.
    pub fn is_symlink(&self) -> bool {
        self.file_type().is_symlink()
    }

    /// Returns the size in bytes; 0 where the system has none.
    pub fn len(&self) -> u64 {
        self.0.size().known().unwrap_or_default()
    }

    /// Returns the time of the last write to the content.
    pub fn modified(&self) -> io::Result<SystemTime> {
        time(self.0.modified())
    }

    /// Returns the time of the last access.
    pub fn accessed(&self) -> io::Result<SystemTime> {
        time(self.0.accessed())
    }

    /// Returns the time of creation; an error of kind `Unsupported` where the file system does not
    /// keep it.
    pub fn created(&self) -> io::Result<SystemTime> {
        time(self.0.created())
    }

    /// Returns everything that the system said: mode, owner, links, file number and more.
    pub fn details(&self) -> &crate::fields::Metadata {
        &self.0
    }
}

fn time(value: Value<'_, Time>) -> io::Result<SystemTime> {
    value.known().and_then(Time::to_system_time).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// The kind of a file: see [`DirEntry::file_type`]. On Windows a junction is a link, and whatever
/// is neither a directory nor a link is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileType(Kind);

impl FileType {
    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        self.0.is_dir()
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.0.is_file() || self.0 == Kind::AppExecLink
    }

    /// Whether it is a link.
    pub fn is_symlink(&self) -> bool {
        self.0.is_link() && self.0 != Kind::AppExecLink
    }

    /// Returns the exact kind.
    pub fn kind(&self) -> Kind {
        self.0
    }
}
