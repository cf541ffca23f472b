//! A folder: every problem in it, and the table of what became of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::SolveArgs;
use crate::format::{self, Expected, Problematic};
use crate::names::{self, Class, Solver};
use crate::solve::{self, Request, Solved, Status};
use crate::{Ending, Output, print};

/// Of each problem in a folder, unless the user sets another.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// A list of problems, not a problem.
const INDEX: &str = "INDEX.json";

/// One solver on one file.
pub(crate) struct Run {
    /// The folder that holds the file.
    pub(crate) set: String,
    pub(crate) name: String,
    /// The solver that was asked for.
    pub(crate) asked: &'static str,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    Solved {
        solved: Solved,
        expected: Expected,
    },
    /// A problem class that is not solved; why.
    Refused(String),
    /// Not a problem; why.
    Broken(String),
}

impl Run {
    /// A proof that there is no solution, for a file that does not say so.
    pub(crate) fn is_false_refusal(&self) -> bool {
        matches!(&self.outcome, Outcome::Solved { solved, expected }
            if solved.status == Status::NoSolution && *expected != Expected::None)
    }
}

/// What decides the exit code.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    uncertified: usize,
    false_claims: usize,
    false_refusals: usize,
    broken: usize,
    /// Files that the solver asked for is not made for.
    pub(crate) unfit: usize,
}

impl Tally {
    fn of(runs: &[Run], unfit: usize) -> Self {
        let mut tally = Self { unfit, ..Self::default() };
        for run in runs {
            tally.false_refusals += usize::from(run.is_false_refusal());
            match &run.outcome {
                Outcome::Solved { solved, .. } => {
                    tally.uncertified += usize::from(solved.status == Status::Uncertified);
                    tally.false_claims += usize::from(solved.is_false_claim);
                }
                Outcome::Broken(_) => tally.broken += 1,
                Outcome::Refused(_) => {}
            }
        }
        tally
    }

    fn ending(&self, args: &SolveArgs) -> Ending {
        let is_false = self.false_claims + self.false_refusals > 0;
        if self.broken > 0 {
            Ending::BadInput
        } else if is_false || (self.uncertified > 0 && !args.allow_uncertified) {
            Ending::Unmet
        } else {
            Ending::Done
        }
    }
}

/// Runs every problem of a folder (or one file, with every solver).
pub(crate) fn solve_folder(args: &SolveArgs) -> Result<Output, String> {
    let files = problem_files(&args.path)?;
    let time_limit = args.time_limit.unwrap_or(TIME_LIMIT);
    let request = Request { tol: args.tol, time_limit: Some(time_limit) };
    let bar = progress_bar(files.len());
    let (mut runs, mut unfit) = (Vec::new(), 0);
    for path in &files {
        bar.set_message(format!("{}/{}", folder_name(path), stem(path)));
        let new = run_file(path, &args.solver, request);
        unfit += usize::from(new.is_empty());
        runs.extend(new);
        bar.inc(1);
    }
    bar.finish_and_clear();
    match &runs[..] {
        [] => return Err(nothing_fits(args)),
        [Run { outcome: Outcome::Refused(reason) | Outcome::Broken(reason), .. }]
            if !args.path.is_dir() =>
        {
            return Err(reason.clone());
        }
        _ => {}
    }
    let tally = Tally::of(&runs, unfit);
    let text = if args.json { print::array(&runs) } else { print::summary(&runs, &tally) };
    let ending = tally.ending(args);
    Ok(Output { complaints: complaints(&runs), ending, ..Output::said(text) })
}

