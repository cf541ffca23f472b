//! What a contact does, and the map of Alart and Curnier piece by piece.

use super::factor::Block;
use super::space::Space;
use crate::cone::{Triple, length};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Open,
    Stick,
    Slip,
}

impl Mode {
    /// The piece of Π that z lies in.
    pub(super) fn of(z: &Triple, mu: f64) -> Self {
        if !(z[0] > 0.0) {
            Self::Open
        } else if length(z[1], z[2]) <= mu * z[0] {
            Self::Stick
        } else {
            Self::Slip
        }
    }
}

/// No contact pulls: where steps with modes as they stand, or their rounding, have made a normal impulse negative there is none. What is not a number stays so, for the judge.
pub(super) fn let_go_of_pulling(r: &mut [Triple]) {
    r.iter_mut().filter(|r| r[0] < 0.0).for_each(|r| *r = [0.0; 3]);
}

/// `(c − s (C x + q)) / (1 + s ε)`.
pub(super) fn shifted(
    problem: &impl Space,
    c: usize,
    (centre, s): (&Triple, f64),
    x: &[f64],
) -> Triple {
    shifted_by(problem, c, (centre, s), &problem.velocity(c, x))
}

/// The same where `C x` is known.
pub(super) fn shifted_by(
    problem: &impl Space,
    c: usize,
    (centre, s): (&Triple, f64),
    v: &Triple,
) -> Triple {
    let (q, eps) = (&problem.q()[c], &problem.eps()[c]);
    std::array::from_fn(|i| (centre[i] - s * (v[i] + q[i])) / (1.0 + s * eps[i]))
}

/// Π on the piece of a mode.
pub(super) fn respond(mode: Mode, z: &Triple, mu: f64) -> Triple {
    match mode {
        Mode::Open => [0.0; 3],
        Mode::Stick => *z,
        Mode::Slip => {
            let theta = mu * z[0] / length(z[1], z[2]).max(f64::MIN_POSITIVE);
            [z[0], theta * z[1], theta * z[2]]
        }
    }
}

/// `Π(r − s u) − r` with compliance, on the piece of a mode: by how much an impulse that moves with u changes.
pub(super) fn change(
    mode: Mode,
    (r, u): (&Triple, &Triple),
    (s, eps): (f64, &Triple),
    mu: f64,
) -> Triple {
    let change: Triple = std::array::from_fn(|i| -s * u[i] / (1.0 + s * eps[i]));
    match mode {
        Mode::Open => r.map(|r| -r),
        Mode::Stick => change,
        Mode::Slip => {
            let z: Triple = std::array::from_fn(|i| r[i] + change[i]);
            let end = respond(Mode::Slip, &z, mu);
            [change[0], end[1] - r[1], end[2] - r[2]]
        }
    }
}

/// The derivative of Π on the piece of a mode, times the slopes.
pub(super) fn derivative(mode: Mode, z: &Triple, mu: f64, slope: &Triple) -> Block {
    match mode {
        Mode::Open => [0.0; 9],
        Mode::Stick => [slope[0], 0.0, 0.0, 0.0, slope[1], 0.0, 0.0, 0.0, slope[2]],
        Mode::Slip => {
            let tangent = length(z[1], z[2]).max(f64::MIN_POSITIVE);
            let (t, theta) = ([z[1] / tangent, z[2] / tangent], mu * z[0] / tangent);
            let along = |i: usize, j: usize| {
                theta * (if i == j { 1.0 } else { 0.0 } - t[i] * t[j]) * slope[j + 1]
            };
            [
                slope[0],
                0.0,
                0.0,
                mu * t[0] * slope[0],
                along(0, 0),
                along(0, 1),
                mu * t[1] * slope[0],
                along(1, 0),
                along(1, 1),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulling_contacts_let_go_and_what_is_not_a_number_stays() {
        let mut r = [[-1e-15, 1e-15, 0.0], [1.0, 0.5, 0.0], [f64::NAN, 0.0, 0.0]];
        let_go_of_pulling(&mut r);
        assert_eq!(r[..2], [[0.0; 3], [1.0, 0.5, 0.0]]);
        assert!(r[2][0].is_nan());
    }
}
