//! Products of dense matrices with the same bits on every machine.
//!
//! From six rows on nalgebra's `*` asks the processor what it can and multiplies and adds in one rounding where it may. Here every product is
//! rounded, and every sum, from the first term to the last.

use crate::matrix::MatX;

/// `A B`.
///
/// # Panics
///
/// If A has not as many columns as B has rows.
#[must_use]
pub fn product(A: &MatX, B: &MatX) -> MatX {
    assert_eq!(A.ncols(), B.nrows(), "columns of A and rows of B");
    let mut C = MatX::zeros(A.nrows(), B.ncols());
    for j in 0..B.ncols() {
        for k in 0..A.ncols() {
            let b = B[(k, j)];
            let mut column = C.column_mut(j);
            column.iter_mut().zip(A.column(k).iter()).for_each(|(c, a)| *c += a * b);
        }
    }
    C
}

/// `A Aᵀ`.
#[must_use]
pub fn gram(A: &MatX) -> MatX {
    product(A, &A.transpose())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what must not be used is compared with")]
    fn entries_are_plain_sums_of_rounded_products_at_sizes_where_a_fused_one_differs() {
        let mut random = Random::new(3);
        let (A, B) = (random.matrix(9, 40), random.matrix(40, 8));
        let C = product(&A, &B);
        let mut fused = 0;
        for i in 0..9 {
            for j in 0..8 {
                let terms = (0..40).map(|k| (A[(i, k)], B[(k, j)]));
                let plain = terms.clone().fold(0.0, |sum, (a, b)| sum + a * b);
                assert_eq!(C[(i, j)].to_bits(), plain.to_bits());
                fused +=
                    usize::from(terms.fold(0.0, |sum, (a, b)| f64::mul_add(a, b, sum)) != plain);
            }
        }
        assert!(fused > 0, "one rounding or two is the same here: the test shows nothing");
    }

    #[test]
    fn a_gram_matrix_is_symmetric_to_the_bit() {
        let G = gram(&Random::new(5).matrix(12, 7));
        assert_eq!(G, G.transpose());
    }
}
