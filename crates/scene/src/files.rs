//! Files that a scene names: from its own folder or from roots that the caller gives, and from nowhere else.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders that files are read from, as they are after all links are followed.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

/// Why a file was not read.
#[derive(Debug)]
pub enum PathError {
    Unreadable(std::io::Error),
    /// It is, after all links are followed, outside of all roots.
    Outside,
    /// A folder, a pipe, a device.
    NotAFile,
    /// [bytes]
    TooLarge {
        limit: u64,
    },
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "a file that cannot be read ({error})"),
            Self::Outside => write!(f, "a file outside of the scene's folder and the given roots"),
            Self::NotAFile => write!(f, "a folder, a pipe or a device"),
            Self::TooLarge { limit } => {
                write!(f, "a file of more than {} MiB", limit >> 20)
            }
        }
    }
}

impl std::error::Error for PathError {}

impl Roots {
    /// The folder of `scene` and `more`. Folders that are not there hold no files.
    pub fn new(scene: &Path, more: &[PathBuf]) -> Self {
        let own = folder_of(scene);
        let all = std::iter::once(own).chain(more.iter().map(PathBuf::as_path));
        Self { folders: all.filter_map(|folder| folder.canonicalize().ok()).collect() }
    }

    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The file `path`, as the file `relative_to` names it, of at most `limit` bytes.
    pub fn open(
        &self,
        relative_to: &Path,
        path: &str,
        limit: u64,
    ) -> Result<(PathBuf, Vec<u8>), PathError> {
        let named = folder_of(relative_to).join(path);
        let real = named.canonicalize().map_err(|error| {
            // whether a file outside is there is nobody's business
            if self.may_hold(&named) { PathError::Unreadable(error) } else { PathError::Outside }
        })?;
        if !self.folders.iter().any(|folder| real.starts_with(folder)) {
            return Err(PathError::Outside);
        }
        let bytes = read_at_most(&real, limit)?;
        Ok((real, bytes))
    }

    /// Whether a file that is not there would be inside: its nearest folder that is there is.
    fn may_hold(&self, named: &Path) -> bool {
        let there = named.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
        there.is_some_and(|real| self.folders.iter().any(|folder| real.starts_with(folder)))
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// All of a regular file.
pub fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>, PathError> {
    if !path.metadata().map_err(PathError::Unreadable)?.is_file() {
        return Err(PathError::NotAFile);
    }
    let file = File::open(path).map_err(PathError::Unreadable)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(PathError::Unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(PathError::TooLarge { limit });
    }
    Ok(bytes)
}
