//! Bilateral rows: drives, closing, springs, dampers, armatures.

use super::{Ledger, LedgerWork};
use crate::constraint::close;
use crate::constraint::rows::{Answer, Origin, RowSet};
use crate::data::Data;
use crate::model::Model;
use crate::settings::{StepSettings, Stiffness};
use crate::state::State;

/// A spring with a damper over one step.
struct Spring {
    k: f64,
    b: f64,
    /// Stretch before and after [m or rad].
    theta: [f64; 2],
    /// Its rate before the kick and after it [m/s or rad/s].
    rate: [f64; 2],
}

/// The rows that the step solved, and the springs that it took as forces.
pub(super) fn add(
    ledger: &mut Ledger,
    model: &Model,
    settings: &StepSettings,
    state: &State,
    data: &Data,
    own: &LedgerWork,
) {
    let (h, work) = (settings.h, &data.work);
    // dampers without a spring have no stretch, and one that acts along a line is no row where the line has no length
    let is_inner = |origin| matches!(origin, Origin::Spring(i) if work.inner.contains(i));
    let is_outer = |origin| !is_inner(origin);
    let mut theta_next = springs(&own.rows, &is_outer).map(|(_, theta)| theta);
    let mut rate_next = armature_rates(&own.rows, &work.v_next);
    let mut stretch = |k: f64| if k > 0.0 { theta_next.next().unwrap_or(f64::NAN) } else { 0.0 };
    for (i, row) in work.rows.rows.iter().enumerate() {
        let p = work.impulses.p[i];
        let prescribed = close::mean_rate(model, row, state.time, h);
        let rate = [&state.v, &work.v_kick].map(|v| work.rows.rate(i, v) - prescribed);
        match row.answer {
            Answer::Rigid => {
                ledger.pay(|l| &mut l.drives, p * prescribed);
                ledger.pay(|l| &mut l.stabilization, p * rate[1]);
            }
            Answer::Elastic { k, b } => {
                let spring = Spring { k, b, theta: [row.theta, stretch(k)], rate };
                ledger.pay(|l| &mut l.drives, p * prescribed);
                ledger.add_implicit(&spring, p, h);
            }
            Answer::Inertia(inertia) => {
                let (_, next) = rate_next.next().unwrap_or((f64::NAN, f64::NAN));
                ledger.add_armature(p, inertia, rate, next);
            }
            // not among these rows
            Answer::Bounded => {}
        }
    }
    let mut inner_next = springs(&own.rows, &is_inner).map(|(_, theta)| theta);
    for inner in &work.inner.list {
        let next = if inner.k > 0.0 { inner_next.next().unwrap_or(f64::NAN) } else { 0.0 };
        let rate = [state.v[inner.v], work.v_kick[inner.v]];
        let spring = Spring { k: inner.k, b: inner.b, theta: [inner.theta, next], rate };
        ledger.add_implicit(&spring, inner.p, h);
    }
    if settings.stiffness == Stiffness::Explicit {
        for (i, row) in work.elastic.rows.iter().enumerate() {
            if let Answer::Elastic { k, b } = row.answer {
                let rate = [&state.v, &work.v_kick].map(|v| work.elastic.rate(i, v));
                let spring = Spring { k, b, theta: [row.theta, stretch(k)], rate };
                ledger.add_explicit(&spring, h);
            }
        }
    }
}

impl Spring {
    /// What the spring stores more at the end [J].
    fn stored(&self) -> f64 {
        0.5 * self.k * (self.theta[1] - self.theta[0]) * (self.theta[1] + self.theta[0])
    }

    /// What the damper loses on the way of the step [J].
    fn damped(&self, h: f64) -> f64 {
        h * self.b * self.rate[1] * self.rate[1]
    }
}

impl Ledger {
    /// The impulse works `p u = −h (k (θ + h u) + b u) u`. With x = θ + h u, the stretch that it reckons with, the method's
    /// part is `½ k (θ⁺² − x²) − ½ k (h u)²`, written such that nothing is lost where k is as large as a joint's.
    fn add_implicit(&mut self, spring: &Spring, p: f64, h: f64) {
        let (stored, damped) = (spring.stored(), spring.damped(h));
        self.pay(|l| &mut l.springs, -stored);
        self.pay(|l| &mut l.damping, -damped);
        self.pay(|l| &mut l.numerical, p * spring.rate[1] + stored + damped);
    }

    /// The force works `−h (k θ + b u⁻) u`. With x as above, the method's part is `½ k (θ⁺² − x²) + ½ k (h u)² + h b u (u − u⁻)`.
    fn add_explicit(&mut self, spring: &Spring, h: f64) {
        let [v, u] = spring.rate;
        let (stored, damped) = (spring.stored(), spring.damped(h));
        let paid = -h * (spring.k * spring.theta[0] + spring.b * v) * u;
        self.pay(|l| &mut l.springs, -stored);
        self.pay(|l| &mut l.damping, -damped);
        self.pay(|l| &mut l.numerical, paid + stored + damped);
    }

    /// An inertia that follows the rate ω of a row, `p = −I (ω⁺ − ω)`: paid over the rate after the kick, and its own energy
    /// grows by `I (ω⁺ − ω)(ω + ω⁺)/2`.
    fn add_armature(&mut self, p: f64, inertia: f64, rate: [f64; 2], next: f64) {
        let grown = inertia * (next - rate[0]) * 0.5 * (rate[0] + next);
        self.pay(|l| &mut l.numerical, p * rate[1] + grown);
    }
}

/// Stiffness and stretch of each row that has a spring and is wanted.
fn springs<'a>(
    rows: &'a RowSet,
    wanted: &'a impl Fn(Origin) -> bool,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    rows.rows.iter().filter_map(|row| match row.answer {
        Answer::Elastic { k, .. } if k > 0.0 && wanted(row.origin) => Some((k, row.theta)),
        _ => None,
    })
}

/// Inertia and rate of each armature that is a row.
fn armature_rates<'a>(rows: &'a RowSet, v: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    rows.rows.iter().enumerate().filter_map(move |(i, row)| match row.answer {
        Answer::Inertia(inertia) => Some((inertia, rows.rate(i, v))),
        _ => None,
    })
}

/// Kinetic energy of the armatures that are rows [J].
pub(super) fn armatures(rows: &RowSet, v: &[f64]) -> f64 {
    armature_rates(rows, v).map(|(inertia, rate)| 0.5 * inertia * rate * rate).sum()
}

/// Energy of the springs [J].
pub(super) fn elastic(rows: &RowSet) -> f64 {
    springs(rows, &|_| true).map(|(k, theta)| 0.5 * k * theta * theta).sum()
}
