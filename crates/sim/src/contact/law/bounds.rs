//! One island of the box, hybrid or phantom law in velocity space: stated by the root of W, whose entries are never made.
//!
//! Each contact has the axes, compliances and offsets of its `Plane`; friction is bounded by a number (box, hybrid) or by the normal
//! impulse (phantom, whose ρ is not in the motion). Guides and bounded rows are rows between their own bounds. The last step is the
//! start. Costs the contacts of the island.

use stiction_lcp::motion::boxes::{Bounds, BoxProblem, BoxWork, solve_boxes};
use stiction_lcp::{Verdict, never};

use super::apart::Outcome;
use super::assembled::least;
use super::bristle::{Lateral, Plane};
use super::directions::direction;
use super::units::RootUnits;
use super::{Law, LawError, coefficient};
use crate::contact::delassus::Root;
use crate::contact::space::{ContactData, ContactSpace, Sides};

/// Memory of islands: nothing of an answer is kept in it.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundsMemory {
    /// Of each island its own, so that what is known of its graph is there in the next step.
    slots: Vec<Slot>,
    next: usize,
    /// For each node of the root its number in the island.
    place: Vec<usize>,
    nodes: Vec<usize>,
    rows: Vec<[f64; 3]>,
    units: RootUnits,
    /// Of the island's contacts.
    planes: Vec<Plane>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    problem: BoxProblem,
    work: BoxWork,
    r: Vec<[f64; 3]>,
}

/// What is solved.
#[derive(Clone, Copy)]
pub(super) struct Island<'a> {
    pub(super) space: &'a ContactSpace,
    pub(super) root: &'a Root,
    /// Contacts, then bounded rows, ascending; the first is a contact.
    pub(super) blocks: &'a [usize],
    pub(super) law: &'a Law,
}

/// Whether the law of this island is one of bounds: guides of the phantom law are not, their friction has the bound μ|p_n|.
pub(super) fn is_stated(space: &ContactSpace, blocks: &[usize], law: &Law) -> bool {
    let is_guide =
        |&block: &usize| space.contacts.get(block).is_some_and(|c| c.sides == Sides::Both);
    match law {
        Law::Box(_) | Law::Hybrid(_) => true,
        Law::Phantom(_) => !blocks.iter().any(is_guide),
        _ => false,
    }
}

impl BoundsMemory {
    /// A new step.
    pub(super) fn begin(&mut self, root: &Root) {
        self.next = 0;
        self.nodes.clear();
        self.place.clear();
        self.place.resize(root.node_start.len(), usize::MAX);
    }

    /// Solves an island and writes its impulses into p, which is of the whole space [N·s].
    pub(super) fn solve(
        &mut self,
        island: Island<'_>,
        tol: f64,
        p: &mut [f64],
    ) -> Result<Outcome, LawError> {
        if self.slots.len() == self.next {
            self.slots.push(Slot::default());
        }
        let mut slot = std::mem::take(&mut self.slots[self.next]);
        let result = self.state(island, &mut slot.problem);
        if result.is_ok() {
            self.start(island, &mut slot.r);
        }
        let outcome = result.map(|()| run(&mut slot, tol));
        if outcome.is_ok() {
            self.read(island, &slot.r, p);
        }
        self.slots[self.next] = slot;
        self.next += 1;
        outcome
    }

    /// The problem, in units of the solve.
    fn state(&mut self, island: Island<'_>, problem: &mut BoxProblem) -> Result<(), LawError> {
        let Island { space, root, law, .. } = island;
        self.units.find(space, root, island.blocks);
        self.number_nodes(island);
        let width = |&node: &usize| root.node_start[node + 1] - root.node_start[node];
        problem.clear(self.nodes.iter().map(width));
        if let Law::Phantom(settings) = law {
            let k = settings.directions;
            (0..k).for_each(|j| problem.push_direction(direction(j, 2 * k)));
        }
        self.planes.clear();
        let (velocity, mass) = (self.units.velocity, self.units.mass);
        for c in island.contacts() {
            let (contact, u) = (&space.contacts[c], &space.u_free[3 * c..3 * c + 3]);
            let plane = plane_of(law, contact, space.h);
            self.push_spans((root, c), 1.0, &plane.axes, problem);
            let along = |a: usize| plane.axes[a][0] * u[1] + plane.axes[a][1] * u[2] + plane.d[a];
            let q = [u[0] + contact.d_n, along(0), along(1)].map(|u| u / velocity);
            let eps = [contact.eps_n, plane.eps[0], plane.eps[1]].map(|eps| mass * eps);
            problem.end_contact(eps, q, self.bounds_of(law, contact, &plane, space.h));
            self.planes.push(plane);
        }
        for (place, i) in island.bounded().enumerate() {
            let (row, lever, at) = (&space.rows[i], self.units.lever[place], 3 * space.k() + i);
            self.push_spans((root, space.k() + i), lever, &[[0.0; 2]; 2], problem);
            let u = lever * (space.u_free[at] + row.d) / velocity;
            let eps = mass * lever * lever * row.eps;
            let bound = |p: f64| [p / (self.units.impulse() * lever), 0.0, 0.0];
            let bounds = Bounds::Fixed { lower: bound(row.lower), upper: bound(row.upper) };
            problem.end_contact([eps, 0.0, 0.0], [u, 0.0, 0.0], bounds);
        }
        Ok(problem.check()?)
    }

