//! Articulated rigid bodies: models, dynamics, constraints and time steps.
#![allow(non_snake_case)]

pub mod data;
pub mod inertia;
pub mod joint;
pub mod math;
pub mod model;
pub mod spatial;
pub mod state;
pub mod tree;

pub use data::{Data, Stage};
pub use inertia::shapes::{Mesh, ShapeError, Solid};
pub use inertia::{Inertia, InertiaError, SpatialInertia};
pub use joint::Joint;
pub use math::{Mat3, MatX, Quat, Vec3, VecX};
pub use model::{BodyId, Coordinates, JointId, Model, ModelError, ModelSpec};
pub use spatial::{Force, Motion, Pose};
pub use state::{Memory, State, StateError};
