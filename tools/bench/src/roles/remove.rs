use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, SeekFrom, openat, seek, unlinkat};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

pub(super) fn remove(tree: &Path) -> io::Result<()> {
    let name = CString::new(tree.as_os_str().as_bytes())?;
    let buffer = vec![MaybeUninit::uninit(); 64 * 1024];
    Loop { buffer }.remove_directory(CWD, &name)?;
    Ok(())
}

struct Loop {
    buffer: Vec<MaybeUninit<u8>>,
}

impl Loop {
    fn remove_directory(&mut self, parent: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = openat(parent, name, flags, Mode::empty())?;
        loop {
            let seen = self.remove_listed(&directory)?;
            // Remove the directory before closing its descriptor: `close` then frees the inode,
            // without holding the lock of the parent.
            match unlinkat(parent, name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY) if seen => {}
                Err(Errno::NOTEMPTY) if self.rewind(&directory)? => {}
                done => return done,
            }
        }
    }

    fn remove_listed(&mut self, directory: &OwnedFd) -> Result<bool, Errno> {
        let mut below: Vec<CString> = Vec::new();
        let mut seen = false;
        let mut list = RawDir::new(directory.as_fd(), &mut self.buffer[..]);
        while let Some(entry) = list.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                seen = true;
                if entry.file_type() == FileType::Directory {
                    below.push(name.to_owned());
                } else {
                    unlinkat(directory, name, AtFlags::empty())?;
                }
            }
            if list.is_buffer_empty() {
                break;
            }
        }
        for name in &below {
            self.remove_directory(directory.as_fd(), name)?;
        }
        Ok(seen)
    }

    /// Lists from the start, because some filesystems skip entries if others are removed meanwhile.
    fn rewind(&mut self, directory: &OwnedFd) -> Result<bool, Errno> {
        seek(directory, SeekFrom::Start(0))?;
        self.remove_listed(directory)
    }
}
