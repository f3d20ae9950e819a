//! Terminal hyperlinks (escape sequence OSC 8). Terminals without hyperlinks ignore them.

use std::path::{Path, is_separator};

/// Begins a link to an absolute path. The caller must end it. An empty host means this machine.
pub(crate) fn begin(host: &[u8], path: &Path, to: &mut Vec<u8>) {
    to.extend_from_slice(b"\x1b]8;;file://");
    let path = path.as_os_str().as_encoded_bytes();
    // Strip the prefix of canonical paths on Windows.
    let path = path.strip_prefix(br"\\?\").unwrap_or(path);
    if let Some(remote) = path.strip_prefix(br"UNC\") {
        // The path of a network share contains the host.
        return escape(remote, true, to);
    }
    to.extend_from_slice(host);
    // `C:/x` becomes `file:///C:/x`.
    if !path.starts_with(b"/") {
        to.push(b'/');
    }
    escape(path, true, to);
}

/// Percent-encodes text as GNU ls does.
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

#[cfg(test)]
mod tests {
    use super::begin;
    use std::path::Path;

    #[test]
    fn urls_have_the_machine_and_the_escaped_path() {
        let is_windows = std::path::is_separator('\\');
        for (path, url) in [
            ("/a b/%\u{1b}", "here/a%20b/%25%1b"),
            ("/\u{e9}~-._", "here/%c3%a9~-._"),
            (r"\\?\C:\x", if is_windows { "here/C:/x" } else { "here/C%3a%5cx" }),
            (r"\\?\UNC\there\x", if is_windows { "there/x" } else { "there%5cx" }),
        ] {
            let mut text = Vec::new();
            begin(b"here", Path::new(path), &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), format!("\x1b]8;;file://{url}"), "{path}");
        }
    }
}
