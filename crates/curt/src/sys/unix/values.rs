//! Conversions between the system's values and the contract's, without system calls.

use std::cell::RefCell;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{Access, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};
use rustix::io::Errno;

use super::accounts::Accounts;
use super::dir;
use crate::fields::{Facts, Fields, Kind, Time};
use crate::sys::beneath::{Create, How, Step};
use crate::sys::{Opened, Owners};

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    clippy::useless_conversion,
    reason = "the types of the fields differ between systems"
)]
pub(super) fn facts_from(stat: &rustix::fs::Stat) -> Facts {
    let mode = stat.st_mode as u32;
    Facts {
        known: STAT,
        kind: kind_of_entry(mode, stat.st_rdev as u64),
        id: stat.st_ino as u128,
        device: stat.st_dev as u64,
        size: stat.st_size as u64,
        allocated: stat.st_blocks as u64 * 512,
        accessed: Time { seconds: stat.st_atime as i64, nanoseconds: stat.st_atime_nsec as u32 },
        modified: Time { seconds: stat.st_mtime as i64, nanoseconds: stat.st_mtime_nsec as u32 },
        changed: Time { seconds: stat.st_ctime as i64, nanoseconds: stat.st_ctime_nsec as u32 },
        links: stat.st_nlink as u64,
        mode,
        user_id: stat.st_uid as u32,
        group_id: stat.st_gid as u32,
        device_number: stat.st_rdev as u64,
        block_size: stat.st_blksize as u64,
        ..Facts::default()
    }
}

pub(super) const STAT: Fields = Fields::KIND
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CHANGED)
    .union(Fields::LINKS)
    .union(Fields::MODE)
    .union(Fields::USER_ID)
    .union(Fields::GROUP_ID)
    .union(Fields::DEVICE_NUMBER)
    .union(Fields::BLOCK_SIZE);

/// A character device with number 0 is a whiteout, which hides an entry of a lower layer in a union
/// filesystem.
pub(super) fn kind_of_entry(mode: u32, device_number: u64) -> Kind {
    match dir::kind(dir::type_of(mode)) {
        Kind::CharacterDevice if device_number == 0 => Kind::Whiteout,
        kind => kind,
    }
}

pub(super) fn owners(
    accounts: &RefCell<Accounts>,
    fields: Fields,
    facts: &Facts,
) -> io::Result<Owners> {
    let mut accounts = accounts.borrow_mut();
    let of = |field, id| fields.contains(field) && facts.known.contains(id);
    let mut owners = Owners::default();
    if of(Fields::USER, Fields::USER_ID) {
        owners.user = accounts.user(facts.user_id)?;
    }
    if of(Fields::GROUP, Fields::GROUP_ID) {
        owners.group = accounts.group(facts.group_id)?;
    }
    Ok(owners)
}

pub(super) fn may(
    fields: Fields,
    check: impl Fn(Access) -> Result<(), Errno>,
) -> io::Result<Fields> {
    let mut allowed = Fields::NONE;
    for (field, access) in [
        (Fields::READABLE, Access::READ_OK),
        (Fields::WRITABLE, Access::WRITE_OK),
        (Fields::EXECUTABLE, Access::EXEC_OK),
    ] {
        if fields.contains(field) {
            match check(access) {
                Ok(()) => allowed |= field,
                Err(Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::TXTBSY) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(allowed)
}

pub(super) fn opened<D>(opened: Result<D, Errno>) -> Opened<D> {
    match opened {
        Ok(dir) => Opened::Dir(dir),
        Err(error) if refuses_link_or_file(error) => Opened::NotDirectory,
        Err(Errno::NOENT) => Opened::Gone,
        Err(Errno::XDEV) => Opened::Mount,
        Err(error) => Opened::Failed(error.into()),
    }
}

/// Symlinks were followed, so `ELOOP` is a failure.
pub(super) fn followed<D>(answer: Result<D, Errno>) -> Opened<D> {
    match answer {
        Err(Errno::LOOP) => Opened::Failed(Errno::LOOP.into()),
        answer => opened(answer),
    }
}

const OF_FILES: OFlags = OFlags::WRONLY
    .union(OFlags::RDWR)
    .union(OFlags::APPEND)
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::TRUNC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY)
    .union(OF_FILES_HERE);

#[cfg(target_os = "linux")]
const OF_FILES_HERE: OFlags = OFlags::SYNC
    .union(OFlags::DSYNC)
    .union(OFlags::DIRECT)
    .union(OFlags::NOATIME)
    .union(OFlags::LARGEFILE)
    .union(OFlags::from_bits_retain(libc::O_ASYNC as u32));
#[cfg(not(target_os = "linux"))]
const OF_FILES_HERE: OFlags = OFlags::empty();

/// Converts flags of `open(2)`, whose combinations the system checks. The error holds flags that
/// are not for files.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_wrap,
    reason = "the type of the flags differs between systems"
)]
pub(crate) fn how_of(flags: i32) -> Result<(How, bool), i32> {
    let flags = OFlags::from_bits_retain(flags as _);
    let others = flags.difference(OF_FILES);
    if !others.is_empty() {
        return Err(others.bits() as i32);
    }
    let both = OFlags::WRONLY | OFlags::RDWR;
    let access = flags & both;
    let mut system_flags = flags & OF_FILES_HERE;
    system_flags.set(OFlags::EXCL, flags & (OFlags::CREATE | OFlags::EXCL) == OFlags::EXCL);
    system_flags.set(both, access == both);
    let how = How {
        read: access != OFlags::WRONLY,
        write: !access.is_empty(),
        append: flags.contains(OFlags::APPEND),
        truncate: flags.contains(OFlags::TRUNC),
        create: match (flags.contains(OFlags::CREATE), flags.contains(OFlags::EXCL)) {
            (false, _) => Create::Never,
            (true, false) => Create::Missing,
            (true, true) => Create::New,
        },
        follow: !flags.contains(OFlags::NOFOLLOW),
        nonblocking: flags.contains(OFlags::NONBLOCK),
        nonblocking_open: false,
        system_flags: system_flags.bits() as u32,
        mode: 0o666,
    };
    Ok((how, true))
}

