//! Whether a text is JSON: one value, or several after each other.

const MAX_DEPTH: usize = 64;

/// The line and what was expected there, of the first thing that is not JSON.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    reader.spaces();
    let mut values = 0;
    while reader.at < reader.bytes.len() {
        reader.value(0).map_err(|expected| {
            let line = 1 + text.as_bytes()[..reader.at].iter().filter(|b| **b == b'\n').count();
            format!("line {line} of the block: expected {expected}")
        })?;
        reader.spaces();
        values += 1;
    }
    if values == 0 { Err("an empty block".to_string()) } else { Ok(()) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn spaces(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8, name: &'static str) -> Result<(), &'static str> {
        if self.peek() != Some(byte) {
            return Err(name);
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<(), &'static str> {
        if depth > MAX_DEPTH {
            return Err("less nesting");
        }
        match self.peek() {
            Some(b'{') => self.list(b'}', depth, true),
            Some(b'[') => self.list(b']', depth, false),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let rest = &self.bytes[self.at..];
                let word =
                    ["true", "false", "null"].iter().find(|w| rest.starts_with(w.as_bytes()));
                self.at += word.ok_or("a value")?.len();
                Ok(())
            }
        }
    }

    /// An array, or with keys an object.
    fn list(&mut self, end: u8, depth: usize, has_keys: bool) -> Result<(), &'static str> {
        self.at += 1;
        self.spaces();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            if has_keys {
                self.string()?;
                self.spaces();
                self.eat(b':', "`:`")?;
                self.spaces();
            }
            self.value(depth + 1)?;
            self.spaces();
            if self.peek() == Some(end) {
                self.at += 1;
                return Ok(());
            }
            self.eat(b',', "`,` or the end of the list")?;
            self.spaces();
        }
    }

    fn string(&mut self) -> Result<(), &'static str> {
        self.eat(b'"', "a string")?;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.at += 1,
                b'\n' => break,
                _ => {}
            }
        }
        Err("the end of the string")
    }

    fn number(&mut self) -> Result<(), &'static str> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("");
        text.parse::<f64>().map(|_| ()).map_err(|_| "a number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_after_each_other_are_json() {
        assert_eq!(check("{\"a\": [1, -2.5e3, \"x\\\"y\", null]}\n{}\n"), Ok(()));
    }

    #[test]
    fn what_is_not_json_is_told_with_its_line() {
        assert!(check("").is_err());
        assert!(check("{\"a\": 1,}").is_err());
        assert!(check("[1 2]").is_err());
        assert!(check(&"[".repeat(100_000)).is_err());
        let line = check("[1,\n 2,\n x]").unwrap_err();
        assert_eq!(line, "line 3 of the block: expected a value");
    }
}
