//! What a move changes of the energy, island by island, and who pays for it.
//!
//! ```text
//!  ΔE = ΔV + ΔE_springs + K(q⁺, v⁺) − K(q, v) − p·ġ          v⁺ nearest to v with J_b v⁺ = ġ, by the impulses p
//!  v₀                                                        driven motion, and the momentum of an island that nothing holds
//!  ΔE ≤ 0:      nothing is asked
//!  ΔE ≤ K_w:    v⁺ ← v₀ + s w,  s² = 1 − ΔE/K_w              w = v⁺ − v₀ is orthogonal to v₀ in the metric of M
//!  otherwise:   the largest share of the way for which ΔE ≤ K_w
//! ```

use super::islands::Islands;
use super::near::Near;
use crate::constraint::project::{hold, prepare};
use crate::constraint::rows::{Answer, At, Part, RowSet};
use crate::contact::solve::ContactWork;
use crate::data::Data;
use crate::math::Vec3;
use crate::model::Model;
use crate::step::StepError;
use crate::tree::kinematics::{Kinematics, Velocities};

/// Rounding of ΔE as a share of the energies that it is a difference of: places of bodies and sums over them.
const ROUNDING: f64 = 1e-14;
/// The share is found to 2⁻⁴⁰ of the way.
const HALVINGS: usize = 40;

/// The energy of one island at a trial position [J].
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// ΔE.
    gained: f64,
    /// K_w.
    free: f64,
    /// Sizes of what ΔE is a difference of.
    size: f64,
    /// The share of the way, and what is known of the largest one that can be paid.
    share: f64,
    low: f64,
    high: f64,
    /// s and ΔE taken from the motion.
    scale: f64,
    paid: f64,
}

impl Account {
    fn enter(&mut self, amount: f64, size: f64) {
        self.gained += amount;
        self.size += size;
    }

    /// A NaN is not payable.
    fn is_payable(&self) -> bool {
        self.gained <= self.free + ROUNDING * self.size
    }
}

/// Energies where the move begins.
#[derive(Clone, Debug)]
struct Before {
    kin: Kinematics,
    /// Of each body, with the armatures of the tree [J].
    kinetic: Vec<f64>,
    /// Rigid rows and armatures, and the energy of each of the latter; springs.
    stiff: RowSet,
    armature: Vec<f64>,
    elastic: RowSet,
    soft: Vec<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub(super) struct Balance {
    before: Before,
    /// One for each body; that of the body which stands for an island counts.
    accounts: Vec<Account>,
    /// Where the constraints hold is `q ⊕ way`.
    way: Vec<f64>,
    dv: Vec<f64>,
    q: Vec<f64>,
    /// v⁺ before the payment, v₀, w, and v⁺ after it.
    held: Vec<f64>,
    v_0: Vec<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
    vel: Velocities,
    of_row: Vec<Option<usize>>,
    soft: Vec<(usize, f64)>,
    pub(super) rounds: usize,
}

impl Balance {
    pub(super) fn new(model: &Model) -> Self {
        let v = || vec![0.0; model.nv];
        let n = model.bodies.len();
        let before = Before {
            kin: Kinematics::new(model),
            kinetic: vec![0.0; n],
            stiff: RowSet::default(),
            armature: Vec::new(),
            elastic: RowSet::default(),
            soft: Vec::new(),
        };
        Self {
            before,
            accounts: vec![Account::default(); n],
            way: v(),
            dv: v(),
            q: model.q_neutral.clone(),
            held: v(),
            v_0: v(),
            w: v(),
            v: v(),
            vel: Velocities::new(model),
            of_row: Vec::new(),
            soft: Vec::new(),
            rounds: 0,
        }
    }

    /// Where the move ended.
    pub(super) fn q(&self) -> &[f64] {
        &self.q
    }

    pub(super) fn v(&self) -> &[f64] {
        &self.v
    }

    pub(super) fn v_held(&self) -> &[f64] {
        &self.held
    }

    /// The springs where the move begins.
    pub(super) fn elastic(&self) -> &RowSet {
        &self.before.elastic
    }

    /// What compliant contacts store more after the move [J].
    pub(super) fn softened(&self) -> f64 {
        let sum = |stored: &[(usize, f64)]| stored.iter().map(|(_, energy)| energy).sum::<f64>();
        sum(&self.soft) - sum(&self.before.soft)
    }

    /// What was taken from the motion [J].
    pub(super) fn paid(&self) -> f64 {
        self.accounts.iter().map(|account| account.paid).sum()
    }

    /// The work of the whole projection [J].
    pub(super) fn work(&self) -> f64 {
        self.accounts.iter().map(|account| account.gained - account.paid).sum()
    }

