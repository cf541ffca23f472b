//! Mixed and box LCPs with a planted solution.

use super::{Planted, Rng, random_matrix, right_side};
use crate::linalg::gram;
use crate::matrix::MatX;
use crate::problem::BoxLcp;

/// A third of the rows free, the others complementary; quasi-definite
/// `[E −Cᵀ; C F]` with E, F positive definite and E on the free rows. Unique solution.
pub fn mixed(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let free = n.div_ceil(3);
    let mut A = random_matrix(n, n, &mut rng);
    for i in 0..n {
        for j in 0..i {
            // symmetric within the blocks, skew between them
            A[(i, j)] = if (i < free) == (j < free) { A[(j, i)] } else { -A[(j, i)] };
        }
        A[(i, i)] = n as f64;
    }
    let mut z = vec![0.0; n];
    let mut w = vec![0.0; n];
    for i in 0..n {
        if i < free {
            z[i] = rng.between(-1.0, 1.0);
        } else if rng.chance(0.5) {
            z[i] = rng.between(0.1, 1.0);
        } else {
            w[i] = rng.between(0.1, 1.0);
        }
    }
    let order = rng.order(n);
    let (A, z, w) = (super::permute(&A, &order), pick(&z, &order), pick(&w, &order));
    let free: Vec<usize> = (0..n).filter(|&i| order[i] < free).collect();
    let b = right_side(&A, &z, &w);
    let problem = BoxLcp::mixed(A, b, &free).expect("a generator's data is finite");
    Planted { problem, z }
}

/// Every kind of bounds: two-sided, one-sided either way, free, and fixed; A positive definite and
/// not symmetric. Unique solution.
pub fn boxed(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let B = random_matrix(n, n, &mut rng);
    let skew = random_matrix(n, n, &mut rng);
    let A = gram(&B) + MatX::identity(n, n) + (&skew - skew.transpose());
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let kind = rng.index(8);
        let place = rng.index(3); // at the lower bound, at the upper bound, between
        if kind < 5 {
            lower[i] = rng.between(-1.0, 0.0);
        }
        if kind < 4 || kind == 5 {
            upper[i] = rng.between(0.1, 1.0);
        }
        if kind == 7 {
            lower[i] = rng.between(-1.0, 1.0);
            upper[i] = lower[i];
        }
        (z[i], w[i]) = match place {
            0 if lower[i].is_finite() => (lower[i], rng.between(0.1, 1.0)),
            1 if upper[i].is_finite() => (upper[i], -rng.between(0.1, 1.0)),
            _ => (rng.between(-0.01, 0.1).max(lower[i]).min(upper[i]), 0.0),
        };
    }
    let b = right_side(&A, &z, &w);
    let problem = BoxLcp::new(A, b, lower, upper).expect("a generator's bounds are in order");
    Planted { problem, z }
}

fn pick(x: &[f64], order: &[usize]) -> Vec<f64> {
    order.iter().map(|&i| x[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_row_occurs() {
        let problem = boxed(60, 1).problem;
        assert!((0..60).any(|i| problem.is_free(i)));
        assert!((0..60).any(|i| problem.lower()[i] == problem.upper()[i]));
        assert!((0..60).any(|i| problem.lower()[i].is_infinite() && problem.upper()[i] < 9.0));
        let mixed = mixed(9, 1).problem;
        assert!(mixed.is_mixed());
        assert_eq!((0..9).filter(|&i| mixed.is_free(i)).count(), 3);
    }
}
