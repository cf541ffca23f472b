//! What the second-order solvers of this folder ask of a problem.

use super::MotionProblem;
use super::apgd::{ApgdSettings, ApgdWorkspace, apgd};
use super::factor::Block;
use super::in_plane::{InPlane, in_plane};
use super::twice::{self, TwiceWork};
use crate::cone::Triple;
use crate::friction::FrictionProblem;
use crate::report::{Report, Stop};

/// Contacts and what lies between impulses and velocities: `x = B r`, `u = C x + ε r + q`, so that `W = C B`. In velocity space
/// B = H and C = Hᵀ; where W alone is known, B = I and C = W.
///
/// The matrix of a Newton step, `I + B D C`, is made of *cliques*: sets of nodes, each with the entries that it adds.
pub(crate) trait Space {
    /// `I + B D C` is symmetric where D is.
    const IS_SYMMETRIC: bool;

    fn dim(&self) -> usize;
    fn contacts(&self) -> usize;
    fn coordinates(&self) -> usize;
    fn mu(&self) -> &[f64];
    fn q(&self) -> &[Triple];
    fn eps(&self) -> &[Triple];

    /// `x += B_c r_c`.
    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]);
    /// `C_c x`.
    fn velocity(&self, c: usize, x: &[f64]) -> Triple;
    /// The same of each contact in its turn.
    fn each_velocity(&self, x: &[f64], mut each: impl FnMut(usize, Triple)) {
        (0..self.contacts()).for_each(|c| each(c, self.velocity(c, x)));
    }
    /// The same of absolute values: sizes of the terms that are added up.
    fn add_motion_size(&self, c: usize, r: &Triple, size: &mut [f64]);
    fn velocity_size(&self, c: usize, size: &[f64]) -> Triple;
    /// The energy of x: xᵀx, or xᵀWx.
    fn square(&self, x: &[f64]) -> f64;
    /// The block of contact c of `W + ε`.
    fn block(&self, c: usize) -> Block;

    fn nodes(&self) -> usize;
    fn width(&self, node: usize) -> usize;
    fn first(&self, node: usize) -> usize;
    fn cliques(&self) -> usize;
    /// The nodes of a clique, into `nodes`, which is empty.
    fn clique(&self, clique: usize, nodes: &mut Vec<usize>);
    /// Adds a clique's part of `B D C` to the matrix A of n rows, by columns, its nodes standing at `place`. Of a symmetric matrix the lower
    /// triangle is enough.
    fn assemble(&self, clique: usize, D: &[Block], place: &[usize], A: (&mut [f64], usize, bool));

    /// `x = B r`.
    fn motion(&self, r: &[Triple], x: &mut [f64]) {
        x.fill(0.0);
        for (c, r_c) in r.iter().enumerate().filter(|(_, r_c)| **r_c != [0.0; 3]) {
            self.add_motion(c, r_c, x);
        }
    }

    /// `u = C B r + ε r + q`, to twice the precision in spaces that can.
    fn velocities(&self, r: &[Triple], _work: &mut TwiceWork, u: &mut Vec<Triple>) {
        let mut x = vec![0.0; self.coordinates()];
        self.motion(r, &mut x);
        u.clear();
        u.extend(r.iter().enumerate().map(|(c, r_c)| {
            let (v, q, eps) = (self.velocity(c, &x), &self.q()[c], &self.eps()[c]);
            std::array::from_fn(|i| v[i] + eps[i] * r_c[i] + q[i])
        }));
    }

    /// Accelerated projected gradient of at most so many passes to this tolerance, for what slips or what may rest, in spaces that have it.
    fn gradient(
        &self,
        _limits: (usize, f64, bool),
        _work: &mut ApgdWorkspace,
        _stop: Stop<'_>,
        _r: &mut [Triple],
    ) -> Option<Report> {
        None
    }

    /// Third rows say nothing.
    fn is_planar(&self) -> bool {
        self.dim() == 2
    }

    /// The planar problem that gives an answer of this one, where there is one.
    fn in_plane(&self) -> Option<InPlane> {
        None
    }

    /// The problem with W made, where contacts are planar and that is not known anyway.
    fn planar(&self) -> Option<FrictionProblem> {
        None
    }

    /// `dim / trace W_cc`, 1 where that is not a mass.
    fn mass(&self, c: usize) -> f64 {
        let W = self.block(c);
        let trace = W[0] + W[4] + W[8];
        let mass = self.dim() as f64 / trace;
        if mass > 0.0 && mass.is_finite() { mass } else { 1.0 }
    }
}

impl Space for MotionProblem {
    const IS_SYMMETRIC: bool = true;

    fn dim(&self) -> usize {
        self.dim()
    }

    fn contacts(&self) -> usize {
        self.contacts()
    }

    fn coordinates(&self) -> usize {
        self.coordinates()
    }

    fn mu(&self) -> &[f64] {
        self.mu()
    }

