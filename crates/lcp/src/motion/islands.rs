//! Contacts that share a node, from node to node.

use super::MotionProblem;

/// The contacts of each island, ascending; islands in the order of their first contacts. A contact
/// without spans is an island of its own.
pub fn islands(problem: &MotionProblem) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..problem.nodes()).collect();
    for c in 0..problem.contacts() {
        let mut nodes = problem.spans(c).map(|(node, ..)| node);
        let Some(first) = nodes.next() else { continue };
        for node in nodes {
            let (a, b) = (root(&mut parent, first), root(&mut parent, node));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number = vec![usize::MAX; problem.nodes()];
    let mut islands: Vec<Vec<usize>> = Vec::new();
    for c in 0..problem.contacts() {
        let Some((node, ..)) = problem.spans(c).next() else {
            islands.push(vec![c]);
            continue;
        };
        let root = root(&mut parent, node);
        if number[root] == usize::MAX {
            number[root] = islands.len();
            islands.push(Vec::new());
        }
        islands[number[root]].push(c);
    }
    islands
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

impl MotionProblem {
    /// The problem of these contacts alone, nodes in the order in which they are met. `place` is memory
    /// of one number a node, all `usize::MAX`, and left so.
    pub fn island(&self, contacts: &[usize], place: &mut [usize], part: &mut Self) {
        let mut nodes = Vec::new();
        for &c in contacts {
            for (node, ..) in self.spans(c) {
                if place[node] == usize::MAX {
                    place[node] = nodes.len();
                    nodes.push(node);
                }
            }
        }
        part.clear(self.dim(), nodes.iter().map(|&node| self.width(node)));
        for &c in contacts {
            for (node, _, rows) in self.spans(c) {
                part.push_span(place[node], rows.iter().copied());
            }
            part.end_contact(self.eps()[c], self.q()[c], self.mu()[c]);
        }
        nodes.iter().for_each(|&node| place[node] = usize::MAX);
    }
}
