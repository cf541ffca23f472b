//! The tangent plane of a contact as the laws with bristles see it [PKF17 eq. 31, 34, 40, 42, 43].
//!
//! ```text
//!  sticking   axes t1, t2     ε = 1/(k h² + b h)          d = −ε h (λ_t + b u_t)
//!  sliding    axis e_t = u_t/‖u_t‖    the same ε and d
//!             axis e_l ⊥ e_t          ε_l = ‖u_t‖/(μ_k λ_n h),  d = 0      (or no friction at all)
//! ```
//!
//! Each bristle is a spring that remembers its force: `λ⁺ = λ_t − k h u⁺ − b (u⁺ − u_t)`, times ε h, is the row.
//! Laterally, `p_l = −u_l/ε_l = −μ_k h λ_n u_l/‖u_t‖` is Coulomb's law linearized about the last step.

use super::is_sliding;
use crate::contact::space::{ContactData, Tangents};

/// Friction across the direction of sliding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lateral {
    /// None: μ = (μ_k, 0) [PKF17 eq. 34].
    Free,
    /// μ = (μ_k, μ_k), relaxed by eq. 43 with a normal force of at least this [N].
    Relaxed { lambda_min: f64 },
}

/// `axes[a]·(u_t) + eps[a] p_a + d[a]`, with friction bounded by `mu[a]` times a normal impulse.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub(super) axes: [[f64; 2]; 2],
    pub(super) eps: [f64; 2],
    pub(super) d: [f64; 2],
    pub(super) mu: [f64; 2],
    pub(super) is_sliding: bool,
    /// Bounds are along the two axes alone: sliding, or friction on a line.
    pub(super) is_bound_by_axes: bool,
}

impl Plane {
    /// Axes t1, t2 and this coefficient.
    pub(super) fn fixed(c: &ContactData, h: f64, mu: f64) -> Self {
        let (eps, d) = bristle(c, h);
        let axes = [[1.0, 0.0], [0.0, 1.0]];
        let on_line = c.tangents == Tangents::Line;
        let mu = [mu, if on_line { 0.0 } else { mu }];
        Self { axes, eps: [eps; 2], d, mu, is_sliding: false, is_bound_by_axes: on_line }
    }

    /// Friction along t1 alone.
    fn on_line(c: &ContactData, h: f64, v_stick: f64) -> Self {
        let is_sliding = is_sliding(c, v_stick);
        Self { is_sliding, ..Self::fixed(c, h, if is_sliding { c.mu_k } else { c.mu_s }) }
    }

    /// Axes along and across the slip from `v_stick` on, fixed below.
    pub(super) fn turned(c: &ContactData, h: f64, v_stick: f64, lateral: Lateral) -> Self {
        if c.tangents == Tangents::Line {
            return Self::on_line(c, h, v_stick);
        }
        let speed = libm::hypot(c.u_t[0], c.u_t[1]);
        if !is_sliding(c, v_stick) || speed == 0.0 {
            return Self::fixed(c, h, c.mu_s);
        }
        let (eps, d) = bristle(c, h);
        let e_t = [c.u_t[0] / speed, c.u_t[1] / speed];
        let d_t = e_t[0] * d[0] + e_t[1] * d[1];
        let (eps_l, mu_l) = match lateral {
            Lateral::Free => (0.0, 0.0),
            Lateral::Relaxed { lambda_min } => (lateral_eps(c, h, speed, lambda_min), c.mu_k),
        };
        Self {
            axes: [e_t, [-e_t[1], e_t[0]]],
            eps: [eps, eps_l],
            d: [d_t, 0.0],
            mu: [c.mu_k, mu_l],
            is_sliding: true,
            is_bound_by_axes: true,
        }
    }
}

/// ε and d of both axes; rigid without a bristle.
fn bristle(c: &ContactData, h: f64) -> (f64, [f64; 2]) {
    match c.bristle {
        None => (0.0, [0.0; 2]),
        Some(r) => {
            let eps = 1.0 / (r.k * h * h + r.b * h);
            let d = |a: usize| -eps * h * (c.lambda_t[a] + r.b * c.u_t[a]);
            (eps, [d(0), d(1)])
        }
    }
}

/// Eq. 43. Without a coefficient there is no force to relax: the bound is 0 and ε has no effect.
fn lateral_eps(c: &ContactData, h: f64, speed: f64, lambda_min: f64) -> f64 {
    if c.mu_k > 0.0 { speed / (c.mu_k * c.lambda_n.abs().max(lambda_min) * h) } else { 0.0 }
}
