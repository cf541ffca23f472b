//! What a page draws: the header of a recording without the scene's text, meshes apart as numbers.

use std::collections::BTreeMap;

use serde::Serialize;
use stiction_record::{BodyInfo, Geometry, Header, ShapeInfo};

/// The part of a page that does not change in time.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    pub title: String,
    pub version: String,
    pub command: Vec<String>,
    pub scene_file: String,
    pub scene_hash: String,
    pub seed: u64,
    pub h: f64,
    pub law: String,
    pub solver: String,
    pub tol: f64,
    pub ledger: Vec<String>,
    pub bodies: Vec<BodyInfo>,
    pub shapes: Vec<DrawnShape>,
    /// Each different mesh or set of points once.
    pub meshes: Vec<MeshPlace>,
    /// Meshes that were too large for the page: their bounding boxes are drawn.
    pub meshes_as_boxes: usize,
    /// Float32 x, y, z of vertices and Uint32 corners of triangles, little-endian, one mesh after the other.
    #[serde(skip)]
    pub numbers: Vec<u8>,
}

#[derive(Clone, Debug, Serialize)]
pub struct DrawnShape {
    pub name: String,
    /// Place in `bodies`; None: the world.
    pub body: Option<usize>,
    pub material: String,
    pub position: [f64; 3],
    pub quat_wxyz: [f64; 4],
    #[serde(flatten)]
    pub solid: Solid,
}

/// [`Geometry`] with meshes by their place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Solid {
    HalfSpace,
    Sphere { radius: f64 },
    Box { half: [f64; 3] },
    Ellipsoid { half: [f64; 3] },
    Capsule { radius: f64, half_length: f64 },
    Cylinder { radius: f64, half_length: f64 },
    Cone { radius: f64, half_length: f64 },
    Mesh { mesh: usize },
    Points { mesh: usize },
}

/// Where a mesh is in [`Drawing::numbers`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeshPlace {
    /// [bytes]
    pub start: usize,
    pub vertices: usize,
    /// 0: points.
    pub triangles: usize,
}

/// Meshes met so far.
#[derive(Default)]
struct Meshes {
    numbers: Vec<u8>,
    places: Vec<MeshPlace>,
    known: BTreeMap<Vec<u8>, usize>,
    as_boxes: usize,
}

impl Drawing {
    /// Meshes take at most `mesh_bytes`.
    pub fn new(header: &Header, mesh_bytes: usize) -> Self {
        let mut meshes = Meshes::default();
        let shapes = header
            .shapes
            .iter()
            .map(|shape| drawn(shape, header.bodies.len(), mesh_bytes, &mut meshes))
            .collect();
        Self {
            title: header.title.clone(),
            version: header.version.clone(),
            command: header.command.clone(),
            scene_file: header.scene_file.clone(),
            scene_hash: header.scene_hash.clone(),
            seed: header.seed,
            h: header.h,
            law: header.law.clone(),
            solver: header.solver.clone(),
            tol: header.tol,
            ledger: header.ledger.clone(),
            bodies: header.bodies.clone(),
            shapes,
            meshes: meshes.places,
            meshes_as_boxes: meshes.as_boxes,
            numbers: meshes.numbers,
        }
    }
}

/// A shape on a body that does not exist is drawn on the world.
fn drawn(shape: &ShapeInfo, bodies: usize, mesh_bytes: usize, meshes: &mut Meshes) -> DrawnShape {
    let mut position = shape.position;
    let solid = match &shape.geometry {
        Geometry::HalfSpace => Solid::HalfSpace,
        &Geometry::Sphere { radius } => Solid::Sphere { radius },
        &Geometry::Box { half } => Solid::Box { half },
        &Geometry::Ellipsoid { half } => Solid::Ellipsoid { half },
        &Geometry::Capsule { radius, half_length } => Solid::Capsule { radius, half_length },
        &Geometry::Cylinder { radius, half_length } => Solid::Cylinder { radius, half_length },
        &Geometry::Cone { radius, half_length } => Solid::Cone { radius, half_length },
        Geometry::Mesh { vertices, triangles } => {
            match meshes.place(vertices, triangles, mesh_bytes) {
                Some(mesh) => Solid::Mesh { mesh },
                None => bounding_box(vertices, shape, &mut position),
            }
        }
        Geometry::Points { points } => match meshes.place(points, &[], mesh_bytes) {
            Some(mesh) => Solid::Points { mesh },
            None => bounding_box(points, shape, &mut position),
        },
    };
    DrawnShape {
        name: shape.name.clone(),
        body: shape.body.filter(|&body| body < bodies),
        material: shape.material.clone(),
        position,
        quat_wxyz: shape.quat_wxyz,
        solid,
    }
}

