//! A linear complementarity problem of one's own: stated, solved, and certified by the judge.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use stiction_lcp::{BoxLcp, LcpSolver, MatX, ProblemError, Verdict, never, solve_lcp};

fn main() -> Result<(), ProblemError> {
    // three contacts on one line: each push moves its neighbours apart
    let A = MatX::from_row_slice(3, 3, &[2., -1., 0., -1., 2., -1., 0., -1., 2.]);
    let problem = BoxLcp::lcp(A, vec![-1., -1., 4.])?;

    let answer = solve_lcp(&problem, LcpSolver::Auto, 1e-12, &never);
    println!("z        = {:?}", answer.z);
    println!("verdict  = {:?}", answer.verdict);
    println!(
        "residual = {:e} (rounding alone: {:e})",
        answer.residual.scaled, answer.residual.floor
    );
    for link in &answer.chain {
        println!("tried {}: {:?}, residual {:e}", link.solver, link.report.status, link.residual);
    }

    // the third contact opens; 2 z₁ − z₂ = 1 and −z₁ + 2 z₂ = 1 leave z = (1, 1, 0)
    assert_eq!(answer.verdict, Verdict::Certified);
    assert!(answer.z.iter().zip([1., 1., 0.]).all(|(z_i, known)| (z_i - known).abs() < 1e-14));
    Ok(())
}
