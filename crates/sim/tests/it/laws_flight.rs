//! Bodies under gravity and under none, through `step`: laws A, M, M2, N.

use crate::flight::elliptic_period;
use crate::mechanisms::{METHODS, Mechanism, Run, SETS, settings};
use stiction_sim::flight::fly;
use stiction_sim::model::{FrameSpec, JointKind};
use stiction_sim::{
    BodyId, Coordinates, Data, Inertia, Input, Loads, Method, Model, ModelSpec, Pose, Quat,
    Situation, State, Vec3, step,
};

const G: f64 = 9.81;

/// A body thrown up with spin, on a joint that lets it.
fn thrown(kind: JointKind) -> Mechanism {
    let mut m = Mechanism::new("thrown");
    let X = Pose::from_parts(Vec3::new(0.1, -0.07, 0.2), Quat::exp(&Vec3::new(0.3, -0.4, 0.2)));
    let inertia = Inertia::principal(2.0, [0.11, 0.17, 0.23]).moved(&X);
    let (q, v, world): (&[f64], &[f64], FrameSpec) = match kind {
        JointKind::Free => (
            &[0.0, 0.0, 1.0, 0.8, 0.6, 0.0, 0.0],
            &[0.3, 0.2, 4.0, 2.0, -1.0, 3.0],
            FrameSpec::world(),
        ),
        // the plane's y is up
        JointKind::Planar => {
            let turn = Quat::exp(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
            (&[0.2, 1.0, 0.3], &[0.5, 4.0, 3.0], FrameSpec::world().turned(turn))
        }
        _ => (&[1.0], &[4.0], FrameSpec::world()),
    };
    m.link("body", inertia, (kind, world, FrameSpec::of("body")), (q, v));
    m
}

/// Height and rate of the centre of mass.
fn centre(run: &mut Run) -> (f64, f64) {
    let c = run.model.bodies()[0].inertia.com;
    let (X, V) = run.body("body");
    (X.point(&c).z, (V.v + V.w.cross(&(X.R * c))).z)
}

#[test]
fn what_is_thrown_falls_by_the_discrete_and_by_the_continuous_law() {
    let kinds = [JointKind::Free, JointKind::Planar, JointKind::Prismatic { axis: Vec3::z() }];
    for (kind, set) in kinds.into_iter().flat_map(|k| SETS.map(|set| (k, set))) {
        for method in METHODS {
            let h = 1e-3;
            let mut run = thrown(kind).run(set);
            let (z, v) = centre(&mut run);
            run.steps(&settings(h, method), 1000);
            let (z_1, v_1) = centre(&mut run);
            let t = 1.0;
            // the impulse of gravity comes before the motion in the Euler step, in halves around it in the others
            let lag = if method == Method::Euler { h } else { 0.0 };
            let (discrete, continuous) =
                (z + v * t - 0.5 * G * t * (t + lag), z + v * t - 0.5 * G * t * t);
            let context = format!("{kind:?} {set:?} {method:?}");
            assert!((v_1 - (v - G * t)).abs() <= 1e-13 * G * t, "{context}: {v_1}");
            assert!((z_1 - discrete).abs() <= 1e-12, "{context}: {z_1}");
            assert!((z_1 - continuous).abs() <= 0.5 * G * t * h * (1.0 + 1e-9), "{context}: {z_1}");
        }
    }
}

/// A body whose point on its axis of symmetry is held by a ball joint, free of gravity.
fn top(h_arm: f64) -> Mechanism {
    let mut m = Mechanism::new("top");
    m.spec.gravity = Vec3::zeros();
    let inertia = Inertia::principal(2.0, [0.3, 0.3, 0.2]);
    let frames = (JointKind::Ball, FrameSpec::world(), FrameSpec::of("top").at(0.0, 0.0, -h_arm));
    m.link("top", inertia, frames, (&[], &[0.9, 0.0, 4.0]));
    m
}

#[test]
fn a_symmetric_top_on_a_ball_nutates_at_the_known_rates_with_the_order_of_the_method() {
    // about the point
    let (I_1, I_3) = (0.3 + 2.0 * 0.25, 0.2);
    let (w_1, w_3): (f64, f64) = (0.9, 4.0);
    let rate = (I_3 - I_1) / I_1 * w_3;
    let t = 1.0;
    // in the body ω turns at that rate about the axis
    let exact = Vec3::new(w_1 * (rate * t).cos(), w_1 * (rate * t).sin(), w_3);
    let L = Vec3::new(I_1 * w_1, 0.0, I_3 * w_3);
    let error = |set, method, h: f64| {
        let mut run = top(0.5).run(set);
        run.steps(&settings(h, method), (t / h).round() as usize);
        let momentum = run.momentum().t;
        // the ball is at the origin and takes no momentum about it; the extrapolation does, O(h⁶) a step
        let limit = if method == Method::Extrapolated { 1e-10 } else { 1e-12 };
        assert!((momentum - L).norm() <= limit * L.norm(), "{set:?} {method:?}: {momentum}");
        let (X, V) = run.body("top");
        (X.R.tr_mul(&V.w) - exact).amax()
    };
    for method in METHODS {
        // alone on its ball it flies in closed form
        let closed = error(Coordinates::Generalized, method, 1e-2);
        assert!(closed <= 1e-12, "{method:?}: {closed}");
        let (h, expected) = match method {
            Method::Euler => (1e-3, 2.0),
            Method::Symmetric => (1e-2, 4.0),
            Method::Extrapolated => (2e-2, 16.0),
        };
        let [coarse, fine] = [h, 0.5 * h].map(|h| error(Coordinates::Maximal, method, h));
        assert!((coarse / fine / expected - 1.0).abs() <= 0.05, "{method:?}: {coarse} {fine}");
    }
}

#[test]
fn a_step_of_a_body_alone_is_its_flight() {
    let mut m = thrown(JointKind::Free);
    m.spec.gravity = Vec3::zeros();
    for method in [Method::Euler, Method::Symmetric] {
        let mut run = m.run(Coordinates::Generalized);
        let (mut q, mut v) = (run.state.q.clone(), run.state.v.clone());
        for _ in 0..100 {
            run.step(&settings(0.01, method));
            fly(&run.model.bodies()[0], &mut q, &mut v, 0.01);
        }
        assert!(run.state.q == q && run.state.v == v, "{method:?}");
    }
}

#[test]
fn a_racket_is_back_after_the_elliptic_period_with_the_order_of_the_method() {
    for (moments, w) in [([0.11, 0.17, 0.23], [0.3, 5.0, 0.2]), ([0.1, 0.3, 0.35], [0.2, 4.0, 0.4])]
    {
        let T = elliptic_period(moments, w);
        // on its own, and on a ball at its centre in maximal coordinates
        let error = |set, method, n: usize| {
            let mut m = Mechanism::new("racket");
            m.spec.gravity = Vec3::zeros();
            let (kind, v): (JointKind, Vec<f64>) = match set {
                Coordinates::Generalized => (JointKind::Free, [vec![0.0; 3], w.to_vec()].concat()),
                Coordinates::Maximal => (JointKind::Ball, w.to_vec()),
            };
            let frames = (kind, FrameSpec::world(), FrameSpec::of("racket"));
            m.link("racket", Inertia::principal(1.0, moments), frames, (&[], &v));
            let mut run = m.run(set);
            run.steps(&settings(T / n as f64, method), n);
            let (X, V) = run.body("racket");
            (X.R.tr_mul(&V.w) - Vec3::from(w)).norm() / Vec3::from(w).norm()
        };
        for set in SETS {
            for (method, n, expected) in [
                (Method::Euler, 2000, 4.0),
                (Method::Symmetric, 2000, 4.0),
                (Method::Extrapolated, 1000, 16.0),
            ] {
                let [coarse, fine] = [n, 2 * n].map(|n| error(set, method, n));
                let share = coarse / fine / expected;
                // of the fourth order little is left after a whole period
                let most = if method == Method::Extrapolated { f64::INFINITY } else { 1.05 };
                assert!((0.95..=most).contains(&share), "{set:?} {method:?}: {coarse} {fine}");
            }
        }
    }
}

/// A planet at its nearest to a sun with GM = 1 m³/s², on an ellipse with a = 1 m and eccentricity 0.6.
struct Orbit {
    model: Model,
    state: State,
    data: Data,
}

impl Orbit {
    fn new(kind: JointKind) -> Self {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::zeros();
        spec.body("planet", Inertia::principal(2.0, [0.1, 0.2, 0.25]));
        spec.joint("path", kind, FrameSpec::world(), FrameSpec::of("planet"));
        let model = spec.build(Coordinates::Generalized).expect("a planet");
        let (mut state, data) = (model.state(), Data::new(&model));
        (state.q[0], state.v[1]) = (0.4, 2.0);
        Self { model, state, data }
    }

    fn step(&mut self, h: f64, method: Method) {
        let pull = |s: &Situation, loads: &mut Loads| {
            let p = Vec3::new(s.state.q[0], s.state.q[1], 0.0);
            let f = p * (-2.0 / p.norm().powi(3));
            loads.push(s.data, BodyId(0), &p, &f, &Vec3::zeros());
        };
        let input = Input { force: Some(&pull), ..Input::default() };
        step(&self.model, &settings(h, method), &input, &mut self.state, &mut self.data)
            .expect("a step");
    }

    /// Angular momentum and energy per mass; exactly 0.8 and −0.5.
    fn kept(&self) -> (f64, f64) {
        let (q, v) = (&self.state.q, &self.state.v);
        let energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) - 1.0 / q[0].hypot(q[1]);
        (q[0] * v[1] - q[1] * v[0], energy)
    }
}

