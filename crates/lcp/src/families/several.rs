//! Problems with more than one solution, their number known.

use super::lcp;
use crate::matrix::MatX;
use crate::problem::BoxLcp;

/// `A = 1 1ᵀ`, `b = −1`: the simplex `Σ z = 1` (redundant contacts).
pub fn all_ones(n: usize) -> BoxLcp {
    lcp(MatX::from_element(n, n, 1.0), vec![-1.0; n])
}

/// `A = −I`, `b = 1`: each row chooses z = 0 or z = 1, 2ⁿ solutions.
pub fn minus_identity(n: usize) -> BoxLcp {
    lcp(-MatX::identity(n, n), vec![1.0; n])
}

/// Blocks [1 2; 2 1], `b = −1`, n even: (1, 0), (0, 1) or (1/3, 1/3) in each block, 3^(n/2)
/// solutions. Strictly copositive.
pub fn blocks(n: usize) -> BoxLcp {
    let n = n - n % 2;
    let A = MatX::from_fn(n, n, |i, j| {
        if i == j {
            1.0
        } else if i / 2 == j / 2 {
            2.0
        } else {
            0.0
        }
    });
    lcp(A, vec![-1.0; n])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;

    #[test]
    fn some_of_the_solutions() {
        let mut judge = Judge::default();
        for z in [[0.25; 4], [1., 0., 0., 0.], [0., 0.5, 0.5, 0.]] {
            assert_eq!(judge.lcp(&all_ones(4), &z).natural, 0.0);
        }
        assert_eq!(judge.lcp(&minus_identity(3), &[1., 0., 1.]).natural, 0.0);
        let third = 1.0 / 3.0;
        assert!(judge.lcp(&blocks(4), &[1., 0., third, third]).accepts(1e-15));
        assert_eq!(blocks(5).n(), 4);
    }
}
