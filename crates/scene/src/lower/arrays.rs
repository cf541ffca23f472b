//! Arrays: many bodies of one template.

use std::collections::BTreeMap;

use stiction_lcp::families::Rng;
use stiction_sim::model::Shape;
use stiction_sim::{Inertia, Vec3};

use super::bodies::Prepared;
use super::{BODIES, Lowering, Thing};
use crate::error::Errors;
use crate::scene::BodyStart;
use crate::tree::{Entry, Node, Table};

/// Corners of all shapes of an array's bodies together: a template is copied for each body.
const CORNERS: u64 = 20_000_000;

impl Lowering<'_> {
    pub(super) fn array(&mut self, index: usize, node: &Node, templates: &BTreeMap<&str, &Entry>) {
        let Some(table) = node.table() else { return };
        let of = table.node("of");
        let (body, at) = match of.text().and_then(|name| templates.get(name)) {
            Some(template) => (template.node.table(), template.at),
            None => (of.table(), of.at),
        };
        let Some(prepared) = body.and_then(|body| self.prepared(body, at)) else { return };
        self.places.add(Thing::Prefix, &prefix(table), node.at);
        let count = count(table).unwrap_or(0);
        let corners: u64 = prepared.shapes.iter().map(|made| corners(&made.spec.shape)).sum();
        if corners.saturating_mul(count) > CORNERS {
            let found = format!("{count} bodies of {corners} corners each");
            self.errors.expected(of.at, found, format!("at most {CORNERS} corners in all"));
            return;
        }
        let Some(lattice) = self.lattice(table, &prepared, node) else { return };
        let offsets = lattice.offsets(table);
        let masses = masses(table, prepared.inertia.mass, offsets.len());
        let mut random = Rng::new(self.seed.wrapping_add(index as u64));
        let (origin, jitter) = (table.vector("origin"), table.number("jitter"));
        let name = prefix(table);
        for (i, offset) in offsets.iter().enumerate() {
            let mut shift = Vec3::zeros();
            if jitter > 0.0 {
                // upwards only: nothing sinks into the ground
                let mut side = || random.between(-jitter, jitter);
                shift = Vec3::new(side(), side(), 0.5 * (side() + jitter));
            }
            let p = prepared.start.p + origin + offset + shift;
            let start = BodyStart { p, ..prepared.start.clone() };
            let inertia = masses
                .as_ref()
                .map_or(prepared.inertia, |masses| weighing(&prepared.inertia, masses[i]));
            let body = Prepared { inertia, start, shapes: prepared.shapes.clone() };
            self.add_body(&format!("{name}.{i}"), &body, true);
        }
    }

    /// Distances of neighbours: as stated, or such that the first shapes touch.
    fn lattice(&mut self, table: &Table, prepared: &Prepared, node: &Node) -> Option<Lattice> {
        let first = prepared.shapes.first();
        let bounds = first.and_then(|made| bounds(&made.spec.shape));
        let place = first.map_or_else(Vec3::zeros, |made| made.spec.frame.p);
        let is_sphere = first.is_some_and(|made| matches!(made.spec.shape, Shape::Sphere { .. }));
        let stated = table.get("spacing").map(|spacing| match spacing.list() {
            [] => Vec3::repeat(spacing.number()),
            _ => spacing.vector(),
        });
        let spacing = match (stated, bounds) {
            (Some(stated), _) => stated,
            (None, Some([low, high])) => high - low,
            (None, None) => {
                let found = "an array of bodies whose first shape has no size";
                self.errors.expected(node.at, found, "`spacing`");
                return None;
            }
        };
        let foot = bounds.map_or(0.0, |[low, _]| low.z + place.z);
        let rise = match (table.word("kind"), is_sphere) {
            // spheres nest: the height of an equilateral triangle, of a square pyramid of equal edges
            ("pile", true) => spacing.x * 0.75f64.sqrt(),
            ("pyramid", true) => spacing.x * 0.5f64.sqrt(),
            _ => spacing.z,
        };
        Some(Lattice { spacing, rise, lift: -foot })
    }
}

/// How bodies of an array are placed [m].
struct Lattice {
    spacing: Vec3,
    /// From row to row.
    rise: f64,
    /// Of the first row above the plane they stand on.
    lift: f64,
}

