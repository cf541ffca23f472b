//! The problem of an island from the root of W, and impulses from its answer.

use stiction_lcp::motion::MotionProblem;

use super::{Island, MotionMemory};
use crate::contact::delassus::Root;
use crate::contact::law::{LawError, coefficient};
use crate::contact::space::Tangents;

impl MotionMemory {
    pub(super) fn number_nodes(&mut self, Island { root, blocks, .. }: Island<'_>) {
        // as they were left by the last island
        self.nodes.drain(..).for_each(|node| self.place[node] = usize::MAX);
        for &block in blocks {
            for &c in root.Y.block(block).0 {
                let node = root.node_of[c];
                if self.place[node] == usize::MAX {
                    self.place[node] = self.nodes.len();
                    self.nodes.push(node);
                }
            }
        }
    }

    /// The problem, in units of the solve.
    pub(super) fn state(
        &mut self,
        island: Island<'_>,
        problem: &mut MotionProblem,
    ) -> Result<(), LawError> {
        let Island { space, root, .. } = island;
        let width = |&node: &usize| root.node_start[node + 1] - root.node_start[node];
        problem.clear(3, self.nodes.iter().map(width));
        self.add_middles(island);
        let velocity = self.units.velocity;
        for (i, c) in island.contacts().enumerate() {
            let (contact, side, u) = (&space.contacts[c], self.side[i], &space.u_free[3 * c..]);
            let is_line = contact.tangents == Tangents::Line;
            let third = if is_line { 0.0 } else { 1.0 };
            self.push_spans(root, c, [side, 1.0, third], problem);
            let moved = |row: usize| self.moved(root, 3 * c + row);
            let q_n = side * (u[0] + contact.d_n + moved(0));
            let q_2 = if is_line { 0.0 } else { u[2] + moved(2) };
            let q = [q_n, u[1] + moved(1), q_2].map(|u| u / velocity);
            let eps = [self.units.mass * contact.eps_n, 0.0, if is_line { 1.0 } else { 0.0 }];
            problem.end_contact(eps, q, coefficient(contact, island.v_stick));
        }
        for (place, i) in island.bounded().enumerate() {
            self.state_bounded(island, place, i, problem);
        }
        self.take_middles(island);
        Ok(problem.check()?)
    }

    /// Bounded row i of the space, the one in this place of the island.
    fn state_bounded(
        &mut self,
        island: Island<'_>,
        place: usize,
        i: usize,
        problem: &mut MotionProblem,
    ) {
        let Island { space, root, .. } = island;
        let (row, lever, at) = (&space.rows[i], self.units.lever[place], 3 * space.k() + i);
        let between = self.between[place];
        let eps = self.units.mass * lever * lever * row.eps;
        let u = space.u_free[at] + row.d + self.moved(root, at);
        let u = lever * u / self.units.velocity + eps * middle(&between);
        if is_two_sided(&between) {
            self.push_spans(root, space.k() + i, [0.0, lever, 0.0], problem);
            problem.end_contact([1.0, eps, 1.0], [-1.0, u, 0.0], 0.5 * (between[1] - between[0]));
        } else {
            let sign = way(&between);
            self.push_spans(root, space.k() + i, [sign * lever, 0.0, 0.0], problem);
            problem.end_contact([eps, 1.0, 1.0], [sign * u, 0.0, 0.0], 0.0);
        }
    }

    /// The block of three that spans of the problem have: rows of the root's block, or its only one three times, by these factors.
    fn push_spans(
        &mut self,
        root: &Root,
        block: usize,
        factors: [f64; 3],
        problem: &mut MotionProblem,
    ) {
        let factors = factors.map(|factor| factor * self.units.root_of_mass);
        let is_single = block >= root.Y.triples();
        let (index, value) = root.Y.block(block);
        let entry = |(scale, y): (&f64, &[f64; 3])| -> [f64; 3] {
            std::array::from_fn(|i| factors[i] * scale * y[if is_single { 0 } else { i }])
        };
        let mut at = 0;
        while let Some(&first) = index.get(at) {
            let node = root.node_of[first];
            let coordinates = root.node_start[node]..root.node_start[node + 1];
            let end = at + coordinates.len();
            if !is_single && index.get(end - 1) == Some(&(coordinates.end - 1)) {
                // all of them
                let own = root.scale[coordinates].iter().zip(&value[at..end]);
                let scaled =
                    own.map(|(scale, y)| std::array::from_fn(|i| factors[i] * scale * y[i]));
                problem.push_span(self.place[node], scaled);
                at = end;
                continue;
            }
            self.rows.clear();
            self.rows.resize(coordinates.len(), [0.0; 3]);
            while let Some(&c) = index.get(at)
                && c < coordinates.end
            {
                self.rows[c - coordinates.start] = entry((&root.scale[c], &value[at]));
                at += 1;
            }
            problem.push_span(self.place[node], self.rows.iter().copied());
        }
    }

