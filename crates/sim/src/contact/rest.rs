//! What rests, rests to the last bit.
//!
//! Impulses that hold a pile are known to a tolerance, so its bodies keep velocities of rounding. Balance is
//! unstable: with forces that stay as they are these velocities grow by a factor every step, until the impulses have to be found
//! anew. So where the answer is certified and every body of an island has no more than rounding of what the forces of this step
//! gave it, the velocities of the island are zero. Its next step is then the same as this one, bit by bit.
//!
//! Theory: `docs/theory/rest.md`.

use crate::contact::work::ContactWork;
use crate::data::Data;
use crate::model::Model;

/// What counts as rest, as a part of what the forces of the step gave a body: the energy of a solve is known to twice this part. And as
/// a part of the sizes of all impulses on it, of which this is rounding.
const REST: f64 = 4e-13;
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Memory.
#[derive(Clone, Debug, Default)]
pub(super) struct RestWork {
    /// Velocities of the island at hand, and of which they are.
    velocities: Vec<usize>,
    is_met: Vec<bool>,
    /// Of each node `Σ M_ii v_i²` of its velocities, and of those that count as rest [J].
    energy: Vec<[f64; 2]>,
    /// Of each velocity the sizes of the impulses on it.
    size: Vec<f64>,
    nodes: Vec<usize>,
}

impl RestWork {
    /// All nodes of the island at hand.
    fn is_still(&self) -> bool {
        self.nodes.iter().all(|&node| self.energy[node][0] <= self.energy[node][1])
    }
}

impl ContactWork {
    /// Stops the islands that rest, the impulses of all being in `v_kick`.
    pub(super) fn stop_what_rests(&mut self, model: &Model, data: &mut Data) {
        let Some(root) = self.space.W.root() else { return };
        let (rest, islands) = (&mut self.rest, self.work.islands());
        rest.is_met.clear();
        rest.is_met.resize(model.nv, false);
        rest.energy.clear();
        rest.energy.resize(root.node_start.len(), [0.0; 2]);
        rest.size.clear();
        let work = &mut data.work;
        for island in 0..islands.len() {
            let blocks = islands.blocks(island);
            let rows = || blocks.iter().flat_map(|&block| self.space.rows_of(block));
            rest.velocities.clear();
            rest.nodes.clear();
            // rows between bodies have their say after the contacts
            let mut is_free = true;
            for &c in blocks.iter().flat_map(|&block| root.Y.block(block).0) {
                if rest.is_met.get(c) == Some(&true) {
                    continue;
                }
                is_free &= c < model.nv && !self.rows.is_held(model, c);
                if is_free {
                    rest.is_met[c] = true;
                    rest.velocities.push(c);
                    let (node, m) = (root.node_of[c], data.M.diagonal(&model.pattern, c));
                    if rest.nodes.last() != Some(&node) {
                        rest.nodes.push(node);
                    }
                    let [own, still] = &mut rest.energy[node];
                    let given = REST * work.dv[c];
                    *own += m * work.v_kick[c] * work.v_kick[c];
                    *still += m * given * given;
                }
            }
            if is_free && !rest.is_still() {
                // sizes of impulses are asked for where forces are not enough
                if rest.size.is_empty() {
                    rest.size.resize(model.nv, 0.0);
                    self.rows.add_sizes(&self.p, &mut rest.size);
                }
                for &c in &rest.velocities {
                    let rounding = ROUNDING * rest.size[c];
                    let m = data.M.diagonal(&model.pattern, c);
                    rest.energy[root.node_of[c]][1] += rounding * rounding / m;
                }
            }
            if is_free && rest.is_still() {
                rest.velocities.iter().for_each(|&c| work.v_kick[c] = 0.0);
                rows().for_each(|row| self.u[row] = 0.0);
            }
        }
    }
}
