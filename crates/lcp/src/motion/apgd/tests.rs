use super::*;
use crate::cone::fixtures::POINT_CASES;
use crate::families::PileSettings;
use crate::families::piles::{box_wall, disk_pile, sphere_pile, sphere_pyramid};
use crate::judge::Judge;
use crate::motion::tests::random_problem;
use crate::never;

fn solve(problem: &MotionProblem, settings: &ApgdSettings) -> (Report, Vec<Triple>) {
    let mut r = vec![[0.0; 3]; problem.contacts()];
    let report = apgd(problem, settings, &mut ApgdWorkspace::default(), &never, &mut r);
    (report, r)
}

fn judged(problem: &MotionProblem, r: &[Triple]) -> f64 {
    Judge::default().motion(problem, r).scaled
}

/// The same contacts with compliances, and with nodes of these widths that nothing touches.
fn changed(problem: &MotionProblem, eps: Triple, idle: &[usize]) -> MotionProblem {
    let mut other = MotionProblem::default();
    let widths = (0..problem.nodes()).map(|node| problem.width(node));
    other.clear(problem.dim(), widths.chain(idle.iter().copied()));
    for c in 0..problem.contacts() {
        for (node, _, rows) in problem.spans(c) {
            other.push_span(node, rows.iter().copied());
        }
        other.end_contact(eps, problem.q()[c], problem.mu()[c]);
    }
    other
}

