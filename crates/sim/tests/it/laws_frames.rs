//! The same mechanism elsewhere, turned, moving, in another order, under other names: law T.

use crate::mechanisms::{
    METHODS, Mechanism, SETS, apart, floating_chain, floating_tree, settings, sprung_bodies, ten,
};
use stiction_sim::model::{ConstraintKind, FrameSpec, SpringKind};
use stiction_sim::{Coordinates, Method, ModelSpec, Motion, Pose, Quat, StepSettings, Vec3};

/// Step length [s].
const H: f64 = 1e-3;

/// Every frame of a description.
pub(crate) fn frames(spec: &mut ModelSpec) -> Vec<&mut FrameSpec> {
    let mut found = Vec::new();
    for joint in &mut spec.joints {
        found.push(&mut joint.parent);
        found.push(&mut joint.child);
    }
    for constraint in &mut spec.constraints {
        if let ConstraintKind::Joint { a, b, .. } | ConstraintKind::Distance { a, b, .. } =
            &mut constraint.kind
        {
            found.push(a);
            found.push(b);
        }
    }
    for spring in &mut spec.springs {
        if let SpringKind::Points { a, b, .. } | SpringKind::Torsion { a, b } = &mut spring.kind {
            found.push(a);
            found.push(b);
        }
    }
    found
}

/// The mechanism with all of its world at (p, quat).
pub(crate) fn moved(m: &Mechanism, p: Vec3, quat: Quat) -> Mechanism {
    let mut m = m.clone();
    let X = Pose::from_parts(p, quat);
    m.spec.gravity = X.R * m.spec.gravity;
    for frame in frames(&mut m.spec).into_iter().filter(|frame| frame.body.is_none()) {
        frame.p = X.point(&frame.p);
        frame.quat = quat * frame.quat;
    }
    m
}

pub(crate) type Places = Vec<(String, Pose, Motion)>;

/// Where the bodies are after n steps, by name.
fn places(m: &Mechanism, set: Coordinates, s: &StepSettings, n: usize) -> Places {
    let mut run = m.run(set);
    run.steps(s, n);
    let places = run.places();
    let names = run.model.bodies().iter().map(|body| body.name.clone());
    let mut named: Places = names.zip(places).map(|(name, (X, V))| (name, X, V)).collect();
    named.sort_by(|a, b| a.0.cmp(&b.0));
    named
}

/// The largest difference, as a share of the fastest motion if that is above 1 m/s or rad/s.
pub(crate) fn worst(a: &Places, b: &Places) -> f64 {
    let bare = |p: &Places| p.iter().map(|(_, X, V)| (*X, *V)).collect::<Vec<_>>();
    let fastest = a.iter().fold(1.0, |m: f64, (_, _, V)| m.max(V.v.amax()).max(V.w.amax()));
    apart(&bare(a), &bare(b)) / fastest
}

/// Compares every mechanism in both coordinate sets with the changed one after `back`, which is told the
/// time: at most 1e-9 after 100 steps, and after one step what the settings come with.
fn compare(
    settings: &[(StepSettings, f64)],
    change: impl Fn(&Mechanism) -> Mechanism,
    back: impl Fn(&mut Places),
) {
    for (m, set) in ten().iter().flat_map(|m| SETS.map(|set| (m, set))) {
        for (s, after_one) in settings {
            for (n, limit) in [(1, *after_one), (100, after_one.max(1e-9))] {
                let mut found = places(&change(m), set, s, n);
                back(&mut found);
                let error = worst(&places(m, set, s, n), &found);
                assert!(error <= limit, "{} {set:?} {s:?}, {n} steps: {error}", m.name);
            }
        }
    }
}

fn every_method(limit: f64) -> [(StepSettings, f64); 3] {
    METHODS.map(|method| (settings(H, method), limit))
}

#[test]
fn a_turned_world_turns_the_motion() {
    let quat = Quat::exp(&Vec3::new(0.7, -1.1, 0.4));
    let R = quat.to_matrix();
    let back = |places: &mut Places| {
        for (_, X, V) in places {
            *X = Pose::new(R.transpose(), Vec3::zeros()) * *X;
            *V = Motion::new(R.tr_mul(&V.w), R.tr_mul(&V.v));
        }
    };
    compare(&every_method(1e-12), |m| moved(m, Vec3::zeros(), quat), back);
}

#[test]
fn a_world_a_kilometre_away_has_the_same_motion() {
    let s = Vec3::new(600.0, -800.0, 1000.0);
    let back = |places: &mut Places| places.iter_mut().for_each(|(_, X, _)| X.p -= s);
    // places are known to 1e-13 m there, which the Euler step divides by h
    let settings =
        [(Method::Euler, 1e-10), (Method::Symmetric, 1e-12), (Method::Extrapolated, 1e-12)]
            .map(|(method, limit)| (settings(1e-2, method), limit));
    compare(&settings, |m| moved(m, s, Quat::IDENTITY), back);
}

#[test]
fn the_order_of_the_description_does_not_matter() {
    let reversed = |m: &Mechanism| {
        let mut m = m.clone();
        m.spec.bodies.reverse();
        m.spec.joints.reverse();
        m.spec.constraints.reverse();
        m.spec.springs.reverse();
        m
    };
    compare(&every_method(1e-12), reversed, |_| ());
}

#[test]
fn names_change_no_bit() {
    let renamed = |m: &Mechanism| {
        let mut m = m.clone();
        // the order of the names stays, so that the bodies can be compared
        let new = |name: &str| format!("~{name}'s heir");
        for frame in frames(&mut m.spec) {
            frame.body = frame.body.as_deref().map(new);
        }
        m.spec.bodies.iter_mut().for_each(|body| body.name = new(&body.name));
        m
    };
    for (m, set) in ten().iter().flat_map(|m| SETS.map(|set| (m, set))) {
        for (s, _) in every_method(0.0) {
            let [a, b] = [m, &renamed(m)].map(|m| places(m, set, &s, 100));
            assert!(worst(&a, &b) == 0.0, "{} {set:?} {s:?}", m.name);
        }
    }
}

#[test]
fn a_floating_mechanism_moves_the_same_in_a_fast_train() {
    // 1e4 m/s are known to 2e-12 m/s
    for (speed, limit) in [(10.0, [1e-12, 1e-11]), (1e4, [1e-10, 1e-9])] {
        let boost = Vec3::new(0.6, -0.48, 0.64) * speed;
        for (m, set) in [floating_chain(), floating_tree(), sprung_bodies()]
            .iter()
            .flat_map(|m| SETS.map(|set| (m, set)))
        {
            let mut fast = m.clone();
            for start in fast.start.iter_mut().filter(|start| start.v.len() == 6) {
                (0..3).for_each(|i| start.v[i] += boost[i]);
            }
            for method in METHODS {
                for (n, limit) in [1, 100].into_iter().zip(limit) {
                    let mut found = places(&fast, set, &settings(H, method), n);
                    for (_, X, V) in &mut found {
                        X.p -= boost * (n as f64 * H);
                        V.v -= boost;
                    }
                    let error = worst(&places(m, set, &settings(H, method), n), &found);
                    assert!(error <= limit, "{} {set:?} {method:?} {speed}: {error}", m.name);
                }
            }
        }
    }
}
