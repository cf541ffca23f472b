use super::*;
use crate::families::scenes::{self, Interface, SceneSettings};
use crate::families::{Scene, positive};
use crate::judge::Judge;
use crate::lemke::{LemkeSettings, LemkeWorkspace, lemke};
use crate::matrix::MatX;
use crate::report::never;

fn scenes_of(contacts: usize, settings: &SceneSettings) -> [(&'static str, Scene); 4] {
    [
        ("pile", scenes::pile(contacts, settings)),
        ("towers", scenes::towers(contacts, 3, settings)),
        ("wall of two", scenes::wall(contacts, Interface::Two, settings)),
        ("wall of four", scenes::wall(contacts, Interface::Four, settings)),
    ]
}

/// Newton's answer and the judge's scaled residual of it.
fn solve(problem: &BoxLcp, pyramid: &Pyramid) -> (Vec<f64>, Report) {
    let mut z = vec![0.0; problem.n()];
    let settings = AlartCurnierSettings::default();
    let mut work = AlartCurnierWorkspace::default();
    let report = pyramid_newton(problem, pyramid, (&settings, &mut work), &never, &mut z);
    (z, report)
}

fn dense(problem: &BoxLcp) -> MatX {
    MatX::from_fn(problem.n(), problem.n(), |i, j| problem.A().get(i, j))
}

#[test]
fn the_contacts_of_scenes_are_found() {
    for contacts in [1, 3, 10] {
        for facets in [3, 4, 6, 8] {
            for (name, scene) in scenes_of(contacts, &SceneSettings::shaken(1)) {
                let problem = scene.pyramid(facets);
                let pyramid = recognise(&problem);
                let found = pyramid.as_ref().map(Pyramid::contacts);
                assert_eq!(found, Some(contacts), "{name}, {facets} facets");
                let pyramid = pyramid.unwrap();
                assert!(pyramid.contacts.iter().all(|c| c.facets.len() == facets));
                assert!(pyramid.contacts.iter().all(|c| c.mu == SceneSettings::default().mu));
            }
        }
    }
}

#[test]
fn rows_in_another_order_are_found_too() {
    let problem = scenes::pile(4, &SceneSettings::shaken(2)).pyramid(4);
    let order = crate::families::Rng::new(5).order(problem.n());
    let shuffled = problem.select(&order);
    let pyramid = recognise(&shuffled).unwrap();
    assert_eq!(pyramid.contacts(), 4);
    let (z, _) = solve(&shuffled, &pyramid);
    assert!(Judge::default().lcp(&shuffled, &z).accepts(1e-12));
}

#[test]
fn other_problems_are_refused() {
    for seed in 0..20 {
        let n = 6 + seed as usize;
        assert_eq!(recognise(&positive::nonsymmetric(n, seed).problem), None);
        assert_eq!(recognise(&positive::k_matrix(n, seed).problem), None);
    }
    assert_eq!(recognise(&BoxLcp::lcp(MatX::zeros(0, 0), vec![]).unwrap()), None);
    assert_eq!(recognise(&BoxLcp::lcp(MatX::zeros(6, 6), vec![-1.0; 6]).unwrap()), None);
    let pyramid = scenes::pile(1, &SceneSettings::shaken(2)).pyramid(4);
    let b = pyramid.b().to_vec();
    assert_eq!(recognise(&BoxLcp::mixed(pyramid.A().clone(), b, &[0]).unwrap()), None);
}

#[test]
fn one_altered_entry_of_a_slip_row_is_enough_to_be_refused() {
    let problem = scenes::pile(2, &SceneSettings::shaken(2)).pyramid(4);
    let (A, n) = (dense(&problem), problem.n());
    let slips = n - 2..n; // unknowns are [all p_n; all β; all s]
    for slip in slips.clone() {
        for j in 0..n {
            for (row, column) in [(slip, j), (j, slip)] {
                // another positive μ is still a pyramid
                if A[(row, column)] > 0.0 && row == slip {
                    continue;
                }
                let mut altered = A.clone();
                altered[(row, column)] -= 0.25;
                let altered = BoxLcp::lcp(altered, problem.b().to_vec()).unwrap();
                assert_eq!(recognise(&altered), None, "entry ({row}, {column})");
            }
        }
        let mut b = problem.b().to_vec();
        b[slip] = 0.1;
        assert_eq!(recognise(&BoxLcp::lcp(A.clone(), b).unwrap()), None);
    }
}

#[test]
fn piles_and_walls_are_solved_to_rounding() {
    for contacts in [1, 2, 7, 16, 25] {
        for settings in [SceneSettings::default(), SceneSettings::shaken(1)] {
            for (name, scene) in scenes_of(contacts, &settings) {
                let problem = scene.pyramid(4);
                let (z, report) = solve(&problem, &recognise(&problem).unwrap());
                let residual = Judge::default().lcp(&problem, &z);
                let place = format!("{name} of {contacts}, {settings:?}: {report:?}");
                assert!(residual.accepts(1e-12), "{place} {residual:?}");
            }
        }
    }
}

/// A unit mass in the plane, unknowns (p_n, β⁺, β⁻, s), that would move with velocity (n, t).
fn planar_point(mu: f64, (n, t): (f64, f64)) -> BoxLcp {
    #[rustfmt::skip]
    let A = MatX::from_row_slice(4, 4, &[
        1., 0., 0., 0.,
        0., 1., -1., 1.,
        0., -1., 1., 1.,
        mu, -1., -1., 0.,
    ]);
    BoxLcp::lcp(A, vec![n, t, -t, 0.]).unwrap()
}

#[test]
fn in_the_plane_two_facets_are_enough() {
    let cases = [
        ("opens", (1.0, 0.0), [0., 0., 0., 0.]),
        ("sticks", (-2., 0.5), [2., 0., 0.5, 0.]),
        ("slips", (-2., 3.), [2., 0., 1., 2.]),
        ("slips back", (-2., -3.), [2., 1., 0., 2.]),
    ];
    for (name, velocity, expected) in cases {
        let problem = planar_point(0.5, velocity);
        let pyramid = recognise(&problem).unwrap();
        assert_eq!((pyramid.contacts(), pyramid.dim), (1, 2));
        let (z, report) = solve(&problem, &pyramid);
        assert_eq!(report.status, Status::Solved, "{name}");
        assert!((0..4).all(|i| (z[i] - expected[i]).abs() < 1e-13), "{name}: {z:?}");
    }
    // facets that are not opposite are no contact of the plane
    let mut A = dense(&planar_point(0.5, (-2., 3.)));
    A[(1, 2)] = 0.5;
    A[(2, 1)] = 0.5;
    assert_eq!(recognise(&BoxLcp::lcp(A, vec![-2., 3., -3., 0.]).unwrap()), None);
}

#[test]
fn newton_and_lemke_agree_where_the_solution_is_unique() {
    // one contact of a sphere, three facets: no two ways to split an impulse
    for seed in 0..50 {
        let problem = scenes::pile(1, &SceneSettings::shaken(seed)).pyramid(3);
        let (z, report) = solve(&problem, &recognise(&problem).unwrap());
        assert_eq!(report.status, Status::Solved, "seed {seed}");
        let mut by_lemke = vec![0.0; problem.n()];
        let mut work = LemkeWorkspace::default();
        lemke(&problem, &LemkeSettings::default(), &mut work, &never, &mut by_lemke);
        let scale = by_lemke.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for i in 0..problem.n() {
            let apart = (z[i] - by_lemke[i]).abs();
            assert!(apart < 1e-12 * scale, "seed {seed}: {z:?} {by_lemke:?}");
        }
    }
}

/// The pyramid with μ = 0 at the contacts asked for.
fn without_friction(
    problem: &BoxLcp,
    contacts: usize,
    is_smooth: impl Fn(usize) -> bool,
) -> BoxLcp {
    let (mut A, n) = (dense(problem), problem.n());
    for c in (0..contacts).filter(|&c| is_smooth(c)) {
        A[(n - contacts + c, c)] = 0.0;
    }
    BoxLcp::lcp(A, problem.b().to_vec()).unwrap()
}

#[test]
fn contacts_without_friction_are_found_and_solved() {
    for contacts in [3, 10, 22] {
        let scene = scenes::pile(contacts, &SceneSettings::shaken(1));
        for (what, every) in [("all smooth", 1), ("every third smooth", 3)] {
            let problem = without_friction(&scene.pyramid(4), contacts, |c| c % every == 0);
            let pyramid = recognise(&problem).unwrap();
            assert_eq!(pyramid.contacts(), contacts, "{what}");
            let (z, report) = solve(&problem, &pyramid);
            assert_eq!(report.status, Status::Solved, "{what}");
            assert!(Judge::default().lcp(&problem, &z).accepts(1e-12), "{what}, {contacts}");
        }
    }
}

/// The convex problem as an LCP: sliding lifts a contact.
fn lifted(problem: &BoxLcp, contacts: usize) -> BoxLcp {
    let (mut A, n) = (dense(problem), problem.n());
    for c in 0..contacts {
        A[(c, n - contacts + c)] -= A[(n - contacts + c, c)];
    }
    BoxLcp::lcp(A, problem.b().to_vec()).unwrap()
}

#[test]
fn the_interior_path_ends_where_lemkes_method_on_the_convex_problem_does() {
    for (name, scene) in scenes_of(9, &SceneSettings::shaken(3)) {
        let problem = scene.pyramid(6);
        let pyramid = recognise(&problem).unwrap();
        let (settings, mut work) = (InteriorSettings::default(), InteriorWorkspace::default());
        let settings = InteriorSettings { end: 1e-9, ..settings };
        let mut z = vec![0.0; problem.n()];
        let report = pyramid_interior(&problem, &pyramid, (&settings, &mut work), &never, &mut z);
        assert_eq!(report.status, Status::Solved, "{name}");
        assert!(report.iterations < 30, "{name}: {report:?}");
        let convex = lifted(&problem, 9);
        let mut exact = vec![0.0; problem.n()];
        lemke(
            &convex,
            &LemkeSettings::default(),
            &mut LemkeWorkspace::default(),
            &never,
            &mut exact,
        );
        assert!(Judge::default().lcp(&convex, &exact).accepts(1e-12), "{name}");
        // impulses are not unique, velocities are; where z and w vanish both the path is √t away
        let velocity = |z: &[f64]| {
            let mut impulses = z.to_vec();
            impulses[problem.n() - 9..].fill(0.0);
            let mut w = vec![0.0; problem.n()];
            problem.A().affine(&impulses, problem.b(), &mut w);
            w.truncate(problem.n() - 9);
            w
        };
        for (u, v) in velocity(&z).iter().zip(velocity(&exact)) {
            assert!((u - v).abs() < 2e-3, "{name}: {u} {v}");
        }
    }
}

#[test]
fn where_nothing_slips_the_convex_answer_obeys_the_law() {
    // bricks that stand
    let problem = scenes::towers(12, 3, &SceneSettings::default()).pyramid(8);
    let pyramid = recognise(&problem).unwrap();
    let (settings, mut work) = (InteriorSettings::default(), InteriorWorkspace::default());
    let mut z = vec![0.0; problem.n()];
    pyramid_interior(&problem, &pyramid, (&settings, &mut work), &never, &mut z);
    assert!(Judge::default().lcp(&problem, &z).accepts(1e-5));
    // and with the law's own path
    let settings = InteriorSettings { dilation: 0.0, ..settings };
    pyramid_interior(&problem, &pyramid, (&settings, &mut work), &never, &mut z);
    assert!(Judge::default().lcp(&problem, &z).accepts(1e-5));
}

#[test]
fn the_path_of_the_law_is_followed_through_its_turns() {
    let settings = InteriorSettings { dilation: 0.0, max_steps: 500, ..Default::default() };
    let mut long = 0;
    for seed in 1..=4 {
        let shaken = SceneSettings { shake: 0.03, seed, ..Default::default() };
        let problem = scenes::pile(51, &shaken).pyramid(6);
        let pyramid = recognise(&problem).unwrap();
        let mut z = vec![0.0; problem.n()];
        let mut work = InteriorWorkspace::default();
        let report = pyramid_interior(&problem, &pyramid, (&settings, &mut work), &never, &mut z);
        assert_eq!(report.status, Status::Solved, "seed {seed}: {report:?}");
        assert!(Judge::default().lcp(&problem, &z).accepts(1e-2), "seed {seed}");
        // near enough for Newton to end it in a few steps
        let stiff = AlartCurnierSettings { stiffness: 100.0, max_steps: 60, ..Default::default() };
        let mut newton = AlartCurnierWorkspace::default();
        pyramid_newton(&problem, &pyramid, (&stiff, &mut newton), &never, &mut z);
        assert!(Judge::default().lcp(&problem, &z).accepts(1e-12), "seed {seed}");
        long += usize::from(report.iterations > 40);
    }
    assert!(long > 0, "no path had a turn");
}

#[test]
fn the_interior_path_heeds_its_limits() {
    let problem = scenes::pile(10, &SceneSettings::shaken(1)).pyramid(8);
    let pyramid = recognise(&problem).unwrap();
    let mut work = InteriorWorkspace::default();
    let mut z = vec![0.0; problem.n()];
    let settings = InteriorSettings { max_steps: 3, ..Default::default() };
    let report = pyramid_interior(&problem, &pyramid, (&settings, &mut work), &never, &mut z);
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 3));
    let report = pyramid_interior(&problem, &pyramid, (&settings, &mut work), &|| true, &mut z);
    assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    let settings = InteriorSettings { end: 0.5, ..Default::default() };
    let report = pyramid_interior(&problem, &pyramid, (&settings, &mut work), &never, &mut z);
    assert!(report.status == Status::Solved && report.iterations < 5);
}
