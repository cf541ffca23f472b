//! The chain for friction cones. The last word of every lane is the proximal Newton, which reaches
//! machine precision from anywhere near; the lanes differ in how they get near.
//!
//! | lane | good at |
//! |---|---|
//! | `zero` | everything opens |
//! | `nsgs` | loosely coupled contacts: a few sweeps first, many later |
//! | `apgd` | rest, walls, piles that move together |
//! | `alart-curnier` | stick and slip mixed, redundant contacts |
//! | `interior-point` | mass ratios, rest; its Coulomb and its convex form |
//! | `lemke` | planar contacts, stick and slip mixed |
//! | `root` | stick and slip mixed, piles: the chain of `motion`, where W has a root by bodies |
//! | `turns` | the same where it has none |

use super::auto_lcp::merge;
use super::planar::planar_lemke;
use super::{FrictionAnswer, Link, Verdict, ZERO};
use crate::cone::{
    AlartCurnierSettings, AlartCurnierWorkspace, ApgdSettings, ApgdWorkspace, ConeLaw,
    InteriorPointSettings, InteriorPointWorkspace, NsgsSettings, NsgsWorkspace, alart_curnier,
    apgd, interior_point, nsgs,
};
use crate::friction::FrictionProblem;
use crate::islands::{islands, places};
use crate::judge::{FrictionResidual, Judge};
use crate::motion::{MotionWork, solve_local, solve_motion};
use crate::report::{Report, Status, Stop};

/// Above this many rows the dense matrix of the interior point costs more than everything else.
const DENSE_ROWS: usize = 600;
/// Fewer contacts than this are solved by the entries of W.
const ROOT_CONTACTS: usize = 40;
/// A residual below this may be a matter of the last bits.
const NEAR: f64 = 1e-6;
/// Pivots on planar problems.
const PIVOTS: usize = 10_000;
/// Up to so many planar contacts Lemke's path is asked after so few sweeps, for so many pivots.
const FEW_PLANAR: usize = 10;
const FEW_SWEEPS: usize = 3;
const FEW_PIVOTS: usize = 40;
/// Up to this many rows the gradient is given up after so many iterations that have not halved its error: Newton is cheap.
const SMALL_ROWS: usize = 60;
/// Newton's steps before the gradient is asked.
const FIRST_STEPS: usize = 60;
const GRADIENT_PATIENCE: usize = 100;
/// Sweeps before anything else, and what eight of them may leave of the error.
const FIRST_SWEEPS: usize = 100;
const QUICK_CONTRACTION: f64 = 0.1;
/// κ of a Newton that starts near a solution.
const STIFF: f64 = 1e4;

/// What needs no factorization is settled for the whole; else each island is solved by the chain. `is_even`: without the sweeps, whose
/// answer depends on the order of redundant contacts, and each island by itself from the start.
pub(super) fn auto_friction(
    problem: &FrictionProblem,
    (tol, is_even): (f64, bool),
    stop: Stop<'_>,
) -> FrictionAnswer {
    let dim = problem.dim();
    let mut whole = Chain::new(problem, (tol, is_even), stop);
    if !is_even && whole.without_factors() {
        return whole.answer();
    }
    let parts = islands(problem.W(), dim);
    if !is_even && parts.len() == 1 {
        whole.with_factors();
        return whole.answer();
    }
    let place = places(&parts, dim);
    whole.links.clear();
    for contacts in parts {
        if stop() {
            break;
        }
        let part = problem.island(&contacts, &place);
        let mut lanes = Chain::new(&part, (tol, is_even), stop);
        lanes.run();
        for (&c, r_c) in contacts.iter().zip(lanes.best.chunks_exact(dim)) {
            whole.best[c * dim..(c + 1) * dim].copy_from_slice(r_c);
        }
        merge(&mut whole.links, lanes.links);
    }
    whole.answer()
}

struct Chain<'a> {
    problem: &'a FrictionProblem,
    tol: f64,
    is_even: bool,
    stop: Stop<'a>,
    judge: Judge,
    best: Vec<f64>,
    residual: FrictionResidual,
    links: Vec<Link>,
    newton: AlartCurnierWorkspace,
}

impl<'a> Chain<'a> {
    fn new(problem: &'a FrictionProblem, (tol, is_even): (f64, bool), stop: Stop<'a>) -> Self {
        Self {
            problem,
            tol,
            is_even,
            stop,
            judge: Judge::new(problem.n()),
            best: vec![0.0; problem.n()],
            residual: FrictionResidual::WORST,
            links: Vec::new(),
            newton: AlartCurnierWorkspace::default(),
        }
    }

