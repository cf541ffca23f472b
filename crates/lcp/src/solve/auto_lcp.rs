//! The chain for (mixed, box) LCPs. Each link leaves a vector, the judge looks at it, and the first
//! that is accepted ends the chain; the best one is kept otherwise.
//!
//! | link | for |
//! |---|---|
//! | `zero` | nothing to do |
//! | `lemke` | pyramids: a few pivots; else everything that is copositive or degenerate, restarted |
//! | `pyramid-gradient`, `pyramid-newton` | friction pyramids: a start on the disc, polygon Newton |
//! | `psor` | large and well conditioned |
//! | `block-pivoting` | P-matrices, circuits, boxes; with much patience, later with little |
//! | `newton-fb`, `newton-min` | what has solutions off Lemke's path |
//! | `farkas`, `enumeration` | proofs; and the last resort for small problems |
//!
//! Order and budgets: `docs/theory/auto.md`.

use super::column_sweeps::column_sweeps;
use super::standard_form::{FreeRows, StandardForm};
use super::{LcpAnswer, Link, Verdict, ZERO};
use crate::block_pivoting::{BlockPivotingSettings, BlockPivotingWorkspace, block_pivoting};
use crate::cone::{AlartCurnierSettings, AlartCurnierWorkspace, ApgdSettings, ApgdWorkspace};
use crate::enumeration::{EnumerationSettings, EnumerationWorkspace, enumeration};
use crate::farkas::{FarkasWorkspace, LinearFeasibility, farkas};
use crate::islands::{islands, places};
use crate::judge::{Judge, LcpResidual, Mode, Proof, ProofTree, check_proof};
use crate::lemke::{Covering, LemkeSettings, LemkeWorkspace, Start, Ties, lemke};
use crate::newton::{Map, NewtonSettings, NewtonWorkspace, newton};
use crate::pgs::{PgsSettings, PgsWorkspace, pgs};
use crate::problem::BoxLcp;
use crate::pyramid::{
    InteriorSettings, InteriorWorkspace, Pyramid, pyramid_gradient, pyramid_interior,
    pyramid_newton, recognise,
};
use crate::report::{Report, Status, Stop};

/// Above this many rows the dense links (Newton, feasibility) are not tried.
const DENSE_ROWS: usize = 400;
/// Up to this many contacts Newton needs no start from the gradient method.
const FEW_CONTACTS: usize = 150;
/// Beyond so many contacts Lemke's path is left for the end, and the gradient method is too slow to make a start.
const MANY_CONTACTS: usize = 300;
/// Pivots that are always worth a try.
const FEW_PIVOTS: usize = 64;
/// Entries of the diagonal that differ by more than this speak of unequal masses.
const UNEQUAL: f64 = 100.0;
/// Above this many rows Gauss–Seidel is asked first: it costs next to nothing where it works.
const SWEEPS_FIRST: usize = 1000;
/// What z = 0 must reach free of units to be taken without asking further.
const UNITLESS: f64 = 1e-9;
/// Factorizations from the active rows of the sweeps, and of a proximal step.
const ROUNDS_FROM_SWEEPS: [usize; 2] = [5, 20];
const PROXIMAL_ROUNDS: usize = 25;
/// ε of a proximal step over the largest entry of the diagonal, and steps.
const REGULARIZATION: f64 = 1e-7;
const PROXIMAL_STEPS: usize = 6;
/// Up to this many rows Newton is asked before Lemke's method is started again.
const FEW_ROWS: usize = 12;
/// Restarts of Lemke's method.
const RESTARTS: u64 = 8;

