//! The judge of the laws, in physical units. It shares no code with assembly: it computes `u = W p + u_free` and asks each
//! law's definition about (p, u).
//!
//! ```text
//!  ũ_n = u_n + ε_n p_n + d_n  (convex: − μ‖u_t‖)       ũ_t = u_t + ε_t p_t + d_t  (laws with bristles)
//!
//!  gap velocity  −ũ_n   negative impulse  −p_n   complementarity  |p_n ũ_n|
//!  excess        how far p_t is outside of P       misalignment  |p_t·ũ_t + max over P of (−ũ_t·x)|
//!
//!  guides        |ũ_n| is a gap velocity, P has the radius μ|p_n|
//!  bounded rows  beyond a bound: excess            (p − lower) w⁺ + (upper − p) w⁻: misalignment, the distances from bounds
//!                                                  at most as large as impulses are here, or |w| where one is infinite
//! ```
//!
//! Where impulses are known in two parts the judge is given p, rounded, and what both parts do to the coordinates of the root: the law is asked
//! about the velocities of these, with their sizes, and momentum must balance to rounding of p.
//!
//! Scales are those of the part of W that hangs together: a part is judged as if it were alone, and the worst one counts.
//! All are zero exactly where the law holds: the last one says that −ũ_t is in the normal cone of P at p_t. The
//! stabilization `Diagonal` of the pyramid is not part of the law: its effect is a residual here.

pub(in crate::contact) mod demand;
mod parts;
mod sums;

use super::Law;
use super::moved::Moved;
use crate::contact::space::{BoundedRow, ContactData, ContactSpace, Sides, Tangents};
use demand::{Demand, demand, disc_of, normal_offset, rigid, slip_coefficient};
use parts::Parts;
use sums::{add_by_entries, add_by_root, add_changes, is_balanced};

/// How far impulses are from a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawResidual {
    /// Largest approaching speed [m/s].
    pub gap_velocity: f64,
    /// Largest negative normal impulse [N·s].
    pub negative_impulse: f64,
    /// Largest |p_n ũ_n| [J].
    pub complementarity: f64,
    /// Largest distance of friction from its disc, polygon or box [N·s].
    pub excess: f64,
    /// Largest power times h that friction leaves undissipated, or would gain [J].
    pub misalignment: f64,
    /// Sizes of the terms that were added up [m/s, N·s]: what the numbers above are compared with.
    pub velocity_scale: f64,
    pub impulse_scale: f64,
}

impl LawResidual {
    pub const WORST: Self = Self {
        gap_velocity: f64::INFINITY,
        negative_impulse: f64::INFINITY,
        complementarity: f64::INFINITY,
        excess: f64::INFINITY,
        misalignment: f64::INFINITY,
        velocity_scale: 0.0,
        impulse_scale: 0.0,
    };

    /// Of no impulses at all.
    const NONE: Self = Self {
        gap_velocity: 0.0,
        negative_impulse: 0.0,
        complementarity: 0.0,
        excess: 0.0,
        misalignment: 0.0,
        velocity_scale: 0.0,
        impulse_scale: 0.0,
    };

    /// Every number is at most `tol` of its scale.
    pub fn accepts(&self, tol: f64) -> bool {
        self.relative() <= tol
    }

    /// The largest number, each divided by its scale; one of scale 0 must be 0. Never NaN.
    pub fn relative(&self) -> f64 {
        let (v, p) = (self.velocity_scale, self.impulse_scale);
        let parts = [
            (self.gap_velocity, v),
            (self.negative_impulse, p),
            (self.complementarity, v * p),
            (self.excess, p),
            (self.misalignment, v * p),
        ];
        let ratio = |(x, scale): (f64, f64)| if x == 0.0 { 0.0 } else { x / scale };
        parts.into_iter().map(ratio).fold(0.0, nan_max)
    }
}

/// How far p (3k + r) is from this law: the residual of the part that is farthest from it, of all parts of W that nothing
/// connects. Each is compared with its own velocities and impulses, so that none hides behind another.
///
/// # Panics
///
/// If p is not of the contacts of the space.
pub fn judge(space: &ContactSpace, law: &Law, p: &[f64]) -> LawResidual {
    distances(space, law, (p, &mut Moved::default()), &mut JudgeMemory::default())[0]
}

/// How far p is from exact Coulomb friction on the same normal rows; of the worst part again.
pub fn coulomb_distance(space: &ContactSpace, law: &Law, p: &[f64]) -> LawResidual {
    distances(space, law, (p, &mut Moved::default()), &mut JudgeMemory::default())[1]
}

