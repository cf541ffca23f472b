//! States that do not belong to their model, and bodies placed by hand.

use stiction_sim::model::JointKind;
use stiction_sim::tree::kinematics;
use stiction_sim::{
    Coordinates, Data, Model, ModelSpec, Motion, Pose, Quat, State, StateError, Vec3,
};

use crate::sample::{Rng, everything};

const NAN: f64 = f64::NAN;

fn models() -> [Model; 2] {
    [Coordinates::Generalized, Coordinates::Maximal]
        .map(|coordinates| everything().build(coordinates).expect("valid"))
}

fn assert_refused(model: &Model, spoil: impl Fn(&mut State), expected: &StateError, name: &str) {
    let mut state = model.state();
    spoil(&mut state);
    let error = model.check_state(&state).expect_err("spoilt");
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
    assert!(error.to_string().contains(name), "{error}");
}

#[test]
fn the_neutral_state_passes() {
    for model in models() {
        assert_eq!(model.check_state(&model.state()), Ok(()));
    }
}

#[test]
fn lists_of_another_model_are_refused() {
    let [generalized, maximal] = models();
    let error = generalized.check_state(&maximal.state());
    let (expected, found) = (generalized.nq(), maximal.nq());
    assert_eq!(error, Err(StateError::Length { what: "q", expected, found }));
    for model in [&generalized, &maximal] {
        let angles = model.state().memory.angles.len();
        let length = |what, n| StateError::Length { what, expected: n, found: n + 1 };
        assert_refused(model, |s| s.v.push(0.0), &length("v", model.nv()), "v must have");
        let error = length("memory.angles", angles);
        assert_refused(model, |s| s.memory.angles.push(None), &error, "memory");
    }
}

#[test]
fn numbers_that_are_no_state_name_their_joint() {
    let [generalized, maximal] = models();
    let joint = |name: &str| generalized.joint(name).expect("there");
    let q = |name: &str| generalized.q_range(joint(name)).expect("in the tree").start;
    let v = |name: &str| generalized.v_range(joint(name)).expect("in the tree").start;
    let not_finite =
        |name: &str, what, index| StateError::NotFinite { joint: name.to_string(), what, index };
    let model = &generalized;
    assert_refused(model, |s| s.time = f64::INFINITY, &StateError::Time(f64::INFINITY), "time");
    let error = not_finite("joint 4", "positions", 1);
    assert_refused(model, |s| s.q[q("joint 4") + 1] = NAN, &error, "joint 4");
    let error = not_finite("joint 7", "velocities", 2);
    assert_refused(model, |s| s.v[v("joint 7") + 2] = NAN, &error, "joint 7");
    let quaternion = |name: &str, quat| StateError::Quaternion { joint: name.to_string(), quat };
    let error = quaternion("joint 6", [0.0; 4]);
    assert_refused(model, |s| s.q[q("joint 6")] = 0.0, &error, "joint 6");
    let error = quaternion("joint 8", [1.0, 0.0, 0.01, 0.0]);
    assert_refused(model, |s| s.q[q("joint 8") + 5] = 0.01, &error, "joint 8");
    let error = quaternion("loose", [1.0 + 2e-6, 0.0, 0.0, 0.0]);
    assert_refused(model, |s| s.q[q("loose") + 3] = 1.0 + 2e-6, &error, "loose");

    // in maximal coordinates q belongs to the bodies; remembered angles belong to joints and loops
    let spoil = |s: &mut State| s.q[7 * 3] = NAN;
    assert_refused(&maximal, spoil, &not_finite("Körper 3", "positions", 0), "Körper 3");
    let names = ["joint 3", "loop", "joint 1", "joint 4", "joint 5", "joint 7", "joint 1"];
    assert_eq!(maximal.state().memory.angles.len(), names.len());
    for (i, name) in names.into_iter().enumerate() {
        let error = not_finite(name, "remembered angles", i);
        assert_refused(&maximal, |s| s.memory.angles[i] = Some(NAN), &error, name);
    }
}

