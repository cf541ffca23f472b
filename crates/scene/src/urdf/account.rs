//! What becomes of every tag and attribute: a reader says it as it goes, and what nobody spoke of is ignored.

use std::collections::BTreeMap;

use roxmltree::{Attribute, Document, Node};

use super::names::{self, Suggestions};
use super::{Fate, Report, Row, UrdfError};

pub(super) type Element<'d> = Node<'d, 'd>;

/// Paths are shortened to this many characters.
const LONGEST_PATH: usize = 200;
/// Errors after the first thousand tell nobody anything.
const MOST_ERRORS: usize = 1000;

/// A file as it is read: fates by the byte where a tag or attribute begins, and errors.
pub(super) struct Account<'d> {
    document: &'d Document<'d>,
    fates: BTreeMap<usize, Fate>,
    problems: Vec<Problem>,
    pub(super) suggestions: Suggestions,
}

struct Problem {
    at: usize,
    element: String,
    message: String,
}

impl<'d> Account<'d> {
    pub(super) fn new(document: &'d Document<'d>) -> Self {
        let suggestions = Suggestions::new();
        Self { document, fates: BTreeMap::new(), problems: Vec::new(), suggestions }
    }

    /// The name of an element with its prefix, as the file has it.
    pub(super) fn tag(&self, node: Element<'d>) -> &'d str {
        let rest = &self.document.input_text()[node.range().start + 1..];
        let ends = |c: char| c.is_ascii_whitespace() || c == '/' || c == '>';
        &rest[..rest.find(ends).unwrap_or(rest.len())]
    }

    fn key(&self, attribute: &Attribute<'d, 'd>) -> &'d str {
        self.document.input_text().get(attribute.range_qname()).unwrap_or("")
    }

    /// An attribute by its name with prefix. Nothing is said of its fate.
    pub(super) fn find(&self, node: Element<'d>, key: &str) -> Option<Attribute<'d, 'd>> {
        node.attributes().find(|attribute| self.key(attribute) == key)
    }

