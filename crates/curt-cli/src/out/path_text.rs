//! Paths of any system in JSON, on any system: a string where they are Unicode, `{"bytes":BASE64}`
//! or `{"utf16":[…]}` where they are not, and `{"bytes":BASE64,"encoding":NAME}` in an encoding of
//! Ruby's.

use curt::paths::{Encoding, Flavor, PathText};
use serde_json::Value;

use crate::base64;
use crate::out::json;

/// A path in JSON. Of a Windows path the units are told, if there are any.
pub(crate) fn to_json(path: &PathText, flavor: Flavor) -> String {
    let bytes = path.to_bytes();
    if path.encoding() != Encoding::UTF_8 {
        let (bytes, name) = (base64::encode(&bytes), json::string(path.encoding().name()));
        return format!("{{\"bytes\":\"{bytes}\",\"encoding\":{name}}}");
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
        None => format!("{{\"bytes\":\"{}\"}}", base64::encode(&bytes)),
    }
}

/// A path from JSON.
pub(crate) fn from_json(value: &Value) -> Option<PathText> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    if let Some(bytes) = value.get("bytes") {
        let bytes = base64::decode(bytes.as_str()?)?;
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

#[cfg(test)]
mod tests {
    use super::{from_json, to_json};
    use curt::paths::Flavor::{Posix, Windows};
    use curt::paths::{Encoding, PathText};

    #[test]
    fn texts_come_back_as_they_went() {
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
}
