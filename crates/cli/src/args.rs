//! The command line.

mod bench;
mod recordings;
mod scenes;

pub(crate) use bench::BenchArgs;
pub(crate) use recordings::{ConvertArgs, Format, Plot, PlotArgs, ReplayArgs, Table, Theme};
pub(crate) use scenes::{CheckArgs, CompareArgs, InspectArgs, Loudness, RunArgs, SceneArgs};

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use stiction_reproduce::r6::map::Range;

use crate::names::{self, Class};
use crate::paradox;

#[derive(Debug, Parser)]
#[command(
    name = "stiction",
    version,
    about = "Rigid bodies with contact and friction: every step solved, and proved"
)]
struct Cli {
    /// No colours; so does the variable NO_COLOR
    #[arg(long, global = true)]
    no_color: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene: a recording, a page that plays it back, plots, and a summary
    #[command(
        after_help = "Exit codes: 0 every step certified, 1 one is not or there is no next state, 2 bad input"
    )]
    Run(RunArgs),

    /// Run a scene under several laws, solvers or step lengths, and set the results side by side
    #[command(after_help = after_compare())]
    Compare(CompareArgs),

    /// Read a scene, say everything that is wrong with it, and what looks wrong
    #[command(
        after_help = "Exit codes: 0 the scene can be run, 1 there are remarks and --strict is given, 2 it cannot be run"
    )]
    Check(CheckArgs),

    /// Show a scene's model at a state: coordinates, masses, Jacobians, contacts, the contact problem
    Inspect(InspectArgs),

    /// Plot a recording
    Plot(PlotArgs),

    /// Make the page that plays a recording back, one file that needs no server and no network
    Replay(ReplayArgs),

    /// Make a scene of a robot; a table, arrays or a contact problem of a recording
    Convert(ConvertArgs),

    /// Solve a problem file, or every problem file of a folder, and print the certificates
    #[command(after_help = after_help())]
    Solve(SolveArgs),

    /// Make results of the sources anew and hold them against their numbers
    #[command(after_help = after_reproduce())]
    Reproduce(ReproduceArgs),

    /// Map which sliding rods have no contact forces, one, or several, and what a step in time makes of them
    #[command(
        after_help = "Exit codes: 0 every rod is known and every step certified, 1 one is not, 2 bad usage"
    )]
    Paradox(ParadoxArgs),

    /// Time the steps of a fixed set of scenes, with the judge's word on each
    #[command(after_help = bench::after_bench())]
    Bench(BenchArgs),

    /// Print what completes this command's words in a shell
    Completions { shell: Shell },

    /// Write manual pages into a folder, one for each command
    Man {
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },

    /// Print the JSON schema of scenes
    Schema,
}

#[derive(Args, Debug)]
pub(crate) struct SolveArgs {
    /// A problem (JSON, see docs/format.md), or a folder of them
    pub(crate) path: PathBuf,

    /// The solver's name; `all` runs each one that fits
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) solver: String,

    /// Tolerance of the judge's scaled residual; max(T, 3·floor) is accepted
    #[arg(long, value_name = "T", default_value = "1e-12", value_parser = tolerance, allow_negative_numbers = true)]
    pub(crate) tol: f64,

    /// Seconds for each problem [default: no limit for a file, 20 for a folder]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<Duration>,

    /// Print JSON: one object for a file, one array of objects for a folder
    #[arg(long)]
    pub(crate) json: bool,

    /// Exit with 0 also when a problem stayed uncertified
    #[arg(long)]
    pub(crate) allow_uncertified: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReproduceArgs {
    /// Which ones, as in `R1 R8` [default: all]
    #[arg(value_name = "ITEM", value_parser = item)]
    pub(crate) items: Vec<&'static str>,

    /// Print JSON: an array of objects with `id`, `pass` and `figures`
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page of tables, `reproduced.md`, and its pictures into this folder
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ParadoxArgs {
    /// Coefficients of friction
    #[arg(long, value_name = "A:B:N", default_value = "0.05:4.95:50", value_parser = paradox::coefficients, allow_hyphen_values = true)]
    pub(crate) mu_range: Range,

    /// Angles of the rod against the ground in degrees, between 0 and 90
    #[arg(long, value_name = "A:B:N", default_value = "1:89:89", value_parser = paradox::angles, allow_hyphen_values = true)]
    pub(crate) angle_range: Range,

    /// Spin of the rods in rad/s
    #[arg(long, value_name = "W", default_value = "0", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) spin: f64,

    /// Length of the step in seconds
    #[arg(long, value_name = "H", default_value = "1e-3", value_parser = step_length, allow_negative_numbers = true)]
    pub(crate) h: f64,

    /// Print JSON: one object with counts and a row for each rod
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the map as a picture, `paradox.svg`, and as data, `paradox.csv`, into this folder
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| "expected a number".to_string())
}

