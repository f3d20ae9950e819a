//! The long form of a name: one question about what is open.

use std::io;
use std::os::windows::io::AsHandle;
use std::path::Path;

use windows_sys::Wdk::Storage::FileSystem as nt;

use super::call::{Door, Target};
use super::{ABOUT, READ_ATTRIBUTES, text};

/// Room for the longest path, in words of 8 bytes, and its length.
const ROOM: usize = 8193;

/// The last name of what is there, as its directory has it.
pub(super) fn long_name(door: &Door, path: &Path) -> io::Result<Vec<u16>> {
    let native = text::native(path)?;
    let target = Target { root: None, name: &native, any_case: true };
    let file = door.open(target, READ_ATTRIBUTES, ABOUT)?;
    let mut buffer = vec![0_u64; ROOM];
    let answered =
        door.query_file(file.as_handle(), &mut buffer, nt::FileNormalizedNameInformation);
    door.close(file);
    answered?;
    // The length in bytes, and as much of text.
    let mut bytes = buffer.iter().flat_map(|word| word.to_le_bytes());
    let length: u32 =
        (0..4).zip(bytes.by_ref()).map(|(at, byte)| u32::from(byte) << (8 * at)).sum();
    let bytes: Vec<u8> = bytes.take(length as usize).collect();
    let units: Vec<u16> =
        bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let last = units.rsplit(|&unit| unit == u16::from(b'\\')).next();
    Ok(last.unwrap_or_default().to_vec())
}
