//! Forward dynamics by the articulated-body algorithm.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), table 7.1, in two parts: what depends on q alone,
//! and the two sweeps that solve `M a = τ` with it. The articulated inertia `I^A` of a body is the one it
//! shows when the joints below it give way:
//!
//! ```text
//!  leaves to root     U = I^A s,  d = sᵀU + armature,  I^A ← I^A − U Uᵀ/d    for each velocity of the joint
//!                     I^A of the parent += I^A, moved
//!                     u = τ − sᵀp,  p ← p + U u/d                            p of the parent += p, moved
//!  root to leaves     a = (u − UᵀA)/d,  A ← A + s a                          A starts as that of the parent, moved
//! ```
//!
//! A joint with several velocities is a chain of joints with one velocity each and no mass between them, so
//! eliminating one velocity after the other is all there is to do. The velocity products and gravity enter
//! as the forces p that hold each body at v̇ = 0 (the sweep of `rnea` to the leaves).
//!
//! Everything is in the axes of the world about the origin of each body: moving to the parent then is
//! a shift by a vector that does not grow with the distance from the world's origin, without rotation. O(n), no
//! allocation.

use crate::data::Data;
use crate::inertia::SpatialInertia;
use crate::joint::Joint;
use crate::math::{Mat3, Vec3, skew};
use crate::model::Model;
use crate::spatial::{Force, Motion};
use crate::tree::kinematics::Kinematics;
use crate::tree::matrix::NotPositiveDefinite;
use crate::tree::rnea;

/// A symmetric matrix by its upper triangle.
#[derive(Clone, Copy, Debug)]
struct Sym3 {
    xx: f64,
    xy: f64,
    xz: f64,
    yy: f64,
    yz: f64,
    zz: f64,
}

/// Inertia of a body whose joints below give way, about Bo: `t = A w + B v`, `f = Bᵀw + C v`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArticulatedInertia {
    /// [kg·m²]
    A: Sym3,
    /// [kg·m]
    B: Mat3,
    /// [kg]
    C: Sym3,
}

/// What depends on q alone, in the axes of W.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    IA: Vec<ArticulatedInertia>,
    /// For each velocity `I^A s`, the force that causes it, ...
    U: Vec<Force>,
    /// ... and `1/d`: what one unit of force along it accelerates.
    d_inv: Vec<f64>,
    /// Force that each subtree needs beyond what τ gives.
    p: Vec<Force>,
    /// Acceleration of each body.
    A: Vec<Motion>,
}

/// `a = M⁻¹ (τ − c(q, v) + Jᵀ F_ext)`. Needs positions and velocities; `F_ext` holds a force on each body,
/// in its frame B about Bo.
///
/// The error names a velocity along which the mechanism has no inertia.
pub fn forward_dynamics(
    model: &Model,
    data: &mut Data,
    tau: &[f64],
    F_ext: Option<&[Force]>,
    a: &mut [f64],
) -> Result<(), NotPositiveDefinite> {
    articulate(model, data)?;
    rnea::hold_still(model, data, F_ext);
    for i in 0..model.bodies.len() {
        let (R_WB, F) = (&data.kin.X_WB[i].R, &data.F[i]);
        data.articulated.p[i] = Force { t: R_WB * F.t, f: R_WB * F.f };
    }
    a.copy_from_slice(tau);
    data.articulated.sweep(model, &data.kin, a);
    Ok(())
}

/// Articulated inertias of the present position. Needs the positions.
pub fn articulate(model: &Model, data: &mut Data) -> Result<(), NotPositiveDefinite> {
    data.positions();
    let (kin, at) = (&data.kin, &mut data.articulated);
    for (i, body) in model.bodies.iter().enumerate() {
        at.IA[i] = ArticulatedInertia::rigid(&body.I, &kin.X_WB[i].R);
    }
    for (i, body) in model.bodies.iter().enumerate().rev() {
        for v in body.v_range().rev() {
            let (IA, s) = (&mut at.IA[i], &kin.S_W[v]);
            let (U, d) = match body.joint {
                Joint::Revolute => IA.turned(&s.w),
                _ => IA.moved(s),
            };
            let d = d + model.armature[v];
            if !(d > 0.0 && d.is_finite()) {
                return Err(NotPositiveDefinite(v));
            }
            at.U[v] = U;
            at.d_inv[v] = 1.0 / d;
            IA.give_way(&U, at.d_inv[v]);
        }
        if let Some(parent) = body.parent {
            let carried = at.IA[i];
            at.IA[parent].add_shifted(&carried, &kin.p_PoBo_W[i]);
        }
    }
    Ok(())
}

/// `x ← M⁻¹ x` with the inertias of [`articulate`]: no velocities, no gravity.
pub fn solve(model: &Model, data: &mut Data, x: &mut [f64]) {
    data.positions();
    data.articulated.p.fill(Force::zero());
    data.articulated.sweep(model, &data.kin, x);
}

