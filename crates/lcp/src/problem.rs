//! Linear complementarity problems: data, checked once.
//!
//! One type holds the three classes of the field, each contained in the next:
//!
//! ```text
//!  LCP    w = A z + b,   0 ≤ z ⊥ w ≥ 0
//!  mixed  the same, but on some rows z is free and w = 0
//!  box    lower ≤ z ≤ upper;  w ≥ 0 where z = lower,  w ≤ 0 where z = upper,  w = 0 between
//! ```
//!
//! An LCP row is the box [0, ∞), a free row the box (−∞, ∞).

use crate::matrix::Matrix;

/// `w = A z + b` with `lower ≤ z ≤ upper`. Finite data and `lower ≤ upper`, by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxLcp {
    A: Matrix,
    b: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// Why data is not a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemError {
    NotSquare {
        rows: usize,
        columns: usize,
    },
    WrongLength {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    MatrixEntry {
        what: &'static str,
        row: usize,
        column: usize,
    },
    VectorEntry {
        what: &'static str,
        index: usize,
        value: f64,
    },
    FreeRowOutOfRange {
        index: usize,
        rows: usize,
    },
    BoundsCross {
        index: usize,
        lower: f64,
        upper: f64,
    },
    NegativeFriction {
        contact: usize,
        mu: f64,
    },
    Dimension {
        found: usize,
    },
    SingularMass,
    /// No digit of `M⁻¹` is certain.
    NearlySingularMass,
    /// `Hᵀ M⁻¹ H` or `Hᵀ M⁻¹ q` overflows.
    MassTooSmall,
}

impl std::fmt::Display for ProblemError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotSquare { rows, columns } => {
                write!(f, "the matrix must be square, is {rows} × {columns}")
            }
            Self::WrongLength { what, expected, found } => {
                write!(f, "{what} must have {expected} entries, has {found}")
            }
            Self::MatrixEntry { what, row, column } => {
                write!(f, "{what}: entry ({row}, {column}) is not a finite number")
            }
            Self::VectorEntry { what, index, value } => {
                write!(f, "{what}: entry {index} is {value}")
            }
            Self::FreeRowOutOfRange { index, rows } => {
                write!(f, "free row {index} does not exist, the problem has {rows} rows")
            }
            Self::BoundsCross { index, lower, upper } => {
                write!(f, "row {index}: lower bound {lower} is above upper bound {upper}")
            }
            Self::NegativeFriction { contact, mu } => {
                write!(f, "contact {contact}: friction coefficient must be ≥ 0 and finite, is {mu}")
            }
            Self::Dimension { found } => {
                write!(f, "contacts have 2 or 3 dimensions, not {found}")
            }
            Self::SingularMass => write!(f, "the mass matrix is singular"),
            Self::NearlySingularMass => {
                write!(
                    f,
                    "the mass matrix is singular but for rounding: no digit of its inverse is certain"
                )
            }
            Self::MassTooSmall => {
                write!(
                    f,
                    "the mass matrix is so small that an entry of Hᵀ M⁻¹ H or Hᵀ M⁻¹ q is not finite"
                )
            }
        }
    }
}

impl std::error::Error for ProblemError {}

pub(crate) fn check_matrix(what: &'static str, A: &Matrix) -> Result<(), ProblemError> {
    match A.first_not_finite() {
        Some((row, column)) => Err(ProblemError::MatrixEntry { what, row, column }),
        None => Ok(()),
    }
}

pub(crate) fn check_vector(
    what: &'static str,
    x: &[f64],
    expected: usize,
) -> Result<(), ProblemError> {
    if x.len() != expected {
        return Err(ProblemError::WrongLength { what, expected, found: x.len() });
    }
    match x.iter().position(|x_i| !x_i.is_finite()) {
        Some(index) => Err(ProblemError::VectorEntry { what, index, value: x[index] }),
        None => Ok(()),
    }
}

impl BoxLcp {
    /// `lower ≤ z ≤ upper`; bounds may be infinite, not NaN.
    pub fn new(
        A: impl Into<Matrix>,
        b: Vec<f64>,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        let A = A.into();
        let n = A.nrows();
        if n != A.ncols() {
            return Err(ProblemError::NotSquare { rows: n, columns: A.ncols() });
        }
        check_matrix("A", &A)?;
        check_vector("b", &b, n)?;
        for (what, bound) in [("lower", &lower), ("upper", &upper)] {
            if bound.len() != n {
                return Err(ProblemError::WrongLength { what, expected: n, found: bound.len() });
            }
            if let Some(index) = bound.iter().position(|x| x.is_nan()) {
                return Err(ProblemError::VectorEntry { what, index, value: f64::NAN });
            }
        }
        for index in 0..n {
            let (l, u) = (lower[index], upper[index]);
            if l > u || l == f64::INFINITY || u == f64::NEG_INFINITY {
                return Err(ProblemError::BoundsCross { index, lower: l, upper: u });
            }
        }
        Ok(Self { A, b, lower, upper })
    }

