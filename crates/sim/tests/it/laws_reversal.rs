//! Time reversal of smooth motion by the symmetric method, law V.

use crate::mechanisms::{
    CRANK_ROCKER, Mechanism, SETS, apart, bricard, double_pendulum, floating_chain, floating_tree,
    four_bar, gears, hanging_chain, settings, sprung_bodies,
};
use stiction_sim::{Coordinates, Method};

/// How far the bodies moved in n steps, and how far they are from where they began after as many steps back.
fn there_and_back(m: &Mechanism, set: Coordinates, method: Method, n: usize) -> (f64, f64) {
    let mut run = m.run(set);
    let before = run.places();
    run.steps(&settings(1e-3, method), n);
    let moved = apart(&before, &run.places());
    run.turn_back();
    run.steps(&settings(1e-3, method), n);
    run.turn_back();
    (moved, apart(&before, &run.places()))
}

#[test]
fn the_symmetric_method_returns_when_the_velocities_are_turned_round() {
    let mechanisms = [
        double_pendulum(0.1),
        hanging_chain(),
        sprung_bodies(),
        four_bar(CRANK_ROCKER, 0.8, 5.0),
        floating_chain(),
        floating_tree(),
        bricard(),
        gears(),
    ];
    for (m, set) in mechanisms.iter().flat_map(|m| SETS.map(|set| (m, set))) {
        let (moved, left) = there_and_back(m, set, Method::Symmetric, 500);
        assert!(moved > 1.0 && left <= 1e-10, "{} {set:?}: {left} of {moved}", m.name);
    }
}

/// So the test above can fail: the others return as far as their error lets them.
#[test]
fn the_other_methods_are_not_reversible() {
    for set in SETS {
        let (_, euler) = there_and_back(&sprung_bodies(), set, Method::Euler, 500);
        assert!(euler > 1e-2, "{set:?}: {euler}");
        let (_, extrapolated) = there_and_back(&sprung_bodies(), set, Method::Extrapolated, 500);
        assert!((1e-10..1e-8).contains(&extrapolated), "{set:?}: {extrapolated}");
    }
}
