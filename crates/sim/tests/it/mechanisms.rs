//! The mechanisms of the law tests, with the state they start from, in either coordinate set.

use std::f64::consts::FRAC_PI_2;

use stiction_sim::constraint::project;
use stiction_sim::constraint::rows::At;
use stiction_sim::model::{ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, SpringKind};
use stiction_sim::tree::{energy, kinematics};
use stiction_sim::{
    Coordinates, Data, Force, Inertia, Input, Method, Model, ModelSpec, Motion, Pose, Quat, State,
    StepError, StepReport, StepSettings, Vec3, step,
};

pub(crate) const SETS: [Coordinates; 2] = [Coordinates::Generalized, Coordinates::Maximal];
pub(crate) const METHODS: [Method; 3] = [Method::Euler, Method::Symmetric, Method::Extrapolated];

pub(crate) fn settings(h: f64, method: Method) -> StepSettings {
    StepSettings { h, method, ..Default::default() }
}

/// Where a joint of the tree starts. Empty: neutral, at rest.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) joint: String,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

/// A description and its beginning. Every root stands on a joint to the world, so that moving
/// the world's frames moves the mechanism.
#[derive(Clone)]
pub(crate) struct Mechanism {
    pub(crate) name: &'static str,
    pub(crate) spec: ModelSpec,
    pub(crate) start: Vec<Start>,
}

impl Mechanism {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, spec: ModelSpec::new(), start: Vec::new() }
    }

    /// A body on a joint that starts at q with v.
    pub(crate) fn link(
        &mut self,
        name: &str,
        inertia: Inertia,
        (kind, parent, child): (JointKind, FrameSpec, FrameSpec),
        (q, v): (&[f64], &[f64]),
    ) {
        self.spec.body(name, inertia);
        self.spec.joint(name, kind, parent, child);
        self.start.push(Start { joint: name.to_string(), q: q.to_vec(), v: v.to_vec() });
    }

    /// The state of the tree as stated, brought onto the constraints.
    pub(crate) fn run(&self, coordinates: Coordinates) -> Run {
        let model = self.spec.build(Coordinates::Generalized).expect("a mechanism");
        let mut run = Run::new(model);
        for start in &self.start {
            let joint = run.model.joint(&start.joint).expect("a joint");
            let (q, v) = (run.model.q_range(joint), run.model.v_range(joint));
            if !start.q.is_empty() {
                run.state.q[q.expect("tree")].copy_from_slice(&start.q);
            }
            if !start.v.is_empty() {
                run.state.v[v.expect("tree")].copy_from_slice(&start.v);
            }
        }
        if !self.spec.constraints.is_empty() {
            project::assemble(&run.model, &mut run.state, &mut run.data).expect("closes");
        }
        if coordinates == Coordinates::Generalized {
            return run;
        }
        let mut free = Run::new(self.spec.build(Coordinates::Maximal).expect("a mechanism"));
        free.state = free.model.state_from(&run.model, &run.state).expect("the same mechanism");
        free
    }
}

/// A model under way.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) data: Data,
}

impl Run {
    pub(crate) fn new(model: Model) -> Self {
        let (state, data) = (model.state(), Data::new(&model));
        Self { model, state, data }
    }

    pub(crate) fn step(&mut self, settings: &StepSettings) -> StepReport {
        self.try_step(settings).expect("a step")
    }

    pub(crate) fn try_step(&mut self, settings: &StepSettings) -> Result<StepReport, StepError> {
        step(&self.model, settings, &Input::default(), &mut self.state, &mut self.data)
    }

    /// n steps; returns the worst gap [m] or misalignment [rad] of them.
    pub(crate) fn steps(&mut self, settings: &StepSettings, n: usize) -> f64 {
        (0..n).fold(0.0, |worst: f64, _| {
            let report = self.step(settings);
            worst.max(report.gap).max(report.misalignment)
        })
    }

    pub(crate) fn update(&mut self) {
        kinematics::update(&self.model, &self.state.q, &self.state.v, &mut self.data);
    }

    /// `X_WU` and `V_WU` of every body.
    pub(crate) fn places(&mut self) -> Vec<(Pose, Motion)> {
        self.update();
        let ids = (0..self.model.bodies().len()).map(|i| stiction_sim::BodyId(i as u32));
        ids.map(|id| {
            let X = kinematics::pose(&self.model, &self.data, id);
            (X, kinematics::velocity(&self.model, &self.data, id))
        })
        .collect()
    }

    /// Pose and velocity of a body by name.
    pub(crate) fn body(&mut self, name: &str) -> (Pose, Motion) {
        let i = self.model.body(name).expect("a body").0 as usize;
        self.places()[i]
    }

