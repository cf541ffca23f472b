//! The drive: one row after another is brought to its condition while the settled ones keep theirs.

use super::{KellerSettings, KellerWorkspace, Place};
use crate::measure::into_bounds;
use crate::problem::BoxLcp;
use crate::report::{Status, Stop};

/// A row that cannot be improved counts as settled up to this, relative to its terms; what is
/// larger is a ray.
const RAY: f64 = 1e-9;

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

pub(super) struct Drive<'a> {
    pub(super) problem: &'a BoxLcp,
    pub(super) settings: &'a KellerSettings,
    pub(super) work: &'a mut KellerWorkspace,
    pub(super) stop: Stop<'a>,
    pub(super) pivots: usize,
}

impl Drive<'_> {
    /// Basic: what lies within its bounds and can be kept there with w = 0. All others wait.
    pub(super) fn start(&mut self, z: &mut [f64]) {
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
    pub(super) fn all_rows(&mut self, z: &mut [f64]) -> Status {
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
    /// ties, then the least index.
    fn first_event(&self, i: usize, sign: f64, z: &[f64]) -> Option<(f64, Event)> {
        let (problem, work) = (self.problem, &*self.work);
        let (lower, upper) = (problem.lower(), problem.upper());
        let w = &work.measure.w;
        // (distance, rank): the driven row has rank 0, row j has rank j + 1
        let mut first: Option<((f64, usize), Event)> = None;
        let mut offer = |t: f64, rank: usize, event: Event| {
            let key = (t.max(0.0), rank);
            if t.is_finite() && first.is_none_or(|(best, _)| key < best) {
                first = Some((key, event));
            }
        };
        if sign * work.dw[i] > self.settings.pivot_tolerance * problem.A().get(i, i) {
            offer(w[i].abs() / work.dw[i].abs(), 0, Event::Zero);
        }
        let own = if sign > 0.0 { upper[i] - z[i] } else { z[i] - lower[i] };
        offer(own, 0, Event::Bound(if sign > 0.0 { Place::Upper } else { Place::Lower }));

        let dz_max = work.dz_basic.iter().fold(1.0_f64, |m, dz| m.max(dz.abs()));
        for (k, (&c, &dz)) in work.basic.iter().zip(&work.dz_basic).enumerate() {
            if dz < -1e-13 * dz_max {
                offer((z[c] - lower[c]) / -dz, c + 1, Event::Leaves(k, Place::Lower));
            } else if dz > 1e-13 * dz_max {
                offer((upper[c] - z[c]) / dz, c + 1, Event::Leaves(k, Place::Upper));
            }
        }
        for j in 0..z.len() {
            let dw = work.dw[j];
            if dw.abs() <= 1e-12 * work.dw_size[j] || work.refused[j] || lower[j] == upper[j] {
                continue;
            }
            match work.place[j] {
                Place::Lower if dw < 0.0 => offer(w[j] / -dw, j + 1, Event::Enters(j)),
                Place::Upper if dw > 0.0 => offer(-w[j] / dw, j + 1, Event::Enters(j)),
                Place::Held => offer(0.0, j + 1, Event::Enters(j)),
                _ => {}
            }
        }
        first.map(|((t, _), event)| (t, event))
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
