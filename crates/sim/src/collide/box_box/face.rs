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
        let half = &self.half[of];
        let side = if o[axis] < 0.0 { -1.0 } else { 1.0 };
        let (incident, number) = incident(&o, &R, &self.half[1 - of], (axis, side));
        let mut cut =
            Cut { points: [(0, Vec3::zeros()); 24], count: 0, same: SAME * self.smallest };
        cut.fill(half, axis, &incident, FIT * self.smallest);

        let mut n = Vec3::zeros();
        n[axis] = side;
        let n_W = X_WR.R * if of == 0 { n } else { -n };
        let reference = (of * 6 + axis * 2) as u32 + u32::from(side > 0.0);
        let mut lowest = f64::INFINITY;
        for (local, p) in &cut.points[..cut.count] {
            let gap = side * p[axis] - half[axis];
            let feature = (reference * 6 + number) * 32 + local;
            let p_W = X_WR.point(&(p - n * (0.5 * gap)));
            found.add(Touch { feature, p_W, n_W, gap });
            lowest = lowest.min(gap);
        }
        lowest
    }
}

/// The face of a box at `o`, turned by R, that looks most against the face `axis`, `side`; and its number.
fn incident(o: &Vec3, R: &Mat3, half: &Vec3, (axis, side): (usize, f64)) -> (Incident, u32) {
    let towards = R.row(axis).transpose() * side;
    let m = towards.iamax();
    let outside = if towards[m] > 0.0 { -1.0 } else { 1.0 };
    let (u, v) = ((m + 1) % 3, (m + 2) % 3);
    let normal: Vec3 = R.column(m) * outside;
    let face = Incident {
        centre: o + normal * half[m],
        u: R.column(u).into(),
        v: R.column(v).into(),
        g_u: half[u],
        g_v: half[v],
        normal,
    };
    (face, m as u32 * 2 + u32::from(outside > 0.0))
}

impl Incident {
    fn corner(&self, number: usize) -> Vec3 {
        let sign = |bit: usize| if number >> bit & 1 == 1 { 1.0 } else { -1.0 };
        self.centre + self.u * (sign(0) * self.g_u) + self.v * (sign(1) * self.g_v)
    }

    /// Moves p along `axis` onto the face's plane.
    fn project(&self, mut p: Vec3, axis: usize) -> Vec3 {
        p[axis] = self.centre[axis];
        p[axis] -= self.normal.dot(&(p - self.centre)) / self.normal[axis];
        p
    }

    fn contains(&self, p: &Vec3, slack: f64) -> bool {
        let from_centre = p - self.centre;
        from_centre.dot(&self.u).abs() <= self.g_u + slack
            && from_centre.dot(&self.v).abs() <= self.g_v + slack
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
