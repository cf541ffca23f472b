//! Scenes and recordings by name; whatever is wrong with them, as lines for the user.

use std::path::Path;

use sha2::{Digest, Sha256};
use stiction_record::{Header, Recording};
use stiction_scene::{LoadOptions, Scene, SceneError, Simulation, Syntax};
use stiction_sim::Ledger;

use crate::args::SceneArgs;
use crate::run::header;
use crate::{Ending, Output};

/// A scene, or a robot alone in the world.
pub(crate) fn scene(args: &SceneArgs) -> Result<Scene, Output> {
    let options = options(args);
    let is_robot = args.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("urdf"));
    let loaded = if is_robot {
        // told here, where it has the name that the user knows
        match std::fs::metadata(&args.path) {
            Ok(file) if file.is_file() => {}
            Ok(_) => return Err(bad_input(format!("{}: expected a file", args.path.display()))),
            Err(error) => return Err(bad_input(format!("{}: {error}", args.path.display()))),
        }
        // texts of JSON are texts of TOML
        let text = format!("[urdf.robot]\nfile = {}\n", serde_json::json!(file_name(&args.path)));
        let around = args.path.with_extension("toml");
        let robot = stiction_scene::parse(&text, &around, Syntax::Toml, &options);
        robot.map_err(|errors| of_robot(errors, &around, &args.path))
    } else {
        stiction_scene::load(&args.path, &options)
    };
    loaded.map_err(complaints)
}

/// Mistakes of the scene around a robot are the robot's: nobody else wrote it.
fn of_robot(mut errors: Vec<SceneError>, around: &Path, robot: &Path) -> Vec<SceneError> {
    let around = around.display().to_string();
    for place in errors.iter_mut().map(|error| &mut error.place) {
        if place.file == around {
            (place.file, place.line) = (robot.display().to_string(), 0);
        }
    }
    errors
}

fn options(args: &SceneArgs) -> LoadOptions {
    LoadOptions { roots: args.roots.clone(), set: args.set.clone(), seed: args.seed }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// All that is wrong with a scene, a line each.
pub(crate) fn complaints(errors: Vec<SceneError>) -> Output {
    let lines = errors.iter().map(ToString::to_string).collect();
    Output { ending: Ending::BadInput, complaints: lines, ..Output::said(String::new()) }
}

pub(crate) fn bad_input(line: String) -> Output {
    Output::bad_input(line)
}

pub(crate) fn recording(path: &Path) -> Result<Recording, Output> {
    Recording::open(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}

/// What a recording of this scene says of it.
pub(crate) fn header(scene: &Scene, simulation: &Simulation, args: &SceneArgs) -> Header {
    let text = scene.resolved();
    let settings = scene.stepping.step();
    let (q, v) = header::coordinates(&simulation.model);
    Header {
        title: scene.title.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        scene_file: args.path.display().to_string(),
        scene_hash: hexadecimal(&Sha256::digest(text.as_bytes())),
        scene: text,
        seed: scene.seed,
        h: settings.h,
        law: settings.contact.law.name().to_string(),
        solver: settings.contact.solver.name().to_string(),
        tol: settings.contact.tol,
        bodies: header::bodies(&simulation.model),
        shapes: header::shapes(&simulation.model),
        q,
        v,
        ledger: if settings.ledger { ledger_names() } else { Vec::new() },
    }
}

fn ledger_names() -> Vec<String> {
    Ledger::default().terms().map(|(name, _)| name.to_string()).into()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
