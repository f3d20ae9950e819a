//! One question: a JSON object in which every key is known and occurs once. Otherwise a question
//! would be answered as if part of it had not been asked.

use std::ffi::OsString;
use std::fmt;

use curt::paths::PathText;
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::args;
use crate::out::path_text;

/// The keys of a path or a text that is not Unicode.
const ENCODED: [&str; 3] = ["bytes", "utf16", "encoding"];
/// The key whose value may have any keys.
const FREE: &str = "drives";

/// A question. By default it has no keys.
#[derive(Debug, Default)]
pub(crate) struct Question(Map<String, Value>);

/// What a question has under a key.
pub(crate) enum Member<T> {
    /// Nothing.
    Absent,
    Null,
    Value(T),
}

impl<T> Member<T> {
    /// Returns the value, or the default if the key is absent.
    pub(crate) fn or(self, default: Option<T>) -> Option<T> {
        match self {
            Member::Absent => default,
            Member::Null => None,
            Member::Value(value) => Some(value),
        }
    }

    /// Returns the value.
    pub(crate) fn value(self) -> Option<T> {
        self.or(None)
    }

    /// Returns the value of a key that a question must have.
    pub(crate) fn required(self, key: &str) -> Result<T, String> {
        self.value().ok_or_else(|| format!("'{key}' is missing"))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Member::Null)
    }

    fn try_map<U>(self, to: impl FnOnce(T) -> Result<U, String>) -> Result<Member<U>, String> {
        Ok(match self {
            Member::Absent => Member::Absent,
            Member::Null => Member::Null,
            Member::Value(value) => Member::Value(to(value)?),
        })
    }
}

impl Question {
    /// Reads a question that may have these keys. The error says what is wrong.
    pub(crate) fn read(line: &[u8], keys: &[&str]) -> Result<Question, String> {
        let Strict(value) =
            serde_json::from_slice(line).map_err(|error| format!("invalid JSON: {error}"))?;
        let Value::Object(question) = value else {
            return Err("not a JSON object".to_owned());
        };
        for (key, value) in &question {
            if !keys.contains(&key.as_str()) {
                return Err(unknown(key));
            }
            if key == FREE {
                let mut values = value.as_object().into_iter().flat_map(Map::values);
                values.try_for_each(check_text)?;
            } else {
                check_text(value)?;
            }
        }
        Ok(Question(question))
    }

    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &str) -> Member<&Value> {
        match self.0.get(key) {
            None => Member::Absent,
            Some(Value::Null) => Member::Null,
            Some(value) => Member::Value(value),
        }
    }

    /// Returns the path or text of a key, of any system.
    pub(crate) fn text(&self, key: &str) -> Result<Member<PathText>, String> {
        self.value(key).try_map(|value| {
            path_text::from_json(value).ok_or_else(|| format!("'{key}' is not a path or text"))
        })
    }

    /// Returns the path or text of a key, of this system.
    pub(crate) fn os_text(&self, key: &str) -> Result<Member<OsString>, String> {
        self.text(key)?.try_map(|text| {
            let path =
                text.to_path().map_err(|_| format!("'{key}' is not valid on this system"))?;
            Ok(path.into_os_string())
        })
    }

    /// Returns the word of a key.
    pub(crate) fn word(&self, key: &str) -> Result<Member<String>, String> {
        self.value(key).try_map(|value| match value {
            Value::String(word) => Ok(word.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(format!("'{key}' is not a string")),
        })
    }

    /// Returns what the word of a key means.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
    ) -> Result<Member<T>, String> {
        self.word(key)?.try_map(|word| {
            args::meaning(words, &word).ok_or_else(|| format!("'{key}' cannot be '{word}'"))
        })
    }

    /// Returns whether a key is true, which it is by default if `default` is.
    pub(crate) fn flag(&self, key: &str, default: bool) -> Result<bool, String> {
        match self.value(key) {
            Member::Absent | Member::Null => Ok(default),
            Member::Value(value) => {
                value.as_bool().ok_or_else(|| format!("'{key}' is neither true nor false"))
            }
        }
    }

    /// Returns the strings in the list of a key.
    pub(crate) fn strings(&self, key: &str) -> Result<Member<Vec<&str>>, String> {
        self.value(key).try_map(|value| {
            let strings: Option<Vec<&str>> =
                value.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
            strings.ok_or_else(|| format!("'{key}' is not a list of strings"))
        })
    }
}

/// An object within a question must be a text.
fn check_text(value: &Value) -> Result<(), String> {
    let mut keys = value.as_object().into_iter().flat_map(Map::keys);
    let strange = keys.find(|key| !ENCODED.contains(&key.as_str()));
    strange.map_or(Ok(()), |key| Err(unknown(key)))
}

fn unknown(key: &str) -> String {
    format!("unknown key '{key}'")
}

/// A value in which no object has a key twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Strict, D::Error> {
        from.deserialize_any(Reader).map(Strict)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key '{key}'")));
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::Question;

    #[test]
    fn each_key_is_known_and_occurs_once() {
        let read = |line: &str| Question::read(line.as_bytes(), &["path", "drives"]);
        let same = |line: &str| {
            let value = serde_json::Value::Object(read(line).unwrap().0);
            assert_eq!(value, serde_json::from_str::<serde_json::Value>(line).unwrap());
        };
        same(r#"{"path":{"bytes":"/w=="},"drives":{"C":"a","D":{"utf16":[1]}}}"#);
        for (line, key) in [
            (r#"{"path":"a","path":"b"}"#, "duplicate key 'path'"),
            (r#"{"path":"a","\u0070ath":"b"}"#, "duplicate key 'path'"),
            (r#"{"path":"a","x":1}"#, "unknown key 'x'"),
            (r#"{"path":{"bytes":"","bytes":""}}"#, "duplicate key 'bytes'"),
            (r#"{"path":{"bytes":"","more":""}}"#, "unknown key 'more'"),
            (r#"{"drives":{"C":"a","C":"b"}}"#, "duplicate key 'C'"),
            (r#"{"drives":{"C":{"byte":"a"}}}"#, "unknown key 'byte'"),
            ("[]", "not a JSON object"),
            ("1", "not a JSON object"),
        ] {
            let message = read(line).unwrap_err();
            assert!(message.contains(key), "{line}: {message}");
        }
        for value in ["null", "true", "-1", "1.5", "[[1,\"a\"],{}]"] {
            same(&format!(r#"{{"path":{value}}}"#));
        }
    }
}
