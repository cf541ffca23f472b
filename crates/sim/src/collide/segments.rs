//! Nearest points of two segments.
//!
//! ```text
//!  a(s) = s u,  |s| ≤ l_A        b(t) = o + t w,  |t| ≤ l_B        min |b(t) − a(s)|²
//! ```

use crate::math::Vec3;

/// Sine of the angle between two segments below which the place of the nearest points along them is noise: a crossing at
/// such an angle is nearer than the ends by (l sine)²/2d, below rounding unless the axes meet.
pub(super) const PARALLEL: f64 = 1e-8;

/// The s and t of the nearest points, for unit directions u and w. Parallel segments: the point of a that is beside the
/// middle of b, or as near to it as can be.
pub(super) fn nearest_points(
    o: &Vec3,
    (u, l_A): (&Vec3, f64),
    (w, l_B): (&Vec3, f64),
) -> (f64, f64) {
    let across = u.cross(w);
    let square = across.norm_squared();
    let crossing = if square > PARALLEL * PARALLEL {
        // of the two lines: the components of o across both directions drop out
        o.cross(w).dot(&across) / square
    } else {
        u.dot(o)
    };
    let s = crossing.clamp(-l_A, l_A);
    // the point of b that is nearest to a(s), and, if that is an end, the point of a that is nearest to it
    let t = w.dot(&(u * s - o));
    if t.abs() <= l_B {
        return (s, t);
    }
    let t = t.clamp(-l_B, l_B);
    (u.dot(&(o + w * t)).clamp(-l_A, l_A), t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn no_other_points_are_nearer() {
        let mut random = Random::new(3);
        for case in 0..2000 {
            let (u, l_A, l_B) = (random.unit(), random.between(0.1, 2.0), random.between(0.1, 2.0));
            // every third pair is parallel, every other third nearly so
            let w = match case % 3 {
                0 => random.unit(),
                1 => u,
                _ => (u + random.vector(1e-5)).normalize(),
            };
            let o = random.vector(2.0);
            let (s, t) = nearest_points(&o, (&u, l_A), (&w, l_B));
            assert!(s.abs() <= l_A && t.abs() <= l_B);
            let distance = |s: f64, t: f64| (o + w * t - u * s).norm();
            let d = distance(s, t);
            for i in 0..=20 {
                for j in 0..=20 {
                    let share = |i: i32| f64::from(i) / 10.0 - 1.0;
                    let other = distance(share(i) * l_A, share(j) * l_B);
                    assert!(other >= d - 1e-12, "case {case}: {other} < {d}");
                }
            }
        }
    }
}
