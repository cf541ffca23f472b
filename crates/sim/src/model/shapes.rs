//! Shapes on bodies: what collides, as the user states it and as the model keeps it.

use std::collections::BTreeMap;

use super::check;
use super::error::ModelError;
use super::material::MaterialPlaces;
use super::spec::{FrameSpec, ModelSpec};
use super::{Attachment, Model};
use crate::collide::parry::is_hull;
use crate::math::{Quat, Vec3};
use crate::spatial::Pose;

/// A hull whose points are this close to one plane, relative to their extent, has no inside: below, the faces that
/// bound it are noise.
const FLAT: f64 = 1e-9;

/// A solid in its own frame G. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Everything with z ≤ 0.
    HalfSpace,
    Sphere {
        radius: f64,
    },
    /// Half of each edge.
    Box {
        half: Vec3,
    },
    /// Half of each axis. Exact on half-spaces and against spheres and points; for all other shapes the hull of 642 of its points stands for
    /// it, which contains the ellipsoid of 0.9954 times its size: gaps are too large by at most 0.46 % of the largest half
    /// axis, and normals are those of triangles that are 8° wide.
    Ellipsoid {
        half: Vec3,
    },
    /// All points within `radius` of the segment from z = −`half_length` to `half_length`.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    /// Along z.
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// Along z: the base at −`half_length`, the tip at `half_length`.
    Cone {
        radius: f64,
        half_length: f64,
    },
    /// The convex hull of points that do not lie in one plane. Best its vertices only: points inside cost time and, on a
    /// half-space, are contacts of their own.
    Hull(Vec<Vec3>),
    /// A surface of triangles, counterclockwise from outside, solid behind. On the world only.
    Mesh {
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    },
    /// The ground below a grid of heights, centred on z: sample (i, j), `heights[i + nx * j]`, stands at
    /// x = (i − (nx − 1)/2) `spacing[0]`, y = (j − (ny − 1)/2) `spacing[1]`. On the world only.
    HeightField {
        nx: usize,
        ny: usize,
        spacing: [f64; 2],
        heights: Vec<f64>,
    },
    /// Contact points fixed to the body, by their places in G. Points do not collide with points.
    Points(Vec<Vec3>),
    /// Several shapes, each with its place (origin, orientation) in G. They do not collide with each other.
    Compound(Vec<(Vec3, Quat, Shape)>),
}

/// Which shapes collide: those of which each is a member of a group that the other's filter contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    pub membership: u32,
    pub filter: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShapeSpec {
    pub name: String,
    /// G on its body, or on the world.
    pub frame: FrameSpec,
    pub shape: Shape,
    /// The name of its material.
    pub material: String,
    /// Two shapes are in contact while their gap is at most the sum of their margins [m], ≥ 0.
    pub margin: f64,
    pub groups: Groups,
}

/// A shape of a [`Model`], or one part of a compound.
#[derive(Clone, Debug)]
pub struct Geom {
    /// The name of the shape it is, or is a part of.
    pub name: String,
    /// Which part of the shape, in the order of the description; 0 of a shape that is no compound.
    pub part: usize,
    /// Frame G on its body's B, or on the world.
    pub at: Attachment,
    /// Never a compound.
    pub shape: Shape,
    /// Its place in `model.materials`.
    pub material: usize,
    pub margin: f64,
    pub groups: Groups,
}

impl Default for Groups {
    /// Member of group 0, collides with all.
    fn default() -> Self {
        Self { membership: 1, filter: u32::MAX }
    }
}

impl Groups {
    pub fn meet(&self, other: &Self) -> bool {
        self.membership & other.filter != 0 && other.membership & self.filter != 0
    }
}

impl Shape {
    /// A box of full edge lengths [m].
    pub fn cuboid(x: f64, y: f64, z: f64) -> Self {
        Self::Box { half: 0.5 * Vec3::new(x, y, z) }
    }

    fn check(&self, user: &str) -> Result<(), ModelError> {
        let positive = |what, value| check::positive(user, what, value);
        match self {
            Self::HalfSpace => Ok(()),
            Self::Sphere { radius } => positive("radius", *radius),
            Self::Box { half } => half.iter().try_for_each(|&x| positive("half of an edge", x)),
            Self::Ellipsoid { half } => half.iter().try_for_each(|&x| positive("half axis", x)),
            Self::Capsule { radius, half_length }
            | Self::Cylinder { radius, half_length }
            | Self::Cone { radius, half_length } => {
                positive("radius", *radius)?;
                positive("half length", *half_length)
            }
            Self::Hull(points) => {
                check_points(user, points)?;
                if is_flat(points) || !is_hull(points) {
                    return Err(ModelError::FlatHull { shape: user.to_string() });
                }
                Ok(())
            }
            Self::Mesh { vertices, triangles } => check_mesh(user, vertices, triangles),
            Self::HeightField { nx, ny, spacing, heights } => {
                spacing.iter().try_for_each(|&x| positive("spacing of the grid", x))?;
                if *nx < 2 || *ny < 2 || nx.checked_mul(*ny) != Some(heights.len()) {
                    let (shape, found) = (user.to_string(), heights.len());
                    return Err(ModelError::Grid { shape, nx: *nx, ny: *ny, found });
                }
                heights.iter().try_for_each(|&z| check::finite(user, "height", z))
            }
            Self::Points(points) => check_points(user, points),
            Self::Compound(parts) if parts.is_empty() => empty(user),
            Self::Compound(_) => Ok(()),
        }
    }

