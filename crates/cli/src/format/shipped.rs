//! The problems in `data/problems`: each note and stored solution is held against the judge.

use std::path::{Path, PathBuf};

use stiction_lcp::judge::{Judge, Proof, check_proof};

use super::{Expected, Problem, ProblemFile, read};

/// The files store short decimals, so that the judge sees rounding alone.
const TOL: f64 = 1e-15;

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/problems");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some()).collect();
    files.sort();
    files
}

/// `solution.key` of a file.
fn stored(path: &Path, key: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let list = json["solution"][key].as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn accepts_its_solution(path: &Path, file: &ProblemFile) -> bool {
    let mut judge = Judge::default();
    match &file.problem {
        Problem::Linear(linear) => judge.lcp(&linear.problem, &stored(path, "z")).accepts(TOL),
        Problem::Friction(local) => judge.friction(local, &stored(path, "r")).accepts(TOL),
        Problem::Global(global) => {
            let (r, v) = (stored(path, "r"), stored(path, "v"));
            let local = global.condense().unwrap();
            judge.global_friction(global, (&r, &v), &local).accepts(TOL)
        }
    }
}

#[test]
fn the_stored_solutions_are_solutions() {
    let mut solutions = 0;
    for path in shipped() {
        let file = read(&path).unwrap();
        assert_eq!(Some(file.name.as_str()), path.file_stem().unwrap().to_str());
        if file.expected == Expected::Solution {
            assert!(accepts_its_solution(&path, &file), "{}", file.name);
            solutions += 1;
        }
    }
    assert_eq!(solutions, 5);
}

#[test]
fn the_two_walls_are_refuted_by_the_sum_of_their_rows() {
    let path = shipped().into_iter().find(|path| path.ends_with("no_solution.json")).unwrap();
    let file = read(&path).unwrap();
    assert_eq!(file.expected, Expected::None);
    let Problem::Linear(linear) = &file.problem else { panic!("not linear") };
    assert!(check_proof(&linear.problem, &Proof::Farkas(vec![1.0, 1.0])).is_some());
}
