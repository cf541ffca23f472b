//! Joints, constraints, springs, motors, guides, forces.

use stiction_sim::Vec3;
use stiction_sim::model::{
    ConstraintKind, ConstraintSpec, CoordinateSpec, Follows, FrameSpec, GuideKind, JointKind,
    JointSpec, Law, MotorSpec, SpringKind,
};

use super::materials::relaxation;
use super::shapes::bearer;
use super::{Lowering, Thing, direction};
use crate::scene::{ForceOn, ForceSpec, JointStart};
use crate::tree::{Entry, Node, Table};

impl Lowering<'_> {
    pub(super) fn joints(&mut self, root: &Table) {
        for Entry { name, at, node } in &root.at("joints").entries {
            let Some(table) = node.table() else { continue };
            self.places.add(Thing::Joint, name, *at);
            let Some(kind) = self.joint_kind(table) else { continue };
            let pair = |node: &Node| {
                let ends = node.list();
                (ends[0].number(), ends[1].number())
            };
            self.start_joint(name, kind, table);
            let spec = JointSpec {
                name: name.clone(),
                kind,
                parent: self.frame(table.node("parent")),
                child: self.frame(table.node("child")),
                armature: table.numbers("armature"),
                damping: table.numbers("damping"),
                friction: table.numbers("friction"),
                limits: table.items("limits").iter().map(pair).collect(),
            };
            self.spec.joints.push(spec);
        }
    }

    fn start_joint(&mut self, name: &str, kind: JointKind, table: &Table) {
        let (nq, nv) = sizes(&kind);
        for (key, n) in [("position", nq), ("velocity", nv)] {
            if let Some(node) = table.get(key)
                && node.list().len() != n
            {
                let found = format!("{} numbers", node.list().len());
                self.errors.expected(node.at, found, format!("{n} for this joint"));
                return;
            }
        }
        let (q, v) = (table.numbers("position"), table.numbers("velocity"));
        if !q.is_empty() || !v.is_empty() {
            self.start.joints.push(JointStart { joint: name.to_string(), q, v });
        }
    }

    fn joint_kind(&mut self, table: &Table) -> Option<JointKind> {
        Some(match table.word("kind") {
            "fixed" => JointKind::Fixed,
            "revolute" => JointKind::Revolute { axis: self.axis(table, "axis")? },
            "prismatic" => JointKind::Prismatic { axis: self.axis(table, "axis")? },
            "screw" => {
                let axis = self.axis(table, "axis")?;
                JointKind::Screw { axis, pitch: table.number("pitch") }
            }
            "cylindrical" => JointKind::Cylindrical { axis: self.axis(table, "axis")? },
            "universal" => {
                let (first, second) = (self.axis(table, "axis")?, self.axis(table, "axis2")?);
                JointKind::Universal { first, second }
            }
            "ball" => JointKind::Ball,
            "planar" => JointKind::Planar,
            _ => JointKind::Free,
        })
    }

    fn axis(&mut self, table: &Table, key: &str) -> Option<Vec3> {
        let node = table.node(key);
        let unit = direction(node.vector());
        if unit.is_none() {
            self.errors.expected(node.at, "an axis of length 0", "one with a direction");
        }
        unit
    }

    fn frame(&mut self, node: &Node) -> FrameSpec {
        let Some(table) = node.table() else { return FrameSpec::world() };
        FrameSpec {
            body: bearer(table.word("body")),
            p: table.vector("position"),
            quat: table.rotation(self.errors),
        }
    }

    pub(super) fn connections(&mut self, root: &Table) {
        for (key, thing, add) in [
            ("constraints", Thing::Constraint, Self::constraint as Adder<Self>),
            ("springs", Thing::Spring, Self::spring),
            ("motors", Thing::Motor, Self::motor),
            ("guides", Thing::Guide, Self::guide),
        ] {
            for Entry { name, at, node } in &root.at(key).entries {
                let Some(table) = node.table() else { continue };
                self.places.add(thing, name, *at);
                add(self, name, table);
            }
        }
    }

    fn constraint(&mut self, name: &str, table: &Table) {
        let kind = match table.word("kind") {
            "joint" => {
                let Some(kind) = self.joint_kind(table.at("joint")) else { return };
                let (a, b) = self.ends(table);
                ConstraintKind::Joint { kind, a, b }
            }
            "weld" => {
                let (a, b) = self.ends(table);
                ConstraintKind::Joint { kind: JointKind::Fixed, a, b }
            }
            "distance" => {
                let (a, b) = self.ends(table);
                ConstraintKind::Distance { a, b, length: table.number("length") }
            }
            "coupling" => {
                let terms = table.items("terms").iter().filter_map(Node::table);
                let terms = terms.map(|term| (coordinate(term), term.number("factor"))).collect();
                ConstraintKind::Coupling { terms, offset: table.number("offset") }
            }
            _ => {
                let law = law(table.at("law"));
                ConstraintKind::Drive { coordinate: coordinate(table), law }
            }
        };
        let relaxation = relaxation(table);
        self.spec.constraints.push(ConstraintSpec { name: name.to_string(), kind, relaxation });
    }

    fn ends(&mut self, table: &Table) -> (FrameSpec, FrameSpec) {
        (self.frame(table.node("a")), self.frame(table.node("b")))
    }

    fn spring(&mut self, name: &str, table: &Table) {
        let kind = match table.word("kind") {
            "coordinate" => {
                SpringKind::Coordinate { coordinate: coordinate(table), rest: table.number("rest") }
            }
            "torsion" => {
                let (a, b) = self.ends(table);
                SpringKind::Torsion { a, b }
            }
            _ => {
                let (a, b) = self.ends(table);
                SpringKind::Points { a, b, rest: table.number("rest") }
            }
        };
        self.spec.spring(name, kind, table.number("stiffness"), table.number("damping"));
    }

    fn motor(&mut self, name: &str, table: &Table) {
        let follows = match table.word("follows") {
            "position" => Follows::Position,
            _ => Follows::Rate,
        };
        self.spec.motors.push(MotorSpec {
            name: name.to_string(),
            coordinate: coordinate(table),
            law: law(table.at("law")),
            follows,
            max: table.number("max"),
        });
    }

    fn guide(&mut self, name: &str, table: &Table) {
        let kind = match table.word("kind") {
            "slot" => GuideKind::Slot,
            "hoop" => GuideKind::Hoop { radius: table.number("radius") },
            _ => GuideKind::Plane,
        };
        let (a, b) = self.ends(table);
        self.spec.guide(name, kind, a, b, table.number("friction"));
    }
}

