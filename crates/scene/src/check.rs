//! A tree against the description of the format: every mistake is told, and what is not given is filled in.
//!
//! The filled tree has every key with a default, angles in rad, one value where a list is expected as a list of one, and
//! the keys of each table in the order of the description.

use crate::error::Errors;
use crate::format::{Key, Kind, Names, Need, Object, Rule, Variant, quoted};
use crate::nearest::suggestion;
use crate::quantity::number;
use crate::read_toml;
use crate::tree::{At, Entry, Node, Source, Sources, Table, Value};

/// A name that must be somebody's.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) names: Names,
    pub(crate) name: String,
    pub(crate) at: At,
}

pub(crate) struct Checker<'a> {
    sources: &'a Sources,
    pub(crate) errors: &'a mut Errors,
    pub(crate) references: Vec<Reference>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(sources: &'a Sources, errors: &'a mut Errors) -> Self {
        Self { sources, errors, references: Vec::new() }
    }

    /// The table filled in; None where it is wrong.
    pub(crate) fn object(&mut self, object: &Object, node: &Node) -> Option<Node> {
        let short;
        let table = match (&node.value, object.short) {
            (Value::Table(table), _) => table,
            (_, Some(key)) => {
                let entry = Entry { name: key.to_string(), at: node.at, node: node.clone() };
                short = Table { entries: vec![entry] };
                &short
            }
            _ => {
                let expected = format!("{} (a table)", object.name);
                self.errors.expected(node.at, node.describe(), expected);
                return None;
            }
        };
        let mut filled = Vec::new();
        let mut good = true;
        let mut variant = None;
        if let Some(tag) = object.tag {
            match self.tag(object, table, node.at) {
                Some(found) => {
                    let entry = table.entry(tag.key);
                    let at = entry.map_or(node.at, |entry| entry.node.at);
                    let word = Node { value: Value::Text(found.word.to_string()), at };
                    filled.push(Entry { name: tag.key.to_string(), at, node: word });
                    variant = Some(found);
                }
                None => good = false,
            }
        }
        let knows_all = object.tag.is_none() || variant.is_some();
        good &= self.strangers(object, variant, table, knows_all);
        let own = variant.map_or(&[][..], |variant| variant.keys);
        for key in own.iter().chain(object.keys) {
            match self.key(object, key, table, node.at) {
                Ok(Some(entry)) => filled.push(entry),
                Ok(None) => {}
                Err(Wrong) => good = false,
            }
        }
        let rules = variant.map_or(&[][..], |variant| variant.rules);
        for rule in rules.iter().chain(object.rules) {
            good &= self.rule(object, rule, table, node.at);
        }
        good.then_some(Node { value: Value::Table(Table { entries: filled }), at: node.at })
    }

    /// The variant that the tag chooses.
    fn tag(&mut self, object: &Object, table: &Table, at: At) -> Option<&'static Variant> {
        let tag = object.tag?;
        let words: Vec<&str> = tag.variants.iter().map(|variant| variant.word).collect();
        let Some(node) = table.get(tag.key) else {
            let found = tag.default.and_then(|word| object.variant(word));
            if found.is_none() {
                let found = format!("{} without `{}`", object.name, tag.key);
                self.errors.expected(at, found, format!("one of {}", quoted(&words)));
            }
            return found;
        };
        let found = node.text().and_then(|word| object.variant(word));
        if found.is_none() {
            let hint = node.text().map_or(String::new(), |word| suggestion(word, words.clone()));
            let expected = format!("one of {}{hint}", quoted(&words));
            self.errors.expected(node.at, node.describe(), expected);
        }
        found
    }

    /// Keys that the table does not have.
    fn strangers(
        &mut self,
        object: &Object,
        variant: Option<&Variant>,
        table: &Table,
        knows_all: bool,
    ) -> bool {
        let own = variant.map_or(&[][..], |variant| variant.keys);
        let tag = object.tag.map(|tag| tag.key);
        let known = || own.iter().chain(object.keys).map(|key| key.name).chain(tag);
        let mut good = true;
        for entry in &table.entries {
            let name = entry.name.as_str();
            if known().any(|key| key == name) || !knows_all {
                continue;
            }
            good = false;
            if self.errors.are_enough() {
                self.errors.push(entry.at, format!("found the key `{name}`"));
                continue;
            }
            let of = match (variant, object.tag) {
                (Some(variant), Some(tag)) => {
                    format!("{} of {} `{}`", object.name, tag.key, variant.word)
                }
                _ => object.name.to_string(),
            };
            let mut hint = suggestion(name, known());
            if hint.is_empty() {
                hint = format!(": {}", known().collect::<Vec<_>>().join(", "));
            }
            self.errors.expected(
                entry.at,
                format!("the key `{name}`"),
                format!("a key of {of}{hint}"),
            );
        }
        good
    }

    fn key(
        &mut self,
        object: &Object,
        key: &Key,
        table: &Table,
        at: At,
    ) -> Result<Option<Entry>, Wrong> {
        let (name_at, node) = match (table.entry(key.name), key.need) {
            (Some(entry), _) => (entry.at, self.value(&key.kind, key.unit, &entry.node)),
            (None, Need::Optional) => return Ok(None),
            (None, Need::Default(text)) => {
                (at, self.value(&key.kind, key.unit, &default_node(text, at)))
            }
            (None, Need::Required) => {
                let found = format!("{} without `{}`", object.name, key.name);
                self.errors.expected(at, found, key.kind.describe(key.unit));
                return Err(Wrong);
            }
        };
        let node = node.ok_or(Wrong)?;
        Ok(Some(Entry { name: key.name.to_string(), at: name_at, node }))
    }

    fn value(&mut self, kind: &Kind, unit: &str, node: &Node) -> Option<Node> {
        let value = match (kind, &node.value) {
            (Kind::Bool, Value::Bool(value)) => Value::Bool(*value),
            (Kind::Whole { least, most }, _) => match whole(node) {
                Some(value) if (*least..=*most).contains(&value) => Value::Whole(value),
                _ => return self.wrong(kind, unit, node),
            },
            (Kind::Number(quantity, range), _) => match number(node, *quantity, range) {
                Some(value) => Value::Number(value),
                None => return self.wrong(kind, unit, node),
            },
            (Kind::Text, Value::Text(text)) => Value::Text(text.clone()),
            (Kind::File, Value::Text(text)) if !text.is_empty() => {
                Value::Text(self.sources.seen_from_main(node.at.source, text))
            }
            (Kind::Word(words), Value::Text(text)) => {
                if !words.contains(&text.as_str()) {
                    let hint = suggestion(text, words.iter().copied());
                    let expected = kind.describe(unit) + &hint;
                    self.errors.expected(node.at, node.describe(), expected);
                    return None;
                }
                Value::Text(text.clone())
            }
            (Kind::Reference(names), Value::Text(name)) => {
                self.references.push(Reference { names: *names, name: name.clone(), at: node.at });
                Value::Text(name.clone())
            }
            (Kind::List { of, least, most }, Value::List(items)) => {
                if items.len() < *least || items.len() > *most {
                    return self.wrong(kind, unit, node);
                }
                return self.items(of, unit, items, node.at);
            }
            (Kind::Listed(of), Value::List(items)) if !is_one_list(of, items) => {
                return self.items(of, unit, items, node.at);
            }
            (Kind::Listed(of), _) => {
                return self.items(of, unit, std::slice::from_ref(node), node.at);
            }
            (Kind::Object(object), _) => return self.object(object, node),
            (Kind::Named(object), Value::Table(table)) => {
                return self.named(object, table, node.at);
            }
            (Kind::Either(kinds), _) => {
                return match kinds.iter().find(|kind| fits(kind, node)) {
                    Some(kind) => self.value(kind, unit, node),
                    None => self.wrong(kind, unit, node),
                };
            }
            _ => return self.wrong(kind, unit, node),
        };
        Some(Node { value, at: node.at })
    }

    fn wrong(&mut self, kind: &Kind, unit: &str, node: &Node) -> Option<Node> {
        self.errors.expected(node.at, node.describe(), kind.describe(unit));
        None
    }

    fn items(&mut self, of: &Kind, unit: &str, items: &[Node], at: At) -> Option<Node> {
        // all are looked at, so that all mistakes are told
        let checked: Vec<Option<Node>> =
            items.iter().map(|item| self.value(of, unit, item)).collect();
        let items: Option<Vec<Node>> = checked.into_iter().collect();
        Some(Node { value: Value::List(items?), at })
    }

    fn named(&mut self, object: &Object, table: &Table, at: At) -> Option<Node> {
        let mut entries = Vec::with_capacity(table.entries.len());
        let mut good = true;
        for Entry { name, at, node } in &table.entries {
            if name.is_empty() {
                self.errors.expected(*at, "an empty name", format!("the name of {}", object.name));
                good = false;
            }
            match self.object(object, node) {
                Some(node) => entries.push(Entry { name: name.clone(), at: *at, node }),
                None => good = false,
            }
        }
        good.then_some(Node { value: Value::Table(Table { entries }), at })
    }

    fn rule(&mut self, object: &Object, rule: &Rule, table: &Table, at: At) -> bool {
        let given = |keys: &[&'static str]| -> Vec<&'static str> {
            keys.iter().copied().filter(|key| table.has(key)).collect()
        };
        let ticked = |keys: &[&str]| -> String {
            keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
        };
        match rule {
            Rule::ExactlyOne(keys) | Rule::AtMostOne(keys) => {
                let given = given(keys);
                if let [first, second, ..] = given[..] {
                    let places = [first, second].map(|key| table.entry(key).map(|entry| entry.at));
                    let at = places.into_iter().flatten().max().unwrap_or(at);
                    let found = format!("both `{first}` and `{second}`");
                    self.errors.expected(at, found, format!("one of {}", ticked(keys)));
                    return false;
                }
                if given.is_empty() && matches!(rule, Rule::ExactlyOne(_)) {
                    let found = format!("{} without any of its keys", object.name);
                    self.errors.expected(at, found, format!("one of {}", ticked(keys)));
                    return false;
                }
                true
            }
            Rule::Needs(first, second) => match table.entry(first) {
                Some(entry) if !table.has(second) => {
                    let expected = format!("`{second}` beside it");
                    self.errors.expected(entry.at, format!("`{first}` alone"), expected);
                    false
                }
                _ => true,
            },
        }
    }
}

