//! The journal of removals in the background: a folder with a record for each tree that was set
//! aside and is not yet removed.
//!
//! A tree is set aside by a rename in its own directory, after its record is on the disk. A record
//! is locked until then, so what is not locked is either set aside or will not be. Nothing is
//! removed but a directory that has the device, the number and the time of birth in a record that
//! only this user can have written.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use curt::Remove;
use curt::os::unix::RemoveBelow;
use curt::remove::Report;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat, StatxFlags, flock, fstat,
    fsync, openat, renameat, statat, statx, unlinkat,
};
use rustix::io::Errno;

use super::folders::{
    NO_LINK, Operand, check_mode, check_owner, home_directory, open_all, own_directory, rename_new,
    split, write_all,
};
use super::mounts::is_mount_below;
use super::read_from;
use crate::sys::{Refusal, SetAside, TrashRules};

/// The first field of a record, and the last one.
const FORMAT: &[u8] = b"curt-removal-1";
const END: &[u8] = b"end";
const FIELDS: usize = 10;
/// The longest record.
const LONGEST: usize = 64 << 10;
/// What the name of a record has in front while it is written.
const UNFINISHED: &[u8] = b"part-";
/// The beginning of the name of a tree that was set aside.
const ASIDE: &str = ".curt-removing-";
/// How long a record is kept whose directory is not there: it may be on a disk that will come back.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The journal of this user.
pub(crate) struct Journal {
    folder: OwnedFd,
    /// Where it is, without links.
    path: PathBuf,
}

/// The directory that a tree was in, and what was done there.
type Done = (PathBuf, Report);

/// The path of a tree that cannot be reached, and why.
type Unreachable = (PathBuf, Errno);

/// What a directory is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// When it was made, if the filesystem knows: a number is used again, but not with the time.
    birth: Option<(i64, u32)>,
}

impl Identity {
    fn of(dir: &OwnedFd) -> Result<Identity, Errno> {
        let Stat { st_dev: device, st_ino: inode, .. } = fstat(dir)?;
        let known = statx(dir, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME);
        let known = known.ok().filter(|known| known.stx_mask & StatxFlags::BTIME.bits() != 0);
        let birth = known.map(|known| (known.stx_btime.tv_sec, known.stx_btime.tv_nsec));
        Ok(Identity { device, inode, birth })
    }

    fn is_same_directory(self, other: Identity) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// A tree that was set aside, or is about to be.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    tree: Identity,
    parent: Identity,
    /// The directory that the tree is in.
    path: PathBuf,
    /// The name that it has now, and the one that it had.
    name: OsString,
    old_name: OsString,
}

impl Record {
    fn text(&self) -> Vec<u8> {
        let number = |number: u64| number.to_string().into_bytes();
        let birth = self.tree.birth.map_or(String::new(), |(sec, ns)| format!("{sec}.{ns}"));
        let fields: [Vec<u8>; FIELDS] = [
            FORMAT.to_vec(),
            number(self.tree.device),
            number(self.tree.inode),
            birth.into_bytes(),
            number(self.parent.device),
            number(self.parent.inode),
            self.path.as_os_str().as_bytes().to_vec(),
            self.name.as_bytes().to_vec(),
            self.old_name.as_bytes().to_vec(),
            END.to_vec(),
        ];
        fields.join(&0)
    }

    /// Reads a record. `None` if it is none, or not whole.
    fn parse(text: &[u8]) -> Option<Record> {
        let fields: Vec<&[u8]> = text.split(|&byte| byte == 0).collect();
        let fields: [&[u8]; FIELDS] = fields.try_into().ok()?;
        let [FORMAT, device, inode, birth, parent_device, parent_inode, path, name, old_name, END] =
            fields
        else {
            return None;
        };
        let text = |field| std::str::from_utf8(field).ok();
        let number = |field| text(field)?.parse::<u64>().ok();
        let birth = match text(birth)?.split_once('.') {
            Some((sec, ns)) => Some((sec.parse().ok()?, ns.parse().ok()?)),
            None if birth.is_empty() => None,
            None => return None,
        };
        let is_name = name.starts_with(ASIDE.as_bytes()) && !name.contains(&b'/');
        let path = Path::new(OsStr::from_bytes(path));
        (is_name && path.is_absolute()).then_some(())?;
        Some(Record {
            tree: Identity { device: number(device)?, inode: number(inode)?, birth },
            parent: Identity {
                device: number(parent_device)?,
                inode: number(parent_inode)?,
                birth: None,
            },
            path: path.to_path_buf(),
            name: OsString::from_vec(name.to_vec()),
            old_name: OsString::from_vec(old_name.to_vec()),
        })
    }
}

