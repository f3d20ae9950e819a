use std::os::windows::io::BorrowedHandle;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem::{FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_READONLY};

use super::dir::Dir;
use super::native::Volume;
use super::status::{Result, Status};
use super::syscalls::Syscalls;
use super::{ABOUT, DELETE, DIRECTORY, FILE, READ_ATTRIBUTES, WRITE_ATTRIBUTES, Windows, query};
use crate::fields::{Fields, Kind};
use crate::name::Name;
use crate::sys::Removed;

impl Windows {
    pub(super) fn remove_file(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
        kind: Kind,
    ) -> Result<Removed> {
        // A link may be a file or a directory, so accept both.
        let options = if kind.is_link() { ABOUT } else { FILE };
        match self.remove(parent, name, options) {
            Ok(()) => Ok(Removed::Done),
            Err(Status::FILE_IS_A_DIRECTORY) => self.remove_directory_link(parent, name),
            // A directory has replaced the listed link.
            Err(Status::DIRECTORY_NOT_EMPTY) => Ok(Removed::IsDirectory),
            Err(status) => Err(status),
        }
    }

    /// Makes 3 system calls.
    pub(super) fn remove(&self, parent: &Dir, name: Name<'_, u16>, options: u32) -> Result<()> {
        let mark = |handle: BorrowedHandle<'_>| dispose(&self.syscalls, handle, parent.volume);
        match self.syscalls.opened(parent.target(name.units()), DELETE, options, mark)? {
            Err(Status::CANNOT_DELETE) => dispose_readonly(&self.syscalls, parent, name, options),
            answer => answer,
        }
    }

    pub(super) fn remove_directory_link(
        &self,
        parent: &Dir,
        name: Name<'_, u16>,
    ) -> Result<Removed> {
        let access = DELETE | READ_ATTRIBUTES;
        let remove = |handle: BorrowedHandle<'_>| {
            if !query::kind_of(&self.syscalls, handle)?.is_link() {
                return Ok(Removed::IsDirectory);
            }
            dispose(&self.syscalls, handle, parent.volume).map(|()| Removed::Done)
        };
        match self.syscalls.opened(parent.target(name.units()), access, DIRECTORY, remove)? {
            Err(Status::CANNOT_DELETE) => {
                dispose_readonly(&self.syscalls, parent, name, DIRECTORY)?;
                Ok(Removed::Done)
            }
            answer => answer,
        }
    }
}

/// Classes and flags that mark an entry for removal, newest first. The first two remove the name at
/// once, not when the last handle closes; only the first ignores the read-only attribute.
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

pub(super) fn dispose(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
    volume: &Volume,
) -> Result<()> {
    loop {
        let rung = volume.disposition.get().min(DISPOSITIONS.len() - 1);
        let (class, flags) = DISPOSITIONS[rung];
        let length = if class == nt::FileDispositionInformation { 1 } else { 4 };
        match syscalls.set_file(handle, &[flags], length, class) {
            Err(status) if status.is_refusal() && rung + 1 < DISPOSITIONS.len() => {
                volume.disposition.below(rung);
            }
            answer => return answer,
        }
    }
}

/// Removes a read-only entry on older systems. The attribute is cleared, and restored if the entry
/// remains or has other hard links.
pub(super) fn dispose_readonly(
    syscalls: &Syscalls,
    parent: &Dir,
    name: Name<'_, u16>,
    options: u32,
) -> Result<()> {
    let access = DELETE | READ_ATTRIBUTES | WRITE_ATTRIBUTES;
    syscalls.opened(parent.target(name.units()), access, options, |handle| {
        without_readonly(syscalls, handle, parent.volume)
    })?
}

fn without_readonly(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
    volume: &Volume,
) -> Result<()> {
    let facts = query::about_handle(syscalls, handle, volume, Fields::ATTRIBUTES | Fields::LINKS)?;
    let attributes = facts.attributes as u32;
    if attributes & FILE_ATTRIBUTE_READONLY == 0 {
        return dispose(syscalls, handle, volume);
    }
    set_attributes(syscalls, handle, with_readonly(attributes, false))?;
    let removed = dispose(syscalls, handle, volume);
    if removed.is_err() || facts.links > 1 {
        // The removal decides the result, even if restoring the attribute fails.
        let _ = set_attributes(syscalls, handle, attributes);
    }
    removed
}

pub(super) fn set_readonly(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
    volume: &Volume,
    is_readonly: bool,
) -> Result<()> {
    let facts = query::about_handle(syscalls, handle, volume, Fields::ATTRIBUTES)?;
    set_attributes(syscalls, handle, with_readonly(facts.attributes as u32, is_readonly))
}

/// Never returns 0, which would mean "unchanged".
fn with_readonly(attributes: u32, is_readonly: bool) -> u32 {
    let others = attributes & !FILE_ATTRIBUTE_READONLY;
    match others | if is_readonly { FILE_ATTRIBUTE_READONLY } else { 0 } {
        0 => FILE_ATTRIBUTE_NORMAL,
        attributes => attributes,
    }
}

fn set_attributes(syscalls: &Syscalls, handle: BorrowedHandle<'_>, attributes: u32) -> Result<()> {
    // Times of 0 mean "unchanged".
    syscalls.set_file(handle, &[0, 0, 0, 0, attributes.into()], 40, nt::FileBasicInformation)
}
