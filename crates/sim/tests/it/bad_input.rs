//! Descriptions that are no mechanism: each is refused by an error that names the thing.

use stiction_sim::inertia::InertiaError;
use stiction_sim::math::Mat3;
use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, Relaxation, SpringKind,
};
use stiction_sim::{Coordinates, Inertia, ModelError, ModelSpec, Quat, Vec3};

use crate::sample::{body_name, everything};

const BOTH: [Coordinates; 2] = [Coordinates::Generalized, Coordinates::Maximal];
const NAN: f64 = f64::NAN;
const INFINITE: f64 = f64::INFINITY;

/// What is done to [`everything`], the name that the message must contain, and the error.
type Case = (fn(&mut ModelSpec), &'static str, ModelError);

/// Each case is refused with exactly this error, in both sets of coordinates.
fn assert_refused(cases: Vec<Case>) {
    for (i, (spoil, name, expected)) in cases.into_iter().enumerate() {
        for coordinates in BOTH {
            let mut spec = everything();
            spoil(&mut spec);
            let error = spec.build(coordinates).expect_err(&format!("case {i}: {expected:?}"));
            // by their text: NaN differs from itself
            assert_eq!(format!("{error:?}"), format!("{expected:?}"), "case {i}");
            assert!(error.to_string().contains(name), "case {i}: {error}");
        }
    }
}

fn text(name: &str) -> String {
    name.to_string()
}

fn inertia(error: InertiaError) -> ModelError {
    ModelError::Inertia { body: body_name(4), error }
}

fn not_finite(user: &str, what: &'static str) -> ModelError {
    ModelError::NotFinite { user: text(user), what }
}

fn negative(user: &str, what: &'static str, value: f64) -> ModelError {
    ModelError::Negative { user: text(user), what, value }
}

fn not_positive(user: &str, what: &'static str, value: f64) -> ModelError {
    ModelError::NotPositive { user: text(user), what, value }
}

fn axis(axis: [f64; 3]) -> ModelError {
    ModelError::Axis { joint: text("joint 1"), axis }
}

fn quaternion(user: &str, quat: [f64; 4]) -> ModelError {
    ModelError::Quaternion { user: text(user), quat }
}

fn frames(spec: &mut ModelSpec, name: &str) -> [FrameSpec; 2] {
    let constraint = spec.constraints.iter().find(|c| c.name == name).expect("there");
    match &constraint.kind {
        ConstraintKind::Joint { a, b, .. } | ConstraintKind::Distance { a, b, .. } => {
            [a.clone(), b.clone()]
        }
        _ => panic!("{name} has no frames"),
    }
}

#[test]
fn bodies_that_cannot_exist() {
    assert_refused(vec![
        (|s| s.bodies[4].inertia.mass = 0.0, "Körper 4", inertia(InertiaError::Mass(0.0))),
        (|s| s.bodies[4].inertia.mass = -2.0, "Körper 4", inertia(InertiaError::Mass(-2.0))),
        (|s| s.bodies[4].inertia.mass = NAN, "Körper 4", inertia(InertiaError::Mass(NAN))),
        (
            |s| s.bodies[4].inertia.mass = INFINITE,
            "Körper 4",
            inertia(InertiaError::Mass(INFINITE)),
        ),
        (|s| s.bodies[4].inertia.mass = 5e-324, "Körper 4", inertia(InertiaError::Mass(5e-324))),
        (|s| s.bodies[4].inertia.com.y = NAN, "Körper 4", inertia(InertiaError::NotFinite)),
        (|s| s.bodies[4].inertia.I_com[(2, 2)] = INFINITE, "4", inertia(InertiaError::NotFinite)),
        (|s| s.bodies[4].inertia.I_com[(0, 1)] += 1.0, "4", inertia(InertiaError::NotSymmetric)),
        (
            |s| s.bodies[4].inertia = Inertia::principal(1.0, [1.0, 1.0, 0.0]),
            "Körper 4",
            inertia(InertiaError::NotPositiveDefinite { moment: 0.0 }),
        ),
        (
            |s| s.bodies[4].inertia = Inertia::principal(1.0, [1.0, -1.0, 1.0]),
            "Körper 4",
            inertia(InertiaError::NotPositiveDefinite { moment: -1.0 }),
        ),
        (
            |s| s.bodies[4].inertia = Inertia::principal(1.0, [4.0, 1.0, 2.0]),
            "Körper 4",
            inertia(InertiaError::TriangleInequality { moments: [1.0, 2.0, 4.0] }),
        ),
    ]);
}

#[test]
fn an_inertia_near_the_largest_double_is_judged_like_any_other() {
    // the sum with its transpose overflows; principal moments −1, −1, 2 times 0.96e308
    let mut spec = everything();
    spec.bodies[4].inertia.I_com = (Mat3::from_element(1.0) - Mat3::identity()) * 0.96e308;
    let error = spec.build(Coordinates::Generalized).err();
    let Some(ModelError::Inertia { error: InertiaError::NotPositiveDefinite { moment }, .. }) =
        error
    else {
        panic!("{error:?}")
    };
    assert!((moment / -0.96e308 - 1.0).abs() < 1e-14, "{moment}");
}

#[test]
fn names_that_are_empty_taken_or_unknown() {
    let unknown = |user: &str| ModelError::UnknownBody { user: text(user), body: text("ghost") };
    assert_refused(vec![
        (
            |s| s.bodies[2].name.clear(),
            "number 2 of the bodies",
            ModelError::EmptyName { kind: "bodies", index: 2 },
        ),
        (
            |s| s.springs[1].name.clear(),
            "number 1 of the springs",
            ModelError::EmptyName { kind: "springs", index: 1 },
        ),
        (
            |s| s.bodies[2].name = body_name(4),
            "Körper 4",
            ModelError::DuplicateName { kind: "bodies", name: body_name(4) },
        ),
        (
            |s| s.joints[2].name = text("joint 5"),
            "joint 5",
            ModelError::DuplicateName { kind: "joints", name: text("joint 5") },
        ),
        (
            // the free joint of a body that none carries has the body's name
            |s| s.joints[2].name = text("loose"),
            "loose",
            ModelError::DuplicateName { kind: "joints", name: text("loose") },
        ),
        (
            |s| s.constraints[0].name = text("gear"),
            "gear",
            ModelError::DuplicateName { kind: "constraints", name: text("gear") },
        ),
        (
            |s| s.springs[0].name = text("watch"),
            "watch",
            ModelError::DuplicateName { kind: "springs", name: text("watch") },
        ),
        (|s| s.joints[3].parent.body = Some(text("ghost")), "ghost", unknown("joint 3")),
        (|s| s.joints[3].child.body = Some(text("ghost")), "joint 3", unknown("joint 3")),
        (
            |s| {
                let [a, _] = frames(s, "rope");
                let b = FrameSpec::of("ghost");
                s.constraints[1].kind = ConstraintKind::Distance { a, b, length: 1.0 };
            },
            "rope",
            unknown("rope"),
        ),
        (
            |s| {
                let (a, b) = (FrameSpec::of("ghost"), FrameSpec::world());
                s.springs[2].kind = SpringKind::Torsion { a, b };
            },
            "bushing",
            unknown("bushing"),
        ),
        (
            |s| {
                let coordinate = CoordinateSpec::of("Körper 1");
                s.springs[1].kind = SpringKind::Coordinate { coordinate, rest: 0.0 };
            },
            "watch",
            ModelError::UnknownJoint { user: text("watch"), joint: body_name(1) },
        ),
    ]);
}

#[test]
fn joints_that_carry_what_they_cannot() {
    let cycle = |order: &[usize]| ModelError::Cycle {
        bodies: order.iter().map(|&i| body_name(i)).collect(),
    };
    let child = || ModelError::Child { joint: text("joint 5") };
    assert_refused(vec![
        (|s| s.joints[5].child.body = None, "joint 5", child()),
        (|s| s.joints[5].parent.body = s.joints[5].child.body.clone(), "joint 5", child()),
        (
            |s| s.joints[5].child.body = Some(body_name(3)),
            "Körper 3",
            ModelError::CarriedTwice {
                body: body_name(3),
                joints: [text("joint 3"), text("joint 5")],
            },
        ),
        // the rest of the chain hangs below the circle and is not part of it
        (|s| s.joints[0].parent.body = Some(body_name(1)), "Körper 1", cycle(&[1, 0])),
        (|s| s.joints[2].parent.body = Some(body_name(6)), "Körper 4", cycle(&[3, 4, 5, 6, 2])),
        (
            |s| s.joints[8].parent.body = Some(body_name(8)),
            "joint 8",
            ModelError::Child { joint: text("joint 8") },
        ),
    ]);
}

#[test]
fn axes_and_quaternions_without_unit_length() {
    assert_refused(vec![
        (
            |s| s.joints[1].kind = JointKind::Revolute { axis: Vec3::zeros() },
            "joint 1",
            axis([0.0, 0.0, 0.0]),
        ),
        (
            |s| s.joints[1].kind = JointKind::Prismatic { axis: Vec3::new(0.0, 2.0, 0.0) },
            "joint 1",
            axis([0.0, 2.0, 0.0]),
        ),
        (
            |s| s.joints[1].kind = JointKind::Cylindrical { axis: Vec3::new(NAN, 0.0, 1.0) },
            "joint 1",
            axis([NAN, 0.0, 1.0]),
        ),
        (
            |s| s.joints[1].kind = JointKind::Screw { axis: Vec3::x() * 1e300, pitch: 0.1 },
            "joint 1",
            axis([1e300, 0.0, 0.0]),
        ),
        (
            |s| s.joints[1].kind = JointKind::Screw { axis: Vec3::x(), pitch: INFINITE },
            "joint 1",
            not_finite("joint 1", "pitch"),
        ),
        (
            |s| {
                let (first, second) = (Vec3::x(), Vec3::x());
                s.joints[1].kind = JointKind::Universal { first, second };
            },
            "joint 1",
            ModelError::AxesNotPerpendicular { joint: text("joint 1") },
        ),
        (
            |s| s.joints[3].parent.quat = Quat { w: 0.0, x: 0.0, y: 0.0, z: 0.0 },
            "joint 3",
            quaternion("joint 3", [0.0; 4]),
        ),
        (
            |s| s.joints[3].child.quat = Quat { w: 1.0, x: 0.1, y: 0.0, z: 0.0 },
            "joint 3",
            quaternion("joint 3", [1.0, 0.1, 0.0, 0.0]),
        ),
        (
            |s| {
                let [mut a, b] = frames(s, "rope");
                a.quat.y = NAN;
                (a.quat.w, a.quat.x, a.quat.z) = (1.0, 0.0, 0.0);
                s.constraints[1].kind = ConstraintKind::Distance { a, b, length: 1.0 };
            },
            "rope",
            quaternion("rope", [1.0, 0.0, NAN, 0.0]),
        ),
        (
            |s| s.joints[3].parent.p.x = INFINITE,
            "joint 3",
            not_finite("joint 3", "position of a frame"),
        ),
    ]);
}

#[test]
fn limits_armature_and_damping_out_of_their_domain() {
    let limits = |lower, upper| ModelError::Limits { joint: text("joint 1"), lower, upper };
    let length = |joint: &str, what, expected, found| ModelError::Length {
        joint: text(joint),
        what,
        expected,
        found,
    };
    assert_refused(vec![
        (|s| s.joints[1].limits = vec![(1.0, -1.0)], "joint 1", limits(1.0, -1.0)),
        (|s| s.joints[1].limits = vec![(1.0, 1.0)], "joint 1", limits(1.0, 1.0)),
        (|s| s.joints[1].limits = vec![(NAN, 1.0)], "joint 1", limits(NAN, 1.0)),
        (|s| s.joints[1].limits = vec![(0.0, NAN)], "joint 1", limits(0.0, NAN)),
        (
            |s| s.joints[1].limits = vec![(INFINITE, INFINITE)],
            "joint 1",
            limits(INFINITE, INFINITE),
        ),
        (|s| s.joints[4].limits = vec![(0.0, 1.0)], "joint 4", length("joint 4", "limits", 2, 1)),
        (|s| s.joints[6].limits = vec![(0.0, 1.0)], "joint 6", length("joint 6", "limits", 0, 1)),
        (|s| s.joints[7].armature = vec![1.0, 2.0], "joint 7", length("joint 7", "armature", 3, 2)),
        (|s| s.joints[1].damping = vec![1.0; 5], "joint 1", length("joint 1", "damping", 1, 5)),
        (|s| s.joints[1].armature = vec![-1.0], "joint 1", negative("joint 1", "armature", -1.0)),
        (|s| s.joints[1].damping = vec![NAN], "joint 1", not_finite("joint 1", "damping")),
        (|s| s.joints[1].armature = vec![INFINITE], "joint 1", not_finite("joint 1", "armature")),
        (|s| s.gravity.z = NAN, "gravity", not_finite("world", "gravity")),
    ]);
}

#[test]
fn constraints_that_are_no_constraint() {
    let same = |user: &str| ModelError::SameBody { user: text(user) };
    let term = |index| ModelError::Term { constraint: text("gear"), joint: text("joint 4"), index };
    assert_refused(vec![
        (
            |s| {
                let [a, _] = frames(s, "loop");
                s.constraints[0].kind =
                    ConstraintKind::Joint { kind: JointKind::Ball, a: a.clone(), b: a };
            },
            "loop",
            same("loop"),
        ),
        (
            |s| {
                let (a, b) = (FrameSpec::world(), FrameSpec::world().at(1.0, 0.0, 0.0));
                s.constraints[1].kind = ConstraintKind::Distance { a, b, length: 1.0 };
            },
            "rope",
            same("rope"),
        ),
        (|s| set_length(s, 0.0), "rope", not_positive("rope", "length", 0.0)),
        (|s| set_length(s, -1.0), "rope", not_positive("rope", "length", -1.0)),
        (|s| set_length(s, NAN), "rope", not_finite("rope", "length")),
        (|s| set_terms(s, &[], 0.0), "gear", ModelError::NoTerms { constraint: text("gear") }),
        (|s| set_terms(s, &[(0, 0.0)], 0.0), "joint 4", term(0)),
        (|s| set_terms(s, &[(1, 1.0), (0, 2.0), (1, -1.0)], 0.0), "joint 4", term(1)),
        (|s| set_terms(s, &[(1, NAN)], 0.0), "gear", not_finite("gear", "factor")),
        (|s| set_terms(s, &[(1, 1.0)], INFINITE), "gear", not_finite("gear", "offset")),
        (
            |s| set_terms(s, &[(2, 1.0)], 0.0),
            "joint 4",
            ModelError::Coordinate { user: text("gear"), joint: text("joint 4"), index: 2 },
        ),
        (
            |s| s.constraints[0].relaxation = Some(Relaxation { k: 0.0, b: 0.0 }),
            "loop",
            not_positive("loop", "stiffness or damping of the relaxation", 0.0),
        ),
        (
            |s| s.constraints[0].relaxation = Some(Relaxation { k: -1.0, b: 2.0 }),
            "loop",
            negative("loop", "relaxation stiffness", -1.0),
        ),
        (
            |s| s.constraints[0].relaxation = Some(Relaxation { k: 1.0, b: NAN }),
            "loop",
            not_finite("loop", "relaxation damping"),
        ),
    ]);
}

fn set_length(spec: &mut ModelSpec, length: f64) {
    let [a, b] = frames(spec, "rope");
    spec.constraints[1].kind = ConstraintKind::Distance { a, b, length };
}

/// Terms of the cylindrical joint: (index, factor).
fn set_terms(spec: &mut ModelSpec, terms: &[(usize, f64)], offset: f64) {
    let coordinate = |index| CoordinateSpec { joint: text("joint 4"), index };
    let terms = terms.iter().map(|&(index, factor)| (coordinate(index), factor)).collect();
    spec.constraints[2].kind = ConstraintKind::Coupling { terms, offset };
}

#[test]
fn drives_without_a_finite_law_or_a_coordinate() {
    let law = |what| not_finite("motor", what);
    let coordinate = |joint: &str, index| ModelError::Coordinate {
        user: text("motor"),
        joint: text(joint),
        index,
    };
    assert_refused(vec![
        (|s| drive(s, 1, 0, Law::Polynomial([NAN, 0.0, 0.0, 0.0])), "motor", law("law at t = 0")),
        (
            |s| drive(s, 1, 0, Law::Polynomial([0.0, 0.0, 0.0, INFINITE])),
            "motor",
            law("law at t = 0"),
        ),
        (|s| drive(s, 1, 0, sine(INFINITE, 0.0)), "motor", law("law at t = 0")),
        (|s| drive(s, 1, 0, sine(1e200, 0.0)), "motor", law("rate of the law at t = 0")),
        (
            |s| drive(s, 1, 0, Law::Custom(|_| [0.0, NAN, 0.0])),
            "motor",
            law("rate of the law at t = 0"),
        ),
        (
            |s| drive(s, 1, 0, Law::Custom(|t| [t, 1.0, 1.0 / t])),
            "motor",
            law("second derivative of the law at t = 0"),
        ),
        (|s| drive(s, 1, 1, Law::rate(0.0, 1.0)), "joint 1", coordinate("joint 1", 1)),
        (|s| drive(s, 0, 0, Law::rate(0.0, 1.0)), "joint 0", coordinate("joint 0", 0)),
        (|s| drive(s, 6, 0, Law::rate(0.0, 1.0)), "joint 6", coordinate("joint 6", 0)),
        (|s| drive(s, 8, 1, Law::rate(0.0, 1.0)), "joint 8", coordinate("joint 8", 1)),
        (
            |s| drive(s, 1, usize::MAX, Law::rate(0.0, 1.0)),
            "joint 1",
            coordinate("joint 1", usize::MAX),
        ),
    ]);
    // each number is finite, if not their sum
    let mut spec = everything();
    drive(&mut spec, 1, 0, Law::Polynomial([1e308, 1e308, 0.0, 0.0]));
    assert!(spec.build(Coordinates::Generalized).is_ok());
}

fn drive(spec: &mut ModelSpec, joint: usize, index: usize, law: Law) {
    let coordinate = CoordinateSpec { joint: format!("joint {joint}"), index };
    spec.constraints[3].kind = ConstraintKind::Drive { coordinate, law };
}

fn sine(omega: f64, phase: f64) -> Law {
    Law::Sine { offset: 0.0, amplitude: 1e200, omega, phase }
}

#[test]
fn springs_out_of_their_domain() {
    assert_refused(vec![
        (|s| s.springs[0].stiffness = -1.0, "coil", negative("coil", "stiffness", -1.0)),
        (|s| s.springs[0].stiffness = INFINITE, "coil", not_finite("coil", "stiffness")),
        (|s| s.springs[2].damping = NAN, "bushing", not_finite("bushing", "damping")),
        (
            |s| {
                let (a, b) = (FrameSpec::of("loose"), FrameSpec::of("loose").at(0.0, 0.0, 1.0));
                s.springs[0].kind = SpringKind::Points { a, b, rest: 0.0 };
            },
            "coil",
            ModelError::SameBody { user: text("coil") },
        ),
        (
            |s| {
                let (a, b) = (FrameSpec::of("loose"), FrameSpec::world());
                s.springs[0].kind = SpringKind::Points { a, b, rest: -0.1 };
            },
            "coil",
            negative("coil", "rest length", -0.1),
        ),
        (
            |s| {
                let coordinate = CoordinateSpec::of("joint 1");
                s.springs[1].kind = SpringKind::Coordinate { coordinate, rest: NAN };
            },
            "watch",
            not_finite("watch", "rest position"),
        ),
        (
            |s| {
                let coordinate = CoordinateSpec::of("loose");
                s.springs[1].kind = SpringKind::Coordinate { coordinate, rest: 0.0 };
            },
            "loose",
            ModelError::Coordinate { user: text("watch"), joint: text("loose"), index: 0 },
        ),
    ]);
}

/// One free body of 1 kg.
fn single(moments: f64, com: f64) -> ModelSpec {
    let mut spec = ModelSpec::new();
    let mut inertia = Inertia::principal(1.0, [moments; 3]);
    inertia.com.x = com;
    spec.body("stone", inertia);
    spec
}

#[test]
fn numbers_whose_products_leave_the_doubles() {
    // 1e200² overflows in the inertia about the origin
    let error = single(1.0, 1e200).build(Coordinates::Generalized);
    assert_eq!(error.err(), Some(ModelError::Overflow { user: text("stone") }));

    // two offsets of 1e308 m meet in the pose of the second body
    let mut spec = ModelSpec::new();
    for (name, parent) in [("near", FrameSpec::world()), ("far", FrameSpec::of("near"))] {
        spec.body(name, Inertia::principal(1.0, [1.0; 3]));
        let parent = parent.at(1.5e308, 0.0, 0.0);
        spec.joint(&format!("to {name}"), JointKind::Fixed, parent, FrameSpec::of(name));
    }
    for coordinates in BOTH {
        let error = spec.build(coordinates).err();
        assert_eq!(error, Some(ModelError::Overflow { user: text("far") }));
    }
}

#[test]
fn a_mass_matrix_that_rounding_would_make_indefinite_is_refused() {
    // at 1e7 radii of gyration from the origin two digits of the moments are left, at 1e9 none
    for coordinates in BOTH {
        assert!(single(1.0, 1e7).build(coordinates).is_ok());
        let error = single(1.0, 1e9).build(coordinates).err();
        assert_eq!(error, Some(ModelError::MassMatrix { joint: text("stone") }));
    }
    // a slider of 1e17 kg on a carriage of 1 kg along the same axis: in maximal coordinates they do not meet
    let mut spec = ModelSpec::new();
    spec.body("carriage", Inertia::principal(1.0, [1.0; 3]));
    spec.body("slider", Inertia::principal(1e17, [1.0; 3]));
    let rail = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("carriage"));
    spec.joint("slot", rail, FrameSpec::of("carriage"), FrameSpec::of("slider"));
    let error = spec.build(Coordinates::Generalized).err();
    assert_eq!(error, Some(ModelError::MassMatrix { joint: text("rail") }));
    assert!(spec.build(Coordinates::Maximal).is_ok());
}
