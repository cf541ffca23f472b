//! Scenes: files that say what moves and how it is stepped.

pub mod mesh;
pub mod urdf;
