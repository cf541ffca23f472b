//! A step of a recording taken again, to the bit: from the last state that was kept before it.

use std::path::Path;

use stiction_record::Recording;
use stiction_scene::{LoadOptions, Simulation, Syntax};
use stiction_sim::State;
use stiction_sim::contact::law;

use crate::Output;
use crate::format;
use crate::load::{self, bad_input};

/// The contact problem of step `step`, counted from 1, as a problem file. The step itself may have failed.
pub(super) fn problem(recording: &Recording, path: &Path, step: u64) -> Result<String, Output> {
    let refused = |line: String| bad_input(format!("{}: --step {step}: {line}", path.display()));
    let mut simulation = before(recording, path, step)?;
    // whether it is certified or not: its problem is asked for
    let _ = simulation.step();
    let settings = *simulation.stepping.step();
    let space = simulation.data.contact_space().filter(|space| space.W.nrows() > 0);
    let space = space.ok_or_else(|| refused("no contact problem was solved in it".to_string()))?;
    let assembled =
        law::assemble(space, &settings.contact.law).map_err(|error| refused(error.to_string()))?;
    let header = &recording.header;
    let name = format!("{}, step {step}", header.title);
    let note = format!("law {}, h {} s, scene {}", header.law, header.h, header.scene_hash);
    format::problem_text(&assembled.problem, &name, &note).map_err(refused)
}

/// The scene in the state that step `step` began with.
fn before(recording: &Recording, path: &Path, step: u64) -> Result<Simulation, Output> {
    let refused = |line: String| bad_input(format!("{}: --step {step}: {line}", path.display()));
    if step == 0 {
        return Err(refused("steps are counted from 1".to_string()));
    }
    // files that the scene names are where they were
    let file = Path::new(&recording.header.scene_file).with_extension("toml");
    let scene = stiction_scene::parse(
        &recording.header.scene,
        &file,
        Syntax::Toml,
        &LoadOptions::default(),
    )
    .map_err(load::complaints)?;
    let mut simulation = Simulation::new(&scene).map_err(load::complaints)?;
    let kept = recording.state_before(step - 1).map_err(|error| refused(error.to_string()))?;
    let kept = kept.ok_or_else(|| refused("the recording keeps no state before it".to_string()))?;
    simulation.state =
        State::from_bytes(&kept.bytes).map_err(|error| refused(error.to_string()))?;
    for k in kept.step + 1..step {
        let taken = simulation.step();
        taken.map_err(|error| refused(format!("step {k} has no next state: {error}")))?;
    }
    Ok(simulation)
}
