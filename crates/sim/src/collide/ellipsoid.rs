//! Ellipsoids about the origin: the solid `|H⁻¹ x| ≤ 1`, H the diagonal matrix of the half axes e.
//!
//! ```text
//!  support      h(n) = |H n|,  at x = H² n/|H n|
//!  nearest      y − x = t H⁻² x   ⇒   x = H g,  g_i = e_i y_i/(t + e_i²),  |g| = 1
//!  distance     d = n·y − h(n),   n along H⁻¹ g                       negative inside
//! ```
//!
//! The largest root t of |g| = 1 is the nearest point, inside and outside. With m the smallest half axis, δ = t + m² ≥ 0 and
//! d_i = e_i² − m², the function |g|² − 1 falls and is convex for δ > 0: Newton's iteration from the left of the root comes
//! up to it and not past it. Where the point has no part along the smallest axes there may be no root: then δ = 0, and two points on
//! either side are equally near. The distance is stationary in n, so that it has more digits than n.

use super::nearest::{Nearest, direction};
use crate::math::Vec3;

/// Newton's iteration begins where |g|² is from 1 to 3 and needs about six; the bound is for NaN.
const MAX_NEWTON: usize = 100;

/// Shares of the largest half axis below this have no digits for Newton's slopes, and count as none.
const NOTHING: f64 = 1e-300;

/// How often the triangles of an icosahedron are halved for [`points`].
const HALVINGS: usize = 3;

/// The farthest point of the ellipsoid in the direction n.
pub(super) fn support(half: &Vec3, n: &Vec3) -> Vec3 {
    direction(&half.component_mul(n)).map_or_else(Vec3::zeros, |(u, _)| half.component_mul(&u))
}

/// The nearest point of the surface. A point that is equally near on two sides counts as below the first of the smallest
/// half axes, on its positive side.
pub(super) fn nearest(half: &Vec3, p: &Vec3) -> Nearest {
    // shares of the largest half axis: nothing overflows, and units do not matter
    let size = half.max();
    let (e, y) = (half / size, p.abs() / size);
    let g = on_sphere(&e, &y);
    let outwards = Vec3::from_fn(|i, _| if p[i] < 0.0 { -g[i] / e[i] } else { g[i] / e[i] });
    let n = direction(&outwards).map_or_else(Vec3::z, |(n, _)| n);
    Nearest { d: n.dot(p) - size * e.component_mul(&n).norm(), n }
}

/// g = H⁻¹ x of the nearest point x to y ≥ 0.
fn on_sphere(e: &Vec3, y: &Vec3) -> Vec3 {
    let (smallest, m) = (e.imin(), e.min());
    let d = e.map(|e| (e - m) * (e + m));
    let ey = e.component_mul(y);
    let g = |delta: f64| {
        Vec3::from_fn(|i, _| if ey[i] < NOTHING { 0.0 } else { ey[i] / (delta + d[i]) })
    };
    // each g_i is at most 1 at the root
    let delta = (ey - d).max();
    let mut delta = if delta < NOTHING { 0.0 } else { delta };
    let square = g(delta).norm_squared();
    if delta == 0.0 && square <= 1.0 {
        let mut x = g(0.0);
        x[smallest] = (1.0 - square).sqrt();
        return x;
    }
    for _ in 0..MAX_NEWTON {
        let g = g(delta);
        let slope: f64 =
            (0..3).filter(|&i| g[i] != 0.0).map(|i| g[i] * g[i] / (delta + d[i])).sum();
        let next = delta + (g.norm_squared() - 1.0) / (2.0 * slope);
        if !(next > delta) {
            break;
        }
        delta = next;
    }
    g(delta)
}

/// Points of the surface whose hull stands for the ellipsoid: 642 of an icosahedron's triangles, halved three times, on the unit sphere
/// and stretched. The hull contains the ellipsoid of 0.9954 times its size.
pub(super) fn points(half: &Vec3) -> Vec<Vec3> {
    icosphere().iter().map(|u| half.component_mul(u)).collect()
}

/// By how much the hull of [`points`] is smaller than the ellipsoid, at most, as a share of its size.
#[cfg(test)]
const DEVIATION: f64 = 0.0046;

/// Corners of a regular icosahedron whose triangles are halved, on the unit sphere.
fn icosphere() -> Vec<Vec3> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners = Vec::new();
    for axis in 0..3 {
        for [short, long] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            let mut p = Vec3::zeros();
            (p[axis], p[(axis + 1) % 3]) = (short, long * golden);
            corners.push(p.normalize());
        }
    }
    // its 30 edges are the pairs of nearest corners
    let edge = (corners[0] - corners[1]).norm_squared();
    let edge = corners.iter().skip(1).map(|p| (p - corners[0]).norm_squared()).fold(edge, f64::min);
    let is_edge = |a: &Vec3, b: &Vec3| (a - b).norm_squared() < 1.5 * edge;
    let mut points = corners.clone();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|i| corners[i]);
                if is_edge(&p, &q) && is_edge(&q, &r) && is_edge(&r, &p) {
                    halve([p, q, r], HALVINGS, &mut points);
                }
            }
        }
    }
    points
}