impl Lattice {
    fn offsets(&self, table: &Table) -> Vec<Vec3> {
        let at = |x: f64, y: f64, row: u64| {
            let z = self.lift + self.rise * row as f64;
            Vec3::new(x * self.spacing.x, y * self.spacing.y, z)
        };
        // the middle of n is at 0
        let middle = |i: u64, n: u64| i as f64 - 0.5 * (n as f64 - 1.0);
        let mut offsets = Vec::new();
        match table.word("kind") {
            "grid" => {
                let [nx, ny, nz] = counts(table);
                for k in 0..nz {
                    for j in 0..ny {
                        offsets.extend((0..nx).map(|i| at(middle(i, nx), middle(j, ny), k)));
                    }
                }
            }
            "pile" => {
                let rows = table.whole("rows");
                for row in 0..rows {
                    let n = rows - row;
                    offsets.extend((0..n).map(|i| at(middle(i, n), 0.0, row)));
                }
            }
            "pyramid" => {
                let rows = table.whole("rows");
                for row in 0..rows {
                    let n = rows - row;
                    for j in 0..n {
                        offsets.extend((0..n).map(|i| at(middle(i, n), middle(j, n), row)));
                    }
                }
            }
            "wall" => {
                let [nx, rows, _] = counts(table);
                for row in 0..rows {
                    let shift = if row % 2 == 1 { 0.5 } else { 0.0 };
                    offsets.extend((0..nx).map(|i| at(middle(i, nx) + shift, 0.0, row)));
                }
            }
            _ => offsets.extend((0..count(table).unwrap_or(0)).map(|row| at(0.0, 0.0, row))),
        }
        offsets
    }
}

/// The body with another mass, spread in the same way.
fn weighing(inertia: &Inertia, mass: f64) -> Inertia {
    Inertia { mass, com: inertia.com, I_com: inertia.I_com * (mass / inertia.mass) }
}

/// Masses of a tower from bottom to top [kg]; None: all as the template.
fn masses(table: &Table, bottom: f64, count: usize) -> Option<Vec<f64>> {
    if table.has("masses") {
        return Some(table.numbers("masses"));
    }
    let ratio = table.optional_number("mass_ratio")?;
    let last = (count.max(2) - 1) as f64;
    Some((0..count).map(|i| bottom * libm::pow(ratio, i as f64 / last)).collect())
}

/// Its own name, else the template's, else the kind.
pub(crate) fn prefix(table: &Table) -> String {
    let own = table.get("name").and_then(Node::text);
    let name = own.or_else(|| table.get("of").and_then(Node::text));
    name.unwrap_or_else(|| table.word("kind")).to_string()
}

fn counts(table: &Table) -> [u64; 3] {
    let items = table.items("count");
    [0, 1, 2].map(|i| items.get(i).map_or(1, Node::whole))
}

/// Bodies of an array; None where there are too many to count.
pub(crate) fn count(table: &Table) -> Option<u64> {
    let n = || u128::from(table.whole("rows"));
    let count: u128 = match table.word("kind") {
        "grid" | "wall" => counts(table).iter().map(|&n| u128::from(n)).product(),
        "pile" => n() * (n() + 1) / 2,
        "pyramid" => n() * (n() + 1) * (2 * n() + 1) / 6,
        _ if table.has("masses") => table.items("masses").len() as u128,
        _ => u128::from(table.whole("count")),
    };
    u64::try_from(count).ok()
}

/// Tells where there are more bodies than a scene may have; nothing is made of them before.
pub(crate) fn count_bodies(root: &Table, errors: &mut Errors) {
    let mut all = root.at("bodies").entries.len() as u64;
    for node in root.items("arrays") {
        let Some(table) = node.table() else { continue };
        let count = count(table);
        match count.and_then(|count| all.checked_add(count)) {
            Some(sum) if sum <= BODIES => all = sum,
            _ => {
                let found = count.map_or("too many".to_string(), |count| count.to_string());
                let expected = format!("at most {BODIES} in a scene");
                errors.expected(node.at, format!("an array of {found} bodies"), expected);
            }
        }
    }
}

/// Least and largest coordinates in the frame of the shape [m]; None: it has no end.
fn bounds(shape: &Shape) -> Option<[Vec3; 2]> {
    let about = |half: Vec3| Some([-half, half]);
    match shape {
        Shape::Sphere { radius } => about(Vec3::repeat(*radius)),
        Shape::Box { half } | Shape::Ellipsoid { half } => about(*half),
        Shape::Capsule { radius, half_length } => {
            about(Vec3::new(*radius, *radius, radius + half_length))
        }
        Shape::Cylinder { radius, half_length } | Shape::Cone { radius, half_length } => {
            about(Vec3::new(*radius, *radius, *half_length))
        }
        Shape::Hull(points) | Shape::Points(points) => {
            let first = *points.first()?;
            let least = points.iter().fold(first, |least, p| least.inf(p));
            let most = points.iter().fold(first, |most, p| most.sup(p));
            Some([least, most]).filter(|[least, most]| (0..3).all(|i| most[i] > least[i]))
        }
        Shape::HalfSpace | Shape::Mesh { .. } | Shape::HeightField { .. } | Shape::Compound(_) => {
            None
        }
    }
}

/// Points that a copy of the shape holds.
fn corners(shape: &Shape) -> u64 {
    match shape {
        Shape::Hull(points) | Shape::Points(points) => points.len() as u64,
        Shape::Mesh { vertices, triangles } => (vertices.len() + triangles.len()) as u64,
        Shape::HeightField { heights, .. } => heights.len() as u64,
        Shape::Compound(parts) => parts.iter().map(|(_, _, part)| corners(part)).sum(),
        _ => 1,
    }
}
