//! A walk of proximal steps on planar contacts, each followed round its folds.
//!
//! # Method
//!
//! Proximal steps of Coulomb's law (`newton.rs`) by the path of `planar.rs` alone: no Newton, and no factorization while κ stays. κ grows after easy
//! steps and falls after long ones and after those that do not arrive. Far from answers the steps wander; an answer attracts them if κ is large enough for
//! it. So where the error is lower than it has been of late the walk *dives*: κ grows with each step, until the answer is there, or
//! a step does not arrive and the walk goes on from where it dived.
//!
//! How long a walk takes is a matter of luck, with a long tail: short walks of different κ and growth find more than a long one.
//!
//! # Cost
//!
//! A solve a corner, a factorization for each change of κ.
//!
//! # When it fails
//!
//! `max_effort` is used up, or rounding ends a dive just above an answer. The best place is the answer.
//!
//! Theory: `docs/theory/velocity-space.md`.

use super::factor::Factor;
use super::planar::{Place, PlanarPath};
use super::space::Space;
use crate::cone::Triple;
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WalkSettings {
    /// The walk ends when the shift is at most this part of q.
    pub(super) goal: f64,
    /// κ of the first step, and its growth after easy ones.
    pub(super) stiffness: f64,
    pub(super) growth: f64,
    /// Steps of more corners halve κ.
    pub(super) hard: usize,
    /// Corners, a factorization counting as [`FACTORIZATION`] of them.
    pub(super) max_effort: usize,
}

/// Corners for the price of a factorization.
pub(super) const FACTORIZATION: usize = 8;
/// The largest κ of the walk, and in a dive.
const STIFFEST: f64 = 1e4;
const DIVE_STIFFEST: f64 = 1e6;
/// Corners of a step before it is given up, and in a dive; of the first step, which has no other to fall back on.
const CORNERS: usize = 300;
const DIVE_CORNERS: usize = 200;
const FIRST_CORNERS: usize = 5000;
/// Paths that go back beyond this part of the shift are given up.
const FARTHEST: f64 = 2.0;
/// Steps of so many corners are easy; κ grows after so many easy ones on end.
const EASY: usize = 4;
const EASY_STEPS: usize = 3;
/// The walk dives where its error is below this part of the one at the last dive, which is forgotten at this rate, and below the other one.
const LOWER: f64 = 0.8;
const FORGOTTEN: f64 = 1.003;
const DIVE_BELOW: f64 = 3e-2;
/// κ grows by this in each step of a dive, of so many steps at most.
const DIVE_GROWTH: f64 = 3.0;
const DIVE_STEPS: usize = 40;
/// After a dive to below this error the walk is at an answer that it comes no nearer to.
const NEARLY: f64 = 1e-6;
/// κ below this is not worth a step.
const SOFTEST: f64 = 1e-6;

#[derive(Clone, Debug, Default)]
pub(super) struct WalkWork {
    path: PlanarPath,
    /// Where the step at hand began, and where the dive did.
    from: Place,
    surface: Place,
    best: Vec<Triple>,
    kappa: f64,
    /// Easy steps on end.
    easy: usize,
    /// The least error, and that of the last dive, more with each step since.
    lowest: f64,
    recent: f64,
    dive: Option<Dive>,
}

#[derive(Clone, Copy, Debug)]
struct Dive {
    /// κ of the walk.
    kappa: f64,
    steps: usize,
}

/// Walks from the impulses r, which are the best ones on return.
pub(super) fn walk(
    problem: &impl Space,
    settings: &WalkSettings,
    (work, factor): (&mut WalkWork, &mut Factor),
    stop: Stop<'_>,
    r: &mut [Triple],
) -> Report {
    factor.analyse(problem);
    work.path.begin(problem, r);
    work.from.copy_from(&work.path.at);
    work.best.clear();
    work.best.extend_from_slice(r);
    (work.kappa, work.easy, work.dive) = (settings.stiffness, 0, None);
    (work.lowest, work.recent) = (f64::INFINITY, f64::INFINITY);
    let status = work.run(problem, settings, (factor, stop));
    r.copy_from_slice(&work.best);
    Report::new(status, work.path.corners, work.path.factorizations)
}

