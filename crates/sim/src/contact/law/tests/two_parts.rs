//! Impulses in two parts: what one number does not hold is certified, and what is wrong is refused.

use super::*;
use crate::contact::delassus::tests::{column_root, of_root};
use crate::contact::law::judge::{JudgeMemory, distances};
use crate::testing::Random;

const G_H: f64 = 0.0981;

/// Ten points on each other, each about ten times as heavy as the one below, in tilted frames.
fn column() -> ContactSpace {
    let mut random = Random::new(4);
    let masses: Vec<f64> = (0..10).map(|i| 10_f64.powi(i) * (1.0 + f64::from(i) / 7.0)).collect();
    let mut frame = || {
        let (a, b) = (random.between(-0.2, 0.2), random.between(-3.0, 3.0));
        let (sin_a, cos_a, sin_b, cos_b) = (a.sin(), a.cos(), b.sin(), b.cos());
        let n = [sin_a * cos_b, sin_a * sin_b, cos_a];
        let t1 = [-sin_b, cos_b, 0.0];
        let t2 = [-cos_a * cos_b, -cos_a * sin_b, sin_a];
        [n, t1, t2]
    };
    let frames: Vec<_> = (0..10).map(|_| frame()).collect();
    let mut u_free = vec![0.0; 30];
    (0..3).for_each(|row| u_free[row] = -G_H * frames[0][row][2]);
    let W = of_root(column_root(&masses, &frames));
    ContactSpace { h: 0.01, W, u_free, contacts: vec![contact(0.5); 10], rows: Vec::new() }
}

fn solved(may_split: bool) -> LawAnswer {
    let mut work = LawWork::default();
    work.may_split = may_split;
    let law = Law::Cone(Cone::default());
    solve_with(&column(), &law, LawSolver::Auto, 1e-10, &mut work).unwrap()
}

fn relative(p: &[f64], moved: &mut Moved) -> f64 {
    let law = Law::Cone(Cone::default());
    distances(&column(), &law, (p, moved), &mut JudgeMemory::default())[0].relative()
}

#[test]
fn a_billion_to_one_is_certified_in_two_parts_and_not_in_one() {
    assert_eq!(solved(false).verdict, Verdict::Uncertified);
    let mut answer = solved(true);
    assert_eq!(answer.verdict, Verdict::Certified, "{answer:?}");
    assert!(!answer.moved.is_empty() && answer.problem <= 1e-10, "{}", answer.problem);
    // nothing moves, and velocities are those of both parts
    let fastest = answer.u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
    assert!(fastest <= 1e-10 * G_H, "{fastest}");
    assert!(relative(&answer.p.clone(), &mut answer.moved) <= 1e-10);
}

#[test]
fn wrong_impulses_and_wrong_velocities_are_refused() {
    let answer = solved(true);
    for i in 0..answer.p.len() {
        let mut p = answer.p.clone();
        p[i] += 1e-9 * p[27].abs();
        assert!(relative(&p, &mut answer.moved.clone()) > 1e-7, "impulse {i}");
    }
    for c in 0..30 {
        for change in [1e-6 * G_H, G_H, f64::NAN, f64::INFINITY] {
            let mut moved = answer.moved.clone();
            moved.change_mut()[c] += change;
            assert!(relative(&answer.p, &mut moved) > 1e-7, "velocity {c}, {change}");
        }
    }
}
