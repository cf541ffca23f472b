//! What goes in comes out: energy, momentum, and the two ways to divide by the mass matrix.

use crate::data::Data;
use crate::math::{MatX, Vec3};
use crate::model::{BodyId, Model};
use crate::spatial::Force;
use crate::testing::{Random, Sample, condition, distance, size};
use crate::tree::matrix::TreeFactor;
use crate::tree::rnea::BiasOf;
use crate::tree::{aba, crba, energy, jacobian, kinematics, rnea};

/// Half the time [s] over which differences are taken.
const H: f64 = 1e-5;

/// Error of a central difference of something of this size over bodies that turn at up to some rad/s:
/// h²/6 times the third derivative, and rounding in sums of many terms.
fn difference_slack(size: f64) -> f64 {
    size * (H * H / 6.0 * 1e2 + 10.0 * f64::EPSILON / H)
}

/// The mechanism a time t ahead, at velocity v + a t. What is left out of q is of second order and even in
/// t: central differences do not see it.
fn ahead(s: &Sample, t: f64) -> (Data, Vec<f64>) {
    let mut q = s.q.clone();
    s.model.integrate(&mut q, &s.v, t);
    let v: Vec<f64> = s.v.iter().zip(&s.a).map(|(v, a)| v + t * a).collect();
    let mut data = Data::new(&s.model);
    kinematics::update(&s.model, &q, &v, &mut data);
    (data, v)
}

/// Energy at stake: of each body by itself, whatever its sign.
fn energy_size(model: &Model, data: &Data, v: &[f64]) -> f64 {
    let kinetic = energy::kinetic(model, data, v);
    let heights = data.positions().X_WB.iter().map(|X_WB| X_WB.p.norm() + 1.0);
    let weights = model.bodies.iter().map(|body| body.I.mass * model.gravity.norm());
    kinetic + heights.zip(weights).map(|(h, w)| h * w).sum::<f64>()
}

#[test]
fn kinetic_energy_is_half_of_v_M_v() {
    for seed in 0..300 {
        let mut s = Sample::new(seed, 40);
        let mut p = vec![0.0; s.model.nv];
        crba::mass_matrix(&s.model, &mut s.data).multiply(&s.model.pattern, &s.v, &mut p);
        let by_matrix = 0.5 * s.v.iter().zip(&p).map(|(v, p)| v * p).sum::<f64>();
        let K = energy::kinetic(&s.model, &s.data, &s.v);
        // the terms of vᵀMv cancel as far as M is ill conditioned along v
        let terms: f64 = s.v.iter().zip(&p).map(|(v, p)| (v * p).abs()).sum();
        assert!((K - by_matrix).abs() <= 20.0 * f64::EPSILON * (K + terms), "seed {seed}");
    }
}

#[test]
fn the_power_of_the_joints_is_the_rate_of_the_energy() {
    for seed in 0..200 {
        let mut s = Sample::new(seed, 20);
        let mut tau = vec![0.0; s.model.nv];
        rnea::inverse_dynamics(&s.model, &mut s.data, &s.a, None, &mut tau);
        let power: f64 = tau.iter().zip(&s.v).map(|(tau, v)| tau * v).sum();
        let total = |t: f64| {
            let (data, v) = ahead(&s, t);
            energy::kinetic(&s.model, &data, &v) + energy::potential(&s.model, &data)
        };
        let rate = (total(H) - total(-H)) / (2.0 * H);
        let slack = difference_slack(energy_size(&s.model, &s.data, &s.v));
        let error = (rate - power).abs();
        assert!(error <= slack, "seed {seed}: {error:e} > {slack:e}");
        assert!(slack <= 0.1 * power.abs().max(1.0), "seed {seed}: a slack of {slack} is no test");
    }
}

#[test]
fn momentum_changes_by_gravity_and_by_what_the_world_gives_through_the_roots() {
    for seed in 0..200 {
        let mut s = Sample::new(seed, 20);
        let mut tau = vec![0.0; s.model.nv];
        rnea::inverse_dynamics(&s.model, &mut s.data, &s.a, Some(&s.F_ext), &mut tau);
        let p_WQ = Random::new(seed + 1000).vector(2.0);
        let about_Q = |X_WB: &crate::Pose, F: &Force| {
            let f = X_WB.R * F.f;
            Force { t: X_WB.R * F.t + (X_WB.p - p_WQ).cross(&f), f }
        };
        let mut given = Force::zero();
        for (i, body) in s.model.bodies.iter().enumerate() {
            let X_WB = &s.data.positions().X_WB[i];
            given += about_Q(X_WB, &s.F_ext[i]);
            if body.parent.is_none() {
                given += about_Q(X_WB, &s.data.F[i]);
            }
        }
        let weight = s.model.gravity * energy::mass(&s.model);
        let arm = energy::centre_of_mass(&s.model, &s.data) - p_WQ;
        given += Force { t: arm.cross(&weight), f: weight };

        let at = |t: f64| energy::momentum(&s.model, &ahead(&s, t).0, &p_WQ);
        let rate = (at(H) - at(-H)) * (0.5 / H);
        let slack = difference_slack(momentum_size(&s, &p_WQ));
        let error = (rate.t - given.t).amax().max((rate.f - given.f).amax());
        assert!(error <= slack, "seed {seed}: {error:e} > {slack:e}");
    }
}