impl Articulated {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        let zero = Sym3::diagonal(0.0);
        Self {
            IA: vec![ArticulatedInertia { A: zero, B: Mat3::zeros(), C: zero }; n],
            U: vec![Force::zero(); model.nv],
            d_inv: vec![0.0; model.nv],
            p: vec![Force::zero(); n],
            A: vec![Motion::zero(); n],
        }
    }

    /// Reads τ from `x` and the forces `p` that hold the bodies; writes the accelerations to `x`.
    fn sweep(&mut self, model: &Model, kin: &Kinematics, x: &mut [f64]) {
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let mut p = self.p[i];
            for v in body.v_range().rev() {
                x[v] -= kin.S_W[v].dot(&p);
                p += self.U[v] * (x[v] * self.d_inv[v]);
            }
            if let Some(parent) = body.parent {
                let arm = &kin.p_PoBo_W[i];
                self.p[parent] += Force { t: p.t + arm.cross(&p.f), f: p.f };
            }
        }
        for (i, body) in model.bodies.iter().enumerate() {
            let mut A = match body.parent {
                Some(parent) => {
                    let A_P = &self.A[parent];
                    Motion { w: A_P.w, v: A_P.at(&kin.p_PoBo_W[i]) }
                }
                None => Motion::zero(),
            };
            for v in body.v_range() {
                x[v] = (x[v] - A.dot(&self.U[v])) * self.d_inv[v];
                A += kin.S_W[v] * x[v];
            }
            self.A[i] = A;
        }
    }
}

impl ArticulatedInertia {
    /// Of a rigid body, turned into the axes of W.
    fn rigid(I: &SpatialInertia, R_WB: &Mat3) -> Self {
        let A = Sym3::turned(&I.I, R_WB);
        Self { A, B: skew(&(R_WB * I.mc)), C: Sym3::diagonal(I.mass) }
    }

    /// The force that causes the motion s, and its component along s.
    fn moved(&self, s: &Motion) -> (Force, f64) {
        let t = &self.A * &s.w + self.B * s.v;
        let U = Force { t, f: self.B.tr_mul(&s.w) + &self.C * &s.v };
        (U, s.dot(&U))
    }

    /// The same for a turn without a shift.
    fn turned(&self, w: &Vec3) -> (Force, f64) {
        let t = &self.A * w;
        (Force { t, f: self.B.tr_mul(w) }, w.dot(&t))
    }

    /// `I^A ← I^A − U Uᵀ/d`: the joint gives way.
    fn give_way(&mut self, U: &Force, d_inv: f64) {
        let (t, f) = (U.t * d_inv, U.f * d_inv);
        self.A.subtract(&U.t, &t);
        self.B -= U.t * f.transpose();
        self.C.subtract(&U.f, &f);
    }

    /// Adds an inertia about a point that is `p` away, the hat being the matrix of the cross product:
    ///
    /// ```text
    ///  B' = B + p̂ C,   A' = A + p̂ Bᵀ − B p̂ − p̂ C p̂ = A + p̂ Bᵀ − B' p̂,   C' = C
    /// ```
    fn add_shifted(&mut self, I: &ArticulatedInertia, p: &Vec3) {
        let [x, y, z] = I.C.columns().map(|column| p.cross(&column));
        let (B, old) = (I.B + Mat3::from_columns(&[x, y, z]), &I.B);
        let A = &mut self.A;
        // entry ij: (p × row j of B)_i + (p × row i of B')_j
        A.xx += I.A.xx + (p.y * (old.m13 + B.m13) - p.z * (old.m12 + B.m12));
        A.yy += I.A.yy + (p.z * (old.m21 + B.m21) - p.x * (old.m23 + B.m23));
        A.zz += I.A.zz + (p.x * (old.m32 + B.m32) - p.y * (old.m31 + B.m31));
        A.xy += I.A.xy + (p.y * old.m23 - p.z * old.m22) + (p.z * B.m11 - p.x * B.m13);
        A.xz += I.A.xz + (p.y * old.m33 - p.z * old.m32) + (p.x * B.m12 - p.y * B.m11);
        A.yz += I.A.yz + (p.z * old.m31 - p.x * old.m33) + (p.x * B.m22 - p.y * B.m21);
        self.B += B;
        self.C += I.C;
    }
}

impl Sym3 {
    fn diagonal(d: f64) -> Self {
        Self { xx: d, xy: 0.0, xz: 0.0, yy: d, yz: 0.0, zz: d }
    }

    /// `R S Rᵀ`.
    fn turned(S: &Mat3, R: &Mat3) -> Self {
        let RS = R * S;
        let entry = |i: usize, j: usize| {
            RS[(i, 0)] * R[(j, 0)] + RS[(i, 1)] * R[(j, 1)] + RS[(i, 2)] * R[(j, 2)]
        };
        let (xx, xy, xz) = (entry(0, 0), entry(0, 1), entry(0, 2));
        Self { xx, xy, xz, yy: entry(1, 1), yz: entry(1, 2), zz: entry(2, 2) }
    }

