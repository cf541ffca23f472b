//! Mass, centre and inertia of uniform bodies of simple shape, and of closed triangle meshes.
//!
//! Shapes stand in their own frame with z as their axis; `Inertia::moved` places them, and `+` or
//! [`Inertia::sum`] joins parts to one body. Sizes are full lengths and radii [m], never half lengths.
//!
//! Thin shapes and points are limits of bodies. A rod and a point have no inertia about some axis: alone they are no
//! body of a model, together with other parts they are.

mod mesh;

use std::f64::consts::PI;
use std::fmt;

use super::{Inertia, InertiaError};
use crate::math::{Mat3, Vec3, skew};

pub use mesh::Mesh;

/// A uniform body. Its origin is the centre of mass unless the text says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    Sphere {
        radius: f64,
    },
    /// Full edge lengths along x, y and z.
    Box {
        edges: [f64; 3],
    },
    /// A cylinder of this `length` along z between two half spheres: `length + 2 radius` from end to end.
    Capsule {
        radius: f64,
        length: f64,
    },
    /// Along z.
    Cylinder {
        radius: f64,
        length: f64,
    },
    /// The origin is the centre of the base, the tip is at z = `height`; the centre of mass at a quarter of it.
    Cone {
        radius: f64,
        height: f64,
    },
    /// Half axes along x, y and z, as the radius of a sphere is one.
    Ellipsoid {
        radii: [f64; 3],
    },
    /// The surface of a sphere.
    ThinShell {
        radius: f64,
    },
    /// A disc across z.
    ThinDisc {
        radius: f64,
    },
    /// A line along z, without inertia about z.
    ThinRod {
        length: f64,
    },
    /// What a closed surface encloses, in the frame of its vertices.
    Mesh(Mesh),
}

/// Why a shape has no inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapeError {
    /// A size [m] that is not positive and finite.
    Size { what: &'static str, value: f64 },
    /// Not positive and finite [kg].
    Mass(f64),
    /// Not positive and finite [kg/m³; kg/m² of thin surfaces; kg/m of a rod].
    Density(f64),
    /// Sizes so large or small that mass or inertia leave the doubles.
    Range,
    /// A vertex of a mesh that is not finite.
    Vertex { vertex: usize },
    /// A triangle that names a vertex which is not there.
    Triangle { triangle: usize, vertex: usize },
    /// An edge from one vertex to another that is not met by one in the other direction: the surface is open,
    /// or triangles are turned against each other.
    Open { edge: [usize; 2] },
    /// A mesh whose volume [m³] is not positive: flat, or with its triangles turned inwards.
    Volume(f64),
    /// A mesh that is partly inside out, so that its moments belong to no body.
    Inertia(InertiaError),
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { what, value } => {
                write!(f, "{what} must be positive and finite, is {value}")
            }
            Self::Mass(mass) => write!(f, "mass must be positive and finite, is {mass}"),
            Self::Density(density) => {
                write!(f, "density must be positive and finite, is {density}")
            }
            Self::Range => write!(f, "mass or inertia of the shape is too large or too small"),
            Self::Vertex { vertex } => write!(f, "vertex {vertex} is not finite"),
            Self::Triangle { triangle, vertex } => {
                write!(f, "triangle {triangle} names vertex {vertex}, which is not there")
            }
            Self::Open { edge: [a, b] } => write!(
                f,
                "the edge from vertex {a} to {b} has no triangle on its other side: the mesh must be \
                 closed, with all triangles counterclockwise from outside"
            ),
            Self::Volume(volume) => write!(
                f,
                "the volume must be positive, is {volume}: triangles must be counterclockwise from \
                 outside"
            ),
            Self::Inertia(error) => write!(f, "the mesh is partly inside out: {error}"),
        }
    }
}

impl std::error::Error for ShapeError {}

