//! What links hold.

use std::os::windows::io::AsHandle;

use windows_sys::Win32::Storage::FileSystem::SYNCHRONIZE;

use super::call::{Door, Target};
use super::dir::Dir;
use super::kinds::{APP_EXEC_LINK, LX_SYMLINK, MOUNT_POINT, SYMLINK};
use super::status::Result;
use super::{ABOUT, READ_ATTRIBUTES, text};
use crate::name::Name;
use crate::sys::text::is_volume;
use windows_sys::Wdk::Storage::FileSystem::FILE_SYNCHRONOUS_IO_NONALERT;

/// `FSCTL_GET_REPARSE_POINT`.
const GET_REPARSE_POINT: u32 = 0x0009_00a8;
/// The most that a reparse point holds: 16 KiB, here in words of 8 bytes.
const ROOM: usize = 2048;

/// What a link holds: opens, asks and closes. `None` where what it holds is no place.
pub(super) fn read(door: &Door, parent: &Dir, name: Name<'_, u16>) -> Result<Option<Vec<u16>>> {
    let spelled = text::spelled(name.units(), parent.root().is_some());
    let target = Target { root: parent.root(), name: &spelled, any_case: parent.is_place };
    let options = ABOUT | FILE_SYNCHRONOUS_IO_NONALERT;
    let handle = door.open(target, READ_ATTRIBUTES | SYNCHRONIZE, options)?;
    let mut buffer = vec![0_u64; ROOM];
    let answered = door.fs_control(handle.as_handle(), GET_REPARSE_POINT, &mut buffer);
    door.close(handle);
    let length = answered?;
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).take(length).collect();
    Ok(target_of(&bytes))
}

/// The place that a reparse point names.
fn target_of(point: &[u8]) -> Option<Vec<u16>> {
    let tag = u32::from(number(point, 0)?) | (u32::from(number(point, 2)?) << 16);
    match tag {
        // After the four places and lengths a link has flags.
        SYMLINK => named(point, 20),
        MOUNT_POINT => named(point, 16),
        // A version, and UTF-8. What is none is shown as near as it can be.
        LX_SYMLINK => {
            let end = 8 + usize::from(number(point, 4)?);
            let target = point.get(12..end.min(point.len()))?;
            Some(String::from_utf8_lossy(target).encode_utf16().collect())
        }
        // A version, and texts with a NUL behind each; the third is the program.
        APP_EXEC_LINK => {
            let units = units(point.get(12..)?);
            units.split(|&unit| unit == 0).nth(2).map(<[u16]>::to_vec)
        }
        _ => None,
    }
    // No name of Windows has a NUL in it: a text that does names no place, whoever wrote it.
    .filter(|target| !target.is_empty() && !target.contains(&0))
}

/// The name for people, or where there is none, that for the kernel as Win32 spells it.
fn named(point: &[u8], names: usize) -> Option<Vec<u16>> {
    let name = |at: usize| {
        let begin = names + usize::from(number(point, at)?);
        let end = begin + usize::from(number(point, at + 2)?);
        Some(units(point.get(begin..end)?))
    };
    let for_people = name(12)?;
    let for_kernel = text::from_native(&name(8)?);
    // Which volume is mounted there, people are told as a drive letter by some programs.
    let is_known = !for_people.is_empty() && !is_volume(&for_kernel);
    Some(if is_known { for_people } else { for_kernel })
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
    use super::target_of;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    /// A link, or a junction, with a name for the kernel and one for people.
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
        target_of(point).map(|target| String::from_utf16(&target).unwrap())
    }

    #[test]
    fn reparse_points_name_places() {
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
    fn other_links_have_texts_of_their_own() {
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
    fn a_target_with_a_nul_is_no_place() {
        for tag in [0xa000_000c, 0xa000_0003] {
            assert_eq!(read(&point(tag, "\\??\\C:\\a\0b", "C:\\a\0b")), None);
            assert_eq!(read(&point(tag, "\\??\\C:\\a\0", "")), None);
        }
        let mut linux = vec![0x1d, 0, 0, 0xa0, 7, 0, 0, 0, 2, 0, 0, 0];
        linux.extend(b"a\0b");
        assert_eq!(read(&linux), None);
    }

    #[test]
    fn broken_points_are_no_places() {
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
