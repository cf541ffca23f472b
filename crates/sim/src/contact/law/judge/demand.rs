//! What each law asks of one contact, written from its definition.

use std::f64::consts::PI;

use super::{dot, length, nan_max};
use crate::contact::law::{Lateral, Law, NormalRows, V_STICK};
use crate::contact::space::{ContactData, Sides, Tangents};

/// The set that friction of one contact may come from.
pub(in crate::contact) enum Section {
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
pub(in crate::contact) struct Demand {
    pub(in crate::contact) d_n: f64,
    /// Part of μ‖u_t‖ that the normal velocity must exceed: 1 in the convex law.
    pub(in crate::contact) dilation: f64,
    pub(in crate::contact) section: Section,
    /// Axes of the compliance, compliance and offset along them.
    pub(in crate::contact) axes: [[f64; 2]; 2],
    pub(in crate::contact) eps: [f64; 2],
    pub(in crate::contact) d: [f64; 2],
}

/// What the law asks of a contact with this normal impulse.
pub(in crate::contact) fn demand(law: &Law, c: &ContactData, h: f64, p_n: f64) -> Demand {
    let (d_n, mu) = (normal_offset(law, c, h), slip_coefficient(law, c));
    let speed = slip_speed(c);
    // what presses, and what pressed in the last step; a contact of one side that pulls does neither
    let (p_n, lambda_n) = match c.sides {
        Sides::One => (p_n, c.lambda_n),
        Sides::Both => (p_n.abs(), c.lambda_n.abs()),
    };
    match law {
        Law::Frictionless => rigid(d_n, Section::Disc { radius: 0.0 }),
        Law::Cone(_) => rigid(d_n, disc_of(c, mu * p_n)),
        Law::Convex(_) => Demand { dilation: 1.0, ..rigid(d_n, disc_of(c, mu * p_n)) },
        Law::Pyramid(_) if c.tangents == Tangents::Line => rigid(d_n, disc_of(c, mu * p_n)),
        Law::Pyramid(s) => {
            rigid(d_n, Section::Polygon { corners: s.facets, first: 0.0, radius: mu * p_n })
        }
        Law::Phantom(_) if c.tangents == Tangents::Line => {
            sticking(d_n, c, h, disc_of(c, mu * p_n))
        }
        Law::Box(_) | Law::Hybrid(_) if c.tangents == Tangents::Line => {
            sticking(d_n, c, h, disc_of(c, mu * h * lambda_n))
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
        Law::Box(_) => sticking(d_n, c, h, upright(mu * h * lambda_n)),
        Law::Hybrid(s) => {
            if speed < s.v_stick || speed == 0.0 {
                return sticking(d_n, c, h, upright(c.mu_s * h * lambda_n));
            }
            let lateral = Lateral::Relaxed { lambda_min: s.lambda_min };
            sliding(d_n, c, h, lateral, [c.mu_k * h * lambda_n; 2])
        }
    }
}

/// The offset of the normal row that the law asks for.
pub(super) fn normal_offset(law: &Law, c: &ContactData, h: f64) -> f64 {
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
pub(in crate::contact) fn slip_coefficient(law: &Law, c: &ContactData) -> f64 {
    let v_stick = match law {
        Law::Frictionless => V_STICK,
        Law::Pyramid(s) => s.v_stick,
        Law::Phantom(s) => s.v_stick,
        Law::Box(s) => s.v_stick,
        Law::Hybrid(s) => s.v_stick,
        Law::Cone(s) => s.v_stick,
        Law::Convex(s) => s.v_stick,
    };
    if slip_speed(c) < v_stick { c.mu_s } else { c.mu_k }
}

/// Slip at the beginning of the step, where friction can act [m/s].
fn slip_speed(c: &ContactData) -> f64 {
    match c.tangents {
        Tangents::Plane => length(c.u_t),
        Tangents::Line => c.u_t[0].abs(),
    }
}

/// All directions in which friction can act, to the same bound.
pub(super) fn disc_of(c: &ContactData, radius: f64) -> Section {
    match c.tangents {
        Tangents::Plane => Section::Disc { radius },
        Tangents::Line => Section::Rectangle { axes: UPRIGHT, half: [radius, 0.0] },
    }
}

const UPRIGHT: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

fn upright(half: f64) -> Section {
    Section::Rectangle { axes: UPRIGHT, half: [half; 2] }
}

/// No compliance in the tangent plane.
pub(super) fn rigid(d_n: f64, section: Section) -> Demand {
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
        let bound = c.mu_k * c.lambda_n.abs().max(lambda_min) * h;
        demand.eps[1] = if bound > 0.0 { speed / bound } else { 0.0 };
    }
    demand
}

impl Demand {
    /// `u_t + ε_t p_t + d_t`.
    pub(in crate::contact) fn moved(&self, p_t: [f64; 2], u_t: [f64; 2]) -> [f64; 2] {
        let mut moved = u_t;
        for a in 0..2 {
            let more = self.eps[a] * dot(self.axes[a], p_t) + self.d[a];
            moved[0] += more * self.axes[a][0];
            moved[1] += more * self.axes[a][1];
        }
        moved
    }

    /// Size of what `moved` adds to u_t.
    pub(super) fn terms(&self, p_t: [f64; 2]) -> f64 {
        let term = |a: usize| (self.eps[a] * dot(self.axes[a], p_t)).abs() + self.d[a].abs();
        term(0) + term(1)
    }
}

impl Section {
    /// How far x is outside, seen along the sides; ≤ 0 inside.
    pub(super) fn excess(&self, x: [f64; 2]) -> f64 {
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
    pub(super) fn support(&self, v: [f64; 2]) -> f64 {
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
