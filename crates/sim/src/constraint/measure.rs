//! What can be measured between two frames, and the unit wrench that belongs to each measurement.
//!
//! Frame A is fixed to one body and frame B to another (or to the world). The rate of every measurement
//! is the power of a unit wrench over the motion of B against A,
//!
//! ```text
//!  θ̇ = f·(v_B − v_A at P) + t·(w_B − w_A)
//! ```
//!
//! so a multiplier λ of the row is a force λ f at the one point P and a torque λ t on B, and their
//! opposites on A: momentum is kept whatever λ is. The second derivative is the same expression in the
//! accelerations plus a *bias* that depends on the velocities alone.
//!
//! | measurement | value | f at P | t |
//! |---|---|---|---|
//! | `Shift(k)` | component k in A of the vector from Ao to Bo [m] | a_k at Bo | 0 |
//! | `Dot(i, j)` | a_i · b_j | 0 | b_j × a_i |
//! | `TurnA(k)`, `TurnB(k)` | (no value of its own) | 0 | a_k, b_k |
//! | `Distance` | distance of Ao and Bo [m] | n at Bo | 0 |

use crate::math::Vec3;
use crate::model::Attachment;
use crate::spatial::{Motion, Pose};
use crate::tree::kinematics::{Kinematics, Velocities};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    Shift(usize),
    Dot(usize, usize),
    TurnA(usize),
    TurnB(usize),
    Distance,
}

/// The poses of the two frames in W and the bodies they are fixed to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) a: Option<usize>,
    pub(crate) b: Option<usize>,
    pub(crate) X_WA: Pose,
    pub(crate) X_WB: Pose,
}

/// A unit of force and torque between two bodies: on b as written, on a reversed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrench {
    /// Where the force acts, in W [m].
    pub(crate) p: Vec3,
    pub(crate) t: Vec3,
    pub(crate) f: Vec3,
}

/// Motion of a frame in W: velocities, and classical accelerations at v̇ = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameMotion {
    pub(crate) w: Vec3,
    pub(crate) v: Vec3,
    pub(crate) w_dot: Vec3,
    pub(crate) v_dot: Vec3,
}

impl Pair {
    pub(crate) fn new(kin: &Kinematics, a: &Attachment, b: &Attachment) -> Self {
        Self { a: a.body, b: b.body, X_WA: place(kin, a), X_WB: place(kin, b) }
    }

    /// From Ao to Bo in W [m].
    pub(crate) fn r(&self) -> Vec3 {
        self.X_WB.p - self.X_WA.p
    }
}

fn place(kin: &Kinematics, at: &Attachment) -> Pose {
    match at.body {
        Some(body) => kin.X_WB[body] * at.X_BF,
        None => at.X_BF,
    }
}

fn axis(X: &Pose, k: usize) -> Vec3 {
    X.R.column(k).into_owned()
}

impl Measure {
    /// [m], [rad] for small angles, or 1. `None` for turns: their angle depends on the joint.
    pub(crate) fn value(self, pair: &Pair) -> Option<f64> {
        match self {
            Self::Shift(k) => Some(axis(&pair.X_WA, k).dot(&pair.r())),
            Self::Dot(i, j) => Some(axis(&pair.X_WA, i).dot(&axis(&pair.X_WB, j))),
            Self::TurnA(_) | Self::TurnB(_) => None,
            Self::Distance => Some(pair.r().norm()),
        }
    }

    /// `None` where the direction is not defined: a distance of zero.
    pub(crate) fn wrench(self, pair: &Pair) -> Option<Wrench> {
        let p = pair.X_WB.p;
        let zero = Vec3::zeros();
        match self {
            Self::Shift(k) => Some(Wrench { p, t: zero, f: axis(&pair.X_WA, k) }),
            Self::Dot(i, j) => {
                let t = axis(&pair.X_WB, j).cross(&axis(&pair.X_WA, i));
                Some(Wrench { p, t, f: zero })
            }
            Self::TurnA(k) => Some(Wrench { p, t: axis(&pair.X_WA, k), f: zero }),
            Self::TurnB(k) => Some(Wrench { p, t: axis(&pair.X_WB, k), f: zero }),
            Self::Distance => {
                let r = pair.r();
                let length = r.norm();
                (length > 0.0).then(|| Wrench { p, t: zero, f: r / length })
            }
        }
    }

    /// `θ̈` at v̇ = 0.
    pub(crate) fn bias(self, pair: &Pair, A: &FrameMotion, B: &FrameMotion) -> f64 {
        let w_rel = B.w - A.w;
        let w_dot_rel = B.w_dot - A.w_dot;
        match self {
            Self::Shift(k) => {
                // second derivative of r as seen from A
                let (r, r_dot) = (pair.r(), B.v - A.v);
                let r_ddot = B.v_dot - A.v_dot - A.w_dot.cross(&r) - A.w.cross(&r_dot) * 2.0
                    + A.w.cross(&A.w.cross(&r));
                axis(&pair.X_WA, k).dot(&r_ddot)
            }
            Self::Dot(i, j) => {
                let (a, b) = (axis(&pair.X_WA, i), axis(&pair.X_WB, j));
                let (a_dot, b_dot) = (A.w.cross(&a), B.w.cross(&b));
                w_dot_rel.dot(&b.cross(&a)) + w_rel.dot(&(b_dot.cross(&a) + b.cross(&a_dot)))
            }
            Self::TurnA(k) => {
                let a = axis(&pair.X_WA, k);
                w_dot_rel.dot(&a) + w_rel.dot(&A.w.cross(&a))
            }
            Self::TurnB(k) => {
                let b = axis(&pair.X_WB, k);
                w_dot_rel.dot(&b) + w_rel.dot(&B.w.cross(&b))
            }
            Self::Distance => {
                let (r, r_dot) = (pair.r(), B.v - A.v);
                let length = r.norm();
                let n = r / length;
                let rate = n.dot(&r_dot);
                n.dot(&(B.v_dot - A.v_dot)) + (r_dot.norm_squared() - rate * rate) / length
            }
        }
    }
}

