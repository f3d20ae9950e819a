//! Names that are not Unicode: 16-bit units with unpaired surrogates.

use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;

/// Returns the name that has these bytes in WTF-8: UTF-8 in which an unpaired surrogate has the
/// three bytes that UTF-8 would give its number. `None` if the bytes are not WTF-8.
pub(crate) fn name_from_bytes(bytes: &[u8]) -> Option<OsString> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        let text = chunk.valid();
        units.extend(text.encode_utf16());
        rest = match &rest[text.len()..] {
            [0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, rest @ ..] => {
                units.push(0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f));
                rest
            }
            [] => break,
            _ => return None,
        };
    }
    Some(OsString::from_wide(&units))
}

#[cfg(test)]
mod tests {
    use super::{OsString, OsStringExt, name_from_bytes};
    use std::os::windows::ffi::OsStrExt;

    #[test]
    fn names_are_utf_8_with_surrogates() {
        for (bytes, units) in [
            (&b""[..], &[][..]),
            (b"a", &[0x61]),
            ("\u{e9}\u{1f600}".as_bytes(), &[0xe9, 0xd83d, 0xde00]),
            (b"\xed\xa0\x80", &[0xd800]),
            (b"a\xed\xbf\xbfb\xed\xa0\x80", &[0x61, 0xdfff, 0x62, 0xd800]),
        ] {
            let name = name_from_bytes(bytes).unwrap();
            assert!(name.encode_wide().eq(units.iter().copied()), "{bytes:x?}: {name:?}");
            assert_eq!(name.as_encoded_bytes(), bytes);
        }
        for bytes in [&b"\xff"[..], b"a\xed\xa0", b"\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"] {
            assert_eq!(name_from_bytes(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn unpaired_surrogates_are_escaped() {
        let name = OsString::from_wide(&[0x61, 0xd800, 0x62, 0xdc00]);
        assert_eq!(crate::quote::quote(name), r"'a'$'\355\240\200''b'$'\355\260\200'");
    }
}
