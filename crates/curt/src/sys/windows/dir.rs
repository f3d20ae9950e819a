//! Open directories, and listings.
//!
//! A listing is one buffer of the kernel's records. Names are yielded in place, with a trailing NUL
//! in the padding after the name or over the start of the next record. That start holds the
//! distance to the record after it, so the distance is first saved in a different field.

use std::borrow::Cow;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Wdk::Storage::FileSystem as nt;

use super::native::{Rung, Volume};
use super::status::{Result, Status};
use super::syscalls::Target;
use super::text;
use super::values::{kind, time};
use crate::fields::{Facts, Fields, Kind, Time};
use crate::name::Name;
use crate::sys::{Entry, Listing};

/// Without a handle, names are full native paths.
#[derive(Debug)]
pub(crate) struct Dir {
    handle: Option<OwnedHandle>,
    /// The volume of all entries, because no operation crosses volumes.
    pub(super) volume: &'static Volume,
    pub(super) used_for: Use,
    /// Set once a query by name has missed an entry of this directory.
    pub(super) by_name: Rung,
    restart: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Removal,
    /// The handle cannot remove the directory, and lets others remove or rename it. Its entries can
    /// be removed.
    Listing,
    /// Operands are resolved relative to the handle, ignoring case.
    Lookup,
}

impl Dir {
    pub(super) fn new(handle: OwnedHandle, volume: &'static Volume, used_for: Use) -> Dir {
        Dir { handle: Some(handle), used_for, ..Dir::nowhere(volume) }
    }

    pub(super) fn nowhere(volume: &'static Volume) -> Dir {
        Dir {
            handle: None,
            volume,
            used_for: Use::Lookup,
            by_name: Rung::top(),
            restart: AtomicBool::new(false),
        }
    }

    pub(super) fn root(&self) -> Option<BorrowedHandle<'_>> {
        self.handle.as_ref().map(AsHandle::as_handle)
    }

    /// [`Dir::spelled`] must first replace the separators in `name`.
    pub(super) fn target<'a>(&'a self, name: &'a [u16]) -> Target<'a> {
        Target { root: self.root(), name, any_case: self.used_for == Use::Lookup }
    }

    pub(super) fn itself(&self) -> Target<'_> {
        Target { root: self.root(), name: &[], any_case: false }
    }

    pub(super) fn spelled<'a>(&self, path: Name<'a, u16>) -> Cow<'a, [u16]> {
        text::spelled(path.units(), self.handle.is_some())
    }

    pub(super) fn handle(&self) -> Result<BorrowedHandle<'_>> {
        self.root().ok_or(Status::INVALID_HANDLE)
    }

    pub(super) fn rewind(&self) {
        self.restart.store(true, Ordering::Relaxed);
    }

    pub(super) fn take_restart(&self) -> bool {
        self.restart.swap(false, Ordering::Relaxed)
    }

    pub(super) fn into_handle(self) -> Option<OwnedHandle> {
        self.handle
    }
}

impl AsHandle for Dir {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        // SAFETY: the standard library allows a null handle, with which all calls fail.
        // (`INVALID_HANDLE_VALUE` would mean this process.)
        self.root().unwrap_or(unsafe { BorrowedHandle::borrow_raw(ptr::null_mut()) })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) number: i32,
    /// The offset of the reparse tag, in 16-bit units. Missing in older classes.
    tag: Option<usize>,
    /// The offset and length of the file number, in 16-bit units.
    id: Option<(usize, usize)>,
    name: usize,
}

/// The classes of listings, newest first.
pub(super) const CLASSES: [Class; 4] = [
    Class {
        number: nt::FileIdExtdDirectoryInformation,
        tag: Some(34),
        id: Some((36, 8)),
        name: 44,
    },
    // The tag is in the field for the size of extended attributes.
    Class {
        number: nt::FileIdFullDirectoryInformation,
        tag: Some(32),
        id: Some((36, 4)),
        name: 40,
    },
    Class { number: nt::FileFullDirectoryInformation, tag: Some(32), id: None, name: 34 },
    Class { number: nt::FileDirectoryInformation, tag: None, id: None, name: 32 },
];

// Offsets in 16-bit units. Four timestamps of four units each begin at `CREATED`, in the order of
// [`TIMES`].
const CREATED: usize = 4;
const SIZE: usize = 20;
const ALLOCATED: usize = 24;
const ATTRIBUTES: usize = 28;
const NAME_LENGTH: usize = 30;
const TIMES: [Fields; 4] = [Fields::CREATED, Fields::ACCESSED, Fields::MODIFIED, Fields::CHANGED];

/// The offset of `FileIndex`, which no current filesystem fills in. We store the distance to the
/// next record there.
const DISTANCE: usize = 2;

/// 64 KiB, because larger reads fail on some servers.
const CAPACITY: usize = 32 << 10;
/// Twice the largest record.
const LEAST_CAPACITY: usize = 1024;
const _: () = assert!(CAPACITY >= LEAST_CAPACITY, "the longest name must fit");
const _: () = assert!(CAPACITY <= u16::MAX as usize, "a distance must fit one unit");

/// The kernel aligns records to 8 bytes, or 4 units.
const ALIGN: usize = 4;
/// Spare units for alignment and the NUL after the last name.
const BEYOND: usize = ALIGN + 1;

pub(crate) struct DirBuf {
    units: Vec<u16>,
    capacity: usize,
    first: usize,
    filled: usize,
    class: Class,
    serial: Option<u64>,
}

impl Default for DirBuf {
    fn default() -> Self {
        let class = CLASSES[0];
        DirBuf { units: Vec::new(), capacity: 0, first: 0, filled: 0, class, serial: None }
    }
}

impl DirBuf {
    pub(super) fn space(&mut self) -> &mut [u16] {
        if self.units.is_empty() {
            self.capacity = CAPACITY;
            self.units = vec![0; CAPACITY + BEYOND];
        }
        self.filled = 0;
        let begin = self.begin();
        &mut self.units[begin..begin + self.capacity]
    }

    fn begin(&self) -> usize {
        self.units.as_ptr().align_offset(size_of::<u64>()).min(ALIGN)
    }

    pub(super) fn take(&mut self, bytes: usize, class: Class, serial: Option<u64>) {
        let begin = self.begin();
        let filled = (bytes / 2).min(self.capacity);
        let units = &mut self.units[begin..=begin + filled];
        (self.first, self.filled) = terminate(units, filled, class.name);
        (self.class, self.serial) = (class, serial);
    }

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

/// Skips `.`, `..` and empty names, which would mean the directory itself. A malformed record ends
/// the listing. Returns the offset of the first entry and the number of valid units.
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
        // Read the next distance first, because the NUL might overwrite it.
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

/// Returns 0 for the last record.
fn distance(units: &[u16], at: usize, filled: usize) -> usize {
    units.get(at..filled).and_then(|record| wide(record, 0)).map_or(0, |bytes| bytes as usize / 2)
}

fn wide(units: &[u16], at: usize) -> Option<u32> {
    let pair = units.get(at..at + 2)?;
    Some(u32::from(pair[0]) | (u32::from(pair[1]) << 16))
}

/// Missing fields read as 0.
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

    fn id(&self) -> u128 {
        self.class.id.map_or(0, |(at, units)| self.number(at, units))
    }

    fn add_to(&self, serial: Option<u64>, facts: &mut Facts) {
        // Filesystems without file numbers may report all ones.
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

/// A time that the filesystem does not store is 0.
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
            record.add_to(self.serial, facts);
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
