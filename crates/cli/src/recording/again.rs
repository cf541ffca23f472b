//! A step of a recording taken again, to the bit: from the last state that was kept before it.

use std::path::{Component, Path, PathBuf};

use stiction_record::{RecordError, Recording};
use stiction_scene::{LoadOptions, SceneError, Simulation, Syntax};
use stiction_sim::State;
use stiction_sim::contact::law;

use crate::Output;
use crate::format;
use crate::load::{self, bad_input};

/// The contact problem of step `step`, counted from 1, as a problem file. The step itself may have failed.
pub(super) fn problem(
    recording: &Recording,
    path: &Path,
    step: u64,
    roots: &[PathBuf],
) -> Result<String, Output> {
    let refused = |line: String| bad_input(format!("{}: --step {step}: {line}", path.display()));
    let mut simulation = before(recording, path, step, roots)?;
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

/// The last step that was recorded; the one after it may have failed.
fn last_step(recording: &Recording) -> Result<u64, RecordError> {
    match recording.frame_count() {
        0 => Ok(0),
        frames => recording.frame(frames - 1).map(|frame| frame.step),
    }
}

/// Mistakes in the scene that a recording holds, which is no file that the user has.
fn in_recording(path: &Path, errors: &[SceneError]) -> Output {
    let line = |error: &SceneError| {
        let (line, column) = (error.place.line, error.place.column);
        format!("{}: its scene, {line}:{column}: {}", path.display(), error.message)
    };
    Output { complaints: errors.iter().map(line).collect(), ..bad_input(String::new()) }
}

/// Where files that the scene names are looked for: beside the scene as it was named below this folder, else beside the
/// recording. Whoever made the recording has no say beyond that.
fn home(recording: &Recording, path: &Path) -> PathBuf {
    let named = Path::new(&recording.header.scene_file);
    let is_below = named.components().all(|part| matches!(part, Component::Normal(_)));
    let file = if is_below { named.to_path_buf() } else { path.to_path_buf() };
    file.with_extension("toml")
}

/// The scene in the state that step `step` began with.
fn before(
    recording: &Recording,
    path: &Path,
    step: u64,
    roots: &[PathBuf],
) -> Result<Simulation, Output> {
    let refused = |line: String| bad_input(format!("{}: --step {step}: {line}", path.display()));
    if step == 0 {
        return Err(refused("steps are counted from 1".to_string()));
    }
    let taken = last_step(recording).map_err(|error| refused(error.to_string()))?;
    if step > taken + 1 {
        return Err(refused(format!("the run ended after step {taken}")));
    }
    let options = LoadOptions { roots: roots.to_vec(), ..Default::default() };
    let (text, file) = (&recording.header.scene, home(recording, path));
    let scene = stiction_scene::parse(text, &file, Syntax::Toml, &options);
    let scene = scene.map_err(|errors| in_recording(path, &errors))?;
    let mut simulation = Simulation::new(&scene).map_err(load::complaints)?;
    let kept = recording.state_before(step - 1).map_err(|error| refused(error.to_string()))?;
    let kept = kept.ok_or_else(|| refused("the recording keeps no state before it".to_string()))?;
    let state = State::from_bytes(&kept.bytes).map_err(|error| refused(error.to_string()))?;
    simulation.model.check_state(&state).map_err(|error| refused(error.to_string()))?;
    simulation.state = state;
    for k in kept.step + 1..step {
        let taken = simulation.step();
        taken.map_err(|error| refused(format!("step {k} has no next state: {error}")))?;
    }
    Ok(simulation)
}
