//! A triangle of equal balls that touch exactly, and its first steps from rest.

use stiction_sim::contact::law::{Cone, Law, LawProblem, Pyramid, assemble};
use stiction_sim::contact::space::{ContactSpace, Tangents};
use stiction_sim::contact::{ContactSettings, Strictness};
use stiction_sim::model::{FrameSpec, JointKind, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Input, Model, ModelSpec, Quat, Solid, State, StepReport, StepSettings, Vec3,
    step,
};

use crate::Clock;

/// [m], [kg], [s], [m/s²].
const RADIUS: f64 = 0.5;
const MASS: f64 = 1.0;
const H: f64 = 0.05;
const GRAVITY: f64 = 9.81;
/// Asked of the judge.
pub(super) const TOL: f64 = 1e-10;
/// Speed that a ball gains in a step without contacts [m/s].
pub(super) const FALL: f64 = GRAVITY * H;

/// Runs are repeated until they have taken so long together [s], and so often at most.
const LONG: f64 = 0.5;
const RUNS: usize = 7;

/// How balls move, and the friction law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In their plane, two facets.
    DisksPyramid,
    DisksCone,
    /// In space, eight facets.
    SpheresPyramid,
    SpheresCone,
}

impl Form {
    pub(super) const ALL: [Self; 4] =
        [Self::DisksPyramid, Self::DisksCone, Self::SpheresPyramid, Self::SpheresCone];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::DisksPyramid => "disks, 2 facets",
            Self::DisksCone => "disks, cone",
            Self::SpheresPyramid => "spheres, 8 facets",
            Self::SpheresCone => "spheres, cone",
        }
    }

    fn is_planar(self) -> bool {
        matches!(self, Self::DisksPyramid | Self::DisksCone)
    }

    fn law(self) -> Law {
        match self {
            Self::DisksPyramid | Self::SpheresPyramid => Law::Pyramid(Pyramid::default()),
            Self::DisksCone | Self::SpheresCone => Law::Cone(Cone::default()),
        }
    }
}

/// A pile of so many rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pile {
    pub(super) rows: usize,
    pub(super) mu: f64,
    pub(super) form: Form,
}

/// What a first step is like.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub(super) contacts: usize,
    /// Unknowns of the law's problem.
    pub(super) unknowns: usize,
    pub(super) link: &'static str,
    pub(super) iterations: usize,
    pub(super) certified: bool,
    /// Of the problem, by its judge, and of the law, by its own.
    pub(super) residual: f64,
    pub(super) law_residual: f64,
    /// Processor time of the first step, cold, and of the same one with its impulses remembered [s].
    pub(super) cold: f64,
    pub(super) warm: f64,
    /// For each contact the speed at which it opens, and at which it slips [m/s].
    pub(super) parting: Vec<[f64; 2]>,
}

impl Pile {
    fn model(self) -> Result<Model, Box<dyn std::error::Error>> {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
        spec.material("stuff", Surface::rigid(self.mu));
        spec.shape("ground", FrameSpec::world(), Shape::HalfSpace, "stuff");
        let inertia = Solid::Sphere { radius: RADIUS }.with_mass(MASS)?;
        // x of the joint's plane is x, its y is −z
        let upright = Quat::exp(&Vec3::new(-std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        for row in 0..self.rows {
            let count = self.rows - row;
            let z = RADIUS + row as f64 * RADIUS * f64::sqrt(3.0);
            for i in 0..count {
                let x = RADIUS * (2.0 * i as f64 - (count as f64 - 1.0));
                let name = format!("ball-{row}-{i}");
                spec.body(&name, inertia);
                let sphere = Shape::Sphere { radius: RADIUS };
                spec.shape(&format!("shape-{row}-{i}"), FrameSpec::of(&name), sphere, "stuff");
                let (place, ball) = (FrameSpec::world().at(x, 0.0, z), FrameSpec::of(&name));
                let joint = format!("joint-{row}-{i}");
                if self.form.is_planar() {
                    let (place, ball) = (place.turned(upright), ball.turned(upright));
                    spec.joint(&joint, JointKind::Planar, place, ball);
                } else {
                    spec.joint(&joint, JointKind::Free, place, ball);
                }
            }
        }
        Ok(spec.build(Coordinates::Generalized)?)
    }

    fn settings(self) -> StepSettings {
        let strictness = Strictness::Lenient;
        let law = self.form.law();
        let contact = ContactSettings { law, tol: TOL, strictness, ..Default::default() };
        StepSettings { h: H, contact, ..Default::default() }
    }

    /// The first step with nothing remembered and nothing allocated, and the same one again with what it left remembered; the least times of several runs.
    pub(super) fn solve(self, clock: Clock<'_>) -> Result<Solved, Box<dyn std::error::Error>> {
        let model = self.model()?;
        let (mut cold, mut warm) = (f64::INFINITY, f64::INFINITY);
        let mut first = None;
        let mut spent = 0.0;
        for _ in 0..RUNS {
            let (mut state, mut data) = (model.state(), Data::new(&model));
            let (report, time) = self.timed(&model, &mut state, &mut data, clock)?;
            cold = cold.min(time);
            spent += time;
            if first.is_none() {
                first = Some(self.solved(&report, &data)?);
            }
            let memory = std::mem::take(&mut state.memory);
            state = State { memory, ..model.state() };
            let (_, time) = self.timed(&model, &mut state, &mut data, clock)?;
            warm = warm.min(time);
            spent += time;
            // a clock that stands still is asked once
            if !(spent > 0.0 && spent < LONG) {
                break;
            }
        }
        let first = first.ok_or("no run")?;
        Ok(Solved { cold, warm, ..first })
    }

    fn timed(
        self,
        model: &Model,
        state: &mut State,
        data: &mut Data,
        clock: Clock<'_>,
    ) -> Result<(StepReport, f64), Box<dyn std::error::Error>> {
        let start = clock();
        let report = step(model, &self.settings(), &Input::default(), state, data)?;
        Ok((report, clock() - start))
    }

    fn solved(
        self,
        report: &StepReport,
        data: &Data,
    ) -> Result<Solved, Box<dyn std::error::Error>> {
        let contact = report.contact.ok_or("a pile without contacts")?;
        let space = data.contact_space().ok_or("a model without shapes")?;
        let parting = |u: &[f64]| [u[0], libm::hypot(u[1], u[2])];
        Ok(Solved {
            contacts: contact.contacts,
            unknowns: self.unknowns(space)?,
            link: contact.link,
            iterations: contact.iterations,
            certified: contact.certified,
            residual: contact.problem,
            law_residual: contact.residual.relative(),
            cold: 0.0,
            warm: 0.0,
            parting: data.contact_velocities().chunks_exact(3).map(parting).collect(),
        })
    }

    fn unknowns(self, space: &ContactSpace) -> Result<usize, Box<dyn std::error::Error>> {
        if let law @ Law::Pyramid(_) = self.form.law()
            && let LawProblem::Lcp(problem) = assemble(space, &law)?.problem
        {
            return Ok(problem.n());
        }
        let of = |tangents| if tangents == Tangents::Line { 2 } else { 3 };
        Ok(space.contacts.iter().map(|contact| of(contact.tangents)).sum())
    }
}

impl Solved {
    /// The largest speed at which a contact opens or slips, over that of the fall.
    pub(super) fn flow(&self) -> f64 {
        self.parting.iter().flatten().fold(0.0, |most, u| larger(most, u.abs())) / FALL
    }
}

fn larger(a: f64, b: f64) -> f64 {
    // NaN counts as infinite
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}
