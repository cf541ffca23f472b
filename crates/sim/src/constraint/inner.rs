//! Springs along coordinates of the tree, on the diagonal of M̂ instead of in rows.
//!
//! The row of an implicit spring touches one velocity, so that it is eliminated by a number:
//!
//! ```text
//!  p = −(h γ θ + w v⁺),   w = γ h² + δ h          ⇒          M̂ ← M̂ + w,   h k ← h k − h γ θ − w v   on the way from v to v⁺
//! ```
//!
//! Rounding of the sum is a part `ε w` of the mass. The pivot of the velocity is at least the inertia of the body by itself,
//! and springs that are much stiffer than that stay rows, which lose nothing.

use crate::model::{Coordinate, Model, SpringForm};
use crate::tree::kinematics::Kinematics;

/// What a spring may add to the diagonal, in units of the inertia of the body that the coordinate moves.
const STIFFEST: f64 = 100.0;

/// A spring with a damper on one velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerSpring {
    /// In `model.springs()`.
    pub(crate) spring: usize,
    pub(crate) v: usize,
    /// γ, δ, and the stretch at the beginning of the step.
    pub(crate) k: f64,
    pub(crate) b: f64,
    pub(crate) theta: f64,
    /// The impulse of the step [N·s or N·m·s].
    pub(crate) p: f64,
}

/// Those of a step, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerSprings {
    pub(crate) list: Vec<InnerSpring>,
}

impl InnerSpring {
    /// `γ h² + δ h` [kg or kg·m²].
    fn weight(&self, h: f64) -> f64 {
        self.k * h * h + self.b * h
    }
}

impl InnerSprings {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether a spring is among these.
    pub(crate) fn contains(&self, spring: usize) -> bool {
        self.list.binary_search_by_key(&spring, |inner| inner.spring).is_ok()
    }

    /// Finds them for a step of length h; none for h = 0.
    pub(crate) fn find(&mut self, model: &Model, kin: &Kinematics, q: &[f64], h: f64) {
        self.clear();
        for (spring, of) in model.springs.iter().enumerate() {
            let SpringForm::Coordinate { coordinate, rest } = of.kind else { continue };
            let Coordinate::Tree { q: at, v } = coordinate else { continue };
            let (k, b) = (of.stiffness, of.damping);
            let inner = InnerSpring { spring, v, k, b, theta: q[at] - rest, p: 0.0 };
            let body = model.bodies.partition_point(|body| body.v0 <= v) - 1;
            let S = &kin.S[v];
            let inertia = S.dot(&(&model.bodies[body].I * S));
            let weight = inner.weight(h);
            if weight > 0.0 && weight <= STIFFEST * inertia {
                self.list.push(inner);
            }
        }
    }

    /// What they add to the diagonal of the mass matrix.
    pub(crate) fn add_weights(&self, h: f64, diagonal: &mut [f64]) {
        for inner in &self.list {
            diagonal[inner.v] += inner.weight(h);
        }
    }

    /// What they add to the momentum of a step that changes v.
    pub(crate) fn add_momentum(&self, h: f64, v: &[f64], momentum: &mut [f64]) {
        for inner in &self.list {
            momentum[inner.v] -= h * inner.k * inner.theta + inner.weight(h) * v[inner.v];
        }
    }

    /// Their impulses, from the velocities at the end of the kick.
    pub(crate) fn read_impulses(&mut self, h: f64, v: &[f64]) {
        for inner in &mut self.list {
            inner.p = -(h * inner.k * inner.theta + inner.weight(h) * v[inner.v]);
        }
    }
}
