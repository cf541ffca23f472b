//! Springs and dampers, law Q: the discrete formulas of the explicit and of the linearly implicit step.

use crate::mechanisms::{Mechanism, SETS, apart, hinge, settings};
use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, JointKind, SpringKind};
use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{crba, rnea};
use stiction_sim::{
    Coordinates, Drift, Inertia, MatX, Method, Pose, Quat, StepSettings, Stiffness, Vec3, VecX,
};

fn euler(h: f64, stiffness: Stiffness) -> StepSettings {
    StepSettings { stiffness, ..settings(h, Method::Euler) }
}

fn ball(mass: f64, I: f64) -> Inertia {
    Inertia::principal(mass, [I; 3])
}

/// Mechanisms with one way to swing.
#[derive(Clone, Copy, Debug)]
enum Oscillator {
    Slider,
    Hinge,
    /// Two bodies with a spring between points, free or on a plane.
    Pair {
        planar: bool,
    },
    /// A ball that a torsion spring turns back.
    Torsion,
}

const OSCILLATORS: [Oscillator; 5] = [
    Oscillator::Slider,
    Oscillator::Hinge,
    Oscillator::Pair { planar: false },
    Oscillator::Pair { planar: true },
    Oscillator::Torsion,
];

impl Oscillator {
    /// Mass [kg] or inertia [kg·m²] that the spring moves.
    fn inertia(self) -> f64 {
        match self {
            Self::Slider => 2.0,
            Self::Hinge | Self::Torsion => 0.3,
            Self::Pair { .. } => 0.75,
        }
    }

