//! One entrance to all solvers: choose one by name, or `auto`, and get a verdict of the judge.
//!
//! Theory: `docs/theory/auto.md`.

mod auto_friction;
mod auto_global;
mod auto_lcp;
mod column_sweeps;
mod planar;
mod standard_form;
#[cfg(test)]
mod tests;

use crate::friction::{FrictionProblem, GlobalFrictionProblem};
use crate::judge::{FrictionResidual, Judge, LcpResidual, Proof, check_proof};
use crate::problem::{BoxLcp, ProblemError};
use crate::report::{Report, Status, Stop};
pub(crate) use planar::planar_lemke;
use standard_form::{FreeRows, StandardForm};

use crate::{block_pivoting, cone, enumeration, keller, lemke, murty, newton, nncg, pgs, prox};

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

/// The first link of every chain: no impulse at all.
const ZERO: &str = "zero";

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
    if solver == LcpSolver::Auto {
        return auto_lcp::auto_lcp(problem, tol, stop);
    }
    let mut z: Vec<f64> = (0..problem.n()).map(|i| problem.clamp(i, 0.0)).collect();
    let (report, proof) = run_lcp(problem, (solver, tol), stop, &mut z);
    let residual = Judge::new(problem.n()).lcp(problem, &z);
    let chain = vec![Link { solver: solver.name(), report, residual: residual.scaled }];
    let verdict = match proof {
        // a proof says more than a vector that comes near
        Some(proof) if check_proof(problem, &proof).is_some() => Verdict::NoSolution(proof),
        _ if residual.accepts(tol) => Verdict::Certified,
        _ => Verdict::Uncertified,
    };
    LcpAnswer { verdict, z, residual, chain }
}

/// One solver with its default settings but for the tolerance: where a solver measures itself by
/// the judge's number it aims at `tol`, and leaves some room as the judge adds in another order.
/// Only enumeration may come with a proof.
fn run_lcp(
    problem: &BoxLcp,
    (solver, tol): (LcpSolver, f64),
    stop: Stop<'_>,
    z: &mut [f64],
) -> (Report, Option<Proof>) {
    let tolerance = 0.9 * tol;
    let newton = |map, z: &mut [f64]| {
        let settings = newton::NewtonSettings { map, tolerance, ..Default::default() };
        newton::newton(problem, &settings, &mut newton::NewtonWorkspace::default(), stop, z)
    };
    let report = match solver {
        LcpSolver::Auto => unreachable!("the chain is not one solver"),
        LcpSolver::Lemke => by_lemke(problem, stop, z),
        LcpSolver::Murty => {
            let settings = murty::MurtySettings { tolerance, ..Default::default() };
            murty::murty(problem, &settings, &mut murty::MurtyWorkspace::default(), stop, z)
        }
        LcpSolver::Keller => {
            let settings = keller::KellerSettings { tolerance, ..Default::default() };
            keller::keller(problem, &settings, &mut keller::KellerWorkspace::default(), stop, z)
        }
        LcpSolver::BlockPivoting => {
            let settings = block_pivoting::BlockPivotingSettings::default();
            let mut work = block_pivoting::BlockPivotingWorkspace::default();
            block_pivoting::block_pivoting(problem, &settings, &mut work, stop, z)
        }
        LcpSolver::Psor => {
            let settings = pgs::PgsSettings { tolerance, ..Default::default() };
            pgs::pgs(problem, &settings, &mut pgs::PgsWorkspace::default(), stop, z)
        }
        LcpSolver::Nncg => {
            let settings = nncg::NncgSettings { tolerance, ..Default::default() };
            nncg::nncg(problem, &settings, &mut nncg::NncgWorkspace::default(), stop, z)
        }
        LcpSolver::Prox => {
            let settings = prox::ProxSettings { tolerance, ..Default::default() };
            prox::prox(problem, &settings, &mut prox::ProxWorkspace::default(), stop, z)
        }
        LcpSolver::NewtonMin => newton(newton::Map::Min, z),
        LcpSolver::NewtonFb => newton(newton::Map::FischerBurmeister, z),
        LcpSolver::Enumeration => {
            let settings = enumeration::EnumerationSettings::default();
            let mut work = enumeration::EnumerationWorkspace::default();
            let (report, tree) = enumeration::enumeration(problem, &settings, &mut work, stop, z);
            return (report, tree.map(Proof::Exhausted));
        }
    };
    (report, None)
}

