//! The linear problem of one step on the interior path: facets and slips eliminated, sparse factors.

use super::super::Pyramid;
use crate::cone::{Triple, block_times};
use crate::friction::FrictionProblem;
use crate::linalg::{SparseLu, minimum_degree};
use crate::matrix::{Csc, Matrix};

/// Rows (p_n, β, s) of a contact; without friction p_n alone.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    normal: usize,
    /// One past the last facet, which is the row of s where there is friction.
    slip: usize,
}

impl Rows {
    fn has_friction(self) -> bool {
        self.slip > self.normal
    }

    fn facets(self) -> std::ops::Range<usize> {
        self.normal + 1..self.slip
    }
}

/// What elimination leaves of a contact at one point of the path.
#[derive(Clone, Copy, Debug, Default)]
struct Local {
    /// `θ_s + Σ 1/θ_j`, θ = w / z.
    flow: f64,
    /// `μ Σ e_j/θ_j / flow`: where friction goes when p_n grows.
    along: [f64; 2],
    /// D: the normal's entry, then the tangents' symmetric block (xx, xy, yy).
    normal: f64,
    tangent: [f64; 3],
}

/// In units in which each contact's mass is 1 and the largest entry of q is 1.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    dim: usize,
    dilation: f64,
    contact: Vec<Rows>,
    /// Directions of the facets, by row.
    direction: Vec<[f64; 2]>,
    mu: Vec<f64>,
    /// Square roots of the contacts' masses; unit of velocity × √mass.
    root: Vec<f64>,
    unit: f64,
    q: Vec<Triple>,
    /// Blocks of W by column: `start[d]..` are (row, block).
    start: Vec<usize>,
    block: Vec<(u32, [f64; 9])>,
    order: Vec<usize>,
    local: Vec<Local>,
    p: Vec<Triple>,
    u: Vec<Triple>,
    x: Vec<f64>,
    lu: SparseLu,
}

impl System {
    /// Reads the reduced problem; false if some contact has no mass.
    pub(super) fn load(
        &mut self,
        pyramid: &Pyramid,
        reduced: &FrictionProblem,
        dilation: f64,
    ) -> bool {
        let (dim, k, W) = (reduced.dim(), reduced.contacts(), reduced.W());
        (self.dim, self.dilation) = (dim, dilation);
        self.contact.clear();
        self.direction.clear();
        self.mu.clear();
        self.root.clear();
        for (c, contact) in pyramid.contacts.iter().enumerate() {
            let normal = self.direction.len();
            self.direction.push([0.0; 2]);
            self.direction.extend(contact.facets.iter().map(|&(_, e)| e));
            let facets = contact.facets.len();
            if facets > 0 {
                self.direction.push([0.0; 2]);
            }
            let slip = if facets > 0 { normal + facets + 1 } else { normal };
            self.contact.push(Rows { normal, slip });
            self.mu.push(contact.mu);
            let trace: f64 = (0..dim).map(|a| W.get(dim * c + a, dim * c + a)).sum();
            self.root.push((dim as f64 / trace).sqrt());
        }
        self.load_blocks(W);
        self.q.clear();
        self.q.extend(
            reduced
                .q()
                .chunks_exact(dim)
                .zip(&self.root)
                .map(|(q, root)| std::array::from_fn(|a| q.get(a).map_or(0.0, |q_a| q_a * root))),
        );
        let largest = self.q.iter().flatten().fold(0.0_f64, |m, q| m.max(q.abs()));
        self.unit = if largest > 0.0 { largest } else { 1.0 };
        self.q.iter_mut().flatten().for_each(|q| *q /= self.unit);
        self.local.clear();
        self.local.resize(k, Local::default());
        for vector in [&mut self.p, &mut self.u] {
            vector.clear();
            vector.resize(k, [0.0; 3]);
        }
        self.root.iter().all(|root| root.is_finite())
    }

    fn load_blocks(&mut self, W: &Matrix) {
        let (dim, k) = (self.dim, self.contact.len());
        self.start.clear();
        self.start.push(0);
        self.block.clear();
        let mut place = vec![usize::MAX; k];
        let mut triplets = Vec::new();
        for d in 0..k {
            let begin = self.block.len();
            for b in 0..dim {
                W.for_column(dim * d + b, |i, w_ij| {
                    let (c, a) = (i / dim, i % dim);
                    if w_ij == 0.0 {
                        return;
                    }
                    if place[c] == usize::MAX || place[c] < begin {
                        place[c] = self.block.len();
                        self.block.push((c as u32, [0.0; 9]));
                        triplets.push((c, d, 1.0));
                    }
                    self.block[place[c]].1[3 * a + b] = self.root[c] * w_ij * self.root[d];
                });
            }
            self.start.push(self.block.len());
        }
        self.order = minimum_degree(&Matrix::from(Csc::from_triplets((k, k), &mut triplets)));
    }

