//! Open directories, and listings as `getdents64` records. The portable path builds the records
//! from the C library's directory stream.

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::io::{Errno, Result};

use crate::fields::Kind;
use crate::name::Name;
use crate::sys::{Batch, Entry, Listing};

#[derive(Debug)]
pub(crate) struct Dir {
    open: Open,
    /// Boxed, because a traversal stack holds one `Dir` per level.
    cached: OnceLock<Box<Cached>>,
}

/// Which entries may be removed: all (`None`), or only the ones that this user owns.
pub(super) type Rights = Result<Option<u32>>;

#[derive(Debug, Default)]
pub(super) struct Cached {
    /// The device and the mount ID, one of which is 0.
    pub(super) mount: OnceLock<(u64, u64)>,
    pub(super) rights: OnceLock<Rights>,
    pub(super) repair: OnceLock<Repair>,
}

/// Exists for a directory whose permissions may be changed. Set when it first refuses a step: to
/// the permissions from before, or to `None` if they cannot be changed.
pub(super) type Repair = OnceLock<Option<u32>>;

#[derive(Debug)]
enum Open {
    Working,
    Descriptor(OwnedFd),
    Listing(Box<Stream>),
}

impl Dir {
    pub(super) fn working() -> Dir {
        Dir::of(Open::Working)
    }

    fn of(open: Open) -> Dir {
        Dir { open, cached: OnceLock::new() }
    }

    pub(super) fn cached(&self) -> &Cached {
        self.cached.get_or_init(Box::default)
    }

    pub(super) fn repair(&self) -> Option<&Repair> {
        self.cached.get()?.repair.get()
    }

    pub(super) fn before_repair(&self) -> Option<u32> {
        *self.repair()?.get()?
    }

    pub(super) fn streaming(fd: OwnedFd) -> Result<Dir> {
        Ok(Dir::of(Open::Listing(Box::new(Stream::new(fd)?))))
    }

    pub(super) fn is_working(&self) -> bool {
        matches!(self.open, Open::Working)
    }

    pub(super) fn into_descriptor(self) -> std::result::Result<OwnedFd, Dir> {
        match self.open {
            Open::Descriptor(fd) => Ok(fd),
            Open::Working | Open::Listing(_) => Err(self),
        }
    }

    pub(super) fn stream(&self) -> Option<&Stream> {
        if let Open::Listing(stream) = &self.open { Some(stream) } else { None }
    }
}

impl From<OwnedFd> for Dir {
    fn from(fd: OwnedFd) -> Self {
        Dir::of(Open::Descriptor(fd))
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.open {
            Open::Descriptor(fd) => fd.as_fd(),
            Open::Working => rustix::fs::CWD,
            Open::Listing(stream) => stream.as_fd(),
        }
    }
}

/// A directory stream of the C library. Reading moves its position and takes the lock. Calls
/// relative to the directory need only the descriptor.
#[derive(Debug)]
pub(super) struct Stream {
    fd: RawFd,
    reading: Mutex<Reading>,
}

#[derive(Debug)]
struct Reading {
    entries: rustix::fs::Dir,
    /// The error that ended the listing. Later reads must return it too.
    failed: Option<Errno>,
}

