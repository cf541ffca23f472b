//! Articulated rigid bodies: models, dynamics, constraints and time steps.
#![allow(non_snake_case)]

pub mod constraint;
pub mod convert;
pub mod data;
pub mod drift;
pub mod dynamics;
pub mod energy;
mod euler;
mod explicit;
mod extrapolated;
pub mod flight;
pub mod force;
pub mod inertia;
pub mod joint;
pub mod math;
pub mod model;
pub mod settings;
pub mod spatial;
pub mod state;
pub mod step;
mod symmetric;
#[cfg(test)]
mod testing;
pub mod tree;
mod work;

pub use data::{Data, Stage};
pub use force::{BodyLoad, Input, JointLoad, Loads, Situation};
pub use inertia::shapes::{Mesh, ShapeError, Solid};
pub use inertia::{Inertia, InertiaError, SpatialInertia};
pub use joint::Joint;
pub use math::{Mat3, MatX, Quat, Vec3, VecX};
pub use model::{BodyId, Coordinates, JointId, Model, ModelError, ModelSpec};
pub use settings::{Drift, Method, StepSettings, Stiffness};
pub use spatial::{Force, Motion, Pose};
pub use state::{Memory, State, StateError};
pub use step::{StepError, StepReport, step};