    pub(super) fn children(&self, node: Element<'d>, tag: &str) -> Vec<Element<'d>> {
        node.children().filter(|child| child.is_element() && self.tag(*child) == tag).collect()
    }

    /// Says what becomes of an element; if it is ignored, so is all that is in it.
    pub(super) fn fate(&mut self, node: Element<'d>, fate: Fate) {
        self.fates.insert(node.range().start, fate);
    }

    pub(super) fn honour(&mut self, node: Element<'d>) {
        self.fate(node, Fate::Honoured);
    }

    pub(super) fn ignore(&mut self, node: Element<'d>, why: &str) {
        self.fate(node, Fate::Ignored(why.to_string()));
    }

    /// Of an attribute that may be there.
    pub(super) fn attribute_fate(&mut self, node: Element<'d>, key: &str, fate: Fate) {
        if let Some(attribute) = self.find(node, key) {
            self.fates.insert(attribute.range().start, fate);
        }
    }

    pub(super) fn error(&mut self, node: Element<'d>, message: impl Into<String>) {
        if self.problems.len() < MOST_ERRORS {
            let (at, element) = (node.range().start, self.path(node));
            self.problems.push(Problem { at, element, message: message.into() });
        }
    }

    /// An error in the value of an attribute, or in its absence.
    pub(super) fn value_error(&mut self, node: Element<'d>, key: &str, message: String) {
        let Some(attribute) = self.find(node, key) else { return self.error(node, message) };
        if self.problems.len() >= MOST_ERRORS {
            return;
        }
        let element = format!("{}@{key}", self.path(node));
        let value = attribute.range_value().start;
        let sound = self.document.input_text().is_char_boundary(value);
        let at = if sound { value } else { attribute.range().start };
        self.problems.push(Problem { at, element, message });
    }

    /// `robot/link[arm]/inertial`: named elements with their names, extensions with what they refer to.
    fn path(&self, node: Element<'d>) -> String {
        let mut above: Vec<Element<'d>> = node.ancestors().filter(Node::is_element).collect();
        above.reverse();
        above.into_iter().fold(String::new(), |path, node| self.path_below(&path, node))
    }

    fn path_below(&self, parent: &str, node: Element<'d>) -> String {
        let tag = names::short(self.tag(node));
        let name = self.find(node, "name").or_else(|| self.find(node, "reference"));
        let name = name.map_or(String::new(), |name| format!("[{}]", names::short(name.value())));
        let slash = if parent.is_empty() { "" } else { "/" };
        let path = format!("{parent}{slash}{tag}{name}");
        match path.chars().count().checked_sub(LONGEST_PATH) {
            None => path,
            Some(excess) => format!("…{}", path.chars().skip(excess + 1).collect::<String>()),
        }
    }

    /// Every tag and attribute in the order of the file, with its byte. What has no fate shares its parent's if that is
    /// ignored, and is unknown otherwise.
    fn rows(&self) -> Vec<(usize, Row)> {
        let starts = line_starts(self.document.input_text());
        let mut rows = Vec::new();
        let mut above: BTreeMap<usize, Above> = BTreeMap::new();
        for node in self.document.descendants().filter(Node::is_element) {
            let at = node.range().start;
            let parent = node.parent_element().and_then(|parent| above.get(&parent.range().start));
            let mut own = parent.cloned().unwrap_or_default();
            own.path = self.path_below(&own.path, node);
            own.pictures_only |= matches!(self.tag(node), "visual" | "material");
            let fate = own.fate(self.fates.get(&at), "not a part of URDF here");
            if let Fate::Ignored(why) = &fate {
                own.ignored = Some(why.clone());
            }
            let mut push = |at: usize, path: String, fate: Fate| {
                let line = starts.partition_point(|start| *start <= at) as u32;
                rows.push((at, Row { path, line, fate, pictures_only: own.pictures_only }));
            };
            for namespace in declared(node) {
                push(at, format!("{}@{namespace}", own.path), Fate::Honoured);
            }
            for attribute in node.attributes() {
                let start = attribute.range().start;
                let fate = own.fate(self.fates.get(&start), "unknown attribute");
                let key = names::short(self.key(&attribute));
                push(start, format!("{}@{key}", own.path), fate);
            }
            push(at, own.path.clone(), fate);
            above.insert(at, own);
        }
        rows.sort_by_key(|(at, _)| *at);
        rows
    }

    /// The report, or all errors in the order of the file. If strict, what is lost of the motion is an error.
    pub(super) fn close(mut self, strict: bool) -> Result<Report, Vec<UrdfError>> {
        let rows = self.rows();
        if strict {
            for (at, row) in rows.iter().filter(|(_, row)| !row.pictures_only) {
                let message = match &row.fate {
                    Fate::Honoured => continue,
                    Fate::Approximated(why) => format!("would be approximated: {why}"),
                    Fate::Ignored(why) => format!("would be ignored: {why}"),
                };
                self.problems.push(Problem { at: *at, element: row.path.clone(), message });
            }
        }
        if self.problems.is_empty() {
            return Ok(Report { rows: rows.into_iter().map(|(_, row)| row).collect() });
        }
        Err(self.placed())
    }

    /// Whether there was an error so far.
    pub(super) fn has_failed(&self) -> bool {
        !self.problems.is_empty()
    }

    /// One walk over the text, whatever the number of errors.
    fn placed(mut self) -> Vec<UrdfError> {
        self.problems.sort_by_key(|problem| problem.at);
        let text = self.document.input_text();
        let (mut line, mut column, mut walked) = (1, 1, 0);
        let mut errors = Vec::with_capacity(self.problems.len());
        for Problem { at, element, message } in self.problems {
            for c in text[walked..at].chars() {
                (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            walked = at;
            errors.push(UrdfError { line, column, element, message });
        }
        errors
    }
}

/// What an element hands down.
#[derive(Clone, Default)]
struct Above {
    path: String,
    ignored: Option<String>,
    pictures_only: bool,
}

impl Above {
    fn fate(&self, known: Option<&Fate>, unknown: &str) -> Fate {
        match (&self.ignored, known) {
            (Some(why), _) => Fate::Ignored(why.clone()),
            (None, Some(fate)) => fate.clone(),
            (None, None) => Fate::Ignored(unknown.to_string()),
        }
    }
}

/// Namespaces that an element declares and that are not known above it, as their attributes are written.
fn declared(node: Element<'_>) -> Vec<String> {
    let known = |uri: &str, name: Option<&str>| {
        let parent = node.parent_element();
        parent.is_some_and(|node| node.namespaces().any(|n| n.uri() == uri && n.name() == name))
    };
    // a child without declarations has the very list of its parent
    let above = node.parent_element().map(|parent| parent.namespaces());
    let mut pairs = above.into_iter().flatten().zip(node.namespaces());
    let same = pairs.all(|(a, b)| std::ptr::eq(a, b));
    let count = node.parent_element().map_or(0, |parent| parent.namespaces().len());
    if same && count == node.namespaces().len() {
        return Vec::new();
    }
    let own = node.namespaces().filter(|n| n.name() != Some("xml") && !known(n.uri(), n.name()));
    own.map(|n| n.name().map_or("xmlns".to_string(), |name| format!("xmlns:{name}"))).collect()
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect()
}
