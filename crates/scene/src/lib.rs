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
//!
//! ```
//! use std::path::Path;
//! use stiction_scene::{LoadOptions, Simulation, Syntax, parse};
//!
//! let text = r#"
//!     [shapes.ground]
//!     kind = "half-space"
//!     [bodies.box]
//!     mass = 1
//!     position = [0, 0, 0.5]
//!     velocity = [1, 0, 0]
//!     shapes = { kind = "box", size = [1, 1, 1] }
//! "#;
//! let scene = parse(text, Path::new("box.toml"), Syntax::Toml, &LoadOptions::default()).unwrap();
//! let mut run = Simulation::new(&scene).unwrap();
//! for _ in 0..scene.steps {
//!     assert!(run.step().unwrap().certified);
//! }
//! // v²/(2 μ g), and half a step
//! assert!((run.state.q[0] - 1.0 / 9.81).abs() < 1e-3);
//!
//! let wrong = parse("bodies.box.mas = 1", Path::new("box.toml"), Syntax::Toml, &LoadOptions::default());
//! let error = wrong.unwrap_err()[0].to_string();
//! assert_eq!(error, "box.toml:1:12: found the key `mas`, expected a key of a body; did you mean `mass`?");
//! ```
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
pub use nearest::nearest;
pub use reference::reference;
pub use scene::{
    BodyStart, ForceOn, ForceSpec, JointStart, PlacedRobot, RecordingSpec, Scene, Start, Stepping,
};
pub use schema::schema;
pub use simulation::{Simulation, Stepped};
