//! Looking for programs: one open and one listing for a directory, one open for a name.

use std::ffi::OsStr;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsHandle, BorrowedHandle};

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::ERROR_FILENAME_EXCED_RANGE;
use windows_sys::Win32::Storage::FileSystem as win;
use windows_sys::Win32::System::Environment::GetEnvironmentVariableW;

use super::call::{Door, Target};
use super::dir::{Dir, DirBuf};
use super::native::{Key, Volume};
use super::query::Answer;
use super::status::Status;
use super::{FILE, LIST, PLACE, READ_ATTRIBUTES, Windows, not_opened, text};
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::{Batch, Candidate, Lookup, Match, Opened, SystemUnit};
use curt_paths::windows::Start;

/// What is read at a time of the names that begin so, in units: little enough that the file system stops
/// early among many, and more than most have.
const SEARCH: usize = 2048;
/// The longest record: the head, and 255 units.
const LONGEST: usize = NAME + 255;

// A record of `FileBothDirectoryInformation`, in units.
const ATTRIBUTES: usize = 28;
const NAME_LENGTH: usize = 30;
const SHORT_LENGTH: usize = 34;
const SHORT: usize = 35;
const NAME: usize = 47;

impl Lookup for Windows {
    /// Windows has none.
    const DEFAULT_PATH: &'static str = "";

    fn variable(name: &str) -> Option<Vec<u16>> {
        let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
        let mut room: Vec<u16> = vec![0; 1024];
        loop {
            let length = u32::try_from(room.len()).unwrap_or(u32::MAX);
            // SAFETY: the name is terminated, and the length that of the buffer, which is exclusively
            // borrowed.
            let used = unsafe { GetEnvironmentVariableW(name.as_ptr(), room.as_mut_ptr(), length) };
            match used as usize {
                // Unset, or empty.
                0 => return unset_or_empty(&name),
                used if used < room.len() => {
                    room.truncate(used);
                    return Some(room);
                }
                // With its NUL; somebody may make it longer meanwhile.
                wanted => room.resize(wanted + 1, 0),
            }
        }
    }

    fn put(text: &OsStr, into: &mut Vec<u16>) {
        into.extend(text.encode_wide());
    }

    /// What is simple is written here; what Win32 has rules for is left to it.
    fn native(path: &[u16]) -> io::Result<Option<Vec<u16>>> {
        let is_simple = |name: &[u16]| {
            name.last().is_none_or(|&last| last != u16::ascii(b'.') && last != u16::ascii(b' '))
        };
        let mut names = path.split(|unit| unit.is_separator());
        if matches!(Start::of(path), Start::DriveAbsolute { .. }) && names.all(is_simple) {
            if path.contains(&0) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let spelled = |&unit: &u16| if unit.is_separator() { u16::SEPARATOR } else { unit };
            let units = r"\??\".encode_utf16().chain(path.iter().map(spelled));
            return Ok(Some(units.collect()));
        }
        text::native(&u16::path(path.to_vec())).map(Some)
    }

    fn root(&self) -> Dir {
        Dir::nowhere(self.door.native.volume(Key::Unknown))
    }

    fn is_too_long(error: &io::Error) -> bool {
        error.raw_os_error() == i32::try_from(ERROR_FILENAME_EXCED_RANGE).ok()
    }

    /// There is no such right that could be asked for in a call: what is no directory counts.
    fn executable(&self, from: &Dir, path: Name<'_, u16>) -> Candidate {
        match self.door.open(searched(from, path), READ_ATTRIBUTES, FILE) {
            Ok(handle) => {
                self.door.close(handle);
                Candidate::Program
            }
            Err(status) => not_there(status),
        }
    }

    fn head(&self, from: &Dir, path: Name<'_, u16>, room: &mut [u8]) -> io::Result<usize> {
        let access = win::FILE_READ_DATA | win::SYNCHRONIZE;
        let options =
            super::FOLLOW | nt::FILE_NON_DIRECTORY_FILE | nt::FILE_SYNCHRONOUS_IO_NONALERT;
        let handle = self.door.open(searched(from, path), access, options)?;
        let read = self.door.read(handle.as_handle(), room);
        self.door.close(handle);
        match read {
            Err(Status::END_OF_FILE) => Ok(0),
            read => Ok(read?),
        }
    }

    fn open_search(&self, from: &Dir, path: Name<'_, u16>) -> Opened<Dir> {
        match self.door.open(searched(from, path), LIST, PLACE) {
            Ok(handle) => {
                let mut dir = Dir::new(handle, from.volume);
                dir.is_place = true;
                dir.may_remove = false;
                Opened::Dir(dir)
            }
            Err(Status::NOT_A_DIRECTORY) => Opened::NotDirectory,
            Err(status) if status.is_no_place() => Opened::Gone,
            Err(status) => not_opened(status),
        }
    }

