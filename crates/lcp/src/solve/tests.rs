use super::*;
use crate::families::scenes::{self, SceneSettings};
use crate::families::{bounded, positive, unsolvable};
use crate::matrix::MatX;
use crate::report::never;

const TOL: f64 = 1e-12;

/// Both problems at once: rows of the first and of the second in turn, then the rest.
fn side_by_side(first: &BoxLcp, second: &BoxLcp) -> BoxLcp {
    let (m, n) = (first.n(), second.n());
    let pair = (0..m.max(n)).flat_map(|k| [(0, k), (1, k)]);
    let order: Vec<(usize, usize)> = pair.filter(|&(p, k)| k < [m, n][p]).collect();
    let problems = [first, second];
    let A = MatX::from_fn(m + n, m + n, |i, j| {
        let ((p, k), (q, l)) = (order[i], order[j]);
        if p == q { problems[p].A().get(k, l) } else { 0.0 }
    });
    let pick = |x: fn(&BoxLcp) -> &[f64]| order.iter().map(|&(p, k)| x(problems[p])[k]).collect();
    BoxLcp::new(A, pick(BoxLcp::b), pick(BoxLcp::lower), pick(BoxLcp::upper)).unwrap()
}

fn auto(problem: &BoxLcp) -> LcpAnswer {
    solve_lcp(problem, LcpSolver::Auto, TOL, &never)
}

#[test]
fn islands_are_solved_apart_and_put_together() {
    for seed in 0..10 {
        let (first, second) = (positive::definite(5, 1e3, seed), bounded::boxed(4, seed));
        let problem = side_by_side(&first.problem, &second.problem);
        let answer = auto(&problem);
        assert_eq!(answer.verdict, Verdict::Certified, "seed {seed}");
        assert_eq!(answer.residual, Judge::default().lcp(&problem, &answer.z));
        for k in 0..4 {
            let (z_first, z_second) = (answer.z[2 * k], answer.z[2 * k + 1]);
            assert!((z_first - first.z[k]).abs() < 1e-9, "seed {seed}");
            assert!((z_second - second.z[k]).abs() < 1e-9, "seed {seed}");
        }
    }
}

#[test]
fn one_island_without_solution_refutes_the_whole() {
    for seed in 0..10 {
        let solvable = positive::nonsymmetric(4, seed).problem;
        let by_farkas = [unsolvable::wedge(seed), unsolvable::semidefinite(4, seed)];
        for bad in by_farkas {
            for problem in [side_by_side(&solvable, &bad), side_by_side(&bad, &solvable)] {
                let Verdict::NoSolution(proof) = auto(&problem).verdict else {
                    panic!("seed {seed}: not refuted")
                };
                assert!(matches!(proof, Proof::Farkas(_)), "seed {seed}");
                assert!(check_proof(&problem, &proof).is_some(), "seed {seed}");
            }
        }
        // feasible, so that the proof is a tree, whose rows must be those of the whole
        let bad = unsolvable::feasible(seed);
        let problem = side_by_side(&solvable, &bad);
        let Verdict::NoSolution(proof) = auto(&problem).verdict else {
            panic!("seed {seed}: not refuted")
        };
        assert!(matches!(proof, Proof::Exhausted(_)), "seed {seed}");
        assert!(check_proof(&problem, &proof).is_some(), "seed {seed}");
    }
}

#[test]
fn islands_of_contacts_are_solved_apart() {
    let settings = SceneSettings::shaken(4);
    let parts = [scenes::pile(3, &settings), scenes::towers(4, 2, &settings)].map(|s| s.friction());
    let (m, n) = (parts[0].n(), parts[1].n());
    let W = MatX::from_fn(m + n, m + n, |i, j| match (i < m, j < m) {
        (true, true) => parts[0].W().get(i, j),
        (false, false) => parts[1].W().get(i - m, j - m),
        _ => 0.0,
    });
    let joined = |x: fn(&FrictionProblem) -> &[f64]| [x(&parts[0]), x(&parts[1])].concat();
    let mu = joined(FrictionProblem::mu);
    let problem = FrictionProblem::new(3, W, joined(FrictionProblem::q), mu).unwrap();
    let answer = solve_friction(&problem, FrictionSolver::Auto, TOL, &never);
    assert_eq!(answer.verdict, Verdict::Certified);
    for (part, r) in parts.iter().zip([&answer.r[..m], &answer.r[m..]]) {
        let alone = solve_friction(part, FrictionSolver::Auto, TOL, &never);
        assert_eq!(alone.r, r, "an island does not feel the other");
    }
}

#[test]
fn a_stopped_chain_is_uncertified_and_judged() {
    let problem = scenes::pile(6, &SceneSettings::shaken(4)).pyramid(4);
    let answer = solve_lcp(&problem, LcpSolver::Auto, TOL, &|| true);
    assert_eq!(answer.verdict, Verdict::Uncertified);
    assert_eq!(answer.residual, Judge::default().lcp(&problem, &answer.z));
    let friction = scenes::pile(6, &SceneSettings::shaken(4)).friction();
    let answer = solve_friction(&friction, FrictionSolver::Auto, TOL, &|| true);
    assert_eq!(answer.verdict, Verdict::Uncertified);
}

