//! The contacts of a step: found, stated as one problem, solved under a law, and put into the velocities.

use stiction_lcp::{MatX, Verdict};

use crate::collide::{Collider, Contact};
use crate::contact::law::{self, ContactMode, Law, LawResidual, LawSolver, contact_modes};
use crate::contact::memory::{ContactMemory, recall};
use crate::contact::rows::{ContactRows, Place, contact_frame};
use crate::contact::space::{ContactData, ContactSpace};
use crate::data::Data;
use crate::math::Vec3;
use crate::model::{Model, Relaxation, Shape};
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::StepError;
use crate::tree::kinematics::Velocities;

/// How contacts enter a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Default: exact Coulomb cones.
    pub law: Law,
    /// Default [`LawSolver::Auto`].
    pub solver: LawSolver,
    /// Asked of the problem's residual, a pure number. Default 1e-10.
    pub tol: f64,
    /// Default [`NormalRow::Position`].
    pub normal: NormalRow,
    /// Bristles of the laws that have them [N/m, N·s/m]. Default: none.
    pub bristle: Option<Relaxation>,
    /// Default [`Strictness::Strict`].
    pub strictness: Strictness,
}

/// What the normal rows of rigid contacts say. Compliant ones are relaxed by [PKF17 eq. 40, 41].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalRow {
    /// `u_n ≥ 0` where bodies touch or overlap; gaps that are open are left alone [AP].
    Velocity,
    /// `u_n ≥ −φ/h`: what is open may close within the step, and what overlaps parts.
    Position,
}

/// What a step without a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// An error; the state is as it was.
    Strict,
    /// A step, and the report says so.
    Lenient,
}

/// What is known of the contacts of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    pub contacts: usize,
    /// Whether the judge has accepted the impulses.
    pub certified: bool,
    /// Distance from the law that was asked for, and from exact Coulomb friction.
    pub residual: LawResidual,
    pub coulomb: LawResidual,
    /// The solver that answered, and all iterations together.
    pub link: &'static str,
    pub iterations: usize,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            law: Law::Cone(law::Cone::default()),
            solver: LawSolver::Auto,
            tol: 1e-10,
            normal: NormalRow::Position,
            bristle: None,
            strictness: Strictness::Strict,
        }
    }
}

/// Memory of the contacts of a step.
#[derive(Clone, Debug)]
pub(crate) struct ContactWork {
    collider: Collider,
    /// How far the shapes of each body reach from its frame's origin [m].
    reach: Vec<f64>,
    /// Velocities of the bodies after the kick.
    kicked: Velocities,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) places: Vec<Place>,
    /// Centres of mass where the contacts were found, in W [m].
    pub(crate) centres: Vec<Vec3>,
    pub(crate) rows: ContactRows,
    pub(crate) space: ContactSpace,
    /// Impulses n, t1, t2 of each contact so far [N·s], and contact velocities [m/s].
    pub(crate) p: Vec<f64>,
    pub(crate) u: Vec<f64>,
    dv: Vec<f64>,
    pub(crate) report: Option<ContactReport>,
}

impl ContactWork {
    pub(crate) fn new(model: &Model) -> Self {
        let space = ContactSpace {
            h: 0.0,
            W: MatX::zeros(0, 0).into(),
            u_free: Vec::new(),
            contacts: Vec::new(),
        };
        Self {
            collider: Collider::new(model),
            reach: reach_of_bodies(model),
            kicked: Velocities::new(model),
            contacts: Vec::new(),
            places: Vec::new(),
            centres: Vec::new(),
            rows: ContactRows::default(),
            space,
            p: Vec::new(),
            u: Vec::new(),
            dv: vec![0.0; model.nv],
            report: None,
        }
    }

    /// Finds the contacts of the position in `data` that can matter in a step from the velocity after the kick.
    pub(crate) fn detect(&mut self, model: &Model, settings: &StepSettings, data: &Data) {
        let horizon = match settings.contact.normal {
            NormalRow::Velocity => 0.0,
            NormalRow::Position => {
                self.kicked.update(model, &data.kin, &data.work.v_kick);
                // two bodies may come towards each other, each as fast before the kick or after it
                let [before, after] =
                    [&data.vel, &self.kicked].map(|vel| fastest(vel, &self.reach));
                settings.h * 2.0 * (before + after)
            }
        };
        self.collider.detect(model, &data.kin, horizon, &mut self.contacts);
        if settings.contact.normal == NormalRow::Velocity {
            self.contacts.retain(|contact| contact.gap <= 0.0);
        }
        self.places.clear();
        self.places.extend(self.contacts.iter().map(|contact| Place {
            a: contact.a,
            b: contact.b,
            p_W: contact.p_W,
            R_WC: contact_frame(&contact.n_W),
        }));
        let bodies = model.bodies.iter().zip(&data.kin.X_WB);
        self.centres.clear();
        self.centres.extend(bodies.map(|(body, X_WB)| X_WB.point(&(body.I.mc / body.I.mass))));
        self.p.clear();
        self.p.resize(3 * self.contacts.len(), 0.0);
        self.space.h = settings.h;
        self.report = None;
    }

