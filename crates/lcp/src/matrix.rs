//! Matrices as a problem states them: dense (column by column) or sparse (compressed columns).

use nalgebra::DMatrix;

pub type MatX = DMatrix<f64>;

/// Compressed sparse columns: column j holds `row[p]`, `value[p]` for `p` in `start[j]..start[j+1]`,
/// rows ascending, no row twice.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Csc {
    nrows: usize,
    start: Vec<usize>,
    row: Vec<usize>,
    value: Vec<f64>,
}

/// Why three arrays are not a matrix in compressed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CscError {
    /// `start` must have one entry more than there are columns, begin at 0, never fall, and end at
    /// the number of stored entries.
    BadColumnStarts { column: usize },
    /// The entry at this position names a row that the matrix does not have.
    RowOutOfRange { position: usize, row: usize },
    /// `row` and `value` differ in length.
    LengthsDiffer { rows: usize, values: usize },
}

impl std::fmt::Display for CscError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadColumnStarts { column } => {
                write!(
                    f,
                    "column starts must rise from 0 to the number of entries (column {column})"
                )
            }
            Self::RowOutOfRange { position, row } => {
                write!(f, "entry {position} names row {row}, which the matrix does not have")
            }
            Self::LengthsDiffer { rows, values } => {
                write!(f, "{rows} row numbers for {values} values")
            }
        }
    }
}

impl std::error::Error for CscError {}

impl Csc {
    /// Checks the arrays, sorts the rows of each column and adds up repeated entries.
    pub fn new(
        (nrows, ncols): (usize, usize),
        start: &[usize],
        row: &[usize],
        value: &[f64],
    ) -> Result<Self, CscError> {
        if row.len() != value.len() {
            return Err(CscError::LengthsDiffer { rows: row.len(), values: value.len() });
        }
        if start.len() != ncols + 1 || start[0] != 0 || start[ncols] != row.len() {
            return Err(CscError::BadColumnStarts { column: ncols });
        }
        if let Some(column) = (0..ncols).find(|&j| start[j] > start[j + 1]) {
            return Err(CscError::BadColumnStarts { column });
        }
        if let Some(position) = row.iter().position(|&i| i >= nrows) {
            return Err(CscError::RowOutOfRange { position, row: row[position] });
        }
        let mut triplets = Vec::with_capacity(row.len());
        for j in 0..ncols {
            triplets.extend((start[j]..start[j + 1]).map(|p| (row[p], j, value[p])));
        }
        Ok(Self::from_triplets((nrows, ncols), &mut triplets))
    }

    /// From (row, column, value) in any order; repeated entries are added up.
    ///
    /// # Panics
    ///
    /// If a row or column is out of range.
    pub fn from_triplets(
        (nrows, ncols): (usize, usize),
        triplets: &mut [(usize, usize, f64)],
    ) -> Self {
        triplets.sort_by_key(|&(i, j, _)| (j, i));
        let mut csc = Self { nrows, start: vec![0; ncols + 1], row: Vec::new(), value: Vec::new() };
        let mut last = None;
        for &(i, j, a) in triplets.iter() {
            assert!(i < nrows && j < ncols, "entry ({i}, {j}) outside {nrows} × {ncols}");
            if last == Some((i, j)) {
                *csc.value.last_mut().expect("an entry was pushed before") += a;
            } else {
                csc.row.push(i);
                csc.value.push(a);
                csc.start[j + 1] += 1;
                last = Some((i, j));
            }
        }
        for j in 0..ncols {
            csc.start[j + 1] += csc.start[j];
        }
        csc
    }

    pub fn nrows(&self) -> usize {
        self.nrows
    }

