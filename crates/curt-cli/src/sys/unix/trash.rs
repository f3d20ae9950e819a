//! The trash of the freedesktop.org specification 1.0: a folder with the folder `files`, where the
//! entries go, and the folder `info`, where a file for each of them says where it was.
//!
//! An entry is renamed, never copied, so it stays on its filesystem: it goes to the trash in the
//! home directory, or to the one that its filesystem has. A folder is used only if this user owns
//! it, and on other filesystems only if it is no link, since anybody may have made it there.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use curt::canonical::Canonicalizer;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat, unlinkat,
};
use rustix::io::Errno;

use super::folders::{
    FOLDER, NO_LINK, Operand, check_owner, home_directory, open_all, own_directory, rename_new,
    split, write_all,
};
use super::mounts::is_mount_below;
use crate::sys::{Refusal, TrashRules};
use crate::time::{self, Format, Zone};

/// The extension of the files that say where an entry was.
const INFO: &str = ".trashinfo";
/// The longest name that filesystems allow.
const LONGEST_NAME: usize = 255;
/// How many numbers are tried for an entry whose name is taken, and how many names at all.
const MOST_NUMBERS: u32 = 64;
const MOST_NAMES: u32 = 2 * MOST_NUMBERS;

/// The trash of this user.
pub(crate) struct Trash {
    home: Option<Folder>,
}

impl Trash {
    /// Opens the trash in the home directory, and makes it if it is missing.
    pub(crate) fn open() -> Trash {
        // The entries of one filesystem can go to its own trash if there is none at home.
        Trash { home: home_folder().ok() }
    }

    /// Moves an entry to the trash, and returns whether it is a directory.
    pub(crate) fn put(&self, operand: &OsStr, rules: TrashRules) -> Result<bool, Refusal> {
        let Operand { parent, name, is_directory_only } = split(operand)?;
        let parent = Canonicalizer::new().find(parent)?;
        let dir = openat(CWD, &parent, NO_LINK, Mode::empty())?;
        let dir_stat = fstat(&dir)?;
        let stat = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if is_directory_only && !is_directory {
            let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
            return Err(if is_link { Refusal::LinkWithSlash } else { Errno::NOTDIR.into() });
        }
        if is_directory && !rules.takes_directories {
            return Err(Errno::ISDIR.into());
        }
        if rules.refuses_mounted && stat.st_dev != dir_stat.st_dev {
            return Err(Refusal::OtherFileSystem);
        }
        if is_directory && is_mount_below(&parent.join(name)) {
            return Err(Refusal::MountBelow);
        }
        self.put_in_one(&dir, dir_stat.st_dev, &parent, name)?;
        Ok(is_directory)
    }

    /// Moves an entry into the first folder that can hold it.
    fn put_in_one(
        &self,
        dir: &OwnedFd,
        device: u64,
        parent: &Path,
        name: &OsStr,
    ) -> Result<(), Refusal> {
        if let Some(home) = self.home.as_ref().filter(|home| home.device == device) {
            match home.take(dir, &parent.join(name), Path::new("")) {
                // A mount of the same filesystem at another place is another one to a rename.
                Err(Refusal::Os(error)) if Errno::from_io_error(&error) == Some(Errno::XDEV) => {}
                done => return done,
            }
        }
        let (top, levels) = top_directory(dir.as_fd())?;
        let top_path = parent.ancestors().nth(levels).unwrap_or(parent);
        // Where the administrator made no folder for all users, each has one.
        let folder = shared_folder(&top, top_path).or_else(|_| own_folder(&top, top_path));
        let folder = folder.map_err(|error| Refusal::NoTrash(error.into()))?;
        folder.take(dir, &parent.join(name), top_path)
    }
}

/// A folder of the trash.
struct Folder {
    files: OwnedFd,
    info: OwnedFd,
    /// The device of `files`, which is where entries go.
    device: u64,
    /// Where it is, without links.
    path: PathBuf,
}

impl Folder {
    /// Opens the folders in a directory that this user owns, and makes those that are missing.
    fn open_in(base: &OwnedFd, path: PathBuf) -> Result<Folder, Errno> {
        let files = own_directory(base, "files".as_ref())?;
        let info = own_directory(base, "info".as_ref())?;
        let device = fstat(&files)?.st_dev;
        Ok(Folder { files, info, device, path })
    }

    /// Takes an entry of a directory, by its full path without links. The user who wants it back
    /// finds its path below `top`.
    fn take(&self, dir: &OwnedFd, path: &Path, top: &Path) -> Result<(), Refusal> {
        if ["files", "info"].iter().any(|own| self.path.join(own).starts_with(path)) {
            return Err(Refusal::HoldsTrash);
        }
        if path.starts_with(&self.path) {
            return Err(Refusal::InTrash);
        }
        let name = path.file_name().ok_or(Refusal::Root)?;
        let info = info(path.strip_prefix(top).unwrap_or(path));
        for number in 1..MOST_NAMES {
            let name_there = numbered(name, number);
            let mut name_of_info = name_there.clone();
            name_of_info.push(INFO);
            // The information reserves the name, and is written before anything is moved.
            match write_new(&self.info, &name_of_info, info.as_bytes()) {
                Err(Errno::EXIST) => continue,
                written => written?,
            }
            let moved = rename_new(dir, name, &self.files, &name_there);
            let Err(error) = moved else { return Ok(()) };
            // If this fails, too, the information is about nothing, which programs ignore.
            let _ = unlinkat(&self.info, &name_of_info, AtFlags::empty());
            match error {
                Errno::EXIST => {}
                // The system says so if a directory would be moved into itself.
                Errno::INVAL => return Err(Refusal::HoldsTrash),
                error => return Err(error.into()),
            }
        }
        Err(Errno::EXIST.into())
    }
}

