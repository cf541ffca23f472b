//! Completions and manual pages, made of the description of the commands.

use std::path::Path;

use clap_complete::Shell;

use crate::Output;
use crate::args;
use crate::load::bad_input;
use crate::run::folder;

pub(crate) fn completions(shell: Shell) -> Output {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::description(), "stiction", &mut script);
    Output::said(String::from_utf8_lossy(&script).into_owned())
}

/// `stiction.1`, `stiction-run.1`, …
pub(crate) fn pages(into: &Path) -> Result<Output, Output> {
    folder::make(into)?;
    clap_mangen::generate_to(args::description(), into)
        .map_err(|error| bad_input(format!("{}: {error}", into.display())))?;
    Ok(Output::said(format!(
        "manual pages are in {}; `man -l {0}/stiction.1` shows one\n",
        into.display()
    )))
}
