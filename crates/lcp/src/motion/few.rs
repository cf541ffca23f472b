//! The last digits of few contacts on many coordinates, as of a robot on its feet: `polish.rs` by the entries of W, where no contact slips.
//!
//! ```text
//!  (W + 1/(κ m)) dr = −u      rows of contacts that stick      r ← r + dr
//! ```
//!
//! Only where W is far from singular: there are no forces by which contacts hold each other then, and κ may be large, so that a step brings up to
//! seven digits. And only from near: what comes from farther may be another answer than the one that the start belongs to. Velocities are found to twice the precision once: what a small step changes of them is small, and known well enough by `W dr`.

use super::MotionProblem;
use super::mode::Mode;
use super::twice::{TwiceWork, velocities};
use crate::cone::Triple;

/// Up to so many contacts.
const MOST: usize = 12;
/// κ.
const STIFFNESS: f64 = 1e7;
/// What must be left of each row beside those before it for W to be regular, as a part of its square.
const REGULAR: f64 = 1e-4;
/// Steps from velocities of twice the precision, and the largest one as a part of the impulses.
const STEPS: usize = 8;
const NEAR: f64 = 1e-2;
/// Velocities of contacts that stick above this part of q are no rounding.
const FAR: f64 = 1e-10;

#[derive(Clone, Debug, Default)]
pub(super) struct FewWork {
    /// Rows.
    n: usize,
    /// By columns, n × n: W, and in its lower triangle the factors `L D Lᵀ` of what is solved with.
    W: Vec<f64>,
    L: Vec<f64>,
    mass: Vec<f64>,
    mode: Vec<Mode>,
    x: Vec<f64>,
    u: Vec<Triple>,
    /// Where a polish began.
    before: Vec<Triple>,
    twice: TwiceWork,
}

impl FewWork {
    /// Makes W of a problem with few contacts on more coordinates; false where it is another.
    pub(super) fn begin(&mut self, problem: &MotionProblem) -> bool {
        let contacts = problem.contacts();
        self.n = 3 * contacts;
        if contacts > MOST || self.n > problem.coordinates() {
            return false;
        }
        self.W.clear();
        self.W.resize(self.n * self.n, 0.0);
        self.mass.clear();
        for c in 0..contacts {
            (0..3).for_each(|i| self.W[(3 * c + i) * (self.n + 1)] = problem.eps()[c][i]);
            (0..=c).for_each(|d| self.add_pair(problem, c, d));
            let trace: f64 = (0..3).map(|i| self.W[(3 * c + i) * (self.n + 1)]).sum();
            let mass = problem.dim() as f64 / trace;
            self.mass.push(if mass > 0.0 && mass.is_finite() { mass } else { 1.0 });
        }
        true
    }

