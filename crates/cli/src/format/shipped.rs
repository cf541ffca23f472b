//! The problems in `data/problems`: each note and stored solution is held against the judge.

use std::path::{Path, PathBuf};

use stiction_lcp::judge::{Judge, Proof, check_proof};
use stiction_lcp::{
    BoxLcp, FrictionProblem, FrictionSolver, LcpSolver, Status, Verdict, never, solve_friction,
    solve_lcp,
};

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

/// No solver claims what the judge refuses, none refutes a solvable problem, and at least one by
/// name, besides the chain, solves each.
#[test]
fn every_solver_is_honest_on_every_shipped_problem() {
    for path in shipped() {
        let file = read(&path).unwrap();
        let solvable = file.expected == Expected::Solution;
        let by_name = match &file.problem {
            Problem::Linear(linear) => linear_solvers(&file.name, &linear.problem, solvable),
            Problem::Friction(local) => friction_solvers(&file.name, local),
            Problem::Global(global) => friction_solvers(&file.name, &global.condense().unwrap()),
        };
        assert_eq!(by_name > 0, solvable, "{}: solved by {by_name} solvers", file.name);
    }
}

/// How many solvers, the chain left out, give an answer that the judge certifies.
fn linear_solvers(name: &str, problem: &BoxLcp, solvable: bool) -> usize {
    let mut certified = 0;
    for solver in LcpSolver::ALL {
        let answer = solve_lcp(problem, solver, 1e-9, &never);
        let place = format!("{} on {name}", solver.name());
        let residual = Judge::default().lcp(problem, &answer.z);
        assert_eq!(residual, answer.residual, "{place}");
        let said_solved = answer.chain.last().unwrap().report.status == Status::Solved;
        match &answer.verdict {
            Verdict::Certified => assert!(solvable && residual.accepts(1e-9), "{place}"),
            Verdict::NoSolution(proof) => {
                assert!(!solvable && check_proof(problem, proof).is_some(), "{place}");
            }
            Verdict::Uncertified => {
                assert!(!said_solved && solver != LcpSolver::Auto, "{place}: {residual:?}");
            }
        }
        certified += usize::from(answer.verdict == Verdict::Certified && solver != LcpSolver::Auto);
    }
    certified
}

fn friction_solvers(name: &str, problem: &FrictionProblem) -> usize {
    let mut certified = 0;
    for solver in FrictionSolver::ALL {
        let answer = solve_friction(problem, solver, 1e-9, &never);
        let place = format!("{} on {name}", solver.name());
        let residual = Judge::default().friction(problem, &answer.r);
        assert_eq!(residual, answer.residual, "{place}");
        let said_solved = answer.chain.last().unwrap().report.status == Status::Solved;
        if answer.verdict == Verdict::Certified {
            assert!(residual.accepts(1e-9), "{place}");
            certified += usize::from(solver != FrictionSolver::Auto);
        } else {
            assert!(!said_solved && solver != FrictionSolver::Auto, "{place}: {residual:?}");
        }
    }
    certified
}
