//! The last digits of few contacts on many coordinates, as of a robot on its feet: `polish.rs` by the entries of W, where no contact slips.
//!
//! ```text
//!  (W + 1/(κ m)) dr = −u      rows of contacts that stick      r ← r + dr
//! ```
//!
//! Where W is far from singular there are no forces by which contacts hold each other, and κ may be so large that one step or two are enough; rows
//! without entries stay solvable by it. Elsewhere, as of links around a drum, which pull at each other, κ is gentle and takes steps more. And only from near: what comes from farther may be another answer than the one that the start belongs to. Velocities are found once: what a
//! small step changes of them is small, and known well enough by `W dr`. Those of `W r + q` are as good as the entries of W, which is rounding of the impulses;
//! where that is not enough they are found to twice the precision. W is a matrix of blocks, 3 × 3 for each pair of contacts, and so are its factors.

mod block;

use super::MotionProblem;
use super::mode::{Mode, let_go_of_pulling};
use super::twice::{TwiceWork, velocities};
use crate::cone::Triple;
use block::{Block, inverse, product, take_product, times};

/// Up to so many contacts.
const MOST: usize = 12;
/// κ of a regular W and of others, and steps from velocities that are known.
const REGULAR: (f64, usize) = (1e14, 8);
const GENTLE: (f64, usize) = (1e4, 30);
/// What must be left of each row beside those before it for W to be regular, as a part of its square.
const LEFT: f64 = 1e-4;
/// The largest step as a part of the impulses.
const NEAR: f64 = 0.1;
/// Velocities of contacts that stick above this part of q are no rounding.
const FAR: f64 = 1e-10;

/// How well velocities are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// As [`FewWork::find_modes`] left them.
    Single,
    Twice,
}

#[derive(Clone, Debug, Default)]
pub(super) struct FewWork {
    /// Blocks of W on and below its diagonal, row by row.
    W: Vec<Block>,
    mass: Vec<f64>,
    mode: Vec<Mode>,
    /// Largest entry of q.
    size: f64,
    /// Contacts that stick; of these the factors `L D Lᵀ` of what is solved with, stored as W is: L, and on the diagonal D⁻¹.
    sticks: Vec<usize>,
    L: Vec<Block>,
    /// A step of each of them.
    x: Vec<Triple>,
    u: Vec<Triple>,
    /// Where a polish began.
    before: Vec<Triple>,
    twice: TwiceWork,
    /// Memory: rows of H that are not empty, contact after contact, where those of each begin, and one contact over all coordinates.
    row: Vec<(usize, Triple)>,
    start: Vec<usize>,
    dense: Vec<Triple>,
}

