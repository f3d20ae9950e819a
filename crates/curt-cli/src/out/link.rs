//! Links in a terminal: the sequence OSC 8, which terminals without links ignore.

use std::path::{MAIN_SEPARATOR, Path};

/// Begins a link to a file by its full path. Without a host it is one of this machine.
pub(crate) fn begin(path: &Path, to: &mut Vec<u8>) {
    to.extend_from_slice(b"\x1b]8;;file://");
    let bytes = path.as_os_str().as_encoded_bytes();
    // As in file:///C:/x.
    if !bytes.starts_with(b"/") {
        to.push(b'/');
    }
    for &byte in bytes {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => to.push(byte),
            b':' if MAIN_SEPARATOR != '/' => to.push(byte),
            byte if byte.is_ascii_alphanumeric() => to.push(byte),
            byte if char::from(byte) == MAIN_SEPARATOR => to.push(b'/'),
            byte => to.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    to.extend_from_slice(b"\x1b\\");
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
        let expected = "\x1b]8;;file:///a%20b/%C3%A9%25%1B\x1b\\x\x1b]8;;\x1b\\";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
