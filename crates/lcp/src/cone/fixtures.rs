//! Problems for the tests: small bodies, contact by contact.

use crate::judge::Judge;
use crate::{FrictionProblem, MatX};

/// A seeded sequence of numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }
}

/// One contact of a unit mass that would move with velocity `q`.
pub(crate) fn point(mu: f64, q: [f64; 3]) -> FrictionProblem {
    FrictionProblem::new(3, MatX::identity(3, 3), q.to_vec(), vec![mu]).unwrap()
}

/// (q, r) of [`point`] with μ = 0.5: opens, sticks, slips.
pub(crate) const POINT_CASES: [([f64; 3], [f64; 3]); 3] = [
    ([1., 3., 0.], [0., 0., 0.]),
    ([-2., 0.6, -0.8], [2., -0.6, 0.8]),
    ([-2., 3., 4.], [2., -0.6, -0.8]),
];

/// Unit cubes one on another, the lowest on the ground, four corners at each interface (W is
/// singular); cube k weighs ratio^k. One step of 0.1 s under gravity, the top pushed sideways.
pub(crate) fn stack(levels: usize, ratio: f64, mu: f64, push: [f64; 2]) -> FrictionProblem {
    let rows = 12 * levels;
    let mut J = MatX::zeros(rows, 6 * levels);
    let mut Minv = MatX::zeros(6 * levels, 6 * levels);
    let mut v = MatX::zeros(6 * levels, 1);
    for k in 0..levels {
        let m = ratio.powi(k as i32);
        for a in 0..3 {
            Minv[(6 * k + a, 6 * k + a)] = 1.0 / m;
            Minv[(6 * k + 3 + a, 6 * k + 3 + a)] = 6.0 / m; // I = m / 6
        }
        v[6 * k + 2] = -0.981;
        for corner in 0..4 {
            let (x, y) = ([-0.5, 0.5][corner % 2], [-0.5, 0.5][corner / 2]);
            for (row, d) in [[0., 0., 1.], [1., 0., 0.], [0., 1., 0.]].iter().enumerate() {
                let mut side = |body: usize, z: f64, sign: f64| {
                    let i = 12 * k + 3 * corner + row;
                    let turn = [y * d[2] - z * d[1], z * d[0] - x * d[2], x * d[1] - y * d[0]];
                    for a in 0..3 {
                        J[(i, 6 * body + a)] = sign * d[a];
                        J[(i, 6 * body + 3 + a)] = sign * turn[a];
                    }
                };
                side(k, -0.5, 1.0);
                if k > 0 {
                    side(k - 1, 0.5, -1.0);
                }
            }
        }
    }
    let top = 6 * (levels - 1);
    (v[top], v[top + 1]) = (push[0], push[1]);
    let W = &J * Minv * J.transpose();
    let q = &J * v;
    FrictionProblem::new(3, W, q.as_slice().to_vec(), vec![mu; 4 * levels]).unwrap()
}

/// The same problem without the second tangent: motion in the plane.
pub(crate) fn planar(problem: &FrictionProblem) -> FrictionProblem {
    let rows: Vec<usize> = (0..problem.n()).filter(|i| i % 3 < 2).collect();
    let q = rows.iter().map(|&i| problem.q()[i]).collect();
    let W = problem.W().select(&rows, &rows);
    FrictionProblem::new(2, W, q, problem.mu().to_vec()).unwrap()
}

/// Everything any solver here must solve: (name, problem).
pub(crate) fn catalogue() -> Vec<(&'static str, FrictionProblem)> {
    vec![
        ("point opens", point(0.5, POINT_CASES[0].0)),
        ("point sticks", point(0.5, POINT_CASES[1].0)),
        ("point slips", point(0.5, POINT_CASES[2].0)),
        ("smooth point", point(0.0, [-1.0, 0.5, 0.0])),
        ("box rests", stack(1, 1.0, 0.5, [0.0, 0.0])),
        ("box slides", stack(1, 1.0, 0.2, [3.0, 1.0])),
        ("two blocks", stack(2, 1.0, 0.6, [0.2, 0.1])),
        ("two blocks, top slides", stack(2, 1.0, 0.2, [2.0, 0.3])),
        ("planar box slides", planar(&stack(1, 1.0, 0.3, [2.0, 0.0]))),
        ("planar blocks rest", planar(&stack(2, 1.0, 0.5, [0.1, 0.0]))),
    ]
}

/// The judge's number, `‖r − P_K(r − ũ)‖ / ‖q‖`.
pub(crate) fn judged(problem: &FrictionProblem, r: &[f64]) -> f64 {
    Judge::new(problem.n()).friction(problem, r).scaled
}
