//! Limits, motors, joint friction and guides in the ledger.

use std::f64::consts::FRAC_PI_2;

use stiction_sim::model::{FrameSpec, GuideKind, JointKind, Law};
use stiction_sim::{Coordinates, Data, Inertia, Input, ModelSpec, Quat, StepSettings, Vec3, step};

/// Two arms with friction and limits, the second driven by a weak motor, its tip in a slot or free.
fn arms(guided: bool) -> ModelSpec {
    let mut spec = ModelSpec::new();
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let mut parent = FrameSpec::world();
    for name in ["upper", "lower"] {
        spec.body(name, Inertia::principal(1.0, [0.1, 0.2, 0.25]));
        let joint = spec.joint(name, hinge, parent, FrameSpec::of(name).at(-0.5, 0.0, 0.0));
        (joint.friction, joint.limits) = (vec![0.3], vec![(-1.0, 1.0)]);
        parent = FrameSpec::of(name).at(0.5, 0.0, 0.0);
    }
    spec.motor("motor", "lower", Law::rate(0.0, -2.0), 1.5);
    if guided {
        // along x, with its walls above and below
        let slot = FrameSpec::world().turned(Quat::exp(&Vec3::new(FRAC_PI_2, 0.0, 0.0)));
        spec.guide("slot", GuideKind::Slot, slot, FrameSpec::of("lower").at(0.5, 0.0, 0.0), 0.2);
    }
    spec
}

#[test]
fn the_books_close_with_all_that_is_bounded_at_joints() {
    for guided in [false, true] {
        for coordinates in [Coordinates::Generalized, Coordinates::Maximal] {
            let model = arms(guided).build(coordinates).expect("two arms");
            let (mut state, mut data) = (model.state(), Data::new(&model));
            let settings = StepSettings { h: 2e-3, ledger: true, ..Default::default() };
            let (mut friction, mut applied) = (0.0, 0.0);
            for i in 0..400 {
                let report = step(&model, &settings, &Input::default(), &mut state, &mut data)
                    .unwrap_or_else(|error| panic!("{guided} {coordinates:?} step {i}: {error}"));
                let ledger = report.ledger.expect("asked for");
                let defect = ledger.defect().abs() / ledger.in_play();
                assert!(defect <= 1e-10, "{guided} {coordinates:?} step {i}: {defect}");
                friction += ledger.friction;
                applied += ledger.applied;
            }
            assert!(friction < -1e-3 && applied != 0.0, "{guided} {coordinates:?} {friction}");
        }
    }
}