/// What needs no factorization is settled for the whole; else each island is solved by the chain, from where the sweeps ended.
pub(super) fn auto_lcp(problem: &BoxLcp, tol: f64, stop: Stop<'_>) -> LcpAnswer {
    let mut front = Chain::new(problem, tol, stop);
    if let Some(settled) = front.without_factors() {
        return front.answer(Some(settled));
    }
    let parts = islands(problem.A(), 1);
    if parts.len() <= 1 {
        let settled = front.solve_in_order().or(front.fallback.take());
        return front.answer(settled);
    }
    let warm = front.warm.take();
    let n = problem.n();
    let mut z = vec![0.0; n];
    let mut chain: Vec<Link> = Vec::new();
    let mut proof = None;
    let mut all_certified = true;
    let place = places(&parts, 1);
    for rows in &parts {
        if stop() {
            all_certified = false;
            break;
        }
        let part = problem.island(rows, &place);
        let mut chain_part = Chain::new(&part, tol, stop);
        chain_part.warm = warm.as_ref().map(|z| rows.iter().map(|&i| z[i]).collect());
        let answer = chain_part.run();
        all_certified &= answer.verdict == Verdict::Certified;
        for (&i, &z_i) in rows.iter().zip(&answer.z) {
            z[i] = z_i;
        }
        merge(&mut chain, answer.chain);
        if let Verdict::NoSolution(part) = answer.verdict {
            proof.get_or_insert_with(|| embed(part, rows, n));
        }
    }
    let residual = Judge::new(n).lcp(problem, &z);
    let verdict = match proof {
        Some(proof) if check_proof(problem, &proof).is_some() => Verdict::NoSolution(proof),
        // each island by its own b: a large one elsewhere must not excuse a small one's residual
        _ if all_certified && residual.accepts(tol) => Verdict::Certified,
        _ => Verdict::Uncertified,
    };
    LcpAnswer { verdict, z, residual, chain }
}

/// Adds the links of one island to those of the others, solver by solver.
pub(super) fn merge(chain: &mut Vec<Link>, more: Vec<Link>) {
    for link in more {
        match chain.iter_mut().find(|have| have.solver == link.solver) {
            Some(have) => {
                have.report.iterations += link.report.iterations;
                have.report.factorizations += link.report.factorizations;
                have.residual = have.residual.max(link.residual);
                if link.report.status != Status::Solved {
                    have.report.status = link.report.status;
                }
            }
            None => chain.push(link),
        }
    }
}

/// The proof of an island as a proof of the whole.
fn embed(proof: Proof, rows: &[usize], n: usize) -> Proof {
    match proof {
        Proof::Farkas(y) => Proof::Farkas(scatter(&y, rows, n)),
        Proof::Exhausted(tree) => Proof::Exhausted(embed_tree(tree, rows, n)),
    }
}

fn embed_tree(tree: ProofTree, rows: &[usize], n: usize) -> ProofTree {
    match tree {
        ProofTree::Leaf(y) => ProofTree::Leaf(scatter(&y, rows, n)),
        ProofTree::Branch { row, children } => ProofTree::Branch {
            row: rows[row],
            children: children.into_iter().map(|(m, t)| (m, embed_tree(t, rows, n))).collect(),
        },
    }
}

fn scatter(y: &[f64], rows: &[usize], n: usize) -> Vec<f64> {
    let mut whole = vec![0.0; n];
    for (&i, &y_i) in rows.iter().zip(y) {
        whole[i] = y_i;
    }
    whole
}

/// What is settled when a link has been tried.
enum Settled {
    Certified,
    NoSolution(Proof),
}

struct Chain<'a> {
    problem: &'a BoxLcp,
    tol: f64,
    stop: Stop<'a>,
    judge: Judge,
    best: Vec<f64>,
    residual: LcpResidual,
    links: Vec<Link>,
    /// Where the sweeps ended.
    warm: Option<Vec<f64>>,
    /// What zero was settled as, where that may be a matter of units.
    fallback: Option<Settled>,
}

