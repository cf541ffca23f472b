//! Chores of the workspace. `cargo xtask test` is what CI runs.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to who runs it")]

mod book;
mod examples;
mod gallery;
mod instructions;
mod links;
mod markdown;
mod snippets;
mod stage;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stage::{Failed, Stage, run_all};

const HELP: &str = "\
cargo xtask test           what CI runs: format, clippy, tests, doc tests, examples, docs, the page in a browser, links, snippets
cargo xtask long           the ignored, long tests, in release
cargo xtask links          every link of every page leads somewhere, the book has every page
cargo xtask snippets PART  every block of the pages is run; with PART of those whose path contains it
cargo xtask book           the pages as a book, in target/book/book
cargo xtask reference      write docs/reference anew from what the code says
cargo xtask gallery        make the pictures of docs/gallery.md anew (needs Node and Chromium)
cargo xtask corpora PATH   every problem below PATH by the release build, as a table
cargo xtask instructions   count instructions of fixed kernels (needs valgrind) and compare; `--update` keeps the counts
cargo xtask bench-peers    ours beside others (benches/peers/run.sh): `pyramids` (also without a word),
                           `mechanics`, `box`, `piles`, `cannonball` or `corpora FOLDER`; options may follow";

/// The chores, as the pages may name them.
const CHORES: [&str; 10] = [
    "test",
    "long",
    "links",
    "snippets",
    "book",
    "reference",
    "gallery",
    "corpora",
    "instructions",
    "bench-peers",
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["test"] => test(),
        ["long"] => long(),
        ["links"] => links::check(&root()),
        ["snippets"] => snippets(""),
        ["snippets", part] => snippets(part),
        ["book"] => book::build(&root(), &target()),
        ["reference"] => reference(),
        ["gallery"] => gallery::make(&root(), &target()),
        ["corpora", path] => corpora(path),
        ["instructions"] => instructions(false),
        ["instructions", "--update"] => instructions(true),
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

/// The folder that cargo builds into: this program is two levels below it.
fn target() -> PathBuf {
    let own = std::env::current_exe().ok();
    let target = own.as_deref().and_then(Path::parent).and_then(Path::parent);
    target.map_or_else(|| root().join("target"), Path::to_path_buf)
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
    // all at once: built one by one, each package would want its dependencies with other features, and anew
    stages.push(Stage::cargo("examples", &["build", "--quiet", "--workspace", "--examples"]));
    for example in examples::of_workspace(&root())? {
        let program = target().join("debug/examples").join(&example);
        let name = format!("example {example}");
        stages.push(Stage::program(&name, &program.to_string_lossy(), &[]));
    }
    stages.push(
        Stage::cargo("docs", &["doc", "--quiet", "--workspace", "--no-deps"])
            .with_env("RUSTDOCFLAGS", "-D warnings"),
    );
    stages.push(Stage::program(
        "replay page in a browser",
        "crates/replay/tests/browser/run.sh",
        &[],
    ));
    stages.push(Stage::cargo("links", &["xtask", "links"]));
    stages.push(Stage::cargo("snippets", &["xtask", "snippets"]));
    run_all(&stages, &root())
}

/// Builds the program as the tests have it, then runs the blocks.
fn snippets(part: &str) -> Result<(), Failed> {
    let build = Stage::cargo("program", &["build", "--quiet", "--package", "stiction"]);
    run_all(&[build], &root())?;
    snippets::run(&root(), &target(), &CHORES, part)
}

fn reference() -> Result<(), Failed> {
    let args = ["run", "--quiet", "--package", "stiction-scene", "--example", "reference", "--"];
    let args = [&args[..], &["docs/reference"]].concat();
    run_all(&[Stage::cargo("reference", &args)], &root())
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

fn instructions(update: bool) -> Result<(), Failed> {
    let args = ["build", "--quiet", "--release", "--package", "stiction-bench", "--bin", "kernels"];
    run_all(&[Stage::cargo("kernels", &args)], &root())?;
    instructions::gate(&root(), &target(), update)
}

fn bench_peers(args: &[&str]) -> Result<(), Failed> {
    let script = root().join("benches/peers/run.sh");
    if !script.is_file() {
        return Err(Failed("benches/peers/run.sh is not there".to_string()));
    }
    run_all(&[Stage::program("peers", &script.to_string_lossy(), args)], &root())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_chore() {
        for chore in CHORES {
            assert!(HELP.contains(&format!("cargo xtask {chore} ")), "{chore}");
        }
        assert_eq!(HELP.matches("cargo xtask ").count(), CHORES.len());
    }
}
