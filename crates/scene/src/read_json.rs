//! JSON as a tree. A key that occurs twice is an error.

use std::collections::BTreeSet;

use crate::error::Errors;
use crate::tree::{At, DEPTH, Entry, Node, PARTS, Sources, Table, Value};

/// The first syntax error, or the tree.
pub(crate) fn read(sources: &Sources, source: u32, errors: &mut Errors) -> Option<Node> {
    let mut reader = Reader { text: sources.text(source), source, i: 0, parts: 0 };
    let found = reader.value(0).and_then(|node| {
        reader.skip_space();
        if reader.i < reader.text.len() {
            return Err(reader.wrong("the end of the file"));
        }
        Ok(node)
    });
    match found {
        Ok(node) if node.table().is_some() => Some(node),
        Ok(node) => {
            errors.expected(node.at, node.describe(), "a scene (an object)");
            None
        }
        Err((at, message)) => {
            errors.push(at, format!("not JSON: {message}"));
            None
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    source: u32,
    /// The next byte.
    i: usize,
    /// Values so far.
    parts: usize,
}

type Wrong = (At, String);

impl Reader<'_> {
    fn at(&self, start: usize) -> At {
        At { source: self.source, start: start as u32, end: self.i as u32 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.i).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.i += 1;
        }
    }

    fn wrong(&self, expected: &str) -> Wrong {
        let found = match self.text[self.i..].chars().next() {
            Some(c) => format!("`{}`", c.escape_debug()),
            None => "the end of the file".to_string(),
        };
        (self.at(self.i), format!("found {found}, expected {expected}"))
    }

    /// Steps over a byte that must be there.
    fn expect(&mut self, byte: u8, expected: &str) -> Result<(), Wrong> {
        if self.peek() != Some(byte) {
            return Err(self.wrong(expected));
        }
        self.i += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Wrong> {
        self.skip_space();
        let start = self.i;
        if depth > DEPTH {
            let message = format!("found deeper nesting, expected at most {DEPTH} levels");
            return Err((self.at(start), message));
        }
        self.parts += 1;
        if self.parts > PARTS {
            let message = format!("found a file of more values, expected at most {PARTS}");
            return Err((self.at(start), message));
        }
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { value, at: self.at(start) })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Wrong> {
        self.i += 1;
        let (mut entries, mut names) = (Vec::new(), BTreeSet::new());
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.i += 1;
            return Ok(Value::Table(Table { entries }));
        }
        loop {
            self.skip_space();
            let start = self.i;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in quotes"));
            }
            let name = self.string()?;
            let at = self.at(start);
            if !names.insert(name.clone()) {
                return Err((at, format!("found the key {name:?} twice, expected it once")));
            }
            self.skip_space();
            self.expect(b':', "`:`")?;
            let node = self.value(depth + 1)?;
            entries.push(Entry { name, at, node });
            self.skip_space();
            if self.peek() == Some(b',') {
                self.i += 1;
                continue;
            }
            self.expect(b'}', "`,` or `}`")?;
            return Ok(Value::Table(Table { entries }));
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Wrong> {
        self.i += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.i += 1;
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.peek() == Some(b',') {
                self.i += 1;
                continue;
            }
            self.expect(b']', "`,` or `]`")?;
            return Ok(Value::List(items));
        }
    }

    fn word(&mut self) -> Result<Value, Wrong> {
        for (word, value) in [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Other("null")),
        ] {
            if self.text[self.i..].starts_with(word) {
                self.i += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("a value"))
    }

    fn number(&mut self) -> Result<Value, Wrong> {
        let start = self.i;
        let digits = |reader: &mut Self| {
            let from = reader.i;
            while reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                reader.i += 1;
            }
            if from == reader.i { Err(reader.wrong("a digit")) } else { Ok(()) }
        };
        if self.peek() == Some(b'-') {
            self.i += 1;
        }
        let leading = self.i;
        digits(self)?;
        if self.text.as_bytes()[leading] == b'0' && self.i > leading + 1 {
            return Err((self.at(start), "found a number that begins with 0".to_string()));
        }
        let mut is_whole = true;
        if self.peek() == Some(b'.') {
            is_whole = false;
            self.i += 1;
            digits(self)?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_whole = false;
            self.i += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.i += 1;
            }
            digits(self)?;
        }
        let text = &self.text[start..self.i];
        let value = match (is_whole, text.parse::<i64>(), text.parse::<f64>()) {
            (true, Ok(value), _) => Value::Whole(value),
            (false, _, Ok(value)) if value.is_finite() => Value::Number(value),
            _ => {
                let message = format!("found {text}, expected a number that 64 bits can hold");
                return Err((self.at(start), message));
            }
        };
        Ok(value)
    }

    fn string(&mut self) -> Result<String, Wrong> {
        self.i += 1;
        let mut text = String::new();
        loop {
            let start = self.i;
            let Some(c) = self.text[self.i..].chars().next() else {
                return Err(self.wrong("`\"`"));
            };
            self.i += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => text.push(self.escaped()?),
                c if c < ' ' => {
                    self.i = start;
                    return Err(self.wrong("`\"` before the end of the line"));
                }
                c => text.push(c),
            }
        }
    }

    /// What follows a backslash.
    fn escaped(&mut self) -> Result<char, Wrong> {
        let start = self.i;
        let Some(c) = self.text[self.i..].chars().next() else {
            return Err(self.wrong("an escaped character"));
        };
        self.i += c.len_utf8();
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(start),
            _ => {
                self.i = start;
                return Err(self.wrong("one of \" \\ / b f n r t u"));
            }
        })
    }

    /// Four hexadecimal digits, or eight as a pair of surrogates.
    fn unicode(&mut self, start: usize) -> Result<char, Wrong> {
        let first = self.hexadecimal()?;
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) && self.text[self.i..].starts_with("\\u") {
            self.i += 2;
            units.push(self.hexadecimal()?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(c)), None) => Ok(c),
            _ => Err((self.at(start), "found half a character, expected both halves".to_string())),
        }
    }

    fn hexadecimal(&mut self) -> Result<u16, Wrong> {
        let digits = self.text.get(self.i..self.i + 4).unwrap_or("");
        let is_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u16::from_str_radix(digits, 16) {
            Ok(unit) if is_hex => {
                self.i += 4;
                Ok(unit)
            }
            _ => Err(self.wrong("four hexadecimal digits")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Source;

    fn tree(text: &str) -> Result<Node, String> {
        let (mut sources, mut errors) = (Sources::default(), Errors::default());
        let source =
            Source { name: "x.json".to_string(), text: text.to_string(), ..Source::default() };
        let source = sources.add(source);
        let node = read(&sources, source, &mut errors);
        node.ok_or_else(|| errors.told(&sources)[0].to_string())
    }

    #[test]
    fn texts_and_numbers_are_read_as_they_are() {
        let node = tree(r#"{"a": "\u00e9\ud83d\ude00\n", "b": [0.1, -3, 1e-5, true]}"#).unwrap();
        let table = node.table().unwrap();
        assert_eq!(table.get("a").unwrap().text(), Some("é😀\n"));
        let numbers: Vec<Value> =
            table.get("b").unwrap().list().iter().map(|node| node.value.clone()).collect();
        let expected = [Value::Number(0.1), Value::Whole(-3), Value::Number(1e-5)];
        assert_eq!(numbers[..3], expected);
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, start) in [
            ("", "x.json:1:1: "),
            ("{\"a\": 1,\n \"a\": 2}", "x.json:2:2: "),
            ("{\"a\": 01}", "x.json:1:7: "),
            ("{\"a\": 1e999}", "x.json:1:7: "),
            ("{\"a\": \"\\ud800\"}", "x.json:1:9: "),
            ("{\"a\": \"\\uéé\"}", "x.json:1:10: "),
            ("{\"a\": [1, 2}", "x.json:1:12: "),
            ("{\"a\": 1} x", "x.json:1:10: "),
            ("{'a': 1}", "x.json:1:2: "),
            ("[1]", "x.json:1:1: "),
            ("{\"a\": NaN}", "x.json:1:7: "),
        ] {
            let message = tree(text).unwrap_err();
            assert!(message.starts_with(start), "{text}: {message}");
        }
    }

    #[test]
    fn nesting_of_a_hundred_thousand_levels_is_an_error() {
        let many = 100_000;
        for text in [format!("{{\"a\":{}", "[".repeat(many)), "{\"a\":".repeat(many)] {
            assert!(tree(&text).unwrap_err().contains("at most 64 levels"));
        }
    }
}
