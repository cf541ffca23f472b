//! Laws of every step with contact: B (momentum of a pile), C (energy of a solve), K and K2 (Coulomb, maximum
//! dissipation), on scenes and on random ones.

use crate::laws_measure::{Measured, measured_step};
use crate::mechanisms::Run;
use crate::sample::Rng;
use crate::scenes::{add_box, block, build, ground, place, settings, tower};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{Inertia, Model, ModelSpec, Quat, State, Vec3};

fn run_of((model, state): (Model, State)) -> Run {
    Run { state, ..Run::new(model) }
}

/// A random scene: towers of boxes, turned and shifted against each other, and balls beside and on them, in or out of
/// contact by what they move in a step. Masses over six decades.
fn random_scene(rng: &mut Rng, h: f64, with_ground: bool) -> Run {
    let mut spec = ModelSpec::new();
    let mu = if rng.index(8) == 0 { 0.0 } else { rng.between(0.0, 2.0) };
    if with_ground {
        ground(&mut spec, mu, 0.0);
    } else {
        spec.material("stuff", Surface::rigid(mu));
        spec.gravity = Vec3::zeros();
    }
    let mut places = Vec::new();
    for column in 0..1 + rng.index(2) {
        let mut top = gap(rng, h);
        for level in 0..1 + rng.index(3) {
            let name = format!("{column} {level}");
            let mass = 10f64.powf(rng.between(-3.0, 3.0));
            let at = Vec3::new(3.0 * column as f64, 0.0, 0.0) + rng.vector(0.2);
            if rng.index(3) == 0 {
                let radius = rng.between(0.1, 0.5);
                spec.body(&name, Inertia::principal(mass, [0.4 * mass * radius * radius; 3]));
                spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius }, "stuff");
                places.push((Vec3::new(at.x, at.y, top + radius), rng.quaternion()));
                top += 2.0 * radius + gap(rng, h);
            } else {
                let edges = Vec3::from_fn(|_, _| rng.between(0.4, 1.0));
                add_box(&mut spec, &name, mass, edges);
                let yaw = Quat::exp(&Vec3::new(0.0, 0.0, rng.between(-1.0, 1.0)));
                places.push((Vec3::new(at.x, at.y, top + 0.5 * edges.z), yaw));
                top += edges.z + gap(rng, h);
            }
        }
    }
    let (model, mut state) = build(&spec);
    for (i, (p, quat)) in places.into_iter().enumerate() {
        place(&mut state, i, p, quat);
        let v = &mut state.v[6 * i..6 * i + 6];
        v.copy_from_slice([rng.vector(2.0), rng.vector(2.0)].map(|v| v.data.0[0]).as_flattened());
    }
    run_of((model, state))
}

/// Touching, or open by part of the way of a step [m].
fn gap(rng: &mut Rng, h: f64) -> f64 {
    if rng.index(2) == 0 { 0.0 } else { h * rng.between(0.0, 1.0) }
}

/// What is asked of a step whose impulses cannot be had to 1e-10. Those of the heaviest body's size are known to 1e-16
/// of it, so velocities of the lightest to 1e-16 times the ratio of masses, and some two hundred times that is
/// what the solvers reach.
fn second_tolerance(model: &Model) -> f64 {
    let masses = model.bodies().iter().map(|body| body.inertia.mass);
    let (light, heavy) = masses.fold((f64::INFINITY, 0.0_f64), |(a, b), m| (a.min(m), b.max(m)));
    2e-14 * heavy / light
}

/// What every step of exact Coulomb friction must keep. The tolerance is meant of the norm of all rows, up to
/// √(3k) times, here 10 times, the largest one that these shares are of.
fn check(measured: &Measured, tol: f64, what: &str) {
    assert!(measured.coulomb <= 10.0 * tol, "{what}: {measured:?}");
    assert!(measured.dissipation <= 10.0 * tol, "{what}: {measured:?}");
    assert!(measured.identity <= 1e-12, "{what}: {measured:?}");
    assert!(measured.gain <= tol, "{what}: {measured:?}");
}

