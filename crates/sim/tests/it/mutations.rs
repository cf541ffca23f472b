//! Random changes to a valid description: it is built or refused, and what is built is sound.

use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, Law, Relaxation, SpringKind};
use stiction_sim::tree::matrix::TreeFactor;
use stiction_sim::tree::{crba, kinematics};
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelError, ModelSpec, Quat};

use crate::sample::{Rng, body_name, everything, forest};

const BOTH: [Coordinates; 2] = [Coordinates::Generalized, Coordinates::Maximal];
const NAN: f64 = f64::NAN;
const INFINITE: f64 = f64::INFINITY;

/// The neutral state is finite, and the mass matrix there has factors with which forces can be divided.
fn assert_neutral(model: &Model, what: &str) {
    let state = model.state();
    assert!(state.q.iter().all(|q| q.is_finite()), "{what}: {:?}", state.q);
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    for X in &data.positions().X_WB {
        assert!(X.p.iter().chain(&X.R).all(|x| x.is_finite()), "{what}: {X:?}");
    }
    let M = crba::mass_matrix(model, &mut data);
    let mut factor = TreeFactor::new(model.pattern());
    assert_eq!(factor.factor(model.pattern(), M, &vec![0.0; model.nv()]), Ok(()), "{what}");
    for v in 0..model.nv() {
        assert!((1.0 / factor.pivot(model.pattern(), v)).is_finite(), "{what}: velocity {v}");
    }
}

#[test]
fn valid_descriptions_are_built() {
    for coordinates in BOTH {
        assert_neutral(&everything().build(coordinates).expect("valid"), "everything");
        for seed in 0..200 {
            let spec = forest(&mut Rng(seed), 1 + seed as usize % 20);
            assert_neutral(&spec.build(coordinates).expect("valid"), &format!("seed {seed}"));
        }
    }
}

