//! placeholder, replaced in the next change
use super::DenseLu;
use crate::Matrix;

#[derive(Default)]
pub struct SparseLu(DenseLu);

#[derive(Debug)]
pub struct Singular;

impl SparseLu {
    pub fn factor(&mut self, A: &Matrix) -> Result<(), Singular> {
        self.0.reset(A.nrows());
        for j in 0..A.ncols() {
            A.for_column(j, |i, a| self.0.set(i, j, a));
        }
        self.0.factor(1e-14);
        if self.0.dependent().is_empty() { Ok(()) } else { Err(Singular) }
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        self.0.solve(x);
    }
}
