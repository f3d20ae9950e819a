//! Tearing down any tree on Windows: links and junctions go as such, what is read-only becomes
//! writable first, and paths begin with `\\?\`, so that their length and their names do not matter.

use std::fs::{self, FileType};
use std::io::Result;
use std::os::windows::fs::FileTypeExt;
use std::path::Path;

use crate::sys::attributes;

/// No attribute.
const NORMAL: u32 = 0x80;

/// Removes everything in a directory whose path is a true one. What stays, stays.
pub(crate) fn empty(path: &Path) -> Result<()> {
    // Directories stand before what lies in them, so that backwards is the order of removal.
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

/// Removes a file, or a link of either kind.
fn remove(path: &Path, file_type: FileType) {
    // A junction is a link that is neither kind by its type: it goes as a directory.
    let _ = if file_type.is_symlink_file() || file_type.is_file() {
        fs::remove_file(path)
    } else {
        fs::remove_dir(path).or_else(|_| fs::remove_file(path))
    };
}

/// Takes the read-only attribute away, of a link itself where it is one.
fn permit(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|found| found.permissions().readonly()) {
        let _ = attributes::set(path, NORMAL);
    }
}
