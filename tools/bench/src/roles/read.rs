//! The baseline of reading a tree.

use super::Task;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, StatxFlags, openat, readlinkat_raw, statx,
};
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

const PIECE: usize = 64 * 1024;

pub(super) fn read(task: Task, tree: &Path) -> io::Result<()> {
    let name = CString::new(tree.as_os_str().as_bytes())?;
    let mut reader = Reader {
        task,
        buffer: vec![MaybeUninit::uninit(); PIECE],
        path: Vec::new(),
        out: Vec::with_capacity(2 * PIECE),
        total: 0,
    };
    if task.descends() {
        reader.entry(CWD, &name, FileType::Directory)?;
        reader.path.extend_from_slice(name.to_bytes());
    }
    reader.directory(CWD, &name)?;
    if task == Task::Usage {
        let line = format!("{}\n", reader.total.div_ceil(1024));
        reader.out.extend_from_slice(line.as_bytes());
    }
    reader.flush()
}

struct Reader {
    task: Task,
    buffer: Vec<MaybeUninit<u8>>,
    path: Vec<u8>,
    out: Vec<u8>,
    total: u64,
}

impl Reader {
    fn directory(&mut self, parent: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = openat(parent, name, flags, Mode::empty())?;
        let length = self.path.len();
        for below in self.list(&directory)? {
            self.path.push(b'/');
            self.path.extend_from_slice(below.to_bytes());
            self.directory(directory.as_fd(), &below)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn list(&mut self, directory: &OwnedFd) -> io::Result<Vec<CString>> {
        let mut below = Vec::new();
        // A directory is listed to its end before its children, so one buffer is enough.
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut list = RawDir::new(directory.as_fd(), &mut buffer);
        while let Some(entry) = list.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                self.entry(directory.as_fd(), name, entry.file_type())?;
                if self.task.descends() && entry.file_type() == FileType::Directory {
                    below.push(name.to_owned());
                }
            }
        }
        self.buffer = buffer;
        Ok(below)
    }

    fn entry(&mut self, directory: BorrowedFd<'_>, name: &CStr, kind: FileType) -> io::Result<()> {
        if self.task.needs_metadata() {
            let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
            let wanted = match self.task {
                Task::Usage => StatxFlags::BLOCKS,
                Task::Sizes => StatxFlags::SIZE,
                _ => StatxFlags::BASIC_STATS,
            };
            let found = statx(directory, name, flags, wanted)?;
            if self.task == Task::Usage {
                self.total += found.stx_blocks * 512;
                return Ok(());
            }
            self.out.extend_from_slice(found.stx_size.to_string().as_bytes());
            self.out.push(b' ');
        }
        if !self.path.is_empty() {
            self.out.extend_from_slice(&self.path);
            self.out.push(b'/');
        }
        self.out.extend_from_slice(name.to_bytes());
        if self.task == Task::Long && kind == FileType::Symlink {
            let mut target = [MaybeUninit::uninit(); 4096];
            let (target, _) = readlinkat_raw(directory, name, &mut target)?;
            self.out.extend_from_slice(b" -> ");
            self.out.extend_from_slice(target);
        }
        self.out.push(b'\n');
        if self.out.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut rest = self.out.as_slice();
        while !rest.is_empty() {
            let written = rustix::io::write(rustix::stdio::stdout(), rest)?;
            rest = &rest[written..];
        }
        self.out.clear();
        Ok(())
    }
}
