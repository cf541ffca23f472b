//! Both sides of [AP]'s inequality, from outside: mass matrix, loads, lengths of springs and their rates.
//!
//! ```text
//!  L = v⁺ᵀM v⁺ + Σ γ (φ + h ∇φᵀv⁺)²        R = wᵀM w + Σ γ φ²        w = v + h M⁻¹k₁
//!  R − L = (v⁺ − w)ᵀM(v⁺ − w) + Σ γ h² (∇φᵀv⁺)² + 2 h Σ δ (∇φᵀv⁺)² − 2 p·u⁺ − 2 p_b·J_b v⁺
//! ```
//!
//! The second line is the step's own equation `M (v⁺ − w) = −h Σ (γ φ + (γ h + δ) ∇φᵀv⁺) ∇φ + Jᵀp + J_bᵀp_b`, multiplied by 2 v⁺. All of it is a loss where
//! p·u⁺ ≤ 0, which every friction law has with `u_n⁺ ≥ 0` or `u_n⁺ ≥ −φ/h` of an open gap, and J_b v⁺ = 0.

use std::error::Error;

use stiction_sim::flight::fly;
use stiction_sim::tree::rnea::BiasOf;
use stiction_sim::tree::{crba, kinematics, rnea};
use stiction_sim::{Data, Input, MatX, Model, State, StepSettings, VecX, step};

use super::systems::{Link, System};

/// One step, in J twice over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) left: f64,
    pub(super) right: f64,
    /// `R − L` by the terms of the second line, without joints.
    pub(super) losses: f64,
    /// Contacts press; bodies overlapped before the step.
    pub(super) pressed: bool,
    pub(super) overlaps: bool,
    /// `|p|ᵀ|W||p|`: of this p·u⁺ is a difference, where impulses brace against each other.
    pub(super) braced: f64,
}

/// What does not change with the velocities of the end.
struct Begin {
    M: MatX,
    w: VecX,
    phi: Vec<f64>,
}

/// A step of the system with these settings, and what it did to the two sides; nothing where there is no next state.
pub(super) fn step_of(
    system: &System,
    settings: &StepSettings,
    state: &mut State,
    data: &mut Data,
) -> Result<Option<Sides>, Box<dyn Error>> {
    let (model, h) = (&system.model, settings.h);
    let q = state.q.clone();
    let begin = begin(system, state, data, h)?;
    let input = Input { tau: &system.tau, ..Default::default() };
    let Ok(report) = step(model, settings, &input, state, data) else { return Ok(None) };
    let p = data.contact_impulses();
    let power: f64 = p.iter().zip(data.contact_velocities()).map(|(p, u)| p * u).sum();
    let pressed = p.iter().any(|p| *p > 0.0);
    let overlaps = report.contact.is_some_and(|contact| contact.overlap > 0.0);
    let braced = data.contact_space().map_or(0.0, |space| {
        let mut sum = 0.0;
        for (j, p_j) in p.iter().enumerate() {
            space.W.for_column(j, |i, W_ij| sum += (p[i] * W_ij * p_j).abs());
        }
        sum
    });

    let v_next = VecX::from_vec(before_flight(model, state, h));
    kinematics::update(model, &q, v_next.as_slice(), data);
    let (w, M) = (&begin.w, &begin.M);
    let mut sides = Sides {
        left: v_next.dot(&(M * &v_next)),
        right: w.dot(&(M * w)),
        losses: (&v_next - w).dot(&(M * (&v_next - w))) - 2.0 * power,
        pressed,
        overlaps,
        braced,
    };
    for (link, phi) in system.links.iter().zip(&begin.phi) {
        let (_, rate) = stretch(model, data, link)?;
        let end = phi + h * rate;
        sides.left += link.gamma * end * end;
        sides.right += link.gamma * phi * phi;
        sides.losses += (link.gamma * h + 2.0 * link.delta) * h * rate * rate;
    }
    Ok(Some(sides))
}

fn begin(system: &System, state: &State, data: &mut Data, h: f64) -> Result<Begin, Box<dyn Error>> {
    let model = &system.model;
    kinematics::update(model, &state.q, &state.v, data);
    let phi = system.links.iter().map(|link| Ok(stretch(model, data, link)?.0));
    let phi = phi.collect::<Result<Vec<f64>, Box<dyn Error>>>()?;
    let M = crba::mass_matrix(model, data).to_dense(model.pattern());
    let mut c = vec![0.0; model.nv()];
    rnea::bias(model, data, BiasOf::BesideFlight, &mut c);
    let k_1 = VecX::from_column_slice(&system.tau) - VecX::from_vec(c);
    let M_inv_k = M.clone().cholesky().ok_or("a mass matrix without factors")?.solve(&k_1);
    let w = VecX::from_column_slice(&state.v) + M_inv_k * h;
    Ok(Begin { M, w, phi })
}

/// v⁺ of the kick: the flight of free bodies that follows it turns their velocities without changing their energy.
fn before_flight(model: &Model, state: &State, h: f64) -> Vec<f64> {
    let (mut q, mut v) = (state.q.clone(), state.v.clone());
    for body in model.bodies().iter().filter(|body| body.flies()) {
        fly(body, &mut q[body.q_range()], &mut v[body.v_range()], -h);
    }
    v
}

/// φ [m] and ∇φᵀv [m/s] of the velocities that `data` has.
fn stretch(model: &Model, data: &Data, link: &Link) -> Result<(f64, f64), Box<dyn Error>> {
    let mut ends = Vec::new();
    for (body, p) in &link.ends {
        let Some(name) = body else {
            ends.push((*p, p * 0.0));
            continue;
        };
        let body = model.body(name).ok_or("no such body")?;
        let (X, V) = (kinematics::pose(model, data, body), kinematics::velocity(model, data, body));
        let p_W = X.point(p);
        ends.push((p_W, V.v + V.w.cross(&(p_W - X.p))));
    }
    let r = ends[1].0 - ends[0].0;
    let rate = r.normalize().dot(&(ends[1].1 - ends[0].1));
    Ok((r.norm() - link.rest, rate))
}