    fn columns(&self) -> [Vec3; 3] {
        let Self { xx, xy, xz, yy, yz, zz } = *self;
        [Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz)]
    }

    /// Subtracts `a bᵀ`, which the caller knows to be symmetric.
    fn subtract(&mut self, a: &Vec3, b: &Vec3) {
        self.xx -= a.x * b.x;
        self.xy -= a.x * b.y;
        self.xz -= a.x * b.z;
        self.yy -= a.y * b.y;
        self.yz -= a.y * b.z;
        self.zz -= a.z * b.z;
    }
}

impl std::ops::Mul<&Vec3> for &Sym3 {
    type Output = Vec3;

    fn mul(self, a: &Vec3) -> Vec3 {
        Vec3::new(
            self.xx * a.x + self.xy * a.y + self.xz * a.z,
            self.xy * a.x + self.yy * a.y + self.yz * a.z,
            self.xz * a.x + self.yz * a.y + self.zz * a.z,
        )
    }
}

impl std::ops::AddAssign for Sym3 {
    fn add_assign(&mut self, b: Self) {
        self.xx += b.xx;
        self.xy += b.xy;
        self.xz += b.xz;
        self.yy += b.yy;
        self.yz += b.yz;
        self.zz += b.zz;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::Inertia;
    use crate::model::{Coordinates, FrameSpec, JointKind, ModelSpec};
    use crate::testing::{Sample, condition, distance, size};
    use crate::tree::{crba, kinematics};

    #[test]
    fn inverse_and_forward_dynamics_undo_each_other() {
        for seed in 0..300 {
            let mut s = Sample::new(seed, 40);
            let M = crba::mass_matrix(&s.model, &mut s.data).to_dense(&s.model.pattern);
            let mut at_rest = vec![0.0; s.model.nv];
            let (mut tau, mut a) = (at_rest.clone(), at_rest.clone());
            let zeros = at_rest.clone();
            let (model, data, F_ext) = (&s.model, &mut s.data, Some(&s.F_ext[..]));

            // a → τ → a; what cancels is as large as the acceleration without τ
            rnea::inverse_dynamics(model, data, &s.a, F_ext, &mut tau);
            forward_dynamics(model, data, &tau, F_ext, &mut a).expect("inertia everywhere");
            forward_dynamics(model, data, &zeros, F_ext, &mut at_rest).expect("the same matrix");
            // measured: 6 roundings times the condition
            let slack = 50.0 * f64::EPSILON * condition(&M);
            let scale = size(&M, &s.a).max(size(&M, &at_rest));
            let error = distance(&M, &a, &s.a) / scale;
            assert!(error <= slack, "seed {seed}: {error:e} > {slack:e}");

            // τ → a → τ, compared as accelerations of the scaled matrix
            forward_dynamics(model, data, &s.tau, F_ext, &mut a).expect("the same matrix");
            rnea::inverse_dynamics(model, data, &a, F_ext, &mut tau);
            let as_acceleration =
                |x: &[f64]| (0..x.len()).map(|i| x[i] / M[(i, i)]).collect::<Vec<f64>>();
            let scale = size(&M, &a).max(size(&M, &at_rest));
            let error = distance(&M, &as_acceleration(&tau), &as_acceleration(&s.tau)) / scale;
            assert!(error <= slack, "seed {seed}, forces: {error:e} > {slack:e}");
        }
    }

    #[test]
    fn a_pendulum_falls_as_its_inertia_about_the_pivot_says() {
        let mut spec = ModelSpec::new();
        let bob = Inertia { com: Vec3::new(0.5, 0.0, 0.0), ..Inertia::principal(2.0, [0.25; 3]) };
        spec.body("bob", bob);
        let axis = Vec3::y();
        spec.joint(
            "pivot",
            JointKind::Revolute { axis },
            FrameSpec::world(),
            FrameSpec::of("bob"),
        )
        .armature = vec![0.25];
        let model = spec.build(Coordinates::Generalized).expect("a pendulum");
        let mut data = Data::new(&model);
        kinematics::update(&model, &[0.0], &[3.0], &mut data);
        let mut a = [0.0];
        forward_dynamics(&model, &mut data, &[0.19], None, &mut a).expect("inertia");
        // (τ + m g l)/(I + m l² + armature), a turn about +y lowers the bob
        assert!((a[0] - (0.19 + 2.0 * 9.81 * 0.5) / (0.25 + 0.5 + 0.25)).abs() < 1e-14);
        solve(&model, &mut data, &mut a);
        assert!((a[0] - 10.0).abs() < 1e-14);
    }

    #[test]
    fn a_number_that_is_none_is_reported() {
        let mut s = Sample::new(1, 5);
        s.q.fill(f64::NAN);
        kinematics::update(&s.model, &s.q, &s.v, &mut s.data);
        let mut a = vec![0.0; s.model.nv];
        assert!(forward_dynamics(&s.model, &mut s.data, &s.tau, None, &mut a).is_err());
    }
}
