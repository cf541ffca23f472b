//! Constraints, springs, motors and guides of a description, with the bodies and joints they name found in the model.

use std::collections::BTreeMap;

use super::angles::AngleOf;
use super::check;
use super::error::ModelError;
use super::spec::{
    ConstraintKind, ConstraintSpec, CoordinateSpec, FrameSpec, ModelSpec, SpringKind, SpringSpec,
};
use super::{Attachment, Carrier, Constraint, Coordinate, Model, Rows, Spring, SpringForm};
use crate::joint::Joint;

impl Model {
    /// Adds all that connects bodies besides the joints that carry them.
    pub(super) fn connect(&mut self, spec: &ModelSpec) -> Result<(), ModelError> {
        let mut finder = Finder::new(self);
        let mut constraints = Vec::with_capacity(spec.constraints.len());
        for constraint in &spec.constraints {
            let place = self.constraints.len() + constraints.len();
            constraints.push(finder.constraint(constraint, place)?);
        }
        let mut springs = Vec::with_capacity(spec.springs.len());
        for spring in &spec.springs {
            springs.push(finder.spring(spring)?);
        }
        let motors =
            spec.motors.iter().map(|motor| finder.motor(motor)).collect::<Result<_, _>>()?;
        let guides =
            spec.guides.iter().map(|guide| finder.guide(guide)).collect::<Result<_, _>>()?;
        let limits = finder.limits()?;
        self.angles = finder.angles;
        self.constraints.extend(constraints);
        (self.springs, self.motors, self.guides, self.limits) = (springs, motors, guides, limits);
        self.find_frictions();
        Ok(())
    }
}

/// Finds bodies and joints of a model by name, and gathers the angles that the state must remember.
pub(super) struct Finder<'a> {
    pub(super) model: &'a Model,
    bodies: BTreeMap<&'a str, usize>,
    joints: BTreeMap<&'a str, usize>,
    angles: Vec<AngleOf>,
}

impl<'a> Finder<'a> {
    fn new(model: &'a Model) -> Self {
        let bodies = model.bodies.iter().enumerate().map(|(i, body)| (body.name.as_str(), i));
        let joints = model.joints.iter().enumerate().map(|(i, joint)| (joint.name.as_str(), i));
        let angles = model.angles.clone();
        Self { model, bodies: bodies.collect(), joints: joints.collect(), angles }
    }

    fn attach(&self, user: &str, frame: &FrameSpec) -> Result<Attachment, ModelError> {
        let X_UF = check::pose(user, frame)?;
        let Some(name) = &frame.body else {
            return Ok(Attachment { body: None, X_BF: X_UF });
        };
        let Some(&i) = self.bodies.get(name.as_str()) else {
            return Err(ModelError::UnknownBody { user: user.to_string(), body: name.clone() });
        };
        Ok(Attachment { body: Some(i), X_BF: self.model.bodies[i].X_BU * X_UF })
    }

    /// Two frames on different bodies.
    pub(super) fn attach_pair(
        &self,
        user: &str,
        a: &FrameSpec,
        b: &FrameSpec,
    ) -> Result<(Attachment, Attachment), ModelError> {
        let (a, b) = (self.attach(user, a)?, self.attach(user, b)?);
        if a.body == b.body {
            return Err(ModelError::SameBody { user: user.to_string() });
        }
        Ok((a, b))
    }

    /// A place in the memory of angles.
    fn remembered(&mut self, angle: AngleOf) -> usize {
        self.angles.push(angle);
        self.angles.len() - 1
    }

    pub(super) fn coordinate(
        &mut self,
        user: &str,
        spec: &CoordinateSpec,
    ) -> Result<Coordinate, ModelError> {
        let Some(&place) = self.joints.get(spec.joint.as_str()) else {
            return Err(ModelError::UnknownJoint {
                user: user.to_string(),
                joint: spec.joint.clone(),
            });
        };
        let info = &self.model.joints[place];
        let (joint, index) = (info.joint, spec.index);
        if joint.quaternion().is_some() || index >= joint.nq() {
            return Err(ModelError::Coordinate {
                user: user.to_string(),
                joint: spec.joint.clone(),
                index,
            });
        }
        match info.carrier {
            Carrier::Tree { body } => {
                let body = &self.model.bodies[body];
                Ok(Coordinate::Tree { q: body.q0 + index, v: body.v0 + index })
            }
            Carrier::Rows { .. } => {
                let angle_of = AngleOf::Joint { joint: place, index };
                let angle = joint.is_angle(index).then(|| self.remembered(angle_of));
                Ok(Coordinate::Relative { joint: place, index, angle })
            }
        }
    }

