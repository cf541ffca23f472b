//! Scenes: files that say what moves and how it is stepped.
//!
//! ```text
//!  scene.toml ─┐                                    format: one description of all keys
//!  scene.json ─┤► tree with places ─► include, set, like ─► check and fill ─► Scene ─► Model, State
//!  --set      ─┘                                              │
//!                                                    all errors, each with file:line:column
//! ```
//!
//! A file is read into a tree in which everything knows its place. The tree is checked against [`format`](mod@format), which
//! also makes the JSON [`schema`](schema()), the [`reference`](reference()) page and the defaults that [`Scene::resolved`] spells out.
#![allow(non_snake_case)]
// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

mod angles;
mod check;
mod error;
pub mod files;
pub mod format;
mod from_spec;
mod gather;
mod load;
mod lower;
pub mod mesh;
mod names;
mod nearest;
mod quantity;
mod read_json;
mod read_toml;
mod reference;
mod scene;
mod schema;
mod simulation;
mod templates;
mod tree;
pub mod urdf;
mod write;

pub use error::{Place, SceneError};
pub use from_spec::{CustomLaw, from_spec};
pub use gather::{LoadOptions, SCENE_BYTES, Syntax};
pub use load::{load, parse};
pub use lower::BODIES;
pub use reference::reference;
pub use scene::{
    BodyStart, ForceOn, ForceSpec, JointStart, PlacedRobot, RecordingSpec, Scene, Start, Stepping,
};
pub use schema::schema;
pub use simulation::{Simulation, Stepped};
