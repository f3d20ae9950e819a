//! A directory is searched by one open and one listing. A single name is probed by one open.

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle};

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem as win;

use super::dir::{Dir, DirBuf, Use};
use super::native::Volume;
use super::query::Answer;
use super::status::Status;
use super::syscalls::{Syscalls, Target};
use super::{FILE, LIST, LOOKUP, READ_ATTRIBUTES, Windows};
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::{Completeness, Match, Unsearched, Verdict, Which};

/// In 16-bit units. Small, so that the filesystem stops early if many names match.
const SEARCH: usize = 2048;
const LONGEST: usize = NAME + 255;

// Offsets in `FileBothDirectoryInformation`, in 16-bit units.
const ATTRIBUTES: usize = 28;
const NAME_LENGTH: usize = 30;
const SHORT_LENGTH: usize = 34;
const SHORT: usize = 35;
const NAME: usize = 47;

impl Which for Windows {
    const DEFAULT_PATH: &'static str = "";

    /// Counts everything but a directory as executable.
    fn executable(&self, from: &Dir, path: Name<'_, u16>) -> Result<Verdict, Unsearched> {
        match self.syscalls.open(searched(from, path), READ_ATTRIBUTES, FILE) {
            Ok(handle) => {
                self.syscalls.close(handle);
                Ok(Verdict::Program)
            }
            Err(status) => not_opened(status),
        }
    }

    fn head(&self, from: &Dir, path: Name<'_, u16>, buffer: &mut [u8]) -> io::Result<usize> {
        let access = win::FILE_READ_DATA | win::SYNCHRONIZE;
        let options =
            super::FOLLOW | nt::FILE_NON_DIRECTORY_FILE | nt::FILE_SYNCHRONOUS_IO_NONALERT;
        let handle = self.syscalls.open(searched(from, path), access, options)?;
        let read = self.syscalls.read(handle.as_handle(), buffer);
        self.syscalls.close(handle);
        match read {
            Err(Status::END_OF_FILE) => Ok(0),
            read => Ok(read?),
        }
    }

    fn open_search(&self, from: &Dir, path: Name<'_, u16>) -> Result<Dir, Unsearched> {
        match self.syscalls.open(searched(from, path), LIST, LOOKUP) {
            Ok(handle) => Ok(Dir::new(handle, from.volume, Use::Lookup)),
            Err(Status::NOT_A_DIRECTORY) => Err(Unsearched::Absent),
            Err(status) if status.has_no_parent() || status.is_gone() || status.is_pending() => {
                Err(Unsearched::Absent)
            }
            Err(status) if status.is_denial() => Err(Unsearched::Unlistable),
            Err(status) => Err(Unsearched::Failed(status.into())),
        }
    }