/// The error has been told.
struct Wrong;

/// A whole number, also where it is written as 3.0.
fn whole(node: &Node) -> Option<i64> {
    match node.value {
        Value::Whole(value) => Some(value),
        Value::Number(x) if x == x.trunc() && x.abs() < 9e15 => Some(x as i64),
        _ => None,
    }
}

/// Whether items are one list where lists are listed.
fn is_one_list(of: &Kind, items: &[Node]) -> bool {
    let is_list = |node: &Node| matches!(node.value, Value::List(_));
    matches!(of, Kind::List { .. }) && items.first().is_some_and(|item| !is_list(item))
}

/// Whether a value has the type of a kind.
fn fits(kind: &Kind, node: &Node) -> bool {
    match kind {
        Kind::Bool => matches!(node.value, Value::Bool(_)),
        Kind::Whole { .. } | Kind::Number(..) => {
            matches!(node.value, Value::Whole(_) | Value::Number(_))
        }
        Kind::Text | Kind::File | Kind::Word(_) | Kind::Reference(_) => node.text().is_some(),
        Kind::List { .. } | Kind::Listed(_) => matches!(node.value, Value::List(_)),
        Kind::Object(_) | Kind::Named(_) => node.table().is_some(),
        Kind::Either(kinds) => kinds.iter().any(|kind| fits(kind, node)),
    }
}

/// A default of the description, at the place of the table that does not state it.
pub(crate) fn default_node(text: &str, at: At) -> Node {
    let mut sources = Sources::default();
    let text = format!("x = {text}");
    sources.add(Source { text, ..Source::default() });
    let root = read_toml::read(&sources, 0, &mut Errors::default());
    let mut node = root
        .and_then(|root| root.table().and_then(|table| table.get("x").cloned()))
        .expect("defaults of the description are TOML");
    put_at(&mut node, at);
    node
}

fn put_at(node: &mut Node, at: At) {
    node.at = at;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| put_at(item, at)),
        Value::Table(table) => {
            for entry in &mut table.entries {
                entry.at = at;
                put_at(&mut entry.node, at);
            }
        }
        _ => {}
    }
}
