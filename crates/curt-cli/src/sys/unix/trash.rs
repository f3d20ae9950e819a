//! The trash of the freedesktop.org specification 1.0: the directory `files` contains the entries,
//! and `info` a file with the original path of each.
//!
//! An entry is renamed, never copied (ADR 46): to the trash in the home directory if that is on the
//! same mount, otherwise to the trash of its filesystem. A trash folder must belong to this user.
//! Outside the home directory it must not be a symlink either, because any user may have created
//! it.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use curt::canonical::Canonicalizer;
use curt::os::unix::DryMoves;
use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, StatxFlags, accessat, fstat,
    makedev, openat, openat2, statat, statx, unlinkat,
};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use crate::quote::quote;

use super::folders::{
    FOLDER, Maker, NO_LINK, NearestDir, Operand, check_owner, home_directory, rename_new, split,
    write_all,
};
use super::mounts::{Mounted, mounted_at};
use crate::sys::{Refusal, TrashRules, Trashed};
use crate::time::{self, Format, Zone};

const INFO: &str = ".trashinfo";
const LONGEST_NAME: usize = 255;
const MOST_NUMBERS: u32 = 64;
const MOST_NAMES: u32 = 2 * MOST_NUMBERS;

type Id = (u64, u64);

pub(crate) struct Trash {
    home: Option<Folder>,
    /// The home trash, created on first use.
    created_home: OnceCell<Folder>,
    failed: Option<Errno>,
    dry_run: bool,
    moves: DryMoves,
    planned: RefCell<HashSet<PathBuf>>,
}

impl Trash {
    pub(crate) fn open(dry_run: bool) -> Trash {
        let (home, failed) = match usable(home_folder(true)) {
            Ok(home) => (home, None),
            Err(error) => (None, Some(error)),
        };
        let (created_home, moves, planned) =
            (OnceCell::new(), DryMoves::default(), RefCell::default());
        Trash { home, created_home, failed, dry_run, moves, planned }
    }

    /// Moves an operand to the trash. After the first lookup, uses only names in open directories.
    pub(crate) fn put(&self, operand: &OsStr, rules: TrashRules) -> Result<Trashed, Refusal> {
        let Operand { parent, name, is_directory_only } = split(operand)?;
        if self.moves.cut(operand.as_ref()) {
            return Err(Refusal::Missing(Errno::NOENT.into()));
        }
        let dir = openat(CWD, parent, FOLDER, Mode::empty()).map_err(Refusal::from_lookup)?;
        let stat = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(Refusal::from_lookup)?;
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if is_directory_only && !is_directory {
            let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
            // Not `Refusal::Missing`, which `-f` would ignore.
            return Err(if is_link {
                Errno::NOTDIR.into()
            } else {
                Refusal::from_lookup(Errno::NOTDIR)
            });
        }
        if is_directory && !rules.takes_directories {
            return Err(Errno::ISDIR.into());
        }
        if rules.refuses_mounted && stat.st_dev != fstat(&dir)?.st_dev {
            return Err(Refusal::Because(
                "other-file-system",
                "it's on a different device\nand --preserve-root=all is in effect",
            ));
        }
        let path = full_path(&dir, parent)?.join(name);
        // For a file, `renameat2(2)` itself fails on a mount point.
        if is_directory || self.dry_run {
            let unknown = |error| {
                let reason = "cannot read /proc/self/mountinfo to find mounts below it";
                Refusal::Failed("unknown-mounts", reason.to_owned(), error)
            };
            match mounted_at(&path).map_err(unknown)? {
                Mounted::Nothing => {}
                Mounted::Below => {
                    return Err(Refusal::Because("mount-point", "something is mounted below it"));
                }
                Mounted::Here => return Err(Errno::BUSY.into()),
            }
        }
        let id = (stat.st_dev, stat.st_ino);
        let to = self.put_entry(&Entry { dir, id, is_directory, path })?;
        Ok(Trashed { is_directory, to: Some(to) })
    }