    fn matching(
        &self,
        dir: &Dir,
        stem: &[u16],
        buf: &mut DirBuf,
        each: &mut dyn FnMut(Match<'_, u16>),
    ) -> io::Result<Completeness> {
        let space = &mut buf.space()[..SEARCH];
        let mut pattern = [u16::ascii(b'*'); 256];
        let pattern = pattern.get_mut(..=stem.len()).map(|pattern| {
            pattern[..stem.len()].copy_from_slice(stem);
            &*pattern
        });
        let class = nt::FileBothDirectoryInformation;
        let end = match self.syscalls.query_directory(dir.handle()?, space, class, false, pattern) {
            Ok(bytes) => (bytes / 2).min(SEARCH),
            Err(status) if status.is_end() || status.is_gone() || status.has_no_parent() => {
                return Ok(Completeness::All);
            }
            // A device opens like a directory, but listing it fails with this status.
            Err(Status::INVALID_PARAMETER) => return Ok(Completeness::All),
            Err(status) => return Err(status.into()),
        };
        yield_records(&space[..end], each);
        Ok(if end + LONGEST > SEARCH { Completeness::Part } else { Completeness::ProbablyAll })
    }

    fn probe(
        &self,
        from: &Dir,
        path: Name<'_, u16>,
        _buf: &mut DirBuf,
        spelled: &mut Vec<u16>,
    ) -> Result<Verdict, Unsearched> {
        let last = path.units().rsplit(|unit| unit.is_separator()).next().unwrap_or_default();
        spelled.clear();
        spelled.extend_from_slice(last);
        match self.syscalls.open(searched(from, path), READ_ATTRIBUTES, FILE) {
            Ok(handle) => {
                spell(&self.syscalls, handle.as_handle(), from.volume, spelled);
                self.syscalls.close(handle);
                Ok(Verdict::Program)
            }
            Err(status) => not_opened(status),
        }
    }
}

/// Ignores case, because users type these names.
fn searched<'a>(from: &'a Dir, path: Name<'a, u16>) -> Target<'a> {
    Target { root: from.root(), name: path.units(), any_case: true }
}

fn not_opened(status: Status) -> Result<Verdict, Unsearched> {
    match status {
        Status::FILE_IS_A_DIRECTORY => Ok(Verdict::Directory),
        status if status.has_no_parent() => Err(Unsearched::Absent),
        status if status.is_gone() || status.is_pending() => Ok(Verdict::Absent),
        status if status.is_denial() => Err(Unsearched::Denied),
        status => Err(Unsearched::Failed(status.into())),
    }
}

/// Sets `spelled` to the stored name, the end of the handle's path. On some filesystems, the older
/// query returns the name as it was opened.
fn spell(syscalls: &Syscalls, file: BorrowedHandle<'_>, volume: &Volume, spelled: &mut Vec<u16>) {
    const FORMS: [i32; 2] = [nt::FileNormalizedNameInformation, nt::FileNameInformation];
    let mut buffer = [0_u64; 1024];
    loop {
        let rung = volume.spelling.get();
        let Some(&form) = FORMS.get(rung) else { return };
        match syscalls.query_file(file, &mut buffer, form) {
            Ok(_) => break,
            Err(status) if status.is_refusal() => volume.spelling.below(rung),
            Err(_) => return,
        }
    }
    let answer = Answer(&buffer);
    let length = answer.u32(0) as usize / 2;
    // A truncated path has lost its end.
    if length == 0 || 4 + length * 2 > size_of_val(&buffer) {
        return;
    }
    let unit = |at: usize| (answer.u32(4 + at / 2 * 4) >> (at % 2 * 16)) as u16;
    let begin = (0..length).rev().find(|&at| unit(at) == u16::SEPARATOR).map_or(0, |at| at + 1);
    spelled.clear();
    spelled.extend((begin..length).map(unit));
}

/// Stops at the first malformed record.
fn yield_records(units: &[u16], each: &mut dyn FnMut(Match<'_, u16>)) {
    let mut at = 0;
    while let Some(record) = units.get(at..) {
        let wide = |at: usize| {
            let pair = record.get(at..at + 2)?;
            Some(u32::from(pair[0]) | (u32::from(pair[1]) << 16))
        };
        let (Some(next), Some(attributes), Some(length)) =
            (wide(0), wide(ATTRIBUTES), wide(NAME_LENGTH))
        else {
            return;
        };
        let Some(name) = record.get(NAME..NAME + length as usize / 2) else { return };
        let short = record.get(SHORT_LENGTH).map_or(0, |&length| usize::from(length & 0xff) / 2);
        let short = record.get(SHORT..SHORT + short.min(12)).unwrap_or_default();
        // A link's attributes show whether its target is a directory.
        let is_directory = attributes & win::FILE_ATTRIBUTE_DIRECTORY != 0;
        let kind = if is_directory { Kind::Directory } else { Kind::File };
        each(Match { name, short, kind });
        if next == 0 {
            return;
        }
        at += next as usize / 2;
    }
}