impl<'a> Chain<'a> {
    fn new(problem: &'a BoxLcp, tol: f64, stop: Stop<'a>) -> Self {
        let best = (0..problem.n()).map(|i| problem.clamp(i, 0.0)).collect();
        let (judge, residual) = (Judge::new(problem.n()), LcpResidual::WORST);
        let links = Vec::with_capacity(4);
        Self { problem, tol, stop, judge, best, residual, links, warm: None, fallback: None }
    }

    fn run(mut self) -> LcpAnswer {
        let mut settled = self.zero();
        if settled.is_none() {
            settled = self.solve_in_order().or(self.fallback.take());
        }
        self.answer(settled)
    }

    fn answer(self, settled: Option<Settled>) -> LcpAnswer {
        let verdict = match settled {
            Some(Settled::Certified) => Verdict::Certified,
            Some(Settled::NoSolution(proof)) => Verdict::NoSolution(proof),
            None => Verdict::Uncertified,
        };
        LcpAnswer { verdict, z: self.best, residual: self.residual, chain: self.links }
    }

    /// Zero, or the end of a few sweeps, for all islands at once: where no island needs a larger b elsewhere to be within the tolerance.
    fn without_factors(&mut self) -> Option<Settled> {
        let settled = self.zero();
        if settled.is_some() && self.is_settled_everywhere() {
            return settled;
        }
        let mut z = self.best.clone();
        let report = column_sweeps(self.problem, self.stop, &mut z)?;
        if report.status == Status::Solved {
            let settled = self.judged("psor", report, &z);
            if settled.is_some() && self.is_settled_everywhere() {
                return settled;
            }
        }
        self.warm = (report.status != Status::Diverged).then_some(z);
        None
    }

    fn is_settled_everywhere(&self) -> bool {
        self.residual.natural <= self.tol && self.residual.scale_free <= UNITLESS
    }

    fn zero(&mut self) -> Option<Settled> {
        let zero = self.best.clone();
        let settled = self.judged(ZERO, Report::new(Status::Stalled, 0, 0), &zero);
        // in poor units nothing at all may be within the tolerance: the solvers must then agree
        if settled.is_some() && self.residual.scale_free <= UNITLESS {
            return settled;
        }
        self.fallback = settled;
        None
    }

    fn solve_in_order(&mut self) -> Option<Settled> {
        let pyramid = recognise(self.problem);
        match pyramid {
            // few pivots settle what stands; many are worth it where masses are unequal
            Some(pyramid) => {
                let contacts = pyramid.contacts();
                let is_long = contacts <= MANY_CONTACTS && self.has_unequal_masses();
                let pivots = if is_long { 30 * contacts } else { contacts };
                self.lemke(pivots.max(FEW_PIVOTS))
                    .or_else(|| self.pyramid(&pyramid))
                    .or_else(|| self.lemke(usize::MAX))
            }
            None => self
                .gauss_seidel()
                .or_else(|| self.block_pivoting_from_sweeps())
                .or_else(|| self.block_pivoting(100))
                .or_else(|| self.lemke(usize::MAX)),
        }
        .or_else(|| self.block_pivoting(3))
        .or_else(|| self.newton())
        .or_else(|| self.prove())
        .or_else(|| self.enumerate())
    }

    /// Asks the judge about z; notes the link and keeps the best vector.
    fn judged(&mut self, solver: &'static str, mut report: Report, z: &[f64]) -> Option<Settled> {
        let residual = self.judge.lcp(self.problem, z);
        if solver == ZERO && residual.accepts(self.tol) {
            report.status = Status::Solved;
        }
        self.links.push(Link { solver, report, residual: residual.scaled });
        if residual.accepts(self.tol) || residual.scaled < self.residual.scaled {
            self.best.copy_from_slice(z);
            self.residual = residual;
        }
        residual.accepts(self.tol).then_some(Settled::Certified)
    }

    /// The rows that have a diagonal differ in it by more than geometry explains.
    fn has_unequal_masses(&self) -> bool {
        let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
        for i in 0..self.problem.n() {
            let a_ii = self.problem.A().get(i, i).abs();
            if a_ii > 0.0 {
                (least, largest) = (least.min(a_ii), largest.max(a_ii));
            }
        }
        largest > UNEQUAL * least
    }

