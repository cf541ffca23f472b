//! Scenes from outside, as a program uses them.

mod arrays;
mod bad;
mod defaults;
mod files;
mod good;
mod mutations;
mod robots;
mod runs;

use std::path::Path;

use stiction_scene::{LoadOptions, Scene, Syntax, parse};

/// A scene of this text, in a folder that is not there.
fn scene(text: &str) -> Scene {
    let found = parse(text, Path::new("nowhere/scene.toml"), Syntax::Toml, &LoadOptions::default());
    found.unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

/// The errors of a text, when it is read or when it is built; one line each.
fn errors(text: &str) -> Vec<String> {
    errors_with(text, Syntax::Toml, &LoadOptions::default())
}

fn errors_with(text: &str, syntax: Syntax, options: &LoadOptions) -> Vec<String> {
    let found = parse(text, Path::new("s.toml"), syntax, options);
    let errors = found.and_then(|scene| scene.build().map(|_| ()));
    let Err(errors) = errors else { panic!("there is an error in\n{text}") };
    errors.iter().map(ToString::to_string).collect()
}