/// Momentum of each body by itself, whatever its sign, and with an arm of at least 1 m.
fn momentum_size(s: &Sample, p_WQ: &Vec3) -> f64 {
    let (X_WB, V) = (&s.data.positions().X_WB, &s.data.velocities().V);
    (0..X_WB.len())
        .map(|i| {
            let P = &s.model.bodies[i].I * &V[i];
            P.t.norm() + P.f.norm() * (1.0 + (X_WB[i].p - p_WQ).norm())
        })
        .sum()
}

#[test]
fn momentum_is_that_of_the_centres_and_the_spins() {
    for seed in 0..200 {
        let s = Sample::new(seed, 40);
        let p_WQ = Random::new(seed + 1000).vector(2.0);
        let (mut P, mut L, mut first_moment) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        let mut J = MatX::zeros(3, s.model.nv);
        let v = crate::math::VecX::from_column_slice(&s.v);
        for (i, body) in s.model.bodies.iter().enumerate() {
            let (id, I) = (BodyId(i as u32), &body.inertia);
            jacobian::of_point(&s.model, &s.data, id, &I.com, &mut J);
            let mv = &J * &v * I.mass;
            let mv = Vec3::new(mv[0], mv[1], mv[2]);
            let X_WU = kinematics::pose(&s.model, &s.data, id);
            let w = kinematics::velocity(&s.model, &s.data, id).w;
            P += mv;
            L += (X_WU.point(&I.com) - p_WQ).cross(&mv) + X_WU.R * (I.I_com * X_WU.R.tr_mul(&w));
            first_moment += X_WU.point(&I.com) * I.mass;
        }
        let slack = 100.0 * f64::EPSILON * momentum_size(&s, &p_WQ);
        let mass = energy::mass(&s.model);
        assert!((energy::linear_momentum(&s.model, &s.data) - P).amax() <= slack, "seed {seed}");
        let L_Q = energy::angular_momentum(&s.model, &s.data, &p_WQ);
        assert!((L_Q - L).amax() <= slack, "seed {seed}");
        let v_com = energy::centre_of_mass_velocity(&s.model, &s.data);
        assert!((v_com * mass - P).amax() <= slack, "seed {seed}");
        // positions are sums of forty arms of about a metre
        let com = energy::centre_of_mass(&s.model, &s.data);
        assert!((com - first_moment / mass).amax() <= 1e-14 * 40.0, "seed {seed}");
    }
}

#[test]
fn the_factored_mass_matrix_and_the_articulated_bodies_divide_alike() {
    for seed in 0..300 {
        let mut s = Sample::new(seed, 40);
        let nv = s.model.nv;
        let M = crba::mass_matrix(&s.model, &mut s.data).clone();
        let mut factor = TreeFactor::new(&s.model.pattern);
        factor.factor(&s.model.pattern, &M, &vec![0.0; nv]).expect("positive definite");
        let M = M.to_dense(&s.model.pattern);
        // as for forward and inverse dynamics, and the other way has its own errors
        let slack = 50.0 * f64::EPSILON * condition(&M);

        let mut by_factor = vec![0.0; nv];
        rnea::bias(&s.model, &mut s.data, BiasOf::All, &mut by_factor);
        let mut fall = by_factor.clone();
        factor.solve(&s.model.pattern, &mut fall);
        for (x, tau) in by_factor.iter_mut().zip(&s.tau) {
            *x = tau - *x;
        }
        factor.solve(&s.model.pattern, &mut by_factor);
        let mut a = vec![0.0; nv];
        aba::forward_dynamics(&s.model, &mut s.data, &s.tau, None, &mut a).expect("inertia");
        let scale = size(&M, &a).max(size(&M, &fall));
        let error = distance(&M, &a, &by_factor) / scale;
        assert!(error <= slack, "seed {seed}: {error:e} > {slack:e}");

        let (mut x, mut y) = (s.tau.clone(), s.tau.clone());
        factor.solve(&s.model.pattern, &mut x);
        aba::solve(&s.model, &mut s.data, &mut y);
        let error = distance(&M, &x, &y) / size(&M, &x);
        assert!(error <= slack, "seed {seed}, without bias: {error:e} > {slack:e}");
    }
}
