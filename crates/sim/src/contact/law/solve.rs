//! One law, solved and judged.
//!
//! The problem is stated in units in which masses and velocities are about 1, solved by `stiction-lcp`, and the
//! impulses judged again as what they are: by the law, in SI units.

use stiction_lcp::block_pivoting::{BlockPivotingSettings, BlockPivotingWorkspace, block_pivoting};
use stiction_lcp::cone::{ConeLaw, InteriorPointSettings, InteriorPointWorkspace, interior_point};
use stiction_lcp::judge::Judge;
use stiction_lcp::{
    BoxLcp, FrictionProblem, FrictionSolver, LcpSolver, Link, Status, Verdict, never,
    solve_friction, solve_lcp,
};

use super::units::Units;
use super::{
    Assembled, Law, LawError, LawProblem, LawResidual, Stabilization, assemble, coulomb_distance,
    judge,
};
use crate::contact::space::ContactSpace;

/// Who is to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawSolver {
    /// The chain of the problem's class.
    Auto,
    Lcp(LcpSolver),
    Friction(FrictionSolver),
}

impl LawSolver {
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lcp(solver) => solver.name(),
            Self::Friction(solver) => solver.name(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LawAnswer {
    /// Impulses (p_n, p_t1, p_t2) of every contact [N·s].
    pub p: Vec<f64>,
    /// Contact velocities `W p + u_free` [m/s].
    pub u: Vec<f64>,
    /// `Certified`: the judge of the problem and the judge of the law agree. A proof of `NoSolution` speaks of the
    /// problem in the units of the solve.
    pub verdict: Verdict,
    /// Distance from the law that was asked for.
    pub residual: LawResidual,
    /// Distance from exact Coulomb friction.
    pub coulomb: LawResidual,
    /// The link of the chain that answered.
    pub link: &'static str,
    /// Of all links together.
    pub iterations: usize,
}

/// The law's residual may be this many times the tolerance asked of the problem: it adds up the rows of a contact.
const ROOM: f64 = 100.0;
/// The judge of problems excuses rounding up to 1e-8; times ten for the same reason.
const EXCUSED: f64 = 1e-7;

/// From the active set of the last step a handful is enough, or it cycles.
const WARM_FACTORIZATIONS: usize = 30;

/// Impulses of the law. `tol` is asked of the problem's scaled residual, in units where b is about 1.
pub fn solve(
    space: &ContactSpace,
    law: &Law,
    solver: LawSolver,
    tol: f64,
) -> Result<LawAnswer, LawError> {
    let units = Units::of(space);
    let assembled = assemble(&units.space(space), &units.law(law))?;
    refuse(law, &assembled.problem, solver)?;
    let solved = run(&assembled, solver, tol);
    if let Some(link) = solved.chain.last()
        && let Status::NotApplicable(unfit) = link.report.status
        && solver != LawSolver::Auto
    {
        return Err(LawError::Unfit { solver: link.solver, unfit });
    }
    let mut p = assembled.impulses(&solved.answer);
    p.iter_mut().for_each(|p_i| *p_i *= units.impulse());
    let residual = judge(space, law, &p);
    let holds = residual.accepts((ROOM * tol).max(EXCUSED)) || !states_the_law(law);
    let verdict = match solved.verdict {
        Verdict::Certified if !holds => Verdict::Uncertified,
        verdict => verdict,
    };
    let mut u = vec![0.0; p.len()];
    space.W.affine(&p, &space.u_free, &mut u);
    Ok(LawAnswer {
        coulomb: coulomb_distance(space, law, &p),
        p,
        u,
        verdict,
        residual,
        link: solved.chain.last().map_or("none", |link| link.solver),
        iterations: solved.chain.iter().map(|link| link.report.iterations).sum(),
    })
}

/// False where the problem is on purpose another one than the law.
fn states_the_law(law: &Law) -> bool {
    !matches!(law, Law::Pyramid(s) if matches!(s.stabilization, Stabilization::Diagonal { .. }))
}

struct Solved {
    answer: Vec<f64>,
    verdict: Verdict,
    chain: Vec<Link>,
}

fn run(assembled: &Assembled, solver: LawSolver, tol: f64) -> Solved {
    match (&assembled.problem, solver) {
        (LawProblem::Lcp(problem), _) => {
            let solver = if let LawSolver::Lcp(s) = solver { s } else { LcpSolver::Auto };
            let mut warm = None;
            if matches!(solver, LcpSolver::Auto | LcpSolver::BlockPivoting) {
                warm = solve_warm(problem, &assembled.start, tol);
            }
            if let Some(warm) = warm {
                return warm;
            }
            let answer = solve_lcp(problem, solver, tol, &never);
            Solved { answer: answer.z, verdict: answer.verdict, chain: answer.chain }
        }
        (LawProblem::Friction(problem), _) => {
            let solver = if let LawSolver::Friction(s) = solver { s } else { FrictionSolver::Auto };
            let answer = solve_friction(problem, solver, tol, &never);
            Solved { answer: answer.r, verdict: answer.verdict, chain: answer.chain }
        }
        (LawProblem::Convex(problem), _) => solve_convex(problem, tol),
    }
}

/// Block pivoting from the active set of the last step, if there is one and it leads to an answer.
fn solve_warm(problem: &BoxLcp, start: &[f64], tol: f64) -> Option<Solved> {
    if start.is_empty() {
        return None;
    }
    let mut z = start.to_vec();
    let settings =
        BlockPivotingSettings { max_factorizations: WARM_FACTORIZATIONS, ..Default::default() };
    let mut work = BlockPivotingWorkspace::default();
    let report = block_pivoting(problem, &settings, &mut work, &never, &mut z);
    let residual = Judge::new(problem.n()).lcp(problem, &z);
    let link = Link { solver: LcpSolver::BlockPivoting.name(), report, residual: residual.scaled };
    let solved = Solved { answer: z, verdict: Verdict::Certified, chain: vec![link] };
    residual.accepts(tol).then_some(solved)
}

/// The judge of `stiction-lcp` knows Coulomb's law only: the judge of the laws has the word alone.
fn solve_convex(problem: &FrictionProblem, tol: f64) -> Solved {
    let settings = InteriorPointSettings { law: ConeLaw::Convex, tol, ..Default::default() };
    let mut answer = vec![0.0; problem.n()];
    let mut work = InteriorPointWorkspace::default();
    let report = interior_point(problem, &settings, &mut work, &never, &mut answer);
    let link = Link { solver: FrictionSolver::InteriorPoint.name(), report, residual: f64::NAN };
    Solved { answer, verdict: Verdict::Certified, chain: vec![link] }
}

/// Pairs that cannot work, whatever the contacts are.
fn refuse(law: &Law, problem: &LawProblem, solver: LawSolver) -> Result<(), LawError> {
    let reason = match (problem, solver) {
        (_, LawSolver::Auto) => None,
        (LawProblem::Lcp(_), LawSolver::Friction(_)) => {
            Some("the law is an LCP, the solver is for friction cones")
        }
        (LawProblem::Friction(_) | LawProblem::Convex(_), LawSolver::Lcp(_)) => {
            Some("the law is a cone problem, the solver is for LCPs")
        }
        (LawProblem::Friction(_), LawSolver::Friction(_)) => None,
        (LawProblem::Convex(_), LawSolver::Friction(s)) => match s {
            FrictionSolver::Auto | FrictionSolver::InteriorPoint => None,
            _ => Some("it solves Coulomb's law, not the convex one"),
        },
        (LawProblem::Lcp(_), LawSolver::Lcp(s)) => lcp_reason(law, s),
    };
    match reason {
        Some(reason) => Err(LawError::Refused { law: law.name(), solver: solver.name(), reason }),
        None => Ok(()),
    }
}

fn lcp_reason(law: &Law, solver: LcpSolver) -> Option<&'static str> {
    use LcpSolver::{BlockPivoting, Keller, Lemke, Murty, Nncg, Psor};
    match (law, solver) {
        (Law::Pyramid(_), BlockPivoting | Murty) => {
            Some("the matrix is rank-deficient, and its principal blocks are singular")
        }
        (Law::Pyramid(_) | Law::Phantom(_), Keller | Nncg) => Some("the matrix is not symmetric"),
        (Law::Pyramid(_) | Law::Phantom(_), Psor) => Some("the diagonal has zeros"),
        (Law::Box(_) | Law::Hybrid(_), Lemke) => Some("friction has two finite bounds"),
        _ => None,
    }
}
