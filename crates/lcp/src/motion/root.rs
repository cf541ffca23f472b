//! H as the first-order solvers read it: once an iteration, from front to back, friction in units in which it weighs as much as pressure.

use super::MotionProblem;
use super::metric::Metric;
use crate::cone::Triple;

/// Contacts side by side: what is done to one is done to all of them.
pub(super) const LANES: usize = 4;

/// One number for each of them.
pub(super) type Lanes = [f64; LANES];

/// A triple (n, t1, t2) for each of them. The last block is filled up with contacts without rows.
pub(super) type Block = [Lanes; 3];

/// Products with the part of H that belongs to a contact, or to a block of them.
pub(super) trait Root {
    /// Rows of a contact that say something: 2 where the third ones are empty.
    const ROWS: usize = 3;

    /// `H_cᵀ x`.
    fn velocity(&self, c: usize, x: &[f64]) -> Triple;
    /// `x += H_c r_c`.
    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]);

    /// `u += Hᵀ x` of block b.
    #[inline(always)]
    fn gather(&self, b: usize, x: &[f64], u: &mut Block) {
        for lane in 0..LANES {
            let v = self.velocity(LANES * b + lane, x);
            (0..Self::ROWS).for_each(|i| u[i][lane] += v[i]);
        }
    }

    /// `x += H r` of block b.
    #[inline(always)]
    fn scatter(&self, b: usize, r: &Block, x: &mut [f64]) {
        for lane in 0..LANES {
            self.add_motion(LANES * b + lane, &[r[0][lane], r[1][lane], r[2][lane]], x);
        }
    }
}

/// The problem as it is, in these units.
pub(super) struct Scaled<'a> {
    pub(super) problem: &'a MotionProblem,
    pub(super) metric: &'a Metric,
}

impl Root for Scaled<'_> {
    fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        if c >= self.problem.contacts() {
            return [0.0; 3];
        }
        self.metric.scale(c, &self.problem.velocity(c, x))
    }

    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        if c < self.problem.contacts() {
            self.problem.add_motion(c, &self.metric.scale(c, r), x);
        }
    }
}

/// Contacts of at most two nodes, all N wide: the first M rows of H by coordinates, so that sums run along them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs<const N: usize, const M: usize> {
    /// First coordinates of the two nodes; of the same one twice where there is no second.
    first: Vec<[u32; 2]>,
    rows: Vec<[[[f64; N]; M]; 2]>,
}

impl<const N: usize, const M: usize> Pairs<N, M> {
    /// Reads the problem; false where it is not made of such contacts.
    pub(super) fn load(&mut self, problem: &MotionProblem, metric: &Metric) -> bool {
        self.first.clear();
        self.rows.clear();
        if (0..problem.nodes()).any(|node| problem.width(node) != N)
            || u32::try_from(problem.coordinates()).is_err()
        {
            return false;
        }
        for c in 0..problem.contacts() {
            let (mut first, mut rows, mut count) = ([0; 2], [[[0.0; N]; M]; 2], 0);
            for (_, at, values) in problem.spans(c) {
                if count == 2 {
                    return false;
                }
                first[count] = at as u32;
                for (k, h) in values.iter().enumerate() {
                    let h = metric.scale(c, h);
                    (0..M).for_each(|i| rows[count][i][k] = h[i]);
                }
                count += 1;
            }
            if count == 1 {
                first[1] = first[0];
            }
            self.first.push(first);
            self.rows.push(rows);
        }
        let padded = problem.contacts().next_multiple_of(LANES);
        self.first.resize(padded, [0; 2]);
        self.rows.resize(padded, [[[0.0; N]; M]; 2]);
        problem.coordinates() >= N
    }
}

impl<const N: usize, const M: usize> Root for Pairs<N, M> {
    const ROWS: usize = M;