/// The two of them.
pub(super) fn distances(
    space: &ContactSpace,
    law: &Law,
    (p, moved): (&[f64], &mut Moved),
    memory: &mut JudgeMemory,
) -> [LawResidual; 2] {
    let Some(motion) = Motion::of(space, (p, moved), memory) else {
        return [LawResidual::WORST; 2];
    };
    let mu = |i: usize| slip_coefficient(law, &space.contacts[i]);
    let own = motion.worst(&|i| asked(space, law, i, p), &mu);
    // the cone law is Coulomb's, but for contacts that pull
    if matches!(law, Law::Cone(_)) && (0..space.k()).all(|i| p[3 * i] >= 0.0) {
        return [own; 2];
    }
    [own, motion.worst(&|i| coulomb(space, law, i, p), &mu)]
}

/// For each contact the scales of velocities and impulses in its part [m/s, N·s], 0 if something is not finite.
pub(in crate::contact) fn scales(space: &ContactSpace, law: &Law, p: &[f64]) -> Vec<[f64; 2]> {
    let mut scales = vec![[0.0; 2]; space.k()];
    let mut memory = JudgeMemory::default();
    let Some(motion) = Motion::of(space, (p, &mut Moved::default()), &mut memory) else {
        return scales;
    };
    for part in motion.parts.iter() {
        let mu = |i: usize| slip_coefficient(law, &space.contacts[i]);
        let residual = motion.measure(part, &|i| asked(space, law, i, p), &mu);
        for &block in part.iter().filter(|block| **block < space.k()) {
            scales[block] = [residual.velocity_scale, residual.impulse_scale];
        }
    }
    scales
}

/// What the law asks of contact i.
fn asked(space: &ContactSpace, law: &Law, i: usize, p: &[f64]) -> Demand {
    demand(law, &space.contacts[i], space.h, p[3 * i])
}

/// What Coulomb asks.
fn coulomb(space: &ContactSpace, law: &Law, i: usize, p: &[f64]) -> Demand {
    let c = &space.contacts[i];
    let (d_n, mu) = (normal_offset(law, c, space.h), slip_coefficient(law, c));
    rigid(d_n, disc_of(c, mu * p[3 * i].abs()))
}

/// How fast a contact without impulse opens beyond what the law asks [m/s], at the velocities u (n, t1, t2): it obeys the law
/// where this is not negative.
pub(crate) fn idle_opening(law: &Law, c: &ContactData, h: f64, u: &[f64]) -> f64 {
    let demand = demand(law, c, h, 0.0);
    u[0] + demand.d_n - demand.dilation * slip_coefficient(law, c) * length([u[1], u[2]])
}

/// Memory, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct JudgeMemory {
    u: Vec<f64>,
    size: Vec<f64>,
    given: Vec<[f64; 2]>,
    parts: Parts,
}

/// Impulses and what they do.
struct Motion<'a> {
    space: &'a ContactSpace,
    p: &'a [f64],
    /// `u = W p + u_free` and `|W||p| + |u_free|`, with the root's own sizes where W has one.
    u: &'a [f64],
    size: &'a [f64],
    /// Blocks that hang together.
    parts: &'a Parts,
}

