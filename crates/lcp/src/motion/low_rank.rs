//! A factorization that follows single contacts from mode to mode.
//!
//! Where one contact changes its block by `a gᵀ`, the matrix `F = I + B D C` changes by `(B_c a)(g C_c)`, and Sherman and Morrison's formula gives
//! the new inverse for the price of a solve: `F⁻¹ ← F⁻¹ − y (g C_c F⁻¹)/(1 + g C_c y)`, `y = F⁻¹ B_c a`.

use super::factor::{Block, Factor};
use super::space::Space;
use crate::cone::Triple;

/// Changes before the matrix is factored anew.
const CHANGES: usize = 24;
/// A new inverse that is this many times larger than the last is not trusted.
const LARGEST_GROWTH: f64 = 1e8;

#[derive(Clone, Debug, Default)]
pub(super) struct LowRank {
    change: Vec<Change>,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Change {
    contact: usize,
    g: Triple,
    y: Vec<f64>,
    /// `1 + g C_c y`.
    pivot: f64,
}

/// What a change of one block does to a direction (x, t) with `F x + B D d t = 0`: the new one is `(pivot x − rate y, pivot t)`.
pub(super) struct Turn<'a> {
    pub(super) pivot: f64,
    pub(super) rate: f64,
    pub(super) y: &'a [f64],
}

impl LowRank {
    /// The matrix was factored.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// `x ← F⁻¹ x` with all changes since.
    pub(super) fn solve(&self, problem: &impl Space, factor: &mut Factor, x: &mut [f64]) {
        factor.solve(x);
        for change in &self.change[..self.count] {
            let rate = dot(&change.g, &problem.velocity(change.contact, x)) / change.pivot;
            x.iter_mut().zip(&change.y).for_each(|(x, y)| *x -= rate * y);
        }
    }

    /// Notes the change of one block and says what becomes of the direction of the path. None where the matrix must be factored anew.
    pub(super) fn change(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        (contact, before, after): (usize, &Block, &Block),
        (way, t_way, d): (&[f64], f64, &Triple),
    ) -> Option<Turn<'_>> {
        if self.count >= CHANGES {
            return None;
        }
        let (a, g) = product(before, after)?;
        if self.change.len() == self.count {
            self.change.push(Change::default());
        }
        let mut y = std::mem::take(&mut self.change[self.count].y);
        y.clear();
        y.resize(problem.coordinates(), 0.0);
        problem.add_motion(contact, &a, &mut y);
        self.solve(problem, factor, &mut y);
        let response = dot(&g, &problem.velocity(contact, &y));
        let pivot = 1.0 + response;
        self.change[self.count] = Change { contact, g, y, pivot };
        if !(pivot.abs() * LARGEST_GROWTH > 1.0 + response.abs()) {
            return None;
        }
        self.count += 1;
        let rate = dot(&g, &problem.velocity(contact, way)) + t_way * dot(&g, d);
        Some(Turn { pivot, rate, y: &self.change[self.count - 1].y })
    }
}

/// a and g of `after − before = a gᵀ`; None where the rank is larger.
fn product(before: &Block, after: &Block) -> Option<(Triple, Triple)> {
    let difference: Block = std::array::from_fn(|k| after[k] - before[k]);
    let row = |i: usize| [difference[3 * i], difference[3 * i + 1], difference[3 * i + 2]];
    let size = |i: usize| dot(&row(i), &row(i));
    let largest = (0..3).max_by(|&i, &j| size(i).total_cmp(&size(j)))?;
    let g = row(largest);
    let scale = size(largest);
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    let a: Triple = std::array::from_fn(|i| dot(&row(i), &g) / scale);
    let rest = |k: usize| (difference[k] - a[k / 3] * g[k % 3]).powi(2);
    ((0..9).map(rest).sum::<f64>() <= 1e-20 * scale).then_some((a, g))
}

fn dot(a: &Triple, b: &Triple) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::random_problem;
    use crate::testing::Random;

    #[test]
    fn changed_blocks_give_the_solution_and_the_direction_of_the_matrix_factored_anew() {
        for seed in 0..10 {
            let problem = random_problem(seed, 12, 40);
            let mut random = Random::new(seed + 7);
            let mut D: Vec<Block> = vec![[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]; 40];
            let d: Vec<Triple> = (0..40).map(|_| std::array::from_fn(|_| random.next())).collect();
            let (mut factor, mut low_rank) = (Factor::default(), LowRank::default());
            factor.analyse(&problem);
            assert!(factor.factor(&problem, &D, false));
            let n = problem.coordinates();
            let mut way = direction(&problem, &mut factor, &D, &d);
            let mut t_way = 1.0;
            for c in [3, 17, 17, 31] {
                let (a, g): (Triple, Triple) =
                    std::array::from_fn::<Triple, 2, _>(|_| std::array::from_fn(|_| random.next()))
                        .into();
                let before = D[c];
                (0..9).for_each(|k| D[c][k] += a[k / 3] * g[k % 3]);
                let at = (way.as_slice(), t_way, &d[c]);
                let turn = low_rank.change(&problem, &mut factor, (c, &before, &D[c]), at).unwrap();
                way = way.iter().zip(turn.y).map(|(w, y)| turn.pivot * w - turn.rate * y).collect();
                t_way *= turn.pivot;
            }
            let b = random.vector(n);
            let mut x = b.clone();
            low_rank.solve(&problem, &mut factor, &mut x);
            let mut anew = Factor::default();
            anew.analyse(&problem);
            assert!(anew.factor(&problem, &D, false));
            let mut expected = b;
            anew.solve(&mut expected);
            let way_expected = direction(&problem, &mut anew, &D, &d);
            for i in 0..n {
                assert!((x[i] - expected[i]).abs() <= 1e-8, "{seed} {i}");
                assert!((way[i] / t_way - way_expected[i]).abs() <= 1e-8, "{seed} {i}");
            }
        }
    }

    fn direction(
        problem: &crate::motion::MotionProblem,
        factor: &mut Factor,
        D: &[Block],
        d: &[Triple],
    ) -> Vec<f64> {
        let mut way = vec![0.0; problem.coordinates()];
        for c in 0..d.len() {
            let v = std::array::from_fn(|i| {
                -(D[c][3 * i] * d[c][0] + D[c][3 * i + 1] * d[c][1] + D[c][3 * i + 2] * d[c][2])
            });
            problem.add_motion(c, &v, &mut way);
        }
        factor.solve(&mut way);
        way
    }

    #[test]
    fn a_change_of_larger_rank_or_to_a_singular_matrix_is_refused() {
        let mut problem = crate::motion::MotionProblem::default();
        problem.clear(3, [1]);
        problem.push_span(0, [[1.0, 0.0, 0.0]]);
        problem.end_contact([0.0; 3], [0.0; 3], 0.0);
        let (mut factor, mut low_rank) = (Factor::default(), LowRank::default());
        factor.analyse(&problem);
        let none = [0.0; 9];
        assert!(factor.factor(&problem, &[none], false));
        let mut after = none;
        after[0] = -1.0;
        let at: (&[f64], f64, &Triple) = (&[1.0], 1.0, &[1.0; 3]);
        assert!(low_rank.change(&problem, &mut factor, (0, &none, &after), at).is_none());
        after[4] = 1.0;
        assert!(low_rank.change(&problem, &mut factor, (0, &none, &after), at).is_none());
        after = none;
        after[0] = 1.0;
        assert!(low_rank.change(&problem, &mut factor, (0, &none, &after), at).is_some());
    }
}
