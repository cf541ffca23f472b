//! What the user sees. Everything here makes text; `main` alone writes it.

mod json;
mod table;

pub(crate) use json::{array, line, object};
pub(crate) use table::summary;

use std::fmt::Write;
use std::time::Duration;

use stiction_lcp::judge::Proof;

use crate::args::SolveArgs;
use crate::format::{Problem, ProblemFile};
use crate::solve::{Answer, Part, Solved, Status};

/// Left column of a report.
const LABEL: usize = 12;

/// The report on one problem.
pub(crate) fn report(file: &ProblemFile, solved: &Solved, args: &SolveArgs) -> String {
    let mut text = format!("{} · {}\n\n", file.name, describe(file));
    let mut row = |label: &str, value: &str| {
        let _ = writeln!(text, "  {label:<LABEL$}{value}");
    };
    row("status", &paint(solved.status, status_words(solved)));
    row("solver", solved.solver);
    row("chain", &chain(&solved.chain));
    row("iterations", &solved.iterations.to_string());
    match &solved.answer {
        Answer::None { proof, refutation } => {
            row("proof", proof_words(proof));
            if refutation.leaves > 1 {
                row("", &format!("{} cases, a Farkas vector for each", refutation.leaves));
            }
            row("", &radius_words(refutation.radius));
        }
        _ => {
            let accepted = format!("accepted up to {}", short(args.tol.max(3.0 * solved.floor)));
            row("residual", &format!("{:<9}{accepted}", short(solved.residual)));
            row("floor", &format!("{:<9}what rounding alone may cost", short(solved.floor)));
            for (k, part) in solved.parts.iter().enumerate() {
                row(if k == 0 { "parts" } else { "" }, &part_words(part));
            }
        }
    }
    row("time", &duration(solved.time));
    text
}

fn describe(file: &ProblemFile) -> String {
    let rows = file.problem.rows();
    let contacts = match &file.problem {
        Problem::Linear(_) => None,
        Problem::Friction(local) => Some(local.contacts()),
        Problem::Global(global) => Some(global.mu().len()),
    };
    match contacts {
        Some(1) => format!("{} · 1 contact, {rows} rows", file.kind.name()),
        Some(contacts) => format!("{} · {contacts} contacts, {rows} rows", file.kind.name()),
        None => format!("{} · {rows} rows", file.kind.name()),
    }
}

fn status_words(solved: &Solved) -> &'static str {
    match solved.status {
        _ if solved.is_false_claim => "uncertified: claimed to be solved, which the judge denies",
        Status::Certified => "certified",
        Status::NoSolution => "no solution, proved",
        Status::Uncertified => "uncertified",
    }
}

fn proof_words(proof: &Proof) -> &'static str {
    match proof {
        Proof::Farkas(_) => "a Farkas vector: not even the inequalities can be met",
        Proof::Exhausted(_) => "every choice of the branched rows, each refuted",
    }
}

fn radius_words(radius: f64) -> String {
    if radius.is_infinite() {
        "exact in every sum".to_string()
    } else {
        format!("no solution with |z|₁ below {}", short(radius))
    }
}

fn part_words(part: &Part) -> String {
    format!("{:<18} {:<8} {}", part.name, short(part.value), part.unit).trim_end().to_string()
}

/// Two digits, which is all that a residual has to say.
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 {
        "0".to_string()
    } else if x.is_finite() {
        format!("{x:.1e}")
    } else {
        "not finite".to_string()
    }
}

/// Up to six digits, no zeros behind.
pub(crate) fn digits(x: f64) -> String {
    if x != 0.0 && !(1e-4..1e6).contains(&x.abs()) {
        return format!("{x:.4e}");
    }
    let text = format!("{x:.*}", (5 - x.abs().max(1.0).log10() as i32).max(0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// An energy, five digits.
pub(crate) fn joules(x: f64) -> String {
    if x == 0.0 {
        "0".to_string()
    } else if (1e-3..1e5).contains(&x.abs()) {
        digits(x)
    } else {
        format!("{x:.4e}")
    }
}

pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1e-3 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}

/// Green, blue or yellow. `main` takes colours away where nobody wants them.
fn paint(status: Status, words: &str) -> String {
    match status {
        Status::Certified => good(words),
        Status::NoSolution => coloured(36, words),
        Status::Uncertified => doubtful(words),
    }
}

pub(crate) fn good(words: &str) -> String {
    coloured(32, words)
}

pub(crate) fn doubtful(words: &str) -> String {
    coloured(33, words)
}

fn coloured(code: u8, words: &str) -> String {
    format!("\u{1b}[{code}m{words}\u{1b}[0m")
}

/// The text without its colours.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split("\u{1b}[");
    plain.extend(pieces.next());
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or(piece, |(_, rest)| rest));
    }
    plain
}

/// The links in order; one that is tried again and again is named once, with its count.
fn chain(links: &[&str]) -> String {
    let mut text = String::new();
    for run in links.chunk_by(|a, b| a == b) {
        if !text.is_empty() {
            text.push_str(" → ");
        }
        text.push_str(run[0]);
        if run.len() > 1 {
            let _ = write!(text, " ×{}", run.len());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_say_when_they_are_none() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1.26e-13), "1.3e-13");
        assert_eq!(short(f64::INFINITY), "not finite");
        assert_eq!(short(f64::NAN), "not finite");
        assert_eq!(digits(1.0), "1");
        assert_eq!(digits(0.0125), "0.0125");
        assert_eq!(digits(1234.5678), "1234.57");
        assert_eq!(digits(-2.5e-7), "-2.5000e-7");
        assert_eq!(plain(&format!("a {} b", good("c"))), "a c b");
        assert_eq!(duration(Duration::from_micros(250)), "250 µs");
        assert_eq!(duration(Duration::from_millis(2500)), "2.50 s");
    }
}
