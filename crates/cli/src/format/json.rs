//! JSON as a tree. Unlike `serde_json::Value` it refuses a key that occurs twice.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::error::Problematic;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Problematic> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
            Problematic::NotText { line, column }
        })?;
        // some editors begin a file with a byte order mark
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = error.to_string();
            let place = format!(" at line {line} column {column}");
            let message = message.strip_suffix(&place).unwrap_or(&message).to_string();
            Problematic::Syntax { line, column, message }
        })
    }

    /// The thing in a few words, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_string(),
            Self::Bool(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(text) if text.chars().count() > 40 => {
                format!("the text {:?}…", text.chars().take(40).collect::<String>())
            }
            Self::Text(text) => format!("the text {text:?}"),
            Self::List(items) => format!("a list of length {}", items.len()),
            Self::Object(_) => "an object".to_string(),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut object = BTreeMap::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} occurs twice")));
            }
            let value = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        for text in ["0.1", "2.2250738585072014e-308", "9007199254740993.5", "-0.30000000000000004"]
        {
            let exact: f64 = text.parse().unwrap();
            assert_eq!(Json::parse(text.as_bytes()).unwrap(), Json::Number(exact), "{text}");
        }
    }

    #[test]
    fn a_key_twice_and_a_bad_byte_have_a_place() {
        let twice = Json::parse(b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
        assert!(matches!(twice, Problematic::Syntax { line: 2, .. }), "{twice:?}");
        let bad_byte = Json::parse(b"{\n\"a\xff\"}").unwrap_err();
        assert!(matches!(bad_byte, Problematic::NotText { line: 2, column: 3 }), "{bad_byte:?}");
    }
}
