//! A face of one box cut to the prism over a face of the other.
//!
//! The cut is a polygon of up to 8 corners. Each is named by what makes it, so that names stay while the boxes
//! slide and rock:
//!
//! | number | corner of the cut |
//! |---|---|
//! | 0 … 3 | corner of the incident face |
//! | 4 … 7 | corner of the reference face |
//! | 8 … 23 | edge of the incident face (4) times side of the reference face (4) |
//!
//! With the numbers of the two faces in front: `feature = (reference · 6 + incident) · 32 + number`.
//!
//! Where two edges cross, n is not the normal m of the reference face, and gaps are heights along n: the faces are cut as n
//! projects them, after the shear `p + (m − n) t`, t the height of p along n over the face.

use super::Pair;
use crate::collide::contact::{Touch, Touches};
use crate::math::{Mat3, Vec3};

/// Corners this far outside of a face [share of the smallest half edge] still count as on it: of faces that fit
/// exactly, rounding would lose some.
const FIT: f64 = 1e-7;
/// Corners of the cut that are nearer to each other [share of the smallest half edge] are one.
const SAME: f64 = 1e-6;

/// Corners of the incident face in the order around it, by their numbers.
const AROUND: [usize; 4] = [0, 1, 3, 2];

/// The incident face in the frame of the reference box: `centre ± g_u u ± g_v v`.
struct Incident {
    centre: Vec3,
    u: Vec3,
    v: Vec3,
    g_u: f64,
    g_v: f64,
    normal: Vec3,
    /// Whose products with a point of the plane, seen from the centre, are its coordinates along u and v.
    dual_u: Vec3,
    dual_v: Vec3,
}

/// The corners of a cut.
struct Cut {
    points: [(u32, Vec3); 24],
    count: usize,
    same: f64,
}

impl Pair<'_> {
    /// Adds the contacts on face `axis` of box `of` and returns the smallest gap; infinite if there is none.
    pub(super) fn cut(&self, (of, axis): (usize, usize), found: &mut Touches) -> f64 {
        let (o, R, X_WR) = self.from(of);
        let side = if o[axis] < 0.0 { -1.0 } else { 1.0 };
        let mut m = Vec3::zeros();
        m[axis] = side;
        let (face, number) = incident(&o, &R, &self.half[1 - of], &m);
        let n_W = X_WR.R * if of == 0 { m } else { -m };
        let reference = Reference { of, axis, side };
        let mut lowest = f64::INFINITY;
        for (feature, p, gap) in self.corners_of_cut(&reference, (&face, number)) {
            let p_W = X_WR.point(&(p - m * (0.5 * gap)));
            found.add(Touch { feature, p_W, n_W, gap });
            lowest = lowest.min(gap);
        }
        lowest
    }

    /// Adds the contacts of the faces behind two edges that cross: what else comes together when the boxes turn about the crossing. Seen
    /// from box `of`, along the direction `n_A` from A into B.
    pub(super) fn cut_along(&self, of: usize, n_A: &Vec3, found: &mut Touches) {
        let (o, R, X_WR) = self.from(of);
        let n = if of == 0 { *n_A } else { -self.R.tr_mul(n_A) };
        let axis = n.iamax();
        let side = if n[axis] < 0.0 { -1.0 } else { 1.0 };
        let mut m = Vec3::zeros();
        m[axis] = side;
        let (face, number) = incident(&o, &R, &self.half[1 - of], &n);
        let Some(face) = face.sheared(&m, &n, self.half[of][axis]) else { return };
        let (n_W, same) = (self.X_WA.R * n_A, SAME * self.smallest);
        let reference = Reference { of, axis, side };
        for (feature, p, gap) in self.corners_of_cut(&reference, (&face, number)) {
            let p_W = X_WR.point(&(p - m * gap + n * (0.5 * gap)));
            let is_known = |touch: &Touch| (touch.p_W - p_W).amax() <= same;
            if !found.list.iter().any(is_known) {
                found.add(Touch { feature, p_W, n_W, gap });
            }
        }
    }

    /// Names, places and heights of the corners of a cut, in the frame of the reference box.
    fn corners_of_cut(
        &self,
        &Reference { of, axis, side }: &Reference,
        (face, number): (&Incident, u32),
    ) -> impl Iterator<Item = (u32, Vec3, f64)> {
        let half = &self.half[of];
        let mut cut =
            Cut { points: [(0, Vec3::zeros()); 24], count: 0, same: SAME * self.smallest };
        cut.fill(half, axis, face, FIT * self.smallest);
        let reference = (of * 6 + axis * 2) as u32 + u32::from(side > 0.0);
        let (first, height) = ((reference * 6 + number) * 32, half[axis]);
        let corner = move |(local, p): (u32, Vec3)| (first + local, p, side * p[axis] - height);
        cut.points.into_iter().take(cut.count).map(corner)
    }
}

