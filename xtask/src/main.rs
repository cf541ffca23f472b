//! Chores of the workspace. `cargo xtask test` is what CI runs.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to who runs it")]

mod examples;
mod stage;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stage::{Failed, Stage, run_all};

const HELP: &str = "\
cargo xtask test           what CI runs: format, clippy, tests, doc tests, examples, docs
cargo xtask long           the ignored, long tests, in release
cargo xtask corpora PATH   every problem below PATH by the release build, as a table
cargo xtask bench-peers    ours beside others (benches/peers/run.sh): `pyramids` (also without a word),
                           `mechanics` or `box`; options may follow";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["test"] => test(),
        ["long"] => long(),
        ["corpora", path] => corpora(path),
        ["bench-peers", ref rest @ ..] => bench_peers(rest),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(line)) => {
            eprintln!("\n{line}");
            ExitCode::FAILURE
        }
    }
}

/// The folder that holds the workspace.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

fn test() -> Result<(), Failed> {
    let mut stages = vec![
        Stage::cargo("format", &["fmt", "--all", "--check"]),
        Stage::cargo(
            "clippy",
            &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        ),
        Stage::cargo("tests", &["test", "--quiet", "--workspace", "--lib", "--bins", "--tests"]),
        Stage::cargo("doc tests", &["test", "--quiet", "--workspace", "--doc"]),
    ];
    for example in examples::of_workspace(&root())? {
        stages.push(Stage::cargo(
            &format!("example {}", example.name),
            &["run", "--quiet", "--package", &example.package, "--example", &example.name],
        ));
    }
    stages.push(
        Stage::cargo("docs", &["doc", "--quiet", "--workspace", "--no-deps"])
            .with_env("RUSTDOCFLAGS", "-D warnings"),
    );
    run_all(&stages, &root())
}

fn long() -> Result<(), Failed> {
    let args = ["test", "--release", "--workspace", "--", "--ignored"];
    run_all(&[Stage::cargo("long tests", &args)], &root())
}

fn corpora(path: &str) -> Result<(), Failed> {
    // a relative path is meant from where the command was typed
    let path = std::path::absolute(path).map_err(|error| Failed(format!("{path}: {error}")))?;
    let path = path.to_string_lossy();
    let args = ["run", "--release", "--package", "stiction", "--", "solve", &path];
    run_all(&[Stage::cargo("corpora", &args)], &root())
}

fn bench_peers(args: &[&str]) -> Result<(), Failed> {
    let script = root().join("benches/peers/run.sh");
    if !script.is_file() {
        return Err(Failed("benches/peers/run.sh is not there".to_string()));
    }
    run_all(&[Stage::program("peers", &script.to_string_lossy(), args)], &root())
}
