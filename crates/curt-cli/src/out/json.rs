//! JSON, one object per line. A name that is not Unicode becomes an object with the exact bytes or
//! UTF-16 units.

use std::ffi::OsStr;
use std::path::Path;

use curt::fields::Time;
use curt::paths::{Flavor, PathText};
use curt::{Calls, is_printable};

#[derive(Default)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field whose value is already JSON.
    pub(crate) fn raw(mut self, name: &str, value: &str) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&string(name));
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.raw(name, &string(value))
    }

    pub(crate) fn path(self, name: &str, value: impl AsRef<Path>) -> Self {
        self.raw(name, &os_string(value.as_ref().as_os_str()))
    }

    pub(crate) fn number(self, name: &str, value: impl Into<i128>) -> Self {
        self.raw(name, &value.into().to_string())
    }

    pub(crate) fn boolean(self, name: &str, value: bool) -> Self {
        self.raw(name, if value { "true" } else { "false" })
    }

    pub(crate) fn object(self, name: &str, value: Object) -> Self {
        self.raw(name, &value.end())
    }

    pub(crate) fn list(self, name: &str, items: impl IntoIterator<Item = String>) -> Self {
        let items: Vec<String> = items.into_iter().collect();
        self.raw(name, &format!("[{}]", items.join(",")))
    }

    pub(crate) fn objects(self, name: &str, items: impl IntoIterator<Item = Object>) -> Self {
        self.list(name, items.into_iter().map(Object::end))
    }

    fn end(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }

    pub(crate) fn line(self) -> String {
        self.end() + "\n"
    }
}

pub(crate) fn string(text: &str) -> String {
    // Serializing a string into memory cannot fail.
    let json = serde_json::to_string(text).unwrap_or_default();
    if json.is_ascii() && !json.contains('\x7f') || json.chars().all(is_printable) {
        return json;
    }
    let escape = |character: char| {
        if is_printable(character) {
            character.to_string()
        } else {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            units.map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat()
        }
    };
    json.chars().map(escape).collect()
}

pub(crate) fn os_string(name: &OsStr) -> String {
    match name.to_str() {
        Some(text) => string(text),
        None => path(&PathText::from(Path::new(name)), Flavor::NATIVE),
    }
}

/// Returns a path as JSON. A Windows path that is not Unicode is written as UTF-16 units.
pub(crate) fn path(path: &PathText, flavor: Flavor) -> String {
    let bytes = path.to_bytes();
    if let Ok(text) = std::str::from_utf8(&bytes) {
        return string(text);
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

pub(crate) fn time(time: Time) -> String {
    format!("{{\"s\":{},\"ns\":{}}}", time.seconds, time.nanoseconds)
}

pub(crate) fn calls(calls: &Calls) -> Object {
    let by_name =
        calls.iter().fold(Object::new(), |object, (name, count)| object.number(name, count));
    by_name.number("total", calls.total())
}

#[cfg(test)]
mod tests {
    use super::Object;

    #[test]
    fn objects_keep_the_order_of_their_fields() {
        let inner = Object::new().number("n", -1).boolean("yes", true);
        let line =
            Object::new().text("te\"xt", "a\nb").object("in", inner).objects("none", []).line();
        assert_eq!(line, "{\"te\\\"xt\":\"a\\nb\",\"in\":{\"n\":-1,\"yes\":true},\"none\":[]}\n");
        assert_eq!(Object::new().line(), "{}\n");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(super::string("a\u{1b}\u{7f}\u{9b}é"), "\"a\\u001b\\u007f\\u009bé\"");
    }

    #[test]
    fn text_that_is_not_unicode_is_bytes_or_units() {
        use curt::paths::Flavor::{Posix, Windows};
        use curt::paths::PathText;
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
            assert_eq!(super::path(&path, flavor), json);
        }
    }

    #[test]
    fn encodes_base64_like_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(super::encode(bytes.as_bytes()), text);
        }
        assert_eq!(super::encode(&[0xff, 0xfe]), "//4=");
    }
}
