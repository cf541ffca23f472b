//! Blocks of 3 × 3.

use crate::cone::Triple;

/// Of two contacts: `[i][j]` is row i of the one, row j of the other.
pub(super) type Block = [[f64; 3]; 3];

/// `A x`.
#[inline(always)]
pub(super) fn times(A: &Block, x: &Triple) -> Triple {
    std::array::from_fn(|a| A[a][0] * x[0] + A[a][1] * x[1] + A[a][2] * x[2])
}

/// `A B` of a symmetric B.
#[inline(always)]
pub(super) fn product(A: &Block, B: &Block) -> Block {
    std::array::from_fn(|a| times(B, &A[a]))
}

/// `C −= A Bᵀ`.
#[inline(always)]
pub(super) fn take_product(A: &Block, B: &Block, C: &mut Block) {
    for (C, A) in C.iter_mut().zip(A) {
        let own = times(B, A);
        (0..3).for_each(|b| C[b] -= own[b]);
    }
}

/// The inverse of a symmetric block; none where a pivot is not above its least.
pub(super) fn inverse(A: &Block, least: &Triple) -> Option<Block> {
    let is_good = |i: usize, d: f64| d > 0.0 && d.is_finite() && d >= least[i];
    // A = L D Lᵀ
    let d_0 = A[0][0];
    let (l_10, l_20) = (A[1][0] / d_0, A[2][0] / d_0);
    let d_1 = A[1][1] - l_10 * A[1][0];
    let a_21 = A[2][1] - l_20 * A[1][0];
    let l_21 = a_21 / d_1;
    let d_2 = A[2][2] - l_20 * A[2][0] - l_21 * a_21;
    if !(is_good(0, d_0) && is_good(1, d_1) && is_good(2, d_2)) {
        return None;
    }
    // L⁻¹ below its diagonal
    let (m_10, m_21, m_20) = (-l_10, -l_21, l_10 * l_21 - l_20);
    let (e_0, e_1, e_2) = (1.0 / d_0, 1.0 / d_1, 1.0 / d_2);
    let (x_10, x_20, x_21) = (m_10 * e_1 + m_20 * m_21 * e_2, m_20 * e_2, m_21 * e_2);
    let x_00 = e_0 + m_10 * m_10 * e_1 + m_20 * m_20 * e_2;
    let x_11 = e_1 + m_21 * m_21 * e_2;
    Some([[x_00, x_10, x_20], [x_10, x_11, x_21], [x_20, x_21, e_2]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_a_block_is_one_and_a_small_pivot_has_none() {
        let A = [[4.0, 1.0, -0.5], [1.0, 3.0, 0.25], [-0.5, 0.25, 2.0]];
        let X = inverse(&A, &[0.0; 3]).expect("positive definite");
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            let entry: f64 = (0..3).map(|k| A[i][k] * X[k][j]).sum();
            assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-15, "{i} {j}");
        }
        assert!(inverse(&A, &[4.1, 0.0, 0.0]).is_none() && inverse(&A, &[0.0, 2.8, 0.0]).is_none());
        assert!(inverse(&[[1.0; 3]; 3], &[0.0; 3]).is_none(), "of rank one");
        assert!(inverse(&[[f64::NAN; 3]; 3], &[0.0; 3]).is_none());
    }
}
