//! The same scene elsewhere, turned, mirrored, on a moving ground, in another order, under other names: law T with contact.
//!
//! Shapes whose pairs have closed forms. Between round shapes the other library ends its iterations at 1e-8 of their size, and a
//! normal is the direction of what is left between them: a turned capsule on a cylinder moves differently by 1e-5 after one
//! step.

use crate::laws_frames::{Places, frames, moved, worst};
use crate::mechanisms::{Mechanism, Start};
use crate::touching::{Scene, scenes};

use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, Shape};
use stiction_sim::{Inertia, Mat3, Motion, Pose, Quat, Vec3};

/// Where the bodies are after n steps, by name.
fn places(scene: &Scene, n: usize) -> Places {
    let mut run = scene.after(n);
    let places = run.places();
    let names = run.model.bodies().iter().map(|body| body.name.clone());
    let mut named: Places = names.zip(places).map(|(name, (X, V))| (name, X, V)).collect();
    named.sort_by(|a, b| a.0.cmp(&b.0));
    named
}

/// The scene with all of its world at (p, quat).
fn scene_moved(scene: &Scene, p: Vec3, quat: Quat) -> Scene {
    let mut m = moved(&scene.m, p, quat);
    let X = Pose::from_parts(p, quat);
    for shape in m.spec.shapes.iter_mut().filter(|shape| shape.frame.body.is_none()) {
        shape.frame.p = X.point(&shape.frame.p);
        shape.frame.quat = quat * shape.frame.quat;
    }
    Scene { m, ..scene.clone() }
}

