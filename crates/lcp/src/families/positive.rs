//! P-matrices: every right-hand side has exactly one solution.

use super::{Planted, Rng, permute, plant, random_matrix, strictly_complementary};
use crate::matrix::MatX;

/// `A ← H A H` with a random reflection `H = I − 2 u uᵀ/uᵀu`: keeps symmetry and eigenvalues.
fn reflect(A: &mut MatX, rng: &mut Rng) {
    let n = A.nrows();
    let u: Vec<f64> = (0..n).map(|_| rng.between(-1.0, 1.0)).collect();
    let scale = 2.0 / u.iter().map(|x| x * x).sum::<f64>().max(f64::MIN_POSITIVE);
    for j in 0..n {
        let s = scale * (0..n).map(|i| u[i] * A[(i, j)]).sum::<f64>();
        (0..n).for_each(|i| A[(i, j)] -= s * u[i]);
    }
    for i in 0..n {
        let s = scale * (0..n).map(|j| u[j] * A[(i, j)]).sum::<f64>();
        (0..n).for_each(|j| A[(i, j)] -= s * u[j]);
    }
}

/// Symmetric, eigenvalues log-uniform in [1, cond].
pub(super) fn definite_matrix(n: usize, cond: f64, rng: &mut Rng) -> MatX {
    let mut A = MatX::zeros(n, n);
    for i in 0..n {
        A[(i, i)] = if i == 0 { 1.0 } else { rng.log_between_one_and(cond) };
    }
    for _ in 0..n.min(20) {
        reflect(&mut A, rng);
    }
    MatX::from_fn(n, n, |i, j| A[(i.min(j), i.max(j))])
}

/// Symmetric positive definite with condition number about `cond`.
pub fn definite(n: usize, cond: f64, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let A = definite_matrix(n, cond, &mut rng);
    let (z, w) = strictly_complementary(n, &mut rng);
    plant(A, z, &w)
}

/// Positive definite, its skew part as large as its symmetric part.
pub fn nonsymmetric(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let mut A = definite_matrix(n, 10.0, &mut rng);
    for i in 0..n {
        for j in 0..i {
            let s = rng.between(-5.0, 5.0);
            A[(i, j)] += s;
            A[(j, i)] -= s;
        }
    }
    let (z, w) = strictly_complementary(n, &mut rng);
    plant(A, z, &w)
}

/// A K-matrix: nothing positive off the diagonal, rows diagonally dominant.
pub fn k_matrix(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let mut A = MatX::from_fn(n, n, |_, _| if rng.chance(0.5) { -rng.unit() } else { 0.0 });
    for i in 0..n {
        A[(i, i)] = 0.0;
        A[(i, i)] = rng.between(0.01, 0.5) - A.row(i).sum();
    }
    let (z, w) = strictly_complementary(n, &mut rng);
    plant(A, z, &w)
}

/// A P-matrix whose symmetric part has eigenvalues of both signs: block triangular with blocks
/// `[a c; −d e]`, rows and columns in random order.
pub fn far_from_definite(n: usize, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let mut A = random_matrix(n, n, &mut rng) * 3.0;
    for i in 0..n {
        A[(i, i)] = rng.between(0.5, 1.5);
        for j in 0..i {
            // the second row of a block has the sign that makes its determinant positive
            A[(i, j)] = if i % 2 == 1 && j == i - 1 { -A[(j, i)] * rng.unit() } else { 0.0 };
        }
    }
    let A = permute(&A, &rng.order(n));
    let (z, w) = strictly_complementary(n, &mut rng);
    plant(A, z, &w)
}

/// `D A D` with A symmetric positive definite and D log-uniform over `range`, its mean about 1.
pub fn badly_scaled(n: usize, range: f64, seed: u64) -> Planted {
    let mut rng = Rng::new(seed);
    let mut A = definite_matrix(n, 100.0, &mut rng);
    let D: Vec<f64> = (0..n).map(|_| rng.log_between_one_and(range) / range.sqrt()).collect();
    for i in 0..n {
        for j in 0..n {
            A[(i, j)] = (A[(i.min(j), i.max(j))] * D[i.min(j)]) * D[i.max(j)];
        }
    }
    let A = MatX::from_fn(n, n, |i, j| A[(i.min(j), i.max(j))]);
    let (mut z, mut w) = strictly_complementary(n, &mut rng);
    for i in 0..n {
        z[i] /= D[i];
        w[i] *= D[i];
    }
    plant(A, z, &w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    /// Determinant of each principal minor of a small matrix, smallest first.
    fn least_minor(A: &Matrix) -> f64 {
        let n = A.nrows();
        let minors = (1..1usize << n).map(|mask| {
            let rows: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
            MatX::from_fn(rows.len(), rows.len(), |i, j| A.get(rows[i], rows[j])).determinant()
        });
        minors.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn every_principal_minor_is_positive() {
        for seed in 0..5 {
            for planted in [
                definite(6, 1e4, seed),
                nonsymmetric(6, seed),
                k_matrix(6, seed),
                far_from_definite(7, seed),
            ] {
                assert!(least_minor(planted.problem.A()) > 0.0, "seed {seed}");
            }
        }
    }

    #[test]
    fn symmetric_where_promised_and_indefinite_where_promised() {
        assert!(definite(9, 1e4, 1).problem.A().is_symmetric(0.0));
        assert!(badly_scaled(9, 1e8, 1).problem.A().is_symmetric(0.0));
        let A = far_from_definite(10, 1).problem;
        let S = MatX::from_fn(10, 10, |i, j| A.A().get(i, j) + A.A().get(j, i));
        assert!(S.symmetric_eigenvalues().min() < -1.0);
    }

    #[test]
    fn the_condition_number_is_about_what_was_asked_for() {
        let problem = definite(40, 1e4, 2).problem;
        let A = MatX::from_fn(40, 40, |i, j| problem.A().get(i, j));
        let eigenvalues = A.symmetric_eigenvalues();
        let cond = eigenvalues.max() / eigenvalues.min();
        assert!(cond > 1e3 && cond < 1.1e4, "{cond}");
    }
}