    fn open_again(&self, dir: &Dir) -> Opened<Dir> {
        self.open_search(dir, Name::EMPTY)
    }

    fn matching(
        &self,
        dir: &Dir,
        stem: Option<&[u16]>,
        buf: &mut DirBuf,
        each: &mut dyn FnMut(Match<'_, u16>),
    ) -> io::Result<Batch> {
        let space = buf.space();
        let room = if stem.is_some() { SEARCH } else { space.len() };
        let space = &mut space[..room];
        let mut pattern = [0_u16; 256];
        let pattern = stem.and_then(|stem| {
            pattern.get_mut(..stem.len())?.copy_from_slice(stem);
            *pattern.get_mut(stem.len())? = u16::ascii(b'*');
            Some(&pattern[..=stem.len()])
        });
        let class = nt::FileBothDirectoryInformation;
        let filled =
            match self.door.query_directory_for(dir.handle()?, space, class, false, pattern) {
                Ok(bytes) => (bytes / 2).min(room),
                Err(status) if status.is_end() || status.is_gone() || status.is_no_place() => {
                    return Ok(Batch::End);
                }
                // Nothing is wrong with the call: a device lets itself be opened, and says this.
                Err(Status::INVALID_PARAMETER) => return Ok(Batch::End),
                Err(status) => return Err(status.into()),
            };
        tell(&space[..filled], each);
        Ok(if filled + LONGEST > room { Batch::More } else { Batch::ProbablyLast })
    }

    fn probe(
        &self,
        from: &Dir,
        path: Name<'_, u16>,
        _buf: &mut DirBuf,
        spelled: &mut Vec<u16>,
    ) -> Candidate {
        let last = path.units().rsplit(|unit| unit.is_separator()).next().unwrap_or_default();
        spelled.clear();
        spelled.extend_from_slice(last);
        match self.door.open(searched(from, path), READ_ATTRIBUTES, FILE) {
            Ok(handle) => {
                spell(&self.door, handle.as_handle(), from.volume, spelled);
                self.door.close(handle);
                Candidate::Program
            }
            Err(status) => not_there(status),
        }
    }
}

/// A name that people type: in any case of letters.
fn searched<'a>(from: &'a Dir, path: Name<'a, u16>) -> Target<'a> {
    Target { root: from.root(), name: path.units(), any_case: true }
}

/// What the length 0 of a variable means.
fn unset_or_empty(name: &[u16]) -> Option<Vec<u16>> {
    let name = u16::path(name[..name.len() - 1].to_vec());
    std::env::var_os(name).map(|_| Vec::new())
}

/// What it means that a file could not be opened.
fn not_there(status: Status) -> Candidate {
    match status {
        Status::FILE_IS_A_DIRECTORY => Candidate::Directory,
        status if status.is_no_place() => Candidate::NoDirectory,
        status if status.is_gone() || status.is_pending() => Candidate::Absent,
        status if status.is_denial() => Candidate::Unsearchable,
        status => Candidate::Failed(status.into()),
    }
}

/// Replaces a name by what the disk has, where the system tells: the last name of the path that it has of
/// the handle. In the older form that is as it was opened on some file systems.
fn spell(door: &Door, file: BorrowedHandle<'_>, volume: &Volume, spelled: &mut Vec<u16>) {
    const FORMS: [i32; 2] = [nt::FileNormalizedNameInformation, nt::FileNameInformation];
    let mut buffer = [0_u64; 1024];
    loop {
        let rung = volume.spelling.get();
        let Some(&form) = FORMS.get(rung) else { return };
        match door.query_file(file, &mut buffer, form) {
            Ok(()) => break,
            Err(status) if status.is_refusal() => volume.spelling.below(rung),
            Err(_) => return,
        }
    }
    let answer = Answer(&buffer);
    let length = answer.u32(0) as usize / 2;
    // A path that did not fit has lost its end.
    if length == 0 || 4 + length * 2 > size_of_val(&buffer) {
        return;
    }
    let unit = |at: usize| (answer.u32(4 + at / 2 * 4) >> (at % 2 * 16)) as u16;
    let begin = (0..length).rev().find(|&at| unit(at) == u16::SEPARATOR).map_or(0, |at| at + 1);
    spelled.clear();
    spelled.extend((begin..length).map(unit));
}

/// Tells of the records that the system wrote. One that is broken is the last.
fn tell(units: &[u16], each: &mut dyn FnMut(Match<'_, u16>)) {
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
        // Of a link it says what that was made for.
        let is_directory = attributes & win::FILE_ATTRIBUTE_DIRECTORY != 0;
        let kind = if is_directory { Kind::Directory } else { Kind::File };
        each(Match { name, short, kind });
        if next == 0 {
            return;
        }
        at += next as usize / 2;
    }
}
