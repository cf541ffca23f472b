//! Mixed problems, whose equations and unknowns need not be equal in number.
//!
//! Rows `eq_rows` are equations; the other rows pair, in order, with the columns `comp_cols`; the
//! columns left over are free unknowns. A [`BoxLcp`] is square and pairs row i with variable i:
//! rows stay where they are (so that a proof speaks of the file's rows), columns move to the row
//! they pair with, free columns to the equations in order, and equations left over get a column
//! of zeros:
//!
//! ```text
//!        file: c0 c1          problem: z0 z1 z2
//!  eq    0     a  b            0       a  0  b      eq_rows = [0, 1], comp_cols = [1]
//!  eq    1     c  d      →     1       c  0  d      c0 → z0, nothing → z1, c1 → z2
//!  comp  2     e  f            2       e  0  f
//! ```

use stiction_lcp::{BoxLcp, Csc, Matrix};

use super::LinearProblem;
use super::error::Problematic;
use super::fields::Fields;

pub(super) fn mixed(
    file: &Fields<'_>,
    M: Matrix,
    q: Vec<f64>,
) -> Result<LinearProblem, Problematic> {
    let (rows, columns) = (M.nrows(), M.ncols());
    let equations = if file.has("eq_rows") { "eq_rows" } else { "eq" };
    let eq_rows = file.distinct_indices(equations, rows, "row")?;
    if rows == columns && !file.has("comp_cols") {
        return Ok(LinearProblem { problem: BoxLcp::mixed(M, q, &eq_rows)?, place: None });
    }
    let comp_cols = file.distinct_indices("comp_cols", columns, "column")?;
    let paired = rows - eq_rows.len();
    file.check_length("comp_cols", comp_cols.len(), paired, "one for each row not in eq_rows")?;
    let place = places(&eq_rows, &comp_cols, (rows, columns));
    let mut triplets = Vec::with_capacity(M.stored());
    for (j, &place_j) in place.iter().enumerate() {
        M.for_column(j, |i, m_ij| {
            if m_ij != 0.0 {
                triplets.push((i, place_j, m_ij));
            }
        });
    }
    let square = Csc::from_triplets((rows, rows), &mut triplets);
    Ok(LinearProblem { problem: BoxLcp::mixed(square, q, &eq_rows)?, place: Some(place) })
}

/// The row that each column pairs with. With at least as many rows as columns, and as many
/// `comp_cols` as rows that are no equations, the equations suffice for the free columns.
fn places(eq_rows: &[usize], comp_cols: &[usize], (rows, columns): (usize, usize)) -> Vec<usize> {
    let mut is_equation = vec![false; rows];
    for &i in eq_rows {
        is_equation[i] = true;
    }
    let equations = (0..rows).filter(|&i| is_equation[i]);
    let inequalities = (0..rows).filter(|&i| !is_equation[i]);
    let mut place = vec![usize::MAX; columns];
    for (&j, i) in comp_cols.iter().zip(inequalities) {
        place[j] = i;
    }
    let free = place.iter_mut().filter(|place_j| **place_j == usize::MAX);
    for (place_j, i) in free.zip(equations) {
        *place_j = i;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_move_to_the_rows_they_pair_with() {
        // the picture above
        assert_eq!(places(&[0, 1], &[1], (3, 2)), [0, 2]);
        // square, crossed: row 0 pairs with column 1, row 1 is the equation of column 0
        assert_eq!(places(&[1], &[1], (2, 2)), [1, 0]);
    }
}
