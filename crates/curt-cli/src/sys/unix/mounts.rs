//! The table of `/proc` that names what is mounted.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::read_file;

/// The longest table that is read.
const LONGEST_TABLE: usize = 16 << 20;

/// Whether something is mounted below a directory, by its full path without links or by another
/// mount of its filesystem: a rename takes both along. An error if that cannot be known.
pub(super) fn is_mount_below(path: &Path) -> io::Result<bool> {
    let table = read_file(Path::new("/proc/self/mountinfo"), LONGEST_TABLE)?;
    if table.is_empty() {
        // It is not the kernel's, whose table has at least the line of `/proc`.
        return Err(Errno::NOENT.into());
    }
    Ok(has_mount_below(&table, path))
}

fn has_mount_below(table: &[u8], path: &Path) -> bool {
    let mounts: Vec<Mount> = table.split(|&byte| byte == b'\n').filter_map(Mount::parse).collect();
    // Of several on one directory, the last is on top.
    let holds = |mount: &&Mount| path.starts_with(&mount.point);
    let own = mounts.iter().filter(holds).max_by_key(|mount| mount.point.as_os_str().len());
    let own = own.and_then(|own| own.place_of(path));
    mounts.iter().any(|mount| {
        let parent = mounts.iter().find(|parent| parent.number == mount.parent);
        let place = parent.and_then(|parent| parent.place_of(&mount.point));
        let is_in_place = own.as_ref().zip(place).is_some_and(|((device, own), (on, place))| {
            *device == on && place != *own && place.starts_with(own)
        });
        is_in_place || mount.point != path && mount.point.starts_with(path)
    })
}

/// A line of the table.
struct Mount {
    number: Vec<u8>,
    parent: Vec<u8>,
    device: Vec<u8>,
    /// The directory of the filesystem that is mounted.
    root: PathBuf,
    /// Where it is mounted.
    point: PathBuf,
}

impl Mount {
    fn parse(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|byte| b" \t".contains(byte)).map(unescape);
        let (number, parent, device) = (fields.next()?, fields.next()?, fields.next()?);
        let mut path = || Some(PathBuf::from(OsString::from_vec(fields.next()?)));
        Some(Mount { number, parent, device, root: path()?, point: path()? })
    }

    /// Returns the filesystem that a path below the mount is on, and the path in it.
    fn place_of(&self, path: &Path) -> Option<(&[u8], PathBuf)> {
        let below = path.strip_prefix(&self.point).ok()?;
        Some((&self.device, self.root.join(below)))
    }
}

/// Replaces escapes such as `\040` by the bytes they stand for.
fn unescape(mut text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some((&first, rest)) = text.split_first() {
        let digits = rest.get(..3).filter(|_| first == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(escaped.unwrap_or(first));
        text = rest.get(if escaped.is_some() { 3 } else { 0 }..).unwrap_or_default();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::has_mount_below;
    use std::path::Path;

    #[test]
    fn mounts_are_found_below_a_directory_only() {
        let table = b"21 1 8:1 / / rw - ext4 d rw\n22 21 8:1 /x /a\\040b/c rw - ext4 d rw\n";
        for (path, expected) in
            [("/a b", true), ("/a b/c", false), ("/a", false), ("/a b/c/d", false), ("/b", false)]
        {
            assert_eq!(has_mount_below(table, Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn mounts_are_found_by_other_mounts_of_the_filesystem() {
        let table = b"21 1 8:1 / / rw - ext4 d rw\n22 21 8:1 /a /b rw - ext4 d rw\n\
            23 21 0:9 / /a/x/m rw - tmpfs d rw\n24 21 8:2 / /c rw - ext4 d rw\n";
        for (path, expected) in [
            ("/b/x", true),
            ("/b/x/m", false),
            ("/b/y", false),
            ("/a", true),
            ("/c/a", false),
            ("/c/x", false),
        ] {
            assert_eq!(has_mount_below(table, Path::new(path)), expected, "{path}");
        }
    }
}
