//! Bytes and JSON as text that may stand within a `<script>` element.

use std::io::{self, Write};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Length of `bytes` bytes in base64.
pub(crate) fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Takes bytes in pieces of any length and writes them in base64.
pub(crate) struct Base64<'a> {
    out: &'a mut dyn Write,
    /// Bytes that do not make a group of three yet.
    rest: [u8; 3],
    len: usize,
}

impl<'a> Base64<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, rest: [0; 3], len: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        for &byte in bytes {
            self.rest[self.len] = byte;
            self.len += 1;
            if self.len == 3 {
                self.out.write_all(&group(self.rest))?;
                self.len = 0;
            }
        }
        Ok(())
    }

    /// Writes what is left, with its padding.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.len > 0 {
            self.rest[self.len..].fill(0);
            let mut digits = group(self.rest);
            digits[self.len + 1..].fill(b'=');
            self.out.write_all(&digits)?;
            self.len = 0;
        }
        Ok(())
    }
}

fn group([a, b, c]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from(a) << 16 | u32::from(b) << 8 | u32::from(c);
    [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift & 63) as usize])
}

/// The same JSON without a character that could end a script element or a line of JavaScript.
pub(crate) fn escape(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base64(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut encoder = Base64::new(&mut out);
        for piece in pieces {
            encoder.push(piece).unwrap();
        }
        encoder.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn base64_is_that_of_rfc_4648_however_the_bytes_are_cut() {
        assert_eq!(base64(&[]), "");
        assert_eq!(base64(&[b"f"]), "Zg==");
        assert_eq!(base64(&[b"fo"]), "Zm8=");
        assert_eq!(base64(&[b"f", b"", b"oob", b"ar"]), "Zm9vYmFy");
        assert_eq!(base64(&[&[0xff, 0xff], &[0xfe, 0x00]]), "///+AA==");
        assert_eq!(base64_len(4), 8);
    }

    #[test]
    fn escaped_json_is_the_same_value_without_dangerous_characters() {
        let text = "</script>&\u{2028}\u{2029}\"é";
        let escaped = escape(&serde_json::to_string(text).unwrap());
        assert!(!escaped.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