    pub fn ncols(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Rows and values of column j.
    pub fn column(&self, j: usize) -> (&[usize], &[f64]) {
        let range = self.start[j]..self.start[j + 1];
        (&self.row[range.clone()], &self.value[range])
    }

    pub fn transpose(&self) -> Self {
        let mut start = vec![0; self.nrows + 1];
        for &i in &self.row {
            start[i + 1] += 1;
        }
        for i in 0..self.nrows {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let (mut row, mut value) = (vec![0; self.row.len()], vec![0.0; self.row.len()]);
        for j in 0..self.ncols() {
            let (rows, values) = self.column(j);
            for (&i, &a_ij) in rows.iter().zip(values) {
                row[next[i]] = j;
                value[next[i]] = a_ij;
                next[i] += 1;
            }
        }
        Self { nrows: self.ncols(), start, row, value }
    }

    /// The submatrix with these rows and columns, in the order given.
    fn select(&self, rows: &[usize], columns: &[usize]) -> Self {
        let mut place = vec![usize::MAX; self.nrows];
        for (new, &old) in rows.iter().enumerate() {
            place[old] = new;
        }
        let is_ascending = rows.is_sorted();
        let mut part = Self { nrows: rows.len(), start: vec![0], ..Self::default() };
        let mut entries = Vec::new();
        for &j in columns {
            let (old_rows, values) = self.column(j);
            entries.clear();
            entries.extend(
                old_rows
                    .iter()
                    .zip(values)
                    .map(|(&i, &a_ij)| (place[i], a_ij))
                    .filter(|&(i, _)| i != usize::MAX),
            );
            if !is_ascending {
                entries.sort_unstable_by_key(|&(i, _)| i);
            }
            part.row.extend(entries.iter().map(|&(i, _)| i));
            part.value.extend(entries.iter().map(|&(_, a_ij)| a_ij));
            part.start.push(part.row.len());
        }
        part
    }
}

/// A matrix, dense or sparse. Solvers read it column by column.
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    Dense(MatX),
    Sparse(Csc),
}

impl From<MatX> for Matrix {
    fn from(dense: MatX) -> Self {
        Self::Dense(dense)
    }
}

impl From<Csc> for Matrix {
    fn from(sparse: Csc) -> Self {
        Self::Sparse(sparse)
    }
}

impl Matrix {
    pub fn nrows(&self) -> usize {
        match self {
            Self::Dense(a) => a.nrows(),
            Self::Sparse(a) => a.nrows(),
        }
    }

    pub fn ncols(&self) -> usize {
        match self {
            Self::Dense(a) => a.ncols(),
            Self::Sparse(a) => a.ncols(),
        }
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        match self {
            Self::Dense(a) => a.len(),
            Self::Sparse(a) => a.value.len(),
        }
    }

    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// Entry (i, j). A search in the column for sparse matrices.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense(a) => a[(i, j)],
            Self::Sparse(a) => {
                let (rows, values) = a.column(j);
                rows.binary_search(&i).map_or(0.0, |p| values[p])
            }
        }
    }

    /// Calls `f(i, a_ij)` for each stored entry of column j, rows ascending. Dense zeros included.
    pub fn for_column(&self, j: usize, mut f: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(a) => {
                for (i, &a_ij) in dense_column(a, j).iter().enumerate() {
                    f(i, a_ij);
                }
            }
            Self::Sparse(a) => {
                let (rows, values) = a.column(j);
                for (&i, &a_ij) in rows.iter().zip(values) {
                    f(i, a_ij);
                }
            }
        }
    }

    /// `y ← y + s · (column j)`.
    pub fn add_column(&self, j: usize, s: f64, y: &mut [f64]) {
        match self {
            Self::Dense(a) => {
                for (y_i, &a_ij) in y.iter_mut().zip(dense_column(a, j)) {
                    *y_i += s * a_ij;
                }
            }
            Self::Sparse(a) => {
                let (rows, values) = a.column(j);
                for (&i, &a_ij) in rows.iter().zip(values) {
                    y[i] += s * a_ij;
                }
            }
        }
    }

    /// (column j) · x.
    pub fn column_dot(&self, j: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.for_column(j, |i, a_ij| sum += a_ij * x[i]);
        sum
    }

    /// `y ← A x + b`. Columns with `x_j = 0` are passed over, so that an infinity or a NaN in `x`
    /// is felt and a zero costs nothing.
    pub fn affine(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        y.copy_from_slice(b);
        for (j, &x_j) in x.iter().enumerate() {
            if x_j != 0.0 {
                self.add_column(j, x_j, y);
            }
        }
    }

    pub fn transpose(&self) -> Self {
        match self {
            Self::Dense(a) => Self::Dense(a.transpose()),
            Self::Sparse(a) => Self::Sparse(a.transpose()),
        }
    }

    /// No `|a_ij − a_ji|` is larger than `tolerance` times the larger of the two.
    pub fn is_symmetric(&self, tolerance: f64) -> bool {
        if self.nrows() != self.ncols() {
            return false;
        }
        let mut symmetric = true;
        for j in 0..self.ncols() {
            self.for_column(j, |i, a_ij| {
                let a_ji = self.get(j, i);
                symmetric &= (a_ij - a_ji).abs() <= tolerance * a_ij.abs().max(a_ji.abs());
            });
        }
        symmetric
    }

    /// `A + ε I`, stored as this one is; entries of the diagonal that are not stored stay zero.
    pub(crate) fn plus_diagonal(&self, epsilon: f64) -> Self {
        let mut sum = self.clone();
        match &mut sum {
            Self::Dense(a) => (0..a.nrows().min(a.ncols())).for_each(|i| a[(i, i)] += epsilon),
            Self::Sparse(a) => {
                for j in 0..a.ncols() {
                    let range = a.start[j]..a.start[j + 1];
                    if let Ok(p) = a.row[range.clone()].binary_search(&j) {
                        a.value[range.start + p] += epsilon;
                    }
                }
            }
        }
        sum
    }

    /// The submatrix with these rows and columns, stored as this one is.
    pub fn select(&self, rows: &[usize], columns: &[usize]) -> Self {
        match self {
            Self::Dense(a) => Self::Dense(MatX::from_fn(rows.len(), columns.len(), |i, j| {
                a[(rows[i], columns[j])]
            })),
            Self::Sparse(a) => Self::Sparse(a.select(rows, columns)),
        }
    }

    /// The rows and columns of an island: `place` says where each index of the island goes, and no
    /// entry of its columns lies outside of it. Costs its entries, not the size of the matrix.
    pub(crate) fn island(&self, indices: &[usize], place: &[usize]) -> Self {
        match self {
            Self::Dense(_) => self.select(indices, indices),
            Self::Sparse(a) => {
                let mut part = Csc { nrows: indices.len(), start: vec![0], ..Csc::default() };
                for &j in indices {
                    let (rows, values) = a.column(j);
                    for (&i, &a_ij) in rows.iter().zip(values) {
                        if a_ij != 0.0 {
                            part.row.push(place[i]);
                            part.value.push(a_ij);
                        }
                    }
                    part.start.push(part.row.len());
                }
                Self::Sparse(part)
            }
        }
    }

    /// The first entry that is not finite, as (row, column).
    pub fn first_not_finite(&self) -> Option<(usize, usize)> {
        let mut found = None;
        for j in 0..self.ncols() {
            self.for_column(j, |i, a_ij| {
                if !a_ij.is_finite() && found.is_none() {
                    found = Some((i, j));
                }
            });
            if found.is_some() {
                break;
            }
        }
        found
    }
}

