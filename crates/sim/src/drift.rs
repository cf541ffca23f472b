//! Drift: the motion of the whole mechanism by its kinetic energy alone, without forces.
//!
//! # Method
//!
//! Bodies that fly follow [`flight`](crate::flight). A body alone on a revolute, prismatic, screw or
//! cylindrical joint keeps its v: `q ← q ⊕ h v` is exact. All other trees take the implicit midpoint rule on the
//! manifold, with c₀ the velocity products without gravity:
//!
//! ```text
//!  v̄ = (v + v⁺)/2,   q_m = q ⊕ (h/2) v̄,   M(q_m) (v⁺ − v) = −h c₀(q_m, v̄),   q⁺ = q ⊕ h v̄
//! ```
//!
//! which is symmetric (`drift` by −h undoes it) and of second order, but not symplectic: the energy of a
//! chaotic tree wanders (`docs/theory/flight.md`). It is solved for v⁺ by fixed-point iteration, tree by tree:
//! a tree that has converged rests, so no tree depends on its neighbours. The iteration contracts
//! like h times the rates of the joints; where it does not, nothing is changed and the error says so.
//! No allocation.

use std::fmt;

use crate::data::Data;
use crate::flight::fly;
use crate::joint::Joint;
use crate::model::Model;
use crate::tree::matrix::TreeMatrix;
use crate::tree::rnea::BiasOf;
use crate::tree::{crba, kinematics, rnea};

/// A change of v⁺ of a few ulps, squared, as a part of the kinetic energy.
const ULPS: f64 = 16.0 * f64::EPSILON * f64::EPSILON;

/// A change, squared likewise, that no longer shrinks is rounding if it is smaller than this (1e−12 of v): an
/// iteration that contracts so far does not stop to do so before.
const ROUNDING: f64 = 1e-24;

/// Enough for a contraction by one half per iteration.
const ITERATIONS: usize = 50;

/// What a drift did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriftReport {
    /// Of the tree that took the most; zero if no tree needs any.
    pub iterations: usize,
}

/// Why a drift did not happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriftError {
    /// The last change of v⁺, as a part of v in the norm of the kinetic energy; NaN where the iteration left
    /// the range of numbers. The step is too long for the rates of the joints, or the state is not
    /// finite.
    NotConverged { change: f64 },
}

impl fmt::Display for DriftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConverged { change } => write!(
                f,
                "the midpoint velocity did not converge in {ITERATIONS} iterations: it still changes \
                 by {change:.1e} of itself; a shorter step helps if the state is finite"
            ),
        }
    }
}

impl std::error::Error for DriftError {}

/// Memory of [`drift`].
#[derive(Clone, Debug, Default)]
pub struct DriftWork {
    /// For each body the tree that iterates, in `trees`; None: a closed form moves it.
    tree: Vec<Option<usize>>,
    trees: Vec<Progress>,
    /// Midpoint; the present q and zero velocity where a closed form moves the body.
    q_mid: Vec<f64>,
    v_mean: Vec<f64>,
    v_next: Vec<f64>,
    /// c₀, then M⁻¹ c₀, then the change of v⁺.
    c: Vec<f64>,
    /// M times something.
    product: Vec<f64>,
    /// What is added to the diagonal of M: nothing.
    nothing: Vec<f64>,
}

/// How far the iteration of one tree has come. Twice kinetic energies [J].
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    energy: f64,
    change: f64,
    before: f64,
    done: bool,
}

impl DriftWork {
    pub fn new(model: &Model) -> Self {
        let mut tree: Vec<Option<usize>> = Vec::with_capacity(model.bodies.len());
        let mut trees = 0;
        for body in &model.bodies {
            // a tree is numbered by its root; what carries nothing and has a closed form needs no number
            let number = match body.parent {
                Some(parent) => tree[parent],
                None if body.flies() || (body.alone && is_even(body.joint)) => None,
                None => {
                    trees += 1;
                    Some(trees - 1)
                }
            };
            tree.push(number);
        }
        Self {
            tree,
            trees: vec![Progress::default(); trees],
            q_mid: vec![0.0; model.nq],
            v_mean: vec![0.0; model.nv],
            v_next: vec![0.0; model.nv],
            c: vec![0.0; model.nv],
            product: vec![0.0; model.nv],
            nothing: vec![0.0; model.nv],
        }
    }

