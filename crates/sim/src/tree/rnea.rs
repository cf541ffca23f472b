//! Inverse dynamics by the recursive Newton–Euler algorithm.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), table 5.1. Accelerations go from the root to the
//! leaves (gravity is an acceleration of the root upwards), forces come back:
//!
//! ```text
//!  A_B = X_BP A_P + S a + c_B
//!  F_B = I A_B + V_B ×* I V_B − F_ext + Σ X F_children         force across the joint of B
//!  τ   = Sᵀ F_B + armature · a
//! ```
//!
//! O(n), no allocation.

use crate::data::Data;
use crate::model::Model;
use crate::spatial::{Force, Motion};

/// Which terms of the equation of motion a bias contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BiasOf {
    /// Coriolis, centrifugal and gravity forces: `c(q, v)`.
    All,
    /// Gravity alone: `c(q, 0)`.
    Gravity,
    /// Gravity, and the velocity products of bodies that are not alone: what a step must add to
    /// the free flight of the others.
    BesideFlight,
    /// Velocity products of bodies that are not alone, without gravity.
    VelocityBesideFlight,
}

/// `τ = M a + c(q, v) − Jᵀ F_ext`. Needs positions and velocities; `F_ext` holds a force on each body, in
/// its frame B about Bo.
///
/// Leaves the force across each joint in `data`.
pub fn inverse_dynamics(
    model: &Model,
    data: &mut Data,
    a: &[f64],
    F_ext: Option<&[Force]>,
    tau: &mut [f64],
) {
    data.velocities();
    forward(model, data, Some(a), BiasOf::All);
    subtract(data, F_ext);
    backward(model, data, tau);
    for (tau, (armature, a)) in tau.iter_mut().zip(model.armature.iter().zip(a)) {
        *tau += armature * a;
    }
}

/// The force τ that holds the mechanism at `a = 0`, or the part of it that `of` names. Needs positions,
/// and velocities unless `of` is gravity.
pub fn bias(model: &Model, data: &mut Data, of: BiasOf, c: &mut [f64]) {
    if of == BiasOf::Gravity {
        data.positions();
    } else {
        data.velocities();
    }
    forward(model, data, None, of);
    backward(model, data, c);
}

/// The force, beside `F_ext`, that each body alone needs at `v̇ = 0`, in `data.F`. Needs velocities.
pub(crate) fn hold_still(model: &Model, data: &mut Data, F_ext: Option<&[Force]>) {
    data.velocities();
    forward(model, data, None, BiasOf::All);
    subtract(data, F_ext);
}

fn subtract(data: &mut Data, F_ext: Option<&[Force]>) {
    if let Some(F_ext) = F_ext {
        for (F, F_ext) in data.F.iter_mut().zip(F_ext) {
            *F -= *F_ext;
        }
    }
}

/// Accelerations from the root, and the force that each body alone needs.
fn forward(model: &Model, data: &mut Data, a: Option<&[f64]>, of: BiasOf) {
    let root = match of {
        BiasOf::VelocityBesideFlight => Motion::zero(),
        _ => Motion { w: crate::math::Vec3::zeros(), v: -model.gravity },
    };
    let (kin, vel) = (&data.kin, &data.vel);
    let (A, F) = (&mut data.A[..], &mut data.F[..]);
    for (i, body) in model.bodies.iter().enumerate() {
        let A_P = body.parent.map_or(&root, |parent| &A[parent]);
        let mut A_B = kin.X_PB[i].motion_to_local(A_P);
        if let Some(a) = a {
            body.joint.add(&kin.S[body.v_range()], &a[body.v_range()], &mut A_B);
        }
        let moves = match of {
            BiasOf::All => true,
            BiasOf::Gravity => false,
            BiasOf::BesideFlight | BiasOf::VelocityBesideFlight => !body.flies(),
        };
        if moves {
            A_B += vel.c[i];
        }
        A[i] = A_B;
        F[i] = &body.I * &A_B;
        if moves {
            let V = &vel.V[i];
            F[i] += V.cross_force(&(&body.I * V));
        }
    }
}

