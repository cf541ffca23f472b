//! The box on the ground of [PKF17] table 1, and a run of it.

use stiction_sim::collide::ContactKey;
use stiction_sim::contact::law::{BoxLaw, Cone, Hybrid, Lateral, Law, LawSolver, Phantom, Pyramid};
use stiction_sim::contact::{ContactMemory, ContactSettings};
use stiction_sim::model::{FrameSpec, Relaxation, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Inertia, Input, Model, ModelError, ModelSpec, State, StepError,
    StepSettings, Vec3, step,
};

/// Mass [kg], side [m] and coefficient of friction of the box; gravity [m/s²].
pub(crate) const MASS: f64 = 1.0;
const SIDE: f64 = 1.0;
const MU: f64 = 1.0;
const GRAVITY: f64 = 9.81;
/// k_n, b_n and k_t, b_t [N/m, N·s/m].
pub(crate) const NORMAL: Relaxation = Relaxation { k: 1e10, b: 1e8 };
pub(crate) const BRISTLE: Relaxation = Relaxation { k: 1e8, b: 1e5 };

/// What gives way at the contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    pub(crate) normal: Option<Relaxation>,
    pub(crate) bristle: Option<Relaxation>,
}

impl Softness {
    pub(crate) const TABLE_1: Self = Self { normal: Some(NORMAL), bristle: Some(BRISTLE) };
    pub(crate) const RIGID: Self = Self { normal: None, bristle: None };
}

/// A law and its name in tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) law: Law,
}

/// Those of figure 4, and exact Coulomb friction. The ground's normal is z, so that t1, t2 are the world's x and y.
pub(crate) fn laws() -> [Named; 5] {
    // eq. 43 divides by the normal force of the last step
    let lambda_min = 1e-3 * MASS * GRAVITY;
    let pyramid = Pyramid { facets: 4, ..Default::default() };
    let phantom = Phantom { lateral: Lateral::Relaxed { lambda_min }, ..Default::default() };
    let hybrid = Hybrid { lambda_min, ..Default::default() };
    [
        Named { name: "pyramid(4)", law: Law::Pyramid(pyramid) },
        Named { name: "box", law: Law::Box(BoxLaw::default()) },
        Named { name: "hybrid", law: Law::Hybrid(hybrid) },
        Named { name: "phantom", law: Law::Phantom(phantom) },
        Named { name: "cone", law: Law::Cone(Cone::default()) },
    ]
}

/// The box on its four lower corners.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) model: Model,
    /// At rest; λ_n = m g/4 and λ_t = 0 remembered at each corner.
    pub(crate) rest: State,
    softness: Softness,
    /// Asked of each solve.
    pub(crate) tol: f64,
}

impl Scene {
    pub(crate) fn new(softness: Softness) -> Result<Self, ModelError> {
        let mut spec = ModelSpec::new();
        let surface = Surface { compliance: softness.normal, ..Surface::rigid(MU) };
        spec.material("box", Surface::rigid(MU)).material("ground", surface);
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "ground");
        spec.body("box", Inertia::principal(MASS, [MASS * SIDE * SIDE / 6.0; 3]));
        let half = SIDE / 2.0;
        let corners = [(1., 1.), (-1., 1.), (-1., -1.), (1., -1.)];
        let corners = corners.map(|(a, b)| Vec3::new(a * half, b * half, -half)).to_vec();
        spec.shape("corners", FrameSpec::of("box"), Shape::Points(corners), "box");
        let model = spec.build(Coordinates::Generalized)?;
        let mut rest = model.state();
        rest.q[2] = half;
        rest.memory.contacts = (0..4)
            .map(|feature| ContactMemory {
                key: ContactKey { shape_a: 0, shape_b: 1, feature },
                lambda_n: MASS * GRAVITY / 4.0,
                lambda_t_W: Vec3::zeros(),
            })
            .collect();
        Ok(Self { model, rest, softness, tol: ContactSettings::default().tol })
    }

    /// 5 m/s along y and one turn a second about z.
    pub(crate) fn start(&self) -> State {
        let mut state = self.rest.clone();
        state.v[1] = 5.0;
        state.v[5] = std::f64::consts::TAU;
        state
    }

    pub(crate) fn settings(&self, law: Law, h: f64) -> StepSettings {
        let bristle = self.softness.bristle;
        let contact = ContactSettings { law, bristle, tol: self.tol, ..Default::default() };
        StepSettings { h, contact, ..Default::default() }
    }

    pub(crate) fn solved_by(&self, law: Law, h: f64, solver: LawSolver) -> StepSettings {
        let mut settings = self.settings(law, h);
        settings.contact.solver = solver;
        settings
    }

    /// Steps until the box rests.
    pub(crate) fn run(&self, law: Law, h: f64) -> Result<Run, StepError> {
        let settings = self.settings(law, h);
        let (mut state, mut data) = (self.start(), Data::new(&self.model));
        let mut run = Run { path: vec![pose(&state)], ..Run::default() };
        while !is_at_rest(&state) && run.steps() < (TOO_LONG / h) as usize {
            let report = step(&self.model, &settings, &Input::default(), &mut state, &mut data)?;
            run.path.push(pose(&state));
            if let Some(contact) = report.contact {
                run.certified += usize::from(contact.certified);
                run.residual = larger(run.residual, contact.residual.relative());
                run.coulomb = larger(run.coulomb, contact.coulomb.relative());
            }
        }
        run.rests = is_at_rest(&state);
        Ok(run)
    }
}

/// The box slides for 0.7 s.
const TOO_LONG: f64 = 2.0;

/// Slower than 1e-6 m/s and rad/s: it creeps less than a micrometre a second.
pub(crate) fn is_at_rest(state: &State) -> bool {
    state.v.iter().all(|v| v.abs() < 1e-6)
}

fn larger(a: f64, b: f64) -> f64 {
    // NaN counts as infinite
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// x, y [m] and yaw [rad] of the box, which turns by less than half a turn.
fn pose(state: &State) -> [f64; 3] {
    [state.q[0], state.q[1], 2.0 * libm::atan2(state.q[6], state.q[3])]
}

/// What a run left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// x, y, yaw at the beginning and after each step.
    pub(crate) path: Vec<[f64; 3]>,
    /// Steps with a certificate.
    pub(crate) certified: usize,
    /// Largest distance from the law, and from exact Coulomb friction, relative to the size of their terms.
    pub(crate) residual: f64,
    pub(crate) coulomb: f64,
    pub(crate) rests: bool,
}

impl Run {
    pub(crate) fn steps(&self) -> usize {
        self.path.len() - 1
    }

    pub(crate) fn end(&self) -> [f64; 3] {
        self.path[self.path.len() - 1]
    }

    /// Where the box is after step i: at its end after the last.
    pub(crate) fn at(&self, i: usize) -> [f64; 3] {
        self.path[i.min(self.steps())]
    }

    /// Largest distance of two paths at the same time, of the same step length.
    pub(crate) fn apart(&self, other: &Self) -> f64 {
        let steps = self.steps().max(other.steps());
        (0..=steps).map(|i| distance(self.at(i), other.at(i))).fold(0.0, f64::max)
    }
}

/// Of two poses, a metre counting as much as a radian.
pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt()
}