impl Meshes {
    /// The place of a mesh, known or added; None: there is no room for it. Triangles with corners that do not exist are
    /// left out.
    fn place(
        &mut self,
        vertices: &[[f64; 3]],
        triangles: &[[u32; 3]],
        room: usize,
    ) -> Option<usize> {
        let size = 12 * (vertices.len() + triangles.len());
        if size > room {
            self.as_boxes += 1;
            return None;
        }
        let mut bytes = Vec::with_capacity(size);
        bytes.extend(vertices.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()));
        let exists = |corners: &&[u32; 3]| corners.iter().all(|&i| (i as usize) < vertices.len());
        bytes.extend(triangles.iter().filter(exists).flatten().flat_map(|i| i.to_le_bytes()));
        if let Some(&place) = self.known.get(&bytes) {
            return Some(place);
        }
        if self.numbers.len() + bytes.len() > room {
            self.as_boxes += 1;
            return None;
        }
        let triangles = bytes.len() / 12 - vertices.len();
        self.places.push(MeshPlace {
            start: self.numbers.len(),
            vertices: vertices.len(),
            triangles,
        });
        self.numbers.extend_from_slice(&bytes);
        self.known.insert(bytes, self.places.len() - 1);
        Some(self.places.len() - 1)
    }
}

/// The box around `points`, which moves the origin of the shape to its centre.
fn bounding_box(points: &[[f64; 3]], shape: &ShapeInfo, position: &mut [f64; 3]) -> Solid {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points {
        for k in 0..3 {
            low[k] = low[k].min(point[k]);
            high[k] = high[k].max(point[k]);
        }
    }
    let half = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]));
    let centre = rotate(shape.quat_wxyz, [0, 1, 2].map(|k| 0.5 * (high[k] + low[k])));
    for k in 0..3 {
        position[k] += centre[k];
    }
    Solid::Box { half }
}

/// `v + 2 w (u × v) + 2 u × (u × v)` for the quaternion (w, u).
fn rotate([w, x, y, z]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross = |b: [f64; 3]| [y * b[2] - z * b[1], z * b[0] - x * b[2], x * b[1] - y * b[0]];
    let t = cross(v);
    let s = cross(t);
    [0, 1, 2].map(|k| v[k] + 2.0 * (w * t[k] + s[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron(name: &str) -> ShapeInfo {
        let vertices = vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [1, 2, 9]];
        ShapeInfo {
            name: name.into(),
            body: Some(7),
            material: "steel".into(),
            position: [1.0, 0.0, 0.0],
            quat_wxyz: [0.0, 0.0, 0.0, 1.0], // half a turn about z
            geometry: Geometry::Mesh { vertices, triangles },
        }
    }

    fn two_tetrahedra() -> Header {
        Header { shapes: vec![tetrahedron("a"), tetrahedron("b")], ..Header::default() }
    }

    #[test]
    fn equal_meshes_are_kept_once_and_corners_that_do_not_exist_not_at_all() {
        let drawing = Drawing::new(&two_tetrahedra(), 1000);
        assert_eq!(drawing.meshes.len(), 1);
        assert_eq!((drawing.meshes[0].vertices, drawing.meshes[0].triangles), (4, 4));
        assert_eq!(drawing.numbers.len(), 12 * 8);
        assert_eq!(drawing.shapes[1].solid, Solid::Mesh { mesh: 0 });
        assert_eq!(drawing.shapes[1].body, None, "there is no body 7");
    }

    #[test]
    fn a_mesh_without_room_becomes_its_box_in_the_same_place() {
        let drawing = Drawing::new(&two_tetrahedra(), 100);
        assert_eq!(drawing.meshes_as_boxes, 2);
        assert!(drawing.numbers.is_empty());
        let shape = &drawing.shapes[0];
        assert_eq!(shape.solid, Solid::Box { half: [1.0, 2.0, 3.0] });
        assert_eq!(shape.position, [0.0, -2.0, 3.0]);
    }
}
