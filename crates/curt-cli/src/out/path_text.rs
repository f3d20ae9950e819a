//! Paths of any system in JSON: a string if they are Unicode, otherwise `{"bytes":BASE64}` or
//! `{"utf16":[…]}`, and `{"bytes":BASE64,"encoding":NAME}` in one of Ruby's encodings.

use curt::paths::{Encoding, Flavor, PathText};
use serde_json::Value;

use crate::out::json;

/// Returns a path as JSON. A Windows path that is not Unicode is written as 16-bit units.
pub(crate) fn to_json(path: &PathText, flavor: Flavor) -> String {
    let bytes = path.to_bytes();
    if path.encoding() != Encoding::UTF_8 {
        let name = json::string(path.encoding().name());
        return format!("{{\"bytes\":\"{}\",\"encoding\":{name}}}", encode(&bytes));
    }
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

/// Reads a path from JSON.
pub(crate) fn from_json(value: &Value) -> Option<PathText> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    if let Some(bytes) = value.get("bytes") {
        let bytes = decode(bytes.as_str()?)?;
        let encoding = match value.get("encoding") {
            Some(name) => Encoding::named(name.as_str()?)?,
            None => Encoding::UTF_8,
        };
        return Some(PathText::encoded(bytes, encoding));
    }
    let units = value.get("utf16")?.as_array()?.iter();
    let units: Option<Vec<u16>> = units.map(|unit| u16::try_from(unit.as_u64()?).ok()).collect();
    Some(units?.into())
}

/// The digits of base64 (RFC 4648).
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

/// Decodes base64, which must have its padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let chunks = text.as_bytes().chunks(4);
    let last = chunks.len().wrapping_sub(1);
    for (index, chunk) in chunks.enumerate() {
        let digits = match chunk {
            [a, b, b'=', b'='] if index == last => &[*a, *b][..],
            [a, b, c, b'='] if index == last => &[*a, *b, *c][..],
            [_, _, _, _] => chunk,
            _ => return None,
        };
        let mut bits = 0_u32;
        for &digit in digits {
            let value = DIGITS.iter().position(|&known| known == digit)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bits <<= 6 * (4 - digits.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..digits.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, from_json, to_json};
    use curt::paths::Flavor::{Posix, Windows};
    use curt::paths::{Encoding, PathText};

    #[test]
    fn paths_survive_a_round_trip() {
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
            (
                PathText::encoded(b"\x95\x5c".to_vec(), Encoding::named("CP932").unwrap()),
                Windows,
                r#"{"bytes":"lVw=","encoding":"Windows-31J"}"#,
            ),
        ] {
            assert_eq!(to_json(&path, flavor), json);
            let back = from_json(&serde_json::from_str(json).unwrap()).unwrap();
            assert_eq!((back.to_bytes(), back.encoding()), (path.to_bytes(), path.encoding()));
        }
        for wrong in [
            "1",
            "{}",
            r#"{"bytes":1}"#,
            r#"{"bytes":"!"}"#,
            r#"{"utf16":[65536]}"#,
            r#"{"bytes":"","encoding":"none"}"#,
            r#"{"bytes":"","encoding":1}"#,
        ] {
            assert_eq!(from_json(&serde_json::from_str(wrong).unwrap()), None, "{wrong}");
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
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for wrong in ["Z", "Zg=", "Zg==Zg==", "Z===", "!!!!", "Zm9v\n"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
        assert_eq!(encode(&[0xff, 0xfe]), "//4=");
    }
}
