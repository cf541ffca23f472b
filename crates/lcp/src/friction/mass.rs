//! The mass matrix, factored body by body: each of its islands (a body, a mechanism) alone.

use crate::islands::islands;
use crate::linalg::{DenseLu, SparseLu, minimum_degree};
use crate::matrix::{Csc, Matrix};
use crate::problem::ProblemError;

/// Islands of up to this many velocities are factored densely.
const DENSE_ROWS: usize = 48;
/// Steps of the inverse iteration that asks how near to singular an island is.
const STEPS: usize = 3;

pub(super) struct MassFactors {
    islands: Vec<Island>,
    /// Of each velocity: its island, and its place there.
    place: Vec<(usize, usize)>,
}

struct Island {
    /// Velocities, ascending.
    rows: Vec<usize>,
    /// Powers of two that make the diagonal of `D M D` about 1, whatever the units.
    d: Vec<f64>,
    /// Of `D M D`.
    lu: Factor,
}

enum Factor {
    Dense(DenseLu),
    Sparse(Box<SparseLu>),
}

impl Factor {
    fn solve(&mut self, x: &mut [f64]) {
        match self {
            Self::Dense(lu) => lu.solve(x),
            Self::Sparse(lu) => lu.solve(x),
        }
    }

    fn is_singular(&self) -> bool {
        match self {
            Self::Dense(lu) => !lu.dependent().is_empty(),
            Self::Sparse(lu) => !lu.dependent().is_empty(),
        }
    }
}

impl MassFactors {
    pub(super) fn of(M: &Matrix) -> Result<Self, ProblemError> {
        let mut place = vec![(0, 0); M.nrows()];
        let mut found = Vec::new();
        for (k, rows) in islands(M, 1).into_iter().enumerate() {
            for (local, &i) in rows.iter().enumerate() {
                place[i] = (k, local);
            }
            let mut entries = Vec::new();
            for (local_j, &j) in rows.iter().enumerate() {
                M.for_column(j, |i, m_ij| {
                    if m_ij != 0.0 {
                        entries.push((place[i].1, local_j, m_ij));
                    }
                });
            }
            found.push(Island::factored(rows, &mut entries)?);
        }
        Ok(Self { islands: found, place })
    }

    /// `x ← M⁻¹ x`.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let mut part = Vec::new();
        for island in &mut self.islands {
            part.clear();
            part.extend(island.rows.iter().map(|&i| x[i]));
            island.solve(&mut part);
            for (&i, &x_i) in island.rows.iter().zip(&part) {
                x[i] = x_i;
            }
        }
    }

    /// Calls `f(i, x_i)` for every entry of `x = M⁻¹ (column j of H)` on the islands that the column
    /// meets.
    pub(super) fn solve_column(&mut self, H: &Matrix, j: usize, mut f: impl FnMut(usize, f64)) {
        let mut entries: Vec<((usize, usize), f64)> = Vec::new();
        H.for_column(j, |i, h_ij| {
            if h_ij != 0.0 {
                entries.push((self.place[i], h_ij));
            }
        });
        entries.sort_unstable_by_key(|&(place, _)| place);
        let mut part = Vec::new();
        for of_one in entries.chunk_by(|a, b| a.0.0 == b.0.0) {
            let island = &mut self.islands[of_one[0].0.0];
            part.clear();
            part.resize(island.rows.len(), 0.0);
            for &((_, local), h_ij) in of_one {
                part[local] = h_ij;
            }
            island.solve(&mut part);
            for (&i, &x_i) in island.rows.iter().zip(&part) {
                f(i, x_i);
            }
        }
    }
}

impl Island {
    fn factored(
        rows: Vec<usize>,
        entries: &mut [(usize, usize, f64)],
    ) -> Result<Self, ProblemError> {
        let n = rows.len();
        let d = scales(n, entries);
        for (i, j, m_ij) in entries.iter_mut() {
            *m_ij = *m_ij * d[*i] * d[*j]; // the product of the two may overflow
        }
        let lu = if n <= DENSE_ROWS {
            let mut lu = DenseLu::default();
            lu.reset(n);
            for &mut (i, j, m_ij) in entries.iter_mut() {
                lu.set(i, j, m_ij);
            }
            lu.factor(f64::EPSILON);
            Factor::Dense(lu)
        } else {
            let M = Matrix::from(Csc::from_triplets((n, n), entries));
            let mut lu = Box::<SparseLu>::default();
            lu.factor(minimum_degree(&M).into_iter(), f64::EPSILON, |j, column| {
                M.for_column(j, |i, m_ij| column.push((i as u32, m_ij)));
            });
            Factor::Sparse(lu)
        };
        let mut island = Self { rows, d, lu };
        if island.lu.is_singular() {
            return Err(ProblemError::SingularMass);
        }
        let mut row_sum = vec![0.0; n];
        for &mut (i, _, m_ij) in entries {
            row_sum[i] += m_ij.abs();
        }
        // the condition of D M D: by how much a solve may enlarge rounding
        if n > 1 && largest(&row_sum) * island.inverse_size() * f64::EPSILON >= 1.0 {
            return Err(ProblemError::NearlySingularMass);
        }
        Ok(island)
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.scale(x);
        self.lu.solve(x);
        self.scale(x);
    }

    fn scale(&self, x: &mut [f64]) {
        for (x_i, d_i) in x.iter_mut().zip(&self.d) {
            *x_i *= d_i;
        }
    }

    /// About `‖(D M D)⁻¹‖`, by inverse iteration; infinite if it overflows.
    fn inverse_size(&mut self) -> f64 {
        // a start of no special direction: multiples of the golden ratio
        let start = |k: usize| (k as f64 * 0.618_033_988_749_895).fract() - 0.4;
        let mut x: Vec<f64> = (1..=self.rows.len()).map(start).collect();
        let mut size = largest(&x);
        for _ in 0..STEPS {
            x.iter_mut().for_each(|x_i| *x_i /= size);
            self.lu.solve(&mut x);
            if !x.iter().all(|x_i| x_i.is_finite()) {
                return f64::INFINITY;
            }
            size = largest(&x);
        }
        size
    }
}

/// Powers of two next to `1/√M_ii`; of the largest entry in the row where the diagonal is zero.
fn scales(n: usize, entries: &[(usize, usize, f64)]) -> Vec<f64> {
    let (mut diagonal, mut row) = (vec![0.0_f64; n], vec![0.0_f64; n]);
    for &(i, j, m_ij) in entries {
        row[i] = row[i].max(m_ij.abs());
        if i == j {
            diagonal[i] = m_ij.abs();
        }
    }
    let power = |m: f64| if m > 0.0 { 2f64.powi((-m.log2() / 2.0).round() as i32) } else { 1.0 };
    diagonal.iter().zip(&row).map(|(&m, &r)| power(if m > 0.0 { m } else { r })).collect()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x_i| m.max(x_i.abs()))
}
