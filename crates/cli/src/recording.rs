//! What is made of a recording: plots, the page that plays it back, tables, contact problems.

mod again;
mod convert;
pub(crate) mod pictures;
mod series;

pub(crate) use convert::convert;
pub(crate) use series::Series;

use stiction_record::Recording;

use crate::Output;
use crate::args::{PlotArgs, ReplayArgs};
use crate::load;
use crate::run::folder;
use crate::run::summary::shown;

pub(crate) fn plot(args: &PlotArgs) -> Result<Output, Output> {
    let recording = load::recording(&args.path)?;
    let beside = args.path.parent().unwrap_or(&args.path).to_path_buf();
    let into = args.output.clone().unwrap_or(beside);
    let plots = pictures::plots(&recording, &args.path, &pictures::Look::of(args))?;
    let mut text = String::new();
    let mut files = Vec::new();
    for (name, content) in plots {
        let path = folder::writable(&into.join(name), args.force)?.to_path_buf();
        text.push_str(&format!("{}\n", shown(&path)));
        files.push((path, content));
    }
    Ok(Output { files, complaints: cut_short(&recording, &args.path), ..Output::said(text) })
}

pub(crate) fn replay(args: &ReplayArgs) -> Result<Output, Output> {
    let recording = load::recording(&args.path)?;
    let page = args.output.clone().unwrap_or_else(|| args.path.with_file_name(crate::run::PAGE));
    folder::writable(&page, args.force)?;
    let content = pictures::page(&recording, &args.path)?;
    let text = format!("{}\n", shown(&page));
    let complaints = cut_short(&recording, &args.path);
    Ok(Output { files: vec![(page, content)], complaints, ..Output::said(text) })
}

/// A line for a recording that ends before its end.
fn cut_short(recording: &Recording, path: &std::path::Path) -> Vec<String> {
    let line = |cut: &stiction_record::Cut| {
        let (path, at, unread) = (path.display(), cut.at, cut.unread);
        format!(
            "{path}: cut off at byte {at}, {unread} bytes behind it are lost; what is before was read"
        )
    };
    recording.cut.iter().map(line).collect()
}