    /// Newton on the polygon: from nothing for few contacts; near the answer of the gradient method, for many
    /// contacts of the convex problem; from nothing again with time; near the other of the two; and from the end of
    /// the law's interior path, however long that is.
    fn pyramid(&mut self, pyramid: &Pyramid) -> Option<Settled> {
        let zero = vec![0.0; self.problem.n()];
        if pyramid.contacts() <= FEW_CONTACTS
            && let Some(settled) = self.pyramid_newton(pyramid, zero.clone(), (1.0, 200))
        {
            return Some(settled);
        }
        let (convex, law) = (1.0, 0.0);
        if pyramid.contacts() <= MANY_CONTACTS {
            self.pyramid_gradient(pyramid)
                .or_else(|| self.pyramid_newton(pyramid, zero, (1.0, 3000)))
                .or_else(|| self.pyramid_interior(pyramid, (convex, 60)))
        } else {
            self.pyramid_interior(pyramid, (convex, 60))
                .or_else(|| self.pyramid_newton(pyramid, zero, (1.0, 1000)))
                .or_else(|| self.pyramid_gradient(pyramid))
        }
        .or_else(|| self.pyramid_interior(pyramid, (law, 2000)))
    }

    fn pyramid_interior(
        &mut self,
        pyramid: &Pyramid,
        (dilation, max_steps): (f64, usize),
    ) -> Option<Settled> {
        let mut z = vec![0.0; self.problem.n()];
        let settings = InteriorSettings { dilation, max_steps, ..Default::default() };
        let mut work = InteriorWorkspace::default();
        let report =
            pyramid_interior(self.problem, pyramid, (&settings, &mut work), self.stop, &mut z);
        self.judged("pyramid-interior", report, &z)
            .or_else(|| self.pyramid_newton(pyramid, z, (100.0, 300)))
    }

    fn pyramid_gradient(&mut self, pyramid: &Pyramid) -> Option<Settled> {
        let mut z = vec![0.0; self.problem.n()];
        let settings = ApgdSettings { max_iterations: 1000, ..Default::default() };
        let mut work = ApgdWorkspace::default();
        let report =
            pyramid_gradient(self.problem, pyramid, (&settings, &mut work), self.stop, &mut z);
        self.judged("pyramid-gradient", report, &z)
            .or_else(|| self.pyramid_newton(pyramid, z, (100.0, 300)))
    }

    fn pyramid_newton(
        &mut self,
        pyramid: &Pyramid,
        mut z: Vec<f64>,
        (stiffness, max_steps): (f64, usize),
    ) -> Option<Settled> {
        let settings = AlartCurnierSettings { stiffness, max_steps, ..Default::default() };
        let mut work = AlartCurnierWorkspace::default();
        let report =
            pyramid_newton(self.problem, pyramid, (&settings, &mut work), self.stop, &mut z);
        self.judged("pyramid-newton", report, &z)
    }

    fn gauss_seidel(&mut self) -> Option<Settled> {
        if self.problem.n() < SWEEPS_FIRST {
            return None;
        }
        let mut z = self.best.clone();
        let settings = PgsSettings { max_sweeps: 100, tolerance: self.tol, ..Default::default() };
        let report = pgs(self.problem, &settings, &mut PgsWorkspace::default(), self.stop, &mut z);
        self.judged("psor", report, &z)
    }

    /// From the active rows of the sweeps: few rounds, and where these met no singular block some more.
    fn block_pivoting_from_sweeps(&mut self) -> Option<Settled> {
        let warm = self.warm.take()?;
        let mut z = warm.clone();
        let mut work = BlockPivotingWorkspace::default();
        for max_factorizations in ROUNDS_FROM_SWEEPS {
            let settings = BlockPivotingSettings { max_factorizations, ..Default::default() };
            let report = block_pivoting(self.problem, &settings, &mut work, self.stop, &mut z);
            let settled = self.judged("block-pivoting", report, &z);
            if settled.is_some() {
                return settled;
            }
            if report.singular > 0 {
                return self.proximal_block_pivoting(warm);
            }
        }
        None
    }

