//! TOML as a tree.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::Errors;
use crate::tree::{At, DEPTH, Entry, Node, PARTS, Sources, Table, Value};

/// Files up to this size have all of their syntax errors told, larger ones the first [bytes].
const ALL_ERRORS: usize = 1 << 20;

/// All syntax errors, or the tree.
pub(crate) fn read(sources: &Sources, source: u32, errors: &mut Errors) -> Option<Node> {
    let text = sources.text(source);
    let at = |start: usize, end: usize| At { source, start: start as u32, end: end as u32 };
    if let Err((place, found, most)) = scan(text) {
        errors.expected(at(place, place), found, format!("at most {most}"));
        return None;
    }
    let (table, mistakes) = if text.len() <= ALL_ERRORS {
        DeTable::parse_recoverable(text)
    } else {
        match DeTable::parse(text) {
            Ok(table) => (table, Vec::new()),
            Err(mistake) => (Spanned::new(0..0, DeTable::new()), vec![mistake]),
        }
    };
    for mistake in &mistakes {
        let span = mistake.span().unwrap_or(0..0);
        let message = mistake.message().replace('\n', ", ");
        errors.push(at(span.start, span.end), format!("not TOML: {message}"));
    }
    if !mistakes.is_empty() {
        return None;
    }
    let mut converter = Converter { source, errors, failed: false };
    let node = converter.table(table.span(), table.get_ref(), 0);
    (!converter.failed).then_some(node)
}

struct Converter<'a> {
    source: u32,
    errors: &'a mut Errors,
    failed: bool,
}

impl Converter<'_> {
    fn at(&self, span: &std::ops::Range<usize>) -> At {
        At { source: self.source, start: span.start as u32, end: span.end as u32 }
    }

    fn table(&mut self, span: std::ops::Range<usize>, table: &DeTable<'_>, depth: usize) -> Node {
        let at = self.at(&span);
        let mut entries = Vec::with_capacity(table.len());
        for (name, value) in table.iter() {
            let node = self.node(value, depth + 1);
            let name_at = self.at(&name.span());
            entries.push(Entry { name: name.get_ref().to_string(), at: name_at, node });
        }
        Node { value: Value::Table(Table { entries }), at }
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>, depth: usize) -> Node {
        let at = self.at(&value.span());
        if depth > DEPTH {
            if !self.failed {
                self.errors.expected(at, "deeper nesting", format!("at most {DEPTH} levels"));
            }
            self.failed = true;
            return Node { value: Value::Other("nothing"), at };
        }
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(value) => Value::Whole(value),
                    Err(_) => self.bad_number(at, number.as_str()),
                }
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(x) if x.is_finite() || !number.as_str().contains(['.', 'e', 'E']) => {
                    Value::Number(x)
                }
                _ => self.bad_number(at, number.as_str()),
            },
            DeValue::Datetime(_) => Value::Other("a date"),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.node(item, depth + 1)).collect())
            }
            DeValue::Table(table) => return self.table(value.span(), table, depth),
        };
        Node { value, at }
    }

    fn bad_number(&mut self, at: At, text: &str) -> Value {
        self.errors.expected(at, text, "a number that 64 bits can hold");
        self.failed = true;
        Value::Other("nothing")
    }
}

/// What the parser does not limit, with its place and the limit: parts of dotted keys, of each of which it makes a table in a
/// table, and parts of the file, each of which it keeps several times.
fn scan(text: &str) -> Result<(), (usize, &'static str, usize)> {
    let bytes = text.as_bytes();
    let (mut i, mut dots, mut parts) = (0, 0, 0);
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    while i < bytes.len() {
        parts += 1;
        match bytes[i] {
            b'#' => i = end_of_line(bytes, i),
            quote @ (b'"' | b'\'') => {
                i = end_of_text(bytes, i, quote);
                continue;
            }
            b'.' => {
                // one part with the digits of a number
                parts -= usize::from(i > 0 && is_digit(i - 1) && is_digit(i + 1));
                dots += 1;
            }
            b' ' | b'\t' => parts -= usize::from(i > 0 && matches!(bytes[i - 1], b' ' | b',')),
            b'_' | b'-' => parts -= 1,
            byte if byte.is_ascii_alphanumeric() || byte >= 0x80 => parts -= 1,
            _ => dots = 0,
        }
        if dots >= DEPTH {
            return Err((i, "a key of more parts", DEPTH));
        }
        if parts > PARTS {
            return Err((i, "a file of more parts", PARTS));
        }
        i += 1;
    }
    Ok(())
}

fn end_of_line(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| start + i)
}

/// Behind the closing quotes; behind the line where a text of one line has none.
fn end_of_text(bytes: &[u8], start: usize, quote: u8) -> usize {
    let long = bytes[start..].starts_with(&[quote; 3]);
    let mut i = start + if long { 3 } else { 1 };
    while i < bytes.len() {
        match bytes[i] {
            b'\\' if quote == b'"' => i += 1,
            b'\n' if !long => return i,
            byte if byte == quote && !long => return i + 1,
            byte if byte == quote && bytes[i..].starts_with(&[quote; 3]) => return i + 3,
            _ => {}
        }
        i += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Source;

    fn tree(text: &str) -> Result<Node, Vec<String>> {
        let (mut sources, mut errors) = (Sources::default(), Errors::default());
        let source =
            Source { name: "x.toml".to_string(), text: text.to_string(), ..Source::default() };
        let source = sources.add(source);
        let node = read(&sources, source, &mut errors);
        node.ok_or_else(|| errors.told(&sources).iter().map(ToString::to_string).collect())
    }

    #[test]
    fn all_syntax_errors_come_at_once() {
        let errors = tree("a = \nb = 1\nc = [1, 2\n").unwrap_err();
        assert!(errors.len() >= 2, "{errors:?}");
        assert!(errors[0].starts_with("x.toml:1:5: "), "{errors:?}");
    }

    #[test]
    fn any_nesting_of_a_hundred_thousand_levels_is_an_error() {
        let many = 100_000;
        for text in [
            format!("a = {}{}", "[".repeat(many), "]".repeat(many)),
            format!("a = {}", "{a=".repeat(many)),
            format!("{}a = 1", "a.".repeat(many)),
            format!("[{}a]", "'a' . ".repeat(many)),
            format!("[[{}a]]", "a.".repeat(many)),
            format!("x = {{ {}a = 1 }}", "\"a\".".repeat(many)),
            format!("x = [{{ {}a = 1 }}]", "ä.".repeat(many)),
        ] {
            let errors = tree(&text).unwrap_err();
            assert!(!errors.is_empty() && errors[0].len() < 300, "{errors:?}");
        }
    }

    #[test]
    fn dots_in_texts_comments_and_numbers_are_no_keys() {
        let dots = ".".repeat(500);
        let numbers = "1.5, ".repeat(500);
        let text = format!("a = '{dots}' # {dots}\nb = \"\"\"\n{dots}\"\"\"\nc = [{numbers}]\n");
        assert_eq!(tree(&text).unwrap().table().unwrap().entries.len(), 3);
    }

    #[test]
    fn files_of_too_many_parts_are_refused_before_they_are_parsed() {
        for piece in ["[", "1,", "a.a=1\n", "a \n", "!", "'a',", "{}, "] {
            let errors = tree(&piece.repeat(PARTS + 10)).unwrap_err();
            assert!(errors[0].contains("a file of more parts, expected at most"), "{errors:?}");
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_refused() {
        let errors = tree("a = 1e999\nb = 99999999999999999999\nc = inf\nd = 0x10\n").unwrap_err();
        assert_eq!(errors.len(), 2, "{errors:?}");
    }
}
