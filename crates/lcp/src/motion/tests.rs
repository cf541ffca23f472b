//! Problems to try the solvers of this folder on.

use super::*;
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
