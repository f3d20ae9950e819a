//! JSON, one object per line. Text is a string; a name that is not Unicode is an object that holds
//! its exact bytes or units.

use std::ffi::OsStr;
use std::path::Path;

use curt::fields::Time;
use curt::paths::{Flavor, PathText};
use curt::{Calls, is_printable};

use super::path_text;

/// An object being written. Fields keep the order in which they are added.
#[derive(Default)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field whose value is JSON already.
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

    /// Adds a list whose items are JSON already.
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

/// Returns text as a JSON string, with everything escaped that a terminal would act upon.
pub(crate) fn string(text: &str) -> String {
    // Writing a string into memory cannot fail.
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
        None => path_text::to_json(&PathText::from(Path::new(name)), Flavor::NATIVE),
    }
}

/// Returns a time as JSON.
pub(crate) fn time(time: Time) -> String {
    format!("{{\"s\":{},\"ns\":{}}}", time.seconds, time.nanoseconds)
}

/// Returns the number of calls by name, and their total.
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
}
