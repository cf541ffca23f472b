//! Which contact impulses of a step the law determines, and how far the others could be from those that were found.
//!
//! # Statement
//!
//! A table on four legs presses on the ground with forces of which statics know three combinations. A solver returns one
//! of all answers. Given the motion of the step, all impulses p are asked that
//!
//! ```text
//!  W (p − p*) = 0                                    give the same motion; joints may carry the difference
//!  p_n ≥ 0, and p = 0 where the contact opens        obey the law at this motion
//!  p_t in its disc, polygon or box where it sticks
//!  p_t on the face of it that is opposite to the slip, where it slips
//! ```
//!
//! Rows with compliance ε are determined: ε p is a part of the velocity. For each component of each impulse the
//! interval of its values follows, and impulses that attain both of its ends.
//!
//! # Method
//!
//! The null space of W within what the law leaves to each contact, then linear programs for each end; discs between
//! polygons around and inside of them, until both agree to 1e-9 of the force. An end may be infinite: a wedge between
//! two walls holds with any force.
//!
//! # Cost
//!
//! Six ends per contact, a few linear programs each, of 11 sides a contact or more: milliseconds for a table with friction, a
//! second for eight contacts, several at [`MAX_CONTACTS`].
//!
//! # When it fails
//!
//! See [`IndeterminacyError`]. Where friction is at its limit the set is thin and curved: its width there is known to the root
//! of 1e-9 of the force only. Theory: `docs/theory/indeterminacy.md`.

mod disc;
mod family;
mod freedom;

use std::fmt;

use crate::contact::law::Law;
use crate::contact::law::judge::{judge, scales};
use crate::contact::space::{ContactSpace, Sides};
use crate::data::Data;
use family::{Family, Reach};
use freedom::{Freedom, Solved, freedom};

/// Above this many contacts the linear programs take too long to be asked for between two steps.
pub const MAX_CONTACTS: usize = 12;
/// The law must hold to this part of the impulses and velocities: what a certificate excuses at most.
const HOLDS: f64 = 1e-7;
/// A contact is open, or slides, above this part of the velocities: below, the law is not known to hold.
const REST: f64 = 1e-7;
/// An interval narrower than this part of the impulses is a point: ten times what the law is known to.
const UNIQUE: f64 = 1e-6;

/// Values that a component of an impulse can have [N·s]; an end may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub min: f64,
    pub max: f64,
}

impl Interval {
    /// All values lie within `tol` [N·s] of each other.
    pub fn is_unique(&self, tol: f64) -> bool {
        self.max - self.min <= tol
    }

    pub fn contains(&self, p: f64, tol: f64) -> bool {
        p >= self.min - tol && p <= self.max + tol
    }
}

/// What is known of the impulses of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Indeterminacy {
    /// Of p_n, p_t1, p_t2 of each contact.
    pub intervals: Vec<[Interval; 3]>,
    /// Independent ways to change the impulses that change no motion, before p_n ≥ 0 and friction bound them.
    pub dimension: usize,
    /// An interval that is narrower is a point: 1e-6 of the impulses of the step [N·s].
    pub tol: f64,
    witnesses: Vec<[Vec<f64>; 2]>,
}

/// Which end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Min,
    Max,
}

impl Indeterminacy {
    /// The law determines how strongly the contact presses.
    pub fn is_normal_unique(&self, contact: usize) -> bool {
        self.intervals[contact][0].is_unique(self.tol)
    }

    /// The law determines its friction.
    pub fn is_friction_unique(&self, contact: usize) -> bool {
        self.intervals[contact][1..].iter().all(|interval| interval.is_unique(self.tol))
    }

    /// Every impulse is determined.
    pub fn is_unique(&self) -> bool {
        (0..self.intervals.len()).all(|i| self.is_normal_unique(i) && self.is_friction_unique(i))
    }