    /// Everything that stores energy [J].
    pub(crate) fn energy(&mut self) -> f64 {
        let at = At::from(&self.state);
        stiction_sim::energy::mechanical_energy(&self.model, at, &self.state.v, &mut self.data)
            .expect("an energy")
    }

    /// Momentum, angular about the origin of W.
    pub(crate) fn momentum(&mut self) -> Force {
        self.update();
        energy::momentum(&self.model, &self.data, &Vec3::zeros())
    }

    pub(crate) fn turn_back(&mut self) {
        self.state.v.iter_mut().for_each(|v| *v = -*v);
    }
}

/// Largest difference of positions [m], orientations [rad] and velocities of all bodies.
pub(crate) fn apart(a: &[(Pose, Motion)], b: &[(Pose, Motion)]) -> f64 {
    assert_eq!(a.len(), b.len());
    let worst = |a: &(Pose, Motion), b: &(Pose, Motion)| {
        let X = (a.0.p - b.0.p).amax().max((a.0.R - b.0.R).amax());
        X.max((a.1.v - b.1.v).amax()).max((a.1.w - b.1.w).amax())
    };
    a.iter().zip(b).map(|(a, b)| worst(a, b)).fold(0.0, |m, x| if x <= m { m } else { x })
}

pub(crate) fn hinge(axis: Vec3) -> JointKind {
    JointKind::Revolute { axis }
}

pub(crate) fn universal() -> JointKind {
    JointKind::Universal { first: Vec3::x(), second: Vec3::y() }
}

/// A body without symmetries, its centre and axes off the frame; `i` varies it.
pub(crate) fn oblique(i: usize) -> Inertia {
    let s = i as f64;
    let turn = Quat::exp(&Vec3::new(0.3 + s, -0.4, 0.2 * s));
    let X = Pose::from_parts(Vec3::new(0.1, -0.07, -0.2), turn);
    Inertia::principal(1.0 + 0.4 * s, [0.11, 0.17, 0.23]).moved(&X)
}

/// A uniform rod of this mass along x from the origin, thin but not a line.
pub(crate) fn rod(mass: f64, length: f64) -> Inertia {
    let transverse = mass * length * length / 12.0;
    let moments = [1e-2 * transverse, transverse, transverse];
    Inertia::principal(mass, moments).moved(&Pose::translation(0.5 * length, 0.0, 0.0))
}

/// Two masses of 1 kg at the ends of arms of 1 m, both horizontal, at rest. Each mass has the rotational
/// inertia I [kg·m²]. Angles count from straight down, the second relative to the first.
pub(crate) fn double_pendulum(I: f64) -> Mechanism {
    let mut m = Mechanism::new("double pendulum");
    let mass = Inertia::principal(1.0, [I; 3]).moved(&Pose::translation(0.0, 0.0, -1.0));
    let axis = hinge(-Vec3::y());
    m.link("upper", mass, (axis, FrameSpec::world(), FrameSpec::of("upper")), (&[FRAC_PI_2], &[]));
    let elbow = FrameSpec::of("upper").at(0.0, 0.0, -1.0);
    m.link("lower", mass, (axis, elbow, FrameSpec::of("lower")), (&[], &[]));
    m
}

/// Hanging from the world by a universal joint, then a ball, then a hinge.
pub(crate) fn hanging_chain() -> Mechanism {
    let mut m = Mechanism::new("hanging chain");
    let next = |name: &str| FrameSpec::of(name).at(0.05, 0.1, -0.5);
    let of = FrameSpec::of;
    m.link(
        "a",
        oblique(0),
        (universal(), FrameSpec::world().at(0.2, 0.1, 0.4), of("a")),
        (&[0.4, -0.3], &[0.8, 0.5]),
    );
    let turn = Quat::exp(&Vec3::new(0.3, 0.2, -0.4)).to_wxyz();
    m.link("b", oblique(1), (JointKind::Ball, next("a"), of("b")), (&turn, &[0.7, -0.6, 0.9]));
    m.link("c", oblique(2), (hinge(Vec3::x()), next("b"), of("c")), (&[0.5], &[-1.1]));
    m
}

