//! What impulses do to the rows of a space, and the sizes of what is added up: the judge's own sums.

use crate::contact::delassus::Root;
use crate::contact::space::ContactSpace;

/// `u += W p`, `size += |W||p|`.
pub(super) fn add_by_entries(space: &ContactSpace, p: &[f64], u: &mut [f64], size: &mut [f64]) {
    for (j, &p_j) in p.iter().enumerate() {
        space.W.for_column(j, |i, w_ij| {
            u[i] += w_ij * p_j;
            size[i] += (w_ij * p_j).abs();
        });
    }
}

/// The same by the root, `u += Y (weight Yᵀ p)`: sizes are those of its products, of which u has the rounding.
/// `given` is memory: of each coordinate what p gives it, and the sum of its parts without signs.
pub(super) fn add_by_root(
    root: &Root,
    p: &[f64],
    (u, size): (&mut [f64], &mut [f64]),
    given: &mut Vec<[f64; 2]>,
) {
    given.clear();
    given.resize(root.weight.len(), [0.0; 2]);
    for (i, p_i) in p.iter().enumerate() {
        let (index, value) = root.Y.slices(i);
        for (&c, y) in index.iter().zip(value) {
            let part = y * p_i;
            given[c][0] += part;
            given[c][1] += part.abs();
        }
    }
    for (given, weight) in given.iter_mut().zip(&root.weight) {
        *given = [weight * given[0], weight * given[1]];
    }
    for i in 0..p.len() {
        let (index, value) = root.Y.slices(i);
        for (&c, y) in index.iter().zip(value) {
            u[i] += y * given[c][0];
            size[i] += y.abs() * given[c][1];
        }
    }
}
