//! Elimination order of a sparse matrix: approximate minimum degree on the pattern of `A + Aᵀ`.
//!
//! Quotient graph: an eliminated variable becomes an *element*, the clique of its neighbours, and
//! swallows the elements it was adjacent to. Variables with equal neighbourhoods (the rows of one
//! contact, the facets of one pyramid) are merged first and leave together. Degrees are the upper
//! bounds of Amestoy, Davis and Duff (1996).

use crate::matrix::Matrix;

/// `order[k]` is the variable to eliminate k-th.
pub fn minimum_degree(A: &Matrix) -> Vec<usize> {
    let neighbours = symmetric_pattern(A);
    let groups = indistinguishable(&neighbours);
    QuotientGraph::new(&neighbours, &groups).eliminate()
}

/// Neighbours of each variable, ascending, without itself.
fn symmetric_pattern(A: &Matrix) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); A.ncols()];
    for j in 0..A.ncols() {
        A.for_column(j, |i, a_ij| {
            if i != j && a_ij != 0.0 {
                neighbours[i].push(j);
                neighbours[j].push(i);
            }
        });
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// Sets of variables whose closed neighbourhoods are equal; the first of each stands for all.
fn indistinguishable(neighbours: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = neighbours.len();
    let key = |i: usize| {
        let closed = neighbours[i].iter().fold(spread(i), |s, &j| s.wrapping_add(spread(j)));
        (neighbours[i].len(), closed)
    };
    let mut by_key: Vec<(usize, u64, usize)> = (0..n)
        .map(|i| {
            let (len, sum) = key(i);
            (len, sum, i)
        })
        .collect();
    by_key.sort_unstable();
    let same = |i: usize, j: usize| {
        let open = |v: usize, other: usize| neighbours[v].iter().filter(move |&&x| x != other);
        neighbours[i].binary_search(&j).is_ok() && open(i, j).eq(open(j, i))
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut bucket_start = 0;
    for (position, &(len, sum, i)) in by_key.iter().enumerate() {
        if position == 0 || (by_key[position - 1].0, by_key[position - 1].1) != (len, sum) {
            bucket_start = groups.len();
        }
        match groups[bucket_start..].iter_mut().find(|group| same(group[0], i)) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Spreads small integers over 64 bits, so that sums of neighbourhoods rarely agree by chance.
fn spread(i: usize) -> u64 {
    let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

struct QuotientGraph<'a> {
    groups: &'a [Vec<usize>],
    /// Per group: adjacent groups, and elements it belongs to.
    variables: Vec<Vec<usize>>,
    elements: Vec<Vec<usize>>,
    /// Members of each element; empty when absorbed.
    members: Vec<Vec<usize>>,
    weight: Vec<usize>,
    degree: Vec<usize>,
    gone: Vec<bool>,
    /// Buckets of groups by degree; entries may be stale.
    buckets: Vec<Vec<usize>>,
    mark: Vec<usize>,
    stamp: usize,
    /// |Le \ Lp| while the degrees around pivot p are updated.
    outside: Vec<usize>,
    outside_stamp: Vec<usize>,
}

impl<'a> QuotientGraph<'a> {
    fn new(neighbours: &[Vec<usize>], groups: &'a [Vec<usize>]) -> Self {
        let count = groups.len();
        let mut group_of = vec![0; neighbours.len()];
        for (g, group) in groups.iter().enumerate() {
            for &i in group {
                group_of[i] = g;
            }
        }
        let weight: Vec<usize> = groups.iter().map(Vec::len).collect();
        let variables: Vec<Vec<usize>> = groups
            .iter()
            .enumerate()
            .map(|(g, group)| {
                let mut list: Vec<usize> =
                    neighbours[group[0]].iter().map(|&j| group_of[j]).collect();
                list.sort_unstable();
                list.dedup();
                list.retain(|&other| other != g);
                list
            })
            .collect();
        let degree: Vec<usize> =
            variables.iter().map(|list| list.iter().map(|&g| weight[g]).sum()).collect();
        let mut buckets = vec![Vec::new(); neighbours.len() + 1];
        for g in (0..count).rev() {
            buckets[degree[g]].push(g);
        }
        Self {
            groups,
            variables,
            elements: vec![Vec::new(); count],
            members: vec![Vec::new(); count],
            weight,
            degree,
            gone: vec![false; count],
            buckets,
            mark: vec![0; count],
            stamp: 0,
            outside: vec![0; count],
            outside_stamp: vec![0; count],
        }
    }

    fn eliminate(mut self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut lowest = 0;
        while lowest < self.buckets.len() {
            let Some(p) = self.buckets[lowest].pop() else {
                lowest += 1;
                continue;
            };
            if self.gone[p] || self.degree[p] != lowest {
                continue;
            }
            order.extend_from_slice(&self.groups[p]);
            self.gone[p] = true;
            self.form_element(p);
            self.update_members(p, &mut lowest, &mut order);
        }
        order
    }

    /// The members of element p: all that p was adjacent to, directly or through elements.
    fn form_element(&mut self, p: usize) {
        self.stamp += 1;
        let mut members = Vec::new();
        let from_elements = std::mem::take(&mut self.elements[p]);
        for &e in &from_elements {
            for g in std::mem::take(&mut self.members[e]) {
                if !self.gone[g] && self.mark[g] != self.stamp {
                    self.mark[g] = self.stamp;
                    members.push(g);
                }
            }
        }
        for g in std::mem::take(&mut self.variables[p]) {
            if !self.gone[g] && self.mark[g] != self.stamp {
                self.mark[g] = self.stamp;
                members.push(g);
            }
        }
        self.members[p] = members;
    }

    fn update_members(&mut self, p: usize, lowest: &mut usize, order: &mut Vec<usize>) {
        let members = std::mem::take(&mut self.members[p]);
        let element_weight: usize = members.iter().map(|&g| self.weight[g]).sum();
        for &g in &members {
            for &e in &self.elements[g] {
                if self.members[e].is_empty() {
                    continue; // absorbed
                }
                if self.outside_stamp[e] != self.stamp {
                    self.outside_stamp[e] = self.stamp;
                    self.outside[e] = self.members[e]
                        .iter()
                        .filter(|&&m| !self.gone[m])
                        .map(|&m| self.weight[m])
                        .sum();
                }
                self.outside[e] -= self.weight[g];
            }
        }
        let mut kept = Vec::with_capacity(members.len());
        for &g in &members {
            let (mark, stamp, gone) = (&self.mark, self.stamp, &self.gone);
            self.variables[g].retain(|&v| !gone[v] && mark[v] != stamp);
            let (all, outside) = (&self.members, &self.outside);
            self.elements[g].retain(|&e| !all[e].is_empty() && outside[e] > 0);
            if self.variables[g].is_empty() && self.elements[g].is_empty() {
                // adjacent to nothing but this element: leaves with it
                order.extend_from_slice(&self.groups[g]);
                self.gone[g] = true;
                continue;
            }
            let direct: usize = self.variables[g].iter().map(|&v| self.weight[v]).sum();
            let through: usize = self.elements[g].iter().map(|&e| self.outside[e]).sum();
            let bound = direct + through + element_weight - self.weight[g];
            self.degree[g] = bound.min(self.buckets.len() - 1);
            self.buckets[self.degree[g]].push(g);
            *lowest = (*lowest).min(self.degree[g]);
            self.elements[g].push(p);
            kept.push(g);
        }
        self.members[p] = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csc;

    fn fill(neighbours: &[Vec<usize>], order: &[usize]) -> usize {
        let n = order.len();
        let mut place = vec![0; n];
        for (k, &v) in order.iter().enumerate() {
            place[v] = k;
        }
        let mut rows: Vec<std::collections::BTreeSet<usize>> = (0..n)
            .map(|k| neighbours[order[k]].iter().map(|&j| place[j]).filter(|&j| j > k).collect())
            .collect();
        let mut total = 0;
        for k in 0..n {
            let row: Vec<usize> = rows[k].iter().copied().collect();
            total += row.len();
            if let Some((&first, rest)) = row.split_first() {
                rows[first].extend(rest);
            }
        }
        total
    }

    /// A grid of m × m nodes, b variables each, neighbours fully coupled.
    fn grid(m: usize, b: usize) -> Matrix {
        let mut triplets = Vec::new();
        for x in 0..m {
            for y in 0..m {
                for (dx, dy) in [(0, 0), (1, 0), (0, 1)] {
                    let (i, j) = (x * m + y, (x + dx) * m + y + dy);
                    if x + dx < m && y + dy < m {
                        for (p, q) in (0..b).flat_map(|p| (0..b).map(move |q| (p, q))) {
                            triplets.push((i * b + p, j * b + q, 1.0));
                        }
                    }
                }
            }
        }
        Csc::from_triplets((m * m * b, m * m * b), &mut triplets).into()
    }

    #[test]
    fn every_variable_is_eliminated_once_and_fill_is_low() {
        for (m, b) in [(1, 1), (12, 1), (8, 3)] {
            let A = grid(m, b);
            let order = minimum_degree(&A);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..m * m * b));
            let natural: Vec<usize> = (0..m * m * b).collect();
            let neighbours = symmetric_pattern(&A);
            if m > 1 {
                assert!(fill(&neighbours, &order) * 10 < fill(&neighbours, &natural) * 9);
            }
        }
    }
}