/// No bar where stderr is not a terminal.
fn progress_bar(files: usize) -> ProgressBar {
    let bar = ProgressBar::new(files as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {elapsed}  {msg}") {
        bar.set_style(style.progress_chars("━╸ "));
    }
    // the elapsed time goes on during a long solve
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// Every solver asked for, on one file. Empty when none of them is for this kind of problem.
fn run_file(path: &Path, asked: &str, request: Request) -> Vec<Run> {
    let set = folder_name(path);
    let file = match format::read(path) {
        Ok(file) => file,
        Err(error) => {
            let is_refused = matches!(error.what, Problematic::Unsupported { .. });
            let reason = error.to_string();
            let outcome =
                if is_refused { Outcome::Refused(reason) } else { Outcome::Broken(reason) };
            return vec![Run { set, name: stem(path), asked: asked_name(asked), outcome }];
        }
    };
    let run = |solver: Solver| {
        let outcome = match solve::solve(&file.problem, solver, request) {
            Ok(solved) => Outcome::Solved { solved, expected: file.expected },
            Err(error) => Outcome::Broken(error.in_file(path).to_string()),
        };
        Run { set: set.clone(), name: file.name.clone(), asked: solver.name(), outcome }
    };
    let class = file.problem.class();
    match asked {
        names::ALL => class.solvers().into_iter().map(run).collect(),
        name => class.solver(name).into_iter().map(run).collect(),
    }
}

/// A file that was not read has no class, so its row carries the name that was asked for.
fn asked_name(asked: &str) -> &'static str {
    names::every_name().into_iter().find(|name| *name == asked).unwrap_or("–")
}

fn nothing_fits(args: &SolveArgs) -> String {
    let class = if Class::Linear.solver(&args.solver).is_some() { "linear" } else { "friction" };
    format!(
        "{}: --solver: expected problems that `{}` solves ({class}), found none",
        args.path.display(),
        args.solver
    )
}

fn complaints(runs: &[Run]) -> Vec<String> {
    let reason = |run: &Run| match &run.outcome {
        Outcome::Broken(reason) => Some(reason.clone()),
        _ => None,
    };
    runs.iter().filter_map(reason).collect()
}

/// `*.json` below the folder, sorted; a file stands for itself.
fn problem_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let unreadable = |error| Problematic::Unreadable(error).in_file(&folder).to_string();
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // links to folders are not followed: they may lead in a circle
            let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
            let path = entry.path();
            if is_folder {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json")
                && !path.is_dir()
                && entry.file_name() != INDEX
            {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(Problematic::NoProblems.in_file(path).to_string());
    }
    files.sort();
    Ok(files)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of the folder that holds a file.
fn folder_name(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = folder.and_then(Path::file_name).unwrap_or_else(|| ".".as_ref());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Answer;

    fn run(status: Status, is_false_claim: bool, expected: Expected) -> Run {
        let solved = Solved {
            status,
            solver: "lemke",
            chain: vec!["lemke"],
            iterations: 0,
            residual: 1.0,
            floor: 0.0,
            parts: Vec::new(),
            answer: Answer::Linear { z: Vec::new() },
            is_false_claim,
            time: Duration::ZERO,
        };
        let outcome = Outcome::Solved { solved, expected };
        Run { set: "set".into(), name: "name".into(), asked: "auto", outcome }
    }

    fn endings(run: Run) -> (Ending, Ending) {
        let mut args = SolveArgs {
            path: PathBuf::new(),
            solver: "auto".into(),
            tol: 1e-12,
            time_limit: None,
            json: false,
            allow_uncertified: false,
        };
        let tally = Tally::of(&[run], 0);
        let strict = tally.ending(&args);
        args.allow_uncertified = true;
        (strict, tally.ending(&args))
    }

    #[test]
    fn only_honest_failures_can_be_allowed() {
        use Ending::{Done, Unmet};
        let said = |status, lie, expected| endings(run(status, lie, expected));
        assert_eq!(said(Status::Certified, false, Expected::Unsaid), (Done, Done));
        assert_eq!(said(Status::Uncertified, false, Expected::Unsaid), (Unmet, Done));
        assert_eq!(said(Status::Uncertified, true, Expected::Unsaid), (Unmet, Unmet));
        assert_eq!(said(Status::NoSolution, false, Expected::None), (Done, Done));
        assert_eq!(said(Status::NoSolution, false, Expected::Unsaid), (Unmet, Unmet));
        assert_eq!(said(Status::NoSolution, false, Expected::Solution), (Unmet, Unmet));
    }
}