/// Where block (i, j) is, j ≤ i.
fn at(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

impl FewWork {
    /// Makes W of a problem with few contacts on more coordinates; false where it is another.
    pub(super) fn begin(&mut self, problem: &MotionProblem) -> bool {
        let contacts = problem.contacts();
        if contacts > MOST || 3 * contacts > problem.coordinates() {
            return false;
        }
        self.list_rows(problem);
        self.dense.clear();
        self.dense.resize(problem.coordinates(), [0.0; 3]);
        self.W.clear();
        self.mass.clear();
        for c in 0..contacts {
            let own = self.start[c]..self.start[c + 1];
            self.row[own.clone()].iter().for_each(|&(k, h)| self.dense[k] = h);
            for d in 0..=c {
                let mut block = Block::default();
                for (k, h) in &self.row[self.start[d]..self.start[d + 1]] {
                    let g = &self.dense[*k];
                    (0..9).for_each(|i| block[i / 3][i % 3] += g[i / 3] * h[i % 3]);
                }
                self.W.push(block);
            }
            self.row[own].iter().for_each(|&(k, _)| self.dense[k] = [0.0; 3]);
            let diagonal = &mut self.W[at(c, c)];
            (0..3).for_each(|i| diagonal[i][i] += problem.eps()[c][i]);
            let mass = problem.dim() as f64 / (diagonal[0][0] + diagonal[1][1] + diagonal[2][2]);
            self.mass.push(if mass > 0.0 && mass.is_finite() { mass } else { 1.0 });
        }
        true
    }

    fn list_rows(&mut self, problem: &MotionProblem) {
        self.row.clear();
        self.start.clear();
        self.start.push(0);
        for c in 0..problem.contacts() {
            for (_, first, rows) in problem.spans(c) {
                for (k, h) in rows.iter().enumerate() {
                    if h[0] != 0.0 || h[1] != 0.0 || h[2] != 0.0 {
                        self.row.push((first + k, *h));
                    }
                }
            }
            self.start.push(self.row.len());
        }
    }

    /// Finds modes at r. None where a contact slips; else whether contacts that stick move by more than rounding.
    pub(super) fn find_modes(&mut self, problem: &MotionProblem, r: &[Triple]) -> Option<bool> {
        self.find_velocities(problem, r);
        self.mode.clear();
        self.size = size_of(problem.q());
        let mut fastest = 0.0;
        for (c, (r, u)) in r.iter().zip(&self.u).enumerate() {
            let z: Triple = std::array::from_fn(|i| r[i] - self.mass[c] * u[i]);
            let mode = Mode::of(&z, problem.mu()[c]);
            if mode == Mode::Slip {
                return None;
            }
            self.mode.push(mode);
            if mode == Mode::Stick {
                fastest = largest(u, fastest);
            }
        }
        Some(fastest > FAR * self.size)
    }

    /// Improves r, whose modes have been found. False if r is not near; it is as it was then.
    pub(super) fn polish(
        &mut self,
        problem: &MotionProblem,
        precision: Precision,
        r: &mut [Triple],
    ) -> bool {
        let steps = if self.factor(REGULAR.0, LEFT) {
            REGULAR.1
        } else if self.factor(GENTLE.0, 0.0) {
            GENTLE.1
        } else {
            return false;
        };
        self.before.clear();
        self.before.extend_from_slice(r);
        let mut is_opened = false;
        for (r, mode) in r.iter_mut().zip(&self.mode) {
            if *mode == Mode::Open && *r != [0.0; 3] {
                *r = [0.0; 3];
                is_opened = true;
            }
        }
        match precision {
            Precision::Single if is_opened => self.find_velocities(problem, r),
            Precision::Single => {}
            Precision::Twice => velocities(problem, r, &mut self.twice, &mut self.u),
        }
        let is_near = self.refine(steps, r) <= NEAR * size_of(r);
        if !is_near {
            r.copy_from_slice(&self.before);
        }
        let_go_of_pulling(r);
        is_near
    }

    /// Steps from velocities that are known; what a step changes of them follows from W. Returns the largest step.
    fn refine(&mut self, steps: usize, r: &mut [Triple]) -> f64 {
        let (mut largest_step, rounding) = (0.0, f64::EPSILON * size_of(r));
        for _ in 0..steps {
            self.solve();
            let step = size_of(&self.x);
            if step <= rounding {
                break;
            }
            largest_step = step.max(largest_step);
            for (dr, &c) in self.x.iter_mut().zip(&self.sticks) {
                let next = std::array::from_fn(|i| r[c][i] + dr[i]);
                // what r really changes by
                *dr = std::array::from_fn(|i| next[i] - r[c][i]);
                r[c] = next;
            }
            for (i, &c) in self.sticks.iter().enumerate() {
                for (j, &d) in self.sticks[..=i].iter().enumerate() {
                    add_pair((&self.W[at(c, d)], (c, d)), (&self.x[i], &self.x[j]), &mut self.u);
                }
            }
            let fastest = self.sticks.iter().fold(0.0, |fastest, &c| largest(&self.u[c], fastest));
            if fastest <= f64::EPSILON * self.size {
                break;
            }
        }
        largest_step
    }

    /// `u = W r + q`.
    fn find_velocities(&mut self, problem: &MotionProblem, r: &[Triple]) {
        self.u.clear();
        self.u.extend_from_slice(problem.q());
        for c in 0..r.len() {
            for d in 0..=c {
                add_pair((&self.W[at(c, d)], (c, d)), (&r[c], &r[d]), &mut self.u);
            }
        }
    }

    /// Factors `W + 1/(κ m)` of the contacts that stick; false where less than this part is left of a row of W.
    fn factor(&mut self, stiffness: f64, left: f64) -> bool {
        let sticks = self.mode.iter().enumerate().filter(|(_, mode)| **mode == Mode::Stick);
        self.sticks.clear();
        self.sticks.extend(sticks.map(|(c, _)| c));
        self.L.clear();
        for (i, &c) in self.sticks.iter().enumerate() {
            self.L.extend(self.sticks[..=i].iter().map(|&d| self.W[at(c, d)]));
            let added = 1.0 / (stiffness * self.mass[c]);
            (0..3).for_each(|a| self.L[at(i, i)][a][a] += added);
        }
        for (i, &c) in self.sticks.iter().enumerate() {
            let (done, own) = self.L.split_at_mut(at(i, 0));
            // A_ik becomes (L D)_ik, then L_ik
            for k in 0..i {
                let (before, rest) = own.split_at_mut(k);
                for (LD_ij, L_kj) in before.iter().zip(&done[at(k, 0)..]) {
                    take_product(LD_ij, L_kj, &mut rest[0]);
                }
            }
            let (before, diagonal) = own.split_at_mut(i);
            for (k, LD_ik) in before.iter_mut().enumerate() {
                let L_ik = product(LD_ik, &done[at(k, k)]);
                take_product(&L_ik, LD_ik, &mut diagonal[0]);
                *LD_ik = L_ik;
            }
            let W = &self.W[at(c, c)];
            let least = std::array::from_fn(|a| left * W[a][a]);
            let Some(inverse) = inverse(&diagonal[0], &least) else { return false };
            diagonal[0] = inverse;
        }
        true
    }

    /// `x = −(W + 1/(κ m))⁻¹ u` of the contacts that stick.
    fn solve(&mut self) {
        self.x.clear();
        self.x.extend(self.sticks.iter().map(|&c| self.u[c].map(|u| -u)));
        for i in 0..self.x.len() {
            let (before, own) = self.x.split_at_mut(i);
            for (x, L) in before.iter().zip(&self.L[at(i, 0)..]) {
                (0..3).for_each(|a| own[0][a] -= L[a][0] * x[0] + L[a][1] * x[1] + L[a][2] * x[2]);
            }
        }
        for i in (0..self.x.len()).rev() {
            let (x, inverse) = (self.x[i], &self.L[at(i, i)]);
            self.x[i] = times(inverse, &x);
            for j in i + 1..self.x.len() {
                let (x, L) = (self.x[j], &self.L[at(j, i)]);
                (0..3).for_each(|a| {
                    self.x[i][a] -= L[0][a] * x[0] + L[1][a] * x[1] + L[2][a] * x[2];
                });
            }
        }
    }
}

/// What a block of W does to the velocities of its two contacts.
#[inline(always)]
fn add_pair(
    (W, (c, d)): (&Block, (usize, usize)),
    (r_c, r_d): (&Triple, &Triple),
    u: &mut [Triple],
) {
    let own = times(W, r_d);
    (0..3).for_each(|a| u[c][a] += own[a]);
    if c != d {
        (0..3).for_each(|a| u[d][a] += W[0][a] * r_c[0] + W[1][a] * r_c[1] + W[2][a] * r_c[2]);
    }
}

fn size_of(r: &[Triple]) -> f64 {
    r.iter().fold(0.0, |size, r| largest(r, size))
}

fn largest(x: &Triple, so_far: f64) -> f64 {
    x.iter().fold(so_far, |m, x| m.max(x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judge;
    use crate::testing::Random;

    /// Four contacts on a node of 18 coordinates, as the feet of a robot, and impulses that hold them.
    fn feet(seed: u64) -> (MotionProblem, Vec<Triple>) {
        feet_of(seed, None)
    }

    /// The same with one of them in the air, which rises at 1.
    fn feet_of(seed: u64, raised: Option<usize>) -> (MotionProblem, Vec<Triple>) {
        let mut random = Random::new(seed);
        let mut r: Vec<Triple> = (0..4)
            .map(|_| [1.0 + random.next().abs(), 0.1 * random.next(), 0.1 * random.next()])
            .collect();
        if let Some(c) = raised {
            r[c] = [0.0; 3];
        }
        let H: Vec<Vec<Triple>> = (0..4)
            .map(|c| {
                let own = |k: usize| k < 6 || (6 + 3 * c..9 + 3 * c).contains(&k);
                let mut row =
                    |k| if own(k) { std::array::from_fn(|_| random.next()) } else { [0.0; 3] };
                (0..18).map(&mut row).collect()
            })
            .collect();
        let mut x = [0.0; 18];
        for (H, r) in H.iter().zip(&r) {
            H.iter().zip(&mut x).for_each(|(h, x)| *x += h[0] * r[0] + h[1] * r[1] + h[2] * r[2]);
        }
        let mut problem = MotionProblem::default();
        problem.clear(3, [18]);
        for (c, H) in H.iter().enumerate() {
            problem.push_span(0, H.iter().copied());
            let u = |i: usize| -H.iter().zip(&x).map(|(h, x)| h[i] * x).sum::<f64>();
            let rise = if raised == Some(c) { 1.0 } else { 0.0 };
            problem.end_contact([0.0; 3], [u(0) + rise, u(1), u(2)], 0.8);
        }
        (problem, r)
    }

    #[test]
    fn from_a_thousandth_off_to_rounding() {
        for seed in 0..20 {
            let (problem, exact) = feet(seed);
            let mut r: Vec<Triple> = exact.iter().map(|r| r.map(|r| 1.001 * r)).collect();
            let mut work = FewWork::default();
            assert!(work.begin(&problem));
            assert_eq!(work.find_modes(&problem, &r), Some(true));
            assert!(work.polish(&problem, Precision::Single, &mut r));
            let residual = Judge::default().motion(&problem, &r);
            assert!(residual.scaled < 3e-15_f64.max(3.0 * residual.floor), "{seed}: {residual:?}");
            assert_eq!(work.find_modes(&problem, &r), Some(false));
            // what is at rounding keeps its bits
            assert!(work.polish(&problem, Precision::Twice, &mut r));
            let before = r.clone();
            assert!(work.polish(&problem, Precision::Twice, &mut r) && r == before, "{seed}");
        }
    }

    #[test]
    fn a_foot_in_the_air_is_let_go_and_the_others_hold() {
        for seed in 0..20 {
            let (problem, exact) = feet_of(seed, Some(2));
            let mut r: Vec<Triple> = exact.iter().map(|r| r.map(|r| 1.001 * r)).collect();
            r[2] = [1e-4, 0.0, 0.0];
            let mut work = FewWork::default();
            assert!(work.begin(&problem));
            assert_eq!(work.find_modes(&problem, &r), Some(true));
            assert!(work.polish(&problem, Precision::Single, &mut r) && r[2] == [0.0; 3], "{seed}");
            let residual = Judge::default().motion(&problem, &r);
            assert!(residual.scaled < 3e-15_f64.max(3.0 * residual.floor), "{seed}: {residual:?}");
        }
    }

    #[test]
    fn contacts_that_hold_each_other_go_on_to_do_so() {
        // two contacts against each other on one coordinate
        let mut problem = MotionProblem::default();
        problem.clear(3, [6]);
        for side in [1.0, -1.0] {
            let row = |k: usize| std::array::from_fn(|i| if i == k { side } else { 0.0 });
            problem.push_span(0, (0..6).map(row));
            problem.end_contact([0.0; 3], [-1.5 * side, 0.0, 0.0], 0.5);
        }
        let mut r = vec![[10.0, 0.0, 0.0], [8.0, 0.0, 0.0]];
        let mut work = FewWork::default();
        assert!(work.begin(&problem));
        assert_eq!(work.find_modes(&problem, &r), Some(true));
        assert!(work.polish(&problem, Precision::Single, &mut r));
        let off = [r[0][0] - 9.75, r[1][0] - 8.25];
        assert!(off.iter().all(|off| off.abs() < 1e-13), "{r:?}");
    }

    #[test]
    fn what_is_far_is_left_alone() {
        let (problem, exact) = feet(3);
        let mut r: Vec<Triple> = exact.iter().map(|r| r.map(|r| 1.2 * r)).collect();
        let (before, mut work) = (r.clone(), FewWork::default());
        assert!(work.begin(&problem));
        assert_eq!(work.find_modes(&problem, &r), Some(true));
        assert!(!work.polish(&problem, Precision::Single, &mut r) && r == before);
    }

    #[test]
    fn others_are_left_alone() {
        let (mut problem, r) = feet(1);
        let mut work = FewWork::default();
        assert!(work.begin(&problem));
        // on the edge of its cone and beyond
        let slips: Vec<Triple> = r.iter().map(|r| [r[0], 2.0 * r[0], 0.0]).collect();
        assert_eq!(work.find_modes(&problem, &slips), None);
        problem.clear(3, [2]);
        problem.push_span(0, [[1.0, 0.0, 0.0]; 2]);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        assert!(!work.begin(&problem), "fewer coordinates than rows");
    }
}
