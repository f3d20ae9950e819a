//! Getting the metadata of one path.
//!
//!     curt_metadata about;
//!     if (curt_stat(curt_z("tree/file"), CURT_FIELD_SIZE, 0, &about, sizeof about, NULL) == 0 &&
//!         about.known & CURT_FIELD_SIZE)
//!         printf("%lu bytes\n", (unsigned long)about.length);

use curt::fields::{Follow, Freshness, Time, Value};
use curt::{Fields, Kind, Metadata, Plan};

use crate::error::{curt_error, guard};
use crate::guard::{Failure, int};
use crate::results::result_of;
use crate::structs::check_array;
use crate::text::{Texts, curt_str, to_units};

/// Kind: `CURT_KIND_…`.
pub const CURT_FIELD_KIND: u32 = 1 << 0;
/// Length in bytes.
pub const CURT_FIELD_SIZE: u32 = 1 << 1;
/// Allocated bytes.
pub const CURT_FIELD_ALLOCATED: u32 = 1 << 2;
/// Time of the last write.
pub const CURT_FIELD_MODIFIED: u32 = 1 << 3;
/// Time of the last access.
pub const CURT_FIELD_ACCESSED: u32 = 1 << 4;
/// Time of the last change of content or metadata.
pub const CURT_FIELD_CHANGED: u32 = 1 << 5;
/// Time of creation.
pub const CURT_FIELD_CREATED: u32 = 1 << 6;
/// POSIX file type and permission bits.
pub const CURT_FIELD_MODE: u32 = 1 << 7;
/// Number of hard links.
pub const CURT_FIELD_LINKS: u32 = 1 << 8;
/// Inode number, or file id. For a mount point, a listing on Unix returns the number of the
/// covered directory; `CURT_EXACT` gets the number of the mounted root.
pub const CURT_FIELD_ID: u32 = 1 << 9;
/// Number of the filesystem or volume.
pub const CURT_FIELD_DEVICE: u32 = 1 << 10;
/// Owner's user id.
pub const CURT_FIELD_USER_ID: u32 = 1 << 11;
/// Group id.
pub const CURT_FIELD_GROUP_ID: u32 = 1 << 12;
/// `FILE_ATTRIBUTE_…`, or `STATX_ATTR_…`.
pub const CURT_FIELD_ATTRIBUTES: u32 = 1 << 13;
/// The number of a device file.
pub const CURT_FIELD_DEVICE_NUMBER: u32 = 1 << 14;
/// Preferred block size for I/O.
pub const CURT_FIELD_BLOCK_SIZE: u32 = 1 << 15;
/// Target of a link. Costs 1 more call per link (3 on Windows).
pub const CURT_FIELD_TARGET: u32 = 1 << 16;
/// Owner's name, looked up once per owner. Costs 3 more calls per entry on Windows.
pub const CURT_FIELD_USER: u32 = 1 << 17;
/// Group's name, looked up once per group. On Windows the calls for the owner return it, too.
pub const CURT_FIELD_GROUP: u32 = 1 << 18;

/// Gets the metadata of a link's target, or of the link itself if it is broken.
pub const CURT_FOLLOW: u32 = 1;
/// Queries every entry, even if the listing has its metadata. On Windows a listing might be out of
/// date while a file is open for writing, or after a write through another hard link.
pub const CURT_EXACT: u32 = 2;

/// Unknown.
pub const CURT_KIND_UNKNOWN: u32 = 0;
/// Regular file.
pub const CURT_KIND_FILE: u32 = 1;
/// Directory.
pub const CURT_KIND_DIRECTORY: u32 = 2;
/// Symlink.
pub const CURT_KIND_SYMLINK: u32 = 3;
/// Named pipe.
pub const CURT_KIND_FIFO: u32 = 4;
/// Socket.
pub const CURT_KIND_SOCKET: u32 = 5;
/// Character device.
pub const CURT_KIND_CHARACTER_DEVICE: u32 = 6;
/// Block device.
pub const CURT_KIND_BLOCK_DEVICE: u32 = 7;
/// Windows: a junction. Without `CURT_FIELD_TARGET`, a mounted volume has this kind, too.
pub const CURT_KIND_JUNCTION: u32 = 8;
/// Windows: a directory on which a volume is mounted.
pub const CURT_KIND_VOLUME_MOUNT: u32 = 9;
/// Windows: an app execution alias from the Store.
pub const CURT_KIND_APP_EXEC_LINK: u32 = 10;
/// Windows: a symlink of the Windows Subsystem for Linux.
pub const CURT_KIND_WSL_SYMLINK: u32 = 11;
/// Windows: any other reparse point that represents another file.
pub const CURT_KIND_REPARSE: u32 = 12;
/// Marker in a union filesystem that hides an entry of a lower layer.
pub const CURT_KIND_WHITEOUT: u32 = 13;

