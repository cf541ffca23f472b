//! A body that nothing pushes: tops with closed forms, momentum, energy, reversal, units.

use stiction_sim::flight::fly;
use stiction_sim::model::{Body, FrameSpec, JointKind};
use stiction_sim::{Coordinates, Inertia, Mat3, Model, ModelSpec, Pose, Quat, Vec3};

/// How the body is stated and carried.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stand {
    /// Free, the body's frame on its centre and principal axes.
    Plain,
    /// Free, axes oblique and the centre off the origin.
    Oblique,
    /// On a ball joint in an oblique frame, its point off the origin of the body's frame.
    Ball,
}

const STANDS: [Stand; 3] = [Stand::Plain, Stand::Oblique, Stand::Ball];

/// A body that flies, its state, and its principal frame.
struct Flight {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    /// The principal axes in B, in the order of the moments as stated.
    R_BK: Mat3,
    moments: Vec3,
}

fn oblique() -> Pose {
    Pose::from_parts(Vec3::new(0.3, -0.2, 0.4), Quat::exp(&Vec3::new(0.7, -1.1, 0.4)))
}

/// A body of 2 kg with these moments about the point it turns about, which starts with the angular velocity
/// `w_K` about its principal axes.
fn flight(stand: Stand, moments: [f64; 3], w_K: [f64; 3]) -> Flight {
    let mut spec = ModelSpec::new();
    let X_UK = if stand == Stand::Plain { Pose::identity() } else { oblique() };
    spec.body("top", Inertia::principal(2.0, moments).moved(&X_UK));
    if stand == Stand::Ball {
        let frame = Quat::exp(&Vec3::new(-0.5, 0.2, 0.8));
        let world = FrameSpec::world().at(1.0, 2.0, 3.0).turned(frame);
        // the ball holds the centre of mass: the moments stay those about it
        let p = X_UK.p;
        spec.joint("ball", JointKind::Ball, world, FrameSpec::of("top").at(p.x, p.y, p.z));
    }
    let model = spec.build(Coordinates::Generalized).expect("a body");
    let R_BK = model.bodies()[0].X_BU.R * X_UK.R;
    let mut state = model.state();
    let w_B = R_BK * Vec3::from(w_K);
    let n = state.v.len();
    state.v[n - 3..].copy_from_slice(w_B.as_slice());
    if stand != Stand::Ball {
        state.q[..3].copy_from_slice(&[0.5, -1.5, 2.5]);
        state.v[..3].copy_from_slice(&[0.3, -0.7, 1.1]);
    }
    // no orientation that is special
    model.integrate(&mut state.q, &vec![0.4; n], 1.0);
    Flight { q: state.q, v: state.v, R_BK, moments: Vec3::from(moments), model }
}

impl Flight {
    fn body(&self) -> &Body {
        &self.model.bodies()[0]
    }

    fn fly(&mut self, h: f64) {
        fly(&self.model.bodies()[0], &mut self.q, &mut self.v, h);
    }

    fn R_JB(&self) -> Mat3 {
        let start = self.body().joint.quaternion().expect("a joint that turns");
        Quat::from_wxyz(&self.q[start..]).to_matrix()
    }

    fn w_K(&self) -> Vec3 {
        self.R_BK.tr_mul(&Vec3::from_column_slice(&self.v[self.v.len() - 3..]))
    }

    /// Angular momentum about the point it turns about, in space.
    fn L(&self) -> Vec3 {
        self.R_JB() * self.R_BK * self.w_K().component_mul(&self.moments)
    }

    fn energy(&self) -> f64 {
        0.5 * self.w_K().component_mul(&self.moments).dot(&self.w_K())
    }

    /// Position and velocity of the centre of mass.
    fn centre(&self) -> (Vec3, Vec3) {
        if self.q.len() == 4 {
            return (Vec3::zeros(), Vec3::zeros());
        }
        let c = self.body().inertia.com;
        let w_B = Vec3::from_column_slice(&self.v[3..]);
        let p = Vec3::from_column_slice(&self.q[..3]) + self.R_JB() * c;
        (p, Vec3::from_column_slice(&self.v[..3]) + self.R_JB() * w_B.cross(&c))
    }
}

/// The largest entry of a difference of rotations [rad, for small ones].
fn apart(a: &Mat3, b: &Mat3) -> f64 {
    (a - b).amax()
}

