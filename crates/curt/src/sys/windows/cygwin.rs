//! The links of Cygwin, which look like files.
//!
//! Cygwin keeps a link in a plain file with the SYSTEM attribute: `!<symlink>`, then the target, as text
//! with a NUL behind it, or since Cygwin 1.7 as a byte order mark and UTF-16. (Its `path.cc`; the text of
//! old links is in the character set of their time, of which UTF-8 is understood.)

use std::io;
use std::os::windows::io::AsHandle;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Storage::FileSystem as win;

use super::call::{Door, Target};
use super::dir::Dir;
use super::status::Status;
use super::{FILE, text};
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;

const COOKIE: &[u8] = b"!<symlink>";
/// Cookie, mark, 4,095 units and one that ends them.
const LONGEST: usize = COOKIE.len() + 2 + 4096 * 2;

/// What a plain file of the system has none of: files that a cloud keeps are never fetched.
const NO_COOKIE: u32 = win::FILE_ATTRIBUTE_DIRECTORY
    | win::FILE_ATTRIBUTE_REPARSE_POINT
    | win::FILE_ATTRIBUTE_OFFLINE
    | win::FILE_ATTRIBUTE_RECALL_ON_OPEN
    | win::FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS;

/// Whether an entry may be a link of Cygwin.
fn may_be_link(facts: &Facts) -> bool {
    let attributes = u64::from(win::FILE_ATTRIBUTE_SYSTEM | NO_COOKIE);
    let longest = LONGEST as u64;
    facts.kind == Kind::File
        && facts.known.contains(Fields::KIND | Fields::SIZE | Fields::ATTRIBUTES)
        && facts.attributes & attributes == u64::from(win::FILE_ATTRIBUTE_SYSTEM)
        && (COOKIE.len() as u64 + 1..=longest).contains(&facts.size)
}

/// See [`Sys::cygwin_target`](crate::sys::Sys::cygwin_target).
pub(super) fn target(
    door: &Door,
    parent: &Dir,
    name: Name<'_, u16>,
    facts: &Facts,
) -> io::Result<Option<Vec<u16>>> {
    if facts.kind != Kind::CygwinSymlink && !may_be_link(facts) {
        return Ok(None);
    }
    let spelled = text::spelled(name.units(), parent.root().is_some());
    let target = Target { root: parent.root(), name: &spelled, any_case: parent.is_place };
    let options = FILE | nt::FILE_OPEN_NO_RECALL | nt::FILE_SYNCHRONOUS_IO_NONALERT;
    let handle = door.open(target, win::FILE_READ_DATA | win::SYNCHRONIZE, options)?;
    // One byte more: what has grown meanwhile is no link.
    let mut content = vec![0; LONGEST + 1];
    let read = door.read(handle.as_handle(), &mut content);
    door.close(handle);
    match read {
        Ok(length) => Ok(target_of(content.get(..length).unwrap_or_default())),
        Err(Status::END_OF_FILE) => Ok(None),
        Err(status) => Err(status.into()),
    }
}

/// What a link of Cygwin holds, by the content of its file.
fn target_of(content: &[u8]) -> Option<Vec<u16>> {
    if content.len() > LONGEST {
        return None;
    }
    let text = content.strip_prefix(COOKIE)?;
    let mut target: Vec<u16> = match text.strip_prefix(&[0xff, 0xfe]) {
        Some(wide) => {
            wide.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
        }
        None => String::from_utf8_lossy(text).encode_utf16().collect(),
    };
    let end = target.iter().position(|&unit| unit == 0).unwrap_or(target.len());
    target.truncate(end);
    (!target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, may_be_link, target_of};
    use crate::fields::{Facts, Fields, Kind};

    #[test]
    fn attributes_and_sizes_rule_nearly_all_files_out() {
        let known = Fields::KIND | Fields::SIZE | Fields::ATTRIBUTES;
        let cookie = Facts { known, kind: Kind::File, size: 30, attributes: 4, ..Facts::default() };
        for (facts, expected) in [
            (cookie, true),
            (Facts { size: 11, ..cookie }, true),
            (Facts { size: LONGEST as u64, ..cookie }, true),
            (Facts { size: 10, ..cookie }, false),
            (Facts { size: LONGEST as u64 + 1, ..cookie }, false),
            (Facts { attributes: 0x26, ..cookie }, true),
            (Facts { attributes: 0x20, ..cookie }, false),
            (Facts { attributes: 0x14, ..cookie }, false),
            (Facts { attributes: 0x404, ..cookie }, false),
            (Facts { attributes: 0x1004, ..cookie }, false),
            (Facts { attributes: 0x0040_0004, ..cookie }, false),
            (Facts { attributes: 0x0004_0004, ..cookie }, false),
            (Facts { kind: Kind::Directory, ..cookie }, false),
            (Facts { known: known.without(Fields::SIZE), ..cookie }, false),
        ] {
            assert_eq!(may_be_link(&facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn both_forms_of_cookies_are_read() {
        let wide = |text: &str| -> Vec<u8> {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
            [b"!<symlink>\xff\xfe".as_slice(), &units].concat()
        };
        let old = |text: &[u8]| [b"!<symlink>", text].concat();
        let read =
            |content: &[u8]| target_of(content).map(|units| String::from_utf16(&units).unwrap());
        for (content, expected) in [
            (wide("../größe\0"), Some("../größe")),
            (wide("there"), Some("there")),
            (old(b"/usr/bin\0"), Some("/usr/bin")),
            (old(b"a\0rest"), Some("a")),
            (old("größe".as_bytes()), Some("größe")),
            (old(b"a\xff"), Some("a\u{fffd}")),
            (old(b""), None),
            (old(b"\0there"), None),
            (wide(""), None),
            (b"!<symlink".to_vec(), None),
            (b"[.ShellClassInfo]\r\n".to_vec(), None),
            (old(&[b'x'; LONGEST]), None),
        ] {
            assert_eq!(read(&content).as_deref(), expected, "{content:?}");
        }
    }
}
