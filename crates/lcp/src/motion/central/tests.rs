use super::*;
use crate::families::piles::{Jostle, PileSettings, disk_pile, jostled, sphere_pyramid};
use crate::judge::Judge;
use crate::motion::MotionProblem;
use crate::motion::cluster::{ClusterWork, decide};
use crate::never;

const SETTINGS: CentralSettings = CentralSettings { impulse: 10.0, slip: 10.0 };

fn follow(problem: &MotionProblem, end: f64, work: &mut CentralWork) -> (Status, Vec<Triple>) {
    work.begin(problem, &SETTINGS);
    let status = work.follow(problem, (end, 5000), &mut Factor::default(), &never);
    (status, work.impulses().collect())
}

#[test]
fn a_block_that_slides_has_friction_at_its_bound_against_the_slip() {
    let (mass, mu, q) = (2.0, 0.5, [-1.0, 3.0, -4.0]);
    let mut problem = MotionProblem::default();
    problem.clear(3, [3]);
    let h = 1.0 / f64::sqrt(mass);
    problem.push_span(0, [[h, 0.0, 0.0], [0.0, h, 0.0], [0.0, 0.0, h]]);
    problem.end_contact([0.0; 3], q, mu);
    let (status, r) = follow(&problem, 1e-12, &mut CentralWork::default());
    assert_eq!(status, Status::Solved);
    // it stops at once along n, and μ m |q_n| goes against a slip of 5 m/s
    let expected = [mass, -0.6 * mu * mass, 0.8 * mu * mass];
    for (r, expected) in r[0].iter().zip(expected) {
        assert!((r - expected).abs() < 1e-9, "{r} {expected}");
    }
}

fn shaken(rows: usize, is_planar: bool) -> MotionProblem {
    let settings = PileSettings { mu: 0.8, v_ground: [0.3, 0.0, 0.0], ..PileSettings::default() };
    let pile = if is_planar { disk_pile(rows, &settings) } else { sphere_pyramid(rows, &settings) };
    jostled(&pile, &Jostle { seed: 3, speed: 0.3, ..Jostle::default() })
}

#[test]
fn shaken_piles_end_in_coulombs_law() {
    for (rows, is_planar) in [(5, true), (8, true), (3, false), (4, false)] {
        let problem = shaken(rows, is_planar);
        let (status, r) = follow(&problem, 1e-11, &mut CentralWork::default());
        assert_eq!(status, Status::Solved, "{rows} {is_planar}");
        let residual = Judge::default().motion(&problem, &r);
        assert!(residual.scaled < 1e-4, "{rows} {is_planar}: {}", residual.scaled);
    }
}

#[test]
fn the_path_goes_round_folds() {
    let problem = shaken(13, true);
    let (mut work, mut factor) = (CentralWork::default(), Factor::default());
    work.begin(&problem, &SETTINGS);
    let (mut last, mut rises) = (1.0, 0);
    for steps in 1..2000 {
        if work.follow(&problem, (1e-9, steps), &mut factor, &never) == Status::Solved {
            break;
        }
        rises += usize::from(work.t() > last);
        last = work.t();
    }
    assert!(rises > 0 && work.t() <= 1e-9, "{rises} {}", work.t());
}

/// Equal spheres on ground that is pulled along one of their rows: a mirror leaves them as they are. Begun alike on both sides, each of these paths ends within
/// a hundred factorizations, where it would have to choose one.
#[test]
fn symmetric_piles_choose_a_side() {
    for (speed, impulse) in [(0.02, 10.0), (0.05, 10.0), (0.05, 1.0)] {
        let settings =
            PileSettings { mu: 0.5, h: 0.01, v_ground: [speed, 0.0, 0.0], ..Default::default() };
        let problem = sphere_pyramid(5, &settings);
        let mut work = CentralWork::default();
        work.begin(&problem, &CentralSettings { impulse, slip: 10.0 });
        let status = work.follow(&problem, (1e-8, 1000), &mut Factor::default(), &never);
        assert_eq!(status, Status::Solved, "{speed} {impulse}: t = {:e}", work.t());
    }
}

#[test]
fn the_few_that_the_path_leaves_undecided_are_solved_for() {
    let problem = shaken(8, true);
    let mut work = CentralWork::default();
    let (status, mut r) = follow(&problem, 1e-7, &mut work);
    assert_eq!(status, Status::Solved);
    let before = Judge::default().motion(&problem, &r).scaled;
    let (mut modes, mut few) = (Vec::new(), Vec::new());
    assert!(work.undecided(&problem, 60, (&mut modes, &mut few)));
    assert!(few.len() > 10 && few.len() < problem.contacts() / 2, "{few:?}");
    let (mut cluster, mut factor) = (ClusterWork::default(), Factor::default());
    let memory = (&mut cluster, &mut factor);
    assert!(decide(&problem, (&modes, &few, 1e7), memory, &never, &mut r));
    let after = Judge::default().motion(&problem, &r).scaled;
    assert!(before > 1e-6 && after < 1e-8, "{before:e} {after:e}");
}

#[test]
fn memory_of_another_path_changes_no_bit() {
    let settings = PileSettings { mu: 0.6, v_ground: [0.3, 0.0, 0.0], ..Default::default() };
    let (problem, other) = (disk_pile(5, &settings), disk_pile(7, &settings));
    let mut work = CentralWork::default();
    let fresh = follow(&problem, 1e-6, &mut work);
    follow(&other, 1e-6, &mut work);
    assert_eq!(follow(&problem, 1e-6, &mut work), fresh);
}

#[test]
fn limits_are_kept_and_nan_ends() {
    let settings = PileSettings { v_ground: [0.3, 0.0, 0.0], ..Default::default() };
    let problem = disk_pile(5, &settings);
    let mut work = CentralWork::default();
    work.begin(&problem, &SETTINGS);
    let mut factor = Factor::default();
    assert_eq!(work.follow(&problem, (0.0, 7), &mut factor, &never), Status::IterationLimit);
    assert!(work.steps < 7 + CORRECTIONS);
    assert_eq!(work.follow(&problem, (0.0, 99), &mut factor, &|| true), Status::Stopped);
    let mut broken = problem.clone();
    broken.clear(2, [1]);
    broken.push_span(0, [[f64::NAN, 0.0, 0.0]]);
    broken.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
    let (status, _) = follow(&broken, 1e-6, &mut CentralWork::default());
    assert_eq!(status, Status::Stalled);
}
