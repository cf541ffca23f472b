//! Residual of bounds in velocity space: the numbers of [`Judge::lcp`](super::Judge::lcp), from the root of the matrix.

use super::exact::Sum;
use super::{Judge, UNIT_ROUNDOFF, within};
use crate::motion::boxes::{Bounds, BoxProblem};

/// How far impulses are from obeying their bounds. All parts are zero exactly where they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxResidual {
    /// Largest entry of `r − P(r − u)`, P the nearest point within the bounds; of friction within the section that belongs to r_n. Mixes
    /// the units of r and u, as the field does.
    pub natural: f64,
    /// `natural / max(1, max|q|)`.
    pub scaled: f64,
    /// What rounding r to f64 alone may cost of `scaled`.
    pub floor: f64,
    /// Farthest beyond a bound [N·s].
    pub outside: f64,
}

impl BoxResidual {
    pub const WORST: Self = Self {
        natural: f64::INFINITY,
        scaled: f64::INFINITY,
        floor: f64::INFINITY,
        outside: f64::INFINITY,
    };

    /// `scaled ≤ max(tol, 3·floor)`; rounding excuses no more than [`super::FLOOR_CAP`].
    pub fn accepts(&self, tol: f64) -> bool {
        within(self.scaled, tol, self.floor)
    }
}

impl Judge {
    /// Judges impulses; [`Judge::w`] gives `u = Hᵀ H r + ε r + q` afterwards, three rows a contact.
    ///
    /// # Panics
    ///
    /// If `r` is not of the contacts of the problem.
    pub fn boxes(&mut self, problem: &BoxProblem, r: &[[f64; 3]]) -> BoxResidual {
        assert_eq!(r.len(), problem.contacts(), "the answer has the wrong length");
        if !r.iter().flatten().all(|x| x.is_finite()) || !self.move_rows(problem, r) {
            return BoxResidual::WORST;
        }
        let (mut natural, mut outside, mut q_max, mut size_max) = (0.0_f64, 0.0_f64, 1.0_f64, 0.0);
        for (c, (r_c, bounds)) in r.iter().zip(problem.bounds()).enumerate() {
            let u = [self.w[3 * c], self.w[3 * c + 1], self.w[3 * c + 2]];
            let (e, beyond) = match *bounds {
                Bounds::Fixed { lower, upper } => {
                    let rows = [0, 1, 2].map(|i| row(r_c[i], u[i], lower[i], upper[i]));
                    (rows.map(|(e, _)| e), rows.map(|(_, beyond)| beyond))
                }
                Bounds::Axes { mu } => {
                    let [a, b] = mu.map(|mu| mu * r_c[0].max(0.0));
                    let normal = row(r_c[0], u[0], 0.0, f64::INFINITY);
                    let rows = [normal, row(r_c[1], u[1], -a, a), row(r_c[2], u[2], -b, b)];
                    (rows.map(|(e, _)| e), rows.map(|(_, beyond)| beyond))
                }
                Bounds::Polygon { mu } => {
                    let (e, beyond) = row(r_c[0], u[0], 0.0, f64::INFINITY);
                    let radius = mu * r_c[0].max(0.0);
                    let ([e1, e2], far) =
                        polygon(problem.directions(), radius, [r_c[1], r_c[2]], [u[1], u[2]]);
                    ([e, e1, e2], [beyond, far, 0.0])
                }
            };
            for i in 0..3 {
                natural = natural.max(e[i].abs());
                outside = outside.max(beyond[i]);
                q_max = q_max.max(problem.rows().q()[c][i].abs());
            }
            if !e.iter().all(|e| e.is_finite()) {
                return BoxResidual::WORST;
            }
        }
        for size in &self.size {
            size_max = f64::max(size_max, *size);
        }
        let floor = UNIT_ROUNDOFF * size_max / q_max;
        BoxResidual { natural, scaled: natural / q_max, floor, outside }
    }

    /// u and the sizes of its terms; false if something is not finite.
    fn move_rows(&mut self, problem: &BoxProblem, r: &[[f64; 3]]) -> bool {
        let rows = problem.rows();
        self.sum.clear();
        self.sum.resize(rows.coordinates(), Sum::default());
        self.x.clear();
        self.x.resize(rows.coordinates(), [0.0; 2]);
        for (c, r_c) in r.iter().enumerate() {
            for (_, first, span) in rows.spans(c) {
                for (k, h) in span.iter().enumerate() {
                    for i in 0..3 {
                        self.sum[first + k].add_product(h[i], r_c[i]);
                        self.x[first + k][1] += (h[i] * r_c[i]).abs();
                    }
                }
            }
        }
        for (x, sum) in self.x.iter_mut().zip(&self.sum) {
            x[0] = sum.value();
        }
        self.w.clear();
        self.size.clear();
        for (c, r_c) in r.iter().enumerate() {
            for i in 0..3 {
                let (eps, q) = (rows.eps()[c][i], rows.q()[c][i]);
                let (mut u, mut size) = (Sum::of(q), q.abs() + (eps * r_c[i]).abs());
                u.add_product(eps, r_c[i]);
                for (_, first, span) in rows.spans(c) {
                    for (k, h) in span.iter().enumerate() {
                        u.add_product(h[i], self.x[first + k][0]);
                        size += h[i].abs() * self.x[first + k][1];
                    }
                }
                self.w.push(u.value());
                self.size.push(size);
            }
        }
        self.w.iter().chain(&self.size).all(|x| x.is_finite())
    }
}