/// Lemke's method; where free rows are dependent, once more with them split.
fn by_lemke(problem: &BoxLcp, stop: Stop<'_>, z: &mut [f64]) -> Report {
    let settings = lemke::LemkeSettings::default();
    let mut work = lemke::LemkeWorkspace::default();
    let report = lemke::lemke(problem, &settings, &mut work, stop, z);
    if report.status != Status::Singular || report.iterations > 0 {
        return report;
    }
    let Some(form) = StandardForm::of(problem, FreeRows::Split) else { return report };
    let mut x = vec![0.0; form.mixed.n()];
    let report = lemke::lemke(&form.mixed, &settings, &mut work, stop, &mut x);
    form.back(problem, &x, z);
    report
}

/// Solves, judges, and says what is known. `tol` is asked of the judge's scaled residual.
pub fn solve_friction(
    problem: &FrictionProblem,
    solver: FrictionSolver,
    tol: f64,
    stop: Stop<'_>,
) -> FrictionAnswer {
    if solver == FrictionSolver::Auto {
        return auto_friction::auto_friction(problem, (tol, false), stop);
    }
    let mut r = vec![0.0; problem.n()];
    let report = run_friction(problem, (solver, tol), stop, &mut r);
    let mut judge = Judge::new(problem.n());
    let residual = judge.friction(problem, &r);
    let chain = vec![Link { solver: solver.name(), report, residual: residual.scaled }];
    let verdict = if residual.accepts(tol) { Verdict::Certified } else { Verdict::Uncertified };
    FrictionAnswer { verdict, r, u: judge.w().to_vec(), residual, chain }
}

/// [`FrictionSolver::Auto`] for contacts whose order must not matter: where they are redundant, what is symmetric gets an answer that is.
pub fn solve_friction_evenly(
    problem: &FrictionProblem,
    tol: f64,
    stop: Stop<'_>,
) -> FrictionAnswer {
    auto_friction::auto_friction(problem, (tol, true), stop)
}

/// The same for the global form: `auto` in velocity space, without W, where M has a root.
pub fn solve_global_friction(
    problem: &GlobalFrictionProblem,
    solver: FrictionSolver,
    tol: f64,
    stop: Stop<'_>,
) -> Result<FrictionAnswer, ProblemError> {
    let by_root = if solver == FrictionSolver::Auto {
        auto_global::auto_global(problem, tol, stop)
    } else {
        None
    };
    match by_root {
        Some(answer) if answer.verdict == Verdict::Certified || stop() => Ok(answer),
        Some(answer) => {
            let local = solve_friction(&problem.condense()?, solver, tol, stop);
            Ok(better(answer, local))
        }
        None => Ok(solve_friction(&problem.condense()?, solver, tol, stop)),
    }
}

/// The second answer if it is certified or nearer than the first one; with the links of both, in order.
fn better(mut first: FrictionAnswer, mut second: FrictionAnswer) -> FrictionAnswer {
    first.chain.append(&mut second.chain);
    let is_second =
        second.verdict == Verdict::Certified || second.residual.scaled < first.residual.scaled;
    if is_second { FrictionAnswer { chain: first.chain, ..second } } else { first }
}

/// One solver with its default settings but for the tolerance.
fn run_friction(
    problem: &FrictionProblem,
    (solver, tol): (FrictionSolver, f64),
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    match solver {
        FrictionSolver::Auto => unreachable!("the chain is not one solver"),
        FrictionSolver::Nsgs => {
            let settings = cone::NsgsSettings { tol, ..Default::default() };
            cone::nsgs(problem, &settings, &mut cone::NsgsWorkspace::default(), stop, r)
        }
        FrictionSolver::Prox => {
            let settings = cone::ProxSettings { tol, ..Default::default() };
            cone::prox(problem, &settings, &mut cone::ProxWorkspace::default(), stop, r)
        }
        FrictionSolver::AlartCurnier => {
            // its own error is not the judge's: it goes on to the end, and that in few steps
            let default = cone::AlartCurnierSettings::default();
            let settings = cone::AlartCurnierSettings { tol: tol.min(default.tol), ..default };
            let mut work = cone::AlartCurnierWorkspace::default();
            cone::alart_curnier(problem, &settings, &mut work, stop, r)
        }
        FrictionSolver::InteriorPoint => {
            let settings = cone::InteriorPointSettings { tol, ..Default::default() };
            let mut work = cone::InteriorPointWorkspace::default();
            cone::interior_point(problem, &settings, &mut work, stop, r)
        }
        FrictionSolver::Apgd => {
            let settings = cone::ApgdSettings { tol, ..Default::default() };
            cone::apgd(problem, &settings, &mut cone::ApgdWorkspace::default(), stop, r)
        }
    }
}
