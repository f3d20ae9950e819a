//! `statx`: fields to its bits, and its answers back.

use std::ffi::CStr;
use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Statx, StatxFlags, makedev};
use rustix::io::Errno;

use super::Linux;
use crate::fields::{Facts, Fields, Time};
use crate::sys::{Ask, Feature, Identity, Stat, unix};

/// `AT_STATX_DONT_SYNC`, for which there is no constant.
const DONT_SYNC: AtFlags = AtFlags::from_bits_retain(libc::AT_STATX_DONT_SYNC as u32);

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

/// The fields that these bits stand for.
const fn fields(bits: StatxFlags) -> Fields {
    let mut fields = Fields::NONE;
    let mut index = 0;
    while index < BITS.len() {
        let (field, bit) = BITS[index];
        if bits.contains(bit) {
            fields = fields.union(field);
        }
        index += 1;
    }
    fields
}

impl Linux {
    /// One `statx` for exactly what is asked, whose answer is added to what is known. An older kernel gets the
    /// older call, which tells no less but for the time of creation and the attributes.
    pub(super) fn ask(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
        ask: Ask,
        known: &mut Facts,
    ) -> Result<(), Errno> {
        if !self.setup.without.has(Feature::Statx) {
            let cached = if ask.cached { DONT_SYNC } else { AtFlags::empty() };
            let flags = flags | AtFlags::NO_AUTOMOUNT | cached;
            match self.door.statx(dir, name, flags, mask(ask.fields)) {
                Ok(ref stat) => {
                    add(stat, known);
                    return Ok(());
                }
                Err(Errno::NOSYS) => {}
                Err(error) => return Err(error),
            }
        }
        let flags = flags.difference(AtFlags::NO_AUTOMOUNT);
        let mut facts = unix::facts_from(&self.door.fstatat(dir, name, flags)?);
        facts.adopt(known);
        *known = facts;
        Ok(())
    }

    pub(super) fn stat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
    ) -> io::Result<Stat> {
        if self.setup.without.has(Feature::Statx) {
            return Ok(unix::stat_from(&self.door.fstatat(dir, name, flags)?));
        }
        let mask = StatxFlags::TYPE
            | StatxFlags::INO
            | StatxFlags::NLINK
            | StatxFlags::SIZE
            | StatxFlags::BLOCKS
            | StatxFlags::CTIME;
        match self.door.statx(dir, name, flags | AtFlags::NO_AUTOMOUNT, mask) {
            Ok(stat) => Ok(Stat {
                kind: unix::kind_of_mode(u32::from(stat.stx_mode)),
                identity: Identity {
                    device: makedev(stat.stx_dev_major, stat.stx_dev_minor),
                    file: u128::from(stat.stx_ino),
                },
                links: u64::from(stat.stx_nlink),
                size: stat.stx_size,
                allocated: stat.stx_blocks * 512,
                changed: unix::since_epoch(stat.stx_ctime.tv_sec, stat.stx_ctime.tv_nsec),
            }),
            Err(Errno::NOSYS) => Ok(unix::stat_from(&self.door.fstatat(dir, name, flags)?)),
            Err(error) => Err(error.into()),
        }
    }
}

/// The mask that asks for these fields and no others: it matters to file systems over a network.
fn mask(fields: Fields) -> StatxFlags {
    BITS.iter()
        .filter(|(field, _)| fields.contains(*field))
        .fold(StatxFlags::empty(), |mask, &(_, bit)| mask | bit)
}

/// Adds what was answered to what is known. In place, as this is done for every entry of a long
/// listing.
fn add(stat: &Statx, known: &mut Facts) {
    /// What nearly every file system answers, whatever was asked. (The times of a file that counts them
    /// finely are answered where they are asked for.)
    const USUAL: StatxFlags = StatxFlags::BASIC_STATS
        .difference(StatxFlags::ATIME.union(StatxFlags::MTIME).union(StatxFlags::CTIME));
    const USUAL_FIELDS: Fields = fields(USUAL);
    const ALWAYS: Fields = Fields::DEVICE
        .union(Fields::DEVICE_NUMBER)
        .union(Fields::BLOCK_SIZE)
        .union(Fields::ATTRIBUTES);
    let answered = StatxFlags::from_bits_retain(stat.stx_mask);
    if answered.contains(USUAL) {
        known.known |= USUAL_FIELDS.union(ALWAYS);
        fill(stat, answered, known);
    } else {
        let mut facts = Facts { known: fields(answered) | ALWAYS, ..Facts::default() };
        fill(stat, answered, &mut facts);
        facts.adopt(known);
        *known = facts;
    }
}

/// All values, but times only where they are answered.
fn fill(stat: &Statx, answered: StatxFlags, facts: &mut Facts) {
    let mut add_time = |bit, field, from, to: fn(&mut Facts) -> &mut Time| {
        if answered.contains(bit) {
            facts.known |= field;
            *to(facts) = time(from);
        }
    };
    add_time(StatxFlags::ATIME, Fields::ACCESSED, stat.stx_atime, |facts| &mut facts.accessed);
    add_time(StatxFlags::MTIME, Fields::MODIFIED, stat.stx_mtime, |facts| &mut facts.modified);
    add_time(StatxFlags::CTIME, Fields::CHANGED, stat.stx_ctime, |facts| &mut facts.changed);
    add_time(StatxFlags::BTIME, Fields::CREATED, stat.stx_btime, |facts| &mut facts.created);
    let mode = u32::from(stat.stx_mode);
    facts.device_number = makedev(stat.stx_rdev_major, stat.stx_rdev_minor);
    facts.kind = unix::kind_of_entry(mode, facts.device_number);
    facts.id = stat.stx_ino.into();
    facts.device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
    facts.size = stat.stx_size;
    facts.allocated = stat.stx_blocks * 512;
    facts.links = stat.stx_nlink.into();
    facts.mode = mode;
    facts.user_id = stat.stx_uid;
    facts.group_id = stat.stx_gid;
    facts.attributes = stat.stx_attributes.bits();
    facts.block_size = stat.stx_blksize.into();
}

fn time(time: rustix::fs::StatxTimestamp) -> Time {
    Time { seconds: time.tv_sec, nanoseconds: time.tv_nsec }
}