    /// Semidefinite matrices, whose blocks are singular: `A + ε` has none. Each answer is the next one's centre.
    fn proximal_block_pivoting(&mut self, mut z: Vec<f64>) -> Option<Settled> {
        let diagonal = |i: usize| self.problem.A().get(i, i);
        let epsilon = REGULARIZATION * (0..z.len()).fold(0.0, |m: f64, i| m.max(diagonal(i)));
        let A = self.problem.A().plus_diagonal(epsilon);
        let settings =
            BlockPivotingSettings { max_factorizations: PROXIMAL_ROUNDS, ..Default::default() };
        let mut work = BlockPivotingWorkspace::default();
        for _ in 0..PROXIMAL_STEPS {
            let centre = z.iter().zip(self.problem.b()).map(|(z_i, b_i)| b_i - epsilon * z_i);
            let near = self.problem.with(A.clone(), centre.collect());
            let report = block_pivoting(&near, &settings, &mut work, self.stop, &mut z);
            let settled = self.judged("block-pivoting", report, &z);
            if settled.is_some() || report.status != Status::Solved {
                return settled;
            }
        }
        None
    }

    fn block_pivoting(&mut self, patience: usize) -> Option<Settled> {
        let mut z = vec![0.0; self.problem.n()];
        // circuits are settled in few rounds or not at all
        let max_factorizations = if self.problem.is_lcp() { 100 } else { 40 };
        let settings = BlockPivotingSettings { patience, max_factorizations, ..Default::default() };
        let mut work = BlockPivotingWorkspace::default();
        let report = block_pivoting(self.problem, &settings, &mut work, self.stop, &mut z);
        self.judged("block-pivoting", report, &z)
    }

    /// Lemke's method on the problem itself where that is mixed; where free rows are dependent, or bounds two-sided, on its
    /// standard form.
    fn lemke(&mut self, max_pivots: usize) -> Option<Settled> {
        let mut free_rows = FreeRows::Kept;
        if self.problem.is_mixed() {
            let (settled, is_singular) = self.lemke_on(None, max_pivots);
            if settled.is_some() || !is_singular {
                return settled;
            }
            free_rows = FreeRows::Split;
        }
        let form = StandardForm::of(self.problem, free_rows)?;
        let (settled, is_singular) = self.lemke_on(Some(&form), max_pivots);
        if settled.is_some() || !is_singular || free_rows == FreeRows::Split {
            return settled;
        }
        let form = StandardForm::of(self.problem, FreeRows::Split)?;
        self.lemke_on(Some(&form), max_pivots).0
    }

