//! Two capsules: the nearest points of their segments; near parallel, the ends of the stretch on which they
//! lie side by side.
//!
//! | feature | contact |
//! |---|---|
//! | 0 | nearest points |
//! | 1, 2 | lower and upper end, along A, of the common stretch |
//!
//! Parallel capsules have 1 and 2 only. When they are turned by up to [`SIDE_BY_SIDE`] against each other both ends
//! are still given, each with its own gap, so that a capsule that lies on another does not lose
//! its support to a small tilt; 0 joins them where the segments cross between the ends.

use super::contact::{Touch, Touches};
use super::nearest::direction;
use super::segments::{PARALLEL, nearest_points};
use crate::math::Vec3;
use crate::spatial::Pose;

/// Sine of the largest angle between axes that still counts as lying side by side.
const SIDE_BY_SIDE: f64 = 0.5;
/// A common stretch below this share of the shorter length is a point: capsules end to end.
const STRETCH: f64 = 1e-6;
/// Axes that are nearer than this share of the numbers their distance is computed from meet: its direction is noise.
const MEETING: f64 = 1e-14;

/// Radius and half of the length [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Capsule {
    pub(super) radius: f64,
    pub(super) half: f64,
}

/// Contacts from a into b. Where the axes meet, the normal is across both of them, towards the middle of b; along x of a
/// if they are parallel.
pub(super) fn contacts(
    (X_WA, a): (&Pose, Capsule),
    (X_WB, b): (&Pose, Capsule),
    found: &mut Touches,
) {
    // everything in A's frame, where a's segment is on z
    let (u, w) = (Vec3::z(), X_WA.R.tr_mul(&X_WB.R.column(2)));
    let o = X_WA.R.tr_mul(&(X_WB.p - X_WA.p));
    let noise = MEETING * (o.amax() + a.half + b.half);
    let mut add = |feature: u32, s: f64, t: f64| {
        let (n, d) = match direction(&(o + w * t - u * s)) {
            Some((n, d)) if d > noise => (n, d),
            _ => (across(&w, &o), 0.0),
        };
        let gap = d - a.radius - b.radius;
        let p = u * s + n * (a.radius + 0.5 * gap);
        found.add(Touch { feature, p_W: X_WA.point(&p), n_W: X_WA.R * n, gap });
    };
    let sine = u.cross(&w).norm();
    let (s, t) = nearest_points(&o, (&u, a.half), (&w, b.half));
    let reach = w.z.abs() * b.half;
    let (low, high) = ((o.z - reach).max(-a.half), (o.z + reach).min(a.half));
    if sine <= SIDE_BY_SIDE && high - low > STRETCH * a.half.min(b.half) {
        // each end with the point of b that is nearest to it
        let beside = |s: f64| w.dot(&(u * s - o)).clamp(-b.half, b.half);
        add(1, low, beside(low));
        add(2, high, beside(high));
        if sine <= PARALLEL || !(low < s && s < high) {
            return;
        }
    }
    add(0, s, t);
}

/// Across z and w, towards o.
fn across(w: &Vec3, o: &Vec3) -> Vec3 {
    match direction(&Vec3::z().cross(w)) {
        Some((n, sine)) if sine > PARALLEL => {
            if n.dot(o) < 0.0 {
                -n
            } else {
                n
            }
        }
        _ => Vec3::x(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn between(X: Pose, limit: f64) -> Vec<Touch> {
        let mut found = Touches { limit, list: Vec::new() };
        let (a, b) = (Capsule { radius: 0.5, half: 2.0 }, Capsule { radius: 0.25, half: 1.0 });
        contacts((&Pose::identity(), a), (&X, b), &mut found);
        found.list
    }

    fn turned(p: [f64; 3], theta: [f64; 3]) -> Pose {
        Pose::from_parts(Vec3::from(p), Quat::exp(&Vec3::from(theta)))
    }

    const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

    #[test]
    fn crossed_capsules_touch_once_between_their_axes() {
        let list = between(turned([1.0, 0.5, 0.5], [QUARTER, 0.0, 0.0]), 1.0);
        assert_eq!(list.len(), 1);
        assert!((list[0].gap - 0.25).abs() < 1e-15 && (list[0].n_W - Vec3::x()).amax() < 1e-15);
        assert!((list[0].p_W - Vec3::new(0.625, 0.0, 0.5)).amax() < 1e-15, "{}", list[0].p_W);
    }

    #[test]
    fn parallel_capsules_touch_at_the_ends_of_their_common_stretch() {
        // b from z = 0.5 to 2.5, turned upside down in the second case
        for theta in [[0.0; 3], [2.0 * QUARTER, 0.0, 0.0]] {
            let list = between(turned([0.0, 1.0, 1.5], theta), 1.0);
            let features: Vec<u32> = list.iter().map(|touch| touch.feature).collect();
            assert_eq!(features, [1, 2]);
            for (touch, z) in list.iter().zip([0.5, 2.0]) {
                assert!((touch.gap - 0.25).abs() < 1e-15);
                assert!((touch.p_W - Vec3::new(0.0, 0.625, z)).amax() < 1e-15, "{}", touch.p_W);
            }
        }
        // end to end: one
        let list = between(Pose::translation(0.0, 0.0, 4.0), 1.0);
        assert_eq!(list.len(), 1);
        assert!((list[0].gap - 0.25).abs() < 1e-15 && list[0].n_W == Vec3::z());
    }

    #[test]
    fn a_small_tilt_keeps_both_ends_and_a_crossing_joins_them() {
        let tilted = between(turned([0.75, 0.0, 0.0], [0.0, 0.01, 0.0]), 0.1);
        assert_eq!(tilted.iter().map(|touch| touch.feature).collect::<Vec<_>>(), [1, 2]);
        assert!((tilted[0].gap + 0.01).abs() < 1e-4 && (tilted[1].gap - 0.01).abs() < 1e-4);
        let crossed = between(turned([0.75, 0.0, 0.0], [0.01, 0.0, 0.0]), 0.1);
        assert_eq!(crossed.iter().map(|touch| touch.feature).collect::<Vec<_>>(), [1, 2, 0]);
        assert!(crossed[2].gap.abs() < 1e-15 && crossed[0].gap > 5e-5);
    }

    #[test]
    fn axes_that_meet_push_across_both() {
        let list = between(turned([0.0, 0.0, 0.5], [0.0, QUARTER, 0.0]), 0.0);
        assert!((list[0].gap + 0.75).abs() < 1e-15);
        assert!((list[0].n_W - Vec3::y()).amax() < 1e-15, "{}", list[0].n_W);
        let coaxial = between(Pose::translation(0.0, 0.0, 1e-17), 0.0);
        assert!(coaxial.iter().all(|touch| touch.n_W == Vec3::x() && touch.gap == -0.75));
        assert_eq!(coaxial.len(), 2);
    }
}
