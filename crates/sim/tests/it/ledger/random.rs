//! Random scenes: mechanisms of every joint among balls and a ground, under random settings.

use stiction_sim::contact::{ContactSettings, NormalRow, Strictness};
use stiction_sim::model::{ConstraintKind, FrameSpec, Relaxation, Shape, SpringKind, Surface};
use stiction_sim::{
    Coordinates, Input, ModelSpec, Motion, Pose, StepError, StepSettings, Vec3, step,
};

use super::contact::laws;
use super::{DRIFTS, STIFFNESSES, assert_closed, one, settings};
use crate::mechanisms::{Run, SETS};
use crate::sample::{Rng, forest};

/// A forest with balls on its bodies over a ground, springs between them, dampings and armatures.
pub(super) fn scene(rng: &mut Rng) -> ModelSpec {
    let n = 2 + rng.index(5);
    let mut spec = forest(rng, n);
    let compliance = (rng.index(2) == 0)
        .then(|| Relaxation { k: rng.between(1e3, 1e5), b: rng.between(0.0, 100.0) });
    let e = [0.0, 0.4, 1.0][rng.index(3)];
    let surface = Surface { e, compliance, ..Surface::rigid(rng.between(0.0, 0.9)) };
    spec.material("stuff", surface);
    spec.shape("ground", FrameSpec::world().at(0.0, 0.0, -1.0), Shape::HalfSpace, "stuff");
    for i in 0..n {
        let name = format!("b{i}");
        let radius = rng.between(0.1, 0.4);
        spec.shape(&name, rng.frame(Some(&name)), Shape::Sphere { radius }, "stuff");
    }
    for i in 0..2 {
        let name = format!("loose {i}");
        spec.body(&name, rng.inertia());
        let frame = FrameSpec::of(&name).at(0.05, -0.03, 0.02);
        spec.shape(&name, frame, Shape::Sphere { radius: 0.3 }, "stuff");
    }
    for joint in &mut spec.joints {
        if rng.index(3) == 0 {
            joint.armature = vec![rng.between(0.01, 0.3)];
        }
        if rng.index(3) == 0 {
            joint.damping = vec![rng.between(0.01, 0.5)];
        }
    }
    for i in 0..rng.index(4) {
        let [first, second] = [(); 2].map(|()| format!("b{}", rng.index(n)));
        let (a, b) = (rng.frame((first != second).then_some(&first)), rng.frame(Some(&second)));
        let kind = match rng.index(3) {
            0 => SpringKind::Points { a, b, rest: 0.0 },
            1 => SpringKind::Points { a, b, rest: rng.between(0.2, 1.0) },
            _ => SpringKind::Torsion { a, b },
        };
        spec.spring(&format!("s{i}"), kind, rng.between(1.0, 100.0), rng.between(0.0, 2.0));
    }
    if rng.index(2) == 0 {
        let (a, b) = (rng.frame(None), rng.frame(Some("b0")));
        let kind = ConstraintKind::Distance { a, b, length: rng.between(0.5, 1.5) };
        let relaxation = Relaxation { k: rng.between(10.0, 1e4), b: rng.between(0.0, 10.0) };
        spec.constraint("rope", kind).relaxation = Some(relaxation);
    }
    spec
}

pub(super) fn start(rng: &mut Rng, run: &mut Run, tree: &Run) {
    let mut state = tree.state.clone();
    let v: Vec<f64> = state.v.iter().map(|_| rng.between(-1.0, 1.0)).collect();
    tree.model.integrate(&mut state.q, &v, 0.3);
    state.v.copy_from_slice(&v);
    // just above the ground, coming down
    for (i, x) in [(0, 4.0), (1, 4.8)] {
        let body = tree.model.body(&format!("loose {i}")).expect("a body");
        let (quat, height) = (rng.quaternion(), rng.between(-0.63, -0.55));
        let X = Pose::from_parts(Vec3::new(x, 0.0, height), quat);
        tree.model.set_pose(&mut state, body, X).expect("free");
        let (w, v) = (rng.vector(3.0), rng.vector(2.0) - Vec3::z());
        tree.model.set_velocity(&mut state, body, Motion::new(w, v)).expect("free");
    }
    run.state = run.model.state_from(&tree.model, &state).expect("the same scene");
}

/// Whether bodies begin more than a centimetre inside each other: they would be shot apart.
pub(super) fn overlap(run: &Run, settings: &StepSettings) -> bool {
    let mut trial = run.clone();
    let _ = trial.try_step(settings);
    trial.data.contacts().iter().any(|contact| contact.gap < -0.01)
}

/// Steps that a law cannot take are no steps; how many there were is counted.
fn play(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let [mut steps, mut touching, mut refused] = [0; 3];
    for seed in seeds {
        let mut rng = Rng(seed);
        let spec = scene(&mut rng);
        let tree = one(&spec, Coordinates::Generalized);
        let mut run = one(&spec, SETS[rng.index(2)]);
        start(&mut rng, &mut run, &tree);
        let (laws, h) = (laws(), rng.between(5e-4, 5e-3));
        let contact = ContactSettings {
            law: laws[rng.index(laws.len())],
            normal: [NormalRow::Position, NormalRow::Velocity][rng.index(2)],
            strictness: Strictness::Lenient,
            ..Default::default()
        };
        let (drift, stiffness) = (DRIFTS[rng.index(4)], STIFFNESSES[rng.index(2)]);
        let s = StepSettings { drift, stiffness, contact, ..settings(h) };
        if overlap(&run, &s) {
            continue;
        }
        for _ in 0..30 {
            match step(&run.model, &s, &Input::default(), &mut run.state, &mut run.data) {
                Ok(report) => {
                    steps += 1;
                    touching += usize::from(run.data.contact_impulses().iter().any(|p| *p > 0.0));
                    assert_closed(
                        &report.ledger.expect("asked for"),
                        &format!("seed {seed} {s:?}"),
                    );
                }
                Err(StepError::NoSolution | StepError::NotClosed { .. }) => {
                    refused += 1;
                    break;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    [steps, touching, refused]
}

#[test]
fn random_scenes_close() {
    let [steps, touching, refused] = play(0..400);
    assert!(touching * 5 > steps && refused < 30, "{steps} {touching} {refused}");
}

#[test]
#[ignore = "minutes of processor time"]
fn thousands_of_random_scenes_close() {
    let [steps, touching, refused] = play(1000..5000);
    assert!(touching * 5 > steps && refused < 800, "{steps} {touching} {refused}");
}
