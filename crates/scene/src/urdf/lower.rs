//! From links and joints to the parts of a model: who is a body, who is a part of another one, and where.

use std::collections::{BTreeMap, BTreeSet};

use stiction_sim::model::{
    BodySpec, ConstraintKind, ConstraintSpec, CoordinateSpec, FrameSpec, Groups, JointKind,
    JointSpec, MaterialSpec, ShapeSpec, Surface,
};
use stiction_sim::{Mat3, Pose, Quat, Vec3};

use super::account::{Account, Element};
use super::hosts::{self, Host};
use super::joint::{self, Joint, Type};
use super::link::{self, Link, Part};
use super::meshes::Meshes;
use super::names::short;
use super::tree::{self, Tree};
use super::{Base, FreeBase, LinkFrame, Options, Robot, Visual, surface};

/// All that can be made of the file; errors are in the account.
pub(super) fn robot<'d>(
    root: Element<'d>,
    options: &Options,
    account: &mut Account<'d>,
    meshes: &mut Meshes<'_>,
) -> Robot {
    account.honour(root);
    if account.tag(root) != "robot" {
        account.error(root, format!("expected <robot>, found <{}>", short(account.tag(root))));
        return Robot::default();
    }
    let name = account.needed_text(root, "name").unwrap_or_default().to_string();
    check_version(account, root);
    refuse_macros(account, root);
    for tag in ["transmission", "ros2_control", "sensor"] {
        let why = "drives, controllers and sensors are not part of the motion";
        account.children(root, tag).iter().for_each(|node| account.ignore(*node, why));
    }
    let palette = link::palette(account, root);
    let mut links = Vec::new();
    for node in account.children(root, "link") {
        links.extend(link::read(account, node, &palette, options.fixed, meshes));
    }
    let mut joints = Vec::new();
    for node in account.children(root, "joint") {
        joints.extend(joint::read(account, node));
    }
    let tree = tree::check(account, root, &links, &joints);
    let names: BTreeSet<&str> = links.iter().map(|link| link.name).collect();
    let friction = surface::of_gazebo(account, root, |name| names.contains(name));
    for link in &mut links {
        link.surface = friction.get(link.name).copied().or(link.surface);
    }
    // a link whose mass could not be read is not without mass
    let tree = tree.filter(|_| !account.has_failed());
    let Some(tree) = tree else { return Robot::default() };
    let Some(hosts) = hosts::find(account, &links, &joints, &tree, options) else {
        return Robot::default();
    };
    let mut lowering = Lowering { options, hosts: &hosts, links: &links, account, meshes };
    let mut robot = Robot { name, ..Robot::default() };
    lowering.bodies(&mut robot);
    lowering.joints(&mut robot, &joints, &tree);
    lowering.shapes(&mut robot);
    lowering.visuals(&mut robot);
    robot
}

fn check_version<'d>(account: &mut Account<'d>, root: Element<'d>) {
    let Some(version) = account.text(root, "version") else { return };
    if !matches!(version.trim(), "1" | "1.0" | "1.1" | "1.2") {
        let message = format!("expected version 1.0, 1.1 or 1.2, found `{}`", short(version));
        account.value_error(root, "version", message);
    }
}

fn refuse_macros<'d>(account: &mut Account<'d>, root: Element<'d>) {
    for node in root.children().filter(Element::is_element) {
        if account.tag(node).starts_with("xacro:") {
            account.error(
                node,
                "expected plain URDF, found a macro: expand the file with xacro first",
            );
        }
    }
}

struct Lowering<'a, 'd, 'o> {
    options: &'a Options,
    hosts: &'a [Host],
    links: &'a [Link<'d>],
    account: &'a mut Account<'d>,
    meshes: &'a mut Meshes<'o>,
}

