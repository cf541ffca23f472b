//! Random trees for the tests: all joints, branches, several roots, masses and armatures far apart.

use crate::data::Data;
use crate::inertia::Inertia;
use crate::math::{MatX, Quat, Vec3};
use crate::model::{Coordinates, FrameSpec, JointKind, JointSpec, Model, ModelSpec};
use crate::spatial::{Force, Pose};
use crate::tree::kinematics;

/// A sequence of pseudo-random numbers that its seed determines on every platform (splitmix64).
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Uniform in 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in its logarithm: `10^low … 10^high`.
    pub(crate) fn decades(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low, high))
    }

    /// Each entry in ±size.
    pub(crate) fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.between(-size, size))
    }

    pub(crate) fn numbers(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| self.between(-size, size)).collect()
    }

    pub(crate) fn unit(&mut self) -> Vec3 {
        loop {
            let a = self.vector(1.0);
            if a.norm() > 0.1 && a.norm() < 1.0 {
                return a.normalize();
            }
        }
    }

    pub(crate) fn quat(&mut self) -> Quat {
        Quat::exp(&(self.unit() * self.between(0.0, 3.1)))
    }

    pub(crate) fn shuffle(&mut self, list: &mut [usize]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }

    /// Masses over six decades; principal moments a hundredfold apart.
    pub(crate) fn inertia(&mut self) -> Inertia {
        let mass = self.decades(-3.0, 3.0);
        // second moments along the axes: any three positive numbers belong to a body
        let [a, b, c] = [(); 3].map(|()| mass * self.decades(-3.0, -1.0));
        Inertia {
            com: self.vector(0.3),
            ..Inertia::principal(mass, [b + c, a + c, a + b]).moved(&Pose::rotation(self.quat()))
        }
    }

    fn joint_kind(&mut self) -> JointKind {
        let axis = self.unit();
        match self.below(9) {
            0 => JointKind::Fixed,
            1 => JointKind::Revolute { axis },
            2 => JointKind::Prismatic { axis },
            3 => JointKind::Screw { axis, pitch: self.between(-0.5, 0.5) },
            4 => JointKind::Cylindrical { axis },
            5 => {
                let second = axis.cross(&self.unit()).normalize();
                JointKind::Universal { first: axis, second }
            }
            6 => JointKind::Ball,
            7 => JointKind::Planar,
            _ => JointKind::Free,
        }
    }

    fn frame(&mut self, body: Option<usize>) -> FrameSpec {
        let p = self.vector(0.5);
        FrameSpec { body: body.map(name), p, quat: self.quat() }
    }

    /// A tree of n bodies: a tenth of them are roots, chains are likelier than stars.
    pub(crate) fn tree(&mut self, n: usize) -> ModelSpec {
        let mut spec = ModelSpec::new();
        spec.gravity = self.vector(10.0);
        for i in 0..n {
            spec.body(&name(i), self.inertia());
            let parent = match self.below(10) {
                _ if i == 0 => None,
                0 => None,
                1..=4 => Some(self.below(i)),
                _ => Some(i - 1),
            };
            // the last body moves, so that there is a velocity
            let kind = match self.joint_kind() {
                JointKind::Fixed if i == n - 1 => JointKind::Ball,
                kind => kind,
            };
            let (parent, child) = (self.frame(parent), self.frame(Some(i)));
            let armature = self.armature();
            let joint: &mut JointSpec = spec.joint(&format!("j{i}"), kind, parent, child);
            joint.armature = armature;
        }
        spec
    }

    /// None for every other joint.
    fn armature(&mut self) -> Vec<f64> {
        if self.below(2) == 0 { Vec::new() } else { vec![self.decades(-4.0, 1.0)] }
    }

    /// Positions of any size that joints have, with unit quaternions.
    pub(crate) fn position(&mut self, model: &Model) -> Vec<f64> {
        let mut q = model.state().q;
        let steps = self.numbers(model.nv, 2.0);
        model.integrate(&mut q, &steps, 1.0);
        q
    }
}

pub(crate) fn name(i: usize) -> String {
    format!("b{i}")
}

/// A random tree in a random state, kinematics done.
pub(crate) struct Sample {
    pub(crate) spec: ModelSpec,
    pub(crate) model: Model,
    pub(crate) data: Data,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Accelerations and forces, unrelated.
    pub(crate) a: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    pub(crate) F_ext: Vec<Force>,
}

impl Sample {
    /// A tree of 1 to `most` bodies.
    pub(crate) fn new(seed: u64, most: usize) -> Self {
        let mut random = Random::new(seed);
        let n = 1 + random.below(most);
        let spec = random.tree(n);
        let model = spec.build(Coordinates::Generalized).expect("a random tree is a model");
        let q = random.position(&model);
        let [v, a, tau] = [1.0, 3.0, 10.0].map(|size| random.numbers(model.nv, size));
        let F_ext = (0..n).map(|_| Force::new(random.vector(3.0), random.vector(3.0))).collect();
        let mut data = Data::new(&model);
        kinematics::update(&model, &q, &v, &mut data);
        Self { spec, model, data, q, v, a, tau, F_ext }
    }
}

/// The largest entry, each scaled by the root of M's diagonal, so that kg and kg·m² can be compared.
pub(crate) fn size(M: &MatX, x: &[f64]) -> f64 {
    (0..x.len()).fold(0.0, |size, i| size.max(M[(i, i)].sqrt() * x[i].abs()))
}

/// The [`size`] of the difference; infinite if there is a NaN.
pub(crate) fn distance(M: &MatX, x: &[f64], y: &[f64]) -> f64 {
    let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    if difference.iter().all(|d| d.is_finite()) { size(M, &difference) } else { f64::INFINITY }
}

/// Condition of M after its diagonal has been scaled to one.
pub(crate) fn condition(M: &MatX) -> f64 {
    if M.is_empty() {
        return 1.0;
    }
    let scaled =
        MatX::from_fn(M.nrows(), M.ncols(), |i, j| M[(i, j)] / (M[(i, i)] * M[(j, j)]).sqrt());
    let eigenvalues = scaled.symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}
