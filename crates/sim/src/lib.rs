//! Articulated rigid bodies: models, dynamics, constraints and time steps.
//!
//! A mechanism is described by names ([`ModelSpec`]), frozen into a [`Model`], and moved by [`step()`]. The same
//! description runs in generalized coordinates (a forest of joints, loops as bilateral rows) and in maximal
//! coordinates (every body free, every joint a set of rows): [`Coordinates`] is the only difference.
//!
//! ```text
//!  M(q) v̇ + c(q, v) = τ + Jᵀλ,     q̇ = Γ(q) v,     Θ(q) = g(t)
//! ```
//!
//! # A pendulum
//!
//! ```
//! use stiction_sim::model::{FrameSpec, JointKind};
//! use stiction_sim::{Coordinates, Data, Inertia, Input, ModelSpec, StepSettings, Vec3, step};
//!
//! let mut spec = ModelSpec::new(); // gravity along −z
//! spec.body("bob", Inertia::principal(1.0, [0.01; 3]));
//! let hinge = JointKind::Revolute { axis: Vec3::y() };
//! spec.joint("pivot", hinge, FrameSpec::world(), FrameSpec::of("bob").at(0.0, 0.0, 1.0));
//! let model = spec.build(Coordinates::Generalized)?;
//! let (mut state, mut data) = (model.state(), Data::new(&model));
//! state.q[0] = 0.1;
//! for _ in 0..1000 {
//!     step(&model, &StepSettings::default(), &Input::default(), &mut state, &mut data)?;
//! }
//! let omega = (9.81_f64 / 1.01).sqrt(); // m g l over m l² + I
//! assert!((state.q[0] - 0.1 * omega.cos()).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Model, State, Data
//!
//! A `Model` never changes. A [`State`] is everything the next step depends on besides model, settings and
//! input: saved and loaded it reproduces the future bit for bit. [`Data`] is what was computed from a state, and
//! memory; it may be dropped at any time, and reading what does not belong to the present state panics. After
//! the first step, steps without contacts allocate nothing. On an error the state is as it was.
//!
//! | module | what | theory |
//! |---|---|---|
//! | [`model`] | description, checks, the frozen mechanism | |
//! | [`state`], [`data`] | what moves; what is computed from it | |
//! | [`joint`], [`inertia`], [`spatial`], [`math`] | joints, mass, six-vectors, algebra | `tree.md` |
//! | [`tree`] | kinematics, inverse and forward dynamics, mass matrix, Jacobians, energy | `tree.md` |
//! | [`constraint`] | bilateral rows, their rank and impulses; positions brought onto them | `constraints.md` |
//! | [`collide`] | shapes that touch: pairs, gaps, normals | `collision.md` |
//! | [`force`] | what pushes: joints, bodies, springs, a callback | `forces.md` |
//! | [`dynamics`], [`energy`] | accelerations and reactions of this moment; mechanical energy | `constraints.md` |
//! | [`projection`] | the end of a step brought onto its constraints and out of overlaps, without adding energy | `projection.md` |
//! | [`ledger`] | where the energy of a step went | `ledger.md` |
//! | [`paradox`] | all contact forces of this moment, or the proof that there are none | `paradox.md` |
//! | [`flight`], [`drift`] | motion by the kinetic energy alone | `flight.md` |
//! | [`step`](mod@step), [`settings`] | one step, three methods | `step.md` |
//! | [`located`] | steps that end where gaps close, with the impacts there | `located.md` |
//! | [`mod@impact`] | the impact at a fixed position: velocities jump, positions stay | `impact.md` |
//! | [`convert`] | quaternions and velocities of other programs | |
//!
//! Theory pages are in `docs/theory`, letters in `NOTATION.md`; `examples` has a double pendulum, a four-bar
//! linkage, a tennis racket and a slider-crank, each ending in a known answer.
//!
//! # Conventions
//!
//! - SI units and radians. Gravity is (0, 0, −9.81) m/s² unless [`ModelSpec::gravity`] says otherwise.
//! - `X_WB` is the pose of B in W, `v_W = R_WB v_B`. Spatial vectors have the angular part first.
//! - Each body is stated in a frame U of the user's choice. The algorithms use a frame B on the joint that carries
//!   it; functions for users ([`tree::kinematics::pose`], [`BodyLoad`]) speak of U.
//! - Quaternions are w, x, y, z, of unit length; q and −q are the same rotation.
//! - A free joint has q = (x, y, z, quaternion) and v = (velocity of B's origin in the world, angular velocity
//!   *in B*), as MuJoCo has. A ball joint has its angular velocity in B. [`joint`] has the table.
//! - A joint's wrench, a row's impulse, a reaction: on the child, or on frame b; the opposite is on the other.
#![allow(non_snake_case)]
// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

pub mod collide;
pub mod constraint;
pub mod contact;
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
pub mod impact;
pub mod inertia;
pub mod joint;
pub mod ledger;
pub mod located;
pub mod math;
pub mod model;
pub mod paradox;
pub mod projection;
pub mod settings;
pub mod spatial;
pub mod state;
pub mod step;
mod symmetric;
#[cfg(test)]
mod testing;
mod threads;
pub mod tree;
mod work;

pub use data::{Data, Stage};
pub use force::{BodyLoad, Input, JointLoad, Loads, Situation};
pub use inertia::shapes::{Mesh, ShapeError, Solid};
pub use inertia::{Inertia, InertiaError, SpatialInertia};
pub use joint::Joint;
pub use ledger::Ledger;
pub use located::{LocatedReport, LocatedSettings, step_located};
pub use math::{Mat3, MatX, Quat, Vec3, VecX};
pub use model::{BodyId, Coordinates, JointId, Model, ModelError, ModelSpec};
pub use settings::{Drift, Geometry, Method, StepSettings, Stiffness};
pub use spatial::{Force, Motion, Pose};
pub use state::{Memory, State, StateError};
pub use step::{StepError, StepReport, step};
