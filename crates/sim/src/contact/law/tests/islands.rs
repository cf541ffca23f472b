//! Islands: what does not hang together is solved, measured and judged as if it were alone.

use super::*;
use crate::contact::space::BoundedRow;
use crate::testing::Random;
use stiction_lcp::{Csc, Matrix};

const H: f64 = 0.01;

/// Contacts of all kinds with memory, and rows that they feel.
fn random_space(seed: u64) -> ContactSpace {
    let mut random = Random::new(seed);
    let (k, r) = (1 + random.below(3), random.below(3));
    let m = 3 * k + r;
    let B = MatX::from_fn(m, m, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() / m as f64 + MatX::identity(m, m) * 0.3;
    let u_free = (0..m).map(|_| random.between(-1.5, 1.0)).collect();
    let contacts = (0..k).map(|_| ContactData {
        phi: random.between(0.0, 1e-3),
        eps_n: random.between(0.0, 0.2),
        d_n: random.between(-0.2, 0.2),
        bristle: Some(Relaxation { k: 5e3, b: 20.0 }),
        u_t: [random.between(0.1, 1.0), random.between(-1.0, 1.0)],
        lambda_n: random.between(10.0, 200.0),
        lambda_t: [random.between(-30.0, 30.0), random.between(-30.0, 30.0)],
        ..contact(random.between(0.1, 0.4))
    });
    let contacts = contacts.collect();
    let rows = (0..r).map(|_| BoundedRow {
        eps: 0.0,
        d: random.between(-0.2, 0.2),
        lower: random.between(-1.0, 0.0),
        upper: if random.below(2) == 0 { f64::INFINITY } else { random.between(0.0, 1.0) },
        lambda: random.between(-5.0, 5.0),
    });
    let rows = rows.collect();
    ContactSpace { h: H, W: W.into(), u_free, contacts, rows }
}

/// One contact of this mass [kg] that would fall with u [m/s] and slide.
fn block(mass: f64, u: [f64; 3]) -> ContactSpace {
    let W = MatX::identity(3, 3) / mass;
    let contacts = vec![ContactData { u_t: [u[1], u[2]], ..contact(0.5) }];
    ContactSpace { h: H, W: W.into(), u_free: u.to_vec(), contacts, rows: Vec::new() }
}

/// Two contacts that push each other in: no impulses part both.
fn wedge() -> ContactSpace {
    let mut W = MatX::identity(6, 6) * 1e-3;
    (W[(0, 0)], W[(0, 3)], W[(3, 0)], W[(3, 3)]) = (1.0, -1.0, -1.0, 1.0);
    let u_free = vec![-1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    let contacts = vec![contact(0.2); 2];
    ContactSpace { h: H, W: W.into(), u_free, contacts, rows: Vec::new() }
}

/// Both in one space, their contacts by turns; and the rows of each there.
fn joined(a: &ContactSpace, b: &ContactSpace, is_sparse: bool) -> (ContactSpace, [Vec<usize>; 2]) {
    let (most, k) = (a.k().max(b.k()), a.k() + b.k());
    let mut space = ContactSpace {
        h: a.h,
        W: MatX::zeros(0, 0).into(),
        u_free: vec![0.0; a.m() + b.m()],
        contacts: Vec::new(),
        rows: a.rows.iter().chain(&b.rows).copied().collect(),
    };
    let mut at = [Vec::new(), Vec::new()];
    for c in 0..most {
        for (part, at) in [a, b].iter().zip(&mut at).filter(|(part, _)| c < part.k()) {
            at.extend(3 * space.k()..3 * space.k() + 3);
            space.contacts.push(part.contacts[c]);
        }
    }
    at[0].extend(3 * k..3 * k + a.rows.len());
    at[1].extend(3 * k + a.rows.len()..a.m() + b.m());
    let mut entries = Vec::new();
    for (part, at) in [a, b].iter().zip(&at) {
        for (i, &row) in at.iter().enumerate() {
            space.u_free[row] = part.u_free[i];
            entries.extend((0..part.m()).map(|j| (row, at[j], part.W.get(i, j))));
        }
    }
    let W = Csc::from_triplets((space.m(), space.m()), &mut entries);
    let dense = |i, j| Matrix::from(W.clone()).get(i, j);
    space.W = if is_sparse {
        W.clone().into()
    } else {
        MatX::from_fn(space.m(), space.m(), dense).into()
    };
    (space, at)
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn at(x: &[f64], rows: &[usize]) -> Vec<u64> {
    rows.iter().map(|&row| x[row].to_bits()).collect()
}

fn worst(a: LawResidual, b: LawResidual) -> LawResidual {
    if b.relative() > a.relative() { b } else { a }
}

#[test]
fn two_unrelated_spaces_answer_together_as_they_do_apart_to_the_last_bit() {
    let mut work = LawWork::default();
    for seed in 0..30 {
        let parts = [random_space(2 * seed), random_space(2 * seed + 1)];
        for law in super::judging::settings() {
            let apart =
                parts.each_ref().map(|space| solve(space, &law, LawSolver::Auto, TOL).unwrap());
            for is_sparse in [false, true] {
                let place = format!("seed {seed}, {}, sparse: {is_sparse}", law.name());
                let (space, rows) = joined(&parts[0], &parts[1], is_sparse);
                // memory of problems of other sizes
                let both = solve_with(&space, &law, LawSolver::Auto, TOL, &mut work).unwrap();
                for (one, rows) in apart.iter().zip(&rows) {
                    assert_eq!(at(&both.p, rows), bits(&one.p), "{place}");
                    assert_eq!(at(&both.u, rows), bits(&one.u), "{place}");
                }
                let [a, b] = &apart;
                assert_eq!(both.iterations, a.iterations + b.iterations, "{place}");
                assert_eq!(both.singular_blocks, a.singular_blocks + b.singular_blocks, "{place}");
                let most = if b.iterations > a.iterations { b } else { a };
                assert_eq!(both.link, most.link, "{place}");
                assert_eq!(both.problem, a.problem.max(b.problem), "{place}");
                // the first row of all is of the first space
                assert_eq!(both.residual, worst(a.residual, b.residual), "{place}");
                assert_eq!(both.coulomb, worst(a.coulomb, b.coulomb), "{place}");
                let certified = [a, b].iter().all(|one| one.verdict == Verdict::Certified);
                assert_eq!(both.verdict == Verdict::Certified, certified, "{place}");
            }
        }
    }
}

#[test]
fn islands_of_any_mass_and_speed_are_certified_side_by_side() {
    for (mass, speed) in [(1e9, 1.0), (1e-9, 1.0), (1.0, 1e9), (1e-9, 1e-9), (1e9, 1e9)] {
        let other = block(mass, [-0.1, speed, 0.0]);
        let (space, rows) = joined(&block(1.0, [-0.1, 0.02, 0.0]), &other, false);
        for law in super::judging::settings() {
            let answer = certified(&space, &law);
            // the convex law lets what slides rise by μ times its speed, and its solver ends at its tolerance
            let (slip, left) = match law {
                Law::Convex(_) => (answer.u[rows[0][1]].hypot(answer.u[rows[0][2]]), 1e-8),
                _ => (0.0, 1e-12),
            };
            let u_n = answer.u[rows[0][0]];
            assert!((u_n - 0.5 * slip).abs() <= left, "{} beside {mass} kg: {u_n}", law.name());
        }
    }
}

#[test]
fn the_judge_of_a_whole_sees_what_falls_beside_what_flies() {
    let (fast, falls) = (block(1.0, [-0.1, 1e9, 0.0]), block(1.0, [-0.1, 0.0, 0.0]));
    let law = Law::Cone(Cone::default());
    let (space, rows) = joined(&fast, &falls, false);
    let mut p = certified(&space, &law).p;
    assert!(judge(&space, &law, &p).accepts(1e-12));
    rows[1].iter().for_each(|&row| p[row] = 0.0);
    assert_eq!(judge(&space, &law, &p), judge(&falls, &law, &[0.0; 3]));
    assert_eq!(judge(&space, &law, &p).relative(), 1.0);
    assert_eq!(coulomb_distance(&space, &law, &p).relative(), 1.0);
}

#[test]
fn a_number_that_is_none_passes_in_no_island() {
    let law = Law::Cone(Cone::default());
    for is_sparse in [false, true] {
        let (right, rows) = joined(&random_space(1), &random_space(2), is_sparse);
        let p = certified(&right, &law).p;
        for bad in [f64::NAN, f64::INFINITY] {
            for rows in &rows {
                let mut space = right.clone();
                space.u_free[rows[0]] = bad;
                let error = solve(&space, &law, LawSolver::Auto, TOL);
                assert!(matches!(error, Err(LawError::Problem(_))), "{error:?}");
                assert_eq!(judge(&space, &law, &p), LawResidual::WORST);

                let mut space = right.clone();
                space.W = match right.W.matrix() {
                    Matrix::Dense(W) => {
                        let mut W = W.clone();
                        W[(rows[0], rows[1])] = bad;
                        W.into()
                    }
                    Matrix::Sparse(W) => {
                        let mut entries = vec![(rows[0], rows[1], bad)];
                        for j in 0..W.ncols() {
                            let (of, w) = W.column(j);
                            entries.extend(of.iter().zip(w).map(|(&i, &w)| (i, j, w)));
                        }
                        Csc::from_triplets((space.m(), space.m()), &mut entries).into()
                    }
                };
                assert!(solve(&space, &law, LawSolver::Auto, TOL).is_err());
                assert_eq!(judge(&space, &law, &p), LawResidual::WORST);

                let mut p = p.clone();
                p[rows[2]] = bad;
                assert_eq!(judge(&right, &law, &p), LawResidual::WORST);
            }
        }
    }
}

#[test]
fn one_island_without_a_certificate_is_enough_and_the_others_keep_their_answers() {
    let fine = random_space(4);
    for is_sparse in [false, true] {
        for law in [Law::Cone(Cone::default()), Law::Frictionless] {
            let (space, rows) = joined(&wedge(), &fine, is_sparse);
            let [stuck, alone] =
                [&wedge(), &fine].map(|space| solve(space, &law, LawSolver::Auto, TOL).unwrap());
            assert_eq!(alone.verdict, Verdict::Certified);
            let both = solve(&space, &law, LawSolver::Auto, TOL).unwrap();
            assert_eq!(both.verdict, stuck.verdict);
            assert_eq!((both.residual, both.problem), (stuck.residual, stuck.problem));
            assert_eq!(at(&both.p, &rows[1]), bits(&alone.p));
            let is_refuted = matches!(both.verdict, Verdict::NoSolution(_));
            assert_eq!(is_refuted, law == Law::Frictionless, "{:?}", both.verdict);
        }
    }
}

#[test]
fn errors_name_contacts_and_rows_of_the_whole() {
    let mut guided = block(1.0, [-0.1, 0.0, 0.0]);
    guided.contacts[0].sides = Sides::Both;
    let (space, rows) = joined(&random_space(4), &guided, false);
    let error = solve(&space, &Law::Convex(Convex::default()), LawSolver::Auto, TOL).unwrap_err();
    let LawError::Contact { contact, name: "sides", .. } = error else { panic!("{error}") };
    assert_eq!(contact, rows[1][0] / 3);

    let with_rows = (0..).map(random_space).find(|space| space.rows.len() == 2).unwrap();
    let mut broken = with_rows.clone();
    broken.rows[1].upper = -9.0;
    let (space, _) = joined(&with_rows, &broken, true);
    let error = solve(&space, &Law::Cone(Cone::default()), LawSolver::Auto, TOL).unwrap_err();
    assert_eq!(error, LawError::Row { row: 3, name: "lower", rule: "at most upper" });
}
