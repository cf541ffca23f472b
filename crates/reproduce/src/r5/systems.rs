//! Random spring and damper systems with contacts, friction and joints.
//!
//! Balls and cubes lie on the ground and on each other, an arm of one or two links on hinges, balls or slides touches the ground with
//! its tip, a rod or a ball joint may close a loop between the arm and the first body, and springs and dampers of many sizes
//! connect what there is.

use std::error::Error;

use stiction_lcp::families::Rng;
use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, Shape, SpringKind, Surface};
use stiction_sim::{Coordinates, Inertia, Model, ModelSpec, Pose, Quat, State, Vec3};

/// Radius of the balls, half the edge of the cubes, and radius of the arm's tip [m].
const RADIUS: f64 = 0.5;
const TIP: f64 = 0.3;

/// A spring γ with a damper δ between two points, or a point and the world.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) ends: [(Option<String>, Vec3); 2],
    pub(super) rest: f64,
    pub(super) gamma: f64,
    pub(super) delta: f64,
}

/// A system in a random state.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) model: Model,
    pub(super) state: State,
    pub(super) links: Vec<Link>,
    /// Forces on the velocities [N or N·m], the same in all steps.
    pub(super) tau: Vec<f64>,
    pub(super) h: f64,
}

impl System {
    /// The largest `h²γ + hδ` of a spring: the mass that it adds [kg].
    pub(super) fn added_mass(&self) -> f64 {
        let h = self.h;
        self.links.iter().map(|link| h * (h * link.gamma + link.delta)).fold(0.0, f64::max)
    }
}

/// What is described so far, and where its bodies are.
struct Draft<'a> {
    rng: &'a mut Rng,
    spec: ModelSpec,
    bodies: Vec<(String, Pose)>,
    links: Vec<Link>,
    /// Positions of joints other than free ones.
    q: Vec<(String, Vec<f64>)>,
}

/// System number `seed`.
pub(super) fn system(seed: u64) -> Result<System, Box<dyn Error>> {
    let rng = &mut Rng::new(seed);
    let mut draft =
        Draft { rng, spec: ModelSpec::new(), bodies: Vec::new(), links: Vec::new(), q: Vec::new() };
    let mu = draft.rng.between(0.0, 1.2);
    draft.spec.material("stuff", Surface::rigid(mu));
    draft.spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
    for i in 0..1 + draft.rng.index(3) {
        draft.add_free(i);
    }
    let has_arm = draft.rng.chance(0.7);
    if has_arm {
        draft.add_arm();
        draft.close_loop();
    }
    for i in 0..1 + draft.rng.index(4) {
        draft.add_link(i);
    }
    draft.finish()
}

