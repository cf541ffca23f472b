//! Units in which velocities and masses are about 1, so that a tolerance means the same for watches and for ships.
//!
//! Powers of two: the answer in other units of this kind has the same bits.

use stiction_lcp::{Csc, MatX, Matrix};

use super::{Hybrid, Lateral, Law, Phantom};
use crate::contact::delassus::Root;
use crate::contact::space::{BoundedRow, ContactData, ContactSpace};
use crate::model::Relaxation;

/// Seconds stay seconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Units {
    /// [kg]
    mass: f64,
    /// [m/s]
    velocity: f64,
    /// What one unit of each bounded row's rate is as a velocity: a lever [m] for angles, such that its inertia is about
    /// that of the others.
    lever: Vec<f64>,
}

impl Units {
    pub(super) fn of(space: &ContactSpace) -> Self {
        let largest = |a: f64, b: f64| if b > a { b } else { a };
        let k = space.k();
        let W_ii = |i: usize| space.W.get(i, i).abs();
        let contacts = (0..3 * k).map(W_ii).fold(0.0, largest);
        let rows = (3 * k..space.m()).map(W_ii).fold(0.0, largest);
        let W_max = power_of_two(if k > 0 { contacts } else { rows });
        let lever = |i: usize| power_of_two(libm::sqrt(W_max / W_ii(3 * k + i)));
        let lever: Vec<f64> = (0..space.rows.len()).map(lever).collect();
        let offsets = space.contacts.iter().map(|c| c.d_n.abs());
        let own = space.u_free[..3 * k].iter().map(|u| u.abs()).chain(offsets);
        let moved = (0..space.rows.len())
            .map(|i| lever[i] * (space.u_free[3 * k + i].abs() + space.rows[i].d.abs()));
        let velocity = own.chain(moved).fold(0.0, largest);
        Self { mass: 1.0 / W_max, velocity: power_of_two(velocity), lever }
    }

    /// Impulses of the scaled space in SI units.
    pub(super) fn impulses(&self, p: &mut [f64]) {
        let contacts = p.len() - self.lever.len();
        p[..contacts].iter_mut().for_each(|p_i| *p_i *= self.impulse());
        for (p_i, lever) in p[contacts..].iter_mut().zip(&self.lever) {
            *p_i *= self.impulse() * lever;
        }
    }

    /// One unit of impulse [N·s].
    pub(super) fn impulse(&self) -> f64 {
        self.mass * self.velocity
    }

    pub(super) fn space(&self, space: &ContactSpace) -> ContactSpace {
        let lever = |i: usize| if i < 3 * space.k() { 1.0 } else { self.lever[i - 3 * space.k()] };
        let u_free = space.u_free.iter().enumerate();
        ContactSpace {
            h: space.h,
            W: scaled(space.W.matrix(), |i, j| self.mass * lever(i) * lever(j)).into(),
            u_free: u_free.map(|(i, u)| lever(i) * u / self.velocity).collect(),
            contacts: space.contacts.iter().map(|c| self.contact(c)).collect(),
            rows: space.rows.iter().zip(&self.lever).map(|(row, l)| self.row(row, *l)).collect(),
        }
    }

    fn row(&self, row: &BoundedRow, lever: f64) -> BoundedRow {
        let impulse = self.impulse() * lever;
        BoundedRow {
            eps: row.eps * self.mass * lever * lever,
            d: row.d * lever / self.velocity,
            lower: row.lower / impulse,
            upper: row.upper / impulse,
            lambda: row.lambda / impulse,
        }
    }

    fn contact(&self, c: &ContactData) -> ContactData {
        let (mass, velocity, force) = (self.mass, self.velocity, self.impulse());
        ContactData {
            sides: c.sides,
            tangents: c.tangents,
            phi: c.phi / velocity,
            eps_n: c.eps_n * mass,
            d_n: c.d_n / velocity,
            mu_s: c.mu_s,
            mu_k: c.mu_k,
            bristle: c.bristle.map(|r| Relaxation { k: r.k / mass, b: r.b / mass }),
            u_t: c.u_t.map(|u| u / velocity),
            lambda_n: c.lambda_n / force,
            lambda_t: c.lambda_t.map(|lambda| lambda / force),
        }
    }