/// The face of box `of` that is built on.
struct Reference {
    of: usize,
    axis: usize,
    side: f64,
}

/// The face of a box at `o`, turned by R, that looks most against the direction n; and its number.
fn incident(o: &Vec3, R: &Mat3, half: &Vec3, n: &Vec3) -> (Incident, u32) {
    let towards = R.tr_mul(n);
    let m = towards.iamax();
    let outside = if towards[m] > 0.0 { -1.0 } else { 1.0 };
    let [u, v] = [1, 2].map(|i| R.column((m + i) % 3).into());
    let normal: Vec3 = R.column(m) * outside;
    let face = Incident {
        centre: o + normal * half[m],
        u,
        v,
        g_u: half[(m + 1) % 3],
        g_v: half[(m + 2) % 3],
        normal,
        dual_u: u,
        dual_v: v,
    };
    (face, m as u32 * 2 + u32::from(outside > 0.0))
}

impl Incident {
    fn corner(&self, number: usize) -> Vec3 {
        let sign = |bit: usize| if number >> bit & 1 == 1 { 1.0 } else { -1.0 };
        self.centre + self.u * (sign(0) * self.g_u) + self.v * (sign(1) * self.g_v)
    }

    /// As n projects it onto the face of normal m at this height, with heights along n as heights along m; nothing where n lies in the face.
    fn sheared(self, m: &Vec3, n: &Vec3, height: f64) -> Option<Self> {
        let shear = |w: &Vec3, t: f64| w + (m - n) * t;
        let cosine = m.dot(n);
        let of = |w: &Vec3| shear(w, m.dot(w) / cosine);
        let (u, v) = (of(&self.u), of(&self.v));
        let centre = shear(&self.centre, (m.dot(&self.centre) - height) / cosine);
        let normal = u.cross(&v);
        let square = normal.norm_squared();
        let (dual_u, dual_v) = (v.cross(&normal) / square, normal.cross(&u) / square);
        let is_regular = square > 0.0 && normal.dot(m) != 0.0;
        is_regular.then_some(Self { centre, u, v, normal, dual_u, dual_v, ..self })
    }

    /// Moves p along `axis` onto the face's plane.
    fn project(&self, mut p: Vec3, axis: usize) -> Vec3 {
        p[axis] = self.centre[axis];
        p[axis] -= self.normal.dot(&(p - self.centre)) / self.normal[axis];
        p
    }

    fn contains(&self, p: &Vec3, slack: f64) -> bool {
        let from_centre = p - self.centre;
        from_centre.dot(&self.dual_u).abs() <= self.g_u + slack
            && from_centre.dot(&self.dual_v).abs() <= self.g_v + slack
    }
}

impl Cut {
    fn add(&mut self, number: u32, p: Vec3) {
        let known = |(_, other): &(u32, Vec3)| (other - p).amax() <= self.same;
        if !self.points[..self.count].iter().any(known) {
            self.points[self.count] = (number, p);
            self.count += 1;
        }
    }

    /// All corners: of either face inside the other, and the crossings of their edges.
    fn fill(&mut self, half: &Vec3, axis: usize, incident: &Incident, slack: f64) {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let corners = AROUND.map(|number| incident.corner(number));
        let inside =
            corners.map(|p| p[j].abs() <= half[j] + slack && p[k].abs() <= half[k] + slack);
        for (place, number) in AROUND.into_iter().enumerate() {
            if inside[place] {
                self.add(number as u32, corners[place]);
            }
        }
        for number in 0..4_u32 {
            let mut p = Vec3::zeros();
            p[j] = if number & 1 == 1 { half[j] } else { -half[j] };
            p[k] = if number & 2 == 2 { half[k] } else { -half[k] };
            let p = incident.project(p, axis);
            if incident.contains(&p, slack) {
                self.add(4 + number, p);
            }
        }
        for edge in 0..4 {
            let next = (edge + 1) % 4;
            let (p, q) = (corners[edge], corners[next]);
            // an edge with both ends on the face, if only by the slack, crosses no side
            if inside[edge] && inside[next] {
                continue;
            }
            let sides = [(j, k, half[j]), (j, k, -half[j]), (k, j, half[k]), (k, j, -half[k])];
            for (number, (across, along, at)) in sides.into_iter().enumerate() {
                let along_side = (p[across] - at).abs().max((q[across] - at).abs()) <= slack;
                if along_side || (p[across] < at) == (q[across] < at) {
                    continue;
                }
                let crossing = p + (q - p) * ((at - p[across]) / (q[across] - p[across]));
                if crossing[along].abs() <= half[along] {
                    self.add((8 + edge * 4 + number) as u32, crossing);
                }
            }
        }
    }
}