/// Adds the middles of a triangle's edges, on the unit sphere, and those of its four parts; each once.
fn halve([p, q, r]: [Vec3; 3], times: usize, points: &mut Vec<Vec3>) {
    if times == 0 {
        return;
    }
    let middles = [(p, q), (q, r), (r, p)].map(|(a, b)| (a + b).normalize());
    for middle in middles {
        // sums in another order differ by rounding
        if !points.iter().any(|p| (p - middle).amax() < 1e-9) {
            points.push(middle);
        }
    }
    let [pq, qr, rp] = middles;
    for part in [[p, pq, rp], [q, qr, pq], [r, rp, qr], [pq, qr, rp]] {
        halve(part, times - 1, points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn axes(random: &mut Random) -> Vec3 {
        Vec3::from_fn(|_, _| 10f64.powf(random.between(-1.5, 0.5)))
    }

    /// How far x is from the surface, to first order.
    fn off_surface(half: &Vec3, x: &Vec3) -> f64 {
        let g = x.component_div(half);
        (g.norm() - 1.0) / g.component_div(half).norm()
    }

    #[test]
    fn the_nearest_point_lies_on_the_surface_and_the_normal_is_that_of_the_surface() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let half = axes(&mut random);
            let reach = 10f64.powf(random.between(-2.0, 1.0));
            let p = random.vector(reach);
            let Nearest { d, n } = nearest(&half, &p);
            let x = p - n * d;
            let size = half.max() + p.norm();
            // inside, near where two points are equally near, n has half the digits and d all of them
            assert!(off_surface(&half, &x).abs() <= 1e-7 * size, "{half} {p}: {d} {n}");
            let inside = p.component_div(&half).norm() < 1.0;
            assert_eq!(d < 0.0, inside, "{half} {p}: {d}");
            if !inside {
                assert!(off_surface(&half, &x).abs() <= 1e-13 * size, "{half} {p}: {d} {n}");
                let gradient = x.component_div(&half).component_div(&half);
                assert!((gradient.normalize() - n).amax() <= 1e-12 * half.max() / half.min());
            }
        }
    }

    #[test]
    fn no_other_point_of_the_surface_is_nearer() {
        let mut random = Random::new(2);
        for _ in 0..300 {
            let half = axes(&mut random);
            let p = random.vector(1.5).component_mul(&half);
            let Nearest { d, n } = nearest(&half, &p);
            let g = (p - n * d).component_div(&half);
            for i in 0..600 {
                // anywhere, and around the one that was found
                let near = 10f64.powf(random.between(-6.0, 0.0));
                let u = if i % 2 == 0 { random.unit() } else { g + random.vector(near) };
                let x = half.component_mul(&u.normalize());
                assert!((x - p).norm() >= d.abs() - 1e-14 * half.max(), "{half} {p}: {d}");
            }
        }
    }

    #[test]
    fn a_ball_is_an_ellipsoid_of_equal_axes() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            let (radius, p) = (random.between(0.1, 2.0), random.vector(2.0));
            let ball = crate::collide::nearest::of_sphere(radius, &p);
            let Nearest { d, n } = nearest(&Vec3::repeat(radius), &p);
            assert!((d - ball.d).abs() <= 1e-15 * (radius + p.norm()), "{d} {}", ball.d);
            assert!((n - ball.n).amax() <= 1e-15, "{n} {}", ball.n);
        }
    }

    #[test]
    fn points_on_planes_and_axes_of_symmetry_have_a_finite_unit_normal() {
        let lengths = [0.0, -0.0, 1e-320, 1e-300, 1e-20, 1e-9, 0.3, 0.96, 1.0, 2.0, -5.0, 1e9];
        let axes = [1.0, 2.0, 1.0 + 1e-15, 1e-3];
        let of = |list: &[f64], i: usize| {
            let n = list.len();
            Vec3::new(list[i % n], list[i / n % n], list[i / n / n])
        };
        for i in 0..axes.len().pow(3) {
            let half = of(&axes, i);
            for j in 0..lengths.len().pow(3) {
                let p = of(&lengths, j);
                let Nearest { d, n } = nearest(&half, &p);
                assert!((n.norm() - 1.0).abs() < 1e-15 && d.is_finite(), "{half} {p}: {d} {n}");
                let size = half.max() + p.norm();
                let x = p - n * d;
                assert!(off_surface(&half, &x).abs() <= 1e-7 * size, "{half} {p}: {d} {n}");
            }
        }
        let centre = nearest(&Vec3::new(3.0, 1.0, 1.0), &Vec3::zeros());
        assert_eq!(centre, Nearest { d: -1.0, n: Vec3::y() });
        // on the long axis, not far from the middle: nearest on the side of the short one
        let Nearest { d, n } = nearest(&Vec3::new(3.0, 1.0, 2.0), &Vec3::new(0.8, 0.0, 0.0));
        let x = Vec3::new(0.9, (1.0 - 0.09_f64).sqrt(), 0.0);
        assert!((d + (x - Vec3::new(0.8, 0.0, 0.0)).norm()).abs() < 1e-15, "{d}");
        assert!(n.y > 0.9 && n.z == 0.0, "{n}");
    }

    #[test]
    fn the_hull_of_its_points_is_smaller_by_less_than_is_written_down() {
        let points = icosphere();
        assert_eq!(points.len(), 642);
        assert!(points.iter().all(|p| (p.norm() - 1.0).abs() < 1e-15));
        // no direction is farther from a point than the corners of the triangles, which are as far as the largest
        // cap without points
        let mut random = Random::new(4);
        let mut worst = 0.0_f64;
        for _ in 0..20_000 {
            let n = random.unit();
            let reach = points.iter().map(|p| p.dot(&n)).fold(0.0, f64::max);
            worst = worst.max(1.0 - reach);
        }
        assert!(worst < DEVIATION && worst > 0.9 * DEVIATION, "{worst}");
    }
}
