//! Open directories, and listings.
//!
//! A listing is one buffer with the records of the system. Each name gets a NUL behind it, in the
//! padding or over the first unit of the next record, whose distance to the one after it is stored
//! elsewhere before. So an entry costs neither an allocation nor a copy, and all its fields can
//! still be read.

use std::borrow::Cow;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Wdk::Storage::FileSystem as nt;

use super::call::Target;
use super::native::{Rung, Volume};
use super::status::{Result, Status};
use super::text;
use super::values::{kind, time};
use crate::fields::{Facts, Fields, Kind, Time};
use crate::name::Name;
use crate::sys::{Entry, Listing};

/// An open directory, or none, for full native paths.
#[derive(Debug)]
pub(crate) struct Dir {
    handle: Option<OwnedHandle>,
    /// What is known about its volume. No operation crosses from one volume to another.
    pub(super) volume: &'static Volume,
    pub(super) used_for: Use,
    /// Lowered once a query by name missed an entry of this directory that exists.
    pub(super) by_name: Rung,
    restart: AtomicBool,
}

/// What an open directory is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Its entries are listed and removed, then it is removed by its handle.
    Removal,
    /// Its entries are listed, and may be removed. Its handle cannot remove it, and lets other
    /// processes remove or rename it.
    Listing,
    /// Names of operands are resolved in it, in any case of letters.
    Place,
}

impl Dir {
    pub(super) fn new(handle: OwnedHandle, volume: &'static Volume, used_for: Use) -> Dir {
        Dir { handle: Some(handle), used_for, ..Dir::nowhere(volume) }
    }

    /// Returns the directory for full native paths on a volume.
    pub(super) fn nowhere(volume: &'static Volume) -> Dir {
        Dir {
            handle: None,
            volume,
            used_for: Use::Place,
            by_name: Rung::top(),
            restart: AtomicBool::new(false),
        }
    }

    /// Returns the handle that names are relative to.
    pub(super) fn root(&self) -> Option<BorrowedHandle<'_>> {
        self.handle.as_ref().map(AsHandle::as_handle)
    }

    /// Returns the target for a name. One with separators must be [spelled](Dir::spelled) first.
    pub(super) fn target<'a>(&'a self, name: &'a [u16]) -> Target<'a> {
        Target { root: self.root(), name, any_case: self.used_for == Use::Place }
    }

    /// Returns the target for the directory itself.
    pub(super) fn itself(&self) -> Target<'_> {
        Target { root: self.root(), name: &[], any_case: false }
    }

    /// Returns a path below this directory with the kernel's separator only, as full native paths
    /// have it.
    pub(super) fn spelled<'a>(&self, path: Name<'a, u16>) -> Cow<'a, [u16]> {
        text::spelled(path.units(), self.handle.is_some())
    }

    /// Returns the handle, to ask about the directory.
    pub(super) fn handle(&self) -> Result<BorrowedHandle<'_>> {
        self.root().ok_or(Status::INVALID_HANDLE)
    }

    /// Makes the next batch start the listing again.
    pub(super) fn rewind(&self) {
        self.restart.store(true, Ordering::Relaxed);
    }

    /// Whether the next batch starts the listing again.
    pub(super) fn take_restart(&self) -> bool {
        self.restart.swap(false, Ordering::Relaxed)
    }

    pub(super) fn into_handle(self) -> Option<OwnedHandle> {
        self.handle
    }
}

impl AsHandle for Dir {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        // Not `INVALID_HANDLE_VALUE`, which is also the pseudo handle of this process: calls would
        // act on that.
        // SAFETY: the standard library allows null in a borrowed handle. It stands for no handle,
        // and stays so; calls with it fail.
        self.root().unwrap_or(unsafe { BorrowedHandle::borrow_raw(ptr::null_mut()) })
    }
}

/// A form of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// The system's number.
    pub(super) number: i32,
    /// The offset of the reparse tag in units of 16 bits. Older forms do not have it.
    tag: Option<usize>,
    /// The offset and the length of the file number.
    id: Option<(usize, usize)>,
    /// The offset of the name.
    name: usize,
}

/// The forms of record, newest first.
pub(super) const CLASSES: [Class; 4] = [
    Class {
        number: nt::FileIdExtdDirectoryInformation,
        tag: Some(34),
        id: Some((36, 8)),
        name: 44,
    },
    // In these two, the field for the size of extended attributes holds the tag.
    Class {
        number: nt::FileIdFullDirectoryInformation,
        tag: Some(32),
        id: Some((36, 4)),
        name: 40,
    },
    Class { number: nt::FileFullDirectoryInformation, tag: Some(32), id: None, name: 34 },
    Class { number: nt::FileDirectoryInformation, tag: None, id: None, name: 32 },
];

