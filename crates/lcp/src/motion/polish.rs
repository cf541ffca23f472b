//! The last digits: modes as they stand, one factorization.
//!
//! Each contact is open, sticks or slips as `r − m u` says, m its own mass: near an answer this is the larger of what it presses and what it
//! parts, and zero loads do not matter. With these modes and stiff contact the proximal steps of `newton.rs` are linear but for the
//! directions of slips, and all of them share one matrix.

use super::factor::{Block, Factor};
use super::mode::{Mode, derivative, respond, shifted};
use super::space::Space;
use crate::cone::Triple;

#[derive(Clone, Debug, Default)]
pub(super) struct PolishWork {
    mode: Vec<Mode>,
    stiffness: Vec<f64>,
    D: Vec<Block>,
    x: Vec<f64>,
    rest: Vec<f64>,
    r: Vec<Triple>,
}

/// κ, in units of each contact's mass.
const STIFF: f64 = 1e5;
/// Proximal steps, each with this many solves.
const STEPS: usize = 3;
const SOLVES: usize = 2;

/// Improves r by one factorization. False if there is none.
pub(super) fn polish(
    problem: &impl Space,
    (work, factor): (&mut PolishWork, &mut Factor),
    r: &mut [Triple],
) -> bool {
    factor.analyse(problem);
    work.x.clear();
    work.x.resize(problem.coordinates(), 0.0);
    work.rest.clone_from(&work.x);
    problem.motion(r, &mut work.x);
    work.choose_modes(problem, r);
    if !factor.factor(problem, &work.D, false) {
        return false;
    }
    for _ in 0..STEPS {
        for _ in 0..SOLVES {
            work.update_impulses(problem, r);
            problem.motion(&work.r, &mut work.rest);
            work.rest.iter_mut().zip(&work.x).for_each(|(rest, x)| *rest -= x);
            factor.solve(&mut work.rest);
            work.x.iter_mut().zip(&work.rest).for_each(|(x, dx)| *x += dx);
        }
        work.update_impulses(problem, r);
        r.copy_from_slice(&work.r);
        problem.motion(r, &mut work.x);
    }
    true
}

impl PolishWork {
    fn choose_modes(&mut self, problem: &impl Space, r: &[Triple]) {
        self.mode.clear();
        self.stiffness.clear();
        self.D.clear();
        self.r.clear();
        self.r.extend_from_slice(r);
        for (c, r_c) in r.iter().enumerate() {
            let (m, mu) = (problem.mass(c), problem.mu()[c]);
            let z = shifted(problem, c, (r_c, m), &self.x);
            let mode = Mode::of(&z, mu);
            let s = STIFF * m;
            self.mode.push(mode);
            self.stiffness.push(s);
            let slope: Triple = std::array::from_fn(|i| s / (1.0 + s * problem.eps()[c][i]));
            // the slip of stiff contact is that of its velocity
            let z = shifted(problem, c, (r_c, s), &self.x);
            self.D.push(derivative(mode, &z, mu, &slope));
        }
    }

    /// The impulses of the modes at x, the centre being r.
    fn update_impulses(&mut self, problem: &impl Space, r: &[Triple]) {
        for (c, centre) in r.iter().enumerate() {
            let z = shifted(problem, c, (centre, self.stiffness[c]), &self.x);
            self.r[c] = respond(self.mode[c], &z, problem.mu()[c]);
        }
    }
}