    fn put_entry(&self, entry: &Entry) -> Result<PathBuf, Refusal> {
        if let Some(error) = self.failed {
            return Err(Refusal::unusable(error));
        }
        let ancestors = Ancestors::from(&entry.dir)?;
        // Refuse an entry of the trash, even through a different mount of its filesystem.
        self.created_home
            .get()
            .or(self.home.as_ref())
            .map_or(Ok(()), |home| home.refuse(entry, &ancestors))?;
        if let Some(home) = self.home_for(&ancestors).map_err(Refusal::unusable)? {
            match self.put_in(home, entry, Path::new("")) {
                // On older kernels, only the rename reveals different mounts.
                Err(Refusal::Os(error))
                    if ancestors.mount.number.is_none()
                        && Errno::from_io_error(&error) == Some(Errno::XDEV) => {}
                done => return done,
            }
        }
        let top_path = entry.path.ancestors().nth(ancestors.ids.len()).unwrap_or(&entry.path);
        // Without the administrator's `.Trash`, use the user's own folder.
        let checked = |folder: Folder| folder.check_missing().map(|()| folder);
        let folder = shared_folder(&ancestors.top, top_path, self.dry_run)
            .and_then(checked)
            .or_else(|_| own_folder(&ancestors.top, top_path, self.dry_run).and_then(checked));
        let folder = folder.map_err(|error| {
            let reason = format!("cannot use {}", quote(top_path.join(own_folder_name())));
            Refusal::Failed("no-trash", reason, error.into())
        })?;
        folder.refuse(entry, &ancestors)?;
        self.put_in(&folder, entry, top_path)
    }

    fn home_for(&self, ancestors: &Ancestors) -> Result<Option<&Folder>, Errno> {
        let Some(found) = self.home.as_ref().filter(|home| home.mount == ancestors.mount) else {
            return Ok(None);
        };
        let is_complete = !found.files.is_missing && !found.info.is_missing;
        if self.dry_run || is_complete {
            return usable(found.check_missing().map(|()| found));
        }
        if self.created_home.get().is_none() {
            if let Some(home) = usable(home_folder(false))? {
                let _ = self.created_home.set(home);
            }
        }
        Ok(self.created_home.get())
    }

    fn put_in(&self, folder: &Folder, entry: &Entry, top: &Path) -> Result<PathBuf, Refusal> {
        let name = entry.path.file_name().ok_or(Refusal::ROOT)?;
        if self.dry_run {
            folder.info.check_writable()?;
        }
        let info = info(entry.path.strip_prefix(top).unwrap_or(&entry.path));
        for number in 1..MOST_NAMES {
            let new_name = numbered(name, number);
            let to = folder.path.join("files").join(&new_name);
            let mut name_of_info = new_name.clone();
            name_of_info.push(INFO);
            if self.dry_run {
                let is_taken =
                    folder.info.has_entry(&name_of_info)? || folder.files.has_entry(&new_name)?;
                if is_taken || self.planned.borrow().contains(&to) {
                    continue;
                }
                entry.check_move(name, &folder.files, &self.moves)?;
                self.planned.borrow_mut().insert(to.clone());
                return Ok(to);
            }
            // Write this file first, as specified: exclusive creation reserves the name.
            match write_new(&folder.info.dir, &name_of_info, info.as_bytes()) {
                Err(Errno::EXIST) => continue,
                written => written?,
            }
            let moved = rename_new(&entry.dir, name, &folder.files.dir, &new_name);
            let Err(error) = moved else {
                folder.maker.keep();
                return Ok(to);
            };
            // Keep the information file if the entry has moved although the rename failed: a
            // network server's reply may have been lost.
            if error == Errno::EXIST || folder.files.has_entry(&new_name) == Ok(false) {
                // If this fails, programs ignore the orphaned information file.
                let _ = unlinkat(&folder.info.dir, &name_of_info, AtFlags::empty());
            }
            match error {
                Errno::EXIST => {}
                // `rename(2)` fails with EINVAL if a directory would move into itself.
                Errno::INVAL => return Err(Refusal::HOLDS_TRASH),
                error => return Err(error.into()),
            }
        }
        Err(Errno::EXIST.into())
    }
}

