//! Everything computed from a state, and the memory to compute it.
//!
//! Data holds no state of its own: throwing it away and making a new one changes no trajectory. A [`Stage`]
//! says how much of it belongs to the present state; reading more is a mistake of the caller and
//! panics with a sentence.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::collide::Contact;
use crate::constraint::rows::Origin;
use crate::contact::law::ContactMode;
use crate::contact::space::ContactSpace;
use crate::contact::work::ContactWork;
use crate::contact::wrench::{self, ContactForce};
use crate::drift::DriftWork;
use crate::inertia::SpatialInertia;
use crate::math::{Mat3, MatX};
use crate::model::Model;
use crate::spatial::{Force, Motion};
use crate::threads::Threads;
use crate::tree::aba::Articulated;
use crate::tree::kinematics::{Kinematics, Velocities};
use crate::tree::matrix::{TreeFactor, TreeMatrix};
use crate::work::StepWork;

/// How much of [`Data`] belongs to the present state. Later stages include earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Nothing,
    Position,
    Velocity,
}

#[derive(Clone, Debug)]
pub struct Data {
    /// Of the model that it was made for.
    identity: Arc<()>,
    threads: Threads,
    stage: Stage,
    /// Written by `kinematics`.
    pub(crate) kin: Kinematics,
    pub(crate) vel: Velocities,
    /// Mass matrix with armature, written by `crba`.
    pub(crate) M: TreeMatrix,
    /// Factors of M, or of M with something added to its diagonal; written by who needs them.
    pub(crate) factor: TreeFactor,
    /// Inertia of each subtree about Bo in the axes of W, written by `crba`.
    pub(crate) Ic: Vec<SpatialInertia>,
    /// Acceleration of each body in B, with gravity as an acceleration of the root; written by `rnea`.
    pub(crate) A: Vec<Motion>,
    /// Force across the joint of each body, on the body, in B about Bo; written by `rnea`.
    pub(crate) F: Vec<Force>,
    /// Scratch of `drift`.
    pub(crate) drift: DriftWork,
    /// Contacts and bounded rows of the last step; None for a model that has none.
    pub(crate) contact: Option<Box<ContactWork>>,
    /// Scratch of steps.
    pub(crate) work: StepWork,
    /// Articulated inertias, written by `aba`.
    pub(crate) articulated: Articulated,
}

impl Data {
    pub fn new(model: &Model) -> Self {
        Self::with_threads(model, NonZeroUsize::MIN)
    }

    /// The same where up to so many threads share the work of a step, in collision and in islands of contacts. They change no bit; scenes
    /// with less than about a hundred contacts gain nothing.
    pub fn with_threads(model: &Model, threads: NonZeroUsize) -> Self {
        Self::of(model, Threads::new(threads))
    }

    fn of(model: &Model, threads: Threads) -> Self {
        let n = model.bodies.len();
        let zero = SpatialInertia {
            mass: 0.0,
            mc: crate::math::Vec3::zeros(),
            I: crate::math::Mat3::zeros(),
        };
        Self {
            stage: Stage::Nothing,
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            M: TreeMatrix::new(&model.pattern),
            factor: TreeFactor::new(&model.pattern),
            Ic: vec![zero; n],
            A: vec![Motion::zero(); n],
            F: vec![Force::zero(); n],
            drift: DriftWork::new(model),
            contact: model.has_unilateral().then(|| Box::new(ContactWork::new(model, &threads))),
            work: StepWork::new(model),
            articulated: Articulated::new(model),
            identity: Arc::clone(&model.identity),
            threads,
        }
    }