impl Draft<'_> {
    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.rng.between(-size, size))
    }

    /// Of any principal moments, a body of the size of `radius`.
    fn inertia(&mut self, radius: f64) -> Inertia {
        let mass = 0.1 * self.rng.log_between_one_and(100.0);
        let [a, b, c] = [(); 3].map(|()| self.rng.between(0.1, 0.4) * mass * radius * radius);
        Inertia::principal(mass, [b + c, c + a, a + b])
    }

    /// A ball or a cube on the ground, the third one on the first two; some overlap a little, some do not touch.
    fn add_free(&mut self, i: usize) {
        let name = format!("body {i}");
        let inertia = self.inertia(RADIUS);
        self.spec.body(&name, inertia);
        let down = self.rng.between(-0.003, 0.001);
        let (x, z) = [(0.0, 0.5), (0.997, 0.5), (0.5, 1.36)][i];
        let p = Vec3::new(x, self.rng.between(-0.03, 0.03), z - down);
        let is_ball = i == 2 || self.rng.chance(0.6);
        let (shape, turn) = if is_ball {
            (Shape::Sphere { radius: RADIUS }, self.vector(1.0))
        } else {
            let corner = |k: usize| {
                let sign = |bit: usize| if k >> bit & 1 == 0 { RADIUS } else { -RADIUS };
                Vec3::new(sign(0), sign(1), sign(2))
            };
            (Shape::Points((0..8).map(corner).collect()), self.vector(0.003))
        };
        self.spec.shape(&name, FrameSpec::of(&name), shape, "stuff");
        let pose = Pose { R: Quat::exp(&turn).to_matrix(), p };
        self.bodies.push((name, pose));
    }

    /// Links of 1 m from the world down to a tip on the ground.
    fn add_arm(&mut self) {
        let mut X = Pose::identity();
        let mut hung: Vec<(JointKind, Vec<f64>, Pose)> = Vec::new();
        for _ in 0..1 + self.rng.index(2) {
            let axis = self.vector(1.0).normalize();
            let q = self.rng.between(-0.4, 0.4);
            let (kind, q, moved) = match self.rng.index(3) {
                0 => (JointKind::Revolute { axis }, vec![q], turned(&(axis * q))),
                1 => {
                    let quat = Quat::exp(&(axis * q));
                    (JointKind::Ball, quat.to_wxyz().to_vec(), turned(&(axis * q)))
                }
                _ => {
                    let shift = axis * q;
                    let moved = Pose::translation(shift.x, shift.y, shift.z);
                    (JointKind::Prismatic { axis }, vec![q], moved)
                }
            };
            // the body's own frame is half a metre below its joint
            X = X * moved * Pose::translation(0.0, 0.0, -0.5);
            hung.push((kind, q, X));
            X = X * Pose::translation(0.0, 0.0, -0.5);
        }
        let base = Vec3::new(-0.9, 0.0, TIP - self.rng.between(-0.003, 0.001) - X.p.z);
        let mut parent = FrameSpec::world().at(base.x, base.y, base.z);
        for (i, (kind, q, X)) in hung.into_iter().enumerate() {
            let name = format!("link {i}");
            let inertia = self.inertia(RADIUS);
            self.spec.body(&name, inertia);
            self.spec.joint(&name, kind, parent, FrameSpec::of(&name).at(0.0, 0.0, 0.5));
            parent = FrameSpec::of(&name).at(0.0, 0.0, -0.5);
            self.bodies.push((name.clone(), Pose { p: X.p + base, ..X }));
            self.q.push((name, q));
        }
        self.spec.shape("tip", parent, Shape::Sphere { radius: TIP }, "stuff");
    }

    /// Between the first body and the last link: nothing, a rod, or a joint at a point between them.
    fn close_loop(&mut self) {
        let ends = [0, self.bodies.len() - 1];
        match self.rng.index(3) {
            0 => {}
            1 => {
                let ends = ends.map(|i| (i, self.vector(0.4)));
                let [p, q] = ends.map(|(i, p)| self.bodies[i].1.point(&p));
                let [a, b] = ends.map(|(i, p)| self.frame(i, &p));
                let length = (q - p).norm();
                self.spec.constraint("rod", ConstraintKind::Distance { a, b, length });
            }
            _ => {
                let p_W = (self.bodies[ends[0]].1.p + self.bodies[ends[1]].1.p) * 0.5;
                let [a, b] = ends.map(|i| {
                    let X = &self.bodies[i].1;
                    self.frame(i, &X.R.tr_mul(&(p_W - X.p)))
                });
                self.spec.constraint("loop", ConstraintKind::Joint { kind: JointKind::Ball, a, b });
            }
        }
    }

    fn frame(&self, body: usize, p: &Vec3) -> FrameSpec {
        FrameSpec::of(&self.bodies[body].0).at(p.x, p.y, p.z)
    }

    /// γ from 0.1 to 1e10 N/m, stretched by up to 20 cm and 2 J; δ from 0.01 to 1e8 N·s/m; or one of them alone.
    fn add_link(&mut self, i: usize) {
        let a = self.rng.index(self.bodies.len());
        let b = self.rng.index(self.bodies.len());
        let p = [self.vector(0.4), self.vector(0.4)];
        let at_a = (Some(self.bodies[a].0.clone()), p[0]);
        let p_W = self.bodies[a].1.point(&p[0]);
        // to another body, or a point of the world a metre or two away
        let (at_b, q_W) = if a == b {
            let q_W = p_W + self.vector(1.0).normalize() * self.rng.between(1.0, 2.0);
            ((None, q_W), q_W)
        } else {
            ((Some(self.bodies[b].0.clone()), p[1]), self.bodies[b].1.point(&p[1]))
        };
        let length = (q_W - p_W).norm();
        let what = self.rng.index(3);
        let gamma = if what == 0 { 0.0 } else { 0.1 * self.rng.log_between_one_and(1e11) };
        let delta = if what == 1 { 0.0 } else { 0.01 * self.rng.log_between_one_and(1e10) };
        let most = (4.0 / gamma).sqrt().min(0.2).min(length);
        let rest = length - self.rng.between(-most, most);
        let frame = |(body, p): &(Option<String>, Vec3)| FrameSpec {
            body: body.clone(),
            p: *p,
            quat: Quat::IDENTITY,
        };
        let kind = SpringKind::Points { a: frame(&at_a), b: frame(&at_b), rest };
        self.spec.spring(&format!("spring {i}"), kind, gamma, delta);
        self.links.push(Link { ends: [at_a, at_b], rest, gamma, delta });
    }

    /// In either set of coordinates, moving anyhow but with its joints.
    fn finish(self) -> Result<System, Box<dyn Error>> {
        let tree = self.spec.build(Coordinates::Generalized)?;
        let mut state = tree.state();
        for (name, X) in &self.bodies {
            let body = tree.body(name).ok_or("no such body")?;
            let range = tree.bodies()[body.0 as usize].q_range();
            let own = self.q.iter().find(|(joint, _)| joint == name);
            let q = match own {
                Some((_, q)) => q.clone(),
                None => [X.p.as_slice(), &Quat::from_matrix(&X.R).to_wxyz()].concat(),
            };
            state.q[range].copy_from_slice(&q);
        }
        state.v.iter_mut().for_each(|v| *v = self.rng.between(-2.0, 2.0));
        let (model, state) = if self.rng.chance(0.5) {
            let maximal = self.spec.build(Coordinates::Maximal)?;
            let state = maximal.state_from(&tree, &state)?;
            (maximal, state)
        } else {
            (tree, state)
        };
        let tau = (0..model.nv()).map(|_| self.rng.between(-5.0, 5.0)).collect();
        let h = 1e-3 * self.rng.log_between_one_and(100.0);
        Ok(System { model, state, links: self.links, tau, h })
    }
}

fn turned(theta: &Vec3) -> Pose {
    Pose { R: Quat::exp(theta).to_matrix(), p: Vec3::zeros() }
}
