//! The global form in velocity space: each island of the mass matrix, a body, by its Cholesky factor.

use super::GlobalFrictionProblem;
use crate::islands::islands;
use crate::matrix::MatX;
use crate::motion::MotionProblem;

/// Islands of the mass matrix with more velocities than this are not factored densely.
const LARGEST: usize = 200;

/// The islands of M, of each velocity its island and its place there, and the factors L.
struct Masses {
    bodies: Vec<Vec<usize>>,
    place: Vec<(usize, usize)>,
    factors: Vec<MatX>,
}

impl GlobalFrictionProblem {
    /// `H ← L⁻¹ H`, `q ← Hᵀ M⁻¹ q + b` with `M = L Lᵀ`. None where M is not symmetric positive definite, or one of its islands
    /// has too many velocities.
    pub fn to_motion(&self) -> Option<MotionProblem> {
        let bodies = islands(&self.M, 1);
        let mut place = vec![(0, 0); self.q.len()];
        let mut factors = Vec::with_capacity(bodies.len());
        let mut x = self.q.clone();
        for (node, rows) in bodies.iter().enumerate() {
            if rows.len() > LARGEST {
                return None;
            }
            rows.iter().enumerate().for_each(|(i, &row)| place[row] = (node, i));
            let n = rows.len();
            let M = MatX::from_fn(n, n, |i, j| self.M.get(rows[i], rows[j]));
            let is_symmetric =
                (0..n).all(|i| (0..i).all(|j| M[(i, j)] == M[(j, i)] && M[(i, j)].is_finite()));
            let L = is_symmetric.then(|| M.cholesky()).flatten()?.unpack();
            let mut part: Vec<f64> = rows.iter().map(|&row| x[row]).collect();
            solve_lower(&L, &mut part);
            rows.iter().zip(&part).for_each(|(&row, part)| x[row] = *part);
            factors.push(L);
        }
        let mut problem = MotionProblem::default();
        problem.clear(self.dim, bodies.iter().map(Vec::len));
        let masses = Masses { bodies, place, factors };
        for c in 0..self.mu.len() {
            self.push_contact(c, &masses, &x, &mut problem);
        }
        Some(problem)
    }

    fn push_contact(
        &self,
        c: usize,
        Masses { bodies, place, factors }: &Masses,
        x: &[f64],
        problem: &mut MotionProblem,
    ) {
        let mut entries: Vec<((usize, usize), usize, f64)> = Vec::new();
        for axis in 0..self.dim {
            self.H.for_column(self.dim * c + axis, |k, h| {
                if h != 0.0 {
                    entries.push((place[k], axis, h));
                }
            });
        }
        entries.sort_unstable_by_key(|&(place, axis, _)| (place.0, axis, place.1));
        let mut u = [0.0; 3];
        for of_node in entries.chunk_by(|a, b| a.0.0 == b.0.0) {
            let node = of_node[0].0.0;
            let mut rows = vec![[0.0; 3]; bodies[node].len()];
            for axis in 0..self.dim {
                let mut h = vec![0.0; rows.len()];
                let of_axis = of_node.iter().filter(|entry| entry.1 == axis);
                of_axis.for_each(|&((_, k), _, value)| h[k] += value);
                solve_lower(&factors[node], &mut h);
                rows.iter_mut().zip(&h).for_each(|(row, h)| row[axis] = *h);
            }
            for (row, &k) in rows.iter().zip(&bodies[node]) {
                u = std::array::from_fn(|i| u[i] + row[i] * x[k]);
            }
            problem.push_span(node, rows);
        }
        for axis in 0..self.dim {
            u[axis] += self.b[self.dim * c + axis];
        }
        problem.end_contact([0.0; 3], u, self.mu[c]);
    }
}

/// `x ← L⁻¹ x`.
fn solve_lower(L: &MatX, x: &mut [f64]) {
    for i in 0..x.len() {
        let sum: f64 = (0..i).map(|j| L[(i, j)] * x[j]).sum();
        x[i] = (x[i] - sum) / L[(i, i)];
    }
}
