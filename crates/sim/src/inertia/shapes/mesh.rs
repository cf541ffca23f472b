//! What a closed triangle mesh encloses: the sum of the signed tetrahedra from one point to all triangles.
//!
//! ```text
//!  6 V_T = a · (b × c)                                     a, b, c: corners from the common point
//!  ∫ x dV = Σ V_T (a + b + c)/4
//!  ∫ x xᵀ dV = Σ V_T/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)          s = a + b + c
//!  I = tr(C) 1 − C                                         C: the last integral about the centre
//! ```
//!
//! The common point is the mean of the vertices: far from the origin nothing cancels. Tetrahedra outside of the
//! body count negative, so the body need not be convex. It must not overlap itself.

use std::collections::BTreeMap;

use super::ShapeError;
use crate::inertia::Inertia;
use crate::math::{Mat3, Vec3};

/// A closed surface: triangles of vertices [m], counterclockwise seen from outside. Vertices at one place count as
/// one, so triangles need not share them.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[usize; 3]>,
}

/// Integrals over the body, about the mean of the vertices.
struct Moments {
    /// ∫ dV [m³], positive.
    volume: f64,
    /// ∫ x dV [m⁴].
    first: Vec3,
    /// ∫ x xᵀ dV [m⁵].
    second: Mat3,
    /// The point about which they are.
    origin: Vec3,
}

impl Mesh {
    /// [m³]
    pub fn volume(&self) -> Result<f64, ShapeError> {
        Ok(self.moments()?.volume)
    }

    /// Moments per mass [m²].
    pub(super) fn of_unit_mass(&self) -> Result<Inertia, ShapeError> {
        let Moments { volume, first, second, origin } = self.moments()?;
        let centre = first / volume;
        let C = second / volume - centre * centre.transpose();
        let I_com = Mat3::identity() * C.trace() - C;
        let inertia = Inertia { mass: 1.0, com: origin + centre, I_com };
        inertia.check().map_err(ShapeError::Inertia)?;
        Ok(inertia)
    }

    fn moments(&self) -> Result<Moments, ShapeError> {
        self.check()?;
        let n = self.vertices.len().max(1) as f64;
        let origin = self.vertices.iter().fold(Vec3::zeros(), |sum, p| sum + p / n);
        let mut sum = Moments { volume: 0.0, first: Vec3::zeros(), second: Mat3::zeros(), origin };
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.vertices[i] - origin);
            let volume = a.dot(&b.cross(&c)) / 6.0;
            let s = a + b + c;
            sum.volume += volume;
            sum.first += s * (volume / 4.0);
            let squares = [a, b, c, s].iter().fold(Mat3::zeros(), |sum, p| sum + p * p.transpose());
            sum.second += squares * (volume / 20.0);
        }
        if !sum.second.iter().all(|x| x.is_finite()) {
            return Err(ShapeError::Range);
        }
        if !(sum.volume >= f64::MIN_POSITIVE && sum.volume.is_finite()) {
            return Err(ShapeError::Volume(sum.volume));
        }
        Ok(sum)
    }

    /// Finite vertices, triangles of them, and for every edge another in the opposite direction.
    fn check(&self) -> Result<(), ShapeError> {
        let is_bad = |p: &Vec3| !p.iter().all(|x| x.is_finite());
        if let Some(vertex) = self.vertices.iter().position(is_bad) {
            return Err(ShapeError::Vertex { vertex });
        }
        let same = self.first_at_place();
        // how often an edge is met in the direction of ascending vertices, less the other direction
        let mut surplus: BTreeMap<[usize; 2], i64> = BTreeMap::new();
        for (i, triangle) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = triangle.iter().find(|&&v| v >= self.vertices.len()) {
                return Err(ShapeError::Triangle { triangle: i, vertex });
            }
            let [a, b, c] = triangle.map(|v| same[v]);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if from < to {
                    *surplus.entry([from, to]).or_default() += 1;
                } else {
                    *surplus.entry([to, from]).or_default() -= 1;
                }
            }
        }
        // a triangle with two corners at one place has an edge from there to there, which bounds nothing
        let open = surplus.iter().find(|([from, to], count)| from != to && **count != 0);
        match open {
            Some((&[a, b], count)) => {
                Err(ShapeError::Open { edge: if *count > 0 { [a, b] } else { [b, a] } })
            }
            None => Ok(()),
        }
    }

    /// For each vertex the first one at its place.
    fn first_at_place(&self) -> Vec<usize> {
        let mut first = BTreeMap::new();
        let places = self.vertices.iter().enumerate().map(|(i, p)| {
            // + 0.0 makes −0 a 0
            let place = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
            *first.entry(place).or_insert(i)
        });
        places.collect()
    }
}
