//! The table of `/proc` that names what is mounted.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;

use super::read_file;

/// The longest table that is read.
const LONGEST_TABLE: usize = 16 << 20;

/// Whether something is mounted below a directory, by its full path without links. An error if
/// that cannot be known.
pub(super) fn is_mount_below(path: &Path) -> io::Result<bool> {
    let table = read_file(Path::new("/proc/self/mountinfo"), LONGEST_TABLE)?;
    if table.is_empty() {
        // It is not the kernel's, whose table has at least the line of `/proc`.
        return Err(Errno::NOENT.into());
    }
    Ok(has_mount_below(&table, path))
}

fn has_mount_below(table: &[u8], path: &Path) -> bool {
    let mut fields = column(table, 4);
    fields.any(|mounted| {
        let below = mounted.strip_prefix(path.as_os_str().as_bytes());
        below.is_some_and(|below| below.len() > 1 && below.starts_with(b"/"))
    })
}

/// Returns a field of each line.
fn column(table: &[u8], number: usize) -> impl Iterator<Item = Vec<u8>> + '_ {
    let lines = table.split(|&byte| byte == b'\n');
    lines.filter_map(move |line| line.split(|byte| b" \t".contains(byte)).nth(number).map(unescape))
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
}
