//! Products with all of H, contact after contact: where all nodes are as wide, rows are read from front to back without a look at where they begin.

use super::MotionProblem;
use crate::cone::Triple;

impl MotionProblem {
    /// `H_cᵀ x` of each contact in its turn.
    #[inline]
    pub(in crate::motion) fn each_velocity(&self, x: &[f64], mut each: impl FnMut(usize, Triple)) {
        match self.width {
            3 => self.each_velocity_of::<3>(x, each),
            6 => self.each_velocity_of::<6>(x, each),
            _ => (0..self.contacts()).for_each(|c| each(c, self.velocity(c, x))),
        }
    }

    #[inline(always)]
    fn each_velocity_of<const N: usize>(&self, x: &[f64], mut each: impl FnMut(usize, Triple)) {
        let (x, rows) = (x.as_chunks::<N>().0, self.value.as_chunks::<N>().0);
        for (c, range) in self.start.windows(2).enumerate() {
            let range = range[0]..range[1];
            let mut u = [0.0; 3];
            for (span, rows) in self.span[range.clone()].iter().zip(&rows[range]) {
                let x = &x[span.node];
                for k in 0..N {
                    (0..3).for_each(|i| u[i] += rows[k][i] * x[k]);
                }
            }
            each(c, u);
        }
    }

    /// `x = H r`.
    pub fn motion(&self, r: &[Triple], x: &mut [f64]) {
        x.fill(0.0);
        match self.width {
            3 => self.add_motions_of::<3>(r, x),
            6 => self.add_motions_of::<6>(r, x),
            _ => {
                for (c, r_c) in r.iter().enumerate().filter(|(_, r_c)| **r_c != [0.0; 3]) {
                    self.add_motion(c, r_c, x);
                }
            }
        }
    }

    fn add_motions_of<const N: usize>(&self, r: &[Triple], x: &mut [f64]) {
        let (x, rows) = (x.as_chunks_mut::<N>().0, self.value.as_chunks::<N>().0);
        for (r, range) in r.iter().zip(self.start.windows(2)).filter(|(r, _)| **r != [0.0; 3]) {
            let range = range[0]..range[1];
            for (span, rows) in self.span[range.clone()].iter().zip(&rows[range]) {
                let x = &mut x[span.node];
                for (x_k, h) in x.iter_mut().zip(rows) {
                    *x_k += h[0] * r[0] + h[1] * r[1] + h[2] * r[2];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::families::piles::{PileSettings, disk_pile};
    use crate::motion::MotionProblem;
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    fn of_widths(widths: [usize; 3]) -> MotionProblem {
        let (mut problem, mut random) = (MotionProblem::default(), Random::new(7));
        problem.clear(3, widths);
        for (a, b) in [(0, 1), (2, 1), (0, 0), (1, 0)] {
            for node in if a == b { vec![a] } else { vec![a, b] } {
                let rows: Vec<_> =
                    (0..widths[node]).map(|_| std::array::from_fn(|_| random.next())).collect();
                problem.push_span(node, rows);
            }
            problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        }
        problem
    }

    /// The same bits as contact by contact, whatever the widths of the nodes are.
    #[test]
    fn passes_are_the_sums_of_their_contacts() {
        let pile = disk_pile(4, &PileSettings::default());
        let problems = [pile, random_problem(2, 6, 20), of_widths([3, 3, 3]), of_widths([3, 6, 2])];
        for problem in problems {
            let mut random = Random::new(3);
            let x = random.vector(problem.coordinates());
            let mut count = 0;
            problem.each_velocity(&x, |c, u| {
                assert_eq!((c, u), (count, problem.velocity(c, &x)));
                count += 1;
            });
            assert_eq!(count, problem.contacts());
            let mut r: Vec<_> =
                (0..count).map(|_| std::array::from_fn(|_| random.next())).collect();
            r[1] = [0.0; 3];
            let (mut all, mut one_by_one) = (vec![1.0; x.len()], vec![0.0; x.len()]);
            problem.motion(&r, &mut all);
            r.iter().enumerate().for_each(|(c, r)| problem.add_motion(c, r, &mut one_by_one));
            assert_eq!(all, one_by_one);
        }
    }
}