/// One joint of every kind after the other, on a free body, moving.
pub(crate) fn floating_chain() -> Mechanism {
    let (axis, free) = (Vec3::new(0.6, 0.0, 0.8), JointKind::Free);
    let kinds: [(JointKind, &[f64], &[f64]); 9] = [
        (free, &[0.1, 0.2, 0.3, 0.8, 0.0, 0.6, 0.0], &[0.3, -0.2, 0.1, 0.4, 0.5, -0.3]),
        (JointKind::Revolute { axis }, &[0.3], &[0.9]),
        (JointKind::Prismatic { axis }, &[0.1], &[-0.3]),
        (JointKind::Screw { axis, pitch: 0.2 }, &[0.2], &[0.7]),
        (JointKind::Cylindrical { axis }, &[-0.4, 0.1], &[0.6, 0.2]),
        (universal(), &[0.3, -0.5], &[-0.8, 0.4]),
        (JointKind::Ball, &[0.8, 0.0, 0.0, 0.6], &[0.5, 0.3, -0.7]),
        (JointKind::Planar, &[0.1, -0.2, 0.4], &[0.2, 0.3, -0.6]),
        (JointKind::Fixed, &[], &[]),
    ];
    chain_of("floating chain", &kinds)
}

fn chain_of(name: &'static str, kinds: &[(JointKind, &[f64], &[f64])]) -> Mechanism {
    let mut m = Mechanism::new(name);
    m.spec.gravity = Vec3::zeros();
    let mut parent = FrameSpec::world();
    for (i, (kind, q, v)) in kinds.iter().enumerate() {
        let body = format!("body {i}");
        let turn = Quat::exp(&Vec3::new(0.2, -0.1 * i as f64, 0.3));
        let child = FrameSpec::of(&body).at(0.03, -0.02, 0.25).turned(turn);
        m.link(&body, oblique(i), (*kind, parent, child), (q, v));
        parent = FrameSpec::of(&body).at(-0.1, 0.05, -0.3);
    }
    m
}

/// A free body that carries three branches, one of them of two bodies.
pub(crate) fn floating_tree() -> Mechanism {
    let mut m = Mechanism::new("floating tree");
    m.spec.gravity = Vec3::zeros();
    let of = FrameSpec::of;
    let spin: (&[f64], &[f64]) = (&[], &[0.2, 0.1, -0.3, 0.9, -0.7, 0.5]);
    m.link("trunk", oblique(3), (JointKind::Free, FrameSpec::world(), of("trunk")), spin);
    let at = |x: f64, y: f64| of("trunk").at(x, y, 0.2);
    let arm = |name: &str| of(name).at(0.0, 0.0, -0.3);
    m.link("left", oblique(0), (hinge(Vec3::x()), at(-0.4, 0.1), arm("left")), (&[0.4], &[1.2]));
    let turn = Quat::exp(&Vec3::new(0.1, -0.6, 0.2)).to_wxyz();
    m.link(
        "right",
        oblique(1),
        (JointKind::Ball, at(0.4, 0.0), arm("right")),
        (&turn, &[0.5, -0.8, 0.6]),
    );
    m.link(
        "hand",
        oblique(2),
        (universal(), arm("left"), arm("hand")),
        (&[0.2, 0.7], &[0.6, -0.9]),
    );
    let slide = JointKind::Prismatic { axis: Vec3::y() };
    m.link("slider", oblique(0), (slide, at(0.0, -0.5), arm("slider")), (&[0.1], &[0.4]));
    m
}

/// Lengths of a four-bar linkage [m]: crank, coupler, rocker, ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bars {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) c: f64,
    pub(crate) d: f64,
}

/// s + l < p + q: the crank turns, the rocker swings.
pub(crate) const CRANK_ROCKER: Bars = Bars { a: 0.4, b: 1.2, c: 0.9, d: 1.0 };

impl Bars {
    /// Directions of coupler and rocker for a crank at θ₂ [rad], the coupler's end to its left.
    pub(crate) fn directions(&self, theta_2: f64) -> (f64, f64) {
        let (x, y) = (self.a * theta_2.cos(), self.a * theta_2.sin());
        let (dx, dy) = (self.d - x, -y);
        let f = dx.hypot(dy);
        let cos = (self.b * self.b + f * f - self.c * self.c) / (2.0 * self.b * f);
        let theta_3 = dy.atan2(dx) + cos.acos();
        let end = (x + self.b * theta_3.cos(), y + self.b * theta_3.sin());
        (theta_3, end.1.atan2(end.0 - self.d))
    }

    /// `K₁ cos θ₄ − K₂ cos θ₂ + K₃ − cos(θ₂ − θ₄)`.
    pub(crate) fn freudenstein(&self, theta_2: f64, theta_4: f64) -> f64 {
        let Self { a, b, c, d } = *self;
        let K = [d / a, d / c, (a * a - b * b + c * c + d * d) / (2.0 * a * c)];
        K[0] * theta_4.cos() - K[1] * theta_2.cos() + K[2] - (theta_2 - theta_4).cos()
    }
}

