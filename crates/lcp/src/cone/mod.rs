//! Solvers of [`FrictionProblem`](crate::FrictionProblem): exact Coulomb cones, and the geometry they
//! share.
//!
//! | solver | when |
//! |---|---|
//! | [`nsgs`](mod@nsgs) | the workhorse: cheap sweeps, positive diagonal blocks; slow at mass ratios |
//! | [`prox`](mod@prox) | the simplest; every step is explicit, and it says when it diverges |
//! | [`apgd`](mod@apgd) | large resting piles; W symmetric |
//! | [`interior_point`](mod@interior_point) | mass ratios, redundant contacts, high accuracy; one dense matrix |
//! | [`alart_curnier`](mod@alart_curnier) | stick and slip mixed, redundant contacts, machine precision; sparse |
//! | [`local`] | one contact, exactly |
//!
//! The statement and its symbols: `docs/theory/coulomb-cone.md`. All solvers work in units in which
//! W and q are about 1 (changed by powers of two, so that iterates do not depend on units), and ask
//! their own error first, a number without units; the field's, which has some, must then agree.
//! Neither is the judge's code.

pub mod alart_curnier;
pub mod apgd;
mod blocks;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod interior_point;
pub mod local;
pub(crate) mod lorentz;
pub mod nsgs;
pub mod prox;
pub(crate) mod section;

pub use alart_curnier::{AlartCurnierSettings, AlartCurnierWorkspace, alart_curnier};
pub use apgd::{ApgdSettings, ApgdWorkspace, apgd};
pub use interior_point::{
    ConeLaw, InteriorPointSettings, InteriorPointWorkspace, interior_point, interior_point_shifted,
};
pub use local::{ContactMode, solve_contact};
pub use nsgs::{NsgsSettings, NsgsWorkspace, SweepOrder, nsgs};
pub use prox::{ProxSettings, ProxStep, ProxWorkspace, prox};

/// Normal, first and second tangent. A planar contact has 0 in the third place.
pub type Triple = [f64; 3];

/// `‖(x, y)‖` without overflow; scaling x and y by a power of two scales its bits.
pub(crate) fn length(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    // planar contacts: the rest would give the same
    if y == 0.0 {
        return x;
    }
    let largest = if x > y { x } else { y };
    if largest > 0.0 && largest < f64::INFINITY {
        let (x, y) = (x / largest, y / largest);
        largest * (x * x + y * y).sqrt()
    } else {
        x + y
    }
}

/// `‖x‖` of a triple.
pub(crate) fn norm(x: &Triple) -> f64 {
    length(x[0], length(x[1], x[2]))
}

/// The nearest point of the disc of this radius; the disc of a radius ≤ 0 is its centre.
pub(crate) fn project_disc(x: f64, y: f64, radius: f64) -> (f64, f64) {
    let size = length(x, y);
    if size <= radius {
        (x, y)
    } else if radius > 0.0 {
        (x * (radius / size), y * (radius / size))
    } else {
        (0.0, 0.0)
    }
}

/// The nearest point of the cone `‖x_t‖ ≤ μ x_n`.
pub(crate) fn project_cone(x: &Triple, mu: f64) -> Triple {
    let tangent = length(x[1], x[2]);
    // without friction, μ x_n is zero for every x_n
    if x[0] >= 0.0 && tangent <= mu * x[0] {
        return *x;
    }
    // inside the polar cone: the apex
    if mu * tangent <= -x[0] {
        return [0.0; 3];
    }
    // the foot on the ray (1, μ) of the half-plane through x
    let foot = (x[0] + mu * tangent) / (1.0 + mu * mu);
    let shrink = if tangent > 0.0 { mu * foot / tangent } else { 0.0 };
    [foot, shrink * x[1], shrink * x[2]]
}

/// `‖r − P_K(r − ρ ũ)‖`, `ũ = u + μ‖u_t‖ n`: zero exactly where the contact obeys Coulomb's law.
pub(crate) fn natural_map(r: &Triple, u: &Triple, mu: f64, rho: f64) -> f64 {
    let lifted = u[0] + mu * length(u[1], u[2]);
    let x = [r[0] - rho * lifted, r[1] - rho * u[1], r[2] - rho * u[2]];
    let p = project_cone(&x, mu);
    norm(&[r[0] - p[0], r[1] - p[1], r[2] - p[2]])
}

/// `A x` of a 3 × 3 block, row by row.
pub(crate) fn block_times(A: &[f64; 9], x: &Triple) -> Triple {
    [
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    ]
}

/// The power of two at or below |x|, within 2^±500; 1 for 0 and for what is not finite.
pub(crate) fn power_of_two(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return 1.0;
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    f64::from_bits(((exponent.clamp(-500, 500) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_are_nearest_points() {
        let mut random = fixtures::Random(7);
        for _ in 0..2000 {
            let mu = (2.0 * random.uniform() - 0.2).max(0.0);
            let mut x = [random.signed(), random.signed(), random.signed()];
            if random.uniform() < 0.2 {
                (x[1], x[2]) = (0.0, 0.0);
            }
            let p = project_cone(&x, mu);
            assert!(length(p[1], p[2]) <= mu * p[0] + 1e-15);
            // x − p is normal to the cone at p: orthogonal to p, and in the polar cone
            let d = [x[0] - p[0], x[1] - p[1], x[2] - p[2]];
            assert!((d[0] * p[0] + d[1] * p[1] + d[2] * p[2]).abs() < 1e-14);
            assert!(d[0] + mu * length(d[1], d[2]) < 1e-14);
            let (y, z) = project_disc(x[1], x[2], mu);
            assert!(length(y, z) <= mu + 1e-15 && (y * x[2] - z * x[1]).abs() < 1e-15);
        }
    }

    #[test]
    fn powers_of_two_are_exact() {
        assert_eq!([1.0, 1.5, 2.0, -0.3].map(power_of_two), [1.0, 1.0, 2.0, 0.25]);
        assert_eq!([0.0, f64::NAN, f64::INFINITY].map(power_of_two), [1.0; 3]);
        assert!(power_of_two(1e-320) > 0.0);
    }
}
