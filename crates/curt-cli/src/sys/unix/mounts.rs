//! The kernel's mount table, `/proc/self/mountinfo`.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::read_file;

const LONGEST_TABLE: usize = 16 << 20;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mounted {
    Nothing,
    /// Something is mounted below the entry. A rename would move the mount, too.
    Below,
    /// The entry is a mount point, which the kernel refuses to rename.
    Here,
}

/// Finds mounts on an entry or below it, even if the path reaches the entry through another mount
/// of the same filesystem. Fails if the table cannot be read.
pub(super) fn mounted_at(path: &Path) -> io::Result<Mounted> {
    let table = read_file(Path::new("/proc/self/mountinfo"), LONGEST_TABLE)?;
    if table.is_empty() {
        // The table always has the line of `/proc`.
        return Err(Errno::NOENT.into());
    }
    Ok(mounted(&table, path))
}

fn mounted(table: &[u8], path: &Path) -> Mounted {
    let mounts: Vec<Mount> = table.split(|&byte| byte == b'\n').filter_map(Mount::parse).collect();
    // Of several mounts on one directory, only the last is visible.
    let contains_path = |mount: &&Mount| mount.point != path && path.starts_with(&mount.point);
    let own = mounts.iter().filter(contains_path).max_by_key(|mount| mount.point.as_os_str().len());
    let own = own.and_then(|own| own.device_path(path));
    let at = |mount: &Mount| {
        let parent = mounts.iter().find(|parent| parent.number == mount.parent);
        let location = parent.and_then(|parent| parent.device_path(&mount.point));
        match own.as_ref().zip(location).filter(|((device, _), (on, _))| device == on) {
            Some(((_, own), (_, location))) if location == *own => Mounted::Here,
            Some(((_, own), (_, location))) if location.starts_with(own) => Mounted::Below,
            _ if mount.point != path && mount.point.starts_with(path) => Mounted::Below,
            _ => Mounted::Nothing,
        }
    };
    mounts.iter().map(at).max().unwrap_or(Mounted::Nothing)
}

struct Mount {
    number: Vec<u8>,
    parent: Vec<u8>,
    device: Vec<u8>,
    /// The mounted directory, relative to its filesystem.
    root: PathBuf,
    point: PathBuf,
}

impl Mount {
    fn parse(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|byte| b" \t".contains(byte)).map(unescape);
        let (number, parent, device) = (fields.next()?, fields.next()?, fields.next()?);
        let mut path = || Some(PathBuf::from(OsString::from_vec(fields.next()?)));
        Some(Mount { number, parent, device, root: path()?, point: path()? })
    }

    fn device_path(&self, path: &Path) -> Option<(&[u8], PathBuf)> {
        let below = path.strip_prefix(&self.point).ok()?;
        Some((&self.device, self.root.join(below)))
    }
}

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
    use super::Mounted::{Below, Here, Nothing};
    use super::mounted;
    use std::path::Path;

    #[test]
    fn mounts_are_found_on_an_entry_and_below() {
        let table = b"21 1 8:1 / / rw - ext4 d rw\n22 21 8:1 /x /a\\040b/c rw - ext4 d rw\n";
        for (path, expected) in [
            ("/a b", Below),
            ("/a b/c", Here),
            ("/a", Nothing),
            ("/a b/c/d", Nothing),
            ("/b", Nothing),
        ] {
            assert_eq!(mounted(table, Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn mounts_are_found_by_other_mounts_of_the_filesystem() {
        let table = b"21 1 8:1 / / rw - ext4 d rw\n22 21 8:1 /a /b rw - ext4 d rw\n\
            23 21 0:9 / /a/x/m rw - tmpfs d rw\n24 21 8:2 / /c rw - ext4 d rw\n";
        for (path, expected) in [
            ("/b/x", Below),
            ("/b/x/m", Here),
            ("/b/y", Nothing),
            ("/a", Below),
            ("/a/x/m", Here),
            ("/c/a", Nothing),
            ("/c/x", Nothing),
        ] {
            assert_eq!(mounted(table, Path::new(path)), expected, "{path}");
        }
    }
}
