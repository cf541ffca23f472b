//! The examples of the workspace's crates: each is a program that ends in an assertion.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::stage::Failed;

/// Names of `crates/*/examples/*.rs` and `crates/*/examples/*/main.rs`, sorted by folder.
pub(crate) fn of_workspace(root: &Path) -> Result<Vec<String>, Failed> {
    find(root).map_err(|error| Failed(format!("looking for examples: {error}")))
}

/// Names of the packages in `crates`, sorted by folder.
pub(crate) fn packages(root: &Path) -> Result<Vec<String>, Failed> {
    let read = || {
        let mut names = Vec::new();
        for folder in entries(&root.join("crates"))? {
            names.push(package_name(&fs::read_to_string(folder.join("Cargo.toml"))?)?);
        }
        Ok(names)
    };
    read().map_err(|error: io::Error| Failed(format!("looking for packages: {error}")))
}

fn find(root: &Path) -> io::Result<Vec<String>> {
    let mut examples = Vec::new();
    for folder in entries(&root.join("crates"))? {
        let examples_folder = folder.join("examples");
        if !examples_folder.is_dir() {
            continue;
        }
        for path in entries(&examples_folder)? {
            let is_example = path.extension().is_some_and(|ending| ending == "rs")
                || path.join("main.rs").is_file();
            if let (true, Some(name)) = (is_example, path.file_stem()) {
                examples.push(name.to_string_lossy().into_owned());
            }
        }
    }
    Ok(examples)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

/// The `name` of a manifest; its first line with that key, as every manifest here begins with it.
fn package_name(manifest: &str) -> io::Result<String> {
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = "));
    match name {
        Some(name) => Ok(name.trim().trim_matches('"').to_string()),
        None => Err(io::Error::other("a manifest without a name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_manifest_is_found() {
        let name = package_name("[package]\nname = \"stiction-lcp\"\n").unwrap();
        assert_eq!(name, "stiction-lcp");
        assert!(package_name("[workspace]").is_err());
    }
}
