//! Problems without a solution.

use super::degenerate::linear_program;
use super::{Rng, lcp, permute, random_matrix};
use crate::linalg::gram;
use crate::matrix::MatX;
use crate::problem::BoxLcp;

/// Two opposed walls closing on one body: `A = [1 −1; −1 1]/m`, `b = −(v1, v2)`.
pub fn wedge(seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let a = rng.between(0.1, 10.0);
    let b = vec![-rng.between(0.1, 1.0), -rng.between(0.1, 1.0)];
    lcp(MatX::from_row_slice(2, 2, &[a, -a, -a, a]), b)
}

/// `min cᵀx, C x ≥ d, x ≥ 0`, feasible with an unbounded direction, as an LCP of n ≥ 2 rows: its
/// dual, and so the LCP, is infeasible.
pub fn unbounded_program(n: usize, seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let m = (n / 2).max(1);
    let unknowns = n.max(2) - m;
    // C ≥ 0 in every entry, so that x may grow along all axes, and some cost is negative
    let C = MatX::from_fn(m, unknowns, |_, _| rng.unit());
    let mut c: Vec<f64> = (0..unknowns).map(|_| rng.between(-1.0, 1.0)).collect();
    c[rng.index(unknowns)] = -rng.between(0.1, 1.0);
    let d: Vec<f64> = (0..m).map(|_| rng.between(-1.0, 1.0)).collect();
    linear_program(&C, &c, &d)
}

/// Symmetric positive semidefinite with `A y = 0`, `bᵀy < 0` for y = (1, …, 1): infeasible. The
/// entries are small whole numbers, so that `A y` vanishes exactly.
pub fn semidefinite(n: usize, seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let mut B = MatX::from_fn(n, n.div_ceil(2), |_, _| rng.index(9) as f64 - 4.0);
    for j in 0..B.ncols() {
        B[(n - 1, j)] -= B.column(j).sum();
    }
    let A = gram(&B);
    let mut b: Vec<f64> = (0..n).map(|_| rng.between(-1.0, 1.0)).collect();
    let excess = b.iter().sum::<f64>().max(0.0);
    b[rng.index(n)] -= excess + rng.between(0.1, 1.0);
    lcp(A, b)
}

/// Feasible, but unsolvable: `w1 = z2 − 1` forces z2 > 0 and `w2 = z1 + 1` forbids it.
pub fn feasible(seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let mut some = || rng.between(0.1, 10.0);
    lcp(MatX::from_row_slice(2, 2, &[0.0, some(), some(), 0.0]), vec![-some(), some()])
}

/// [`feasible`] hidden in a problem of n ≥ 2 rows: the other rows see its unknowns, it sees none
/// of theirs. Rows in random order.
pub fn feasible_hidden(n: usize, seed: u64) -> BoxLcp {
    let mut rng = Rng::new(seed);
    let n = n.max(2);
    let bad = feasible(rng.next_u64());
    let mut A = random_matrix(n, n, &mut rng);
    for i in 0..n {
        for j in 0..n {
            if i < 2 {
                A[(i, j)] = if j < 2 { bad.A().get(i, j) } else { 0.0 };
            } else if i == j {
                A[(i, j)] = n as f64; // the other rows alone always have a solution
            }
        }
    }
    let b: Vec<f64> =
        (0..n).map(|i| if i < 2 { bad.b()[i] } else { rng.between(-1.0, 1.0) }).collect();
    let order = rng.order(n);
    lcp(permute(&A, &order), order.iter().map(|&i| b[i]).collect())
}

/// Painlevé's scalar `0 ≤ z ⊥ a z + c ≥ 0` with a < 0: c < 0 has no solution, c > 0 has two.
pub fn painleve(a: f64, c: f64) -> BoxLcp {
    lcp(MatX::from_element(1, 1, a), vec![c])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Proof, check_proof};

    #[test]
    fn the_contradictions_are_checked_by_the_judge() {
        for seed in 0..20 {
            let wedge = wedge(seed);
            assert!(check_proof(&wedge, &Proof::Farkas(vec![1.0; 2])).is_some(), "seed {seed}");
            let n = 2 + seed as usize % 9;
            let refuted = check_proof(&semidefinite(n, seed), &Proof::Farkas(vec![1.0; n]));
            assert_eq!(refuted.map(|r| r.radius), Some(f64::INFINITY), "seed {seed}");
            let problem = unbounded_program(n, seed);
            let worst = (0..n - n / 2).min_by(|&i, &j| problem.b()[i].total_cmp(&problem.b()[j]));
            let y = (0..n).map(|i| f64::from(Some(i) == worst)).collect();
            assert!(check_proof(&problem, &Proof::Farkas(y)).is_some(), "seed {seed}");
        }
        let ray = painleve(-1.0, -2.0);
        assert!(check_proof(&ray, &Proof::Farkas(vec![1.0])).is_some());
    }
}
