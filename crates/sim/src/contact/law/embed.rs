//! Guides and bounded rows as friction cones, so that every cone solver solves them and needs to know nothing.
//!
//! ```text
//!  p ≥ lower          a contact without friction:   n = the row,  t1, t2 idle,  μ = 0
//!  lower ≤ p ≤ upper  a contact that presses with 1: n idle with u_n = w (p_n − 1),  t1 = the row,  t2 idle,
//!                     μ = (upper − lower)/2, and p = (lower + upper)/2 + r_t1
//!  guide              a contact whose normal is turned to the side that presses (`signs`)
//!  friction on a line t2 idle
//! ```
//!
//! Idle rows have their diagonal (w, or 1) and nothing else: their impulse is what their own right side says. Two-sided
//! rows are thus Coulomb friction under a known normal impulse, exactly: `u_n = 0` with `p_n = 1`, and r_t1 within ±μ, at a
//! bound only where the row moves against it.

use stiction_lcp::{Csc, FrictionProblem, MatX, Matrix};

use super::{LawError, coefficient};
use crate::contact::space::{BoundedRow, ContactSpace, Sides, Tangents};

/// Where a row of the space stands among the cones: `p = zero + sign · r[at]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// None: the row is idle, and p is zero.
    at: Option<usize>,
    sign: f64,
    zero: f64,
}

/// Impulses of the space from those of the cones.
pub(super) fn impulses(readings: &[Reading], r: &[f64]) -> Vec<f64> {
    readings.iter().map(|read| read.zero + read.at.map_or(0.0, |at| read.sign * r[at])).collect()
}

/// Impulses of the cones from those of the space; idle normals press with 1.
pub(super) fn cones(space: &ContactSpace, readings: &[Reading], p: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; 3 * (space.k() + space.rows.len())];
    for (read, p_i) in readings.iter().zip(p) {
        if let Some(at) = read.at {
            r[at] = read.sign * (p_i - read.zero);
        }
    }
    idle_normals(space).for_each(|n| r[n] = 1.0);
    r
}

/// Where each row goes. `signs`: for each contact the side of a guide that presses, 1 or −1.
pub(super) fn readings(space: &ContactSpace, signs: &[f64]) -> Vec<Reading> {
    let k = space.k();
    let mut readings = Vec::with_capacity(space.m());
    for (c, contact) in space.contacts.iter().enumerate() {
        let at = |row: usize| Reading { at: Some(3 * c + row), sign: 1.0, zero: 0.0 };
        readings.push(Reading { sign: signs[c], ..at(0) });
        readings.push(at(1));
        let idle = contact.tangents == Tangents::Line;
        readings.push(if idle { Reading { at: None, ..at(2) } } else { at(2) });
    }
    for (i, row) in space.rows.iter().enumerate() {
        let n = 3 * (k + i);
        readings.push(if row.range().is_some() {
            Reading { at: Some(n + 1), sign: 1.0, zero: 0.5 * (row.lower + row.upper) }
        } else if row.lower.is_finite() {
            Reading { at: Some(n), sign: 1.0, zero: row.lower }
        } else {
            Reading { at: Some(n), sign: -1.0, zero: row.upper }
        });
    }
    readings
}

/// The normals that press with 1.
pub(super) fn idle_normals(space: &ContactSpace) -> impl Iterator<Item = usize> + '_ {
    let rows = space.rows.iter().enumerate().filter(|(_, row)| row.range().is_some());
    rows.map(|(i, _)| 3 * (space.k() + i))
}

/// The cones of all contacts and rows; `weights` are the w of bounded rows.
pub(super) fn friction_problem(
    space: &ContactSpace,
    v_stick: f64,
    readings: &[Reading],
    weights: &[f64],
) -> Result<FrictionProblem, LawError> {
    let contacts = space.contacts.iter().map(|c| coefficient(c, v_stick));
    let half = |row: &BoundedRow| 0.5 * row.range().unwrap_or(0.0);
    let mu = contacts.chain(space.rows.iter().map(half)).collect();
    let (W, q) = (matrix(space, readings, weights), right_side(space, readings, weights));
    Ok(FrictionProblem::new(3, W, q, mu)?)
}

