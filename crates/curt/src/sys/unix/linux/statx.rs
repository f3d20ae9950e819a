//! `statx`: converts fields to a mask, and the answer to facts.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Statx, StatxAttributes, StatxFlags, makedev};
use rustix::io::Errno;

use crate::fields::{Facts, Fields, Time};
use crate::sys::unix::{StatTarget, Unix, values};
use crate::sys::{Feature, Request};

/// The bits that request fields. Fields without bits are always answered.
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

/// No entry of an append-only directory can be removed. (For an immutable directory, `access`
/// already fails.)
pub(in crate::sys::unix) fn is_append_only(facts: &Facts) -> bool {
    facts.attributes & StatxAttributes::APPEND.bits() != 0
}

pub(in crate::sys::unix) fn is_undeletable(facts: &Facts) -> bool {
    facts.attributes & (StatxAttributes::IMMUTABLE | StatxAttributes::APPEND).bits() != 0
}

impl Unix {
    /// Returns `false` if the caller must use the portable call.
    pub(in crate::sys::unix) fn query_statx(
        &self,
        at: BorrowedFd<'_>,
        target: StatTarget<'_>,
        flags: AtFlags,
        request: Request,
        known: &mut Facts,
    ) -> Result<bool, Errno> {
        let (name, itself) = match target {
            StatTarget::Itself => (c"", AtFlags::EMPTY_PATH),
            StatTarget::Child(name) => (name, AtFlags::empty()),
        };
        let mut buffer = MaybeUninit::uninit();
        let stat = self.statx(at, name, flags | itself, self.mask(request.fields), &mut buffer)?;
        if let Some(stat) = stat {
            add(stat, known);
        }
        Ok(stat.is_some())
    }

    /// Returns the mount ID or, before Linux 5.8, the device. The device is less exact, because the
    /// subvolumes of one btrfs mount have different devices.
    pub(in crate::sys::unix) fn mount_by_statx(
        &self,
        fd: BorrowedFd<'_>,
    ) -> Result<Option<(u64, u64)>, Errno> {
        let mask = StatxFlags::TYPE | StatxFlags::MNT_ID;
        let mut buffer = MaybeUninit::uninit();
        let Some(stat) = self.statx(fd, c"", AtFlags::EMPTY_PATH, mask, &mut buffer)? else {
            return Ok(None);
        };
        let has_mount = stat.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        let device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
        Ok(Some(if has_mount { (0, stat.stx_mnt_id) } else { (device, 0) }))
    }

    /// Returns `None` if `statx` is missing or a filter refuses it.
    fn statx<'a>(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
        mask: StatxFlags,
        buffer: &'a mut MaybeUninit<Statx>,
    ) -> Result<Option<&'a Statx>, Errno> {
        if !self.has(Feature::Statx) || self.native.statx_refused.get() {
            return Ok(None);
        }
        match self.syscalls.statx(dir, name, flags | AtFlags::NO_AUTOMOUNT, mask, buffer) {
            Err(Errno::NOSYS | Errno::PERM) => {
                self.native.statx_refused.set(true);
                Ok(None)
            }
            answer => answer.map(Some),
        }
    }

    /// Requests no other fields, because each may cost time on a network filesystem.
    fn mask(&self, fields: Fields) -> StatxFlags {
        // A traversal always queries the same fields.
        let (last, mask) = self.native.last_mask.get();
        if last == fields {
            return StatxFlags::from_bits_retain(mask);
        }
        let wanted = BITS.iter().filter(|(field, _)| fields.contains(*field));
        let mask = wanted.fold(StatxFlags::empty(), |mask, &(_, bit)| mask | bit);
        self.native.last_mask.set((fields, mask.bits()));
        mask
    }
}

/// Works in place, because this runs for every entry of a long listing.
fn add(stat: &Statx, known: &mut Facts) {
    /// Nearly every filesystem answers these, even if not requested, unlike fine-grained times.
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
        known.update(facts);
    }
}

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
    facts.device_number = match (stat.stx_rdev_major, stat.stx_rdev_minor) {
        (0, 0) => 0,
        (major, minor) => makedev(major, minor),
    };
    facts.kind = values::kind_of_entry(mode, facts.device_number);
    facts.id = stat.stx_ino.into();
    facts.device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
    facts.size = stat.stx_size;
    facts.allocated = stat.stx_blocks * 512;
    facts.links = stat.stx_nlink.into();
    facts.mode = mode;
    facts.user_id = stat.stx_uid;
    facts.group_id = stat.stx_gid;
    facts.attributes = stat.stx_attributes.bits();
    facts.is_mount = stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT);
    facts.block_size = stat.stx_blksize.into();
}

fn time(time: rustix::fs::StatxTimestamp) -> Time {
    Time { seconds: time.tv_sec, nanoseconds: time.tv_nsec }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{AtFlags, Errno, Facts, Fields, Request, StatTarget, Unix};
    use crate::sys::fault::Faults;
    use crate::sys::{Setup, Sys};

    const REQUEST: Request = Request { fields: Fields::SIZE.union(Fields::ID), follow: true };

    fn answers(times: usize, faults: Faults) -> (Vec<Result<Facts, Errno>>, u64) {
        let faults = Arc::new(faults);
        let setup = Setup { faults: Some(Arc::clone(&faults)), ..Setup::default() };
        let sys = Unix::start(&setup);
        let query = |_| {
            let mut facts = Facts::default();
            let (at, target) = (rustix::fs::CWD, StatTarget::Child(c"src"));
            let answer = sys.stat_into(at, target, AtFlags::empty(), REQUEST, &mut facts);
            answer.map(|()| facts)
        };
        ((0..times).map(query).collect(), faults.seen("statx"))
    }

    #[test]
    fn a_worker_falls_back_when_statx_is_refused() {
        let (expected, calls) = answers(1, Faults::default());
        let expected = expected[0].unwrap();
        assert_eq!(calls, 1);
        for refusal in [libc::ENOSYS, libc::EPERM] {
            let (answers, calls) = answers(3, Faults::default().fail("statx", 0, refusal));
            assert_eq!(calls, 4, "once refused, then one call each");
            for answer in answers {
                let facts = answer.unwrap();
                assert_eq!((facts.size, facts.id), (expected.size, expected.id));
                assert!(!facts.known.contains(Fields::ATTRIBUTES), "the older call has none");
            }
        }
    }

    #[test]
    fn a_refusal_of_the_file_system_is_not_remembered() {
        let faults = Faults::default().fail("statx", 0, libc::EPERM).fail("statx", 1, libc::EPERM);
        let (answers, calls) = answers(2, faults);
        assert_eq!(answers[0], Err(Errno::PERM));
        assert!(answers[1].unwrap().known.contains(Fields::ATTRIBUTES));
        assert_eq!(calls, 3);
    }

    #[test]
    fn a_failure_is_one_call() {
        let (answers, calls) = answers(1, Faults::default().fail("statx", 0, libc::ENOENT));
        assert_eq!((answers, calls), (vec![Err(Errno::NOENT)], 1));
    }
}
