//! H as the first-order solvers read it: once an iteration, from front to back.

use super::MotionProblem;
use crate::cone::Triple;

/// Products with the part of H that belongs to one contact.
pub(super) trait Root {
    /// `H_cᵀ x`.
    fn velocity(&self, c: usize, x: &[f64]) -> Triple;
    /// `x += H_c r_c`.
    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]);
}

impl Root for MotionProblem {
    #[inline]
    fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        MotionProblem::velocity(self, c, x)
    }

    #[inline]
    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        MotionProblem::add_motion(self, c, r, x);
    }
}

/// Contacts of at most two nodes, all N wide: rows of H by coordinates, so that sums run along them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs<const N: usize> {
    /// First coordinates of the two nodes; of the same one twice where there is no second.
    first: Vec<[u32; 2]>,
    rows: Vec<[[[f64; N]; 3]; 2]>,
}

impl<const N: usize> Pairs<N> {
    /// Reads the problem; false where it is not made of such contacts.
    pub(super) fn load(&mut self, problem: &MotionProblem) -> bool {
        self.first.clear();
        self.rows.clear();
        if (0..problem.nodes()).any(|node| problem.width(node) != N)
            || u32::try_from(problem.coordinates()).is_err()
        {
            return false;
        }
        for c in 0..problem.contacts() {
            let (mut first, mut rows, mut count) = ([0; 2], [[[0.0; N]; 3]; 2], 0);
            for (_, at, values) in problem.spans(c) {
                if count == 2 {
                    return false;
                }
                first[count] = at as u32;
                for (k, h) in values.iter().enumerate() {
                    (0..3).for_each(|i| rows[count][i][k] = h[i]);
                }
                count += 1;
            }
            if count == 1 {
                first[1] = first[0];
            }
            self.first.push(first);
            self.rows.push(rows);
        }
        problem.coordinates() >= N
    }
}

impl<const N: usize> Root for Pairs<N> {
    #[inline]
    fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        let ([a, b], [rows_a, rows_b]) = (self.first[c], &self.rows[c]);
        let (x_a, x_b) = (&x[a as usize..][..N], &x[b as usize..][..N]);
        std::array::from_fn(|i| {
            // two sums side by side, for a register of two
            let (mut even, mut odd) = (0.0, 0.0);
            for k in 0..N {
                let term = rows_a[i][k] * x_a[k] + rows_b[i][k] * x_b[k];
                if k % 2 == 0 {
                    even += term;
                } else {
                    odd += term;
                }
            }
            even + odd
        })
    }

    #[inline]
    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        for (at, rows) in self.first[c].into_iter().zip(&self.rows[c]) {
            let x = &mut x[at as usize..][..N];
            for k in 0..N {
                x[k] += rows[0][k] * r[0] + rows[1][k] * r[1] + rows[2][k] * r[2];
            }
        }
    }
}

/// The fastest form of H that the problem has.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    pub(super) planar: Pairs<3>,
    pub(super) spatial: Pairs<6>,
}

/// Which part of [`Packed`] holds the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nodes of width 3.
    Three,
    /// Nodes of width 6.
    Six,
    /// Anything else: the problem itself.
    General,
}

impl Packed {
    pub(super) fn load(&mut self, problem: &MotionProblem) -> Layout {
        if self.spatial.load(problem) {
            Layout::Six
        } else if self.planar.load(problem) {
            Layout::Three
        } else {
            Layout::General
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{PileSettings, disk_pile, sphere_pyramid};
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    fn agrees(packed: &impl Root, problem: &MotionProblem) {
        let mut random = Random::new(4);
        let n = problem.coordinates();
        let (x, mut y, mut z) = (random.vector(n), vec![0.0; n], vec![0.0; n]);
        for c in 0..problem.contacts() {
            let (a, b) = (packed.velocity(c, &x), problem.velocity(c, &x));
            assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-14), "{a:?} {b:?}");
            let r = std::array::from_fn(|_| random.next());
            packed.add_motion(c, &r, &mut y);
            problem.add_motion(c, &r, &mut z);
        }
        assert!(y.iter().zip(&z).all(|(y, z)| (y - z).abs() < 1e-13));
    }

    #[test]
    fn packed_rows_are_those_of_the_problem() {
        let mut packed = Packed::default();
        let settings = PileSettings::default();
        for problem in [sphere_pyramid(3, &settings), random_problem(2, 6, 20)] {
            assert_eq!(packed.load(&problem), Layout::Six);
            agrees(&packed.spatial, &problem);
        }
        let problem = disk_pile(4, &settings);
        assert_eq!(packed.load(&problem), Layout::Three);
        agrees(&packed.planar, &problem);
    }

    #[test]
    fn other_contacts_are_read_as_they_are() {
        let mut problem = MotionProblem::default();
        problem.clear(3, [6, 6, 6]);
        (0..3).for_each(|node| problem.push_span(node, [[1.0; 3]; 6]));
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        assert_eq!(Packed::default().load(&problem), Layout::General);
        problem.clear(3, [6, 2]);
        assert_eq!(Packed::default().load(&problem), Layout::General);
    }
}
