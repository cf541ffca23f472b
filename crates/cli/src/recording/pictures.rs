//! The page that plays a recording back, and its plots.

use std::path::Path;

use stiction_plot::Theme;
use stiction_plot::recording::{self as figures, Named, Run};
use stiction_record::{Frame, Recording};
use stiction_replay::{Track, TrackSettings};

use super::series::Series;
use crate::Output;
use crate::args::{self, Format, Plot, PlotArgs};
use crate::load::{self, bad_input};
use crate::run::PAGE;
use crate::run::summary::shown;

#[cfg(feature = "png")]
/// Pixels of a PNG for each unit of the plot.
const SCALE: f32 = 2.0;

/// Which plots, and how they look.
pub(crate) struct Look {
    plots: Vec<Plot>,
    format: Format,
    theme: Theme,
}

impl Look {
    pub(crate) fn of(args: &PlotArgs) -> Self {
        let theme = match args.theme {
            args::Theme::Auto if args.format == Format::Png => Theme::Light,
            args::Theme::Auto => Theme::Auto,
            args::Theme::Light => Theme::Light,
            args::Theme::Dark => Theme::Dark,
        };
        Self { plots: args.plots.clone(), format: args.format, theme }
    }

    fn standard() -> Self {
        Self { plots: Vec::new(), format: Format::Svg, theme: Theme::Auto }
    }
}

/// Writes page and plots of a recording into a folder; labels and paths of what is there then.
pub(crate) fn beside(path: &Path, folder: &Path) -> Result<Vec<(&'static str, String)>, Output> {
    let recording = load::recording(path)?;
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        let written = std::fs::write(&path, content);
        written.map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
        Ok::<String, Output>(shown(&path))
    };
    let mut series = Series::new(&recording.header);
    let mut track = Track::new(&recording.header, &TrackSettings::default());
    for_each(&recording, path, &mut |frame| {
        series.push(frame);
        track.push(frame);
    })?;
    let mut files = vec![("replay", write(PAGE, track.page().as_bytes())?)];
    let mut plots = Vec::new();
    for (name, content) in drawn(&series, &Look::standard())? {
        write(&name, &content)?;
        plots.push(name.trim_end_matches(".svg").to_string());
    }
    if !plots.is_empty() {
        let names = format!("{{{}}}.svg", plots.join(","));
        files.push(("plots", shown(&folder.join(names))));
    }
    Ok(files)
}

/// The page alone.
pub(crate) fn page(recording: &Recording, path: &Path) -> Result<Vec<u8>, Output> {
    let mut track = Track::new(&recording.header, &TrackSettings::default());
    for_each(recording, path, &mut |frame| track.push(frame))?;
    Ok(track.page().into_bytes())
}

/// File names and contents of the plots alone.
pub(crate) fn plots(
    recording: &Recording,
    path: &Path,
    look: &Look,
) -> Result<Vec<(String, Vec<u8>)>, Output> {
    let mut series = Series::new(&recording.header);
    for_each(recording, path, &mut |frame| series.push(frame))?;
    drawn(&series, look)
}

fn for_each(
    recording: &Recording,
    path: &Path,
    take: &mut dyn FnMut(&Frame),
) -> Result<(), Output> {
    let mut frame = Frame::default();
    let mut frames = recording.frames();
    while let Some(read) = frames.read(&mut frame) {
        read.map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
        take(&frame);
    }
    Ok(())
}

/// What was asked for by name; else what has something to show.
fn drawn(series: &Series, look: &Look) -> Result<Vec<(String, Vec<u8>)>, Output> {
    let run = &series.run;
    let figures = match look.plots.is_empty() {
        true => figures::standard(run),
        false => look.plots.iter().map(|plot| asked(run, *plot)).collect(),
    };
    figures.iter().map(|named| draw(named, look)).collect()
}

fn asked(run: &Run, plot: Plot) -> Named {
    let (name, figure) = match plot {
        Plot::Paths => ("paths", figures::paths(run)),
        Plot::Energy => ("energy", figures::energy(run)),
        Plot::Gaps => ("gaps", figures::gaps(run)),
        Plot::Forces => ("forces", figures::forces(run)),
        Plot::Residuals => ("residuals", figures::residuals(run)),
        Plot::Phase => ("phase", figures::phase(run, &[])),
    };
    Named { name, figure }
}

fn draw(Named { name, figure }: &Named, look: &Look) -> Result<(String, Vec<u8>), Output> {
    let svg = figure.svg(look.theme);
    match look.format {
        Format::Svg => Ok((format!("{name}.svg"), svg.into_bytes())),
        Format::Png => Ok((format!("{name}.png"), png(&svg)?)),
    }
}

#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Vec<u8>, Output> {
    stiction_plot::png(svg, SCALE).map_err(|error| bad_input(format!("--format png: {error}")))
}

#[cfg(not(feature = "png"))]
fn png(_svg: &str) -> Result<Vec<u8>, Output> {
    Err(bad_input("--format png: this program was built without its feature `png`".to_string()))
}
