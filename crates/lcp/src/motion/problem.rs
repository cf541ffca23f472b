//! The problem: spans of nodes, three rows a contact.

mod passes;

use crate::cone::Triple;
use crate::friction::FrictionProblem;
use crate::matrix::Csc;
use crate::problem::ProblemError;

/// Frictional contact whose Delassus matrix is known by its root, `W = Hᵀ H + diag(ε)`. See the
/// [module](super).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionProblem {
    dim: usize,
    /// Coordinates of node i: `node_start[i]..node_start[i + 1]`.
    node_start: Vec<usize>,
    /// Coordinates of every node; 0 where they differ.
    width: usize,
    /// Spans of contact c: `start[c]..start[c + 1]`.
    start: Vec<usize>,
    span: Vec<Span>,
    value: Vec<Triple>,
    eps: Vec<Triple>,
    q: Vec<Triple>,
    mu: Vec<f64>,
}

/// Part of the rows of a contact: of one node, from `value[at]` on, one triple (n, t1, t2) for each
/// of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) node: usize,
    pub(super) at: usize,
}

impl MotionProblem {
    /// No contacts between nodes of these widths; memory is kept. `dim` is 2 for planar contacts,
    /// whose third row is empty.
    ///
    /// # Panics
    ///
    /// If `dim` is neither 2 nor 3.
    pub fn clear(&mut self, dim: usize, widths: impl IntoIterator<Item = usize>) {
        assert!(dim == 2 || dim == 3, "contacts have 2 or 3 rows");
        self.dim = dim;
        self.node_start.clear();
        self.node_start.push(0);
        let mut end = 0;
        self.node_start.extend(widths.into_iter().map(|width| {
            end += width;
            end
        }));
        let first = self.node_start.get(1).copied().unwrap_or(0);
        let is_same = self.node_start.windows(2).all(|range| range[1] - range[0] == first);
        self.width = if is_same { first } else { 0 };
        self.start.clear();
        self.start.push(0);
        self.span.clear();
        self.value.clear();
        self.eps.clear();
        self.q.clear();
        self.mu.clear();
    }

    /// The next span of the contact under construction: the rows (n, t1, t2) for each coordinate of
    /// the node. Spans of one contact are of different nodes.
    ///
    /// # Panics
    ///
    /// If there is no such node, or the values are not as many as it is wide.
    pub fn push_span(&mut self, node: usize, values: impl IntoIterator<Item = Triple>) {
        let at = self.value.len();
        self.value.extend(values);
        assert_eq!(self.value.len() - at, self.width(node), "one triple for each coordinate");
        self.span.push(Span { node, at });
    }

    /// Ends the contact of the spans since the last one: compliance ε and free velocity q of its
    /// rows, and its coefficient of friction. The tangents have one compliance, or one of them is idle (no
    /// entries in H and q): otherwise Newton's fixed point is not Coulomb's, and the judge will refuse it.
    pub fn end_contact(&mut self, eps: Triple, q: Triple, mu: f64) {
        self.start.push(self.span.len());
        self.eps.push(eps);
        self.q.push(q);
        self.mu.push(mu);
    }

    /// Everything is finite, compliances and coefficients are not negative.
    pub fn check(&self) -> Result<(), ProblemError> {
        let bad = |x: &f64| !x.is_finite();
        if let Some(contact) = self.mu.iter().position(|mu| !(*mu >= 0.0 && mu.is_finite())) {
            return Err(ProblemError::NegativeFriction { contact, mu: self.mu[contact] });
        }
        if let Some(index) = self.eps.iter().position(|eps| !eps.iter().all(|eps| *eps >= 0.0)) {
            let value = self.eps[index].iter().copied().fold(f64::INFINITY, f64::min);
            return Err(ProblemError::VectorEntry { what: "eps", index, value });
        }
        for (what, rows) in [("H", &self.value), ("q", &self.q), ("eps", &self.eps)] {
            // all at once, and one by one only for the error
            if are_finite(rows.as_flattened()) {
                continue;
            }
            if let Some((index, row)) = rows.iter().enumerate().find(|(_, row)| row.iter().any(bad))
            {
                let value = row.iter().copied().find(|x| bad(x)).unwrap_or(f64::NAN);
                return Err(ProblemError::VectorEntry { what, index, value });
            }
        }
        Ok(())
    }

