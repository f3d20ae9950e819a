//! Queries an entry by name if the system supports that. Otherwise opens, queries and closes it.
//!
//! Each volume remembers which of three classes of query by name it refused: `FileStatInformation`
//! with the usual fields and the access rights; `FileStatLxInformation`, which adds the fields of
//! the Linux subsystem; and, since Windows 11 24H2, `FileStatBasicInformation` with the volume.
//! Queries by name cannot follow a link.
//!
//! A query by name can prove that an entry exists, but not that it is missing: under profile
//! containers (FSLogix) it fails with "not found" for files that can be opened. This happens inside
//! `C:\Users\NAME`, although that folder itself is found, so neither the drive nor an earlier
//! result shows where to trust a failure. So every failure is checked by opening the entry, and
//! only that error counts. Once a query by name has missed an entry of an open directory, its other
//! entries are always opened.

use std::os::windows::io::BorrowedHandle;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_EXECUTE, FILE_READ_DATA,
    FILE_WRITE_DATA,
};

use super::dir::{Dir, set_times};
use super::native::{Key, Rung, Volume};
use super::status::{Result, Status};
use super::syscalls::{Syscalls, Target};
use super::values::kind;
use super::{ABOUT, FOLLOW, READ_ATTRIBUTES, text};
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::Request;

pub(super) const LINUX: Fields =
    Fields::MODE.union(Fields::USER_ID).union(Fields::GROUP_ID).union(Fields::DEVICE_NUMBER);

pub(super) const ACCESS: Fields =
    Fields::READABLE.union(Fields::WRITABLE).union(Fields::EXECUTABLE);

/// `FileStatBasicInformation`, which `windows-sys` lacks.
const STAT_BASIC: i32 = 77;

struct Query<'a> {
    syscalls: &'a Syscalls,
    target: Target<'a>,
    volume: &'a Volume,
    /// Whether the entry is known to be on `volume`, and its serial number was queried.
    is_on_it: bool,
    fields: Fields,
}

pub(super) fn name_in(answer: &[u64]) -> Vec<u16> {
    units_in(answer, 4, Answer(answer).u32(0) as usize)
}

pub(super) fn units_in(answer: &[u64], begin: usize, length: usize) -> Vec<u16> {
    let bytes = answer.iter().flat_map(|word| word.to_ne_bytes()).skip(begin);
    let bytes: Vec<u8> = bytes.take(length).collect();
    bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect()
}

/// Offsets into the answer are in bytes.
pub(super) struct Answer<'a>(pub(super) &'a [u64]);

impl Answer<'_> {
    pub(super) fn u64(&self, offset: usize) -> u64 {
        self.0.get(offset / 8).copied().unwrap_or(0)
    }

    pub(super) fn u32(&self, offset: usize) -> u32 {
        (self.u64(offset) >> (offset % 8 * 8)) as u32
    }
}

pub(super) fn kind_of(syscalls: &Syscalls, handle: BorrowedHandle<'_>) -> Result<Kind> {
    let (attributes, tag) = attributes(syscalls, handle)?;
    Ok(kind(attributes, Some(tag)))
}

/// Returns the attributes and the reparse tag.
pub(super) fn attributes(syscalls: &Syscalls, handle: BorrowedHandle<'_>) -> Result<(u32, u32)> {
    let mut buffer = [0; 1];
    syscalls.query_file(handle, &mut buffer, nt::FileAttributeTagInformation)?;
    let answer = Answer(&buffer);
    Ok((answer.u32(0), answer.u32(4)))
}

pub(super) fn serial(syscalls: &Syscalls, handle: BorrowedHandle<'_>) -> Option<u64> {
    let mut buffer = [0; 4];
    syscalls.query_volume(handle, &mut buffer, nt::FileFsVolumeInformation).ok()?;
    Some(Answer(&buffer).u32(8).into()).filter(|&serial| serial != 0)
}

