//! Pairs of bounds that meet, by a tree of bounds.
//!
//! The tree is made anew each time, by halving the list at the median of the centres along the axis on which they
//! spread most: it has 2n − 1 nodes and depth ⌈log₂ n⌉ whatever the shapes' sizes and places, and nothing depends on what was
//! there before. Each item then asks the tree. O(n log n) for n items, and O(log n) for each pair found.

use super::bounds::Aabb;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Items of the subtree are `order[first..last]`; the largest of their numbers.
    first: u32,
    last: u32,
    largest: u32,
}

/// A tree over bounds, stored so that the left child of node i is i + 1 and the right one i + 2·(items on the left).
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    order: Vec<u32>,
    nodes: Vec<Node>,
    stack: Vec<u32>,
}

impl Tree {
    /// Memory for n items.
    pub(super) fn new(n: usize) -> Self {
        let depth = 2 + 2 * usize::BITS as usize;
        Self {
            order: Vec::with_capacity(n),
            nodes: Vec::with_capacity(2 * n),
            stack: Vec::with_capacity(depth),
        }
    }

    /// Over items with these bounds, by their numbers.
    pub(super) fn build(&mut self, items: impl Iterator<Item = u32>, bounds: &[Aabb]) {
        self.order.clear();
        self.order.extend(items);
        self.nodes.clear();
        if !self.order.is_empty() {
            self.node(0, self.order.len(), bounds);
        }
    }

    /// Writes the subtree over `order[first..last]`; the depth of the recursion is that of the tree.
    fn node(&mut self, first: usize, last: usize, bounds: &[Aabb]) {
        let items = &mut self.order[first..last];
        let (mut all, mut centres, mut largest) = (Aabb::EMPTY, Aabb::EMPTY, 0);
        for &i in items.iter() {
            let item = &bounds[i as usize];
            // twice the centre: only its order matters
            let centre = item.lower + item.upper;
            all = all.joined(item);
            centres = centres.joined(&Aabb { lower: centre, upper: centre });
            largest = largest.max(i);
        }
        self.nodes.push(Node { bounds: all, first: first as u32, last: last as u32, largest });
        if last - first < 2 {
            return;
        }
        let axis = (centres.upper - centres.lower).imax();
        let centre = |i: u32| bounds[i as usize].lower[axis] + bounds[i as usize].upper[axis];
        // numbers decide between equal centres, so that the halves do not depend on the order they came in
        let by_centre = |a: &u32, b: &u32| centre(*a).total_cmp(&centre(*b)).then(a.cmp(b));
        let half = (last - first) / 2;
        items.select_nth_unstable_by(half, by_centre);
        self.node(first, first + half, bounds);
        self.node(first + half, last, bounds);
    }

    /// Calls `found` with every pair (i, j), i < j, of items whose bounds meet.
    pub(super) fn pairs(&mut self, bounds: &[Aabb], mut found: impl FnMut(u32, u32)) {
        for place in 0..self.order.len() {
            let i = self.order[place];
            let item = &bounds[i as usize];
            self.stack.clear();
            self.stack.push(0);
            while let Some(at) = self.stack.pop() {
                let node = &self.nodes[at as usize];
                if node.largest <= i || !node.bounds.meets(item) {
                    continue;
                }
                let items = node.last - node.first;
                if items == 1 {
                    found(i, self.order[node.first as usize]);
                } else {
                    self.stack.push(at + 2 * (items / 2));
                    self.stack.push(at + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::testing::Random;

    fn cube(centre: Vec3, half: f64) -> Aabb {
        Aabb { lower: centre.add_scalar(-half), upper: centre.add_scalar(half) }
    }

    fn by_tree(bounds: &[Aabb]) -> Vec<(u32, u32)> {
        let mut tree = Tree::new(bounds.len());
        tree.build(0..bounds.len() as u32, bounds);
        let mut pairs = Vec::new();
        tree.pairs(bounds, |i, j| pairs.push((i, j)));
        pairs.sort_unstable();
        pairs
    }

    fn by_force(bounds: &[Aabb]) -> Vec<(u32, u32)> {
        let n = bounds.len() as u32;
        let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        all.filter(|&(i, j)| bounds[i as usize].meets(&bounds[j as usize])).collect()
    }

    #[test]
    fn the_tree_finds_the_pairs_that_brute_force_finds() {
        let mut random = Random::new(1);
        // 5000 cubes in a cube of 30 sides: a few neighbours each; sizes over two decades
        let scattered: Vec<Aabb> =
            (0..5000).map(|_| cube(random.vector(30.0), random.decades(-1.0, 1.0))).collect();
        // a lattice that touches exactly: every median is a tie
        let lattice: Vec<Aabb> = (0..5000)
            .map(|i| Vec3::new((i % 20) as f64, (i / 20 % 20) as f64, (i / 400) as f64))
            .map(|centre| cube(centre, 0.5))
            .collect();
        let heap = vec![cube(Vec3::x(), 1.0); 100];
        let flat: Vec<Aabb> =
            (0..1000).map(|_| cube(random.vector(10.0).component_mul(&Vec3::x()), 0.01)).collect();
        for bounds in [&scattered[..], &lattice, &heap, &flat, &scattered[..1], &[]] {
            let pairs = by_tree(bounds);
            assert_eq!(pairs, by_force(bounds));
            assert!(bounds.len() < 2 || pairs.len() > bounds.len() / 10, "{}", pairs.len());
        }
    }

    #[test]
    fn bounds_that_are_nan_meet_nothing() {
        let mut bounds = vec![cube(Vec3::zeros(), 1.0); 5];
        bounds[2].lower.x = f64::NAN;
        let pairs = by_tree(&bounds);
        assert!(pairs.iter().all(|&(i, j)| i != 2 && j != 2) && pairs.len() == 6, "{pairs:?}");
    }
}
