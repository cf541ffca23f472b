//! Energies of a move, island by island, and the motion that can pay.

use super::islands::Islands;
use super::near::Near;
use crate::constraint::project::hold;
use crate::constraint::rows::{Answer, At, Part, RowSet};
use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::math::Vec3;
use crate::model::Model;
use crate::step::StepError;
use crate::tree::kinematics::{Kinematics, Velocities};

/// What an island gains by a move, and has to pay with [J].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Energies {
    /// ΔE.
    pub(super) gained: f64,
    /// K_w.
    pub(super) free: f64,
    /// Sizes of what ΔE is a difference of.
    pub(super) size: f64,
}

impl Energies {
    fn enter(&mut self, amount: f64, size: f64) {
        self.gained += amount;
        self.size += size;
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
pub(super) struct Books {
    before: Before,
    /// One for each body; that of the body which stands for an island counts.
    pub(super) islands: Vec<Energies>,
    /// v⁺ before the payment, v₀, and w where something has to be paid.
    pub(super) held: Vec<f64>,
    pub(super) v_0: Vec<f64>,
    pub(super) w: Vec<f64>,
    /// K_w is wanted of all islands, and not only of those that have to pay.
    pub(super) is_searching: bool,
    vel: Velocities,
    of_row: Vec<Option<usize>>,
    soft: Vec<(usize, f64)>,
}

impl Books {
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
            islands: vec![Energies::default(); n],
            held: v(),
            v_0: v(),
            w: v(),
            is_searching: false,
            vel: Velocities::new(model),
            of_row: Vec::new(),
            soft: Vec::new(),
        }
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

    /// ΔE and K_w of every island for a move to `at`, where `data` is prepared; the velocities that obey the rows there.
    pub(super) fn weigh(
        &mut self,
        model: &Model,
        at: At<'_>,
        v: &[f64],
        (islands, near): (&Islands, &mut Near),
        data: &mut Data,
    ) -> Result<(), StepError> {
        self.islands.fill(Energies::default());
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
            let island = &mut self.islands[islands.of(i)];
            let (from, to) = (&self.before.kin.X_WB[i], &data.kin.X_WB[i]);
            let raised = (to.p - from.p) * body.I.mass + (to.R - from.R) * body.I.mc;
            let height = |p: &Vec3| g.component_mul(p).abs().sum() * body.I.mass;
            let turned = g.abs().sum() * body.I.mc.abs().sum();
            island.enter(-g.dot(&raised), height(&from.p) + height(&to.p) + turned);
            let (K, K_next) = (self.before.kinetic[i], kinetic_of(model, &self.vel, &self.held, i));
            island.enter(K_next - K, K_next + K);
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
            let island = &mut self.islands[islands.of(body)];
            island.enter(K_next - K - drive, K_next + K + drive.abs());
        }
        // dampers that are no row where they have no length store nothing
        islands.bodies_of_rows(elastic, &mut of_row);
        let mut from =
            self.before.elastic.rows.iter().filter_map(|row| spring(row.answer, row.theta));
        for (i, row) in elastic.rows.iter().enumerate() {
            if let (Some((k, theta)), Some(body)) = (spring(row.answer, row.theta), of_row[i]) {
                let theta_0 = from.next().map_or(f64::NAN, |(_, theta)| theta);
                let island = &mut self.islands[islands.of(body)];
                let stored = 0.5 * k * (theta - theta_0) * (theta + theta_0);
                island.enter(stored, 0.5 * k * (theta * theta + theta_0 * theta_0));
            }
        }
        self.of_row = of_row;
    }

    fn enter_soft(&mut self, islands: &Islands) {
        for (sign, stored) in [(1.0, &self.soft), (-1.0, &self.before.soft)] {
            for &(body, energy) in stored {
                self.islands[islands.of(body)].enter(sign * energy, energy);
            }
        }
    }

    /// `v_0` with the momentum of islands that nothing holds, w = v⁺ − v₀ and its energy, where anything has to be paid.
    fn find_free(&mut self, model: &Model, islands: &Islands, data: &Data) {
        let is_searching = self.is_searching;
        let must_pay = |island: &Energies| is_searching || !(island.gained <= 0.0);
        if !islands.all().any(|i| must_pay(&self.islands[i])) {
            return;
        }
        for i in islands.all() {
            if must_pay(&self.islands[i]) && !islands.is_held(i) {
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
            self.islands[islands.of(i)].free += K_w;
        }
        islands.bodies_of_rows(&data.work.rows, &mut self.of_row);
        for (i, body) in self.of_row.iter().enumerate() {
            if let Some(body) = body {
                self.islands[islands.of(*body)].free += armature_of(&data.work.rows, i, &self.w);
            }
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