    pub(super) fn law(&self, law: &Law) -> Law {
        let mut law = *law;
        match &mut law {
            Law::Frictionless => {}
            Law::Pyramid(s) => s.v_stick /= self.velocity,
            Law::Box(s) => s.v_stick /= self.velocity,
            Law::Cone(s) => s.v_stick /= self.velocity,
            Law::Convex(s) => s.v_stick /= self.velocity,
            Law::Hybrid(Hybrid { v_stick, lambda_min }) => {
                *v_stick /= self.velocity;
                *lambda_min /= self.impulse();
            }
            Law::Phantom(Phantom { directions: _, rho, v_stick, lateral }) => {
                *rho /= self.mass;
                *v_stick /= self.velocity;
                if let Lateral::Relaxed { lambda_min } = lateral {
                    *lambda_min /= self.impulse();
                }
            }
        }
        law
    }
}

/// The same for an island whose W is known by its root. The unit of mass is a power of four, which has a square root; units of
/// other masses by powers of four change no bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RootUnits {
    /// [kg]
    pub(super) mass: f64,
    pub(super) root_of_mass: f64,
    /// [m/s]
    pub(super) velocity: f64,
    /// Of the bounded rows of the island.
    pub(super) lever: Vec<f64>,
}

impl RootUnits {
    /// For these blocks.
    pub(super) fn find(&mut self, space: &ContactSpace, root: &Root, blocks: &[usize]) {
        let largest = |a: f64, b: f64| if b > a { b } else { a };
        let k = space.k();
        let (contacts, bounded) = blocks.split_at(blocks.partition_point(|&block| block < k));
        let (mut W_max, mut velocity) = (0.0, 0.0);
        for &c in contacts {
            for i in 3 * c..3 * c + 3 {
                W_max = largest(W_max, root.diagonal(i));
                velocity = largest(velocity, space.u_free[i].abs());
            }
            velocity = largest(velocity, space.contacts[c].d_n.abs());
        }
        self.root_of_mass = 1.0 / power_of_two(W_max.sqrt());
        self.mass = self.root_of_mass * self.root_of_mass;
        self.lever.clear();
        for &block in bounded {
            let i = 2 * k + block;
            let own = self.mass * root.diagonal(i);
            let lever = power_of_two((1.0 / own).sqrt());
            let moved = space.u_free[i].abs() + space.rows[block - k].d.abs();
            velocity = largest(velocity, lever * moved);
            self.lever.push(lever);
        }
        self.velocity = power_of_two(velocity);
    }

    /// One unit of impulse [N·s].
    pub(super) fn impulse(&self) -> f64 {
        self.mass * self.velocity
    }
}

fn scaled(W: &Matrix, scale: impl Fn(usize, usize) -> f64) -> Matrix {
    match W {
        Matrix::Dense(W) => {
            Matrix::from(MatX::from_fn(W.nrows(), W.ncols(), |i, j| W[(i, j)] * scale(i, j)))
        }
        Matrix::Sparse(W) => {
            let mut entries = Vec::new();
            for j in 0..W.ncols() {
                let (row, value) = W.column(j);
                entries.extend(row.iter().zip(value).map(|(&i, &w)| (i, j, w * scale(i, j))));
            }
            Matrix::from(Csc::from_triplets((W.nrows(), W.ncols()), &mut entries))
        }
    }
}

/// The power of two at or below x, within 2^±500; 1 for 0 and for what is not finite.
fn power_of_two(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return 1.0;
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    f64::from_bits(((exponent.clamp(-500, 500) + 1023) as u64) << 52)
}
