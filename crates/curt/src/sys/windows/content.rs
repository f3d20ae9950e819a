use std::io;
use std::os::windows::io::BorrowedHandle;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem as win;

use super::dir::Dir;
use super::status::{Result, Status};
use super::syscalls::Syscalls;
use super::values::{APP_EXEC_LINK, LX_SYMLINK, MOUNT_POINT, SYMLINK};
use super::{ABOUT, FILE, READ_ATTRIBUTES, text};
use crate::name::Name;
use crate::sys::read_whole;
use crate::sys::text::is_volume;

pub(super) fn small_file(
    syscalls: &Syscalls,
    parent: &Dir,
    name: Name<'_, u16>,
    follow: bool,
    most: usize,
) -> io::Result<Vec<u8>> {
    let spelled = parent.spelled(name);
    let file = if follow { FILE & !nt::FILE_OPEN_REPARSE_POINT } else { FILE };
    let options = file | nt::FILE_SYNCHRONOUS_IO_NONALERT;
    let access = win::FILE_READ_DATA | win::SYNCHRONIZE;
    syscalls.opened(parent.target(&spelled), access, options, |handle| {
        read_whole(most, |buffer| match syscalls.read(handle, buffer) {
            Err(Status::END_OF_FILE) => Ok(0),
            read => Ok(read?),
        })
    })?
}

/// `FSCTL_GET_REPARSE_POINT`.
const GET_REPARSE_POINT: u32 = 0x0009_00a8;
/// The largest reparse point, 16 KiB, in 8-byte words.
const POINT_CAPACITY: usize = 2048;

/// The access and the options to read one.
pub(super) const REPARSE_POINT: (u32, u32) =
    (READ_ATTRIBUTES | win::SYNCHRONIZE, ABOUT | nt::FILE_SYNCHRONOUS_IO_NONALERT);

/// Also returns the length in bytes.
pub(super) fn reparse_point(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
) -> Result<(Vec<u64>, usize)> {
    let mut buffer = vec![0; POINT_CAPACITY];
    let length = syscalls.fs_control(handle, GET_REPARSE_POINT, (&[], 0), &mut buffer)?;
    Ok((buffer, length))
}

/// Returns `None` if the target is not a path. Makes 3 system calls.
pub(super) fn link_target(
    syscalls: &Syscalls,
    parent: &Dir,
    name: Name<'_, u16>,
) -> Result<Option<Vec<u16>>> {
    let spelled = parent.spelled(name);
    let (access, options) = REPARSE_POINT;
    let point = |handle: BorrowedHandle<'_>| reparse_point(syscalls, handle);
    let (buffer, length) = syscalls.opened(parent.target(&spelled), access, options, point)??;
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).take(length).collect();
    Ok(target_in(&bytes))
}

fn target_in(point: &[u8]) -> Option<Vec<u16>> {
    let tag = u32::from(number(point, 0)?) | (u32::from(number(point, 2)?) << 16);
    match tag {
        // A symlink has two offsets with lengths, then flags, then the names.
        SYMLINK => named(point, 20),
        MOUNT_POINT => named(point, 16),
        // A version number precedes the path, which is UTF-8. Invalid bytes are replaced.
        LX_SYMLINK => {
            let end = 8 + usize::from(number(point, 4)?);
            let target = point.get(12..end.min(point.len()))?;
            Some(String::from_utf8_lossy(target).encode_utf16().collect())
        }
        // A version number precedes NUL-terminated strings; the third is the program.
        APP_EXEC_LINK => {
            let units = units(point.get(12..)?);
            units.split(|&unit| unit == 0).nth(2).map(<[u16]>::to_vec)
        }
        _ => None,
    }
    // No name on Windows contains NUL.
    .filter(|target| !target.is_empty() && !target.contains(&0))
}

