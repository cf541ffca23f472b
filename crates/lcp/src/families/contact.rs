//! Rigid bodies and contacts, just enough to state the problem of one time step.
//!
//! ```text
//!  M (v⁺ − v_free) = Jᵀ p,   u = J v⁺ = W p + q,   W = J M⁻¹ Jᵀ,   q = J v_free
//! ```
//!
//! Spatial velocities are (angular, linear) about the centre of mass, in world axes; the bodies are
//! taken with their principal axes along the world's.

use super::Rng;
use crate::friction::{FrictionProblem, GlobalFrictionProblem};
use crate::matrix::Csc;
use crate::problem::BoxLcp;

pub(super) type Vec3 = [f64; 3];

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalized(a: Vec3) -> Vec3 {
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    a.map(|x| x / length)
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Body {
    /// Centre of mass [m].
    pub p_WB: Vec3,
    /// In kg.
    pub mass: f64,
    /// Principal moments for unit mass [m²].
    pub gyration: Vec3,
    /// `v_free`, (angular, linear) [rad/s, m/s].
    pub v_free: [f64; 6],
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contact {
    /// `None` is the ground.
    pub body_A: Option<usize>,
    pub body_B: usize,
    pub p_WC: Vec3,
    /// From A into B.
    pub normal: Vec3,
}

/// One row of J: entries of each body it touches.
pub(super) type Row = Vec<(usize, [f64; 6])>;

/// Bodies that touch: states its contact problem in each form.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub(super) bodies: Vec<Body>,
    pub(super) contacts: Vec<Contact>,
    pub(super) mu: f64,
}

impl Scene {
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    pub fn contacts(&self) -> usize {
        self.contacts.len()
    }

    /// The exact-Coulomb problem `u = W r + q`, rows (n, t1, t2) per contact.
    pub fn friction(&self) -> FrictionProblem {
        let (W, q) = self.delassus(&self.rows());
        FrictionProblem::new(3, W, q, vec![self.mu; self.contacts()])
            .expect("a scene's data is finite")
    }

    /// The same as `M v = q + H r`, `u = Hᵀ v`.
    pub fn global(&self) -> GlobalFrictionProblem {
        let (nv, rows) = (6 * self.bodies.len(), self.rows());
        let mut M: Vec<_> = (0..nv).map(|k| (k, k, self.inertia(k))).collect();
        let mut H = Vec::new();
        for (j, row) in rows.iter().enumerate() {
            for (body, entries) in row {
                H.extend(entries.iter().enumerate().map(|(k, &x)| (6 * body + k, j, x)));
            }
        }
        H.retain(|&(_, _, x)| x != 0.0);
        let q = (0..nv).map(|k| self.inertia(k) * self.bodies[k / 6].v_free[k % 6]).collect();
        let M = Csc::from_triplets((nv, nv), &mut M);
        let H = Csc::from_triplets((nv, rows.len()), &mut H);
        GlobalFrictionProblem::new(
            (3, vec![self.mu; self.contacts()]),
            M,
            H,
            q,
            vec![0.0; rows.len()],
        )
        .expect("a scene's data is finite")
    }

    /// The Stewart–Trinkle pyramid with `facets` directions per contact, unknowns
    /// `[all p_n; all β, contact by contact; all s]`:
    ///
    /// ```text
    ///  w_n = W_nn p_n + W_nd β       + q_n
    ///  w_d = W_dn p_n + W_dd β + E s + q_d
    ///  w_s = μ p_n − Eᵀ β
    /// ```
    ///
    /// # Panics
    ///
    /// With fewer than 3 facets.
    pub fn pyramid(&self, facets: usize) -> BoxLcp {
        assert!(facets >= 3, "a pyramid in space needs three directions or more");
        let contacts = self.contacts();
        let cone_rows = self.rows();
        let mut rows: Vec<Row> = (0..contacts).map(|c| cone_rows[3 * c].clone()).collect();
        for c in 0..contacts {
            for [along_1, along_2] in directions(facets) {
                rows.push(combined(
                    (&cone_rows[3 * c + 1], along_1),
                    (&cone_rows[3 * c + 2], along_2),
                ));
            }
        }
        let mut triplets = Vec::new();
        let mut q = self.delassus_into(&rows, &mut triplets);
        let s_start = rows.len();
        for c in 0..contacts {
            triplets.push((s_start + c, c, self.mu));
            for k in 0..facets {
                let beta = contacts + c * facets + k;
                triplets.push((beta, s_start + c, 1.0));
                triplets.push((s_start + c, beta, -1.0));
            }
        }
        let n = s_start + contacts;
        q.resize(n, 0.0);
        BoxLcp::lcp(Csc::from_triplets((n, n), &mut triplets), q).expect("a scene's data is finite")
    }

    /// Gives every body a random velocity, each component below `speed` [m/s] in size.
    pub(super) fn shake(&mut self, speed: f64, rng: &mut Rng) {
        for body in &mut self.bodies {
            for (k, v_k) in body.v_free.iter_mut().enumerate() {
                let radius = if k < 3 { body.gyration[k].sqrt() } else { 1.0 };
                *v_k += rng.between(-speed, speed) / radius;
            }
        }
    }

    /// Diagonal entry k of M.
    pub(super) fn inertia(&self, k: usize) -> f64 {
        let body = &self.bodies[k / 6];
        if k % 6 < 3 { body.mass * body.gyration[k % 6] } else { body.mass }
    }

    /// Rows of J in the order n, t1, t2 per contact; lower body first.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::with_capacity(3 * self.contacts.len());
        for contact in &self.contacts {
            let normal = contact.normal;
            // a tangent from the axis that is farthest from the normal
            let axis = (0..3).fold(0, |m, k| if normal[k].abs() < normal[m].abs() { k } else { m });
            let mut e = [0.0; 3];
            e[axis] = 1.0;
            let t2 = normalized(cross(normal, e));
            for direction in [normal, cross(t2, normal), t2] {
                let mut row =
                    vec![(contact.body_B, self.spatial(contact, contact.body_B, direction))];
                if let Some(body_A) = contact.body_A {
                    row.push((body_A, self.spatial(contact, body_A, direction).map(|x| -x)));
                }
                row.sort_by_key(|&(body, _)| body);
                rows.push(row);
            }
        }
        rows
    }

    /// `(r × d, d)`: velocity at the contact along d, by the body's spatial velocity.
    fn spatial(&self, contact: &Contact, body: usize, d: Vec3) -> [f64; 6] {
        let r = std::array::from_fn(|k| contact.p_WC[k] - self.bodies[body].p_WB[k]);
        let turn = cross(r, d);
        [turn[0], turn[1], turn[2], d[0], d[1], d[2]]
    }

    fn delassus(&self, rows: &[Row]) -> (Csc, Vec<f64>) {
        let mut triplets = Vec::new();
        let q = self.delassus_into(rows, &mut triplets);
        (Csc::from_triplets((rows.len(), rows.len()), &mut triplets), q)
    }

    /// Adds the entries of `J M⁻¹ Jᵀ` that are not zero, equal bits on both sides of the diagonal;
    /// returns `J v_free`.
    fn delassus_into(&self, rows: &[Row], triplets: &mut Vec<(usize, usize, f64)>) -> Vec<f64> {
        let mut touching = vec![Vec::new(); self.bodies.len()];
        for (i, row) in rows.iter().enumerate() {
            for (body, entries) in row {
                touching[*body].push((i, *entries));
            }
        }
        for (body, row_entries) in touching.iter().enumerate() {
            for (i, a) in row_entries {
                for (j, b) in row_entries {
                    let terms = (0..6).map(|k| a[k] * b[k] / self.inertia(6 * body + k));
                    triplets.push((*i, *j, terms.sum()));
                }
            }
        }
        triplets.retain(|&(_, _, x)| x != 0.0);
        let speed = |(body, entries): &(usize, [f64; 6])| {
            (0..6).map(|k| entries[k] * self.bodies[*body].v_free[k]).sum::<f64>()
        };
        rows.iter().map(|row| row.iter().map(speed).sum()).collect()
    }
}

