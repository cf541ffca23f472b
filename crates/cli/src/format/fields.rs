//! Typed access to an object's keys; each error names the key's whole path.

use std::collections::BTreeMap;

use super::error::Problematic;
use super::json::Json;

/// Beyond 2⁵³ not every whole number is an f64.
const LARGEST_INDEX: f64 = 9_007_199_254_740_992.0;

/// An object and the path that leads to it; the path of the file itself is empty.
pub(super) struct Fields<'a> {
    path: String,
    entries: &'a BTreeMap<String, Json>,
}

impl<'a> Fields<'a> {
    pub(super) fn of_file(json: &'a Json) -> Result<Self, Problematic> {
        match json {
            Json::Object(entries) => Ok(Self { path: String::new(), entries }),
            other => Err(Problematic::key("the file", "a JSON object", other.describe())),
        }
    }

    /// The whole path of a key.
    pub(super) fn path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Json> {
        self.entries.get(key)
    }

    fn required(&self, key: &str, expected: &str) -> Result<&'a Json, Problematic> {
        self.get(key).ok_or_else(|| Problematic::key(self.path(key), expected, "nothing"))
    }

    pub(super) fn object(&self, key: &str) -> Result<Self, Problematic> {
        match self.required(key, "an object")? {
            Json::Object(entries) => Ok(Self { path: self.path(key), entries }),
            other => Err(Problematic::key(self.path(key), "an object", other.describe())),
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<&'a str, Problematic> {
        match self.required(key, "a text")? {
            Json::Text(text) => Ok(text),
            other => Err(Problematic::key(self.path(key), "a text", other.describe())),
        }
    }

    fn list(&self, key: &str, of: &str) -> Result<&'a [Json], Problematic> {
        match self.required(key, of)? {
            Json::List(items) => Ok(items),
            other => Err(Problematic::key(self.path(key), of, other.describe())),
        }
    }

    pub(super) fn numbers(&self, key: &str) -> Result<Vec<f64>, Problematic> {
        let number = |(k, item): (usize, &Json)| match item {
            Json::Number(value) => Ok(*value),
            other => Err(self.at(key, k, "a number", other)),
        };
        self.list(key, "a list of numbers")?.iter().enumerate().map(number).collect()
    }

    /// Numbers, of which there must be `count` because of `why`.
    pub(super) fn numbers_of_length(
        &self,
        key: &str,
        count: usize,
        why: &str,
    ) -> Result<Vec<f64>, Problematic> {
        self.check_length(key, self.list(key, "a list of numbers")?.len(), count, why)?;
        self.numbers(key)
    }

    /// Bounds: numbers, `null` standing for `infinite`.
    pub(super) fn bounds(
        &self,
        key: &str,
        count: usize,
        infinite: f64,
    ) -> Result<Vec<f64>, Problematic> {
        let items = self.list(key, "a list of numbers or null")?;
        self.check_length(key, items.len(), count, "one for each row")?;
        let bound = |(k, item): (usize, &Json)| match item {
            Json::Number(value) => Ok(*value),
            Json::Null => Ok(infinite),
            other => Err(self.at(key, k, "a number, or null for none", other)),
        };
        items.iter().enumerate().map(bound).collect()
    }

    /// Whole numbers from 0 below `limit`; `thing` says what they number.
    pub(super) fn indices(
        &self,
        key: &str,
        limit: usize,
        thing: &str,
    ) -> Result<Vec<usize>, Problematic> {
        let index = |(k, item): (usize, &Json)| match whole(item) {
            Some(value) if value < limit => Ok(value),
            _ => {
                let expected = match limit {
                    0 => format!("no {thing}: there is none"),
                    _ => format!("the number of a {thing}, 0 to {}", limit - 1),
                };
                Err(self.at(key, k, &expected, item))
            }
        };
        self.list(key, &format!("a list of {thing} numbers"))?
            .iter()
            .enumerate()
            .map(index)
            .collect()
    }

    /// Indices that occur once each.
    pub(super) fn distinct_indices(
        &self,
        key: &str,
        limit: usize,
        thing: &str,
    ) -> Result<Vec<usize>, Problematic> {
        let indices = self.indices(key, limit, thing)?;
        let mut seen = vec![false; limit];
        for (k, &index) in indices.iter().enumerate() {
            if std::mem::replace(&mut seen[index], true) {
                let path = format!("{}[{k}]", self.path(key));
                let found = format!("{index} again");
                return Err(Problematic::key(path, format!("each {thing} once"), found));
            }
        }
        Ok(indices)
    }

    /// Whole numbers ≥ 0 without a limit, `count` of them.
    pub(super) fn counts(&self, key: &str, count: usize) -> Result<Vec<usize>, Problematic> {
        let items = self.list(key, "a list of whole numbers")?;
        self.check_length(key, items.len(), count, "")?;
        let count = |(k, item): (usize, &Json)| {
            whole(item).ok_or_else(|| self.at(key, k, "a whole number ≥ 0", item))
        };
        items.iter().enumerate().map(count).collect()
    }

    /// Where the file states a count that other keys decide, it must be the same.
    pub(super) fn check_stated(&self, key: &str, count: usize) -> Result<(), Problematic> {
        match self.get(key) {
            None => Ok(()),
            Some(json) if whole(json) == Some(count) => Ok(()),
            Some(other) => {
                Err(Problematic::key(self.path(key), count.to_string(), other.describe()))
            }
        }
    }

    pub(super) fn check_length(
        &self,
        key: &str,
        found: usize,
        count: usize,
        why: &str,
    ) -> Result<(), Problematic> {
        if found == count {
            return Ok(());
        }
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        let expected = format!("a list of length {count}{why}");
        Err(Problematic::key(self.path(key), expected, format!("one of length {found}")))
    }

    fn at(&self, key: &str, k: usize, expected: &str, found: &Json) -> Problematic {
        Problematic::key(format!("{}[{k}]", self.path(key)), expected, found.describe())
    }
}

fn whole(json: &Json) -> Option<usize> {
    match json {
        Json::Number(x) if *x >= 0.0 && *x <= LARGEST_INDEX && x.fract() == 0.0 => {
            Some(*x as usize)
        }
        _ => None,
    }
}
