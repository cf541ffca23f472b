//! Velocities to twice the working precision: near an answer they are small differences of large terms, and stiff contact makes impulses of
//! what rounding leaves of them.

use super::MotionProblem;
use crate::cone::Triple;
use crate::linalg::Pair;

/// Memory.
#[derive(Clone, Debug, Default)]
pub(super) struct TwiceWork {
    x: Vec<Pair>,
}

impl TwiceWork {
    /// `H r` of the last call.
    pub(super) fn coordinates(&self) -> impl Iterator<Item = f64> {
        self.x.iter().map(|x| x.value())
    }
}

/// `u = Hᵀ H r + ε r + q`.
pub(super) fn velocities(
    problem: &MotionProblem,
    r: &[Triple],
    work: &mut TwiceWork,
    u: &mut Vec<Triple>,
) {
    velocities_of(problem, (r, &[]), work, u);
}

/// The same for impulses `r + low`; an empty low is none.
pub(super) fn velocities_of(
    problem: &MotionProblem,
    (r, low): (&[Triple], &[Triple]),
    work: &mut TwiceWork,
    u: &mut Vec<Triple>,
) {
    work.x.clear();
    work.x.resize(problem.coordinates(), Pair::default());
    for (c, r_c) in r.iter().enumerate().filter(|(_, r_c)| **r_c != [0.0; 3]) {
        for (_, first, rows) in problem.spans(c) {
            for (x, h) in nonzero(work.x[first..].iter_mut().zip(rows)) {
                (0..3).for_each(|i| x.add_product(h[i], r_c[i]));
                if let Some(low) = low.get(c) {
                    (0..3).for_each(|i| x.add_product(h[i], low[i]));
                }
            }
        }
    }
    u.clear();
    for (c, r_c) in r.iter().enumerate() {
        let (eps, q) = (&problem.eps()[c], &problem.q()[c]);
        let mut sum: [Pair; 3] = q.map(Pair::of);
        for (_, first, rows) in problem.spans(c) {
            for (x, h) in nonzero(work.x[first..].iter().zip(rows)) {
                for i in 0..3 {
                    sum[i].add_product(h[i], x.high);
                    sum[i].low += h[i] * x.low;
                }
            }
        }
        (0..3).for_each(|i| sum[i].add_product(eps[i], r_c[i]));
        if let Some(low) = low.get(c) {
            (0..3).for_each(|i| sum[i].add_product(eps[i], low[i]));
        }
        u.push(sum.map(Pair::value));
    }
}

/// Without coordinates that a contact does not move: of a tree, those of other branches.
fn nonzero<'a, X>(
    rows: impl Iterator<Item = (X, &'a Triple)>,
) -> impl Iterator<Item = (X, &'a Triple)> {
    rows.filter(|(_, h)| **h != [0.0; 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    #[test]
    fn what_cancels_leaves_digits() {
        // a node that two contacts push apart with 1e15, and a third one with 1
        let mut problem = MotionProblem::default();
        problem.clear(3, [1]);
        for (h, q) in [(1.0, 0.0), (-1.0, 0.0), (1.0, -1.0)] {
            problem.push_span(0, [[h, 0.0, 0.0]]);
            problem.end_contact([0.0; 3], [q, 0.0, 0.0], 0.0);
        }
        let (third, mut u) = (1.0 / 3.0, Vec::new());
        let r = [[1e15, 0.0, 0.0], [1e15, 0.0, 0.0], [third, 0.0, 0.0]];
        velocities(&problem, &r, &mut TwiceWork::default(), &mut u);
        assert_eq!(u.iter().map(|u| u[0]).collect::<Vec<_>>(), [third, -third, third - 1.0]);
    }

    #[test]
    fn they_are_those_that_the_judge_finds_in_its_own_way() {
        for seed in 0..10 {
            let problem = random_problem(seed, 12, 30);
            let mut random = Random::new(seed);
            let r: Vec<Triple> = (0..30).map(|_| std::array::from_fn(|_| random.next())).collect();
            let (mut judge, mut u) = (Judge::default(), Vec::new());
            judge.motion(&problem, &r);
            velocities(&problem, &r, &mut TwiceWork::default(), &mut u);
            let own = u.as_flattened().iter().zip(judge.w());
            assert!(own.clone().all(|(a, b)| (a - b).abs() <= 1e-15 * (1.0 + b.abs())), "{seed}");
        }
    }
}
