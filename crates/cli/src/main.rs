//! `stiction`: the command line. The only crate of the workspace that reads files by name, keeps
//! time, prints, and exits.
#![allow(non_snake_case, reason = "matrices keep the letters of NOTATION.md")]
// units stand in brackets, which rustdoc takes for links
#![allow(rustdoc::broken_intra_doc_links)]

mod args;
mod batch;
mod bench;
mod check;
mod compare;
mod format;
mod inspect;
mod interrupt;
mod load;
mod manual;
mod names;
mod paradox;
mod print;
mod recording;
mod reproduce;
mod robots;
mod run;
mod solve;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use args::{Command, Declined, SolveArgs};
use format::{InputError, Problem};
use solve::Request;

/// How a run ended, which is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Certified, or proved to have no solution.
    Done,
    /// It ran, and what was asked for was not reached.
    Unmet,
    /// It could not run.
    BadInput,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Done => Self::SUCCESS,
            Ending::Unmet => Self::from(1),
            Ending::BadInput => Self::from(2),
        }
    }
}

/// Everything a run prints, and how it ended.
pub(crate) struct Output {
    pub(crate) text: String,
    /// To be written before anything is said: path and content.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
    /// Lines for stderr, one for each bad input.
    pub(crate) complaints: Vec<String>,
    pub(crate) ending: Ending,
}

impl Output {
    fn said(text: String) -> Self {
        Self { text, files: Vec::new(), complaints: Vec::new(), ending: Ending::Done }
    }

    fn bad_input(line: String) -> Self {
        Self { ending: Ending::BadInput, complaints: vec![line], ..Self::said(String::new()) }
    }
}

fn main() -> ExitCode {
    let (output, plain) = match args::parse(std::env::args_os()) {
        Ok((command, no_color)) => (obey(&command), no_color),
        Err(Declined::Shown(text)) => (Output::said(text), false),
        Err(Declined::Wrong(line)) => (Output::bad_input(line), false),
    };
    let output = write_files(output);
    let text = if plain || !has_colours() { print::plain(&output.text) } else { output.text };
    for line in &output.complaints {
        // a line stays a line and a terminal as it is, whatever names there are; stderr may be closed
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(std::io::stderr(), "stiction: {line}");
    }
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // the reader has had enough: not our failure
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "stiction: standard output: {error}");
            ExitCode::from(Ending::BadInput)
        }
        _ => output.ending.into(),
    }
}

fn obey(command: &Command) -> Output {
    let result = match command {
        Command::Run(args) => run::run(args),
        Command::Compare(args) => compare::compare(args),
        Command::Check(args) => check::check(args),
        Command::Inspect(args) => inspect::inspect(args),
        Command::Plot(args) => recording::plot(args),
        Command::Replay(args) => recording::replay(args),
        Command::Convert(args) => recording::convert(args),
        Command::Solve(args) => Ok(solve(args)),
        Command::Paradox(args) => Ok(paradox::paradox(args)),
        Command::Reproduce(args) => Ok(reproduce::reproduce(args)),
        Command::Bench(args) => Ok(bench::bench(args)),
        Command::Completions { shell } => Ok(manual::completions(*shell)),
        Command::Man { folder } => manual::pages(folder),
        Command::Schema => Ok(Output::said(stiction_scene::schema())),
    };
    result.unwrap_or_else(|refused| refused)
}

/// On a terminal that wants them.
#[allow(clippy::disallowed_methods, reason = "what a terminal wants, it says in its environment")]
fn has_colours() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
}

/// Writes the files, with their folders; the first that cannot be written is all that is said.
fn write_files(output: Output) -> Output {
    for (path, content) in &output.files {
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(path, content)) {
            return Output::bad_input(format!("{}: {error}", path.display()));
        }
    }
    output
}

fn solve(args: &SolveArgs) -> Output {
    let result = if args.path.is_dir() || args.solver == names::ALL {
        batch::solve_folder(args)
    } else {
        solve_file(args)
    };
    result.unwrap_or_else(Output::bad_input)
}

fn solve_file(args: &SolveArgs) -> Result<Output, String> {
    let line = |error: InputError| error.to_string();
    let file = format::read(&args.path).map_err(line)?;
    let solver =
        file.problem.class().solver(&args.solver).ok_or_else(|| wrong_class(args, &file))?;
    let request = Request { tol: args.tol, time_limit: args.time_limit };
    let solved =
        solve::solve(&file.problem, solver, request).map_err(|e| line(e.in_file(&args.path)))?;
    let text = if args.json { print::object(&solved) } else { print::report(&file, &solved, args) };
    let met = solved.status != solve::Status::Uncertified || args.allow_uncertified;
    let ending = if met && !solved.is_false_claim { Ending::Done } else { Ending::Unmet };
    Ok(Output { ending, ..Output::said(text) })
}

fn wrong_class(args: &SolveArgs, file: &format::ProblemFile) -> String {
    let what = match file.problem {
        Problem::Linear(_) => "complementarity",
        Problem::Friction(_) | Problem::Global(_) => "friction",
    };
    format!(
        "{path}: --solver: `{name}` does not solve {what} problems (kind `{kind}`); expected one of {fit}",
        path = args.path.display(),
        name = args.solver,
        kind = file.kind.name(),
        fit = file.problem.class().names().join(", "),
    )
}
