//! A few contacts that are not decided, among many that are.
//!
//! Near an answer what is left of the error sits at a few contacts, of bodies in a corner or just about to slip, and a step of Newton's method
//! for all brings these no nearer: each of them must find its mode against the others. So the modes of all others are held, and with
//! stiff contact their answer to whatever the few do is linear:
//!
//! ```text
//!  A = I + B D C  of the others      u_few = C_few A⁻¹ B_few dr_few + (C_few A⁻¹ B g + u_few)      g: what the others would change by themselves
//! ```
//!
//! That is a friction problem of the few alone, and a small one is solved exactly, round folds where need be. What turns out to leave its mode among the
//! others joins them. One factorization, and three solves for each of the few.
//!
//! Theory: `docs/theory/velocity-space.md`.

mod small;

use super::error::Measure;
use super::factor::{Block, Factor};
use super::mode::{Mode, derivative, respond};
use super::newton::NewtonWork;
use super::sides::{Lanes, SidesWork};
use super::space::Space;
use super::twice::TwiceWork;
use crate::cone::{AlartCurnierWorkspace, Triple, natural_map, norm};
use crate::report::{Report, Status, Stop};

/// The few, at first and at most, and how many join at a time.
const FEW: usize = 20;
pub(super) const MOST: usize = 60;
const JOINING: usize = 12;
/// They hold this part of the squared error, or as much as so many can.
const SHARE: f64 = 0.99;
/// What joins has at least this part of the largest error.
const LARGE: f64 = 0.03;
/// An error that is not below this part of the last one is none the better.
const BETTER: f64 = 0.7;
/// How often a step is taken to a larger error, and what may have left its piece then, of the squared error.
const AHEAD: usize = 4;
const LITTLE: f64 = 1e-2;
/// κ of the others: at least, at most, and at most where nothing else has helped; at first of the inverse error; by which factor it follows
/// success and failure.
const STIFFNESS: [f64; 3] = [10.0, 1e6, 1e8];
const OF_INVERSE: f64 = 0.1;
const SOFTER: f64 = 0.03;
const STIFFER: f64 = 10.0;
/// Above this error velocities need no second number.
const PLAIN: f64 = 1e-9;
/// Few of many have an error if they have this part of its square.
const LOCAL: f64 = 0.9;

#[derive(Clone, Debug, Default)]
pub(super) struct ClusterWork {
    /// The lowest error of all so far.
    lowest: f64,
    mode: Vec<Mode>,
    D: Vec<Block>,
    u: Vec<Triple>,
    /// Error of each contact.
    error: Vec<f64>,
    order: Vec<usize>,
    /// How far others are from the pieces that they were held on.
    left: Vec<f64>,
    few: Vec<usize>,
    is_few: Vec<bool>,
    g: Vec<Triple>,
    x: Vec<f64>,
    /// Coordinates that the few move, and those that their velocities are read from; their columns of `A⁻¹ B`, and one of them.
    is_asked: Vec<bool>,
    asked: Vec<usize>,
    read: Vec<usize>,
    columns: Vec<Lanes>,
    column: Vec<f64>,
    needed: SidesWork,
    trial: Vec<Triple>,
    /// Where a round begins.
    now: Vec<Triple>,
    /// Whether the few found an answer.
    is_solved: bool,
    small: Vec<Triple>,
    twice: TwiceWork,
    newton: NewtonWork,
    factor: Factor,
    entries: AlartCurnierWorkspace,
    measured: Measure,
}

