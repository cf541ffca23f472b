//! Symmetric positive semidefinite matrices `A = B Bᵀ` of rank n/2 (rounded up).

use super::{Planted, Rng, plant, random_matrix, strictly_complementary};
use crate::linalg::gram;
use crate::matrix::MatX;

fn half_rank_matrix(n: usize, rng: &mut Rng) -> MatX {
    let B = random_matrix(n, n.div_ceil(2), rng);
    let A = gram(&B);
    MatX::from_fn(n, n, |i, j| A[(i.min(j), i.max(j))])
}

/// With a strictly complementary solution. `w` is unique, `z` need not be.
pub fn half_rank(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let A = half_rank_matrix(n, &mut rng);
    let (z, w) = strictly_complementary(n, &mut rng);
    plant(A, z, &w)
}

/// With a solution that has `z_i = w_i = 0` on about half of the rows.
pub fn degenerate(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let A = half_rank_matrix(n, &mut rng);
    let (mut z, mut w) = strictly_complementary(n, &mut rng);
    for i in 0..n {
        if rng.chance(0.5) {
            (z[i], w[i]) = (0.0, 0.0);
        }
    }
    plant(A, z, &w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_half_and_nothing_is_negative() {
        for planted in [half_rank(12, 5), degenerate(12, 5)] {
            assert!(planted.problem.A().is_symmetric(0.0));
            let A = MatX::from_fn(12, 12, |i, j| planted.problem.A().get(i, j));
            let eigenvalues = A.symmetric_eigenvalues();
            assert!(eigenvalues.min() > -1e-13);
            assert_eq!(eigenvalues.iter().filter(|&&x| x > 1e-10).count(), 6);
        }
    }
}
