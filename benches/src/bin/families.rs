//! Murty's and Fathi's families: `auto` needs few factorizations where Lemke's and Murty's own
//! methods take 2ⁿ − 1 pivots. Prints a table in Markdown.
#![allow(clippy::print_stdout, reason = "a bench speaks to who runs it")]

use std::time::Duration;

use stiction_bench::clock::least_time;
use stiction_lcp::families::exponential::{Start, fathi, murty_lower, murty_upper};
use stiction_lcp::lemke::{Covering, LemkeSettings, LemkeWorkspace, lemke};
use stiction_lcp::murty::{MurtySettings, MurtyWorkspace, murty};
use stiction_lcp::{BoxLcp, LcpSolver, Verdict, never, solve_lcp};

type Make = fn(usize, Start) -> BoxLcp;

const MAKERS: [(&str, Make); 3] =
    [("Murty, lower", murty_lower), ("Murty, upper", murty_upper), ("Fathi", fathi)];
const STARTS: [(&str, Start); 2] = [("−1", Start::Ones), ("graded", Start::Graded)];

fn main() {
    println!("# Exponential families\n");
    println!("`cargo run --release --package stiction-bench --bin families`\n");
    auto();
    println!();
    own();
}

/// Largest counts and residuals of `auto` over n.
fn auto() {
    println!("## `auto`\n");
    println!("n from 1 to 60. The target is at most n + 1 factorizations.\n");
    println!(
        "| family | b | certified | largest n | factorizations there | factorizations − n, at most \
         | residual, at most | time at the largest n [ms] |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (family, make) in MAKERS {
        for (start_name, start) in STARTS {
            let sizes = 1..=60;
            let (mut certified, mut excess, mut residual) = (0, i64::MIN, 0.0_f64);
            let (mut factorizations, mut milliseconds) = (0, 0.0);
            for n in sizes.clone() {
                let problem = make(n, start);
                let (answer, time) = least_time(Duration::from_secs(60), |stop| {
                    solve_lcp(&problem, LcpSolver::Auto, 1e-12, stop)
                });
                certified += usize::from(answer.verdict == Verdict::Certified);
                factorizations =
                    answer.chain.iter().map(|link| link.report.factorizations).sum::<usize>();
                excess = excess.max(factorizations as i64 - n as i64);
                residual = residual.max(answer.residual.scaled);
                milliseconds = 1e3 * time;
            }
            println!(
                "| {family} | {start_name} | {certified} of {} | {} | {factorizations} | {excess} \
                 | {residual:.1e} | {milliseconds:.3} |",
                sizes.clone().count(),
                sizes.end()
            );
        }
    }
}

/// Pivots of Lemke's and of Murty's method on their own families.
fn own() {
    println!("## The methods themselves\n");
    println!(
        "Pivots of Lemke's path (covering vector of ones, b graded) and of Murty's rule (b = −1).\n"
    );
    println!(
        "| n | 2ⁿ − 1 | Lemke: Murty, lower | Murty: Murty, upper | Murty: Fathi, last row first |"
    );
    println!("|---|---|---|---|---|");
    for n in 1..=12 {
        let reversed: Vec<usize> = (0..n).rev().collect();
        let path = lemke_pivots(&murty_lower(n, Start::Graded));
        let upper = murty_pivots(&murty_upper(n, Start::Ones));
        let fathi = murty_pivots(&fathi(n, Start::Ones).select(&reversed));
        println!("| {n} | {} | {path} | {upper} | {fathi} |", (1_u32 << n) - 1);
    }
}

fn lemke_pivots(problem: &BoxLcp) -> usize {
    let mut z = vec![0.0; problem.n()];
    let settings = LemkeSettings { covering: Covering::Ones, ..Default::default() };
    lemke(problem, &settings, &mut LemkeWorkspace::default(), &never, &mut z).iterations
}

fn murty_pivots(problem: &BoxLcp) -> usize {
    let mut z = vec![0.0; problem.n()];
    murty(problem, &MurtySettings::default(), &mut MurtyWorkspace::default(), &never, &mut z)
        .iterations
}