/// Returns all flags except `O_NOFOLLOW`.
pub(super) fn flags(how: &How) -> OFlags {
    let access = match (how.read, how.write) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        (_, false) => OFlags::RDONLY,
    };
    let create = match how.create {
        Create::Never => OFlags::empty(),
        Create::Missing => OFlags::CREATE,
        Create::New => OFlags::CREATE | OFlags::EXCL,
    };
    let of_system = OFlags::from_bits_retain(how.system_flags as _);
    let mut flags = of_system | access | create | OFlags::CLOEXEC | OFlags::NOCTTY;
    flags.set(OFlags::APPEND, how.append);
    flags.set(OFlags::TRUNC, how.truncate);
    flags.set(OFlags::NONBLOCK, how.nonblocking || how.nonblocking_open);
    flags
}

pub(super) fn mode(how: &How) -> Mode {
    if how.create == Create::Never { Mode::empty() } else { bits(how.mode) }
}

#[allow(clippy::unnecessary_cast, reason = "u16 on macOS")]
pub(super) fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as rustix::fs::RawMode)
}

#[allow(clippy::cast_lossless, reason = "the type of the field differs between systems")]
pub(super) fn times(accessed: Option<Time>, modified: Option<Time>) -> Timestamps {
    let spec = |time: Option<Time>| match time {
        Some(time) => Timespec { tv_sec: time.seconds as _, tv_nsec: time.nanoseconds as _ },
        None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT as _ },
    };
    Timestamps { last_access: spec(accessed), last_modification: spec(modified) }
}

pub(super) fn permissions(permissions: &Permissions) -> Mode {
    bits(permissions.mode() & 0o7777)
}

pub(super) fn entered<D>(opened: Result<D, Errno>) -> Step<D> {
    match opened {
        Ok(dir) => Step::Done(dir),
        Err(error) if refuses_link_or_file(error) => Step::Other,
        Err(error) => Step::Failed(error.into()),
    }
}

/// Like [`entered`], but `ENOTDIR` is a failure.
pub(super) fn stepped<F>(opened: Result<F, Errno>) -> Step<F> {
    match opened {
        Ok(file) => Step::Done(file),
        Err(Errno::NOTDIR) => Step::Failed(Errno::NOTDIR.into()),
        Err(error) if refuses_link_or_file(error) => Step::Other,
        Err(error) => Step::Failed(error.into()),
    }
}

/// Whether the entry is either a symlink or not a directory. For a symlink, FreeBSD returns
/// `EMLINK` and NetBSD `EFTYPE`.
fn refuses_link_or_file(error: Errno) -> bool {
    #[cfg(any(
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "dragonfly",
        target_os = "netbsd",
        target_os = "openbsd"
    ))]
    if error == Errno::FTYPE {
        return true;
    }
    #[cfg(not(target_os = "linux"))]
    if error == Errno::MLINK {
        return true;
    }
    matches!(error, Errno::NOTDIR | Errno::LOOP)
}

pub(super) fn uninterrupted<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}