fn step_length(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|h| *h > 0.0 && h.is_finite());
    number.ok_or_else(|| "expected seconds, a number > 0".to_string())
}

fn after_reproduce() -> String {
    format!(
        "Items: {}\n\nExit codes: 0 all pass, 1 one fails, 2 bad usage",
        stiction_reproduce::IDS.join(", ")
    )
}

/// The item of this name, in either case.
fn item(text: &str) -> Result<&'static str, String> {
    let ids = stiction_reproduce::IDS;
    let known = ids.into_iter().find(|id| id.eq_ignore_ascii_case(text));
    known.ok_or_else(|| format!("expected one of {}", ids.join(", ")))
}

fn after_compare() -> String {
    format!(
        "Laws: {}; `pyramid(4)` has four facets, `phantom(3)` three directions\n\n\
         Exit codes: 0 every step of every run certified, 1 one is not, 2 bad input",
        names::LAWS.join(", ")
    )
}

fn after_help() -> String {
    format!(
        "Solvers of lcp, mlcp, box:\n  {}\nSolvers of fc2d, fc3d, gfc2d, gfc3d:\n  {}\n\n\
         Exit codes: 0 certified or proved, 1 uncertified or a false claim, 2 bad input",
        Class::Linear.names().join(", "),
        Class::Friction.names().join(", "),
    )
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(tol) if tol >= 0.0 && tol.is_finite() => Ok(tol),
        _ => Err("expected a number ≥ 0".to_string()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s >= 0.0 && s.is_finite());
    let seconds = seconds.ok_or("expected seconds, a number ≥ 0")?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// What a command line that is not run says.
#[derive(Debug)]
pub(crate) enum Declined {
    /// Help or version, asked for.
    Shown(String),
    /// One line: what was expected.
    Wrong(String),
}

/// The command, and whether colours are unwanted.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<(Command, bool), Declined> {
    let cli = Cli::try_parse_from(args).map_err(|error| {
        let text = error.render().to_string();
        if error.use_stderr() { Declined::Wrong(one_line(&text)) } else { Declined::Shown(text) }
    })?;
    if let Command::Solve(solve) = &cli.command {
        check_solver(&solve.solver)?;
    }
    Ok((cli.command, cli.no_color))
}

/// The description of all commands, for completions and manual pages.
pub(crate) fn description() -> clap::Command {
    Cli::command()
}

/// The first paragraph of clap's message on one line.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let line = lines.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    if line.is_empty() || line.starts_with("Usage") || !text.starts_with("error") {
        return "expected a command, as in `run SCENE`; see `stiction --help`".to_string();
    }
    format!("{line}; see `stiction --help`")
}

fn check_solver(name: &str) -> Result<(), Declined> {
    let known = names::every_name();
    if name == names::ALL || known.contains(&name) {
        return Ok(());
    }
    let (hint, list) = (names::suggestion(name, &known), known.join(", "));
    Err(Declined::Wrong(format!(
        "--solver: expected one of {list}, {all}, found {name:?}{hint}",
        all = names::ALL
    )))
}
