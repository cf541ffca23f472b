//! As much of Markdown as the pages here use: fenced blocks, headings, links.

use std::fs;
use std::path::{Path, PathBuf};

use crate::stage::Failed;

/// A page and what is in it, with line numbers from 1.
pub(crate) struct Page {
    /// From the workspace's folder.
    pub(crate) path: PathBuf,
    pub(crate) blocks: Vec<Block>,
    /// Anchors of its headings.
    pub(crate) anchors: Vec<String>,
    pub(crate) links: Vec<Link>,
}

/// A fenced block.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) line: usize,
    /// What follows the opening fence.
    pub(crate) info: String,
    pub(crate) text: String,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) line: usize,
    pub(crate) target: String,
}

/// The pages at the top, those of `benches` and `scenes`, and all below `docs`, sorted within each.
pub(crate) fn pages(root: &Path) -> Result<Vec<Page>, Failed> {
    let mut paths = Vec::new();
    for (folder, depth) in [("", 0), ("benches", 1), ("scenes", 0), ("docs", 8)] {
        collect(&root.join(folder), depth, &mut paths)
            .map_err(|error| Failed(format!("looking for pages in {folder}: {error}")))?;
    }
    let mut pages = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)
            .map_err(|error| Failed(format!("{}: {error}", path.display())))?;
        let path = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
        pages.push(parse(path, &text)?);
    }
    Ok(pages)
}

/// Markdown files of a folder and of the folders below it, down to `depth`.
fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        entries.push(entry?.path());
    }
    entries.sort();
    for entry in entries {
        if entry.is_dir() && depth > 0 {
            collect(&entry, depth - 1, paths)?;
        } else if entry.extension().is_some_and(|ending| ending == "md") {
            paths.push(entry);
        }
    }
    Ok(())
}

pub(crate) fn parse(path: PathBuf, text: &str) -> Result<Page, Failed> {
    let mut page = Page { path, blocks: Vec::new(), anchors: Vec::new(), links: Vec::new() };
    let mut open: Option<(Block, usize)> = None;
    for (k, line) in text.lines().enumerate() {
        let inner = line.trim_start();
        match &mut open {
            Some(_) if inner.trim_end() == "```" => page.blocks.extend(open.take().map(|o| o.0)),
            Some((block, indent)) => {
                let cut = (line.len() - inner.len()).min(*indent);
                block.text.push_str(&line[cut..]);
                block.text.push('\n');
            }
            None => match inner.strip_prefix("```") {
                Some(info) => {
                    let block =
                        Block { line: k + 1, info: info.trim().to_string(), text: String::new() };
                    open = Some((block, line.len() - inner.len()));
                }
                None => prose(line, k + 1, &mut page),
            },
        }
    }
    match open {
        Some((block, _)) => {
            Err(Failed(format!("{}:{}: block without an end", page.path.display(), block.line)))
        }
        None => Ok(page),
    }
}

fn prose(line: &str, number: usize, page: &mut Page) {
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() && heading.starts_with(' ') {
        let anchor = anchor(heading.trim());
        let twins = page.anchors.iter().filter(|a| is_twin(a, &anchor)).count();
        page.anchors.push(if twins == 0 { anchor } else { format!("{anchor}-{twins}") });
    }
    links(line, number, &mut page.links);
}

/// Whether it is the anchor, or the anchor with a number.
fn is_twin(known: &str, anchor: &str) -> bool {
    known.strip_prefix(anchor).is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<usize>().is_ok())
    })
}

/// What a heading is called in an address: letters and digits in lower case, spaces as hyphens.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// `[text](target)`, pictures too; not in code.
fn links(line: &str, number: usize, links: &mut Vec<Link>) {
    let mut outside_code = String::new();
    for (k, part) in line.split('`').enumerate() {
        outside_code.push_str(if k % 2 == 0 { part } else { "_" });
    }
    for part in outside_code.split("](").skip(1) {
        if let Some((target, _)) = part.split_once(')') {
            links.push(Link { line: number, target: target.to_string() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        parse(PathBuf::from("page.md"), text).ok().unwrap()
    }

    #[test]
    fn blocks_keep_their_line_info_and_text_without_the_indentation() {
        let page = page("- a list\n\n  ```sh exit=2\n  one\n    two\n  ```\n");
        let text = "one\n  two\n".to_string();
        assert_eq!(page.blocks, [Block { line: 3, info: "sh exit=2".to_string(), text }]);
    }

    #[test]
    fn a_block_without_an_end_is_an_error_with_its_line() {
        let error = parse(PathBuf::from("page.md"), "a\n```sh\nls\n").err().unwrap();
        assert_eq!(error.0, "page.md:2: block without an end");
    }

    #[test]
    fn headings_become_anchors_and_twins_are_numbered() {
        let page =
            page("# The `--set` option, twice\n## Units\n## Units\n```text\n# no\n```\n#no\n");
        assert_eq!(page.anchors, ["the---set-option-twice", "units", "units-1"]);
    }

    #[test]
    fn links_are_found_outside_code_only() {
        let page = page("[a](b.md#c), ![x](y.svg) and `[no](z)`\n```text\n[no](w)\n```\n");
        let targets: Vec<&str> = page.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["b.md#c", "y.svg"]);
    }
}
