//! One point mass on a plane: open, stick, slip, for each law with its closed form.

use super::*;

const M: f64 = 2.0;
const MU: f64 = 0.5;
const H: f64 = 0.01;

/// 2 kg that would move with (n, t1, t2); the last step pressed it with 4 N·s.
fn point(u_free: [f64; 3], data: ContactData) -> ContactSpace {
    let W = MatX::identity(3, 3) / M;
    ContactSpace {
        h: H,
        W: W.into(),
        u_free: u_free.to_vec(),
        contacts: vec![data],
        rows: Vec::new(),
    }
}

fn resting() -> ContactData {
    ContactData { lambda_n: 4.0 / H, ..contact(MU) }
}

fn pyramid(facets: usize) -> Law {
    Law::Pyramid(Pyramid { facets, ..Default::default() })
}

fn all_laws() -> Vec<Law> {
    vec![
        Law::Frictionless,
        pyramid(4),
        Law::Phantom(Phantom::default()),
        Law::Box(BoxLaw::default()),
        Law::Hybrid(Hybrid::default()),
        Law::Cone(Cone::default()),
        Law::Convex(Convex::default()),
    ]
}

fn assert_impulse(name: &str, space: &ContactSpace, law: &Law, expected: [f64; 3]) {
    let answer = certified(space, law);
    for a in 0..3 {
        let apart = (answer.p[a] - expected[a]).abs();
        assert!(apart < 1e-10, "{name}, {}: {:?}, not {expected:?}", law.name(), answer.p);
    }
}

#[test]
fn what_separates_feels_nothing() {
    let space = point([1.0, 3.0, -1.0], resting());
    for law in all_laws() {
        // the box law bounds friction by the last step: it still rubs where it no longer touches
        let expected = match law {
            Law::Box(_) | Law::Hybrid(_) => [0.0, -2.0, 2.0],
            Law::Convex(_) => continue,
            _ => [0.0; 3],
        };
        assert_impulse("open", &space, &law, expected);
    }
    // the convex law asks for u_n ≥ μ‖u_t‖: fast enough away, it is open too
    assert_impulse(
        "open",
        &point([2.0, 3.0, -1.0], resting()),
        &Law::Convex(Convex::default()),
        [0.0; 3],
    );
}

#[test]
fn friction_holds_what_is_slow() {
    let space = point([-2.0, 0.3, -0.4], resting());
    for law in &all_laws()[1..] {
        assert_impulse("stick", &space, law, [4.0, -0.6, 0.8]);
        let answer = certified(&space, law);
        assert_eq!(contact_modes(&answer.p, &answer.u, 1e-9, 1e-9), [ContactMode::Stick]);
        // sticking inside of all sections is sticking for Coulomb too
        assert!(answer.coulomb.accepts(1e-10), "{}: {:?}", law.name(), answer.coulomb);
    }
    assert_impulse("stick", &space, &Law::Frictionless, [4.0, 0.0, 0.0]);
    // Coulomb would have stopped it: μ p_n ‖u_t‖ = 0.5 · 4 · 0.5 J are missing
    let missed = certified(&space, &Law::Frictionless).coulomb.misalignment;
    assert!((missed - 1.0).abs() < 1e-12, "{missed}");
}

#[test]
fn along_the_first_tangent_all_sections_end_at_mu_p_n() {
    let space = point([-2.0, 3.0, 0.0], resting());
    for law in &all_laws()[1..6] {
        assert_impulse("slip", &space, law, [4.0, -2.0, 0.0]);
        let answer = certified(&space, law);
        let ContactMode::Slip { direction } = contact_modes(&answer.p, &answer.u, 1e-9, 1e-9)[0]
        else {
            panic!("{} does not slip", law.name())
        };
        assert!((direction[0] - 1.0).abs() < 1e-12 && direction[1].abs() < 1e-9);
    }
}