    /// Without an inside that could move: bound to the world.
    fn is_static(&self) -> bool {
        matches!(self, Self::Mesh { .. } | Self::HeightField { .. })
    }
}

fn empty(user: &str) -> Result<(), ModelError> {
    Err(ModelError::EmptyShape { shape: user.to_string() })
}

fn check_points(user: &str, points: &[Vec3]) -> Result<(), ModelError> {
    if points.is_empty() {
        return empty(user);
    }
    let mut numbers = points.iter().flat_map(|p| p.iter());
    numbers.try_for_each(|&x| check::finite(user, "point", x))
}

fn check_mesh(user: &str, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), ModelError> {
    check_points(user, vertices)?;
    if triangles.is_empty() {
        return empty(user);
    }
    for (i, &[a, b, c]) in triangles.iter().enumerate() {
        let corner = |v: u32| vertices.get(v as usize);
        let area = match (corner(a), corner(b), corner(c)) {
            (Some(a), Some(b), Some(c)) => {
                let (ab, ac) = (b - a, c - a);
                // relative to the longest edges, so that units do not matter
                ab.cross(&ac).norm() / (ab.amax() * ac.amax())
            }
            _ => f64::NAN,
        };
        if !(area > FLAT) {
            return Err(ModelError::Triangle { shape: user.to_string(), triangle: i });
        }
    }
    Ok(())
}

/// Whether points lie in one plane: the fourth corner of the tetrahedron that is built of the farthest points is
/// no farther from the other three than [`FLAT`] of their extent.
fn is_flat(points: &[Vec3]) -> bool {
    let farthest = |measure: &dyn Fn(&Vec3) -> f64| {
        let mut best = points[0];
        for p in points {
            if measure(p) > measure(&best) {
                best = *p;
            }
        }
        best
    };
    let o = points[0];
    let a = farthest(&|p| (p - o).norm()) - o;
    let extent = a.norm();
    let b = farthest(&|p| a.cross(&(p - o)).norm() / extent) - o;
    let normal = a.cross(&b) / extent;
    let c = farthest(&|p| normal.dot(&(p - o)).abs()) - o;
    !(normal.dot(&c).abs() > FLAT * extent * normal.norm() && normal.norm() > FLAT * extent)
}

impl Model {
    /// Adds all shapes; the materials are there.
    pub(super) fn add_shapes(&mut self, spec: &ModelSpec) -> Result<(), ModelError> {
        check::names("shapes", spec.shapes.iter().map(|shape| &shape.name))?;
        let names = self.bodies.iter().enumerate().map(|(i, body)| (body.name.clone(), i));
        let bodies: BTreeMap<String, usize> = names.collect();
        let places = MaterialPlaces::new(spec);
        for shape in &spec.shapes {
            check::not_negative(&shape.name, "margin", shape.margin)?;
            let at = self.attach(&bodies, &shape.name, &shape.frame)?;
            let like = Geom {
                name: shape.name.clone(),
                part: 0,
                at,
                shape: Shape::HalfSpace,
                material: places.find(&shape.name, &shape.material)?,
                margin: shape.margin,
                groups: shape.groups,
            };
            self.add_parts(&like, &at.X_BF, &shape.shape, &mut 0)?;
        }
        Ok(())
    }

    /// A shape with its frame at `X_BG`, or the parts of a compound, each with its number; the rest is as in `like`.
    fn add_parts(
        &mut self,
        like: &Geom,
        X_BG: &Pose,
        shape: &Shape,
        part: &mut usize,
    ) -> Result<(), ModelError> {
        let name = &like.name;
        shape.check(name)?;
        if let Shape::Compound(parts) = shape {
            for (p, quat, inner) in parts {
                let place = FrameSpec { body: None, p: *p, quat: *quat };
                self.add_parts(like, &(*X_BG * check::pose(name, &place)?), inner, part)?;
            }
            return Ok(());
        }
        if shape.is_static() && like.at.body.is_some() {
            return Err(ModelError::MovingSurface { shape: name.clone() });
        }
        if !X_BG.p.iter().all(|x| x.is_finite()) {
            return Err(ModelError::Overflow { user: name.clone() });
        }
        let at = Attachment { body: like.at.body, X_BF: *X_BG };
        self.geoms.push(Geom { part: *part, at, shape: shape.clone(), ..like.clone() });
        *part += 1;
        Ok(())
    }

    fn attach(
        &self,
        bodies: &BTreeMap<String, usize>,
        user: &str,
        frame: &FrameSpec,
    ) -> Result<Attachment, ModelError> {
        let X_UF = check::pose(user, frame)?;
        let Some(name) = &frame.body else {
            return Ok(Attachment { body: None, X_BF: X_UF });
        };
        let Some(&i) = bodies.get(name) else {
            return Err(ModelError::UnknownBody { user: user.to_string(), body: name.clone() });
        };
        Ok(Attachment { body: Some(i), X_BF: self.bodies[i].X_BU * X_UF })
    }
}
