//! How far a linear function goes on a polyhedron that contains the origin.
//!
//! ```text
//!  max cᵀz   such that   a_iᵀz + b_i ≥ 0,   b_i ≥ 0
//! ```
//!
//! The simplex method of [`farkas`](super::farkas()) without its first phase: z = 0 is a point. z is free; the data should be
//! of size about 1, since bounds are held to 1e−11 against 1.

use super::power_of_two;
use super::simplex::{Outcome, Simplex};

/// An intersection of half-spaces.
#[derive(Clone, Debug, Default)]
pub struct Polyhedron {
    dimension: usize,
    /// Row by row.
    a: Vec<f64>,
    b: Vec<f64>,
    simplex: Simplex,
}

/// Where a linear function is largest.
#[derive(Clone, Debug, PartialEq)]
pub enum Extreme {
    /// At this point.
    Point(Vec<f64>),
    /// Nowhere: it grows for ever along this direction, of largest entry 1.
    Ray(Vec<f64>),
    /// The numbers were too bad to say.
    Undecided,
}

impl Polyhedron {
    /// All points of a space.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, ..Default::default() }
    }

    /// Half-spaces that were added.
    pub fn sides(&self) -> usize {
        self.b.len()
    }

    /// Leaves the points with `aᵀz + b ≥ 0`.
    ///
    /// # Panics
    ///
    /// If a is not of this space, or the origin would not be left.
    pub fn cut(&mut self, a: &[f64], b: f64) {
        assert_eq!(a.len(), self.dimension, "a side of another space");
        assert!(b >= 0.0, "the origin would be cut off");
        self.a.extend_from_slice(a);
        self.b.push(b);
    }

    /// Forgets all sides but the first ones.
    pub fn truncate(&mut self, sides: usize) {
        self.a.truncate(sides * self.dimension);
        self.b.truncate(sides);
    }

    /// Where `cᵀz` is largest.
    ///
    /// # Panics
    ///
    /// If c is not of this space.
    pub fn maximize(&mut self, c: &[f64]) -> Extreme {
        assert_eq!(c.len(), self.dimension, "a function on another space");
        let (d, m) = (self.dimension, self.b.len());
        // the simplex method knows square dictionaries: c is the row after the sides, zeros fill the rest
        let n = d.max(m + 1);
        let row = |i: usize| if i < m { &self.a[i * d..(i + 1) * d] } else { c };
        let scale: Vec<f64> = (0..=m)
            .map(|i| {
                let largest = row(i).iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
                if largest > 0.0 { power_of_two(1.0 / largest) } else { 1.0 }
            })
            .collect();
        let b: Vec<f64> = (0..n).map(|i| if i < m { self.b[i] * scale[i] } else { 0.0 }).collect();
        self.simplex.load_narrow(d, &b, |j, column| {
            for (i, x) in column.iter_mut().take(m + 1).enumerate() {
                *x = row(i)[j] * scale[i];
            }
        });
        const INF: f64 = f64::INFINITY;
        for i in 0..n {
            let z = if i < d { INF } else { 0.0 };
            (self.simplex.lower[i], self.simplex.upper[i]) = (-z, z);
            let w = if i < m { 0.0 } else { -INF };
            (self.simplex.lower[n + i], self.simplex.upper[n + i]) = (w, INF);
        }
        self.simplex.restart();
        match self.simplex.push(n + m, 1.0, INF) {
            Outcome::Optimal => Extreme::Point(self.simplex.x[..d].to_vec()),
            Outcome::Unbounded => Extreme::Ray(unit(&self.simplex.ray[..d])),
            Outcome::Reached | Outcome::Failed => Extreme::Undecided,
        }
    }
}

fn unit(ray: &[f64]) -> Vec<f64> {
    let largest = ray.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    ray.iter().map(|x| x / largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::Rng;

    #[test]
    fn a_corner_of_a_triangle_and_its_open_side() {
        // x ≤ 1, y ≤ 2, 2x + y ≥ −4
        let mut triangle = Polyhedron::new(2);
        triangle.cut(&[-1.0, 0.0], 1.0);
        triangle.cut(&[0.0, -1.0], 2.0);
        assert!(matches!(triangle.maximize(&[-1.0, 0.0]), Extreme::Ray(_)));
        triangle.cut(&[2.0, 1.0], 4.0);
        assert_eq!(triangle.maximize(&[-1.0, 0.0]), Extreme::Point(vec![-3.0, 2.0]));
        assert_eq!(triangle.maximize(&[1.0, 1.0]), Extreme::Point(vec![1.0, 2.0]));
        triangle.truncate(2);
        let Extreme::Ray(ray) = triangle.maximize(&[-1.0, -1e-3]) else { panic!("open") };
        assert!(ray[0] <= 0.0 && ray[1] <= 0.0 && ray[0].min(ray[1]) == -1.0, "{ray:?}");
    }

    #[test]
    fn more_dimensions_than_sides_are_a_ray_unless_nothing_grows() {
        let mut slab = Polyhedron::new(5);
        slab.cut(&[0.0, 1.0, 0.0, 0.0, 0.0], 1.0);
        slab.cut(&[0.0, -1.0, 0.0, 0.0, 0.0], 0.0);
        let down = [0.0, -1.0, 0.0, 0.0, 0.0];
        assert!(matches!(slab.maximize(&down), Extreme::Point(z) if z[1] == -1.0));
        assert!(matches!(slab.maximize(&[0.0; 5]), Extreme::Point(_)));
        assert!(matches!(slab.maximize(&[1.0, 0.0, 0.0, 0.0, 0.0]), Extreme::Ray(_)));
    }

    #[test]
    fn no_point_of_many_goes_farther() {
        let mut random = Rng::new(3);
        for case in 0..200 {
            let (d, m) = (1 + case % 6, 4 + case % 23);
            let mut body = Polyhedron::new(d);
            let mut sides = Vec::new();
            for _ in 0..m {
                let a: Vec<f64> = (0..d).map(|_| random.index(7) as f64 - 3.0).collect();
                let b = random.index(3) as f64;
                body.cut(&a, b);
                sides.push((a, b));
            }
            let dot = |a: &[f64], z: &[f64]| a.iter().zip(z).map(|(a, z)| a * z).sum::<f64>();
            let c: Vec<f64> = (0..d).map(|_| random.index(9) as f64 - 4.0).collect();
            match body.maximize(&c) {
                Extreme::Undecided => panic!("case {case}"),
                Extreme::Ray(ray) => {
                    assert!(dot(&c, &ray) > 1e-9, "case {case}");
                    assert!(sides.iter().all(|(a, _)| dot(a, &ray) >= -1e-10), "case {case}");
                }
                Extreme::Point(z) => {
                    assert!(sides.iter().all(|(a, b)| dot(a, &z) + b >= -1e-10), "case {case}");
                    // a step in any direction that gains leaves the polyhedron
                    for _ in 0..300 {
                        let to: Vec<f64> =
                            z.iter().map(|z| z + random.index(2001) as f64 / 1e3 - 1.0).collect();
                        let inside = sides.iter().all(|(a, b)| dot(a, &to) + b >= 0.0);
                        assert!(!inside || dot(&c, &to) <= dot(&c, &z) + 1e-10, "case {case}");
                    }
                }
            }
        }
    }
}
