//! Metadata of the standard library as facts.

use std::fs::Metadata;

use super::dir;
use crate::fields::{Facts, Fields, Time};

/// What the library tells on every system.
const PORTABLE: Fields = Fields::KIND
    .union(Fields::SIZE)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CREATED);

/// What the library tells.
#[cfg(unix)]
pub(super) const KNOWN: Fields = PORTABLE.union(crate::sys::unix::STAT);
/// What the library tells.
#[cfg(not(unix))]
pub(super) const KNOWN: Fields = PORTABLE;

/// The facts; a time that the file system does not keep is not known.
pub(super) fn of(found: &Metadata) -> Facts {
    let mut facts = Facts {
        known: KNOWN.without(Fields::ACCESSED | Fields::MODIFIED | Fields::CREATED),
        kind: dir::kind(found.file_type()),
        size: found.len(),
        ..Facts::default()
    };
    add_unix(&mut facts, found);
    for (field, time, place) in [
        (Fields::ACCESSED, found.accessed(), &mut facts.accessed),
        (Fields::MODIFIED, found.modified(), &mut facts.modified),
        (Fields::CREATED, found.created(), &mut facts.created),
    ] {
        if let Ok(time) = time {
            *place = Time::from(time);
            facts.known |= field;
        }
    }
    facts
}

#[cfg(unix)]
fn add_unix(facts: &mut Facts, found: &Metadata) {
    use std::os::unix::fs::MetadataExt;
    facts.kind = crate::sys::unix::kind_of_entry(found.mode(), found.rdev());
    facts.id = found.ino().into();
    facts.device = found.dev();
    facts.allocated = found.blocks() * 512;
    facts.changed = Time { seconds: found.ctime(), nanoseconds: found.ctime_nsec() as u32 };
    facts.links = found.nlink();
    facts.mode = found.mode();
    facts.user_id = found.uid();
    facts.group_id = found.gid();
    facts.device_number = found.rdev();
    facts.block_size = found.blksize();
}

#[cfg(not(unix))]
fn add_unix(_facts: &mut Facts, _found: &Metadata) {}