#[test]
fn a_point_mass_opens_sticks_and_slips() {
    for (q, expected) in POINT_CASES {
        let mut problem = MotionProblem::default();
        problem.clear(3, [3]);
        problem.push_span(0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        problem.end_contact([0.0; 3], q, 0.5);
        let (report, r) = solve(&problem, &ApgdSettings::default());
        assert_eq!(report.status, Status::Solved);
        assert!((0..3).all(|i| (r[0][i] - expected[i]).abs() < 1e-9), "{r:?} {expected:?}");
    }
}

#[test]
fn piles_and_walls_come_to_rest() {
    let rest = PileSettings::default();
    let heavy_on_top = PileSettings { layer_ratio: 2.0, ..rest };
    for (name, problem) in [
        ("pyramid", sphere_pyramid(5, &rest)),
        ("heavy on top", sphere_pyramid(4, &heavy_on_top)),
        ("disks", disk_pile(8, &rest)),
        ("spheres in a plane", sphere_pile(6, &rest)),
        ("wall", box_wall(4, 4, &rest)),
    ] {
        for (finish, shift_ratio) in [(true, 0.5), (false, 0.1)] {
            let settings = ApgdSettings { finish, shift_ratio, ..Default::default() };
            let (report, r) = solve(&problem, &settings);
            assert_eq!(report.status, Status::Solved, "{name} {finish}");
            assert!(judged(&problem, &r) <= 1e-10, "{name} {finish}: {}", judged(&problem, &r));
        }
    }
}

#[test]
fn the_finish_saves_passes() {
    for problem in
        [sphere_pyramid(7, &PileSettings::default()), disk_pile(12, &PileSettings::default())]
    {
        let plain = ApgdSettings { finish: false, ..Default::default() };
        let (with, without) =
            (solve(&problem, &ApgdSettings::default()).0, solve(&problem, &plain).0);
        assert!(4 * with.iterations < 3 * without.iterations, "{with:?} {without:?}");
    }
}

#[test]
fn what_it_calls_solved_the_judge_accepts() {
    let mut solved = 0;
    for seed in 0..20 {
        let problem = random_problem(seed, 12, 18);
        let settings = ApgdSettings { max_iterations: 3000, ..Default::default() };
        let (report, r) = solve(&problem, &settings);
        if report.status == Status::Solved {
            solved += 1;
            assert!(judged(&problem, &r) <= 1e-10, "{seed}");
        }
        assert!(judged(&problem, &r) < 1.0, "{seed}: the best iterate is the answer");
    }
    assert!(solved >= 15, "{solved}");
}

#[test]
fn a_ground_that_moves_is_followed() {
    let settings = PileSettings { v_ground: [0.02, 0.0, 0.05], ..Default::default() };
    let problem = sphere_pyramid(3, &settings);
    let (report, r) = solve(&problem, &ApgdSettings::default());
    assert_eq!(report.status, Status::Solved);
    assert!(judged(&problem, &r) <= 1e-10);
}

#[test]
fn compliant_contacts_are_solved() {
    let settings = PileSettings { mu: 3.0, ..Default::default() };
    for (finish, layers) in [(true, 4), (false, 4), (true, 1)] {
        let problem = changed(&sphere_pyramid(layers, &settings), [0.1, 0.05, 0.05], &[]);
        let (report, r) = solve(&problem, &ApgdSettings { finish, ..Default::default() });
        assert_eq!(report.status, Status::Solved, "{finish} {layers}");
        assert!(judged(&problem, &r) <= 1e-10, "{finish}: {}", judged(&problem, &r));
    }
}

#[test]
fn nodes_of_any_width_are_read() {
    let problem = sphere_pyramid(4, &PileSettings::default());
    let general = changed(&problem, [0.0; 3], &[2]);
    let (fast, slow) =
        (solve(&problem, &ApgdSettings::default()), solve(&general, &ApgdSettings::default()));
    assert_eq!((fast.0.status, slow.0.status), (Status::Solved, Status::Solved));
    assert!(judged(&general, &slow.1) <= 1e-10);
    // impulses of redundant contacts may differ, what they do may not
    let motion = |r: &[Triple]| {
        let mut x = vec![0.0; problem.coordinates()];
        r.iter().enumerate().for_each(|(c, r)| problem.add_motion(c, r, &mut x));
        x
    };
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    assert!(motion(&fast.1).iter().zip(&motion(&slow.1)).all(close));
}

#[test]
fn a_warm_start_is_cheaper_and_a_bad_one_does_no_harm() {
    let problem = sphere_pyramid(4, &PileSettings::default());
    let settings = ApgdSettings::default();
    let (cold, answer) = solve(&problem, &settings);
    let work = &mut ApgdWorkspace::default();
    let mut r = answer.clone();
    let same = apgd(&problem, &settings, work, &never, &mut r);
    assert!(same.status == Status::Solved && same.iterations <= 2);
    assert_eq!(r, answer);
    let mut r: Vec<Triple> = answer.iter().map(|r| r.map(|x| 1.03 * x)).collect();
    let near = apgd(&problem, &settings, work, &never, &mut r);
    assert!(near.status == Status::Solved && near.iterations < cold.iterations, "{near:?}");
    for bad in [f64::NAN, f64::INFINITY, -1e300] {
        let mut r = vec![[bad; 3]; problem.contacts()];
        let report = apgd(&problem, &settings, work, &never, &mut r);
        assert!(report.status == Status::Solved && report.iterations <= cold.iterations + 1);
    }
}

#[test]
fn every_setting_changes_something() {
    let problem = sphere_pyramid(4, &PileSettings { mu: 0.3, ..Default::default() });
    let plain = ApgdSettings { max_iterations: 2000, ..Default::default() };
    let base = solve(&problem, &plain);
    let capped = solve(&problem, &ApgdSettings { max_iterations: 20, ..plain }).0;
    assert!(capped.status == Status::IterationLimit && capped.iterations <= 20);
    let rough = solve(&problem, &ApgdSettings { tol: 1e-2, ..plain }).0;
    assert!(rough.status == Status::Solved && rough.iterations < base.0.iterations);
    assert_ne!(solve(&problem, &ApgdSettings { shift_ratio: 0.1, ..plain }), base);
    let rest_only = solve(&problem, &ApgdSettings { rest_only: true, ..plain }).0;
    assert!(rest_only.status == Status::Stalled && rest_only.iterations < 1000);
    assert_ne!(solve(&problem, &ApgdSettings { finish: false, ..plain }), base);
    assert_ne!(solve(&problem, &ApgdSettings { slips: true, ..plain }), base);
}

#[test]
fn where_much_slips_a_shift_that_follows_soon_saves_passes() {
    let (mut follow, mut wait) = (0, 0);
    for (mu, layers) in [(0.1, 6), (0.2, 4), (0.2, 5), (0.3, 5), (0.4, 4)] {
        let problem = sphere_pyramid(layers, &PileSettings { mu, ..Default::default() });
        let settings = ApgdSettings { max_iterations: 4000, tol: 1e-4, ..Default::default() };
        let plain = solve(&problem, &settings).0;
        let (report, r) = solve(&problem, &ApgdSettings { slips: true, ..settings });
        assert_eq!(report.status, Status::Solved, "{mu} {layers}");
        assert!(judged(&problem, &r) <= 1e-4, "{mu} {layers}: {}", judged(&problem, &r));
        let (follows, waits) = (report.iterations, plain.iterations);
        assert!(4 * follows <= 3 * waits, "{mu} {layers}: {follows} of {waits} passes");
        (follow, wait) = (follow + follows, wait + waits);
    }
    assert!(2 * follow <= wait, "{follow} of {wait} passes");
}

#[test]
fn a_caller_can_stop_it_and_nothing_is_solved() {
    let problem = sphere_pyramid(3, &PileSettings::default());
    let (work, settings) = (&mut ApgdWorkspace::default(), ApgdSettings::default());
    let mut r = vec![[0.0; 3]; problem.contacts()];
    let report = apgd(&problem, &settings, work, &|| true, &mut r);
    assert_eq!(report.status, Status::Stopped);
    let mut empty = MotionProblem::default();
    empty.clear(3, []);
    assert_eq!(apgd(&empty, &settings, work, &never, &mut []).status, Status::Solved);
}

#[test]
fn a_second_solve_allocates_nothing() {
    let problem = sphere_pyramid(3, &PileSettings::default());
    let (work, settings) = (&mut ApgdWorkspace::default(), ApgdSettings::default());
    let mut r = vec![[0.0; 3]; problem.contacts()];
    apgd(&problem, &settings, work, &never, &mut r);
    r.fill([0.0; 3]);
    let counted = allocation_counter::measure(|| {
        apgd(&problem, &settings, work, &never, &mut r);
    });
    assert_eq!(counted.count_total, 0);
}
