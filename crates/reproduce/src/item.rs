//! What an item says: comparisons, numbers, tables, pictures.

use std::fmt::Write;

/// One result of a source, made anew.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: &'static str,
    pub title: &'static str,
    /// What was run, and against what it is held; Markdown.
    pub text: &'static str,
    pub checks: Vec<Check>,
    /// Named numbers, in the order in which they were found.
    pub figures: Vec<(String, f64)>,
    pub tables: Vec<Table>,
    pub pictures: Vec<Picture>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub what: String,
    pub found: String,
    pub asked: String,
    pub holds: bool,
}

/// A table of Markdown with a line above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub caption: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Of its file, without ending.
    pub name: &'static str,
    pub caption: String,
    pub svg: String,
}

impl Item {
    pub fn new(id: &'static str, title: &'static str, text: &'static str) -> Self {
        let (checks, figures) = (Vec::new(), Vec::new());
        Self { id, title, text, checks, figures, tables: Vec::new(), pictures: Vec::new() }
    }

    /// There was something to compare, and all of it agrees.
    pub fn pass(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|check| check.holds)
    }

    pub fn figure(&mut self, name: impl Into<String>, value: f64) {
        self.figures.push((name.into(), value));
    }

    pub fn picture(&mut self, name: &'static str, caption: impl Into<String>, svg: String) {
        self.pictures.push(Picture { name, caption: caption.into(), svg });
    }

    pub fn is(&mut self, what: impl Into<String>, holds: bool) {
        let found = if holds { "yes" } else { "no" };
        self.check(what, found, "yes", holds);
    }

    /// `|found − asked| ≤ tolerance`; a NaN is not.
    pub fn near(&mut self, what: impl Into<String>, found: f64, asked: f64, tolerance: f64) {
        let holds = (found - asked).abs() <= tolerance;
        let asked = format!("{} ± {}", number(asked), number(tolerance));
        self.check(what, number(found), asked, holds);
    }

    pub fn at_most(&mut self, what: impl Into<String>, found: f64, limit: f64) {
        self.check(what, number(found), format!("≤ {}", number(limit)), found <= limit);
    }

    pub fn between(&mut self, what: impl Into<String>, found: f64, (low, high): (f64, f64)) {
        let asked = format!("{} … {}", number(low), number(high));
        self.check(what, number(found), asked, found >= low && found <= high);
    }

    pub fn equal(&mut self, what: impl Into<String>, found: usize, asked: usize) {
        self.check(what, found.to_string(), asked.to_string(), found == asked);
    }

    /// It could not be run to its end.
    pub fn fail(&mut self, error: &dyn std::error::Error) {
        self.check("runs to its end", error.to_string(), "no error", false);
    }

    fn check(
        &mut self,
        what: impl Into<String>,
        found: impl Into<String>,
        asked: impl Into<String>,
        holds: bool,
    ) {
        let (what, found, asked) = (what.into(), found.into(), asked.into());
        self.checks.push(Check { what, found, asked, holds });
    }
}

impl Table {
    pub fn new(caption: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(ToString::to_string).collect();
        Self { caption: caption.into(), head, rows: Vec::new() }
    }

    /// # Panics
    ///
    /// If the row has not as many cells as the head.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.head.len(), "a cell for each column");
        self.rows.push(cells);
    }

    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&self.head);
        let _ = writeln!(text, "|{}", "---|".repeat(self.head.len()));
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text
    }
}

/// Four digits, as a power of ten where that is shorter.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".to_string()
    } else if !(1e-3..1e5).contains(&size) {
        let text = format!("{x:.2e}");
        // 1.00e-9 is 1e-9
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", short(digits))
    } else {
        let decimals = (3 - libm::floor(libm::log10(size)) as i32).clamp(0, 6) as usize;
        short(&format!("{x:.decimals$}")).to_string()
    }
}

/// Without zeros behind the point that say nothing.
fn short(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_without_comparisons_or_with_a_nan_does_not_pass() {
        let mut item = Item::new("R0", "nothing", "");
        assert!(!item.pass());
        item.at_most("one", 1.0, 1.0);
        assert!(item.pass());
        item.near("not a number", f64::NAN, 0.0, 1.0);
        assert!(!item.pass());
        for check in [f64::NAN, 2.0] {
            let mut item = Item::new("R0", "nothing", "");
            item.between("too large or none", check, (0.0, 1.0));
            assert!(!item.pass());
        }
    }

    #[test]
    fn numbers_have_four_digits_at_most() {
        let words = [0.0, 0.4407, -1.58404, 12.0, 1.0 / 6.0, 1e-9, 3.14159e-7, 699.0, 2e6];
        let expected = ["0", "0.4407", "-1.584", "12", "0.1667", "1e-9", "3.14e-7", "699", "2e6"];
        assert_eq!(words.map(number), expected);
    }

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new("two numbers", &["a", "b"]);
        table.row(vec!["1".into(), "2".into()]);
        assert_eq!(table.markdown(), "| a | b |\n|---|---|\n| 1 | 2 |\n");
    }
}
