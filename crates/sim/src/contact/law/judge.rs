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

use std::f64::consts::PI;

use super::{Lateral, Law, NormalRows};
use crate::contact::space::{ContactData, ContactSpace};

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

/// The set that friction of one contact may come from.
enum Section {
    /// Corners at equal angles, the first at this angle [rad].
    Polygon {
        corners: usize,
        first: f64,
        radius: f64,
    },
    /// `|axis·x| ≤ half` along two orthogonal axes.
    Rectangle {
        axes: [[f64; 2]; 2],
        half: [f64; 2],
    },
    Disc {
        radius: f64,
    },
}

/// What a law asks of one contact with normal impulse p_n.
struct Demand {
    d_n: f64,
    /// Part of μ‖u_t‖ that the normal velocity must exceed: 1 in the convex law.
    dilation: f64,
    section: Section,
    /// Axes of the compliance, compliance and offset along them.
    axes: [[f64; 2]; 2],
    eps: [f64; 2],
    d: [f64; 2],
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

fn demand(law: &Law, c: &ContactData, h: f64, p_n: f64) -> Demand {
    let (d_n, mu) = (normal_offset(law, c, h), slip_coefficient(law, c));
    let speed = length(c.u_t);
    match law {
        Law::Frictionless => rigid(d_n, Section::Disc { radius: 0.0 }),
        Law::Cone(_) => rigid(d_n, Section::Disc { radius: mu * p_n }),
        Law::Convex(_) => {
            Demand { dilation: 1.0, ..rigid(d_n, Section::Disc { radius: mu * p_n }) }
        }
        Law::Pyramid(s) => {
            rigid(d_n, Section::Polygon { corners: s.facets, first: 0.0, radius: mu * p_n })
        }
        Law::Phantom(s) => {
            if speed < s.v_stick || speed == 0.0 {
                // 2k sides that touch the disc
                let half = PI / (2 * s.directions) as f64;
                let radius = c.mu_s * p_n / libm::cos(half);
                let section = Section::Polygon { corners: 2 * s.directions, first: half, radius };
                return sticking(d_n, c, h, section);
            }
            let mu_l = if s.lateral == Lateral::Free { 0.0 } else { c.mu_k };
            sliding(d_n, c, h, s.lateral, [c.mu_k * p_n, mu_l * p_n])
        }
        Law::Box(_) => sticking(d_n, c, h, upright(mu * h * c.lambda_n)),
        Law::Hybrid(s) => {
            if speed < s.v_stick || speed == 0.0 {
                return sticking(d_n, c, h, upright(c.mu_s * h * c.lambda_n));
            }
            let lateral = Lateral::Relaxed { lambda_min: s.lambda_min };
            sliding(d_n, c, h, lateral, [c.mu_k * h * c.lambda_n; 2])
        }
    }
}

/// The offset of the normal row that the law asks for.
fn normal_offset(law: &Law, c: &ContactData, h: f64) -> f64 {
    match law {
        Law::Pyramid(s) => match s.rows {
            NormalRows::Given => c.d_n,
            NormalRows::StewartTrinkle => c.phi / h,
            NormalRows::AnitescuPotra => 0.0,
        },
        _ => c.d_n,
    }
}

/// Static below the law's threshold, kinetic from there.
fn slip_coefficient(law: &Law, c: &ContactData) -> f64 {
    let v_stick = match law {
        Law::Frictionless => return 0.0,
        Law::Pyramid(s) => s.v_stick,
        Law::Phantom(s) => s.v_stick,
        Law::Box(s) => s.v_stick,
        Law::Hybrid(s) => s.v_stick,
        Law::Cone(s) => s.v_stick,
        Law::Convex(s) => s.v_stick,
    };
    if length(c.u_t) < v_stick { c.mu_s } else { c.mu_k }
}

const UPRIGHT: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

fn upright(half: f64) -> Section {
    Section::Rectangle { axes: UPRIGHT, half: [half; 2] }
}

/// No compliance in the tangent plane.
fn rigid(d_n: f64, section: Section) -> Demand {
    Demand { d_n, dilation: 0.0, section, axes: UPRIGHT, eps: [0.0; 2], d: [0.0; 2] }
}

/// Bristles along t1 and t2: the force that they remember, and what damping took of it.
fn sticking(d_n: f64, c: &ContactData, h: f64, section: Section) -> Demand {
    let mut demand = rigid(d_n, section);
    if let Some(r) = c.bristle {
        let per_force = 1.0 / (r.k * h + r.b);
        demand.eps = [per_force / h; 2];
        demand.d = [0, 1].map(|a| -per_force * (c.lambda_t[a] + r.b * c.u_t[a]));
    }
    demand
}

/// A bristle along the slip, and across it what the slip itself allows.
fn sliding(d_n: f64, c: &ContactData, h: f64, lateral: Lateral, half: [f64; 2]) -> Demand {
    let speed = length(c.u_t);
    let along = [c.u_t[0] / speed, c.u_t[1] / speed];
    let axes = [along, [-along[1], along[0]]];
    let mut demand = Demand { axes, ..rigid(d_n, Section::Rectangle { axes, half }) };
    if let Some(r) = c.bristle {
        let per_force = 1.0 / (r.k * h + r.b);
        demand.eps[0] = per_force / h;
        demand.d[0] = -per_force * (dot(c.lambda_t, along) + r.b * speed);
    }
    if let Lateral::Relaxed { lambda_min } = lateral {
        let bound = c.mu_k * c.lambda_n.max(lambda_min) * h;
        demand.eps[1] = if bound > 0.0 { speed / bound } else { 0.0 };
    }
    demand
}

impl Demand {
    /// `u_t + ε_t p_t + d_t`.
    fn moved(&self, p_t: [f64; 2], u_t: [f64; 2]) -> [f64; 2] {
        let mut moved = u_t;
        for a in 0..2 {
            let more = self.eps[a] * dot(self.axes[a], p_t) + self.d[a];
            moved[0] += more * self.axes[a][0];
            moved[1] += more * self.axes[a][1];
        }
        moved
    }

