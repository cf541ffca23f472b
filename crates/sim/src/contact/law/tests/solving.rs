//! Which solvers take which laws, what they refuse, and sparse contacts.

use super::*;
use crate::step::StepError;
use crate::testing::Random;
use stiction_lcp::{Csc, FrictionSolver, LcpSolver};

fn pressed(k: usize, seed: u64) -> ContactSpace {
    let mut random = Random::new(seed);
    let B = MatX::from_fn(3 * k, 3 * k, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() / (3 * k) as f64 + MatX::identity(3 * k, 3 * k);
    let u_free =
        (0..3 * k).map(|i| if i % 3 == 0 { -1.0 } else { random.between(-1.0, 1.0) }).collect();
    let c = ContactData { lambda_n: 50.0, ..contact(0.3) };
    ContactSpace { h: 0.01, W: W.into(), u_free, contacts: vec![c; k], rows: Vec::new() }
}

fn pyramid() -> Law {
    Law::Pyramid(Pyramid { facets: 4, ..Default::default() })
}

fn refused(law: &Law, solver: LawSolver) -> LawError {
    solve(&pressed(2, 1), law, solver, TOL).unwrap_err()
}

#[test]
fn pairs_that_cannot_work_are_refused_by_name() {
    let lcp = LawSolver::Lcp;
    let friction = LawSolver::Friction;
    let (phantom, cone) = (Law::Phantom(Phantom::default()), Law::Cone(Cone::default()));
    let boxed = Law::Box(BoxLaw::default());
    let pairs = [
        (pyramid(), lcp(LcpSolver::BlockPivoting)),
        (pyramid(), lcp(LcpSolver::Murty)),
        (pyramid(), lcp(LcpSolver::Keller)),
        (pyramid(), lcp(LcpSolver::Psor)),
        (phantom, lcp(LcpSolver::Keller)),
        (phantom, lcp(LcpSolver::Nncg)),
        (phantom, lcp(LcpSolver::Psor)),
        (boxed, lcp(LcpSolver::Lemke)),
        (Law::Hybrid(Hybrid::default()), lcp(LcpSolver::Lemke)),
        (cone, lcp(LcpSolver::Lemke)),
        (pyramid(), friction(FrictionSolver::Nsgs)),
        (Law::Convex(Convex::default()), friction(FrictionSolver::Nsgs)),
    ];
    for (law, solver) in pairs {
        let error = refused(&law, solver);
        let LawError::Refused { law: name, solver: by, reason } = &error else {
            panic!("{}: {error}", law.name())
        };
        assert_eq!((*name, *by), (law.name(), solver.name()));
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn solvers_that_fit_find_the_same_impulses() {
    let lcp = |s: &[LcpSolver]| s.iter().map(|&s| LawSolver::Lcp(s)).collect::<Vec<_>>();
    let cone = FrictionSolver::ALL.map(LawSolver::Friction).to_vec();
    let symmetric = [LcpSolver::BlockPivoting, LcpSolver::Keller, LcpSolver::Psor, LcpSolver::Prox];
    let pairs = [
        (Law::Frictionless, lcp(&[LcpSolver::Lemke, LcpSolver::Murty, LcpSolver::Keller])),
        (pyramid(), lcp(&[LcpSolver::Lemke, LcpSolver::NewtonFb])),
        (Law::Phantom(Phantom::default()), lcp(&[LcpSolver::Lemke, LcpSolver::Enumeration])),
        (Law::Box(BoxLaw::default()), lcp(&symmetric)),
        (Law::Hybrid(Hybrid::default()), lcp(&symmetric)),
        (Law::Cone(Cone::default()), cone),
    ];
    for (law, solvers) in pairs {
        let space = pressed(2, 4);
        let p = certified(&space, &law).p;
        for solver in solvers {
            let answer = solve(&space, &law, solver, 1e-9).unwrap();
            let place = format!("{} by {}", law.name(), solver.name());
            assert_eq!(answer.verdict, Verdict::Certified, "{place}: {answer:?}");
            let apart = p.iter().zip(&answer.p).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-6, "{place}: {apart:e}");
            assert!(answer.iterations > 0 && !answer.link.is_empty());
        }
    }
}

#[test]
fn the_residual_that_refused_is_told() {
    // twelve rows that nearly depend on three: sweeps end where the law's judge would let them pass and the judge of
    // problems does not
    let mut random = Random::new(3);
    let B = MatX::from_fn(12, 3, |_, _| random.between(-1.0, 1.0));
    let W = &B * B.transpose() + MatX::identity(12, 12) * 1e-3;
    let u_free = (0..12).map(|i| if i % 3 == 0 { -1.0 } else { 0.0 }).collect();
    let contacts = vec![ContactData { lambda_n: 50.0, ..contact(0.3) }; 4];
    let space = ContactSpace { h: 0.01, W: W.into(), u_free, contacts, rows: Vec::new() };
    let (law, sweeps) = (Law::Box(BoxLaw::default()), LawSolver::Lcp(LcpSolver::Psor));
    let answer = solve(&space, &law, sweeps, TOL).unwrap();
    assert_eq!(answer.verdict, Verdict::Uncertified);
    assert!(answer.residual.accepts(1e-7), "{:?}", answer.residual);
    assert!(answer.problem > 1e-7 && answer.problem < 1e-4, "{}", answer.problem);
    let refusal = answer.refusal();
    assert_eq!((refusal.law, refusal.problem), (answer.residual, answer.problem));
    let told = StepError::Uncertified(refusal).to_string();
    assert!(told.contains(&format!("{:.1e}", answer.problem)), "{told}");
    // what is certified has both
    let answer = certified(&space, &law);
    assert!(answer.problem <= TOL && answer.residual.accepts(TOL), "{answer:?}");
}

#[test]
fn settings_and_contacts_outside_their_domain_are_named() {
    let space = pressed(2, 1);
    let error = |law: Law| assemble(&space, &law).unwrap_err();
    let setting = |name, rule| LawError::Setting { name, rule };
    let few = Pyramid { facets: 2, ..Default::default() };
    assert_eq!(error(Law::Pyramid(few)), setting("facets", "3 or more"));
    let one = Phantom { directions: 1, ..Default::default() };
    assert_eq!(error(Law::Phantom(one)), setting("directions", "2 or more"));
    let nan = Phantom { rho: f64::NAN, ..Default::default() };
    assert_eq!(error(Law::Phantom(nan)), setting("rho", "0 or more and finite"));
    let none = Hybrid { lambda_min: 0.0, ..Default::default() };
    assert_eq!(error(Law::Hybrid(none)), setting("lambda_min", "positive and finite"));
    let nan = Cone { v_stick: f64::NAN };
    assert_eq!(error(Law::Cone(nan)), setting("v_stick", "0 or more"));

    let mut broken = space.clone();
    broken.contacts[1].mu_k = -0.1;
    let contact = LawError::Contact { contact: 1, name: "mu_k", rule: "0 or more and finite" };
    assert_eq!(assemble(&broken, &Law::Frictionless).unwrap_err(), contact);
    assert_eq!(contact.to_string(), "contact 1: mu_k must be 0 or more and finite");
    let mut broken = space.clone();
    broken.u_free[4] = f64::NAN;
    let error = solve(&broken, &pyramid(), LawSolver::Auto, TOL).unwrap_err();
    assert!(matches!(error, LawError::Problem(_)), "{error}");
    let mut broken = space;
    broken.h = 0.0;
    assert!(assemble(&broken, &pyramid()).is_err());
}

#[test]
fn without_contacts_there_is_nothing_to_do() {
    let space = ContactSpace {
        rows: Vec::new(),
        h: 0.01,
        W: MatX::zeros(0, 0).into(),
        u_free: Vec::new(),
        contacts: Vec::new(),
    };
    for law in super::judging::settings() {
        let answer = certified(&space, &law);
        assert!(answer.p.is_empty() && answer.residual.relative() == 0.0, "{}", law.name());
    }
}

#[test]
fn sparse_contacts_are_the_same_contacts() {
    // two bodies that do not meet: W has two blocks
    let (a, b) = (pressed(2, 3), pressed(1, 5));
    let mut entries = Vec::new();
    for (part, first) in [(&a, 0), (&b, 6)] {
        for (i, j) in
            (0..part.u_free.len()).flat_map(|i| (0..part.u_free.len()).map(move |j| (i, j)))
        {
            entries.push((first + i, first + j, part.W.get(i, j)));
        }
    }
    let sparse = ContactSpace {
        rows: Vec::new(),
        h: a.h,
        W: Csc::from_triplets((9, 9), &mut entries).into(),
        u_free: [a.u_free.clone(), b.u_free.clone()].concat(),
        contacts: [a.contacts.clone(), b.contacts.clone()].concat(),
    };
    for law in super::judging::settings() {
        let expected = [certified(&a, &law).p, certified(&b, &law).p].concat();
        let p = certified(&sparse, &law).p;
        let apart = p.iter().zip(&expected).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(apart < 1e-8, "{}: {apart:e}", law.name());
    }
}

#[test]
fn a_wedge_without_a_way_out_is_not_certified() {
    // the normal impulse of the one pushes the other in: rows of opposite sign, both must open
    let mut W = MatX::identity(6, 6) * 1e-3;
    (W[(0, 0)], W[(0, 3)], W[(3, 0)], W[(3, 3)]) = (1.0, -1.0, -1.0, 1.0);
    let u_free = vec![-1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    let space = ContactSpace {
        h: 0.01,
        W: W.into(),
        u_free,
        contacts: vec![contact(0.2); 2],
        rows: Vec::new(),
    };
    let answer = solve(&space, &Law::Frictionless, LawSolver::Auto, TOL).unwrap();
    assert!(matches!(answer.verdict, Verdict::NoSolution(_)), "{answer:?}");
    for law in [Law::Cone(Cone::default()), Law::Convex(Convex::default()), pyramid()] {
        let answer = solve(&space, &law, LawSolver::Auto, TOL).unwrap();
        assert_ne!(answer.verdict, Verdict::Certified, "{}", law.name());
    }
}
