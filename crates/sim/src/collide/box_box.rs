//! Two boxes: the axis along which they are farthest apart, or overlap least, then the points where they meet.
//!
//! # Method
//!
//! Convex solids are apart if and only if they are on an axis, and for boxes one of 15 is enough: three normals of
//! each, and nine products of edges. The separation s on an axis is a lower bound of the distance; the
//! largest decides:
//!
//! - a face normal: the face of the other box that looks back at it is cut to the prism over the face
//!   ([`face`]); up to 8 contacts, each with its height over the face as its gap;
//! - a product of edges: one contact between the two edges, and those of the faces behind them, cut as the product projects them: when the
//!   boxes turn about the crossing, these come together.
//!
//! Faces are preferred within [`BIAS`], and the larger one of the two, so that boxes that rest on each other keep the
//! same contacts while they rock, whichever of them is called A. Apart, s is not the distance where a corner is nearest to an edge or a
//! corner: then the nearest points are sought among all features ([`apart`]) and added.

mod apart;
mod face;

use super::contact::{Touch, Touches};
use super::half_space::corner_of;
use crate::math::{Mat3, Vec3};
use crate::spatial::Pose;

/// How much farther apart [share of the smallest half edge] another axis must be to be preferred.
const BIAS: f64 = 0.01;
/// Sine of the angle between edges below which their product is no axis: its direction has lost half of its digits,
/// and a face normal is as good to that share of the size.
const PARALLEL: f64 = 1e-6;
/// Contacts on a face count as the nearest points while their gap is within this factor of the bound.
const NEAREST: f64 = 1.01;
/// … and of this share of the smallest half edge, which is rounding.
const ROUNDING: f64 = 1e-12;
/// Faces of one size that differ by less than this share are level: the first one stays the one to build on, whatever bodies at rest do by rounding.
/// What the choice changes is of the square of it.
const LEVEL: f64 = 1e-7;
/// Faces whose areas differ by less than this share are of one size: boxes of one description, turned.
const ALIKE: f64 = 1e-9;

/// Numbers of features: those of faces are below, see `face`.
const EDGES: u32 = 1 << 20;
const APART: u32 = 1 << 21;

/// Box b as a sees it, and a as b does.
struct Pair<'a> {
    X_WA: &'a Pose,
    X_WB: &'a Pose,
    half: [Vec3; 2],
    /// `R_AB`, and the origin of B in A and of A in B [m].
    R: Mat3,
    o_A: Vec3,
    o_B: Vec3,
    /// The smallest of the six half edges.
    smallest: f64,
}

/// An axis and the separation on it.
#[derive(Clone, Copy, Debug)]
struct Separation {
    s: f64,
    axis: Axis,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    /// Normal `axis` of box A (0) or B (1).
    Face { of: usize, axis: usize },
    /// Product of edges; the direction from A into B, in A.
    Edges { i: usize, j: usize, n_A: Vec3 },
}

/// Contacts from a into b.
pub(super) fn contacts(
    (X_WA, half_a): (&Pose, &Vec3),
    (X_WB, half_b): (&Pose, &Vec3),
    found: &mut Touches,
) {
    let p_AoBo_W = X_WB.p - X_WA.p;
    let pair = Pair {
        X_WA,
        X_WB,
        half: [*half_a, *half_b],
        R: X_WA.R.tr_mul(&X_WB.R),
        o_A: X_WA.R.tr_mul(&p_AoBo_W),
        o_B: -X_WB.R.tr_mul(&p_AoBo_W),
        smallest: half_a.min().min(half_b.min()),
    };
    let ((face, best_face), edges) = (pair.faces(), pair.edges());
    let bound = best_face.max(edges.s);
    if !(bound <= found.limit) {
        return;
    }
    match (face, edges.axis) {
        (_, Axis::Edges { i, j, n_A }) if edges.s > best_face + BIAS * pair.smallest => {
            let inside = pair.edge_contact((i, j), &n_A, edges.s, found);
            if bound > 0.0 && !inside {
                pair.nearest(f64::INFINITY, found);
            } else if let Axis::Face { of, .. } = face {
                pair.cut_along(of, &n_A, found);
            }
        }
        (Axis::Face { of, axis }, _) => pair.face_contacts((of, axis), bound, found),
        _ => {}
    }
}