/// Improves r, in at most so many rounds, to the error `goal`, which is the judge's number; to `enough` where that is not to be had soon.
pub(super) fn clusters<S: Space>(
    problem: &S,
    (goal, enough, max_rounds): (f64, f64, usize),
    (work, factor): (&mut ClusterWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    let (mut factorizations, mut ahead) = (0, 0);
    work.begin(problem, r);
    let [least, usual, most] = STIFFNESS;
    let follow = |lowest: f64, most: f64| (OF_INVERSE / lowest).clamp(least, most);
    let (mut kappa, mut was_stiff) = (follow(work.lowest, usual), false);
    for round in 0..max_rounds {
        if work.lowest <= goal {
            return Report::new(Status::Solved, round, factorizations);
        }
        if stop() {
            return Report::new(Status::Stopped, round, factorizations);
        }
        let how = (kappa, ahead < AHEAD);
        let (end, tries) = work.round(problem, how, (factor, stop));
        factorizations += tries;
        match end {
            End::Better(error) => {
                work.lowest = error;
                r.copy_from_slice(&work.now);
                kappa = follow(error, (STIFFER * kappa).min(kappa.max(usual)));
                (ahead, was_stiff) = (0, false);
            }
            End::Ahead => ahead += 1,
            End::Nothing => {
                if work.lowest <= enough {
                    return Report::new(Status::Solved, round, factorizations);
                }
                if kappa <= least {
                    return Report::new(Status::Stalled, round, factorizations);
                }
                // weak motions take stiff contact; then others give way
                let stiff = follow(work.lowest, most);
                let is_next = !was_stiff && stiff > kappa;
                kappa = if is_next { stiff } else { (SOFTER * kappa).max(least) };
                was_stiff = true;
                work.now.copy_from_slice(r);
                work.measure(problem, r);
                ahead = 0;
            }
        }
    }
    Report::new(Status::IterationLimit, max_rounds, factorizations)
}

/// The few solved against the linear answer of all others, whose modes are given, for contact of stiffness κ: r is what they and the others answer. False,
/// and r is as it was, if there is no factorization.
pub(super) fn decide<S: Space>(
    problem: &S,
    (modes, few, kappa): (&[Mode], &[usize], f64),
    (work, factor): (&mut ClusterWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> bool {
    factor.analyse(problem);
    work.begin(problem, r);
    work.mode.clear();
    work.mode.extend_from_slice(modes);
    work.few.clear();
    work.few.extend_from_slice(few);
    work.is_few.clear();
    work.is_few.resize(r.len(), false);
    few.iter().for_each(|&c| work.is_few[c] = true);
    if !work.try_few(problem, kappa, (factor, stop), r) {
        return false;
    }
    r.copy_from_slice(&work.trial);
    true
}

/// How a round ends.
enum End {
    /// With this error, less than the lowest so far.
    Better(f64),
    /// Everybody kept to his piece: what is wrong is the bend of these, and less of it next time.
    Ahead,
    Nothing,
}

impl ClusterWork {
    fn begin(&mut self, problem: &impl Space, r: &[Triple]) {
        // plain numbers say whether they will do
        self.lowest = 1.0;
        self.lowest = self.measure(problem, r);
        self.lowest = self.measure(problem, r);
        self.now.clear();
        self.now.extend_from_slice(r);
    }

    /// Whether few of the contacts have most of the error.
    pub(super) fn is_local(&mut self, problem: &impl Space, r: &[Triple]) -> bool {
        self.begin(problem, r);
        let all = self.find_largest();
        let square = |c: &usize| self.error[*c] * self.error[*c];
        self.order.iter().map(square).sum::<f64>() >= LOCAL * all
    }

    /// Solves for the few, and again with those that have joined, from `now`, which follows where that helps. Says how often.
    fn round<S: Space>(
        &mut self,
        problem: &S,
        (kappa, may_go_ahead): (f64, bool),
        (factor, stop): (&mut Factor, Stop<'_>),
    ) -> (End, usize) {
        let lowest = self.lowest;
        let mut now = std::mem::take(&mut self.now);
        self.choose_modes(problem, &now);
        self.choose_few();
        let (mut end, mut tries) = (End::Nothing, 0);
        loop {
            self.measure(problem, &now);
            tries += 1;
            if !self.try_few(problem, kappa, (factor, stop), &now) {
                break;
            }
            let trial = std::mem::take(&mut self.trial);
            let next = self.measure(problem, &trial);
            if next <= BETTER * lowest {
                end = End::Better(next);
            } else if may_go_ahead && self.is_solved && self.is_kept() && next <= lowest.sqrt() {
                end = End::Ahead;
            }
            if !matches!(end, End::Nothing) {
                now.copy_from_slice(&trial);
            }
            self.trial = trial;
            if !matches!(end, End::Nothing) || !self.join() {
                break;
            }
        }
        self.now = now;
        (end, tries)
    }

    /// Whether what has left its piece is little beside what is wrong.
    fn is_kept(&self) -> bool {
        let square = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>();
        square(&self.left) <= LITTLE * square(&self.error)
    }

    /// Velocities of r, the error of each contact and that of all; infinite if something is not finite.
    fn measure(&mut self, problem: &impl Space, r: &[Triple]) -> f64 {
        if self.lowest > PLAIN {
            self.find_velocities(problem, r);
        } else {
            problem.velocities(r, &mut self.twice, &mut self.u);
        }
        self.error.clear();
        for (c, (r, u)) in r.iter().zip(&self.u).enumerate() {
            self.error.push(natural_map(r, u, problem.mu()[c], 1.0));
        }
        let sum: f64 = self.error.iter().map(|error| error * error).sum();
        let error = sum.sqrt() / q_norm(problem);
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// In plain numbers.
    fn find_velocities(&mut self, problem: &impl Space, r: &[Triple]) {
        self.x.clear();
        self.x.resize(problem.coordinates(), 0.0);
        problem.motion(r, &mut self.x);
        self.u.clear();
        for (c, r) in r.iter().enumerate() {
            let (v, eps, q) = (problem.velocity(c, &self.x), &problem.eps()[c], &problem.q()[c]);
            self.u.push(std::array::from_fn(|i| v[i] + eps[i] * r[i] + q[i]));
        }
    }

    /// As `r − m u` says.
    fn choose_modes(&mut self, problem: &impl Space, r: &[Triple]) {
        self.mode.clear();
        for (c, (r, u)) in r.iter().zip(&self.u).enumerate() {
            let m = problem.mass(c);
            let z = std::array::from_fn(|i| r[i] - m * u[i]);
            self.mode.push(Mode::of(&z, problem.mu()[c]));
        }
    }

    /// Those of the largest errors.
    fn choose_few(&mut self) {
        let all = self.find_largest();
        self.is_few.clear();
        self.is_few.resize(self.error.len(), false);
        self.few.clear();
        let mut held = 0.0;
        for &c in &self.order {
            if held >= SHARE * all {
                break;
            }
            held += self.error[c] * self.error[c];
            self.few.push(c);
            self.is_few[c] = true;
        }
    }

    /// The largest errors, in their order, into `order`; the sum of all squares.
    fn find_largest(&mut self) -> f64 {
        let Self { order, error, .. } = self;
        let by_error = |a: &usize, b: &usize| error[*b].total_cmp(&error[*a]).then(a.cmp(b));
        order.clear();
        order.extend(0..error.len());
        if order.len() > FEW {
            order.select_nth_unstable_by(FEW, by_error);
            order.truncate(FEW);
        }
        order.sort_unstable_by(by_error);
        error.iter().map(|error| error * error).sum()
    }

    /// Adds those of the others that have left their pieces, then the worst; false if there are none, or no more can be added.
    fn join(&mut self) -> bool {
        let before = self.few.len();
        let end = (before + JOINING).min(MOST);
        for by_error in [false, true] {
            let of = if by_error { &self.error } else { &self.left };
            let large = LARGE * of.iter().copied().max_by(f64::total_cmp).unwrap_or(0.0);
            self.order.clear();
            self.order.extend((0..of.len()).filter(|&c| of[c] > 0.0 && of[c] >= large));
            self.order.sort_by(|&a, &b| of[b].total_cmp(&of[a]));
            for &c in &self.order {
                if !self.is_few[c] && self.few.len() < end {
                    self.is_few[c] = true;
                    self.few.push(c);
                }
            }
        }
        self.few.len() > before
    }

    /// The few solved for the others' linear answer, into `trial`. False if there is no factorization.
    fn try_few<S: Space>(
        &mut self,
        problem: &S,
        kappa: f64,
        (factor, stop): (&mut Factor, Stop<'_>),
        r: &[Triple],
    ) -> bool {
        self.linearize(problem, kappa, r);
        let slips = |(mode, is_few): (&Mode, &bool)| *mode == Mode::Slip && !is_few;
        let is_symmetric = S::IS_SYMMETRIC && !self.mode.iter().zip(&self.is_few).any(slips);
        if !factor.factor(problem, &self.D, is_symmetric) {
            return false;
        }
        self.x.clear();
        self.x.resize(problem.coordinates(), 0.0);
        problem.motion(&self.g, &mut self.x);
        factor.solve(&mut self.x);
        let Some(small) = self.small_problem(problem, factor, r) else { return false };
        self.small.clear();
        self.small.extend(self.few.iter().map(|&c| r[c]));
        self.solve_small(&small, self.lowest * q_norm(problem), stop);
        problem.motion(&self.g, &mut self.x);
        for (&c, small) in self.few.iter().zip(&self.small) {
            let change = std::array::from_fn(|i| small[i] - r[c][i]);
            problem.add_motion(c, &change, &mut self.x);
        }
        factor.solve(&mut self.x);
        self.answer(problem, r);
        true
    }

    /// The others' impulses for what the few do, into `trial`, and by how much they have left their pieces.
    fn answer(&mut self, problem: &impl Space, r: &[Triple]) {
        self.trial.clear();
        self.left.clear();
        for (c, (r, g)) in r.iter().zip(&self.g).enumerate() {
            let (v, D, mu) = (problem.velocity(c, &self.x), &self.D[c], problem.mu()[c]);
            let end: Triple = std::array::from_fn(|i| {
                r[i] + g[i] - (D[3 * i] * v[0] + D[3 * i + 1] * v[1] + D[3 * i + 2] * v[2])
            });
            let (m, eps, u) = (problem.mass(c), &problem.eps()[c], &self.u[c]);
            let z = std::array::from_fn(|i| end[i] - m * (u[i] + v[i] + eps[i] * (end[i] - r[i])));
            let mode = Mode::of(&z, mu);
            let away = respond(mode, &z, mu);
            let is_left = mode != self.mode[c] && !self.is_few[c];
            let distance = norm(&std::array::from_fn(|i| away[i] - end[i]));
            self.left.push(if is_left { distance } else { 0.0 });
            // what has left its piece ends where it must
            self.trial.push(respond(Mode::of(&end, mu), &end, mu));
        }
        for (&c, r_c) in self.few.iter().zip(&self.small) {
            self.trial[c] = *r_c;
        }
    }

    /// Stiff contact of the others, on their pieces; of the few, nothing.
    fn linearize(&mut self, problem: &impl Space, kappa: f64, r: &[Triple]) {
        self.D.clear();
        self.g.clear();
        for (c, r) in r.iter().enumerate() {
            if self.is_few[c] {
                self.D.push([0.0; 9]);
                self.g.push([0.0; 3]);
                continue;
            }
            let (s, mu, mode) = (kappa * problem.mass(c), problem.mu()[c], self.mode[c]);
            let (eps, u) = (&problem.eps()[c], &self.u[c]);
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * eps[i]));
            let z: Triple = std::array::from_fn(|i| r[i] - slope[i] * u[i]);
            self.D.push(derivative(mode, &z, mu, &slope));
            let end = respond(mode, &z, mu);
            self.g.push(std::array::from_fn(|i| end[i] - r[i]));
        }
    }
}

/// 1 where q is zero.
fn q_norm(problem: &impl Space) -> f64 {
    let q_norm = problem.q().iter().map(|q| norm(q) * norm(q)).sum::<f64>().sqrt();
    if q_norm > 0.0 { q_norm } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::motion::newton::{NewtonSettings, newton};
    use crate::motion::tests::random_problem;
    use crate::report::never;

    #[test]
    fn what_newton_leaves_is_finished_by_clusters() {
        let (mut open, mut solved) = (0, 0);
        for seed in 0..20 {
            let problem = random_problem(seed, 40, 100);
            let mut factor = Factor::default();
            let mut r = vec![[0.0; 3]; 100];
            let few_steps = NewtonSettings { max_steps: 6, ..NewtonSettings::DEFAULT };
            newton(&problem, &few_steps, (&mut NewtonWork::default(), &mut factor), &never, &mut r);
            let before = Judge::default().motion(&problem, &r).scaled;
            let memory = (&mut ClusterWork::default(), &mut factor);
            let report = clusters(&problem, (1e-12, 1e-12, 30), memory, &never, &mut r);
            let after = Judge::default().motion(&problem, &r).scaled;
            assert!(after <= before, "{seed}: {before} {after}");
            // the status is what the judge finds
            assert_eq!(report.status == Status::Solved, after <= 1.1e-12, "{seed}: {after}");
            open += usize::from(before > 1e-6);
            solved += usize::from(before > 1e-6 && after <= 1e-11);
        }
        // nodes and contacts at random hang together more than heaps do, and six steps leave most of them far from an answer
        assert!(open == 20 && solved >= 4, "{solved} of {open}");
    }
}
