//! `stiction compare`: one scene under several laws, solvers and step lengths.

mod pictures;
mod sample;
mod table;
mod variant;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use stiction_scene::{Scene, Simulation};

use crate::args::CompareArgs;
use crate::interrupt;
use crate::load;
use crate::recording::Series;
use crate::run::course;
use crate::run::tally::Tally;
use crate::{Ending, Output};
use sample::Samples;
use variant::Variant;

pub(crate) use variant::law;

/// A variant and what came of it.
pub(crate) struct Outcome {
    pub(crate) variant: Variant,
    pub(crate) tally: Tally,
    pub(crate) samples: Samples,
    pub(crate) series: Series,
}

pub(crate) fn compare(args: &CompareArgs) -> Result<Output, Output> {
    let scene = load::scene(&args.scene)?;
    let variants = variant::of(args, &scene)?;
    interrupt::listen();
    let grid = sample::grid(&variants);
    let outcomes = run_all(args, &scene, &variants, &grid)?;
    let is_met = outcomes.iter().all(|outcome| outcome.tally.is_met());
    let ending = if is_met { Ending::Done } else { Ending::Unmet };
    let text = match (args.loudness.json, args.loudness.quiet) {
        (true, _) => table::json(&outcomes),
        (_, true) => String::new(),
        _ => table::text(&scene.title, &outcomes),
    };
    let files = match &args.output {
        Some(folder) => pictures::files(folder, args.force, &scene.title, &outcomes)?,
        None => Vec::new(),
    };
    Ok(Output { ending, files, ..Output::said(text) })
}

/// Each variant in a slot of its own, whoever runs it.
fn run_all(
    args: &CompareArgs,
    scene: &Scene,
    variants: &[Variant],
    grid: &[f64],
) -> Result<Vec<Outcome>, Output> {
    let slots: Vec<Mutex<Option<Result<Outcome, Output>>>> =
        variants.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..args.threads.min(variants.len()) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::SeqCst);
                    let Some(variant) = variants.get(k) else { break };
                    let outcome = run(args, scene, variant, grid);
                    *slots[k].lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                }
            });
        }
    });
    let taken = slots
        .into_iter()
        .filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    taken.collect()
}

fn run(
    args: &CompareArgs,
    scene: &Scene,
    variant: &Variant,
    grid: &[f64],
) -> Result<Outcome, Output> {
    let scene = variant.apply(scene);
    let mut simulation = Simulation::new(&scene).map_err(load::complaints)?;
    let mut samples = Samples::new(grid);
    let mut series = Series::new(&load::header(&scene, &simulation, &args.scene));
    series.run.names.label.clone_from(&variant.name);
    let tally = course::run(&scene, &mut simulation, &mut |_, frame| {
        samples.take(frame);
        series.push(frame);
        Ok::<(), Output>(())
    })?;
    Ok(Outcome { variant: variant.clone(), tally, samples, series })
}