/// Unit vectors of the plane at equal angles; opposite pairs are exact negatives.
fn directions(facets: usize) -> Vec<[f64; 2]> {
    let clean = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
    let mut all = Vec::with_capacity(facets);
    for k in 0..facets {
        if facets.is_multiple_of(2) && k >= facets / 2 {
            let [x, y]: [f64; 2] = all[k - facets / 2];
            all.push([-x, -y]);
        } else {
            let angle = 2.0 * std::f64::consts::PI * k as f64 / facets as f64;
            all.push([clean(angle.cos()), clean(angle.sin())]);
        }
    }
    all
}

fn combined((a, s): (&Row, f64), (b, t): (&Row, f64)) -> Row {
    let mix = |k: usize, p: usize| s * a[p].1[k] + t * b[p].1[k];
    (0..a.len()).map(|p| (a[p].0, std::array::from_fn(|k| mix(k, p)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit cube of 2 kg on the ground at one contact under its centre, falling at 1 m/s.
    fn block(v_free: [f64; 6]) -> Scene {
        let body = Body { p_WB: [0.0, 0.0, 0.5], mass: 2.0, gyration: [1.0 / 6.0; 3], v_free };
        let contact = Contact { body_A: None, body_B: 0, p_WC: [0.0; 3], normal: [0.0, 0.0, 1.0] };
        Scene { bodies: vec![body], contacts: vec![contact], mu: 0.5 }
    }

    #[test]
    fn one_contact_by_hand() {
        let problem = block([0.0, 0.0, 0.0, 0.0, 0.0, -1.0]).friction();
        // normal: 1/m; tangents: 1/m + r²/I = 1/2 + 0.25/(2/6)
        let expected = [0.5, 1.25, 1.25];
        for i in 0..3 {
            for j in 0..3 {
                let entry = if i == j { expected[i] } else { 0.0 };
                assert!((problem.W().get(i, j) - entry).abs() < 1e-15, "({i}, {j})");
            }
        }
        assert_eq!(problem.q(), [-1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_pyramid_has_the_blocks_of_its_law() {
        let lcp = block([0.0, 0.0, 0.0, 3.0, 0.0, -1.0]).pyramid(4);
        assert_eq!(lcp.n(), 6);
        let A = lcp.A();
        assert_eq!((A.get(0, 0), A.get(5, 0), A.get(1, 5), A.get(5, 1)), (0.5, 0.5, 1.0, -1.0));
        assert_eq!(A.get(1, 3), -A.get(1, 1)); // opposite directions
        // sliding at 3 along x: slip against it, speed 3 − 1.25 · (μ · 2)
        let along = (1..5).min_by(|&i, &j| lcp.b()[i].total_cmp(&lcp.b()[j])).unwrap();
        let mut z = [0.0; 6];
        (z[0], z[along], z[5]) = (2.0, 1.0, 3.0 - 1.25);
        assert!(crate::judge::Judge::default().lcp(&lcp, &z).accepts(1e-15), "{:?}", lcp.b());
    }

    #[test]
    fn local_and_global_form_are_the_same_problem() {
        let scene = block([0.1, 0.2, 0.3, 3.0, 0.0, -1.0]);
        let (local, condensed) = (scene.friction(), scene.global().condense().unwrap());
        for i in 0..3 {
            assert!((local.q()[i] - condensed.q()[i]).abs() < 1e-15);
            for j in 0..3 {
                assert!((local.W().get(i, j) - condensed.W().get(i, j)).abs() < 1e-15);
            }
        }
    }
}