/// Column j, which lies in one piece.
fn dense_column(a: &MatX, j: usize) -> &[f64] {
    let n = a.nrows();
    &a.as_slice()[j * n..(j + 1) * n]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_give_the_same_numbers() {
        let dense = Matrix::from(MatX::from_row_slice(2, 3, &[1., 0., 2., 0., -3., 4.]));
        let sparse = Matrix::from(
            Csc::new((2, 3), &[0, 1, 2, 4], &[0, 1, 1, 0], &[1., -3., 4., 2.]).unwrap(),
        );
        let (x, b) = ([1.0, 2.0, 3.0], [0.5, -0.5]);
        let (mut y, mut y_sparse) = ([0.0; 2], [0.0; 2]);
        dense.affine(&x, &b, &mut y);
        sparse.affine(&x, &b, &mut y_sparse);
        assert_eq!(y, [7.5, 5.5]);
        assert_eq!(y, y_sparse);
        assert_eq!(sparse.transpose().get(2, 1), 4.0);
        assert_eq!(sparse.select(&[1], &[1, 2]).get(0, 1), 4.0);
        for matrix in [dense, sparse] {
            let shifted = matrix.plus_diagonal(0.5);
            assert_eq!([(0, 0), (1, 1), (1, 2)].map(|(i, j)| shifted.get(i, j)), [1.5, -2.5, 4.0]);
        }
    }

    #[test]
    fn repeated_entries_are_added_and_bad_arrays_are_named() {
        let twice = Csc::new((2, 1), &[0, 3], &[1, 0, 1], &[1., 2., 3.]).unwrap();
        assert_eq!(twice.column(0), (&[0, 1][..], &[2., 4.][..]));
        let error = Csc::new((2, 1), &[0, 1], &[5], &[1.]);
        assert_eq!(error, Err(CscError::RowOutOfRange { position: 0, row: 5 }));
        assert_eq!(
            Csc::new((2, 1), &[0, 2], &[0], &[1.]),
            Err(CscError::BadColumnStarts { column: 1 })
        );
    }
}
