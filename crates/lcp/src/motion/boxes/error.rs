//! What the solvers of this folder stop by: the judge's number, computed by other code.

use super::problem::{Bounds, View};
use super::section::respond;

/// Memory of [`error`].
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    x: Vec<f64>,
}

/// The largest entry of `r − Π_B(r − u)`, in units of the largest free velocity or 1. Infinite if something is not finite.
pub(super) fn error(problem: View<'_>, r: &[[f64; 3]], memory: &mut Measure) -> f64 {
    let rows = problem.rows;
    memory.x.clear();
    memory.x.resize(rows.coordinates(), 0.0);
    rows.motion(r, &mut memory.x);
    let (mut worst, mut q_max) = (0.0_f64, 1.0_f64);
    for (c, (r_c, bounds)) in r.iter().zip(problem.bounds).enumerate() {
        let (v, eps, q) = (rows.velocity(c, &memory.x), &rows.eps()[c], &rows.q()[c]);
        let u: [f64; 3] = std::array::from_fn(|i| v[i] + eps[i] * r_c[i] + q[i]);
        let e = natural(bounds, problem.directions, r_c, &u);
        for i in 0..3 {
            // a NaN is larger than anything
            if !(e[i].abs() <= worst) {
                worst = e[i].abs();
            }
            q_max = q_max.max(q[i].abs());
        }
    }
    let scaled = worst / q_max;
    if scaled.is_finite() { scaled } else { f64::INFINITY }
}

/// `r − Π(r − u)`, the section being that of r.
fn natural(bounds: &Bounds, directions: &[[f64; 2]], r: &[f64; 3], u: &[f64; 3]) -> [f64; 3] {
    let between = |i: usize, lower: f64, upper: f64| u[i].min(r[i] - lower).max(r[i] - upper);
    match bounds {
        Bounds::Fixed { lower, upper } => std::array::from_fn(|i| between(i, lower[i], upper[i])),
        Bounds::Axes { mu } => {
            let half = mu.map(|mu| mu * r[0].max(0.0));
            [r[0].min(u[0]), between(1, -half[0], half[0]), between(2, -half[1], half[1])]
        }
        Bounds::Polygon { .. } if r[0] > 0.0 => {
            let (p, _) = respond(bounds, directions, &[r[0], r[1] - u[1], r[2] - u[2]]);
            [r[0].min(u[0]), r[1] - p[1], r[2] - p[2]]
        }
        Bounds::Polygon { .. } => [r[0].min(u[0]), r[1], r[2]],
    }
}