    fn bounds_of(&self, law: &Law, contact: &ContactData, plane: &Plane, h: f64) -> Bounds {
        if let Law::Phantom(_) = law {
            let mu = plane.mu;
            return if plane.is_bound_by_axes {
                Bounds::Axes { mu }
            } else {
                Bounds::Polygon { mu: mu[0] }
            };
        }
        let [a, b] = plane.mu.map(|mu| mu * h * contact.lambda_n.abs() / self.units.impulse());
        Bounds::Fixed { lower: [least(contact), -a, -b], upper: [f64::INFINITY, a, b] }
    }

    fn number_nodes(&mut self, Island { root, blocks, .. }: Island<'_>) {
        // as they were left by the last island
        self.nodes.drain(..).for_each(|node| self.place[node] = usize::MAX);
        for &c in blocks.iter().flat_map(|&block| root.Y.block(block).0) {
            let node = root.node_of[c];
            if self.place[node] == usize::MAX {
                self.place[node] = self.nodes.len();
                self.nodes.push(node);
            }
        }
    }

    /// The rows of a block times a factor as spans, the last two turned onto the axes. A bounded row is the first of three.
    fn push_spans(
        &mut self,
        (root, block): (&Root, usize),
        factor: f64,
        [e, l]: &[[f64; 2]; 2],
        problem: &mut BoxProblem,
    ) {
        let factor = factor * self.units.root_of_mass;
        let (index, value) = root.Y.block(block);
        let mut at = 0;
        while let Some(&first) = index.get(at) {
            let node = root.node_of[first];
            let coordinates = root.node_start[node]..root.node_start[node + 1];
            self.rows.clear();
            self.rows.resize(coordinates.len(), [0.0; 3]);
            while let Some(&c) = index.get(at)
                && c < coordinates.end
            {
                let [n, t1, t2] = value[at].map(|y| factor * root.scale[c] * y);
                self.rows[c - coordinates.start] =
                    [n, e[0] * t1 + e[1] * t2, l[0] * t1 + l[1] * t2];
                at += 1;
            }
            problem.push_span(self.place[node], self.rows.iter().copied());
        }
    }

    /// The last step, in units of the solve.
    fn start(&self, island: Island<'_>, r: &mut Vec<[f64; 3]>) {
        let space = island.space;
        let scale = space.h / self.units.impulse();
        r.clear();
        for (c, plane) in island.contacts().zip(&self.planes) {
            let ContactData { lambda_n, lambda_t: [t1, t2], .. } = space.contacts[c];
            let along = |[x, y]: [f64; 2]| x * t1 + y * t2;
            r.push([lambda_n, along(plane.axes[0]), along(plane.axes[1])].map(|l| scale * l));
        }
        for (i, lever) in island.bounded().zip(&self.units.lever) {
            r.push([scale * space.rows[i].lambda / lever, 0.0, 0.0]);
        }
    }

    /// Impulses in SI units.
    fn read(&self, island: Island<'_>, r: &[[f64; 3]], p: &mut [f64]) {
        let (k, impulse) = (island.space.k(), self.units.impulse());
        for ((c, plane), r) in island.contacts().zip(&self.planes).zip(r) {
            let [e, l] = plane.axes;
            let own = [r[0], r[1] * e[0] + r[2] * l[0], r[1] * e[1] + r[2] * l[1]];
            p[3 * c..3 * c + 3].copy_from_slice(&own.map(|r| impulse * r));
        }
        for ((i, lever), r) in island.bounded().zip(&self.units.lever).zip(&r[self.planes.len()..])
        {
            p[3 * k + i] = impulse * lever * r[0];
        }
    }
}

impl<'a> Island<'a> {
    fn contacts(self) -> impl Iterator<Item = usize> + 'a {
        let k = self.space.k();
        self.blocks.iter().copied().take_while(move |block| *block < k)
    }

    /// Numbers of bounded rows.
    fn bounded(self) -> impl Iterator<Item = usize> + 'a {
        let k = self.space.k();
        let first = self.blocks.partition_point(|block| *block < k);
        self.blocks[first..].iter().map(move |block| block - k)
    }
}

/// Axes, compliances, offsets and coefficients of a contact.
fn plane_of(law: &Law, c: &ContactData, h: f64) -> Plane {
    match law {
        Law::Hybrid(s) => {
            Plane::turned(c, h, s.v_stick, Lateral::Relaxed { lambda_min: s.lambda_min })
        }
        Law::Phantom(s) => Plane::turned(c, h, s.v_stick, s.lateral),
        Law::Box(s) => Plane::fixed(c, h, coefficient(c, s.v_stick)),
        _ => Plane::fixed(c, h, 0.0),
    }
}

fn run(slot: &mut Slot, tol: f64) -> Outcome {
    let report = solve_boxes(&slot.problem, tol, &mut slot.work, &never, &mut slot.r);
    let links = &slot.work.links;
    Outcome {
        verdict: if report.certified { Verdict::Certified } else { Verdict::Uncertified },
        problem: report.residual.scaled,
        link: links.last().map_or("none", |link| link.solver),
        iterations: links.iter().map(|link| link.report.factorizations).sum(),
        singular_blocks: 0,
        moved: Vec::new(),
    }
}
