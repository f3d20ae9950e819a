//! Untrusted paths on Windows: one `NtCreateFile` relative to the root, which refuses links
//! (`OBJ_DONT_REPARSE`). A path with a link is then resolved in single steps, each of which opens
//! an entry without following it and queries its kind.
//!
//! First `.` and `..` are removed from paths, because the kernel resolves neither. Windows before
//! 10 1607 refuses `OBJ_DONT_REPARSE`. Wine 10 ignores it and follows links, so only single steps
//! are safe there.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation as codes;
use windows_sys::Win32::Storage::FileSystem as win;

use super::dir::{Dir, Use};
use super::status::{Result, Status};
use super::syscalls::{Syscalls, Target};
use super::{
    ABOUT, DELETE, FOLLOW, LIST, LISTED, LOOKUP, REACH, READ_ATTRIBUTES, WRITE_ATTRIBUTES, Windows,
    content, query, removal, values,
};
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::beneath::{
    Beneath, Change, Create, File, How, Link, Open, OsError, Purpose, Reading, Rules, Step, Want,
    Whole,
};
use curt_paths::Flavor;

/// Fits the longest path and its length field, in 8-byte words.
const NAME_CAPACITY: usize = (4 + 0x1_0000) / 8 + 1;

fn disposition(create: Create) -> u32 {
    match create {
        Create::Never => nt::FILE_OPEN,
        Create::Missing => nt::FILE_OPEN_IF,
        Create::New => nt::FILE_CREATE,
    }
}

/// Returns the disposition that also truncates an existing file.
fn emptying(create: Create) -> u32 {
    match create {
        Create::Never => nt::FILE_OVERWRITE,
        Create::Missing => nt::FILE_OVERWRITE_IF,
        Create::New => nt::FILE_CREATE,
    }
}

fn access(how: &How) -> u32 {
    let read = if how.read { win::FILE_GENERIC_READ } else { 0 };
    // `CreateFileW` adds `FILE_READ_ATTRIBUTES` as well. The kind is queried with it.
    let write = if how.write { win::FILE_GENERIC_WRITE | READ_ATTRIBUTES } else { 0 };
    // Without `FILE_WRITE_DATA`, all writes append.
    let write = if how.append { write & !win::FILE_WRITE_DATA } else { write };
    read | write
}

fn rights(purpose: Purpose) -> u32 {
    match purpose {
        Purpose::Lookup => REACH,
        Purpose::Listing => LIST,
    }
}

const PLAIN: u32 = nt::FILE_SYNCHRONOUS_IO_NONALERT | nt::FILE_NON_DIRECTORY_FILE;

pub(super) fn target<'a>(at: &'a Dir, name: Name<'a, u16>) -> Target<'a> {
    let is_itself = name.units() == [u16::ascii(b'.')];
    let name = if is_itself { &[] } else { name.units() };
    Target { root: at.root(), name, any_case: true }
}

/// The directory is on the volume of `from`, because no step crosses volumes.
fn place(handle: OwnedHandle, from: &Dir) -> Dir {
    Dir::new(handle, from.volume, Use::Lookup)
}

pub(super) fn stepped<T>(answer: Result<Option<T>>) -> Step<T> {
    match answer {
        Ok(Some(done)) => Step::Done(done),
        Ok(None) => Step::Other,
        Err(Status::FILE_IS_A_DIRECTORY) => Step::Failed(OsError::IsDirectory.error()),
        Err(status) => Step::Failed(status.into()),
    }
}

impl Windows {
    pub(super) fn open_at_once(
        &self,
        target: Target<'_>,
        access: u32,
        disposition: u32,
        options: u32,
    ) -> Whole<File> {
        let dont_reparse = &self.syscalls.native.dont_reparse;
        if dont_reparse.get() != 0 {
            return Whole::Unanswered;
        }
        let more = codes::OBJ_DONT_REPARSE;
        match self.syscalls.create(target, more, access, disposition, options) {
            Ok((handle, _)) => Whole::Opened(handle.into()),
            Err(Status::REPARSE_POINT_ENCOUNTERED) => Whole::Unanswered,
            Err(Status::INVALID_PARAMETER) => {
                dont_reparse.below(0);
                Whole::Unanswered
            }
            Err(Status::FILE_IS_A_DIRECTORY) => Whole::Failed(OsError::IsDirectory.error()),
            Err(status) => Whole::Failed(status.into()),
        }
    }

    /// Makes 3 system calls.
    fn kind_at(&self, at: &Dir, name: Name<'_, u16>) -> Result<Kind> {
        let query = |handle: BorrowedHandle<'_>| query::kind_of(&self.syscalls, handle);
        self.syscalls.opened(target(at, name), READ_ATTRIBUTES, ABOUT, query)?
    }

