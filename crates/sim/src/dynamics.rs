//! Accelerations and joint reactions of this moment.
//!
//! ```text
//!  M a + c(q, v) = k + Jᵀ λ,     J a + γ + λ/I = 0
//! ```
//!
//! k: everything from outside, springs, dampers and relaxed constraints. Rows: rigid constraints (1/I = 0, γ = J̇ v − g̈)
//! and armatures of joints that rows enforce. λ are forces [N or N·m]; redundant rows get none.

use crate::constraint::joint_rows::velocity_measure;
use crate::constraint::measure::{Pair, Wrench};
use crate::constraint::rows::{Answer, At, Origin, Part};
use crate::data::Data;
use crate::force::Input;
use crate::math::Vec3;
use crate::model::{Carrier, JointId, Model};
use crate::spatial::{Force, Motion};
use crate::state::State;
use crate::step::StepError;
use crate::tree::rnea::BiasOf;
use crate::tree::{kinematics, rnea};
use crate::work::factor_mass;

/// What the rows of a model are like at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankReport {
    pub rows: usize,
    /// Rows that do not depend on earlier ones.
    pub rank: usize,
}

/// What a joint does by not giving way, on its child: it has no power over the motion that the joint allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    pub joint: JointId,
    /// The child's side of the joint, in W [m].
    pub p_WM: Vec3,
    /// In W, the torque about that point [N·m], [N].
    pub F: Force,
}

/// Accelerations a of the present state under all forces and constraints. Leaves the forces of the rows in `data`
/// for [`reactions`].
pub fn constrained_accelerations(
    model: &Model,
    input: &Input<'_>,
    state: &State,
    data: &mut Data,
    a: &mut [f64],
) -> Result<RankReport, StepError> {
    kinematics::update(model, &state.q, &state.v, data);
    free_accelerations(model, input, state, data, a)?;
    bias_accelerations(model, data);
    let (kin, vel, work) = (&data.kin, &data.vel, &mut data.work);
    work.rows.assemble(model, kin, At::from(state), Part::Stiff)?;
    work.impulses.reset(work.rows.len());
    work.rows.biases(kin, vel, &data.A, &mut work.impulses.d);
    for (eps, row) in work.impulses.eps.iter_mut().zip(&work.rows.rows) {
        if let Answer::Inertia(inertia) = row.answer {
            *eps = 1.0 / inertia;
        }
    }
    let (pattern, M) = (&model.pattern, &work.M_hat);
    work.solver.factor(pattern, M, &work.rows, &work.impulses.eps);
    // the second solve refines the first
    for _ in 0..2 {
        work.impulses.correct(pattern, M, &work.rows, &work.solver, a);
    }
    if !a.iter().all(|a| a.is_finite()) {
        return Err(StepError::NotFinite);
    }
    Ok(RankReport { rows: work.rows.len(), rank: work.solver.rank() })
}

/// `M⁻¹ (k − c)`, the mass matrix factored in `data`.
fn free_accelerations(
    model: &Model,
    input: &Input<'_>,
    state: &State,
    data: &mut Data,
    a: &mut [f64],
) -> Result<(), StepError> {
    // what can fail comes before the memory is taken out
    data.work.elastic.assemble(model, &data.kin, At::from(state), Part::Elastic)?;
    factor_mass(model, 0.0, data)?;
    let mut loads = std::mem::take(&mut data.work.loads);
    loads.gather(model, input, state, data);
    let mut c = std::mem::take(&mut data.work.c);
    rnea::bias(model, data, BiasOf::All, &mut c);
    let work = &mut data.work;
    loads.add_elastic(&data.kin, &work.elastic, &state.v);
    loads.generalized(model, &data.kin, a);
    for i in 0..model.nv {
        a[i] -= c[i] + model.damping[i] * state.v[i];
    }
    (work.loads, work.c) = (loads, c);
    work.M_hat.solve(&model.pattern, a);
    Ok(())
}

/// Spatial accelerations of the bodies at v̇ = 0, without gravity, in `data.A`.
fn bias_accelerations(model: &Model, data: &mut Data) {
    for (i, body) in model.bodies.iter().enumerate() {
        let A_P = body.parent.map_or(Motion::zero(), |parent| data.A[parent]);
        data.A[i] = data.kin.X_PB[i].motion_to_local(&A_P) + data.vel.c[i];
    }
}

/// The reaction of every joint, in the order of `model.joints()`, after [`constrained_accelerations`] gave `a`.
pub fn reactions(model: &Model, data: &mut Data, a: &[f64]) -> Vec<Reaction> {
    // a copy: what is in `data` stays without the rows, so that a second call gives the same
    let mut loads = data.work.loads.clone();
    loads.add_rows(&data.kin, &data.work.rows, &data.work.impulses.p);
    let mut tau = vec![0.0; model.nv];
    rnea::inverse_dynamics(model, data, a, Some(&loads.F), &mut tau);
    (0..model.joints.len())
        .map(|joint| match model.joints[joint].carrier {
            Carrier::Tree { body } => tree_reaction(model, data, joint, body),
            Carrier::Rows { constraint } => row_reaction(model, data, joint, constraint),
        })
        .collect()
}

/// The forces λ [N or N·m] of the rows of `model.constraints()[constraint]`, after [`constrained_accelerations`]: of a
/// drive the one it drives with, of a joint one for each row of [`crate::constraint`]. Empty if it is relaxed.
pub fn constraint_forces(data: &Data, constraint: usize) -> Vec<f64> {
    let rows = data.work.rows.rows.iter().zip(&data.work.impulses.p);
    let own = rows.filter(|(row, _)| row.origin == Origin::Constraint(constraint));
    own.map(|(_, &lambda)| lambda).collect()
}

/// The force across a joint of the tree without what has power over its motion.
fn tree_reaction(model: &Model, data: &Data, joint: usize, body: usize) -> Reaction {
    let info = &model.joints[joint];
    let (X_WB, F_B) = (&data.kin.X_WB[body], &data.F[body]);
    let mut F = Force { t: X_WB.R * F_B.t, f: X_WB.R * F_B.f };
    let pair = Pair::new(&data.kin, &info.parent, &info.child);
    for (index, v) in model.bodies[body].v_range().enumerate() {
        if let Some(wrench) = velocity_measure(info.joint, index).wrench(&pair) {
            F -= about(&wrench, &X_WB.p) * data.kin.S[v].dot(F_B);
        }
    }
    Reaction { joint: JointId(joint as u32), p_WM: X_WB.p, F }
}

/// The sum of what the rows of a joint push with.
fn row_reaction(model: &Model, data: &Data, joint: usize, constraint: usize) -> Reaction {
    let info = &model.joints[joint];
    let p_WM = Pair::new(&data.kin, &info.parent, &info.child).X_WB.p;
    let work = &data.work;
    let own = |row: usize| work.rows.rows[row].origin == Origin::Constraint(constraint);
    let F = work.rows.terms.iter().filter(|term| own(term.row)).fold(Force::zero(), |F, term| {
        F + about(&term.wrench, &p_WM) * (term.coefficient * work.impulses.p[term.row])
    });
    Reaction { joint: JointId(joint as u32), p_WM, F }
}

/// A wrench as force and torque about p.
fn about(wrench: &Wrench, p: &Vec3) -> Force {
    Force { t: wrench.t + (wrench.p - p).cross(&wrench.f), f: wrench.f }
}