    /// v̄ and q_m from v⁺.
    fn midpoint(&mut self, model: &Model, q: &[f64], v: &[f64], h: f64) {
        for (body, tree) in model.bodies.iter().zip(&self.tree) {
            if tree.is_none_or(|tree| self.trees[tree].done) {
                continue;
            }
            let (q_range, v_range) = (body.q_range(), body.v_range());
            for i in v_range.clone() {
                self.v_mean[i] = 0.5 * (v[i] + self.v_next[i]);
            }
            let q_mid = &mut self.q_mid[q_range.clone()];
            q_mid.copy_from_slice(&q[q_range]);
            body.joint.integrate(q_mid, &self.v_mean[v_range], 0.5 * h);
        }
    }

    /// For each tree `xᵀ M x`, where M x stands in `product`.
    fn squares(&mut self, model: &Model, x: &[f64], store: fn(&mut Progress) -> &mut f64) {
        self.trees.iter_mut().for_each(|tree| *store(tree) = 0.0);
        for (body, tree) in model.bodies.iter().zip(&self.tree) {
            if let Some(tree) = *tree {
                let v = body.v_range();
                let terms = x[v.clone()].iter().zip(&self.product[v]);
                *store(&mut self.trees[tree]) += terms.map(|(x, Mx)| x * Mx).sum::<f64>();
            }
        }
    }

    /// Moves v⁺ of the trees that have not converged by `c`, and says whether all have now.
    fn advance(&mut self, model: &Model, M: &TreeMatrix) -> bool {
        M.multiply(&model.pattern, &self.c, &mut self.product);
        let change = std::mem::take(&mut self.c);
        self.squares(model, &change, |tree| &mut tree.change);
        self.c = change;
        for (body, tree) in model.bodies.iter().zip(&self.tree) {
            if tree.is_some_and(|tree| !self.trees[tree].done) {
                for i in body.v_range() {
                    self.v_next[i] += self.c[i];
                }
            }
        }
        for tree in &mut self.trees {
            let stalled = tree.change >= tree.before && tree.change <= ROUNDING * tree.energy;
            tree.done |= tree.change <= ULPS * tree.energy || stalled;
            tree.before = tree.change;
        }
        self.trees.iter().all(|tree| tree.done)
    }
}

/// Whether a body alone on this joint moves evenly: its mass matrix does not depend on q.
fn is_even(joint: Joint) -> bool {
    match joint {
        Joint::Fixed
        | Joint::Revolute
        | Joint::Prismatic
        | Joint::Screw { .. }
        | Joint::Cylindrical => true,
        Joint::Universal | Joint::Ball | Joint::Planar | Joint::Free => false,
    }
}

/// Moves q and v on by h [s], of either sign, by the kinetic energy alone. On `Err`, q and v are as they were.
///
/// `data` holds nothing afterwards.
pub fn drift(
    model: &Model,
    data: &mut Data,
    q: &mut [f64],
    v: &mut [f64],
    h: f64,
) -> Result<DriftReport, DriftError> {
    assert_eq!((q.len(), v.len()), (model.nq, model.nv), "q or v has the wrong length");
    let mut work = std::mem::take(&mut data.drift);
    let result = iterate(model, data, &mut work, (q, v), h);
    if result.is_ok() {
        for (body, tree) in model.bodies.iter().zip(&work.tree) {
            let (q, v_range) = (&mut q[body.q_range()], body.v_range());
            if body.flies() {
                fly(body, q, &mut v[v_range], h);
            } else if tree.is_none() {
                body.joint.integrate(q, &v[v_range], h);
            } else {
                body.joint.integrate(q, &work.v_mean[v_range.clone()], h);
                v[v_range.clone()].copy_from_slice(&work.v_next[v_range]);
            }
        }
    }
    data.drift = work;
    data.invalidate();
    result
}

