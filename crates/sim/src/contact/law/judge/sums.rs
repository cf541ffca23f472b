//! What impulses do to the rows of a space, and the sizes of what is added up: the judge's own sums.

use crate::contact::delassus::Root;
use crate::contact::law::Moved;
use crate::contact::space::ContactSpace;

/// What rounding of p, and of sums of hundreds of them, may cost of the sizes of all impulses on a coordinate.
const BALANCE: f64 = 1e-13;

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
    let rows_of = |block: usize| root.Y.rows_of(block);
    for block in 0..root.Y.blocks() {
        let (index, value) = root.Y.block(block);
        // a row by itself has zeros beside it
        let p = match p[rows_of(block)] {
            [n, t1, t2] => [n, t1, t2],
            ref own => [own[0], 0.0, 0.0],
        };
        for (&c, y) in index.iter().zip(value) {
            let part = [y[0] * p[0], y[1] * p[1], y[2] * p[2]];
            let [sum, size] = given[c];
            given[c] = [
                sum + part[0] + part[1] + part[2],
                size + part[0].abs() + part[1].abs() + part[2].abs(),
            ];
        }
    }
    for (given, weight) in given.iter_mut().zip(&root.weight) {
        *given = [weight * given[0], weight * given[1]];
    }
    for block in 0..root.Y.blocks() {
        let ((index, value), rows) = (root.Y.block(block), rows_of(block));
        let (mut sum, mut sizes) = ([0.0; 3], [0.0; 3]);
        for (&c, y) in index.iter().zip(value) {
            let [given, given_size] = given[c];
            for i in 0..3 {
                sum[i] += y[i] * given;
                sizes[i] += y[i].abs() * given_size;
            }
        }
        u[rows.clone()].iter_mut().zip(sum).for_each(|(u, sum)| *u += sum);
        size[rows].iter_mut().zip(sizes).for_each(|(size, own)| *size += own);
    }
}

/// Whether what the coordinates of islands in two parts change by is what p gives them, to rounding. NaN is not.
pub(super) fn is_balanced(
    root: &Root,
    p: &[f64],
    moved: &Moved,
    given: &mut Vec<[f64; 2]>,
) -> bool {
    given.clear();
    given.resize(root.weight.len(), [0.0; 2]);
    for block in 0..root.Y.blocks() {
        let ((index, value), rows) = (root.Y.block(block), root.Y.rows_of(block));
        for (&c, y) in index.iter().zip(value) {
            for (y, p_i) in y.iter().zip(&p[rows.clone()]) {
                given[c][0] += y * p_i;
                given[c][1] += (y * p_i).abs();
            }
        }
    }
    let holds = |&c: &usize| {
        let [own, size] = given[c].map(|x| root.weight[c] * x);
        (own - moved.change()[c]).abs() <= BALANCE * size
    };
    moved.coordinates().iter().all(holds)
}

/// `u += Y change`, `size += |Y||change|`.
pub(super) fn add_changes(root: &Root, change: &[f64], u: &mut [f64], size: &mut [f64]) {
    for block in 0..root.Y.blocks() {
        let ((index, value), rows) = (root.Y.block(block), root.Y.rows_of(block));
        let (u, size) = (&mut u[rows.clone()], &mut size[rows]);
        for (&c, y) in index.iter().zip(value) {
            for (y, (u, size)) in y.iter().zip(u.iter_mut().zip(size.iter_mut())) {
                *u += y * change[c];
                *size += (y * change[c]).abs();
            }
        }
    }
}