pub(super) fn volume(syscalls: &Syscalls, handle: BorrowedHandle<'_>) -> &'static Volume {
    syscalls.native.volume(serial(syscalls, handle).map_or(Key::Numberless, Key::Serial))
}

/// Whether the path on the volume is a single separator.
pub(super) fn is_root(syscalls: &Syscalls, handle: BorrowedHandle<'_>) -> Result<bool> {
    let mut buffer = [0; 2];
    syscalls.query_file(handle, &mut buffer, nt::FileNameInformation)?;
    let answer = Answer(&buffer);
    Ok(answer.u32(0) == 2 && answer.u32(4) & 0xffff == u32::from(b'\\'))
}

pub(super) fn about_name(
    syscalls: &Syscalls,
    parent: &Dir,
    name: Name<'_, u16>,
    request: Request,
) -> Result<Facts> {
    let spelled = parent.spelled(name);
    let is_child = !text::has_separators(&spelled);
    let query = Query {
        syscalls,
        target: parent.target(&spelled),
        volume: parent.volume,
        is_on_it: is_child && parent.volume.is_identified(),
        fields: request.fields,
    };
    let by_name = if parent.by_name.get() > 0 { Ok(None) } else { query.by_name() };
    let has_failed = by_name.is_err();
    let itself = by_name.unwrap_or(None);
    let answer = match itself {
        Some(facts) if !request.follow || !facts.kind.is_link() => Ok(facts),
        _ if request.follow => match query.by_handle(FOLLOW) {
            // Report the link itself.
            Err(status) if status.is_unresolvable() => {
                itself.map_or_else(|| query.by_handle(ABOUT), Ok)
            }
            answer => answer,
        },
        _ => query.by_handle(ABOUT),
    };
    if has_failed && is_child && answer.is_ok() {
        parent.by_name.below(0);
    }
    answer
}

pub(super) fn about_dir(syscalls: &Syscalls, dir: &Dir, fields: Fields) -> Result<Facts> {
    about_handle(syscalls, dir.handle()?, dir.volume, fields)
}

pub(super) fn about_handle(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
    volume: &Volume,
    fields: Fields,
) -> Result<Facts> {
    let target = Target { root: Some(handle), name: &[], any_case: false };
    let is_on_it = volume.is_identified();
    Query { syscalls, target, volume, is_on_it, fields }.of_handle(handle, is_on_it)
}

/// Opens the entry once for each access right.
pub(super) fn may(
    syscalls: &Syscalls,
    parent: &Dir,
    name: Name<'_, u16>,
    fields: Fields,
) -> Result<Fields> {
    let spelled = parent.spelled(name);
    let target = parent.target(&spelled);
    let mut allowed = Fields::NONE;
    for (field, access) in RIGHTS {
        if !fields.contains(field) {
            continue;
        }
        match syscalls.open(target, access, FOLLOW) {
            Ok(handle) => syscalls.close(handle),
            // The kernel checks sharing after the access right, so the right is granted.
            Err(Status::SHARING_VIOLATION) => {}
            Err(status) if status.is_denial() => continue,
            Err(status) => return Err(status),
        }
        allowed |= field;
    }
    Ok(allowed)
}

const RIGHTS: [(Fields, u32); 3] = [
    (Fields::READABLE, FILE_READ_DATA),
    (Fields::WRITABLE, FILE_WRITE_DATA),
    (Fields::EXECUTABLE, FILE_EXECUTE),
];

impl Query<'_> {
    fn wants(&self, fields: Fields) -> bool {
        self.fields.intersects(fields)
    }

    fn wants_device(&self) -> bool {
        self.wants(Fields::DEVICE) && !self.is_on_it
    }

    /// Returns `None` if queries by name do not give all wanted fields.
    fn by_name(&self) -> Result<Option<Facts>> {
        let mut found: Option<Facts> = None;
        if self.wants_device() {
            let Some(facts) = self.in_form(STAT_BASIC, &self.volume.basic, basic)? else {
                return Ok(None);
            };
            if !self.wants(LINUX) {
                return Ok(Some(facts));
            }
            found = Some(facts);
        }
        let mut answer = None;
        if self.wants(LINUX) {
            answer = self.in_form(nt::FileStatLxInformation, &self.volume.linux, linux)?;
        }
        if answer.is_none() && found.is_none() {
            answer = self.in_form(nt::FileStatInformation, &self.volume.by_name, stat)?;
        }
        let Some(mut facts) = answer else { return Ok(found) };
        if self.is_on_it {
            set_device(&mut facts, self.volume.serial());
        }
        let mut all = found.unwrap_or_default();
        all.update(facts);
        Ok(Some(all))
    }

    fn in_form(&self, class: i32, rung: &Rung, read: fn(&[u64]) -> Facts) -> Result<Option<Facts>> {
        if rung.get() > 0 {
            return Ok(None);
        }
        let mut buffer = [0; 13];
        let words = match class {
            nt::FileStatInformation => 9,
            nt::FileStatLxInformation => 12,
            _ => buffer.len(),
        };
        match self.syscalls.query_by_name(self.target, &mut buffer[..words], class) {
            Some(Ok(())) => Ok(Some(read(&buffer))),
            Some(Err(status)) if !status.is_refusal() => Err(status),
            Some(Err(_)) | None => {
                rung.below(0);
                Ok(None)
            }
        }
    }

    fn by_handle(&self, options: u32) -> Result<Facts> {
        // A followed link may lead to a different volume.
        let is_on_it = self.is_on_it && options != FOLLOW;
        let query = |handle: BorrowedHandle<'_>| self.of_handle(handle, is_on_it);
        self.syscalls.opened(self.target, READ_ATTRIBUTES, options, query)?
    }

    fn of_handle(&self, handle: BorrowedHandle<'_>, is_on_it: bool) -> Result<Facts> {
        let mut facts = match self.linux_of(handle)? {
            Some(facts) => facts,
            None => self.all_of(handle)?,
        };
        if self.wants(Fields::ID) && !facts.known.contains(Fields::ID) {
            self.add_wide_id(handle, &mut facts);
        }
        if is_on_it {
            set_device(&mut facts, self.volume.serial());
        } else if self.wants(Fields::DEVICE) {
            set_device(&mut facts, serial(self.syscalls, handle));
        }
        Ok(facts)
    }

    /// Returns `None` if these fields are not wanted or not supported.
    fn linux_of(&self, handle: BorrowedHandle<'_>) -> Result<Option<Facts>> {
        if !self.wants(LINUX) || self.volume.linux.get() > 0 {
            return Ok(None);
        }
        let mut buffer = [0; 12];
        match self.syscalls.query_file(handle, &mut buffer, nt::FileStatLxInformation) {
            Ok(_) => {
                let mut facts = linux(&buffer);
                // Drop the access rights, which describe the handle, not the entry.
                facts.known = facts.known.without(ACCESS);
                Ok(Some(facts))
            }
            Err(status) if status.is_refusal() => {
                self.volume.linux.below(0);
                Ok(None)
            }
            Err(status) => Err(status),
        }
    }

    /// Queries by `FileAllInformation`, which every system supports. The kind of a reparse point
    /// takes one more call.
    fn all_of(&self, handle: BorrowedHandle<'_>) -> Result<Facts> {
        // The buffer is too small for the name at the end, which is not needed.
        let mut buffer = [0; 13];
        self.syscalls.query_file(handle, &mut buffer, nt::FileAllInformation)?;
        let answer = Answer(&buffer);
        let attributes = answer.u32(32);
        let is_plain = attributes & FILE_ATTRIBUTE_REPARSE_POINT == 0;
        let kind = if is_plain || !self.wants(Fields::KIND) {
            kind(attributes, None)
        } else {
            kind_of(self.syscalls, handle)?
        };
        let mut facts = Facts {
            known: Fields::SIZE | Fields::ALLOCATED | Fields::LINKS | Fields::ATTRIBUTES,
            kind,
            size: answer.u64(48),
            allocated: answer.u64(40),
            links: answer.u32(56).into(),
            attributes: attributes.into(),
            ..Facts::default()
        };
        if kind != Kind::Unknown {
            facts.known |= Fields::KIND;
        }
        set_times(&mut facts, [0, 8, 16, 24].map(|offset| answer.u64(offset)));
        set_id(&mut facts, answer.u64(64).into());
        Ok(facts)
    }

    /// Adds the 128-bit file number if 64 bits were too few.
    fn add_wide_id(&self, handle: BorrowedHandle<'_>, facts: &mut Facts) {
        let mut buffer = [0; 3];
        if self.syscalls.query_file(handle, &mut buffer, nt::FileIdInformation).is_ok() {
            set_id(facts, wide_id(buffer[1], buffer[2]));
        }
    }
}