    /// Memory of another model becomes new memory for this one: what it knows of places and contacts is not true here.
    pub(crate) fn adopt(&mut self, model: &Model) {
        if !Arc::ptr_eq(&self.identity, &model.identity) {
            *self = Self::of(model, self.threads.clone());
        }
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// What depends on q alone.
    #[track_caller]
    pub fn positions(&self) -> &Kinematics {
        assert!(
            self.stage >= Stage::Position,
            "stale data: call kinematics::update_positions first"
        );
        &self.kin
    }

    /// What depends on q and v.
    #[track_caller]
    pub fn velocities(&self) -> &Velocities {
        assert!(self.stage >= Stage::Velocity, "stale data: call kinematics::update first");
        &self.vel
    }

    /// The contacts of the last step by Euler's method, sorted by key; of those far apart, and of pairs of bodies with more than 64
    /// contacts, only those that were needed, some of them after all others.
    pub fn contacts(&self) -> &[Contact] {
        self.contact.as_ref().map_or(&[], |contact| &contact.contacts)
    }

    /// Their impulses on body B, three for each: along n, t1, t2 [N·s].
    pub fn contact_impulses(&self) -> &[f64] {
        self.contact.as_ref().map_or(&[], |contact| &contact.p[..3 * contact.contacts.len()])
    }

    /// The velocities of B against A at the contacts that the law was solved for, along n, t1, t2 [m/s].
    pub fn contact_velocities(&self) -> &[f64] {
        self.contact.as_ref().map_or(&[], |contact| &contact.u[..3 * contact.contacts.len()])
    }

    /// The axes of each contact in W, as columns t1, t2, n: for impulses and velocities, which are along n, t1, t2.
    pub fn contact_axes(&self) -> impl Iterator<Item = &Mat3> {
        let places = self.contact.iter().flat_map(|c| &c.places[..c.contacts.len()]);
        places.map(|place| &place.R_WC)
    }

    /// Impulses of the guides on their body b in the last step, three for each: along the normal, along the guide, across
    /// [N·s].
    pub fn guide_impulses(&self) -> &[f64] {
        self.contact.as_ref().map_or(&[], |contact| contact.guide_impulses())
    }

    /// Impulses of limits, motors and joint frictions in the last step [N·s or N·m·s]: those that were in reach.
    pub fn bounded_impulses(&self) -> Vec<(Origin, f64)> {
        self.contact.as_ref().map_or_else(Vec::new, |contact| contact.bounded_impulses())
    }

    /// The contact problem of the last step by Euler's method as its law saw it last, also where the step found no
    /// answer; nothing for a model without shapes.
    pub fn contact_space(&self) -> Option<&ContactSpace> {
        self.contact.as_ref().map(|contact| &contact.space)
    }

    /// The rows of [`Data::contact_space`] as a dense matrix J: `u = J v`.
    pub fn contact_jacobian(&self) -> MatX {
        match &self.contact {
            Some(contact) => contact.rows.to_dense(self.work.v_kick.len()),
            None => MatX::zeros(0, self.work.v_kick.len()),
        }
    }

    /// The force of each contact over the last step by Euler's method, in their order.
    pub fn contact_forces(&self) -> Vec<ContactForce> {
        self.contact.as_ref().map_or_else(Vec::new, |contact| wrench::forces(contact))
    }

    /// For each body the sum of the contact forces on it over the last step by Euler's method, about its centre of mass where
    /// that step began, in the axes of W [N·m, N]. Empty for a model without shapes, and before its first step.
    pub fn contact_wrenches(&self) -> Vec<Force> {
        self.contact.as_ref().map_or_else(Vec::new, |contact| wrench::wrenches(contact))
    }

    /// What each contact does.
    pub fn contact_modes(&self) -> Vec<ContactMode> {
        self.contact.as_ref().map_or_else(Vec::new, |contact| contact.modes())
    }

    pub(crate) fn begin_position(&mut self) {
        self.stage = Stage::Position;
    }

    #[track_caller]
    pub(crate) fn begin_velocity(&mut self) {
        assert!(
            self.stage >= Stage::Position,
            "stale data: call kinematics::update_positions first"
        );
        self.stage = Stage::Velocity;
    }

    /// The state has changed. Debug builds also fill the numbers with NaN, so that a reader who goes around
    /// the accessors fails in the first test.
    pub fn invalidate(&mut self) {
        self.stage = Stage::Nothing;
        if cfg!(debug_assertions) {
            let nan = crate::math::Vec3::from_element(f64::NAN);
            self.kin.X_WB.iter_mut().for_each(|X| X.p = nan);
            self.vel.V.iter_mut().for_each(|V| V.v = nan);
            self.M.values.fill(f64::NAN);
        }
    }
}
