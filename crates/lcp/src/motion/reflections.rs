//! Rest from nothing: impulses that stop all contacts and lie in their cones, by one factorization.
//!
//! Theory: `docs/theory/velocity-space.md`, *Rest by reflections*.
//!
//! # Method
//!
//! Where everything sticks, the impulses are a point of two convex sets: the affine A of those that stop all contacts, `Hᵀ H r + q = 0`,
//! and the cones K. Douglas and Rachford's method reflects on the one and on the other,
//!
//! ```text
//!  p = P_K(z) ,    a = P_A(2 p − z) ,    z ← z + ω (a − p)
//! ```
//!
//! in the metric of the contact masses, in which P_K is that of each contact. All points of A do the same, `H a = x_A`, so
//! `P_A(y) = y + m Hᵀ λ` with `H m Hᵀ λ = x_A − H y`: one matrix for all steps, that of `polish.rs` where everything sticks, and an iteration is a
//! pass over H and a solve. It ends as soon as a lies in K. To end inside, p is sought in cones that are a little narrower.
//!
//! # When it fails
//!
//! Something must slip or open: no point is in both sets, and `a − p` tends to the shortest way between them. Given up as soon as that length
//! stands still.

use super::factor::{Block, Factor};
use super::space::Space;
use crate::cone::{Triple, length, project_cone};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Debug, Default)]
pub(super) struct ReflectionWork {
    mass: Vec<f64>,
    D: Vec<Block>,
    /// z, `2 p − z` and p.
    z: Vec<Triple>,
    y: Vec<Triple>,
    p: Vec<Triple>,
    /// Motion of all points of A, and the right side of the next solve.
    x_rest: Vec<f64>,
    x: Vec<f64>,
    next: Vec<f64>,
}

/// How stiff contacts are, in units of their masses: what a solve leaves of velocities is a part of one over this.
pub(super) const STIFFNESS: f64 = 1e7;
/// What may be left of velocities, beside those to be stopped, for A to have a point at all.
const STOPPED: f64 = 1e-6;
/// ω: any number between 0 and 2 converges.
const RELAXATION: f64 = 1.7;
const MAX_ITERATIONS: usize = 120;
/// The distance must have fallen to this part each time that so many iterations are done.
const LOOK_EVERY: usize = 8;
const FALLS_TO: f64 = 0.95;
/// Narrower cones: parts of the coefficient of friction, and normal impulses at their apex as parts of those that stop a contact by
/// itself; where p is sought, and where a may end.
const SOUGHT: Narrower = Narrower { friction: 0.95, apex: 0.02 };
const ENDED: Narrower = Narrower { friction: 0.975, apex: 0.01 };

#[derive(Clone, Copy)]
struct Narrower {
    friction: f64,
    apex: f64,
}