    /// With the stretch x and its rate v.
    fn mechanism(self, k: f64, [x, v]: [f64; 2]) -> Mechanism {
        let mut m = Mechanism::new("oscillator");
        m.spec.gravity = Vec3::zeros();
        let (of, world) = (FrameSpec::of, FrameSpec::world);
        match self {
            Self::Slider | Self::Hinge => {
                let axis = Vec3::new(0.6, 0.0, 0.8);
                let kind = match self {
                    Self::Slider => JointKind::Prismatic { axis },
                    _ => hinge(axis),
                };
                m.link("a", ball(2.0, 0.3), (kind, world(), of("a")), (&[x], &[v]));
                let coordinate = CoordinateSpec::of("a");
                m.spec.spring("k", SpringKind::Coordinate { coordinate, rest: 0.0 }, k, 0.0);
            }
            Self::Pair { planar } => {
                let place = |x: f64| match planar {
                    true => vec![x, 0.0, 0.0],
                    false => vec![x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                };
                let kind = if planar { JointKind::Planar } else { JointKind::Free };
                let rest = vec![0.0; if planar { 3 } else { 6 }];
                let mut moving = rest.clone();
                moving[0] = v;
                m.link("a", ball(3.0, 0.1), (kind, world(), of("a")), (&place(0.0), &rest));
                m.link("b", ball(1.0, 0.2), (kind, world(), of("b")), (&place(1.0 + x), &moving));
                let points = SpringKind::Points { a: of("a"), b: of("b"), rest: 1.0 };
                m.spec.spring("k", points, k, 0.0);
            }
            Self::Torsion => {
                let turn = Vec3::new(0.6, 0.0, 0.8);
                let mut q = vec![0.0; 3];
                q.extend(Quat::exp(&(turn * x)).to_wxyz());
                let w = turn * v;
                let v = [0.0, 0.0, 0.0, w.x, w.y, w.z];
                m.link("a", ball(2.0, 0.3), (JointKind::Free, world(), of("a")), (&q, &v));
                m.spec.spring("k", SpringKind::Torsion { a: world(), b: of("a") }, k, 0.0);
            }
        }
        m
    }

    /// Stretch and rate after one step of length 1 s.
    fn step(self, k: f64, start: [f64; 2], set: Coordinates, stiffness: Stiffness) -> [f64; 2] {
        let mut run = self.mechanism(k, start).run(set);
        run.step(&euler(1.0, stiffness));
        let places = run.places();
        let (X, V) = places[0];
        let axis = Vec3::new(0.6, 0.0, 0.8);
        match self {
            Self::Slider => [axis.dot(&X.p), axis.dot(&V.v)],
            Self::Hinge | Self::Torsion => {
                [axis.dot(&Quat::from_matrix(&X.R).log()), axis.dot(&V.w)]
            }
            Self::Pair { .. } => {
                let (X_b, V_b) = places[1];
                [(X_b.p - X.p).x - 1.0, (V_b.v - V.v).x]
            }
        }
    }

    /// Trace and determinant of the map of one step, which is linear, where the spring's ωh is s.
    fn map(self, s: f64, set: Coordinates, stiffness: Stiffness) -> (f64, f64) {
        let k = self.inertia() * s * s;
        // of like energy, small enough for an angle not to wrap
        let (x, v) = (0.1, 0.1 * s.min(1.0));
        let [a, c] = self.step(k, [x, 0.0], set, stiffness);
        let [b, d] = self.step(k, [0.0, v], set, stiffness);
        (a / x + d / v, (a * d - b * c) / (x * v))
    }
}

#[test]
fn the_explicit_step_turns_by_the_angle_of_symplectic_euler() {
    for (oscillator, set) in OSCILLATORS.into_iter().flat_map(|o| SETS.map(|set| (o, set))) {
        for s in [1e-3, 0.1, 1.0, 1.9, 1.999] {
            let (trace, det) = oscillator.map(s, set, Stiffness::Explicit);
            // two roots on the unit circle: 2 cos ω_d h and 1
            let expected = 2.0 - s * s;
            assert!((trace - expected).abs() <= 1e-10, "{oscillator:?} {set:?} {s}: {trace}");
            assert!((det - 1.0).abs() <= 1e-10, "{oscillator:?} {set:?} {s}: {det}");
        }
    }
}

#[test]
fn the_implicit_step_shrinks_by_its_factor_at_any_stiffness() {
    for (oscillator, set) in OSCILLATORS.into_iter().flat_map(|o| SETS.map(|set| (o, set))) {
        for s in [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6] {
            let k = oscillator.inertia() * s * s;
            let step = |start| oscillator.step(k, start, set, Stiffness::LinearlyImplicit);
            let [from_x, from_v] = [step([0.1, 0.0]), step([0.0, 0.1])];
            // v⁺ = (v − s² x)/(1 + s²) and x⁺ = x + v⁺: conjugate roots, the square of whose size is the
            // determinant, which is the share of v that is left
            let [c, d] = [from_x[1] / 0.1, from_v[1] / 0.1];
            let share = 1.0 / (1.0 + s * s);
            // of a pair v is the difference of two numbers that have not shrunk
            let rounding = if matches!(oscillator, Oscillator::Pair { .. }) { 1e-15 } else { 0.0 };
            let context = format!("{oscillator:?} {set:?} {s}");
            assert!((d - share).abs() <= 1e-10 * share + rounding, "{context}: {d}");
            assert!((c + s * s * share).abs() <= 1e-10 * s * s * share, "{context}: {c}");
            for (start, [x, v]) in [(0.1, from_x), (0.0, from_v)] {
                assert!((x - start - v).abs() <= 1e-14, "{context}: {x} {v}");
            }
        }
    }
}

#[test]
fn past_the_limit_the_explicit_step_grows_and_says_so() {
    for (s, grows) in [(1.95, false), (2.05, true)] {
        for set in SETS {
            let mut run = Oscillator::Slider.mechanism(2.0 * s * s, [0.1, 0.0]).run(set);
            let before = run.energy();
            let mut load: f64 = 0.0;
            for _ in 0..100 {
                load = load.max(run.step(&euler(1.0, Stiffness::Explicit)).explicit_load);
            }
            let growth = run.energy() / before;
            assert_eq!(growth > 1e3, grows, "{set:?} {s}: {growth}");
            assert_eq!(load > 1.0, grows, "{set:?} {s}: {load}");
        }
    }
}

#[test]
fn a_hanging_mass_sags_by_its_weight_over_the_stiffness() {
    for (k, set) in [1e2, 1e6, 1e12].into_iter().flat_map(|k| SETS.map(|set| (k, set))) {
        let mut m = Oscillator::Slider.mechanism(k, [0.0, 0.0]);
        m.spec.gravity = Vec3::new(0.0, 0.0, -9.81);
        let mut run = m.run(set);
        run.steps(&euler(1.0, Stiffness::LinearlyImplicit), 100);
        let sag = run.places()[0].0.p.norm();
        let expected = 2.0 * 9.81 * 0.8 / k;
        assert!((sag / expected - 1.0).abs() <= 1e-10, "{set:?} {k}: {sag} {expected}");
    }
}

/// Two bodies that turn about each other and fall, held 1 m apart by `hold`.
fn dumbbell(hold: impl Fn(&mut Mechanism, FrameSpec, FrameSpec)) -> Mechanism {
    let mut m = Mechanism::new("dumbbell");
    let (of, world) = (FrameSpec::of, FrameSpec::world);
    let place = |x: f64| [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let v = |y: f64| [0.0, y, 0.0, 0.0, 0.0, 0.3];
    m.link("a", ball(1.0, 0.1), (JointKind::Free, world(), of("a")), (&place(0.0), &v(-1.0)));
    m.link("b", ball(2.0, 0.2), (JointKind::Free, world(), of("b")), (&place(1.0), &v(0.5)));
    hold(&mut m, of("a"), of("b"));
    m
}

#[test]
fn stiff_springs_and_dampers_become_joints_with_an_error_like_their_compliance() {
    let s = |drift| StepSettings { drift, ..settings(1e-2, Method::Euler) };
    let rod = dumbbell(|m, a, b| {
        m.spec.constraint("rod", ConstraintKind::Distance { a, b, length: 1.0 });
    });
    // in the limit a spring takes back all of the stretch in a step, a damper none of it
    for (spring, drift) in [(true, Drift::Stabilize { beta: 1.0 }), (false, Drift::Free)] {
        let mut rigid = rod.run(Coordinates::Generalized);
        rigid.steps(&s(drift), 50);
        let errors = [1e4, 1e6, 1e8, 1e10].map(|stiffness| {
            let m = dumbbell(|m, a, b| {
                let (k, b_) = if spring { (stiffness, 0.0) } else { (0.0, stiffness) };
                m.spec.spring("coil", SpringKind::Points { a, b, rest: 1.0 }, k, b_);
            });
            let mut run = m.run(Coordinates::Generalized);
            run.steps(&s(drift), 50);
            apart(&run.places(), &rigid.places())
        });
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((ratio / 100.0 - 1.0).abs() <= 0.1, "spring {spring}: {errors:?}");
        }
        assert!(errors[3] <= 1e-8, "spring {spring}: {errors:?}");
    }
}

/// `v⁺` of `M̂ v⁺ = M v + h k̂`, where `M̂ = M + h² Σ γ ∇φ∇φᵀ + h Σ δ ∇φ∇φᵀ` and `k̂ = k₁ − Σ γ φ ∇φ`. Each
/// spring is γ, δ, φ, ∇φ.
fn dense(M: &MatX, v: &VecX, k_1: &VecX, h: f64, springs: &[(f64, f64, f64, VecX)]) -> VecX {
    let (mut M_hat, mut k_hat) = (M.clone(), k_1.clone());
    for (gamma, delta, phi, gradient) in springs {
        M_hat += gradient * gradient.transpose() * (h * h * gamma + h * delta);
        k_hat -= gradient * (gamma * phi);
    }
    M_hat.lu().solve(&(M * v + k_hat * h)).expect("positive definite")
}

#[test]
fn springs_and_dampers_on_joints_are_those_of_the_dense_formula() {
    let mut m = crate::mechanisms::hanging_chain();
    m.spec.joints[0].damping = vec![0.4, 0.0];
    let spring = |joint: &str, index, rest| SpringKind::Coordinate {
        coordinate: CoordinateSpec { joint: joint.to_string(), index },
        rest,
    };
    m.spec.spring("first", spring("a", 1, 0.2), 30.0, 0.0);
    m.spec.spring("second", spring("c", 0, -0.3), 80.0, 1.5);
    let mut run = m.run(Coordinates::Generalized);
    let (h, nv) = (1e-2, run.model.nv());
    let (q, v) = (run.state.q.clone(), VecX::from_vec(run.state.v.clone()));
    run.update();
    let M = crba::mass_matrix(&run.model, &mut run.data).to_dense(run.model.pattern());
    let mut c = vec![0.0; nv];
    rnea::bias(&run.model, &mut run.data, BiasOf::All, &mut c);
    let unit = |i: usize| VecX::from_fn(nv, |j, _| f64::from(i == j));
    // α, β of the universal joint, the ball's quaternion, the hinge
    let springs = [
        (0.0, 0.4, 0.0, unit(0)),
        (30.0, 0.0, q[1] - 0.2, unit(1)),
        (80.0, 1.5, q[6] + 0.3, unit(5)),
    ];
    let expected = dense(&M, &v, &-VecX::from_vec(c), h, &springs);
    run.step(&euler(h, Stiffness::LinearlyImplicit));
    let error = (VecX::from_vec(run.state.v.clone()) - &expected).amax();
    assert!(error <= 1e-12 * expected.amax(), "{error}");
}

#[test]
fn springs_and_dampers_between_points_are_those_of_the_dense_formula() {
    let mut m = dumbbell(|m, a, b| {
        let (a, b) = (a.at(0.1, 0.2, 0.3), b.at(-0.2, 0.1, 0.4));
        m.spec.spring("coil", SpringKind::Points { a, b, rest: 0.7 }, 300.0, 5.0);
    });
    m.start[1].q[3..].copy_from_slice(&Quat::exp(&Vec3::new(0.3, -0.8, 0.4)).to_wxyz());
    let (h, arms) = (1e-2, [Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.2, 0.1, 0.4)]);
    for set in SETS {
        let mut run = m.run(set);
        let v = VecX::from_vec(run.state.v.clone());
        let X: Vec<Pose> = run.places().iter().map(|place| place.0).collect();
        let p = [0, 1].map(|i| X[i].point(&arms[i]));
        let (r, n) = (p[1] - p[0], (p[1] - p[0]).normalize());
        let mut gradient = VecX::zeros(12);
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            let turn = arms[i].cross(&X[i].R.tr_mul(&n));
            for k in 0..3 {
                gradient[6 * i + k] = sign * n[k];
                gradient[6 * i + 3 + k] = sign * turn[k];
            }
        }
        // balls: M is constant, and their flight leaves v alone
        let M = [1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 2.0, 2.0, 2.0, 0.2, 0.2, 0.2];
        let M = MatX::from_diagonal(&VecX::from_row_slice(&M));
        let weight = VecX::from_fn(12, |i, _| if i % 6 == 2 { -9.81 * M[(i, i)] } else { 0.0 });
        let springs = [(300.0, 5.0, r.norm() - 0.7, gradient)];
        let expected = dense(&M, &v, &weight, h, &springs);
        run.step(&euler(h, Stiffness::LinearlyImplicit));
        let error = (VecX::from_vec(run.state.v.clone()) - &expected).amax();
        assert!(error <= 1e-12 * expected.amax(), "{set:?}: {error}");
    }
}
