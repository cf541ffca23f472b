//! Maps of sliding rods: what is printed, what is written, exit codes.

use std::fs;

use crate::program::{folder, stiction};

#[test]
fn a_map_counts_its_rods_and_finds_the_least_coefficient() {
    let said = stiction(&["paradox", "--mu-range", "0:4:41", "--angle-range", "63.4:63.5:2"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.contains("82 rods"), "{}", said.stdout);
    // 4/3 at 63.43°: 1.4 is the first above it
    assert!(said.stdout.contains("least μ with a paradox: 1.4000"), "{}", said.stdout);
    assert!(said.stdout.contains("82 of 82"), "{}", said.stdout);
}

#[test]
fn a_map_as_json_has_a_row_for_each_rod() {
    let args = ["paradox", "--mu-range", "1:2:2", "--angle-range", "63:63:1", "--json"];
    let said = stiction(&args);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let value: serde_json::Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!(
        (&value["rods"], &value["presses"], &value["none"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(value["cells"][1]["sort"], "none");
    assert_eq!(value["cells"][1]["forces"], serde_json::json!([]));
    let impulse = value["cells"][1]["impulse"].as_f64().expect("a number");
    // with the spin of the third argument the same rod has two forces
    assert!(impulse > 0.1, "{impulse}");
    let said = stiction(&[&args[..], &["--spin", "6"]].concat());
    let value: serde_json::Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!((&value["several"], &value["lifts_off"]), (&1.into(), &1.into()));
    let short = stiction(&[&args[..], &["--h", "1e-6"]].concat());
    let value: serde_json::Value = serde_json::from_str(&short.stdout).expect("JSON");
    let [with_force, without] = [0, 1].map(|i| value["cells"][i]["impulse"].as_f64());
    assert!(with_force.is_some_and(|p| p < 1e-4) && without.is_some_and(|p| p > 0.1));
}

#[test]
fn a_folder_gets_the_picture_and_the_data() {
    let folder = folder("paradox").join("new");
    let path = folder.to_str().expect("UTF-8");
    let said =
        stiction(&["paradox", "--mu-range", "0:5:6", "--angle-range", "10:80:8", "-o", path]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let picture = fs::read_to_string(folder.join("paradox.svg")).expect("a picture");
    assert!(picture.starts_with("<svg"));
    let data = fs::read_to_string(folder.join("paradox.csv")).expect("data");
    assert_eq!(data.lines().count(), 1 + 48);
    let fields = data.lines().next().map_or(0, |line| line.split(',').count());
    assert!(data.lines().all(|line| line.split(',').count() == fields), "{data}");
}

#[test]
fn ranges_that_are_none_are_bad_usage() {
    for (option, range) in [
        ("--mu-range", "0:5"),
        ("--mu-range", "5:0:3"),
        ("--mu-range", "-1:1:3"),
        ("--mu-range", "0:nan:3"),
        ("--mu-range", "0:1:0"),
        ("--mu-range", "0:1:99999999999999"),
        ("--angle-range", "0:45:3"),
        ("--angle-range", "1:90:3"),
        ("--spin", "fast"),
        ("--h", "0"),
    ] {
        let said = stiction(&["paradox", &format!("{option}={range}")]);
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{option} {range}");
        assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    }
}
