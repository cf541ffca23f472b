//! Contact rows: how the velocities move the contacts, and the Delassus matrix of a step.
//!
//! Each contact has three rows in the order n, t1, t2: the velocity of body B against body A at the contact's point
//! along each axis. A row touches the velocities between its two bodies and where their paths to the root
//! meet. With `M̂ = Lᵀ D L` and `y = L⁻ᵀ Jᵀ`, which has no more entries than the paths to the root,
//!
//! ```text
//!  W_ij = ⟨y_i, y_j⟩ in the inner product of D⁻¹
//! ```
//!
//! and bilateral rows are eliminated by making every y orthogonal to them: what is left of y is what an impulse can
//! do without breaking a joint. W is never formed from M⁻¹, and a singular set of joints needs no care.

mod path;

use std::ops::Range;

use stiction_lcp::MatX;

use crate::constraint::parts::RowParts;
use crate::constraint::solve::RowSolver;
use crate::contact::delassus::{Delassus, Root};
use crate::contact::sparse::SparseBlocks;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::tree::kinematics::Kinematics;
use crate::tree::matrix::TreeFactor;
use crate::tree::pattern::TreePattern;

/// Share of the motion along one tangent that rounding makes across it: planar joints are at angles that have sines.
const ALONG: f64 = 1e-14;

/// Where two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// None: the world.
    pub a: Option<usize>,
    pub b: Option<usize>,
    /// The shared point, in W [m].
    pub p_W: Vec3,
    /// Columns t1, t2, n: a right-handed frame, n from A into B.
    pub R_WC: Mat3,
}

/// The rows of all contacts of a step.
#[derive(Clone, Debug, Default)]
pub struct ContactRows {
    J: SparseBlocks,
    /// The diagonal of W if there were no bilateral rows [1/kg].
    free: Vec<f64>,
    /// Memory: the rows of a block over all coordinates, those of them that it has, and one row for the bilateral ones.
    dense: Vec<[f64; 3]>,
    single: Vec<f64>,
    alone: Vec<[f64; 3]>,
    is_touched: Vec<bool>,
    touched: Vec<usize>,
    joint_parts: RowParts,
    met: Vec<usize>,
}

/// The tangents that belong to a normal: t1 is the world's x made perpendicular to n, or y where n is nearly x. Where n is
/// z they are x and y.
pub fn contact_frame(n: &Vec3) -> Mat3 {
    let e = if n.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let t1 = (e - n * n.dot(&e)).normalize();
    Mat3::from_columns(&[t1, n.cross(&t1), *n])
}

