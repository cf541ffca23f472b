//! Which angles the state remembers: those that are measured between bodies and can count turns.

use super::{Coordinate, Model, Rows, SpringForm};

/// What an entry of [`Memory::angles`](crate::state::Memory) is the angle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AngleOf {
    /// Position `index` of a joint, by its place in `model.joints()`.
    Joint { joint: usize, index: usize },
    /// The screw that closes a loop, by its place in `model.constraints()`.
    Loop { constraint: usize },
}

impl Model {
    /// What each remembered angle belongs to. Two entries may belong to one angle.
    pub(crate) fn remembered_angles(&self) -> Vec<AngleOf> {
        let mut angles = vec![AngleOf::Loop { constraint: 0 }; self.angles];
        let mut add = |coordinate: &Coordinate| {
            if let Coordinate::Relative { joint, index, angle: Some(place) } = *coordinate {
                angles[place] = AngleOf::Joint { joint, index };
            }
        };
        for constraint in &self.constraints {
            match &constraint.rows {
                Rows::Coupling { terms, .. } => terms.iter().for_each(|(term, _)| add(term)),
                Rows::Drive { coordinate, .. } => add(coordinate),
                Rows::Joint { .. } | Rows::Distance { .. } => {}
            }
        }
        for spring in &self.springs {
            if let SpringForm::Coordinate { coordinate, .. } = &spring.kind {
                add(coordinate);
            }
        }
        let enforced = self.enforced_joints();
        for (i, constraint) in self.constraints.iter().enumerate() {
            if let Rows::Joint { angle: Some(place), .. } = constraint.rows {
                angles[place] = match enforced[i] {
                    Some(joint) => AngleOf::Joint { joint, index: 0 },
                    None => AngleOf::Loop { constraint: i },
                };
            }
        }
        angles
    }

    /// The joint of the description that each constraint enforces, if any.
    pub(crate) fn enforced_joints(&self) -> Vec<Option<usize>> {
        let mut enforced = vec![None; self.constraints.len()];
        for (i, joint) in self.joints.iter().enumerate() {
            if let super::Carrier::Rows { constraint } = joint.carrier {
                enforced[constraint] = Some(i);
            }
        }
        enforced
    }

    /// The name of the joint or constraint that a remembered angle belongs to.
    pub(crate) fn angle_name(&self, angle: AngleOf) -> &str {
        match angle {
            AngleOf::Joint { joint, .. } => &self.joints[joint].name,
            AngleOf::Loop { constraint } => &self.constraints[constraint].name,
        }
    }
}