#[test]
fn across_the_axes_each_section_has_its_own_corner() {
    let rest = point([-2.0, 3.0, 4.0], resting());
    // the diamond's nearest point to −(6, 8), the square's, the disc's
    assert_impulse("diamond", &rest, &pyramid(4), [4.0, 0.0, -2.0]);
    assert_impulse("square", &rest, &Law::Phantom(Phantom::default()), [4.0, -2.0, -2.0]);
    assert_impulse("square", &rest, &Law::Box(BoxLaw::default()), [4.0, -2.0, -2.0]);
    assert_impulse("disc", &rest, &Law::Cone(Cone::default()), [4.0, -1.2, -1.6]);
    // laws that know the slip turn to it
    let sliding = point([-2.0, 3.0, 4.0], ContactData { u_t: [6.0, 8.0], ..resting() });
    assert_impulse("turned", &sliding, &Law::Hybrid(Hybrid::default()), [4.0, -1.2, -1.6]);
    assert_impulse("turned", &sliding, &Law::Phantom(Phantom::default()), [4.0, -1.2, -1.6]);
    assert_impulse("fixed", &sliding, &Law::Box(BoxLaw::default()), [4.0, -2.0, -2.0]);
}

#[test]
fn across_the_slip_friction_is_free_or_linearized() {
    // slides along t1, and is about to drift along t2
    let slips = ContactData { u_t: [10.0, 0.0], ..resting() };
    let space = point([-2.0, 9.0, 1.0], slips);
    let law = |lateral| Law::Phantom(Phantom { lateral, ..Default::default() });
    assert_impulse("free", &space, &law(Lateral::Free), [4.0, -2.0, 0.0]);
    // ε_l = ‖u_t‖/(μ λ_n h) = 10/2, u_l = 1 + p_l/2 = −5 p_l
    let relaxed = Lateral::Relaxed { lambda_min: 1e-6 };
    assert_impulse("relaxed", &space, &law(relaxed), [4.0, -2.0, -1.0 / 5.5]);
    assert_impulse("relaxed", &space, &Law::Hybrid(Hybrid::default()), [4.0, -2.0, -1.0 / 5.5]);
    // nothing remembered: the least force stands in, λ_min = 4 N, ε_l = 10/(0.5·4·0.01)
    let forgot = point([-2.0, 9.0, 1.0], ContactData { lambda_n: 0.0, ..slips });
    let clamped = law(Lateral::Relaxed { lambda_min: 4.0 });
    assert_impulse("clamped", &forgot, &clamped, [4.0, -2.0, -1.0 / 500.5]);
}

#[test]
fn a_bristle_gives_way_and_remembers() {
    let (k, b) = (3e4, 200.0);
    let data = ContactData {
        bristle: Some(Relaxation { k, b }),
        u_t: [0.0, 0.0005],
        lambda_t: [-30.0, 0.0],
        ..resting()
    };
    let space = point([-2.0, 0.4, 0.0], data);
    // spring: λ⁺ = λ − k h u⁺ − b (u⁺ − u), mass: u⁺ = u_free + h λ⁺/m
    let force = |lambda: f64, u: f64, u_free: f64| {
        (lambda + b * u - (k * H + b) * u_free) / (1.0 + (k * H + b) * H / M)
    };
    let expected = [4.0, H * force(-30.0, 0.0, 0.4), H * force(0.0, 0.0005, 0.0)];
    assert!(expected[1] < -0.5 && expected[2] > 0.0);
    let phantom = Law::Phantom(Phantom::default());
    for law in [phantom, Law::Box(BoxLaw::default()), Law::Hybrid(Hybrid::default())] {
        assert_impulse("bristle", &space, &law, expected);
    }
}

#[test]
fn static_friction_holds_more_than_kinetic() {
    let data = ContactData { mu_s: 0.5, mu_k: 0.25, ..resting() };
    let rest = point([-2.0, 3.0, 0.0], data);
    let slides = point([-2.0, 3.0, 0.0], ContactData { u_t: [3.0, 0.0], ..data });
    for law in &all_laws()[1..6] {
        assert_impulse("static", &rest, law, [4.0, -2.0, 0.0]);
        assert_impulse("kinetic", &slides, law, [4.0, -1.0, 0.0]);
    }
    // the threshold itself slides
    let at = |u_t| point([-2.0, 3.0, 0.0], ContactData { u_t: [u_t, 0.0], ..data });
    let law = Law::Cone(Cone { v_stick: 0.25 });
    assert_impulse("below", &at(0.2499), &law, [4.0, -2.0, 0.0]);
    assert_impulse("at", &at(0.25), &law, [4.0, -1.0, 0.0]);
}

