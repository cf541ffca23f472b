//! The double pendulum, law O: orders of the methods, and both coordinate sets.

use std::f64::consts::FRAC_PI_2;

use crate::mechanisms::{METHODS, Run, SETS, apart, double_pendulum, settings};
use stiction_sim::{Coordinates, Method};

/// θ₁, θ₂, ω₁, ω₂ at t = 1 s and t = 2 s, masses that are points.
const POINT_MASSES: [[f64; 4]; 2] = [
    [-0.6250876998063906, -1.034585085680012, -3.922279572887977, -1.303099248696331],
    [-0.4829715342517544, -1.324048712302363, 3.065288192073401, 2.949271547571619],
];

/// Rotational inertia [kg·m²] that stands for none: it changes the motion by less than rounding does.
const NEARLY_POINTS: f64 = 1e-15;

/// Rotational inertia of the masses where bodies move on their own [kg·m²]: a point could spin for nothing.
const MASSIVE: f64 = 0.1;

/// Lagrange's equations of the pendulum whose masses have the rotational inertia I [kg·m²].
fn rates(I: f64, [a, b, a_dot, b_dot]: [f64; 4]) -> [f64; 4] {
    let (s, c) = (a - b).sin_cos();
    let (m11, m12, m22) = (2.0 + I, c, 1.0 + I);
    let f1 = -s * b_dot * b_dot - 2.0 * 9.81 * a.sin();
    let f2 = s * a_dot * a_dot - 9.81 * b.sin();
    let det = m11 * m22 - m12 * m12;
    [a_dot, b_dot, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
}

/// The angles and their rates after t [s], both arms horizontal and at rest at first, by the classical
/// Runge–Kutta method in steps that leave rounding alone.
fn reference(I: f64, t: f64) -> [f64; 4] {
    let h = 1e-4;
    let mut x = [FRAC_PI_2, FRAC_PI_2, 0.0, 0.0];
    let moved = |x: [f64; 4], k: [f64; 4], h: f64| [0, 1, 2, 3].map(|i| x[i] + h * k[i]);
    for _ in 0..(t / h).round() as usize {
        let k1 = rates(I, x);
        let k2 = rates(I, moved(x, k1, 0.5 * h));
        let k3 = rates(I, moved(x, k2, 0.5 * h));
        let k4 = rates(I, moved(x, k3, h));
        x = [0, 1, 2, 3].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    x
}

/// The same numbers of a pendulum under way, read off its bodies.
fn angles(run: &mut Run) -> [f64; 4] {
    let [a, b] = ["upper", "lower"].map(|name| {
        let (X, V) = run.body(name);
        let arm = -X.R.column(2);
        [arm.x.atan2(-arm.z), -V.w.y]
    });
    [a[0], b[0], a[1], b[1]]
}

/// Largest error at time t of steps of length h.
fn error(I: f64, set: Coordinates, (method, h): (Method, f64), t: f64, exact: [f64; 4]) -> f64 {
    let mut run = double_pendulum(I).run(set);
    let gap = run.steps(&settings(h, method), (t / h).round() as usize);
    assert!(gap <= 1e-10, "{set:?} {method:?}: gap {gap}");
    let found = angles(&mut run);
    (0..4).map(|i| (found[i] - exact[i]).abs()).fold(0.0, f64::max)
}

/// Steps at which the leading term of the error is seen and rounding is not.
fn step_of(method: Method) -> (f64, f64) {
    match method {
        Method::Euler => (2.5e-4, 2.0),
        Method::Symmetric => (2e-3, 4.0),
        Method::Extrapolated => (4e-3, 16.0),
    }
}

#[test]
fn lagranges_equations_of_point_masses_have_the_known_solution() {
    for (t, exact) in [1.0, 2.0].into_iter().zip(POINT_MASSES) {
        let found = reference(0.0, t);
        for i in 0..4 {
            assert!((found[i] - exact[i]).abs() <= 1e-12, "t = {t}: {found:?}");
        }
    }
}

#[test]
fn point_masses_in_generalized_coordinates_approach_the_known_solution_with_the_order() {
    for method in METHODS {
        let (h, expected) = step_of(method);
        let [coarse, fine] = [h, 0.5 * h].map(|h| {
            error(NEARLY_POINTS, Coordinates::Generalized, (method, h), 1.0, POINT_MASSES[0])
        });
        assert!((coarse / fine / expected - 1.0).abs() <= 0.1, "{method:?}: {coarse} {fine}");
    }
    let at_two = error(
        NEARLY_POINTS,
        Coordinates::Generalized,
        (Method::Extrapolated, 5e-4),
        2.0,
        POINT_MASSES[1],
    );
    assert!(at_two <= 1e-11, "{at_two}");
}

#[test]
fn masses_with_inertia_approach_lagranges_solution_with_the_order_in_both_coordinate_sets() {
    let exact = reference(MASSIVE, 1.0);
    for (set, method) in SETS.into_iter().flat_map(|s| METHODS.map(|m| (s, m))) {
        let (h, expected) = step_of(method);
        let [coarse, fine] = [h, 0.5 * h].map(|h| error(MASSIVE, set, (method, h), 1.0, exact));
        assert!(
            (coarse / fine / expected - 1.0).abs() <= 0.1,
            "{set:?} {method:?}: {coarse} {fine}"
        );
    }
}

#[test]
fn the_coordinate_sets_agree_to_the_order_of_the_method() {
    for method in METHODS {
        let (h, expected) = step_of(method);
        let [coarse, fine] = [h, 0.5 * h].map(|h| {
            let [a, b] = SETS.map(|set| {
                let mut run = double_pendulum(MASSIVE).run(set);
                run.steps(&settings(h, method), (1.0 / h).round() as usize);
                run.places()
            });
            apart(&a, &b)
        });
        assert!((coarse / fine / expected - 1.0).abs() <= 0.1, "{method:?}: {coarse} {fine}");
    }
}