struct Entry {
    dir: OwnedFd,
    id: Id,
    is_directory: bool,
    path: PathBuf,
}

impl Entry {
    /// Moving a directory also needs write access to it, because its `..` changes.
    fn check_move(&self, name: &OsStr, to: &NearestDir, moves: &DryMoves) -> Result<(), Refusal> {
        moves.add(self.dir.as_fd(), name, || {
            to.check_writable()?;
            if self.is_directory {
                accessat(&self.dir, name, Access::WRITE_OK, AtFlags::EACCESS)?;
            }
            Ok(())
        })
    }
}

/// `number` is the mount ID, which `statx(2)` returns since Linux 5.8.
#[derive(PartialEq)]
struct Mount {
    device: u64,
    number: Option<u64>,
}

fn identity(dir: &OwnedFd) -> Result<(Id, Mount), Errno> {
    let mask = StatxFlags::INO | StatxFlags::MNT_ID;
    match statx(dir, "", AtFlags::EMPTY_PATH, mask) {
        Ok(stat) => {
            let device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
            let has_mount = stat.stx_mask & StatxFlags::MNT_ID.bits() != 0;
            let number = has_mount.then_some(stat.stx_mnt_id);
            Ok(((device, stat.stx_ino), Mount { device, number }))
        }
        Err(Errno::NOSYS | Errno::PERM) => {
            let stat = fstat(dir)?;
            Ok(((stat.st_dev, stat.st_ino), Mount { device: stat.st_dev, number: None }))
        }
        Err(error) => Err(error),
    }
}

/// Returns the canonical path. Fails if it does not lead back to the open directory: after a lazy
/// unmount, under a later mount, or in a different mount namespace.
fn full_path(dir: &OwnedFd, typed: &Path) -> Result<PathBuf, Refusal> {
    let no_full_path = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::NO_FULL_PATH,
        _ => Refusal::Os(error),
    };
    let path = Canonicalizer::new().find(typed).map_err(|error| no_full_path(error.into()))?;
    let found =
        openat(CWD, &path, NO_LINK, Mode::empty()).map_err(|error| no_full_path(error.into()))?;
    if identity(dir)? != identity(&found)? {
        return Err(Refusal::NO_FULL_PATH);
    }
    Ok(path)
}

/// The directories from an entry's parent to the top of its mount, or of its filesystem on older
/// kernels.
struct Ancestors {
    top: OwnedFd,
    mount: Mount,
    /// All these directories, including both ends.
    ids: Vec<Id>,
}

impl Ancestors {
    fn from(dir: &OwnedFd) -> Result<Ancestors, Errno> {
        let mut top = openat(dir, ".", FOLDER, Mode::empty())?;
        let (id, mount) = identity(&top)?;
        let mut ids = vec![id];
        loop {
            let parent = match openat2(&top, "..", FOLDER, Mode::empty(), ResolveFlags::NO_XDEV) {
                Err(Errno::XDEV) => return Ok(Ancestors { top, mount, ids }),
                // Without `openat2(2)`, only a change of the device shows a mount.
                Err(Errno::NOSYS | Errno::PERM) => openat(&top, "..", FOLDER, Mode::empty())?,
                opened => opened?,
            };
            let (id, parent_mount) = identity(&parent)?;
            // The root directory is its own parent.
            if parent_mount != mount || ids.last() == Some(&id) {
                return Ok(Ancestors { top, mount, ids });
            }
            ids.push(id);
            top = parent;
        }
    }
}

struct Folder {
    files: NearestDir,
    info: NearestDir,
    mount: Mount,
    own: Vec<Id>,
    /// `files`, all its ancestors on the mount, and `info`. Moving any of these would move the
    /// trash.
    holders: Vec<Id>,
    path: PathBuf,
    maker: Maker,
}