/// In the xy plane of a three-dimensional model, all axes along z: three of the loop's rows are redundant.
pub(crate) fn four_bar(bars: Bars, theta_2: f64, spin: f64) -> Mechanism {
    let mut m = Mechanism::new("four-bar");
    m.spec.gravity = Vec3::new(0.0, -9.81, 0.0);
    let (theta_3, theta_4) = bars.directions(theta_2);
    let (of, axis) = (FrameSpec::of, hinge(Vec3::z()));
    let world = FrameSpec::world;
    m.link("crank", rod(1.0, bars.a), (axis, world(), of("crank")), (&[theta_2], &[spin]));
    let tip = of("crank").at(bars.a, 0.0, 0.0);
    m.link(
        "coupler",
        rod(2.0, bars.b),
        (axis, tip, of("coupler")),
        (&[theta_3 - theta_2], &[-spin]),
    );
    let ground = world().at(bars.d, 0.0, 0.0);
    m.link("rocker", rod(1.5, bars.c), (axis, ground, of("rocker")), (&[theta_4], &[]));
    let (a, b) = (of("coupler").at(bars.b, 0.0, 0.0), of("rocker").at(bars.c, 0.0, 0.0));
    m.spec.constraint("loop", ConstraintKind::Joint { kind: axis, a, b });
    m
}

/// The same with the crank driven at a constant rate [rad/s].
pub(crate) fn driven_four_bar(bars: Bars, theta_2: f64, rate: f64) -> Mechanism {
    let mut m = four_bar(bars, theta_2, rate);
    m.name = "driven four-bar";
    let (coordinate, law) = (CoordinateSpec::of("crank"), Law::rate(theta_2, rate));
    m.spec.constraint("drive", ConstraintKind::Drive { coordinate, law });
    m
}

/// Six links of 1 m along the edges of a cube, one of them the ground; each axis is perpendicular to the two
/// links it joins, so that neighbours are at right angles. It moves although counting says it cannot.
pub(crate) fn bricard() -> Mechanism {
    let mut m = Mechanism::new("Bricard");
    m.spec.gravity = Vec3::new(0.0, -9.81, 0.0);
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    // where each rod points in the cube, and the axis at its beginning
    let rods = [(-x, y), (y, z), (z, x), (x, y), (-y, z)];
    let mut parent = FrameSpec::world().at(1.0, 0.0, 0.0);
    for (i, (along, axis)) in rods.into_iter().enumerate() {
        let name = format!("rod {i}");
        // frames stay parallel to the world's in the cube, rods lie along their edges
        let R = Quat::from_matrix(&stiction_sim::math::basis_with_z(&along));
        let turned = Pose::rotation(R) * Pose::rotation(Quat::exp(&(y * -FRAC_PI_2)));
        m.link(
            &name,
            rod(10.0, 1.0).moved(&turned),
            (hinge(axis), parent, FrameSpec::of(&name)),
            (&[], &[]),
        );
        parent = FrameSpec::of(&name).at(along.x, along.y, along.z);
    }
    let b = FrameSpec::world().at(1.0, 0.0, 1.0);
    m.spec.constraint("loop", ConstraintKind::Joint { kind: hinge(x), a: parent, b });
    m
}

/// A bar carried by n ≥ 2 parallel cranks: beyond two every crank is redundant in the plane as well.
pub(crate) fn parallelogram(n: usize, theta: f64, spin: f64) -> Mechanism {
    let mut m = Mechanism::new("parallelogram");
    m.spec.gravity = Vec3::new(0.0, -9.81, 0.0);
    let (axis, of) = (hinge(Vec3::z()), FrameSpec::of);
    for i in 0..n {
        let name = format!("crank {i}");
        let ground = FrameSpec::world().at(i as f64, 0.0, 0.0);
        m.link(&name, rod(1.0, 0.5), (axis, ground, of(&name)), (&[theta], &[spin]));
    }
    let tip = |i: usize| of(&format!("crank {i}")).at(0.5, 0.0, 0.0);
    let bar = rod(3.0, (n - 1) as f64);
    m.link("bar", bar, (axis, tip(0), of("bar")), (&[-theta], &[-spin]));
    for i in 1..n {
        let a = of("bar").at(i as f64, 0.0, 0.0);
        let kind = ConstraintKind::Joint { kind: axis, a, b: tip(i) };
        m.spec.constraint(&format!("loop {i}"), kind);
    }
    m
}

