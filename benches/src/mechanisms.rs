//! The mechanisms of the mechanics bench, by name, with a state for each.
//!
//! Nothing in them is special: every joint frame is turned, every centre of mass lies off the joint, every
//! inertia is full. The axes are coordinate axes, as robots have them and as a peer may exploit.

use stiction_sim::model::FrameSpec;
use stiction_sim::model::JointKind;
use stiction_sim::{Inertia, Mat3, ModelSpec, Pose, Quat, Vec3};

/// What the peer is asked for beside us.
pub const NAMES: [&str; 4] = ["arm-7", "quadruped-18", "humanoid-36", "chain-100"];

/// A body and the joint that carries it, in the order of q and v. The body's frame sits on the joint.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// None: the world.
    pub parent: Option<usize>,
    pub joint: LinkJoint,
    /// Origin of the joint in the parent's frame (m), and its orientation there.
    pub p: Vec3,
    pub quat: Quat,
    pub inertia: Inertia,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkJoint {
    Free,
    Revolute { axis: Vec3 },
}

/// A tree of links with the point at which it is evaluated.
#[derive(Clone, Debug)]
pub struct Mechanism {
    pub links: Vec<Link>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Accelerations to ask inverse dynamics for.
    pub a: Vec<f64>,
}

impl Mechanism {
    /// `arm-7`, `quadruped-18`, `humanoid-36`, or `chain-N` with N links. None: no such name.
    pub fn named(name: &str) -> Option<Self> {
        let mut tree = Tree { links: Vec::new() };
        match name {
            "arm-7" => {
                tree.limb(None, "zyzyzyz", Vec3::new(0.0, 0.0, 0.3));
            }
            "quadruped-18" => tree.quadruped(),
            "humanoid-36" => tree.humanoid(),
            _ => {
                let n: usize = name.strip_prefix("chain-")?.parse().ok()?;
                let axes: String = "xyz".chars().cycle().take(n).collect();
                tree.limb(None, &axes, Vec3::new(0.05, 0.0, 0.1));
            }
        }
        Some(tree.with_state())
    }

    pub fn spec(&self) -> ModelSpec {
        let name = |i: usize| format!("link-{i}");
        let mut spec = ModelSpec::new();
        for (i, link) in self.links.iter().enumerate() {
            let kind = match link.joint {
                LinkJoint::Free => JointKind::Free,
                LinkJoint::Revolute { axis } => JointKind::Revolute { axis },
            };
            let on = link.parent.map_or(FrameSpec::world(), |parent| FrameSpec::of(&name(parent)));
            let place = on.at(link.p.x, link.p.y, link.p.z).turned(link.quat);
            spec.body(&name(i), link.inertia);
            spec.joint(&name(i), kind, place, FrameSpec::of(&name(i)));
        }
        spec
    }
}

struct Tree {
    links: Vec<Link>,
}

impl Tree {
    /// Hangs revolute links in a row below `parent`, one for each letter of `axes`, the first at `at` and
    /// each next 0.2 m below; returns the last.
    fn limb(&mut self, parent: Option<usize>, axes: &str, at: Vec3) -> Option<usize> {
        let (mut last, mut p) = (parent, at);
        for letter in axes.chars() {
            let axis = match letter {
                'x' => Vec3::x(),
                'y' => Vec3::y(),
                _ => Vec3::z(),
            };
            last = Some(self.push(last, LinkJoint::Revolute { axis }, p));
            p = Vec3::new(0.03, -0.02, 0.2);
        }
        last
    }

    fn quadruped(&mut self) {
        let trunk = Some(self.push(None, LinkJoint::Free, Vec3::zeros()));
        for (x, y) in [(0.3, 0.15), (0.3, -0.15), (-0.3, 0.15), (-0.3, -0.15)] {
            self.limb(trunk, "xyy", Vec3::new(x, y, 0.0));
        }
    }

    fn humanoid(&mut self) {
        let pelvis = Some(self.push(None, LinkJoint::Free, Vec3::zeros()));
        for y in [0.1, -0.1] {
            self.limb(pelvis, "zxyyyx", Vec3::new(0.0, y, -0.05));
        }
        let chest = self.limb(pelvis, "zy", Vec3::new(0.0, 0.0, 0.1));
        for y in [0.2, -0.2] {
            self.limb(chest, "yxzyzyx", Vec3::new(0.0, y, 0.4));
        }
        self.limb(chest, "zy", Vec3::new(0.0, 0.0, 0.5));
    }

    fn push(&mut self, parent: Option<usize>, joint: LinkJoint, p: Vec3) -> usize {
        let i = self.links.len();
        let t = i as f64;
        let quat = match parent {
            None => Quat::IDENTITY,
            Some(_) => Quat::exp(&varied(0.4, t)),
        };
        let principal = Inertia::principal(1.0 + 0.5 * t.cos(), [0.020, 0.024, 0.010]);
        let inertia = principal.moved(&Pose::rotation(Quat::exp(&varied(1.0, t + 0.5))));
        let com = varied(0.05, t + 0.25) + Vec3::new(0.0, 0.0, 0.1);
        self.links.push(Link { parent, joint, p, quat, inertia: Inertia { com, ..inertia } });
        i
    }

    /// Joints bent by up to 0.5 rad, moving by up to 1 rad/s, accelerating by up to 2 rad/s².
    fn with_state(self) -> Mechanism {
        let (mut q, mut v, mut a) = (Vec::new(), Vec::new(), Vec::new());
        for (i, link) in self.links.iter().enumerate() {
            let nv = match link.joint {
                LinkJoint::Free => {
                    q.extend([0.3, -0.2, 0.9]);
                    q.extend(Quat::exp(&Vec3::new(0.2, -0.5, 0.8)).to_wxyz());
                    6
                }
                LinkJoint::Revolute { .. } => {
                    q.push(0.5 * (1.3 * i as f64 + 0.2).sin());
                    1
                }
            };
            for _ in 0..nv {
                let t = v.len() as f64;
                v.push((0.7 * t + 0.4).cos());
                a.push(2.0 * (1.1 * t - 0.3).sin());
            }
        }
        Mechanism { links: self.links, q, v, a }
    }
}

/// A vector of about this length that differs from link to link.
fn varied(length: f64, t: f64) -> Vec3 {
    Vec3::new((1.7 * t + 1.0).sin(), (2.3 * t + 2.0).cos(), (0.9 * t + 3.0).sin()) * length
}

/// Rows of a matrix, for a file.
pub fn rows(matrix: &Mat3) -> [[f64; 3]; 3] {
    matrix.transpose().data.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_sim::Coordinates;

    #[test]
    fn every_mechanism_has_the_velocities_its_name_says() {
        for name in NAMES.into_iter().chain(["chain-1"]) {
            let mechanism = Mechanism::named(name).expect("a known name");
            let model = mechanism.spec().build(Coordinates::Generalized).expect("a good model");
            let nv: usize = name.split_once('-').expect("a size").1.parse().expect("a number");
            assert_eq!((model.nv(), mechanism.v.len(), mechanism.a.len()), (nv, nv, nv), "{name}");
            assert_eq!(model.nq(), mechanism.q.len(), "{name}");
        }
        assert!(Mechanism::named("chain-x").is_none());
    }

    #[test]
    fn the_model_keeps_the_order_of_the_links() {
        let mechanism = Mechanism::named("humanoid-36").expect("a known name");
        let model = mechanism.spec().build(Coordinates::Generalized).expect("a good model");
        for (link, body) in mechanism.links.iter().zip(model.bodies()) {
            assert_eq!(link.parent, body.parent);
        }
    }
}
