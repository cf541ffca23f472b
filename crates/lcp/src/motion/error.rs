//! What the solvers of this folder stop by: the judge's number, computed by other code.

use super::MotionProblem;
use crate::cone::{Triple, natural_map, norm};

/// Memory of [`error`].
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    x: Vec<f64>,
    size: Vec<f64>,
}

/// `‖r − P_K(r − ũ)‖₂ / ‖q‖₂` and what rounding may cost of it, half an ulp of the terms. Infinite if something is not finite.
pub(super) fn error(problem: &MotionProblem, r: &[Triple], memory: &mut Measure) -> (f64, f64) {
    let n = problem.coordinates();
    memory.x.clear();
    memory.x.resize(n, 0.0);
    memory.size.clear();
    memory.size.resize(n, 0.0);
    for (c, r_c) in r.iter().enumerate().filter(|(_, r_c)| **r_c != [0.0; 3]) {
        for (_, first, rows) in problem.spans(c) {
            for (k, h) in rows.iter().enumerate() {
                let terms = [h[0] * r_c[0], h[1] * r_c[1], h[2] * r_c[2]];
                memory.x[first + k] += terms[0] + terms[1] + terms[2];
                memory.size[first + k] += terms[0].abs() + terms[1].abs() + terms[2].abs();
            }
        }
    }
    let (mut sum, mut floor, mut q_norm) = (0.0, 0.0, 0.0);
    for (c, r_c) in r.iter().enumerate() {
        let (eps, q) = (&problem.eps()[c], &problem.q()[c]);
        let mut u: Triple = std::array::from_fn(|i| eps[i] * r_c[i] + q[i]);
        let mut size = u.map(f64::abs);
        for (_, first, rows) in problem.spans(c) {
            for (k, h) in rows.iter().enumerate() {
                for i in 0..3 {
                    u[i] += h[i] * memory.x[first + k];
                    size[i] += h[i].abs() * memory.size[first + k];
                }
            }
        }
        let e = natural_map(r_c, &u, problem.mu()[c], 1.0);
        let (s, r_norm, q_c) = (norm(&size), norm(r_c), norm(q));
        sum += e * e;
        floor += s * s + r_norm * r_norm;
        q_norm += q_c * q_c;
    }
    let q_norm = if q_norm > 0.0 { q_norm.sqrt() } else { 1.0 };
    let error = sum.sqrt() / q_norm;
    let floor = 0.5 * f64::EPSILON * floor.sqrt() / q_norm;
    if error.is_finite() && floor.is_finite() { (error, floor) } else { (f64::INFINITY, 0.0) }
}