/// Compares scenes with what `change` makes of them, after `back`: `after_one` after one step, `after_many` after a hundred.
fn compare(
    scenes: &[Scene],
    [after_one, after_many]: [f64; 2],
    change: impl Fn(&Scene) -> Scene,
    back: impl Fn(&mut Places, f64),
) {
    let mut wrong = Vec::new();
    for scene in scenes {
        for (n, limit) in [(1, after_one), (scene.calm, after_many)] {
            let mut found = places(&change(scene), n);
            back(&mut found, scene.settings.h * n as f64);
            let error = worst(&places(scene, n), &found);
            if !(error <= limit) {
                wrong.push(format!("{}, {n} steps: {error:e}", scene.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const LIMITS: [f64; 2] = [1e-12, 1e-9];

fn analytic() -> Vec<Scene> {
    scenes().into_iter().filter(|scene| scene.is_analytic).collect()
}

#[test]
fn a_turned_world_turns_the_motion() {
    let quat = Quat::exp(&Vec3::new(0.7, -1.1, 0.4));
    let R = quat.to_matrix();
    let scenes: Vec<Scene> = analytic().into_iter().filter(|scene| scene.is_isotropic).collect();
    compare(
        &scenes,
        LIMITS,
        |scene| scene_moved(scene, Vec3::zeros(), quat),
        |places, _| {
            for (_, X, V) in places {
                *X = Pose::new(R.transpose(), Vec3::zeros()) * *X;
                *V = Motion::new(R.tr_mul(&V.w), R.tr_mul(&V.v));
            }
        },
    );
}

#[test]
fn a_world_a_kilometre_away_has_the_same_motion() {
    let s = Vec3::new(600.0, -800.0, 1000.0);
    // places are known to 1e-13 m there, which the rows φ/h divide by h = 5 ms
    compare(
        &analytic(),
        [1e-10, 1e-9],
        |scene| scene_moved(scene, s, Quat::IDENTITY),
        |places, _| places.iter_mut().for_each(|(_, X, _)| X.p -= s),
    );
}

fn mirror(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// Of an axis of rotation.
fn mirror_axis(w: Vec3) -> Vec3 {
    Vec3::new(w.x, -w.y, -w.z)
}

fn mirror_quat(q: Quat) -> Quat {
    Quat { w: q.w, x: q.x, y: -q.y, z: -q.z }
}

fn mirror_frame(frame: &mut FrameSpec) {
    frame.p = mirror(frame.p);
    frame.quat = mirror_quat(frame.quat);
}

fn mirror_matrix(I: &Mat3) -> Mat3 {
    let S = Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0));
    S * I * S
}

/// Everything at −x, frames of bodies included.
fn mirrored(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    let Mechanism { spec, start, .. } = &mut scene.m;
    spec.gravity = mirror(spec.gravity);
    for frame in frames(spec) {
        mirror_frame(frame);
    }
    for body in &mut spec.bodies {
        body.inertia.com = mirror(body.inertia.com);
        body.inertia.I_com = mirror_matrix(&body.inertia.I_com);
    }
    for joint in &mut spec.joints {
        if let JointKind::Revolute { axis } = &mut joint.kind {
            *axis = mirror_axis(*axis);
        }
    }
    for constraint in &mut spec.constraints {
        if let ConstraintKind::Joint { kind: JointKind::Revolute { axis }, .. } =
            &mut constraint.kind
        {
            *axis = mirror_axis(*axis);
        }
    }
    for shape in &mut spec.shapes {
        mirror_frame(&mut shape.frame);
        if let Shape::Hull(points) | Shape::Points(points) = &mut shape.shape {
            points.iter_mut().for_each(|p| *p = mirror(*p));
        }
    }
    for start in start {
        let three = |x: &mut [f64], f: fn(Vec3) -> Vec3| {
            let y = f(Vec3::from_column_slice(x));
            x.copy_from_slice(y.as_slice());
        };
        let quat = |x: &mut [f64]| {
            let q = mirror_quat(Quat::from_wxyz(x));
            x.copy_from_slice(&q.to_wxyz());
        };
        match start.q.len() {
            7 => {
                three(&mut start.q[..3], mirror);
                quat(&mut start.q[3..]);
            }
            4 => quat(&mut start.q),
            _ => {}
        }
        match start.v.len() {
            6 => {
                three(&mut start.v[..3], mirror);
                three(&mut start.v[3..], mirror_axis);
            }
            3 => three(&mut start.v, mirror_axis),
            _ => {}
        }
    }
    scene
}

#[test]
fn a_mirrored_world_mirrors_the_motion() {
    compare(&analytic(), LIMITS, mirrored, |places, _| {
        for (_, X, V) in places {
            *X = Pose::new(mirror_matrix(&X.R), mirror(X.p));
            *V = Motion::new(mirror_axis(V.w), mirror(V.v));
        }
    });
}

#[test]
fn the_order_of_the_description_does_not_matter() {
    let reversed = |scene: &Scene| {
        let mut scene = scene.clone();
        let spec = &mut scene.m.spec;
        spec.bodies.reverse();
        spec.joints.reverse();
        spec.shapes.reverse();
        spec.constraints.reverse();
        scene
    };
    compare(&analytic(), LIMITS, reversed, |_, _| ());
}

#[test]
fn names_change_no_bit() {
    let new = |name: &str| format!("~{name}'s heir");
    let renamed = |scene: &Scene| {
        let mut scene = scene.clone();
        let spec = &mut scene.m.spec;
        let rename = |frame: &mut FrameSpec| frame.body = frame.body.as_deref().map(new);
        frames(spec).into_iter().for_each(rename);
        spec.bodies.iter_mut().for_each(|body| body.name = new(&body.name));
        for shape in &mut spec.shapes {
            rename(&mut shape.frame);
            shape.name = new(&shape.name);
            shape.material = new(&shape.material);
        }
        spec.materials.iter_mut().for_each(|material| material.name = new(&material.name));
        scene
    };
    compare(&scenes(), [0.0; 2], renamed, |_, _| ());
}

/// The ground on a body that is driven along x at a constant speed, and all bodies with it.
fn on_a_train(scene: &Scene, speed: f64) -> Scene {
    let mut scene = scene.clone();
    let Mechanism { spec, start, .. } = &mut scene.m;
    for start in start.iter_mut().filter(|start| start.v.len() == 6) {
        start.v[0] += speed;
    }
    spec.body("train", Inertia::principal(1.0, [1.0; 3]));
    let rail = JointKind::Prismatic { axis: Vec3::x() };
    spec.joint("rail", rail, FrameSpec::world(), FrameSpec::of("train"));
    let (coordinate, law) = (CoordinateSpec::of("rail"), Law::rate(0.0, speed));
    spec.constraint("engine", ConstraintKind::Drive { coordinate, law });
    start.push(Start { joint: "rail".to_string(), q: vec![0.0], v: vec![speed] });
    spec.shapes[0].frame.body = Some("train".to_string());
    scene
}

#[test]
fn a_moving_ground_carries_everything_with_it() {
    let free = |scene: &&Scene| scene.m.start.iter().all(|start| start.v.len() == 6);
    let scenes: Vec<Scene> = analytic().iter().filter(free).map(|s| on_a_train(s, 0.0)).collect();
    assert_eq!(scenes.len(), 7);
    // 1e4 m/s are known to 2e-12 m/s
    for (speed, limits) in [(10.0, [1e-12, 1e-9]), (1e4, [1e-10, 1e-7])] {
        let boosted = |scene: &Scene| {
            let mut fast = scene.clone();
            for start in &mut fast.m.start {
                start.v[0] += speed;
            }
            for constraint in &mut fast.m.spec.constraints {
                if let ConstraintKind::Drive { law, .. } = &mut constraint.kind {
                    *law = Law::rate(0.0, speed);
                }
            }
            fast
        };
        compare(&scenes, limits, boosted, |places, t| {
            for (_, X, V) in places {
                X.p.x -= speed * t;
                V.v.x -= speed;
            }
        });
    }
}
