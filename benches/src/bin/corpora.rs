//! Times `auto` on problem files: answers each line `TOLERANCE SECONDS PATH` with one JSON object.
//!
//! Seconds are processor time, the least of several runs in this process; reading does not count.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to who runs it")]

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use stiction_bench::clock::least_time;
use stiction_bench::corpus::Problem;

fn main() -> ExitCode {
    match answer_lines() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer_lines() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        println!("{}", answer(&line).unwrap_or_else(|error| json!({"error": error})));
        io::stdout().flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<Value, String> {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    let &[tol, limit, path] = &words[..] else {
        return Err(format!("not TOLERANCE SECONDS PATH: {line}"));
    };
    let number = |word: &str| word.parse::<f64>().map_err(|error| error.to_string());
    let (tol, limit) = (number(tol)?, Duration::from_secs_f64(number(limit)?.clamp(0.0, 1e6)));
    let problem = Problem::read(Path::new(path))?;
    let (solved, seconds) = least_time(limit, |stop| problem.solve(tol, stop));
    let solved = solved?;
    Ok(json!({
        "status": solved.status, "residual": solved.residual, "chain": solved.chain, "time_s": seconds,
    }))
}
