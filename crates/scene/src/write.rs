//! A tree as TOML.

use crate::tree::{Entry, Node, Table, Value};

/// Tables of names: each gets a header of its own, `[bodies.box]`.
const NAMED: [&str; 11] = [
    "materials",
    "templates",
    "bodies",
    "urdf",
    "shapes",
    "joints",
    "constraints",
    "springs",
    "motors",
    "guides",
    "forces",
];

/// All of a scene, keys without a table first.
pub(crate) fn scene(root: &Node) -> String {
    let mut text = String::new();
    let Some(root) = root.table() else { return text };
    for entry in &root.entries {
        if entry.node.table().is_none() && !is_tables(&entry.node) {
            line(&mut text, entry);
        }
    }
    for Entry { name, node, .. } in &root.entries {
        match node.table() {
            Some(table) if NAMED.contains(&name.as_str()) => {
                for entry in &table.entries {
                    let header = format!("[{name}.{}]", key(&entry.name));
                    section(&mut text, &header, entry.node.table());
                }
            }
            Some(table) => section(&mut text, &format!("[{name}]"), Some(table)),
            None if is_tables(node) => {
                for item in node.list() {
                    section(&mut text, &format!("[[{name}]]"), item.table());
                }
            }
            None => {}
        }
    }
    text
}

fn section(text: &mut String, header: &str, table: Option<&Table>) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(header);
    text.push('\n');
    for entry in table.map_or(&[][..], |table| &table.entries) {
        line(text, entry);
    }
}

fn line(text: &mut String, entry: &Entry) {
    text.push_str(&key(&entry.name));
    text.push_str(" = ");
    value(text, &entry.node);
    text.push('\n');
}

/// A list of tables, which may be written as sections.
fn is_tables(node: &Node) -> bool {
    !node.list().is_empty() && node.list().iter().all(|item| item.table().is_some())
}

fn value(text: &mut String, node: &Node) {
    match &node.value {
        Value::Bool(value) => text.push_str(&value.to_string()),
        Value::Whole(value) => text.push_str(&value.to_string()),
        // the shortest digits that read as the same number
        Value::Number(value) if value.is_nan() => text.push_str("nan"),
        Value::Number(value) => text.push_str(&format!("{value:?}")),
        Value::Text(value) => text.push_str(&quoted(value)),
        Value::List(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                text.push_str(if i > 0 { ", " } else { "" });
                value(text, item);
            }
            text.push(']');
        }
        Value::Table(table) if table.entries.is_empty() => text.push_str("{}"),
        Value::Table(table) => {
            text.push_str("{ ");
            for (i, entry) in table.entries.iter().enumerate() {
                text.push_str(if i > 0 { ", " } else { "" });
                text.push_str(&key(&entry.name));
                text.push_str(" = ");
                value(text, &entry.node);
            }
            text.push_str(" }");
        }
        Value::Other(_) => text.push_str("\"\""),
    }
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_string() } else { quoted(name) }
}

/// A text of one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