fn difference(a: &Motion, b: &Motion) -> f64 {
    (a.w - b.w).amax().max((a.v - b.v).amax())
}

#[test]
fn a_free_body_goes_where_it_is_put() {
    // B differs from U, and J from W
    let mut rng = Rng(3);
    let mut spec = ModelSpec::new();
    spec.body("stone", rng.inertia());
    let (parent, child) = (rng.frame(None), rng.frame(Some("stone")));
    spec.joint("air", JointKind::Free, parent, child);
    spec.body("leaf", rng.inertia());
    for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
        let model = spec.build(coordinates).expect("valid");
        let (mut state, mut data) = (model.state(), Data::new(&model));
        for name in ["stone", "leaf"] {
            let body = model.body(name).expect("there");
            let X_WU = Pose::from_parts(rng.vector(5.0), rng.quaternion());
            let V_WU = Motion::new(rng.vector(3.0), rng.vector(3.0));
            model.set_pose(&mut state, body, X_WU).expect("free");
            model.set_velocity(&mut state, body, V_WU).expect("free");
            kinematics::update(&model, &state.q, &state.v, &mut data);
            let pose = kinematics::pose(&model, &data, body);
            assert!((pose.R - X_WU.R).amax() < 1e-15 && (pose.p - X_WU.p).amax() < 4e-15);
            let velocity = kinematics::velocity(&model, &data, body);
            assert!(difference(&velocity, &V_WU) < 1e-14, "{velocity:?}");
        }
        assert_eq!(model.check_state(&state), Ok(()));
    }
}

#[test]
fn a_body_that_is_not_free_or_a_pose_that_is_none_leaves_the_state_alone() {
    let model = everything().build(Coordinates::Generalized).expect("valid");
    let body = |name: &str| model.body(name).expect("there");
    let before = model.state();
    let mut state = before.clone();
    // joint 8 is free, but hangs on a body
    for (name, joint) in [("Körper 1", "joint 1"), ("Körper 8", "joint 8")] {
        let (name_, joint_) = (name.to_string(), joint.to_string());
        let expected = Err(StateError::NotFree { body: name_, joint: joint_ });
        assert_eq!(model.set_pose(&mut state, body(name), Pose::identity()), expected);
        assert_eq!(model.set_velocity(&mut state, body(name), Motion::zero()), expected);
    }
    let loose = body("loose");
    let mut mirror = Pose::identity();
    mirror.R[(2, 2)] = -1.0;
    let mut stretched = Pose::identity();
    stretched.R[(0, 0)] = 1.1;
    let mut hole = Pose::identity();
    hole.R[(1, 2)] = NAN;
    let lost = Pose::translation(0.0, f64::INFINITY, 0.0);
    for X_WU in [mirror, stretched, hole, lost] {
        let expected = Err(StateError::Pose { body: "loose".to_string() });
        assert_eq!(model.set_pose(&mut state, loose, X_WU), expected, "{X_WU:?}");
    }
    let V_WU = Motion::new(Vec3::new(0.0, NAN, 0.0), Vec3::zeros());
    let error = model.set_velocity(&mut state, loose, V_WU).expect_err("NaN");
    assert!(error.to_string().contains("loose"), "{error}");
    assert_eq!(state, before);
    state.q.pop();
    let error = model.set_pose(&mut state, loose, Pose::identity());
    assert!(matches!(error, Err(StateError::Length { what: "q", .. })));
}

#[test]
fn a_saved_state_is_the_state() {
    let model = everything().build(Coordinates::Maximal).expect("valid");
    let mut state = model.state();
    state.memory.angles[1] = Some(40.0);
    let quat = Quat::exp(&Vec3::new(0.1, 0.2, 0.3));
    let pose = Pose::from_parts(Vec3::new(1.0, -0.0, 3.0), quat);
    model.set_pose(&mut state, model.body("loose").expect("there"), pose).expect("free");
    let back = State::from_bytes(&state.to_bytes()).expect("a state");
    assert_eq!(back, state);
    assert_eq!(model.check_state(&back), Ok(()));
}
