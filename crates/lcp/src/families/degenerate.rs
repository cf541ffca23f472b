//! Degenerate problems, on which careless pivot rules cycle. All have solutions.

use super::{Rng, lcp, plant, random_matrix};
use crate::matrix::MatX;
use crate::problem::BoxLcp;

/// Optimality of `min cᵀx, C x ≥ d, x ≥ 0` as an LCP in (x, y): `A = [0 −Cᵀ; C 0]`, `b = (c, −d)`.
pub fn linear_program(C: &MatX, c: &[f64], d: &[f64]) -> BoxLcp {
    let (m, n) = C.shape();
    let A = MatX::from_fn(n + m, n + m, |i, j| {
        if i < n && j >= n {
            -C[(j - n, i)]
        } else if i >= n && j < n {
            C[(i - n, j)]
        } else {
            0.0
        }
    });
    let b = c.iter().copied().chain(d.iter().map(|d_i| -d_i)).collect();
    lcp(A, b)
}

/// The assignment problem k × k with small whole costs: `n = k² + 4k` rows, massively degenerate.
/// Each of the 2k equations appears as two inequalities.
pub fn assignment(k: usize, seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let cost: Vec<f64> = (0..k * k).map(|_| 1.0 + rng.index(9) as f64).collect();
    let sums = MatX::from_fn(2 * k, k * k, |i, j| {
        f64::from(if i < k { j / k == i } else { j % k == i - k })
    });
    let C =
        MatX::from_fn(
            4 * k,
            k * k,
            |i, j| {
                if i < 2 * k { sums[(i, j)] } else { -sums[(i - 2 * k, j)] }
            },
        );
    let d: Vec<f64> = (0..4 * k).map(|i| if i < 2 * k { 1.0 } else { -1.0 }).collect();
    linear_program(&C, &cost, &d)
}

/// Chvátal's linear program, on which the largest-coefficient rule cycles.
pub fn cycling_program() -> BoxLcp {
    // max 10x1 − 57x2 − 9x3 − 24x4 under two rows through the origin and x1 ≤ 1
    let C = MatX::from_row_slice(
        3,
        4,
        &[-0.5, 5.5, 2.5, -9.0, -0.5, 1.5, 0.5, -1.0, -1.0, 0.0, 0.0, 0.0],
    );
    linear_program(&C, &[-10.0, 57.0, 9.0, 24.0], &[0.0, 0.0, -1.0])
}

/// Circulant with rows (1, 2, 0, …, 0), `b = −1`: a P-matrix for odd n, Murty's cycling pattern.
/// `z = 1/3` solves for every n ≥ 2 (for n = 1 the entry is 1 and z = 1).
pub fn circulant(n: usize) -> BoxLcp {
    let A = MatX::from_fn(n, n, |i, j| {
        if i == j {
            1.0
        } else if j == (i + 1) % n {
            2.0
        } else {
            0.0
        }
    });
    lcp(A, vec![-1.0; n])
}

/// Ones, `1 + gap` on the diagonal, `b = −1`: all ratios tie in each ratio test. The smaller the gap
/// the nearer the problem is to one with a simplex of solutions.
pub fn ties(n: usize, gap: f64) -> BoxLcp {
    lcp(MatX::from_fn(n, n, |i, j| if i == j { 1.0 + gap } else { 1.0 }), vec![-1.0; n])
}

/// `A = 0` with `b ≥ 0`, zero on its first half: a whole orthant of solutions.
pub fn zero_matrix(n: usize) -> BoxLcp {
    lcp(MatX::zeros(n, n), (0..n).map(|i| f64::from(i >= n / 2)).collect())
}

/// A random feasible and bounded linear program with a degenerate vertex: `m` rows, `n − m`
/// unknowns, about half of the complementary pairs zero on both sides.
pub fn degenerate_program(n: usize, seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let m = n / 2;
    let C = random_matrix(m, n - m, &mut rng);
    let skew = linear_program(&C, &vec![0.0; n - m], &vec![0.0; m]);
    let A = MatX::from_fn(n, n, |i, j| skew.A().get(i, j));
    let (mut z, mut w) = super::strictly_complementary(n, &mut rng);
    for i in 0..n {
        if rng.chance(0.5) {
            (z[i], w[i]) = (0.0, 0.0);
        }
    }
    plant(A, z, &w).problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;

    #[test]
    fn known_solutions() {
        let mut judge = Judge::default();
        assert!(judge.lcp(&circulant(9), &[1.0 / 3.0; 9]).accepts(1e-15));
        assert!(judge.lcp(&ties(10, 1.0), &[1.0 / 11.0; 10]).accepts(1e-15));
        assert_eq!(judge.lcp(&zero_matrix(6), &[3., 2., 1., 0., 0., 0.]).natural, 0.0);
        // x = (1, 0, 1, 0), value 1; multipliers by hand: (0, 18, 1)
        let answer = [1., 0., 1., 0., 0., 18., 1.];
        assert_eq!(judge.lcp(&cycling_program(), &answer).natural, 0.0);
    }

    #[test]
    fn an_assignment_is_a_skew_problem_of_its_size() {
        let problem = assignment(3, 1);
        assert_eq!(problem.n(), 21);
        let A = problem.A();
        assert!((0..21).all(|i| (0..21).all(|j| A.get(i, j) == -A.get(j, i))));
    }
}