#[test]
fn every_step_of_known_scenes_obeys_coulomb_and_the_energy_identity() {
    let spinning = || {
        let (model, mut state) = block(0.3, 0.5);
        (state.v[1], state.v[5]) = (1.0, 2.0);
        run_of((model, state))
    };
    let falling = || {
        let (model, mut state) = tower(0.4, &[1.0, 5.0, 0.2]);
        (state.v[0], state.v[7], state.v[17]) = (3.0, -1.0, 4.0);
        state.q[14 + 2] += 0.05;
        run_of((model, state))
    };
    let resting = || run_of(tower(0.5, &[1.0, 2.0, 4.0, 8.0]));
    for (name, mut run) in
        [("spinning block", spinning()), ("falling tower", falling()), ("tower", resting())]
    {
        for i in 0..100 {
            let measured = measured_step(&mut run, &settings(5e-3)).expect("a certified step");
            check(&measured, 1e-10, &format!("{name}, step {i}"));
        }
    }
}

/// n random scenes, three steps of each. No more than one step of 500 may need its second tolerance.
fn random_scenes(n: u64) {
    let (mut contacts, mut second) = (0, 0);
    for seed in 0..n {
        let mut rng = Rng(seed);
        let h = 10f64.powf(rng.between(-4.0, -1.0));
        let mut run = random_scene(&mut rng, h, true);
        for i in 0..3 {
            let what = format!("seed {seed}, h = {h}, step {i}");
            let (mut settings, mut tol) = (settings(h), 1e-10);
            let measured = measured_step(&mut run, &settings).unwrap_or_else(|_| {
                second += 1;
                tol = second_tolerance(&run.model);
                settings.contact.tol = tol;
                let again = measured_step(&mut run, &settings);
                again.unwrap_or_else(|error| panic!("{what}, at {tol}: {error}"))
            });
            contacts += measured.contacts;
            check(&measured, tol, &what);
        }
    }
    assert!(contacts as u64 > 2 * n, "{contacts} contacts only");
    assert!(500 * second <= 3 * n, "{second} of {} steps miss 1e-10", 3 * n);
}

#[test]
fn every_step_of_random_scenes_obeys_coulomb_and_the_energy_identity() {
    random_scenes(1000);
}

#[test]
#[ignore = "minutes of processor time"]
fn every_step_of_a_hundred_thousand_random_scenes_obeys_them() {
    random_scenes(100_000);
}

#[test]
fn a_pile_that_floats_keeps_its_momentum() {
    for seed in 0..200 {
        let mut rng = Rng(1_000_000 + seed);
        let h = 10f64.powf(rng.between(-4.0, -1.0));
        let mut run = random_scene(&mut rng, h, false);
        let mut last = run.momentum();
        let first = last;
        let mut sizes = (0.0, 0.0);
        for i in 0..5 {
            run.step(&settings(h));
            let now = run.momentum();
            sizes = sizes_of(&mut run);
            let change = now - last;
            let error = (change.f.norm() / sizes.0, change.t.norm() / sizes.1);
            assert!(error.0 <= 1e-13 && error.1 <= 1e-12, "seed {seed}, step {i}: {error:?}");
            last = now;
        }
        let change = last - first;
        let error = (change.f.norm() / sizes.0, change.t.norm() / sizes.1);
        assert!(error.0 <= 1e-13 && error.1 <= 1e-12, "seed {seed}: {error:?} in all");
    }
}

/// Sums of the sizes of what the bodies have: linear [N·s], and angular about the origin [N·m·s].
fn sizes_of(run: &mut Run) -> (f64, f64) {
    let places = run.places();
    let bodies = run.model.bodies().iter().zip(places);
    bodies.fold((0.0, 0.0), |(linear, angular), (body, (X, V))| {
        let mv = (V.v * body.inertia.mass).norm();
        let spin = (body.inertia.I_com * X.R.tr_mul(&V.w)).norm();
        (linear + mv, angular + X.p.norm() * mv + spin)
    })
}
