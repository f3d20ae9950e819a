//! Paths of any system in JSON: a string if they are Unicode, otherwise `{"bytes":BASE64}` or
//! `{"utf16":[…]}`.

use curt::paths::{Flavor, PathText};

use crate::out::json;

/// Returns a path as JSON. A Windows path that is not Unicode is written as 16-bit units.
pub(crate) fn to_json(path: &PathText, flavor: Flavor) -> String {
    let bytes = path.to_bytes();
    if let Ok(text) = std::str::from_utf8(&bytes) {
        return json::string(text);
    }
    let units = path.to_units().ok().filter(|_| flavor == Flavor::Windows || path.is_wide());
    match units {
        Some(units) => {
            let units: Vec<String> = units.iter().map(u16::to_string).collect();
            format!("{{\"utf16\":[{}]}}", units.join(","))
        }
        None => format!("{{\"bytes\":\"{}\"}}", encode(&bytes)),
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes in base64, with padding.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            let is_used = digit <= chunk.len();
            text.push(if is_used { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{encode, to_json};
    use curt::paths::Flavor::{Posix, Windows};
    use curt::paths::PathText;

    #[test]
    fn text_that_is_not_unicode_is_bytes_or_units() {
        let bytes = |bytes: &[u8]| PathText::from(bytes);
        let wide = |units: &[u16]| PathText::from(units);
        for (path, flavor, json) in [
            (bytes(b"a\"b"), Posix, r#""a\"b""#),
            (wide(&[0x61, 0xe9]), Windows, r#""aé""#),
            (bytes(b"\xff"), Posix, r#"{"bytes":"/w=="}"#),
            (bytes(b"\xff"), Windows, r#"{"bytes":"/w=="}"#),
            (bytes(b"\xed\xa0\x80"), Posix, r#"{"bytes":"7aCA"}"#),
            (bytes(b"\xed\xa0\x80"), Windows, r#"{"utf16":[55296]}"#),
            (wide(&[0xd800]), Posix, r#"{"utf16":[55296]}"#),
        ] {
            assert_eq!(to_json(&path, flavor), json);
        }
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        assert_eq!(encode(&[0xff, 0xfe]), "//4=");
    }
}