#[test]
fn names_are_all_different() {
    let mut names = LcpSolver::ALL.map(LcpSolver::name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LcpSolver::ALL.len());
    let mut names = FrictionSolver::ALL.map(FrictionSolver::name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FrictionSolver::ALL.len());
}

#[test]
fn a_single_solver_aims_at_the_tolerance_asked_for() {
    let problem = crate::testing::random_spd_lcp(30, 5);
    for solver in [LcpSolver::Psor, LcpSolver::Nncg, LcpSolver::Prox, LcpSolver::NewtonFb] {
        let at = |tol| {
            let answer = solve_lcp(&problem, solver, tol, &never);
            assert_eq!(answer.verdict, Verdict::Certified, "{} at {tol:e}", solver.name());
            answer.chain[0].report.iterations
        };
        assert!(at(1e-1) < at(1e-13), "{}", solver.name());
    }
    let scene = scenes::pyramid_pile(20, &SceneSettings::shaken(4)).friction();
    for solver in [
        FrictionSolver::Nsgs,
        FrictionSolver::Prox,
        FrictionSolver::InteriorPoint,
        FrictionSolver::Apgd,
    ] {
        let at = |tol| {
            let answer = solve_friction(&scene, solver, tol, &never);
            (answer.residual.scaled, answer.chain[0].report.iterations)
        };
        let (loose, tight) = (at(1e-3), at(1e-10));
        assert!(loose.0 <= 1e-3 && loose.1 < tight.1, "{}: {loose:?} {tight:?}", solver.name());
    }
}

#[test]
fn a_proof_says_more_than_a_vector_that_comes_near() {
    // 0 z − 1e−3 ≥ 0 cannot be met, and z = 0 misses it by 1e−3
    let problem = BoxLcp::lcp(MatX::zeros(1, 1), vec![-1e-3]).unwrap();
    let answer = solve_lcp(&problem, LcpSolver::Enumeration, 1e-2, &never);
    assert!(matches!(answer.verdict, Verdict::NoSolution(_)), "{:?}", answer.verdict);
}

#[test]
fn contacts_without_friction_push_and_never_pull() {
    // every second contact of a pile without friction, and a load that opens some of them
    let scene = scenes::pyramid_pile(12, &SceneSettings::shaken(3)).friction();
    let mu = scene.mu().iter().enumerate().map(|(c, mu)| if c % 2 == 0 { 0.0 } else { *mu });
    let problem =
        FrictionProblem::new(3, scene.W().clone(), scene.q().to_vec(), mu.collect()).unwrap();
    for solver in FrictionSolver::ALL {
        let answer = solve_friction(&problem, solver, 1e-8, &never);
        if answer.verdict == Verdict::Certified {
            let least = answer.r.chunks_exact(3).map(|r| r[0]).fold(0.0, f64::min);
            assert!(least >= -1e-6, "{}: {least}", solver.name());
        }
    }
    let alone = FrictionProblem::new(3, MatX::identity(3, 3), vec![0.9, 0., 0.], vec![0.]).unwrap();
    for solver in FrictionSolver::ALL {
        let answer = solve_friction(&alone, solver, 1e-10, &never);
        assert_eq!(answer.verdict, Verdict::Certified, "{}", solver.name());
        assert!(answer.r.iter().all(|r| r.abs() < 1e-9), "{}: {:?}", solver.name(), answer.r);
    }
}

/// Velocity space first, then the local form: what the first one has found is not lost where the second one finds less.
#[test]
fn the_nearer_of_two_answers_is_kept_with_the_links_of_both() {
    let answer = |solver: &'static str, scaled: f64, r: f64, verdict: Verdict| FrictionAnswer {
        verdict,
        r: vec![r; 3],
        u: vec![0.0; 3],
        residual: FrictionResidual { scaled, ..FrictionResidual::WORST },
        chain: vec![Link { solver, report: Report::new(Status::Stalled, 1, 1), residual: scaled }],
    };
    let first = answer("apgd", 1e-5, 1.0, Verdict::Uncertified);
    let again = answer("apgd", 1e-3, 2.0, Verdict::Uncertified);
    // of equal names each keeps its residual: that tells which one answered
    let residuals: Vec<_> = better(first.clone(), again).chain.iter().map(|l| l.residual).collect();
    assert_eq!(residuals, [1e-5, 1e-3]);
    let cases = [
        (answer("nsgs", 1e-3, 2.0, Verdict::Uncertified), 1.0),
        (answer("nsgs", 1e-7, 2.0, Verdict::Uncertified), 2.0),
        (answer("nsgs", f64::NAN, 2.0, Verdict::Uncertified), 1.0),
        (answer("nsgs", 1e-4, 2.0, Verdict::Certified), 2.0),
    ];
    for (second, r) in cases {
        let best = better(first.clone(), second);
        assert_eq!(best.r[0], r);
        let links: Vec<_> = best.chain.iter().map(|link| link.solver).collect();
        assert_eq!(links, ["apgd", "nsgs"]);
    }
}
