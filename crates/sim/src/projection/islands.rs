//! Which bodies hang together: by joints, rows and contacts. Each island pays for its own projection.

use super::near::Near;
use crate::constraint::rows::RowSet;
use crate::inertia::SpatialInertia;
use crate::joint::Joint;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::spatial::{Force, Motion};
use crate::tree::kinematics::{Kinematics, Velocities};

#[derive(Clone, Debug)]
pub(super) struct Islands {
    /// For each body another one of its island, or itself.
    up: Vec<usize>,
    /// Of the body that stands for its island: something holds it to the world.
    held: Vec<bool>,
    /// The body that each velocity belongs to.
    body_of: Vec<usize>,
    of_row: Vec<Option<usize>>,
}

impl Islands {
    pub(super) fn new(model: &Model) -> Self {
        let bodies = model.bodies.iter().enumerate();
        let body_of = bodies.flat_map(|(i, body)| body.v_range().map(move |_| i)).collect();
        Self { up: Vec::new(), held: Vec::new(), body_of, of_row: Vec::new() }
    }

    /// The trees.
    pub(super) fn begin(&mut self, model: &Model) {
        self.up.clear();
        self.held.clear();
        for (i, body) in model.bodies.iter().enumerate() {
            self.up.push(body.parent.map_or(i, |parent| self.up[parent]));
            let armature = &model.armature[body.v_range()];
            let is_free = body.joint == Joint::Free && armature.iter().all(|a| *a == 0.0);
            self.held.push(body.parent.is_none() && !is_free);
        }
    }

    /// The body that stands for the island of a body.
    pub(super) fn of(&self, mut body: usize) -> usize {
        while self.up[body] != body {
            body = self.up[body];
        }
        body
    }

    pub(super) fn of_velocity(&self, v: usize) -> usize {
        self.of(self.body_of[v])
    }

    /// The bodies that stand for islands.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.up.len()).filter(|&i| self.up[i] == i)
    }

    pub(super) fn is_held(&self, island: usize) -> bool {
        self.held[island]
    }

    /// For each row one of its bodies.
    pub(super) fn bodies_of_rows(&self, rows: &RowSet, bodies: &mut Vec<Option<usize>>) {
        bodies.clear();
        bodies.resize(rows.len(), None);
        for term in &rows.terms {
            let body = &mut bodies[term.row];
            *body = body.or(term.pair.b).or(term.pair.a);
        }
        for &(row, v, _) in &rows.velocities {
            bodies[row] = bodies[row].or(Some(self.body_of[v]));
        }
    }

    /// By everything that acts between bodies.
    pub(super) fn join_all(&mut self, model: &Model, near: &Near, rows: [&RowSet; 2]) {
        for &(a, b) in &near.pairs {
            self.join(a, b);
        }
        let mut of_row = std::mem::take(&mut self.of_row);
        for rows in rows {
            self.bodies_of_rows(rows, &mut of_row);
            for term in &rows.terms {
                self.join(term.pair.a, term.pair.b);
                self.join(of_row[term.row], term.pair.b.or(term.pair.a));
            }
            for &(row, v, _) in &rows.velocities {
                let body = self.body_of[v];
                self.join(of_row[row], Some(body));
                // what acts on the joint of a root acts between it and the world
                if model.bodies[body].parent.is_none() {
                    self.join(Some(body), None);
                }
            }
        }
        self.of_row = of_row;
        // lower numbers stand for higher ones
        for i in 0..self.up.len() {
            self.up[i] = self.up[self.up[i]];
        }
    }

    /// None: the world.
    fn join(&mut self, a: Option<usize>, b: Option<usize>) {
        match (a.map(|a| self.of(a)), b.map(|b| self.of(b))) {
            (Some(a), Some(b)) => {
                let held = self.held[a] || self.held[b];
                let (low, high) = (a.min(b), a.max(b));
                self.up[high] = low;
                self.held[low] = held;
            }
            (Some(i), None) | (None, Some(i)) => self.held[i] = true,
            (None, None) => {}
        }
    }

    /// The motion as one rigid body that has the momentum of an island: `(w, v)` about its centre of mass, and that centre, in W.
    pub(super) fn as_one(
        &self,
        model: &Model,
        kin: &Kinematics,
        vel: &Velocities,
        island: usize,
    ) -> Option<(Motion, Vec3)> {
        let members = || (0..model.bodies.len()).filter(|&i| self.of(i) == island);
        let (mut mass, mut moment, mut P) = (0.0, Vec3::zeros(), Vec3::zeros());
        for i in members() {
            let (I, X_WB) = (&model.bodies[i].I, &kin.X_WB[i]);
            mass += I.mass;
            moment += X_WB.p * I.mass + X_WB.R * I.mc;
            P += X_WB.R * (I * &vel.V[i]).f;
        }
        let centre = moment / mass;
        let (mut I_W, mut L) =
            (SpatialInertia { mass: 0.0, mc: Vec3::zeros(), I: Mat3::zeros() }, Vec3::zeros());
        for i in members() {
            let (I, X_WB) = (&model.bodies[i].I, &kin.X_WB[i]);
            let from_centre = X_WB.p - centre;
            I_W += I.turned(&X_WB.R).shifted(&from_centre);
            let Force { t, f } = I * &vel.V[i];
            L += X_WB.R * t + from_centre.cross(&(X_WB.R * f));
        }
        let w = I_W.I.try_inverse()? * L;
        Some((Motion { w, v: P / mass }, centre))
    }

    /// Adds the velocities of an island that moves as one.
    pub(super) fn add_as_one(
        &self,
        model: &Model,
        kin: &Kinematics,
        (motion, centre): (Motion, Vec3),
        island: usize,
        v: &mut [f64],
    ) {
        for (i, body) in model.bodies.iter().enumerate() {
            if body.parent.is_none() && self.of(i) == island {
                let X_WB = &kin.X_WB[i];
                let v_W = motion.v + motion.w.cross(&(X_WB.p - centre));
                let (w_B, v_B) = (X_WB.R.tr_mul(&motion.w), X_WB.R.tr_mul(&v_W));
                for j in body.v_range() {
                    // the motions of a free joint are unit vectors at right angles
                    let S = &kin.S[j];
                    v[j] += S.w.dot(&w_B) + S.v.dot(&v_B);
                }
            }
        }
    }
}
