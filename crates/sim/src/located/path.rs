//! The way of a step: where bodies are, and how fast, at every moment of it.
//!
//! ```text
//!  q(s) = q ⊕ (a s) v ⊕ ((1 − a) s) (v + (s/h) Δv) ⊕ (s/h)² c           a: the part of the drift before the kick
//! ```
//!
//! This is the step of length s with the accelerations Δv/h of the whole one; c is what positions were corrected by at its end,
//! nothing for plain steps. It begins where the step begins and ends where it ends.

use crate::data::Data;
use crate::euler::share_before;
use crate::flight;
use crate::math::Vec3;
use crate::model::Model;
use crate::settings::StepSettings;
use crate::spatial::{Motion, Pose};
use crate::state::State;

/// A step's way, from its beginning to its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Length of the step [s].
    pub(super) h: f64,
    /// The part of the drift that comes before the kick.
    share: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    /// What the kick changes, at the moment of the kick.
    dv: Vec<f64>,
    /// What positions are corrected by.
    correction: Vec<f64>,
}

/// A body at a moment: its pose, and the velocity of its origin and its angular velocity in the axes of W.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub(super) X_WB: Pose,
    pub(super) V_W: Motion,
}

impl Path {
    /// Reads the plain step from `state` that was the last one in `data`.
    pub(super) fn follow(&mut self, settings: &StepSettings, state: &State, data: &Data) {
        self.h = settings.h;
        self.share = share_before(settings);
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
        let (from, v_kick) = (&data.work.from.v, &data.work.v_kick);
        self.dv.clear();
        self.dv.extend(v_kick.iter().zip(from).map(|(after, before)| after - before));
        self.correction.clear();
        self.correction.resize(state.v.len(), 0.0);
    }

    /// Makes the way end at q.
    pub(super) fn end_at(&mut self, model: &Model, q: &[f64]) {
        self.correction.fill(0.0);
        let mut end = self.q.clone();
        for (i, body) in model.bodies.iter().enumerate() {
            let (q, _) = self.coordinates(model, i, self.h);
            end[body.q_range()].copy_from_slice(&q[..body.q_range().len()]);
        }
        model.difference(&end, q, &mut self.correction);
    }

    /// Coordinates and velocities of one body's joint at the time s after the beginning.
    fn coordinates(&self, model: &Model, i: usize, s: f64) -> ([f64; 7], [f64; 6]) {
        let body = &model.bodies[i];
        let (q_range, v_range) = (body.q_range(), body.v_range());
        let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
        let (q_i, v_i) = (&mut q[..q_range.len()], &mut v[..v_range.len()]);
        q_i.copy_from_slice(&self.q[q_range]);
        v_i.copy_from_slice(&self.v[v_range.clone()]);
        let drift = |q: &mut [f64], v: &mut [f64], time: f64| match body.flies() {
            true => flight::fly(body, q, v, time),
            false => body.joint.integrate(q, v, time),
        };
        if self.share > 0.0 {
            drift(q_i, v_i, self.share * s);
        }
        for (v, dv) in v_i.iter_mut().zip(&self.dv[v_range.clone()]) {
            *v += s / self.h * dv;
        }
        if self.share < 1.0 {
            drift(q_i, v_i, (1.0 - self.share) * s);
        }
        let part = (s / self.h) * (s / self.h);
        body.joint.integrate(q_i, &self.correction[v_range], part);
        (q, v)
    }

    /// Where a body is at the time s, and how it moves; the world rests.
    pub(super) fn at(&self, model: &Model, body: Option<usize>, s: f64) -> Moving {
        self.moving(model, body, &|i| self.coordinates(model, i, s))
    }

    /// Where a body is at the beginning, and how it would move there with all that the kick adds.
    pub(super) fn kicked(&self, model: &Model, body: Option<usize>) -> Moving {
        self.moving(model, body, &|i| {
            let (q, mut v) = self.coordinates(model, i, 0.0);
            let dv = &self.dv[model.bodies[i].v_range()];
            v.iter_mut().zip(dv).for_each(|(v, dv)| *v += dv);
            (q, v)
        })
    }

    fn moving(
        &self,
        model: &Model,
        body: Option<usize>,
        coordinates: &dyn Fn(usize) -> ([f64; 7], [f64; 6]),
    ) -> Moving {
        let Some(i) = body else {
            return Moving { X_WB: Pose::identity(), V_W: Motion::zero() };
        };
        let body = &model.bodies[i];
        let (q, v) = coordinates(i);
        let mut S = [Motion::zero(); 6];
        let S = &mut S[..body.v_range().len()];
        let X_PB = body.joint.place(&body.X_PJ, &q[..body.q_range().len()], S);
        let mut V_PB = Motion::zero();
        body.joint.add(S, &v[..body.v_range().len()], &mut V_PB);
        let Some(_) = body.parent else {
            let V_W = Motion { w: X_PB.R * V_PB.w, v: X_PB.R * V_PB.v };
            return Moving { X_WB: X_PB, V_W };
        };
        let parent = self.moving(model, body.parent, coordinates);
        let X_WB = parent.X_WB * X_PB;
        let arm = X_WB.p - parent.X_WB.p;
        let own = Motion { w: X_WB.R * V_PB.w, v: X_WB.R * V_PB.v };
        let carried = parent.V_W.v + parent.V_W.w.cross(&arm);
        Moving { X_WB, V_W: Motion { w: parent.V_W.w + own.w, v: carried + own.v } }
    }
}

impl Moving {
    /// Velocity of a point of the body [m/s].
    pub(super) fn point(&self, p_W: &Vec3) -> Vec3 {
        self.V_W.v + self.V_W.w.cross(&(p_W - self.X_WB.p))
    }
}
