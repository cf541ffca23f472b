//! The links of the pages: each leads to a file of the workspace and to a heading that is there; the book has every page.

use std::path::{Component, Path, PathBuf};

use crate::markdown::{self, Link, Page};
use crate::stage::Failed;

/// The book's table of contents.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

/// Checks all pages and prints what is wrong, a line each.
pub(crate) fn check(root: &Path) -> Result<(), Failed> {
    let pages = markdown::pages(root)?;
    let mut complaints = Vec::new();
    for page in &pages {
        for link in &page.links {
            if let Some(what) = wrong(root, &pages, page, link) {
                let place = format!("{}:{}", page.path.display(), link.line);
                complaints.push(format!("{place}: {}: {what}", link.target));
            }
        }
    }
    for missing in not_in_summary(&pages) {
        complaints.push(format!("{SUMMARY}: {} is missing", missing.display()));
    }
    for line in &complaints {
        eprintln!("{line}");
    }
    let links: usize = pages.iter().map(|page| page.links.len()).sum();
    match complaints.len() {
        0 => {
            println!("{links} links on {} pages lead somewhere", pages.len());
            Ok(())
        }
        n => Err(Failed(format!("links: {n} of {links} are wrong"))),
    }
}

/// What is wrong with a link; links to other hosts are not followed.
fn wrong(root: &Path, pages: &[Page], page: &Page, link: &Link) -> Option<&'static str> {
    if link.target.contains("://") || link.target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
    let Some(path) = target(&page.path, file) else { return Some("leads out of the workspace") };
    if !root.join(&path).exists() {
        return Some("there is no such file");
    }
    if anchor.is_empty() {
        return None;
    }
    let Some(aim) = pages.iter().find(|p| p.path == path) else {
        return Some("an anchor in what is not a page");
    };
    let is_there = aim.anchors.iter().any(|known| known == anchor);
    (!is_there).then_some("there is no such heading")
}

/// The file that a link on a page means, from the workspace's folder; None outside of it.
pub(crate) fn target(page: &Path, file: &str) -> Option<PathBuf> {
    if file.is_empty() {
        return Some(page.to_path_buf());
    }
    let mut path = page.parent()?.to_path_buf();
    for part in Path::new(file).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path)
}

/// Pages below `docs` that the table of contents does not have.
fn not_in_summary(pages: &[Page]) -> Vec<&PathBuf> {
    let summary = pages.iter().find(|page| page.path == Path::new(SUMMARY));
    let listed: Vec<PathBuf> = summary
        .iter()
        .flat_map(|page| page.links.iter().filter_map(|link| target(&page.path, &link.target)))
        .collect();
    let below = pages.iter().map(|page| &page.path).filter(|path| path.starts_with("docs"));
    below.filter(|path| *path != Path::new(SUMMARY) && !listed.contains(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_taken_from_the_page_and_stays_in_the_workspace() {
        let page = Path::new("docs/guide/a.md");
        assert_eq!(target(page, "../theory/b.md"), Some(PathBuf::from("docs/theory/b.md")));
        assert_eq!(target(page, ""), Some(page.to_path_buf()));
        assert_eq!(target(page, "../../../b.md"), None);
        assert_eq!(target(page, "/etc/hosts"), None);
    }

    #[test]
    fn a_page_that_the_summary_forgets_is_named() {
        let parse =
            |path: &str, text: &str| markdown::parse(PathBuf::from(path), text).ok().unwrap();
        let pages = [
            parse("docs/SUMMARY.md", "- [A](guide/a.md)\n"),
            parse("docs/guide/a.md", ""),
            parse("docs/guide/b.md", ""),
            parse("README.md", ""),
        ];
        assert_eq!(not_in_summary(&pages), [&PathBuf::from("docs/guide/b.md")]);
    }
}