impl Pair<'_> {
    /// The face to build on, and the largest separation on the six normals.
    fn faces(&self) -> (Axis, f64) {
        let [a, b] = &self.half;
        let reach = self.R.abs();
        let s_A = self.o_A.abs() - a - reach * b;
        let s_B = self.o_B.abs() - b - reach.tr_mul(a);
        let (i, j) = (s_A.imax(), s_B.imax());
        let area = |half: &Vec3, axis: usize| half[(axis + 1) % 3] * half[(axis + 2) % 3];
        let (area_A, area_B) = (area(a, i), area(b, j));
        let ahead = s_B[j] - s_A[i];
        let is_B = if ahead.abs() > BIAS * self.smallest {
            ahead > 0.0
        } else if (area_B - area_A).abs() > ALIKE * area_A {
            area_B > area_A
        } else {
            ahead > LEVEL * self.smallest
        };
        let face = if is_B { (1, j) } else { (0, i) };
        (Axis::Face { of: face.0, axis: face.1 }, s_A[i].max(s_B[j]))
    }

    /// The best of the nine products of edges; −∞ if all are parallel.
    fn edges(&self) -> Separation {
        let [a, b] = &self.half;
        let none = Axis::Edges { i: 0, j: 0, n_A: Vec3::z() };
        let mut best = Separation { s: f64::NEG_INFINITY, axis: none };
        for i in 0..3 {
            for j in 0..3 {
                let mut e = Vec3::zeros();
                e[i] = 1.0;
                let across = e.cross(&self.R.column(j));
                let sine = across.norm();
                if !(sine > PARALLEL) {
                    continue;
                }
                let n = across / sine;
                let along = n.dot(&self.o_A);
                let s = along.abs() - n.abs().dot(a) - self.R.tr_mul(&n).abs().dot(b);
                if s > best.s {
                    let n_A = if along < 0.0 { -n } else { n };
                    best = Separation { s, axis: Axis::Edges { i, j, n_A } };
                }
            }
        }
        best
    }

    /// The contact between edge i of A and edge j of B that are outermost along n. False if their nearest points
    /// are not between their ends.
    fn edge_contact(
        &self,
        (i, j): (usize, usize),
        n_A: &Vec3,
        gap: f64,
        found: &mut Touches,
    ) -> bool {
        let [a, b] = &self.half;
        let n_B = self.R.tr_mul(n_A);
        let (corner_a, on_a) = outermost(a, n_A, i);
        let (corner_b, on_b) = outermost(b, &-n_B, j);
        let mut e = Vec3::zeros();
        e[i] = 1.0;
        let w: Vec3 = self.R.column(j).into();
        // of the two lines: a point of each, where n alone leads from one to the other
        let o = self.o_A + self.R * on_b - on_a;
        let across = e.cross(&w);
        let square = across.norm_squared();
        let s = o.cross(&w).dot(&across) / square;
        let t = o.cross(&e).dot(&across) / square;
        let p_A = on_a + e * s.clamp(-a[i], a[i]);
        let p_B = on_a + o + w * t.clamp(-b[j], b[j]);
        let feature = EDGES + (corner_a * 3 + i as u32) * 32 + corner_b * 3 + j as u32;
        let inside = s.abs() <= a[i] && t.abs() <= b[j];
        if gap <= 0.0 || inside {
            let p_W = self.X_WA.point(&(0.5 * (p_A + p_B)));
            found.add(Touch { feature, p_W, n_W: self.X_WA.R * n_A, gap });
        }
        inside
    }

    /// Contacts on a face. Never none while the boxes overlap.
    fn face_contacts(&self, (of, axis): (usize, usize), bound: f64, found: &mut Touches) {
        let before = found.list.len();
        let lowest = self.cut((of, axis), found);
        if bound > 0.0 {
            if !(lowest <= NEAREST * bound + ROUNDING * self.smallest) {
                self.nearest(lowest / NEAREST, found);
            }
        } else if found.list.len() == before {
            self.deepest((of, axis), found);
        }
    }

    /// The contact of the corner that is deepest below a face.
    fn deepest(&self, (of, axis): (usize, usize), found: &mut Touches) {
        let (o, R, X_WR) = self.from(of);
        let side = if o[axis] < 0.0 { -1.0 } else { 1.0 };
        let other = &self.half[1 - of];
        let mut lowest = (f64::INFINITY, 0);
        for corner in 0..8 {
            let p = o + R * corner_of(other, corner);
            let height = side * p[axis] - self.half[of][axis];
            if height < lowest.0 {
                lowest = (height, corner);
            }
        }
        let (gap, corner) = lowest;
        let mut n = Vec3::zeros();
        n[axis] = side;
        let p = o + R * corner_of(other, corner) - n * (0.5 * gap);
        let n_W = X_WR.R * if of == 0 { n } else { -n };
        let feature = EDGES - 64 + (of * 24 + axis * 8) as u32 + corner;
        found.add(Touch { feature, p_W: X_WR.point(&p), n_W, gap });
    }

    /// The other box as seen from box `of`: its origin, its orientation; and the pose of box `of`.
    fn from(&self, of: usize) -> (Vec3, Mat3, &Pose) {
        if of == 0 {
            (self.o_A, self.R, self.X_WA)
        } else {
            (self.o_B, self.R.transpose(), self.X_WB)
        }
    }
}

/// Number and middle of the edge along `axis` that is outermost along n.
fn outermost(half: &Vec3, n: &Vec3, axis: usize) -> (u32, Vec3) {
    let mut corner = 0;
    for k in 0..3 {
        if k != axis && n[k] >= 0.0 {
            corner |= 1 << k;
        }
    }
    let mut middle = corner_of(half, corner);
    middle[axis] = 0.0;
    (corner, middle)
}
