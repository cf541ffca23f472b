//! The nearest impulse within bounds, and its derivative: linear piece by piece.

use super::problem::Bounds;
use crate::cone::Triple;
use crate::motion::factor::Block;

/// `r = Π(z)` and `∂r/∂z`: each row into its bounds; of contacts with friction the normal first, then the tangents into
/// the section that belongs to it. `directions`: those of polygons.
pub(super) fn respond(bounds: &Bounds, directions: &[[f64; 2]], z: &Triple) -> (Triple, Block) {
    match bounds {
        Bounds::Fixed { lower, upper } => {
            let mut J = [0.0; 9];
            let r = std::array::from_fn(|i| {
                let (r, slope) = into(z[i], lower[i], upper[i]);
                J[4 * i] = slope;
                r
            });
            (r, J)
        }
        _ if !(z[0] > 0.0) => ([0.0; 3], [0.0; 9]),
        Bounds::Axes { mu } => {
            let (mut r, mut J) = ([z[0], 0.0, 0.0], [0.0; 9]);
            J[0] = 1.0;
            for a in 0..2 {
                let half = mu[a] * z[0];
                let (r_a, slope) = into(z[1 + a], -half, half);
                r[1 + a] = r_a;
                J[4 + 4 * a] = slope;
                if slope == 0.0 {
                    J[3 + 3 * a] = if z[1 + a] > 0.0 { mu[a] } else { -mu[a] };
                }
            }
            (r, J)
        }
        Bounds::Polygon { mu } => polygon(*mu, directions, z),
    }
}

/// Between bounds, and the slope.
fn into(z: f64, lower: f64, upper: f64) -> (f64, f64) {
    if !(z > lower) {
        (lower, 0.0)
    } else if !(z < upper) {
        (upper, 0.0)
    } else {
        (z, 1.0)
    }
}

/// Of the side that faces z the nearest point, at `z_n > 0`.
fn polygon(mu: f64, directions: &[[f64; 2]], z: &Triple) -> (Triple, Block) {
    let along = |e: [f64; 2]| e[0] * z[1] + e[1] * z[2];
    let mut e = [1.0, 0.0];
    let mut most = f64::NEG_INFINITY;
    for &[x, y] in directions {
        let reach = along([x, y]);
        if reach.abs() > most {
            (e, most) = (if reach > 0.0 { [x, y] } else { [-x, -y] }, reach.abs());
        }
    }
    if !(most > mu * z[0]) {
        return (*z, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }
    let t = [-e[1], e[0]];
    // half a side at unit normal impulse
    let half = mu * half_angle_tangent(directions);
    let place = along(t);
    let is_on_side = place.abs() < half * z[0];
    let corner = if place > 0.0 { half } else { -half };
    let reach = |a: usize| mu * e[a] + if is_on_side { 0.0 } else { corner * t[a] };
    let slope = |a: usize, b: usize| if is_on_side { t[a] * t[b] } else { 0.0 };
    let tangents = [reach(0), slope(0, 0), slope(0, 1), reach(1), slope(1, 0), slope(1, 1)];
    let mut J = [0.0; 9];
    J[0] = 1.0;
    J[3..].copy_from_slice(&tangents);
    let r_t = |a: usize| reach(a) * z[0] + if is_on_side { place * t[a] } else { 0.0 };
    ([z[0], r_t(0), r_t(1)], J)
}

/// The tangent of half the angle between two directions.
fn half_angle_tangent(directions: &[[f64; 2]]) -> f64 {
    let [a, b] = [directions[0], directions[1]];
    let cosine = a[0] * b[0] + a[1] * b[1];
    ((1.0 - cosine) / (1.0 + cosine)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn directions(k: usize) -> Vec<[f64; 2]> {
        let angle = |j: usize| std::f64::consts::PI * j as f64 / k as f64;
        (0..k).map(|j| [angle(j).cos(), angle(j).sin()]).collect()
    }

    fn examples(random: &mut Random) -> [(Bounds, Vec<[f64; 2]>); 4] {
        let half = random.next().abs();
        let lower = [0.0, -half, 0.2];
        [
            (Bounds::Fixed { lower, upper: [f64::INFINITY, half, 0.2] }, Vec::new()),
            (Bounds::Axes { mu: [half, 0.0] }, Vec::new()),
            (Bounds::Polygon { mu: half }, directions(2)),
            (Bounds::Polygon { mu: half }, directions(5)),
        ]
    }

    /// All sides, by their definition.
    fn is_inside(bounds: &Bounds, directions: &[[f64; 2]], r: &Triple) -> bool {
        let near = |x: f64| x <= 1e-12;
        match *bounds {
            Bounds::Fixed { lower, upper } => {
                (0..3).all(|i| near(lower[i] - r[i]) && near(r[i] - upper[i]))
            }
            Bounds::Axes { mu } => (0..2).all(|a| near(r[1 + a].abs() - mu[a] * r[0])),
            Bounds::Polygon { mu } => {
                directions.iter().all(|e| near((e[0] * r[1] + e[1] * r[2]).abs() - mu * r[0]))
            }
        }
    }

    #[test]
    fn nothing_within_the_bounds_is_nearer() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            for (bounds, e) in examples(&mut random) {
                let z: Triple = std::array::from_fn(|_| 2.0 * random.next());
                let (r, _) = respond(&bounds, &e, &z);
                assert!(is_inside(&bounds, &e, &r), "{bounds:?} {z:?} {r:?}");
                // points of the section towards others, which are within the bounds too
                let w: Triple = [r[0], 2.0 * random.next(), 2.0 * random.next()];
                let other =
                    respond(&bounds, &e, &[if r[0] > 0.0 { r[0] } else { z[0] }, w[1], w[2]]).0;
                let way = (other[1] - r[1], other[2] - r[2]);
                let uphill = (z[1] - r[1]) * way.0 + (z[2] - r[2]) * way.1;
                assert!(uphill <= 1e-12, "{bounds:?} {z:?} {r:?} {other:?}");
            }
        }
    }

    #[test]
    fn the_derivative_is_that_of_differences() {
        let mut random = Random::new(4);
        for _ in 0..300 {
            for (bounds, e) in examples(&mut random) {
                let z: Triple = std::array::from_fn(|_| 2.0 * random.next());
                let d: Triple = std::array::from_fn(|_| 1e-7 * random.next());
                let (r, J) = respond(&bounds, &e, &z);
                let (moved, J_moved) = respond(&bounds, &e, &std::array::from_fn(|i| z[i] + d[i]));
                if J != J_moved {
                    continue;
                }
                for i in 0..3 {
                    let by_J: f64 = (0..3).map(|j| J[3 * i + j] * d[j]).sum();
                    assert!((moved[i] - r[i] - by_J).abs() < 1e-14, "{bounds:?} {z:?}");
                }
            }
        }
    }

    #[test]
    fn two_directions_are_the_axes() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let z: Triple = std::array::from_fn(|_| 2.0 * random.next());
            let (square, _) = respond(&Bounds::Polygon { mu: 0.7 }, &directions(2), &z);
            let (axes, _) = respond(&Bounds::Axes { mu: [0.7; 2] }, &[], &z);
            assert!((0..3).all(|i| (square[i] - axes[i]).abs() < 1e-15), "{square:?} {axes:?}");
        }
    }
}
