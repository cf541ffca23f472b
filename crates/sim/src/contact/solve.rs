//! The contacts of a step: found, stated as one problem, solved under a law, and put into the velocities.
//!
//! The rows are those of the contacts, three each, of the guides, three each, and of what is bounded at joints and in
//! reach: limits, motors, frictions.

use stiction_lcp::{MatX, Verdict};

use crate::collide::{Collider, Contact, ContactKey};
use crate::constraint::rows::{At, Origin, RowSet};
use crate::contact::guides::{self, GuidePlace};
use crate::contact::law::{self, ContactMode, LawWork, contact_modes, idle_opening};
use crate::contact::list::{Beginning, ContactList, ROUNDING_OF_PLACES, farthest};
use crate::contact::memory::{ContactMemory, guide_key, recall, row_key};
use crate::contact::reach::Reach;
use crate::contact::rows::{ContactRows, Place, contact_frame};
use crate::contact::settings::{ContactReport, ContactSettings, NormalRow, Strictness};
use crate::contact::space::{ContactData, ContactSpace, Sides, Tangents};
use crate::contact::spare;
use crate::data::Data;
use crate::math::Vec3;
use crate::model::{Model, Relaxation};
use crate::settings::StepSettings;
use crate::state::State;
use crate::step::StepError;
use crate::tree::kinematics::Velocities;

