//! Folders: the table, the array, exit codes.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{EASY, NONE, OPEN, ROLLING, file, folder, stiction};

/// Two sets of problems that zero solves, a list, a folder in a folder, and other files.
fn solvable(test: &str) -> String {
    let folder = folder(test);
    for set in ["linear", "deeper/cones"] {
        std::fs::create_dir_all(folder.join(set)).unwrap();
    }
    file(&folder, "linear/a.json", EASY);
    file(&folder, "linear/b.json", EASY);
    file(&folder, "deeper/cones/c.json", OPEN);
    file(&folder, "INDEX.json", "[]");
    file(&folder, "linear/README.md", "not a problem");
    folder.to_str().unwrap().to_string()
}

#[test]
fn the_table_counts_by_solver_and_set() {
    let said = stiction(&["solve", &solvable("table")]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "no bar off a terminal");
    let lines: Vec<Vec<&str>> =
        said.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[2][..5], ["auto", "cones", "1", "1", "·"]);
    assert_eq!(lines[3][..5], ["auto", "linear", "2", "2", "·"]);
    assert_eq!(lines[4][..6], ["auto", "all", "sets", "3", "3", "·"]);
    assert_eq!(lines.len(), 5, "nothing unsettled to list: {}", said.stdout);
}

#[test]
fn the_array_has_an_object_for_each_problem() {
    let said = stiction(&["solve", &solvable("array"), "--json"]);
    assert_eq!(said.code, 0);
    let json: Value = serde_json::from_str(&said.stdout).unwrap();
    let entries = json.as_array().unwrap();
    let names: Vec<_> = entries.iter().map(|e| (e["set"].as_str(), e["name"].as_str())).collect();
    let expected = [("cones", "c"), ("linear", "a"), ("linear", "b")];
    assert_eq!(names, expected.map(|(set, name)| (Some(set), Some(name))));
    assert!(entries[0]["r"].is_array() && entries[1]["z"].is_array());
    assert!(entries.iter().all(|entry| entry["status"] == "certified" && entry["asked"] == "auto"));
}

#[test]
fn one_solver_or_all_may_be_asked() {
    let folder = solvable("solvers");
    let nsgs = stiction(&["solve", &folder, "--solver", "nsgs", "--allow-uncertified"]);
    assert!(nsgs.stdout.contains("2 files of kinds that this solver is not for"));
    let linear = Path::new(&folder).join("linear");
    let said = stiction(&["solve", linear.to_str().unwrap(), "--solver", "nsgs"]);
    assert_eq!(said.code, 2);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    let all = stiction(&["solve", &folder, "--solver", "all", "--json", "--allow-uncertified"]);
    let json: Value = serde_json::from_str(&all.stdout).unwrap();
    // 6 solvers on one cone, 11 on each of two linear problems
    assert_eq!(json.as_array().unwrap().len(), 6 + 2 * 11);
}

#[test]
fn uncertified_problems_are_listed_and_decide_the_exit_code() {
    let folder = folder("uncertified");
    // feasible nowhere, and stopped before anything can be proved
    file(&folder, "none.json", NONE);
    let path = folder.to_str().unwrap();
    let said = stiction(&["solve", path, "--solver", "psor", "--time-limit", "0"]);
    assert!(said.stdout.contains("\nuncertified (1)\n  uncertified/none  psor  residual"));
    assert_eq!(said.code, 1);
    let args = ["solve", path, "--solver", "psor", "--time-limit", "0", "--allow-uncertified"];
    assert_eq!(stiction(&args).code, 0);
}

#[test]
fn refused_and_broken_files_do_not_stop_the_others() {
    let folder = folder("mixture");
    file(&folder, "a.json", EASY);
    file(&folder, "b.json", ROLLING);
    let path = folder.to_str().unwrap();
    let said = stiction(&["solve", path]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "a refused kind is no error");
    assert!(said.stdout.contains("mixture/b  auto  rolling friction"), "{}", said.stdout);
    file(&folder, "c.json", "{");
    let said = stiction(&["solve", path]);
    assert_eq!(said.code, 2);
    assert_eq!(said.stderr.lines().count(), 1);
    assert!(said.stderr.contains("c.json:1:1: expected JSON"), "{}", said.stderr);
    assert!(said.stdout.contains("bad input, see above"));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["solve", &solvable("pipe"), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(stderr, "");
}
