//! The judge of the laws, in physical units. It shares no code with assembly: it computes `u = W p + u_free` and asks each
//! law's definition about (p, u).
//!
//! ```text
//!  ũ_n = u_n + ε_n p_n + d_n  (convex: − μ‖u_t‖)       ũ_t = u_t + ε_t p_t + d_t  (laws with bristles)
//!
//!  gap velocity  −ũ_n   negative impulse  −p_n   complementarity  |p_n ũ_n|
//!  excess        how far p_t is outside of P       misalignment  |p_t·ũ_t + max over P of (−ũ_t·x)|
//! ```
//!
//! All are zero exactly where the law holds: the last one says that −ũ_t is in the normal cone of P at p_t. The
//! stabilization `Diagonal` of the pyramid is not part of the law: its effect is a residual here.

pub(in crate::contact) mod demand;

use super::Law;
use crate::contact::space::ContactSpace;
use demand::{Demand, Section, demand, normal_offset, rigid, slip_coefficient};

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

    /// Every part is at most `tol` of its scale.
    pub fn accepts(&self, tol: f64) -> bool {
        self.relative() <= tol
    }

    /// The largest part, each divided by its scale; a part of scale 0 must be 0.
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

/// How far p (3k) is from this law.
///
/// # Panics
///
/// If p is not of the contacts of the space.
pub fn judge(space: &ContactSpace, law: &Law, p: &[f64]) -> LawResidual {
    let Some((u, size)) = velocity(space, p) else { return LawResidual::WORST };
    let demands = space
        .contacts
        .iter()
        .zip(p.chunks_exact(3))
        .map(|(c, p_c)| (demand(law, c, space.h, p_c[0]), slip_coefficient(law, c)));
    measure(space, (p, &u, &size), demands)
}

/// How far p is from exact Coulomb friction on the same normal rows.
pub fn coulomb_distance(space: &ContactSpace, law: &Law, p: &[f64]) -> LawResidual {
    let Some((u, size)) = velocity(space, p) else { return LawResidual::WORST };
    let demands = space.contacts.iter().zip(p.chunks_exact(3)).map(|(c, p_c)| {
        let (d_n, mu) = (normal_offset(law, c, space.h), slip_coefficient(law, c));
        (rigid(d_n, Section::Disc { radius: mu * p_c[0] }), mu)
    });
    measure(space, (p, &u, &size), demands)
}

/// `u = W p + u_free` and `|W||p| + |u_free|`; nothing if something is not finite.
fn velocity(space: &ContactSpace, p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    assert_eq!(p.len(), 3 * space.k(), "three impulses per contact");
    let mut u = space.u_free.clone();
    let mut size: Vec<f64> = u.iter().map(|u_i| u_i.abs()).collect();
    for (j, &p_j) in p.iter().enumerate() {
        space.W.for_column(j, |i, w_ij| {
            u[i] += w_ij * p_j;
            size[i] += (w_ij * p_j).abs();
        });
    }
    let finite = |x: &[f64]| x.iter().all(|x_i| x_i.is_finite());
    (finite(p) && finite(&u) && finite(&size)).then_some((u, size))
}

fn measure(
    space: &ContactSpace,
    (p, u, size): (&[f64], &[f64], &[f64]),
    demands: impl Iterator<Item = (Demand, f64)>,
) -> LawResidual {
    let mut worst = LawResidual {
        gap_velocity: 0.0,
        negative_impulse: 0.0,
        complementarity: 0.0,
        excess: 0.0,
        misalignment: 0.0,
        velocity_scale: size.iter().copied().fold(0.0, nan_max),
        impulse_scale: p.iter().fold(0.0, |m, p_i| nan_max(m, p_i.abs())),
    };
    for (i, (demand, mu)) in demands.enumerate() {
        let (p_n, p_t) = (p[3 * i], [p[3 * i + 1], p[3 * i + 2]]);
        let u_t = [u[3 * i + 1], u[3 * i + 2]];
        let eps_n = space.contacts[i].eps_n;
        let lift = demand.dilation * mu * length(u_t);
        let opening = u[3 * i] + eps_n * p_n + demand.d_n - lift;
        let moved = demand.moved(p_t, u_t);
        worst.gap_velocity = nan_max(worst.gap_velocity, -opening);
        worst.negative_impulse = nan_max(worst.negative_impulse, -p_n);
        worst.complementarity = nan_max(worst.complementarity, (p_n * opening).abs());
        worst.excess = nan_max(worst.excess, demand.section.excess(p_t));
        let undone = dot(p_t, moved) + demand.section.support([-moved[0], -moved[1]]);
        worst.misalignment = nan_max(worst.misalignment, undone.abs());
        let terms = (eps_n * p_n).abs() + demand.d_n.abs() + lift + demand.terms(p_t);
        worst.velocity_scale = nan_max(worst.velocity_scale, size[3 * i] + terms);
    }
    // an impulse that would stop what moves counts even where none is needed
    let W_ii = (0..p.len()).map(|i| space.W.get(i, i)).fold(0.0, nan_max);
    if W_ii > 0.0 {
        worst.impulse_scale = nan_max(worst.impulse_scale, worst.velocity_scale / W_ii);
    }
    worst
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn length(a: [f64; 2]) -> f64 {
    libm::hypot(a[0], a[1])
}

/// The larger one; a NaN is larger than anything.
fn nan_max(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}
