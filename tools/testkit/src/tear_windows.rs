//! Removes any tree on Windows. Paths that begin with `\\?\` allow any names.

use std::fs::{self, FileType};
use std::io::Result;
use std::os::windows::fs::FileTypeExt;
use std::path::Path;

use crate::sys::attributes;

const NORMAL: u32 = 0x80;

/// Empties the directory at a canonical path. Leaves entries that cannot be removed.
pub(crate) fn empty(path: &Path) -> Result<()> {
    let mut directories = vec![path.to_owned()];
    let mut listed = 0;
    while let Some(directory) = directories.get(listed).cloned() {
        listed += 1;
        for entry in fs::read_dir(directory)?.flatten() {
            let Ok(file_type) = entry.file_type() else { continue };
            permit(&entry.path());
            if file_type.is_dir() {
                directories.push(entry.path());
            } else {
                remove(&entry.path(), file_type);
            }
        }
    }
    directories.iter().skip(1).rev().for_each(|directory| {
        let _ = fs::remove_dir(directory);
    });
    Ok(())
}

fn remove(path: &Path, file_type: FileType) {
    // To `std`, a junction is a symlink to a directory, and is removed as one.
    let _ = if file_type.is_symlink_file() || file_type.is_file() {
        fs::remove_file(path)
    } else {
        fs::remove_dir(path).or_else(|_| fs::remove_file(path))
    };
}

fn permit(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|found| found.permissions().readonly()) {
        let _ = attributes::set(path, NORMAL);
    }
}
