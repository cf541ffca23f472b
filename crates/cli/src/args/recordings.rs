//! Options of the commands that take a recording.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct PlotArgs {
    /// A recording (MCAP) that `stiction run` wrote
    #[arg(value_name = "RECORDING")]
    pub(crate) path: PathBuf,

    /// Which plots [default: all that have something to show]
    #[arg(value_name = "PLOT")]
    pub(crate) plots: Vec<Plot>,

    /// Folder for the plots [default: beside the recording]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    #[arg(long, value_name = "FORMAT", default_value = "svg")]
    pub(crate) format: Format,

    /// An SVG that is `auto` follows the reader's colours
    #[arg(long, value_name = "THEME", default_value = "auto")]
    pub(crate) theme: Theme,

    /// Overwrite what is there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Plot {
    Paths,
    Energy,
    Gaps,
    Forces,
    Residuals,
    Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Svg,
    Png,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Theme {
    Auto,
    Light,
    Dark,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// A recording (MCAP) that `stiction run` wrote
    #[arg(value_name = "RECORDING")]
    pub(crate) path: PathBuf,

    /// The page [default: `replay.html` beside the recording]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Overwrite the page
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// A robot (URDF), or a recording (MCAP)
    #[arg(value_name = "FROM")]
    pub(crate) from: PathBuf,

    /// By its ending: a scene (`.toml`), a table (`.csv`, `.parquet`), arrays (`.npz`), or with `--step` the contact
    /// problem of one step (`.json`)
    #[arg(value_name = "TO")]
    pub(crate) to: PathBuf,

    /// Of a recording: the contact problem that was solved in step N, in the form that `stiction solve` reads
    #[arg(long, value_name = "N")]
    pub(crate) step: Option<u64>,

    /// Which table of a recording becomes a CSV or Parquet file
    #[arg(long, value_name = "TABLE", default_value = "steps")]
    pub(crate) table: Table,

    /// Of a robot: fail where something of it is lost
    #[arg(long)]
    pub(crate) strict: bool,

    /// A further folder that robots and meshes may come from; also what `package://` means
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,

    /// Overwrite what is there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Table {
    /// A row for each step: q, v, energies, certificate
    Steps,
    /// A row for each contact of each step
    Contacts,
}
