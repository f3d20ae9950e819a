//! Copies on Unix: content by `copy_file_range` on Linux, and metadata through descriptors.

use std::fs::Permissions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use super::dir::{Dir, text};
use super::{StatTarget, Unix, native, values};
use crate::error::Operation;
use crate::fields::{Facts, Kind};
use crate::name::{Name, NameBuf};
use crate::sys::beneath::{Change, File, Open, Step};
use crate::sys::canonical::{Links, Missing};
use crate::sys::copying::{Attributes, COPIED, Copying, End, Kept, Target};
use crate::sys::{Request, SystemUnit};

/// The most bytes in one call, so that a copy can be stopped.
const PIECE: u64 = 16 << 20;
const BUFFER: usize = 256 << 10;

/// How long a wait for content takes until it is asked whether the copy goes on.
const PATIENCE: Duration = Duration::from_millis(50);

/// The bits that an entry gets only with its owner; as with `cp`, also the sticky bit of a file.
const fn special_bits(kind: Kind) -> u32 {
    if matches!(kind, Kind::Directory) { 0o6000 } else { 0o7000 }
}

struct Copy<'a> {
    unix: &'a Unix,
    from: BorrowedFd<'a>,
    to: BorrowedFd<'a>,
    /// Whether the source is a device or a pipe, whose content may come late.
    is_special: bool,
    goes_on: &'a mut dyn FnMut(u64) -> bool,
    copied: u64,
}

type Copied<T> = std::result::Result<T, (End, io::Error)>;

fn reading(error: Errno) -> (End, io::Error) {
    (End::Source, error.into())
}

fn writing(error: Errno) -> (End, io::Error) {
    (End::Target, error.into())
}

impl Copy<'_> {
    fn tell(&mut self, bytes: usize) -> Copied<()> {
        self.copied += bytes as u64;
        if (self.goes_on)(bytes as u64) { Ok(()) } else { Err(writing(Errno::INTR)) }
    }

    /// Copies only the parts of a file that are no holes. Returns `false`, with nothing copied, if
    /// the file system does not know them.
    fn copy_parts(&mut self, size: u64) -> Copied<bool> {
        let Copy { unix: Unix { syscalls, .. }, from, to, .. } = *self;
        let mut end = 0;
        loop {
            let begin = match self.unix.next_data(from, end) {
                Ok(data) => {
                    end = data.end;
                    data.start
                }
                Err(Errno::NXIO) => break,
                Err(_) if end == 0 => {
                    syscalls.seek(from, SeekFrom::Start(0)).map_err(reading)?;
                    return Ok(false);
                }
                Err(error) => return Err(reading(error)),
            };
            syscalls.seek(from, SeekFrom::Start(begin)).map_err(reading)?;
            syscalls.seek(to, SeekFrom::Start(begin)).map_err(writing)?;
            let before = self.copied;
            self.copy_size(end - begin)?;
            let copied = self.copied - before;
            if copied < end - begin {
                // The file has shrunk, or has never been that large, as in `/sys`.
                self.copied = begin + copied;
                return Ok(true);
            }
        }
        let end = end.max(size);
        syscalls.ftruncate(to, end).map_err(writing)?;
        // Anything written since is read from here on.
        syscalls.seek(from, SeekFrom::Start(end)).map_err(reading)?;
        syscalls.seek(to, SeekFrom::Start(end)).map_err(writing)?;
        self.copied = end;
        Ok(true)
    }

    fn copy_size(&mut self, size: u64) -> Copied<()> {
        let mut left = size;
        while left > 0 {
            let piece = usize::try_from(left.min(PIECE)).unwrap_or(usize::MAX);
            let Some(copied) = self.unix.copy_in_kernel(self.from, self.to, piece)? else {
                return self.read_and_write(left);
            };
            left = left.saturating_sub(copied as u64);
            self.tell(copied)?;
        }
        Ok(())
    }

    /// Copies at most `size` bytes, and returns early only at the end.
    fn read_and_write(&mut self, size: u64) -> Copied<()> {
        let mut buffer = self.unix.buffer.take();
        buffer.resize(BUFFER, 0);
        let result = self.read_and_write_by(&mut buffer, size);
        self.unix.buffer.set(buffer);
        result
    }

    fn read_and_write_by(&mut self, buffer: &mut [u8], size: u64) -> Copied<()> {
        let syscalls = &self.unix.syscalls;
        let mut left = size;
        while left > 0 {
            while self.is_special && !self.unix.is_readable(self.from).map_err(reading)? {
                self.tell(0)?;
            }
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let read = match syscalls.read(self.from, &mut buffer[..most]) {
                Err(Errno::INTR | Errno::AGAIN) => {
                    self.tell(0)?;
                    continue;
                }
                read => read.map_err(reading)?,
            };
            if read == 0 {
                break;
            }
            let mut written = 0;
            while written < read {
                let rest = &buffer[written..read];
                let more = values::uninterrupted(|| syscalls.write(self.to, rest));
                written += more.map_err(writing)?;
            }
            left -= read as u64;
            self.tell(read)?;
        }
        Ok(())
    }
}

