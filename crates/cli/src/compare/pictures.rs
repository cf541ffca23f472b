//! The runs over each other, as plots.

use std::path::{Path, PathBuf};

use stiction_plot::Theme;
use stiction_plot::recording::{Run, compare};

use super::{Outcome, table};
use crate::Output;
use crate::run::folder;

/// Paths and contents of the plots and the table.
pub(super) fn files(
    into: &Path,
    force: bool,
    title: &str,
    outcomes: &[Outcome],
) -> Result<Vec<(PathBuf, Vec<u8>)>, Output> {
    let runs: Vec<Run> = outcomes.iter().map(|outcome| outcome.series.run.clone()).collect();
    let mut files = vec![(into.join("compare.csv"), table::csv(outcomes).into_bytes())];
    for named in compare(title, &runs) {
        let path = into.join(format!("{}.svg", named.name));
        files.push((path, named.figure.svg(Theme::Auto).into_bytes()));
    }
    for (path, _) in &files {
        folder::writable(path, force)?;
    }
    Ok(files)
}