    /// `H_cᵀ H_d` and its transpose.
    fn add_pair(&mut self, problem: &MotionProblem, c: usize, d: usize) {
        let mut block = [[0.0; 3]; 3];
        for (node_c, _, rows_c) in problem.spans(c) {
            for (_, _, rows_d) in problem.spans(d).filter(|(node_d, ..)| *node_d == node_c) {
                for (g, h) in rows_c.iter().zip(rows_d) {
                    if *g == [0.0; 3] || *h == [0.0; 3] {
                        continue;
                    }
                    for (block, g) in block.iter_mut().zip(g) {
                        for (block, h) in block.iter_mut().zip(h) {
                            *block += g * h;
                        }
                    }
                }
            }
        }
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            self.W[(3 * d + j) * self.n + 3 * c + i] += block[i][j];
            if c != d {
                self.W[(3 * c + i) * self.n + 3 * d + j] += block[i][j];
            }
        }
    }

    /// Finds modes at r. None where a contact slips; else whether contacts that stick move by more than rounding.
    pub(super) fn find_modes(&mut self, problem: &MotionProblem, r: &[Triple]) -> Option<bool> {
        self.plain_velocities(problem, r);
        self.mode.clear();
        let (mut fastest, mut size) = (0.0, 0.0);
        for (c, (r, u)) in r.iter().zip(&self.u).enumerate() {
            let z: Triple = std::array::from_fn(|i| r[i] - self.mass[c] * u[i]);
            let mode = Mode::of(&z, problem.mu()[c]);
            if mode == Mode::Slip {
                return None;
            }
            self.mode.push(mode);
            size = largest(&problem.q()[c], size);
            if mode == Mode::Stick {
                fastest = largest(u, fastest);
            }
        }
        Some(fastest > FAR * size)
    }

    /// Improves r, whose modes are known. False if W is not regular or r not near; it is as it was then.
    pub(super) fn polish(&mut self, problem: &MotionProblem, r: &mut [Triple]) -> bool {
        if !self.factor() {
            return false;
        }
        self.before.clear();
        self.before.extend_from_slice(r);
        for (r, mode) in r.iter_mut().zip(&self.mode) {
            if *mode == Mode::Open {
                *r = [0.0; 3];
            }
        }
        velocities(problem, r, &mut self.twice, &mut self.u);
        let is_near = self.refine(r) <= NEAR * size_of(r);
        if !is_near {
            r.copy_from_slice(&self.before);
        }
        is_near
    }

    /// Steps from velocities that are known; what a step changes of them follows from W. Returns the largest step.
    fn refine(&mut self, r: &mut [Triple]) -> f64 {
        let mut largest_step = 0.0;
        for _ in 0..STEPS {
            self.solve();
            let step = self.x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if step <= f64::EPSILON * size_of(r) {
                break;
            }
            largest_step = step.max(largest_step);
            let u = self.u.as_flattened_mut();
            for (j, (r, dr)) in r.as_flattened_mut().iter_mut().zip(&self.x).enumerate() {
                let next = *r + dr;
                // what r really changes by
                let dr = next - *r;
                *r = next;
                let column = &self.W[j * self.n..(j + 1) * self.n];
                u.iter_mut().zip(column).for_each(|(u, w)| *u += w * dr);
            }
        }
        largest_step
    }

    /// `u = W r + q`.
    fn plain_velocities(&mut self, problem: &MotionProblem, r: &[Triple]) {
        self.u.clear();
        self.u.extend_from_slice(problem.q());
        let u = self.u.as_flattened_mut();
        for (j, r_j) in r.as_flattened().iter().enumerate().filter(|(_, r_j)| **r_j != 0.0) {
            let column = &self.W[j * self.n..(j + 1) * self.n];
            u.iter_mut().zip(column).for_each(|(u, w)| *u += w * r_j);
        }
    }

    /// Factors `W + 1/(κ m)` on the rows that stick; false if W is not regular.
    fn factor(&mut self) -> bool {
        let n = self.n;
        let is_open = |row: usize| self.mode[row / 3] == Mode::Open;
        self.L.clone_from(&self.W);
        for k in 0..n {
            if is_open(k) {
                (0..n).for_each(|i| (self.L[k * n + i], self.L[i * n + k]) = (0.0, 0.0));
                self.L[k * (n + 1)] = 1.0;
            } else {
                self.L[k * (n + 1)] += 1.0 / (STIFFNESS * self.mass[k / 3]);
            }
        }
        for k in 0..n {
            let (head, tail) = self.L.split_at_mut((k + 1) * n);
            let column = &mut head[k * n..];
            let d = column[k];
            let least = REGULAR * self.W[k * (n + 1)];
            if !(d > 0.0 && d.is_finite() && (is_open(k) || d >= least)) {
                return false;
            }
            for j in k + 1..n {
                let l = column[j] / d;
                if l != 0.0 {
                    let target = &mut tail[(j - k - 1) * n + j..(j - k) * n];
                    target.iter_mut().zip(&column[j..]).for_each(|(a, b)| *a -= l * b);
                }
            }
            let inverse = 1.0 / d;
            column[k + 1..].iter_mut().for_each(|l| *l *= inverse);
        }
        true
    }

    /// `x = −(W + 1/(κ m))⁻¹ u` on the rows that stick.
    fn solve(&mut self) {
        let n = self.n;
        self.x.clear();
        for (u, mode) in self.u.iter().zip(&self.mode) {
            self.x.extend(if *mode == Mode::Open { [0.0; 3] } else { u.map(|u| -u) });
        }
        for k in 0..n {
            let (head, tail) = self.x.split_at_mut(k + 1);
            let column = &self.L[k * n + k + 1..(k + 1) * n];
            tail.iter_mut().zip(column).for_each(|(x, l)| *x -= l * head[k]);
        }
        for k in (0..n).rev() {
            let column = &self.L[k * n + k + 1..(k + 1) * n];
            let later: f64 = column.iter().zip(&self.x[k + 1..]).map(|(l, x)| l * x).sum();
            self.x[k] = self.x[k] / self.L[k * (n + 1)] - later;
        }
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
        let mut random = Random::new(seed);
        let r: Vec<Triple> = (0..4)
            .map(|_| [1.0 + random.next().abs(), 0.1 * random.next(), 0.1 * random.next()])
            .collect();
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
        for H in &H {
            problem.push_span(0, H.iter().copied());
            let u = |i: usize| -H.iter().zip(&x).map(|(h, x)| h[i] * x).sum::<f64>();
            problem.end_contact([0.0; 3], [u(0), u(1), u(2)], 0.8);
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
            assert!(work.polish(&problem, &mut r));
            let residual = Judge::default().motion(&problem, &r);
            assert!(residual.scaled < 3e-15_f64.max(3.0 * residual.floor), "{seed}: {residual:?}");
            assert_eq!(work.find_modes(&problem, &r), Some(false));
            // what is at rounding keeps its bits
            let before = r.clone();
            assert!(work.polish(&problem, &mut r) && r == before, "{seed}");
        }
    }

    #[test]
    fn contacts_that_hold_each_other_are_left_alone() {
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
        assert!(!work.polish(&problem, &mut r));
        assert_eq!(r, [[10.0, 0.0, 0.0], [8.0, 0.0, 0.0]]);
    }

    #[test]
    fn what_is_far_is_left_alone() {
        let (problem, exact) = feet(3);
        let mut r: Vec<Triple> = exact.iter().map(|r| r.map(|r| 1.2 * r)).collect();
        let (before, mut work) = (r.clone(), FewWork::default());
        assert!(work.begin(&problem));
        assert_eq!(work.find_modes(&problem, &r), Some(true));
        assert!(!work.polish(&problem, &mut r) && r == before);
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
