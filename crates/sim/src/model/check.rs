//! The checks of single numbers and names, and of what all numbers make together.

use super::error::ModelError;
use super::spec::{FrameSpec, JointKind, JointSpec, ModelSpec, Relaxation};
use super::{Attachment, Model, Rows, SpringForm};
use crate::data::Data;
use crate::joint::Joint;
use crate::math::{Mat3, Vec3, basis_with_z};
use crate::spatial::Pose;
use crate::tree::{crba, kinematics};

/// How far the length of an axis or a quaternion may be from one: numbers in files are rounded.
const UNIT_SLACK: f64 = 1e-6;

/// What a driving law returns, at the only time at which it can be asked beforehand.
pub(super) const LAW: [&str; 3] =
    ["law at t = 0", "rate of the law at t = 0", "second derivative of the law at t = 0"];

/// Names of a kind are there and differ.
pub(super) fn names<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), ModelError> {
    let mut names: Vec<&String> = names.collect();
    if let Some(index) = names.iter().position(|name| name.is_empty()) {
        return Err(ModelError::EmptyName { kind, index });
    }
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ModelError::DuplicateName { kind, name: pair[0].clone() }),
        None => Ok(()),
    }
}

pub(super) fn names_of(spec: &ModelSpec) -> Result<(), ModelError> {
    names("bodies", spec.bodies.iter().map(|body| &body.name))?;
    names("joints", spec.joints.iter().map(|joint| &joint.name))?;
    names("constraints", spec.constraints.iter().map(|constraint| &constraint.name))?;
    names("springs", spec.springs.iter().map(|spring| &spring.name))?;
    names("motors", spec.motors.iter().map(|motor| &motor.name))?;
    names("guides", spec.guides.iter().map(|guide| &guide.name))
}

/// The pose of a frame in its body, with its quaternion made exactly of unit length.
pub(super) fn pose(user: &str, frame: &FrameSpec) -> Result<Pose, ModelError> {
    if !frame.p.iter().all(|x| x.is_finite()) {
        return Err(ModelError::NotFinite { user: user.to_string(), what: "position of a frame" });
    }
    if !((frame.quat.norm() - 1.0).abs() <= UNIT_SLACK) {
        let quat = frame.quat.to_wxyz();
        return Err(ModelError::Quaternion { user: user.to_string(), quat });
    }
    Ok(Pose { R: frame.quat.normalized().to_matrix(), p: frame.p })
}

/// The joint with its axis along z, and the rotation that brings z to where the axis is.
pub(super) fn canonical(name: &str, kind: &JointKind) -> Result<(Joint, Mat3), ModelError> {
    let about = |joint: Joint, axis: &Vec3| Ok((joint, basis_with_z(&unit(name, axis)?)));
    match kind {
        JointKind::Fixed => Ok((Joint::Fixed, Mat3::identity())),
        JointKind::Revolute { axis } => about(Joint::Revolute, axis),
        JointKind::Prismatic { axis } => about(Joint::Prismatic, axis),
        JointKind::Screw { axis, pitch } => {
            finite(name, "pitch", *pitch)?;
            about(Joint::Screw { pitch: *pitch }, axis)
        }
        JointKind::Cylindrical { axis } => about(Joint::Cylindrical, axis),
        JointKind::Universal { first, second } => {
            let (x, y) = (unit(name, first)?, unit(name, second)?);
            if !(x.dot(&y).abs() <= UNIT_SLACK) {
                return Err(ModelError::AxesNotPerpendicular { joint: name.to_string() });
            }
            let z = x.cross(&y).normalize();
            Ok((Joint::Universal, Mat3::from_columns(&[x, z.cross(&x), z])))
        }
        JointKind::Ball => Ok((Joint::Ball, Mat3::identity())),
        JointKind::Planar => Ok((Joint::Planar, Mat3::identity())),
        JointKind::Free => Ok((Joint::Free, Mat3::identity())),
    }
}

fn unit(joint: &str, axis: &Vec3) -> Result<Vec3, ModelError> {
    let norm = axis.norm();
    if !((norm - 1.0).abs() <= UNIT_SLACK) {
        let axis = [axis.x, axis.y, axis.z];
        return Err(ModelError::Axis { joint: joint.to_string(), axis });
    }
    Ok(axis / norm)
}

pub(super) fn finite(user: &str, what: &'static str, value: f64) -> Result<(), ModelError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(ModelError::NotFinite { user: user.to_string(), what })
}

/// Finite and ≥ 0.
pub(super) fn not_negative(user: &str, what: &'static str, value: f64) -> Result<(), ModelError> {
    finite(user, what, value)?;
    if value >= 0.0 {
        return Ok(());
    }
    Err(ModelError::Negative { user: user.to_string(), what, value })
}

/// Finite and > 0.
pub(super) fn positive(user: &str, what: &'static str, value: f64) -> Result<(), ModelError> {
    finite(user, what, value)?;
    if value > 0.0 {
        return Ok(());
    }
    Err(ModelError::NotPositive { user: user.to_string(), what, value })
}

