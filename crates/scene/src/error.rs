//! Why a file is not a scene: the place, what was found there, and what was expected.

use std::fmt;

use crate::tree::{At, Sources};

/// Errors that are told of one scene; the last line counts the rest.
const TOLD: usize = 100;
/// Errors that are kept while a scene is checked: a file of millions of mistakes has these and a number.
const KEPT: usize = 10_000;

/// One line about bad input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    pub place: Place,
    pub message: String,
}

/// Where in the input something is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// A file's name as it was given, or the text of a `--set`.
    pub file: String,
    /// From 1; 0: the file as a whole.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The line, without the spaces around it and cut where it is long.
    pub text: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            _ => write!(f, "{}:{}:{}", self.file, self.line, self.column),
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for SceneError {}

impl SceneError {
    /// About a file as a whole.
    pub fn of_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        let place = Place { file: file.into(), ..Place::default() };
        Self { place, message: message.into() }
    }
}

/// Letters of a message: names are as long as the file has them.
const LONGEST: usize = 600;

/// A text that is cut where it is longer.
pub(crate) fn shortened(text: String, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The mistakes found so far, in any order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    list: Vec<(At, String)>,
    more: usize,
}

impl Errors {
    pub(crate) fn push(&mut self, at: At, message: impl Into<String>) {
        if self.list.len() < KEPT {
            self.list.push((at, shortened(message.into(), LONGEST)));
        } else {
            self.more += 1;
        }
    }

    /// `found` is not what was `expected`.
    pub(crate) fn expected(
        &mut self,
        at: At,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) {
        self.push(at, format!("found {found}, expected {expected}"));
    }

    /// More than will be told: hints are not worth their time any more.
    pub(crate) fn are_enough(&self) -> bool {
        self.list.len() > 2 * TOLD
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sorted by place, each once. A template that is used often has its mistakes once.
    pub(crate) fn told(mut self, sources: &Sources) -> Vec<SceneError> {
        self.list.sort();
        self.list.dedup();
        let told = self.list.iter().take(TOLD);
        let mut errors: Vec<SceneError> = told
            .map(|(at, message)| SceneError { place: sources.place(*at), message: message.clone() })
            .collect();
        let more = self.list.len().saturating_sub(TOLD) + self.more;
        if more > 0 {
            let place = errors[errors.len() - 1].place.clone();
            errors.push(SceneError { place, message: format!("and {more} more errors") });
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Source;

    #[test]
    fn errors_come_by_place_each_once_and_the_rest_is_counted() {
        let mut sources = Sources::default();
        let text = "a\n".repeat(300);
        let source = sources.add(Source { name: "x.toml".to_string(), text, ..Source::default() });
        let mut errors = Errors::default();
        for line in (0..150).rev() {
            let at = At { source, start: 2 * line, end: 2 * line + 1 };
            errors.push(at, "wrong");
            errors.push(at, "wrong");
        }
        let told = errors.told(&sources);
        assert_eq!(told.len(), 101);
        assert_eq!(told[0].to_string(), "x.toml:1:1: wrong");
        assert_eq!(told[99].to_string(), "x.toml:100:1: wrong");
        assert_eq!(told[100].message, "and 50 more errors");
    }
}
