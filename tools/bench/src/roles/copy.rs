//! The baseline of copying a tree, over whole paths, unlike the other baselines.

use rustix::fs::{CWD, Mode, OFlags, copy_file_range, fstat, openat};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

pub(super) fn copy(from: &Path, to: &Path, is_link: bool) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, from, to) = (entry.file_type()?, entry.path(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&from, &to, is_link)?;
        } else if is_link {
            fs::hard_link(from, to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(from)?, to)?;
        } else {
            copy_file(&from, &to)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let from = openat(CWD, from, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let found = fstat(&from)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let to = openat(CWD, to, flags, Mode::from_raw_mode(found.st_mode & 0o777))?;
    let mut rest = found.st_size as usize;
    while rest > 0 {
        match copy_file_range(&from, None, &to, None, rest)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            copied => rest -= copied,
        }
    }
    Ok(())
}