    /// Rows of z.
    pub(super) fn rows(&self) -> usize {
        self.direction.len()
    }

    /// Half the friction that p_n = 1 allows, spread over the facets.
    pub(super) fn spread_friction(&self, z: &mut [f64], w: &mut [f64]) {
        for (rows, mu) in self.contact.iter().zip(&self.mu) {
            if rows.has_friction() {
                z[rows.facets()].fill(0.5 * mu / rows.facets().len() as f64);
                w[rows.slip] = 0.5 * mu;
            }
        }
    }

    /// Impulses in the rows and units of the reduced problem.
    pub(super) fn impulses(&mut self, z: &[f64], p: &mut [f64]) {
        self.gather(z);
        for (c, p_c) in p.chunks_exact_mut(self.dim).enumerate() {
            for (out, p_a) in p_c.iter_mut().zip(&self.p[c]) {
                *out = p_a * self.root[c] * self.unit;
            }
        }
    }

    /// `p ← (p_n, Σ β_j e_j)`.
    fn gather(&mut self, z: &[f64]) {
        for (p, rows) in self.p.iter_mut().zip(&self.contact) {
            *p = [z[rows.normal], 0.0, 0.0];
            for i in rows.facets() {
                p[1] += self.direction[i][0] * z[i];
                p[2] += self.direction[i][1] * z[i];
            }
        }
    }

    /// `u ← W p`.
    fn velocities(&mut self) {
        self.u.fill([0.0; 3]);
        for (d, p) in self.p.iter().enumerate() {
            for (c, block) in &self.block[self.start[d]..self.start[d + 1]] {
                let w = block_times(block, p);
                let u = &mut self.u[*c as usize];
                *u = [u[0] + w[0], u[1] + w[1], u[2] + w[2]];
            }
        }
    }

    /// `out ← A z`.
    pub(super) fn multiply(&mut self, z: &[f64], out: &mut [f64]) {
        self.gather(z);
        self.velocities();
        self.rows_of(z, out);
    }

    /// `out ← w − A z − b`.
    pub(super) fn residual(&mut self, z: &[f64], w: &[f64], out: &mut [f64]) {
        self.gather(z);
        self.velocities();
        for (u, q) in self.u.iter_mut().zip(&self.q) {
            *u = [u[0] + q[0], u[1] + q[1], u[2] + q[2]];
        }
        self.rows_of(z, out);
        for (out, w) in out.iter_mut().zip(w) {
            *out = w - *out;
        }
    }

    /// Rows of A at z, with u the velocities of its impulses.
    fn rows_of(&self, z: &[f64], out: &mut [f64]) {
        for (c, rows) in self.contact.iter().enumerate() {
            let (u, mu) = (&self.u[c], self.mu[c]);
            out[rows.normal] = u[0];
            if rows.has_friction() {
                let s = z[rows.slip];
                out[rows.normal] -= self.dilation * mu * s;
                let mut friction = 0.0;
                for i in rows.facets() {
                    out[i] = self.direction[i][0] * u[1] + self.direction[i][1] * u[2] + s;
                    friction += z[i];
                }
                out[rows.slip] = mu * z[rows.normal] - friction;
            }
        }
    }

    /// Factors `A + diag(w / z)`; gives the sign of its determinant.
    pub(super) fn factor(&mut self, z: &[f64], w: &[f64]) -> f64 {
        for c in 0..self.contact.len() {
            self.local[c] = self.eliminate(c, z, w);
        }
        let mut lu = std::mem::take(&mut self.lu);
        let (this, dim) = (&*self, self.dim);
        let order = this.order.iter().flat_map(|&c| dim * c..dim * (c + 1));
        lu.factor(order, f64::MIN_POSITIVE, |x, entries| this.fill_column(x, entries));
        let sign = lu.determinant_sign();
        self.lu = lu;
        sign
    }

