//! Joints as measurements between two frames: what they lock, and how their positions are read off.

use std::f64::consts::TAU;

use crate::constraint::measure::{Measure, Pair};
use crate::joint::Joint;
use crate::math::{Quat, Vec3};
use Measure::{Dot, Shift, TurnA, TurnB};

/// What stays zero between the frames A (on the parent) and B (on the child). A screw has one more row.
pub(crate) fn locked(joint: Joint) -> &'static [Measure] {
    match joint {
        Joint::Fixed => &[Shift(0), Shift(1), Shift(2), TurnA(0), TurnA(1), TurnA(2)],
        Joint::Revolute => &[Shift(0), Shift(1), Shift(2), Dot(0, 2), Dot(1, 2)],
        Joint::Prismatic => &[Shift(0), Shift(1), TurnA(0), TurnA(1), TurnA(2)],
        Joint::Screw { .. } | Joint::Cylindrical => &[Shift(0), Shift(1), Dot(0, 2), Dot(1, 2)],
        Joint::Universal => &[Shift(0), Shift(1), Shift(2), Dot(0, 1)],
        Joint::Ball => &[Shift(0), Shift(1), Shift(2)],
        Joint::Planar => &[Shift(2), Dot(0, 2), Dot(1, 2)],
        Joint::Free => &[],
    }
}

/// The residual of a locked measurement, and the sign with which its rate counts.
///
/// Turns are components of the rotation vector between the frames: zero in one orientation only. A product of
/// axes is zero also with b_z turned around: beyond a right angle it goes on to grow, by 2 less what it is.
pub(crate) fn residual(measure: Measure, pair: &Pair) -> (f64, f64) {
    match measure {
        TurnA(k) | TurnB(k) => (rotation_between(pair)[k], 1.0),
        Dot(_, 2) if pair.X_WA.R.column(2).dot(&pair.X_WB.R.column(2)) < 0.0 => {
            let value = measure.value(pair).unwrap_or(0.0);
            (if value < 0.0 { -2.0 - value } else { 2.0 - value }, -1.0)
        }
        _ => (measure.value(pair).unwrap_or(0.0), 1.0),
    }
}

/// The rotation vector that turns frame A into frame B, in the axes of either [rad].
pub(crate) fn rotation_between(pair: &Pair) -> Vec3 {
    Quat::from_matrix(&pair.X_WA.R.tr_mul(&pair.X_WB.R)).log()
}

/// The measurement whose rate is velocity `index` of the joint.
pub(crate) fn velocity_measure(joint: Joint, index: usize) -> Measure {
    match (joint, index) {
        (Joint::Prismatic, _) | (Joint::Cylindrical, 1) => Shift(2),
        (Joint::Universal, 0) => TurnA(0),
        (Joint::Universal, _) => TurnB(1),
        (Joint::Ball, k) => TurnB(k),
        (Joint::Planar, k) if k < 2 => Shift(k),
        (Joint::Free, k) if k < 3 => Shift(k),
        (Joint::Free, k) => TurnB(k - 3),
        _ => TurnA(2),
    }
}

/// Position `index` of a joint, read off the poses of its frames [m or rad]. An angle is the one
/// that is nearest to `remembered`; if nothing is, the turns of a screw are counted by its shift, and other angles
/// are within (−π, π].
pub(crate) fn position(joint: Joint, index: usize, pair: &Pair, remembered: Option<f64>) -> f64 {
    let R = pair.X_WA.R.tr_mul(&pair.X_WB.R);
    let angle = match (joint, index) {
        (Joint::Prismatic, _) | (Joint::Cylindrical, 1) => return shift(pair, 2),
        (Joint::Planar, k) if k < 2 => return shift(pair, k),
        (Joint::Universal, 0) => libm::atan2(R[(2, 1)], R[(1, 1)]),
        (Joint::Universal, _) => libm::atan2(R[(0, 2)], R[(0, 0)]),
        _ => libm::atan2(R[(1, 0)], R[(0, 0)]),
    };
    let by_shift = match joint {
        Joint::Screw { pitch } if pitch != 0.0 => Some(shift(pair, 2) / pitch),
        _ => None,
    };
    match remembered.or(by_shift) {
        Some(near) => angle + TAU * ((near - angle) / TAU).round(),
        None => angle,
    }
}

fn shift(pair: &Pair, k: usize) -> f64 {
    pair.X_WA.R.column(k).dot(&pair.r())
}
