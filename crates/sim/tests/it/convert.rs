//! One mechanism in two sets of coordinates.

use stiction_sim::model::{ConvertError, FrameSpec, JointKind};
use stiction_sim::tree::kinematics;
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelSpec, State, StateError, Vec3};

use crate::sample::{Rng, everything, forest};

/// Lengths of some metres, chains of up to ten bodies, velocities of some ten m/s.
const TOLERANCE: f64 = 1e-12;

fn both(spec: &ModelSpec) -> [Model; 2] {
    [Coordinates::Generalized, Coordinates::Maximal].map(|c| spec.build(c).expect("valid"))
}

/// Angles within (−π, π), lengths within 3 m, velocities likewise.
fn random_state(model: &Model, rng: &mut Rng) -> State {
    let mut state = model.state();
    state.time = rng.between(-1.0, 1.0);
    let step: Vec<f64> = (0..model.nv()).map(|_| rng.between(-3.0, 3.0)).collect();
    model.integrate(&mut state.q, &step, 1.0);
    state.v.fill_with(|| rng.between(-3.0, 3.0));
    state
}

/// Largest difference of the positions, along velocities, and of the velocities.
fn distance(model: &Model, a: &State, b: &State) -> f64 {
    let mut between = vec![0.0; model.nv()];
    model.difference(&a.q, &b.q, &mut between);
    let mut largest: f64 = 0.0;
    for x in between.into_iter().chain(a.v.iter().zip(&b.v).map(|(a, b)| a - b)) {
        assert!(x.is_finite());
        largest = largest.max(x.abs());
    }
    largest
}

fn update(model: &Model, state: &State) -> Data {
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    data
}

/// Largest difference between poses and between velocities of bodies of one name.
fn bodies_apart((a, of_a): (&Model, &State), (b, of_b): (&Model, &State)) -> f64 {
    let (data_a, data_b) = (update(a, of_a), update(b, of_b));
    let mut largest: f64 = 0.0;
    for body in a.bodies() {
        let (i, j) = (a.body(&body.name).expect("there"), b.body(&body.name).expect("there"));
        let (X, Y) = (kinematics::pose(a, &data_a, i), kinematics::pose(b, &data_b, j));
        let (V, U) = (kinematics::velocity(a, &data_a, i), kinematics::velocity(b, &data_b, j));
        for error in
            [(X.p - Y.p).amax(), (X.R - Y.R).amax(), (V.w - U.w).amax(), (V.v - U.v).amax()]
        {
            assert!(error.is_finite());
            largest = largest.max(error);
        }
    }
    largest
}

#[test]
fn there_and_back_is_the_same_state() {
    for seed in 0..300 {
        let mut rng = Rng(seed);
        let spec = forest(&mut rng, 1 + seed as usize % 10);
        let [generalized, maximal] = both(&spec);
        let state = random_state(&generalized, &mut rng);
        let there = maximal.state_from(&generalized, &state).expect("same mechanism");
        assert_eq!(maximal.check_state(&there), Ok(()));
        let apart = bodies_apart((&generalized, &state), (&maximal, &there));
        assert!(apart <= TOLERANCE, "seed {seed}: bodies {apart:e} apart");

        let back = generalized.state_from(&maximal, &there).expect("same mechanism");
        let error = distance(&generalized, &state, &back);
        assert!(error <= TOLERANCE, "seed {seed}: {error:e}");
        assert_eq!(back.time, state.time);
        let again = maximal.state_from(&maximal, &there).expect("same model");
        let error = distance(&maximal, &there, &again);
        assert!(error <= TOLERANCE, "seed {seed}: {error:e}");
    }
}

#[test]
fn the_neutral_states_are_one() {
    let [generalized, maximal] = both(&everything());
    let there = maximal.state_from(&generalized, &generalized.state()).expect("same mechanism");
    assert!(distance(&maximal, &there, &maximal.state()) <= TOLERANCE);
}