impl Journal {
    /// Opens the journal, and makes it if it is missing.
    pub(crate) fn open() -> Result<Journal, Refusal> {
        let state = home_directory("XDG_STATE_HOME", ".local/state").ok_or(Errno::NOENT)?;
        let base = open_all(&state)?;
        check_owner(&base)?;
        let curt = own_directory(&base, "curt".as_ref())?;
        check_mode(&curt, Mode::WGRP | Mode::WOTH)?;
        let removals = own_directory(&curt, "removals".as_ref())?;
        check_mode(&removals, Mode::RWXG | Mode::RWXO)?;
        // This one can be listed and synchronized.
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = openat(&removals, ".", flags, Mode::empty())?;
        let path = curt::fs::canonicalize(state.join("curt/removals"))?;
        Ok(Journal { folder, path })
    }

    /// Renames a tree in its directory, so that its name is free, and records what to remove.
    pub(crate) fn set_aside(
        &self,
        operand: &OsStr,
        rules: TrashRules,
    ) -> Result<SetAside, Refusal> {
        let Operand { parent, name, is_directory_only } = split(operand)?;
        let path = curt::fs::canonicalize(parent)?;
        let dir = openat(CWD, &path, NO_LINK, Mode::empty())?;
        let stat = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::Directory {
            return match kind {
                FileType::Symlink if is_directory_only => Err(Refusal::LinkWithSlash),
                _ if is_directory_only => Err(Errno::NOTDIR.into()),
                _ => Ok(SetAside::NoDirectory),
            };
        }
        if !rules.takes_directories {
            return Err(Errno::ISDIR.into());
        }
        // Open until the end, so that its number is not used again.
        let tree = openat(&dir, name, NO_LINK, Mode::empty())?;
        let full_path = path.join(name);
        if rules.refuses_mounted && fstat(&tree)?.st_dev != fstat(&dir)?.st_dev {
            return Err(Refusal::OtherFileSystem);
        }
        if is_mount_below(&full_path) {
            return Err(Refusal::MountBelow);
        }
        if self.path.starts_with(&full_path) {
            return Err(Refusal::HoldsJournal);
        }
        let id = format!("{:016x}", RandomState::new().build_hasher().finish());
        let record = Record {
            tree: Identity::of(&tree)?,
            parent: Identity::of(&dir)?,
            path,
            name: format!("{ASIDE}{id}").into(),
            old_name: name.to_owned(),
        };
        let _lock = self.write(&id, &record)?;
        if let Err(error) = rename_new(&dir, name, &dir, &record.name) {
            self.drop_record(id.as_ref());
            return Err(error.into());
        }
        let moved = openat(&dir, &record.name, NO_LINK, Mode::empty());
        if moved.and_then(|moved| Identity::of(&moved)) != Ok(record.tree) {
            // Something else had the name by then. Without the record it is safe.
            self.drop_record(id.as_ref());
            return Err(match rename_new(&dir, &record.name, &dir, name) {
                Ok(()) => Refusal::Replaced,
                Err(_) => Refusal::LeftAside(record.name),
            });
        }
        Ok(SetAside::Directory)
    }