    #[inline(always)]
    fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        let ([a, b], rows) = (self.first[c], &self.rows[c]);
        let (x_a, x_b) = (node::<N>(x, a), node::<N>(x, b));
        // two sums a row, for registers of two
        let mut u = [[0.0; 2]; 3];
        for (x, rows) in [x_a, x_b].into_iter().zip(rows) {
            for i in 0..M {
                for k in 0..N {
                    u[i][k % 2] += rows[i][k] * x[k];
                }
            }
        }
        u.map(|[even, odd]| even + odd)
    }

    #[inline(always)]
    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        for (at, rows) in self.first[c].into_iter().zip(&self.rows[c]) {
            let x: &mut [f64; N] = x[at as usize..].first_chunk_mut().expect("of a node");
            for k in 0..N {
                let mut sum = rows[0][k] * r[0];
                (1..M).for_each(|i| sum += rows[i][k] * r[i]);
                x[k] += sum;
            }
        }
    }
}

#[inline(always)]
fn node<const N: usize>(x: &[f64], first: u32) -> &[f64; N] {
    x[first as usize..].first_chunk().expect("of a node")
}

/// The fastest form of H that the problem has.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    layout: Layout,
    pub(super) flat: Pairs<3, 2>,
    pub(super) planar: Pairs<3, 3>,
    pub(super) spatial: Pairs<6, 3>,
}

/// Which part of [`Packed`] holds the problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nodes of width 3, and planar contacts.
    Flat,
    /// Nodes of width 3.
    Three,
    /// Nodes of width 6.
    Six,
    /// Anything else: the problem itself, [`Scaled`].
    #[default]
    General,
}

impl Packed {
    pub(super) fn load(&mut self, problem: &MotionProblem, metric: &Metric) {
        self.layout = if self.spatial.load(problem, metric) {
            Layout::Six
        } else if problem.is_planar() && self.flat.load(problem, metric) {
            Layout::Flat
        } else if self.planar.load(problem, metric) {
            Layout::Three
        } else {
            Layout::General
        };
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{PileSettings, disk_pile, sphere_pyramid};
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    fn agrees(packed: &impl Root, problem: &MotionProblem, metric: &Metric) {
        let problem = Scaled { problem, metric };
        let mut random = Random::new(4);
        let n = problem.problem.coordinates();
        let (x, mut y, mut z) = (random.vector(n), vec![0.0; n], vec![0.0; n]);
        for c in 0..problem.problem.contacts() {
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
        let (mut packed, mut metric) = (Packed::default(), Metric::default());
        let settings = PileSettings::default();
        for problem in [sphere_pyramid(3, &settings), random_problem(2, 6, 20)] {
            metric.load(&problem);
            packed.load(&problem, &metric);
            assert_eq!(packed.layout(), Layout::Six);
            agrees(&packed.spatial, &problem, &metric);
        }
        let mut problem = disk_pile(4, &settings);
        metric.load(&problem);
        packed.load(&problem, &metric);
        assert_eq!(packed.layout(), Layout::Flat);
        agrees(&packed.flat, &problem, &metric);
        problem.push_span(0, [[0.1, 0.2, 0.3]; 3]);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        metric.load(&problem);
        packed.load(&problem, &metric);
        assert_eq!(packed.layout(), Layout::Three);
        agrees(&packed.planar, &problem, &metric);
    }

    #[test]
    fn other_contacts_are_read_as_they_are() {
        let mut problem = MotionProblem::default();
        problem.clear(3, [6, 6, 6]);
        (0..3).for_each(|node| problem.push_span(node, [[1.0; 3]; 6]));
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        let (mut packed, mut metric) = (Packed::default(), Metric::default());
        metric.load(&problem);
        packed.load(&problem, &metric);
        assert_eq!(packed.layout(), Layout::General);
        problem.clear(3, [6, 2]);
        metric.load(&problem);
        packed.load(&problem, &metric);
        assert_eq!(packed.layout(), Layout::General);
    }
}
