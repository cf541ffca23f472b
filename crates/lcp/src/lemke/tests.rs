use super::*;
use crate::judge::Judge;
use crate::matrix::MatX;
use crate::report::never;
use crate::testing::Random;

fn solve(problem: &BoxLcp, settings: &LemkeSettings<'_>) -> (Vec<f64>, Report) {
    let mut z = vec![0.0; problem.n()];
    let report = lemke(problem, settings, &mut LemkeWorkspace::default(), &never, &mut z);
    (z, report)
}

fn murty(n: usize) -> MatX {
    MatX::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 2.0,
    })
}

#[test]
fn problems_one_can_check_by_hand() {
    let A = MatX::from_row_slice(2, 2, &[2., 1., 1., 2.]);
    for (b, expected) in [([1., 3.], [0., 0.]), ([-4., 1.], [2., 0.]), ([-5., -7.], [1., 3.])] {
        let problem = BoxLcp::lcp(A.clone(), b.to_vec()).unwrap();
        for ties in [Ties::Lexicographic, Ties::LargestPivot] {
            let (z, report) = solve(&problem, &LemkeSettings { ties, ..Default::default() });
            assert_eq!(report.status, Status::Solved);
            assert!(z.iter().zip(expected).all(|(z, e)| (z - e).abs() < 1e-14), "{z:?}");
        }
    }
}

#[test]
fn the_path_through_murtys_cube_has_two_to_the_n_less_one_pivots() {
    // graded b: −Σ 2^(n−k+1) as in Murty (1978); with d = 1 the path visits every vertex
    for n in 2..=9 {
        let b =
            (1..=n).map(|i| -(1..=i).map(|k| 2f64.powi((n - k + 1) as i32)).sum::<f64>()).collect();
        let problem = BoxLcp::lcp(murty(n), b).unwrap();
        let (z, report) = solve(&problem, &LemkeSettings::default());
        assert_eq!(report.status, Status::Solved);
        assert_eq!(report.iterations, (1 << n) - 1, "n = {n}");
        assert!(Judge::default().lcp(&problem, &z).accepts(1e-14));
    }
}

#[test]
fn degenerate_ties_do_not_cycle() {
    let n = 6;
    let zero = BoxLcp::lcp(MatX::zeros(n, n), vec![0.0; n]).unwrap();
    assert_eq!(solve(&zero, &LemkeSettings::default()).1.status, Status::Solved);
    // an assignment problem as a skew LCP: every ratio ties
    let (m, rows) = (9, 6);
    let mut A = MatX::zeros(m + rows, m + rows);
    for k in 0..m {
        for row in [k / 3, 3 + k % 3] {
            A[(m + row, k)] = 1.0;
            A[(k, m + row)] = -1.0;
        }
    }
    let b = (0..m).map(|k| ((k * 7) % 5) as f64 + 1.0).chain(vec![-1.0; rows]).collect();
    let problem = BoxLcp::lcp(A, b).unwrap();
    let (z, report) = solve(&problem, &LemkeSettings::default());
    assert_eq!(report.status, Status::Solved);
    assert!(Judge::default().lcp(&problem, &z).accepts(1e-12));
}

#[test]
fn a_ray_gives_its_direction() {
    // two walls closing on one body
    let A = MatX::from_row_slice(2, 2, &[1., -1., -1., 1.]);
    let problem = BoxLcp::lcp(A, vec![-1., -1.]).unwrap();
    let mut work = LemkeWorkspace::default();
    let mut z = vec![0.0; 2];
    let report = lemke(&problem, &LemkeSettings::default(), &mut work, &never, &mut z);
    assert_eq!(report.status, Status::Ray);
    let ray = work.ray();
    assert!(ray[0] > 0.0 && (ray[0] - ray[1]).abs() < 1e-15 * ray[0], "{ray:?}");
}

#[test]
fn along_a_ray_the_pairs_stay_complementary() {
    let mut random = Random::new(11);
    let mut by_entering_slack = 0;
    for case in 0..2000 {
        let n = 3;
        let (A, b) = (random.matrix(n, n), random.vector(n));
        let problem = BoxLcp::lcp(A.clone(), b).unwrap();
        let mut work = LemkeWorkspace::default();
        let mut z = vec![0.0; n];
        let report = lemke(&problem, &LemkeSettings::default(), &mut work, &never, &mut z);
        if report.status != Status::Ray {
            assert!(work.ray().is_empty());
            continue;
        }
        // w = A ray + z₀, with z₀ such that w vanishes where the ray does not
        let ray = nalgebra::DVector::from_column_slice(work.ray());
        let A_ray = &A * &ray;
        let size = 1e-12 * ray.amax();
        let Some(i) = (0..n).find(|&i| ray[i] > size) else {
            by_entering_slack += 1;
            continue;
        };
        for j in 0..n {
            let w_j = A_ray[j] - A_ray[i];
            assert!(ray[j] >= -size && w_j >= -size, "case {case}: {ray} {A}");
            assert!(ray[j] <= size || w_j <= size, "case {case}: {ray} {A}");
        }
    }
    // z₀ and a slack grow alone: no z moves
    assert_eq!(by_entering_slack, 0, "such a ray is the first one, which Lemke never takes again");
}

#[test]
fn free_rows_and_a_warm_basis() {
    let A = MatX::from_row_slice(3, 3, &[1., 2., 0., -1., 3., 1., 0., -1., 2.]);
    let problem = BoxLcp::mixed(A, vec![1., -4., -3.], &[0]).unwrap();
    let (mut z, cold) = solve(&problem, &LemkeSettings::default());
    assert_eq!(cold.status, Status::Solved);
    assert!(Judge::default().lcp(&problem, &z).accepts(1e-14), "{z:?}");
    let mut work = LemkeWorkspace::default();
    let warm = lemke(&problem, &LemkeSettings::default(), &mut work, &never, &mut z);
    assert_eq!((warm.status, warm.iterations), (Status::Solved, 0));
    assert!(cold.iterations > 0);
}

#[test]
fn every_covering_vector_ends_in_a_solution() {
    let n = 12;
    let b = (0..n).map(|i| -1.0 - ((i * 5) % 7) as f64).collect();
    let problem = BoxLcp::lcp(&murty(n) * murty(n).transpose(), b).unwrap();
    let given: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
    let mut pivots = Vec::new();
    for covering in
        [Covering::Ones, Covering::Equilibrated, Covering::Random(3), Covering::Given(&given)]
    {
        let settings = LemkeSettings { covering, refactor_every: 5, ..Default::default() };
        let (z, report) = solve(&problem, &settings);
        assert_eq!(report.status, Status::Solved, "{covering:?}");
        assert!(Judge::default().lcp(&problem, &z).accepts(1e-12));
        pivots.push(report.iterations);
    }
    pivots.dedup();
    assert!(pivots.len() > 1, "the covering vector changes the path");
}

#[test]
fn the_lexicographic_rule_does_not_cycle_where_everything_ties() {
    let mut state = 7_u64;
    for problem in 0..5000 {
        let n = 3 + problem % 4;
        let A = MatX::from_fn(n, n, |_, _| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % 3) as f64 - 1.0
        });
        let lcp = BoxLcp::lcp(A.clone(), vec![-1.0; n]).unwrap();
        let settings = LemkeSettings { max_pivots: 2000, ..Default::default() };
        let (_, report) = solve(&lcp, &settings);
        assert_ne!(report.status, Status::IterationLimit, "problem {problem}: {A}");
    }
}
