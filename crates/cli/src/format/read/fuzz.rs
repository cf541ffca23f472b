//! Problem files, changed at random: whatever is in them, there is an answer.

use std::path::Path;

use stiction_fuzz::{Target, fuzz};

use super::parse;

const FEW: u64 = 2000;
const MANY: u64 = 1_000_000;

fn read(bytes: &[u8]) -> String {
    match parse(bytes, "x") {
        Err(what) => what.in_file(Path::new("x.json")).to_string(),
        Ok(file) => format!("read {}", file.kind.name()),
    }
}

fn target() -> Target {
    let seeds = SEEDS.iter().map(|text| text.as_bytes().to_vec()).collect();
    Target { name: "problem", read, seeds, words: WORDS, memory: 16 << 20 }
}

fn hold(seed: u64, executions: u64) {
    let report = fuzz(target(), seed, executions).unwrap_or_else(|found| panic!("{found}"));
    assert!(report.outcomes > 10, "{report:?}");
}

#[test]
fn seeds_are_problems() {
    for seed in SEEDS {
        assert!(read(seed.as_bytes()).starts_with("read "), "{}", read(seed.as_bytes()));
    }
}

#[test]
fn problem_files_bear_changes() {
    hold(1, FEW);
}

#[test]
#[ignore = "long"]
fn problem_files_bear_a_million_changes() {
    hold(2, MANY);
}

const SEEDS: &[&str] = &[
    r#"{"kind": "lcp", "name": "a", "M": {"shape": [2, 2], "dense": [2, 1, 1, 2]}, "q": [1, -3]}"#,
    r#"{"format": "stiction-1", "kind": "fc3d", "mu": [0.5], "q": [1, 0, 0],
        "M": {"shape": [3, 3], "csc": {"p": [0, 1, 2, 3], "i": [0, 1, 2], "x": [1, 1, 1]}}}"#,
    r#"{"kind": "box", "M": {"shape": [1, 1], "dense": [1]}, "q": [1], "lower": [-1], "upper": [1]}"#,
    r#"{"kind": "fc2d", "mu": [0.5], "q": [-1, 0], "M": {"shape": [2, 2], "dense": [1, 0, 0, 1]}}"#,
    r#"{"kind": "mlcp", "eq": [0], "M": {"shape": [2, 2], "dense": [1, 0, 0, 1]}, "q": [1, 1]}"#,
    r#"{"kind": "gfc2d", "mu": [0.5], "b": [0, 0], "q": [1, 1], "nc": 1, "facts": {"expected": "some"},
        "Mass": {"shape": [2, 2], "dense": [1, 0, 0, 1]}, "H": {"shape": [2, 2], "dense": [1, 0, 0, 1]}}"#,
];

const WORDS: &[&str] = &[
    "\"kind\": \"mlcp\",",
    "\"kind\": \"gfc3d\",",
    "\"kind\": \"rfc3d\",",
    "\"eq\": [0],",
    "\"mu\"",
    "\"mu_r\"",
    "\"shape\": [1, 1]",
    "\"dense\"",
    "\"csc\"",
    "\"coo\"",
    "\"H\"",
    "\"w\"",
    "\"lower\"",
    "\"upper\"",
    "\"expected\": {}",
    "null",
    "true",
    "[]",
    "{}",
    "\"inf\"",
    "\\u0000",
    "\\ud800",
    "1e999",
];
