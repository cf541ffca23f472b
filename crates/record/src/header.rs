//! What does not change during a run.

use serde::{Deserialize, Serialize};

/// Everything needed to read the frames, to draw them, and to run the scene again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub title: String,
    /// Of the program that wrote it.
    pub version: String,
    pub command: Vec<String>,
    /// The scene's file as it was named, and all of it with every default spelled out, as TOML.
    pub scene_file: String,
    pub scene: String,
    /// SHA-256 of `scene`, in hexadecimal.
    pub scene_hash: String,
    pub seed: u64,
    /// Step length [s].
    pub h: f64,
    pub law: String,
    pub solver: String,
    /// Asked of each step's residual.
    pub tol: f64,
    pub bodies: Vec<BodyInfo>,
    pub shapes: Vec<ShapeInfo>,
    pub q: Vec<Coordinate>,
    pub v: Vec<Coordinate>,
    /// Names of [`Energy::terms`](crate::Energy::terms).
    pub ledger: Vec<String>,
}

impl Header {
    /// What the parts say of each other that is not so: bodies and vertices that there are not.
    pub fn fault(&self) -> Option<String> {
        self.shapes.iter().find_map(|shape| {
            let (name, bodies) = (&shape.name, self.bodies.len());
            if let Some(body) = shape.body.filter(|body| *body >= bodies) {
                return Some(format!("shape `{name}` is on body {body} of {bodies}"));
            }
            let Geometry::Mesh { vertices, triangles } = &shape.geometry else { return None };
            let has = |vertex: &u32| (*vertex as usize) < vertices.len();
            let vertex = triangles.as_flattened().iter().find(|vertex| !has(vertex))?;
            Some(format!("shape `{name}` has vertex {vertex} of {}", vertices.len()))
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyInfo {
    pub name: String,
    /// [kg]
    pub mass: f64,
}

/// One number of q or v: `box.x` in m, `hinge` in rad.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coordinate {
    pub name: String,
    pub unit: String,
}

/// A shape and where it is on its body, or on the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeInfo {
    pub name: String,
    /// Place in [`Header::bodies`]; None: the world.
    pub body: Option<usize>,
    pub material: String,
    /// Origin in the body's own frame [m].
    pub position: [f64; 3],
    pub quat_wxyz: [f64; 4],
    pub geometry: Geometry,
}

/// As the shapes of the simulator; lengths in m. Hulls, height fields and whatever else is made of flat faces are meshes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Geometry {
    /// Everything with z ≤ 0.
    HalfSpace,
    Sphere {
        radius: f64,
    },
    Box {
        half: [f64; 3],
    },
    Ellipsoid {
        half: [f64; 3],
    },
    /// Along z; `half_length` without the caps.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    /// Along z.
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// Along z, the tip at `half_length`.
    Cone {
        radius: f64,
        half_length: f64,
    },
    /// Counterclockwise from outside.
    Mesh {
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
    },
    Points {
        points: Vec<[f64; 3]>,
    },
}
