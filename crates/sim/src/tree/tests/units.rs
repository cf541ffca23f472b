//! Other units of length, time and mass, by powers of two: the same bits with another exponent.

use crate::data::Data;
use crate::joint::Joint;
use crate::model::{Coordinates, JointKind, Model, ModelSpec};
use crate::spatial::Force;
use crate::testing::Sample;
use crate::tree::rnea::BiasOf;
use crate::tree::{aba, crba, energy, kinematics, rnea};

/// How many metres, seconds and kilograms the new units have, as powers of two.
#[derive(Clone, Copy, Debug)]
struct Units {
    length: i32,
    time: i32,
    mass: i32,
}

impl Units {
    /// The factor of a quantity of the dimension m^length s^time kg^mass.
    fn factor(self, length: i32, time: i32, mass: i32) -> f64 {
        2_f64.powi(self.length * length + self.time * time + self.mass * mass)
    }
}

/// For each velocity 0 if it is a length per time, 1 if it is an angle per time.
fn angles(model: &Model) -> Vec<i32> {
    let mut angles = Vec::new();
    for body in &model.bodies {
        angles.extend_from_slice(match body.joint {
            Joint::Fixed => &[],
            Joint::Revolute | Joint::Screw { .. } => &[1],
            Joint::Prismatic => &[0],
            Joint::Cylindrical => &[1, 0],
            Joint::Universal => &[1, 1],
            Joint::Ball => &[1, 1, 1],
            Joint::Planar => &[0, 0, 1],
            Joint::Free => &[0, 0, 0, 1, 1, 1],
        });
    }
    angles
}

/// The same mechanism, told in other units.
fn told_in(spec: &ModelSpec, model: &Model, units: Units) -> ModelSpec {
    let mut spec = spec.clone();
    let (m, kg) = (units.factor(1, 0, 0), units.factor(0, 0, 1));
    spec.gravity *= units.factor(1, -2, 0);
    for body in &mut spec.bodies {
        body.inertia.mass *= kg;
        body.inertia.com *= m;
        body.inertia.I_com *= units.factor(2, 0, 1);
    }
    let angles = angles(model);
    for joint in &mut spec.joints {
        joint.parent.p *= m;
        joint.child.p *= m;
        if let JointKind::Screw { pitch, .. } = &mut joint.kind {
            *pitch *= m;
        }
        let id = model.joint(&joint.name).expect("the model of this description");
        let range = model.v_range(id).expect("a joint of the tree");
        if let [armature] = joint.armature[..] {
            joint.armature = range.map(|v| armature * units.factor(2 * angles[v], 0, 1)).collect();
        }
    }
    spec
}

/// Positions of length in the new units; angles and quaternions as they are.
fn positions(model: &Model, q: &[f64], units: Units) -> Vec<f64> {
    let mut q = q.to_vec();
    for body in &model.bodies {
        let lengths = match body.joint {
            Joint::Prismatic => 0..1,
            Joint::Cylindrical => 1..2,
            Joint::Planar => 0..2,
            Joint::Free => 0..3,
            _ => 0..0,
        };
        for q_i in &mut q[body.q0 + lengths.start..body.q0 + lengths.end] {
            *q_i *= units.factor(1, 0, 0);
        }
    }
    q
}

/// All numbers the algorithms make, brought back to the old units.
fn numbers(s: &Sample, spec: &ModelSpec, units: Units) -> Vec<f64> {
    let model = spec.build(Coordinates::Generalized).expect("the same tree");
    let angles = angles(&model);
    let scaled = |x: &[f64], factor: &dyn Fn(i32) -> f64| -> Vec<f64> {
        x.iter().zip(&angles).map(|(x, &angle)| x * factor(angle)).collect()
    };
    let of_force = |angle: i32| units.factor(1 + angle, -2, 1);
    let q = positions(&model, &s.q, units);
    let v = scaled(&s.v, &|angle| units.factor(1 - angle, -1, 0));
    let tau = scaled(&s.tau, &of_force);
    let F_ext: Vec<Force> =
        s.F_ext.iter().map(|F| Force::new(F.t * of_force(1), F.f * of_force(0))).collect();

    let mut data = Data::new(&model);
    kinematics::update(&model, &q, &v, &mut data);
    let M = crba::mass_matrix(&model, &mut data).to_dense(&model.pattern);
    let (mut c, mut a) = (vec![0.0; model.nv], vec![0.0; model.nv]);
    rnea::bias(&model, &mut data, BiasOf::All, &mut c);
    aba::forward_dynamics(&model, &mut data, &tau, Some(&F_ext), &mut a).expect("inertia");

    let mut numbers = scaled(&c, &|angle| 1.0 / of_force(angle));
    numbers.extend(scaled(&a, &|angle| 1.0 / units.factor(1 - angle, -2, 0)));
    for i in 0..model.nv {
        for j in 0..=i {
            numbers.push(M[(i, j)] / units.factor(angles[i] + angles[j], 0, 1));
        }
    }
    let joule = units.factor(2, -2, 1);
    numbers.push(energy::kinetic(&model, &data, &v) / joule);
    numbers.push(energy::potential(&model, &data) / joule);
    let P = energy::momentum(&model, &data, &crate::math::Vec3::zeros());
    numbers.extend((P.f / units.factor(1, -1, 1)).iter());
    numbers.extend((P.t / units.factor(2, -1, 1)).iter());
    numbers
}

#[test]
fn units_that_are_powers_of_two_change_no_bit() {
    let powers = [-20, -10, 10, 20];
    for seed in 0..20 {
        let s = Sample::new(seed, 12);
        let none = Units { length: 0, time: 0, mass: 0 };
        let expected = numbers(&s, &told_in(&s.spec, &s.model, none), none);
        for case in 0..64 {
            let [length, time, mass] = [case % 4, case / 4 % 4, case / 16].map(|i| powers[i]);
            let units = Units { length, time, mass };
            let found = numbers(&s, &told_in(&s.spec, &s.model, units), units);
            for (i, (x, y)) in expected.iter().zip(&found).enumerate() {
                assert_eq!(x.to_bits(), y.to_bits(), "seed {seed}, {units:?}, number {i}");
            }
        }
    }
}
