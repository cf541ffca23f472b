//! Commands that take a scene: what they say, what they leave, how they end.

use serde_json::Value;

use crate::program::{Said, file, folder, stiction};

/// A ball that falls on the ground and stays there: 400 steps.
const BALL: &str = r#"
title = "A ball"
[shapes.ground]
kind = "half-space"
[bodies.ball]
mass = 2.0
position = [0, 0, 0.12]
velocity = [0.5, 0, 0]
shapes = [{ kind = "sphere", radius = 0.1 }]
[stepping]
duration = 0.4
"#;

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {}", said.stdout))
}

#[test]
fn a_run_leaves_recording_page_and_plots_and_says_where() {
    let folder = folder("scenes_run");
    let scene = file(&folder, "ball.toml", BALL);
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let said = stiction(&["run", &scene, "-o", out]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{}", said.stdout);
    for words in
        ["400 of 400, all certified", "worst residual", "ledger", "simulated in", "replay.html"]
    {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    for name in
        ["run.mcap", "replay.html", "paths.svg", "energy.svg", "forces.svg", "residuals.svg"]
    {
        assert!(folder.join("out").join(name).is_file(), "{name}");
    }
    let again = stiction(&["run", &scene, "-o", out]);
    assert_eq!((again.code, again.stdout.as_str()), (2, ""));
    assert!(again.stderr.contains("--force overwrites it"), "{}", again.stderr);
    assert_eq!(stiction(&["run", &scene, "-o", out, "--force", "-q"]).stdout, "");
}

#[test]
fn the_summary_as_json_tells_what_the_ball_did() {
    let folder = folder("scenes_json");
    let scene = file(&folder, "ball.toml", BALL);
    let said = stiction(&["run", &scene, "--no-recording", "--json"]);
    let summary = json(&said);
    assert_eq!(
        (said.code, &summary["steps"], &summary["certified"]),
        (0, &400.into(), &400.into())
    );
    assert_eq!(summary["ended"], "done");
    // 20 mm of fall are lost in the impact, 2 kg · 9.81 m/s² · 0.02 m, and nothing else but friction takes energy
    let potential = &summary["energy"]["potential_j"];
    let fallen = potential[0].as_f64().unwrap() - potential[1].as_f64().unwrap();
    assert!((fallen - 2.0 * 9.81 * 0.02).abs() < 1e-9, "{fallen}");
    assert!(summary["energy"]["defect_j"].as_f64().unwrap().abs() < 1e-12);
    let hash = summary["scene_hash"].as_str().unwrap();
    assert_eq!(hash.len(), 64);
    let other = json(&stiction(&[
        "run",
        &scene,
        "--no-recording",
        "--json",
        "--set",
        "bodies.ball.mass=3",
    ]));
    assert_ne!(other["scene_hash"], hash, "another mass is another scene");
}

#[test]
fn what_check_resolves_is_the_same_scene() {
    let folder = folder("scenes_resolved");
    let scene = file(&folder, "ball.toml", BALL);
    let resolved = stiction(&["check", &scene, "--resolved"]);
    assert_eq!(resolved.code, 0);
    assert!(resolved.stdout.contains("tol = 1e-10"), "{}", resolved.stdout);
    assert_eq!(stiction(&["run", &scene, "--dry-run"]).stdout, resolved.stdout);
    let again = file(&folder, "again.toml", &resolved.stdout);
    assert_eq!(stiction(&["check", &again, "--resolved"]).stdout, resolved.stdout);
}

#[test]
fn check_remarks_on_what_looks_wrong() {
    let folder = folder("scenes_check");
    let clean = stiction(&["check", &file(&folder, "ball.toml", BALL)]);
    assert!(clean.code == 0 && clean.stdout.contains("nothing to remark"), "{}", clean.stdout);
    let odd = BALL.replace("[bodies.ball]", "[materials.unused]\nfriction = 1\n[bodies.speck]\nmass = 1e-7\ninertia = [1, 1, 1]\nposition = [5, 0, 0.009]\nvelocity = [1e3, 0, 0]\nshapes = [{ kind = \"sphere\", radius = 0.01 }]\n[bodies.ball]");
    let odd = file(&folder, "odd.toml", odd);
    let said = stiction(&["check", &odd]);
    for lint in ["mass-ratio", "inertia", "overlap", "tunnel", "unused"] {
        assert!(said.stdout.contains(lint), "{lint}: {}", said.stdout);
    }
    assert_eq!((said.code, stiction(&["check", &odd, "--strict"]).code), (0, 1));
}

#[test]
fn check_finds_loops_and_rows_that_repeat() {
    // four hinges about y in one plane: three of the five rows that close the loop repeat others
    let scene = format!("{}/../../scenes/four_bar_friction.toml", env!("CARGO_MANIFEST_DIR"));
    let remarks = json(&stiction(&["check", &scene, "--json"]))["remarks"].clone();
    let lints: Vec<&str> =
        remarks.as_array().unwrap().iter().map(|r| r["lint"].as_str().unwrap()).collect();
    assert_eq!(lints, ["loop", "redundant"]);
    assert!(remarks[1]["what"].as_str().unwrap().starts_with("3 of 5 rows"), "{remarks}");
}

#[test]
fn laws_and_steps_are_set_side_by_side_whatever_the_threads() {
    let folder = folder("scenes_compare");
    let scene = file(&folder, "ball.toml", BALL);
    let options =
        ["compare", &scene, "--laws", "cone,pyramid(4),box", "--h", "1e-3,5e-4", "--json"];
    let said = stiction(&options);
    let runs = json(&said);
    assert_eq!((said.code, runs.as_array().unwrap().len()), (0, 6), "{}", said.stderr);
    assert_eq!(runs[2]["run"], "pyramid(4), h 1 ms");
    assert_eq!(runs[0]["path_difference_m"], 0.0);
    // the way of the step that meets the ground is what step lengths differ in
    let apart = runs[1]["path_difference_m"].as_f64().unwrap();
    assert!(apart > 0.0 && apart < 1e-3, "{apart}");
    let two = json(&stiction(&[&options[..], &["--threads", "2"]].concat()));
    for (a, b) in runs.as_array().unwrap().iter().zip(two.as_array().unwrap()) {
        assert_eq!(a["end_positions_m"], b["end_positions_m"]);
    }
    let out = folder.join("out");
    let said = stiction(&["compare", &scene, "--laws", "cone,box", "-o", out.to_str().unwrap()]);
    assert!(said.stdout.contains("path apart [m]") && out.join("compare-paths.svg").is_file());
}

#[test]
fn inspect_shows_masses_and_the_contact_problem() {
    let folder = folder("scenes_inspect");
    let scene = file(&folder, "ball.toml", BALL);
    let view = json(&stiction(&["inspect", &scene, "--json", "--step", "200"]));
    assert_eq!((&view["nq"], &view["nv"]), (&7.into(), &6.into()));
    assert_eq!(view["mass_matrix"][0][0], 2.0);
    assert_eq!(view["bias"][2], 2.0 * 9.81);
    assert_eq!(view["contacts"].as_array().unwrap().len(), 1);
    let problem = &view["contact_problem"];
    assert_eq!(
        (&problem["kind"], &problem["rank_delassus"]),
        (&"friction cones".into(), &3.into())
    );
    let text = stiction(&["inspect", &scene, "--step", "200"]).stdout;
    assert!(text.contains("ball.x") && text.contains("rank of W 3"), "{text}");
}

#[test]
fn a_step_without_a_certificate_ends_with_1_and_its_problem_fails_the_same_way_alone() {
    let folder = folder("scenes_stopped");
    let scene = file(&folder, "ball.toml", BALL);
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    // on this problem the fixed point does not converge
    let cube = r#"bodies.ball.shapes=[{ kind = "box", size = [0.2, 0.2, 0.2] }]"#;
    let set = ["--set", "law.kind=pyramid", "--set", "solver.name=prox", "--set", cube];
    let said = stiction(&[&["run", &scene, "-o", out, "--json"], &set[..]].concat());
    let summary = json(&said);
    assert_eq!((said.code, &summary["ended"]), (1, &"stopped".into()), "{}", said.stdout);
    assert!(summary["error"].as_str().unwrap().contains("no certificate"));
    let step = (summary["steps"].as_u64().unwrap() + 1).to_string();
    let (recording, problem) = (format!("{out}/run.mcap"), format!("{out}/problem.json"));
    let converted = stiction(&["convert", &recording, &problem, "--step", &step]);
    assert_eq!(converted.code, 0, "{}", converted.stderr);
    let alone = stiction(&["solve", &problem, "--solver", "prox", "--tol", "1e-10", "--json"]);
    assert_eq!((alone.code, &json(&alone)["status"]), (1, &"uncertified".into()));
    let auto = stiction(&["solve", &problem, "--json"]);
    assert_eq!((auto.code, &json(&auto)["status"]), (0, &"certified".into()));
}