    /// `0 ≤ z ⊥ A z + b ≥ 0`.
    pub fn lcp(A: impl Into<Matrix>, b: Vec<f64>) -> Result<Self, ProblemError> {
        let n = b.len();
        Self::new(A, b, vec![0.0; n], vec![f64::INFINITY; n])
    }

    /// An LCP in which the rows of `free` are equations `w = 0` and their z has either sign.
    pub fn mixed(A: impl Into<Matrix>, b: Vec<f64>, free: &[usize]) -> Result<Self, ProblemError> {
        let n = b.len();
        let mut lower = vec![0.0; n];
        for &index in free {
            *lower.get_mut(index).ok_or(ProblemError::FreeRowOutOfRange { index, rows: n })? =
                f64::NEG_INFINITY;
        }
        Self::new(A, b, lower, vec![f64::INFINITY; n])
    }

    /// Rows.
    pub fn n(&self) -> usize {
        self.b.len()
    }

    pub fn A(&self) -> &Matrix {
        &self.A
    }

    pub fn b(&self) -> &[f64] {
        &self.b
    }

    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Row i is an equation: its z is unbounded.
    pub fn is_free(&self, i: usize) -> bool {
        self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY
    }

    /// Row i is `0 ≤ z ⊥ w ≥ 0`.
    pub fn is_complementary(&self, i: usize) -> bool {
        self.lower[i] == 0.0 && self.upper[i] == f64::INFINITY
    }

    /// Every row is `0 ≤ z ⊥ w ≥ 0`.
    pub fn is_lcp(&self) -> bool {
        (0..self.n()).all(|i| self.is_complementary(i))
    }

    /// Every row is complementary or free.
    pub fn is_mixed(&self) -> bool {
        (0..self.n()).all(|i| self.is_complementary(i) || self.is_free(i))
    }

    /// The value of row i nearest to `z_i` within its bounds.
    pub fn clamp(&self, i: usize, z_i: f64) -> f64 {
        z_i.max(self.lower[i]).min(self.upper[i])
    }

    /// The principal subproblem of these rows, in this order, the others' z being zero.
    pub fn select(&self, rows: &[usize]) -> Self {
        self.part(rows, self.A.select(rows, rows))
    }

    /// The subproblem of an island; see [`crate::islands`].
    pub(crate) fn island(&self, rows: &[usize], place: &[usize]) -> Self {
        self.part(rows, self.A.island(rows, place))
    }

    /// The same bounds with other numbers, which are finite.
    pub(crate) fn with(&self, A: Matrix, b: Vec<f64>) -> Self {
        Self { A, b, lower: self.lower.clone(), upper: self.upper.clone() }
    }

    fn part(&self, rows: &[usize], A: Matrix) -> Self {
        let pick = |x: &[f64]| rows.iter().map(|&i| x[i]).collect();
        Self { A, b: pick(&self.b), lower: pick(&self.lower), upper: pick(&self.upper) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    #[test]
    fn bad_data_is_named() {
        let square = MatX::identity(2, 2);
        let wide = MatX::zeros(2, 3);
        assert_eq!(
            BoxLcp::lcp(wide, vec![0.0; 2]),
            Err(ProblemError::NotSquare { rows: 2, columns: 3 })
        );
        assert_eq!(
            BoxLcp::lcp(square.clone(), vec![0.0; 3]),
            Err(ProblemError::WrongLength { what: "b", expected: 2, found: 3 })
        );
        let mut nan = square.clone();
        nan[(1, 0)] = f64::NAN;
        assert_eq!(
            BoxLcp::lcp(nan, vec![0.0; 2]),
            Err(ProblemError::MatrixEntry { what: "A", row: 1, column: 0 })
        );
        assert_eq!(
            BoxLcp::new(square.clone(), vec![0.0; 2], vec![0.0, 2.0], vec![1.0, 1.0]),
            Err(ProblemError::BoundsCross { index: 1, lower: 2.0, upper: 1.0 })
        );
        assert_eq!(
            BoxLcp::mixed(square, vec![0.0; 2], &[7]),
            Err(ProblemError::FreeRowOutOfRange { index: 7, rows: 2 })
        );
    }

    #[test]
    fn classes_are_recognised() {
        let A = MatX::identity(2, 2);
        let lcp = BoxLcp::lcp(A.clone(), vec![0.0; 2]).unwrap();
        let mixed = BoxLcp::mixed(A.clone(), vec![0.0; 2], &[1]).unwrap();
        let boxed = BoxLcp::new(A, vec![0.0; 2], vec![0.0; 2], vec![1.0; 2]).unwrap();
        assert!(lcp.is_lcp() && lcp.is_mixed());
        assert!(!mixed.is_lcp() && mixed.is_mixed() && mixed.is_free(1));
        assert!(!boxed.is_lcp() && !boxed.is_mixed());
    }
}
