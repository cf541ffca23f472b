//! What a file says, with the place of everything: the same for TOML and JSON.

use std::path::{Path, PathBuf};

use crate::error::Place;

/// Deepest nesting of a file.
pub(crate) const DEPTH: usize = 64;
/// Values, signs and line ends of a file: what is read of a file stays within some hundred MiB.
pub(crate) const PARTS: usize = 4_000_000;
/// Characters of a line that are shown.
const SHOWN: usize = 120;

/// A range of bytes of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub source: u32,
    pub start: u32,
    pub end: u32,
}

/// A text that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// For messages.
    pub name: String,
    pub text: String,
    /// The file whose folder the names of files in this text start from.
    pub path: PathBuf,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    list: Vec<Source>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub at: At,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Table),
    /// What no key takes: a date, null.
    Other(&'static str),
}

/// Entries in the order of the file. Names differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: String,
    pub at: At,
    pub node: Node,
}

/// Two nodes are equal that say the same, wherever.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.node == other.node
    }
}

impl Sources {
    pub(crate) fn add(&mut self, source: Source) -> u32 {
        self.list.push(source);
        (self.list.len() - 1) as u32
    }

    pub(crate) fn text(&self, source: u32) -> &str {
        &self.list[source as usize].text
    }

    /// The scene's own file.
    pub(crate) fn main(&self) -> &Path {
        self.list.first().map_or(Path::new(""), |source| &source.path)
    }

    /// The name of a file in this source, as the scene's own file would name it.
    pub(crate) fn seen_from_main(&self, source: u32, file: &str) -> String {
        let folder = self.list.get(source as usize).and_then(|source| source.path.parent());
        let own = self.main().parent().unwrap_or(Path::new(""));
        match folder.and_then(|folder| folder.strip_prefix(own).ok()) {
            Some(inner) if inner != Path::new("") => inner.join(file).display().to_string(),
            _ => file.to_string(),
        }
    }

    /// The place of a line and a column, both from 1.
    pub(crate) fn at(&self, source: u32, line: usize, column: usize) -> At {
        let text = self.text(source);
        let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1));
        let start = starts.nth(line.max(1) - 1).unwrap_or(text.len());
        let shift = text[start..].char_indices().nth(column.max(1) - 1).map_or(0, |(i, _)| i);
        let start = (start + shift) as u32;
        At { source, start, end: start }
    }

    /// Line and column of the beginning of a range.
    pub(crate) fn place(&self, at: At) -> Place {
        let Some(source) = self.list.get(at.source as usize) else { return Place::default() };
        let start = floor_char(&source.text, at.start as usize);
        let before = &source.text[..start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line_end = source.text[start..].find('\n').map_or(source.text.len(), |i| start + i);
        let text = source.text[line_start..line_end].trim();
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Place {
            file: source.name.clone(),
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            text: shown,
        }
    }
}

/// The last border of characters at or before `i`.
fn floor_char(text: &str, i: usize) -> usize {
    let mut i = i.min(text.len());
    while !text.is_char_boundary(i) {
        i -= 1;
    }
    i
}

impl Table {
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|entry| &entry.node)
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.entries.retain(|entry| entry.name != name);
    }

    /// Puts a node in the place of the one of this name, or at the end.
    pub(crate) fn put(&mut self, name: &str, node: Node) {
        match self.entries.iter_mut().find(|entry| entry.name == name) {
            Some(entry) => entry.node = node,
            None => self.entries.push(Entry { name: name.to_string(), at: node.at, node }),
        }
    }
}

impl Node {
    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The thing in a few words, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Value::Bool(value) => value.to_string(),
            Value::Whole(value) => value.to_string(),
            Value::Number(value) => format!("{value:?}"),
            Value::Text(text) if text.chars().count() > 40 => {
                format!("the text {:?}…", text.chars().take(40).collect::<String>())
            }
            Value::Text(text) => format!("the text {text:?}"),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".to_string(),
            Value::Other(what) => (*what).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_characters() {
        let mut sources = Sources::default();
        let text = "a = 1\n  µ = \"ß\" # x\n".to_string();
        let source = sources.add(Source { name: "f".to_string(), text, ..Source::default() });
        let start = "a = 1\n  µ = ".len() as u32;
        let place = sources.place(At { source, start, end: start + 4 });
        assert_eq!((place.line, place.column), (2, 7));
        assert_eq!(place.text, "µ = \"ß\" # x");
        // a range that begins within a character or beyond the end has a place all the same
        let within = sources.place(At { source, start: 9, end: 10 });
        assert_eq!((within.line, within.column), (2, 3));
        let beyond = sources.place(At { source, start: 900, end: 901 });
        assert_eq!((beyond.line, beyond.column), (3, 1));
    }
}
