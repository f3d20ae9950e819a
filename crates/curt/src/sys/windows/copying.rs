//! Copies on Windows as `CopyFile2` does, but through handles: the content with its named streams,
//! the attributes and the times. Owners, access rules, extended attributes, compression and
//! encryption come from the new directory, and holes are filled.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle};
use std::path::Path;
use std::slice;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation as codes;
use windows_sys::Win32::Storage::FileSystem as win;

use super::beneath::{stepped, target};
use super::dir::Dir;
use super::native::{Key, Volume};
use super::query::{self, Answer};
use super::status::{Result, Status};
use super::syscalls::{Syscalls, Target as At};
use super::{
    ABOUT, DELETE, DIRECTORY, FILE, READ_ATTRIBUTES, WRITE_ATTRIBUTES, Windows, content, removal,
    text, values,
};
use crate::error::Operation;
use crate::fields::{Facts, Fields};
use crate::name::{Name, Unit};
use crate::sys::beneath::{Beneath, File, Open, OsError, Step, Whole};
use crate::sys::copying::{Attributes, COPIED, Copying, End, Kept, Target};

/// 256 KiB for content, and 64 KiB for the names of a file's streams, in 8-byte words.
const BUFFER: usize = 32 << 10;
const STREAMS: usize = 8 << 10;

const READ: u32 = win::FILE_READ_DATA | READ_ATTRIBUTES | win::SYNCHRONIZE;
const WRITE: u32 = win::FILE_WRITE_DATA | win::SYNCHRONIZE;
/// Without `FILE_OPEN_REPARSE_POINT`, because drivers provide the content of cloud, deduplicated
/// and compressed files.
const CONTENT: u32 = nt::FILE_OPEN_FOR_BACKUP_INTENT | nt::FILE_SYNCHRONOUS_IO_NONALERT;

/// The attributes that can be set.
const SETTABLE: u32 = win::FILE_ATTRIBUTE_READONLY
    | win::FILE_ATTRIBUTE_HIDDEN
    | win::FILE_ATTRIBUTE_SYSTEM
    | win::FILE_ATTRIBUTE_ARCHIVE
    | win::FILE_ATTRIBUTE_TEMPORARY
    | win::FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;

/// `FSCTL_SET_REPARSE_POINT`.
const SET_REPARSE_POINT: u32 = 0x0009_00a4;
/// `FSCTL_DUPLICATE_EXTENTS_TO_FILE`.
const DUPLICATE_EXTENTS: u32 = 0x0009_8344;
/// The most bytes to share in one call: less than 4 GiB, and whole clusters.
const SHARED: u64 = 1 << 30;

/// `FILE_SUPPORTS_BLOCK_REFCOUNTING`.
const SHARES_BLOCKS: u32 = 0x0800_0000;
/// `FILE_NAMED_STREAMS`.
const HAS_STREAMS: u32 = 0x0004_0000;

type Copied<T> = std::result::Result<T, (End, io::Error)>;

fn reading(status: Status) -> (End, io::Error) {
    (End::Source, status.into())
}

fn writing(status: Status) -> (End, io::Error) {
    (End::Target, status.into())
}

struct Copy<'a> {
    syscalls: &'a Syscalls,
    buffer: Vec<u64>,
    goes_on: &'a mut dyn FnMut(u64) -> bool,
}

impl Copy<'_> {
    fn copy(&mut self, from: BorrowedHandle<'_>, to: BorrowedHandle<'_>) -> Copied<u64> {
        let mut copied = 0;
        loop {
            let buffer = bytes(&mut self.buffer);
            let read = match self.syscalls.read(from, buffer) {
                Ok(0) | Err(Status::END_OF_FILE) => return Ok(copied),
                read => read.map_err(reading)?,
            };
            let written = self.syscalls.write(to, &buffer[..read]).map_err(writing)?;
            if written < read {
                return Err((End::Target, io::ErrorKind::WriteZero.into()));
            }
            copied += read as u64;
            if !(self.goes_on)(read as u64) {
                return Err((End::Target, io::ErrorKind::Interrupted.into()));
            }
        }
    }

    /// Omits the streams if the new file system has none.
    fn copy_streams(&mut self, from: BorrowedHandle<'_>, to: BorrowedHandle<'_>) -> Copied<()> {
        let syscalls = self.syscalls;
        let list = &mut self.buffer[..STREAMS];
        for name in streams(syscalls, from, list).map_err(reading)? {
            let at = |file| At { root: Some(file), name: &name, any_case: false };
            let copy = |source: BorrowedHandle<'_>| {
                let kind = nt::FILE_OVERWRITE_IF;
                let (target, _) = match syscalls.create(at(to), 0, WRITE, kind, CONTENT) {
                    Err(_) if !has(syscalls, to, HAS_STREAMS) => return Ok(0),
                    made => made.map_err(writing)?,
                };
                let copied = self.copy(source, target.as_handle());
                syscalls.close(target);
                copied
            };
            syscalls.opened(at(from), READ, CONTENT, copy).map_err(reading)??;
        }
        Ok(())
    }
}