/// Writes a file that was not there; one that could not be written whole is removed.
fn write_new(dir: &OwnedFd, name: &OsStr, content: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(dir, name, flags, Mode::RUSR | Mode::WUSR)?;
    let written = write_all(&file, content);
    if written.is_err() {
        let _ = unlinkat(dir, name, AtFlags::empty());
    }
    written
}

/// Returns the name of an entry in the trash: its own, or with a number, and short enough for the
/// name of the information. After some numbers they are drawn, so that many entries of one name
/// need few attempts.
fn numbered(name: &OsStr, number: u32) -> OsString {
    let suffix = match number {
        1 => String::new(),
        2..=MOST_NUMBERS => format!(".{number}"),
        _ => format!(".{:016x}", RandomState::new().build_hasher().finish()),
    };
    let mut end = name.len().min(LONGEST_NAME - suffix.len() - INFO.len());
    let is_inside = |end: usize| name.as_bytes().get(end).is_some_and(|byte| byte & 0xc0 == 0x80);
    while end > 1 && is_inside(end) {
        end -= 1;
    }
    let mut bytes = name.as_bytes().get(..end).unwrap_or_default().to_vec();
    bytes.extend(suffix.as_bytes());
    OsString::from_vec(bytes)
}

/// Returns the text that says where an entry was, and when it was moved.
fn info(path: &Path) -> String {
    let digit = |value: u8| b"0123456789ABCDEF".get(usize::from(value)).copied().unwrap_or(b'0');
    let mut escaped = String::new();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()/".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.extend([b'%', digit(byte >> 4), digit(byte & 0xf)].map(char::from));
        }
    }
    let now = Zone::local().local_time(time::now());
    let date = now.map(|now| Format::new("%Y-%m-%dT%H:%M:%S").apply(&now)).unwrap_or_default();
    format!("[Trash Info]\nPath={escaped}\nDeletionDate={date}\n")
}

/// Opens the trash in the home directory, `$XDG_DATA_HOME/Trash`.
fn home_folder() -> Result<Folder, Errno> {
    let path = home_directory("XDG_DATA_HOME", ".local/share").ok_or(Errno::NOENT)?;
    let data = open_all(&path)?;
    // With sudo it may be another user's, where nothing is to be made.
    check_owner(&data)?;
    // Users may have put a link to their trash there themselves.
    let trash = match openat(&data, "Trash", FOLDER, Mode::empty()) {
        Err(Errno::NOENT) => own_directory(&data, "Trash".as_ref())?,
        opened => opened?,
    };
    check_owner(&trash)?;
    let path = Canonicalizer::new().find(path.join("Trash"));
    let errno = |error: curt::Error| error.raw_os_error().map(Errno::from_raw_os_error);
    Folder::open_in(&trash, path.map_err(|error| errno(error).unwrap_or(Errno::IO))?)
}

/// Opens the folder of this user in the one that the administrator made for all users.
fn shared_folder(top: &OwnedFd, path: &Path) -> Result<Folder, Errno> {
    let all = openat(top, ".Trash", NO_LINK, Mode::empty())?;
    if !Mode::from_raw_mode(fstat(&all)?.st_mode).contains(Mode::SVTX) {
        return Err(Errno::PERM);
    }
    let name = rustix::process::geteuid().as_raw().to_string();
    Folder::open_in(&own_directory(&all, name.as_ref())?, path.join(".Trash").join(name))
}

/// Opens the folder of this user in the top directory of a filesystem.
fn own_folder(top: &OwnedFd, path: &Path) -> Result<Folder, Errno> {
    let name = format!(".Trash-{}", rustix::process::geteuid().as_raw());
    Folder::open_in(&own_directory(top, name.as_ref())?, path.join(name))
}

/// Returns the top directory of the filesystem that holds a directory, or of its mount if that is
/// lower, and how many levels higher it is.
fn top_directory(dir: BorrowedFd<'_>) -> Result<(OwnedFd, usize), Errno> {
    let mut top = openat(dir, ".", FOLDER, Mode::empty())?;
    let mut stat = fstat(&top)?;
    let mut levels = 0;
    loop {
        let parent = match openat2(&top, "..", FOLDER, Mode::empty(), ResolveFlags::NO_XDEV) {
            Err(Errno::XDEV) => return Ok((top, levels)),
            // Older kernels, and filters: only the device tells.
            Err(Errno::NOSYS | Errno::PERM) => openat(&top, "..", FOLDER, Mode::empty())?,
            opened => opened?,
        };
        let parent_stat = fstat(&parent)?;
        // The parent of the root directory is the root directory.
        if parent_stat.st_dev != stat.st_dev || parent_stat.st_ino == stat.st_ino {
            return Ok((top, levels));
        }
        (top, stat) = (parent, parent_stat);
        levels += 1;
    }
}