/// Returns the display name, or the kernel's name in Win32 spelling.
fn named(point: &[u8], names: usize) -> Option<Vec<u16>> {
    let name = |at: usize| {
        let begin = names + usize::from(number(point, at)?);
        let end = begin + usize::from(number(point, at + 2)?);
        Some(units(point.get(begin..end)?))
    };
    let display_name = name(12)?;
    let for_kernel = text::from_native(&name(8)?);
    // Some programs write a drive letter as a mounted volume's display name.
    let is_known = !display_name.is_empty() && !is_volume(&for_kernel);
    Some(if is_known { display_name } else { for_kernel })
}

fn units(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn number(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([pair[0], pair[1]]))
}

#[cfg(test)]
mod tests {
    use super::target_in;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    fn point(tag: u32, kernel: &str, people: &str) -> Vec<u8> {
        let (kernel, people) = (wide(kernel), wide(people));
        let mut point = tag.to_le_bytes().to_vec();
        let numbers = [0, 0, 0, kernel.len(), kernel.len(), people.len()];
        point.extend(numbers.iter().flat_map(|&number| (number as u16).to_le_bytes()));
        if tag == 0xa000_000c {
            point.extend([1, 0, 0, 0]);
        }
        point.extend([kernel, people].concat());
        point
    }

    fn read(point: &[u8]) -> Option<String> {
        target_in(point).map(|target| String::from_utf16(&target).unwrap())
    }

    #[test]
    fn reparse_points_have_targets() {
        let (link, junction) = (0xa000_000c, 0xa000_0003);
        for (tag, kernel, people, expected) in [
            (link, "there", "there", r"there"),
            (link, r"\??\C:\there", r"C:\there", r"C:\there"),
            (link, r"\??\C:\there", "", r"C:\there"),
            (link, r"\??\UNC\server\share\x", "", r"\\server\share\x"),
            (link, r"..\x", "", r"..\x"),
            (junction, r"\??\C:\there", r"C:\there", r"C:\there"),
            (junction, r"\??\Volume{1-2}\", "", r"\\?\Volume{1-2}\"),
            (junction, r"\??\Volume{1-2}\", r"D:\", r"\\?\Volume{1-2}\"),
            (junction, r"\??\C:", "", r"C:"),
        ] {
            assert_eq!(read(&point(tag, kernel, people)).as_deref(), Some(expected), "{kernel}");
        }
    }

    #[test]
    fn other_links_have_their_own_formats() {
        let linux = |content: &[u8]| {
            let head = [0x1d, 0, 0, 0xa0, (4 + content.len()) as u8, 0, 0, 0, 2, 0, 0, 0];
            [&head, content].concat()
        };
        assert_eq!(read(&linux("/mnt/ü".as_bytes())).as_deref(), Some("/mnt/ü"));
        assert_eq!(read(&linux(b"a\xff")).as_deref(), Some("a\u{fffd}"));
        let mut program = vec![0x1b, 0, 0, 0x80, 0, 0, 0, 0, 3, 0, 0, 0];
        program.extend(wide("package\0entry\0C:\\program.exe\0type\0"));
        assert_eq!(read(&program).as_deref(), Some(r"C:\program.exe"));
        assert_eq!(read(&[0x17, 0, 0, 0x80, 0, 0, 0, 0]), None, "compressed");
    }

    #[test]
    fn a_target_with_a_nul_is_rejected() {
        for tag in [0xa000_000c, 0xa000_0003] {
            assert_eq!(read(&point(tag, "\\??\\C:\\a\0b", "C:\\a\0b")), None);
            assert_eq!(read(&point(tag, "\\??\\C:\\a\0", "")), None);
        }
        let mut linux = vec![0x1d, 0, 0, 0xa0, 7, 0, 0, 0, 2, 0, 0, 0];
        linux.extend(b"a\0b");
        assert_eq!(read(&linux), None);
    }

    #[test]
    fn malformed_reparse_points_have_no_target() {
        let whole = point(0xa000_000c, r"\??\C:\there", r"C:\there");
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        let mut wrong = whole;
        wrong[12] = 0xff;
        wrong[13] = 0xff;
        assert_eq!(read(&wrong), None);
    }
}