    fn q(&self) -> &[Triple] {
        self.q()
    }

    fn eps(&self) -> &[Triple] {
        self.eps()
    }

    fn velocities(&self, r: &[Triple], work: &mut TwiceWork, u: &mut Vec<Triple>) {
        twice::velocities(self, r, work, u);
    }

    fn add_motion(&self, c: usize, r: &Triple, x: &mut [f64]) {
        self.add_motion(c, r, x);
    }

    fn velocity(&self, c: usize, x: &[f64]) -> Triple {
        self.velocity(c, x)
    }

    fn each_velocity(&self, x: &[f64], each: impl FnMut(usize, Triple)) {
        self.each_velocity(x, each);
    }

    fn motion(&self, r: &[Triple], x: &mut [f64]) {
        self.motion(r, x);
    }

    fn add_motion_size(&self, c: usize, r: &Triple, size: &mut [f64]) {
        for (_, first, rows) in self.spans(c) {
            for (s, h) in size[first..].iter_mut().zip(rows) {
                *s += (h[0] * r[0]).abs() + (h[1] * r[1]).abs() + (h[2] * r[2]).abs();
            }
        }
    }

    fn velocity_size(&self, c: usize, size: &[f64]) -> Triple {
        let mut u = [0.0; 3];
        for (_, first, rows) in self.spans(c) {
            for (s, h) in size[first..].iter().zip(rows) {
                u = std::array::from_fn(|i| u[i] + h[i].abs() * s);
            }
        }
        u
    }

    fn square(&self, x: &[f64]) -> f64 {
        x.iter().map(|x| x * x).sum()
    }

    fn block(&self, c: usize) -> Block {
        let eps = &self.eps()[c];
        let mut W = [eps[0], 0.0, 0.0, 0.0, eps[1], 0.0, 0.0, 0.0, eps[2]];
        for (_, _, rows) in self.spans(c) {
            for h in rows {
                (0..9).for_each(|k| W[k] += h[k / 3] * h[k % 3]);
            }
        }
        W
    }

    fn gradient(
        &self,
        (max_iterations, tol, slips): (usize, f64, bool),
        work: &mut ApgdWorkspace,
        stop: Stop<'_>,
        r: &mut [Triple],
    ) -> Option<Report> {
        let settings = ApgdSettings { max_iterations, tol, slips, ..Default::default() };
        Some(apgd(self, &settings, work, stop, r))
    }

    fn is_planar(&self) -> bool {
        self.is_planar()
    }

    fn in_plane(&self) -> Option<InPlane> {
        if self.is_planar() { None } else { in_plane(self) }
    }

    fn planar(&self) -> Option<FrictionProblem> {
        self.to_planar()
    }

    fn nodes(&self) -> usize {
        self.nodes()
    }

    fn width(&self, node: usize) -> usize {
        self.width(node)
    }

    fn first(&self, node: usize) -> usize {
        self.first(node)
    }

    fn cliques(&self) -> usize {
        self.contacts()
    }

    fn clique(&self, clique: usize, nodes: &mut Vec<usize>) {
        nodes.extend(self.spans(clique).map(|(node, ..)| node));
    }

    /// `A += H_c D_c H_cᵀ`.
    fn assemble(&self, c: usize, D: &[Block], place: &[usize], A: (&mut [f64], usize, bool)) {
        let (A, n, is_symmetric) = A;
        let D = &D[c];
        if *D == [0.0; 9] {
            return;
        }
        for ((.., columns), &at_j) in self.spans(c).zip(place) {
            for ((.., rows), &at_i) in self.spans(c).zip(place) {
                if is_symmetric && at_i < at_j {
                    continue;
                }
                for (j, h) in columns.iter().enumerate() {
                    let d = [
                        D[0] * h[0] + D[1] * h[1] + D[2] * h[2],
                        D[3] * h[0] + D[4] * h[1] + D[5] * h[2],
                        D[6] * h[0] + D[7] * h[1] + D[8] * h[2],
                    ];
                    // from the diagonal on
                    let skip = if is_symmetric && at_i == at_j { j } else { 0 };
                    let at = (at_j + j) * n + at_i;
                    add_products(&mut A[at + skip..at + rows.len()], &rows[skip..], &d);
                }
            }
        }
    }
}

/// `target += rows · d`.
fn add_products(target: &mut [f64], rows: &[Triple], d: &Triple) {
    // of planar contacts the last product is zero
    let product = |g: &Triple| {
        let two = g[0] * d[0] + g[1] * d[1];
        if d[2] == 0.0 { two } else { two + g[2] * d[2] }
    };
    if let ([a, b, c], [g, h, i]) = (&mut *target, rows) {
        (*a, *b, *c) = (*a + product(g), *b + product(h), *c + product(i));
        return;
    }
    target.iter_mut().zip(rows).for_each(|(a, g)| *a += product(g));
}