#[test]
fn a_symmetric_top_turns_as_its_closed_form_at_any_step() {
    // prolate and oblate, the odd axis last
    for moments in [[1.0, 1.0, 0.3], [1.0, 1.0, 1.8]] {
        for (stand, h) in STANDS.into_iter().flat_map(|s| [1e-3, 0.1, 3.7, 40.0].map(|h| (s, h))) {
            // an angle turned is known to a few ulps; over 1e4 steps the rounding of the states also
            // moves the rates, by less than 1e-13 of them
            for (steps, floor, per_angle) in [(1, 1e-15, 2e-15), (10_000, 1e-11, 1e-13)] {
                let mut f = flight(stand, moments, [0.4, -0.3, 1.2]);
                let (L, R_JK, w_K) = (f.L(), f.R_JB() * f.R_BK, f.w_K());
                let (p, v) = f.centre();
                for _ in 0..steps {
                    f.fly(h);
                }
                let t = f64::from(steps) * h;
                let turned = |axis: Vec3, rate: f64| Quat::exp(&(axis * (rate * t))).to_matrix();
                let body = turned(Vec3::z(), (moments[2] - moments[0]) / moments[0] * w_K.z);
                let space = turned(L.normalize(), L.norm() / moments[0]);
                let w_error = (f.w_K() - body * w_K).norm() / w_K.norm();
                let R_error = apart(&(f.R_JB() * f.R_BK), &(space * R_JK * body.transpose()));
                let p_error = (f.centre().0 - (p + v * t)).norm() / (1.0 + (v * t).norm());

                let tolerance = f64::max(floor, per_angle * w_K.norm() * t);
                let error = w_error.max(R_error).max(p_error);
                assert!(
                    error <= tolerance,
                    "{stand:?} {moments:?} {steps} × {h}: w {w_error} R {R_error} p {p_error}"
                );
            }
        }
    }
}

#[test]
fn momentum_stays_for_a_hundred_thousand_steps() {
    for (moments, w_K) in [([1.0, 2.0, 2.7], [0.3, 2.0, 0.5]), ([0.1, 1.0, 1.05], [3.0, 2.0, 0.5])]
    {
        for (stand, h) in STANDS.into_iter().flat_map(|s| [1e-3, 0.3].map(|h| (s, h))) {
            let mut f = flight(stand, moments, w_K);
            let (L, v) = (f.L(), f.centre().1);
            for _ in 0..100_000 {
                f.fly(h);
            }
            let error = (f.L() - L).norm() / L.norm();
            assert!(error <= 1e-12, "{stand:?} {moments:?} h = {h}: L {error}");
            let error = (f.centre().1 - v).norm() / f.w_K().norm();
            assert!(error <= 1e-12, "{stand:?} {moments:?} h = {h}: v {error}");
        }
    }
}

/// Least-squares slope of y over its index.
fn slope(y: &[f64]) -> f64 {
    let n = y.len() as f64;
    let middle = 0.5 * (n - 1.0);
    let moment: f64 = y.iter().enumerate().map(|(i, y)| (i as f64 - middle) * y).sum();
    moment / (n * (n * n - 1.0) / 12.0)
}

#[test]
fn the_energy_of_an_asymmetric_top_swings_with_h_squared_and_has_no_trend() {
    for stand in STANDS {
        let amplitude = |h: f64| {
            let mut f = flight(stand, [1.0, 2.0, 2.7], [0.3, 2.0, 0.5]);
            let E = f.energy();
            let error: Vec<f64> = (0..100_000)
                .map(|_| {
                    f.fly(h);
                    f.energy() / E - 1.0
                })
                .collect();
            let amplitude = error.iter().fold(0.0, |a: f64, e| a.max(e.abs()));
            let trend = slope(&error) * error.len() as f64;
            // an oscillation of n periods has a fitted trend of up to 2/n of its amplitude: here n > 150
            assert!(trend.abs() <= 0.013 * amplitude, "{stand:?} h = {h}: {trend} of {amplitude}");
            amplitude
        };
        let ratio = amplitude(0.04) / amplitude(0.02);
        assert!((3.8..=4.2).contains(&ratio), "{stand:?}: {ratio}");
    }
}

/// T̃ − T of the theory page, without its factor h²: a, b, c are the middle axis, the one of the smaller and the one
/// of the larger κ.
fn shadow(f: &Flight, [a, b, c]: [usize; 3]) -> f64 {
    let Pi = f.w_K().component_mul(&f.moments);
    let square = |i: usize| Pi[i] * Pi[i];
    let kappa = |i: usize| 1.0 / f.moments[i] - 1.0 / f.moments[a];
    kappa(b)
        * kappa(c)
        * (kappa(c) * square(c) * (square(a) - square(b)) / 12.0
            - kappa(b) * square(b) * (square(a) - square(c)) / 24.0)
}

