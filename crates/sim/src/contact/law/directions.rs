//! Unit directions at equal angles.

use std::f64::consts::TAU;

use crate::math::sin_cos;

/// `(cos, sin)` of the j-th of n equal parts of the circle. Quarter turns are exact, so that opposite
/// directions are exact opposites.
pub(super) fn direction(j: usize, n: usize) -> [f64; 2] {
    let (quarter, rest) = (4 * j / n, 4 * j % n);
    let (s, c) = sin_cos(TAU * rest as f64 / (4 * n) as f64);
    match quarter % 4 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}
