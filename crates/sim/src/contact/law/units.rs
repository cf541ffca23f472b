//! Units in which velocities and masses are about 1, so that a tolerance means the same for watches and for ships.
//!
//! Powers of two: the answer in other units of this kind has the same bits.

use stiction_lcp::{Csc, Matrix};

use super::{Hybrid, Lateral, Law, Phantom};
use crate::contact::space::{ContactData, ContactSpace};
use crate::model::Relaxation;

/// Seconds stay seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    /// [kg]
    mass: f64,
    /// [m/s]
    velocity: f64,
}

impl Units {
    pub(super) fn of(space: &ContactSpace) -> Self {
        let largest = |a: f64, b: f64| if b > a { b } else { a };
        let offsets = space.contacts.iter().map(|c| c.d_n.abs());
        let velocity = space.u_free.iter().map(|u| u.abs()).chain(offsets).fold(0.0, largest);
        let W_ii = (0..space.W.nrows()).map(|i| space.W.get(i, i).abs()).fold(0.0, largest);
        Self { mass: 1.0 / power_of_two(W_ii), velocity: power_of_two(velocity) }
    }

    /// One unit of impulse [N·s].
    pub(super) fn impulse(&self) -> f64 {
        self.mass * self.velocity
    }

    pub(super) fn space(&self, space: &ContactSpace) -> ContactSpace {
        ContactSpace {
            h: space.h,
            W: scaled(&space.W, self.mass),
            u_free: space.u_free.iter().map(|u| u / self.velocity).collect(),
            contacts: space.contacts.iter().map(|c| self.contact(c)).collect(),
        }
    }

    fn contact(&self, c: &ContactData) -> ContactData {
        let (mass, velocity, force) = (self.mass, self.velocity, self.impulse());
        ContactData {
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

fn scaled(W: &Matrix, s: f64) -> Matrix {
    match W {
        Matrix::Dense(W) => Matrix::from(W * s),
        Matrix::Sparse(W) => {
            let mut entries = Vec::new();
            for j in 0..W.ncols() {
                let (row, value) = W.column(j);
                entries.extend(row.iter().zip(value).map(|(&i, &w)| (i, j, w * s)));
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
