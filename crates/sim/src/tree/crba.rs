//! Mass matrix by the composite-rigid-body algorithm.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms* (2008), table 6.2, where `M` is written `H`. The inertia of
//! each subtree is gathered from the leaves to the root; the force across joint i that accelerates the
//! subtree of i by one unit of joint i, carried to each ancestor j, has the component `M_ij` along its
//! axis. O(n·depth), no allocation.

use crate::data::Data;
use crate::inertia::SpatialInertia;
use crate::math::{Vec3, skew};
use crate::model::Model;
use crate::spatial::Pose;
use crate::tree::matrix::TreeMatrix;

/// Writes `M(q)`, armature included, to `data` and returns it. Needs the positions.
pub fn mass_matrix<'a>(model: &Model, data: &'a mut Data) -> &'a TreeMatrix {
    data.positions();
    let (kin, Ic, M) = (&data.kin, &mut data.Ic, &mut data.M);
    for (Ic, body) in Ic.iter_mut().zip(&model.bodies) {
        *Ic = body.I;
    }
    for (i, body) in model.bodies.iter().enumerate().rev() {
        for v in body.v_range() {
            let mut F = &Ic[i] * &kin.S[v];
            let row = M.row_mut(&model.pattern, v);
            let mut place = row.len();

            // its own joint's velocities up to v, then those of each ancestor
            for u in (body.v0..=v).rev() {
                place -= 1;
                row[place] = kin.S[u].dot(&F);
            }
            let mut j = i;
            while let Some(parent) = model.bodies[j].parent {
                F = kin.X_PB[j].force_from_local(&F);
                j = parent;
                for u in model.bodies[j].v_range().rev() {
                    place -= 1;
                    row[place] = kin.S[u].dot(&F);
                }
            }
            row[row.len() - 1] += model.armature[v];
        }
        if let Some(parent) = body.parent {
            let carried = moved(&Ic[i], &kin.X_PB[i]);
            let Ic = &mut Ic[parent];
            Ic.mass += carried.mass;
            Ic.mc += carried.mc;
            Ic.I += carried.I;
        }
    }
    &data.M
}

/// The same inertia about the origin of A, in A, given the pose of its frame B in A.
fn moved(I_B: &SpatialInertia, X_AB: &Pose) -> SpatialInertia {
    let mc = X_AB.R * I_B.mc;
    let p = X_AB.p;
    // − p× mc× − mc× p× − m p× p×, symmetric
    let shift = symmetric_shift(&p, &(mc * 2.0 + p * I_B.mass));
    SpatialInertia {
        mass: I_B.mass,
        mc: mc + p * I_B.mass,
        I: X_AB.R * I_B.I * X_AB.R.transpose() + shift,
    }
}

/// `−½ (p× b× + b× p×)`.
fn symmetric_shift(p: &Vec3, b: &Vec3) -> crate::math::Mat3 {
    let product = skew(p) * skew(b);
    (product + product.transpose()) * -0.5
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
