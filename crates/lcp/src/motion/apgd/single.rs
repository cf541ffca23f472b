//! The gradient where much slips, in numbers of half the length: as far as a rough answer goes, and the first part of the way to a fine one.
//!
//! Rounding is 1e−7 of what moves, errors of interest here are 1e−5 and more. A pass reads half as much and has twice the lanes.

mod rows;

use super::{FOLLOW_EVERY, WORSE_THAN_NONE};
use crate::cone::Triple;
use crate::motion::MotionProblem;
use crate::report::{Status, Stop};
use rows::{Block, LANES, Law, Node, Pair, add_motion, velocity};

/// Rounding is far below this error.
const FLOOR: f32 = 1e-5;
/// A step that is this short is one of rounding.
const SHORTEST: f32 = 1e-5;

/// Memory, reused by every solve.
#[derive(Clone, Debug, Default)]
pub(super) struct SingleWork {
    pairs: Vec<Pair>,
    law: Vec<Law>,
    q_norm: f32,
    /// The iterate before, the iterate and the next one, and their motions.
    r: [Vec<Block>; 3],
    x: [Vec<Node>; 3],
    x_y: Vec<Node>,
    best: Vec<Block>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    size: f32,
    slope: f32,
}

/// Improves r in at most so many passes. `Solved` at the error `goal`, `Stalled` where the rest of the way is for longer numbers. Nothing where
/// the contacts are not rigid ones of two nodes of six coordinates each.
pub(super) fn descend(
    problem: &MotionProblem,
    (max_passes, goal): (usize, f64),
    work: &mut SingleWork,
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Option<(Status, usize)> {
    if !work.load(problem, r) {
        return None;
    }
    let (status, passes, is_better) = work.iterate(max_passes, goal as f32, stop);
    if is_better {
        for (c, r) in r.iter_mut().enumerate() {
            *r = std::array::from_fn(|i| f64::from(work.best[c / LANES][i][c % LANES]));
        }
    }
    Some((status, passes))
}

impl SingleWork {
    fn load(&mut self, problem: &MotionProblem, r: &[Triple]) -> bool {
        if !rows::load(problem, &mut self.pairs) {
            return false;
        }
        self.q_norm = rows::load_laws(problem, &mut self.law);
        for x in [&mut self.x_y].into_iter().chain(&mut self.x) {
            x.clear();
            x.resize(problem.nodes(), Node::default());
        }
        self.best.clear();
        self.best.resize(self.law.len(), Block::default());
        for (c, r) in r.iter().enumerate().filter(|(_, r)| r.iter().all(|r| r.is_finite())) {
            (0..3).for_each(|i| self.best[c / LANES][i][c % LANES] = r[i] as f32);
        }
        for (law, r) in self.law.iter().zip(&mut self.best) {
            *r = law.project(r);
        }
        self.r.iter_mut().for_each(|r| r.clone_from(&self.best));
        true
    }

    /// How it ended, passes, and whether anything was found.
    fn iterate(&mut self, max_passes: usize, goal: f32, stop: Stop<'_>) -> (Status, usize, bool) {
        let mut passes = 2;
        self.find_motion();
        let mut best = self.measure();
        if !(best <= WORSE_THAN_NONE as f32) {
            self.r.iter_mut().for_each(|r| r.fill(Block::default()));
            self.x[1].fill(Node::default());
            passes += 1;
            best = self.measure();
            self.best.clone_from(&self.r[1]);
        }
        let first = best;
        let (mut step, mut momentum, mut beta) = (0.3_f32, 1.0_f32, 0.0_f32);
        let mut asked = passes;
        while !(best <= goal.max(FLOOR)) {
            if stop() {
                return (Status::Stopped, passes, best < first);
            }
            if passes >= max_passes {
                return (Status::IterationLimit, passes, best < first);
            }
            passes += 1;
            let sums = self.advance(step, beta);
            // as long as the step is short enough for its model of the potential
            let curvature = squared_distance(&self.x[2], &self.x_y);
            if !(step * curvature <= sums.size) {
                let (shorter, most) = (0.9 * sums.size / curvature, 0.95 * step);
                step = if shorter > 0.0 && shorter < most { shorter } else { most };
                if step < SHORTEST {
                    return (Status::Stalled, passes, best < first);
                }
                continue;
            }
            if step * curvature < 0.6 * sums.size {
                step *= 1.02;
            }
            if sums.slope > 0.0 {
                (momentum, beta) = (1.0, 0.0);
            } else {
                let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
                (momentum, beta) = (next, (momentum - 1.0) / next);
            }
            self.r.rotate_left(1);
            self.x.rotate_left(1);
            if passes - asked >= FOLLOW_EVERY {
                passes += 1;
                asked = passes;
                let error = self.measure();
                if error < best {
                    best = error;
                    self.best.copy_from_slice(&self.r[1]);
                }
            }
        }
        let status = if best <= goal { Status::Solved } else { Status::Stalled };
        (status, passes, best < first)
    }

    fn find_motion(&mut self) {
        let x = &mut self.x[1];
        x.fill(Node::default());
        for (pairs, r) in self.pairs.as_chunks::<LANES>().0.iter().zip(&self.r[1]) {
            add_motion(pairs, r, x);
        }
    }

    /// `y = r + β (r − r_before)`, `r_next = P_K(y − step·m (u_y + s n))` and its motion.
    fn advance(&mut self, step: f32, beta: f32) -> Sums {
        let [x_before, x, x_next] = &mut self.x;
        for ((x_y, x), x_before) in self.x_y.iter_mut().zip(&*x).zip(&*x_before) {
            *x_y = std::array::from_fn(|k| x[k] + beta * (x[k] - x_before[k]));
        }
        x_next.fill(Node::default());
        let [r_before, r, r_next] = &mut self.r;
        let (mut size, mut slope) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        let iterates = r_before.iter().zip(&*r).zip(r_next);
        let contacts = self.pairs.as_chunks::<LANES>().0.iter().zip(&self.law);
        for ((pairs, law), ((r_before, r), r_next)) in contacts.zip(iterates) {
            let u = velocity(pairs, &law.q, &self.x_y);
            let (mut y, mut z) = (*r, *r);
            for i in 0..3 {
                for l in 0..LANES {
                    y[i][l] += beta * (r[i][l] - r_before[i][l]);
                    let shift = if i == 0 { law.shift[l] } else { 0.0 };
                    z[i][l] = y[i][l] - step * law.mass[l] * (u[i][l] + shift);
                }
            }
            let p = law.project(&z);
            add_motion(pairs, &p, x_next);
            for l in 0..LANES {
                let (mut square, mut rise) = (0.0, 0.0);
                for i in 0..3 {
                    let d = p[i][l] - y[i][l];
                    square += d * d;
                    rise += d * (p[i][l] - r[i][l]);
                }
                size[l] += square * law.inverse_mass[l];
                slope[l] -= rise * law.inverse_mass[l];
            }
            *r_next = p;
        }
        Sums { size: size.iter().sum(), slope: slope.iter().sum() }
    }

    /// `‖r − P_K(r − ũ)‖ / ‖q‖` of the iterate; the shift is `μ ‖u_t‖` from now on.
    fn measure(&mut self) -> f32 {
        let mut sum = [0.0_f32; LANES];
        let contacts = self.pairs.as_chunks::<LANES>().0.iter().zip(&mut self.law);
        for ((pairs, law), r) in contacts.zip(&self.r[1]) {
            let u = velocity(pairs, &law.q, &self.x[1]);
            law.shift = law.slip(&u);
            let mut z = *r;
            for l in 0..LANES {
                z[0][l] -= u[0][l] + law.shift[l];
                z[1][l] -= u[1][l];
                z[2][l] -= u[2][l];
            }
            let p = law.project(&z);
            for i in 0..3 {
                (0..LANES).for_each(|l| sum[l] += (r[i][l] - p[i][l]) * (r[i][l] - p[i][l]));
            }
        }
        sum.iter().sum::<f32>().sqrt() / self.q_norm
    }
}

fn squared_distance(a: &[Node], b: &[Node]) -> f32 {
    let mut sum = Node::default();
    for (a, b) in a.iter().zip(b) {
        (0..sum.len()).for_each(|k| sum[k] += (a[k] - b[k]) * (a[k] - b[k]));
    }
    sum.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::PileSettings;
    use crate::families::piles::{disk_pile, sphere_pyramid};
    use crate::judge::Judge;
    use crate::never;

    /// Pyramids that slide, to a rough and a fine error.
    #[test]
    fn what_it_has_solved_the_judge_finds_solved() {
        let mut work = SingleWork::default();
        for mu in [0.2, 0.3, 0.4] {
            let problem = sphere_pyramid(5, &PileSettings { mu, ..Default::default() });
            for goal in [1e-2, 1e-4, 1e-9] {
                let mut r = vec![[0.0; 3]; problem.contacts()];
                let (status, passes) =
                    descend(&problem, (3000, goal), &mut work, &never, &mut r).expect("six wide");
                let error = Judge::default().motion(&problem, &r).scaled;
                let expected = if goal < 1e-5 { Status::Stalled } else { Status::Solved };
                assert_eq!(status, expected, "{mu} {goal}: {passes} passes, {error}");
                assert!(error <= 1.1 * goal.max(f64::from(FLOOR)), "{mu} {goal}: {error}");
            }
        }
    }

    #[test]
    fn a_start_of_nonsense_is_none() {
        let problem = sphere_pyramid(3, &PileSettings::default());
        for start in [f64::NAN, 1e30, 1e300] {
            let mut r = vec![[start; 3]; problem.contacts()];
            let mut work = SingleWork::default();
            let found = descend(&problem, (3000, 1e-3), &mut work, &never, &mut r);
            assert_eq!(found.map(|found| found.0), Some(Status::Solved), "{start}");
            assert!(Judge::default().motion(&problem, &r).scaled <= 1.1e-3, "{start}");
        }
    }

    #[test]
    fn other_contacts_are_left_to_long_numbers() {
        let problem = disk_pile(4, &PileSettings::default());
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let found = descend(&problem, (99, 1e-3), &mut SingleWork::default(), &never, &mut r);
        assert_eq!(found, None);
    }
}
