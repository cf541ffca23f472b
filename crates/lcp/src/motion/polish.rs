//! The last digits: modes as they stand, one factorization.
//!
//! Each contact is open, sticks or slips as `r − m u` says, m its own mass: near an answer this is the larger of what it presses and what it
//! parts, and zero loads do not matter. With these modes and stiff contact the proximal steps of `newton.rs` are linear but for the
//! directions of slips, and all of them share one matrix:
//!
//! ```text
//!  u = Hᵀ H r + ε r + q      g = Π(r − κ m u) − r      (I + H D Hᵀ) dx = H g      r ← r + g − D Hᵀ dx
//! ```
//!
//! Stiffness makes impulses of what rounding leaves of u, so u is found to twice the precision.

use super::factor::{Block, Factor};
use super::mode::{Mode, change, derivative, let_go_of_pulling, shifted};
use super::space::Space;
use super::twice::TwiceWork;
use crate::cone::Triple;

#[derive(Clone, Debug, Default)]
pub(super) struct PolishWork {
    mode: Vec<Mode>,
    stiffness: Vec<f64>,
    D: Vec<Block>,
    x: Vec<f64>,
    u: Vec<Triple>,
    /// Changes of the impulses.
    g: Vec<Triple>,
    twice: TwiceWork,
}

/// How stiff contacts are, and how many proximal steps that takes.
#[derive(Clone, Copy)]
pub(super) struct Polish {
    /// κ, in units of each contact's mass.
    stiffness: f64,
    steps: usize,
}

impl Polish {
    /// Of large piles, which have motions that hardly move contacts, and of contacts that are close to each other.
    pub(super) const HARD: Self = Self { stiffness: 1e7, steps: 4 };
    /// Forces by which redundant contacts hold each other stay as they are: stiffness would make some of rounding, step by step.
    pub(super) const GENTLE: Self = Self { stiffness: 1e3, steps: 6 };
}

/// Improves r by one factorization. False if there is none.
pub(super) fn polish<S: Space>(
    problem: &S,
    how: Polish,
    (work, factor): (&mut PolishWork, &mut Factor),
    r: &mut [Triple],
) -> bool {
    factor.analyse(problem);
    work.x.clear();
    work.x.resize(problem.coordinates(), 0.0);
    work.choose_modes(problem, how.stiffness, r);
    let is_symmetric = S::IS_SYMMETRIC && !work.mode.contains(&Mode::Slip);
    if !factor.factor(problem, &work.D, is_symmetric) {
        return false;
    }
    work.refine(problem, how.steps, factor, r);
    true
}

/// The same by factors that are there already, those of contacts that all stick. False if some do not.
pub(super) fn polish_sticking<S: Space>(
    problem: &S,
    how: Polish,
    (work, factor): (&mut PolishWork, &mut Factor),
    r: &mut [Triple],
) -> bool {
    work.x.clear();
    work.x.resize(problem.coordinates(), 0.0);
    work.choose_modes(problem, how.stiffness, r);
    let is_sticking = work.mode.iter().all(|mode| *mode == Mode::Stick);
    if is_sticking {
        work.refine(problem, how.steps, factor, r);
    }
    is_sticking
}

impl PolishWork {
    /// Proximal steps by the factors of the modes.
    fn refine<S: Space>(
        &mut self,
        problem: &S,
        steps: usize,
        factor: &mut Factor,
        r: &mut [Triple],
    ) {
        for _ in 0..steps {
            problem.velocities(r, &mut self.twice, &mut self.u);
            if self.find_changes(problem, r) {
                break;
            }
            problem.motion(&self.g, &mut self.x);
            factor.solve(&mut self.x);
            let mut most: f64 = 0.0;
            for (c, (r, g)) in r.iter_mut().zip(&self.g).enumerate() {
                let (v, D) = (problem.velocity(c, &self.x), &self.D[c]);
                for i in 0..3 {
                    let change =
                        g[i] - (D[3 * i] * v[0] + D[3 * i + 1] * v[1] + D[3 * i + 2] * v[2]);
                    r[i] += change;
                    most = most.max(change.abs());
                }
            }
            if most <= f64::EPSILON * largest(r) {
                break;
            }
        }
        let_go_of_pulling(r);
    }

    fn choose_modes(&mut self, problem: &impl Space, stiffness: f64, r: &[Triple]) {
        self.mode.clear();
        self.stiffness.clear();
        self.D.clear();
        problem.motion(r, &mut self.x);
        for (c, r_c) in r.iter().enumerate() {
            let (m, mu) = (problem.mass(c), problem.mu()[c]);
            let z = shifted(problem, c, (r_c, m), &self.x);
            let mode = Mode::of(&z, mu);
            let s = stiffness * m;
            self.mode.push(mode);
            self.stiffness.push(s);
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * problem.eps()[c][i]));
            // the slip of stiff contact is that of its velocity
            let z = shifted(problem, c, (r_c, s), &self.x);
            self.D.push(derivative(mode, &z, mu, &slope));
        }
    }

    /// g at the velocities u of r; true if it is rounding of r.
    fn find_changes(&mut self, problem: &impl Space, r: &[Triple]) -> bool {
        self.g.clear();
        self.g.extend(r.iter().zip(&self.u).enumerate().map(|(c, moving)| {
            let stiffness = (self.stiffness[c], &problem.eps()[c]);
            change(self.mode[c], moving, stiffness, problem.mu()[c])
        }));
        largest(&self.g) <= f64::EPSILON * largest(r)
    }
}

fn largest(x: &[Triple]) -> f64 {
    x.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}