    /// Lemke with random covering vectors: cold, then from where it stopped, every fourth time cold
    /// again and with the lexicographic rule. Also whether free rows were found to be dependent.
    fn lemke_on(
        &mut self,
        form: Option<&StandardForm>,
        max_pivots: usize,
    ) -> (Option<Settled>, bool) {
        let mixed = form.map_or(self.problem, |form| &form.mixed);
        let mut work = LemkeWorkspace::default();
        let (mut x, mut z) = (vec![0.0; mixed.n()], vec![0.0; self.problem.n()]);
        for attempt in 0..RESTARTS {
            let cold = attempt % 4 == 0;
            let settings = LemkeSettings {
                covering: match attempt {
                    0 if !mixed.is_lcp() => Covering::Ones,
                    4 => Covering::Equilibrated,
                    _ => Covering::Random(attempt + 1),
                },
                ties: if attempt == 4 { Ties::Lexicographic } else { Ties::LargestPivot },
                start: if cold { Start::Cold } else { Start::LastBasis },
                max_pivots: max_pivots.min(1000 + 50 * mixed.n()),
                ..Default::default()
            };
            let report = lemke(mixed, &settings, &mut work, self.stop, &mut x);
            match form {
                Some(form) => form.back(self.problem, &x, &mut z),
                None => z.copy_from_slice(&x),
            }
            if let Some(settled) = self.judged("lemke", report, &z) {
                return (Some(settled), false);
            }
            if report.status == Status::Ray
                && form.is_none()
                && let Some(settled) = self.ray(&work)
            {
                return (Some(settled), false);
            }
            if report.status == Status::Singular && report.iterations == 0 && cold {
                return (None, true);
            }
            if matches!(report.status, Status::Stopped | Status::IterationLimit) {
                break;
            }
            // where there are few rows Newton costs less than to start again
            if attempt == 0
                && self.problem.n() <= FEW_ROWS
                && let Some(settled) = self.newton()
            {
                return (Some(settled), false);
            }
        }
        (None, false)
    }

    /// For positive semidefinite matrices the direction of a ray is a Farkas vector.
    fn ray(&mut self, work: &LemkeWorkspace) -> Option<Settled> {
        if !self.problem.is_mixed() {
            return None;
        }
        let sign_free =
            |i: usize, y_i: f64| if self.problem.is_free(i) { y_i } else { y_i.max(0.0) };
        let y = work.ray().iter().enumerate().map(|(i, &y_i)| sign_free(i, y_i)).collect();
        let proof = Proof::Farkas(y);
        check_proof(self.problem, &proof)?;
        Some(Settled::NoSolution(proof))
    }

    fn newton(&mut self) -> Option<Settled> {
        if self.problem.n() > DENSE_ROWS {
            return None;
        }
        let mut work = NewtonWorkspace::default();
        for (name, map) in [("newton-fb", Map::FischerBurmeister), ("newton-min", Map::Min)] {
            let settings = NewtonSettings { map, ..Default::default() };
            let mut z = vec![0.0; self.problem.n()];
            let report = newton(self.problem, &settings, &mut work, self.stop, &mut z);
            if let Some(settled) = self.judged(name, report, &z) {
                return Some(settled);
            }
        }
        None
    }

    /// A Farkas vector, if not even the inequalities can be met.
    fn prove(&mut self) -> Option<Settled> {
        if self.problem.n() > DENSE_ROWS || (self.stop)() {
            return None;
        }
        let modes = vec![Mode::Any; self.problem.n()];
        match farkas(self.problem, &modes, &mut FarkasWorkspace::default()) {
            LinearFeasibility::Infeasible(y) => {
                let proof = Proof::Farkas(y);
                let report = Report::new(Status::Solved, 1, 0);
                let residual = self.residual.scaled;
                self.links.push(Link { solver: "farkas", report, residual });
                check_proof(self.problem, &proof).map(|_| Settled::NoSolution(proof))
            }
            LinearFeasibility::Feasible(_) | LinearFeasibility::Undecided => None,
        }
    }

    fn enumerate(&mut self) -> Option<Settled> {
        let mut z = self.best.clone();
        let mut work = EnumerationWorkspace::default();
        // beyond twenty rows a tree is only worth a try: it may close after a few of them
        let settings = if self.problem.n() <= 20 {
            EnumerationSettings::default()
        } else {
            EnumerationSettings { max_rows: 80, max_nodes: 400, ..Default::default() }
        };
        let (report, tree) = enumeration(self.problem, &settings, &mut work, self.stop, &mut z);
        if matches!(report.status, Status::NotApplicable(_)) {
            return None;
        }
        if let Some(settled) = self.judged("enumeration", report, &z) {
            return Some(settled);
        }
        let proof = Proof::Exhausted(tree?);
        check_proof(self.problem, &proof).map(|_| Settled::NoSolution(proof))
    }
}
