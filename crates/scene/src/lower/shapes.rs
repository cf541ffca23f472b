//! Shapes, and the solids that bodies are weighed by.

use stiction_sim::model::{FrameSpec, Groups, Shape, ShapeSpec};
use stiction_sim::{Mesh, Pose, Solid, Vec3};

use super::{DEFAULT_MATERIAL, Lowering, Thing};
use crate::mesh::{self, Limits, Triangles};
use crate::tree::{At, Entry, Node, Table};

/// A shape in the frame of its body, before it has a name.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) spec: ShapeSpec,
    /// What it weighs by. Err: why it has no volume.
    pub(super) solids: Result<Vec<(Pose, Solid)>, &'static str>,
    pub(super) at: At,
}

/// Of a hull: with many more, each contact takes seconds.
const CORNERS: usize = 1000;

impl Lowering<'_> {
    pub(super) fn placed_shape(&mut self, entry: &Entry) {
        let Some(table) = entry.node.table() else { return };
        let Some(made) = self.shape(&entry.node, DEFAULT_MATERIAL) else { return };
        self.places.add(Thing::Shape, &entry.name, entry.at);
        let mut spec = made.spec;
        spec.name = entry.name.clone();
        spec.frame.body = bearer(table.word("body"));
        if spec.frame.body.is_some() && is_static(&spec.shape) {
            self.moving_surface(&entry.node);
        }
        self.spec.shapes.push(spec);
    }

    /// A mesh or height field that is not on the world.
    pub(super) fn moving_surface(&mut self, node: &Node) {
        let found = "a mesh or height field on a body";
        self.errors.expected(node.at, found, "it on the world; a hull on the body");
    }

    /// With its place, and everything but its name and its body.
    pub(super) fn shape(&mut self, node: &Node, material: &str) -> Option<Made> {
        let table = node.table()?;
        let (shape, solids) = self.geometry(table, node.at)?;
        let p = table.vector("position");
        let quat = table.rotation(self.errors);
        let groups = table.at("groups");
        let frame = FrameSpec { body: None, p, quat };
        let X = Pose::from_parts(p, quat);
        let solids =
            solids.map(|parts| parts.into_iter().map(|(Y, solid)| (X * Y, solid)).collect());
        let spec = ShapeSpec {
            name: String::new(),
            frame,
            shape,
            material: table.get("material").and_then(Node::text).unwrap_or(material).to_string(),
            margin: table.number("margin"),
            groups: Groups {
                membership: bits(groups.items("membership")),
                filter: groups.get("filter").map_or(u32::MAX, |filter| bits(filter.list())),
            },
        };
        Some(Made { spec, solids, at: node.at })
    }

    fn geometry(&mut self, table: &Table, at: At) -> Option<(Shape, Solids)> {
        let one = |solid: Solid| Ok(vec![(Pose::identity(), solid)]);
        Some(match table.word("kind") {
            "half-space" => (Shape::HalfSpace, Err("a half-space")),
            "sphere" => {
                let radius = table.number("radius");
                (Shape::Sphere { radius }, one(Solid::Sphere { radius }))
            }
            "box" => {
                let size = table.vector("size");
                (Shape::Box { half: 0.5 * size }, one(Solid::Box { edges: size.into() }))
            }
            "ellipsoid" => {
                let half = table.vector("radii");
                (Shape::Ellipsoid { half }, one(Solid::Ellipsoid { radii: half.into() }))
            }
            "capsule" => {
                let (radius, length) = (table.number("radius"), table.number("length"));
                let shape = Shape::Capsule { radius, half_length: 0.5 * length };
                (shape, one(Solid::Capsule { radius, length }))
            }
            "cylinder" => {
                let (radius, length) = (table.number("radius"), table.number("length"));
                let shape = Shape::Cylinder { radius, half_length: 0.5 * length };
                (shape, one(Solid::Cylinder { radius, length }))
            }
            "cone" => {
                let (radius, height) = (table.number("radius"), table.number("height"));
                let shape = Shape::Cone { radius, half_length: 0.5 * height };
                // the solid stands on its base
                let base = Pose::translation(0.0, 0.0, -0.5 * height);
                (shape, Ok(vec![(base, Solid::Cone { radius, height })]))
            }
            "hull" => self.hull(table)?,
            "mesh" => self.mesh(table)?,
            "height-field" => self.height_field(table, at)?,
            "points" => {
                (Shape::Points(table.node("points").vectors()), Err("points without a volume"))
            }
            _ => self.compound(table)?,
        })
    }

    fn hull(&mut self, table: &Table) -> Option<(Shape, Solids)> {
        let points = match table.get("points") {
            Some(points) => points.vectors(),
            None => {
                let vertices = self.triangles_of_file(table)?.vertices;
                // points inside only cost time
                mesh::hull(&vertices, CORNERS + 1).map_or(vertices, |hull| hull.vertices)
            }
        };
        if points.len() > CORNERS {
            let at = table.get("points").unwrap_or_else(|| table.node("file")).at;
            let expected = format!("at most {CORNERS}: a simpler shape, or several");
            self.errors.expected(at, format!("a hull of more than {CORNERS} corners"), expected);
            return None;
        }
        let solids = match solid(&points) {
            Some(solid) => Ok(vec![(Pose::identity(), solid)]),
            None => Err("a hull of points in one plane"),
        };
        Some((Shape::Hull(points), solids))
    }

    fn mesh(&mut self, table: &Table) -> Option<(Shape, Solids)> {
        let no_solid = Err("a mesh");
        if table.has("file") {
            let Triangles { vertices, triangles, .. } = self.triangles_of_file(table)?;
            return Some((Shape::Mesh { vertices, triangles }, no_solid));
        }
        let vertices = table.node("vertices").vectors();
        let corner = |node: &Node| node.whole() as u32;
        let mut triangles = Vec::new();
        for triangle in table.items("triangles") {
            let corners = triangle.list();
            let [a, b, c] = [corner(&corners[0]), corner(&corners[1]), corner(&corners[2])];
            if [a, b, c].iter().any(|&corner| corner as usize >= vertices.len()) {
                let expected = format!("numbers below {}, that of the vertices", vertices.len());
                self.errors.expected(triangle.at, format!("the triangle {a}, {b}, {c}"), expected);
                return None;
            }
            triangles.push([a, b, c]);
        }
        Some((Shape::Mesh { vertices, triangles }, no_solid))
    }

    fn height_field(&mut self, table: &Table, at: At) -> Option<(Shape, Solids)> {
        let counts = table.items("count");
        let (nx, ny) = (counts[0].whole() as usize, counts[1].whole() as usize);
        let spacing = table.numbers("spacing");
        let heights = table.numbers("heights");
        if heights.len() != nx * ny {
            let at = table.entry("heights").map_or(at, |entry| entry.node.at);
            let expected = format!("{nx} × {ny} = {}", nx * ny);
            self.errors.expected(at, format!("{} heights", heights.len()), expected);
            return None;
        }
        let spacing = [spacing[0], spacing[1]];
        Some((Shape::HeightField { nx, ny, spacing, heights }, Err("a height field")))
    }

    fn compound(&mut self, table: &Table) -> Option<(Shape, Solids)> {
        let mut parts = Vec::new();
        let mut solids = Ok(Vec::new());
        for node in table.items("parts") {
            let part = node.table()?;
            let (shape, own) = self.geometry(part, node.at)?;
            let (p, quat) = (part.vector("position"), part.rotation(self.errors));
            let X = Pose::from_parts(p, quat);
            match (&mut solids, own) {
                (Ok(all), Ok(own)) => all.extend(own.into_iter().map(|(Y, solid)| (X * Y, solid))),
                (Ok(_), Err(why)) => solids = Err(why),
                (Err(_), _) => {}
            }
            parts.push((p, quat, shape));
        }
        Some((Shape::Compound(parts), solids))
    }

    /// The surface of the file that `file` names, scaled.
    fn triangles_of_file(&mut self, table: &Table) -> Option<Triangles> {
        let node = table.node("file");
        let limits = Limits::default();
        let (real, bytes) = self.open(node, limits.bytes as u64, "a mesh, STL or OBJ")?;
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        match mesh::read(&bytes, &name, &limits) {
            Ok(surface) => {
                let scale = table.optional_vector("scale");
                Some(scale.map_or_else(|| surface.clone(), |scale| surface.scaled(&scale)))
            }
            Err(error) => {
                self.errors.push(node.at, error.to_string());
                None
            }
        }
    }
}

type Solids = Result<Vec<(Pose, Solid)>, &'static str>;

pub(super) fn is_static(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh { .. } | Shape::HeightField { .. } => true,
        Shape::Compound(parts) => parts.iter().any(|(_, _, part)| is_static(part)),
        _ => false,
    }
}

/// None: the world.
pub(super) fn bearer(name: &str) -> Option<String> {
    (name != "world").then(|| name.to_string())
}

fn bits(numbers: &[Node]) -> u32 {
    numbers.iter().fold(0, |bits, number| bits | 1 << number.whole())
}

/// What a hull encloses; None where its points lie in one plane.
fn solid(points: &[Vec3]) -> Option<Solid> {
    let hull = mesh::hull(points, usize::MAX)?;
    let triangles = hull.triangles.iter().map(|corners| corners.map(|i| i as usize)).collect();
    Some(Solid::Mesh(Mesh { vertices: hull.vertices, triangles }))
}
