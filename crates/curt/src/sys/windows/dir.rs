//! Open directories, and listings.
//!
//! A listing is one buffer: the system fills it with its records, and these are rewritten in place
//! to shorter ones of our own, whose names end with a NUL. So an entry costs no allocation, and the
//! buffer of the caller is all that there is.

use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
};

use super::native::Volume;
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::{Entry, Listing};

/// An open directory.
pub(crate) struct Dir {
    handle: OwnedHandle,
    /// What is known of its volume. Nothing here crosses from one volume to another.
    pub(super) volume: &'static Volume,
    /// Whether it is where operands lie, whose names people type: in any case of letters.
    pub(super) is_place: bool,
    /// Whether this handle may remove it; somebody else may have it open and not allow that.
    pub(super) may_remove: bool,
    restart: AtomicBool,
}

impl Dir {
    pub(super) fn new(handle: OwnedHandle, volume: &'static Volume) -> Dir {
        let restart = AtomicBool::new(false);
        Dir { handle, volume, is_place: false, may_remove: true, restart }
    }

    /// Lets the next reading begin the listing again.
    pub(super) fn rewind(&self) {
        self.restart.store(true, Ordering::Relaxed);
    }

    /// Whether the reading that follows begins the listing again.
    pub(super) fn take_restart(&self) -> bool {
        self.restart.swap(false, Ordering::Relaxed)
    }

    pub(super) fn into_handle(self) -> OwnedHandle {
        self.handle
    }
}

impl AsHandle for Dir {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.handle.as_handle()
    }
}

/// A form of record, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// The system's number.
    pub(super) number: i32,
    /// Where, in units of 16 bits, the tag of a reparse point lies; older forms do not tell it.
    tag: Option<usize>,
    /// Where the file number lies, or its lower half.
    id: Option<usize>,
    /// Where the name begins.
    name: usize,
}

/// The ladder.
pub(super) const CLASSES: [Class; 4] = [
    Class { number: nt::FileIdExtdDirectoryInformation, tag: Some(34), id: Some(36), name: 44 },
    // In these two the field for the size of extended attributes holds the tag.
    Class { number: nt::FileIdFullDirectoryInformation, tag: Some(32), id: Some(36), name: 40 },
    Class { number: nt::FileFullDirectoryInformation, tag: Some(32), id: None, name: 34 },
    Class { number: nt::FileDirectoryInformation, tag: None, id: None, name: 32 },
];

const ATTRIBUTES: usize = 28;
const NAME_LENGTH: usize = 30;

/// Units in the head of one of our records: its length, its kind, its number; the name follows.
const HEAD: usize = 6;

/// 64 KiB: more fails on some servers.
const CAPACITY: usize = 32 << 10;
/// The largest head and the longest name, 255 units, twice.
const LEAST_CAPACITY: usize = 1024;
const _: () = assert!(CAPACITY >= LEAST_CAPACITY, "the longest name must fit");
const _: () = assert!(CAPACITY <= u16::MAX as usize, "a length must fit one unit");
/// When at least this much stays empty, the listing is probably at its end.
const SLACK: usize = 512;

/// Units that make 8 bytes, to which the system aligns.
const ALIGN: usize = 4;

/// The buffer of one worker. Allocated at the first use.
#[derive(Default)]
pub(crate) struct DirBuf {
    units: Vec<u16>,
    capacity: usize,
    filled: usize,
}

impl DirBuf {
    /// The whole buffer, for the system to write to.
    pub(super) fn space(&mut self) -> &mut [u16] {
        if self.units.is_empty() {
            self.capacity = CAPACITY;
            self.units = vec![0; CAPACITY + ALIGN];
        }
        self.filled = 0;
        let begin = self.begin();
        &mut self.units[begin..begin + self.capacity]
    }

    /// Where the first unit lies that is aligned as the system wants it.
    fn begin(&self) -> usize {
        self.units.as_ptr().align_offset(size_of::<u64>()).min(ALIGN)
    }

    /// Takes what the system wrote: rewrites its records to ours. Returns whether there was room for
    /// another one.
    pub(super) fn take(&mut self, bytes: usize, class: Class) -> bool {
        let begin = self.begin();
        let filled = (bytes / 2).min(self.capacity);
        let records = &mut self.units[begin..begin + self.capacity];
        self.filled = rewrite(records, filled, class).unwrap_or_else(|rewritten| rewritten);
        filled + SLACK <= self.capacity
    }
}

