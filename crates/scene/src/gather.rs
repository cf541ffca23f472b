//! One tree of a file, the files it includes, and what the caller sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Errors, SceneError, shortened};
use crate::files::{Roots, read_at_most};
use crate::tree::{At, Entry, Node, Source, Sources, Table, Value};
use crate::{read_json, read_toml};

/// Largest file of a scene [bytes].
pub const SCENE_BYTES: u64 = 16 << 20;
/// Deepest chain of includes, and most files of one scene.
const INCLUDE_DEPTH: usize = 16;
const FILES: usize = 256;

/// How the text of a scene is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Toml,
    Json,
}

/// What a caller adds to a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// Folders besides the scene's own from which files may be read.
    pub roots: Vec<PathBuf>,
    /// `path=value` each, in their order; a value that is no TOML is a text.
    pub set: Vec<String>,
    /// Instead of the scene's own.
    pub seed: Option<u64>,
}

impl Syntax {
    /// By the extension: `.json`, or else TOML.
    pub fn of(file: &Path) -> Self {
        let is_json = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
        if is_json { Self::Json } else { Self::Toml }
    }
}

/// A scene's text, or what is wrong with its file.
pub(crate) fn read_scene(file: &Path) -> Result<String, SceneError> {
    let name = file.display().to_string();
    let bytes = read_at_most(file, SCENE_BYTES)
        .map_err(|error| SceneError::of_file(&*name, format!("found {error}, expected a scene")))?;
    text_of(bytes).map_err(|message| SceneError::of_file(name, message))
}

fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let (before, _) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        format!("found a byte that is not UTF-8 in line {line}, expected text")
    })?;
    // some editors begin a file with a byte order mark
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_string))
}

/// Reads what a scene includes and applies what is set.
pub(crate) struct Gatherer<'a> {
    pub(crate) sources: Sources,
    pub(crate) errors: Errors,
    pub(crate) roots: &'a Roots,
    files: usize,
}

impl<'a> Gatherer<'a> {
    pub(crate) fn new(roots: &'a Roots) -> Self {
        Self { sources: Sources::default(), errors: Errors::default(), roots, files: 0 }
    }

    /// The tree of a text with everything it includes. `open`: real paths of the files that are being read.
    pub(crate) fn tree(
        &mut self,
        source: Source,
        syntax: Syntax,
        open: &mut Vec<PathBuf>,
    ) -> Option<Node> {
        let path = source.path.clone();
        let source = self.sources.add(source);
        let mut node = match syntax {
            Syntax::Toml => read_toml::read(&self.sources, source, &mut self.errors)?,
            Syntax::Json => read_json::read(&self.sources, source, &mut self.errors)?,
        };
        let table = node.table_mut()?;
        let Some(include) = table.get("include").cloned() else { return Some(node) };
        table.remove("include");
        let names = match &include.value {
            Value::List(names) => names.as_slice(),
            _ => std::slice::from_ref(&include),
        };
        let mut all: Option<Node> = None;
        for name in names {
            let Some(included) = self.included(name, &path, open) else { continue };
            match &mut all {
                None => all = Some(included),
                Some(all) => self.merge(all, included, Lists::Append),
            }
        }
        match all {
            None => Some(node),
            Some(mut all) => {
                self.merge(&mut all, node, Lists::Append);
                Some(all)
            }
        }
    }

    fn included(&mut self, name: &Node, from: &Path, open: &mut Vec<PathBuf>) -> Option<Node> {
        let Some(file) = name.text() else {
            self.errors.expected(name.at, name.describe(), "the name of a file");
            return None;
        };
        let (real, bytes) = match self.roots.open(from, file, SCENE_BYTES) {
            Ok(opened) => opened,
            Err(error) => {
                self.errors.expected(name.at, error, "a scene to include");
                return None;
            }
        };
        if open.contains(&real) {
            let message = format!("found `{file}`, which is being read");
            self.errors.push(name.at, message + ", expected files that do not include each other");
            return None;
        }
        self.files += 1;
        if open.len() >= INCLUDE_DEPTH || self.files >= FILES {
            let limits = format!("at most {INCLUDE_DEPTH} files in a chain and {FILES} in all");
            self.errors.expected(name.at, "one more file", limits);
            return None;
        }
        let text = match text_of(bytes) {
            Ok(text) => text,
            Err(message) => {
                self.errors.push(name.at, message);
                return None;
            }
        };
        let path = from.parent().unwrap_or(Path::new("")).join(file);
        let source = Source { name: path.display().to_string(), text, path };
        let syntax = Syntax::of(&real);
        open.push(real);
        let node = self.tree(source, syntax, open);
        open.pop();
        node
    }