impl ContactRows {
    /// Rows: three for each contact.
    pub fn len(&self) -> usize {
        self.J.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads poses and axes; writes J.
    pub fn update(&mut self, model: &Model, kin: &Kinematics, places: &[Place]) {
        self.J.clear();
        for place in places {
            let axes = [2, 0, 1].map(|axis| place.R_WC.column(axis).into_owned());
            self.add_block(model, kin, place, &axes);
            self.J.end_triple();
        }
    }

    /// Where the bodies of a contact can move along one tangent only, in planar motion, t1 becomes this tangent and the row
    /// of t2 empty. True: it is.
    pub(crate) fn turn_tangents(&mut self, contact: usize, place: &mut Place) -> bool {
        let J = self.J.block_mut(contact);
        let square = |J: &[f64; 3]| J[1] * J[1] + J[2] * J[2];
        let Some(&[_, x, y]) = J.iter().max_by(|a, b| square(a).total_cmp(&square(b))) else {
            return false;
        };
        let size = libm::hypot(x, y);
        // towards +t1, or +t2
        let sign = if x < 0.0 || (x == 0.0 && y < 0.0) { -1.0 } else { 1.0 };
        let (c, s) = (sign * x / size, sign * y / size);
        let across = |J: &[f64; 3]| (c * J[2] - s * J[1]).abs();
        let is_line = J.iter().all(|column| across(column) <= ALONG * size);
        if !(is_line && size > 0.0) {
            return false;
        }
        let [t1, t2] = [0, 1].map(|a| place.R_WC.column(a).into_owned());
        place.R_WC.set_column(0, &(t1 * c + t2 * s));
        place.R_WC.set_column(1, &(t2 * c - t1 * s));
        for J in J {
            *J = [J[0], c * J[1] + s * J[2], 0.0];
        }
        true
    }

    /// One more row.
    pub(crate) fn push_dense(&mut self, J: &[f64]) {
        for (j, J_j) in J.iter().enumerate().filter(|(_, J_j)| **J_j != 0.0) {
            self.J.push(j, [*J_j, 0.0, 0.0]);
        }
        self.J.end_single();
    }

    /// One more row: the velocity of B against A at the point, along f.
    pub(crate) fn push_along(&mut self, model: &Model, kin: &Kinematics, place: &Place, f: &Vec3) {
        self.add_block(model, kin, place, &[*f]);
        self.J.end_single();
    }

    /// One more row, of another set.
    pub(crate) fn push_row_of(&mut self, other: &Self, i: usize) {
        for (j, J) in other.J.row(i) {
            self.J.push(j, [J, 0.0, 0.0]);
        }
        self.J.end_single();
    }

    /// `J v` of one row.
    pub(crate) fn velocity(&self, i: usize, v: &[f64]) -> f64 {
        self.J.row(i).map(|(j, J)| J * v[j]).sum()
    }

    /// The velocity of B against A at the point, along each of the axes.
    fn add_block<const N: usize>(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        place: &Place,
        axes: &[Vec3; N],
    ) {
        let (mut a, mut b) = (place.a, place.b);
        while a != b {
            // parents come first, so the later of the two is not an ancestor of the other
            let (side, sign) = if b > a { (&mut b, 1.0) } else { (&mut a, -1.0) };
            let Some(i) = *side else { return };
            let (body, X_WB) = (&model.bodies[i], &kin.X_WB[i]);
            let arm = place.p_W - X_WB.p;
            let t_B = axes.map(|f| X_WB.R.tr_mul(&arm.cross(&f)));
            let f_B = axes.map(|f| X_WB.R.tr_mul(&f));
            for v in body.v_range() {
                let S = &kin.S[v];
                let mut J = [0.0; 3];
                (0..N).for_each(|i| J[i] = sign * (S.w.dot(&t_B[i]) + S.v.dot(&f_B[i])));
                self.J.push(v, J);
            }
            *side = body.parent;
        }
    }

    /// J with `nv` columns.
    pub fn to_dense(&self, nv: usize) -> MatX {
        let mut J = MatX::zeros(self.len(), nv);
        for i in 0..self.len() {
            for (j, value) in self.J.row(i) {
                J[(i, j)] += value;
            }
        }
        J
    }

    /// `u = J v`.
    pub fn velocities(&self, v: &[f64], u: &mut Vec<f64>) {
        u.clear();
        if v.iter().all(|v| *v == 0.0) {
            u.resize(self.len(), 0.0);
            return;
        }
        self.J.for_products(v, |_, u_i| u.push(u_i));
    }

    /// `out += Jᵀ p`.
    pub fn add_momentum(&self, p: &[f64], out: &mut [f64]) {
        self.J.add_transposed(p, out);
    }

    /// `out += |J|ᵀ |p|`.
    pub(super) fn add_sizes(&self, p: &[f64], out: &mut [f64]) {
        for block in 0..self.J.blocks() {
            let ((index, value), p) = (self.J.block(block), &p[self.J.rows_of(block)]);
            for (&c, J) in index.iter().zip(value) {
                out[c] += J.iter().zip(p).map(|(J, p)| (J * p).abs()).sum::<f64>();
            }
        }
    }

    /// Factors the rows with `M̂` and takes the bilateral rows of `joints` (of compliance `eps`) out of them: the root of W. Costs the
    /// paths to the root, squared, and what the bilateral rows touch.
    pub fn factor(
        &mut self,
        model: &Model,
        (M, joints): (&TreeFactor, &RowSolver),
        eps: &[f64],
        W: &mut Delassus,
    ) {
        let pattern = &model.pattern;
        let root = W.begin_root();
        self.joint_parts.find(pattern, joints);
        root.begin(model, M, eps, &self.joint_parts);
        let Root { Y, weight, .. } = &mut *root;
        self.dense.clear();
        self.dense.resize(weight.len(), [0.0; 3]);
        self.is_touched.clear();
        self.is_touched.resize(weight.len(), false);
        self.touched.clear();
        self.met.clear();
        self.free.clear();
        for block in 0..self.J.blocks() {
            if self.joint_parts.is_empty()
                && (self.factor_path((pattern, M), block, weight, Y)
                    || self.factor_alone((pattern, M), block, weight, Y))
            {
                continue;
            }
            self.scatter(pattern, block);
            for &j in &self.touched {
                M.eliminate_three(pattern, j, &mut self.dense);
            }
            let mut free = [0.0; 3];
            for &j in self.touched.iter().rev() {
                let y = &self.dense[j];
                (0..3).for_each(|a| free[a] += y[a] * y[a] * weight[j]);
            }
            let rows = if block < self.J.triples() { 3 } else { 1 };
            self.free.extend_from_slice(&free[..rows]);
            self.take_out(pattern, joints, rows);
            for &j in self.touched.iter().rev() {
                let y = std::mem::take(&mut self.dense[j]);
                if y != [0.0; 3] {
                    Y.push(j, y);
                }
            }
            if rows == 3 { Y.end_triple() } else { Y.end_single() }
        }
        root.end();
    }

    /// The same for a block of bodies that hang on the world alone: the velocities of each are in one piece, and eliminated in their place.
    fn factor_alone(
        &mut self,
        (pattern, M): (&TreePattern, &TreeFactor),
        block: usize,
        weight: &[f64],
        Y: &mut SparseBlocks,
    ) -> bool {
        let (index, value) = self.J.block(block);
        let split = match index.iter().rposition(|&j| pattern.depth(j) == 0) {
            Some(split) => split,
            None => return false,
        };
        // the second body of the two is the earlier one
        let pieces = [split..index.len(), 0..split];
        let is_alone = |piece: &Range<usize>| {
            let own = &index[piece.clone()];
            let (first, n) = (own.first().copied().unwrap_or(0), own.len());
            n == 0
                || (pattern.depth(first) == 0
                    && own.last() == Some(&(first + n - 1))
                    && pattern.depth(first + n - 1) == n - 1)
        };
        if !pieces.iter().all(is_alone) {
            return false;
        }
        self.alone.clear();
        self.alone.extend_from_slice(value);
        let rows = if block < self.J.triples() { 3 } else { 1 };
        let mut free = [0.0; 3];
        for piece in pieces {
            let (own, y) = (&index[piece.clone()], &mut self.alone[piece]);
            for i in (1..own.len()).rev() {
                let y_i = y[i];
                for (y_j, l) in y.iter_mut().zip(M.row_below(pattern, own[i])) {
                    (0..3).for_each(|a| y_j[a] -= l * y_i[a]);
                }
            }
            for (&j, &y) in own.iter().zip(&*y).filter(|(_, y)| **y != [0.0; 3]) {
                (0..3).for_each(|a| free[a] += y[a] * y[a] * weight[j]);
                Y.push(j, y);
            }
        }
        self.free.extend_from_slice(&free[..rows]);
        if rows == 3 {
            Y.end_triple()
        } else {
            Y.end_single()
        }
        true
    }

    /// Makes the dense rows orthogonal to the bilateral rows of the trees that they touch; their coordinates become their own.
    fn take_out(&mut self, pattern: &TreePattern, joints: &RowSolver, rows: usize) {
        if self.joint_parts.is_empty() {
            return;
        }
        self.met.clear();
        for &v in &self.touched {
            if let Some(part) = self.joint_parts.of_velocity(pattern, v)
                && !self.met.contains(&part)
            {
                self.met.push(part);
            }
        }
        for &part in &self.met {
            for c in self.joint_parts.coordinates(part) {
                if !std::mem::replace(&mut self.is_touched[c], true) {
                    self.touched.push(c);
                }
            }
        }
        if self.met.is_empty() {
            return;
        }
        self.touched.sort_unstable_by(|a, b| b.cmp(a));
        self.single.clear();
        self.single.resize(self.dense.len(), 0.0);
        for a in 0..rows {
            self.touched.iter().for_each(|&c| self.single[c] = self.dense[c][a]);
            for &part in &self.met {
                joints.take_out(self.joint_parts.places(part), &mut self.single);
            }
            self.touched.iter().for_each(|&c| self.dense[c][a] = self.single[c]);
        }
    }

    /// A block as dense rows, and the velocities from which it can be told on the way to the root, descending: contacts of the same
    /// bodies have the same ones.
    fn scatter(&mut self, pattern: &TreePattern, block: usize) {
        let (index, value) = self.J.block(block);
        let is_known = block > 0 && self.met.is_empty() && self.J.block(block - 1).0 == index;
        if !is_known {
            self.met.clear();
            self.touched.drain(..).for_each(|j| self.is_touched[j] = false);
            for &j in index {
                // whose ancestors are there if it is
                for &a in pattern.row(j).iter().rev() {
                    if std::mem::replace(&mut self.is_touched[a as usize], true) {
                        break;
                    }
                    self.touched.push(a as usize);
                }
            }
            self.touched.sort_unstable_by(|a, b| b.cmp(a));
        }
        for (&j, J) in index.iter().zip(value) {
            (0..3).for_each(|a| self.dense[j][a] += J[a]);
        }
    }

    /// Whether bilateral rows touch the tree of this velocity.
    pub(super) fn is_held(&self, model: &Model, velocity: usize) -> bool {
        !self.joint_parts.is_empty()
            && self.joint_parts.of_velocity(&model.pattern, velocity).is_some()
    }

    /// How each row would give way if no bilateral row held: what is left in `W`, if rounding is all, counts as nothing
    /// beside it [1/kg].
    pub(crate) fn free(&self) -> &[f64] {
        &self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::rows::{At, Part};
    use crate::data::Data;
    use crate::inertia::Inertia;
    use crate::math::{Quat, VecX};
    use crate::model::{ConstraintKind, Coordinates, FrameSpec, JointKind, ModelSpec};
    use crate::spatial::Pose;
    use crate::tree::{crba, kinematics};

    /// An arm of three bodies on the world, two free bodies, and a loop from the arm to one of them.
    fn mechanism(with_loop: bool) -> Model {
        let mut spec = ModelSpec::new();
        for (i, name) in ["a", "b", "c", "free", "other"].into_iter().enumerate() {
            let turn = Quat::exp(&Vec3::new(0.3 + i as f64, -0.4, 0.2));
            let X = Pose::from_parts(Vec3::new(0.1, -0.1, 0.3), turn);
            spec.body(name, Inertia::principal(1.0 + i as f64, [0.2, 0.3, 0.4]).moved(&X));
        }
        let hinge = |axis| JointKind::Revolute { axis };
        spec.joint("j1", hinge(Vec3::x()), FrameSpec::world(), FrameSpec::of("a"));
        let (a, b) = (FrameSpec::of("a").at(0.0, 0.0, 1.0), FrameSpec::of("b").at(0.0, 0.5, 0.0));
        spec.joint("j2", hinge(Vec3::y()), a, FrameSpec::of("b"));
        spec.joint("j3", JointKind::Ball, b, FrameSpec::of("c"));
        if with_loop {
            let (a, b) = (FrameSpec::of("c").at(0.2, 0.0, 0.1), FrameSpec::of("free"));
            let kind = ConstraintKind::Joint { kind: hinge(Vec3::z()), a: a.clone(), b: b.clone() };
            spec.constraint("loop", kind.clone());
            // stated twice: five rows that depend on the others
            spec.constraint("again", kind);
        }
        spec.build(Coordinates::Generalized).expect("a mechanism")
    }

    fn places() -> Vec<Place> {
        let place = |a, b, p: [f64; 3], n: [f64; 3]| Place {
            a,
            b,
            p_W: Vec3::from(p),
            R_WC: contact_frame(&Vec3::from(n).normalize()),
        };
        vec![
            place(None, Some(2), [0.3, 0.1, 0.9], [0.1, 0.2, 1.0]),
            place(Some(0), Some(2), [0.1, 0.2, 0.8], [1.0, 0.2, 0.1]),
            place(Some(1), Some(3), [0.2, 0.4, 1.1], [0.0, -1.0, 0.3]),
            place(None, Some(4), [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ]
    }

    /// Everything up to the contact rows: returns them, with M dense, J dense and the bilateral Jacobian.
    fn prepared(with_loop: bool) -> (ContactRows, Delassus, [MatX; 3]) {
        let model = mechanism(with_loop);
        let (mut state, mut data) = (model.state(), Data::new(&model));
        let v: Vec<f64> = (0..model.nv).map(|i| 0.3 + 0.1 * i as f64).collect();
        model.integrate(&mut state.q, &v, 1.0);
        kinematics::update_positions(&model, &state.q, &mut data);
        let M = crba::mass_matrix(&model, &mut data).to_dense(&model.pattern);
        let work = &mut data.work;
        work.M_hat.factor(&model.pattern, &data.M, &vec![0.0; model.nv]).expect("positive");
        work.rows.assemble(&model, &data.kin, At::from(&state), Part::All).expect("regular");
        let eps = vec![0.0; work.rows.len()];
        work.solver.factor(&model.pattern, &work.M_hat, &work.rows, &eps);
        let J_b = MatX::from_fn(work.rows.len(), model.nv, |i, j| work.rows.jacobian(i)[j]);

        let mut rows = ContactRows::default();
        rows.update(&model, &data.kin, &places());
        let mut W = Delassus::default();
        rows.factor(&model, (&work.M_hat, &work.solver), &eps, &mut W);
        let J = rows.to_dense(model.nv);
        (rows, W, [M, J, J_b])
    }

    fn dense(W: &Delassus) -> MatX {
        MatX::from_fn(W.nrows(), W.ncols(), |i, j| W.get(i, j))
    }

    #[test]
    fn the_delassus_matrix_is_the_inverse_mass_seen_from_the_contacts() {
        let (_, W, [M, J, _]) = prepared(false);
        let expected = &J * M.try_inverse().expect("regular") * J.transpose();
        let W = dense(&W);
        assert!((&W - &expected).amax() <= 1e-13 * expected.amax());
        assert_eq!(W, W.transpose());
        // the last contact touches none of the others
        assert!((0..9).all(|i| W[(i, 9)] == 0.0));
    }

    #[test]
    fn joints_are_eliminated_also_where_they_are_redundant() {
        let (_, W, [M, J, J_b]) = prepared(true);
        let M_inverse = M.try_inverse().expect("regular");
        // W_cc − W_cb W_bb⁺ W_bc with the pseudo-inverse of the redundant block
        let W_bb = &J_b * &M_inverse * J_b.transpose();
        let W_cb = &J * &M_inverse * J_b.transpose();
        let inverse = W_bb.pseudo_inverse(1e-9).expect("a pseudo-inverse");
        let expected = &J * &M_inverse * J.transpose() - &W_cb * inverse * W_cb.transpose();
        let W = dense(&W);
        assert!((&W - &expected).amax() <= 1e-11 * expected.amax());
        assert_eq!(W, W.transpose());
    }

    #[test]
    fn rows_and_their_transpose_are_dual() {
        let (rows, _, [_, J, _]) = prepared(false);
        let v = VecX::from_fn(J.ncols(), |i, _| 0.7 - 0.2 * i as f64);
        let mut u = Vec::new();
        rows.velocities(v.as_slice(), &mut u);
        assert!((VecX::from(u) - &J * &v).amax() < 1e-14);
        let p: Vec<f64> = (0..J.nrows()).map(|i| 0.3 * i as f64 - 1.0).collect();
        let mut momentum = vec![0.0; J.ncols()];
        rows.add_momentum(&p, &mut momentum);
        assert!((VecX::from(momentum) - J.transpose() * VecX::from(p)).amax() < 1e-14);
    }

    #[test]
    fn a_frame_is_right_handed_and_the_worlds_where_it_can_be() {
        assert_eq!(contact_frame(&Vec3::z()), Mat3::identity());
        for n in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.95, 0.1, -0.3], [0.2, -0.5, 0.4]] {
            let n = Vec3::from(n).normalize();
            let R = contact_frame(&n);
            assert!((R.transpose() * R - Mat3::identity()).amax() < 1e-15);
            assert!((R.determinant() - 1.0).abs() < 1e-15);
            assert_eq!(R.column(2), n);
        }
    }
}
