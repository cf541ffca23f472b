//! Momentum of mechanisms that float, law B with joints of all kinds.

use crate::mechanisms::{METHODS, Mechanism, Run, floating_chain, floating_tree, settings};
use stiction_sim::{Coordinates, Force, Method, StepSettings};

/// Sums of the sizes of what the bodies have: linear [N·s], and angular about the origin [N·m·s].
fn sizes(run: &mut Run) -> (f64, f64) {
    let places = run.places();
    let bodies = run.model.bodies().iter().zip(places);
    bodies.fold((0.0, 0.0), |(linear, angular), (body, (X, V))| {
        let I = body.inertia;
        let arm = X.R * I.com;
        let mv = (V.v + V.w.cross(&arm)) * I.mass;
        let spin = I.I_com * X.R.tr_mul(&V.w);
        (linear + mv.norm(), angular + (X.p + arm).norm() * mv.norm() + spin.norm())
    })
}

/// Largest change of a step, and the change of all n, as shares of the sizes.
fn changes(m: &Mechanism, set: Coordinates, s: &StepSettings, n: usize) -> ([f64; 2], [f64; 2]) {
    let mut run = m.run(set);
    let before = run.momentum();
    let (mut last, mut worst) = (before, [0.0f64; 2]);
    for _ in 0..n {
        run.step(s);
        let now = run.momentum();
        let (linear, angular) = sizes(&mut run);
        let change = now - last;
        worst[0] = worst[0].max(change.f.norm() / linear);
        worst[1] = worst[1].max(change.t.norm() / angular);
        last = now;
    }
    let (linear, angular) = sizes(&mut run);
    let Force { t, f } = last - before;
    (worst, [f.norm() / linear, t.norm() / angular])
}

#[test]
fn bodies_held_by_rows_keep_their_momentum_at_every_step_and_for_ten_thousand() {
    for (m, method) in
        [floating_chain(), floating_tree()].iter().flat_map(|m| METHODS.map(|method| (m, method)))
    {
        // the chain has every kind of joint, the tree is small enough to run long with every method
        let n = match (m.name, method) {
            ("floating tree", Method::Euler | Method::Symmetric) => 10_000,
            (_, Method::Euler) => 5_000,
            _ => 500,
        };
        let (step, all) = changes(m, Coordinates::Maximal, &settings(1e-3, method), n);
        assert!(step[0] <= 1e-13 && step[1] <= 1e-12, "{} {method:?}: {step:?}", m.name);
        // no more than one step may: nothing adds up
        assert!(all[0] <= 1e-13 && all[1] <= 1e-12, "{} {method:?}: {all:?}", m.name);
    }
}

#[test]
fn the_momentum_of_trees_changes_by_a_power_of_the_step() {
    // a power more than the error of the method's whole motion; Euler: C h² per step
    for (m, (method, expected)) in [floating_chain(), floating_tree()]
        .iter()
        .flat_map(|m| [(Method::Euler, 4.0), (Method::Symmetric, 8.0)].map(|case| (m, case)))
    {
        let worst = |h: f64| {
            let n = (0.1 / h).round() as usize;
            changes(m, Coordinates::Generalized, &settings(h, method), n).0
        };
        let (coarse, fine) = (worst(2e-3), worst(1e-3));
        for i in 0..2 {
            let ratio = coarse[i] / fine[i];
            assert!((ratio / expected - 1.0).abs() <= 0.05, "{} {method:?}: {ratio}", m.name);
        }
    }
}