    /// The constraint that will be at `place` in the model.
    fn constraint(
        &mut self,
        spec: &ConstraintSpec,
        place: usize,
    ) -> Result<Constraint, ModelError> {
        let name = &spec.name;
        if let Some(relaxation) = &spec.relaxation {
            check::relaxation(name, relaxation)?;
        }
        let rows = match &spec.kind {
            ConstraintKind::Joint { kind, a, b } => {
                let (joint, R) = check::canonical(name, kind)?;
                let (mut a, mut b) = self.attach_pair(name, a, b)?;
                a.X_BF.R *= R;
                b.X_BF.R *= R;
                let turns = matches!(joint, Joint::Screw { .. });
                let angle = turns.then(|| self.remembered(AngleOf::Loop { constraint: place }));
                Rows::Joint { joint, a, b, angle }
            }
            ConstraintKind::Distance { a, b, length } => {
                check::positive(name, "length", *length)?;
                let (a, b) = self.attach_pair(name, a, b)?;
                Rows::Distance { a, b, length: *length }
            }
            ConstraintKind::Coupling { terms, offset } => {
                check::finite(name, "offset", *offset)?;
                Rows::Coupling { terms: self.terms(name, terms)?, offset: *offset }
            }
            ConstraintKind::Drive { coordinate, law } => {
                for (what, value) in check::LAW.into_iter().zip(law.at(0.0)) {
                    check::finite(name, what, value)?;
                }
                Rows::Drive { coordinate: self.coordinate(name, coordinate)?, law: *law }
            }
        };
        Ok(Constraint { name: name.clone(), rows, relaxation: spec.relaxation })
    }

    /// At least one term, each coordinate once, no factor zero: so the row is never empty.
    fn terms(
        &mut self,
        name: &str,
        terms: &[(CoordinateSpec, f64)],
    ) -> Result<Vec<(Coordinate, f64)>, ModelError> {
        if terms.is_empty() {
            return Err(ModelError::NoTerms { constraint: name.to_string() });
        }
        let mut seen = std::collections::BTreeSet::new();
        let mut found = Vec::with_capacity(terms.len());
        for (coordinate, factor) in terms {
            check::finite(name, "factor", *factor)?;
            let place = self.coordinate(name, coordinate)?;
            let first = seen.insert((coordinate.joint.as_str(), coordinate.index));
            if !first || *factor == 0.0 {
                return Err(ModelError::Term {
                    constraint: name.to_string(),
                    joint: coordinate.joint.clone(),
                    index: coordinate.index,
                });
            }
            found.push((place, *factor));
        }
        Ok(found)
    }

    fn spring(&mut self, spec: &SpringSpec) -> Result<Spring, ModelError> {
        let name = &spec.name;
        check::not_negative(name, "stiffness", spec.stiffness)?;
        check::not_negative(name, "damping", spec.damping)?;
        let kind = match &spec.kind {
            SpringKind::Points { a, b, rest } => {
                check::not_negative(name, "rest length", *rest)?;
                let (a, b) = self.attach_pair(name, a, b)?;
                SpringForm::Points { a, b, rest: *rest }
            }
            SpringKind::Coordinate { coordinate, rest } => {
                check::finite(name, "rest position", *rest)?;
                let coordinate = self.coordinate(name, coordinate)?;
                SpringForm::Coordinate { coordinate, rest: *rest }
            }
            SpringKind::Torsion { a, b } => {
                let (a, b) = self.attach_pair(name, a, b)?;
                SpringForm::Torsion { a, b }
            }
        };
        let (stiffness, damping) = (spec.stiffness, spec.damping);
        Ok(Spring { name: name.clone(), kind, stiffness, damping })
    }
}