/// ε of each row.
fn compliances(space: &ContactSpace) -> impl Iterator<Item = f64> + '_ {
    let contacts = space.contacts.iter().flat_map(|c| [c.eps_n, 0.0, 0.0]);
    contacts.chain(space.rows.iter().map(|row| row.eps))
}

/// `W + diag(ε)` where rows stand, 1 on the diagonal of idle rows.
fn matrix(space: &ContactSpace, readings: &[Reading], weights: &[f64]) -> Matrix {
    let n = 3 * (space.k() + space.rows.len());
    let mut is_idle = vec![true; n];
    readings.iter().filter_map(|read| read.at).for_each(|at| is_idle[at] = false);
    let weight = |i: usize| if i.is_multiple_of(3) { weights[i / 3 - space.k()] } else { 1.0 };
    let idle = (0..n).filter(|&i| is_idle[i]).map(|i| (i, i, weight(i)));
    let eps =
        readings.iter().zip(compliances(space)).filter_map(|(read, eps)| Some((read.at?, eps)));
    let own = idle.chain(eps.filter(|(_, eps)| *eps != 0.0).map(|(at, eps)| (at, at, eps)));
    match space.W.matrix() {
        Matrix::Dense(W) => {
            let mut out = MatX::zeros(n, n);
            for (j, column) in readings.iter().enumerate() {
                let Some(at_j) = column.at else { continue };
                for (i, row) in readings.iter().enumerate() {
                    if let Some(at_i) = row.at {
                        out[(at_i, at_j)] = row.sign * column.sign * W[(i, j)];
                    }
                }
            }
            own.for_each(|(i, j, w)| out[(i, j)] += w);
            out.into()
        }
        Matrix::Sparse(W) => {
            let mut entries: Vec<_> = own.collect();
            for (j, column) in readings.iter().enumerate() {
                let (Some(at_j), (rows, values)) = (column.at, W.column(j)) else { continue };
                entries.extend(rows.iter().zip(values).filter_map(|(&i, &w)| {
                    Some((readings[i].at?, at_j, readings[i].sign * column.sign * w))
                }));
            }
            Csc::from_triplets((n, n), &mut entries).into()
        }
    }
}

/// `sign (u_free + d + (W + ε) zero)`; −w for the normals that press with 1.
fn right_side(space: &ContactSpace, readings: &[Reading], weights: &[f64]) -> Vec<f64> {
    let mut u = space.u_free.clone();
    for (c, contact) in space.contacts.iter().enumerate() {
        u[3 * c] += contact.d_n;
    }
    for (i, row) in space.rows.iter().enumerate() {
        let (place, zero) = (3 * space.k() + i, readings[3 * space.k() + i].zero);
        u[place] += row.d + row.eps * zero;
        if zero != 0.0 {
            space.W.for_column(place, |j, w| u[j] += w * zero);
        }
    }
    let mut q = vec![0.0; 3 * (space.k() + space.rows.len())];
    for (read, u_i) in readings.iter().zip(&u) {
        if let Some(at) = read.at {
            q[at] = read.sign * u_i;
        }
    }
    idle_normals(space).for_each(|n| q[n] = -weights[n / 3 - space.k()]);
    q
}

/// The sides on which guides press at impulses p; where p is 0, what keeps the row from moving.
pub(super) fn sides(space: &ContactSpace, p: &[f64]) -> Vec<f64> {
    let side = |(c, contact): (usize, &crate::contact::space::ContactData)| match contact.sides {
        Sides::One => 1.0,
        Sides::Both if p[3 * c] != 0.0 => p[3 * c].signum(),
        Sides::Both if space.u_free[3 * c] + contact.d_n > 0.0 => -1.0,
        Sides::Both => 1.0,
    };
    space.contacts.iter().enumerate().map(side).collect()
}
