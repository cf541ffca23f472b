//! The folder that the blocks of one page are run in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) struct Scratch {
    folder: PathBuf,
    /// Where the program is.
    programs: PathBuf,
}

/// What a program printed and how it ended.
pub(super) struct Ran {
    pub(super) code: i32,
    /// Standard output, then standard error.
    pub(super) text: String,
}

impl Scratch {
    /// An empty folder with copies of what the repository ships for users.
    pub(super) fn new(root: &Path, folder: PathBuf, programs: PathBuf) -> io::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        for shipped in ["scenes", "data"] {
            if root.join(shipped).is_dir() {
                copy(&root.join(shipped), &folder.join(shipped))?;
            }
        }
        Ok(Self { folder, programs })
    }

    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.folder.join(name), text)
    }

    pub(super) fn read(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.folder.join(name))
    }

    pub(super) fn shell(&self, script: &str) -> io::Result<Ran> {
        self.run("sh", &["-e", "-c", script])
    }

    pub(super) fn run(&self, program: &str, args: &[&str]) -> io::Result<Ran> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::iter::once(self.programs.clone()).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(places).map_err(io::Error::other)?;
        let output = Command::new(program)
            .args(args)
            .env("PATH", path)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok(Ran { code: output.status.code().unwrap_or(-1), text })
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