    /// Writes a record to the disk, and returns the file, which is locked while it is open.
    fn write(&self, id: &str, record: &Record) -> Result<OwnedFd, Errno> {
        let unfinished = OsString::from_vec([UNFINISHED, id.as_bytes()].concat());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&self.folder, &unfinished, flags, Mode::RUSR | Mode::WUSR)?;
        let written = flock(&file, FlockOperation::NonBlockingLockExclusive)
            .and_then(|()| write_all(&file, &record.text()))
            .and_then(|()| fsync(&file))
            .and_then(|()| renameat(&self.folder, &unfinished, &self.folder, id))
            .and_then(|()| fsync(&self.folder));
        if let Err(error) = written {
            self.drop_record(&unfinished);
            self.drop_record(id.as_ref());
            return Err(error);
        }
        Ok(file)
    }

    /// Drops a record. If that fails, the next run finds that there is nothing to do for it.
    fn drop_record(&self, id: &OsStr) {
        let _ = unlinkat(&self.folder, id, AtFlags::empty());
    }

    /// Removes the trees of all records, except those that another process has to do with. Reports
    /// what was done in each directory, or the path of a tree that cannot be reached, and why.
    pub(crate) fn finish(
        &self,
        removal: &Remove<'_>,
        mut done: impl FnMut(&Path, io::Result<&Report>),
    ) -> Result<(), Refusal> {
        for id in self.records()? {
            match self.finish_record(&id, removal) {
                Ok(None) => {}
                Ok(Some((path, report))) => {
                    done(&path, Ok(&report));
                    if report.stopped {
                        break;
                    }
                }
                Err((path, error)) => done(&path, Err(error.into())),
            }
        }
        Ok(())
    }

    /// Returns the names of all records, and keeps no descriptor for them.
    fn records(&self) -> Result<Vec<OsString>, Errno> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.folder)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// Removes the tree of a record, if it is there. `None` if there is nothing to report; the
    /// error is the path of a tree that cannot be reached, and why.
    fn finish_record(&self, id: &OsStr, removal: &Remove<'_>) -> Result<Option<Done>, Unreachable> {
        let Some((record, is_old, _lock)) = self.read_record(id) else { return Ok(None) };
        let unreachable = |error| Err((record.path.join(&record.name), error));
        let parent = openat(CWD, &record.path, NO_LINK, Mode::empty());
        let parent = match parent.and_then(|parent| Ok((Identity::of(&parent)?, parent))) {
            Ok((identity, parent)) if identity.is_same_directory(record.parent) => parent,
            Err(error) if !is_missing(error) && !is_old => return unreachable(error),
            _ => {
                if is_old {
                    self.drop_record(id);
                }
                return Ok(None);
            }
        };
        // Open until the end, so that its number is not used again.
        let tree = match openat(&parent, &record.name, NO_LINK, Mode::empty()) {
            Ok(tree) => tree,
            Err(error) if !is_missing(error) => return unreachable(error),
            // It was never set aside, or it is gone, or something else has the name.
            Err(_) => {
                self.drop_record(id);
                return Ok(None);
            }
        };
        match Identity::of(&tree) {
            Ok(identity) if identity == record.tree => {}
            Ok(_) => {
                self.drop_record(id);
                return Ok(None);
            }
            Err(error) => return unreachable(error),
        }
        let removal = removal.clone().only_directory(record.tree.device, record.tree.inode.into());
        let report = removal.run_below(parent.as_fd(), &record.name);
        if report.is_complete() || is_old {
            self.drop_record(id);
        }
        Ok(Some((record.path, report)))
    }

    /// Reads and locks a record that nobody else has to do with, and returns whether it is old.
    fn read_record(&self, id: &OsStr) -> Option<(Record, bool, OwnedFd)> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.folder, id, flags, Mode::empty()).ok()?;
        let stat = fstat(&file).ok()?;
        let is_own = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && stat.st_uid == rustix::process::geteuid().as_raw()
            && stat.st_nlink == 1
            && usize::try_from(stat.st_size).is_ok_and(|size| size <= LONGEST);
        // Another process is about to set the tree aside, or removes it.
        if !is_own || flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            return None;
        }
        // It may have been dropped before the lock was had.
        statat(&self.folder, id, AtFlags::SYMLINK_NOFOLLOW)
            .ok()
            .filter(|there| there.st_ino == stat.st_ino)?;
        let text = read_from(&file, LONGEST).ok()?;
        if id.as_bytes().starts_with(UNFINISHED) {
            self.drop_record(id);
            return None;
        }
        // What is not understood is left to the version that wrote it.
        let record = Record::parse(&text)?;
        Some((record, is_old(&stat), file))
    }
}

/// Whether a name led to nothing, or to something that is no directory.
fn is_missing(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// Whether a record is too old to wait for its directory.
fn is_old(record: &Stat) -> bool {
    let written = u64::try_from(record.st_mtime).unwrap_or_default();
    let written = SystemTime::UNIX_EPOCH + Duration::from_secs(written);
    SystemTime::now().duration_since(written).is_ok_and(|age| age > KEPT)
}