// Offsets that are the same in all forms, in units.
/// Four times of four units, in the order of [`TIMES`].
const CREATED: usize = 4;
const SIZE: usize = 20;
const ALLOCATED: usize = 24;
const ATTRIBUTES: usize = 28;
const NAME_LENGTH: usize = 30;
const TIMES: [Fields; 4] = [Fields::CREATED, Fields::ACCESSED, Fields::MODIFIED, Fields::CHANGED];

/// Where the distance to the next record is stored, in a field that no current file system fills
/// in.
const DISTANCE: usize = 2;

/// 64 KiB: more fails on some servers.
const CAPACITY: usize = 32 << 10;
/// The largest head and the longest name, 255 units, twice.
const LEAST_CAPACITY: usize = 1024;
const _: () = assert!(CAPACITY >= LEAST_CAPACITY, "the longest name must fit");
const _: () = assert!(CAPACITY <= u16::MAX as usize, "a distance must fit one unit");

/// Units that make 8 bytes, to which the system aligns.
const ALIGN: usize = 4;
/// Extra units for alignment, and for the NUL behind the last name.
const BEYOND: usize = ALIGN + 1;

/// The buffer of one worker. Allocated at the first use.
pub(crate) struct DirBuf {
    units: Vec<u16>,
    capacity: usize,
    /// The beginning of the first entry, and the end of the last one.
    first: usize,
    filled: usize,
    class: Class,
    /// The serial number of the volume, if it is known.
    serial: Option<u64>,
}

impl Default for DirBuf {
    fn default() -> Self {
        let class = CLASSES[0];
        DirBuf { units: Vec::new(), capacity: 0, first: 0, filled: 0, class, serial: None }
    }
}

impl DirBuf {
    /// Returns the whole buffer, for the system to write to.
    pub(super) fn space(&mut self) -> &mut [u16] {
        if self.units.is_empty() {
            self.capacity = CAPACITY;
            self.units = vec![0; CAPACITY + BEYOND];
        }
        self.filled = 0;
        let begin = self.begin();
        &mut self.units[begin..begin + self.capacity]
    }

    /// Returns the offset of the first unit that is aligned as the system needs it.
    fn begin(&self) -> usize {
        self.units.as_ptr().align_offset(size_of::<u64>()).min(ALIGN)
    }

    /// Takes the records that the system wrote, of a volume with this serial number.
    pub(super) fn take(&mut self, bytes: usize, class: Class, serial: Option<u64>) {
        let begin = self.begin();
        let filled = (bytes / 2).min(self.capacity);
        let units = &mut self.units[begin..=begin + filled];
        (self.first, self.filled) = terminate(units, filled, class.name);
        (self.class, self.serial) = (class, serial);
    }

    /// Returns the record at a position, and the position of the next one.
    fn record(&self, position: usize) -> Option<(Record<'_>, usize)> {
        let begin = self.begin();
        let units = self.units.get(begin..begin + self.filled)?;
        let position = position.max(self.first);
        let record = units.get(position..)?;
        let next = match *record.get(DISTANCE)? {
            0 => units.len(),
            distance => position + usize::from(distance),
        };
        Some((Record { units: record, class: self.class }, next))
    }
}

/// Puts a NUL behind each name, and stores the distance to the next entry in each record. Skips
/// `.`, `..` and empty names, which would stand for the directory itself. Returns the offset of the
/// first entry and the number of valid units: a malformed record ends the listing.
fn terminate(units: &mut [u16], filled: usize, name: usize) -> (usize, usize) {
    let mut before: Option<(usize, usize)> = None;
    let mut good = 0;
    let mut at = 0;
    let mut next = distance(units, at, filled);
    loop {
        let record = units.get(at..filled).unwrap_or_default();
        let length = wide(record, NAME_LENGTH).map_or(usize::MAX, |bytes| bytes as usize / 2);
        let end = name.saturating_add(length);
        if end > record.len() {
            break;
        }
        // Read before the NUL may overwrite it.
        let after = distance(units, at + next, filled);
        units[at + end] = 0;
        let found = Name::until_nul(&units[at + name..=at + end]);
        if found.is_some_and(|name| !name.units().is_empty() && !name.is_dot_or_dot_dot()) {
            let first = match before {
                Some((first, last)) => {
                    units[last + DISTANCE] = (at - last) as u16;
                    first
                }
                None => at,
            };
            units[at + DISTANCE] = 0;
            before = Some((first, at));
            good = at + end + 1;
        }
        if next < end || at + next >= filled {
            break;
        }
        at += next;
        next = after;
    }
    (before.map_or(0, |(first, _)| first), good)
}