impl FrameMotion {
    /// Of a frame at `X_WF`. `A` holds the spatial acceleration of each body at v̇ = 0, in B.
    pub(crate) fn new(
        kin: &Kinematics,
        vel: &Velocities,
        A: &[Motion],
        body: Option<usize>,
        X_WF: &Pose,
    ) -> Self {
        let zero = Vec3::zeros();
        let Some(i) = body else { return Self { w: zero, v: zero, w_dot: zero, v_dot: zero } };
        let X_WB = &kin.X_WB[i];
        let (w, w_dot) = (X_WB.R * vel.V[i].w, X_WB.R * A[i].w);
        let r = X_WF.p - X_WB.p;
        let v = X_WB.R * vel.V[i].v + w.cross(&r);
        // a spatial acceleration is the rate of the velocity at a fixed place: + w × v for the point
        let v_dot = X_WB.R * A[i].v + w_dot.cross(&r) + w.cross(&v);
        Self { w, v, w_dot, v_dot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, skew};

    const MEASURES: [Measure; 8] = [
        Measure::Shift(0),
        Measure::Shift(1),
        Measure::Shift(2),
        Measure::Dot(0, 1),
        Measure::Dot(1, 2),
        Measure::Dot(2, 2),
        Measure::Distance,
        Measure::TurnA(1),
    ];

    /// Two frames that move with constant w and w-turned acceleration: x(t) = exp(w t) x₀ + …
    fn pose(t: f64, w: Vec3, v: Vec3, a: Vec3, start: Vec3) -> Pose {
        let p = Vec3::new(0.3, -0.2, 0.9) + v * t + a * (0.5 * t * t);
        let R = Quat::exp(&(w * t)) * Quat::exp(&start);
        Pose { R: R.to_matrix(), p }
    }

    fn pair(t: f64) -> (Pair, FrameMotion, FrameMotion) {
        let (w_a, v_a, a_a) =
            (Vec3::new(0.3, -0.7, 0.5), Vec3::new(1.0, 0.2, -0.4), Vec3::new(0.5, 0.1, 2.0));
        let (w_b, v_b, a_b) =
            (Vec3::new(-0.6, 0.2, 0.9), Vec3::new(-0.3, 0.8, 0.6), Vec3::new(-1.0, 0.7, 0.2));
        let X_WA = pose(t, w_a, v_a, a_a, Vec3::new(0.4, 0.5, -0.2));
        let mut X_WB = pose(t, w_b, v_b, a_b, Vec3::new(-1.0, 0.3, 0.7));
        X_WB.p += Vec3::new(0.5, 0.4, -0.3);
        let motion = |w: Vec3, v: Vec3, a: Vec3| FrameMotion {
            w,
            v: v + a * t,
            w_dot: Vec3::zeros(),
            v_dot: a,
        };
        let pair = Pair { a: None, b: None, X_WA, X_WB };
        (pair, motion(w_a, v_a, a_a), motion(w_b, v_b, a_b))
    }

    /// The power of the measure's unit wrench.
    fn rate(measure: Measure, t: f64) -> f64 {
        let (pair, A, B) = pair(t);
        let w = measure.wrench(&pair).expect("defined");
        let v_A = A.v + A.w.cross(&(w.p - pair.X_WA.p));
        let v_B = B.v + B.w.cross(&(w.p - pair.X_WB.p));
        w.f.dot(&(v_B - v_A)) + w.t.dot(&(B.w - A.w))
    }

    #[test]
    fn the_wrench_is_the_gradient_of_the_value() {
        let h = 1e-5;
        for measure in MEASURES {
            let value = |t| measure.value(&pair(t).0);
            let (Some(ahead), Some(behind)) = (value(h), value(-h)) else { continue };
            let expected = (ahead - behind) / (2.0 * h);
            assert!((rate(measure, 0.0) - expected).abs() < 1e-9, "{measure:?}");
        }
    }

    #[test]
    fn the_bias_is_the_derivative_of_the_rate() {
        let h = 1e-5;
        for measure in MEASURES {
            let expected = (rate(measure, h) - rate(measure, -h)) / (2.0 * h);
            let (pair, A, B) = pair(0.0);
            // third derivatives of up to 100 m/s⁴ leave h²/6 of themselves
            assert!((measure.bias(&pair, &A, &B) - expected).abs() < 1e-8, "{measure:?}");
        }
    }

    #[test]
    fn a_pose_turns_with_its_angular_velocity() {
        // guards the motion that the other tests use
        let (w, h) = (Vec3::new(0.3, -0.7, 0.5), 1e-6);
        let at = |t| pose(t, w, Vec3::zeros(), Vec3::zeros(), Vec3::new(0.4, 0.5, -0.2)).R;
        let w_hat = (at(h) - at(-h)) * at(0.0).transpose() / (2.0 * h);
        assert!((w_hat - skew(&w)).amax() < 1e-9);
    }
}
