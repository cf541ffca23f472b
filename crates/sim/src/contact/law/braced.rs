//! Impulses of the convex law that brace against each other without end.
//!
//! Where bodies can move along few directions, friction may press against friction: W p = 0 for impulses inside of the cones
//! (a friction cone that is not pointed [AP]). Then the answers of the convex law have no bound, its interior point goes to
//! infinity along them, and velocities that belong to a sum of huge impulses have no digits. Of all answers a small one is found by
//! proximal points from nothing,
//!
//! ```text
//!  p ← argmin ½ pᵀW p + u_free·p + ½ ε ‖p − p_last‖²      p in the cones,     ε → 0
//! ```
//!
//! each of which has one bounded answer; what stays in place solves the problem itself.

use stiction_lcp::{Csc, MatX, Matrix};

use super::{Law, LawResidual, judge};
use crate::contact::space::ContactSpace;

/// Impulses beyond this many times the one that stops what moves are taken for braced ones.
const BRACED: f64 = 1e6;

/// The weights ε, of W whose diagonal is 1 at most: from what converges in any case to what is no more than rounding.
pub(super) const WEIGHTS: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

/// The problem of the next proximal point.
pub(super) fn held(space: &ContactSpace, eps: f64, p_last: &[f64]) -> ContactSpace {
    let mut held = space.clone();
    held.W = with_diagonal(space.W.matrix(), eps).into();
    for (u, p) in held.u_free.iter_mut().zip(p_last) {
        *u -= eps * p;
    }
    held
}

/// How good impulses are.
pub(super) struct Rank {
    /// Accepted by the judge, and not braced.
    pub(super) is_good: bool,
    /// Velocities and work as they are: the sizes of braced impulses would excuse everything.
    left: f64,
}

/// `tol` is asked of the law's residual.
pub(super) fn rank(space: &ContactSpace, law: &Law, p: &[f64], tol: f64) -> Rank {
    let residual = judge(space, law, p);
    let is_good = residual.accepts(tol) && p.iter().all(|p| p.abs() <= BRACED);
    let LawResidual { gap_velocity, complementarity, misalignment, .. } = residual;
    Rank { is_good, left: gap_velocity + complementarity + misalignment }
}

impl Rank {
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        if self.is_good != other.is_good { self.is_good } else { self.left < other.left }
    }
}

fn with_diagonal(W: &Matrix, eps: f64) -> Matrix {
    let n = W.nrows();
    if !W.is_sparse() {
        return Matrix::Dense(MatX::from_fn(n, n, |i, j| {
            W.get(i, j) + if i == j { eps } else { 0.0 }
        }));
    }
    let mut entries: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, eps)).collect();
    for j in 0..n {
        W.for_column(j, |i, w_ij| entries.push((i, j, w_ij)));
    }
    Matrix::Sparse(Csc::from_triplets((n, n), &mut entries))
}