/// Finds v⁺ and v̄ of all trees that have no closed form.
fn iterate(
    model: &Model,
    data: &mut Data,
    work: &mut DriftWork,
    (q, v): (&[f64], &[f64]),
    h: f64,
) -> Result<DriftReport, DriftError> {
    if work.trees.is_empty() {
        return Ok(DriftReport { iterations: 0 });
    }
    work.trees.fill(Progress { before: f64::INFINITY, ..Progress::default() });
    work.q_mid.copy_from_slice(q);
    work.v_mean.fill(0.0);
    work.v_next.copy_from_slice(v);
    for iterations in 1..=ITERATIONS {
        work.midpoint(model, q, v, h);
        kinematics::update(model, &work.q_mid, &work.v_mean, data);
        crba::mass_matrix(model, data);
        if iterations == 1 {
            data.M.multiply(&model.pattern, v, &mut work.product);
            work.squares(model, v, |tree| &mut tree.energy);
        }
        let factored = data.factor.factor(&model.pattern, &data.M, &work.nothing);
        // M is positive definite wherever q is finite
        factored.map_err(|_| DriftError::NotConverged { change: f64::NAN })?;
        rnea::bias(model, data, BiasOf::VelocityBesideFlight, &mut work.c);
        data.factor.solve(&model.pattern, &mut work.c);
        for (c, (v, v_next)) in work.c.iter_mut().zip(v.iter().zip(&work.v_next)) {
            *c = (v - h * *c) - v_next;
        }
        if work.advance(model, &data.M) {
            finish(work, v);
            return Ok(DriftReport { iterations });
        }
    }
    let worst = work.trees.iter().filter(|tree| !tree.done).map(|tree| tree.change / tree.energy);
    // a NaN is worse than all numbers
    let change = worst.fold(0.0, |a: f64, b| if b <= a { a } else { b }).sqrt();
    Err(DriftError::NotConverged { change })
}

