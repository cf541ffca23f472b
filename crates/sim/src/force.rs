//! What pushes the mechanism from outside: joint forces, wrenches on bodies, a callback, and springs
//! where they are taken explicitly.

use crate::constraint::joint_rows::velocity_measure;
use crate::constraint::measure::{Pair, Wrench};
use crate::constraint::rows::{Answer, RowSet};
use crate::data::Data;
use crate::math::Vec3;
use crate::model::{BodyId, Carrier, JointId, Model};
use crate::spatial::Force;
use crate::state::State;
use crate::tree::kinematics::Kinematics;

/// A force and a torque on a body, in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyLoad {
    pub body: BodyId,
    /// Where the force acts, in the body's own frame U [m].
    pub p_UoQ_U: Vec3,
    /// [N]
    pub f: Vec3,
    /// [N·m]
    pub t: Vec3,
}

/// A force along, or torque about, one velocity of a joint [N or N·m]; works in both coordinate sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLoad {
    pub joint: JointId,
    /// Which of the joint's velocities.
    pub index: usize,
    pub force: f64,
}

/// What a force callback sees: the state it acts in, with poses and velocities in `data`.
pub struct Situation<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub data: &'a Data,
}

/// A force that depends on the state. It must be pure: same state, same bits.
pub type ForceLaw<'a> = dyn Fn(&Situation<'_>, &mut Loads) + 'a;

/// Everything from outside during one step. The default is nothing.
#[derive(Clone, Copy, Default)]
pub struct Input<'a> {
    /// One number for each velocity [N or N·m], or empty.
    pub tau: &'a [f64],
    pub joints: &'a [JointLoad],
    pub bodies: &'a [BodyLoad],
    pub force: Option<&'a ForceLaw<'a>>,
}

/// Forces gathered so far: on the velocities, and on each body in its frame B about Bo.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// [N or N·m], one for each velocity.
    pub tau: Vec<f64>,
    pub(crate) F: Vec<Force>,
    carried: Vec<Force>,
}

impl Loads {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        Self {
            tau: vec![0.0; model.nv],
            F: vec![Force::zero(); n],
            carried: vec![Force::zero(); n],
        }
    }

    /// Nothing, in the lengths of the model: a step that failed may have left none.
    fn clear(&mut self, model: &Model) {
        let n = model.bodies.len();
        self.tau.clear();
        self.tau.resize(model.nv, 0.0);
        self.F.clear();
        self.F.resize(n, Force::zero());
        self.carried.resize(n, Force::zero());
    }

    /// A force f [N] at the point `p_WQ` [m] and a torque t [N·m] on a body, all in W.
    pub fn push(&mut self, data: &Data, body: BodyId, p_WQ: &Vec3, f: &Vec3, t: &Vec3) {
        self.add(data.positions(), body.0 as usize, &Wrench { p: *p_WQ, t: *t, f: *f }, 1.0);
    }

    fn add(&mut self, kin: &Kinematics, body: usize, wrench: &Wrench, scale: f64) {
        let X_WB = &kin.X_WB[body];
        let t = wrench.t + (wrench.p - X_WB.p).cross(&wrench.f);
        self.F[body] += Force { t: X_WB.R.tr_mul(&t), f: X_WB.R.tr_mul(&wrench.f) } * scale;
    }

    /// A wrench on the second body of a pair and its opposite on the first.
    pub(crate) fn add_between(&mut self, kin: &Kinematics, pair: &Pair, wrench: &Wrench, s: f64) {
        if let Some(b) = pair.b {
            self.add(kin, b, wrench, s);
        }
        if let Some(a) = pair.a {
            self.add(kin, a, wrench, -s);
        }
    }

    /// Adds what each row pushes with when it has the multiplier `lambda` [N or N·m].
    pub(crate) fn add_rows(&mut self, kin: &Kinematics, rows: &RowSet, lambda: &[f64]) {
        for term in &rows.terms {
            let scale = term.coefficient * lambda[term.row];
            self.add_between(kin, &term.pair, &term.wrench, scale);
        }
        for &(row, v, coefficient) in &rows.velocities {
            self.tau[v] += coefficient * lambda[row];
        }
    }

    /// What comes from outside, and nothing else.
    pub(crate) fn gather(&mut self, model: &Model, input: &Input<'_>, state: &State, data: &Data) {
        self.clear(model);
        let kin = data.positions();
        if !input.tau.is_empty() {
            assert_eq!(input.tau.len(), model.nv, "tau has the wrong length");
            self.tau.copy_from_slice(input.tau);
        }
        for load in input.joints {
            let info = &model.joints[load.joint.0 as usize];
            assert!(load.index < info.joint.nv(), "`{}` has no such velocity", info.name);
            match info.carrier {
                Carrier::Tree { body } => {
                    self.tau[model.bodies[body].v0 + load.index] += load.force;
                }
                Carrier::Rows { .. } => {
                    let pair = Pair::new(kin, &info.parent, &info.child);
                    let measure = velocity_measure(info.joint, load.index);
                    if let Some(wrench) = measure.wrench(&pair) {
                        self.add_between(kin, &pair, &wrench, load.force);
                    }
                }
            }
        }
        for load in input.bodies {
            let i = load.body.0 as usize;
            let p = kin.X_WB[i].point(&model.bodies[i].X_BU.point(&load.p_UoQ_U));
            self.add(kin, i, &Wrench { p, t: load.t, f: load.f }, 1.0);
        }
        if let Some(force) = input.force {
            force(&Situation { model, state, data }, self);
        }
    }

    /// Springs, relaxed constraints and dampings of `rows` as forces `−(k θ + b θ̇)` of this moment.
    pub(crate) fn add_elastic(&mut self, kin: &Kinematics, rows: &RowSet, v: &[f64]) {
        let force = |row: usize| match rows.rows[row].answer {
            Answer::Elastic { k, b } => {
                let row_data = &rows.rows[row];
                -(k * row_data.theta + b * (rows.rate(row, v) - row_data.g[1]))
            }
            Answer::Rigid | Answer::Inertia(_) | Answer::Bounded => 0.0,
        };
        for term in &rows.terms {
            let scale = term.coefficient * force(term.row);
            self.add_between(kin, &term.pair, &term.wrench, scale);
        }
        for &(row, v_index, coefficient) in &rows.velocities {
            self.tau[v_index] += coefficient * force(row);
        }
    }

    /// All of it on the velocities: `out = τ + Jᵀ F`. O(n).
    pub(crate) fn generalized(&mut self, model: &Model, kin: &Kinematics, out: &mut [f64]) {
        if self.F.iter().all(|F| *F == Force::zero()) {
            out.iter_mut().zip(&self.tau).for_each(|(out, tau)| *out = tau + 0.0);
            return;
        }
        self.carried.copy_from_slice(&self.F);
        for (i, body) in model.bodies.iter().enumerate().rev() {
            for v in body.v_range() {
                out[v] = self.tau[v] + kin.S[v].dot(&self.carried[i]);
            }
            if let Some(parent) = body.parent {
                let F = kin.X_PB[i].force_from_local(&self.carried[i]);
                self.carried[parent] += F;
            }
        }
    }
}
