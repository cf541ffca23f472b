//! Every reader, with files of its format.

mod mesh;
mod recording;
mod scene;
mod urdf;

pub use mesh::{dae, obj, stl};
pub use recording::recording;
pub use scene::{scene_json, scene_toml, setting};
pub use urdf::urdf;
