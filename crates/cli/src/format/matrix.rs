//! Matrices of a file: dense row by row, or compressed columns.

use stiction_lcp::{Csc, MatX, Matrix};

use super::error::Problematic;
use super::fields::Fields;

/// The shape that the other keys of the file leave for a matrix.
pub(super) enum Shape {
    Exactly(usize, usize),
    /// This many rows, and at most as many columns.
    Tall(usize),
}

/// Reads the matrix under `key`, whose shape must be as the vectors of the file demand.
pub(super) fn matrix(file: &Fields<'_>, key: &str, shape: &Shape) -> Result<Matrix, Problematic> {
    let fields = file.object(key)?;
    let stated = fields.counts("shape", 2)?;
    let (rows, columns) = (stated[0], stated[1]);
    check_shape(&fields, (rows, columns), shape)?;
    match (fields.has("dense"), fields.has("csc")) {
        (true, false) => dense(&fields, rows, columns),
        (false, true) => sparse(&fields, rows, columns),
        (false, false) => Err(Problematic::key(key, "a key `dense` or `csc`", "neither")),
        (true, true) => Err(Problematic::key(key, "a key `dense` or `csc`", "both")),
    }
}

fn check_shape(
    fields: &Fields<'_>,
    (rows, columns): (usize, usize),
    shape: &Shape,
) -> Result<(), Problematic> {
    let (fits, expected) = match *shape {
        Shape::Exactly(r, c) => ((rows, columns) == (r, c), format!("[{r}, {c}]")),
        Shape::Tall(r) => (
            rows == r && columns <= r,
            format!("[{r}, c] with c at most {r}, as q has {r} entries"),
        ),
    };
    if fits {
        return Ok(());
    }
    Err(Problematic::key(fields.path("shape"), expected, format!("[{rows}, {columns}]")))
}

fn dense(fields: &Fields<'_>, rows: usize, columns: usize) -> Result<Matrix, Problematic> {
    // rows and columns are lengths of lists in memory, but their product may still be too large
    let count = rows.checked_mul(columns).ok_or_else(|| {
        Problematic::key(fields.path("shape"), "a smaller matrix", format!("{rows} × {columns}"))
    })?;
    let why = format!("{rows} × {columns}, row by row");
    let entries = fields.numbers_of_length("dense", count, &why)?;
    Ok(MatX::from_row_slice(rows, columns, &entries).into())
}

fn sparse(fields: &Fields<'_>, rows: usize, columns: usize) -> Result<Matrix, Problematic> {
    let csc = fields.object("csc")?;
    let row = csc.indices("i", rows, "row")?;
    let value = csc.numbers_of_length("x", row.len(), "one for each entry of i")?;
    let start = csc.counts("p", columns + 1)?;
    check_starts(&csc, &start, row.len())?;
    let entries = Csc::new((rows, columns), &start, &row, &value).map_err(|error| {
        Problematic::key(fields.path("csc"), "compressed columns", error.to_string())
    })?;
    Ok(entries.into())
}

/// Column starts begin at 0, never fall, and end at the number of entries.
fn check_starts(csc: &Fields<'_>, start: &[usize], entries: usize) -> Result<(), Problematic> {
    for (j, &start_j) in start.iter().enumerate() {
        let expected = if j == 0 && start_j != 0 {
            "0".to_string()
        } else if j > 0 && start_j < start[j - 1] {
            format!("at least p[{}] = {}", j - 1, start[j - 1])
        } else if j + 1 == start.len() && start_j != entries {
            format!("{entries}, the number of entries of i")
        } else {
            continue;
        };
        let path = format!("{}[{j}]", csc.path("p"));
        return Err(Problematic::key(path, expected, start_j.to_string()));
    }
    Ok(())
}