impl Folder {
    fn open_in(base: &NearestDir, path: PathBuf, maker: Maker) -> Result<Folder, Errno> {
        let files = base.child("files".as_ref(), &maker)?;
        let info = base.child("info".as_ref(), &maker)?;
        let mut own = Vec::new();
        for dir in [base, &files, &info].into_iter().filter(|dir| !dir.is_missing) {
            own.push(identity(&dir.dir)?.0);
        }
        let Ancestors { ids: mut holders, mount, .. } = Ancestors::from(&files.dir)?;
        holders.push(identity(&info.dir)?.0);
        Ok(Folder { files, info, mount, own, holders, path, maker })
    }

    fn check_missing(&self) -> Result<(), Errno> {
        let mut missing = [&self.files, &self.info].into_iter().filter(|dir| dir.is_missing);
        missing.try_for_each(NearestDir::check_writable)
    }

    fn refuse(&self, entry: &Entry, ancestors: &Ancestors) -> Result<(), Refusal> {
        if self.holders.contains(&entry.id) {
            return Err(Refusal::HOLDS_TRASH);
        }
        if ancestors.ids.iter().any(|id| self.own.contains(id)) {
            return Err(Refusal::Because("in-trash", "it is already in the trash"));
        }
        Ok(())
    }
}

/// Creates a file, and removes it again if writing fails.
fn write_new(dir: &OwnedFd, name: &OsStr, content: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(dir, name, flags, Mode::RUSR | Mode::WUSR)?;
    let written = write_all(&file, content);
    if written.is_err() {
        let _ = unlinkat(dir, name, AtFlags::empty());
    }
    written
}

/// Returns the name for an attempt, with a number from the second attempt on, and short enough for
/// the suffix of the information file. After [`MOST_NUMBERS`] attempts, the number is random, so
/// that many equal names need few attempts.
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

/// Converts errors to `None`, because a different folder may be usable. Keeps errors that do not
/// concern the folder, such as EMFILE.
fn usable<F>(folder: Result<F, Errno>) -> Result<Option<F>, Errno> {
    match folder {
        Ok(folder) => Ok(Some(folder)),
        Err(error @ (Errno::IO | Errno::MFILE | Errno::NFILE | Errno::NOMEM)) => Err(error),
        Err(_) => Ok(None),
    }
}

fn home_folder(is_read_only: bool) -> Result<Folder, Errno> {
    let path = home_directory("XDG_DATA_HOME", ".local/share").ok_or(Errno::NOENT)?;
    let maker = Maker::new(is_read_only);
    let data = NearestDir::open_all(&path, &maker)?;
    // Under sudo, the home directory may be another user's.
    check_owner(&data.dir)?;
    // In the home directory, a symlink is the user's own choice.
    let trash = match openat(&data.dir, "Trash", FOLDER, Mode::empty()) {
        Ok(dir) if !data.is_missing => NearestDir { dir, is_missing: false },
        Err(error) if !data.is_missing && error != Errno::NOENT => return Err(error),
        _ => data.child("Trash".as_ref(), &maker)?,
    };
    check_owner(&trash.dir)?;
    Folder::open_in(&trash, path.join("Trash"), maker)
}

/// Opens the user's folder in `.Trash`, which must have the sticky bit as specified.
fn shared_folder(top: &OwnedFd, path: &Path, dry_run: bool) -> Result<Folder, Errno> {
    let dir = openat(top, ".Trash", NO_LINK, Mode::empty())?;
    if !Mode::from_raw_mode(fstat(&dir)?.st_mode).contains(Mode::SVTX) {
        return Err(Errno::PERM);
    }
    let name = rustix::process::geteuid().as_raw().to_string();
    let maker = Maker::new(dry_run);
    let own = NearestDir { dir, is_missing: false }.child(name.as_ref(), &maker)?;
    Folder::open_in(&own, path.join(".Trash").join(name), maker)
}

fn own_folder_name() -> String {
    format!(".Trash-{}", rustix::process::geteuid().as_raw())
}

fn own_folder(top: &OwnedFd, path: &Path, dry_run: bool) -> Result<Folder, Errno> {
    let name = own_folder_name();
    let top = NearestDir { dir: fcntl_dupfd_cloexec(top, 0)?, is_missing: false };
    let maker = Maker::new(dry_run);
    Folder::open_in(&top.child(name.as_ref(), &maker)?, path.join(name), maker)
}