/// Sets the file number, unless it is 0 (none) or all ones (too large for 64 bits).
fn set_id(facts: &mut Facts, id: u128) {
    if id != 0 && id != u64::MAX.into() {
        facts.id = id;
        facts.known |= Fields::ID;
    }
}

fn set_device(facts: &mut Facts, serial: Option<u64>) {
    if let Some(serial) = serial {
        facts.device = serial;
        facts.known |= Fields::DEVICE;
    }
}

fn wide_id(low: u64, high: u64) -> u128 {
    (u128::from(high) << 64) | u128::from(low)
}

/// Reads the fields common to all classes of query by name.
fn beginning(buffer: &[u64]) -> Facts {
    let answer = Answer(buffer);
    let attributes = answer.u32(56);
    let mut facts = Facts {
        known: Fields::KIND | Fields::SIZE | Fields::ALLOCATED | Fields::LINKS | Fields::ATTRIBUTES,
        kind: kind(attributes, Some(answer.u32(60))),
        size: answer.u64(48),
        allocated: answer.u64(40),
        links: answer.u32(64).into(),
        attributes: attributes.into(),
        ..Facts::default()
    };
    set_id(&mut facts, answer.u64(0).into());
    set_times(&mut facts, [8, 16, 24, 32].map(|offset| answer.u64(offset)));
    facts
}

