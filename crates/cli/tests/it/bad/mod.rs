//! The corpus of bad inputs, through the program: each ends with exit code 2 and lines that name the place.
//!
//! A case is run in a folder of its own, with 1 GiB of memory and 10 s. Beside its lines nothing may be said, and nothing in
//! the folder may be different afterwards.

mod files;
mod harness;
mod json;
mod mesh;
mod options;
mod recording;
mod robot;
mod scene;
mod scene_model;
mod settings;

/// Bad problem files beside the tables here: `bad_input.rs` has them.
#[test]
fn the_corpus_is_large() {
    let scenes = scene::TEXTS.len() + scene_model::TEXTS.len() + json::TEXTS.len();
    let scenes = scenes + files::cases().len() + settings::cases().len();
    let parts = [
        ("scenes", scenes, 100),
        ("robots", robot::TEXTS.len() + robot::cases().len(), 30),
        ("meshes", mesh::cases().len(), 20),
        ("recordings", recording::cases().len(), 20),
        ("options", options::cases().len(), 15),
    ];
    for (kind, count, least) in parts {
        assert!(count >= least, "{count} {kind}");
    }
}
