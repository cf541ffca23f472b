//! The numbers of a tree, named by what they say, to change one of them.

use super::read::{FromPinocchio, Tree};

pub(super) type Numbers<'a> = (&'static str, Vec<&'a mut f64>);

/// Changes the largest number by 1e-9 of itself. False: there is none, or all are zero.
pub(super) fn nudge(numbers: Vec<&mut f64>) -> bool {
    let Some(largest) = numbers.into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs())) else {
        return false;
    };
    let before = *largest;
    *largest *= 1.0 + 1e-9;
    *largest != before
}

/// What describes the tree and its state.
pub(super) fn inputs(tree: &mut Tree<FromPinocchio>) -> Vec<Numbers<'_>> {
    let (mut masses, mut centres, mut inertias) = (vec![], vec![], vec![]);
    for body in &mut tree.bodies {
        masses.push(&mut body.mass);
        centres.extend(&mut body.com);
        inertias.extend(&mut body.inertia);
    }
    let (mut origins, mut quats, mut axes) = (vec![], vec![], vec![]);
    let (mut pitches, mut armatures) = (vec![], vec![]);
    for joint in &mut tree.joints {
        for frame in [&mut joint.frame_parent, &mut joint.frame_child] {
            origins.extend(&mut frame.p);
            quats.extend(&mut frame.quat);
        }
        for axis in [&mut joint.axis, &mut joint.first, &mut joint.second] {
            axes.extend(axis.iter_mut().flatten());
        }
        pitches.extend(&mut joint.pitch);
        armatures.extend(&mut joint.armature);
    }
    let (mut torques, mut forces) = (vec![], vec![]);
    for on in &mut tree.forces {
        torques.extend(&mut on.torque);
        forces.extend(&mut on.force);
    }
    vec![
        ("mass", masses),
        ("centre", centres),
        ("inertia", inertias),
        ("origin of a frame", origins),
        ("quaternion of a frame", quats),
        ("axis", axes),
        ("pitch", pitches),
        ("armature", armatures),
        ("torque on a body", torques),
        ("force on a body", forces),
        ("point", tree.points.iter_mut().flat_map(|point| &mut point.p).collect()),
        ("gravity", tree.gravity.iter_mut().collect()),
        ("q", tree.q.iter_mut().collect()),
        ("v", tree.v.iter_mut().collect()),
        ("a", tree.a.iter_mut().collect()),
        ("tau", tree.results.tau.iter_mut().collect()),
    ]
}

/// What Pinocchio answered. The accelerations are left out: M may be so badly conditioned that a change of
/// 1e-9 is within what two good answers differ by.
pub(super) fn results(results: &mut FromPinocchio) -> Vec<Numbers<'_>> {
    let (mut R, mut p, mut w, mut v) = (vec![], vec![], vec![], vec![]);
    for place in &mut results.kinematics {
        R.extend(&mut place.R);
        p.extend(&mut place.p);
        w.extend(&mut place.w);
        v.extend(&mut place.v);
    }
    let with_forces = &mut results.inverse_dynamics_with_forces;
    let totals = &mut results.totals;
    vec![
        ("mass matrix", results.mass_matrix.iter_mut().flatten().collect()),
        ("bias", results.bias.iter_mut().collect()),
        ("gravity", results.gravity.iter_mut().collect()),
        ("inverse dynamics", results.inverse_dynamics.iter_mut().collect()),
        ("inverse dynamics with forces", with_forces.iter_mut().collect()),
        ("orientation", R),
        ("position", p),
        ("angular velocity", w),
        ("velocity", v),
        ("jacobian", results.jacobians.iter_mut().flatten().flatten().collect()),
        ("bias acceleration", results.bias_accelerations.iter_mut().flatten().collect()),
        ("total mass", vec![&mut totals.mass]),
        ("centre of mass", totals.com.iter_mut().collect()),
        ("its velocity", totals.v_com.iter_mut().collect()),
        ("linear momentum", totals.linear_momentum.iter_mut().collect()),
        ("angular momentum", totals.angular_momentum.iter_mut().collect()),
        ("kinetic energy", vec![&mut totals.kinetic_energy]),
        ("potential energy", vec![&mut totals.potential_energy]),
    ]
}