#[test]
fn no_mutation_makes_build_panic_or_lets_nonsense_through() {
    let (mut built, mut overflows, mut lost) = (0, 0, 0);
    for seed in 0..20_000 {
        let mut rng = Rng(seed);
        let mut spec = everything();
        for _ in 0..=rng.index(3) {
            mutate(&mut spec, &mut rng);
        }
        for coordinates in BOTH {
            match spec.build(coordinates) {
                Ok(model) => {
                    assert_neutral(&model, &format!("seed {seed}"));
                    built += 1;
                }
                Err(ModelError::Overflow { .. }) => overflows += 1,
                Err(ModelError::MassMatrix { .. }) => lost += 1,
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    // every outcome is met often enough to mean something
    assert!((4_000..36_000).contains(&built), "{built} of 40000 were built");
    assert!(overflows > 100 && lost > 100, "{overflows} overflows, {lost} lost");
}

/// Changes one number, name, reference or list of a description.
fn mutate(spec: &mut ModelSpec, rng: &mut Rng) {
    const NUMBERS: [f64; 20] = [
        NAN, INFINITE, -INFINITE, 0.0, -0.0, 1.0, -1.0, 2.0, 1e-3, 1e3, 1e-8, 1e8, 1e-16, 1e16,
        1e-160, 1e160, -1e160, 1.7e308, 2.3e-308, 5e-324,
    ];
    match rng.index(8) {
        0..4 => {
            let mut numbers = numbers(spec);
            let (place, value) = (rng.index(numbers.len()), NUMBERS[rng.index(NUMBERS.len())]);
            *numbers[place] = value;
        }
        4 => {
            let mut numbers = numbers(spec);
            let place = rng.index(numbers.len());
            *numbers[place] *= 10f64.powf(rng.between(-12.0, 12.0));
        }
        5 => {
            let pool = ["", "loose", "joint 3", "Körper 3", "ghost", "rope", "watch"];
            let mut names = names(spec);
            let place = rng.index(names.len());
            *names[place] = pool[rng.index(pool.len())].to_string();
        }
        6 => {
            let (joint, body) = (rng.index(spec.joints.len().max(1)), rng.index(9));
            let Some(joint) = spec.joints.get_mut(joint) else { return };
            let frame = if rng.index(2) == 0 { &mut joint.parent } else { &mut joint.child };
            frame.body = (rng.index(4) > 0).then(|| body_name(body));
        }
        _ => mutate_lists(spec, rng),
    }
}

fn mutate_lists(spec: &mut ModelSpec, rng: &mut Rng) {
    let joint = rng.index(spec.joints.len().max(1));
    match rng.index(6) {
        0 => {
            spec.bodies.remove(rng.index(spec.bodies.len()));
        }
        1 => {
            spec.joints.remove(joint);
        }
        2 => {
            spec.joints[joint].kind = {
                let index = rng.index(9);
                rng.joint_kind(index)
            }
        }
        3 => spec.joints[joint].limits = vec![(-1.0, 1.0); rng.index(4)],
        4 => spec.joints[joint].armature = vec![1.0; rng.index(8)],
        _ => {
            let place = rng.index(spec.bodies.len());
            let copy = spec.bodies[place].clone();
            spec.bodies.push(copy);
        }
    }
}

fn of_frame(frame: &mut FrameSpec) -> Vec<&mut f64> {
    let Quat { w, x, y, z } = &mut frame.quat;
    frame.p.iter_mut().chain([w, x, y, z]).collect()
}

fn of_kind(kind: &mut JointKind) -> Vec<&mut f64> {
    match kind {
        JointKind::Revolute { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Cylindrical { axis } => axis.iter_mut().collect(),
        JointKind::Screw { axis, pitch } => axis.iter_mut().chain([pitch]).collect(),
        JointKind::Universal { first, second } => first.iter_mut().chain(second).collect(),
        JointKind::Fixed | JointKind::Ball | JointKind::Planar | JointKind::Free => Vec::new(),
    }
}

/// Every number of a description.
fn numbers(spec: &mut ModelSpec) -> Vec<&mut f64> {
    let mut all: Vec<&mut f64> = spec.gravity.iter_mut().collect();
    for body in &mut spec.bodies {
        let Inertia { mass, com, I_com } = &mut body.inertia;
        all.extend([mass].into_iter().chain(com).chain(I_com));
    }
    for joint in &mut spec.joints {
        all.extend(of_kind(&mut joint.kind));
        all.extend(of_frame(&mut joint.parent));
        all.extend(of_frame(&mut joint.child));
        all.extend(joint.armature.iter_mut().chain(&mut joint.damping));
        all.extend(joint.limits.iter_mut().flat_map(|(lower, upper)| [lower, upper]));
    }
    for constraint in &mut spec.constraints {
        if let Some(Relaxation { k, b }) = &mut constraint.relaxation {
            all.extend([k, b]);
        }
        match &mut constraint.kind {
            ConstraintKind::Joint { kind, a, b } => {
                all.extend(of_kind(kind));
                all.extend(of_frame(a).into_iter().chain(of_frame(b)));
            }
            ConstraintKind::Distance { a, b, length } => {
                all.push(length);
                all.extend(of_frame(a).into_iter().chain(of_frame(b)));
            }
            ConstraintKind::Coupling { terms, offset } => {
                all.push(offset);
                all.extend(terms.iter_mut().map(|(_, factor)| factor));
            }
            ConstraintKind::Drive { law, .. } => all.extend(of_law(law)),
        }
    }
    for spring in &mut spec.springs {
        all.extend([&mut spring.stiffness, &mut spring.damping]);
        match &mut spring.kind {
            SpringKind::Points { a, b, rest } => {
                all.push(rest);
                all.extend(of_frame(a).into_iter().chain(of_frame(b)));
            }
            SpringKind::Coordinate { rest, .. } => all.push(rest),
            SpringKind::Torsion { a, b } => {
                all.extend(of_frame(a).into_iter().chain(of_frame(b)));
            }
        }
    }
    all
}

fn of_law(law: &mut Law) -> Vec<&mut f64> {
    match law {
        Law::Polynomial(c) => c.iter_mut().collect(),
        Law::Sine { offset, amplitude, omega, phase } => vec![offset, amplitude, omega, phase],
        Law::Custom(_) => Vec::new(),
    }
}

/// Every name of a description, and some that refer to others.
fn names(spec: &mut ModelSpec) -> Vec<&mut String> {
    let mut all: Vec<&mut String> = spec.bodies.iter_mut().map(|body| &mut body.name).collect();
    all.extend(spec.joints.iter_mut().map(|joint| &mut joint.name));
    for constraint in &mut spec.constraints {
        all.push(&mut constraint.name);
        match &mut constraint.kind {
            ConstraintKind::Joint { a, b, .. } | ConstraintKind::Distance { a, b, .. } => {
                all.extend([a, b].into_iter().filter_map(|frame| frame.body.as_mut()));
            }
            ConstraintKind::Coupling { terms, .. } => {
                all.extend(terms.iter_mut().map(|(coordinate, _)| &mut coordinate.joint));
            }
            ConstraintKind::Drive { coordinate, .. } => all.push(&mut coordinate.joint),
        }
    }
    all.extend(spec.springs.iter_mut().map(|spring| &mut spring.name));
    all
}

#[test]
fn twenty_thousand_bodies_are_built() {
    assert_many(20_000);
}

/// Free bodies listed in reverse, a weld and a spring to each.
fn assert_many(n: usize) {
    let mut spec = ModelSpec::new();
    for i in (0..n).rev() {
        let (name, other) = (format!("b{i}"), format!("b{}", (i + 1) % n));
        spec.body(&name, Inertia::principal(1.0, [1.0; 3]));
        let (a, b) = (FrameSpec::of(&name), FrameSpec::of(&other));
        spec.constraint(&name, ConstraintKind::Joint { kind: JointKind::Fixed, a, b });
        let (a, b) = (FrameSpec::of(&name), FrameSpec::of(&other));
        spec.spring(&name, SpringKind::Torsion { a, b }, 1.0, 1.0);
    }
    for coordinates in BOTH {
        let model = spec.build(coordinates).expect("valid");
        assert_eq!((model.nq(), model.nv()), (7 * n, 6 * n));
    }
}