/// Impulses at which everything rests, into `r`; [`Status::Solved`] if they lie inside the cones. The factors are then those of contacts that all
/// stick, [`STIFFNESS`] stiff.
pub(super) fn reflections<S: Space>(
    problem: &S,
    (work, factor): (&mut ReflectionWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    if !S::IS_SYMMETRIC || !may_rest(problem) {
        return Report::new(Status::Stalled, 0, 0);
    }
    factor.analyse(problem);
    work.load(problem);
    if !factor.factor(problem, &work.D, true) || !work.find_rest(problem, factor) {
        return Report::new(Status::Stalled, 0, 1);
    }
    let (status, iterations) = work.iterate(problem, factor, stop, r);
    Report::new(status, iterations, 1)
}

/// Friction everywhere, and no compliance but of rows that nothing moves.
fn may_rest(problem: &impl Space) -> bool {
    (0..problem.contacts()).all(|c| {
        let (eps, q, block) = (&problem.eps()[c], &problem.q()[c], problem.block(c));
        let is_idle = |i: usize| q[i] == 0.0 && block[4 * i] == eps[i];
        problem.mu()[c] > 0.0 && (0..3).all(|i| eps[i] == 0.0 || is_idle(i))
    })
}

impl ReflectionWork {
    fn load(&mut self, problem: &impl Space) {
        let k = problem.contacts();
        self.mass.clear();
        self.mass.extend((0..k).map(|c| problem.mass(c)));
        self.D.clear();
        self.D.extend(self.mass.iter().map(|m| {
            let s = STIFFNESS * m;
            [s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s]
        }));
        for list in [&mut self.z, &mut self.y, &mut self.p] {
            list.clear();
            list.resize(k, [0.0; 3]);
        }
        for list in [&mut self.x_rest, &mut self.x, &mut self.next] {
            list.clear();
            list.resize(problem.coordinates(), 0.0);
        }
    }

    /// `x_A`, by two proximal steps of stiff contacts: `dx = (I + H D Hᵀ)⁻¹ H (−s u)`. False if that does not stop them.
    fn find_rest(&mut self, problem: &impl Space, factor: &mut Factor) -> bool {
        let mut left = 0.0;
        for step in 0..3 {
            left = 0.0;
            self.x.fill(0.0);
            for (c, q) in problem.q().iter().enumerate() {
                let v = problem.velocity(c, &self.x_rest);
                let u: Triple = std::array::from_fn(|i| v[i] + q[i]);
                left = u.iter().fold(left, |m: f64, u| m.max(u.abs()));
                problem.add_motion(c, &u.map(|u| -STIFFNESS * self.mass[c] * u), &mut self.x);
            }
            if step < 2 {
                factor.solve(&mut self.x);
                self.x_rest.iter_mut().zip(&self.x).for_each(|(x, dx)| *x += dx);
            }
        }
        let largest = problem.q().as_flattened().iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        left <= STOPPED * largest
    }

    fn iterate(
        &mut self,
        problem: &impl Space,
        factor: &mut Factor,
        stop: Stop<'_>,
        r: &mut [Triple],
    ) -> (Status, usize) {
        let squares: f64 = problem.q().as_flattened().iter().map(|q| q * q).sum();
        let speed = (squares / problem.contacts().max(1) as f64).sqrt();
        self.next.copy_from_slice(&self.x_rest);
        for c in 0..problem.contacts() {
            // each stopped by itself
            self.z[c] = [self.mass[c] * speed, 0.0, 0.0];
            self.reflect(problem, c, speed);
        }
        let mut last = f64::INFINITY;
        for iteration in 1..=MAX_ITERATIONS {
            if stop() {
                return (Status::Stopped, iteration);
            }
            std::mem::swap(&mut self.x, &mut self.next);
            factor.solve(&mut self.x);
            let (distance, is_inside) = self.advance(problem, speed, r);
            if is_inside {
                return (Status::Solved, iteration);
            }
            if iteration % LOOK_EVERY == 0 {
                if !(distance <= FALLS_TO * last) {
                    return (Status::Stalled, iteration);
                }
                last = distance;
            }
        }
        (Status::IterationLimit, MAX_ITERATIONS)
    }

    /// From the solved right side: a, into r, and the next z, p and right side. The squared distance of a from p, and whether a is inside.
    fn advance(&mut self, problem: &impl Space, speed: f64, r: &mut [Triple]) -> (f64, bool) {
        self.next.copy_from_slice(&self.x_rest);
        let (mut distance, mut is_inside) = (0.0, true);
        for (c, r) in r.iter_mut().enumerate() {
            let (m, v, mu) = (self.mass[c], problem.velocity(c, &self.x), problem.mu()[c]);
            for i in 0..3 {
                let a = self.y[c][i] + STIFFNESS * m * v[i];
                let way = a - self.p[c][i];
                self.z[c][i] += RELAXATION * way;
                distance += way * way / m;
                r[i] = a;
            }
            let n = r[0] - ENDED.apex * m * speed;
            is_inside &= n > 0.0 && length(r[1], r[2]) <= ENDED.friction * mu * n;
            self.reflect(problem, c, speed);
        }
        (distance, is_inside)
    }

    /// p and y of z, and `−H y` in the next right side.
    fn reflect(&mut self, problem: &impl Space, c: usize, speed: f64) {
        let ([n, t1, t2], apex) = (self.z[c], SOUGHT.apex * self.mass[c] * speed);
        let p = project_cone(&[n - apex, t1, t2], SOUGHT.friction * problem.mu()[c]);
        self.p[c] = [p[0] + apex, p[1], p[2]];
        self.y[c] = std::array::from_fn(|i| 2.0 * self.p[c][i] - self.z[c][i]);
        problem.add_motion(c, &self.y[c].map(|y| -y), &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::PileSettings;
    use crate::families::piles::{box_wall, disk_pile, sphere_pyramid};
    use crate::motion::MotionProblem;
    use crate::never;

    fn run(problem: &MotionProblem) -> (Report, Vec<Triple>) {
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let memory = (&mut ReflectionWork::default(), &mut Factor::default());
        (reflections(problem, memory, &never, &mut r), r)
    }

    fn mu(mu: f64) -> PileSettings {
        PileSettings { mu, ..Default::default() }
    }

    #[test]
    fn what_stands_is_stopped_by_impulses_inside_their_cones() {
        let piles = [sphere_pyramid(4, &mu(0.8)), disk_pile(8, &mu(0.8))];
        for problem in piles {
            let (report, r) = run(&problem);
            assert_eq!((report.status, report.factorizations), (Status::Solved, 1), "{report:?}");
            let mut x = vec![0.0; problem.coordinates()];
            Space::motion(&problem, &r, &mut x);
            for (c, r) in r.iter().enumerate() {
                let (v, q) = (problem.velocity(c, &x), &problem.q()[c]);
                assert!((0..3).all(|i| (v[i] + q[i]).abs() <= 1e-5), "{v:?} {q:?}");
                assert!(r[0] > 0.0 && length(r[1], r[2]) < problem.mu()[c] * r[0], "{r:?}");
            }
        }
    }

    #[test]
    fn it_gives_up_where_something_must_slip_or_may_not_press() {
        // boxes at the ends of the wall have their weight above an edge: nothing is left for their other contacts
        let wall = box_wall(6, 4, &mu(0.5));
        for problem in [sphere_pyramid(4, &mu(0.1)), disk_pile(8, &mu(0.1)), wall] {
            let (report, _) = run(&problem);
            assert_eq!(report.status, Status::Stalled);
            assert!(report.iterations <= 64, "{report:?}");
        }
    }

    #[test]
    fn contacts_without_friction_or_with_compliance_are_left_to_others() {
        let mut soft = MotionProblem::default();
        soft.clear(3, [3]);
        soft.push_span(0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        soft.end_contact([0.1, 0.0, 0.0], [-1.0, 0.0, 0.0], 0.5);
        for problem in [soft, sphere_pyramid(3, &mu(0.0))] {
            assert_eq!(run(&problem).0.factorizations, 0);
        }
    }
}