/// 100 turns in steps of T/n: worst error of L, amplitude of the energy's swing, its trend over all the time,
/// and distances from the start after 50 and 100 turns.
fn turns(kind: JointKind, method: Method, n: usize) -> (f64, f64, f64, [f64; 2]) {
    let mut orbit = Orbit::new(kind);
    let h = std::f64::consts::TAU / n as f64;
    let (mut worst, mut low, mut high): (f64, f64, f64) = (0.0, f64::MAX, f64::MIN);
    let mut means = Vec::new();
    let mut away = [0.0; 2];
    for turn in 1..=100 {
        let mut sum = 0.0;
        for _ in 0..n {
            orbit.step(h, method);
            let (L, energy) = orbit.kept();
            worst = worst.max((L / 0.8 - 1.0).abs());
            (low, high) = (low.min(energy), high.max(energy));
            sum += energy / n as f64;
        }
        means.push(sum);
        if turn % 50 == 0 {
            away[turn / 50 - 1] = (orbit.state.q[0] - 0.4).hypot(orbit.state.q[1]);
        }
    }
    (worst, high - low, slope(&means) * 100.0, away)
}

/// Of the straight line through the values by least squares.
fn slope(values: &[f64]) -> f64 {
    let middle = 0.5 * (values.len() - 1) as f64;
    let (mut xy, mut xx) = (0.0, 0.0);
    for (i, value) in values.iter().enumerate() {
        let x = i as f64 - middle;
        xy += x * value;
        xx += x * x;
    }
    xy / xx
}

