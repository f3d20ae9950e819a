//! Opens and changes the trash, through directories and files that only this user can have created.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use curt::paths::{Environment, ThisProcess};
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, RenameFlags, accessat, fstat, mkdirat, open, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use crate::sys::Refusal;

/// Opens a directory to access its entries, not to list them.
pub(super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
pub(super) const NO_LINK: OFlags = FOLDER.union(OFlags::NOFOLLOW);

#[derive(Debug, PartialEq)]
pub(super) struct Operand<'a> {
    pub(super) parent: &'a Path,
    pub(super) name: &'a OsStr,
    pub(super) is_directory_only: bool,
}

/// Splits an operand into parent and name. Refuses `/`, `.` and `..`.
pub(super) fn split(operand: &OsStr) -> Result<Operand<'_>, Refusal> {
    let bytes = operand.as_bytes();
    let end = bytes.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let Some((path, slashes)) = bytes.split_at_checked(end).filter(|_| end > 0) else {
        return Err(if bytes.is_empty() {
            Refusal::Missing(Errno::NOENT.into())
        } else {
            Refusal::ROOT
        });
    };
    let start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let (parent, name) = path.split_at(start);
    if name == b"." || name == b".." {
        return Err(Refusal::DOT_OR_DOT_DOT);
    }
    let parent = if parent.is_empty() { b".".as_slice() } else { parent };
    Ok(Operand {
        parent: Path::new(OsStr::from_bytes(parent)),
        name: OsStr::from_bytes(name),
        is_directory_only: !slashes.is_empty(),
    })
}

/// Returns the directory in `variable` or, if that is not absolute, `below` in the home directory.
/// The home directory is `HOME` or, if that is not absolute either, from the user database.
pub(super) fn home_directory(variable: &str, below: &str) -> Option<PathBuf> {
    let absolute = |path: PathBuf| Some(path).filter(|path| path.is_absolute());
    let named = |name| absolute(std::env::var_os(name)?.into());
    let of_user = || absolute(ThisProcess::new().home_of(b"")?.to_path().ok()?);
    named(variable).or_else(|| Some(named("HOME").or_else(of_user)?.join(below)))
}

/// Creates missing directories, or only looks for them. Removes the created ones when dropped,
/// unless `keep` was called.
pub(super) struct Maker {
    is_read_only: bool,
    created: RefCell<Vec<(OwnedFd, OsString)>>,
}

impl Maker {
    pub(super) fn new(is_read_only: bool) -> Maker {
        Maker { is_read_only, created: RefCell::default() }
    }

    pub(super) fn keep(&self) {
        self.created.take();
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        for (parent, name) in self.created.take().iter().rev() {
            // Fails if another process already uses the directory.
            let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
        }
    }
}

/// A directory or, if it is missing, its nearest existing ancestor.
pub(super) struct NearestDir {
    pub(super) dir: OwnedFd,
    pub(super) is_missing: bool,
}

impl NearestDir {
    /// Opens a directory. Creates it and its parents if `maker` may.
    pub(super) fn open_all(path: &Path, maker: &Maker) -> Result<NearestDir, Errno> {
        match (open(path, FOLDER, Mode::empty()), path.parent(), path.file_name()) {
            (Err(Errno::NOENT), Some(parent), Some(name)) => {
                let parent = NearestDir::open_all(parent, maker)?;
                check_owner(&parent.dir)?;
                parent.child(name, maker)
            }
            (opened, ..) => Ok(NearestDir { dir: opened?, is_missing: false }),
        }
    }

    /// Opens a subdirectory, which must belong to this user and not be a symlink. Creates it if
    /// `maker` may.
    pub(super) fn child(&self, name: &OsStr, maker: &Maker) -> Result<NearestDir, Errno> {
        if !self.is_missing {
            let open = || openat(&self.dir, name, NO_LINK, Mode::empty());
            let dir = match open() {
                Err(Errno::NOENT) if maker.is_read_only => return self.missing(),
                Err(Errno::NOENT) => {
                    let parent = fcntl_dupfd_cloexec(&self.dir, 0)?;
                    match mkdirat(&self.dir, name, Mode::RWXU) {
                        Ok(()) => maker.created.borrow_mut().push((parent, name.to_owned())),
                        Err(Errno::EXIST) => {}
                        Err(error) => return Err(error),
                    }
                    open()?
                }
                opened => opened?,
            };
            check_owner(&dir)?;
            return Ok(NearestDir { dir, is_missing: false });
        }
        self.missing()
    }

    fn missing(&self) -> Result<NearestDir, Errno> {
        Ok(NearestDir { dir: fcntl_dupfd_cloexec(&self.dir, 0)?, is_missing: true })
    }

    pub(super) fn check_writable(&self) -> Result<(), Errno> {
        accessat(&self.dir, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
    }

    pub(super) fn has_entry(&self, name: &OsStr) -> Result<bool, Errno> {
        match statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            _ if self.is_missing => Ok(false),
            Err(Errno::NOENT) => Ok(false),
            found => found.map(|_| true),
        }
    }
}

pub(super) fn check_owner(dir: &OwnedFd) -> Result<(), Errno> {
    let is_own = fstat(dir)?.st_uid == rustix::process::geteuid().as_raw();
    if is_own { Ok(()) } else { Err(Errno::PERM) }
}

pub(super) fn rename_new(
    dir: &OwnedFd,
    name: &OsStr,
    to: &OwnedFd,
    new_name: &OsStr,
) -> Result<(), Errno> {
    match renameat_with(dir, name, to, new_name, RenameFlags::NOREPLACE) {
        // Old kernels and some filesystems, such as NFS, lack `RENAME_NOREPLACE`.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        done => return done,
    }
    match statat(to, new_name, AtFlags::SYMLINK_NOFOLLOW) {
        // The information file reserves this name.
        Err(Errno::NOENT) => renameat(dir, name, to, new_name),
        Ok(_) => Err(Errno::EXIST),
        Err(error) => Err(error),
    }
}

pub(super) fn write_all(file: &OwnedFd, mut text: &[u8]) -> Result<(), Errno> {
    while !text.is_empty() {
        match rustix::io::write(file, text) {
            Ok(written) => text = text.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
