//! The ledger sees an impulse that is not the one of the step, and a payment that was not made.

use super::*;
use crate::constraint::project;
use crate::constraint::rows::Answer;
use crate::inertia::Inertia;
use crate::math::Vec3;
use crate::model::{
    ConstraintKind, CoordinateSpec, Coordinates, FrameSpec, JointKind, Law, ModelSpec, Shape,
    SpringKind, Surface,
};
use crate::projection;
use crate::step::{StepReport, step};
use crate::{Drift, Input};

/// A driven arm with a loop, an armature and a spring, and a ball that slides on the ground.
fn scene(coordinates: Coordinates) -> Model {
    let mut spec = ModelSpec::new();
    spec.material("stuff", Surface::rigid(0.4));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    spec.body("ball", Inertia::principal(2.0, [0.1; 3]));
    spec.shape("ball", FrameSpec::of("ball"), Shape::Sphere { radius: 0.3 }, "stuff");
    let hinge = JointKind::Revolute { axis: Vec3::y() };
    let mut parent = FrameSpec::world().at(0.0, 2.0, 3.0);
    for name in ["upper", "lower"] {
        spec.body(name, Inertia::principal(1.0, [0.1, 0.2, 0.25]));
        spec.joint(name, hinge, parent, FrameSpec::of(name).at(-0.5, 0.0, 0.0)).armature =
            vec![0.1];
        parent = FrameSpec::of(name).at(0.5, 0.0, 0.0);
    }
    let coordinate = CoordinateSpec::of("upper");
    spec.constraint("motor", ConstraintKind::Drive { coordinate, law: Law::rate(0.0, 2.0) });
    let kind = SpringKind::Coordinate { coordinate: CoordinateSpec::of("lower"), rest: 0.5 };
    spec.spring("spring", kind, 20.0, 0.3);
    spec.build(coordinates).expect("a scene")
}

/// The defect as a share of the energy in play, of a step whose data `corrupt` has changed before the ledger is written.
fn defect(coordinates: Coordinates, corrupt: fn(&mut Data)) -> f64 {
    let model = scene(coordinates);
    let (mut state, mut data) = (model.state(), Data::new(&model));
    // the ball rolls against its slip
    state.q[2] = 0.3;
    state.v[..6].copy_from_slice(&[1.5, 0.4, 0.0, 0.0, -2.0, 1.0]);
    let settings =
        StepSettings { h: 5e-3, ledger: true, drift: Drift::Close, ..Default::default() };
    for _ in 0..3 {
        step(&model, &settings, &Input::default(), &mut state, &mut data).expect("a step");
    }
    let before = state.clone();
    let report = step(&model, &settings, &Input::default(), &mut state, &mut data);
    let within = report.expect("a step").ledger.expect("asked for");
    // a step without projection leaves in its data what the ledger was written from
    let again = of_kick_and_drift(&model, &settings, &before, before.time + settings.h, &mut data)
        .expect("regular");
    assert_eq!(within, again);
    corrupt(&mut data);
    let ledger = of_kick_and_drift(&model, &settings, &before, before.time + settings.h, &mut data)
        .expect("regular");
    ledger.defect().abs() / ledger.in_play()
}

/// Multiplies the impulse of the last row that answers so by 1 + 1e-6.
fn spoil(data: &mut Data, answers: fn(&Answer) -> bool) {
    let place = data.work.rows.rows.iter().rposition(|row| answers(&row.answer));
    data.work.impulses.p[place.expect("a row")] *= 1.0 + 1e-6;
}

#[test]
fn one_impulse_that_is_off_by_a_millionth_opens_the_ledger() {
    let friction = |data: &mut Data| {
        let p = &mut data.contact.as_mut().expect("a contact").p[1];
        assert!(*p != 0.0, "slides");
        *p *= 1.0 + 1e-6;
    };
    let drive = |data: &mut Data| spoil(data, |answer| *answer == Answer::Rigid);
    let spring = |data: &mut Data| match data.work.inner.list.last_mut() {
        Some(inner) => inner.p *= 1.0 + 1e-6,
        None => spoil(data, |answer| matches!(answer, Answer::Elastic { .. })),
    };
    let armature = |data: &mut Data| spoil(data, |answer| matches!(answer, Answer::Inertia(_)));
    let (trees, bodies) = (Coordinates::Generalized, Coordinates::Maximal);
    for set in [trees, bodies] {
        // rounding of some ten entries
        let sound = defect(set, |_| {});
        assert!(sound < 1e-14, "{set:?}: {sound}");
        for (what, corrupt) in
            [("friction", friction as fn(&mut Data)), ("drive", drive), ("spring", spring)]
        {
            let defect = defect(set, corrupt);
            assert!(defect > 1e-10, "{set:?} {what}: {defect}");
        }
    }
    assert!(defect(bodies, armature) > 1e-10);
}

#[test]
fn a_payment_that_is_off_by_a_millionth_opens_the_ledger() {
    let model = scene(Coordinates::Maximal);
    let (mut state, mut data) = (model.state(), Data::new(&model));
    state.q[2] = 0.4;
    let settings = StepSettings { h: 5e-3, drift: Drift::Project, ..Default::default() };
    for _ in 0..10 {
        step(&model, &settings, &Input::default(), &mut state, &mut data).expect("a step");
    }
    // the arm hangs a little below its joints, and has to be lifted
    let (mut q, v) = (state.q.clone(), state.v.clone());
    q[9] -= 1e-3;
    q[16] -= 1e-3;
    let here = At { time: state.time + settings.h, q: &q, memory: &state.memory };
    let begin = |data: &mut Data| {
        let mut own = Box::new(LedgerWork::new(&model));
        own.arrive(&model, here).expect("regular");
        let kinetic = [own.kinetic(&model, &v); 2];
        data.work.ledger = Some(own);
        Ledger { kinetic, ..Default::default() }
    };
    data.work.q_next.copy_from_slice(&q);
    data.work.v_next.copy_from_slice(&v);
    let report = StepReport { ledger: Some(begin(&mut data)), ..Default::default() };
    let report = projection::after_step(&model, &settings, &state, &mut data, report);
    let report = report.expect("a projection");
    let paid = report.projection.expect("asked for").paid;
    let sound = report.ledger.expect("asked for");
    // some 20 N over 1 mm
    assert!(paid > 1e-3, "{report:?}");
    assert!(sound.defect().abs() < 1e-14 * sound.in_play(), "{sound:?}");

    let (q_next, v_after) = (data.work.q_next.clone(), data.work.v_next.clone());
    let there = At { q: &q_next, ..here };
    project::prepare(&model, there, &mut data).expect("regular");
    project::hold(&model, &v, &mut data);
    let v_held = data.work.dv.clone();
    for (factor, is_sound) in [(1.0, true), (1.0 + 1e-6, false)] {
        let ledger = begin(&mut data);
        let projected = Projected {
            v_before: &v,
            v_held: &v_held,
            v_after: &v_after,
            paid: factor * paid,
            contact_springs: 0.0,
        };
        let ledger = with_projection(&model, there, projected, &mut data, ledger);
        let ledger = ledger.expect("regular");
        let defect = ledger.defect().abs() / ledger.in_play();
        assert_eq!(defect < 1e-10, is_sound, "{factor}: {defect}");
    }
}
