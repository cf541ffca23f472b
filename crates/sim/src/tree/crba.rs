//! Mass matrix by the composite-rigid-body algorithm.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), table 6.2, where `M` is written `H`. The inertia of
//! each subtree is gathered from the leaves to the root; the force across joint i that accelerates the
//! subtree of i by one unit of joint i, carried to each ancestor j, has the component `M_ij` along its
//! axis:
//!
//! ```text
//!  Ic = I + Σ Ic of the children, shifted
//!  F_i = Ic S_i
//!  M_ij = S_jᵀ (t_i + p × f_i, f_i)                  p from the origin of j's body to that of i's
//! ```
//!
//! Everything is in the axes of the world about the origin of each body, so that only shifts lead from a
//! body to its ancestors, and p does not grow with the distance from the world's origin. O(n·depth), no
//! allocation.

use crate::data::Data;
use crate::inertia::SpatialInertia;
use crate::math::Vec3;
use crate::model::Model;
use crate::spatial::Force;
use crate::tree::kinematics::Kinematics;
use crate::tree::matrix::TreeMatrix;

/// Writes `M(q)`, armature included, to `data` and returns it. Needs the positions.
pub fn mass_matrix<'a>(model: &Model, data: &'a mut Data) -> &'a TreeMatrix {
    data.positions();
    write(model, &data.kin, &mut data.Ic, &mut data.M);
    &data.M
}

/// The same of any position; `Ic` is scratch, one for each body.
pub(crate) fn write(
    model: &Model,
    kin: &Kinematics,
    Ic: &mut [SpatialInertia],
    M: &mut TreeMatrix,
) {
    for (i, body) in model.bodies.iter().enumerate() {
        Ic[i] = body.I.turned(&kin.X_WB[i].R);
    }
    for (i, body) in model.bodies.iter().enumerate().rev() {
        for v in body.v_range() {
            let F = &Ic[i] * &kin.S_W[v];
            let row = M.row_mut(&model.pattern, v);
            components(model, kin, (i, v), &F, row);
            row[row.len() - 1] += model.armature[v];
        }
        if let Some(parent) = body.parent {
            let shifted = Ic[i].shifted(&kin.p_PoBo_W[i]);
            Ic[parent] += shifted;
        }
    }
}

/// Carries F, a force on body i about its origin, to the root, and writes its component along velocity v of
/// the body's own joint and along each velocity above it.
fn components(model: &Model, kin: &Kinematics, (i, v): (usize, usize), F: &Force, row: &mut [f64]) {
    let (mut j, mut place) = (i, row.len());
    let mut own = model.bodies[i].v0..v + 1;
    let (mut t, mut p) = (F.t, Vec3::zeros());
    loop {
        let S_W = &kin.S_W[own];
        let first = place - S_W.len();
        for (m, S) in row[first..place].iter_mut().zip(S_W) {
            *m = S.w.dot(&t) + S.v.dot(&F.f);
        }
        let Some(parent) = model.bodies[j].parent else { return };
        p += kin.p_PoBo_W[j];
        t = F.t + p.cross(&F.f);
        (j, place, own) = (parent, first, model.bodies[parent].v_range());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::MatX;
    use crate::model::BodyId;
    use crate::testing::Sample;
    use crate::tree::{jacobian, kinematics};

    /// `Σ JᵀIJ + armature` from the Jacobians of the centres of mass: the definition, in no hurry.
    fn slow_mass_matrix(s: &Sample) -> MatX {
        let nv = s.model.nv;
        let mut M = MatX::from_diagonal(&crate::math::VecX::from_column_slice(&s.model.armature));
        let (mut J, mut J_com) = (MatX::zeros(6, nv), MatX::zeros(3, nv));
        for (i, body) in s.model.bodies.iter().enumerate() {
            let id = BodyId(i as u32);
            jacobian::of_body(&s.model, &s.data, id, &mut J);
            jacobian::of_point(&s.model, &s.data, id, &body.inertia.com, &mut J_com);
            let R_WU = kinematics::pose(&s.model, &s.data, id).R;
            let J_w = J.rows(0, 3);
            let I_W = R_WU * body.inertia.I_com * R_WU.transpose();
            M += J_w.transpose() * I_W * J_w + J_com.transpose() * &J_com * body.inertia.mass;
        }
        M
    }

    #[test]
    fn the_mass_matrix_is_the_sum_of_the_bodies_inertias_seen_by_the_velocities() {
        for seed in 0..300 {
            let mut s = Sample::new(seed, 40);
            let slow = slow_mass_matrix(&s);
            let M = mass_matrix(&s.model, &mut s.data).to_dense(&s.model.pattern);
            for i in 0..s.model.nv {
                for j in 0..s.model.nv {
                    // |M_ij| ≤ √(M_ii M_jj), and a few hundred roundings on the way
                    let slack = 200.0 * f64::EPSILON * (slow[(i, i)] * slow[(j, j)]).sqrt();
                    let error = (M[(i, j)] - slow[(i, j)]).abs();
                    assert!(error <= slack, "seed {seed}, entry {i} {j}: {error:e} > {slack:e}");
                }
            }
        }
    }
}
