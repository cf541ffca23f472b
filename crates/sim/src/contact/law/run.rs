//! One problem, solved in units in which it is about 1: from the last step, or by a chain.

use stiction_lcp::cone::{ConeLaw, InteriorPointSettings, InteriorPointWorkspace, interior_point};
use stiction_lcp::{
    FrictionAnswer, FrictionProblem, FrictionSolver, LcpAnswer, LcpSolver, Link, Verdict, never,
    solve_friction, solve_friction_evenly, solve_lcp,
};

use super::warm::LawWork;
use super::{Assembled, LawProblem, LawSolver};
use super::{convex, warm};

/// What a solver left, in the units of the solve.
pub(super) struct Solved {
    pub(super) answer: Vec<f64>,
    pub(super) verdict: Verdict,
    /// Scaled, by the judge of problems.
    pub(super) residual: f64,
    pub(super) chain: Vec<Link>,
}

/// From the last step first, where that may help; then by the solver asked for.
pub(super) fn run(
    assembled: &Assembled,
    solver: LawSolver,
    tol: f64,
    work: &mut LawWork,
) -> Solved {
    let warm = warm::solve(assembled, solver, tol, work);
    let mut chain = match warm {
        Some(warm) if warm.verdict == Verdict::Certified => return warm,
        Some(warm) => warm.chain,
        None => Vec::new(),
    };
    let mut solved = run_cold(assembled, solver, tol);
    chain.append(&mut solved.chain);
    Solved { chain, ..solved }
}

pub(super) fn run_cold(assembled: &Assembled, solver: LawSolver, tol: f64) -> Solved {
    match &assembled.problem {
        LawProblem::Lcp(problem) => {
            let solver = if let LawSolver::Lcp(s) = solver { s } else { LcpSolver::Auto };
            let LcpAnswer { z, verdict, residual, chain } = solve_lcp(problem, solver, tol, &never);
            Solved { answer: z, verdict, residual: residual.scaled, chain }
        }
        LawProblem::Friction(problem) => {
            let answer = match solver {
                LawSolver::Friction(solver) if solver != FrictionSolver::Auto => {
                    solve_friction(problem, solver, tol, &never)
                }
                _ => solve_friction_evenly(problem, tol, &never),
            };
            let FrictionAnswer { r, verdict, residual, chain, .. } = answer;
            Solved { answer: r, verdict, residual: residual.scaled, chain }
        }
        LawProblem::Convex(problem) => solve_convex(problem, &assembled.idle, tol),
    }
}

/// The judge of `stiction-lcp` knows Coulomb's law only: the judge of the laws has the word alone.
fn solve_convex(problem: &FrictionProblem, idle: &[usize], tol: f64) -> Solved {
    let settings = InteriorPointSettings { law: ConeLaw::Convex, tol, ..Default::default() };
    let mut work = InteriorPointWorkspace::default();
    let (mut answer, mut chain) = (vec![0.0; problem.n()], Vec::new());
    let mut narrowed = None;
    for _ in 0..convex::ROUNDS {
        let problem = narrowed.as_ref().unwrap_or(problem);
        let report = interior_point(problem, &settings, &mut work, &never, &mut answer);
        let solver = FrictionSolver::InteriorPoint.name();
        chain.push(Link { solver, report, residual: f64::NAN });
        match convex::narrow(problem, idle, &answer) {
            Some(next) => narrowed = Some(next),
            None => break,
        }
    }
    Solved { answer, verdict: Verdict::Certified, residual: 0.0, chain }
}