    /// Rows a contact has, 2 or 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    pub fn nodes(&self) -> usize {
        self.node_start.len().saturating_sub(1)
    }

    /// Coordinates of a node.
    pub fn width(&self, node: usize) -> usize {
        self.node_start[node + 1] - self.node_start[node]
    }

    /// First coordinate of a node.
    pub fn first(&self, node: usize) -> usize {
        self.node_start[node]
    }

    /// Coordinates in all.
    pub fn coordinates(&self) -> usize {
        self.node_start.last().copied().unwrap_or(0)
    }

    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    pub fn q(&self) -> &[Triple] {
        &self.q
    }

    /// Compliances.
    pub fn eps(&self) -> &[Triple] {
        &self.eps
    }

    /// For each node of contact c: the node, its first coordinate, and the rows for each of its coordinates.
    pub fn spans(&self, c: usize) -> impl Iterator<Item = (usize, usize, &[Triple])> + Clone + '_ {
        self.span[self.start[c]..self.start[c + 1]].iter().map(|span| {
            let first = self.node_start[span.node];
            let width = self.node_start[span.node + 1] - first;
            (span.node, first, &self.value[span.at..span.at + width])
        })
    }

    /// `x += H_c r_c`.
    #[inline]
    pub fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        for (_, first, rows) in self.spans(c) {
            for (x_k, h) in x[first..].iter_mut().zip(rows) {
                *x_k += h[0] * r[0] + h[1] * r[1] + h[2] * r[2];
            }
        }
    }

    /// `H_cᵀ x`.
    #[inline]
    pub fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        let mut u = [0.0; 3];
        for (_, first, rows) in self.spans(c) {
            for (x_k, h) in x[first..].iter().zip(rows) {
                u = [u[0] + h[0] * x_k, u[1] + h[1] * x_k, u[2] + h[2] * x_k];
            }
        }
        u
    }

    /// `u = Hᵀ x + ε r + q`.
    pub fn velocities(&self, x: &[f64], r: &[Triple], u: &mut [Triple]) {
        for c in 0..self.contacts() {
            let (v, eps, q) = (self.velocity(c, x), &self.eps[c], &self.q[c]);
            u[c] = std::array::from_fn(|i| v[i] + eps[i] * r[c][i] + q[i]);
        }
    }

    /// The diagonal of W of contact c.
    pub fn diagonal(&self, c: usize) -> Triple {
        let mut w = self.eps[c];
        for (_, _, rows) in self.spans(c) {
            for h in rows {
                w = [w[0] + h[0] * h[0], w[1] + h[1] * h[1], w[2] + h[2] * h[2]];
            }
        }
        w
    }

    /// The local form with two rows a contact, where the third ones say nothing; none elsewhere.
    pub(super) fn to_planar(&self) -> Option<FrictionProblem> {
        if self.is_planar() { self.to_local_of(2).ok() } else { None }
    }

    /// Third rows say nothing.
    pub(super) fn is_planar(&self) -> bool {
        self.value.iter().chain(&self.q).all(|row| row[2] == 0.0)
    }

    /// The local form, with W made: for what knows nothing else. Costs the entries of W.
    pub fn to_local(&self) -> Result<FrictionProblem, ProblemError> {
        self.to_local_of(self.dim)
    }

    fn to_local_of(&self, dim: usize) -> Result<FrictionProblem, ProblemError> {
        let mut of_node = vec![Vec::new(); self.nodes()];
        for c in 0..self.contacts() {
            for span in &self.span[self.start[c]..self.start[c + 1]] {
                of_node[span.node].push((c, span.at));
            }
        }
        let mut entries = Vec::new();
        for c in 0..self.contacts() {
            entries.extend((0..dim).map(|i| (dim * c + i, dim * c + i, self.eps[c][i])));
        }
        for (node, of_node) in of_node.iter().enumerate() {
            for &(c, at_c) in of_node {
                for &(d, at_d) in of_node {
                    for (i, j) in (0..dim).flat_map(|i| (0..dim).map(move |j| (i, j))) {
                        let products = (0..self.width(node))
                            .map(|k| self.value[at_c + k][i] * self.value[at_d + k][j]);
                        entries.push((dim * c + i, dim * d + j, products.sum::<f64>()));
                    }
                }
            }
        }
        let n = dim * self.contacts();
        let W = Csc::from_triplets((n, n), &mut entries);
        let q = self.q.iter().flat_map(|q| q[..dim].iter().copied()).collect();
        FrictionProblem::new(dim, W, q, self.mu.clone())
    }
}

/// Four side by side: what is not finite is not zero times zero.
fn are_finite(x: &[f64]) -> bool {
    let (fours, rest) = x.as_chunks::<4>();
    let mut sum = [0.0; 4];
    for x in fours {
        (0..4).for_each(|i| sum[i] += 0.0 * x[i]);
    }
    sum == [0.0; 4] && rest.iter().all(|x| x.is_finite())
}