impl Stream {
    fn new(fd: OwnedFd) -> Result<Stream> {
        let entries = rustix::fs::Dir::new(fd)?;
        let fd = entries.fd()?.as_raw_fd();
        Ok(Stream { fd, reading: Mutex::new(Reading { entries, failed: None }) })
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rewind(&self) {
        let mut reading = self.reading();
        reading.entries.rewind();
        reading.failed = None;
    }

    pub(super) fn fill(&self, buffer: &mut Vec<u8>) -> Result<Batch> {
        let mut reading = self.reading();
        while buffer.capacity() - buffer.len() >= LARGEST_RECORD && reading.failed.is_none() {
            match reading.entries.read() {
                Some(Ok(entry)) => {
                    let name = entry.file_name().to_bytes_with_nul();
                    let (id, d_type) = number_and_type(&entry);
                    write_record(buffer, id, d_type, name);
                }
                Some(Err(error)) => reading.failed = Some(error),
                None => return Ok(Batch::End),
            }
        }
        match reading.failed {
            Some(error) if buffer.is_empty() => Err(error),
            _ => Ok(Batch::More),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: `self` owns the stream, which closes this descriptor only when dropped.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the types differ")]
fn number_and_type(entry: &rustix::fs::DirEntry) -> (u64, u8) {
    (entry.ino() as u64, type_of(entry.file_type().as_raw_mode() as u32))
}

/// Appends a `linux_dirent64` with offset 0, padded with zeros to a multiple of eight bytes.
fn write_record(buffer: &mut Vec<u8>, id: u64, d_type: u8, name: &[u8]) {
    let end = buffer.len() + (NAME + name.len()).next_multiple_of(8);
    let length = u16::try_from(end - buffer.len()).unwrap_or(u16::MAX);
    buffer.extend_from_slice(&id.to_ne_bytes());
    buffer.extend_from_slice(&[0; 8]);
    buffer.extend_from_slice(&length.to_ne_bytes());
    buffer.push(d_type);
    buffer.extend_from_slice(name);
    buffer.resize(end, 0);
}

/// Fits about two thousand entries. Above 4 KiB, more memory saves calls but no time.
const CAPACITY: usize = 64 << 10;
/// The capacity after a full buffer. On ext4, sorting more entries by inode at once makes removal
/// cheaper.
const LARGE_CAPACITY: usize = 1 << 20;
/// How many full batches are read before the buffer grows, if entries are only listed. Touching a
/// new page costs more than a call that fills an old one.
const FILLS: u8 = 4;

/// FAT allows 255 UTF-16 code units, which are up to 765 bytes on Linux.
const LONGEST_NAME: usize = if cfg!(target_os = "linux") { 765 } else { 1023 };
const NAME: usize = 19;
const LARGEST_RECORD: usize = (NAME + LONGEST_NAME + 1).next_multiple_of(8);
const LEAST_CAPACITY: usize = LARGEST_RECORD.next_power_of_two();
const _: () = assert!(CAPACITY >= LEAST_CAPACITY, "the longest name must fit, or EINVAL");

const USUAL_RECORD: usize = 32;

/// The buffer is allocated at the first use and never zeroed, so a small directory touches only one
/// page.
#[derive(Default)]
pub(crate) struct DirBuf {
    bytes: Vec<u8>,
    is_fixed: bool,
    fills: u8,
}

impl DirBuf {
    pub(super) fn space(&mut self, lists_only: bool) -> &mut Vec<u8> {
        if self.bytes.capacity() == 0 {
            self.bytes = Vec::with_capacity(CAPACITY);
        } else if self.bytes.len() + LEAST_CAPACITY <= self.bytes.capacity() {
            // The last batch had space for another record.
            self.fills = 0;
        } else if !self.is_fixed && self.bytes.capacity() < LARGE_CAPACITY {
            self.fills += 1;
            if !lists_only || self.fills >= FILLS {
                self.bytes = Vec::with_capacity(LARGE_CAPACITY);
            }
        }
        self.bytes.clear();
        &mut self.bytes
    }

    #[cfg(target_os = "linux")]
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl Listing for DirBuf {
    type Unit = u8;

    #[inline]
    fn entry(&self, mut position: usize) -> Option<(Entry<'_, u8>, usize)> {
        loop {
            let rest = self.bytes.get(position..)?;
            let (head, _) = rest.split_first_chunk::<NAME>()?;
            let length = usize::from(u16::from_ne_bytes([head[16], head[17]]));
            let record = rest.get(..length)?;
            position += length;
            // The name ends at the first NUL, although a FUSE daemon may send more.
            let name = Name::until_nul(record.get(NAME..)?)?;
            if !name.is_dot_or_dot_dot() {
                let id = u64::from_ne_bytes(*head.first_chunk()?);
                return Some((Entry { name, kind: kind(head[18]), id }, position));
            }
        }
    }

    fn left(&self, position: usize) -> usize {
        self.bytes.len().saturating_sub(position) / USUAL_RECORD
    }

    fn with_capacity(bytes: usize) -> Self {
        DirBuf { bytes: Vec::with_capacity(bytes.max(LEAST_CAPACITY)), is_fixed: true, fills: 0 }
    }
}

const FIFO: u8 = 1;
const CHARACTER_DEVICE: u8 = 2;
const DIRECTORY: u8 = 4;
const BLOCK_DEVICE: u8 = 6;
const FILE: u8 = 8;
const SYMLINK: u8 = 10;
const SOCKET: u8 = 12;

pub(super) fn type_of(mode: u32) -> u8 {
    (mode >> 12) as u8 & 15
}

pub(super) fn kind(d_type: u8) -> Kind {
    match d_type {
        FILE => Kind::File,
        DIRECTORY => Kind::Directory,
        SYMLINK => Kind::Symlink,
        FIFO => Kind::Fifo,
        SOCKET => Kind::Socket,
        CHARACTER_DEVICE => Kind::CharacterDevice,
        BLOCK_DEVICE => Kind::BlockDevice,
        _ => Kind::Unknown,
    }
}

/// Returns the inode, kind and name of each entry in `getdents64` records, for fuzzing.
///
/// # Panics
///
/// If a position does not advance, which would be a bug.
#[cfg(all(fuzzing, target_os = "linux"))]
pub fn listed(written: &[u8]) -> Vec<(u64, u8, Vec<u8>)> {
    let buf = DirBuf { bytes: written.to_vec(), is_fixed: true, fills: 0 };
    let mut found = Vec::new();
    let mut position = 0;
    while let Some((entry, next)) = buf.entry(position) {
        assert!(next > position, "a position must advance");
        let kind = match entry.kind {
            Kind::File => FILE,
            Kind::Directory => DIRECTORY,
            Kind::Symlink => SYMLINK,
            Kind::Fifo => FIFO,
            Kind::Socket => SOCKET,
            Kind::CharacterDevice => CHARACTER_DEVICE,
            Kind::BlockDevice => BLOCK_DEVICE,
            _ => 0,
        };
        found.push((entry.id, kind, entry.name.units().to_vec()));
        position = next;
    }
    found
}

pub(super) fn text(name: Name<'_, u8>) -> &CStr {
    // SAFETY: the last byte is the only NUL by construction. Checking this again cost a tenth of a
    // removal's instructions.
    unsafe { CStr::from_bytes_with_nul_unchecked(name.terminated()) }
}

#[cfg(test)]
mod tests {
    use super::{DirBuf, Errno, LARGEST_RECORD, NAME, Stream};
    use crate::fields::Kind;
    use crate::sys::Listing;

    fn record(id: u64, kind: u8, name: &[u8]) -> Vec<u8> {
        let length = (NAME + name.len() + 1).next_multiple_of(8);
        let mut bytes = id.to_ne_bytes().to_vec();
        bytes.extend([0xff; 8]);
        bytes.extend((length as u16).to_ne_bytes());
        bytes.push(kind);
        bytes.extend(name);
        bytes.push(0);
        bytes.resize(length, 0xff);
        bytes
    }

    fn listing(records: &[Vec<u8>]) -> DirBuf {
        let mut buf = DirBuf::default();
        let bytes = records.concat();
        buf.space(true).extend(bytes);
        buf
    }

    fn all(buf: &DirBuf) -> Vec<(Vec<u8>, Kind, u64)> {
        let mut found = Vec::new();
        let mut position = 0;
        while let Some((entry, next)) = buf.entry(position) {
            found.push((entry.name.units().to_vec(), entry.kind, entry.id));
            assert!(next > position, "a position must advance");
            position = next;
        }
        found
    }

    #[test]
    fn a_stream_that_failed_can_begin_again() {
        let stream = Stream::new(std::fs::File::open("/").unwrap().into()).unwrap();
        let fill = || stream.fill(&mut Vec::with_capacity(LARGEST_RECORD)).is_ok();
        stream.reading().failed = Some(Errno::IO);
        assert!(!fill() && !fill());
        stream.rewind();
        assert!(fill());
    }

    #[test]
    fn records_are_read_without_dots() {
        let buf = listing(&[
            record(1, libc::DT_DIR, b"."),
            record(7, libc::DT_REG, b"odd \xff name"),
            record(2, libc::DT_DIR, b".."),
            record(9, 77, &[b'x'; 255]),
        ]);
        let expected =
            [(b"odd \xff name".to_vec(), Kind::File, 7), (vec![b'x'; 255], Kind::Unknown, 9)];
        assert_eq!(all(&buf), expected);
    }

    #[test]
    fn written_records_are_read_back() {
        let mut buf = DirBuf::default();
        for (id, d_type, name) in [
            (1, super::DIRECTORY, &b".\0"[..]),
            (7, super::FILE, b"a\0"),
            (9, 0, b"sixteen bytes..\0"),
        ] {
            super::write_record(&mut buf.bytes, id, d_type, name);
        }
        let expected =
            [(b"a".to_vec(), Kind::File, 7), (b"sixteen bytes..".to_vec(), Kind::Unknown, 9)];
        assert_eq!(all(&buf), expected);
    }

    #[test]
    fn broken_records_end_the_listing_without_a_panic() {
        let good = record(1, libc::DT_REG, b"good");
        for broken in [vec![0; 5], vec![0; 40], vec![0xff; 40], good[..good.len() - 2].to_vec()] {
            assert_eq!(all(&listing(&[good.clone(), broken])).len(), 1);
        }
    }

    #[test]
    fn malformed_records_never_loop() {
        let mut choices = curt_testkit::Choices::new(1);
        let mut found = 0;
        for round in 0..20_000_u64 {
            let mut buf = DirBuf::default();
            let length = choices.below(2048);
            let space = buf.space(false);
            space.extend((0..length).map(|_| choices.below(23) as u8));
            let mut at = 0;
            while round % 3 != 0 && at + 18 < length {
                let record = 24 + 8 * choices.below(6) as u16;
                space[at + 16..at + 18].copy_from_slice(&record.to_ne_bytes());
                at += usize::from(record);
            }
            found += all(&buf).len();
        }
        assert!(found > 20_000, "too few were read for this to say anything: {found}");
    }

    fn fill(buf: &mut DirBuf, lists_only: bool, length: usize) -> usize {
        let space = buf.space(lists_only);
        assert!(space.is_empty());
        space.resize(length, 0);
        space.capacity()
    }

    #[test]
    fn the_buffer_grows_after_full_batches() {
        for (lists_only, batches) in [(true, super::FILLS), (false, 1)] {
            let mut buf = DirBuf::default();
            let full = super::CAPACITY - super::LEAST_CAPACITY + 1;
            assert_eq!(fill(&mut buf, lists_only, full - 1), super::CAPACITY, "room is left");
            for _ in 0..batches {
                assert_eq!(fill(&mut buf, lists_only, full), super::CAPACITY);
            }
            assert_eq!(fill(&mut buf, lists_only, 0), super::LARGE_CAPACITY);
        }
    }
}
