//! Robots of URDF files.

use stiction_sim::Vec3;

use super::Lowering;
use crate::tree::Node;

/// The robots of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Robots {
    pub(crate) list: Vec<Placed>,
}

/// A robot with its place in the scene.
#[derive(Clone, Debug)]
pub(crate) struct Placed {}

impl Placed {
    pub(crate) fn body_names(&self) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn joint_names(&self) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn material_names(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Lowering<'_> {
    pub(super) fn parse_mesh(
        &mut self,
        node: &Node,
        _bytes: &[u8],
    ) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
        self.errors.expected(node.at, "a mesh", "none");
        None
    }
}