impl WalkWork {
    fn run(
        &mut self,
        problem: &impl Space,
        settings: &WalkSettings,
        (factor, stop): (&mut Factor, Stop<'_>),
    ) -> Status {
        let square: f64 = problem.q().iter().map(|q| q[0] * q[0] + q[1] * q[1]).sum();
        let size = if square > 0.0 { square.sqrt() } else { 1.0 };
        while self.path.corners + FACTORIZATION * self.path.factorizations < settings.max_effort {
            if stop() {
                return Status::Stopped;
            }
            let limits = match self.dive {
                _ if self.lowest == f64::INFINITY => {
                    (FIRST_CORNERS.min(settings.max_effort), f64::INFINITY)
                }
                Some(_) => (DIVE_CORNERS, FARTHEST),
                None => (CORNERS, FARTHEST),
            };
            let before = self.path.corners;
            let status = self.path.step(problem, self.kappa, limits, factor);
            let corners = self.path.corners - before;
            let error = if status == Status::Solved { self.error() / size } else { f64::INFINITY };
            if error < self.lowest {
                self.lowest = error;
                self.keep();
            }
            if self.lowest <= settings.goal {
                return Status::Solved;
            }
            let has_arrived = error.is_finite();
            match self.dive {
                Some(dive) => self.go_on_diving(dive, has_arrived),
                None if has_arrived => self.go_on(settings, error, corners),
                None => {
                    self.path.go_to(&self.from);
                    (self.kappa, self.easy) = (self.kappa / 3.0, 0);
                }
            }
            let is_near = self.dive.is_none() && self.lowest <= NEARLY;
            if is_near || self.kappa < SOFTEST {
                return Status::Stalled;
            }
        }
        Status::IterationLimit
    }

    /// After a step of the walk.
    fn go_on(&mut self, settings: &WalkSettings, error: f64, corners: usize) {
        self.from.copy_from(&self.path.at);
        self.recent *= FORGOTTEN;
        if error < LOWER * self.recent && error < DIVE_BELOW {
            self.recent = error;
            self.surface.copy_from(&self.path.at);
            self.dive = Some(Dive { kappa: self.kappa, steps: 1 });
            self.easy = 0;
            self.kappa = (DIVE_GROWTH * self.kappa).min(DIVE_STIFFEST);
            return;
        }
        self.easy = if corners <= EASY { self.easy + 1 } else { 0 };
        if self.easy >= EASY_STEPS {
            self.easy = 0;
            self.kappa = (settings.growth * self.kappa).min(STIFFEST);
        } else if corners > settings.hard {
            self.kappa *= 0.5;
        }
    }

    /// After a step of a dive.
    fn go_on_diving(&mut self, dive: Dive, has_arrived: bool) {
        if has_arrived && dive.steps < DIVE_STEPS {
            self.kappa = (DIVE_GROWTH * self.kappa).min(DIVE_STIFFEST);
            self.dive = Some(Dive { steps: dive.steps + 1, ..dive });
        } else {
            self.path.go_to(&self.surface);
            (self.kappa, self.dive) = (dive.kappa, None);
        }
    }

    /// The velocity by which the impulses miss rigid contact.
    fn error(&self) -> f64 {
        self.path.at.d.iter().map(|d| d[0] * d[0] + d[1] * d[1]).sum::<f64>().sqrt()
    }

    fn keep(&mut self) {
        for (best, r) in self.best.iter_mut().zip(&self.path.at.r) {
            *best = [r[0], r[1], 0.0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::piles::{Jostle, PileSettings, disk_pile, jostled};
    use crate::judge::Judge;
    use crate::never;

    #[test]
    fn shaken_piles_of_disks_are_solved() {
        for (rows, mu, v) in [(5, 0.3, 0.1), (7, 0.5, 0.2), (8, 0.8, 0.15)] {
            let settings = PileSettings { mu, v_ground: [v, 0.0, 0.0], ..PileSettings::default() };
            let jostle = Jostle { seed: rows as u64, speed: 0.05, ..Jostle::default() };
            let problem = jostled(&disk_pile(rows, &settings), &jostle);
            let settings = WalkSettings {
                goal: 1e-7,
                stiffness: 1.0,
                growth: 2.0,
                hard: 30,
                max_effort: 60_000,
            };
            let (mut r, mut factor) = (vec![[0.0; 3]; problem.contacts()], Factor::default());
            let memory = (&mut WalkWork::default(), &mut factor);
            let report = walk(&problem, &settings, memory, &never, &mut r);
            let residual = Judge::default().motion(&problem, &r).scaled;
            assert_eq!(report.status, Status::Solved, "{rows} rows: {residual}");
            // the shift is no less than what the judge sees, up to its cone
            assert!(residual <= 1e-6, "{rows} rows: {residual}");
        }
    }

    #[test]
    fn a_walk_ends_with_its_effort_and_a_stop() {
        let problem =
            disk_pile(6, &PileSettings { v_ground: [0.2, 0.0, 0.0], ..Default::default() });
        let settings =
            WalkSettings { goal: 0.0, stiffness: 1.0, growth: 2.0, hard: 30, max_effort: 500 };
        let mut r = vec![[0.0; 3]; problem.contacts()];
        let (mut work, mut factor) = (WalkWork::default(), Factor::default());
        let report = walk(&problem, &settings, (&mut work, &mut factor), &never, &mut r);
        assert!(report.iterations < 500 + FIRST_CORNERS, "{report:?}");
        let report = walk(&problem, &settings, (&mut work, &mut factor), &|| true, &mut r);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
}
