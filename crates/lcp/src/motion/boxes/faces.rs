//! Bounds as half spaces, `s = a·r + b ≥ 0`, for the interior point.

use super::problem::{Bounds, View};
use crate::cone::Triple;

/// One side of the bounds of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    pub(super) a: Triple,
    pub(super) b: f64,
}

/// Sides of all contacts, and the rows that have no room.
#[derive(Clone, Debug, Default)]
pub(super) struct Faces {
    pub(super) face: Vec<Face>,
    /// Those of contact c: `start[c]..start[c + 1]`.
    pub(super) start: Vec<usize>,
    /// Rows that can move; the others stay at `at`.
    pub(super) can_move: Vec<[bool; 3]>,
    pub(super) at: Vec<Triple>,
}

impl Faces {
    pub(super) fn load(&mut self, problem: View<'_>) {
        self.face.clear();
        self.start.clear();
        self.can_move.clear();
        self.at.clear();
        self.start.push(0);
        for bounds in problem.bounds {
            let (mut can_move, mut at) = ([true; 3], [0.0; 3]);
            match *bounds {
                Bounds::Fixed { lower, upper } => {
                    for i in 0..3 {
                        if lower[i] == upper[i] {
                            (can_move[i], at[i]) = (false, lower[i]);
                            continue;
                        }
                        if lower[i].is_finite() {
                            self.push((i, 1.0), 0.0, -lower[i]);
                        }
                        if upper[i].is_finite() {
                            self.push((i, -1.0), 0.0, upper[i]);
                        }
                    }
                }
                Bounds::Axes { mu } => {
                    for i in 1..3 {
                        can_move[i] = mu[i - 1] > 0.0;
                        if can_move[i] {
                            self.push((i, 1.0), mu[i - 1], 0.0);
                            self.push((i, -1.0), mu[i - 1], 0.0);
                        }
                    }
                    if !(can_move[1] || can_move[2]) {
                        self.push((0, 1.0), 0.0, 0.0);
                    }
                }
                Bounds::Polygon { mu } if mu > 0.0 => {
                    for &[x, y] in problem.directions {
                        self.face.push(Face { a: [mu, x, y], b: 0.0 });
                        self.face.push(Face { a: [mu, -x, -y], b: 0.0 });
                    }
                }
                Bounds::Polygon { .. } => {
                    can_move = [true, false, false];
                    self.push((0, 1.0), 0.0, 0.0);
                }
            }
            self.start.push(self.face.len());
            self.can_move.push(can_move);
            self.at.push(at);
        }
    }

    /// `sign r_i + mu r_n + b ≥ 0`.
    fn push(&mut self, (i, sign): (usize, f64), mu: f64, b: f64) {
        let mut a = [mu, 0.0, 0.0];
        a[i] += sign;
        self.face.push(Face { a, b });
    }

    /// The faces of contact c.
    pub(super) fn of(&self, c: usize) -> std::ops::Range<usize> {
        self.start[c]..self.start[c + 1]
    }
}

impl Face {
    /// `a·r`.
    #[inline]
    pub(super) fn along(&self, r: &Triple) -> f64 {
        self.a[0] * r[0] + self.a[1] * r[1] + self.a[2] * r[2]
    }
}
