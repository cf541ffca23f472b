//! One problem: exit codes, the report, the JSON object.

use serde_json::Value;

use crate::program::{EASY, NONE, OPEN, file, folder, shipped, stiction};

fn keys(json: &Value) -> Vec<&str> {
    json.as_object().expect("one object").keys().map(String::as_str).collect()
}

#[test]
fn a_certified_answer_is_one_object() {
    let path = file(&folder("object"), "easy.json", EASY);
    let said = stiction(&["solve", &path, "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(said.stdout.lines().count(), 1);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    let expected = ["chain", "floor", "iterations", "residual", "solver", "status", "time_s", "z"];
    assert_eq!(keys(&json), expected);
    assert_eq!(json["status"], "certified");
    assert_eq!(json["residual"], 0.0);
    assert_eq!(json["z"], serde_json::json!([0.0, 0.0]));
    assert!(json["chain"].as_array().unwrap().contains(&json["solver"]));
    assert!(json["time_s"].as_f64().unwrap() >= 0.0);
}

#[test]
fn a_friction_answer_has_impulses_and_velocities() {
    let path = file(&folder("friction"), "open.json", OPEN);
    let said = stiction(&["solve", &path, "--json"]);
    assert_eq!(said.code, 0, "{}", said.stdout);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    let expected =
        ["chain", "floor", "iterations", "r", "residual", "solver", "status", "time_s", "u"];
    assert_eq!(keys(&json), expected);
    assert_eq!(json["r"], serde_json::json!([0.0, 0.0, 0.0]));
    assert_eq!(json["u"], serde_json::json!([1.0, 0.0, 0.0]));
}

#[test]
fn what_has_no_solution_is_never_certified() {
    let path = file(&folder("none"), "none.json", NONE);
    for solver in ["auto", "lemke", "psor"] {
        let said = stiction(&["solve", &path, "--json", "--solver", solver, "--time-limit", "5"]);
        let json: Value = serde_json::from_str(&said.stdout).unwrap();
        match json["status"].as_str().unwrap() {
            "no_solution" => {
                assert_eq!(said.code, 0);
                assert!(json["proof"]["farkas"].is_array() || json["proof"]["tree"].is_object());
                assert!(json.get("z").is_none());
                let radius = json["proof"].get("radius");
                assert_eq!(radius, Some(&Value::Null), "one entry: its sums are exact");
                let chain = json["chain"].as_array().unwrap();
                assert_eq!(Some(&json["solver"]), chain.last(), "the link that proved it");
                let report = stiction(&["solve", &path, "--solver", solver]);
                assert!(report.stdout.contains("exact in every sum"), "{}", report.stdout);
            }
            "uncertified" => {
                assert_eq!(said.code, 1);
                assert!(json["residual"].is_null() || json["residual"].as_f64().unwrap() > 0.1);
            }
            other => panic!("{solver}: {other}"),
        }
    }
}

#[test]
fn the_tolerance_decides_and_an_uncertified_answer_may_be_allowed() {
    // z = 0 has the residual 1e-3 / max(1, 1e-3)
    let near = r#"{"kind": "lcp", "M": {"shape": [1, 1], "dense": [0]}, "q": [-1e-3]}"#;
    let path = file(&folder("tolerance"), "near.json", near);
    assert_eq!(stiction(&["solve", &path, "--tol", "1e-2"]).code, 0);
    let strict = stiction(&["solve", &path, "--tol", "1e-4"]);
    if strict.stdout.contains("uncertified") {
        assert_eq!(strict.code, 1);
        assert_eq!(stiction(&["solve", &path, "--allow-uncertified"]).code, 0);
    }
}

#[test]
fn the_report_is_a_plain_table_off_a_terminal() {
    let path = file(&folder("report"), "easy.json", EASY);
    let said = stiction(&["solve", &path]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.starts_with("easy · lcp · 2 rows\n\n  status      certified\n"));
    for label in ["solver", "chain", "iterations", "residual", "floor", "parts", "time"] {
        assert!(said.stdout.contains(&format!("\n  {label:<12}")), "{label}: {}", said.stdout);
    }
    assert!(!said.stdout.contains('\u{1b}'), "no colour off a terminal");
}

#[test]
fn mixed_answers_come_in_the_order_of_the_files_columns() {
    // rows 0, 1 are equations of column 1 alone (twice the same), row 2 pairs with column 0:
    // c1 = 0 and 0 ≤ c0 ⊥ c0 + 1 ≥ 0, so that zero solves it, and z has two entries
    let tall = r#"{"kind": "mlcp", "eq_rows": [0, 1], "comp_cols": [0], "q": [0, 0, 1],
        "M": {"shape": [3, 2], "dense": [0, 1,  0, 1,  1, 0]}}"#;
    let path = file(&folder("tall"), "tall.json", tall);
    let said = stiction(&["solve", &path, "--json"]);
    assert_eq!(said.code, 0, "{}", said.stdout);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(json["z"], serde_json::json!([0.0, 0.0]));
}

#[test]
fn null_is_an_infinite_bound() {
    let free = r#"{"kind": "box", "lower": [null, -1], "upper": [null, null], "q": [0, 0],
        "M": {"shape": [2, 2], "dense": [1, 0, 0, 1]}}"#;
    let path = file(&folder("bounds"), "free.json", free);
    let said = stiction(&["solve", &path]);
    assert_eq!(said.code, 0, "{}", said.stdout);
}

#[test]
fn empty_problems_are_solved() {
    let folder = folder("empty");
    let lcp = r#"{"kind": "lcp", "q": [], "M": {"shape": [0, 0], "dense": []}}"#;
    let cone = r#"{"kind": "fc3d", "mu": [], "q": [], "M": {"shape": [0, 0], "dense": []}}"#;
    for (name, content) in [("lcp.json", lcp), ("cone.json", cone)] {
        let path = file(&folder, name, content);
        let said = stiction(&["solve", &path]);
        assert_eq!(said.code, 0, "{name}");
        assert!(said.stdout.contains("\n  solver      zero\n  chain       zero\n"), "{name}");
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let path = file(&folder("mark"), "easy.json", format!("\u{feff}{EASY}"));
    let said = stiction(&["solve", &path]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
}

#[test]
fn shipped_problems_end_as_their_notes_say() {
    for (name, key, expected) in [
        ("pyramid_friction", "z", vec![0.1, 0.0, 0.05, 0.0, 0.0, 0.25]),
        ("four_bar_mixed", "z", vec![0.5, 0.5, -2.0, 1.5]),
        ("motor_limits", "z", vec![0.75, -1.0]),
        ("sliding_block_global", "r", vec![0.2, -0.1]),
        ("block_on_incline", "u", vec![0.0; 12]),
    ] {
        let said = stiction(&["solve", &shipped(name), "--json"]);
        assert_eq!(said.code, 0, "{name}: {}", said.stdout);
        let json: Value = serde_json::from_str(&said.stdout).unwrap();
        let found = json[key].as_array().unwrap();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found.as_f64().unwrap() - expected).abs() < 1e-9, "{name}: {json}");
        }
    }
    let said = stiction(&["solve", &shipped("no_solution"), "--json"]);
    assert_eq!(said.code, 0);
    assert!(said.stdout.starts_with("{\"status\":\"no_solution\""), "{}", said.stdout);
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["solve", "--help"], &["--version"]] {
        let said = stiction(args);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{args:?}");
        assert!(!said.stdout.is_empty());
    }
    assert!(stiction(&["solve", "--help"]).stdout.contains("alart-curnier"));
}