/// A point in time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_time {
    /// Seconds since 1970-01-01 00:00:00 UTC, rounded down; negative for earlier times.
    pub seconds: i64,
    /// Additional nanoseconds, below 1,000,000,000.
    pub nanoseconds: u32,
    /// Always 0.
    pub reserved: u32,
}

/// Metadata. `known`, `failed`, `result`, `os_error` and `kind` are always set; other members are
/// unchanged unless `known` has their field. A requested field in neither `known` nor `failed` does
/// not exist: the filesystem does not store it, or, for a target, the entry is not a link.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_metadata {
    /// The fields whose members are set.
    pub known: u32,
    /// The fields that could not be queried.
    pub failed: u32,
    /// Why the first of the `failed` fields could not be queried: `CURT_E_…`; 0 if none failed.
    pub result: i32,
    /// The system's number for that failure, as in `curt_error_info`.
    pub os_error: i32,
    /// `CURT_KIND_…`; `CURT_KIND_UNKNOWN` if `known` lacks `CURT_FIELD_KIND`.
    pub kind: u32,
    /// `CURT_FIELD_MODE`.
    pub mode: u32,
    /// `CURT_FIELD_USER_ID`.
    pub user_id: u32,
    /// `CURT_FIELD_GROUP_ID`.
    pub group_id: u32,
    /// `CURT_FIELD_SIZE`, in bytes.
    pub length: u64,
    /// `CURT_FIELD_ALLOCATED`, in bytes.
    pub allocated: u64,
    /// `CURT_FIELD_LINKS`.
    pub links: u64,
    /// `CURT_FIELD_DEVICE`.
    pub device: u64,
    /// `CURT_FIELD_DEVICE_NUMBER`.
    pub device_number: u64,
    /// `CURT_FIELD_BLOCK_SIZE`, in bytes.
    pub block_size: u64,
    /// `CURT_FIELD_ATTRIBUTES`.
    pub attributes: u64,
    /// `CURT_FIELD_ID`: the low half, then the high half, which is 0 on most filesystems.
    pub id: [u64; 2],
    /// `CURT_FIELD_MODIFIED`.
    pub modified: curt_time,
    /// `CURT_FIELD_ACCESSED`.
    pub accessed: curt_time,
    /// `CURT_FIELD_CHANGED`.
    pub changed: curt_time,
    /// `CURT_FIELD_CREATED`.
    pub created: curt_time,
    /// `CURT_FIELD_TARGET`, as stored in the link. `target`, `user` and `group` live as long as the
    /// name of the entry.
    pub target: curt_str,
    /// `CURT_FIELD_USER`.
    pub user: curt_str,
    /// `CURT_FIELD_GROUP`.
    pub group: curt_str,
}

/// Gets the `fields` of a path. `CURT_FIELD_TARGET`, `CURT_FIELD_USER` and `CURT_FIELD_GROUP` are
/// errors, because no object would own their texts. Without fields, checks whether the path exists.
/// `flags` can be `CURT_FOLLOW`; `CURT_EXACT` has no effect. `metadata_size` is
/// `sizeof(curt_metadata)`. A failure leaves `metadata` unchanged.
///
/// Cost: 1 call; 3 on Windows to follow a link, and on volumes that cannot query by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_stat(
    path: curt_str,
    fields: u32,
    flags: u32,
    metadata: *mut curt_metadata,
    metadata_size: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        check_array(metadata, metadata_size, 1)?;
        // SAFETY: `metadata` is writable, and was checked above.
        let place = unsafe { Place::new(metadata) };
        // SAFETY: `path` is readable.
        let path = unsafe { path.path() }?;
        let wanted = Wanted::without_texts(fields)?;
        let found = curt::stat(path, wanted.plan(flags)?)?;
        place.fill(&found, wanted, &mut Texts::default());
        Ok(0)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_stat", error, body) })
}

