//! `stiction run`: a scene step by step, into a recording, a page that plays it back, and plots.

pub(crate) mod course;
pub(crate) mod folder;
pub(crate) mod frame;
pub(crate) mod header;
mod kept;
mod progress;
pub(crate) mod summary;
pub(crate) mod tally;

use std::convert::Infallible;
use std::path::Path;

use stiction_record::{Header, RecordError};
use stiction_scene::{Scene, Simulation};

use crate::args::RunArgs;
use crate::interrupt;
use crate::load::{self, bad_input};
use crate::print;
use crate::recording::pictures;
use crate::{Ending, Output};
use kept::Kept;
use progress::Progress;
use tally::Tally;

/// The recording's name in its folder, and that of the page that plays it back.
pub(crate) const RECORDING: &str = "run.mcap";
pub(crate) const PAGE: &str = "replay.html";

pub(crate) fn run(args: &RunArgs) -> Result<Output, Output> {
    let scene = load::scene(&args.scene)?;
    if args.dry_run {
        return Ok(Output::said(scene.resolved()));
    }
    interrupt::listen();
    let mut simulation = Simulation::new(&scene).map_err(load::complaints)?;
    simulation.set_threads(args.threads);
    let header = load::header(&scene, &simulation, &args.scene);
    let mut progress = Progress::new(&args.loudness, scene.steps);
    let mut files = Vec::new();
    let tally = if args.no_recording {
        watched(&scene, &mut simulation, &mut progress)
    } else {
        let folder = folder::of_run(args.output.as_deref(), &args.scene.path, args.force)?;
        let path = folder.join(RECORDING);
        let tally = recorded(&scene, &mut simulation, &header, (&path, &mut progress))
            .map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
        files.push(("recording", summary::shown(&path)));
        if !args.no_pictures {
            files.extend(pictures::beside(&path, &folder)?);
        }
        tally
    };
    let text = match (args.loudness.json, args.loudness.quiet) {
        (true, _) => print::line(&summary::Object::of(&header, &tally, &files)),
        (_, true) => String::new(),
        _ => summary::text(&header, &tally, &files),
    };
    let ending = if tally.is_met() { Ending::Done } else { Ending::Unmet };
    Ok(Output { ending, ..Output::said(text) })
}

fn watched(scene: &Scene, simulation: &mut Simulation, progress: &mut Progress) -> Tally {
    let result = course::run(scene, simulation, &mut |_, frame| {
        progress.show(frame);
        Ok::<(), Infallible>(())
    });
    progress.finish();
    match result {
        Ok(tally) => tally,
        Err(never) => match never {},
    }
}

fn recorded(
    scene: &Scene,
    simulation: &mut Simulation,
    header: &Header,
    (path, progress): (&Path, &mut Progress),
) -> Result<Tally, RecordError> {
    let mut kept = Kept::create(path, header, scene)?;
    let result = course::run(scene, simulation, &mut |simulation, frame| {
        progress.show(frame);
        kept.take(simulation, frame)
    });
    progress.finish();
    let tally = result?;
    kept.finish(simulation, &tally)?;
    Ok(tally)
}
