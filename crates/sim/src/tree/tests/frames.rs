//! Nothing depends on where the world's origin is, nor on the order in which bodies are told.

use crate::data::Data;
use crate::math::{MatX, Quat, Vec3};
use crate::model::{BodyId, Coordinates, Model, ModelSpec};
use crate::testing::{Random, Sample, condition, distance, size};
use crate::tree::rnea::BiasOf;
use crate::tree::{aba, crba, jacobian, kinematics, rnea};

/// How far trees may differ that do the same: some hundred roundings.
const SAME: f64 = 1e-13;

/// Mass matrix, bias and acceleration.
fn dynamics(model: &Model, q: &[f64], v: &[f64], tau: &[f64]) -> (MatX, Vec<f64>, Vec<f64>) {
    let mut data = Data::new(model);
    kinematics::update(model, q, v, &mut data);
    let M = crba::mass_matrix(model, &mut data).to_dense(&model.pattern);
    let (mut c, mut a) = (vec![0.0; model.nv], vec![0.0; model.nv]);
    rnea::bias(model, &mut data, BiasOf::All, &mut c);
    aba::forward_dynamics(model, &mut data, tau, None, &mut a).expect("inertia everywhere");
    (M, c, a)
}

/// Entries of M and forces are compared with the roots of M's diagonal, accelerations as far as the
/// condition of M lets them agree.
fn assert_same(
    seed: u64,
    (M, c, a): &(MatX, Vec<f64>, Vec<f64>),
    (M1, c1, a1): &(MatX, Vec<f64>, Vec<f64>),
) {
    let root = |i: usize| M[(i, i)].sqrt();
    let nv = a.len();
    let bias = (0..nv).fold(0.0, |size: f64, i| size.max(c[i].abs() / root(i)));
    for i in 0..nv {
        for j in 0..nv {
            let error = (M[(i, j)] - M1[(i, j)]).abs() / (root(i) * root(j));
            assert!(error <= SAME, "seed {seed}, M {i} {j}: {error:e}");
        }
        let error = (c[i] - c1[i]).abs() / root(i);
        assert!(error <= SAME * bias, "seed {seed}, bias {i}: {error:e} of {bias:e}");
    }
    let forced = bias.max((0..nv).fold(0.0, |size: f64, i| size.max(1.0 / root(i))));
    let slack = 20.0 * f64::EPSILON * condition(M) * (size(M, a) + forced);
    let error = distance(M, a, a1);
    assert!(error <= slack, "seed {seed}, acceleration: {error:e} > {slack:e}");
}

/// The same mechanism in a world that is turned and shifted.
fn moved(spec: &ModelSpec, quat: Quat, shift: &Vec3) -> ModelSpec {
    let R = quat.to_matrix();
    let mut spec = spec.clone();
    spec.gravity = R * spec.gravity;
    for joint in spec.joints.iter_mut().filter(|joint| joint.parent.body.is_none()) {
        joint.parent.p = R * joint.parent.p + shift;
        joint.parent.quat = (quat * joint.parent.quat).normalized();
    }
    spec
}

#[test]
fn a_turned_and_shifted_world_moves_the_same_way() {
    for seed in 0..200 {
        let s = Sample::new(seed, 40);
        let mut random = Random::new(seed + 1000);
        let (quat, shift) = (random.quat(), random.vector(1e3));
        let spec = moved(&s.spec, quat, &shift);
        let model = spec.build(Coordinates::Generalized).expect("the same tree");
        let here = dynamics(&s.model, &s.q, &s.v, &s.tau);
        let there = dynamics(&model, &s.q, &s.v, &s.tau);
        assert_same(seed, &here, &there);

        let mut data = Data::new(&model);
        kinematics::update(&model, &s.q, &s.v, &mut data);
        let body = BodyId(random.below(model.bodies.len()) as u32);
        let p = random.vector(1.0);
        let (mut J, mut J1) = (MatX::zeros(3, model.nv), MatX::zeros(3, model.nv));
        jacobian::of_point(&s.model, &s.data, body, &p, &mut J);
        jacobian::of_point(&model, &data, body, &p, &mut J1);
        // a position 1e3 m away is rounded to 1e-13 m, again at each joint on the way
        let slack = 5.0 * f64::EPSILON * 1e3;
        let error = (quat.to_matrix() * J - J1).amax();
        assert!(error <= slack, "seed {seed}, Jacobian: {error:e}");
        let A = jacobian::bias_acceleration(&s.model, &s.data, body, &p);
        let A1 = jacobian::bias_acceleration(&model, &data, body, &p);
        let error = (quat.to_matrix() * A.v - A1.v).amax();
        assert!(error <= slack * (1.0 + A.w.norm()), "seed {seed}, J̇v: {error:e}");
    }
}

#[test]
fn the_order_of_the_description_does_not_matter() {
    for seed in 0..200 {
        let s = Sample::new(seed, 40);
        let mut order: Vec<usize> = (0..s.spec.bodies.len()).collect();
        Random::new(seed + 1000).shuffle(&mut order);
        let mut spec = s.spec.clone();
        spec.bodies = order.iter().map(|&i| s.spec.bodies[i].clone()).collect();
        spec.joints = order.iter().rev().map(|&i| s.spec.joints[i].clone()).collect();
        let model = spec.build(Coordinates::Generalized).expect("the same tree");

        // where each entry of q and v of the shuffled tree stands in the other
        let (mut of_q, mut of_v) = (Vec::new(), Vec::new());
        for body in &model.bodies {
            let there = s.model.body(&body.name).expect("the same names").0 as usize;
            of_q.extend(s.model.bodies[there].q_range());
            of_v.extend(s.model.bodies[there].v_range());
        }
        let pick = |of: &[usize], x: &[f64]| of.iter().map(|&i| x[i]).collect::<Vec<f64>>();
        let (M, c, a) = dynamics(&s.model, &s.q, &s.v, &s.tau);
        let M = MatX::from_fn(model.nv, model.nv, |i, j| M[(of_v[i], of_v[j])]);
        let expected = (M, pick(&of_v, &c), pick(&of_v, &a));
        let (q, v, tau) = (pick(&of_q, &s.q), pick(&of_v, &s.v), pick(&of_v, &s.tau));
        assert_same(seed, &expected, &dynamics(&model, &q, &v, &tau));
    }
}