/// Memory of the contacts of a step.
#[derive(Clone, Debug)]
pub(crate) struct ContactWork {
    pub(crate) collider: Collider,
    pub(crate) reach: Reach,
    /// Velocities of the bodies after the kick.
    kicked: Velocities,
    /// How far contacts were looked for [m].
    pub(crate) horizon: f64,
    pub(crate) contacts: Vec<Contact>,
    /// Those of crowded pairs that are not asked, and how many there are in all.
    pub(crate) spare: Vec<Contact>,
    spare_rows: ContactRows,
    pub(crate) found: usize,
    pub(crate) guides: Vec<GuidePlace>,
    /// Of the contacts, then of the guides.
    pub(crate) places: Vec<Place>,
    /// Centres of mass where the contacts were found, in W [m].
    pub(crate) centres: Vec<Vec3>,
    /// Where friction of the contacts can act.
    pub(crate) tangents: Vec<Tangents>,
    /// At which speed each contact is sent back [m/s].
    bounces: Vec<f64>,
    /// Limits, motors and frictions, and which of them are solved for.
    pub(crate) bounded: RowSet,
    pub(crate) active: Vec<usize>,
    pub(crate) rows: ContactRows,
    pub(crate) space: ContactSpace,
    pub(crate) work: LawWork,
    pub(crate) overlap: f64,
    /// Impulses so far of contacts and guides, n, t1, t2 each, and of active rows [N·s]; velocities of the same [m/s].
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
            rows: Vec::new(),
        };
        Self {
            collider: Collider::new(model),
            reach: Reach::new(model),
            kicked: Velocities::new(model),
            horizon: 0.0,
            contacts: Vec::new(),
            spare: Vec::new(),
            spare_rows: ContactRows::default(),
            found: 0,
            guides: Vec::new(),
            places: Vec::new(),
            centres: Vec::new(),
            tangents: Vec::new(),
            bounces: Vec::new(),
            bounded: RowSet::default(),
            active: Vec::new(),
            rows: ContactRows::default(),
            space,
            work: LawWork::default(),
            overlap: 0.0,
            p: Vec::new(),
            u: Vec::new(),
            dv: vec![0.0; model.nv],
            report: None,
        }
    }

    /// Finds what can matter in a step from the velocity after the kick: contacts of the position in `data`, limits.
    pub(crate) fn detect(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
        list: Option<&mut ContactList>,
    ) -> Result<(), StepError> {
        self.detect_contacts(model, settings, data, list.is_some());
        self.check_overlap(model, settings)?;
        if let Some(list) = list {
            self.keep_listed(list, state, data);
        }
        self.found = self.contacts.len();
        spare::set_aside(&mut self.contacts, &state.memory.contacts, &mut self.spare);
        guides::place(model, &data.kin, &mut self.guides);
        self.place();
        self.bounded.assemble_bounded(model, &data.kin, At::from(state))?;
        self.active.clear();
        for i in 0..self.bounded.len() {
            let [before, after] =
                [&state.v, &data.work.v_kick].map(|v| self.bounded.rate(i, v).abs());
            if self.is_in_reach(settings, i, 2.0 * settings.h * (before + after)) {
                self.active.push(i);
            }
        }
        self.begin(model, settings.h, data);
        Ok(())
    }

    /// Without impulses, over a time h [s].
    pub(crate) fn begin(&mut self, model: &Model, h: f64, data: &Data) {
        let bodies = model.bodies.iter().zip(&data.kin.X_WB);
        self.centres.clear();
        self.centres.extend(bodies.map(|(body, X_WB)| X_WB.point(&(body.I.mc / body.I.mass))));
        self.space.h = h;
        self.p.clear();
        self.p.resize(3 * self.places.len() + self.active.len(), 0.0);
        self.u.clear();
        self.u.resize(self.p.len(), 0.0);
        self.report = None;
    }

    pub(crate) fn place(&mut self) {
        self.places.clear();
        self.places.extend(self.contacts.iter().map(place_of));
        self.places.extend(self.guides.iter().map(|guide| guide.place));
    }

    fn detect_contacts(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        data: &Data,
        has_list: bool,
    ) {
        let is_near = has_list || settings.contact.normal == NormalRow::Position;
        self.horizon = 0.0;
        if is_near {
            self.kicked.update(model, &data.kin, &data.work.v_kick);
            // two bodies may come towards each other, each as fast before the kick or after it
            let [before, after] =
                [&data.vel, &self.kicked].map(|vel| self.reach.fastest(&data.kin, vel));
            self.horizon = settings.h * 2.0 * (before + after);
        }
        self.collider.detect(model, &data.kin, self.horizon, &mut self.contacts);
        if !is_near {
            self.contacts.retain(|contact| contact.gap <= 0.0);
        }
    }

    /// Only contacts on the list have rows. A list that is not known yet is that of this position.
    fn keep_listed(&mut self, list: &mut ContactList, state: &State, data: &Data) {
        if list.is_known {
            self.contacts.retain(|contact| list.keeps(contact));
            return;
        }
        list.horizon = self.horizon;
        let at = self.beginning(state, data);
        list.sort_out(&mut self.contacts, at);
    }

    /// The list of the position and velocities in `data`, which are those of `state`, of contacts as near as `horizon` [m].
    pub(crate) fn list_here(
        &mut self,
        model: &Model,
        horizon: f64,
        state: &State,
        data: &Data,
        list: &mut ContactList,
    ) {
        list.horizon = horizon;
        let rounding = 2.0 * ROUNDING_OF_PLACES * (farthest(&data.kin) + self.reach.largest());
        let mut contacts = std::mem::take(&mut list.found);
        self.collider.detect(model, &data.kin, horizon + rounding, &mut contacts);
        list.sort_out(&mut contacts, self.beginning(state, data));
        list.found = contacts;
    }

    fn beginning<'a>(&self, state: &'a State, data: &'a Data) -> Beginning<'a> {
        let (kin, vel) = (&data.kin, &data.vel);
        let fastest = self.reach.fastest(kin, vel);
        Beginning { kin, vel, memory: &state.memory.contacts, fastest }
    }

    fn check_overlap(&mut self, model: &Model, settings: &StepSettings) -> Result<(), StepError> {
        let deepest = self.contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        self.overlap = deepest.map_or(0.0, |contact| (-contact.gap).max(0.0));
        match deepest {
            Some(contact) if self.overlap > settings.contact.max_overlap => {
                let ContactKey { shape_a, shape_b, .. } = contact.key;
                let shapes = [shape_a, shape_b].map(|i| model.geoms[i as usize].name.clone());
                Err(StepError::Overlap { shapes, depth: self.overlap })
            }
            _ => Ok(()),
        }
    }

    /// Whether a bounded row matters where limits within `way` do.
    fn is_in_reach(&self, settings: &StepSettings, i: usize, way: f64) -> bool {
        let row = &self.bounded.rows()[i];
        match (row.origin, settings.contact.normal) {
            (Origin::Limit { .. }, NormalRow::Position) => row.theta <= way,
            (Origin::Limit { .. }, NormalRow::Velocity) => row.theta <= 0.0,
            _ => true,
        }
    }

    /// There is something that may push.
    pub(crate) fn has_rows(&self) -> bool {
        !self.places.is_empty() || !self.bounded.is_empty()
    }

    /// Rows and Delassus matrix, once the bilateral rows are factored.
    pub(crate) fn assemble_rows(&mut self, model: &Model, data: &Data) -> Result<(), StepError> {
        let work = &data.work;
        self.rows.update(model, &data.kin, &self.places);
        self.tangents.clear();
        for i in 0..self.contacts.len() {
            let is_line = self.rows.turn_tangents(i, &mut self.places[i]);
            self.tangents.push(if is_line { Tangents::Line } else { Tangents::Plane });
        }
        for &i in &self.active {
            self.rows.push_dense(self.bounded.jacobian(i));
        }
        self.rows.factor(model, &work.M_hat, &work.solver, &work.impulses.eps);
        let too_many = StepError::TooManyContacts { contacts: self.found, rows: self.rows.len() };
        self.space.W = self.rows.delassus().ok_or(too_many)?;
        Ok(())
    }

    /// The contact problem of a step, but for the velocities.
    fn assemble(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
    ) -> Result<(), StepError> {
        self.assemble_rows(model, data)?;
        self.space.h = settings.h;
        self.find_bounces(settings, state, data);
        self.rows.velocities(&state.v, &mut self.u);
        self.space.contacts.clear();
        for i in 0..self.contacts.len() {
            self.space.contacts.push(self.contact_data(settings, state, i));
        }
        for i in 0..self.guides.len() {
            self.space.contacts.push(self.guide_data(model, settings, state, i));
        }
        let positions = settings.contact.normal == NormalRow::Position;
        self.space.rows.clear();
        for &i in &self.active {
            let lambda = recall(&state.memory.contacts, row_key(i), &Default::default())[0];
            let step = (state.time, settings.h, positions);
            self.space.rows.push(self.bounded.bounded(model, i, step, lambda));
        }
        Ok(())
    }

    fn contact_data(&self, settings: &StepSettings, state: &State, i: usize) -> ContactData {
        let (contact, place) = (&self.contacts[i], &self.places[i]);
        let [lambda_n, lambda_1, lambda_2] =
            recall(&state.memory.contacts, contact.key, &place.R_WC);
        let u_t = [self.u[3 * i + 1], self.u[3 * i + 2]];
        let idle = idle_data(settings, contact, u_t);
        ContactData {
            tangents: self.tangents[i],
            lambda_n,
            lambda_t: [lambda_1, lambda_2],
            // u_n⁺ ≥ −e u_n⁻: restitution in the row
            d_n: if self.bounces[i] > 0.0 { idle.d_n.min(-self.bounces[i]) } else { idle.d_n },
            ..idle
        }
    }

    /// For each contact the speed `−e u_n⁻` at which the step is to send it back, 0 where it would not close without its own
    /// impulse [m/s].
    fn find_bounces(&mut self, settings: &StepSettings, state: &State, data: &Data) {
        self.bounces.clear();
        self.bounces.resize(self.contacts.len(), 0.0);
        let ContactSettings { v_threshold, normal, .. } = settings.contact;
        let can_bounce = |c: &Contact| c.surface.e > 0.0 && c.surface.compliance.is_none();
        if !self.contacts.iter().any(can_bounce) {
            return;
        }
        self.set_free_velocities(&data.work.v_kick);
        self.rows.velocities(&state.v, &mut self.u);
        for (i, contact) in self.contacts.iter().enumerate().filter(|(_, c)| can_bounce(c)) {
            let (before, free) = (-self.u[3 * i], self.space.u_free[3 * i]);
            let back = contact.surface.e * before;
            let closes = match normal {
                NormalRow::Velocity => free < 0.0,
                // what the forces of one step would send down again rests
                NormalRow::Position => {
                    contact.gap + settings.h * free < 0.0 && back + (free + before) > 0.0
                }
            };
            if closes && before > v_threshold {
                self.bounces[i] = back;
            }
        }
    }

    /// Whether the row of a contact sends it back.
    pub(crate) fn is_sent_back(&self, contact: usize) -> bool {
        self.bounces.get(contact).is_some_and(|speed| *speed > 0.0)
    }

    /// `u_free = u − W p`: what these velocities are without the impulses so far.
    fn set_free_velocities(&mut self, v: &[f64]) {
        self.rows.velocities(v, &mut self.u);
        self.space.u_free.resize(self.u.len(), 0.0);
        let negate = |p: &mut Vec<f64>| p.iter_mut().for_each(|p| *p = -*p);
        negate(&mut self.p);
        self.space.W.affine(&self.p, &self.u, &mut self.space.u_free);
        negate(&mut self.p);
    }

    fn guide_data(
        &self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        i: usize,
    ) -> ContactData {
        let (guide, at) = (&self.guides[i], self.contacts.len() + i);
        let [lambda_n, lambda_1, lambda_2] =
            recall(&state.memory.contacts, guide_key(i), &guide.place.R_WC);
        let mu = model.guides[i].mu;
        ContactData {
            sides: Sides::Both,
            tangents: guide.tangents,
            phi: guide.theta,
            eps_n: 0.0,
            d_n: guide.theta / settings.h,
            mu_s: mu,
            mu_k: mu,
            bristle: settings.contact.bristle,
            u_t: [self.u[3 * at + 1], self.u[3 * at + 2]],
            lambda_n,
            lambda_t: [lambda_1, lambda_2],
        }
    }

    /// Solves everything for the present `v_kick`, which holds the impulses p so far, and replaces them. Bilateral rows
    /// are to be met again afterwards; W knows that they will be. Limits that turn out to be passed join in.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &mut Data,
    ) -> Result<(), StepError> {
        let mut is_new = self.report.is_none();
        loop {
            if !self.p.is_empty() {
                if is_new {
                    self.assemble(model, settings, state, data)?;
                }
                self.solve_law(model, settings, data)?;
            }
            let passed = self.activate_passed(settings, &data.work.v_kick);
            is_new = self.join_spare(model, settings, state, data) || passed;
            if !is_new {
                return Ok(());
            }
        }
    }

    fn solve_law(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        data: &mut Data,
    ) -> Result<(), StepError> {
        let work = &mut data.work;
        self.set_free_velocities(&work.v_kick);
        let contact = &settings.contact;
        let (law, solver, tol) = (&contact.law, contact.solver, contact.tol);
        let answer = law::solve_with(&self.space, law, solver, tol, &mut self.work)
            .map_err(StepError::Law)?;
        let certified = answer.verdict == Verdict::Certified;
        self.report = Some(ContactReport {
            contacts: self.found,
            guides: self.guides.len(),
            rows: self.active.len(),
            overlap: self.overlap,
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
            return Err(StepError::Uncertified(answer.refusal()));
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

    /// Adds the limits that these velocities would pass; false if there are none.
    fn activate_passed(&mut self, settings: &StepSettings, v: &[f64]) -> bool {
        let before = self.active.len();
        if before == self.bounded.len() {
            return false;
        }
        for i in 0..self.bounded.len() {
            let way = -settings.h * self.bounded.rate(i, v);
            let passes = way > 0.0 && self.is_in_reach(settings, i, way);
            if passes && !self.active.contains(&i) {
                self.active.push(i);
            }
        }
        self.p.resize(3 * self.places.len() + self.active.len(), 0.0);
        self.active.len() > before
    }

    /// Asks the contacts that were set aside and that these velocities would make overlap, the worst first; false if there
    /// are none.
    fn join_spare(
        &mut self,
        model: &Model,
        settings: &StepSettings,
        state: &State,
        data: &Data,
    ) -> bool {
        if self.spare.is_empty() {
            return false;
        }
        let places: Vec<Place> = self.spare.iter().map(place_of).collect();
        self.spare_rows.update(model, &data.kin, &places);
        let (mut u, mut before) = (Vec::new(), Vec::new());
        self.spare_rows.velocities(&data.work.v_kick, &mut u);
        self.spare_rows.velocities(&state.v, &mut before);
        let rounding = settings.contact.tol * self.u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        let opening = |i: usize| {
            let u_t = [before[3 * i + 1], before[3 * i + 2]];
            let idle = idle_data(settings, &self.spare[i], u_t);
            idle_opening(&settings.contact.law, &idle, settings.h, &u[3 * i..3 * i + 3])
        };
        let mut passed: Vec<usize> =
            (0..self.spare.len()).filter(|&i| opening(i) < -rounding).collect();
        passed.sort_by(|&i, &j| opening(i).total_cmp(&opening(j)));
        passed.truncate(spare::JOINING);
        if passed.is_empty() {
            return false;
        }
        passed.sort_unstable();
        // their impulses come before those of guides and rows
        let at = 3 * self.contacts.len();
        self.p.splice(at..at, std::iter::repeat_n(0.0, 3 * passed.len()));
        for &i in passed.iter().rev() {
            self.contacts.push(self.spare.remove(i));
        }
        self.place();
        true
    }

    /// Whether the forces over this step are numbers that the next one can start from: impulses may be where forces overflow.
    pub(crate) fn forces_are_finite(&self) -> bool {
        self.p.iter().all(|p| (p / self.space.h).is_finite())
    }

    /// What the next step may ask about these contacts.
    pub(crate) fn remember(&self, h: f64, memories: &mut Vec<ContactMemory>) {
        memories.clear();
        let contacts = self.contacts.iter().map(|contact| contact.key);
        let keys = contacts.chain((0..self.guides.len()).map(guide_key));
        for (i, (key, place)) in keys.zip(&self.places).enumerate() {
            let p_t_C = Vec3::new(self.p[3 * i + 1], self.p[3 * i + 2], 0.0);
            let p_n = self.p[3 * i];
            memories.push(ContactMemory {
                key,
                // rounding may leave −1e-17 where bodies do not pull
                lambda_n: if p_n > 0.0 || i >= self.contacts.len() { p_n / h } else { 0.0 },
                lambda_t_W: place.R_WC * p_t_C / h,
            });
        }
        for (&i, p) in self.active.iter().zip(&self.p[3 * self.places.len()..]) {
            let (key, lambda_t_W) = (row_key(i), Vec3::zeros());
            memories.push(ContactMemory { key, lambda_n: p / h, lambda_t_W });
        }
        memories.sort_by_key(|memory| memory.key);
    }

    pub(crate) fn guide_impulses(&self) -> &[f64] {
        &self.p[3 * self.contacts.len()..3 * self.places.len()]
    }

    pub(crate) fn bounded_impulses(&self) -> Vec<(Origin, f64)> {
        let origin = |&i: &usize| self.bounded.rows()[i].origin;
        let p = &self.p[3 * self.places.len()..];
        self.active.iter().map(origin).zip(p.iter().copied()).collect()
    }

    /// What each contact does: open below 1e-12 of the largest impulse, sliding above 1e-9 of the largest velocity.
    pub(crate) fn modes(&self) -> Vec<ContactMode> {
        let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let free = largest(&self.space.u_free);
        let rows = 3 * self.contacts.len();
        contact_modes(&self.p[..rows], &self.u[..rows], 1e-12 * largest(&self.p), 1e-9 * free)
    }
}

fn place_of(contact: &Contact) -> Place {
    let Contact { a, b, p_W, n_W, .. } = *contact;
    Place { a, b, p_W, R_WC: contact_frame(&n_W) }
}

/// What a law may know about a contact that did not press in the last step; `u_t` at the beginning of this one [m/s].
fn idle_data(settings: &StepSettings, contact: &Contact, u_t: [f64; 2]) -> ContactData {
    let (eps_n, d_n) = normal_row(settings, contact);
    ContactData {
        sides: Sides::One,
        tangents: Tangents::Plane,
        phi: contact.gap,
        eps_n,
        d_n,
        mu_s: contact.surface.mu_s,
        mu_k: contact.surface.mu_k,
        bristle: settings.contact.bristle,
        u_t,
        lambda_n: 0.0,
        lambda_t: [0.0; 2],
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
        (None, NormalRow::Position) => (0.0, (contact.gap / h).max(-settings.contact.max_recovery)),
    }
}