impl<'a> Motion<'a> {
    /// Nothing if something is not finite.
    fn of(
        space: &'a ContactSpace,
        (p, moved): (&'a [f64], &mut Moved),
        memory: &'a mut JudgeMemory,
    ) -> Option<Self> {
        assert_eq!(p.len(), space.m(), "three impulses per contact, one per bounded row");
        let JudgeMemory { u, size, given, parts } = memory;
        u.clone_from(&space.u_free);
        size.clear();
        size.extend(u.iter().map(|u_i| u_i.abs()));
        match space.W.root() {
            Some(root) if moved.is_empty() => add_by_root(root, p, (u, size), given),
            Some(root) => {
                if !is_balanced(root, p, moved, given) {
                    return None;
                }
                add_by_root(root, moved.plain(p), (u, size), given);
                add_changes(root, moved.change(), u, size);
            }
            None => add_by_entries(space, p, u, size),
        }
        let finite = |x: &[f64]| x.iter().all(|x_i| x_i.is_finite());
        if !(finite(p) && finite(u) && finite(size)) {
            return None;
        }
        parts.find(space);
        Some(Self { space, p, u, size, parts })
    }

    /// The worst part's residual, as a whole, of what is asked of each contact and its coefficient of friction.
    fn worst(&self, asked: &impl Fn(usize) -> Demand, mu: &impl Fn(usize) -> f64) -> LawResidual {
        let residuals = self.parts.iter().map(|part| self.measure(part, asked, mu));
        let worse =
            |a: LawResidual, b: LawResidual| if b.relative() > a.relative() { b } else { a };
        residuals.reduce(worse).unwrap_or(LawResidual::NONE)
    }

    /// The residual of one part.
    fn measure(
        &self,
        part: &[usize],
        asked: &impl Fn(usize) -> Demand,
        mu: &impl Fn(usize) -> f64,
    ) -> LawResidual {
        let k = self.space.k();
        let (contacts, bounded) = part.split_at(part.partition_point(|&block| block < k));
        let mut worst = LawResidual::NONE;
        for &i in contacts {
            self.measure_contact(i, (&asked(i), mu(i)), &mut worst);
        }
        let inertia = self.inertia(if contacts.is_empty() { bounded } else { contacts });
        let rows = || bounded.iter().map(|&block| (2 * k + block, self.lever(inertia, block)));
        for (at, lever) in rows() {
            let (row, p) = (&self.space.rows[at - 3 * k], self.p[at]);
            let terms = self.size[at] + (row.eps * p).abs() + row.d.abs();
            worst.velocity_scale = nan_max(worst.velocity_scale, lever * terms);
            worst.impulse_scale = nan_max(worst.impulse_scale, p.abs() / lever);
        }
        // an impulse that would stop what moves counts even where none is needed
        if inertia > 0.0 {
            worst.impulse_scale = nan_max(worst.impulse_scale, worst.velocity_scale / inertia);
        }
        for (at, lever) in rows() {
            measure_row(&self.space.rows[at - 3 * k], (self.p[at], self.u[at]), lever, &mut worst);
        }
        worst
    }

    /// One contact, of which this is asked, its coefficient of friction being mu.
    fn measure_contact(&self, i: usize, (demand, mu): (&Demand, f64), worst: &mut LawResidual) {
        let (c, of) = (&self.space.contacts[i], 3 * i..3 * i + 3);
        let (p, u, size) = (&self.p[of.clone()], &self.u[of.clone()], &self.size[of]);
        let (p_n, p_t, u_t) = (p[0], [p[1], p[2]], [u[1], u[2]]);
        let slip = match c.tangents {
            Tangents::Plane => length(u_t),
            Tangents::Line => u_t[0].abs(),
        };
        let lift = demand.dilation * mu * slip;
        let opening = u[0] + c.eps_n * p_n + demand.d_n - lift;
        let moved = demand.moved(p_t, u_t);
        if c.sides == Sides::Both {
            worst.gap_velocity = nan_max(worst.gap_velocity, opening.abs());
        } else {
            worst.gap_velocity = nan_max(worst.gap_velocity, -opening);
            worst.negative_impulse = nan_max(worst.negative_impulse, -p_n);
        }
        worst.complementarity = nan_max(worst.complementarity, (p_n * opening).abs());
        worst.excess = nan_max(worst.excess, demand.section.excess(p_t));
        let undone = dot(p_t, moved) + demand.section.support([-moved[0], -moved[1]]);
        worst.misalignment = nan_max(worst.misalignment, undone.abs());
        let terms = (c.eps_n * p_n).abs() + demand.d_n.abs() + lift + demand.terms(p_t);
        let sizes = [size[0] + terms, size[1], size[2]];
        worst.velocity_scale = sizes.into_iter().fold(worst.velocity_scale, nan_max);
        worst.impulse_scale = p.iter().fold(worst.impulse_scale, |m, p_i| nan_max(m, p_i.abs()));
    }

    /// The largest diagonal of these blocks.
    fn inertia(&self, blocks: &[usize]) -> f64 {
        let rows = blocks.iter().flat_map(|&block| self.space.rows_of(block));
        rows.map(|i| self.space.W.get(i, i)).fold(0.0, nan_max)
    }

    /// By which lever [m] a row that turns something compares with contacts: 1 for rows of the same inertia.
    fn lever(&self, inertia: f64, block: usize) -> f64 {
        let own = self.inertia(&[block]);
        if own > 0.0 && inertia > 0.0 { libm::sqrt(inertia / own) } else { 1.0 }
    }
}

/// One bounded row with its impulse and its rate; the scales of `worst` are known.
fn measure_row(row: &BoundedRow, (p, u): (f64, f64), lever: f64, worst: &mut LawResidual) {
    let w = u + row.eps * p + row.d;
    let beyond = nan_max(row.lower - p, p - row.upper);
    worst.excess = nan_max(worst.excess, beyond / lever);
    // beyond the scale of impulses all bounds are out of reach alike, and it is the rate alone that counts
    let reach = lever * worst.impulse_scale;
    // what the row is away from a bound, times the rate that it may have there only
    let undone = |room: f64, rate: f64| if rate > 0.0 { room.min(reach) * rate } else { 0.0 };
    for (room, rate) in [(p - row.lower, w), (row.upper - p, -w)] {
        if room.is_infinite() {
            worst.gap_velocity = nan_max(worst.gap_velocity, lever * rate);
        } else {
            worst.misalignment = nan_max(worst.misalignment, undone(room, rate).abs());
        }
    }
    if w.is_nan() {
        worst.misalignment = f64::INFINITY;
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn length(a: [f64; 2]) -> f64 {
    let square = dot(a, a);
    if (1e-200..1e200).contains(&square) { square.sqrt() } else { libm::hypot(a[0], a[1]) }
}

/// The larger one; a NaN is larger than anything.
fn nan_max(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}
