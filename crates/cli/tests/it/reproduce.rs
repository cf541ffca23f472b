//! Results made anew: what is printed, what is written, exit codes.

use std::fs;

use crate::program::{folder, stiction};

#[test]
fn an_item_is_one_object_of_json() {
    let said = stiction(&["reproduce", "R10", "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let value: serde_json::Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!(value[0]["id"], "R10");
    assert_eq!(value[0]["pass"], true);
    let figure = &value[0]["figures"]["mixed_p"];
    assert!(figure.as_f64().is_some_and(|x| x <= 1e-10), "{figure}");
}

#[test]
fn an_item_is_a_section_with_its_comparisons() {
    let said = stiction(&["reproduce", "r10"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.starts_with("## R10 · "), "{}", said.stdout);
    assert!(said.stdout.contains(": pass\n") && said.stdout.contains("| holds |"));
}

#[test]
fn a_folder_gets_the_page_and_the_pictures() {
    let folder = folder("reproduce").join("new");
    let path = folder.to_str().expect("UTF-8");
    let said = stiction(&["reproduce", "R10", "-o", path]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.starts_with("R10  pass "), "{}", said.stdout);
    let page = fs::read_to_string(folder.join("reproduced.md")).expect("a page");
    assert!(page.starts_with("# Reproduced\n"));
    let picture = "pictures/r10-stabilization.svg";
    assert!(page.contains(picture));
    assert!(fs::read_to_string(folder.join(picture)).expect("a picture").starts_with("<svg"));
}

#[test]
fn what_cannot_be_run_or_written_is_bad_usage() {
    let said = stiction(&["reproduce", "R11"]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(
        said.stderr.contains("expected one of R1, R2, R3, R4, R5, R6, R7, R8, R9, R10"),
        "{}",
        said.stderr
    );
    // a folder that is a file
    let said =
        stiction(&["reproduce", "R10", "-o", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
}

/// Items, verdicts and numbers of comparisons; digits below may change with rounding.
fn verdicts(page: &str) -> Vec<&str> {
    page.lines().take_while(|line| !line.starts_with("## ")).collect()
}

#[test]
#[ignore = "runs all items in full"]
fn the_page_of_the_docs_has_the_verdicts_of_this_program() {
    let folder = folder("reproduce all");
    let said = stiction(&["reproduce", "-o", folder.to_str().expect("UTF-8")]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{}", said.stdout);
    let written = fs::read_to_string(folder.join("reproduced.md")).expect("a page");
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reproduced.md");
    let docs = fs::read_to_string(docs).expect("the page of the docs");
    assert_eq!(verdicts(&written), verdicts(&docs));
    assert!(verdicts(&docs).len() > 8);
}