impl Lowering<'_, '_, '_> {
    fn named(&self, name: &str) -> String {
        format!("{}{name}", self.options.prefix)
    }

    /// A frame on a link, on the body that the link is on.
    fn frame(&self, link: usize, X_UF: &Pose) -> FrameSpec {
        let Host { link, X_HU } = self.hosts[link];
        frame(link.map(|host| self.named(self.links[host].name)), &(X_HU * *X_UF))
    }

    fn bodies(&mut self, robot: &mut Robot) {
        let inertias = hosts::inertias(self.links, self.hosts);
        for (i, link) in self.links.iter().enumerate() {
            let name = self.named(link.name);
            let frame = self.frame(i, &Pose::identity());
            robot.links.push(LinkFrame { name: name.clone(), frame });
            if let Some(inertia) = inertias[i] {
                if let Err(error) = inertia.check() {
                    self.account.error(link.node, format!("with all that is fixed to it: {error}"));
                }
                robot.bodies.push(BodySpec { name, inertia });
            }
        }
    }

    fn joints(&self, robot: &mut Robot, joints: &[Joint<'_>], tree: &Tree) {
        self.base(robot, joints, tree.root);
        for (joint, (parent, child)) in joints.iter().zip(&tree.ends) {
            if self.hosts[*parent].link == self.hosts[*child].link {
                continue;
            }
            let (kind, R) = kind(joint);
            let turn = Pose::new(R, Vec3::zeros());
            let limits = joint.limits.into_iter().collect();
            let numbers = |x: f64| if x > 0.0 { vec![x] } else { Vec::new() };
            robot.joints.push(JointSpec {
                name: self.named(joint.name),
                kind,
                parent: self.frame(*parent, &(joint.X_PJ * turn)),
                child: self.frame(*child, &turn),
                armature: Vec::new(),
                damping: numbers(joint.damping),
                friction: numbers(joint.friction),
                limits,
            });
            if let Some(mimic) = &joint.mimic {
                let mut terms = vec![(CoordinateSpec::of(&self.named(joint.name)), 1.0)];
                if mimic.multiplier != 0.0 {
                    let other = CoordinateSpec::of(&self.named(mimic.joint));
                    terms.push((other, -mimic.multiplier));
                }
                let kind = ConstraintKind::Coupling { terms, offset: mimic.offset };
                let name = self.named(&format!("{}/mimic", joint.name));
                robot.constraints.push(ConstraintSpec { name, kind, relaxation: None });
            }
        }
    }

    /// The joint between the world and the root link, unless that is the world itself.
    fn base(&self, robot: &mut Robot, joints: &[Joint<'_>], root: usize) {
        if self.hosts[root].link.is_none() {
            return;
        }
        let mut names = Names::default();
        joints.iter().for_each(|joint| drop(names.unused(self.named(joint.name))));
        let name = names.unused(format!("{}/base", self.named(self.links[root].name)));
        let (kind, X_WJ) = match self.options.base {
            Base::Fixed => (JointKind::Fixed, self.options.pose),
            Base::Free => (JointKind::Free, Pose::identity()),
        };
        if self.options.base == Base::Free {
            robot.free_base = Some(FreeBase { joint: name.clone(), pose: self.options.pose });
        }
        robot.joints.push(JointSpec {
            name,
            kind,
            parent: frame(None, &X_WJ),
            child: self.frame(root, &Pose::identity()),
            armature: Vec::new(),
            damping: Vec::new(),
            friction: Vec::new(),
            limits: Vec::new(),
        });
    }

    fn shapes(&mut self, robot: &mut Robot) {
        let (mut names, mut materials) = (Names::default(), Names::default());
        materials.unused(self.options.material.clone());
        let mut material = |name: String, surface: Surface| {
            let name = materials.unused(name);
            robot.materials.push(MaterialSpec { name: name.clone(), surface });
            name
        };
        let links = self.links;
        for (i, link) in links.iter().enumerate() {
            let own = link.surface.map(|surface| material(self.named(link.name), surface));
            for part in &link.collisions {
                let on_world = self.hosts[i].link.is_none();
                let shape = part.form.collider(self.account, self.options, on_world, self.meshes);
                let Some(shape) = shape else { continue };
                let name = names.unused(self.part_name(link, part, "collision"));
                let material = match part.surface {
                    Some(surface) => material(name.clone(), surface),
                    None => own.clone().unwrap_or_else(|| self.options.material.clone()),
                };
                let frame = self.frame(i, &part.X_UG);
                let groups = Groups::default();
                robot.shapes.push(ShapeSpec { name, frame, shape, material, margin: 0.0, groups });
            }
        }
    }

    fn visuals(&mut self, robot: &mut Robot) {
        let mut names = Names::default();
        let links = self.links;
        for (i, link) in links.iter().enumerate() {
            for part in &link.visuals {
                let Some(shape) = part.form.picture(self.account, self.meshes) else { continue };
                let name = names.unused(self.part_name(link, part, "visual"));
                let frame = self.frame(i, &part.X_UG);
                robot.visuals.push(Visual { name, frame, shape, rgba: part.rgba });
            }
        }
    }

    fn part_name(&self, link: &Link<'_>, part: &Part<'_>, otherwise: &str) -> String {
        self.named(&format!("{}/{}", link.name, part.name.unwrap_or(otherwise)))
    }
}

fn frame(body: Option<String>, X: &Pose) -> FrameSpec {
    FrameSpec { body, p: X.p, quat: Quat::from_matrix(&X.R) }
}

/// The joint, and how its frames are turned for it: a planar joint has its normal along z.
fn kind(joint: &Joint<'_>) -> (JointKind, Mat3) {
    let kind = match joint.of {
        Type::Fixed => JointKind::Fixed,
        Type::Revolute | Type::Continuous => JointKind::Revolute { axis: joint.axis },
        Type::Prismatic => JointKind::Prismatic { axis: joint.axis },
        Type::Floating => JointKind::Free,
        Type::Planar => return (JointKind::Planar, shortest_turn(&joint.axis)),
    };
    (kind, Mat3::identity())
}

/// The rotation by the smallest angle that brings z to a unit vector; half a turn about x to −z.
fn shortest_turn(axis: &Vec3) -> Mat3 {
    let half = Vec3::z() + axis;
    if !(half.norm() > 1e-8) {
        return Mat3::new(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0);
    }
    let half = half.normalize();
    let v = Vec3::z().cross(&half);
    Quat { w: half.z, x: v.x, y: v.y, z: v.z }.to_matrix()
}

/// Names in use, each with the number that its next copy gets.
#[derive(Default)]
struct Names {
    taken: BTreeMap<String, usize>,
}

impl Names {
    /// The name, or the first of `name_2`, `name_3`, … that is not in use; in use then.
    fn unused(&mut self, name: String) -> String {
        let Some(&first) = self.taken.get(&name) else {
            self.taken.insert(name.clone(), 2);
            return name;
        };
        let mut number = first;
        while self.taken.contains_key(&format!("{name}_{number}")) {
            number += 1;
        }
        let chosen = format!("{name}_{number}");
        self.taken.insert(name, number + 1);
        self.taken.insert(chosen.clone(), 2);
        chosen
    }
}