/// Rewrites the records in the first units. Returns how many units ours take; the error is that too,
/// where a record was broken, which ends the listing.
fn rewrite(units: &mut [u16], filled: usize, class: Class) -> Result<usize, usize> {
    let mut from = 0;
    let mut to = 0;
    loop {
        let record = units.get(from..filled).ok_or(to)?;
        let next = wide(record, 0).ok_or(to)? as usize / 2;
        let attributes = wide(record, ATTRIBUTES).ok_or(to)?;
        let length = wide(record, NAME_LENGTH).ok_or(to)? as usize / 2;
        record.get(class.name..class.name + length).ok_or(to)?;
        let tag = class.tag.and_then(|at| wide(record, at));
        let id = class.id.and_then(|at| record.get(at..at + 4)).unwrap_or(&[0; 4]);
        let head = [id[0], id[1], id[2], id[3]];
        let kind = kind_code(attributes, tag);
        // Ours is shorter by more than the terminator, so nothing is overwritten that is still to
        // be read.
        let name = from + class.name;
        units.copy_within(name..name + length, to + HEAD);
        units[to] = (HEAD + length + 1) as u16;
        units[to + 1] = kind;
        units[to + 2..to + HEAD].copy_from_slice(&head);
        units[to + HEAD + length] = 0;
        to += HEAD + length + 1;
        if next == 0 {
            return Ok(to);
        }
        if next < class.name + length {
            return Err(to);
        }
        from += next;
    }
}

/// A number of 32 bits.
fn wide(units: &[u16], at: usize) -> Option<u32> {
    let pair = units.get(at..at + 2)?;
    Some(u32::from(pair[0]) | (u32::from(pair[1]) << 16))
}

const KINDS: [Kind; 4] = [Kind::File, Kind::Directory, Kind::Symlink, Kind::Unknown];

fn kind_code(attributes: u32, tag: Option<u32>) -> u16 {
    let kind = kind(attributes, tag);
    KINDS.iter().position(|&known| known == kind).unwrap_or(KINDS.len() - 1) as u16
}

/// The bit of a tag that says that the entry stands for another one: links of all sorts, junctions,
/// mounted volumes. Files that a cloud or a compressor keeps elsewhere are themselves.
const NAME_SURROGATE: u32 = 0x2000_0000;

/// What attributes and tag make of an entry.
pub(super) fn kind(attributes: u32, tag: Option<u32>) -> Kind {
    let is_reparse_point = attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0;
    match tag {
        None if is_reparse_point => Kind::Unknown,
        Some(tag) if is_reparse_point && tag & NAME_SURROGATE != 0 => Kind::Symlink,
        _ if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 => Kind::Directory,
        _ => Kind::File,
    }
}

impl Listing for DirBuf {
    type Unit = u16;

    fn entry(&self, mut position: usize) -> Option<(Entry<'_, u16>, usize)> {
        let begin = self.begin();
        let units = self.units.get(begin..begin + self.filled)?;
        loop {
            let length = usize::from(*units.get(position)?);
            let record = units.get(position..position + length)?;
            position += length;
            let name = Name::until_nul(record.get(HEAD..)?)?;
            if !name.is_dot_or_dot_dot() {
                let kind = *KINDS.get(usize::from(record[1]))?;
                let id =
                    record[2..HEAD].iter().rev().fold(0, |id, &unit| (id << 16) | u64::from(unit));
                return Some((Entry { name, kind, id }, position));
            }
        }
    }

    fn left(&self, position: usize) -> usize {
        const USUAL_RECORD: usize = HEAD + 14;
        self.filled.saturating_sub(position) / USUAL_RECORD
    }

    const LEAST_CAPACITY: usize = LEAST_CAPACITY * 2;

    fn with_capacity(bytes: usize) -> Self {
        let capacity = (bytes / 2).clamp(LEAST_CAPACITY, CAPACITY);
        DirBuf { units: vec![0; capacity + ALIGN], capacity, filled: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, DirBuf, Listing};

    /// Numbers that look random, the same each time.
    fn numbers() -> impl FnMut() -> u16 {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u16
        }
    }

    #[test]
    fn no_record_however_broken_leads_outside_or_round_in_circles() {
        let mut number = numbers();
        let mut found = 0;
        for round in 0..20_000 {
            let mut buf = DirBuf::with_capacity(2048);
            let space = buf.space();
            let filled = usize::from(number()) % (space.len() * 2 + 64);
            let mut at = 0;
            while at + 34 < space.len() {
                for unit in &mut space[at..] {
                    *unit = number();
                }
                // Now and then a head that makes sense, so that one gets further than the first.
                let next = 40 + usize::from(number()) % 60;
                space[at] = (next * 2) as u16 * u16::from(round % 3 != 0);
                space[at + 1] = 0;
                space[at + 30] = number() % 64;
                space[at + 31] = 0;
                at += next;
            }
            buf.take(filled, CLASSES[round % CLASSES.len()]);
            let mut position = 0;
            while let Some((_, next)) = buf.entry(position) {
                assert!(next > position, "a position must advance");
                position = next;
                found += 1;
            }
        }
        assert!(found > 20_000, "too few were read for this to say anything: {found}");
    }
}
