//! Problems to try the solvers of this folder on.

use super::*;
use crate::families::piles::{Jostle, PileSettings, disk_pile, jostled, sphere_pyramid};
use crate::testing::Random;

/// Contacts between random pairs of nodes of width 6, or of one node and the ground.
pub(crate) fn random_problem(seed: u64, nodes: usize, contacts: usize) -> MotionProblem {
    let mut random = Random::new(seed);
    let mut problem = MotionProblem::default();
    problem.clear(3, std::iter::repeat_n(6, nodes));
    let mut below = |n: usize| (((random.next() + 1.0) / 2.0 * n as f64) as usize).min(n - 1);
    let pairs: Vec<(usize, usize)> = (0..contacts).map(|_| (below(nodes), below(nodes))).collect();
    for (a, b) in pairs {
        for node in if a == b { vec![a] } else { vec![a, b] } {
            let rows: Vec<[f64; 3]> =
                (0..6).map(|_| std::array::from_fn(|_| random.next())).collect();
            problem.push_span(node, rows);
        }
        problem.end_contact(
            [0.0; 3],
            [-random.next().abs(), random.next(), random.next()],
            0.1 + random.next().abs(),
        );
    }
    problem
}

#[test]
fn islands_are_what_shares_nodes() {
    let mut problem = MotionProblem::default();
    problem.clear(3, [1, 2, 1, 1]);
    let rows = [[1.0, 0.0, 0.0]; 2];
    for nodes in [&[0, 1][..], &[3], &[1, 2], &[]] {
        for &node in nodes {
            problem.push_span(node, rows[..problem.width(node)].iter().copied());
        }
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
    }
    assert_eq!(islands(&problem), [vec![0, 2], vec![1], vec![3]]);
    let (mut place, mut part) = (vec![usize::MAX; 4], MotionProblem::default());
    problem.island(&[0, 2], &mut place, &mut part);
    assert_eq!((part.contacts(), part.nodes(), part.coordinates()), (2, 3, 4));
    assert!(place.iter().all(|p| *p == usize::MAX));
}

#[test]
fn products_are_those_of_the_matrix() {
    let problem = random_problem(3, 10, 25);
    let local = problem.to_local().unwrap();
    let mut random = Random::new(8);
    let r: Vec<[f64; 3]> = (0..25).map(|_| std::array::from_fn(|_| random.next())).collect();
    let (mut x, mut u) = (vec![0.0; problem.coordinates()], vec![[0.0; 3]; 25]);
    problem.motion(&r, &mut x);
    problem.velocities(&x, &r, &mut u);
    let flat: Vec<f64> = r.iter().flatten().copied().collect();
    let mut expected = vec![0.0; 75];
    local.W().affine(&flat, local.q(), &mut expected);
    assert!(u.iter().flatten().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13));
    let diagonal: Vec<f64> = (0..25).flat_map(|c| problem.diagonal(c)).collect();
    assert!((0..75).all(|i| (diagonal[i] - local.W().get(i, i)).abs() < 1e-13));
}

#[test]
fn small_problems_are_solved_and_judged() {
    for seed in 0..10 {
        let problem = random_problem(seed, 8, 12);
        let (mut r, mut work) = (vec![[0.0; 3]; 12], MotionWork::default());
        let report = solve_motion(&problem, 1e-10, &mut work, &crate::never, &mut r);
        assert!(report.certified, "{seed}: {} {:?}", report.residual.scaled, work.links);
    }
}

/// Shaken piles, planar and in space, with stiffness κ.
fn shaken_piles(stiffness: f64) -> Vec<MotionProblem> {
    let mut piles = Vec::new();
    for (seed, (mu, v, mass_ratio)) in
        [(0.5, 0.2, 1.0), (0.8, 0.4, 1.0), (0.3, 0.1, 1e3)].into_iter().enumerate()
    {
        let settings = PileSettings { mu, v_ground: [v, 0.31 * v, 0.13 * v], ..Default::default() };
        let jostle = Jostle { seed: seed as u64, mass_ratio, speed: 0.1, stiffness };
        piles.extend([10, 20].map(|rows| jostled(&disk_pile(rows, &settings), &jostle)));
        piles.extend([4, 6].map(|layers| jostled(&sphere_pyramid(layers, &settings), &jostle)));
    }
    piles
}

