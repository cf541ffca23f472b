//! Problems on which pivoting methods take 2ⁿ − 1 steps: Murty's triangular family and Fathi's
//! symmetric positive definite one. Each is a P-matrix problem with an obvious solution.

use super::lcp;
use crate::linalg::gram;
use crate::matrix::MatX;
use crate::problem::BoxLcp;

/// The right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `b = −1`.
    Ones,
    /// `b_i = −(2ⁿ + 2ⁿ⁻¹ + … + 2ⁿ⁻ⁱ)`, i from 0.
    Graded,
}

fn start(n: usize, start: Start) -> Vec<f64> {
    match start {
        Start::Ones => vec![-1.0; n],
        Start::Graded => {
            let mut sum = 0.0;
            (0..n)
                .map(|i| {
                    sum -= 2f64.powi((n - i) as i32);
                    sum
                })
                .collect()
        }
    }
}

fn lower(n: usize) -> MatX {
    MatX::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => 2.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Less => 0.0,
    })
}

/// 1 on the diagonal, 2 below it.
pub fn murty_lower(n: usize, b: Start) -> BoxLcp {
    lcp(lower(n), start(n, b))
}

/// 1 on the diagonal, 2 above it.
pub fn murty_upper(n: usize, b: Start) -> BoxLcp {
    lcp(lower(n).transpose(), start(n, b))
}

/// `L Lᵀ` with L of [`murty_lower`]: symmetric positive definite.
pub fn fathi(n: usize, b: Start) -> BoxLcp {
    lcp(gram(&lower(n)), start(n, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;

    #[test]
    fn the_obvious_solution_solves() {
        // b = −1: the first unknown of the lower form alone, the last of the upper, the first of LLᵀ
        let first: Vec<f64> = (0..10).map(|i| f64::from(i == 0)).collect();
        let last: Vec<f64> = first.iter().rev().copied().collect();
        let mut judge = Judge::default();
        assert_eq!(judge.lcp(&murty_lower(10, Start::Ones), &first).natural, 0.0);
        assert_eq!(judge.lcp(&murty_upper(10, Start::Ones), &last).natural, 0.0);
        assert_eq!(judge.lcp(&fathi(10, Start::Ones), &first).natural, 0.0);
        let graded = murty_lower(6, Start::Graded);
        assert_eq!(graded.b(), [-64., -96., -112., -120., -124., -126.]);
        assert_eq!(judge.lcp(&graded, &[64., 0., 0., 0., 0., 0.]).natural, 0.0);
    }
}
