//! The floor of removing a tree: per directory open, list, remove, close; per other entry remove.

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
    let mut buffer = vec![MaybeUninit::uninit(); 64 * 1024];
    Ok(remove_directory(CWD, &name, &mut buffer)?)
}

fn remove_directory(
    parent: BorrowedFd<'_>,
    name: &CStr,
    buffer: &mut [MaybeUninit<u8>],
) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(parent, name, flags, Mode::empty())?;
    loop {
        let seen = remove_listed(&directory, buffer)?;
        // Before the descriptor is closed: the kernel then frees the directory in `close`,
        // without holding its parent's lock.
        match unlinkat(parent, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY) if seen => {}
            Err(Errno::NOTEMPTY) if rewind(&directory, buffer)? => {}
            done => return done,
        }
    }
}

/// Removes what one listing call tells of. Whether it told of anything.
fn remove_listed(directory: &OwnedFd, buffer: &mut [MaybeUninit<u8>]) -> Result<bool, Errno> {
    let mut below: Vec<CString> = Vec::new();
    let mut seen = false;
    let mut list = RawDir::new(directory.as_fd(), &mut *buffer);
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
        remove_directory(directory.as_fd(), name, buffer)?;
    }
    Ok(seen)
}

/// Some file systems skip entries while others are removed: look once more from the start.
fn rewind(directory: &OwnedFd, buffer: &mut [MaybeUninit<u8>]) -> Result<bool, Errno> {
    seek(directory, SeekFrom::Start(0))?;
    remove_listed(directory, buffer)
}
