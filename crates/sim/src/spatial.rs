//! Spatial vectors: six numbers for the motion of a body and six for what pushes it.
//!
//! Angular part first, always. A [`Pose`] carries them between frames, in compact form (a rotation
//! and a translation, never a 6 × 6 matrix).

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::math::{Mat3, Quat, Vec3};

/// `V = (w, v)`: angular velocity [rad/s] and velocity of the frame's origin [m/s]; also accelerations
/// and joint axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    pub w: Vec3,
    pub v: Vec3,
}

/// `F = (t, f)`: torque about the frame's origin [N·m] and force [N]; also momenta.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force {
    pub t: Vec3,
    pub f: Vec3,
}

impl Motion {
    pub fn zero() -> Self {
        Self { w: Vec3::zeros(), v: Vec3::zeros() }
    }

    pub fn new(w: Vec3, v: Vec3) -> Self {
        Self { w, v }
    }

    /// Velocity of the point at `p` (from the frame's origin, in the frame's axes).
    pub fn at(&self, p: &Vec3) -> Vec3 {
        self.v + self.w.cross(p)
    }

    /// `V × M`: how the motion M, fixed to a frame that moves with V, changes.
    pub fn cross(&self, M: &Motion) -> Motion {
        Motion { w: self.w.cross(&M.w), v: self.w.cross(&M.v) + self.v.cross(&M.w) }
    }

    /// `V ×* F`: how the force F, fixed to a frame that moves with V, changes.
    pub fn cross_force(&self, F: &Force) -> Force {
        Force { t: self.w.cross(&F.t) + self.v.cross(&F.f), f: self.w.cross(&F.f) }
    }

    /// Power of F over this motion [W].
    pub fn dot(&self, F: &Force) -> f64 {
        self.w.dot(&F.t) + self.v.dot(&F.f)
    }
}

impl Force {
    pub fn zero() -> Self {
        Self { t: Vec3::zeros(), f: Vec3::zeros() }
    }

    pub fn new(t: Vec3, f: Vec3) -> Self {
        Self { t, f }
    }
}

/// `X_AB`: orientation `R_AB` and origin `p_AB` of frame B in frame A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub R: Mat3,
    /// From A's origin to B's, in A [m].
    pub p: Vec3,
}

impl Pose {
    pub fn identity() -> Self {
        Self { R: Mat3::identity(), p: Vec3::zeros() }
    }

    pub fn new(R: Mat3, p: Vec3) -> Self {
        Self { R, p }
    }

    pub fn translation(x: f64, y: f64, z: f64) -> Self {
        Self { R: Mat3::identity(), p: Vec3::new(x, y, z) }
    }

    pub fn rotation(quat: Quat) -> Self {
        Self { R: quat.to_matrix(), p: Vec3::zeros() }
    }

    /// From a position [m] and a quaternion w, x, y, z, which need not have unit length.
    pub fn from_parts(p: Vec3, quat: Quat) -> Self {
        Self { R: quat.normalized().to_matrix(), p }
    }

    /// `X_BA` of `X_AB`.
    pub fn inverse(&self) -> Self {
        Self { R: self.R.transpose(), p: -self.R.tr_mul(&self.p) }
    }

    /// `p_A` of the point that is at `p_B`.
    pub fn point(&self, p_B: &Vec3) -> Vec3 {
        self.p + self.R * p_B
    }

    /// A motion given in A, in B and about B's origin.
    pub fn motion_to_local(&self, V_A: &Motion) -> Motion {
        Motion { w: self.R.tr_mul(&V_A.w), v: self.R.tr_mul(&V_A.at(&self.p)) }
    }

    /// A motion given in B, in A and about A's origin.
    pub fn motion_from_local(&self, V_B: &Motion) -> Motion {
        let w = self.R * V_B.w;
        Motion { w, v: self.R * V_B.v + self.p.cross(&w) }
    }

    /// A force given in B, in A and about A's origin.
    pub fn force_from_local(&self, F_B: &Force) -> Force {
        let f = self.R * F_B.f;
        Force { t: self.R * F_B.t + self.p.cross(&f), f }
    }

    /// A force given in A, in B and about B's origin.
    pub fn force_to_local(&self, F_A: &Force) -> Force {
        Force { t: self.R.tr_mul(&(F_A.t - self.p.cross(&F_A.f))), f: self.R.tr_mul(&F_A.f) }
    }
}

/// `X_AC = X_AB * X_BC`: the inner letters cancel.
impl Mul for Pose {
    type Output = Pose;

    fn mul(self, X_BC: Pose) -> Pose {
        Pose { R: self.R * X_BC.R, p: self.point(&X_BC.p) }
    }
}

impl Add for Motion {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { w: self.w + b.w, v: self.v + b.v }
    }
}

impl Sub for Motion {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self { w: self.w - b.w, v: self.v - b.v }
    }
}

impl AddAssign for Motion {
    fn add_assign(&mut self, b: Self) {
        self.w += b.w;
        self.v += b.v;
    }
}

impl Mul<f64> for Motion {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { w: self.w * s, v: self.v * s }
    }
}

impl Neg for Motion {
    type Output = Self;
    fn neg(self) -> Self {
        Self { w: -self.w, v: -self.v }
    }
}

impl Add for Force {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { t: self.t + b.t, f: self.f + b.f }
    }
}

impl Sub for Force {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self { t: self.t - b.t, f: self.f - b.f }
    }
}

impl AddAssign for Force {
    fn add_assign(&mut self, b: Self) {
        self.t += b.t;
        self.f += b.f;
    }
}

impl SubAssign for Force {
    fn sub_assign(&mut self, b: Self) {
        self.t -= b.t;
        self.f -= b.f;
    }
}

impl Mul<f64> for Force {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { t: self.t * s, f: self.f * s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose() -> Pose {
        Pose::from_parts(Vec3::new(0.3, -2.0, 1.1), Quat::exp(&Vec3::new(1.0, 0.4, -0.7)))
    }

    fn motion() -> Motion {
        Motion::new(Vec3::new(0.2, 1.0, -0.5), Vec3::new(-1.5, 0.1, 0.8))
    }

    fn force() -> Force {
        Force::new(Vec3::new(0.9, -0.3, 0.4), Vec3::new(2.0, 0.7, -1.2))
    }

    #[test]
    fn there_and_back_is_the_identity() {
        let X = pose();
        let back = X.motion_from_local(&X.motion_to_local(&motion())) - motion();
        assert!(back.w.amax() < 1e-15 && back.v.amax() < 1e-14);
        let back = X.force_from_local(&X.force_to_local(&force())) - force();
        assert!(back.t.amax() < 1e-14 && back.f.amax() < 1e-15);
        let I = X * X.inverse();
        assert!((I.R - Mat3::identity()).amax() < 1e-15 && I.p.amax() < 1e-15);
    }

    #[test]
    fn power_does_not_depend_on_the_frame() {
        let X = pose();
        let power = X.motion_to_local(&motion()).dot(&X.force_to_local(&force()));
        assert!((power - motion().dot(&force())).abs() < 1e-14);
    }

    #[test]
    fn the_two_cross_products_are_dual() {
        // (V × M)·F = −M·(V ×* F)
        let (V, M) = (motion(), motion() * 2.0 + Motion::new(Vec3::x(), Vec3::y()));
        assert!((V.cross(&M).dot(&force()) + M.dot(&V.cross_force(&force()))).abs() < 1e-14);
    }
}
