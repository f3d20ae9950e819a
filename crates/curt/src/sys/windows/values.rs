//! Kinds from attributes and reparse tags, and times from ticks of 100 ns since 1601.

use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
};

use crate::fields::{Kind, Time};
use crate::sys::beneath::{Create, How};

/// Set in the tags of symlinks, junctions and mounted volumes, but not of cloud files and
/// compressed files.
const NAME_SURROGATE: u32 = 0x2000_0000;

pub(super) const SYMLINK: u32 = 0xa000_000c;
pub(super) const MOUNT_POINT: u32 = 0xa000_0003;
pub(super) const LX_SYMLINK: u32 = 0xa000_001d;
pub(super) const APP_EXEC_LINK: u32 = 0x8000_001b;
const AF_UNIX: u32 = 0x8000_0023;
const LX_FIFO: u32 = 0x8000_0024;
const LX_CHARACTER_DEVICE: u32 = 0x8000_0025;
const LX_BLOCK_DEVICE: u32 = 0x8000_0026;

pub(super) fn kind(attributes: u32, tag: Option<u32>) -> Kind {
    let is_directory = attributes & FILE_ATTRIBUTE_DIRECTORY != 0;
    let plain = if is_directory { Kind::Directory } else { Kind::File };
    if attributes & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
        return plain;
    }
    match tag {
        None => Kind::Unknown,
        Some(SYMLINK) => Kind::Symlink,
        Some(MOUNT_POINT) => Kind::Junction,
        Some(LX_SYMLINK) => Kind::WslSymlink,
        Some(tag) if tag & NAME_SURROGATE != 0 => Kind::Reparse(tag),
        // A directory that is not a link has entries, whatever its tag.
        Some(_) if is_directory => plain,
        Some(APP_EXEC_LINK) => Kind::AppExecLink,
        Some(AF_UNIX) => Kind::Socket,
        Some(LX_FIFO) => Kind::Fifo,
        Some(LX_CHARACTER_DEVICE) => Kind::CharacterDevice,
        Some(LX_BLOCK_DEVICE) => Kind::BlockDevice,
        Some(_) => plain,
    }
}

const TICKS: i64 = 10_000_000;
/// Seconds from 1601 to 1970.
const BETWEEN: i64 = 11_644_473_600;

pub(super) fn time(ticks: u64) -> Time {
    let ticks = i64::from_ne_bytes(ticks.to_ne_bytes());
    Time {
        seconds: ticks.div_euclid(TICKS) - BETWEEN,
        nanoseconds: ticks.rem_euclid(TICKS) as u32 * 100,
    }
}

/// Converts `None` to 0, which leaves a time unchanged. Returns `None` before 1601, because values
/// below 1 have other meanings.
pub(super) fn ticks(time: Option<Time>) -> Option<u64> {
    let Some(time) = time else { return Some(0) };
    let whole = time.seconds.checked_add(BETWEEN)?.checked_mul(TICKS)?;
    let ticks = whole.checked_add(i64::from(time.nanoseconds / 100))?;
    u64::try_from(ticks).ok().filter(|&ticks| ticks > 0)
}

/// Converts flags of `_open`, whose combinations the kernel does not check. The error holds the
/// invalid flags.
pub(crate) fn how_of(flags: i32) -> Result<(How, bool), i32> {
    const WRONLY: i32 = 1;
    const RDWR: i32 = 2;
    const APPEND: i32 = 8;
    const CREAT: i32 = 0x100;
    const TRUNC: i32 = 0x200;
    const EXCL: i32 = 0x400;
    let access = flags & (WRONLY | RDWR);
    let others = flags & !(WRONLY | RDWR | APPEND | CREAT | TRUNC | EXCL);
    if others != 0 || access == WRONLY | RDWR {
        return Err(if others == 0 { access } else { others });
    }
    let has = |flag| flags & flag != 0;
    let how = How {
        read: access != WRONLY,
        write: access != 0,
        append: has(APPEND),
        truncate: has(TRUNC),
        create: match (has(CREAT), has(EXCL)) {
            // `_O_EXCL` has no effect without `_O_CREAT`.
            (false, _) => Create::Never,
            (true, false) => Create::Missing,
            (true, true) => Create::New,
        },
        follow: true,
        mode: 0o666,
        ..How::default()
    };
    Ok((how, false))
}

#[cfg(test)]
mod tests {
    use super::{kind, ticks, time};
    use crate::fields::{Kind, Time};

    #[test]
    fn tags_tell_kinds() {
        const REPARSE: u32 = 0x400;
        const DIRECTORY: u32 = 0x10;
        for (attributes, tag, expected) in [
            (0x20, None, Kind::File),
            (0x20, Some(0xa000_000c), Kind::File),
            (DIRECTORY, None, Kind::Directory),
            (REPARSE, None, Kind::Unknown),
            (REPARSE, Some(0xa000_000c), Kind::Symlink),
            (REPARSE | DIRECTORY, Some(0xa000_000c), Kind::Symlink),
            (REPARSE | DIRECTORY, Some(0xa000_0003), Kind::Junction),
            (REPARSE, Some(0xa000_001d), Kind::WslSymlink),
            (REPARSE, Some(0x8000_001b), Kind::AppExecLink),
            (REPARSE, Some(0x8000_0023), Kind::Socket),
            (REPARSE, Some(0x8000_0024), Kind::Fifo),
            (REPARSE, Some(0x8000_0025), Kind::CharacterDevice),
            (REPARSE, Some(0x8000_0026), Kind::BlockDevice),
            (REPARSE, Some(0xa000_0027), Kind::Reparse(0xa000_0027)),
            // Tags of cloud, compressed and deduplicated files.
            (REPARSE, Some(0x9000_101a), Kind::File),
            (REPARSE | DIRECTORY, Some(0x9000_101a), Kind::Directory),
            (REPARSE, Some(0x8000_0017), Kind::File),
            (REPARSE, Some(0x8000_0013), Kind::File),
            (REPARSE | DIRECTORY, Some(0x8000_0023), Kind::Directory),
        ] {
            assert_eq!(kind(attributes, tag), expected, "{attributes:x} {tag:x?}");
        }
    }

    #[test]
    fn ticks_are_counted_from_1601() {
        const EPOCH: u64 = 116_444_736_000_000_000;
        for (ticks, seconds, nanoseconds) in [
            (EPOCH, 0, 0),
            (EPOCH + 15_000_001, 1, 500_000_100),
            (EPOCH - 1, -1, 999_999_900),
            (EPOCH - 15_000_000, -2, 500_000_000),
            (1, -11_644_473_600, 100),
            (u64::MAX, -11_644_473_601, 999_999_900),
        ] {
            assert_eq!(time(ticks), Time { seconds, nanoseconds }, "{ticks}");
        }
    }

    #[test]
    fn only_times_after_1600_can_be_set() {
        for number in [1, 116_444_736_000_000_000, i64::MAX as u64] {
            assert_eq!(ticks(Some(time(number))), Some(number));
        }
        assert_eq!(ticks(None), Some(0));
        for number in [0, -1_i64 as u64, i64::MIN as u64] {
            assert_eq!(ticks(Some(time(number))), None, "{number}");
        }
        assert_eq!(ticks(Some(Time { seconds: i64::MAX, nanoseconds: 0 })), None);
    }
}