#[test]
fn the_error_of_the_energy_is_that_of_the_theory_up_to_h_to_the_fourth() {
    for (moments, axes) in [([1.0, 2.0, 2.7], [1, 2, 0]), ([1.0, 1.3, 2.0], [1, 0, 2])] {
        let rest = |h: f64| {
            let mut f = flight(Stand::Oblique, moments, [1.0, 0.5, 1.5]);
            let shadowed = |f: &Flight| f.energy() + h * h * shadow(f, axes);
            let E = shadowed(&f);
            (0..(20.0 / h) as usize).fold(0.0, |largest: f64, _| {
                f.fly(h);
                largest.max((shadowed(&f) - E).abs())
            })
        };
        let ratio = rest(0.08) / rest(0.04);
        assert!((15.0..=17.0).contains(&ratio), "{moments:?}: {ratio}");
    }
}

/// Complete elliptic integral of the first kind, by the arithmetic–geometric mean.
fn K(k2: f64) -> f64 {
    let (mut a, mut g) = (1.0, (1.0 - k2).sqrt());
    for _ in 0..10 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// The period of ω for moments in ascending order.
pub(crate) fn elliptic_period([I1, I2, I3]: [f64; 3], w: [f64; 3]) -> f64 {
    let L2 = (I1 * w[0]).powi(2) + (I2 * w[1]).powi(2) + (I3 * w[2]).powi(2);
    let E2 = I1 * w[0] * w[0] + I2 * w[1] * w[1] + I3 * w[2] * w[2];
    let (high, low) = ((I3 - I2) * (L2 - E2 * I1), (I2 - I1) * (E2 * I3 - L2));
    let Omega = (high.max(low) / (I1 * I2 * I3)).sqrt();
    4.0 * K(high.min(low) / high.max(low)) / Omega
}

/// The time between the first two upward zeros of ω₂, with the last step of each cut to fit.
fn flip_period(stand: Stand, moments: [f64; 3], w: [f64; 3], h: f64) -> f64 {
    let mut f = flight(stand, moments, w);
    let zero = |f: &mut Flight| {
        let mut time = 0.0;
        loop {
            let (q, v, before) = (f.q.clone(), f.v.clone(), f.w_K().y);
            f.fly(h);
            time += h;
            if before < 0.0 && f.w_K().y >= 0.0 {
                let (mut low, mut high) = (0.0, h);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    (f.q, f.v) = (q.clone(), v.clone());
                    f.fly(middle);
                    *(if f.w_K().y < 0.0 { &mut low } else { &mut high }) = middle;
                }
                (f.q, f.v) = (q, v);
                f.fly(high);
                return time - h + high;
            }
        }
    };
    zero(&mut f);
    zero(&mut f)
}

#[test]
fn the_tennis_racket_flips_with_the_elliptic_period() {
    let sets = [
        // spun about the middle axis: a plate, a box with κ of either size, a needle-like body
        ([1.0, 2.0, 3.0], [0.1, 3.0, 0.02]),
        ([1.0, 2.0, 2.2], [0.05, 4.0, 0.01]),
        ([1.0, 1.2, 2.0], [0.02, 5.0, 0.05]),
        ([0.2, 1.0, 1.1], [0.1, 2.0, 0.03]),
        // far from the middle axis
        ([1.0, 2.0, 2.7], [1.0, 0.5, 2.0]),
    ];
    for (moments, w) in sets {
        let exact = elliptic_period(moments, w);
        for stand in STANDS {
            let error = |h: f64| flip_period(stand, moments, w, h) / exact - 1.0;
            let ratio = error(4e-3) / error(2e-3);
            assert!((3.8..=4.2).contains(&ratio), "{stand:?} {moments:?}: ratio {ratio}");
            let error = error(1e-3);
            assert!(error.abs() <= 1e-5, "{stand:?} {moments:?}: {error}");
        }
    }
}

/// Largest entry of a − b against the largest of a.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / largest
}

