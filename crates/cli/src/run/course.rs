//! The steps of a run, one after the other, watched.

use std::time::Instant;

use stiction_record::Frame;
use stiction_scene::{Scene, Simulation};

use super::frame::fill;
use super::tally::{Ended, Tally};
use crate::interrupt;

/// Who looks at each state of a run, the first one included; an error ends it.
pub(crate) type Watch<'a, E> = dyn FnMut(&Simulation, &Frame) -> Result<(), E> + 'a;

/// Takes all steps of the scene, or as many as there are.
#[allow(clippy::disallowed_methods, reason = "the summary tells how long a run took")]
pub(crate) fn run<E>(
    scene: &Scene,
    simulation: &mut Simulation,
    watch: &mut Watch<'_, E>,
) -> Result<Tally, E> {
    let start = Instant::now();
    let mut frame = Frame::default();
    fill(&mut frame, simulation, 0, None);
    let mut tally = Tally::new(scene.steps, &frame);
    watch(simulation, &frame)?;
    for step in 1..=scene.steps {
        if interrupt::is_asked() {
            tally.ended = Ended::Interrupted;
            break;
        }
        match simulation.step() {
            Ok(stepped) => fill(&mut frame, simulation, step, Some(&stepped)),
            Err(error) => {
                tally.ended = Ended::Stopped { step, error: error.to_string() };
                break;
            }
        }
        tally.add(&frame);
        watch(simulation, &frame)?;
    }
    tally.wall = start.elapsed();
    Ok(tally)
}