/// Forces to the root, and their components along the joints.
fn backward(model: &Model, data: &mut Data, tau: &mut [f64]) {
    let (kin, F) = (&data.kin, &mut data.F[..]);
    for (i, body) in model.bodies.iter().enumerate().rev() {
        body.joint.components(&kin.S[body.v_range()], &F[i], &mut tau[body.v_range()]);
        if let Some(parent) = body.parent {
            let F_P = kin.X_PB[i].force_from_local(&F[i]);
            F[parent] += F_P;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{MatX, Vec3};
    use crate::model::BodyId;
    use crate::spatial::Pose;
    use crate::testing::{Random, Sample};
    use crate::tree::{crba, jacobian, kinematics};

    /// Roundings on the way of a force through the tree.
    const SLACK: f64 = 50.0 * f64::EPSILON;

    /// The largest entry of τ, each divided by the root of M's diagonal.
    fn size(M: &MatX, tau: &[f64]) -> f64 {
        (0..tau.len()).fold(0.0, |size, i| size.max(tau[i].abs() / M[(i, i)].sqrt()))
    }

    fn bias_of(s: &mut Sample, of: BiasOf) -> Vec<f64> {
        let mut c = vec![0.0; s.model.nv];
        bias(&s.model, &mut s.data, of, &mut c);
        c
    }

    #[test]
    fn one_unit_of_acceleration_needs_one_column_of_the_mass_matrix() {
        for seed in 0..200 {
            let mut s = Sample::new(seed, 40);
            let nv = s.model.nv;
            let M = crba::mass_matrix(&s.model, &mut s.data).to_dense(&s.model.pattern);
            let c = bias_of(&mut s, BiasOf::All);
            let (mut a, mut tau) = (vec![0.0; nv], vec![0.0; nv]);
            for j in 0..nv {
                a[j] = 1.0;
                inverse_dynamics(&s.model, &mut s.data, &a, None, &mut tau);
                a[j] = 0.0;
                let slack = SLACK * (size(&M, &c) + M[(j, j)].sqrt());
                for i in 0..nv {
                    let error = (tau[i] - c[i] - M[(i, j)]).abs() / M[(i, i)].sqrt();
                    assert!(error <= slack, "seed {seed}, {i} {j}: {error:e} > {slack:e}");
                }
            }
        }
    }

    #[test]
    fn a_force_on_a_body_is_felt_through_its_jacobian() {
        for seed in 0..200 {
            let mut s = Sample::new(seed, 40);
            let nv = s.model.nv;
            let M = crba::mass_matrix(&s.model, &mut s.data).to_dense(&s.model.pattern);
            let (mut with, mut without) = (vec![0.0; nv], vec![0.0; nv]);
            inverse_dynamics(&s.model, &mut s.data, &s.a, Some(&s.F_ext), &mut with);
            inverse_dynamics(&s.model, &mut s.data, &s.a, None, &mut without);
            let mut felt = vec![0.0; nv];
            let mut J = MatX::zeros(6, nv);
            for (i, body) in s.model.bodies.iter().enumerate() {
                let X_UB: Pose = body.X_BU.inverse();
                jacobian::of_frame(&s.model, &s.data, BodyId(i as u32), &X_UB, &mut J);
                let (R, F) = (s.data.positions().X_WB[i].R, &s.F_ext[i]);
                let (t, f): (Vec3, Vec3) = (R * F.t, R * F.f);
                for v in 0..nv {
                    let column = J.column(v);
                    felt[v] += column.rows(0, 3).dot(&t) + column.rows(3, 3).dot(&f);
                }
            }
            let slack = SLACK * (size(&M, &with) + size(&M, &without) + size(&M, &felt));
            for i in 0..nv {
                let error = (without[i] - with[i] - felt[i]).abs() / M[(i, i)].sqrt();
                assert!(error <= slack, "seed {seed}, velocity {i}: {error:e} > {slack:e}");
            }
        }
    }

    #[test]
    fn the_parts_of_the_bias_are_what_their_names_say() {
        for seed in 0..200 {
            let mut s = Sample::new(seed, 8);
            let M = crba::mass_matrix(&s.model, &mut s.data).to_dense(&s.model.pattern);
            let all = bias_of(&mut s, BiasOf::All);
            let gravity = bias_of(&mut s, BiasOf::Gravity);
            let beside_flight = bias_of(&mut s, BiasOf::BesideFlight);
            let velocity = bias_of(&mut s, BiasOf::VelocityBesideFlight);
            let slack = SLACK * (size(&M, &all) + size(&M, &gravity));
            for body in &s.model.bodies {
                for v in body.v_range() {
                    let root = M[(v, v)].sqrt();
                    let error = (beside_flight[v] - gravity[v] - velocity[v]).abs() / root;
                    assert!(error <= slack, "seed {seed}: {error:e} > {slack:e}");
                    let expected = if body.flies() { gravity[v] } else { all[v] };
                    assert!((beside_flight[v] - expected).abs() / root <= slack, "seed {seed}");
                }
            }
            kinematics::update(&s.model, &s.q, &vec![0.0; s.model.nv], &mut s.data);
            assert_eq!(bias_of(&mut s, BiasOf::All), gravity, "seed {seed}");
        }
    }

    #[test]
    fn what_gravity_asks_for_is_the_slope_of_its_potential() {
        let h = 1e-4;
        for seed in 0..100 {
            let mut s = Sample::new(seed, 10);
            let gravity = bias_of(&mut s, BiasOf::Gravity);
            let direction = Random::new(seed + 1000).numbers(s.model.nv, 1.0);
            let mut potential = |t: f64| {
                let mut q = s.q.clone();
                s.model.integrate(&mut q, &direction, t);
                kinematics::update_positions(&s.model, &q, &mut s.data);
                crate::tree::energy::potential(&s.model, &s.data)
            };
            let slope = (potential(h) - potential(-h)) / (2.0 * h);
            let power: f64 = gravity.iter().zip(&direction).map(|(c, v)| c * v).sum();
            // on arms of some metres that turn at some 10 rad/s: h²/6 · 1e3, and ε/h
            let weight = crate::tree::energy::mass(&s.model) * s.model.gravity.norm();
            let slack = weight * (h * h / 6.0 * 1e3 + 8.0 * f64::EPSILON / h);
            assert!((slope - power).abs() <= slack, "seed {seed}: {slope} {power}");
        }
    }
}