/// v̄ of the last v⁺.
fn finish(work: &mut DriftWork, v: &[f64]) {
    for (mean, (v, next)) in work.v_mean.iter_mut().zip(v.iter().zip(&work.v_next)) {
        *mean = 0.5 * (v + next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::Inertia;
    use crate::math::{Quat, Vec3};
    use crate::model::{Coordinates, FrameSpec, JointKind, ModelSpec};
    use crate::spatial::Pose;

    /// Three bodies of different oblique inertia in a row, hanging on the first joint.
    fn chain(kinds: [JointKind; 3]) -> Model {
        let mut spec = ModelSpec::new();
        for (i, kind) in kinds.into_iter().enumerate() {
            let turn = Quat::exp(&Vec3::new(0.3 + i as f64, -0.4, 0.2));
            let X = Pose::from_parts(Vec3::new(0.1, -0.1, -0.4), turn);
            let name = format!("body {i}");
            spec.body(&name, Inertia::principal(1.0 + i as f64, [0.2, 0.3, 0.4]).moved(&X));
            let parent = match i {
                0 => FrameSpec::world(),
                _ => FrameSpec::of(&format!("body {}", i - 1)).at(0.0, 0.2, -0.8),
            };
            spec.joint(&format!("joint {i}"), kind, parent, FrameSpec::of(&name));
        }
        spec.build(Coordinates::Generalized).expect("a chain")
    }

    fn universal() -> JointKind {
        JointKind::Universal { first: Vec3::x(), second: Vec3::y() }
    }

    fn hinge() -> JointKind {
        JointKind::Revolute { axis: Vec3::x() }
    }

    /// Trees of every kind that needs the midpoint rule.
    fn mechanisms() -> [Model; 3] {
        [
            chain([hinge(), hinge(), JointKind::Prismatic { axis: Vec3::z() }]),
            chain([universal(), JointKind::Ball, hinge()]),
            chain([JointKind::Free, universal(), JointKind::Ball]),
        ]
    }

    fn start(model: &Model) -> (Vec<f64>, Vec<f64>) {
        let v: Vec<f64> = (0..model.nv).map(|i| 0.9 * (1.7 * i as f64 + 0.6).cos()).collect();
        let mut q = model.state().q;
        model.integrate(&mut q, &v, 0.5);
        (q, v)
    }

    /// ½ vᵀ M v [J].
    fn energy(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) -> f64 {
        kinematics::update_positions(model, q, data);
        let mut Mv = vec![0.0; model.nv];
        crba::mass_matrix(model, data).multiply(&model.pattern, v, &mut Mv);
        0.5 * v.iter().zip(&Mv).map(|(v, Mv)| v * Mv).sum::<f64>()
    }

    fn difference(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    }

    /// The state after the time t by the explicit midpoint rule and `M v̇ = −c(q, v)`, in n steps.
    fn reference(model: &Model, t: f64, n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut weightless = model.clone();
        weightless.gravity = Vec3::zeros();
        let mut data = Data::new(model);
        let (mut q, mut v) = start(model);
        let h = t / n as f64;
        let mut acceleration = |q: &[f64], v: &[f64]| {
            kinematics::update(model, q, v, &mut data);
            let mut a = vec![0.0; model.nv];
            rnea::bias(&weightless, &mut data, BiasOf::All, &mut a);
            let M = crba::mass_matrix(model, &mut data).to_dense(&model.pattern);
            let a = M.lu().solve(&-crate::math::VecX::from(a)).expect("regular");
            a.as_slice().to_vec()
        };
        for _ in 0..n {
            let a = acceleration(&q, &v);
            let v_mid: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + 0.5 * h * a).collect();
            let mut q_mid = q.clone();
            model.integrate(&mut q_mid, &v, 0.5 * h);
            let a = acceleration(&q_mid, &v_mid);
            model.integrate(&mut q, &v_mid, h);
            v.iter_mut().zip(&a).for_each(|(v, a)| *v += h * a);
        }
        (q, v)
    }

    fn drifted(model: &Model, t: f64, n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut data = Data::new(model);
        let (mut q, mut v) = start(model);
        for _ in 0..n {
            drift(model, &mut data, &mut q, &mut v, t / n as f64).expect("converges");
        }
        (q, v)
    }

    #[test]
    fn the_drift_approaches_the_equations_of_motion_with_the_second_order() {
        for (i, model) in mechanisms().iter().enumerate() {
            let (q_exact, v_exact) = reference(model, 1.0, 40_000);
            let error = |n: usize| {
                let (q, v) = drifted(model, 1.0, n);
                difference(&q, &q_exact).max(difference(&v, &v_exact))
            };
            let (coarse, fine) = (error(100), error(200));
            assert!((3.8..=4.2).contains(&(coarse / fine)), "{i}: {coarse} {fine}");
            assert!(fine < 1e-3, "{i}: {fine}");
        }
    }

    /// The error of the energy after each of these steps, as a part of the energy.
    fn energy_errors(model: &Model, h: f64, steps: usize) -> Vec<f64> {
        let mut data = Data::new(model);
        let (mut q, mut v) = start(model);
        let E = energy(model, &mut data, &q, &v);
        (0..steps)
            .map(|_| {
                drift(model, &mut data, &mut q, &mut v, h).expect("converges");
                energy(model, &mut data, &q, &v) / E - 1.0
            })
            .collect()
    }

    fn largest(errors: &[f64]) -> f64 {
        errors.iter().fold(0.0, |m: f64, e| m.max(e.abs()))
    }

    #[test]
    fn the_energy_swings_with_h_squared() {
        for (i, model) in mechanisms().iter().enumerate() {
            let coarse = largest(&energy_errors(model, 0.01, 200));
            let fine = largest(&energy_errors(model, 0.005, 400));
            assert!((3.8..=4.2).contains(&(coarse / fine)), "{i}: {coarse} {fine}");
            assert!(fine < 1e-3, "{i}: {fine}");
        }
    }

    #[test]
    fn the_energy_of_an_integrable_mechanism_has_no_trend() {
        // two hinges in space have two integrals, energy and angular momentum: as many as coordinates
        let mut spec = ModelSpec::new();
        for body in ["upper", "lower"] {
            let X = Pose::translation(0.0, 0.1, -0.5);
            spec.body(body, Inertia::principal(1.0, [0.2, 0.3, 0.4]).moved(&X));
        }
        spec.joint("shoulder", hinge(), FrameSpec::world(), FrameSpec::of("upper"));
        let elbow = FrameSpec::of("upper").at(0.0, 0.0, -1.0);
        spec.joint("elbow", hinge(), elbow, FrameSpec::of("lower"));
        let model = spec.build(Coordinates::Generalized).expect("a double pendulum");

        let errors = energy_errors(&model, 0.02, 50_000);
        let amplitude = largest(&errors);
        let (first, last) = (largest(&errors[..10_000]), largest(&errors[40_000..]));
        assert!(amplitude > 1e-7 && amplitude < 1e-3, "{amplitude}");
        assert!((first - last).abs() <= 1e-2 * amplitude, "{first} {last}");
    }

    #[test]
    fn backwards_in_time_the_drift_returns() {
        for (i, model) in mechanisms().iter().enumerate() {
            let mut data = Data::new(model);
            let (q0, v0) = start(model);
            for (h, steps, tolerance) in [(0.05, 1, 1e-13), (0.01, 500, 1e-10)] {
                let (mut q, mut v) = (q0.clone(), v0.clone());
                for h in [h, -h] {
                    for _ in 0..steps {
                        drift(model, &mut data, &mut q, &mut v, h).expect("converges");
                    }
                    assert!(h < 0.0 || difference(&q, &q0) > 1e-2, "{i}: it has moved");
                }
                let error = difference(&q, &q0).max(difference(&v, &v0));
                assert!(error <= tolerance, "{i}, {steps} steps: {error}");
            }
        }
    }

    #[test]
    fn a_step_that_is_too_long_changes_nothing_and_says_so() {
        let [_, model, _] = mechanisms();
        let mut data = Data::new(&model);
        let (q0, v0) = start(&model);
        let (mut q, mut v) = (q0.clone(), v0.clone());
        let error = drift(&model, &mut data, &mut q, &mut v, 10.0).expect_err("too long");
        let DriftError::NotConverged { change } = error;
        assert!(!(change <= 1e-12), "{error}");
        assert_eq!((&q, &v), (&q0, &v0));

        // and works again afterwards, as if nothing had been tried
        drift(&model, &mut data, &mut q, &mut v, 0.01).expect("converges");
        let (mut q_fresh, mut v_fresh) = (q0, v0);
        drift(&model, &mut Data::new(&model), &mut q_fresh, &mut v_fresh, 0.01).expect("converges");
        assert_eq!((q, v), (q_fresh, v_fresh));
    }

    #[test]
    fn a_state_that_is_not_finite_is_refused() {
        let [_, model, _] = mechanisms();
        let mut data = Data::new(&model);
        let (mut q, mut v) = start(&model);
        for (i, good) in [(1, v[1]), (0, v[0])] {
            v[i] = f64::NAN;
            let error = drift(&model, &mut data, &mut q, &mut v, 0.01).expect_err("NaN");
            assert!(matches!(error, DriftError::NotConverged { change } if change.is_nan()));
            v[i] = good;
        }
        q[0] = f64::NAN;
        let error = drift(&model, &mut data, &mut q, &mut v, 0.01).expect_err("NaN");
        assert!(matches!(error, DriftError::NotConverged { change } if change.is_nan()));
    }

    #[test]
    fn only_trees_without_a_closed_form_iterate() {
        let joint = |kind: JointKind, armature: &[f64]| {
            let mut spec = ModelSpec::new();
            let X =
                Pose::from_parts(Vec3::new(0.1, 0.2, 0.3), Quat::exp(&Vec3::new(1.0, 0.3, 0.2)));
            spec.body("body", Inertia::principal(1.0, [0.2, 0.3, 0.4]).moved(&X));
            spec.joint("joint", kind, FrameSpec::world(), FrameSpec::of("body")).armature =
                armature.to_vec();
            spec.build(Coordinates::Generalized).expect("a body")
        };
        let axis = Vec3::z();
        let even = [
            JointKind::Fixed,
            JointKind::Revolute { axis },
            JointKind::Prismatic { axis },
            JointKind::Screw { axis, pitch: 0.1 },
            JointKind::Cylindrical { axis },
        ];
        for kind in even {
            let model = joint(kind, &[0.1]);
            let mut data = Data::new(&model);
            let (q0, v0) = start(&model);
            let (mut q, mut v) = (q0.clone(), v0.clone());
            let report = drift(&model, &mut data, &mut q, &mut v, 0.1).expect("even");
            assert_eq!(report.iterations, 0, "{kind:?}");
            let mut expected = q0;
            model.integrate(&mut expected, &v0, 0.1);
            assert_eq!((q, v), (expected, v0), "{kind:?}");
        }
        for (kind, armature, iterates) in [
            (universal(), 0.0, true),
            (JointKind::Ball, 0.0, false),
            (JointKind::Ball, 0.1, true),
            (JointKind::Free, 0.1, true),
            (JointKind::Planar, 0.1, true),
        ] {
            let model = joint(kind, &[armature]);
            let mut data = Data::new(&model);
            let (mut q, mut v) = start(&model);
            let E = energy(&model, &mut data, &q, &v);
            let report = drift(&model, &mut data, &mut q, &mut v, 1e-3).expect("converges");
            assert_eq!(report.iterations > 0, iterates, "{kind:?}");
            // one step of a symmetric method: the third power of h, with rates about 1
            let error = energy(&model, &mut data, &q, &v) / E - 1.0;
            assert!(error.abs() <= 1e-8, "{kind:?}: {error}");
        }
    }

    #[test]
    fn a_tree_does_not_feel_its_neighbours() {
        let both = {
            let mut spec = ModelSpec::new();
            for (tree, mass) in [("slow", 1.0), ("fast", 100.0)] {
                let (upper, lower) = (format!("{tree} upper"), format!("{tree} lower"));
                for body in [&upper, &lower] {
                    let X = Pose::translation(0.0, 0.0, -0.5);
                    spec.body(body, Inertia::principal(mass, [0.2, 0.3, 0.4]).moved(&X));
                }
                let hang = FrameSpec::of(&upper).at(0.0, 0.0, -1.0);
                spec.joint(&upper, universal(), FrameSpec::world(), FrameSpec::of(&upper));
                spec.joint(&lower, JointKind::Ball, hang, FrameSpec::of(&lower));
            }
            spec.build(Coordinates::Generalized).expect("two pendulums")
        };
        let run = |speed: f64| {
            let mut data = Data::new(&both);
            let (mut q, mut v) = (both.state().q, vec![0.5; both.nv]);
            v[5..].fill(speed);
            for _ in 0..20 {
                drift(&both, &mut data, &mut q, &mut v, 0.01).expect("converges");
            }
            (q[..6].to_vec(), v[..5].to_vec())
        };
        assert_eq!(run(0.0), run(5.0));
    }
}
