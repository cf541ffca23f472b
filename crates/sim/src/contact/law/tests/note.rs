//! The standard form of the note behind DART, and its two stabilizations.

use super::*;
use crate::testing::Random;
use stiction_lcp::BoxLcp;

const H: f64 = 0.004;

/// Mass matrix, Jacobians and τ* of `k` contacts on `nv` velocities.
struct Note {
    M: MatX,
    /// Columns: normals of all contacts.
    N: MatX,
    /// Columns: directions d_1 … d_d, contact by contact.
    B: MatX,
    tau: MatX,
    mu: Vec<f64>,
}

fn random_note(k: usize, d: usize, seed: u64) -> (Note, ContactSpace) {
    let mut random = Random::new(seed);
    let nv = 3 * k + 2;
    let mut matrix = |rows, columns| MatX::from_fn(rows, columns, |_, _| random.between(-1., 1.));
    let (root, J, v) = (matrix(nv, nv), matrix(3 * k, nv), matrix(nv, 1));
    let M = &root * root.transpose() + MatX::identity(nv, nv);
    let N = MatX::from_fn(nv, k, |i, c| J[(3 * c, i)]);
    let B = MatX::from_fn(nv, k * d, |i, j| {
        let (s, c) = (std::f64::consts::TAU * (j % d) as f64 / d as f64).sin_cos();
        c * J[(3 * (j / d) + 1, i)] + s * J[(3 * (j / d) + 2, i)]
    });
    let inverse = M.clone().try_inverse().unwrap();
    let W = &J * &inverse * J.transpose();
    // pressed together, so that contacts stick and slip
    let push = MatX::from_fn(3 * k, 1, |i, _| if i % 3 == 0 { -2.0 } else { 0.0 });
    let tau = &M * v + J.transpose() * W.clone().try_inverse().unwrap() * push;
    let u_free = (&J * inverse * &tau).iter().copied().collect();
    let mu = vec![0.4; k];
    let contacts = vec![contact(0.4); k];
    (
        Note { M, N, B, tau, mu },
        ContactSpace { h: H, W: W.into(), u_free, contacts, rows: Vec::new() },
    )
}

/// Eq. 14 with the ones and μ times `one`.
fn equation_14(note: &Note, d: usize, one: f64) -> (MatX, Vec<f64>) {
    let k = note.mu.len();
    let inverse = note.M.clone().try_inverse().unwrap();
    let (N, B) = (&note.N, &note.B);
    let mut A = MatX::zeros(k + k * d + k, k + k * d + k);
    A.view_mut((0, 0), (k, k)).copy_from(&(H * N.transpose() * &inverse * N));
    A.view_mut((0, k), (k, k * d)).copy_from(&(H * N.transpose() * &inverse * B));
    A.view_mut((k, 0), (k * d, k)).copy_from(&(H * B.transpose() * &inverse * N));
    A.view_mut((k, k), (k * d, k * d)).copy_from(&(H * B.transpose() * &inverse * B));
    for c in 0..k {
        let s = k + k * d + c;
        A[(s, c)] = one * note.mu[c];
        A.view_mut((k + c * d, s), (d, 1)).fill(one);
        A.view_mut((s, k + c * d), (1, d)).fill(-one);
    }
    let rows = [N.transpose() * &inverse * &note.tau, B.transpose() * inverse * &note.tau];
    let mut b: Vec<f64> = rows.iter().flat_map(|r| r.iter().copied()).collect();
    b.resize(k + k * d + k, 0.0);
    (A, b)
}

fn law(facets: usize, stabilization: Stabilization) -> Law {
    Law::Pyramid(Pyramid { facets, stabilization, ..Default::default() })
}

fn problem(space: &ContactSpace, law: &Law) -> BoxLcp {
    match assemble(space, law).unwrap().problem {
        LawProblem::Lcp(problem) => problem,
        _ => panic!("not an LCP"),
    }
}

#[test]
fn the_force_form_is_equation_14_entry_by_entry() {
    for (k, d, seed) in [(1, 8, 1), (2, 3, 2), (4, 8, 3), (3, 5, 4)] {
        let (note, space) = random_note(k, d, seed);
        let forms = [(Stabilization::Forces, 1.0), (Stabilization::ScaledForces, H)];
        for (stabilization, one) in forms {
            let (A, b) = equation_14(&note, d, one);
            let ours = problem(&space, &law(d, stabilization));
            assert_eq!(ours.n(), b.len());
            for i in 0..b.len() {
                assert!((ours.b()[i] - b[i]).abs() < 1e-12 * (1.0 + b[i].abs()), "b_{i}");
                for j in 0..b.len() {
                    let apart = (ours.A().get(i, j) - A[(i, j)]).abs();
                    assert!(apart < 1e-12, "entry ({i}, {j}) of {k} contacts: {apart:e}");
                }
            }
        }
    }
}

#[test]
fn forces_and_their_scaling_leave_the_impulses_unchanged() {
    for seed in 0..30 {
        let (_, space) = random_note(1 + seed as usize % 4, 4, seed);
        let p = certified(&space, &law(4, Stabilization::None)).p;
        let scale = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(scale > 0.1, "seed {seed}: nothing touches");
        for stabilization in [Stabilization::Forces, Stabilization::ScaledForces] {
            let other = certified(&space, &law(4, stabilization)).p;
            let apart = p.iter().zip(&other).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-9 * scale, "seed {seed}, {stabilization:?}: {apart:e}");
        }
    }
}

#[test]
fn a_larger_diagonal_is_another_answer_and_the_judge_says_so() {
    for eps in [1e-6, 1e-3, 0.1] {
        let (_, space) = random_note(3, 4, 7);
        let p = certified(&space, &law(4, Stabilization::None)).p;
        let answer =
            solve(&space, &law(4, Stabilization::Diagonal { eps }), LawSolver::Auto, TOL).unwrap();
        // the problem is solved, the law is missed in proportion to ε
        assert_eq!(answer.verdict, Verdict::Certified);
        let scale = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let apart = p.iter().zip(&answer.p).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(apart > 0.01 * eps * scale && apart < 100.0 * eps * scale, "{eps}: {apart:e}");
        let residual = answer.residual.relative();
        assert!(residual > 1e-3 * eps && residual < 10.0 * eps, "{eps}: {residual:e}");
    }
}