    /// Returns `None` if the entry is a link or not a directory.
    fn enter_one(&self, at: &Dir, name: Name<'_, u16>, purpose: Purpose) -> Result<Option<Dir>> {
        match self.syscalls.open(target(at, name), rights(purpose), LISTED) {
            Err(Status::NOT_A_DIRECTORY) => Ok(None),
            answer => self.if_no_link(place(answer?, at)),
        }
    }

    /// Returns `None` for a link. Truncates the file only after checking its kind.
    fn open_one(&self, at: &Dir, name: Name<'_, u16>, how: &How) -> Result<Option<File>> {
        let options = PLAIN | nt::FILE_OPEN_REPARSE_POINT;
        let (access, create) = (access(how), disposition(how.create));
        let opened = self.syscalls.create(target(at, name), 0, access, create, options);
        let (handle, is_new) = match opened {
            Err(Status::FILE_IS_A_DIRECTORY) if self.kind_at(at, name)?.is_link() => {
                return Ok(None);
            }
            answer => answer?,
        };
        if is_new {
            return Ok(Some(handle.into()));
        }
        match self.is_file(handle.as_handle(), how.truncate) {
            Ok(true) => Ok(Some(handle.into())),
            answer => {
                self.syscalls.close(handle);
                answer.map(|_| None)
            }
        }
    }

    fn is_file(&self, handle: BorrowedHandle<'_>, truncate: bool) -> Result<bool> {
        if query::kind_of(&self.syscalls, handle)?.is_link() {
            return Ok(false);
        }
        if truncate {
            self.syscalls.set_file(handle, &[0], 8, nt::FileEndOfFileInformation)?;
        }
        Ok(true)
    }

