//! Every reader on changed files: a few in the normal tests, a million in the long ones.

use stiction_fuzz::{Target, fuzz, targets};

const FEW: u64 = 2000;
const MANY: u64 = 1_000_000;

fn hold(target: Target, seed: u64, executions: u64) {
    let name = target.name;
    let report = fuzz(target, seed, executions).unwrap_or_else(|found| panic!("{found}"));
    // a reader that says the same to everything was not reached
    assert!(report.outcomes > 5, "{name}: {report:?}");
}

#[test]
fn scenes_in_toml_bear_changes() {
    hold(targets::scene_toml(), 1, FEW);
}

#[test]
fn scenes_in_json_bear_changes() {
    hold(targets::scene_json(), 1, FEW);
}

#[test]
fn settings_bear_changes() {
    hold(targets::setting(), 1, FEW);
}

#[test]
fn robots_bear_changes() {
    hold(targets::urdf(), 1, FEW);
}

#[test]
fn stl_files_bear_changes() {
    hold(targets::stl(), 1, FEW);
}

#[test]
fn obj_files_bear_changes() {
    hold(targets::obj(), 1, FEW);
}

#[test]
fn dae_files_bear_changes() {
    hold(targets::dae(), 1, FEW);
}

#[test]
fn recordings_bear_changes() {
    hold(targets::recording(), 1, FEW);
}

#[test]
#[ignore = "long"]
fn scenes_in_toml_bear_a_million_changes() {
    hold(targets::scene_toml(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn scenes_in_json_bear_a_million_changes() {
    hold(targets::scene_json(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn settings_bear_a_million_changes() {
    hold(targets::setting(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn robots_bear_a_million_changes() {
    hold(targets::urdf(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn stl_files_bear_a_million_changes() {
    hold(targets::stl(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn obj_files_bear_a_million_changes() {
    hold(targets::obj(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn dae_files_bear_a_million_changes() {
    hold(targets::dae(), 2, MANY);
}

#[test]
#[ignore = "long"]
fn recordings_bear_a_million_changes() {
    hold(targets::recording(), 2, MANY);
}
