//! The items as a page of Markdown.

use std::fmt::Write;

use crate::item::Item;

/// Folder of the pictures, beside the page.
pub const PICTURES: &str = "pictures";

/// All of `items` on one page; `command` is what made it.
pub fn page(items: &[Item], command: &str) -> String {
    let mut text = format!(
        "# Reproduced\n\nResults of the sources, made anew by `{command}`. Each item is held against the numbers beside \
         it; an item passes only if all comparisons hold. Keys: [theory/references.md](theory/references.md).\n\n\
         | item | | comparisons |\n|---|---|---|\n"
    );
    for item in items {
        let held = item.checks.iter().filter(|check| check.holds).count();
        let (id, title, all) = (item.id, item.title, item.checks.len());
        let _ = writeln!(text, "| **{id}** {title} | {} | {held} of {all} |", verdict(item));
    }
    for item in items {
        text.push('\n');
        text.push_str(&section(item));
    }
    text
}

pub fn verdict(item: &Item) -> &'static str {
    if item.pass() { "pass" } else { "FAIL" }
}

/// One item: what it is, tables, pictures, comparisons.
pub fn section(item: &Item) -> String {
    let mut text = format!("## {} · {}: {}\n", item.id, item.title, verdict(item));
    let _ = writeln!(text, "\n{}", item.text);
    for table in &item.tables {
        let _ = write!(text, "\n{}\n\n{}", table.caption, table.markdown());
    }
    for picture in &item.pictures {
        let _ = writeln!(text, "\n![{}]({PICTURES}/{}.svg)", picture.caption, picture.name);
    }
    text.push_str("\nComparisons:\n\n| what | found | asked | |\n|---|---|---|---|\n");
    for check in &item.checks {
        let holds = if check.holds { "holds" } else { "**fails**" };
        let _ = writeln!(text, "| {} | {} | {} | {holds} |", check.what, check.found, check.asked);
    }
    text
}
