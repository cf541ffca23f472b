//! Corners of a path: where a contact changes its mode, and how far away that is.

use super::mode::Mode;
use crate::cone::{Triple, length};

/// Where two modes meet: `z_n = 0`, or `‖z_t‖ = μ z_n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    Normal,
    Cone,
}

impl Boundary {
    /// How fast `z_n`, or `μ z_n − ‖z_t‖`, grows.
    pub(super) fn rate(self, z: &Triple, way: &Triple, mu: f64) -> f64 {
        match self {
            Self::Normal => way[0],
            Self::Cone => {
                let size = length(z[1], z[2]);
                mu * way[0] - (z[1] * way[1] + z[2] * way[2]) / size.max(f64::MIN_POSITIVE)
            }
        }
    }

    pub(super) fn other_side(self, mode: Mode, rate: f64, z: &Triple, mu: f64) -> Mode {
        match (self, mode) {
            (Self::Normal, Mode::Open) if length(z[1], z[2]) <= mu * z[0].max(0.0) => Mode::Stick,
            (Self::Normal, Mode::Open) => Mode::Slip,
            (Self::Normal, _) => Mode::Open,
            (Self::Cone, _) if rate > 0.0 => Mode::Stick,
            (Self::Cone, _) => Mode::Slip,
        }
    }
}

/// How far along the way `‖z_t‖ = μ z_n`, coming from inside or outside.
pub(super) fn to_cone(z: &Triple, way: &Triple, mu: f64, is_outside: bool) -> Option<f64> {
    // ‖z_t + l w_t‖² − μ² (z_n + l w_n)² = a l² + 2 b l + c
    let a = way[1] * way[1] + way[2] * way[2] - mu * mu * way[0] * way[0];
    let b = z[1] * way[1] + z[2] * way[2] - mu * mu * z[0] * way[0];
    let c = z[1] * z[1] + z[2] * z[2] - mu * mu * z[0] * z[0];
    let grows = |l: f64| a * l + b > 0.0;
    // already beyond by rounding
    if (c > 0.0) != is_outside && c != 0.0 {
        return (grows(0.0) != is_outside).then_some(0.0);
    }
    let discriminant = b * b - a * c;
    if !(discriminant >= 0.0) {
        return None;
    }
    let root = discriminant.sqrt();
    let s = -(b + if b >= 0.0 { root } else { -root });
    let mut least = None;
    for l in [s / a, c / s] {
        let is_on = l >= 0.0 && z[0] + l * way[0] >= 0.0 && grows(l) != is_outside;
        if is_on && least.is_none_or(|least| l < least) {
            least = Some(l);
        }
    }
    least
}
