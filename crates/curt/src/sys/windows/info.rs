//! Questions about an entry, and orders to it, in the layouts of the native functions.

use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem::{FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_READONLY};

use super::call::{Door, Target};
use super::dir::Dir;
use super::kinds;
use super::native::{Key, Volume};
use super::status::Result;
use super::{DELETE, READ_ATTRIBUTES, WRITE_ATTRIBUTES, query};
use crate::fields::{Fields, Kind};
use crate::name::Name;

/// The name in an answer that begins with its length in bytes.
pub(super) fn name_in(answer: &[u64]) -> Vec<u16> {
    let length = Answer(answer).u32(0) as usize;
    let bytes = answer.iter().flat_map(|word| word.to_ne_bytes()).skip(4);
    let bytes: Vec<u8> = bytes.take(length).collect();
    bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect()
}

/// An answer, read field by field: offsets are in bytes.
pub(super) struct Answer<'a>(pub(super) &'a [u64]);

impl Answer<'_> {
    pub(super) fn u64(&self, offset: usize) -> u64 {
        self.0.get(offset / 8).copied().unwrap_or(0)
    }

    pub(super) fn u32(&self, offset: usize) -> u32 {
        (self.u64(offset) >> (offset % 8 * 8)) as u32
    }
}

/// Attributes and the tag of a reparse point, from a handle: 1 call.
pub(super) fn kind_of(door: &Door, handle: BorrowedHandle<'_>) -> Result<Kind> {
    let mut buffer = [0; 1];
    door.query_file(handle, &mut buffer, nt::FileAttributeTagInformation)?;
    let answer = Answer(&buffer);
    Ok(kinds::kind(answer.u32(0), Some(answer.u32(4))))
}

/// The name of an entry below an open directory.
pub(super) fn target<'a>(parent: &'a Dir, name: Name<'a, u16>) -> Target<'a> {
    Target { root: parent.root(), name: name.units(), any_case: parent.is_place }
}

/// The serial number of the volume of a handle, if it has one.
pub(super) fn serial(door: &Door, handle: BorrowedHandle<'_>) -> Option<u64> {
    let mut buffer = [0; 4];
    door.query_volume(handle, &mut buffer, nt::FileFsVolumeInformation).ok()?;
    Some(Answer(&buffer).u32(8).into()).filter(|&serial| serial != 0)
}

/// What is known of the volume of a handle: 1 call.
pub(super) fn volume(door: &Door, handle: BorrowedHandle<'_>) -> &'static Volume {
    door.native.volume(serial(door, handle).map_or(Key::Numberless, Key::Serial))
}

/// Whether a handle has the root directory of its volume open: its name there is one separator.
pub(super) fn is_root(door: &Door, handle: BorrowedHandle<'_>) -> Result<bool> {
    let mut buffer = [0; 2];
    door.query_file(handle, &mut buffer, nt::FileNameInformation)?;
    let answer = Answer(&buffer);
    Ok(answer.u32(0) == 2 && answer.u32(4) & 0xffff == u32::from(b'\\'))
}

/// What marks an entry for removal, newest first: its class, and its flags. The first two take the
/// name away at once and not when the last handle closes; only the first minds no read-only
/// attribute.
const DISPOSITIONS: [(i32, u64); 3] = [
    (
        nt::FileDispositionInformationEx,
        (nt::FILE_DISPOSITION_DELETE
            | nt::FILE_DISPOSITION_POSIX_SEMANTICS
            | nt::FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE) as u64,
    ),
    (
        nt::FileDispositionInformationEx,
        (nt::FILE_DISPOSITION_DELETE | nt::FILE_DISPOSITION_POSIX_SEMANTICS) as u64,
    ),
    (nt::FileDispositionInformation, 1),
];

/// Marks what a handle has open for removal.
pub(super) fn dispose(door: &Door, handle: BorrowedHandle<'_>, volume: &Volume) -> Result<()> {
    loop {
        let rung = volume.disposition.get().min(DISPOSITIONS.len() - 1);
        let (class, flags) = DISPOSITIONS[rung];
        let length = if class == nt::FileDispositionInformation { 1 } else { 4 };
        match door.set_file(handle, &[flags], length, class) {
            Err(status) if status.is_refusal() && rung + 1 < DISPOSITIONS.len() => {
                volume.disposition.below(rung);
            }
            answer => return answer,
        }
    }
}

/// Removes an entry that an older system keeps because it is read-only: takes the attribute away
/// first. Where the entry stays all the same, or has other names, it is put back.
pub(super) fn dispose_readonly(
    door: &Door,
    parent: &Dir,
    name: Name<'_, u16>,
    options: u32,
) -> Result<()> {
    let access = DELETE | READ_ATTRIBUTES | WRITE_ATTRIBUTES;
    let handle = door.open(target(parent, name), access, options)?;
    let removed = without_readonly(door, &handle, parent.volume);
    door.close(handle);
    removed
}

fn without_readonly(door: &Door, handle: &OwnedHandle, volume: &Volume) -> Result<()> {
    let handle = handle.as_handle();
    let facts = query::about_handle(door, handle, volume, Fields::ATTRIBUTES | Fields::LINKS)?;
    let attributes = facts.attributes as u32;
    if attributes & FILE_ATTRIBUTE_READONLY == 0 {
        return dispose(door, handle, volume);
    }
    // Zero would mean "as it is".
    set_attributes(
        door,
        handle,
        (attributes & !FILE_ATTRIBUTE_READONLY).max(FILE_ATTRIBUTE_NORMAL),
    )?;
    let removed = dispose(door, handle, volume);
    if removed.is_err() || facts.links > 1 {
        // The answer is that of the removal, whatever becomes of this.
        let _ = set_attributes(door, handle, attributes);
    }
    removed
}

fn set_attributes(door: &Door, handle: BorrowedHandle<'_>, attributes: u32) -> Result<()> {
    // Times of zero stay as they are.
    door.set_file(handle, &[0, 0, 0, 0, attributes.into()], 40, nt::FileBasicInformation)
}

/// Gives what a handle has open another name, and replaces what has it.
pub(super) fn rename(
    door: &Door,
    handle: BorrowedHandle<'_>,
    to: &Dir,
    name: Name<'_, u16>,
) -> Result<()> {
    use std::os::windows::io::AsRawHandle;
    const NAME: usize = 20;
    let units = name.units();
    let length = NAME + units.len() * 2;
    let mut buffer = vec![0_u64; length.div_ceil(8)];
    buffer[0] = u64::from(true);
    buffer[1] = to.handle()?.as_raw_handle() as u64;
    buffer[2] = (units.len() * 2) as u64;
    for (offset, &unit) in (NAME..).step_by(2).zip(units) {
        buffer[offset / 8] |= u64::from(unit) << (offset % 8 * 8);
    }
    door.set_file(handle, &buffer, length, nt::FileRenameInformation)
}