/// Three free bodies held together by springs between points and frames.
pub(crate) fn sprung_bodies() -> Mechanism {
    let mut m = Mechanism::new("sprung bodies");
    m.spec.gravity = Vec3::zeros();
    let of = FrameSpec::of;
    for i in 0..3 {
        let name = format!("body {i}");
        let s = i as f64;
        let turn = Quat::exp(&Vec3::new(0.2 * s, 0.1, -0.2)).to_wxyz();
        let mut q = vec![0.9 * s, 0.2 * s * s, -0.1];
        q.extend(turn);
        let v = [0.1 * s, 0.3 - 0.2 * s, 0.2, 0.4, -0.5 * s, 0.3];
        m.link(&name, oblique(i), (JointKind::Free, FrameSpec::world(), of(&name)), (&q, &v));
    }
    let p = |i: usize| of(&format!("body {i}")).at(0.1, 0.2, -0.1);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let points = SpringKind::Points { a: p(i), b: p(j), rest: 0.8 };
        m.spec.spring(&format!("string {i}"), points, 40.0, 0.0);
    }
    let (a, b) = (of("body 0"), of("body 1"));
    m.spec.spring("torsion", SpringKind::Torsion { a, b }, 6.0, 0.0);
    let (a, b) = (of("body 0").at(0.3, 0.0, 0.0), of("body 2").at(0.0, 0.1, 0.0));
    m.spec.spring("cord", SpringKind::Points { a, b, rest: 0.0 }, 15.0, 0.0);
    m
}

/// A crank with a flywheel on its drive, a rod, and a slider on a rail, damped and sprung.
pub(crate) fn slider_crank() -> Mechanism {
    let mut m = Mechanism::new("slider-crank");
    m.spec.gravity = Vec3::new(0.0, -9.81, 0.0);
    let (of, axis) = (FrameSpec::of, hinge(Vec3::z()));
    m.link("crank", rod(1.0, 0.3), (axis, FrameSpec::world(), of("crank")), (&[0.6], &[2.0]));
    let tip = of("crank").at(0.3, 0.0, 0.0);
    let asin = (0.3 * 0.6f64.sin()).asin();
    m.link("rod", rod(1.0, 1.0), (axis, tip, of("rod")), (&[-0.6 - asin], &[-2.0]));
    let rail = JointKind::Prismatic { axis: Vec3::x() };
    m.link("slider", oblique(1), (rail, FrameSpec::world(), of("slider")), (&[1.2], &[]));
    m.spec.joints[0].armature = vec![0.2];
    m.spec.joints[2].damping = vec![0.3];
    let (a, b) = (of("rod").at(1.0, 0.0, 0.0), of("slider"));
    m.spec.constraint("pin", ConstraintKind::Joint { kind: JointKind::Ball, a, b });
    let coordinate = CoordinateSpec::of("slider");
    m.spec.spring("return", SpringKind::Coordinate { coordinate, rest: 1.0 }, 30.0, 0.0);
    m
}

/// Two wheels in gear, a pendulum tied to one of them, a block on a string.
pub(crate) fn gears() -> Mechanism {
    let mut m = Mechanism::new("gears");
    let (of, axis) = (FrameSpec::of, hinge(Vec3::y()));
    let world = FrameSpec::world;
    m.link("small", oblique(0), (axis, world(), of("small")), (&[0.2], &[1.5]));
    m.link("large", oblique(1), (axis, world().at(1.0, 0.0, 0.0), of("large")), (&[], &[]));
    m.link(
        "pendulum",
        oblique(2),
        (universal(), of("large").at(0.2, 0.0, 0.1), of("pendulum")),
        (&[0.4, 0.3], &[]),
    );
    let block = [0.3, 0.4, -1.0, 1.0, 0.0, 0.0, 0.0];
    m.link("block", oblique(1), (JointKind::Free, world(), of("block")), (&block, &[]));
    let gear = |joint: &str, coefficient| (CoordinateSpec::of(joint), coefficient);
    let terms = vec![gear("small", 1.0), gear("large", 2.5)];
    m.spec.constraint("mesh", ConstraintKind::Coupling { terms, offset: 0.2 });
    let (a, b) = (world().at(0.0, 0.0, 0.5), of("block").at(0.1, 0.0, 0.1));
    m.spec.constraint("string", ConstraintKind::Distance { a, b, length: 1.5 });
    m
}

/// Ten different mechanisms, smooth over a second.
pub(crate) fn ten() -> Vec<Mechanism> {
    vec![
        double_pendulum(0.1),
        hanging_chain(),
        floating_chain(),
        floating_tree(),
        four_bar(CRANK_ROCKER, 0.8, 5.0),
        driven_four_bar(CRANK_ROCKER, 0.8, 5.0),
        bricard(),
        parallelogram(4, 1.1, 2.0),
        sprung_bodies(),
        slider_crank(),
    ]
}