    /// The best vector, judged once more.
    fn answer(mut self) -> FrictionAnswer {
        let residual = self.judge.friction(self.problem, &self.best);
        let accepted = residual.accepts(self.tol);
        let verdict = if accepted { Verdict::Certified } else { Verdict::Uncertified };
        let u = self.judge.w().to_vec();
        FrictionAnswer { verdict, r: self.best, u, residual, chain: self.links }
    }

    fn run(&mut self) -> bool {
        self.without_factors() || self.with_factors()
    }

    /// True when the judge has accepted an answer; so below.
    fn without_factors(&mut self) -> bool {
        let zero = vec![0.0; self.problem.n()];
        self.judged(ZERO, Report::new(Status::Stalled, 0, 0), &zero)
            || (!self.is_even && self.first_sweeps())
    }

    fn with_factors(&mut self) -> bool {
        (!self.is_even && self.few_contacts())
            || self.gradient()
            || self.by_root().unwrap_or_else(|| self.by_entries())
    }

    /// Second order at once: factors of few rows cost less than a gradient that takes hundreds of steps.
    fn few_contacts(&mut self) -> bool {
        if self.problem.contacts() >= ROOT_CONTACTS {
            return false;
        }
        let is_small = self.problem.n() <= SMALL_ROWS;
        let (stiffness, leap) = if is_small { (10.0, 10.0) } else { (1.0, 1.3) };
        let settings =
            AlartCurnierSettings { stiffness, leap, max_steps: FIRST_STEPS, ..Default::default() };
        let mut r = vec![0.0; self.problem.n()];
        (self.is_few_planar() && self.lemke(FEW_PIVOTS)) || self.newton_with(&settings, &mut r)
    }

    fn is_few_planar(&self) -> bool {
        self.problem.dim() == 2 && self.problem.contacts() <= FEW_PLANAR
    }

    /// By the root of W, where it has one: fewer unknowns, and the chain of velocity space. What is missing of the root is made good on W.
    fn by_root(&mut self) -> Option<bool> {
        if self.problem.contacts() < ROOT_CONTACTS {
            return None;
        }
        let dim = self.problem.dim();
        let problem = self.problem.to_motion()?;
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let mut work = MotionWork::default();
        solve_motion(&problem, self.tol, &mut work, self.stop, &mut r);
        let flat: Vec<f64> = r.iter().flat_map(|r| r[..dim].iter().copied()).collect();
        for link in work.links.iter().filter(|link| link.solver != ZERO) {
            self.links.push(Link {
                solver: link.solver,
                report: link.report,
                residual: link.residual,
            });
        }
        let accepted = self.judged("root", Report::new(Status::Stalled, 0, 0), &flat);
        Some(
            accepted
                || (self.residual.scaled <= NEAR
                    && (self.newton_from_best(STIFF, 40) || self.polish())),
        )
    }

    /// By the entries of W.
    fn by_entries(&mut self) -> bool {
        let zero = &vec![0.0; self.problem.n()];
        self.newton_from(zero, 1.0, 300)
            || (self.problem.n() <= DENSE_ROWS && self.interior_points())
            || self.gauss_seidel()
            || self.lemke(PIVOTS)
            || self.polish()
            || (self.problem.dim() == 3 && self.newton_from_best(1.0, 3000))
            || self.polish()
            || self.turns()
            || (self.problem.dim() == 2 && self.newton_from_best(1.0, 3000))
            || self.polish()
            || self.newton_from(zero, 10.0, 2000)
            || self.newton_from(zero, 0.1, 2000)
            || (self.problem.n() > DENSE_ROWS && self.interior_points())
    }

    fn interior_points(&mut self) -> bool {
        self.interior_point(ConeLaw::Coulomb) || self.interior_point(ConeLaw::Convex)
    }

    fn judged(&mut self, solver: &'static str, mut report: Report, r: &[f64]) -> bool {
        let residual = self.judge.friction(self.problem, r);
        if matches!(solver, ZERO | "turns" | "root") && residual.accepts(self.tol) {
            report.status = Status::Solved;
        }
        self.links.push(Link { solver, report, residual: residual.scaled });
        let accepted = residual.accepts(self.tol);
        if accepted || residual.scaled < self.residual.scaled {
            self.best.copy_from_slice(r);
            self.residual = residual;
        }
        accepted
    }

    fn newton_from(&mut self, start: &[f64], stiffness: f64, max_steps: usize) -> bool {
        let settings = AlartCurnierSettings { stiffness, max_steps, ..Default::default() };
        self.newton_with(&settings, &mut start.to_vec())
    }