    /// Size of what `moved` adds to u_t.
    fn terms(&self, p_t: [f64; 2]) -> f64 {
        let term = |a: usize| (self.eps[a] * dot(self.axes[a], p_t)).abs() + self.d[a].abs();
        term(0) + term(1)
    }
}

impl Section {
    /// How far x is outside, seen along the sides; ≤ 0 inside.
    fn excess(&self, x: [f64; 2]) -> f64 {
        match self {
            Self::Disc { radius } => length(x) - radius,
            Self::Rectangle { axes, half } => {
                let beyond = |a: usize| dot(axes[a], x).abs() - half[a];
                nan_max(beyond(0), beyond(1))
            }
            Self::Polygon { corners, first, radius } => {
                let step = 2.0 * PI / *corners as f64;
                let inner = radius * libm::cos(step / 2.0);
                let beyond = |j: usize| {
                    let angle = first + (j as f64 + 0.5) * step;
                    dot([libm::cos(angle), libm::sin(angle)], x) - inner
                };
                (0..*corners).map(beyond).fold(f64::NEG_INFINITY, nan_max)
            }
        }
    }

    /// Largest v·x over the set.
    fn support(&self, v: [f64; 2]) -> f64 {
        match self {
            Self::Disc { radius } => radius * length(v),
            Self::Rectangle { axes, half } => {
                half[0] * dot(axes[0], v).abs() + half[1] * dot(axes[1], v).abs()
            }
            Self::Polygon { corners, first, radius } => {
                let step = 2.0 * PI / *corners as f64;
                let at = |j: usize| {
                    let angle = first + j as f64 * step;
                    radius * dot([libm::cos(angle), libm::sin(angle)], v)
                };
                (0..*corners).map(at).fold(f64::NEG_INFINITY, nan_max)
            }
        }
    }
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
