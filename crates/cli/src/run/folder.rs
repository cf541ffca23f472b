//! Where a run leaves its files. Nothing that is there is lost unless the user says so.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::Output;
use crate::load::bad_input;

/// Below this, folders are named after scenes.
const OUT: &str = "out";

/// The folder that was asked for, empty of an earlier run or to be overwritten; or one that is not there yet. It exists
/// afterwards.
pub(crate) fn of_run(asked: Option<&Path>, scene: &Path, force: bool) -> Result<PathBuf, Output> {
    let folder = match asked {
        Some(folder) if !force && is_occupied(folder) => return Err(occupied(folder)),
        Some(folder) => folder.to_path_buf(),
        None => return fresh(scene),
    };
    make(&folder)?;
    Ok(folder)
}

pub(crate) fn make(folder: &Path) -> Result<(), Output> {
    std::fs::create_dir_all(folder)
        .map_err(|error| bad_input(format!("{}: {error}", folder.display())))
}

/// `path`, which is not there yet or may be overwritten.
pub(crate) fn writable(path: &Path, force: bool) -> Result<&Path, Output> {
    if path.exists() && !force { Err(occupied(path)) } else { Ok(path) }
}

fn occupied(path: &Path) -> Output {
    bad_input(format!("{}: is there already; --force overwrites it", path.display()))
}

fn is_occupied(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).map(Iterator::count);
    folder.is_file() || entries.is_ok_and(|entries| entries > 0)
}

/// `out/NAME`, or `out/NAME-2`, …: the first that is not there, made here and by nobody else.
fn fresh(scene: &Path) -> Result<PathBuf, Output> {
    make(Path::new(OUT))?;
    let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut k = 1;
    loop {
        let numbered = if k == 1 { name.clone() } else { format!("{name}-{k}") };
        let folder = Path::new(OUT).join(numbered);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => k += 1,
            Err(error) => return Err(bad_input(format!("{}: {error}", folder.display()))),
        }
    }
}
