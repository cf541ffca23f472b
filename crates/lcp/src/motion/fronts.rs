//! Symbolic analysis: which nodes are eliminated together, in which order, and what each elimination touches.
//!
//! The graph of nodes (two are neighbours if a clique has both) is ordered by minimum degree. Nodes of nearly the
//! same neighbourhood become one *front*: its pivots, eliminated together, and its rows, the later nodes they
//! touch. The rows of a front are pivots or rows of its parent (Duff and Reid 1983).

use super::space::Space;
use crate::linalg::minimum_degree;
use crate::matrix::{Csc, Matrix};

/// Fronts with fewer coordinates than this are joined whatever it costs.
const SMALL: usize = 24;
/// Zeros that joining two fronts may store, as a part of the joined front.
const ZEROS: f64 = 0.15;

/// The fronts of a graph, children before parents.
#[derive(Clone, Debug, Default)]
pub(super) struct Fronts {
    /// Graph for which this was found: widths of the nodes, nodes of the cliques, where each clique begins.
    widths: Vec<usize>,
    spans: Vec<usize>,
    starts: Vec<usize>,
    /// Those of one clique.
    nodes: Vec<usize>,
    pub(super) fronts: Vec<Front>,
    /// Of each clique, the place of each of its nodes in the front that assembles it.
    pub(super) place: Vec<usize>,
    pub(super) place_start: Vec<usize>,
    /// The largest front.
    pub(super) largest: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// Coordinates of the pivots, then of the rows.
    pub(super) coordinates: Vec<usize>,
    /// How many of them are pivots.
    pub(super) pivots: usize,
    /// Where the rows stand in the parent's front, in pieces: the first row of a piece, its place there, and how long it is.
    pub(super) in_parent: Vec<Piece>,
    pub(super) children: Vec<usize>,
    pub(super) cliques: Vec<usize>,
}

/// Rows of a front that stand one after the other in its parent's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) row: usize,
    pub(super) at: usize,
    pub(super) count: usize,
}

/// A front while it is put together: nodes by their place in the elimination order.
struct Group {
    pivots: Vec<usize>,
    rows: Vec<usize>,
    children: Vec<usize>,
    parent: usize,
}

const NONE: usize = usize::MAX;

impl Fronts {
    /// Analyses the problem's graph, unless it is the last one.
    pub(super) fn update(&mut self, problem: &impl Space) {
        if self.is_of(problem) {
            return;
        }
        self.widths.clear();
        self.widths.extend((0..problem.nodes()).map(|i| problem.width(i)));
        self.spans.clear();
        self.starts.clear();
        self.starts.push(0);
        let mut nodes = Vec::new();
        for c in 0..problem.cliques() {
            nodes.clear();
            problem.clique(c, &mut nodes);
            self.spans.extend(&nodes);
            self.starts.push(self.spans.len());
        }
        let neighbours = self.neighbours();
        let order = order(&neighbours);
        let mut groups = eliminate(&neighbours, &order);
        join(&mut groups, &order, &self.widths);
        self.lay_out(&groups, &order, problem);
    }

    fn is_of(&mut self, problem: &impl Space) -> bool {
        let mut nodes = std::mem::take(&mut self.nodes);
        let is_same = problem.nodes() == self.widths.len()
            && problem.cliques() + 1 == self.starts.len()
            && (0..problem.nodes()).all(|i| problem.width(i) == self.widths[i])
            && (0..problem.cliques()).all(|c| {
                nodes.clear();
                problem.clique(c, &mut nodes);
                nodes[..] == self.spans[self.starts[c]..self.starts[c + 1]]
            });
        self.nodes = nodes;
        is_same
    }