#[test]
fn a_planet_keeps_its_angular_momentum_and_its_energy_for_a_hundred_turns() {
    for kind in [JointKind::Free, JointKind::Planar] {
        let (L, coarse, trend, away) = turns(kind, Method::Symmetric, 2000);
        let (L_fine, fine, _, away_fine) = turns(kind, Method::Symmetric, 4000);
        assert!(L <= 1e-12 && L_fine <= 1e-12, "{kind:?}: {L} {L_fine}");
        assert!((coarse / fine / 4.0 - 1.0).abs() <= 0.05, "{kind:?}: {coarse} {fine}");
        assert!(trend.abs() <= 1e-3 * coarse, "{kind:?}: {trend} of {coarse}");
        // behind or ahead by C h² t
        assert!((away[1] / away[0] / 2.0 - 1.0).abs() <= 0.1, "{kind:?}: {away:?}");
        assert!(
            (away[1] / away_fine[1] / 4.0 - 1.0).abs() <= 0.1,
            "{kind:?}: {away:?} {away_fine:?}"
        );

        let (L, coarse, _, _) = turns(kind, Method::Euler, 2000);
        let (_, fine, _, _) = turns(kind, Method::Euler, 4000);
        assert!(L <= 1e-12, "{kind:?}: {L}");
        assert!((coarse / fine / 2.0 - 1.0).abs() <= 0.05, "{kind:?}: {coarse} {fine}");
    }
}