    /// The energies of (q, v).
    pub(super) fn begin(
        &mut self,
        model: &Model,
        at: At<'_>,
        v: &[f64],
        (near, contact): (&mut Near, &mut Option<Box<ContactWork>>),
    ) -> Result<(), StepError> {
        let before = &mut self.before;
        before.kin.update(model, at.q);
        self.vel.update(model, &before.kin, v);
        for (i, kinetic) in before.kinetic.iter_mut().enumerate() {
            *kinetic = kinetic_of(model, &self.vel, v, i);
        }
        before.stiff.assemble(model, &before.kin, at, Part::Stiff)?;
        before.elastic.assemble(model, &before.kin, at, Part::Elastic)?;
        before.armature.clear();
        for i in 0..before.stiff.len() {
            before.armature.push(armature_of(&before.stiff, i, v));
        }
        near.soft(model, &before.kin, contact, &mut before.soft);
        Ok(())
    }

    /// Goes from (q, v) towards `at`, where `data` is prepared, as far as can be paid, and pays. Returns the smallest share.
    pub(super) fn settle(
        &mut self,
        model: &Model,
        at: At<'_>,
        (q, v): (&[f64], &[f64]),
        islands: &Islands,
        data: &mut Data,
        near: &mut Near,
    ) -> Result<f64, StepError> {
        model.difference(q, at.q, &mut self.way);
        let whole = Account { share: 1.0, low: 0.0, high: 1.0, scale: 1.0, ..Default::default() };
        self.accounts.fill(whole);
        self.q.copy_from_slice(at.q);
        self.weigh(model, at, v, islands, data, near)?;
        if islands.all().any(|i| !self.accounts[i].is_payable()) {
            self.bisect(model, at, (q, v), islands, data, near)?;
        }
        self.pay(islands);
        Ok(islands.all().map(|i| self.accounts[i].share).fold(1.0, f64::min))
    }

    /// Finds the share of each island that cannot pay the whole way.
    fn bisect(
        &mut self,
        model: &Model,
        at: At<'_>,
        (q, v): (&[f64], &[f64]),
        islands: &Islands,
        data: &mut Data,
        near: &mut Near,
    ) -> Result<(), StepError> {
        let poor = |account: &Account| account.share < 1.0;
        for i in islands.all() {
            if !self.accounts[i].is_payable() {
                self.accounts[i].share = 0.5;
            }
        }
        for round in 0..=HALVINGS {
            if round == HALVINGS {
                // what is known to be payable
                self.accounts.iter_mut().filter(|a| poor(a)).for_each(|a| a.share = a.low);
            }
            for (i, dv) in self.dv.iter_mut().enumerate() {
                *dv = self.accounts[islands.of_velocity(i)].share * self.way[i];
            }
            self.q.copy_from_slice(q);
            model.integrate(&mut self.q, &self.dv, 1.0);
            let trial = std::mem::take(&mut self.q);
            let there = At { q: &trial, ..at };
            let weighed = prepare(model, there, data)
                .and_then(|()| self.weigh(model, there, v, islands, data, near));
            self.q = trial;
            weighed?;
            if round == HALVINGS {
                break;
            }
            for account in self.accounts.iter_mut().filter(|account| poor(account)) {
                let end = if account.is_payable() { &mut account.low } else { &mut account.high };
                *end = account.share;
                account.share = 0.5 * (account.low + account.high);
            }
        }
        Ok(())
    }

    /// ΔE and K_w of every island for a move to `at`, where `data` is prepared; the velocities that obey the rows there.
    fn weigh(
        &mut self,
        model: &Model,
        at: At<'_>,
        v: &[f64],
        islands: &Islands,
        data: &mut Data,
        near: &mut Near,
    ) -> Result<(), StepError> {
        for account in &mut self.accounts {
            (account.gained, account.size, account.free) = (0.0, 0.0, 0.0);
        }
        self.find_driven(model, data);
        hold(model, v, data);
        self.held.copy_from_slice(&data.work.dv);
        data.work.elastic.assemble(model, &data.kin, at, Part::Elastic)?;
        near.soft(model, &data.kin, &mut data.contact, &mut self.soft);
        self.enter_bodies(model, islands, data);
        self.enter_rows(islands, data);
        self.enter_soft(islands);
        self.find_free(model, islands, data);
        Ok(())
    }

    /// `v_0` becomes the least motion that drives ask for.
    fn find_driven(&mut self, model: &Model, data: &mut Data) {
        self.v_0.fill(0.0);
        let is_driven =
            data.work.rows.rows.iter().any(|row| row.answer == Answer::Rigid && row.g[1] != 0.0);
        if is_driven {
            hold(model, &self.v_0, data);
            self.v_0.copy_from_slice(&data.work.dv);
        }
    }

    fn enter_bodies(&mut self, model: &Model, islands: &Islands, data: &Data) {
        self.vel.update(model, &data.kin, &self.held);
        let g = model.gravity;
        for (i, body) in model.bodies.iter().enumerate() {
            let account = &mut self.accounts[islands.of(i)];
            let (from, to) = (&self.before.kin.X_WB[i], &data.kin.X_WB[i]);
            let raised = (to.p - from.p) * body.I.mass + (to.R - from.R) * body.I.mc;
            let height = |p: &Vec3| g.component_mul(p).abs().sum() * body.I.mass;
            let turned = g.abs().sum() * body.I.mc.abs().sum();
            account.enter(-g.dot(&raised), height(&from.p) + height(&to.p) + turned);
            let (K, K_next) = (self.before.kinetic[i], kinetic_of(model, &self.vel, &self.held, i));
            account.enter(K_next - K, K_next + K);
        }
    }

