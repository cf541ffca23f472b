//! Symmetric principal pivoting, row by row (Keller; Cottle and Dantzig; the solver of ODE).
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`, A symmetric positive semidefinite.
//!
//! # Method
//!
//! Rows that are settled satisfy their conditions: at a bound with the right sign of w, or basic
//! (`w = 0`). The other rows wait, their z held. One row after another, free ones first, is driven:
//! z_i moves against w_i, the basic rows C follow by `A_CC Δz_C = −A_Ci Δz_i`, until `w_i = 0`, or
//! z_i meets its bound, or a settled row would break its condition: then that row changes its
//! place and the drive goes on. A_CC stays positive definite; its Cholesky factor is updated.
//! Theory: `docs/theory/keller.md`, [Keller73], [CD68], [Baraff94].
//!
//! # Cost
//!
//! O(n·c) a pivot for c basic rows; about n to 3n pivots.
//!
//! # When it fails
//!
//! A drive without end is a direction d with `A d = 0`, `b·d < 0`: no solution ([`Status::Ray`]).
//! A negative pivot means that A is not semidefinite ([`Status::Singular`]).

mod cholesky;

use crate::matrix::Matrix;
use crate::measure::{Measure, into_bounds};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};
use cholesky::Cholesky;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KellerSettings {
    /// Stop after this many pivots. Any; default 100 000.
    pub max_pivots: usize,
    /// A row whose pivot is at most this times its diagonal depends on the basic rows. In
    /// [1e−15, 1e−4]; default 1e−11.
    pub pivot_tolerance: f64,
    /// A wrong sign of w counts when it exceeds this, relative to the terms of its row. In
    /// [0, 1e−6]; default 1e−12.
    pub sign_tolerance: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−10.
    pub tolerance: f64,
}

impl Default for KellerSettings {
    fn default() -> Self {
        Self {
            max_pivots: 100_000,
            pivot_tolerance: 1e-11,
            sign_tolerance: 1e-12,
            tolerance: 1e-10,
        }
    }
}

/// Largest `|a_ij − a_ji|` against the entries and `√(a_ii a_jj)`.
const SYMMETRY: f64 = 1e-8;
/// Rounds over the rows; those after the first repair what rounding has spoilt.
const ROUNDS: usize = 4;
/// A row that cannot be improved counts as settled up to this, relative to its terms; what is
/// larger is a ray.
const RAY: f64 = 1e-9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not driven yet; z is held and w may have either sign.
    Waiting,
    Lower,
    Upper,
    Basic,
    /// `w = 0` between the bounds, dependent on the basic rows, z held.
    Held,
}

/// What ends a step of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    /// w of the driven row is zero.
    Zero,
    /// The driven row meets this bound.
    Bound(Place),
    /// The k-th basic row meets this bound.
    Leaves(usize, Place),
    /// w of this row at a bound becomes zero.
    Enters(usize),
}

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct KellerWorkspace {
    place: Vec<Place>,
    basic: Vec<usize>,
    factor: Cholesky,
    /// Rows that the factor has refused since it last changed.
    refused: Vec<bool>,
    dz_basic: Vec<f64>,
    dw: Vec<f64>,
    dw_size: Vec<f64>,
    measure: Measure,
}

impl KellerWorkspace {
    pub fn new(n: usize) -> Self {
        let vector = || Vec::with_capacity(n);
        let mut factor = Cholesky::default();
        factor.reset(n);
        Self {
            place: Vec::with_capacity(n),
            basic: Vec::with_capacity(n),
            factor,
            refused: Vec::with_capacity(n),
            dz_basic: vector(),
            dw: vector(),
            dw_size: vector(),
            measure: Measure::new(n),
        }
    }
}

/// Symmetric principal pivoting. A warm start offers the rows strictly within their bounds as basic
/// ones. `Report::iterations` counts pivots.
pub fn keller(
    problem: &BoxLcp,
    settings: &KellerSettings,
    work: &mut KellerWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    into_bounds(problem, z);
    if !is_symmetric(problem.A()) {
        return Report::new(Status::NotApplicable(Unfit::NotSymmetric), 0, 0);
    }
    let mut drive = Drive { problem, settings, work, stop, pivots: 0 };
    let mut factorizations = 0;
    let mut status = Status::Stalled;
    for _ in 0..ROUNDS {
        drive.start(z);
        factorizations += 1;
        status = drive.all_rows(z);
        into_bounds(problem, z);
        drive.work.measure.evaluate(problem, z);
        let solved = drive.work.measure.meets(settings.tolerance);
        if status == Status::Solved && !solved {
            status = Status::Stalled; // one more round from here
        } else {
            break;
        }
    }
    Report::new(status, drive.pivots, factorizations)
}

fn is_symmetric(A: &Matrix) -> bool {
    let mut symmetric = true;
    for j in 0..A.ncols() {
        A.for_column(j, |i, a_ij| {
            let a_ji = A.get(j, i);
            let size = (A.get(i, i) * A.get(j, j)).abs().sqrt().max(a_ij.abs()).max(a_ji.abs());
            symmetric &= (a_ij - a_ji).abs() <= SYMMETRY * size;
        });
    }
    symmetric
}

struct Drive<'a> {
    problem: &'a BoxLcp,
    settings: &'a KellerSettings,
    work: &'a mut KellerWorkspace,
    stop: Stop<'a>,
    pivots: usize,
}

impl Drive<'_> {
    /// Basic: what lies within its bounds and can be kept there with w = 0. All others wait.
    fn start(&mut self, z: &mut [f64]) {
        let (problem, n) = (self.problem, self.problem.n());
        let work = &mut *self.work;
        work.factor.reset(n);
        work.basic.clear();
        work.place.clear();
        work.place.resize(n, Place::Waiting);
        work.refused.clear();
        work.refused.resize(n, false);
        for free in [true, false] {
            for i in 0..n {
                let inside = problem.lower()[i] < z[i] && z[i] < problem.upper()[i];
                if inside && problem.is_free(i) == free {
                    self.enter(i);
                }
            }
        }
        let mut shrinks = true;
        while shrinks {
            shrinks = false;
            self.center(z);
            for k in (0..self.work.basic.len()).rev() {
                let i = self.work.basic[k];
                if problem.clamp(i, z[i]) != z[i] {
                    self.leave(k, Place::Waiting);
                    shrinks = true;
                }
            }
            into_bounds(problem, z);
        }
    }

    /// Drives every row that needs it, free rows first.
    fn all_rows(&mut self, z: &mut [f64]) -> Status {
        for free in [true, false] {
            for i in 0..z.len() {
                if self.work.place[i] != Place::Waiting || self.problem.is_free(i) != free {
                    continue;
                }
                self.center(z);
                let status = self.row(i, z);
                if status != Status::Solved {
                    return status;
                }
            }
        }
        self.center(z);
        Status::Solved
    }

    /// `z_C ← z_C − A_CC⁻¹ w_C`: puts w of the basic rows to zero again, and recomputes w.
    fn center(&mut self, z: &mut [f64]) {
        let work = &mut *self.work;
        work.measure.evaluate(self.problem, z);
        work.dz_basic.clear();
        work.dz_basic.extend(work.basic.iter().map(|&i| -work.measure.w[i]));
        work.factor.solve(&mut work.dz_basic);
        for (&i, dz) in work.basic.iter().zip(&work.dz_basic) {
            z[i] += dz;
        }
        work.measure.evaluate(self.problem, z);
    }

    /// Drives row i until it is settled.
    fn row(&mut self, i: usize, z: &mut [f64]) -> Status {
        let (lower, upper) = (self.problem.lower()[i], self.problem.upper()[i]);
        loop {
            let (w_i, size) = (self.work.measure.w[i], self.work.measure.size[i]);
            let zero = self.settings.sign_tolerance * size;
            if z[i] <= lower && (w_i >= -zero || lower == upper) {
                self.work.place[i] = Place::Lower;
                return Status::Solved;
            }
            if z[i] >= upper && w_i <= zero {
                self.work.place[i] = Place::Upper;
                return Status::Solved;
            }
            if w_i.abs() <= zero {
                self.settle_between(i);
                return Status::Solved;
            }
            if (self.stop)() {
                return Status::Stopped;
            }
            if self.pivots == self.settings.max_pivots {
                return Status::IterationLimit;
            }
            let sign = if w_i > 0.0 { -1.0 } else { 1.0 };
            self.direction(i, sign);
            // A_ii minus what the basic rows take away from it: the pivot
            let (pivot, pivot_size) = (sign * self.work.dw[i], self.work.dw_size[i]);
            if pivot.is_nan() || pivot < -1e-8 * pivot_size {
                return Status::Singular;
            }
            let Some((t, event)) = self.first_event(i, sign, z) else {
                if w_i.abs() > RAY * size {
                    return Status::Ray;
                }
                self.settle_between(i);
                return Status::Solved;
            };
            self.advance(i, sign * t, t, z);
            self.pivots += 1;
            match event {
                Event::Zero => {
                    self.settle_between(i);
                    return Status::Solved;
                }
                Event::Bound(place) => {
                    z[i] = if place == Place::Lower { lower } else { upper };
                    self.work.place[i] = place;
                    return Status::Solved;
                }
                Event::Leaves(k, place) => {
                    let c = self.work.basic[k];
                    let (lower, upper) = (self.problem.lower()[c], self.problem.upper()[c]);
                    z[c] = if place == Place::Lower { lower } else { upper };
                    self.leave(k, place);
                }
                Event::Enters(j) => {
                    self.work.measure.w[j] = 0.0;
                    self.enter(j);
                }
            }
        }
    }

    /// Row i has w = 0 between its bounds: basic, or held where it depends on the basic rows.
    fn settle_between(&mut self, i: usize) {
        self.work.measure.w[i] = 0.0;
        if !self.enter(i) {
            self.work.place[i] = Place::Held;
        }
    }

    /// Makes row i basic; false if it depends on the basic rows.
    fn enter(&mut self, i: usize) -> bool {
        let (A, work) = (self.problem.A(), &mut *self.work);
        let row = work.basic.iter().map(|&c| A.get(c, i));
        let entered = work.factor.append(row, A.get(i, i), self.settings.pivot_tolerance);
        if entered {
            work.basic.push(i);
            work.place[i] = Place::Basic;
            work.refused.fill(false);
        } else {
            work.refused[i] = true;
        }
        entered
    }

    fn leave(&mut self, k: usize, place: Place) {
        let work = &mut *self.work;
        let c = work.basic.remove(k);
        work.factor.remove(k);
        work.place[c] = place;
        work.refused.fill(false);
    }

    /// Δz of the basic rows and Δw of all, for Δz_i = sign.
    fn direction(&mut self, i: usize, sign: f64) {
        let (A, work) = (self.problem.A(), &mut *self.work);
        work.dz_basic.clear();
        work.dz_basic.extend(work.basic.iter().map(|&c| -sign * A.get(c, i)));
        work.factor.solve(&mut work.dz_basic);
        for buffer in [&mut work.dw, &mut work.dw_size] {
            buffer.clear();
            buffer.resize(self.problem.n(), 0.0);
        }
        let (dw, dw_size) = (&mut work.dw, &mut work.dw_size);
        let columns = work.basic.iter().zip(&work.dz_basic).map(|(&c, &dz)| (c, dz));
        for (j, dz) in columns.chain([(i, sign)]) {
            A.for_column(j, |r, a| {
                dw[r] += a * dz;
                dw_size[r] += (a * dz).abs();
            });
        }
    }

    /// The nearest event along the direction and its distance. The driven row's own events win
    /// ties, then basic rows, then the least index.
    fn first_event(&self, i: usize, sign: f64, z: &[f64]) -> Option<(f64, Event)> {
        let (problem, work) = (self.problem, &*self.work);
        let (lower, upper) = (problem.lower(), problem.upper());
        let w = &work.measure.w;
        let mut first: Option<(f64, Event)> = None;
        let mut offer = |t: f64, event: Event| {
            if t.is_finite() && first.is_none_or(|(best, _)| t.max(0.0) < best) {
                first = Some((t.max(0.0), event));
            }
        };
        if sign * work.dw[i] > self.settings.pivot_tolerance * problem.A().get(i, i) {
            offer(w[i].abs() / work.dw[i].abs(), Event::Zero);
        }
        let own = if sign > 0.0 { upper[i] - z[i] } else { z[i] - lower[i] };
        offer(own, Event::Bound(if sign > 0.0 { Place::Upper } else { Place::Lower }));

        let dz_max = work.dz_basic.iter().fold(1.0_f64, |m, dz| m.max(dz.abs()));
        for (k, (&c, &dz)) in work.basic.iter().zip(&work.dz_basic).enumerate() {
            if dz < -1e-13 * dz_max {
                offer((z[c] - lower[c]) / -dz, Event::Leaves(k, Place::Lower));
            } else if dz > 1e-13 * dz_max {
                offer((upper[c] - z[c]) / dz, Event::Leaves(k, Place::Upper));
            }
        }
        for j in 0..z.len() {
            let dw = work.dw[j];
            if dw.abs() <= 1e-12 * work.dw_size[j] || work.refused[j] || lower[j] == upper[j] {
                continue;
            }
            match work.place[j] {
                Place::Lower if dw < 0.0 => offer(w[j] / -dw, Event::Enters(j)),
                Place::Upper if dw > 0.0 => offer(-w[j] / dw, Event::Enters(j)),
                Place::Held => offer(0.0, Event::Enters(j)),
                _ => {}
            }
        }
        first
    }

    fn advance(&mut self, i: usize, step: f64, t: f64, z: &mut [f64]) {
        let work = &mut *self.work;
        z[i] += step;
        for (&c, dz) in work.basic.iter().zip(&work.dz_basic) {
            z[c] += t * dz;
        }
        for (w, dw) in work.measure.w.iter_mut().zip(&work.dw) {
            *w += t * dw;
        }
        for &c in &work.basic {
            work.measure.w[c] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::report::never;
    use crate::testing::*;

    fn solve(problem: &BoxLcp, settings: &KellerSettings, z: &mut [f64]) -> Report {
        keller(problem, settings, &mut KellerWorkspace::new(problem.n()), &never, z)
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        for (name, problem, known) in catalogue() {
            for problem in [sparse(&problem), problem] {
                let mut z = vec![0.0; problem.n()];
                let report = solve(&problem, &KellerSettings::default(), &mut z);
                assert_eq!(report.status, Status::Solved, "{name}: {z:?}");
                assert!(judged(&problem, &z).accepts(1e-14), "{name}: {z:?}");
                if let Some(known) = &known {
                    let close = known.iter().zip(&z).all(|(a, b)| (a - b).abs() < 1e-14);
                    assert!(close, "{name}: {z:?}");
                }
            }
        }
    }

    #[test]
    fn random_semidefinite_problems_are_solved() {
        let mut work = KellerWorkspace::default();
        for seed in 0..60 {
            let n = 1 + seed as usize % 29;
            let psd = degenerate_psd_lcp(n, seed);
            for problem in [random_spd_lcp(n, seed), random_box(n, seed), psd] {
                let mut z = vec![0.0; n];
                let settings = KellerSettings::default();
                let report = keller(&problem, &settings, &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-12), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn semidefinite_boxes_with_redundant_equations_are_solved() {
        let mut random = Random::new(5);
        // 8 rows that see only 3 degrees of freedom; the first four are free and consistent
        let J = random.matrix(8, 3);
        let v = random.matrix(3, 1);
        let b: Vec<f64> = (&J * v).iter().copied().collect();
        let lower = (0..8).map(|i| if i < 4 { f64::NEG_INFINITY } else { 0.0 }).collect();
        let upper = (0..8).map(|i| if i < 6 { f64::INFINITY } else { 0.3 }).collect();
        let problem = BoxLcp::new(&J * J.transpose(), b, lower, upper).unwrap();
        let mut z = [0.0; 8];
        let report = solve(&problem, &KellerSettings::default(), &mut z);
        assert_eq!(report.status, Status::Solved);
        assert!(judged(&problem, &z).accepts(1e-13));
    }

    #[test]
    fn a_warm_start_saves_pivots_and_bad_ones_do_no_harm() {
        let problem = random_spd_lcp(25, 3);
        let mut z = vec![0.0; 25];
        let cold = solve(&problem, &KellerSettings::default(), &mut z);
        let warm = solve(&problem, &KellerSettings::default(), &mut z);
        assert!(cold.iterations > 5 && warm.iterations == 0, "{cold:?} {warm:?}");
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, 1.0] {
            let mut z = vec![bad; 25];
            let report = solve(&problem, &KellerSettings::default(), &mut z);
            assert_eq!(report.status, Status::Solved, "{bad}");
            assert!(judged(&problem, &z).accepts(1e-12));
        }
    }

    #[test]
    fn what_it_cannot_treat_is_named() {
        let status = |A: &[f64], b: &[f64]| {
            let problem = BoxLcp::lcp(MatX::from_row_slice(2, 2, A), b.to_vec()).unwrap();
            solve(&problem, &KellerSettings::default(), &mut [0.0; 2]).status
        };
        let not_symmetric = Status::NotApplicable(Unfit::NotSymmetric);
        assert_eq!(status(&[1., 0.5, 0., 1.], &[-1., -1.]), not_symmetric);
        // two walls closing on one body
        assert_eq!(status(&[1., -1., -1., 1.], &[-1., -1.]), Status::Ray);
        // indefinite
        assert_eq!(status(&[1., 2., 2., 1.], &[-1., -5.]), Status::Singular);
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = random_spd_lcp(10, 2);
        let default = KellerSettings::default();
        let few = KellerSettings { max_pivots: 2, ..default };
        let report = solve(&problem, &few, &mut [0.0; 10]);
        assert_eq!((report.status, report.iterations), (Status::IterationLimit, 2));
        // almost dependent rows count as dependent
        let A = MatX::from_row_slice(2, 2, &[1., 1., 1., 1.0 + 1e-6]);
        let close = BoxLcp::lcp(A, vec![-1.0, -1.0 - 1e-7]).unwrap();
        let mut z = [0.0; 2];
        assert_eq!(solve(&close, &default, &mut z).status, Status::Solved);
        assert!((z[1] - 0.1).abs() < 1e-8);
        let coarse = KellerSettings { pivot_tolerance: 1e-4, ..default };
        let mut other = [0.0; 2];
        solve(&close, &coarse, &mut other);
        assert!((other[1] - z[1]).abs() > 1e-3, "{other:?}");
        // a sign that is wrong by 1e−7 may be let pass, and is then not called solved
        let almost = BoxLcp::lcp(MatX::identity(2, 2), vec![-1e-7, -1.0]).unwrap();
        let lax = KellerSettings { sign_tolerance: 2.0, ..default };
        assert_eq!(solve(&almost, &lax, &mut [0.0, 1.0]).status, Status::Stalled);
        let laxer = KellerSettings { tolerance: 1e-6, ..lax };
        assert_eq!(solve(&almost, &laxer, &mut [0.0, 1.0]).status, Status::Solved);
        let mut work = KellerWorkspace::new(10);
        let report = keller(&problem, &default, &mut work, &|| true, &mut [0.0; 10]);
        assert_eq!(report.status, Status::Stopped);
    }
}
