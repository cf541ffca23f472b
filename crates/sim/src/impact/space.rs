//! An impact seen from its contacts: `u = W p + u₀`, where joints hold all along.
//!
//! The kinetic energy is that of the contacts' work, `K − K₀ = p·(u₀ + u)/2`, and splits like W: what hangs together is an
//! island, and islands know nothing of each other.

use stiction_lcp::MatX;

use crate::contact::islands::islands;
use crate::contact::law::{Lateral, Law, Phantom};
use crate::contact::space::{ContactSpace, Sides};

/// The contact problem of an impact. Blocks are contacts and guides, three rows each, then limits, one row each.
#[derive(Clone, Debug)]
pub(super) struct ImpactSpace {
    pub(super) space: ContactSpace,
    /// Restitution of each block: 0 for guides and limits.
    pub(super) e: Vec<f64>,
}

impl ImpactSpace {
    /// The row in which a block closes or parts.
    pub(super) fn normal(&self, block: usize) -> usize {
        self.space.rows_of(block).start
    }

    /// Blocks can approach, guides cannot.
    pub(super) fn is_one_sided(&self, block: usize) -> bool {
        self.space.contacts.get(block).is_none_or(|contact| contact.sides == Sides::One)
    }

    /// How fast a block closes, 0 where it does not [m/s or rad/s].
    pub(super) fn approach(&self, block: usize, u: &[f64]) -> f64 {
        let u_n = u[self.normal(block)];
        if self.is_one_sided(block) && u_n < 0.0 { -u_n } else { 0.0 }
    }

    /// `W p`.
    pub(super) fn change(&self, p: &[f64]) -> Vec<f64> {
        let mut du = vec![0.0; p.len()];
        self.space.W.affine(p, &vec![0.0; p.len()], &mut du);
        du
    }

    /// For each block the number of its island: its first block.
    pub(super) fn islands(&self) -> Vec<usize> {
        islands(&self.space)
    }

    /// For each row the number of its island.
    pub(super) fn islands_of_rows(&self, island: &[usize]) -> Vec<usize> {
        (0..self.space.m()).map(|row| island[self.space.block_of(row)]).collect()
    }

    /// Restitutions that are off where an island has nothing that approaches at `v_threshold` or faster.
    pub(super) fn restitutions(&self, u: &[f64], island: &[usize], v_threshold: f64) -> Vec<f64> {
        let mut fastest = vec![0.0_f64; self.e.len()];
        for (block, &own) in island.iter().enumerate() {
            fastest[own] = fastest[own].max(self.approach(block, u));
        }
        let is_on = |own: usize| fastest[own] >= v_threshold;
        self.e.iter().zip(island).map(|(&e, &own)| if is_on(own) { e } else { 0.0 }).collect()
    }

    /// There are guides or limits.
    pub(super) fn has_others(&self) -> bool {
        let is_guide = |block: usize| !self.is_one_sided(block);
        !self.space.rows.is_empty() || (0..self.space.k()).any(is_guide)
    }

    /// One contact alone, or none, with all guides and limits; and their rows here.
    pub(super) fn alone(&self, contact: Option<usize>) -> (Self, Vec<usize>) {
        let k = self.space.k();
        let stays =
            |block: usize| Some(block) == contact || block >= k || !self.is_one_sided(block);
        let blocks: Vec<usize> = (0..self.e.len()).filter(|&block| stays(block)).collect();
        let rows: Vec<usize> = blocks.iter().flat_map(|&block| self.space.rows_of(block)).collect();
        let contacts = blocks.iter().filter_map(|&block| self.space.contacts.get(block));
        let W = MatX::from_fn(rows.len(), rows.len(), |i, j| self.space.W.get(rows[i], rows[j]));
        let space = ContactSpace {
            h: self.space.h,
            W: W.into(),
            u_free: vec![0.0; rows.len()],
            contacts: contacts.copied().collect(),
            rows: self.space.rows.clone(),
        };
        (Self { space, e: blocks.iter().map(|&block| self.e[block]).collect() }, rows)
    }
}

/// The friction law as an impact can have it: there is no force of a last step to linearize about.
pub(super) fn without_memory(law: &Law) -> Law {
    match law {
        Law::Phantom(phantom) => Law::Phantom(Phantom { lateral: Lateral::Free, ..*phantom }),
        other => *other,
    }
}
