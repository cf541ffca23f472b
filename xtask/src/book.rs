//! The pages as a book, by mdBook.
//!
//! The pages stay where they are and link to each other across the repository. What the table of contents lists is copied,
//! in the same folders, below `target/book/src`; links to what is not in the book become plain text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::links::{SUMMARY, target};
use crate::markdown::{self, Page};
use crate::stage::{Failed, Stage, run_all};

/// Fixed, so that the book looks the same everywhere.
const VERSION: &str = "0.5.4";

/// Builds the book into `book/book` of the target folder.
pub(crate) fn build(root: &Path, target: &Path) -> Result<(), Failed> {
    let mdbook = installed(root, target)?;
    let folder = target.join("book");
    assemble(root, &folder).map_err(|error| Failed(format!("book: {error}")))?;
    let folder = folder.to_string_lossy();
    run_all(&[Stage::program("book", &mdbook.to_string_lossy(), &["build", &folder])], root)?;
    println!("{folder}/book/index.html");
    Ok(())
}

/// mdBook as it is on this machine, else one of our own.
fn installed(root: &Path, target: &Path) -> Result<PathBuf, Failed> {
    let is_there = |program: &Path| {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains(VERSION))
    };
    let own = target.join("tools/bin/mdbook");
    for program in [PathBuf::from("mdbook"), own.clone()] {
        if is_there(&program) {
            return Ok(program);
        }
    }
    let folder = target.join("tools");
    let folder = folder.to_string_lossy();
    let args = ["install", "mdbook", "--version", VERSION, "--locked", "--root", &folder];
    let features = ["--no-default-features", "--features", "search"];
    run_all(&[Stage::cargo("mdBook", &[&args[..], &features[..]].concat())], root)?;
    Ok(own)
}

/// Writes the book's sources: settings, table of contents, pages, pictures.
fn assemble(root: &Path, folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let sources = folder.join("src");
    fs::create_dir_all(&sources)?;
    fs::copy(root.join("book.toml"), folder.join("book.toml"))?;
    fs::copy(root.join("docs/book.css"), folder.join("book.css"))?;
    let summary = fs::read_to_string(root.join(SUMMARY))?;
    let (listed, summary) = from_the_top(&summary);
    fs::write(sources.join("SUMMARY.md"), summary)?;
    for path in &listed {
        let text = fs::read_to_string(root.join(path))?;
        let page = markdown::parse(path.clone(), &text).map_err(|f| io::Error::other(f.0))?;
        let is_kept = |file: &Path| listed.iter().any(|l| l == file) || is_picture(file);
        for link in &page.links {
            if let Some(file) = target(path, &link.target).filter(|file| is_picture(file)) {
                place(&sources.join(&file), &fs::read(root.join(&file))?)?;
            }
        }
        place(&sources.join(path), with_book_links(&page, &text, &is_kept).as_bytes())?;
    }
    Ok(())
}

fn place(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}

fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["svg", "png"].contains(&&*ending.to_string_lossy()))
}

/// The pages of the table of contents, and the table with paths from the workspace's folder.
fn from_the_top(summary: &str) -> (Vec<PathBuf>, String) {
    let mut listed = Vec::new();
    let mut text = String::new();
    for line in summary.lines() {
        let link = line.split_once("](").and_then(|(before, rest)| {
            let (file, after) = rest.split_once(')')?;
            Some((before, target(Path::new(SUMMARY), file)?, after))
        });
        match link {
            Some((before, path, after)) => {
                text.push_str(&format!("{before}]({}){after}\n", path.display()));
                listed.push(path);
            }
            None => text.push_str(&format!("{line}\n")),
        }
    }
    (listed, text)
}

/// The page with links to files that the book has not as plain text. mdBook calls a README the index of its folder.
fn with_book_links(page: &Page, text: &str, is_kept: &dyn Fn(&Path) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for link in page.links.iter().filter(|link| !link.target.contains("://")) {
        let file = link.target.split('#').next().unwrap_or("");
        let leads_out = target(&page.path, file).is_none_or(|path| !is_kept(&path));
        let line = &mut lines[link.line - 1];
        if leads_out {
            *line = unlinked(line, &link.target);
        } else if file.ends_with("README.md") {
            let index = link.target.replace("README.md", "index.md");
            *line = line.replacen(&format!("]({})", link.target), &format!("]({index})"), 1);
        }
    }
    lines.join("\n") + "\n"
}

/// `[text](target)` as `text`, at the first place where the target is.
fn unlinked(line: &str, target: &str) -> String {
    let Some((before, after)) = line.split_once(&format!("]({target})")) else {
        return line.to_string();
    };
    match before.rfind('[') {
        Some(k) => format!("{}{}{after}", &before[..k], &before[k + 1..]),
        None => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_contents_is_told_from_the_top() {
        let (listed, text) =
            from_the_top("# Summary\n- [A](guide/a.md)\n  - [N](../NOTATION.md)\n");
        assert_eq!(listed, [PathBuf::from("docs/guide/a.md"), PathBuf::from("NOTATION.md")]);
        assert_eq!(text, "# Summary\n- [A](docs/guide/a.md)\n  - [N](NOTATION.md)\n");
    }

    #[test]
    fn links_to_what_the_book_has_not_become_text() {
        let text =
            "[a](b.md#c), [`sim`](../crates/sim) and [x](https://example.org)\n[r](README.md)\n";
        let page = markdown::parse(PathBuf::from("docs/a.md"), text).ok().unwrap();
        let kept = |path: &Path| path.starts_with("docs");
        let shown = with_book_links(&page, text, &kept);
        assert_eq!(shown, "[a](b.md#c), `sim` and [x](https://example.org)\n[r](index.md)\n");
    }
}
