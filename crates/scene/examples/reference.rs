//! The reference page and the JSON schema of scenes: with a folder they are written into it, without one they must be as
//! in `docs/reference`. `cargo xtask reference` writes those.
#![allow(clippy::print_stdout, reason = "an example speaks to who runs it")]

use std::fs;
use std::path::{Path, PathBuf};

use stiction_scene::{reference, schema};

fn main() -> std::io::Result<()> {
    let files = [("scene.md", reference()), ("scene.schema.json", schema())];
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    for (name, text) in files {
        // one newline at the end
        let text = format!("{}\n", text.trim_end());
        match &folder {
            Some(folder) => {
                fs::create_dir_all(folder)?;
                fs::write(folder.join(name), text)?;
                println!("{}", folder.join(name).display());
            }
            None => {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
                let written = fs::read_to_string(path.join(name))?;
                assert!(
                    written == text,
                    "{name} is not what the code says: run `cargo xtask reference`"
                );
                println!("{name} is what the code says");
            }
        }
    }
    Ok(())
}
