//! Reading a question: an object of JSON in which every key is known and stands once. Otherwise a
//! question would be answered as if a part of it had not been asked.

use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The keys of a name or a text that is not Unicode.
const ENCODED: [&str; 3] = ["bytes", "utf16", "encoding"];
/// The key whose value has keys that are free.
const FREE: &str = "drives";

/// Reads a question that may have these keys. The error says what is wrong, and names the key.
pub(crate) fn read(line: &[u8], keys: &[&str]) -> Result<Value, String> {
    let Strict(value) = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let Value::Object(question) = &value else {
        return Err("it is no object".to_owned());
    };
    for (key, value) in question {
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
    Ok(value)
}

/// An object within a question is a text.
fn check_text(value: &Value) -> Result<(), String> {
    let mut keys = value.as_object().into_iter().flat_map(Map::keys);
    let strange = keys.find(|key| !ENCODED.contains(&key.as_str()));
    strange.map_or(Ok(()), |key| Err(unknown(key)))
}

fn unknown(key: &str) -> String {
    format!("there is no key '{key}'")
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
                return Err(A::Error::custom(format_args!("the key '{key}' stands twice")));
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn each_key_is_known_and_stands_once() {
        let read = |line: &str| read(line.as_bytes(), &["path", "drives"]);
        let line = r#"{"path":{"bytes":"/w=="},"drives":{"C":"a","D":{"utf16":[1]}}}"#;
        assert_eq!(read(line).unwrap(), serde_json::from_str::<serde_json::Value>(line).unwrap());
        for (line, key) in [
            (r#"{"path":"a","path":"b"}"#, "'path' stands twice"),
            (r#"{"path":"a","\u0070ath":"b"}"#, "'path' stands twice"),
            (r#"{"path":"a","x":1}"#, "no key 'x'"),
            (r#"{"path":{"bytes":"","bytes":""}}"#, "'bytes' stands twice"),
            (r#"{"path":{"bytes":"","more":""}}"#, "no key 'more'"),
            (r#"{"drives":{"C":"a","C":"b"}}"#, "'C' stands twice"),
            (r#"{"drives":{"C":{"byte":"a"}}}"#, "no key 'byte'"),
            ("[]", "no object"),
            ("1", "no object"),
        ] {
            let message = read(line).unwrap_err();
            assert!(message.contains(key), "{line}: {message}");
        }
        for value in ["null", "true", "-1", "1.5", "[[1,\"a\"],{}]"] {
            let line = format!(r#"{{"path":{value}}}"#);
            assert_eq!(
                read(&line).unwrap(),
                serde_json::from_str::<serde_json::Value>(&line).unwrap()
            );
        }
    }
}