const FIELDS: [(u32, Fields); 19] = [
    (CURT_FIELD_KIND, Fields::KIND),
    (CURT_FIELD_SIZE, Fields::SIZE),
    (CURT_FIELD_ALLOCATED, Fields::ALLOCATED),
    (CURT_FIELD_MODIFIED, Fields::MODIFIED),
    (CURT_FIELD_ACCESSED, Fields::ACCESSED),
    (CURT_FIELD_CHANGED, Fields::CHANGED),
    (CURT_FIELD_CREATED, Fields::CREATED),
    (CURT_FIELD_MODE, Fields::MODE),
    (CURT_FIELD_LINKS, Fields::LINKS),
    (CURT_FIELD_ID, Fields::ID),
    (CURT_FIELD_DEVICE, Fields::DEVICE),
    (CURT_FIELD_USER_ID, Fields::USER_ID),
    (CURT_FIELD_GROUP_ID, Fields::GROUP_ID),
    (CURT_FIELD_ATTRIBUTES, Fields::ATTRIBUTES),
    (CURT_FIELD_DEVICE_NUMBER, Fields::DEVICE_NUMBER),
    (CURT_FIELD_BLOCK_SIZE, Fields::BLOCK_SIZE),
    (CURT_FIELD_TARGET, Fields::TARGET),
    (CURT_FIELD_USER, Fields::USER),
    (CURT_FIELD_GROUP, Fields::GROUP),
];

const TEXTS: u32 = CURT_FIELD_TARGET | CURT_FIELD_USER | CURT_FIELD_GROUP;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted(u32);

impl Wanted {
    pub(crate) fn new(fields: u32) -> Result<Wanted, Failure> {
        if fields >> FIELDS.len() != 0 {
            return Err(Failure::Argument("`fields` has one that this version does not know"));
        }
        Ok(Wanted(fields))
    }

    /// Like `new`, for functions without an object that could own texts.
    pub(crate) fn without_texts(fields: u32) -> Result<Wanted, Failure> {
        if fields & TEXTS != 0 {
            return Err(Failure::Argument("this function has no targets and no names of owners"));
        }
        Wanted::new(fields)
    }

    fn fields(self) -> Fields {
        FIELDS.iter().filter(|(bit, _)| self.has(*bit)).map(|(_, field)| *field).collect()
    }

    pub(crate) fn plan(self, flags: u32) -> Result<Plan, Failure> {
        if flags & !(CURT_FOLLOW | CURT_EXACT) != 0 {
            return Err(Failure::Argument("`flags` has one that this version does not know"));
        }
        let plan = Plan::new(self.fields());
        let plan = if flags & CURT_FOLLOW != 0 { plan.follow(Follow::Links) } else { plan };
        let is_exact = flags & CURT_EXACT != 0;
        Ok(if is_exact { plan.freshness(Freshness::Exact) } else { plan })
    }

