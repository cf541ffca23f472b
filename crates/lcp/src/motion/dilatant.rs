//! Slip that dilates: laws between the convex one and Coulomb's, and what a contact does under them.
//!
//! A contact that slips at the speed σ parts at `λ μ σ`: λ = 1 is the convex law, λ = 0 Coulomb's. As maps of `z = c − s u`, with `ẑ_t` the direction of
//! `z_t`:
//!
//! ```text
//!  open    z_n + λ μ ‖z_t‖ ≤ 0       r = 0
//!  stick   ‖z_t‖ ≤ μ z_n             r = z
//!  slip    else                      r_n = (z_n + λ μ ‖z_t‖) / (1 + λ μ²) ,   r_t = μ r_n ẑ_t
//! ```
//!
//! At λ = 1 this is the nearest point of the cone, at λ = 0 the map of Alart and Curnier (`mode.rs`).

use super::factor::Block;
use super::mode::{self, Mode};
use crate::cone::{Triple, length};

pub(super) fn mode_of(z: &Triple, mu: f64, lambda: f64) -> Mode {
    let tangent = length(z[1], z[2]);
    if z[0] > 0.0 && mu * z[0] - tangent >= 0.0 {
        Mode::Stick
    } else if z[0] + lambda * mu * tangent > 0.0 {
        Mode::Slip
    } else {
        Mode::Open
    }
}

/// The impulse on the piece of a mode.
pub(super) fn respond(mode: Mode, z: &Triple, mu: f64, lambda: f64) -> Triple {
    if mode != Mode::Slip {
        return mode::respond(mode, z, mu);
    }
    let slip = Slip::of(z, mu, lambda);
    [slip.n, mu * slip.n * slip.t[0], mu * slip.n * slip.t[1]]
}

/// ∂r/∂z on the piece of a mode, times the slopes.
pub(super) fn derivative(mode: Mode, z: &Triple, mu: f64, lambda: f64, slope: &Triple) -> Block {
    if mode != Mode::Slip {
        return mode::derivative(mode, z, mu, slope);
    }
    let Slip { tangent, t, share, n } = Slip::of(z, mu, lambda);
    let normal = [share, share * lambda * mu * t[0], share * lambda * mu * t[1]];
    let theta = mu * n / tangent;
    let across = |i: usize, j: usize| theta * (if i == j { 1.0 } else { 0.0 } - t[i] * t[j]);
    std::array::from_fn(|k| {
        let (i, j) = (k / 3, k % 3);
        let rate = match (i, j) {
            (0, _) => normal[j],
            (_, 0) => mu * t[i - 1] * normal[0],
            _ => mu * t[i - 1] * normal[j] + across(i - 1, j - 1),
        };
        rate * slope[j]
    })
}

struct Slip {
    /// ‖z_t‖, and its direction.
    tangent: f64,
    t: [f64; 2],
    /// `1/(1 + λ μ²)`.
    share: f64,
    /// r_n.
    n: f64,
}

impl Slip {
    fn of(z: &Triple, mu: f64, lambda: f64) -> Self {
        let tangent = length(z[1], z[2]).max(f64::MIN_POSITIVE);
        let share = 1.0 / (1.0 + lambda * mu * mu);
        let n = share * (z[0] + lambda * mu * tangent);
        Self { tangent, t: [z[1] / tangent, z[2] / tangent], share, n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::project_cone;
    use crate::testing::Random;

    #[test]
    fn the_ends_are_the_convex_law_and_coulombs() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            let (z, mu) = ([random.next(), random.next(), random.next()], random.next().abs());
            let convex = respond(mode_of(&z, mu, 1.0), &z, mu, 1.0);
            let nearest = project_cone(&z, mu);
            let coulomb = respond(mode_of(&z, mu, 0.0), &z, mu, 0.0);
            let expected = mode::respond(Mode::of(&z, mu), &z, mu);
            for i in 0..3 {
                assert!((convex[i] - nearest[i]).abs() < 1e-14, "{z:?} {mu}");
                assert!((coulomb[i] - expected[i]).abs() < 1e-14, "{z:?} {mu}");
            }
        }
    }

    /// Slip of the parting `λ μ σ`: what z − r, s times the slipping velocity reversed, has along the normal.
    #[test]
    fn slip_parts_by_its_dilatancy() {
        let (z, mu, lambda) = ([0.3, 0.8, -0.6], 0.5, 0.4);
        assert_eq!(mode_of(&z, mu, lambda), Mode::Slip);
        let r = respond(Mode::Slip, &z, mu, lambda);
        let speed = length(z[1] - r[1], z[2] - r[2]);
        assert!((r[0] - z[0] - lambda * mu * speed).abs() < 1e-15);
        assert!((length(r[1], r[2]) - mu * r[0]).abs() < 1e-15);
    }

    #[test]
    fn derivatives_are_those_of_the_impulse() {
        let mut random = Random::new(8);
        for _ in 0..200 {
            let (z, mu) = ([random.next(), random.next(), random.next()], random.next().abs());
            let (lambda, d) = (random.next().abs(), 1e-6);
            let mode = mode_of(&z, mu, lambda);
            let D = derivative(mode, &z, mu, lambda, &[1.0; 3]);
            for j in 0..3 {
                let at = |d: f64| {
                    let mut z = z;
                    z[j] += d;
                    respond(mode, &z, mu, lambda)
                };
                let (more, less) = (at(d), at(-d));
                for i in 0..3 {
                    let difference = (more[i] - less[i]) / (2.0 * d);
                    assert!((D[3 * i + j] - difference).abs() < 1e-5, "{z:?} {mode:?} {i} {j}");
                }
            }
        }
    }
}
