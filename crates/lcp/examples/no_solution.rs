//! A problem without a solution: the answer is a proof, and anyone can check it.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use stiction_lcp::judge::{Proof, check_proof};
use stiction_lcp::{BoxLcp, LcpSolver, MatX, ProblemError, Verdict, never, solve_lcp};

fn main() -> Result<(), ProblemError> {
    // two walls close on one body between them: each pushes it into the other
    let A = MatX::from_row_slice(2, 2, &[1., -1., -1., 1.]);
    let walls = BoxLcp::lcp(A, vec![-1., -2.])?;
    let Verdict::NoSolution(proof) = solve_lcp(&walls, LcpSolver::Auto, 1e-12, &never).verdict
    else {
        panic!("the walls were not refuted")
    };
    let Proof::Farkas(y) = &proof else { panic!("the inequalities alone contradict each other") };
    println!("walls: the rows weighed by {y:?} sum to 0 ≤ yᵀw = yᵀb < 0");
    assert!(check_proof(&walls, &proof).is_some());

    // w₁ = z₂ − 1 wants z₂ > 0, w₂ = z₁ + 1 forbids it; inequalities alone do not show it
    let A = MatX::from_row_slice(2, 2, &[0., 1., 1., 0.]);
    let feasible = BoxLcp::lcp(A, vec![-1., 1.])?;
    let Verdict::NoSolution(proof) = solve_lcp(&feasible, LcpSolver::Auto, 1e-12, &never).verdict
    else {
        panic!("the pair was not refuted")
    };
    println!("pair: every choice ends in a contradiction, {proof:?}");
    let refutation = check_proof(&feasible, &proof).expect("the judge accepts the proof");
    assert!(refutation.leaves >= 2);

    // and a proof of one problem is none of another
    assert_eq!(check_proof(&walls, &proof), None);
    Ok(())
}
