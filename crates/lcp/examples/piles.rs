//! Piles of many spheres and disks, one step from rest by accelerated projected gradient: passes over H, time, residual.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example shows what it found"
)]

use cpu_time::ProcessTime;
use stiction_lcp::families::PileSettings;
use stiction_lcp::families::piles::{disk_pile, sphere_pyramid};
use stiction_lcp::judge::Judge;
use stiction_lcp::motion::MotionProblem;
use stiction_lcp::motion::apgd::{ApgdSettings, ApgdWorkspace, apgd};
use stiction_lcp::never;

/// Asked of the judge.
const TOL: f64 = 1e-10;

fn solve(name: &str, problem: &MotionProblem, settings: &ApgdSettings) -> bool {
    let contacts = problem.contacts();
    let mut work = ApgdWorkspace::default();
    let (mut least, mut line, mut accepted) = (f64::INFINITY, String::new(), false);
    for _ in 0..3 {
        let mut r = vec![[0.0; 3]; contacts];
        let start = ProcessTime::now();
        let report = apgd(problem, settings, &mut work, &never, &mut r);
        let seconds = start.elapsed().as_secs_f64();
        if seconds < least {
            least = seconds;
            let residual = Judge::default().motion(problem, &r);
            let each = 1e9 * seconds / (contacts * report.iterations) as f64;
            accepted = residual.accepts(TOL);
            line = format!(
                "{contacts:>7} {:>7} {:>10.2} ms {each:>6.1} ns {:>9.1e} {:?}",
                report.iterations,
                1e3 * seconds,
                residual.scaled,
                report.status
            );
        }
    }
    println!("{name:<24} {line}");
    accepted
}

fn main() {
    // larger pyramids by request alone: 30 layers are 53 100 contacts
    let layers = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(10);
    println!("pile                    contacts  passes       time  each  residual");
    let rest = PileSettings::default();
    let plain = ApgdSettings { finish: false, shift_ratio: 0.1, ..Default::default() };
    for n in [5, 10, 15, 20, 30].into_iter().filter(|n| *n <= layers) {
        let problem = sphere_pyramid(n, &rest);
        solve(&format!("pyramid {n}, gradient"), &problem, &plain);
        assert!(solve(&format!("pyramid {n}"), &problem, &ApgdSettings::default()));
    }
    for rows in [10, 20] {
        let problem = disk_pile(rows, &rest);
        solve(&format!("disks {rows}, gradient"), &problem, &plain);
        assert!(solve(&format!("disks {rows}"), &problem, &ApgdSettings::default()));
    }
}
