//! The folder as a whole.

use crate::{folder, scene};
use stiction_scene::{LoadOptions, Syntax, parse};

/// All scenes, in the order of the alphabet. `materials.toml` is no scene.
const SCENES: &[&str] = &[
    "block_on_incline.json",
    "block_on_incline.toml",
    "bouncing_ball.toml",
    "box_on_ground.toml",
    "cannonball_planar.toml",
    "cannonball_pyramid.toml",
    "dominoes.toml",
    "four_bar_friction.toml",
    "gripper.toml",
    "height_field.toml",
    "newtons_cradle.toml",
    "pile_10000.toml",
    "pinch_grasp.toml",
    "quadruped.toml",
    "r1.toml",
    "r10.toml",
    "r2.toml",
    "r4.toml",
    "r5.toml",
    "r6.toml",
    "r7.toml",
    "r8.toml",
    "r9.toml",
    "rattleback.toml",
    "rolling_race.toml",
    "shapes.toml",
    "slider_crank.toml",
    "spinning_coin.toml",
    "tippe_top.toml",
    "tower_1e9.toml",
    "tower_512.toml",
    "wall.toml",
    "woodpecker.toml",
];

#[test]
fn every_file_of_the_folder_is_a_scene_that_is_tested_here() {
    let entries = std::fs::read_dir(folder()).expect("the folder of scenes");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a plain name")).collect();
    names.retain(|name| name.ends_with(".toml") || name.ends_with(".json"));
    names.retain(|name| name != "materials.toml");
    names.sort();
    assert_eq!(names, SCENES);
}

#[test]
fn every_scene_has_a_title_and_says_first_what_there_is_to_see() {
    for file in SCENES {
        assert!(scene(file, &[]).title.len() > 5, "{file}");
        let text = std::fs::read_to_string(folder().join(file)).expect("a text");
        assert!(text.starts_with("# ") || file.ends_with(".json"), "{file}");
    }
}

#[test]
fn every_scene_is_in_the_table_of_the_folder() {
    let page = std::fs::read_to_string(folder().join("README.md")).expect("a page");
    for file in SCENES {
        assert!(page.contains(&format!("[`{file}`]({file})")), "{file}");
    }
}

#[test]
fn every_scene_with_its_defaults_spelled_out_is_the_same_scene() {
    for file in SCENES {
        let scene = scene(file, &[]);
        let text = scene.resolved();
        let again = parse(&text, &folder().join(file), Syntax::Toml, &LoadOptions::default());
        let again = again.unwrap_or_else(|errors| panic!("{file}: {}", errors[0]));
        assert!(again == scene, "{file}:\n{text}");
    }
}

/// What the table proposes for `--set`, by scene.
fn proposals(page: &str) -> Vec<(String, Vec<String>)> {
    let rows = page.lines().filter(|line| line.starts_with("| [`"));
    let mut all = Vec::new();
    for row in rows {
        let mut spans = row.split('`').skip(1).step_by(2);
        let file = spans.next().expect("a file").to_string();
        for span in spans.filter(|span| span.starts_with("--set ")) {
            let settings = span.split("--set ").skip(1);
            all.push((file.clone(), settings.map(|text| text.trim().replace('"', "")).collect()));
        }
    }
    all
}

#[test]
fn everything_that_the_table_proposes_to_try_can_be_tried() {
    let page = std::fs::read_to_string(folder().join("README.md")).expect("a page");
    let all = proposals(&page);
    assert!(all.len() >= 20, "{}", all.len());
    for (file, set) in all {
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        let changed = scene(&file, &set);
        assert!(changed != scene(&file, &[]), "{file}: {set:?} changes nothing");
        changed.build().unwrap_or_else(|errors| panic!("{file}, {set:?}: {}", errors[0]));
    }
}

#[test]
fn the_scene_in_json_is_the_scene_in_toml() {
    assert!(scene("block_on_incline.json", &[]) == scene("block_on_incline.toml", &[]));
}
