//! Fields to `statx` and back.

use rustix::fs::{Statx, StatxFlags, makedev};

use crate::fields::{Facts, Fields, Time};
use crate::sys::unix;

/// Each field with the bit that asks for it. What has none is always answered.
const BITS: [(Fields, StatxFlags); 12] = [
    (Fields::KIND, StatxFlags::TYPE),
    (Fields::MODE, StatxFlags::TYPE.union(StatxFlags::MODE)),
    (Fields::ID, StatxFlags::INO),
    (Fields::SIZE, StatxFlags::SIZE),
    (Fields::ALLOCATED, StatxFlags::BLOCKS),
    (Fields::ACCESSED, StatxFlags::ATIME),
    (Fields::MODIFIED, StatxFlags::MTIME),
    (Fields::CHANGED, StatxFlags::CTIME),
    (Fields::CREATED, StatxFlags::BTIME),
    (Fields::LINKS, StatxFlags::NLINK),
    (Fields::USER_ID, StatxFlags::UID),
    (Fields::GROUP_ID, StatxFlags::GID),
];

/// The mask that asks for these fields and no others: it matters to file systems over a network.
pub(super) fn mask(fields: Fields) -> StatxFlags {
    BITS.iter()
        .filter(|(field, _)| fields.contains(*field))
        .fold(StatxFlags::empty(), |mask, &(_, bit)| mask | bit)
}

/// What was answered.
pub(super) fn facts(stat: &Statx) -> Facts {
    let answered = StatxFlags::from_bits_retain(stat.stx_mask);
    let known = BITS
        .iter()
        .filter(|(_, bit)| answered.contains(*bit))
        .fold(Fields::NONE, |known, &(field, _)| known | field);
    let always = Fields::DEVICE | Fields::DEVICE_NUMBER | Fields::BLOCK_SIZE | Fields::ATTRIBUTES;
    let device_number = makedev(stat.stx_rdev_major, stat.stx_rdev_minor);
    let mode = u32::from(stat.stx_mode);
    Facts {
        known: known | always,
        kind: unix::kind_of_entry(mode, device_number),
        id: stat.stx_ino.into(),
        device: makedev(stat.stx_dev_major, stat.stx_dev_minor),
        size: stat.stx_size,
        allocated: stat.stx_blocks * 512,
        accessed: time(stat.stx_atime),
        modified: time(stat.stx_mtime),
        changed: time(stat.stx_ctime),
        created: time(stat.stx_btime),
        links: stat.stx_nlink.into(),
        mode,
        user_id: stat.stx_uid,
        group_id: stat.stx_gid,
        attributes: stat.stx_attributes.bits(),
        device_number,
        block_size: stat.stx_blksize.into(),
        ..Facts::default()
    }
}

fn time(time: rustix::fs::StatxTimestamp) -> Time {
    Time { seconds: time.tv_sec, nanoseconds: time.tv_nsec }
}