    /// What the impulses in the middle of two-sided bounds, or at the one bound there is, do to the coordinates.
    fn add_middles(&mut self, island: Island<'_>) {
        self.has_middles = false;
        for (place, i) in island.bounded().enumerate() {
            let p = self.units.impulse() * self.units.lever[place] * middle(&self.between[place]);
            if p != 0.0 {
                self.has_middles = true;
                let Island { space, root, .. } = island;
                root.Y.row(3 * space.k() + i).for_each(|(c, y)| self.change[c] += y * p);
            }
        }
    }

    /// Zeros again.
    fn take_middles(&mut self, Island { root, blocks, .. }: Island<'_>) {
        if self.has_middles {
            for &block in blocks {
                root.Y.block(block).0.iter().for_each(|&c| self.change[c] = 0.0);
            }
        }
    }

    /// The velocity of a row by the middles [m/s].
    fn moved(&self, root: &Root, row: usize) -> f64 {
        if !self.has_middles {
            return 0.0;
        }
        root.Y.row(row).map(|(c, y)| y * (root.weight[c] * self.change[c])).sum()
    }

    /// From impulses in SI units, the inverse of `read`.
    pub(super) fn start(&self, island: Island<'_>, p: &[f64], r: &mut Vec<[f64; 3]>) {
        let (space, impulse) = (island.space, self.units.impulse());
        r.clear();
        for (i, c) in island.contacts().enumerate() {
            let is_line = space.contacts[c].tangents == Tangents::Line;
            let t2 = if is_line { 0.0 } else { p[3 * c + 2] };
            r.push([self.side[i] * p[3 * c], p[3 * c + 1], t2].map(|p| p / impulse));
        }
        for ((i, lever), between) in island.bounded().zip(&self.units.lever).zip(&self.between) {
            let own = p[3 * space.k() + i] / impulse / lever - middle(between);
            let is_two_sided = is_two_sided(between);
            r.push(if is_two_sided { [1.0, own, 0.0] } else { [way(between) * own, 0.0, 0.0] });
        }
    }

    /// What an answer in two parts does to the coordinates of the root, by those of the problem; nothing where it is in one.
    pub(super) fn read_moved(&self, island: Island<'_>, x: &[f64], moved: &mut Vec<(usize, f64)>) {
        moved.clear();
        let unit = self.units.velocity * self.units.root_of_mass;
        let root = island.root;
        let coordinates =
            self.nodes.iter().flat_map(|&n| root.node_start[n]..root.node_start[n + 1]);
        moved.extend(coordinates.zip(x).map(|(c, x)| (c, unit * root.scale[c] * x)));
    }

    /// Impulses in SI units.
    pub(super) fn read(&self, island: Island<'_>, r: &[[f64; 3]], p: &mut [f64]) {
        let (k, impulse) = (island.space.k(), self.units.impulse());
        for (i, c) in island.contacts().enumerate() {
            let is_line = island.space.contacts[c].tangents == Tangents::Line;
            let t2 = if is_line { 0.0 } else { r[i][2] };
            let own = [self.side[i] * r[i][0], r[i][1], t2];
            p[3 * c..3 * c + 3].copy_from_slice(&own.map(|r| impulse * r));
        }
        let rows = self.between.iter().zip(&r[self.side.len()..]).zip(&self.units.lever);
        for (i, ((between, r), lever)) in island.bounded().zip(rows) {
            let is_two_sided = is_two_sided(between);
            let own = if is_two_sided { r[1] } else { way(between) * r[0] };
            p[3 * k + i] = impulse * lever * (middle(between) + own);
        }
    }
}

pub(super) fn is_two_sided(&[lower, upper]: &[f64; 2]) -> bool {
    lower.is_finite() && upper.is_finite()
}

/// The impulse at which a bounded row starts: the middle of two bounds, or the one bound there is.
pub(super) fn middle(&[lower, upper]: &[f64; 2]) -> f64 {
    match (lower.is_finite(), upper.is_finite()) {
        (true, true) => 0.5 * (lower + upper),
        (true, false) => lower,
        _ => upper,
    }
}

/// Away from the one bound there is.
pub(super) fn way(&[lower, _]: &[f64; 2]) -> f64 {
    if lower.is_finite() { 1.0 } else { -1.0 }
}
