//! `stiction convert`: by what comes in and by the ending of what is to go out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use stiction_record::{RecordError, Recording, export};

use super::again;
use crate::Output;
use crate::args::{ConvertArgs, SceneArgs, Table};
use crate::load::{self, bad_input};
use crate::robots;
use crate::run::folder;
use crate::run::summary::shown;

pub(crate) fn convert(args: &ConvertArgs) -> Result<Output, Output> {
    let (from, to) = (ending(&args.from), ending(&args.to));
    folder::writable(&args.to, args.force)?;
    match (from.as_str(), to.as_str()) {
        ("urdf", "toml") => robot(args),
        ("mcap", "json") if args.step.is_some() => problem(args),
        ("mcap", "csv" | "npz" | "parquet") => table(args, &to),
        _ => Err(bad_input(format!(
            "{}: expected a robot (.urdf) to .toml, or a recording (.mcap) to .csv, .npz, .parquet, or with --step to .json",
            args.to.display()
        ))),
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn robot(args: &ConvertArgs) -> Result<Output, Output> {
    let mut set = Vec::new();
    if args.strict {
        set.push("urdf.robot.strict=true".to_string());
    }
    let scene = SceneArgs { path: args.from.clone(), set, seed: None, roots: args.roots.clone() };
    let scene = load::scene(&scene)?;
    let text = stiction_scene::from_spec(&scene.title, &scene.spec, &scene.start)
        .map_err(|error| bad_input(format!("{}: {error}", args.from.display())))?;
    let report = robots::text(&scene);
    let files = vec![(args.to.clone(), text.into_bytes())];
    Ok(Output { files, ..Output::said(format!("{report}{}\n", shown(&args.to))) })
}

/// The contact problem of a step, found by taking the step again.
fn problem(args: &ConvertArgs) -> Result<Output, Output> {
    let recording = load::recording(&args.from)?;
    let step = args.step.unwrap_or(0);
    let text = again::problem(&recording, &args.from, step, &args.roots)?;
    let files = vec![(args.to.clone(), text.into_bytes())];
    Ok(Output { files, ..Output::said(format!("{}\n", shown(&args.to))) })
}

/// Written as it is read, however long the recording is.
fn table(args: &ConvertArgs, to: &str) -> Result<Output, Output> {
    let recording = load::recording(&args.from)?;
    // half a file is worse than none, and than the one that was there
    let mut part = args.to.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = write_table(&recording, args, (to, &part)).and_then(|()| {
        let renaming = |error| RecordError::Io { doing: "naming the table", error };
        std::fs::rename(&part, &args.to).map_err(renaming)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        bad_input(format!("{} to {}: {error}", args.from.display(), args.to.display()))
    })?;
    let complaints = super::cut_short(&recording, &args.from);
    Ok(Output { complaints, ..Output::said(format!("{}\n", shown(&args.to))) })
}

fn write_table(
    recording: &Recording,
    args: &ConvertArgs,
    (to, path): (&str, &Path),
) -> Result<(), RecordError> {
    let io = |error| RecordError::Io { doing: "writing the table", error };
    let mut out = BufWriter::new(File::create(path).map_err(io)?);
    let what = match args.table {
        Table::Steps => export::Table::Steps,
        Table::Contacts => export::Table::Contacts,
    };
    match to {
        "csv" => export::csv(recording, what, &mut out)?,
        "npz" => export::npz(recording, &mut out)?,
        _ => export::parquet(recording, what, &mut out)?,
    }
    out.flush().map_err(io)
}
