//! Stewart–Trinkle problems of generated scenes: writes them to files, and times `auto` on them.
//!
//! `time` prints one JSON object a line: a solve each, and at the end the growth exponent of each
//! family over its certified solves from [`FIT_FROM`] contacts. Seconds are processor time, the
//! least of several runs.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to who runs it")]

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use serde_json::{Map, Value, json};
use stiction_bench::clock::{exponent, least_time};
use stiction_bench::file::Problem;
use stiction_bench::scenes::{CONTACTS, FACETS, FAMILIES, Family};
use stiction_lcp::{BoxLcp, LcpSolver, Verdict, solve_lcp};

const TOLERANCE: f64 = 1e-12;
/// Below this size the fixed costs and the change of method bend the line.
const FIT_FROM: usize = 50;

#[derive(Parser)]
#[command(about = "Friction pyramids of generated scenes: files and times")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write the problems as files of our format, and print their paths
    Write {
        folder: PathBuf,
        #[command(flatten)]
        choice: Choice,
    },
    /// Time `auto` on files, or on the scenes themselves when none is given
    Time {
        files: Vec<PathBuf>,
        #[command(flatten)]
        choice: Choice,
        /// Processor seconds after which a solve is stopped
        #[arg(long, default_value_t = 60.0)]
        limit: f64,
        /// Add the answer to each line
        #[arg(long)]
        z: bool,
    },
}

#[derive(Args)]
struct Choice {
    /// Families of scenes, by the beginning of their names [default: all]
    #[arg(long, value_delimiter = ',')]
    scenes: Vec<String>,
    /// Numbers of contacts
    #[arg(long, value_delimiter = ',', default_values_t = CONTACTS)]
    contacts: Vec<usize>,
}

impl Choice {
    fn families(&self) -> impl Iterator<Item = &'static Family> {
        FAMILIES.iter().filter(|family| {
            self.scenes.is_empty() || self.scenes.iter().any(|name| family.name.starts_with(name))
        })
    }
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Write { folder, choice } => write(&folder, &choice),
        Task::Time { files, choice, limit, z } => {
            let timer = Timer { limit: Duration::from_secs_f64(limit.clamp(0.0, 1e6)), with_z: z };
            if files.is_empty() { timer.scenes(&choice) } else { timer.files(&files) }
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path, choice: &Choice) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for family in choice.families() {
        for &contacts in &choice.contacts {
            let lcp = family.scene(contacts).pyramid(FACETS);
            let problem = Problem::new(&lcp, (family.name, contacts), family.about);
            let path = folder.join(format!("{}.json", problem.name));
            problem.write(&path)?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

struct Timer {
    limit: Duration,
    with_z: bool,
}

impl Timer {
    fn files(&self, files: &[PathBuf]) -> io::Result<()> {
        for path in files {
            let problem = Problem::read(path)
                .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
            let (scene, contacts) = (problem.scene.clone(), problem.contacts);
            self.solve(&scene, contacts, &problem.lcp()?);
        }
        Ok(())
    }

    fn scenes(&self, choice: &Choice) -> io::Result<()> {
        for family in choice.families() {
            let mut points = Vec::new();
            for &contacts in &choice.contacts {
                let lcp = family.scene(contacts).pyramid(FACETS);
                let (is_certified, time) = self.solve(family.name, contacts, &lcp);
                if is_certified && contacts >= FIT_FROM {
                    points.push((contacts as f64, time));
                }
            }
            let exponent = exponent(&points);
            println!("{}", json!({"family": family.name, "exponent": exponent}));
        }
        Ok(())
    }

    /// Prints the line of one problem; whether it was certified, and its time.
    fn solve(&self, scene: &str, contacts: usize, lcp: &BoxLcp) -> (bool, f64) {
        let (answer, time) =
            least_time(self.limit, |stop| solve_lcp(lcp, LcpSolver::Auto, TOLERANCE, stop));
        let status = match answer.verdict {
            Verdict::Certified => "certified",
            Verdict::NoSolution(_) => "no_solution",
            Verdict::Uncertified => "uncertified",
        };
        let links = &answer.chain;
        let mut line = Map::new();
        let mut put = |key: &str, value: Value| line.insert(key.to_string(), value);
        put("scene", json!(scene));
        put("contacts", json!(contacts));
        put("n", json!(lcp.n()));
        put("status", json!(status));
        put("chain", links.iter().map(|link| link.solver).collect());
        put("iterations", links.iter().map(|link| link.report.iterations).sum::<usize>().into());
        put(
            "factorizations",
            links.iter().map(|link| link.report.factorizations).sum::<usize>().into(),
        );
        put("residual", json!(answer.residual.scaled));
        put("floor", json!(answer.residual.floor));
        put("time_s", json!(time));
        if self.with_z {
            put("z", json!(answer.z));
        }
        println!("{}", Value::Object(line));
        (status == "certified", time)
    }
}
