//! Descriptions of mechanisms for the tests, and seeded random numbers.

use stiction_sim::model::{
    ConstraintKind, CoordinateSpec, FrameSpec, JointKind, Law, Relaxation, SpringKind,
};
use stiction_sim::{Inertia, ModelSpec, Quat, Vec3};

/// splitmix64.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of 0, …, n − 1.
    pub(crate) fn index(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }

    pub(crate) fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.between(-size, size))
    }

    pub(crate) fn quaternion(&mut self) -> Quat {
        Quat::exp(&self.vector(1.8))
    }

    pub(crate) fn axis(&mut self) -> Vec3 {
        self.quaternion().to_matrix() * Vec3::z()
    }

    pub(crate) fn inertia(&mut self) -> Inertia {
        let [a, b] = [self.between(0.1, 1.0), self.between(0.1, 1.0)];
        let moments = [a, b, (a - b).abs() + (a + b - (a - b).abs()) * self.between(0.1, 0.9)];
        let turned = stiction_sim::Pose::from_parts(self.vector(0.5), self.quaternion());
        Inertia::principal(self.between(0.2, 3.0), moments).moved(&turned)
    }

    pub(crate) fn frame(&mut self, body: Option<&str>) -> FrameSpec {
        let (p, quat) = (self.vector(0.7), self.quaternion());
        FrameSpec { body: body.map(str::to_string), p, quat }
    }

    /// Kind number `index` of nine.
    pub(crate) fn joint_kind(&mut self, index: usize) -> JointKind {
        let axis = self.axis();
        match index {
            0 => JointKind::Fixed,
            1 => JointKind::Revolute { axis },
            2 => JointKind::Prismatic { axis },
            3 => JointKind::Screw { axis, pitch: self.between(0.05, 0.3) },
            4 => JointKind::Cylindrical { axis },
            5 => {
                let R = self.quaternion().to_matrix();
                JointKind::Universal { first: R * Vec3::x(), second: R * Vec3::y() }
            }
            6 => JointKind::Ball,
            7 => JointKind::Planar,
            _ => JointKind::Free,
        }
    }
}

/// A forest of `n` bodies, `b0`, `b1`, …, that hang on the world or on earlier ones by joints `j0`, `j1`, … of
/// all kinds. Bodies are listed in random order.
pub(crate) fn forest(rng: &mut Rng, n: usize) -> ModelSpec {
    let mut spec = ModelSpec::new();
    for i in 0..n {
        spec.body(&format!("b{i}"), rng.inertia());
        let parent = (i > 0 && rng.index(5) > 0).then(|| format!("b{}", rng.index(i)));
        let kind_index = rng.index(9);
        let kind = rng.joint_kind(kind_index);
        let (on_parent, on_child) =
            (rng.frame(parent.as_deref()), rng.frame(Some(&format!("b{i}"))));
        spec.joint(&format!("j{i}"), kind, on_parent, on_child);
    }
    for i in (1..n).rev() {
        spec.bodies.swap(i, rng.index(i + 1));
    }
    spec
}

/// One joint, constraint and spring of every kind; a body without joint; names with spaces and umlauts.
pub(crate) fn everything() -> ModelSpec {
    let mut spec = ModelSpec::new();
    let mut rng = Rng(7);
    for i in 0..9 {
        let (name, above) = (body_name(i), i.checked_sub(1).map(body_name));
        spec.body(&name, rng.inertia());
        let (parent, child) = (rng.frame(above.as_deref()), rng.frame(Some(&name)));
        let kind = rng.joint_kind(i);
        let joint = spec.joint(&format!("joint {i}"), kind, parent, child);
        (joint.armature, joint.damping) = (vec![0.01], vec![0.1]);
    }
    spec.joints[1].limits = vec![(-1.0, f64::INFINITY)];
    spec.body("loose", rng.inertia());

    let coordinate = |i: usize, index| CoordinateSpec { joint: format!("joint {i}"), index };
    let mut pair = || (rng.frame(Some("loose")), rng.frame(Some(&body_name(3))));
    let (a, b) = pair();
    let kind = JointKind::Screw { axis: Vec3::z(), pitch: 0.1 };
    spec.constraint("loop", ConstraintKind::Joint { kind, a, b }).relaxation =
        Some(Relaxation { k: 1e6, b: 1e3 });
    let (a, b) = pair();
    spec.constraint("rope", ConstraintKind::Distance { a, b, length: 2.0 });
    let terms = vec![(coordinate(1, 0), 1.0), (coordinate(4, 0), -3.0)];
    spec.constraint("gear", ConstraintKind::Coupling { terms, offset: 0.2 });
    let law = Law::Sine { offset: 0.1, amplitude: 0.5, omega: 3.0, phase: 0.0 };
    spec.constraint("motor", ConstraintKind::Drive { coordinate: coordinate(5, 1), law });
    let law = Law::Polynomial([0.1, 0.2, 0.3, 0.4]);
    spec.constraint("piston", ConstraintKind::Drive { coordinate: coordinate(2, 0), law });

    let (a, b) = pair();
    spec.spring("coil", SpringKind::Points { a, b, rest: 0.3 }, 100.0, 1.0);
    let kind = SpringKind::Coordinate { coordinate: coordinate(7, 2), rest: 0.5 };
    spec.spring("watch", kind, 5.0, 0.0);
    let (a, b) = pair();
    spec.spring("bushing", SpringKind::Torsion { a, b }, 5.0, 0.5);
    spec
}

/// Bodies of [`everything`] from the root to the leaf.
pub(crate) fn body_name(i: usize) -> String {
    format!("Körper {i}")
}
