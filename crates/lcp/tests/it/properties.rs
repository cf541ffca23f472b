//! Properties over all families, seeded. A failure names family, size and seed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use stiction_lcp::families::{Family, Known, Specimen};
use stiction_lcp::judge::{Judge, check_proof};
use stiction_lcp::{LcpSolver, Verdict, never, solve_lcp};

/// Asked of the scaled residual.
const TOL: f64 = 1e-9;
/// Solves in the usual test command, shared by the tests below.
const CASES: u64 = 10_000;
/// Solves in the long one.
const LONG_CASES: u64 = 1_000_000;
const SHARES: u64 = 4;

/// Families in turn, 2 to 14 rows, the case as seed.
fn specimen(case: u64) -> (String, Specimen) {
    let families = Family::ALL.len() as u64;
    let family = Family::ALL[(case % families) as usize];
    let n = 2 + (case / families % 13) as usize;
    (format!("{}, n = {n}, seed {case}", family.name()), family.make(n, case))
}

/// Certified, proved, or honestly uncertified; never against what the family knows.
fn an_answer_is_honest(case: u64) {
    let (place, Specimen { problem, known }) = specimen(case);
    let answer =
        catch_unwind(AssertUnwindSafe(|| solve_lcp(&problem, LcpSolver::Auto, TOL, &never)));
    let Ok(answer) = answer else { panic!("a solver panicked: {place}") };
    let judged = Judge::default().lcp(&problem, &answer.z);
    assert_eq!(judged, answer.residual, "the residual is not the answer's: {place}");
    match answer.verdict {
        Verdict::Certified => {
            assert!(judged.accepts(TOL), "certified, but the judge disagrees: {place}");
            assert_ne!(known, Known::Unsolvable, "certified without a solution: {place}");
        }
        Verdict::NoSolution(proof) => {
            assert!(check_proof(&problem, &proof).is_some(), "not a proof: {place}");
            assert_eq!(known, Known::Unsolvable, "a solvable problem refuted: {place}");
        }
        Verdict::Uncertified => {
            assert!(!judged.accepts(TOL), "an answer the judge accepts is thrown away: {place}");
        }
    }
    assert!(!answer.chain.is_empty(), "no solver is named: {place}");
}

fn share(k: u64, cases: u64) {
    (k..cases).step_by(SHARES as usize).for_each(an_answer_is_honest);
}

#[test]
fn answers_are_honest_first_share() {
    share(0, CASES);
}

#[test]
fn answers_are_honest_second_share() {
    share(1, CASES);
}

#[test]
fn answers_are_honest_third_share() {
    share(2, CASES);
}

#[test]
fn answers_are_honest_fourth_share() {
    share(3, CASES);
}

#[test]
#[ignore = "long: run by cargo xtask long"]
fn answers_are_honest_first_long_half() {
    share(0, LONG_CASES);
    share(1, LONG_CASES);
}

#[test]
#[ignore = "long: run by cargo xtask long"]
fn answers_are_honest_second_long_half() {
    share(2, LONG_CASES);
    share(3, LONG_CASES);
}

#[test]
fn the_judge_feels_a_relative_change_of_1e_6_in_what_matters() {
    let mut judge = Judge::default();
    let mut changes = 0;
    for case in 0..CASES {
        let (place, Specimen { problem, known }) = specimen(case);
        let Known::Unique(z) = known else { continue };
        assert!(judge.lcp(&problem, &z).accepts(1e-12), "{place}");
        let scale = problem.b().iter().fold(1.0_f64, |m, b_i| m.max(b_i.abs()));
        for i in 0..z.len() {
            if (problem.A().get(i, i) * z[i]).abs() < 1e-2 * scale {
                continue;
            }
            for factor in [1.0 + 1e-6, 1.0 - 1e-6] {
                let mut changed = z.clone();
                changed[i] *= factor;
                let residual = judge.lcp(&problem, &changed);
                assert!(!residual.accepts(1e-9), "entry {i} of {place}: {residual:?}");
                changes += 1;
            }
        }
    }
    assert!(changes > 10_000, "only {changes} changes tried");
}

#[test]
fn the_judge_rejects_what_is_not_finite_anywhere() {
    let mut judge = Judge::default();
    for case in 0..CASES / 10 {
        let (place, Specimen { problem, .. }) = specimen(case);
        for i in 0..problem.n() {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut z = vec![0.5; problem.n()];
                z[i] = bad;
                let residual = judge.lcp(&problem, &z);
                assert!(!residual.accepts(f64::MAX), "{bad} in entry {i} of {place}");
            }
        }
    }
}
