//! Which geoms may touch at all.

use crate::joint::Joint;
use crate::model::{Geom, Model, Rows};

/// Bodies that fixed joints weld together count as one; so do the world and what is welded to it.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// For each body the first body it is welded to. None: the world.
    welded_to: Vec<Option<usize>>,
    /// Pairs of such bodies that a joint connects, the smaller first; sorted.
    neighbours: Vec<(usize, usize)>,
}

impl Filter {
    pub(super) fn new(model: &Model) -> Self {
        let mut welded_to: Vec<Option<usize>> = (0..model.bodies.len()).map(Some).collect();
        let joints = joints(model);
        // parents come before children
        let mut welds: Vec<_> = joints.iter().filter(|joint| joint.0 == Joint::Fixed).collect();
        welds.sort_by_key(|&&(_, _, child)| child);
        for &&(_, parent, child) in &welds {
            if let Some(child) = child {
                welded_to[child] = parent.and_then(|parent| welded_to[parent]);
            }
        }
        let mut neighbours = Vec::new();
        if !model.neighbours_collide {
            let root = |body: Option<usize>| body.and_then(|body| welded_to[body]);
            for &(joint, a, b) in &joints {
                if let (Some(a), Some(b)) = (root(a), root(b))
                    && joint != Joint::Free
                {
                    neighbours.push((a.min(b), a.max(b)));
                }
            }
            neighbours.extend(loops(model, &root));
            neighbours.sort_unstable();
            neighbours.dedup();
        }
        Self { welded_to, neighbours }
    }

    pub(super) fn may_touch(&self, a: &Geom, b: &Geom) -> bool {
        if !a.groups.meet(&b.groups) {
            return false;
        }
        let root = |geom: &Geom| geom.at.body.and_then(|body| self.welded_to[body]);
        match (root(a), root(b)) {
            (Some(a), Some(b)) => {
                a != b && self.neighbours.binary_search(&(a.min(b), a.max(b))).is_err()
            }
            (a, b) => a != b,
        }
    }
}

/// The joints of the description with their bodies: parent, child.
fn joints(model: &Model) -> Vec<(Joint, Option<usize>, Option<usize>)> {
    model.joints.iter().map(|info| (info.joint, info.parent.body, info.child.body)).collect()
}

/// Neighbours across joints that close loops.
fn loops(model: &Model, root: &dyn Fn(Option<usize>) -> Option<usize>) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for constraint in &model.constraints {
        if let Rows::Joint { joint, a, b, .. } = &constraint.rows
            && let (Some(a), Some(b)) = (root(a.body), root(b.body))
            && *joint != Joint::Free
        {
            pairs.push((a.min(b), a.max(b)));
        }
    }
    pairs
}