    fn has(self, field: u32) -> bool {
        self.0 & field != 0
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Place(*mut curt_metadata);

macro_rules! put {
    ($to:ident.$member:ident = $value:expr) => {{
        let value = $value;
        // SAFETY: `Place::new` requires a pointer to a writable struct.
        let member = unsafe { &raw mut (*$to).$member };
        // SAFETY: as above.
        unsafe { member.write(value) }
    }};
}

impl Place {
    /// # Safety
    ///
    /// A `curt_metadata` can be written at `to` as long as the place is used.
    pub(crate) unsafe fn new(to: *mut curt_metadata) -> Place {
        Place(to)
    }

    #[inline]
    pub(crate) fn fill(self, metadata: &Metadata, wanted: Wanted, texts: &mut Texts) {
        let Place(to) = self;
        let mut known = 0;
        macro_rules! fill {
            ($($field:ident $member:ident: $method:ident, $convert:expr;)*) => {
                $(if wanted.has($field) {
                    if let Value::Known(value) = metadata.$method() {
                        put!(to.$member = $convert(value));
                        known |= $field;
                    }
                })*
            };
        }
        let mut kind = CURT_KIND_UNKNOWN;
        if wanted.has(CURT_FIELD_KIND) {
            kind = number_of(metadata.kind());
            known |= if kind == CURT_KIND_UNKNOWN { 0 } else { CURT_FIELD_KIND };
        }
        put!(to.kind = kind);
        if wanted == Wanted(CURT_FIELD_KIND) || wanted == Wanted(0) {
            // Fast path: most listings request only names and kinds.
            return self.finish(metadata, wanted, known);
        }
        fill! {
            CURT_FIELD_SIZE length: size, u64::from;
            CURT_FIELD_ALLOCATED allocated: allocated, u64::from;
            CURT_FIELD_MODIFIED modified: modified, time;
            CURT_FIELD_ACCESSED accessed: accessed, time;
            CURT_FIELD_CHANGED changed: changed, time;
            CURT_FIELD_CREATED created: created, time;
            CURT_FIELD_MODE mode: mode, u32::from;
            CURT_FIELD_LINKS links: links, u64::from;
            CURT_FIELD_ID id: id, halves;
            CURT_FIELD_DEVICE device: device, u64::from;
            CURT_FIELD_USER_ID user_id: user_id, u32::from;
            CURT_FIELD_GROUP_ID group_id: group_id, u32::from;
            CURT_FIELD_ATTRIBUTES attributes: attributes, u64::from;
            CURT_FIELD_DEVICE_NUMBER device_number: device_number, u64::from;
            CURT_FIELD_BLOCK_SIZE block_size: block_size, u64::from;
        }
        if wanted.has(TEXTS) {
            fill! {
                CURT_FIELD_TARGET target: target, |target: &std::path::Path| {
                    texts.add(&to_units(target.as_os_str()))
                };
                CURT_FIELD_USER user: user, |user| texts.add(&to_units(user));
                CURT_FIELD_GROUP group: group, |group| texts.add(&to_units(group));
            }
        }
        self.finish(metadata, wanted, known);
    }

    fn finish(self, metadata: &Metadata, wanted: Wanted, known: u32) {
        let Place(to) = self;
        put!(to.known = known);
        let (mut failed, mut result, mut os_error) = (0, 0, 0);
        for (fields, error) in metadata.failures() {
            let bits = FIELDS.iter().filter(|(_, field)| fields.intersects(*field));
            failed |= bits.fold(0, |bits, (bit, _)| bits | bit) & wanted.0;
            if result == 0 {
                (result, os_error) = (result_of(error), error.errno());
            }
        }
        put!(to.failed = failed);
        put!(to.result = result);
        put!(to.os_error = os_error);
    }
}

fn time(time: Time) -> curt_time {
    curt_time { seconds: time.seconds, nanoseconds: time.nanoseconds, reserved: 0 }
}

fn halves(id: u128) -> [u64; 2] {
    [id as u64, (id >> 64) as u64]
}

pub(crate) fn number_of(kind: Kind) -> u32 {
    match kind {
        Kind::File => CURT_KIND_FILE,
        Kind::Directory => CURT_KIND_DIRECTORY,
        Kind::Symlink => CURT_KIND_SYMLINK,
        Kind::Fifo => CURT_KIND_FIFO,
        Kind::Socket => CURT_KIND_SOCKET,
        Kind::CharacterDevice => CURT_KIND_CHARACTER_DEVICE,
        Kind::BlockDevice => CURT_KIND_BLOCK_DEVICE,
        Kind::Junction => CURT_KIND_JUNCTION,
        Kind::VolumeMount => CURT_KIND_VOLUME_MOUNT,
        Kind::AppExecLink => CURT_KIND_APP_EXEC_LINK,
        Kind::WslSymlink => CURT_KIND_WSL_SYMLINK,
        Kind::Reparse(_) => CURT_KIND_REPARSE,
        Kind::Whiteout => CURT_KIND_WHITEOUT,
        _ => CURT_KIND_UNKNOWN,
    }
}