impl Solid {
    /// With this mass [kg], spread evenly.
    pub fn with_mass(&self, mass: f64) -> Result<Inertia, ShapeError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(ShapeError::Mass(mass));
        }
        self.measure()?;
        let unit = self.of_unit_mass()?;
        let inertia = Inertia { mass, com: unit.com, I_com: unit.I_com * mass };
        let is_finite = inertia.I_com.iter().chain(&inertia.com).all(|x| x.is_finite());
        // some moment is left: only a point has none
        if is_finite && inertia.I_com.amax() >= f64::MIN_POSITIVE {
            return Ok(inertia);
        }
        Err(ShapeError::Range)
    }

    /// With this density [kg/m³]; [kg/m²] for thin surfaces, [kg/m] for a thin rod.
    pub fn with_density(&self, density: f64) -> Result<Inertia, ShapeError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(ShapeError::Density(density));
        }
        let mass = density * self.measure()?;
        if mass >= f64::MIN_POSITIVE && mass.is_finite() {
            return self.with_mass(mass);
        }
        Err(ShapeError::Range)
    }

    /// Volume [m³]; the area [m²] of thin surfaces, the length [m] of a thin rod.
    pub fn measure(&self) -> Result<f64, ShapeError> {
        for (what, value) in self.sizes() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ShapeError::Size { what, value });
            }
        }
        Ok(match self {
            Self::Sphere { radius: r } => 4.0 / 3.0 * PI * r * r * r,
            Self::Box { edges: [a, b, c] } => a * b * c,
            Self::Capsule { radius: r, length } => PI * r * r * (length + 4.0 / 3.0 * r),
            Self::Cylinder { radius: r, length } => PI * r * r * length,
            Self::Cone { radius: r, height } => PI / 3.0 * r * r * height,
            Self::Ellipsoid { radii: [a, b, c] } => 4.0 / 3.0 * PI * a * b * c,
            Self::ThinShell { radius: r } => 4.0 * PI * r * r,
            Self::ThinDisc { radius: r } => PI * r * r,
            Self::ThinRod { length } => *length,
            Self::Mesh(mesh) => mesh.volume()?,
        })
    }

    fn sizes(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Sphere { radius } | Self::ThinShell { radius } | Self::ThinDisc { radius } => {
                vec![("radius", *radius)]
            }
            Self::Box { edges } => edges.map(|edge| ("edge of a box", edge)).to_vec(),
            Self::Capsule { radius, length } | Self::Cylinder { radius, length } => {
                vec![("radius", *radius), ("length", *length)]
            }
            Self::Cone { radius, height } => vec![("radius", *radius), ("height", *height)],
            Self::Ellipsoid { radii } => radii.map(|r| ("radius of an ellipsoid", r)).to_vec(),
            Self::ThinRod { length } => vec![("length", *length)],
            Self::Mesh(_) => Vec::new(),
        }
    }

    /// Moments per mass [m²].
    fn of_unit_mass(&self) -> Result<Inertia, ShapeError> {
        let round = |across: f64, along: f64| [across, across, along];
        let moments = match *self {
            Self::Sphere { radius: r } => [0.4 * r * r; 3],
            Self::Box { edges: [a, b, c] } => {
                [b * b + c * c, c * c + a * a, a * a + b * b].map(|sum| sum / 12.0)
            }
            Self::Capsule { radius, length } => capsule(radius, length),
            Self::Cylinder { radius: r, length: l } => {
                round(r * r / 4.0 + l * l / 12.0, r * r / 2.0)
            }
            Self::Cone { radius: r, height: h } => {
                round(0.15 * r * r + 0.0375 * h * h, 0.3 * r * r)
            }
            Self::Ellipsoid { radii: [a, b, c] } => {
                [b * b + c * c, c * c + a * a, a * a + b * b].map(|sum| sum / 5.0)
            }
            Self::ThinShell { radius: r } => [2.0 / 3.0 * r * r; 3],
            Self::ThinDisc { radius: r } => round(r * r / 4.0, r * r / 2.0),
            Self::ThinRod { length: l } => round(l * l / 12.0, 0.0),
            Self::Mesh(ref mesh) => return mesh.of_unit_mass(),
        };
        let mut inertia = Inertia::principal(1.0, moments);
        if let Self::Cone { height, .. } = self {
            inertia.com.z = height / 4.0;
        }
        Ok(inertia)
    }
}

/// Moments per mass [m²] of a cylinder between two half spheres, by the share of the volume of each.
fn capsule(r: f64, l: f64) -> [f64; 3] {
    // volumes are l and 4/3 r times the area of the cross section
    let caps = 4.0 / 3.0 * r / (l + 4.0 / 3.0 * r);
    let tube = 1.0 - caps;
    // a half sphere's centre is 3/8 r above its base
    let across = tube * (r * r / 4.0 + l * l / 12.0)
        + caps * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r);
    [across, across, tube * r * r / 2.0 + caps * 0.4 * r * r]
}

impl Inertia {
    /// All mass [kg] in one point [m]. Alone it is no body: it has no rotational inertia.
    pub fn point(mass: f64, p: Vec3) -> Self {
        Self { mass, com: p, I_com: Mat3::zeros() }
    }

    /// One body of parts that are given in one frame.
    ///
    /// # Panics
    ///
    /// Without parts.
    pub fn sum(parts: &[Inertia]) -> Self {
        let (first, rest) = parts.split_first().expect("a body has at least one part");
        rest.iter().fold(*first, |sum, part| sum + *part)
    }
}

/// Two parts as one body, both in one frame.
impl std::ops::Add for Inertia {
    type Output = Self;

    fn add(self, part: Self) -> Self {
        let mass = self.mass + part.mass;
        let share = part.mass / mass;
        let apart = part.com - self.com;
        // both parts about the common centre: reduced mass times the square of their distance
        let c = skew(&apart);
        let about_centre = c * c * -(self.mass * share);
        Self { mass, com: self.com + apart * share, I_com: self.I_com + part.I_com + about_centre }
    }
}

#[cfg(test)]
mod tests;
