//! URDF files: what they mean, what is said of them, and what is refused.
#![allow(non_snake_case)]

mod bad;
mod bad_mesh;
mod meaning;
mod oracle;
mod report;

use stiction_scene::urdf::{self, Options, Robot, UrdfError};

/// No file is there.
fn nothing(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("there is no file `{name}`"))
}

fn read(text: &str, options: &Options) -> Result<Robot, Vec<UrdfError>> {
    urdf::read(text, options, &mut nothing)
}

/// A file of the repository.
fn file(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn robot(path: &str, options: &Options) -> Robot {
    read(&file(path), options).unwrap_or_else(|errors| panic!("{path}: {errors:?}"))
}