    /// Of each node, ascending, without itself.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.widths.len()];
        for range in self.starts.windows(2) {
            let nodes = &self.spans[range[0]..range[1]];
            for &a in nodes {
                neighbours[a].extend(nodes.iter().copied().filter(|b| *b != a));
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }

    fn lay_out(&mut self, groups: &[Group], order: &[usize], problem: &impl Space) {
        let kept = postorder(groups);
        let mut number = vec![NONE; groups.len()];
        kept.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let mut front_of = vec![NONE; order.len()];
        self.fronts.clear();
        // where each node begins in the front at hand
        let mut at = vec![NONE; order.len()];
        for &g in &kept {
            let mut front = Front::default();
            for (nodes, are_pivots) in [(&groups[g].pivots, true), (&groups[g].rows, false)] {
                for &position in nodes {
                    let node = order[position];
                    let first = problem.first(node);
                    front.coordinates.extend(first..first + self.widths[node]);
                    if are_pivots {
                        front_of[node] = self.fronts.len();
                    }
                }
                if are_pivots {
                    front.pivots = front.coordinates.len();
                }
            }
            self.fronts.push(front);
        }
        for (child, &g) in kept.iter().enumerate() {
            if groups[g].parent == NONE {
                continue;
            }
            let parent = number[groups[g].parent];
            self.number_nodes(groups, order, groups[g].parent, &mut at);
            let mut in_parent: Vec<Piece> = Vec::new();
            let mut row = 0;
            for &position in &groups[g].rows {
                let (node, count) = (order[position], self.widths[order[position]]);
                match in_parent.last_mut() {
                    Some(piece) if piece.at + piece.count == at[node] => piece.count += count,
                    _ => in_parent.push(Piece { row, at: at[node], count }),
                }
                row += count;
            }
            self.fronts[child].in_parent = in_parent;
            self.fronts[parent].children.push(child);
        }
        self.place_cliques(groups, order, (&kept, &front_of), &mut at);
        self.largest = self.fronts.iter().map(|f| f.coordinates.len()).max().unwrap_or(0);
    }

    /// Each clique belongs to the front in which the first of its nodes is a pivot.
    fn place_cliques(
        &mut self,
        groups: &[Group],
        order: &[usize],
        (kept, front_of): (&[usize], &[usize]),
        at: &mut [usize],
    ) {
        for c in 0..self.starts.len() - 1 {
            let nodes = &self.spans[self.starts[c]..self.starts[c + 1]];
            if let Some(front) = nodes.iter().map(|&node| front_of[node]).min() {
                self.fronts[front].cliques.push(c);
            }
        }
        self.place_start.clone_from(&self.starts);
        self.place.clear();
        self.place.resize(self.spans.len(), 0);
        for (front, &g) in kept.iter().enumerate() {
            self.number_nodes(groups, order, g, at);
            for &c in &self.fronts[front].cliques {
                for i in self.starts[c]..self.starts[c + 1] {
                    self.place[i] = at[self.spans[i]];
                }
            }
        }
    }

    /// Where each node of a group begins in its front.
    fn number_nodes(&self, groups: &[Group], order: &[usize], g: usize, at: &mut [usize]) {
        let mut next = 0;
        for &position in groups[g].pivots.iter().chain(&groups[g].rows) {
            let node = order[position];
            at[node] = next;
            next += self.widths[node];
        }
    }
}

fn order(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbours.len();
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    for (j, list) in neighbours.iter().enumerate() {
        entries.extend(list.iter().map(|&i| (i, j, 1.0)));
    }
    minimum_degree(&Matrix::from(Csc::from_triplets((n, n), &mut entries)))
}

/// One group per node, in the elimination order: what each touches later, and its parent, the first of these.
fn eliminate(neighbours: &[Vec<usize>], order: &[usize]) -> Vec<Group> {
    let n = order.len();
    let mut position = vec![0; n];
    order.iter().enumerate().for_each(|(p, &node)| position[node] = p);
    let mut groups: Vec<Group> = Vec::with_capacity(n);
    let mut children = vec![Vec::new(); n];
    let mut seen = vec![NONE; n];
    for p in 0..n {
        seen[p] = p;
        let mut rows = Vec::new();
        let own = neighbours[order[p]].iter().map(|&node| position[node]);
        let of_children = children[p].iter().flat_map(|&c: &usize| groups[c].rows.iter().copied());
        for row in own.chain(of_children) {
            if row > p && seen[row] != p {
                seen[row] = p;
                rows.push(row);
            }
        }
        rows.sort_unstable();
        let parent = rows.first().copied().unwrap_or(NONE);
        if parent != NONE {
            children[parent].push(p);
        }
        let children = std::mem::take(&mut children[p]);
        groups.push(Group { pivots: vec![p], rows, children, parent });
    }
    groups
}

/// Joins children to their parents where few zeros are stored for it. What is joined has no pivots left.
fn join(groups: &mut [Group], order: &[usize], widths: &[usize]) {
    let width = |nodes: &[usize]| nodes.iter().map(|&p| widths[order[p]]).sum::<usize>();
    let sizes: Vec<usize> = groups.iter().map(|g| width(&g.rows)).collect();
    let mut pivots: Vec<usize> = groups.iter().map(|g| width(&g.pivots)).collect();
    // entries of the columns of each group that are not stored zeros
    let mut full: Vec<f64> = (0..groups.len()).map(|g| area(pivots[g], sizes[g])).collect();
    for g in 0..groups.len() {
        let mut children = std::mem::take(&mut groups[g].children);
        children.sort_by_key(|&c| std::cmp::Reverse(sizes[c]));
        let mut left = Vec::new();
        for c in children {
            let joined = area(pivots[g] + pivots[c], sizes[g]);
            let zeros = joined - full[g] - full[c];
            let is_small = pivots[g] + pivots[c] + sizes[g] <= SMALL;
            if is_small || zeros <= ZEROS * joined {
                let own = std::mem::take(&mut groups[c].pivots);
                let grandchildren = std::mem::take(&mut groups[c].children);
                for &grandchild in &grandchildren {
                    groups[grandchild].parent = g;
                }
                left.extend(grandchildren);
                groups[g].pivots.splice(0..0, own);
                pivots[g] += pivots[c];
                full[g] += full[c];
            } else {
                left.push(c);
            }
        }
        groups[g].children = left;
    }
}

/// Entries of `pivots` columns of a front with `rows` rows more.
fn area(pivots: usize, rows: usize) -> f64 {
    (pivots * (pivots + 2 * rows)) as f64
}

/// Groups that have pivots, children before parents, each subtree in one piece.
fn postorder(groups: &[Group]) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut stack: Vec<usize> = (0..groups.len())
        .filter(|&g| !groups[g].pivots.is_empty() && groups[g].parent == NONE)
        .collect();
    while let Some(g) = stack.pop() {
        kept.push(g);
        stack.extend(&groups[g].children);
    }
    // parents came first, each before its subtree
    kept.reverse();
    kept
}