type Adder<T> = fn(&mut T, &str, &Table);

/// Positions and velocities of a joint.
pub(super) fn sizes(kind: &JointKind) -> (usize, usize) {
    match kind {
        JointKind::Fixed => (0, 0),
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } | JointKind::Screw { .. } => {
            (1, 1)
        }
        JointKind::Cylindrical { .. } | JointKind::Universal { .. } => (2, 2),
        JointKind::Planar => (3, 3),
        JointKind::Ball => (4, 3),
        JointKind::Free => (7, 6),
    }
}

fn coordinate(table: &Table) -> CoordinateSpec {
    CoordinateSpec { joint: table.word("joint").to_string(), index: table.whole("index") as usize }
}

fn law(table: &Table) -> Law {
    if let Some(sine) = table.get("sine").and_then(Node::table) {
        return Law::Sine {
            offset: sine.number("offset"),
            amplitude: sine.number("amplitude"),
            omega: sine.number("omega"),
            phase: sine.number("phase"),
        };
    }
    let factors = match table.has("rate") {
        true => table.numbers("rate"),
        false => table.numbers("polynomial"),
    };
    let mut all = [0.0; 4];
    all[..factors.len().min(4)].copy_from_slice(&factors[..factors.len().min(4)]);
    Law::Polynomial(all)
}

/// Forces from outside.
pub(super) fn forces(root: &Table) -> Vec<ForceSpec> {
    let force = |entry: &Entry| {
        let table = entry.node.table()?;
        let on = match table.word("kind") {
            "joint" => ForceOn::Joint {
                joint: table.word("joint").to_string(),
                index: table.whole("index") as usize,
                force: table.number("force"),
            },
            _ => ForceOn::Body {
                body: table.word("body").to_string(),
                point: table.vector("point"),
                force: table.vector("force"),
                torque: table.vector("torque"),
            },
        };
        let law = table.get("law").and_then(Node::table).map(law);
        Some(ForceSpec { name: entry.name.clone(), on, law })
    };
    root.at("forces").entries.iter().filter_map(force).collect()
}