fn special(kind: Kind) -> Option<FileType> {
    Some(match kind {
        Kind::Fifo => FileType::Fifo,
        Kind::Socket => FileType::Socket,
        Kind::CharacterDevice | Kind::Whiteout => FileType::CharacterDevice,
        Kind::BlockDevice => FileType::BlockDevice,
        _ => return None,
    })
}

impl Unix {
    /// Waits a little for content, or for the end of it. A named pipe that no process has opened
    /// for writing yet has neither.
    fn is_readable(&self, file: BorrowedFd<'_>) -> Result<bool, Errno> {
        match self.syscalls.poll(&mut [PollFd::new(&file, PollFlags::IN)], PATIENCE) {
            Err(Errno::INTR) => Ok(false),
            ready => Ok(ready? > 0),
        }
    }

    fn chown(&self, at: &At<'_>, user: Option<u32>, group: u32) -> Result<(), Errno> {
        match *at {
            At::Open(fd) => self.syscalls.fchown(fd, user, group),
            At::Pinned(fd) => self.syscalls.chownat(fd, c"", user, group, native::ITSELF),
            At::Named(dir, name) => {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                self.syscalls.chownat(dir.as_fd(), text(name), user, group, flags)
            }
        }
    }

    /// Returns whether the owner is the source's.
    fn keep_owner(&self, at: &At<'_>, facts: &Facts) -> Result<bool, Errno> {
        let is_refused = |error| matches!(error, Errno::PERM | Errno::INVAL);
        match self.chown(at, Some(facts.user_id), facts.group_id) {
            Ok(()) => Ok(true),
            Err(error) if is_refused(error) && self.syscalls.user() != 0 => {
                let _ = self.chown(at, None, facts.group_id);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn chmod(&self, at: &At<'_>, mode: u32) -> Result<(), Errno> {
        let change = Change::Permissions(Permissions::from_mode(mode));
        match *at {
            At::Open(fd) => self.syscalls.fchmod(fd, values::bits(mode & 0o7777)),
            At::Pinned(fd) => self.change_pinned(fd, &change),
            // `fchmodat` would follow a symlink that has taken the name.
            At::Named(dir, name) => {
                let is_changed = self.change_unless_link(dir, name, &change)?;
                is_changed.then_some(()).ok_or(Errno::LOOP)
            }
        }
    }

    fn set_times(&self, at: &At<'_>, facts: &Facts) -> Result<(), Errno> {
        let times = values::times(Some(facts.accessed), Some(facts.modified));
        match *at {
            At::Open(fd) => self.syscalls.futimens(fd, &times),
            At::Pinned(fd) => self.syscalls.utimensat(fd, c"", &times, native::ITSELF),
            At::Named(dir, name) => {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                self.syscalls.utimensat(dir.as_fd(), text(name), &times, flags)
            }
        }
    }
}

/// Where metadata is read or changed.
pub(super) enum At<'a> {
    Open(BorrowedFd<'a>),
    /// A descriptor from `O_PATH`, of an entry that is not opened.
    Pinned(BorrowedFd<'a>),
    Named(&'a Dir, Name<'a, u8>),
}

fn descriptor(open: Open<'_, Unix>) -> BorrowedFd<'_> {
    match open {
        Open::File(file) => file.as_fd(),
        Open::Dir(dir) => dir.as_fd(),
    }
}

impl Copying for Unix {
    fn open_source(&self, at: &Dir, name: Name<'_, u8>, follow: bool) -> Step<File> {
        let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, !follow);
        let opened = self.syscalls.openat(at.as_fd(), text(name), flags, Mode::empty());
        match opened {
            Err(error) if follow => Step::Failed(error.into()),
            opened => values::stepped(opened.map(File::from)),
        }
    }

    fn query_file(&self, file: &File) -> io::Result<Facts> {
        let mut facts = Facts::default();
        let request = Request { fields: COPIED, follow: false };
        let flags = AtFlags::empty();
        self.stat_into(file.as_fd(), StatTarget::Itself, flags, request, &mut facts)?;
        Ok(facts)
    }

    fn reflink(&self, from: &File, to: &File, _size: u64) -> io::Result<()> {
        self.clone_content(from.as_fd(), to.as_fd()).map_err(|error| match error {
            Errno::NOTTY | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
            error => error.into(),
        })
    }

    fn copy_data(
        &self,
        from: &File,
        to: &File,
        facts: &Facts,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Copied<u64> {
        let (from, to) = (from.as_fd(), to.as_fd());
        let is_special = facts.kind != Kind::File;
        let mut copy = Copy { unix: self, from, to, is_special, goes_on, copied: 0 };
        let is_sparse = !is_special && facts.allocated < facts.size;
        if !(is_sparse && copy.copy_parts(facts.size)?) {
            copy.copy_size(if is_special { 0 } else { facts.size })?;
        }
        // The size may be 0 for a file with content, as in `/proc`, or the file may have grown.
        copy.read_and_write(u64::MAX)?;
        Ok(copy.copied)
    }

    fn finish_file(&self, file: File) -> io::Result<()> {
        Ok(self.syscalls.close_written(OwnedFd::from(file))?)
    }

    fn copy_link(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
        base: Option<&Path>,
    ) -> Result<(), (Operation, io::Error)> {
        let mut target = Vec::new();
        let read = self.syscalls.readlinkat(from.as_fd(), text(name), &mut target);
        read.map_err(|error| (Operation::ReadLink, error.into()))?;
        if let Some(base) = base.filter(|_| !target.starts_with(b"/")) {
            let path = base.join(u8::path(target));
            let full = self.find_name(&path, Missing::Anything, Links::Keep);
            target = u8::units(&full.map_err(|error| (Operation::ReadLink, error))?);
        }
        let creating = |error| (Operation::CreateLink, error);
        let target = NameBuf::new(target).map_err(creating)?;
        let made = self.syscalls.symlinkat(text(target.as_name()), to.as_fd(), text(fresh));
        made.map_err(|error| creating(error.into()))
    }

    fn create_special(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        facts: &Facts,
        mode: u32,
    ) -> io::Result<()> {
        let kind = special(facts.kind).ok_or(io::ErrorKind::Unsupported)?;
        let (mode, device) = (values::bits(mode), facts.device_number);
        Ok(self.syscalls.mknodat(at.as_fd(), text(name), kind, mode, device)?)
    }

    fn attributes(&self, of: Open<'_, Unix>, kept: Kept) -> io::Result<Attributes> {
        if kept.attributes || kept.mode {
            Ok(self.read_attributes(&At::Open(descriptor(of)), kept)?)
        } else {
            Ok(Attributes::new())
        }
    }

    fn attributes_by_name(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        follow: bool,
        kept: Kept,
    ) -> io::Result<Attributes> {
        if kept.attributes || kept.mode {
            Ok(self.read_attributes_by_name(at, name, follow, kept)?)
        } else {
            Ok(Attributes::new())
        }
    }

    fn is_own(&self, facts: &Facts) -> bool {
        facts.user_id == self.syscalls.user()
    }

    fn keep(
        &self,
        target: &Target<'_, Unix>,
        facts: &Facts,
        attributes: &Attributes,
        kept: Kept,
        failed: &mut dyn FnMut(Operation, io::Error),
    ) {
        if kept == Kept::default() {
            return;
        }
        let mut fail = |operation, error: Errno| failed(operation, error.into());
        let pinned = match target {
            Target::Open(_) => None,
            Target::Named(dir, name) => match self.pin(dir, *name, facts.kind) {
                Ok(pinned) => pinned,
                Err(error) => return fail(Operation::Stat, error),
            },
        };
        let at = match (target, &pinned) {
            (Target::Open(open), _) => At::Open(descriptor(*open)),
            (Target::Named(..), Some(pinned)) => At::Pinned(pinned.as_fd()),
            (Target::Named(dir, name), None) => At::Named(dir, *name),
        };
        let mut mode = facts.mode;
        if kept.owner {
            // Changing the owner clears set-id bits and capabilities, so it comes first.
            match self.keep_owner(&at, facts) {
                Ok(true) => {}
                Ok(false) => mode &= !special_bits(facts.kind),
                Err(error) => {
                    mode &= !special_bits(facts.kind);
                    fail(Operation::SetOwner, error);
                }
            }
        }
        if !facts.kind.is_link() {
            self.keep_attributes(&at, facts.kind, attributes, kept, &mut fail);
        }
        if kept.mode && !facts.kind.is_link() {
            if let Err(error) = self.chmod(&at, mode) {
                fail(Operation::SetPermissions, error);
            }
        }
        if kept.times {
            if let Err(error) = self.set_times(&at, facts) {
                fail(Operation::SetTimes, error);
            }
        }
        if let Some(pinned) = pinned {
            self.syscalls.close(pinned);
        }
    }
}