#[test]
fn soft_shaken_piles_are_certified_in_fifty_factorizations() {
    for stiffness in [1.0, 10.0] {
        for problem in shaken_piles(stiffness) {
            let (mut work, mut r) = (MotionWork::default(), vec![[0.0; 3]; problem.contacts()]);
            let report = solve_motion(&problem, 1e-10, &mut work, &crate::never, &mut r);
            let factorizations: usize =
                work.links.iter().map(|link| link.report.factorizations).sum();
            assert!(
                report.certified && factorizations <= 50,
                "{} contacts, κ {stiffness}: {report:?}, {factorizations} factorizations",
                problem.contacts()
            );
        }
    }
}

#[test]
fn a_small_shaken_pile_is_certified() {
    let settings = PileSettings { mu: 0.5, v_ground: [0.2, 0.0, 0.0], ..Default::default() };
    for (seed, mass_ratio) in [(1, 1.0), (2, 1e3)] {
        let jostle = Jostle { seed, mass_ratio, speed: 0.1, ..Default::default() };
        for problem in [
            jostled(&disk_pile(7, &settings), &jostle),
            jostled(&sphere_pyramid(3, &settings), &jostle),
        ] {
            let (mut work, mut r) = (MotionWork::default(), vec![[0.0; 3]; problem.contacts()]);
            let report = solve_motion(&problem, 1e-10, &mut work, &crate::never, &mut r);
            assert!(report.certified, "{seed}: {report:?} {:?}", work.links);
        }
    }
}

/// What impulses do to the kinetic energy, by the definition.
fn work_of(problem: &MotionProblem, r: &[[f64; 3]]) -> f64 {
    let mut x = vec![0.0; problem.coordinates()];
    problem.motion(r, &mut x);
    let power = |(r, q): (&[f64; 3], &[f64; 3])| r[0] * q[0] + r[1] * q[1] + r[2] * q[2];
    0.5 * x.iter().map(|x| x * x).sum::<f64>() + r.iter().zip(problem.q()).map(power).sum::<f64>()
}

#[test]
fn an_answer_that_is_not_certified_adds_no_energy() {
    for problem in shaken_piles(f64::INFINITY).into_iter().take(4) {
        // stopped after a while, from a start that would throw the pile apart
        for looks in [0, 1, 3, 10, 30] {
            let left = std::cell::Cell::new(looks);
            let stop = || {
                left.set(left.get() - 1);
                left.get() < 0
            };
            let mut work = MotionWork::default();
            let mut r = vec![[3.0, 0.1, 0.0]; problem.contacts()];
            let report = solve_motion(&problem, 1e-10, &mut work, &stop, &mut r);
            let gain = work_of(&problem, &r);
            assert!(gain <= 1e-12, "{looks}: {gain} J, {report:?}");
        }
    }
}

#[test]
fn impulses_that_would_add_energy_are_made_smaller() {
    let settings = PileSettings { mu: 0.5, ..Default::default() };
    let problem = disk_pile(4, &settings);
    let mut x = Vec::new();
    let throw = vec![[5.0, 0.0, 0.0]; problem.contacts()];
    assert!(work_of(&problem, &throw) > 0.0);
    let part = energy::dissipative_part(&problem, &throw, &mut x);
    assert!(part > 0.0 && part < 1.0, "{part}");
    let less: Vec<[f64; 3]> = throw.iter().map(|r| r.map(|r| part * r)).collect();
    assert!(work_of(&problem, &less) < 0.0);
    let (nothing, pull) = ([[0.0; 3]; 22], [[-1.0, 0.0, 0.0]; 22]);
    assert_eq!(energy::dissipative_part(&problem, &nothing, &mut x), 1.0);
    assert_eq!(energy::dissipative_part(&problem, &pull, &mut x), 0.0);
}
