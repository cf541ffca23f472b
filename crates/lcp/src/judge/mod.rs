//! The judge. It shares no code with any solver: it reads a problem and an answer, and nothing else.
//!
//! | question | answered by |
//! |---|---|
//! | how far is `z` from solving a (mixed, box) LCP? | [`Judge::lcp`] → [`LcpResidual`] |
//! | how far is `r` from Coulomb's law? | [`Judge::friction`] → [`FrictionResidual`] |
//! | how far is `r` from a law of bounds in velocity space? | [`Judge::boxes`] → [`BoxResidual`] |
//! | does this prove that there is no solution? | [`check_proof`] → [`Refutation`] |
//!
//! Every comparison is written so that a NaN fails it, and answers that are not finite are `WORST`
//! before any number is looked at (`f64::max` forgets NaN).
//!
//! Theory: `docs/theory/judge.md`.

mod boxes;
mod exact;
mod friction;
mod lcp;
mod motion;
mod proof;

use exact::{Multiplier, Sum};

pub use boxes::BoxResidual;
pub use friction::FrictionResidual;
pub use lcp::LcpResidual;
pub use proof::{Mode, Proof, ProofTree, Refutation, check_proof};

/// Half an ulp of 1: what rounding to f64 costs, relatively.
const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Rounding the answer to f64 may excuse a residual up to this, never more: a large enough answer
/// could excuse anything.
pub const FLOOR_CAP: f64 = 1e-8;

/// Beyond this floor f64 does not hold an answer: the last bit of its terms is a ten-thousandth
/// of b. No vector there is certified, and a proof that leaves only such vectors speaks for all.
pub const OUT_OF_REACH: f64 = 1e-4;

/// What is asked of a residual: at most `tol`, or at most three times the rounding floor.
fn within(residual: f64, tol: f64, floor: f64) -> bool {
    let excused = residual <= 3.0 * floor && residual <= FLOOR_CAP;
    floor <= OUT_OF_REACH && (residual <= tol || excused)
}

/// Memory of the judge, for problems of up to `n` rows without allocation.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    /// `A z + b`, or the contact velocity `W r + q`, of the last answer judged.
    w: Vec<f64>,
    /// `|A| |z| + |b|`: the size of the terms of each row.
    size: Vec<f64>,
    sum: Vec<Sum>,
    /// In velocity space: `H r`, as it is added up, and as a number beside the size of its terms; of each contact the squares of its rows.
    momenta: motion::Momenta,
    x: Vec<[f64; 2]>,
    squares: Vec<[f64; 3]>,
}

impl Judge {
    pub fn new(n: usize) -> Self {
        let (w, size) = (Vec::with_capacity(n), Vec::with_capacity(n));
        Self { w, size, sum: Vec::with_capacity(n), ..Self::default() }
    }

    /// `w` (or `u`) that belongs to the last answer judged.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Fills `w = A x + b`, as if summed exactly, and `size = |A| |x| + |b|`; false if something is not finite.
    fn evaluate(&mut self, A: &crate::Matrix, x: &[f64], b: &[f64]) -> bool {
        assert_eq!(x.len(), b.len(), "the answer has the wrong length");
        self.sum.clear();
        self.sum.extend(b.iter().map(|&b_i| Sum::of(b_i)));
        self.size.clear();
        self.size.extend(b.iter().map(|b_i| b_i.abs()));
        for (j, &x_j) in x.iter().enumerate() {
            if !x_j.is_finite() {
                return false;
            }
            if x_j != 0.0 {
                let (sum, size) = (&mut self.sum, &mut self.size);
                let by_x_j = Multiplier::new(x_j);
                A.for_column(j, |i, a_ij| {
                    sum[i].add_multiple(a_ij, &by_x_j);
                    size[i] += (a_ij * x_j).abs();
                });
            }
        }
        self.w.clear();
        self.w.extend(self.sum.iter().map(|sum| sum.value()));
        self.w.iter().all(|w_i| w_i.is_finite()) && self.size.iter().all(|s_i| s_i.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csc, MatX, Matrix};

    #[test]
    fn the_bound_itself_is_within_and_nan_never_is() {
        assert!(within(1e-9, 1e-9, 0.0) && !within(1.1e-9, 1e-9, 0.0));
        // rounding excuses three times its floor, up to the cap
        assert!(within(3e-12, 1e-12, 1e-12) && !within(3.1e-12, 1e-12, 1e-12));
        assert!(within(FLOOR_CAP, 1e-12, FLOOR_CAP) && !within(1.1 * FLOOR_CAP, 1e-12, FLOOR_CAP));
        // a residual within the tolerance needs no excuse, as long as f64 holds the answer
        assert!(within(1e-13, 1e-12, OUT_OF_REACH) && !within(0.0, 1e-12, 1.1 * OUT_OF_REACH));
        for (residual, tol, floor) in
            [(f64::NAN, 1.0, 0.0), (0.0, f64::NAN, f64::NAN), (0.0, 1.0, f64::NAN)]
        {
            assert!(!within(residual, tol, floor), "{residual} {tol} {floor}");
        }
    }

    #[test]
    fn nothing_that_is_not_finite_is_evaluated() {
        let mut judge = Judge::default();
        // a column without entries hides its unknown from w
        let empty = Matrix::from(Csc::from_triplets((1, 1), &mut Vec::new()));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!judge.evaluate(&empty, &[bad], &[1.0]), "{bad}");
        }
        assert!(judge.evaluate(&empty, &[3.0], &[1.0]));
        // w = 0 in f64, but its terms have overflowed together
        let row = Matrix::from(MatX::from_row_slice(2, 2, &[1e308, -1e308, 0.0, 0.0]));
        assert!(!judge.evaluate(&row, &[1.0, 1.0], &[0.0; 2]));
        let large = Matrix::from(MatX::from_element(1, 1, 1e200));
        assert!(!judge.evaluate(&large, &[1e200], &[0.0]));
    }
}
