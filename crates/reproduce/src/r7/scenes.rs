//! What collides: piles of balls with rods and a bar, slender rods on the ground, a row of balls.

use std::error::Error;

use stiction_lcp::families::Rng;
use stiction_sim::impact::{ImpactSettings, impact};
use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{Coordinates, Data, Inertia, Model, ModelSpec, Quat, State, Vec3};

type Scene = (Model, State);

/// What is random in a pile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PileOf {
    /// Largest coefficient of friction; 0: none has any.
    pub(super) mu: f64,
    /// [AP] (b)–(d): one restitution where the coming ball hits, no larger one elsewhere, and all else at rest. Otherwise any
    /// restitution, and everything moves anyhow.
    pub(super) assumed: bool,
}

/// Three to five balls that touch each other in a zigzag on the ground, rods between some that do not, a bar on the last
/// one; a ball on top of two of them comes down. With a share of all its restitutions.
pub(super) fn pile(seed: u64, of: PileOf, restituted: f64) -> Result<(Scene, f64), Box<dyn Error>> {
    let rng = &mut Rng::new(seed);
    let mut spec = ModelSpec::new();
    let n = 3 + rng.index(3);
    let mut places = vec![Vec3::new(0.0, 0.0, 0.5)];
    for i in 1..n {
        // never straight: a rod over a straight row would press against what touches in between
        let (s, c) = libm::sincos(rng.between(0.2, 0.5));
        let side = if i % 2 == 0 { s } else { -s };
        places.push(places[i - 1] + Vec3::new(c, side, 0.0));
    }
    let below = rng.index(n - 1);
    places.push((places[below] + places[below + 1]) * 0.5 + Vec3::new(0.0, 0.0, 0.75f64.sqrt()));
    let eps = rng.unit();
    add_materials(&mut spec, rng, n, (of, eps, restituted));
    spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "ground");
    for i in 0..=n {
        let name = format!("ball {i}");
        let mass = 0.3 * rng.log_between_one_and(10.0);
        spec.body(&name, Inertia::principal(mass, [0.1 * mass; 3]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.5 }, &name);
    }
    let ball = |i: usize| FrameSpec::of(&format!("ball {i}"));
    for (i, j) in [(0, 2), (1, 3), (0, 4)].into_iter().filter(|(_, j)| *j < n) {
        if rng.chance(0.5) {
            let length = (places[j] - places[i]).norm();
            let kind = ConstraintKind::Distance { a: ball(i), b: ball(j), length };
            spec.constraint(&format!("rod {i} {j}"), kind);
        }
    }
    spec.body("bar", Inertia::principal(0.5, [0.05, 0.1, 0.1]));
    let end = FrameSpec::of("bar").at(-0.5, 0.0, 0.0);
    spec.joint("bar", JointKind::Ball, ball(n - 1).at(0.4, 0.0, 0.2), end);
    let model = spec.build(Coordinates::Generalized)?;
    let mut state = model.state();
    for (i, p) in places.iter().enumerate() {
        let body = model.body(&format!("ball {i}")).ok_or("no such ball")?;
        let body = &model.bodies()[body.0 as usize];
        let (q, v) = (body.q_range().start, body.v_range());
        state.q[q..q + 3].copy_from_slice(p.as_slice());
        if i == n {
            let down = [rng.between(-0.3, 0.3), rng.between(-0.3, 0.3), -rng.between(0.5, 2.0)];
            state.v[v.start..v.start + 3].copy_from_slice(&down);
        } else if !of.assumed {
            state.v[v].iter_mut().for_each(|v| *v = rng.between(-1.0, 1.0));
        }
    }
    obey_joints(spec, &mut state)?;
    Ok(((model, state), eps * restituted))
}

/// The nearest velocities that joints and rods allow: an impact in which nothing touches.
fn obey_joints(mut spec: ModelSpec, state: &mut State) -> Result<(), Box<dyn Error>> {
    spec.shapes.clear();
    let bare = spec.build(Coordinates::Generalized)?;
    impact(&bare, &ImpactSettings::default(), state, &mut Data::new(&bare))?;
    Ok(())
}

/// A material for each ball, and what any two of them make together.
fn add_materials(
    spec: &mut ModelSpec,
    rng: &mut Rng,
    n: usize,
    (of, eps, restituted): (PileOf, f64, f64),
) {
    let mut names = vec!["ground".to_string()];
    names.extend((0..=n).map(|i| format!("ball {i}")));
    for name in &names {
        spec.material(name, Surface::rigid(0.0));
    }
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().skip(i + 1) {
            let e = match (of.assumed, j == n + 1) {
                (true, true) => eps,
                (true, false) => eps * rng.unit(),
                (false, _) => rng.unit(),
            };
            let mu = of.mu * rng.unit();
            spec.pair(a, b, Surface { e: e * restituted, ..Surface::rigid(mu) });
        }
    }
}

/// A slender rod of 1 kg and 1 m on its lower end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slender {
    /// Against the vertical [rad].
    pub(super) tilt: f64,
    pub(super) mu: f64,
    pub(super) e: f64,
    /// Velocity of the lower end along the ground and towards it [m/s], and spin about y [rad/s].
    pub(super) slip: f64,
    pub(super) fall: f64,
    pub(super) spin: f64,
}

impl Slender {
    /// Any of them.
    pub(super) fn random(rng: &mut Rng) -> Self {
        Self {
            tilt: rng.between(-1.5, 1.5),
            mu: rng.between(0.0, 1.5),
            e: rng.unit(),
            slip: rng.between(-3.0, 3.0),
            fall: rng.between(0.01, 3.0),
            spin: rng.between(-5.0, 5.0),
        }
    }

    pub(super) fn scene(&self) -> Result<Scene, Box<dyn Error>> {
        let mut spec = ModelSpec::new();
        spec.material("stuff", Surface { e: self.e, ..Surface::rigid(self.mu) });
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
        let moment = 1.0 / 12.0;
        spec.body("rod", Inertia::principal(1.0, [moment, moment, 1e-3 * moment]));
        let end = Shape::Points(vec![Vec3::new(0.0, 0.0, -0.5)]);
        spec.shape("end", FrameSpec::of("rod"), end, "stuff");
        let model = spec.build(Coordinates::Generalized)?;
        let mut state = model.state();
        let quat = Quat::exp(&Vec3::new(0.0, self.tilt, 0.0));
        let arm = quat.to_matrix() * Vec3::new(0.0, 0.0, 0.5);
        state.q[..3].copy_from_slice(arm.as_slice());
        state.q[3..].copy_from_slice(&quat.to_wxyz());
        let v = Vec3::new(self.slip, 0.0, -self.fall) + Vec3::new(0.0, self.spin, 0.0).cross(&arm);
        state.v[..3].copy_from_slice(v.as_slice());
        state.v[4] = self.spin;
        Ok((model, state))
    }
}

/// Equal balls that touch in a row, the first coming with 1 m/s.
pub(super) fn cradle(n: usize, e: f64) -> Result<Scene, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.material("steel", Surface { e, ..Surface::rigid(0.0) });
    for i in 0..n {
        let name = format!("ball {i}");
        spec.body(&name, Inertia::principal(1.0, [0.1; 3]));
        spec.shape(&name, FrameSpec::of(&name), Shape::Sphere { radius: 0.5 }, "steel");
    }
    let model = spec.build(Coordinates::Generalized)?;
    let mut state = model.state();
    for i in 0..n {
        state.q[7 * i] = i as f64;
    }
    state.v[0] = 1.0;
    Ok((model, state))
}
