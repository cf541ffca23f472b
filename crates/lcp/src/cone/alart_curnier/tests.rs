use super::super::fixtures::{POINT_CASES, catalogue, judged, planar, point, stack};
use super::*;
use crate::report::never;

fn solve(problem: &FrictionProblem, settings: &AlartCurnierSettings) -> (Vec<f64>, Report) {
    let mut r = vec![0.0; problem.n()];
    let mut work = AlartCurnierWorkspace::default();
    let report = alart_curnier(problem, settings, &mut work, &never, &mut r);
    (r, report)
}

fn solved(problem: &FrictionProblem) -> Vec<f64> {
    let (r, report) = solve(problem, &AlartCurnierSettings::default());
    assert_eq!(report.status, Status::Solved);
    r
}

#[test]
fn a_point_opens_sticks_or_slips() {
    for (q, expected) in POINT_CASES {
        let r = solved(&point(0.5, q));
        assert!((0..3).all(|a| (r[a] - expected[a]).abs() < 1e-13), "{q:?}: {r:?}");
    }
}

#[test]
fn the_catalogue_is_solved_to_rounding() {
    for (name, problem) in catalogue() {
        let r = solved(&problem);
        assert!(judged(&problem, &r) < 1e-13, "{name}: {}", judged(&problem, &r));
    }
}

#[test]
fn a_box_on_four_corners_is_carried_and_braked_as_a_whole() {
    // W has rank six and twelve rows: single impulses are not determined, their sums are.
    // Four corners carry 0.981; the push of 3 stops at μ 0.981.
    let r = solved(&stack(1, 1.0, 0.2, [3.0, 0.0]));
    let sum = |a: usize| (0..4).map(|c| r[3 * c + a]).sum::<f64>();
    assert!((sum(0) - 0.981).abs() < 1e-12, "{r:?}");
    assert!((sum(1) + 0.2 * 0.981).abs() < 1e-12, "{r:?}");
    assert!(sum(2).abs() < 1e-12, "{r:?}");
}

#[test]
fn in_the_plane_there_is_one_tangent() {
    let W = crate::MatX::identity(2, 2);
    for (q, expected) in [([1., 2.], [0., 0.]), ([-2., 0.5], [2., -0.5]), ([-2., -3.], [2., 1.])] {
        let problem = FrictionProblem::new(2, W.clone(), q.to_vec(), vec![0.5]).unwrap();
        let r = solved(&problem);
        assert!((0..2).all(|a| (r[a] - expected[a]).abs() < 1e-13), "{q:?}: {r:?}");
    }
    let problem = planar(&stack(3, 10.0, 0.3, [2.0, 0.0]));
    assert!(judged(&problem, &solved(&problem)) < 1e-13);
}

#[test]
fn without_friction_there_is_no_tangential_impulse() {
    let problem = stack(2, 1.0, 0.0, [3.0, 1.0]);
    let r = solved(&problem);
    assert!((0..8).all(|c| r[3 * c + 1] == 0.0 && r[3 * c + 2] == 0.0), "{r:?}");
    assert!(judged(&problem, &r) < 1e-13);
}

#[test]
fn a_warm_start_that_is_not_finite_counts_as_none() {
    let problem = stack(2, 1.0, 0.2, [2.0, 0.3]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut r = vec![0.1; problem.n()];
        r[4] = bad;
        let mut work = AlartCurnierWorkspace::default();
        let settings = AlartCurnierSettings::default();
        let report = alart_curnier(&problem, &settings, &mut work, &never, &mut r);
        assert_eq!(report.status, Status::Solved, "{bad}");
        assert!(judged(&problem, &r) < 1e-13, "{bad}");
    }
}

#[test]
fn a_solution_as_warm_start_is_left_alone() {
    let problem = stack(2, 1.0, 0.2, [2.0, 0.3]);
    let mut r = solved(&problem);
    let before = r.clone();
    let mut work = AlartCurnierWorkspace::default();
    let settings = AlartCurnierSettings { tol: 1e-12, ..Default::default() };
    let report = alart_curnier(&problem, &settings, &mut work, &never, &mut r);
    assert_eq!((report.status, report.iterations), (Status::Solved, 0));
    assert_eq!(r, before);
}

#[test]
fn every_setting_changes_something() {
    let problem = stack(3, 10.0, 0.2, [2.0, 0.3]);
    let base = AlartCurnierSettings::default();
    let (r, report) = solve(&problem, &base);
    assert_eq!(report.status, Status::Solved);
    let others = [
        AlartCurnierSettings { tol: 1e-3, ..base },
        AlartCurnierSettings { max_steps: 2, ..base },
        AlartCurnierSettings { stiffness: 30.0, ..base },
        AlartCurnierSettings { growth: 2.0, ..base },
        AlartCurnierSettings { leap: 10.0, ..base },
        AlartCurnierSettings { max_stiffness: 4.0, ..base },
        AlartCurnierSettings { max_inner: 2, ..base },
        AlartCurnierSettings { inner_tol: 0.0, ..base },
    ];
    for settings in others {
        assert_ne!(solve(&problem, &settings), (r.clone(), report), "{settings:?}");
    }
}

#[test]
fn heavy_on_light_is_solved_to_what_rounding_the_impulses_costs() {
    for ratio in [1e4, 1e5, 1e6] {
        let problem = stack(2, ratio, 0.5, [0.001, 0.0]);
        let settings = AlartCurnierSettings { stiffness: 10.0, leap: 10.0, ..Default::default() };
        let (r, report) = solve(&problem, &settings);
        let residual = crate::judge::Judge::default().friction(&problem, &r);
        assert_eq!(report.status, Status::Solved, "{ratio}");
        assert!(report.iterations <= 60, "{ratio}: {report:?}");
        assert!(residual.accepts(1e-12), "{ratio}: {} {}", residual.scaled, residual.floor);
    }
}

#[test]
fn limits_and_stops_are_said_and_leave_the_best_answer() {
    let problem = stack(3, 100.0, 0.2, [2.0, 0.3]);
    let settings = AlartCurnierSettings { max_steps: 1, ..Default::default() };
    let (r, report) = solve(&problem, &settings);
    assert_eq!(report.status, Status::IterationLimit);
    let residual = judged(&problem, &r);
    assert!(residual > 1e-9 && residual <= judged(&problem, &vec![0.0; problem.n()]));
    let mut r = vec![0.0; problem.n()];
    let mut work = AlartCurnierWorkspace::default();
    let base = AlartCurnierSettings::default();
    let report = alart_curnier(&problem, &base, &mut work, &|| true, &mut r);
    assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
}