    fn newton_with(&mut self, settings: &AlartCurnierSettings, r: &mut [f64]) -> bool {
        let report = alart_curnier(self.problem, settings, &mut self.newton, self.stop, r);
        self.judged("alart-curnier", report, r)
    }

    fn newton_from_best(&mut self, stiffness: f64, max_steps: usize) -> bool {
        let start = self.best.clone();
        self.newton_from(&start, stiffness, max_steps)
    }

    /// Gauss–Seidel as long as it contracts quickly: loosely coupled contacts need nothing else.
    fn first_sweeps(&mut self) -> bool {
        let mut r = vec![0.0; self.problem.n()];
        let max_sweeps = if self.is_few_planar() { FEW_SWEEPS } else { FIRST_SWEEPS };
        let settings = NsgsSettings {
            tol: self.tol,
            max_sweeps,
            contraction: QUICK_CONTRACTION,
            ..Default::default()
        };
        let mut work = NsgsWorkspace::default();
        let report = nsgs(self.problem, &settings, &mut work, self.stop, &mut r);
        report.status == Status::Solved && self.judged("nsgs", report, &r)
    }

    /// Accelerated gradient: cheap, and near enough to know most modes.
    fn gradient(&mut self) -> bool {
        let mut r = vec![0.0; self.problem.n()];
        let is_small = self.problem.n() <= SMALL_ROWS && !self.is_even;
        let patience = if is_small { GRADIENT_PATIENCE } else { usize::MAX };
        let settings = ApgdSettings { max_iterations: 1000, patience, ..Default::default() };
        let mut work = ApgdWorkspace::default();
        let report = apgd(self.problem, &settings, &mut work, self.stop, &mut r);
        self.judged("apgd", report, &r) || self.newton_from(&r, 100.0, 150)
    }

    /// Interior point, then Newton from its answer: stiff first, then soft.
    fn interior_point(&mut self, law: ConeLaw) -> bool {
        let mut r = vec![0.0; self.problem.n()];
        let settings = InteriorPointSettings { law, ..Default::default() };
        let mut work = InteriorPointWorkspace::default();
        let report = interior_point(self.problem, &settings, &mut work, self.stop, &mut r);
        if matches!(report.status, Status::NotApplicable(_)) {
            return false;
        }
        self.judged("interior-point", report, &r)
            || self.newton_from(&r, STIFF, 150)
            || self.newton_from(&r, 10.0, 150)
    }

    /// Single stiff steps from the best answer, past the solver's own rounding floor: at mass ratios
    /// its number and the judge's weigh the last bits differently.
    fn polish(&mut self) -> bool {
        if self.residual.scaled > NEAR {
            return false;
        }
        [1e2, 1e4, 1e6, 1e8, 1e3, 1e5].into_iter().any(|stiffness| {
            let mut r = self.best.clone();
            let settings =
                AlartCurnierSettings { stiffness, max_steps: 1, tol: 0.0, ..Default::default() };
            let report =
                alart_curnier(self.problem, &settings, &mut self.newton, self.stop, &mut r);
            self.judged("alart-curnier", report, &r)
        })
    }

    /// Planar contacts: Lemke's path.
    fn lemke(&mut self, max_pivots: usize) -> bool {
        let mut r = vec![0.0; self.problem.n()];
        let report = planar_lemke(self.problem, max_pivots, self.stop, &mut r);
        report.is_some_and(|report| self.judged("lemke", report, &r))
    }

    /// First and second order in turns, round folds.
    fn turns(&mut self) -> bool {
        let dim = self.problem.dim();
        let triple = |r: &[f64]| [r[0], r[1], r.get(2).copied().unwrap_or(0.0)];
        let mut r: Vec<_> = self.best.chunks_exact(dim).map(triple).collect();
        let mut work = MotionWork::default();
        solve_local(self.problem, self.tol, &mut work, self.stop, &mut r);
        let flat: Vec<f64> = r.iter().flat_map(|r| r[..dim].iter().copied()).collect();
        let steps = work.links.iter().map(|link| link.report.iterations).sum();
        let factorizations = work.links.iter().map(|link| link.report.factorizations).sum();
        self.judged("turns", Report::new(Status::Stalled, steps, factorizations), &flat)
    }

    fn gauss_seidel(&mut self) -> bool {
        let mut r = self.best.clone();
        let settings = NsgsSettings { max_sweeps: 2000, ..Default::default() };
        let mut work = NsgsWorkspace::default();
        let report = nsgs(self.problem, &settings, &mut work, self.stop, &mut r);
        self.judged("nsgs", report, &r) || self.newton_from(&r, STIFF, 150)
    }
}
