//! Fewer coordinates than the bodies have: as many as there are rows.
//!
//! A robot that stands on four feet has eighteen velocities and more coordinates of springs, and twelve rows. With `H = Q R`, R upper
//! triangular, `Hᵀ H = Rᵀ R`: the rows of one node of as many coordinates as there are rows, by Householder's reflections.

use stiction_lcp::motion::MotionProblem;

/// More rows than this are not looked at.
const FEW: usize = 36;

/// Memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Compression {
    /// Columns of H, then of R: one for each row that touches a coordinate.
    columns: Vec<f64>,
    /// Of each row of the problem its column.
    place: Vec<[usize; 3]>,
    v: Vec<f64>,
    span: Vec<[f64; 3]>,
}

const NONE: usize = usize::MAX;

impl Compression {
    /// Writes the problem with fewer coordinates into `into`; false where there are no fewer.
    pub(super) fn compress(&mut self, problem: &MotionProblem, into: &mut MotionProblem) -> bool {
        let n = problem.coordinates();
        let Some(m) = self.number_rows(problem).filter(|m| *m < n) else { return false };
        self.read(problem, n, m);
        self.triangulate(n, m);
        into.clear(3, [m]);
        for (c, place) in self.place.iter().enumerate() {
            if *place != [NONE; 3] {
                self.span.clear();
                self.span.extend((0..m).map(|i| {
                    place.map(|k| if k != NONE && i <= k { self.columns[k * n + i] } else { 0.0 })
                }));
                into.push_span(0, self.span.iter().copied());
            }
            into.end_contact(problem.eps()[c], problem.q()[c], problem.mu()[c]);
        }
        true
    }

    /// Numbers the rows that touch coordinates; None if there are many.
    fn number_rows(&mut self, problem: &MotionProblem) -> Option<usize> {
        if problem.contacts() > FEW {
            return None;
        }
        let mut m = 0;
        self.place.clear();
        for c in 0..problem.contacts() {
            let mut place = [NONE; 3];
            for (a, place) in place.iter_mut().enumerate() {
                if problem.spans(c).any(|(_, _, rows)| rows.iter().any(|h| h[a] != 0.0)) {
                    *place = m;
                    m += 1;
                }
            }
            self.place.push(place);
        }
        (m <= FEW).then_some(m)
    }

    fn read(&mut self, problem: &MotionProblem, n: usize, m: usize) {
        self.columns.clear();
        self.columns.resize(n * m, 0.0);
        for (c, place) in self.place.iter().enumerate() {
            for (_, first, rows) in problem.spans(c) {
                for (i, h) in rows.iter().enumerate() {
                    for (k, h) in place.iter().zip(h).filter(|(k, _)| **k != NONE) {
                        self.columns[k * n + first + i] = *h;
                    }
                }
            }
        }
    }

    /// R in the place of H.
    fn triangulate(&mut self, n: usize, m: usize) {
        for k in 0..m {
            let (own, later) = self.columns[k * n..].split_at_mut(n);
            let tail = &mut own[k..];
            let length = tail.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length == 0.0 {
                continue;
            }
            let diagonal = if tail[0] > 0.0 { -length } else { length };
            self.v.clear();
            self.v.extend_from_slice(tail);
            self.v[0] -= diagonal;
            let beta = -1.0 / (diagonal * self.v[0]);
            tail[0] = diagonal;
            for column in later.chunks_exact_mut(n).take(m - k - 1) {
                let column = &mut column[k..];
                let s = beta * self.v.iter().zip(&*column).map(|(v, x)| v * x).sum::<f64>();
                column.iter_mut().zip(&self.v).for_each(|(x, v)| *x -= s * v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn the_matrix_of_the_rows_is_the_same() {
        let mut random = Random::new(4);
        for (nodes, contacts) in [(4, 3), (3, 4), (1, 1), (5, 0)] {
            let mut problem = MotionProblem::default();
            problem.clear(3, std::iter::repeat_n(6, nodes));
            for c in 0..contacts {
                // the second is as the first, the third has one row
                let mut rows: Vec<[f64; 3]> =
                    (0..6).map(|_| std::array::from_fn(|_| random.between(-1.0, 1.0))).collect();
                if c == 2 {
                    rows.iter_mut().for_each(|h| *h = [0.0, h[1], 0.0]);
                }
                problem.push_span(c % nodes, rows.iter().copied());
                if nodes > 1 {
                    problem.push_span((c + 1) % nodes, rows);
                }
                problem.end_contact([0.0, 0.1, 1.0], [-1.0, 0.2, c as f64], 0.5);
            }
            let mut small = MotionProblem::default();
            assert!(Compression::default().compress(&problem, &mut small));
            let (W, expected) = (small.to_local().unwrap(), problem.to_local().unwrap());
            for (i, j) in (0..3 * contacts).flat_map(|i| (0..3 * contacts).map(move |j| (i, j))) {
                let (a, b) = (W.W().get(i, j), expected.W().get(i, j));
                assert!((a - b).abs() < 1e-14, "{i} {j}: {a} {b}");
            }
            assert_eq!((small.q(), small.mu()), (problem.q(), problem.mu()));
            // no more coordinates than rows: as it is
            assert!(!Compression::default().compress(&small, &mut problem));
        }
    }
}