    /// Rows and Delassus matrix, once the bilateral rows are factored.
    pub(crate) fn assemble(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
    ) {
        let work = &data.work;
        self.rows.update(model, &data.kin, &self.places);
        self.rows.factor(model, &work.M_hat, &work.solver, &work.impulses.eps);
        self.space.h = settings.h;
        self.space.W = self.rows.delassus();
        self.rows.velocities(&state.v, &mut self.u);
        self.space.contacts.clear();
        for (i, (contact, place)) in self.contacts.iter().zip(&self.places).enumerate() {
            let [lambda_n, lambda_1, lambda_2] =
                recall(&state.memory.contacts, contact.key, &place.R_WC);
            let (eps_n, d_n) = normal_row(settings, contact);
            self.space.contacts.push(ContactData {
                phi: contact.gap,
                eps_n,
                d_n,
                mu_s: contact.surface.mu_s,
                mu_k: contact.surface.mu_k,
                bristle: settings.contact.bristle,
                u_t: [self.u[3 * i + 1], self.u[3 * i + 2]],
                lambda_n,
                lambda_t: [lambda_1, lambda_2],
            });
        }
    }

    /// Solves the contacts for the present `v_kick`, which holds the impulses p so far, and replaces them. Bilateral rows
    /// are to be met again afterwards; W knows that they will be.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        data: &mut Data,
    ) -> Result<(), StepError> {
        let work = &mut data.work;
        self.rows.velocities(&work.v_kick, &mut self.u);
        // velocities without these contacts: u = W p + u_free
        let minus_p: Vec<f64> = self.p.iter().map(|p| -p).collect();
        self.space.u_free.resize(self.u.len(), 0.0);
        self.space.W.affine(&minus_p, &self.u, &mut self.space.u_free);
        let contact = &settings.contact;
        let answer = law::solve(&self.space, &contact.law, contact.solver, contact.tol)
            .map_err(StepError::Law)?;
        let certified = answer.verdict == Verdict::Certified;
        self.report = Some(ContactReport {
            contacts: self.contacts.len(),
            certified,
            residual: answer.residual,
            coulomb: answer.coulomb,
            link: answer.link,
            iterations: answer.iterations,
        });
        if matches!(answer.verdict, Verdict::NoSolution(_)) {
            return Err(StepError::NoSolution);
        }
        if !certified && contact.strictness == Strictness::Strict {
            return Err(StepError::Uncertified(answer.residual));
        }
        for (dp, p) in self.p.iter_mut().zip(&answer.p) {
            *dp = p - *dp;
        }
        self.dv.fill(0.0);
        self.rows.add_momentum(&self.p, &mut self.dv);
        work.M_hat.solve(&model.pattern, &mut self.dv);
        for (v, dv) in work.v_kick.iter_mut().zip(&self.dv) {
            *v += dv;
        }
        self.p.copy_from_slice(&answer.p);
        self.u.copy_from_slice(&answer.u);
        Ok(())
    }

    /// What the next step may ask about these contacts.
    pub(crate) fn remember(&self, h: f64, memories: &mut Vec<ContactMemory>) {
        memories.clear();
        for (i, (contact, place)) in self.contacts.iter().zip(&self.places).enumerate() {
            let p_t_C = Vec3::new(self.p[3 * i + 1], self.p[3 * i + 2], 0.0);
            memories.push(ContactMemory {
                key: contact.key,
                // rounding may leave −1e-17
                lambda_n: if self.p[3 * i] > 0.0 { self.p[3 * i] / h } else { 0.0 },
                lambda_t_W: place.R_WC * p_t_C / h,
            });
        }
    }

    /// What each contact does: open below 1e-12 of the largest impulse, sliding above 1e-9 of the largest velocity.
    pub(crate) fn modes(&self) -> Vec<ContactMode> {
        let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let free = largest(&self.space.u_free);
        contact_modes(&self.p, &self.u, 1e-12 * largest(&self.p), 1e-9 * free)
    }
}

/// Compliance and offset of a contact's normal row.
fn normal_row(settings: &StepSettings, contact: &Contact) -> (f64, f64) {
    let h = settings.h;
    match (contact.surface.compliance, settings.contact.normal) {
        // [PKF17 eq. 40, 41]
        (Some(Relaxation { k, b }), _) => {
            let eps = 1.0 / (k * h * h + b * h);
            (eps, eps * h * k * contact.gap)
        }
        (None, NormalRow::Velocity) => (0.0, 0.0),
        (None, NormalRow::Position) => (0.0, contact.gap / h),
    }
}

/// The largest speed of a point of a shape [m/s].
fn fastest(velocities: &Velocities, reach: &[f64]) -> f64 {
    let speeds = velocities.V.iter().zip(reach).map(|(V, reach)| V.v.norm() + V.w.norm() * reach);
    speeds.fold(0.0, |fastest, speed| if speed > fastest { speed } else { fastest })
}

fn reach_of_bodies(model: &Model) -> Vec<f64> {
    let mut reach = vec![0.0; model.bodies.len()];
    for geom in &model.geoms {
        if let Some(body) = geom.at.body {
            let own = geom.at.X_BF.p.norm() + extent(&geom.shape);
            if own > reach[body] {
                reach[body] = own;
            }
        }
    }
    reach
}

/// How far a shape reaches from its own origin [m]; shapes that do not move count as nothing.
fn extent(shape: &Shape) -> f64 {
    let farthest = |points: &[Vec3]| points.iter().map(|p| p.norm()).fold(0.0, f64::max);
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half } => half.norm(),
        Shape::Capsule { radius, half_length }
        | Shape::Cylinder { radius, half_length }
        | Shape::Cone { radius, half_length } => radius + half_length,
        Shape::Hull(points) | Shape::Points(points) => farthest(points),
        Shape::Compound(parts) => {
            parts.iter().map(|(p, _, shape)| p.norm() + extent(shape)).fold(0.0, f64::max)
        }
        Shape::HalfSpace | Shape::Mesh { .. } | Shape::HeightField { .. } => 0.0,
    }
}