    /// Impulses of all contacts with component `axis` (n, t1, t2) of a contact at this end of its interval [N·s]; where the
    /// end is infinite, the direction in which they grow.
    pub fn witness(&self, contact: usize, axis: usize, end: End) -> &[f64] {
        &self.witnesses[3 * contact + axis][usize::from(end == End::Max)]
    }
}

/// Why nothing is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IndeterminacyError {
    /// More contacts than [`MAX_CONTACTS`].
    TooMany { contacts: usize },
    /// Guides, limits, motors or joint frictions take part: what they leave open is not known.
    Rows,
    /// The impulses do not obey the law: off by this part of their size.
    NotTheLaw { residual: f64 },
    /// Rounding decides about an impulse of this contact.
    Undecided { contact: usize },
}

impl fmt::Display for IndeterminacyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { contacts } => {
                write!(f, "{contacts} contacts: intervals are found for {MAX_CONTACTS} at most")
            }
            Self::Rows => {
                write!(f, "intervals are found for contacts without guides and bounded rows")
            }
            Self::NotTheLaw { residual } => {
                write!(f, "the impulses are {residual:.1e} of their size away from the law")
            }
            Self::Undecided { contact } => {
                write!(f, "rounding decides how far the impulse of contact {contact} can go")
            }
        }
    }
}

impl std::error::Error for IndeterminacyError {}

/// The intervals of the impulses of the last step, in the order of `data.contacts()`. `law` is the one of that step.
pub fn indeterminacy(data: &Data, law: &Law) -> Result<Indeterminacy, IndeterminacyError> {
    match &data.contact {
        Some(contact) if !contact.contacts.is_empty() => {
            of_space(&contact.space, law, &contact.p, contact.rows.free())
        }
        _ => Ok(Indeterminacy {
            intervals: Vec::new(),
            dimension: 0,
            tol: 0.0,
            witnesses: Vec::new(),
        }),
    }
}

/// The intervals around impulses p that solve a contact space. `free` is the diagonal that W would have without joints
/// [1/kg]; where there are none, its own.
pub fn of_space(
    space: &ContactSpace,
    law: &Law,
    p: &[f64],
    free: &[f64],
) -> Result<Indeterminacy, IndeterminacyError> {
    if space.k() > MAX_CONTACTS {
        return Err(IndeterminacyError::TooMany { contacts: space.k() });
    }
    if !space.rows.is_empty() || space.contacts.iter().any(|c| c.sides == Sides::Both) {
        return Err(IndeterminacyError::Rows);
    }
    let residual = judge(space, law, p);
    if !residual.accepts(HOLDS) {
        return Err(IndeterminacyError::NotTheLaw { residual: residual.relative() });
    }
    let scales = scales(space, law, p);
    let freedoms = freedoms(space, law, p, &scales);
    let largest = scales.iter().fold(0.0, |m: f64, [_, p_scale]| m.max(*p_scale));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut family = Family::new(space, &freedoms, p, (unit, free));
    let (mut ends, mut witnesses) = (Vec::new(), Vec::new());
    for row in 0..p.len() {
        let [low, high]: [Reach; 2] = [family.end(row, -1.0)?, family.end(row, 1.0)?];
        ends.push(Interval { min: low.value, max: high.value });
        witnesses.push([low.witness, high.witness]);
    }
    let intervals = ends.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    let (dimension, tol) = (family.dimension(), UNIQUE * unit);
    Ok(Indeterminacy { intervals, dimension, tol, witnesses })
}

fn freedoms(space: &ContactSpace, law: &Law, p: &[f64], scales: &[[f64; 2]]) -> Vec<Freedom> {
    let mut u = vec![0.0; p.len()];
    space.W.affine(p, &space.u_free, &mut u);
    let of = |(i, contact)| {
        let at = |x: &[f64]| [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
        let [v_scale, p_scale] = scales[i];
        let (p, u, v_rest) = (at(p), at(&u), REST * v_scale);
        freedom(law, &Solved { contact, h: space.h, p, u, v_scale, p_scale, v_rest })
    };
    space.contacts.iter().enumerate().map(of).collect()
}