/// Returns the distance from this record to the next one; 0 for the last.
fn distance(units: &[u16], at: usize, filled: usize) -> usize {
    units.get(at..filled).and_then(|record| wide(record, 0)).map_or(0, |bytes| bytes as usize / 2)
}

/// Reads a number of 32 bits.
fn wide(units: &[u16], at: usize) -> Option<u32> {
    let pair = units.get(at..at + 2)?;
    Some(u32::from(pair[0]) | (u32::from(pair[1]) << 16))
}

/// A record of the system. Missing fields read as zero.
#[derive(Clone, Copy)]
struct Record<'a> {
    units: &'a [u16],
    class: Class,
}

impl<'a> Record<'a> {
    fn number(&self, at: usize, units: usize) -> u128 {
        let units = self.units.get(at..at + units).unwrap_or_default();
        units.iter().rev().fold(0, |number, &unit| (number << 16) | u128::from(unit))
    }

    fn u64(&self, at: usize) -> u64 {
        self.number(at, 4) as u64
    }

    fn name(&self) -> Option<Name<'a, u16>> {
        let end = self.class.name + wide(self.units, NAME_LENGTH)? as usize / 2;
        Name::until_nul(self.units.get(self.class.name..=end)?)
    }

    fn attributes(&self) -> u32 {
        wide(self.units, ATTRIBUTES).unwrap_or(0)
    }

    fn kind(&self) -> Kind {
        kind(self.attributes(), self.class.tag.and_then(|at| wide(self.units, at)))
    }

    /// The file number; 0 where there is none.
    fn id(&self) -> u128 {
        self.class.id.map_or(0, |(at, units)| self.number(at, units))
    }

    /// Adds the fields of the record to empty facts.
    fn tell(&self, serial: Option<u64>, facts: &mut Facts) {
        // A file system without file numbers says 0, or all ones.
        let id = self.id();
        facts.add_listed(self.kind(), if id == u64::MAX.into() { 0 } else { id });
        facts.known |= Fields::SIZE | Fields::ALLOCATED | Fields::ATTRIBUTES;
        facts.size = self.u64(SIZE);
        facts.allocated = self.u64(ALLOCATED);
        facts.attributes = self.attributes().into();
        if let Some(serial) = serial {
            facts.device = serial;
            facts.known |= Fields::DEVICE;
        }
        set_times(facts, [0, 1, 2, 3].map(|index| self.u64(CREATED + 4 * index)));
    }
}

/// Sets the times, in the order of the system: created, accessed, modified, changed. A time that
/// the file system does not keep is zero.
pub(super) fn set_times(facts: &mut Facts, ticks: [u64; 4]) {
    let places: [&mut Time; 4] =
        [&mut facts.created, &mut facts.accessed, &mut facts.modified, &mut facts.changed];
    for ((place, ticks), field) in places.into_iter().zip(ticks).zip(TIMES) {
        if ticks != 0 {
            *place = time(ticks);
            facts.known |= field;
        }
    }
}

impl Listing for DirBuf {
    type Unit = u16;

    fn entry(&self, position: usize) -> Option<(Entry<'_, u16>, usize)> {
        let (record, next) = self.record(position)?;
        let name = record.name()?;
        Some((Entry { name, kind: record.kind(), id: record.id() as u64 }, next))
    }

    fn facts(&self, position: usize, _entry: &Entry<'_, u16>, facts: &mut Facts) {
        if let Some((record, _)) = self.record(position) {
            record.tell(self.serial, facts);
        }
    }

    fn left(&self, position: usize) -> usize {
        const USUAL_NAME: usize = 16;
        self.filled.saturating_sub(position) / (self.class.name + USUAL_NAME)
    }

    fn with_capacity(bytes: usize) -> Self {
        let capacity = (bytes / 2).clamp(LEAST_CAPACITY, CAPACITY);
        DirBuf { units: vec![0; capacity + BEYOND], capacity, ..DirBuf::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, DirBuf, Listing};
    use crate::fields::{Facts, Fields};

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
    fn malformed_records_neither_loop_nor_lead_outside() {
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
            buf.take(filled, CLASSES[round % CLASSES.len()], Some(1));
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                let mut facts = Facts::default();
                buf.facts(position, &entry, &mut facts);
                assert!(facts.known.contains(Fields::SIZE) && !entry.name.is_dot_or_dot_dot());
                assert!(next > position, "a position must advance");
                position = next;
                found += 1;
            }
        }
        assert!(found > 20_000, "too few were read for this to say anything: {found}");
    }
}
