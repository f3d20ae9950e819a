//! Names that are not Unicode: 16-bit units with surrogates that have no partner.

use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::{OsStrExt, OsStringExt};

/// A name from a list: UTF-8, where a surrogate without a partner is written as the three bytes
/// that UTF-8 would give its number (WTF-8). `None` for bytes that are neither.
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

/// A name that is not Unicode, as JSON: its 16-bit units.
pub(crate) fn name_to_json(name: &OsStr) -> String {
    let units: Vec<String> = name.encode_wide().map(|unit| unit.to_string()).collect();
    format!("{{\"utf16\":[{}]}}", units.join(","))
}

#[cfg(test)]
mod tests {
    use super::{OsStrExt, OsString, OsStringExt, name_from_bytes, name_to_json};

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
    fn names_that_are_no_text_are_units() {
        let name = OsString::from_wide(&[0x61, 0xd800]);
        assert_eq!(name_to_json(&name), r#"{"utf16":[97,55296]}"#);
    }

    #[test]
    fn surrogates_without_a_partner_are_shown_escaped() {
        let name = OsString::from_wide(&[0x61, 0xd800, 0x62, 0xdc00]);
        assert_eq!(crate::quote::quote(name), r"'a'$'\355\240\200''b'$'\355\260\200'");
    }
}
