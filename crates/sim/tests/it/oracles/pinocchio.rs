//! Every result of Pinocchio for one tree beside ours.

use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{aba, crba, energy, jacobian, kinematics, rnea};
use stiction_sim::{Data, MatX, Model, Pose, Vec3};

use super::read::{FromPinocchio, Tree};
use super::{Deviations, compare, updated};

pub(super) fn deviations(tree: &Tree<FromPinocchio>) -> Deviations {
    let (model, mut data) = updated(tree);
    let mut all = positions_and_velocities(tree, &model, &data);
    all.extend(joint_forces(tree, &model, &mut data));
    all.extend(accelerations(tree, &model, &mut data));
    all.extend(points(tree, &model, &data));
    all.extend(totals(tree, &model, &data));
    all
}

fn positions_and_velocities(tree: &Tree<FromPinocchio>, model: &Model, data: &Data) -> Deviations {
    let (mut found, mut expected) = ([const { Vec::new() }; 4], [const { Vec::new() }; 4]);
    for (body, place) in tree.bodies.iter().zip(&tree.results.kinematics) {
        let id = model.body(&body.name).expect("described");
        let (X, V) = (kinematics::pose(model, data, id), kinematics::velocity(model, data, id));
        let R = X.R.transpose(); // its columns are the rows
        for (list, new) in
            found.iter_mut().zip([R.as_slice(), X.p.as_slice(), V.w.as_slice(), V.v.as_slice()])
        {
            list.extend_from_slice(new);
        }
        for (list, new) in expected.iter_mut().zip([&place.R[..], &place.p, &place.w, &place.v]) {
            list.extend_from_slice(new);
        }
    }
    let names = ["orientation", "position", "angular velocity", "velocity"];
    let pairs = found.iter().zip(&expected);
    names.into_iter().zip(pairs).map(|(name, (a, b))| (name, compare::vector(a, b))).collect()
}

fn joint_forces(tree: &Tree<FromPinocchio>, model: &Model, data: &mut Data) -> Deviations {
    let results = &tree.results;
    let expected = compare::symmetric(&results.mass_matrix);
    let angular = compare::is_angular(model);
    let F_ext = tree.F_ext(model);
    let M = crba::mass_matrix(model, data).to_dense(model.pattern());
    let mut tau = [const { Vec::new() }; 4];
    tau.iter_mut().for_each(|tau| tau.resize(model.nv(), f64::NAN));
    rnea::bias(model, data, BiasOf::All, &mut tau[0]);
    rnea::bias(model, data, BiasOf::Gravity, &mut tau[1]);
    rnea::inverse_dynamics(model, data, &tree.a, None, &mut tau[2]);
    rnea::inverse_dynamics(model, data, &tree.a, Some(&F_ext), &mut tau[3]);
    let forces = |found: &[f64], of: &[f64]| compare::forces(found, of, &expected, &angular);
    vec![
        ("mass matrix", compare::mass_matrix(&M, &expected)),
        ("bias", forces(&tau[0], &results.bias)),
        ("gravity", forces(&tau[1], &results.gravity)),
        ("inverse dynamics", forces(&tau[2], &results.inverse_dynamics)),
        ("with forces", forces(&tau[3], &results.inverse_dynamics_with_forces)),
    ]
}

fn accelerations(tree: &Tree<FromPinocchio>, model: &Model, data: &mut Data) -> Deviations {
    let results = &tree.results;
    let M = compare::symmetric(&results.mass_matrix);
    let F_ext = tree.F_ext(model);
    let mut a = vec![f64::NAN; model.nv()];
    aba::forward_dynamics(model, data, &results.tau, Some(&F_ext), &mut a).expect("has inertia");
    // c − Jᵀ F_ext, as Pinocchio has it
    let pairs = results.inverse_dynamics_with_forces.iter().zip(&results.inverse_dynamics);
    let c = results.bias.iter().zip(pairs).map(|(c, (with, without))| c + with - without);
    let c: Vec<f64> = c.collect();
    vec![
        ("forward dynamics", compare::accelerations(&a, &results.forward_dynamics, &M)),
        ("equation of motion", compare::balance(&M, &a, &c, &results.tau)),
    ]
}

fn points(tree: &Tree<FromPinocchio>, model: &Model, data: &Data) -> Deviations {
    let angular = compare::is_angular(model);
    // an angular acceleration at rest of all joints is made of products of angular velocities, and
    // vanishes with all its digits when their axes are parallel
    let w = compare::largest(tree.results.kinematics.iter().flat_map(|place| place.w));
    let mut all = Vec::new();
    for (i, point) in tree.points.iter().enumerate() {
        let id = model.body(&point.body).expect("described");
        let p = Vec3::from(point.p);
        let mut J = MatX::from_element(6, model.nv(), f64::NAN);
        jacobian::of_frame(model, data, id, &Pose::translation(p.x, p.y, p.z), &mut J);
        all.push(("jacobian", compare::jacobian(&J, &tree.results.jacobians[i], &angular)));
        let A = jacobian::bias_acceleration(model, data, id, &p);
        let expected = &tree.results.bias_accelerations[i];
        let error = A.w - Vec3::from_column_slice(&expected[..3]);
        all.push(("angular bias acceleration", compare::relative(error.amax(), w * w)));
        all.push(("bias acceleration", compare::vector(A.v.as_slice(), &expected[3..])));
    }
    all
}

fn totals(tree: &Tree<FromPinocchio>, model: &Model, data: &Data) -> Deviations {
    let totals = &tree.results.totals;
    let scalar = |found: f64, expected: f64| compare::relative(found - expected, expected.abs());
    let vector = |found: Vec3, expected: &[f64; 3]| compare::vector(found.as_slice(), expected);
    let kinetic = totals.kinetic_energy + totals.kinetic_energy_of_armature;
    vec![
        ("mass", scalar(energy::mass(model), totals.mass)),
        ("centre of mass", vector(energy::centre_of_mass(model, data), &totals.com)),
        ("its velocity", vector(energy::centre_of_mass_velocity(model, data), &totals.v_com)),
        ("momentum", vector(energy::linear_momentum(model, data), &totals.linear_momentum)),
        (
            "angular momentum",
            vector(energy::angular_momentum(model, data, &Vec3::zeros()), &totals.angular_momentum),
        ),
        ("kinetic energy", scalar(energy::kinetic(model, data, &tree.v), kinetic)),
        ("potential energy", scalar(energy::potential(model, data), totals.potential_energy)),
    ]
}
