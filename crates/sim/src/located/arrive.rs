//! The ordinary step that ends where a gap closes.
//!
//! The way of the trial is the step of length s with the accelerations of the whole one; the moment at which the gap closes on it is
//! exact for free flight, and a first guess where forces, joints or other contacts change with the length of the step. From
//! there the length is corrected by secants, each a step.

use super::{Listing, LocatedWork, Walk};
use crate::collide::ContactKey;
use crate::contact::list::{farthest, parting, rounding_of_gap};
use crate::spatial::Pose;
use crate::step::StepError;

/// Steps after which the length is as good as it gets.
const MAX_STEPS: usize = 12;
/// A gap below this share of what rounding excuses is closed, and below the larger one where that is less than the third share
/// of the step away in time.
const CLOSED: f64 = 1e-4;
const NEARLY: f64 = 0.1;
const IN_TIME: f64 = 1e-12;

impl Walk<'_> {
    /// Takes the step at whose end the gap of a contact is at `level`, about s from here. False if it turned out to stay above: then
    /// the step leads to where it is nearest.
    pub(super) fn arrive(
        &mut self,
        s: f64,
        key: ContactKey,
        level: f64,
    ) -> Result<bool, StepError> {
        // what departs is at its level where the step begins too: only what is later counts; and no length is known yet at which
        // the gap is closed
        let departs = self.own.list.departs(key);
        let mut bracket = [if departs { 0.25 * s } else { 0.0 }, f64::INFINITY];
        let (mut s, mut last) = (s, None);
        for step in 1.. {
            let taken = self.take(s, Listing::Same)?;
            let Some((gap, u_n, rounding)) = self.gap_at_next(key) else {
                self.accept(s, taken)?;
                return Ok(false);
            };
            let gap = gap - level;
            let is_in_time = gap.abs() <= IN_TIME * self.settings.step.h * u_n.abs();
            let is_closed = gap.abs() <= if is_in_time { NEARLY } else { CLOSED } * rounding;
            let is_done = is_closed || step == MAX_STEPS;
            bracket[if gap > 0.0 { 0 } else { 1 }] = s;
            let next = next_length((s, gap), u_n, last, bracket).unwrap_or(s).min(self.left);
            // so does rounding of the length, and of the gap: a secant through gaps of rounding leads anywhere
            let is_noise = gap.abs() <= rounding && !((next - s).abs() * u_n.abs() <= rounding);
            if is_done || next == s || is_noise {
                self.accept(s, taken)?;
                return Ok(gap <= rounding);
            }
            (s, last) = (next, Some((s, gap)));
        }
        Ok(false)
    }

    /// The gap of a contact at `next`, how fast it grows there, and what rounding excuses; None where it is far.
    fn gap_at_next(&mut self, key: ContactKey) -> Option<(f64, f64, f64)> {
        let model = self.model;
        let work = &mut self.data.work;
        work.kin_next.update(model, &self.own.next.q);
        self.own.velocities.update(model, &work.kin_next, &self.own.next.v);
        let contact = self.data.contact.as_mut()?;
        let X_WB = [key.shape_a, key.shape_b].map(|shape| {
            let body = model.geoms[shape as usize].at.body;
            body.map_or_else(Pose::identity, |i| work.kin_next.X_WB[i])
        });
        let LocatedWork { list, velocities, found, .. } = &mut *self.own;
        let pair = (key.shape_a, key.shape_b);
        contact.collider.detect_pair(model, pair, X_WB, list.horizon, found);
        // names of contacts change on the way: whatever of these two shapes was open counts
        let counted = found.iter().filter(|c| c.key == key || list.may_close(c));
        let nearest = counted.min_by(|a, b| a.gap.total_cmp(&b.gap));
        nearest.map(|contact| {
            let u_n = parting(contact, &work.kin_next, velocities);
            (contact.gap, u_n, rounding_of_gap(contact, farthest(&work.kin_next)))
        })
    }
}

/// The next length to try: by the secant through the last two, the first time by the speed; where that leads out of the
/// bracket by halves, or by the speed as long as the gap was not yet seen closed. None if it is open and grows.
fn next_length(
    (s, gap): (f64, f64),
    u_n: f64,
    last: Option<(f64, f64)>,
    [low, high]: [f64; 2],
) -> Option<f64> {
    let slope = match last {
        Some((s_last, gap_last)) => (gap - gap_last) / (s - s_last),
        None => u_n,
    };
    let next = s - gap / slope;
    if next > low && next < high {
        Some(next)
    } else if high < f64::INFINITY {
        Some(0.5 * (low + high))
    } else {
        (u_n < 0.0).then(|| s - gap / u_n)
    }
}