/// `r − mid(lower, upper, r − u)`, without the cancellation of forming r − u first, and how far r is beyond a bound.
fn row(r: f64, u: f64, lower: f64, upper: f64) -> (f64, f64) {
    (u.min(r - lower).max(r - upper), (lower - r).max(r - upper).max(0.0))
}

/// `r − P(r − u)` for the polygon `|e_j·r| ≤ radius`, and how far r is beyond it. P by trying all sides and corners.
fn polygon(e: &[[f64; 2]], radius: f64, r: [f64; 2], u: [f64; 2]) -> ([f64; 2], f64) {
    let along = |e: &[f64; 2], x: [f64; 2]| e[0] * x[0] + e[1] * x[1];
    let beyond = |x: [f64; 2]| e.iter().map(|e| along(e, x).abs() - radius).fold(0.0, f64::max);
    let z = [r[0] - u[0], r[1] - u[1]];
    if beyond(z) <= 0.0 {
        return (u, beyond(r));
    }
    let mut nearest = (f64::INFINITY, [f64::NAN; 2]);
    let mut offer = |p: [f64; 2], slack: f64| {
        let way = [z[0] - p[0], z[1] - p[1]];
        let distance = way[0] * way[0] + way[1] * way[1];
        if beyond(p) <= slack && distance < nearest.0 {
            nearest = (distance, p);
        }
    };
    // feet and corners are on their sides but for rounding
    let slack = 1e-14 * (radius + z[0].abs() + z[1].abs());
    let sides = || e.iter().flat_map(|e| [*e, [-e[0], -e[1]]]);
    for a in sides() {
        let foot = along(&a, z) - radius;
        offer([z[0] - foot * a[0], z[1] - foot * a[1]], slack);
        for b in sides() {
            let det = a[0] * b[1] - a[1] * b[0];
            if det > 1e-9 {
                offer([radius * (b[1] - a[1]) / det, radius * (a[0] - b[0]) / det], slack);
            }
        }
    }
    ([r[0] - nearest.1[0], r[1] - nearest.1[1]], beyond(r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::boxes::BoxProblem;

    /// One body of unit mass that slides on the ground: u = r + q.
    fn mass_point(q: [f64; 3], bounds: Bounds) -> BoxProblem {
        let mut problem = BoxProblem::default();
        problem.clear([3]);
        for e in [[1.0, 0.0], [0.0, 1.0]] {
            problem.push_direction(e);
        }
        problem.push_span(0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        problem.end_contact([0.0; 3], q, bounds);
        problem
    }

    #[test]
    fn it_is_zero_at_solutions_and_names_the_parts_elsewhere() {
        let fixed = Bounds::Fixed { lower: [0.0, -0.2, -0.3], upper: [f64::INFINITY, 0.2, 0.3] };
        let mut judge = Judge::default();
        for (bounds, r) in [
            (fixed, [1.0, 0.2, -0.3]),
            (Bounds::Axes { mu: [0.5, 0.25] }, [1.0, 0.5, -0.25]),
            (Bounds::Polygon { mu: 0.5 }, [1.0, 0.5, -0.5]),
        ] {
            let problem = mass_point([-1.0, -2.0, 1.0], bounds);
            assert_eq!(judge.boxes(&problem, &[r]).natural, 0.0, "{bounds:?}");
            let more = [r[0], r[1] + 0.125, r[2]];
            let off = judge.boxes(&problem, &[more]);
            assert_eq!((off.natural, off.outside, off.scaled), (0.125, 0.125, 0.0625));
            assert!(!off.accepts(1e-9));
            // too little friction: the rest of what it would stop, or of the way to the bound
            let less = judge.boxes(&problem, &[[r[0], r[1] - 0.125, r[2]]]);
            assert_eq!((less.natural, less.outside), (0.125, 0.0), "{bounds:?}");
        }
    }

    #[test]
    fn corners_and_sides_of_a_polygon_are_told_apart() {
        let directions: Vec<[f64; 2]> = (0..3)
            .map(|j| f64::from(j) * std::f64::consts::FRAC_PI_3)
            .map(|angle| [angle.cos(), angle.sin()])
            .collect();
        // out along the first side's normal: its foot
        let (e, _) = polygon(&directions, 1.0, [1.0, 0.1], [-3.0, 0.0]);
        assert!(e[0].abs() < 1e-15 && e[1].abs() < 1e-15, "{e:?}");
        // between two normals: the corner
        let corner = [1.0, 1.0 / 3.0_f64.sqrt()];
        let (e, beyond) = polygon(&directions, 1.0, corner, [-3.0, -1.8]);
        assert!(e[0].abs() < 1e-14 && e[1].abs() < 1e-14 && beyond < 1e-14, "{e:?}");
        let (e, _) = polygon(&directions, 1.0, [1.0, 0.0], [-3.0, -1.8]);
        assert!(e[1].abs() > 0.5, "{e:?}");
    }

    #[test]
    fn what_is_not_finite_is_the_worst() {
        let problem = mass_point([-1.0, 0.0, 0.0], Bounds::Axes { mu: [0.5; 2] });
        for bad in [f64::NAN, f64::INFINITY, 1e308] {
            assert!(!Judge::default().boxes(&problem, &[[1.0, bad, 0.0]]).accepts(1e-9), "{bad}");
        }
    }
}
