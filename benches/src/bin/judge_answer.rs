//! Judges another engine's step on our contacts: `judge_answer SCENE FILE` prints one JSON object.
//!
//! FILE holds the bodies before the step and the impulses of the step, as [`stiction_bench::scale::answer`] reads them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to who runs it")]

use std::process::ExitCode;

use stiction_bench::scale::{Scene, answer};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match said(&args) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn said(args: &[String]) -> Result<String, String> {
    let [scene, path] = args else { return Err("expected SCENE FILE".to_string()) };
    let scene = Scene::named(scene).ok_or_else(|| format!("no scene {scene}"))?;
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let answer = serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    let judged = answer::judge(&(scene.build)(), &answer)?;
    serde_json::to_string(&judged).map_err(|error| error.to_string())
}
