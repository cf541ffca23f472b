//! Options of the commands that take a scene.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

/// Which scene, and what is different in it this time.
#[derive(Args, Clone, Debug)]
pub(crate) struct SceneArgs {
    /// A scene (TOML, or the same as JSON), or a robot (URDF)
    #[arg(value_name = "SCENE")]
    pub(crate) path: PathBuf,

    /// Override anything, as in `--set stepping.h=5e-4 --set bodies.box.mass=2`
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,

    /// Seed of everything random in the scene
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// A further folder that meshes and included files may come from; also what `package://` means
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
}

/// How much is said.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Loudness {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing but errors
    #[arg(short, long, conflicts_with_all = ["verbose", "json"])]
    pub(crate) quiet: bool,

    /// Say more: impacts and uncertified steps as they happen
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,

    #[command(flatten)]
    pub(crate) loudness: Loudness,

    /// Where recording, replay page and plots go [default: a folder below `out` that is not there yet]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Overwrite what is in the folder
    #[arg(long)]
    pub(crate) force: bool,

    /// Only the recording: no replay page, no plots
    #[arg(long)]
    pub(crate) no_pictures: bool,

    /// Nothing is written: the summary alone
    #[arg(long, conflicts_with_all = ["output", "no_pictures"])]
    pub(crate) no_recording: bool,

    /// Threads that share the work of a step: they change no bit
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    pub(crate) threads: NonZeroUsize,

    /// Print the scene with every default spelled out, and do not run it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,

    #[command(flatten)]
    pub(crate) loudness: Loudness,

    /// Friction laws, as in `cone,pyramid,box` [default: the scene's]
    #[arg(long, value_name = "LAW", value_delimiter = ',')]
    pub(crate) laws: Vec<String>,

    /// Solvers, as in `auto,lemke` [default: the scene's]
    #[arg(long, value_name = "SOLVER", value_delimiter = ',')]
    pub(crate) solvers: Vec<String>,

    /// Step lengths in seconds, as in `1e-2,1e-3` [default: the scene's]
    #[arg(long, value_name = "H", value_delimiter = ',', value_parser = super::step_length)]
    pub(crate) h: Vec<f64>,

    /// Runs at the same time; the numbers do not depend on it
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub(crate) threads: usize,

    /// Write the overlaid plots, and the table as CSV, into this folder
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Overwrite what is in the folder
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,

    /// Print the scene with every default spelled out
    #[arg(long)]
    pub(crate) resolved: bool,

    /// Exit with 1 where there is something to say; of a robot, where something of it is lost
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) scene: SceneArgs,

    /// Look after this many steps
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) step: u64,

    /// Print JSON, with every matrix
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&n| (1..=1024).contains(&n));
    number.ok_or_else(|| "expected a number of threads, 1 to 1024".to_string())
}