#[test]
fn backwards_in_time_every_flight_returns() {
    for (stand, h) in STANDS.into_iter().flat_map(|s| [1e-3, 0.05].map(|h| (s, h))) {
        let mut f = flight(stand, [1.0, 2.0, 2.7], [1.0, 0.5, 2.0]);
        let (q, v) = (f.q.clone(), f.v.clone());
        for _ in 0..10_000 {
            f.fly(h);
        }
        assert!(difference(&q, &f.q) > 1e-2, "it has moved");
        for _ in 0..10_000 {
            f.fly(-h);
        }
        let error = difference(&q, &f.q).max(difference(&v, &f.v));
        assert!(error <= 1e-10, "{stand:?} h = {h}: {error}");
    }
}

#[test]
fn spinning_a_hundred_radians_a_step_breaks_nothing() {
    for (stand, spin) in STANDS.into_iter().flat_map(|s| [10.0, 31.4, 100.0].map(|w| (s, w))) {
        let axis = Vec3::new(0.6, -0.64, 0.48) * spin;
        let mut f = flight(stand, [0.3, 1.0, 1.1], axis.into());
        let (L, v, q0, v0) = (f.L(), f.centre().1, f.q.clone(), f.v.clone());
        let bounds = L.norm_squared() / 2.2..=L.norm_squared() / 0.6;
        for _ in 0..1000 {
            f.fly(1.0);
            let quat = Quat::from_wxyz(&f.q[f.q.len() - 4..]);
            assert!((quat.norm() - 1.0).abs() <= 4.0 * f64::EPSILON);
            // no body with this L has more or less
            assert!(bounds.contains(&f.energy()), "{stand:?} {spin}: {}", f.energy());
        }
        assert!((f.L() - L).norm() <= 1e-12 * L.norm(), "{stand:?} {spin}");
        assert!((f.centre().1 - v).norm() <= 1e-12 * spin, "{stand:?} {spin}");
        // one step and back: the map is chaotic at this size, so more would not return
        (f.q, f.v) = (q0.clone(), v0.clone());
        f.fly(1.0);
        f.fly(-1.0);
        // angles of 100 rad are known to 1e-14, and their error is seen through sensitivities of 100
        let error = difference(&q0, &f.q).max(difference(&v0, &f.v));
        assert!(error <= 1e-11, "{stand:?} {spin}: {error}");
    }
}

#[test]
fn moments_that_differ_in_the_last_bits_are_as_good_as_equal() {
    let e = 1e-15;
    let cases = [
        ([1.0, 1.0, 1.0], [1.0, 1.0 + e, 1.0 - e]),
        ([1.0, 1.0, 1.0], [1.0 + e, 1.0 - e, 1.0]),
        ([1.0, 1.0, 1.5], [1.0 + e, 1.0 - e, 1.5]),
        ([1.5, 1.0, 1.5], [1.5 - e, 1.0, 1.5 + e]),
    ];
    for ((equal, nearly), stand) in cases.into_iter().flat_map(|c| STANDS.map(|s| (c, s))) {
        let (mut a, mut b) =
            (flight(stand, equal, [0.4, -0.3, 1.2]), flight(stand, nearly, [0.4, -0.3, 1.2]));
        for _ in 0..1000 {
            a.fly(0.1);
            b.fly(0.1);
        }
        // 130 rad turned, with moments known to 1e-15
        let error = difference(&a.q, &b.q).max(difference(&a.v, &b.v));
        assert!(error <= 1e-12, "{stand:?} {nearly:?}: {error}");
    }
}

/// A hundred steps of a body with lengths times 2^m, times times 2^s and masses times 2^kg; q and v in the old
/// units again.
fn in_units(joint: JointKind, [m, s, kg]: [i32; 3]) -> (Vec<f64>, Vec<f64>) {
    let (metre, second, kilogram) = (2f64.powi(m), 2f64.powi(s), 2f64.powi(kg));
    let mut inertia = Inertia::principal(2.0, [1.0, 2.0, 2.7]).moved(&oblique());
    inertia.mass *= kilogram;
    inertia.com *= metre;
    inertia.I_com *= kilogram * metre * metre;
    let mut spec = ModelSpec::new();
    spec.body("top", inertia);
    spec.joint("joint", joint, FrameSpec::world(), FrameSpec::of("top"));
    let model = spec.build(Coordinates::Generalized).expect("a body");

    // how many of the positions and velocities are lengths
    let lengths = match joint {
        JointKind::Free => 3,
        JointKind::Planar => 2,
        _ => 0,
    };
    let unit = |i: usize| if i < lengths { metre } else { 1.0 };
    let mut state = model.state();
    for (i, v) in state.v.iter_mut().enumerate() {
        *v = 0.6 * unit(i) / second;
    }
    for _ in 0..100 {
        fly(&model.bodies()[0], &mut state.q, &mut state.v, 0.01 * second);
    }
    let q = state.q.iter().enumerate().map(|(i, q)| q / unit(i)).collect();
    let v = state.v.iter().enumerate().map(|(i, v)| v / unit(i) * second).collect();
    (q, v)
}

