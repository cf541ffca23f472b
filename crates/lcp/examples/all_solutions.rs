//! All solutions of small problems: single points, and families by their dimension and corners.
#![allow(clippy::print_stdout, non_snake_case, reason = "an example shows what it found")]

use stiction_lcp::enumeration::{EnumerationSettings, EnumerationWorkspace, enumerate};
use stiction_lcp::{BoxLcp, MatX, ProblemError, never};

fn main() -> Result<(), ProblemError> {
    let mut work = EnumerationWorkspace::default();
    let settings = EnumerationSettings::default();

    // a table on three legs in line: the load of 1 may be shared in any way
    let table = BoxLcp::lcp(MatX::from_element(3, 3, 1.0), vec![-1.0; 3])?;
    let found = enumerate(&table, &settings, &mut work, &never);
    for piece in &found.solutions {
        println!("table: a family of dimension {} through {:?}", piece.dimension, piece.z);
        println!("       with the corners {:?}", piece.vertices);
    }
    assert!(found.complete);
    assert_eq!(found.solutions.len(), 1);
    assert_eq!(found.solutions[0].dimension, 2);

    // two contacts that jam each other: either one, or both at a third
    let jam = BoxLcp::lcp(MatX::from_row_slice(2, 2, &[1., 2., 2., 1.]), vec![-1.0; 2])?;
    let found = enumerate(&jam, &settings, &mut work, &never);
    for piece in &found.solutions {
        println!("jam: z = {:?}", piece.z);
    }
    assert!(found.complete);
    assert_eq!(found.solutions.len(), 3);
    assert!(found.solutions.iter().all(|piece| piece.dimension == 0));
    Ok(())
}
