//! Stages: commands run one after the other, each with its time, until one fails.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The one line that says why a chore did not end well.
pub(crate) struct Failed(pub(crate) String);

pub(crate) struct Stage {
    name: String,
    program: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

impl Stage {
    pub(crate) fn program(name: &str, program: &str, args: &[&str]) -> Self {
        Self {
            name: name.to_string(),
            program: program.to_string(),
            args: args.iter().map(ToString::to_string).collect(),
            env: Vec::new(),
        }
    }

    /// The cargo that runs this chore.
    pub(crate) fn cargo(name: &str, args: &[&str]) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self::program(name, &cargo.to_string_lossy(), args)
    }

    pub(crate) fn with_env(mut self, key: &str, value: &str) -> Self {
        self.env.push((key.to_string(), value.to_string()));
        self
    }

    fn run(&self, folder: &Path) -> Result<(), Failed> {
        let variables = self.env.iter().map(|(key, value)| (key, value));
        let status = Command::new(&self.program)
            .args(&self.args)
            .envs(variables)
            .current_dir(folder)
            .status()
            .map_err(|error| Failed(format!("{}: {}: {error}", self.name, self.program)))?;
        if status.success() {
            return Ok(());
        }
        let program = Path::new(&self.program).file_name().unwrap_or_default().to_string_lossy();
        Err(Failed(format!("{} failed: {program} {}", self.name, self.args.join(" "))))
    }
}

/// Runs the stages in order and stops at the first that fails.
#[allow(clippy::disallowed_methods, reason = "chores are timed; nothing else here is")]
pub(crate) fn run_all(stages: &[Stage], folder: &Path) -> Result<(), Failed> {
    let whole = Instant::now();
    for (k, stage) in stages.iter().enumerate() {
        println!("[{}/{}] {}", k + 1, stages.len(), stage.name);
        let start = Instant::now();
        stage.run(folder)?;
        println!("[{}/{}] {}: {:.1} s", k + 1, stages.len(), stage.name, seconds(start));
    }
    println!("all {} stages passed in {:.1} s", stages.len(), seconds(whole));
    Ok(())
}

fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}
