//! Timed scenes: what is printed, exit codes.

use crate::program::stiction;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_scene_of_the_set_is_timed_and_certified() {
    let said =
        stiction(&["bench", "--scene", "disks-10", "--steps", "2", "--rounds", "1", "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let row = &json(&said.stdout)[0];
    assert_eq!((&row["scene"], &row["bodies"]), (&"disks-10".into(), &10.into()));
    // four on the ground, six beside each other, twelve on two others each
    assert_eq!((&row["contacts"], &row["steps"]), (&22.into(), &2.into()));
    assert_eq!((&row["certified"], &row["error"]), (&3.into(), &serde_json::Value::Null));
    assert!(row["residual"].as_f64().is_some_and(|residual| residual <= 1e-10), "{row}");
    assert!(row["cold_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{row}");
    assert!(row["warm_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{row}");
}

#[test]
fn a_scene_is_timed_under_another_law() {
    let args = ["bench", "--scene", "disks-10", "--steps", "1", "--rounds", "1", "--json", "--law"];
    let row = |law: &str| {
        let said = stiction(&[&args[..], &[law]].concat());
        assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        json(&said.stdout)[0].clone()
    };
    let (boxed, cone) = (row("box"), row("cone"));
    assert_eq!((&boxed["certified"], &cone["certified"]), (&2.into(), &2.into()));
    // a linear complementarity problem has other solvers than cones
    assert_ne!(boxed["cold_link"], cone["cold_link"]);
    let said = stiction(&["bench", "--scene", "disks-10", "--law", "boxx"]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(said.stderr.contains("boxx") && said.stderr.contains("phantom"), "{}", said.stderr);
}

#[test]
fn a_table_has_a_line_for_each_scene_in_the_order_of_the_set() {
    let args = ["bench", "--scene", "disks-10", "--scene", "cube", "--steps", "0", "--rounds", "1"];
    let said = stiction(&args);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", said.stdout);
    assert!(lines[1].starts_with("cube ") && lines[2].starts_with("disks-10 "), "{}", said.stdout);
    // no step after the first: no warm time
    assert!(lines[2].contains("1 of 1") && lines[2].contains('–'), "{}", said.stdout);
}

#[test]
fn a_described_scene_can_be_built_elsewhere() {
    let said = stiction(&["bench", "--scene", "spheres-30", "--describe"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let world = &json(&said.stdout)[0]["world"];
    let bodies = world["bodies"].as_array().expect("a list");
    assert_eq!(bodies.len(), 30);
    let sphere = &bodies[0]["parts"][0]["form"];
    assert_eq!((&sphere["kind"], &sphere["radius"]), (&"sphere".into(), &0.5.into()));
    // 2/5 m r²
    assert!(bodies[0]["moments"][0].as_f64().is_some_and(|moment| (moment - 0.1).abs() < 1e-15));
}

#[test]
fn a_scene_that_is_not_there_is_named_beside_those_that_are() {
    let said = stiction(&["bench", "--scene", "disks-11"]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(said.stderr.contains("disks-11") && said.stderr.contains("spheres-385"));
    for args in [
        &["bench", "--steps", "-1"][..],
        &["bench", "--rounds", "many"],
        &["bench", "--describe", "--json"],
    ] {
        assert_eq!(stiction(args).code, 2, "{args:?}");
    }
}