    /// Applies `path=value`.
    pub(crate) fn set(&mut self, root: &mut Node, setting: &str, path: &Path) {
        let source = Source {
            name: shortened(format!("--set {setting}"), 80),
            text: setting.to_string(),
            path: path.to_path_buf(),
        };
        let source = self.sources.add(source);
        let mut mistakes = Errors::default();
        let over = read_toml::read(&self.sources, source, &mut mistakes)
            .or_else(|| self.text_setting(source, setting))
            .filter(|over| over.table().is_some_and(|table| !table.entries.is_empty()));
        match over {
            // files were included before anything is set
            Some(over) if over.table().is_some_and(|table| table.get("include").is_some()) => {
                self.errors.expected(
                    over.at,
                    "`include`",
                    "a key that can be set: files are included by files",
                );
            }
            Some(over) => {
                drop_rival(root, &over);
                self.merge(root, over, Lists::Replace);
            }
            None => {
                let at = At { source, start: 0, end: 0 };
                self.errors.expected(at, format!("`{setting}`"), "path.to.key=value");
            }
        }
    }

    /// A setting whose value is no TOML: it is a text.
    fn text_setting(&self, source: u32, setting: &str) -> Option<Node> {
        let (key, value) = setting.split_once('=')?;
        let mut scratch = Sources::default();
        let text = format!("{key}=0");
        scratch.add(Source { text, ..Source::default() });
        let mut node = read_toml::read(&scratch, 0, &mut Errors::default())?;
        let start = key.len() + 1 + (value.len() - value.trim_start().len());
        let at = At { source, start: start as u32, end: setting.len() as u32 };
        let leaf = Node { value: Value::Text(value.trim().to_string()), at };
        put_leaf(&mut node, source, leaf);
        Some(node)
    }

    /// Puts `over` on top of `base`, key by key.
    pub(crate) fn merge(&mut self, base: &mut Node, over: Node, lists: Lists) {
        match (&mut base.value, over.value) {
            (Value::Table(table), Value::Table(more)) => self.merge_tables(table, more, lists),
            (Value::List(items), Value::Table(more)) if lists == Lists::Replace => {
                self.set_items(items, more);
            }
            (Value::List(items), Value::List(more)) if lists == Lists::Append => {
                if are_tables(items) && are_tables(&more) {
                    items.extend(more);
                } else {
                    *items = more;
                }
            }
            (value, over) => *value = over,
        }
        base.at = over.at;
    }

    fn merge_tables(&mut self, table: &mut Table, more: Table, lists: Lists) {
        let names = table.entries.iter().enumerate();
        let places: BTreeMap<String, usize> =
            names.map(|(i, entry)| (entry.name.clone(), i)).collect();
        for Entry { name, at, node } in more.entries {
            match places.get(&name) {
                Some(&i) => {
                    table.entries[i].at = at;
                    self.merge(&mut table.entries[i].node, node, lists);
                }
                None => table.entries.push(Entry { name, at, node }),
            }
        }
    }

    /// `arrays.0.rows=3`: keys that are numbers are places in a list.
    fn set_items(&mut self, items: &mut [Node], more: Table) {
        let len = items.len();
        for Entry { name, at, node } in more.entries {
            match name.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                Some(item) => self.merge(item, node, Lists::Replace),
                None => {
                    let expected = format!("a place in a list of {len}, counted from 0");
                    self.errors.expected(at, format!("`{name}`"), expected);
                }
            }
        }
    }
}

/// A length of a run that is set takes the place of the one that the file states, in steps or in seconds.
fn drop_rival(root: &mut Node, over: &Node) {
    let set = over.table().and_then(|table| table.get("stepping")).and_then(Node::table);
    let (Some(set), Some(root)) = (set, root.table_mut()) else { return };
    let stepping = root.entries.iter_mut().find(|entry| entry.name == "stepping");
    let Some(stepping) = stepping.and_then(|entry| entry.node.table_mut()) else { return };
    for (one, other) in [("steps", "duration"), ("duration", "steps")] {
        if set.get(one).is_some() && set.get(other).is_none() {
            stepping.remove(other);
        }
    }
}

/// What becomes of a list that is there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// Lists of tables are put one after the other; of others the second counts.
    Append,
    Replace,
}

/// Replaces the only value of nested tables, all of which are of `source`.
fn put_leaf(node: &mut Node, source: u32, leaf: Node) {
    node.at.source = source;
    match node.table_mut().and_then(|table| table.entries.first_mut()) {
        Some(entry) => {
            entry.at.source = source;
            put_leaf(&mut entry.node, source, leaf);
        }
        None => *node = leaf,
    }
}

fn are_tables(items: &[Node]) -> bool {
    items.iter().all(|item| item.table().is_some())
}