#[test]
fn modes_are_read_off_impulses_and_velocities() {
    let p = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, -0.5, 0.0, f64::NAN, 0.0, 0.0];
    let u = [1.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0];
    let slip = ContactMode::Slip { direction: [0.6, 0.8] };
    let expected = [ContactMode::Open, ContactMode::Stick, slip, ContactMode::Open];
    assert_eq!(contact_modes(&p, &u, 0.0, 0.0), expected);
    assert_eq!(contact_modes(&p[6..9], &u[6..9], 0.0, 5.0), [ContactMode::Stick]);
    assert_eq!(contact_modes(&p[6..9], &u[6..9], 1.0, 0.0), [ContactMode::Open]);
}

#[test]
fn the_convex_law_lifts_what_slides() {
    // p_n = m x with −2 + x = μ(3 − μ x)
    let space = point([-2.0, 3.0, 0.0], resting());
    let law = Law::Convex(Convex::default());
    assert_impulse("lift", &space, &law, [5.6, -2.8, 0.0]);
    let answer = certified(&space, &law);
    assert!((answer.u[0] - MU * answer.u[1]).abs() < 1e-10 && answer.u[0] > 0.7);
    // and the distance from Coulomb is the power of the lift
    assert!((answer.coulomb.complementarity - 5.6 * 0.8).abs() < 1e-9);
    assert!(answer.residual.accepts(1e-10));
}

#[test]
fn the_convex_law_slides_on_a_gap_of_h_mu_v() {
    // so heavy along t1 that friction does not slow it. The closed gap throws it up with μ v = 5 m/s; after 1.02 s it
    // is back, and rests
    let (h, v) = (0.01, 10.0);
    let W = MatX::from_diagonal(&nalgebra::DVector::from_vec(vec![1.0, 1e-9, 1e-9]));
    let (mut phi, mut u_n) = (0.0, 0.0);
    for _ in 0..150 {
        let c = ContactData { phi, d_n: phi / h, ..contact(MU) };
        let u_free = vec![u_n - 9.81 * h, v, 0.0];
        let space =
            ContactSpace { h, W: W.clone().into(), u_free, contacts: vec![c], rows: Vec::new() };
        u_n = certified(&space, &Law::Convex(Convex::default())).u[0];
        phi += h * u_n;
    }
    assert!((phi - h * MU * v).abs() < 1e-8 && u_n.abs() < 1e-6, "{phi} {u_n}");
    // from a closed gap the first jump of a point mass: u_n = μ v/(1 + μ²)
    let space = point([0.0, v, 0.0], contact(MU));
    let u = certified(&space, &Law::Convex(Convex::default())).u;
    assert!((u[0] - MU * v / (1.0 + MU * MU)).abs() < 1e-8, "{u:?}");
}

#[test]
fn a_gap_may_close_but_not_more() {
    let far = ContactData { phi: 0.015, ..resting() };
    let rows = |rows| Law::Pyramid(Pyramid { facets: 4, rows, ..Default::default() });
    let space = point([-2.0, 0.0, 0.0], far);
    // φ/h = 1.5 m/s may be used up
    assert_impulse("ST", &space, &rows(NormalRows::StewartTrinkle), [1.0, 0.0, 0.0]);
    assert_impulse("AP", &space, &rows(NormalRows::AnitescuPotra), [4.0, 0.0, 0.0]);
    let given = point([-2.0, 0.0, 0.0], ContactData { d_n: 0.5, ..far });
    for law in all_laws() {
        assert_impulse("d_n", &given, &law, [3.0, 0.0, 0.0]);
    }
    // a soft normal: (1/m + ε_n) p_n = 2
    let soft = point([-2.0, 0.0, 0.0], ContactData { eps_n: 0.3, ..far });
    for law in all_laws() {
        assert_impulse("ε_n", &soft, &law, [2.5, 0.0, 0.0]);
    }
}
