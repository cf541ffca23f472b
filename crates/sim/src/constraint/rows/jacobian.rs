//! The Jacobian of rows: wrenches walked down their trees, what rows do at given velocities, and how they change.

use std::ops::Range;

use super::{RowSet, Term};
use crate::constraint::measure::{FrameMotion, Wrench};
use crate::model::Model;
use crate::spatial::Motion;
use crate::tree::kinematics::{Kinematics, Velocities};

impl RowSet {
    pub(crate) fn fill_jacobian(&mut self, model: &Model, kin: &Kinematics) {
        for values in [&mut self.J, &mut self.reach] {
            values.clear();
            values.resize(self.rows.len() * self.nv, 0.0);
        }
        self.span.clear();
        self.span.resize(self.rows.len(), self.nv..0);
        for term in &self.terms {
            let row = term.row * self.nv..(term.row + 1) * self.nv;
            let (J, reach) = (&mut self.J[row.clone()], &mut self.reach[row]);
            let touched = add_wrench_row(model, kin, term, J, reach);
            extend(&mut self.span[term.row], touched);
        }
        for &(row, v, coefficient) in &self.velocities {
            self.J[row * self.nv + v] += coefficient;
            self.reach[row * self.nv + v] += coefficient.abs();
            extend(&mut self.span[row], v..v + 1);
        }
        // a row without entries has them between nothing
        self.span.iter_mut().filter(|span| span.start >= span.end).for_each(|span| *span = 0..0);
    }

    /// `θ̈ − g̈` of each row at v̇ = 0. `A`: spatial accelerations of the bodies at v̇ = 0, in B.
    pub(crate) fn biases(
        &self,
        kin: &Kinematics,
        vel: &Velocities,
        A: &[Motion],
        bias: &mut Vec<f64>,
    ) {
        bias.clear();
        bias.extend(self.rows.iter().map(|row| -row.g[2]));
        for term in &self.terms {
            let pair = &term.pair;
            let a = FrameMotion::new(kin, vel, A, pair.a, &pair.X_WA);
            let b = FrameMotion::new(kin, vel, A, pair.b, &pair.X_WB);
            bias[term.row] += term.coefficient * term.measure.bias(pair, &a, &b);
        }
    }

    /// `θ̇` of each row: the power of its unit force.
    pub fn rate(&self, row: usize, v: &[f64]) -> f64 {
        let (span, J) = self.entries(row);
        J.iter().zip(&v[span]).map(|(J, v)| J * v).sum()
    }

    /// The velocities between which the entries of row i of the Jacobian are, and these.
    pub(crate) fn entries(&self, i: usize) -> (Range<usize>, &[f64]) {
        let span = self.span[i].clone();
        (span.clone(), &self.jacobian(i)[span])
    }
}

fn extend(span: &mut Range<usize>, by: Range<usize>) {
    *span = span.start.min(by.start)..span.end.max(by.end);
}

/// `J += coefficient · (f·Δv + t·Δw)`, walking from both bodies to where their paths to the root meet; `reach`
/// is the same for lengths alone. Returns between which velocities that is.
fn add_wrench_row(
    model: &Model,
    kin: &Kinematics,
    term: &Term,
    J: &mut [f64],
    reach: &mut [f64],
) -> Range<usize> {
    let mut touched = J.len()..0;
    let (mut a, mut b) = (term.pair.a, term.pair.b);
    let Wrench { p, t, f } = term.wrench;
    let (t_size, f_size) = (t.norm(), f.norm());
    while a != b {
        // parents come first, so the later of the two is not an ancestor of the other; None is the world
        let (side, sign) = if b > a { (&mut b, 1.0) } else { (&mut a, -1.0) };
        let Some(i) = *side else { break };
        let (body, X_WB) = (&model.bodies[i], &kin.X_WB[i]);
        extend(&mut touched, body.v_range());
        let arm = p - X_WB.p;
        let (t_B, f_B) = (X_WB.R.tr_mul(&(t + arm.cross(&f))), X_WB.R.tr_mul(&f));
        let about_Bo = t_size + arm.norm() * f_size;
        for v in body.v_range() {
            let S = &kin.S[v];
            J[v] += sign * term.coefficient * (S.w.dot(&t_B) + S.v.dot(&f_B));
            reach[v] += term.coefficient.abs() * (S.w.norm() * about_Bo + S.v.norm() * f_size);
        }
        *side = body.parent;
    }
    touched
}
