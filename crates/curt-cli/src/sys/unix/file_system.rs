use std::io;
use std::path::Path;

use crate::sys::{FileSystem, FileSystemType};

pub(crate) fn file_system(path: &Path) -> io::Result<FileSystem> {
    let found = rustix::fs::statvfs(path)?;
    Ok(FileSystem {
        // GNU stat swaps the halves of the ID.
        id: found.f_fsid.rotate_left(32),
        longest_name: found.f_namemax,
        block_size: found.f_bsize,
        unit: if found.f_frsize == 0 { found.f_bsize } else { found.f_frsize },
        blocks: found.f_blocks,
        free: found.f_bfree,
        available: found.f_bavail,
        files: found.f_files,
        free_files: found.f_ffree,
    })
}

#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the type differs by system")]
pub(crate) fn file_system_type(path: &Path) -> io::Result<FileSystemType> {
    let number = rustix::fs::statfs(path)?.f_type as u32;
    Ok(FileSystemType { number: Some(number), name: None })
}

#[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
#[allow(clippy::unnecessary_cast, reason = "the type of letters differs by system")]
pub(crate) fn file_system_type(path: &Path) -> io::Result<FileSystemType> {
    let found = rustix::fs::statfs(path)?;
    let letters = found.f_fstypename.iter().map(|&letter| char::from(letter as u8));
    let name = letters.take_while(|&letter| letter != '\0').collect();
    Ok(FileSystemType { number: Some(found.f_type as u32), name: Some(name) })
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_vendor = "apple",
    target_os = "freebsd"
)))]
pub(crate) fn file_system_type(_path: &Path) -> io::Result<FileSystemType> {
    Ok(FileSystemType { number: None, name: None })
}
