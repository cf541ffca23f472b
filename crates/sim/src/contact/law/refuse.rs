//! Which solvers cannot solve which laws.

use stiction_lcp::{FrictionSolver, LcpSolver};

use super::{Law, LawError, LawProblem, LawSolver};

/// Pairs that cannot work, whatever the contacts are.
pub(super) fn refuse(law: &Law, problem: &LawProblem, solver: LawSolver) -> Result<(), LawError> {
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
