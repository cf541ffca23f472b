//! Runs the program and keeps what it said.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn stiction(args: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    Said {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// A fresh folder for one test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Writes a file and gives its path as text.
pub(crate) fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("the file can be written");
    path.to_str().expect("the path is UTF-8").to_string()
}

/// A shipped problem.
pub(crate) fn shipped(name: &str) -> String {
    format!("{}/../../data/problems/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

/// Solved by z = 0, whatever the solver.
pub(crate) const EASY: &str =
    r#"{"kind": "lcp", "M": {"shape": [2, 2], "dense": [2, 1, 1, 2]}, "q": [1, 3]}"#;
/// An open contact: solved by r = 0.
pub(crate) const OPEN: &str = r#"{"kind": "fc3d", "mu": [0.5], "q": [1, 0, 0],
    "M": {"shape": [3, 3], "csc": {"p": [0, 1, 2, 3], "i": [0, 1, 2], "x": [1, 1, 1]}}}"#;
/// `0 ≤ z ⊥ −1 ≥ 0` has no solution in f64 or elsewhere.
pub(crate) const NONE: &str = r#"{"kind": "lcp", "M": {"shape": [1, 1], "dense": [0]}, "q": [-1]}"#;
pub(crate) const ROLLING: &str = r#"{"kind": "rfc3d", "mu": [0.5], "mu_r": [0.1]}"#;
