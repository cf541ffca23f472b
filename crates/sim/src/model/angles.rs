//! Which angles the state remembers: those that are measured between bodies and can count turns.

use super::Model;

/// What an entry of [`Memory::angles`](crate::state::Memory) is the angle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AngleOf {
    /// Position `index` of a joint, by its place in `model.joints()`.
    Joint { joint: usize, index: usize },
    /// The screw that closes a loop, by its place in `model.constraints()`.
    Loop { constraint: usize },
}

impl Model {
    /// The name of the joint or constraint that a remembered angle belongs to.
    pub(crate) fn angle_name(&self, angle: AngleOf) -> &str {
        match angle {
            AngleOf::Joint { joint, .. } => &self.joints[joint].name,
            AngleOf::Loop { constraint } => &self.constraints[constraint].name,
        }
    }
}