#[test]
fn units_that_are_powers_of_two_change_no_bit() {
    for joint in [JointKind::Free, JointKind::Ball, JointKind::Planar] {
        let (q, v) = in_units(joint, [0, 0, 0]);
        for i in 0..64 {
            let exponents = [i % 4, i / 4 % 4, i / 16].map(|k| [-20, -10, 10, 20][k as usize]);
            let (q_scaled, v_scaled) = in_units(joint, exponents);
            assert_eq!((&q, &v), (&q_scaled, &v_scaled), "{joint:?} {exponents:?}");
        }
    }
}

#[test]
fn in_the_plane_the_centre_goes_straight_and_the_turn_is_even() {
    let mut spec = ModelSpec::new();
    spec.body("plate", Inertia::principal(2.0, [1.0, 2.0, 2.7]).moved(&oblique()));
    spec.joint("plane", JointKind::Planar, FrameSpec::world(), FrameSpec::of("plate"));
    let model = spec.build(Coordinates::Generalized).expect("a plate");
    let body = &model.bodies()[0];
    let c = body.inertia.com;
    let centre = |q: &[f64], v: &[f64]| {
        let (s, cos) = q[2].sin_cos();
        let arm = [cos * c.x - s * c.y, s * c.x + cos * c.y];
        let p = [q[0] + arm[0], q[1] + arm[1]];
        (p, [v[0] - v[2] * arm[1], v[1] + v[2] * arm[0]])
    };
    for h in [1e-3, 0.7, 50.0] {
        let (mut q, mut v) = (vec![0.3, -0.2, 0.5], vec![0.7, 1.1, -1.9]);
        let (p0, v0) = centre(&q, &v);
        for _ in 0..1000 {
            fly(body, &mut q, &mut v, h);
        }
        let (p, v1) = centre(&q, &v);
        let t = 1000.0 * h;
        for i in 0..2 {
            // a thousand roundings of positions of this size
            let tolerance = 1e-13 * (1.0 + t);
            assert!((p[i] - p0[i] - v0[i] * t).abs() <= tolerance, "h = {h}: p");
            assert!((v1[i] - v0[i]).abs() <= 1e-13, "h = {h}: v");
        }
        assert!((q[2] - 0.5 + 1.9 * t).abs() <= 1e-13 * (1.0 + t) && v[2] == -1.9, "h = {h}");
    }
}

#[test]
fn a_body_that_does_not_turn_keeps_its_orientation_to_the_bit() {
    let mut f = flight(Stand::Oblique, [1.0, 2.0, 2.7], [0.0; 3]);
    let (quat, v) = (f.q[3..].to_vec(), f.v.clone());
    for _ in 0..1000 {
        f.fly(0.1);
    }
    assert_eq!((&f.q[3..], &f.v), (&quat[..], &v));
}

#[test]
fn armature_children_and_parents_keep_a_body_from_flying() {
    let build = |armature: &[f64], kind: JointKind, child: bool| {
        let mut spec = ModelSpec::new();
        spec.body("top", Inertia::principal(2.0, [1.0, 2.0, 2.7]));
        spec.joint("joint", kind, FrameSpec::world(), FrameSpec::of("top")).armature =
            armature.to_vec();
        if child {
            spec.body("child", Inertia::principal(1.0, [1.0, 1.0, 1.0]));
            spec.joint("hold", JointKind::Ball, FrameSpec::of("top"), FrameSpec::of("child"));
        }
        let model = spec.build(Coordinates::Generalized).expect("a model");
        model.bodies().iter().map(|body| (body.flies(), body.top.is_some())).collect::<Vec<_>>()
    };
    for kind in [JointKind::Free, JointKind::Ball, JointKind::Planar] {
        let turns = kind != JointKind::Planar;
        assert_eq!(build(&[], kind, false), [(true, turns)], "{kind:?}");
        assert_eq!(build(&[0.1], kind, false), [(false, false)], "{kind:?}");
        assert_eq!(build(&[], kind, true), [(false, false), (false, false)], "{kind:?}");
    }
    assert_eq!(build(&[], JointKind::Revolute { axis: Vec3::z() }, false), [(false, false)]);
}