    /// Armatures, drives and springs.
    fn enter_rows(&mut self, islands: &Islands, data: &Data) {
        let mut of_row = std::mem::take(&mut self.of_row);
        let (rows, elastic) = (&data.work.rows, &data.work.elastic);
        islands.bodies_of_rows(rows, &mut of_row);
        for (i, row) in rows.rows.iter().enumerate() {
            let Some(body) = of_row[i] else { continue };
            let (K, K_next) = (self.before.armature[i], armature_of(rows, i, &self.held));
            let drive =
                if row.answer == Answer::Rigid { data.work.impulses.p[i] * row.g[1] } else { 0.0 };
            let account = &mut self.accounts[islands.of(body)];
            account.enter(K_next - K - drive, K_next + K + drive.abs());
        }
        // dampers that are no row where they have no length store nothing
        islands.bodies_of_rows(elastic, &mut of_row);
        let mut from =
            self.before.elastic.rows.iter().filter_map(|row| spring(row.answer, row.theta));
        for (i, row) in elastic.rows.iter().enumerate() {
            if let (Some((k, theta)), Some(body)) = (spring(row.answer, row.theta), of_row[i]) {
                let theta_0 = from.next().map_or(f64::NAN, |(_, theta)| theta);
                let account = &mut self.accounts[islands.of(body)];
                let stored = 0.5 * k * (theta - theta_0) * (theta + theta_0);
                account.enter(stored, 0.5 * k * (theta * theta + theta_0 * theta_0));
            }
        }
        self.of_row = of_row;
    }

    fn enter_soft(&mut self, islands: &Islands) {
        for (sign, stored) in [(1.0, &self.soft), (-1.0, &self.before.soft)] {
            for &(body, energy) in stored {
                self.accounts[islands.of(body)].enter(sign * energy, energy);
            }
        }
    }

    /// `v_0` with the momentum of islands that nothing holds, w = v⁺ − v₀ and its energy, where anything has to be paid.
    fn find_free(&mut self, model: &Model, islands: &Islands, data: &Data) {
        let must_pay = |account: &Account| !(account.gained <= 0.0);
        if !islands.all().any(|i| must_pay(&self.accounts[i])) {
            return;
        }
        for i in islands.all() {
            if must_pay(&self.accounts[i]) && !islands.is_held(i) {
                // `vel` is still that of `held`
                if let Some(one) = islands.as_one(model, &data.kin, &self.vel, i) {
                    islands.add_as_one(model, &data.kin, one, i, &mut self.v_0);
                }
            }
        }
        for (w, (v, v_0)) in self.w.iter_mut().zip(self.held.iter().zip(&self.v_0)) {
            *w = v - v_0;
        }
        self.vel.update(model, &data.kin, &self.w);
        for i in 0..model.bodies.len() {
            let K_w = kinetic_of(model, &self.vel, &self.w, i);
            self.accounts[islands.of(i)].free += K_w;
        }
        islands.bodies_of_rows(&data.work.rows, &mut self.of_row);
        for (i, body) in self.of_row.iter().enumerate() {
            if let Some(body) = body {
                self.accounts[islands.of(*body)].free += armature_of(&data.work.rows, i, &self.w);
            }
        }
    }

    /// Takes from the motion what the move has gained.
    fn pay(&mut self, islands: &Islands) {
        for i in islands.all() {
            let account = &mut self.accounts[i];
            if account.gained > 0.0 {
                account.paid = account.gained.min(account.free);
                account.scale = match account.free > account.gained {
                    true => (1.0 - account.gained / account.free).sqrt(),
                    false => 0.0,
                };
            }
        }
        for (i, v) in self.v.iter_mut().enumerate() {
            let scale = self.accounts[islands.of_velocity(i)].scale;
            *v = if scale == 1.0 { self.held[i] } else { self.v_0[i] + scale * self.w[i] };
        }
    }
}

/// Of a body, with the armature of its joint [J].
fn kinetic_of(model: &Model, vel: &Velocities, v: &[f64], i: usize) -> f64 {
    let (body, V) = (&model.bodies[i], &vel.V[i]);
    let armature: f64 = body.v_range().map(|j| model.armature[j] * v[j] * v[j]).sum();
    0.5 * (V.dot(&(&body.I * V)) + armature)
}

/// Kinetic energy of a row that is an armature [J].
fn armature_of(rows: &RowSet, i: usize, v: &[f64]) -> f64 {
    match rows.rows[i].answer {
        Answer::Inertia(inertia) => {
            let rate = rows.rate(i, v);
            0.5 * inertia * rate * rate
        }
        _ => 0.0,
    }
}

/// Stiffness and stretch of a row that has a spring.
fn spring(answer: Answer, theta: f64) -> Option<(f64, f64)> {
    match answer {
        Answer::Elastic { k, .. } if k > 0.0 => Some((k, theta)),
        _ => None,
    }
}
