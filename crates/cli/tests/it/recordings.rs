//! Commands that take a recording, whole or cut.

use std::path::Path;

use crate::program::{file, folder, stiction};

const SLIDER: &str = r#"
[shapes.ground]
kind = "half-space"
[bodies.slider]
mass = 1.0
position = [0, 0, 0.1]
velocity = [1, 0, 0]
shapes = [{ kind = "box", size = [0.2, 0.2, 0.2] }]
[stepping]
steps = 250
"#;

/// A recording, and its folder.
fn recorded(test: &str) -> (std::path::PathBuf, String) {
    let folder = folder(test);
    let scene = file(&folder, "slider.toml", SLIDER);
    let out = folder.join("out");
    let said = stiction(&["run", &scene, "-o", out.to_str().unwrap(), "--no-pictures"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let recording = out.join("run.mcap").to_str().unwrap().to_string();
    (folder, recording)
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_string()
}

#[test]
fn plots_and_page_are_made_later_too() {
    let (folder, recording) = recorded("recordings_pictures");
    let plots = path(&folder, "plots");
    let said = stiction(&["plot", &recording, "-o", &plots, "--theme", "dark"]);
    assert_eq!((said.code, said.stdout.lines().count()), (0, 6), "{}", said.stderr);
    let said = stiction(&["plot", &recording, "energy", "-o", &plots]);
    assert!(said.code == 2 && said.stderr.contains("--force"), "{}", said.stderr);
    let page = path(&folder, "page.html");
    assert_eq!(stiction(&["replay", &recording, "-o", &page]).code, 0);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    assert!(!page.contains("http://") && !page.contains("https://"), "the page needs no network");
}

#[cfg(feature = "png")]
#[test]
fn a_plot_can_be_a_png() {
    let (folder, recording) = recorded("recordings_png");
    let plots = path(&folder, "plots");
    let said = stiction(&["plot", &recording, "paths", "--format", "png", "-o", &plots]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let png = std::fs::read(folder.join("plots/paths.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
}

#[test]
fn tables_have_a_row_for_each_step_and_units_in_their_heads() {
    let (folder, recording) = recorded("recordings_tables");
    let csv = path(&folder, "steps.csv");
    assert_eq!(stiction(&["convert", &recording, &csv]).code, 0);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert!(text.starts_with("step,time[s],slider.x[m]"), "{}", text.lines().next().unwrap());
    assert_eq!(text.lines().count(), 252);
    let contacts = path(&folder, "contacts.csv");
    assert_eq!(stiction(&["convert", &recording, &contacts, "--table", "contacts"]).code, 0);
    assert_eq!(std::fs::read_to_string(&contacts).unwrap().lines().count(), 1 + 4 * 250);
    for name in ["run.npz", "run.parquet"] {
        let said = stiction(&["convert", &recording, &path(&folder, name)]);
        assert_eq!(said.code, 0, "{name}: {}", said.stderr);
    }
    let said = stiction(&["convert", &recording, &path(&folder, "run.xlsx")]);
    assert!(said.code == 2 && said.stderr.contains("expected a robot"), "{}", said.stderr);
}

#[test]
fn any_step_becomes_a_problem_that_solve_certifies() {
    let (folder, recording) = recorded("recordings_problem");
    for step in ["1", "117", "250"] {
        let problem = path(&folder, &format!("step{step}.json"));
        let said = stiction(&["convert", &recording, &problem, "--step", step]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        let said = stiction(&["solve", &problem, "--tol", "1e-10"]);
        assert!(said.code == 0 && said.stdout.contains("4 contacts"), "{}", said.stdout);
    }
    let problem = path(&folder, "step0.json");
    let said = stiction(&["convert", &recording, &problem, "--step", "0"]);
    assert!(said.code == 2 && said.stderr.contains("counted from 1"), "{}", said.stderr);
}

#[test]
fn a_recording_that_was_cut_is_read_up_to_the_cut() {
    let (folder, recording) = recorded("recordings_cut");
    let bytes = std::fs::read(&recording).unwrap();
    let cut = file(&folder, "cut.mcap", &bytes[..bytes.len() * 2 / 3]);
    let csv = path(&folder, "cut.csv");
    let said = stiction(&["convert", &cut, &csv]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stderr.contains("cut off at byte"), "{}", said.stderr);
    let stump = file(&folder, "stump.mcap", &bytes[..40]);
    let said = stiction(&["plot", &stump]);
    assert!(said.code == 2 && said.stderr.contains("stump.mcap: byte"), "{}", said.stderr);
}

#[test]
fn completions_manual_pages_and_the_schema_are_printed() {
    let folder = folder("recordings_manual");
    assert!(stiction(&["completions", "bash"]).stdout.contains("_stiction"));
    let pages = path(&folder, "man");
    assert_eq!(stiction(&["man", &pages]).code, 0);
    assert!(folder.join("man/stiction-run.1").is_file());
    let schema = stiction(&["schema"]).stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}