/// One number for each velocity of the joint.
pub(super) fn per_velocity(
    spec: &JointSpec,
    joint: Joint,
    what: &'static str,
    values: &[f64],
) -> Result<Vec<f64>, ModelError> {
    for value in values {
        not_negative(&spec.name, what, *value)?;
    }
    let nv = joint.nv();
    match values {
        [] => Ok(vec![0.0; nv]),
        [one] => Ok(vec![*one; nv]),
        _ if values.len() == nv => Ok(values.to_vec()),
        _ => Err(ModelError::Length {
            joint: spec.name.clone(),
            what,
            expected: nv,
            found: values.len(),
        }),
    }
}

/// One pair for each position, lower below upper; infinite bounds are allowed.
pub(super) fn limits(spec: &JointSpec, joint: Joint) -> Result<(), ModelError> {
    for &(lower, upper) in &spec.limits {
        if !(lower < upper) {
            return Err(ModelError::Limits { joint: spec.name.clone(), lower, upper });
        }
    }
    let expected = if joint.quaternion().is_some() { 0 } else { joint.nq() };
    if spec.limits.is_empty() || spec.limits.len() == expected {
        return Ok(());
    }
    Err(ModelError::Length {
        joint: spec.name.clone(),
        what: "limits",
        expected,
        found: spec.limits.len(),
    })
}

/// Not both zero: a row without stiffness and damping is no row.
pub(super) fn relaxation(user: &str, relaxation: &Relaxation) -> Result<(), ModelError> {
    not_negative(user, "relaxation stiffness", relaxation.k)?;
    not_negative(user, "relaxation damping", relaxation.b)?;
    if relaxation.k > 0.0 || relaxation.b > 0.0 {
        return Ok(());
    }
    let what = "stiffness or damping of the relaxation";
    Err(ModelError::NotPositive { user: user.to_string(), what, value: 0.0 })
}

/// Frames and inertias are finite, poses too where all joints are neutral, and the mass matrix has factors there.
pub(super) fn numbers(model: &Model) -> Result<(), ModelError> {
    frames(model)?;
    let mut data = Data::new(model);
    kinematics::update_positions(model, &model.q_neutral, &mut data);
    for (body, X_WB) in model.bodies.iter().zip(&data.kin.X_WB) {
        let inertia = body.I.mc.iter().chain(&body.I.I).all(|x| x.is_finite());
        if !(inertia && is_finite(X_WB) && is_finite(&(*X_WB * body.X_BU))) {
            return Err(ModelError::Overflow { user: body.name.clone() });
        }
    }
    crba::mass_matrix(model, &mut data);
    let factored = data.factor.factor(&model.pattern, &data.M, &vec![0.0; model.nv]);
    let lost = match factored {
        Err(error) => Some(error.0),
        Ok(()) => (0..model.nv).find(|&v| is_noise(model, &data, v)),
    };
    let Some(v) = lost else { return Ok(()) };
    let body = model.bodies.iter().position(|body| body.v_range().contains(&v));
    let joint = body.map_or("", |body| model.carrier_name(body)).to_string();
    Err(ModelError::MassMatrix { joint })
}

/// Whether a pivot has no correct digit: it is below the rounding of the entry that it was computed from, or
/// denormal (a force divided by it would overflow).
fn is_noise(model: &Model, data: &Data, v: usize) -> bool {
    let row = data.M.row(&model.pattern, v);
    let pivot = data.factor.pivot(&model.pattern, v);
    !(pivot > f64::EPSILON * row[row.len() - 1] && pivot >= f64::MIN_POSITIVE)
}

/// Every frame fixed to a body has a finite place in B.
fn frames(model: &Model) -> Result<(), ModelError> {
    let check = |user: &str, frames: &[&Attachment]| {
        if frames.iter().all(|at| is_finite(&at.X_BF)) {
            return Ok(());
        }
        Err(ModelError::Overflow { user: user.to_string() })
    };
    for joint in &model.joints {
        check(&joint.name, &[&joint.parent, &joint.child])?;
    }
    for constraint in &model.constraints {
        match &constraint.rows {
            Rows::Joint { a, b, .. } | Rows::Distance { a, b, .. } => {
                check(&constraint.name, &[a, b])?;
            }
            Rows::Coupling { .. } | Rows::Drive { .. } => {}
        }
    }
    for spring in &model.springs {
        match &spring.kind {
            SpringForm::Points { a, b, .. } | SpringForm::Torsion { a, b } => {
                check(&spring.name, &[a, b])?;
            }
            SpringForm::Coordinate { .. } => {}
        }
    }
    model.guides.iter().try_for_each(|guide| check(&guide.name, &[&guide.a, &guide.b]))
}

fn is_finite(X: &Pose) -> bool {
    X.p.iter().chain(&X.R).all(|x| x.is_finite())
}
