//! Links in a terminal: the sequence OSC 8, which terminals without links ignore.

use std::path::{Path, is_separator};

/// Begins a link to a file by its full path. Without a host it is one of this machine.
pub(crate) fn begin(path: &Path, to: &mut Vec<u8>) {
    to.extend_from_slice(b"\x1b]8;;file://");
    let bytes = path.as_os_str().as_encoded_bytes();
    // As in file:///C:/x.
    if !bytes.starts_with(b"/") {
        to.push(b'/');
    }
    escape(bytes, true, to);
    to.extend_from_slice(b"\x1b\\");
}

/// Adds text as a part of a URL, as GNU ls does.
pub(crate) fn escape(text: &[u8], is_path: bool, to: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'/' if is_path => to.push(b'/'),
            b'\\' if is_path && is_separator('\\') => to.push(b'/'),
            b':' if is_path && is_separator('\\') => to.push(b':'),
            b'~' | b'-' | b'.' | b'_' => to.push(byte),
            _ if byte.is_ascii_alphanumeric() => to.push(byte),
            _ => to.extend_from_slice(format!("%{byte:02x}").as_bytes()),
        }
    }
}

/// Ends a link.
pub(crate) fn end(to: &mut Vec<u8>) {
    to.extend_from_slice(b"\x1b]8;;\x1b\\");
}

#[cfg(test)]
mod tests {
    use super::{begin, end};

    #[test]
    fn links_are_encoded() {
        let mut text = Vec::new();
        begin("/a b/\u{e9}%\x1b".as_ref(), &mut text);
        text.extend_from_slice(b"x");
        end(&mut text);
        let expected = "\x1b]8;;file:///a%20b/%c3%a9%25%1b\x1b\\x\x1b]8;;\x1b\\";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