/// Reads `FILE_STAT_INFORMATION`.
fn stat(buffer: &[u64]) -> Facts {
    let mut facts = beginning(buffer);
    // Access through a link depends on its target.
    if !facts.kind.is_link() {
        let effective = Answer(buffer).u32(68);
        let is_frozen = facts.kind != Kind::Directory
            && facts.attributes & u64::from(FILE_ATTRIBUTE_READONLY) != 0;
        facts.known |= ACCESS;
        for (field, right) in RIGHTS {
            if effective & right != 0 && !(is_frozen && field == Fields::WRITABLE) {
                facts.allowed |= field;
            }
        }
    }
    facts
}

/// Reads `FILE_STAT_BASIC_INFORMATION`.
fn basic(buffer: &[u64]) -> Facts {
    let answer = Answer(buffer);
    let mut facts = beginning(buffer);
    set_id(&mut facts, wide_id(answer.u64(88), answer.u64(96)));
    // The lower half is the serial number from the older volume query.
    let serial = answer.u32(80).into();
    set_device(&mut facts, Some(serial).filter(|&serial| serial != 0));
    facts
}

/// Reads `FILE_STAT_LX_INFORMATION`, which has a flag for each valid field.
fn linux(buffer: &[u64]) -> Facts {
    const HAS_USER: u32 = 1;
    const HAS_GROUP: u32 = 2;
    const HAS_MODE: u32 = 4;
    const HAS_DEVICE: u32 = 8;
    let answer = Answer(buffer);
    let flags = answer.u32(72);
    let mut facts = stat(buffer);
    (facts.user_id, facts.group_id, facts.mode) = (answer.u32(76), answer.u32(80), answer.u32(84));
    // Encode as glibc's `makedev` does.
    let (major, minor) = (u64::from(answer.u32(88)), u64::from(answer.u32(92)));
    facts.device_number = (major & 0xffff_f000) << 32
        | (major & 0xfff) << 8
        | (minor & 0xffff_ff00) << 12
        | (minor & 0xff);
    for (flag, field) in [
        (HAS_USER, Fields::USER_ID),
        (HAS_GROUP, Fields::GROUP_ID),
        (HAS_MODE, Fields::MODE),
        (HAS_DEVICE, Fields::DEVICE_NUMBER),
    ] {
        if flags & flag != 0 {
            facts.known |= field;
        }
    }
    facts
}