    /// Renames by a class of information with flags.
    pub(super) fn rename_by(
        &self,
        (from, name): (&Dir, Name<'_, u16>),
        how: (i32, u64),
        (to, fresh): (&Dir, Name<'_, u16>),
    ) -> Result<()> {
        let options = ABOUT | nt::FILE_SYNCHRONOUS_IO_NONALERT;
        let access = DELETE | win::SYNCHRONIZE;
        let rename = |handle: BorrowedHandle<'_>| give_name(&self.syscalls, handle, how, to, fresh);
        self.syscalls.opened(target(from, name), access, options, rename)?
    }

    /// Returns the path on the volume, with long names if the system knows them.
    fn name_of(&self, handle: BorrowedHandle<'_>) -> Result<Vec<u16>> {
        let mut buffer = vec![0_u64; NAME_CAPACITY];
        let normalized =
            self.syscalls.query_file(handle, &mut buffer, nt::FileNormalizedNameInformation);
        if normalized.is_err() {
            self.syscalls.query_file(handle, &mut buffer, nt::FileNameInformation)?;
        }
        Ok(query::name_in(&buffer))
    }
}

fn give_name(
    syscalls: &Syscalls,
    handle: BorrowedHandle<'_>,
    (class, flags): (i32, u64),
    to: &Dir,
    name: Name<'_, u16>,
) -> Result<()> {
    const NAME: usize = 20;
    let units = name.units();
    let length = NAME + units.len() * 2;
    let mut buffer = vec![0_u64; length.div_ceil(8)];
    buffer[0] = flags;
    buffer[1] = to.handle()?.as_raw_handle() as u64;
    buffer[2] = (units.len() * 2) as u64;
    for (offset, &unit) in (NAME..).step_by(2).zip(units) {
        buffer[offset / 8] |= u64::from(unit) << (offset % 8 * 8);
    }
    syscalls.set_file(handle, &buffer, length, class)
}

impl Beneath for Windows {
    type Handle = File;

    const FLAVOR: Flavor = Flavor::Windows;
    const SPELLING_IS_NAME: bool = false;
    const LONGEST: usize = 32_767;
    const MAX_LINKS: usize = 63;

    fn whole(&self, root: &Dir, path: Name<'_, u16>, want: Want<'_>, _rules: Rules) -> Whole<File> {
        let (access, disposition, options) = match want {
            Want::File(how) if how.truncate => (access(how), emptying(how.create), PLAIN),
            Want::File(how) => (access(how), disposition(how.create), PLAIN),
            Want::Directory(purpose) => (rights(purpose), nt::FILE_OPEN, LOOKUP),
            Want::Name => (READ_ATTRIBUTES, nt::FILE_OPEN, FOLLOW),
            Want::Change(_) => return Whole::Unanswered,
        };
        self.open_at_once(target(root, path), access, disposition, options)
    }

    fn dir_from(&self, handle: File, root: &Dir, _purpose: Purpose) -> io::Result<Dir> {
        Ok(place(handle.into(), root))
    }

    fn close_handle(&self, handle: File) {
        self.syscalls.close(handle.into());
    }

    fn enter(&self, at: &Dir, name: Name<'_, u16>, purpose: Purpose) -> Step<Dir> {
        stepped(self.enter_one(at, name, purpose))
    }

    fn open(&self, at: &Dir, name: Name<'_, u16>, how: &How) -> Step<File> {
        stepped(self.open_one(at, name, how))
    }

    /// Only symlinks and junctions have a path as their target.
    fn link(&self, at: &Dir, name: Name<'_, u16>, _reading: Reading) -> io::Result<Link<u16>> {
        match self.kind_at(at, name)? {
            Kind::Symlink | Kind::Junction => {
                Ok(content::link_target(&self.syscalls, at, name)?.map_or(Link::Opaque, Link::To))
            }
            kind if kind.is_link() => Ok(Link::Opaque),
            _ => Ok(Link::No),
        }
    }

    fn create_dir(&self, at: &Dir, name: Name<'_, u16>, _mode: u32) -> io::Result<()> {
        let options = nt::FILE_DIRECTORY_FILE | nt::FILE_OPEN_REPARSE_POINT;
        let made =
            self.syscalls.create(target(at, name), 0, READ_ATTRIBUTES, nt::FILE_CREATE, options);
        self.syscalls.close(made?.0);
        Ok(())
    }

    fn rename(
        &self,
        from: &Dir,
        name: Name<'_, u16>,
        to: &Dir,
        fresh: Name<'_, u16>,
        replace: bool,
    ) -> io::Result<()> {
        let how = (nt::FileRenameInformation, replace.into());
        Ok(self.rename_by((from, name), how, (to, fresh))?)
    }

    /// Unsupported, because symlinks need a privilege and the target's kind.
    fn symlink(&self, _: Name<'_, u16>, _: &Dir, _: Name<'_, u16>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn hard_link(
        &self,
        from: &Dir,
        name: Name<'_, u16>,
        to: &Dir,
        fresh: Name<'_, u16>,
    ) -> io::Result<()> {
        let options = ABOUT | nt::FILE_SYNCHRONOUS_IO_NONALERT;
        let access = WRITE_ATTRIBUTES | win::SYNCHRONIZE;
        let how = (nt::FileLinkInformation, 0);
        let link = |handle: BorrowedHandle<'_>| give_name(&self.syscalls, handle, how, to, fresh);
        match self.syscalls.opened(target(from, name), access, options, link)? {
            Err(Status::FILE_IS_A_DIRECTORY) => Err(OsError::NotPermitted.error()),
            linked => Ok(linked?),
        }
    }

    fn change(&self, at: &Dir, name: Name<'_, u16>, change: &Change) -> Step<()> {
        let access = READ_ATTRIBUTES | WRITE_ATTRIBUTES;
        let times = match change {
            Change::Permissions(_) => Some((0, 0)),
            Change::Times { accessed, modified } => {
                values::ticks(*accessed).zip(values::ticks(*modified))
            }
        };
        let Some((accessed, modified)) = times else {
            return Step::Failed(io::ErrorKind::InvalidInput.into());
        };
        let set = |handle: BorrowedHandle<'_>| -> Result<Option<()>> {
            if query::kind_of(&self.syscalls, handle)?.is_link() {
                return Ok(None);
            }
            match change {
                Change::Permissions(permissions) => {
                    let is_readonly = permissions.readonly();
                    removal::set_readonly(&self.syscalls, handle, at.volume, is_readonly).map(Some)
                }
                Change::Times { .. } => {
                    let ticks = [0, accessed, modified, 0, 0];
                    self.syscalls.set_file(handle, &ticks, 40, nt::FileBasicInformation).map(Some)
                }
            }
        };
        stepped(self.syscalls.opened(target(at, name), access, ABOUT, set).and_then(|set| set))
    }

    fn path_of(&self, open: Open<'_, Self>) -> io::Result<Vec<u16>> {
        Ok(self.name_of(match open {
            Open::File(file) => file.as_handle(),
            Open::Dir(dir) => dir.handle()?,
        })?)
    }

    /// True, because a volume is a single tree.
    fn is_at(&self, _from: &Dir, _path: &[u16], _open: Open<'_, Self>) -> io::Result<bool> {
        Ok(true)
    }

    fn full_name(&self, at: &Dir, name: Name<'_, u16>) -> io::Result<Option<Vec<u16>>> {
        let query = |handle: BorrowedHandle<'_>| self.name_of(handle);
        Ok(Some(self.syscalls.opened(target(at, name), READ_ATTRIBUTES, ABOUT, query)??))
    }
}
