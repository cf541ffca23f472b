//! The gradient in numbers of half the length: as far as a rough answer goes where much slips, and the first part of the way to a fine one, or to rest.
//!
//! Rounding is 1e−7 of what moves, errors of interest here are 1e−5 and more. A pass reads half as much and has twice the lanes.

mod rows;

use super::{ASK_EVERY, FOLLOW_EVERY, WORSE_THAN_NONE};
use crate::cone::Triple;
use crate::motion::MotionProblem;
use crate::motion::lanes::Laws;
use crate::motion::metric::Metric;
use crate::motion::root;
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
    /// The shift follows the slip; else it stays 0.
    slips: bool,
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
    (work, metric): (&mut SingleWork, &Metric),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Option<(Status, usize)> {
    if !work.load(problem, metric) {
        return None;
    }
    work.slips = true;
    work.best.clear();
    work.best.resize(work.law.len(), Block::default());
    for (c, r) in r.iter().enumerate().filter(|(_, r)| r.iter().all(|r| r.is_finite())) {
        let r = metric.impulse(c, r);
        (0..3).for_each(|i| work.best[c / LANES][i][c % LANES] = r[i] as f32);
    }
    for (law, r) in work.law.iter().zip(&mut work.best) {
        *r = law.project(r);
    }
    let (status, passes, is_better) = work.iterate(max_passes, goal as f32, stop);
    if is_better {
        for (c, r) in r.iter_mut().enumerate() {
            let found = std::array::from_fn(|i| f64::from(work.best[c / LANES][i][c % LANES]));
            *r = metric.scale(c, &found);
        }
    }
    Some((status, passes))
}

/// The same towards rest: no shift, velocities with the preload of these laws, and r in their units and on top of it. The passes that it took.
pub(super) fn approach(
    (problem, metric, laws): (&MotionProblem, &Metric, &Laws),
    (max_passes, goal): (usize, f64),
    (work, r): (&mut SingleWork, &mut [root::Block]),
    stop: Stop<'_>,
) -> Option<usize> {
    if !work.load(problem, metric) {
        return None;
    }
    work.slips = false;
    for (law, full) in work.law.iter_mut().zip(&laws.law) {
        law.q = full.q.map(|q| q.map(|q| q as f32));
    }
    work.best.clear();
    work.best.extend(r.iter().map(|r| r.map(|r| r.map(|r| r as f32))));
    let (_, passes, is_better) = work.iterate(max_passes, goal as f32, stop);
    if is_better {
        for (r, best) in r.iter_mut().zip(&work.best) {
            *r = best.map(|best| best.map(f64::from));
        }
    }
    Some(passes)
}

impl SingleWork {
    fn load(&mut self, problem: &MotionProblem, metric: &Metric) -> bool {
        if !rows::load(problem, metric, &mut self.pairs) {
            return false;
        }
        self.q_norm = rows::load_laws(problem, metric, &mut self.law);
        for x in [&mut self.x_y].into_iter().chain(&mut self.x) {
            x.clear();
            x.resize(problem.nodes(), Node::default());
        }
        true
    }

    /// From the best on. How it ended, passes, and whether anything was found.
    fn iterate(&mut self, max_passes: usize, goal: f32, stop: Stop<'_>) -> (Status, usize, bool) {
        let mut passes = 2;
        self.r.iter_mut().for_each(|r| r.clone_from(&self.best));
        let ask_every = if self.slips { FOLLOW_EVERY } else { ASK_EVERY };
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
            if passes - asked >= ask_every {
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

    /// `‖r − P_K(r − ũ)‖ / ‖q‖` of the iterate. Where it slips the shift is `μ ‖u_t‖` from now on.
    fn measure(&mut self) -> f32 {
        let mut sum = [0.0_f32; LANES];
        let contacts = self.pairs.as_chunks::<LANES>().0.iter().zip(&mut self.law);
        for ((pairs, law), r) in contacts.zip(&self.r[1]) {
            let u = velocity(pairs, &law.q, &self.x[1]);
            if self.slips {
                law.shift = law.slip(&u);
            }
            let square = law.natural(r, &u);
            (0..LANES).for_each(|l| sum[l] += square[l]);
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
        let (mut work, mut metric) = (SingleWork::default(), Metric::default());
        for mu in [0.2, 0.3, 0.4] {
            let problem = sphere_pyramid(5, &PileSettings { mu, ..Default::default() });
            metric.load(&problem);
            for goal in [1e-2, 1e-4, 1e-9] {
                let mut r = vec![[0.0; 3]; problem.contacts()];
                let (status, passes) =
                    descend(&problem, (3000, goal), (&mut work, &metric), &never, &mut r)
                        .expect("six wide");
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
        let mut metric = Metric::default();
        metric.load(&problem);
        for start in [f64::NAN, 1e30, 1e300] {
            let mut r = vec![[start; 3]; problem.contacts()];
            let memory = (&mut SingleWork::default(), &metric);
            let found = descend(&problem, (3000, 1e-3), memory, &never, &mut r);
            assert_eq!(found.map(|found| found.0), Some(Status::Solved), "{start}");
            assert!(Judge::default().motion(&problem, &r).scaled <= 1.1e-3, "{start}");
        }
    }

    #[test]
    fn other_contacts_are_left_to_long_numbers() {
        let problem = disk_pile(4, &PileSettings::default());
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let mut metric = Metric::default();
        metric.load(&problem);
        let memory = (&mut SingleWork::default(), &metric);
        let found = descend(&problem, (99, 1e-3), memory, &never, &mut r);
        assert_eq!(found, None);
    }
}