    fn eliminate(&self, c: usize, z: &[f64], w: &[f64]) -> Local {
        let (rows, mu) = (self.contact[c], self.mu[c]);
        let theta_n = w[rows.normal] / z[rows.normal];
        if !rows.has_friction() {
            return Local { flow: 1.0, along: [0.0; 2], normal: theta_n, tangent: [1.0, 0.0, 1.0] };
        }
        let theta_s = w[rows.slip] / z[rows.slip];
        let (mut flow, mut mean) = (theta_s, [0.0; 2]);
        for i in rows.facets() {
            let omega = z[i] / w[i];
            flow += omega;
            mean[0] += omega * self.direction[i][0];
            mean[1] += omega * self.direction[i][1];
        }
        mean = [mean[0] / flow, mean[1] / flow];
        // Σ eeᵀ/θ − flow mean meanᵀ, without cancellation
        let mut soft = [mean[0] * mean[0], mean[0] * mean[1], mean[1] * mean[1]];
        soft.iter_mut().for_each(|s| *s *= theta_s);
        for i in rows.facets() {
            let omega = z[i] / w[i];
            let e = [self.direction[i][0] - mean[0], self.direction[i][1] - mean[1]];
            soft[0] += omega * e[0] * e[0];
            soft[1] += omega * e[0] * e[1];
            soft[2] += omega * e[1] * e[1];
        }
        let tangent = if self.dim == 2 {
            [1.0 / soft[0], 0.0, 1.0]
        } else {
            let det = soft[0] * soft[2] - soft[1] * soft[1];
            [soft[2] / det, -soft[1] / det, soft[0] / det]
        };
        let normal = theta_n + self.dilation * mu * mu / flow;
        Local { flow, along: [mu * mean[0], mu * mean[1]], normal, tangent }
    }

    /// Column x of `D + Rᵀ W C`: C = (p_n, p_t + along p_n), R the same with `dilation · along`.
    fn fill_column(&self, x: usize, entries: &mut Vec<(u32, f64)>) {
        let (d, b) = (x / self.dim, x % self.dim);
        let [along_x, along_y] = self.local[d].along;
        let direction = match b {
            0 => [1.0, along_x, along_y],
            1 => [0.0, 1.0, 0.0],
            _ => [0.0, 0.0, 1.0],
        };
        for (c, block) in &self.block[self.start[d]..self.start[d + 1]] {
            let c = *c as usize;
            let (local, mut v) = (&self.local[c], block_times(block, &direction));
            v[0] += self.dilation * (local.along[0] * v[1] + local.along[1] * v[2]);
            if c == d {
                let [xx, xy, yy] = local.tangent;
                let own = [[local.normal, 0.0, 0.0], [0.0, xx, xy], [0.0, xy, yy]][b];
                v = [v[0] + own[0], v[1] + own[1], v[2] + own[2]];
            }
            for (a, &v_a) in v[..self.dim].iter().enumerate() {
                entries.push(((self.dim * c + a) as u32, v_a));
            }
        }
    }

    /// Solves `(A + diag(w / z)) dz = g`.
    pub(super) fn solve(&mut self, g: &[f64], (z, w): (&[f64], &[f64]), dz: &mut [f64]) {
        // what the contacts would do were their velocities given, then the velocities
        self.u.fill([0.0; 3]);
        self.answer(g, (z, w), dz);
        self.gather(dz);
        self.x.clear();
        for (p, local) in self.p.iter().zip(&self.local) {
            let side = [p[1] - local.along[0] * p[0], p[2] - local.along[1] * p[0]];
            let [xx, xy, yy] = local.tangent;
            let x = [local.normal * p[0], xx * side[0] + xy * side[1], xy * side[0] + yy * side[1]];
            self.x.extend_from_slice(&x[..self.dim]);
        }
        self.lu.solve(&mut self.x);
        for (c, x) in self.x.chunks_exact(self.dim).enumerate() {
            let along = self.local[c].along;
            let third = x.get(2).map_or(0.0, |x_2| x_2 + along[1] * x[0]);
            self.p[c] = [x[0], x[1] + along[0] * x[0], third];
        }
        self.velocities();
        self.answer(g, (z, w), dz);
    }

    /// dz of each contact from g and the change u of its velocity.
    fn answer(&self, g: &[f64], (z, w): (&[f64], &[f64]), dz: &mut [f64]) {
        for (c, rows) in self.contact.iter().enumerate() {
            let (u, mu, n) = (&self.u[c], self.mu[c], rows.normal);
            let yielding = z[n] / w[n];
            dz[n] = (g[n] - u[0]) * yielding;
            if !rows.has_friction() {
                continue;
            }
            let rest = |i: usize| g[i] - self.direction[i][0] * u[1] - self.direction[i][1] * u[2];
            let mut sum = g[rows.slip] - mu * dz[n];
            for i in rows.facets() {
                sum += rest(i) * z[i] / w[i];
            }
            let ds = sum / (self.local[c].flow + self.dilation * mu * mu * yielding);
            dz[rows.slip] = ds;
            dz[n] += yielding * self.dilation * mu * ds;
            for i in rows.facets() {
                dz[i] = (rest(i) - ds) * z[i] / w[i];
            }
        }
    }
}
