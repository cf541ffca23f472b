//! Units of friction in which it weighs as much as pressure.
//!
//! # Method
//!
//! What a contact feels differs between its normal and its tangents: between spheres W_tt/W_nn is 7/2. A method of first order takes the more passes the more
//! such numbers differ. With s a number of each contact,
//!
//! ```text
//!  r_t = s r_t' ,   u_t' = s u_t ,   μ' = μ/s        s² = W_nn/W_tt
//! ```
//!
//! r' and u' obey Coulomb's law with μ', whose cones are round as before, and all diagonal entries of W' are about W_nn.
//!
//! Theory: `docs/theory/velocity-space-first-order.md`.

use super::MotionProblem;
use crate::cone::Triple;

/// s is between these: beyond, one of the rows is none of a contact.
const LEAST: f64 = 1.0 / 16.0;
const MOST: f64 = 16.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Metric {
    s: Vec<f64>,
}

impl Metric {
    pub(super) fn load(&mut self, problem: &MotionProblem) {
        self.s.clear();
        self.s.extend((0..problem.contacts()).map(|c| {
            let [normal, first, second] = problem.diagonal(c);
            let tangent = (first + second) / (problem.dim() - 1) as f64;
            let square = normal / tangent;
            // not where one is nothing, and NaN
            if square > 0.0 && square < f64::INFINITY {
                square.sqrt().clamp(LEAST, MOST)
            } else {
                1.0
            }
        }));
    }

    pub(super) fn s(&self, c: usize) -> f64 {
        self.s[c]
    }

    /// What a row of H, a velocity or a compliance is on one side: friction times s.
    pub(super) fn scale(&self, c: usize, [n, t1, t2]: &Triple) -> Triple {
        let s = self.s[c];
        [*n, s * t1, s * t2]
    }

    /// Impulses in these units.
    pub(super) fn impulse(&self, c: usize, [n, t1, t2]: &Triple) -> Triple {
        let s = self.s[c];
        [*n, t1 / s, t2 / s]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{PileSettings, disk_pile, sphere_pyramid};

    #[test]
    fn diagonals_are_alike_in_these_units() {
        let settings = PileSettings::default();
        // W_tt/W_nn: a disk turns as if it had half of its mass at its rim, a sphere two fifths
        for (problem, ratio) in
            [(disk_pile(4, &settings), 3.0), (sphere_pyramid(3, &settings), 3.5)]
        {
            let mut metric = Metric::default();
            metric.load(&problem);
            for c in 0..problem.contacts() {
                let [normal, first, _] = problem.diagonal(c);
                assert!((metric.s(c).powi(-2) - ratio).abs() < 1e-12);
                assert!((metric.s(c).powi(2) * first - normal).abs() < 1e-12 * normal);
                let r = [3.0, 2.0, -1.0];
                let back = metric.scale(c, &metric.impulse(c, &r));
                assert!((0..3).all(|i| (back[i] - r[i]).abs() < 1e-15));
            }
        }
    }

    #[test]
    fn what_nothing_moves_keeps_its_units() {
        let mut problem = MotionProblem::default();
        problem.clear(3, [3]);
        problem.push_span(0, [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]]);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        problem.push_span(0, [[1e-9, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        let mut metric = Metric::default();
        metric.load(&problem);
        assert_eq!((metric.s(0), metric.s(1), metric.s(2)), (1.0, 1.0, LEAST));
    }
}