#[test]
fn turns_are_kept_where_they_are_counted() {
    let [generalized, maximal] = both(&everything());
    let mut state = generalized.state();
    let q = |joint: &str, index: usize| {
        let joint = generalized.joint(joint).expect("there");
        generalized.q_range(joint).expect("in the tree").start + index
    };
    // of the gear, the motor, the spiral spring; the screw counts by its shift even if nothing is remembered
    let counted = [(q("joint 1", 0), 40.0), (q("joint 4", 0), -33.0), (q("joint 5", 1), 9.0)];
    let counted =
        [counted[0], counted[1], counted[2], (q("joint 7", 2), -12.5), (q("joint 3", 0), 25.0)];
    for (place, angle) in counted {
        state.q[place] = angle;
    }
    // nothing looks at the first angle of the universal joint
    let not_counted = q("joint 5", 0);
    state.q[not_counted] = 7.0;
    state.memory.angles[0] = Some(100.0); // the screw of the loop

    let mut there = maximal.state_from(&generalized, &state).expect("same mechanism");
    assert_eq!(
        there.memory.angles,
        [25.0, 100.0, 40.0, -33.0, 9.0, -12.5, 40.0].map(Some).to_vec(),
        "the screw, the loop, the gear, the motor, the spring, the limit"
    );
    for remembered in [true, false] {
        if !remembered {
            there.memory.angles.fill(None);
        }
        let back = generalized.state_from(&maximal, &there).expect("same mechanism");
        for (place, angle) in counted {
            let turns = (state.q[place] - back.q[place]) / std::f64::consts::TAU;
            assert!((turns - turns.round()).abs() < TOLERANCE, "{angle}");
            let kept = remembered || place == q("joint 3", 0);
            assert_eq!(turns.round() == 0.0, kept, "{angle} came back as {}", back.q[place]);
        }
        let principal = 7.0 - std::f64::consts::TAU;
        assert!((back.q[not_counted] - principal).abs() < TOLERANCE);
        assert_eq!(back.memory.angles, [remembered.then_some(100.0)]);
    }
}

#[test]
fn what_a_joint_does_not_allow_is_dropped() {
    // a door that maximal coordinates let sag by 1e-4 m and tilt by 1e-4 rad
    let mut spec = ModelSpec::new();
    spec.body("door", Inertia::principal(1.0, [1.0; 3]));
    let kind = JointKind::Revolute { axis: Vec3::z() };
    let (post, door) = (FrameSpec::world(), FrameSpec::of("door"));
    spec.joint("hinge", kind, post, door.at(-0.5, 0.0, 0.0));
    let [generalized, maximal] = both(&spec);
    let mut state = generalized.state();
    (state.q[0], state.v[0]) = (1.2, 0.7);
    let mut there = maximal.state_from(&generalized, &state).expect("same mechanism");
    let sag = [0.0, 0.0, -1e-4, 1e-4, -1e-4, 0.0];
    maximal.integrate(&mut there.q, &sag, 1.0);
    there.v[2] += 0.1;
    let back = generalized.state_from(&maximal, &there).expect("same mechanism");
    assert!((back.q[0] - 1.2).abs() < 1e-8 && (back.v[0] - 0.7).abs() < 1e-4, "{back:?}");
}

#[test]
fn other_mechanisms_and_states_are_refused() {
    let [generalized, maximal] = both(&everything());
    let mut state = generalized.state();
    state.time = f64::NAN;
    let error = maximal.state_from(&generalized, &state).expect_err("NaN");
    assert!(matches!(error, ConvertError::State(StateError::Time(_))), "{error:?}");

    let state = generalized.state();
    let mut spec = everything();
    spec.body("more", Inertia::principal(1.0, [1.0; 3]));
    let larger = spec.build(Coordinates::Maximal).expect("valid");
    let expected = Err(ConvertError::Body { body: "more".to_string() });
    assert_eq!(larger.state_from(&generalized, &state), expected);
    assert_eq!(generalized.state_from(&larger, &larger.state()), expected);

    let mut spec = everything();
    spec.joints[1].kind = JointKind::Prismatic { axis: Vec3::z() };
    let terms = spec.constraints.iter().position(|c| c.name == "gear").expect("there");
    spec.constraints.remove(terms);
    let changed = spec.build(Coordinates::Maximal).expect("valid");
    let error = changed.state_from(&generalized, &state);
    assert_eq!(error, Err(ConvertError::Joint { joint: "joint 1".to_string() }));
    assert!(error.expect_err("changed").to_string().contains("joint 1"));
}