fn bytes(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: the bytes are those of the words, and all values of both are valid.
    unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

/// Returns the names of the streams besides the content, such as `:name:$DATA`.
fn streams(
    syscalls: &Syscalls,
    file: BorrowedHandle<'_>,
    list: &mut [u64],
) -> Result<Vec<Vec<u16>>> {
    const CONTENT: usize = "::$DATA".len() * 2;
    // If the answer is empty, earlier content must not be taken for one.
    list[0] = 0;
    match syscalls.query_file(file, list, nt::FileStreamInformation) {
        Err(status) if status.is_refusal() => return Ok(Vec::new()),
        Ok(false) => return Err(Status::BUFFER_OVERFLOW),
        answer => answer?,
    };
    let (mut names, mut at) = (Vec::new(), 0);
    loop {
        let number = |offset| Answer(list).u32(at + offset) as usize;
        if number(4) > CONTENT {
            let name = query::units_in(list, at + 24, number(4));
            // The name of a stream leads nowhere else.
            if name.starts_with(&[u16::ascii(b':')]) && !text::has_separators(&name) {
                names.push(name);
            }
        }
        match number(0) {
            0 => return Ok(names),
            distance => at += distance,
        }
    }
}

fn has(syscalls: &Syscalls, file: BorrowedHandle<'_>, ability: u32) -> bool {
    let mut buffer = [0; 2];
    let asked = syscalls.query_volume(file, &mut buffer, nt::FileFsAttributeInformation);
    asked.is_ok() && Answer(&buffer).u32(0) & ability != 0
}

fn set_size(syscalls: &Syscalls, file: BorrowedHandle<'_>, size: u64) -> Result<()> {
    syscalls.set_file(file, &[size], 8, nt::FileEndOfFileInformation)
}

/// Shares all blocks. Both ends must be at a cluster, and none beyond the size, which is set first.
/// Sparse files, and files with other settings of integrity, are refused.
fn share_blocks(
    syscalls: &Syscalls,
    from: BorrowedHandle<'_>,
    to: BorrowedHandle<'_>,
    size: u64,
) -> Result<()> {
    let mut buffer = [0; 3];
    syscalls.query_volume(to, &mut buffer, nt::FileFsSizeInformation)?;
    let cluster = u64::from(Answer(&buffer).u32(16)) * u64::from(Answer(&buffer).u32(20));
    set_size(syscalls, to, size)?;
    let end = size.checked_next_multiple_of(cluster).unwrap_or(size);
    for begin in (0..end).step_by(SHARED as usize) {
        let extent = [from.as_raw_handle() as u64, begin, begin, SHARED.min(end - begin)];
        syscalls.fs_control(to, DUPLICATE_EXTENTS, (&extent, 32), &mut [])?;
    }
    Ok(())
}

impl Windows {
    fn with_buffer<T>(
        &self,
        goes_on: &mut dyn FnMut(u64) -> bool,
        copy: impl FnOnce(&mut Copy<'_>) -> Copied<T>,
    ) -> Copied<T> {
        let mut buffer = self.buffer.take();
        buffer.resize(BUFFER, 0);
        let mut state = Copy { syscalls: &self.syscalls, buffer, goes_on };
        let copied = copy(&mut state);
        self.buffer.set(state.buffer);
        copied
    }

    /// Returns `None` for a link. The content is opened by the handle of the entry, so that no
    /// other entry can have taken its name.
    fn open_content(&self, at: &Dir, name: Name<'_, u16>) -> Result<Option<File>> {
        let spelled = at.spelled(name);
        let may_refuse = self.syscalls.native.dont_reparse.get() == 0;
        let more = if may_refuse { codes::OBJ_DONT_REPARSE } else { 0 };
        self.syscalls.opened(at.target(&spelled), READ_ATTRIBUTES, ABOUT, |handle| {
            if query::kind_of(&self.syscalls, handle)?.is_link() {
                return Ok(None);
            }
            let itself = At { root: Some(handle), name: &[], any_case: false };
            let content = self.syscalls.create(itself, more, READ, nt::FILE_OPEN, CONTENT)?.0;
            Ok(Some(content.into()))
        })?
    }

    /// Returns the attributes and the content of a reparse point with its length in bytes.
    fn read_point(&self, from: &Dir, name: Name<'_, u16>) -> Result<(u32, Vec<u64>, usize)> {
        let spelled = from.spelled(name);
        let (access, options) = content::REPARSE_POINT;
        self.syscalls.opened(from.target(&spelled), access, options, |handle| {
            let (attributes, tag) = query::attributes(&self.syscalls, handle)?;
            if !values::kind(attributes, Some(tag)).is_link() {
                return Err(Status::NOT_A_REPARSE_POINT);
            }
            let (point, length) = content::reparse_point(&self.syscalls, handle)?;
            Ok((attributes, point, length))
        })?
    }

    fn create_point(
        &self,
        at: At<'_>,
        volume: &Volume,
        (attributes, point, length): (u32, Vec<u64>, usize),
    ) -> Result<()> {
        let is_directory = attributes & win::FILE_ATTRIBUTE_DIRECTORY != 0;
        let options = if is_directory { DIRECTORY } else { FILE } | CONTENT;
        let made = self.syscalls.create(at, 0, WRITE | DELETE, nt::FILE_CREATE, options);
        let (handle, _) = made?;
        let file = handle.as_handle();
        let set = self.syscalls.fs_control(file, SET_REPARSE_POINT, (&point, length), &mut []);
        if set.is_err() {
            let _ = removal::dispose(&self.syscalls, file, volume);
        }
        self.syscalls.close(handle);
        set.map(|_| ())
    }
}

/// Returns whether a reparse point is a symlink whose flags call its target relative.
fn is_relative(point: &[u64]) -> bool {
    let [header, _, flags, ..] = *point else { return false };
    header & u64::from(u32::MAX) == u64::from(values::SYMLINK) && flags & 1 != 0
}

impl Copying for Windows {
    const ALWAYS: Kept = Kept { owner: false, attributes: false, mode: true, times: true };

    fn open_source(&self, at: &Dir, name: Name<'_, u16>, follow: bool) -> Step<File> {
        let spelled = at.spelled(name);
        if follow {
            let opened = self.syscalls.open(at.target(&spelled), READ, CONTENT);
            return stepped(opened.map(|handle| Some(handle.into())));
        }
        // A full path may contain links before its end.
        if at.root().is_some() {
            match self.open_at_once(at.target(&spelled), READ, nt::FILE_OPEN, CONTENT) {
                Whole::Opened(file) => return Step::Done(file),
                Whole::Failed(error) => return Step::Failed(error),
                _ => {}
            }
        }
        stepped(self.open_content(at, name))
    }

    fn query_file(&self, file: &File) -> io::Result<Facts> {
        let handle = file.as_handle();
        let serial = query::serial(&self.syscalls, handle);
        let is_on = |volume: &&Volume| volume.is_identified() && volume.serial() == serial;
        let key = serial.map_or(Key::Numberless, Key::Serial);
        let volume = self.volume.get().filter(is_on);
        // The table has a lock.
        let volume = volume.unwrap_or_else(|| self.syscalls.native.volume(key));
        self.volume.set(Some(volume));
        Ok(query::about_handle(&self.syscalls, handle, volume, COPIED)?)
    }

    fn reflink(&self, from: &File, to: &File, size: u64) -> io::Result<()> {
        let (from, to) = (from.as_handle(), to.as_handle());
        if !has(&self.syscalls, to, SHARES_BLOCKS) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let shared = share_blocks(&self.syscalls, from, to, size).map_err(writing);
        let streams = || self.with_buffer(&mut |_| true, |copy| copy.copy_streams(from, to));
        let Err((_, error)) = shared.and_then(|()| streams()) else { return Ok(()) };
        set_size(&self.syscalls, to, 0)?;
        let is_same = query::serial(&self.syscalls, from) == query::serial(&self.syscalls, to);
        Err(if is_same { error } else { OsError::OtherDevice.error() })
    }

    fn copy_data(
        &self,
        from: &File,
        to: &File,
        _: &Facts,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Copied<u64> {
        let (from, to) = (from.as_handle(), to.as_handle());
        self.with_buffer(goes_on, |copy| {
            let size = copy.copy(from, to)?;
            copy.copy_streams(from, to)?;
            Ok(size)
        })
    }

    fn finish_file(&self, file: File) -> io::Result<()> {
        self.close_handle(file);
        Ok(())
    }

    /// With a `base`, fails with `Unsupported` for a relative target.
    fn copy_link(
        &self,
        from: &Dir,
        name: Name<'_, u16>,
        to: &Dir,
        fresh: Name<'_, u16>,
        base: Option<&Path>,
    ) -> std::result::Result<(), (Operation, io::Error)> {
        let point = self.read_point(from, name);
        let point = point.map_err(|status| (Operation::ReadLink, status.into()))?;
        if base.is_some() && is_relative(&point.1) {
            return Err((Operation::CreateLink, io::ErrorKind::Unsupported.into()));
        }
        let made = self.create_point(target(to, fresh), to.volume, point);
        made.map_err(|status| (Operation::CreateLink, status.into()))
    }

    fn create_special(&self, _: &Dir, _: Name<'_, u16>, _: &Facts, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn attributes(&self, _: Open<'_, Windows>, _: Kept) -> io::Result<Attributes> {
        Ok(Attributes::new())
    }

    /// Makes 1 system call for an open file, 3 for others.
    fn keep(
        &self,
        target: &Target<'_, Windows>,
        facts: &Facts,
        _: &Attributes,
        kept: Kept,
        failed: &mut dyn FnMut(Operation, io::Error),
    ) {
        let ticks = |field, time| {
            let is_kept = kept.times && facts.known.contains(field);
            values::ticks(is_kept.then_some(time)).unwrap_or(0)
        };
        let attributes = match facts.attributes & u64::from(SETTABLE) {
            _ if !kept.mode => 0,
            0 => win::FILE_ATTRIBUTE_NORMAL.into(),
            settable => settable,
        };
        let accessed = ticks(Fields::ACCESSED, facts.accessed);
        let modified = ticks(Fields::MODIFIED, facts.modified);
        // A value of 0 means "unchanged".
        let wanted = [0, accessed, modified, 0, attributes];
        let set = |handle: BorrowedHandle<'_>| {
            self.syscalls.set_file(handle, &wanted, 40, nt::FileBasicInformation)
        };
        let opened = |at| self.syscalls.opened(at, WRITE_ATTRIBUTES, ABOUT, set);
        let done = match target {
            _ if wanted == [0; 5] => Ok(()),
            Target::Open(Open::File(file)) => set(file.as_handle()),
            Target::Open(Open::Dir(dir)) => opened(dir.itself()).and_then(|set| set),
            Target::Named(dir, name) => opened(dir.target(name.units())).and_then(|set| set),
        };
        if let Err(status) = done {
            let operation = if kept.mode { Operation::SetPermissions } else { Operation::SetTimes };
            failed(operation, status.into());
        }
    }

    /// Windows before 10 1809 and other file systems refuse these flags, and then cannot replace a
    /// file that is read-only or in use.
    fn replace(&self, at: &Dir, name: Name<'_, u16>, old: Name<'_, u16>) -> io::Result<()> {
        let flags = nt::FILE_RENAME_REPLACE_IF_EXISTS
            | nt::FILE_RENAME_POSIX_SEMANTICS
            | nt::FILE_RENAME_IGNORE_READONLY_ATTRIBUTE;
        let how = (nt::FileRenameInformationEx, flags.into());
        match self.rename_by((at, name), how, (at, old)) {
            Err(status) if status.is_refusal() => self.rename(at, name, at, old, true),
            renamed => Ok(renamed?),
        }
    }
}
