//! Bodies: where they start, what they weigh, what collides of them.

use stiction_sim::model::ShapeSpec;
use stiction_sim::{Inertia, Mat3, Quat, Vec3};

use super::shapes::{Made, is_static};
use super::{DEFAULT_MATERIAL, Lowering, Thing};
use crate::scene::BodyStart;
use crate::tree::{At, Entry, Node, Table};

/// A body before it has a name.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) inertia: Inertia,
    pub(super) shapes: Vec<Made>,
    pub(super) start: BodyStart,
}

impl Lowering<'_> {
    pub(super) fn body(&mut self, entry: &Entry) {
        let Some(table) = entry.node.table() else { return };
        self.places.add(Thing::Body, &entry.name, entry.at);
        let Some(prepared) = self.prepared(table, entry.at) else { return };
        for (made, name) in prepared.shapes.iter().zip(shape_names(&entry.name, &prepared.shapes)) {
            self.places.add(Thing::Shape, &name, made.at);
        }
        self.add_body(&entry.name, &prepared, table.has("position"));
    }

    /// Puts a body with its shapes into the model. `is_free`: nothing carries it.
    pub(super) fn add_body(&mut self, name: &str, prepared: &Prepared, is_free: bool) {
        self.spec.body(name, prepared.inertia);
        for (made, shape_name) in prepared.shapes.iter().zip(shape_names(name, &prepared.shapes)) {
            let mut spec = made.spec.clone();
            spec.name = shape_name;
            spec.frame.body = Some(name.to_string());
            self.spec.shapes.push(spec);
        }
        if is_free {
            let start = BodyStart { body: name.to_string(), ..prepared.start.clone() };
            self.start.bodies.push(start);
        }
    }

    pub(super) fn prepared(&mut self, table: &Table, at: At) -> Option<Prepared> {
        let material = table.get("material").and_then(Node::text).unwrap_or(DEFAULT_MATERIAL);
        let mut shapes = Vec::new();
        for node in table.items("shapes") {
            let mut made = self.shape(node, material)?;
            if is_static(&made.spec.shape) {
                self.moving_surface(node);
            }
            let own = node.table().and_then(|table| table.get("name")).and_then(Node::text);
            made.spec.name = own.unwrap_or_default().to_string();
            shapes.push(made);
        }
        let mut start = BodyStart::default();
        if table.has("position") {
            start.p = table.vector("position");
            start.quat = table.rotation(self.errors);
            start.v = table.vector("velocity");
            start.w = table.vector("angular_velocity");
        }
        let inertia = self.inertia(table, &shapes, at)?;
        if let Err(error) = inertia.check() {
            self.errors.push(at, format!("found a body that cannot be: {error}"));
            return None;
        }
        Some(Prepared { inertia, shapes, start })
    }

    fn inertia(&mut self, table: &Table, shapes: &[Made], at: At) -> Option<Inertia> {
        let mass = table.optional_number("mass");
        if let (Some(mass), Some(node)) = (mass, table.get("inertia")) {
            return self.stated_inertia(mass, node, table.optional_vector("com"));
        }
        let density = table.optional_number("density");
        if mass.is_none() && density.is_none() {
            self.errors.expected(at, "a body without a mass", "`mass` or `density`");
            return None;
        }
        let mut parts = Vec::new();
        for made in shapes {
            match &made.solids {
                Ok(solids) => parts.extend(solids),
                Err(why) => {
                    let expected = "`mass` and `inertia` of the body beside it";
                    self.errors.expected(made.at, format!("{why} to weigh a body by"), expected);
                    return None;
                }
            }
        }
        if parts.is_empty() {
            self.errors.expected(at, "a body without shapes", "`mass` and `inertia`");
            return None;
        }
        let volumes: Result<Vec<f64>, _> = parts.iter().map(|(_, solid)| solid.measure()).collect();
        let weighed = volumes.and_then(|volumes| {
            let whole: f64 = volumes.iter().sum();
            let each = parts.iter().zip(volumes).map(|((X, solid), volume)| {
                let inertia = match (mass, density) {
                    (Some(mass), _) if parts.len() == 1 => solid.with_mass(mass),
                    (Some(mass), _) => solid.with_mass(mass * (volume / whole)),
                    (None, density) => solid.with_density(density.unwrap_or(f64::NAN)),
                };
                inertia.map(|inertia| inertia.moved(X))
            });
            each.collect::<Result<Vec<Inertia>, _>>()
        });
        match weighed {
            Ok(parts) => Some(Inertia::sum(&parts)),
            Err(error) => {
                self.errors.push(at, format!("found a body that cannot be weighed: {error}"));
                None
            }
        }
    }

    fn stated_inertia(&mut self, mass: f64, node: &Node, com: Option<Vec3>) -> Option<Inertia> {
        let numbers: Vec<f64> = node.list().iter().map(Node::number).collect();
        let I_com = match numbers[..] {
            [xx, yy, zz] => Mat3::from_diagonal(&Vec3::new(xx, yy, zz)),
            [xx, yy, zz, xy, xz, yz] => Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            _ => {
                self.errors.expected(node.at, format!("{} numbers", numbers.len()), "3 or 6");
                return None;
            }
        };
        Some(Inertia { mass, com: com.unwrap_or_else(Vec3::zeros), I_com })
    }
}

/// Their own names, else the body's; with numbers where there are several.
fn shape_names(body: &str, shapes: &[Made]) -> Vec<String> {
    let name = |(i, made): (usize, &Made)| {
        let ShapeSpec { name, .. } = &made.spec;
        match (name.is_empty(), shapes.len()) {
            (false, _) => name.clone(),
            (true, 1) => body.to_string(),
            (true, _) => format!("{body}.{i}"),
        }
    };
    shapes.iter().enumerate().map(name).collect()
}

impl Default for BodyStart {
    fn default() -> Self {
        Self {
            body: String::new(),
            p: Vec3::zeros(),
            quat: Quat::IDENTITY,
            v: Vec3::zeros(),
            w: Vec3::zeros(),
        }
    }
}
