//! The nearest points of two boxes that are apart, by trying all corners and edges: 16 corners against a box, 144
//! pairs of edges. Asked rarely: only where no face and no two crossing edges decide.

use super::{APART, Pair};
use crate::collide::contact::{Touch, Touches};
use crate::collide::half_space::corner_of;
use crate::collide::nearest::{direction, of_box};
use crate::collide::segments::nearest_points;
use crate::math::Vec3;

/// A later feature must be nearer than an earlier one by this factor: where corners are nearest, several features find
/// them, and rounding must not choose the name.
const NEARER: f64 = 1.0 - 1e-9;

/// A contact on a face at the same place, to this share of the smallest half edge, stands for the nearest points.
const SAME: f64 = 1e-3;

/// The nearest points found so far, in A.
struct Best {
    d: f64,
    /// From A into B.
    n: Vec3,
    middle: Vec3,
    feature: u32,
}

impl Pair<'_> {
    /// Adds the contact of the nearest points if their distance is below `most`.
    pub(super) fn nearest(&self, most: f64, found: &mut Touches) {
        let mut best = Best { d: most, n: Vec3::z(), middle: Vec3::zeros(), feature: APART };
        self.corners(&mut best);
        self.crossings(&mut best);
        if best.d < most {
            let (p_W, n_W) = (self.X_WA.point(&best.middle), self.X_WA.R * best.n);
            // a corner at the rim of a face: a second normal there would make a wedge of it
            let same = SAME * self.smallest;
            let is_known = |t: &Touch| (t.p_W - p_W).amax() <= same && t.gap - best.d <= same;
            if found.list.iter().any(is_known) {
                return;
            }
            found.add(Touch { feature: best.feature, p_W, n_W, gap: best.d });
        }
    }

    /// Corners of each box against the other: features 0 … 7 and 8 … 15.
    fn corners(&self, best: &mut Best) {
        let [a, b] = &self.half;
        for corner in 0..8 {
            let p = corner_of(a, corner);
            let near = of_box(b, &(self.o_B + self.R.tr_mul(&p)));
            let n = self.R * -near.n;
            best.consider(near.d, n, p + n * (0.5 * near.d), corner);
        }
        for corner in 0..8 {
            let p = self.o_A + self.R * corner_of(b, corner);
            let near = of_box(a, &p);
            best.consider(near.d, near.n, p - near.n * (0.5 * near.d), 8 + corner);
        }
    }

    /// Edges against edges, by the number of each: axis · 4 + side.
    fn crossings(&self, best: &mut Best) {
        let [a, b] = &self.half;
        for edge_a in 0..12 {
            let (p, u, l_A) = edge(a, edge_a);
            for edge_b in 0..12 {
                let (q, w, l_B) = edge(b, edge_b);
                let (o, w) = (self.o_A + self.R * q - p, self.R * w);
                let (s, t) = nearest_points(&o, (&u, l_A), (&w, l_B));
                let apart = o + w * t - u * s;
                if let Some((n, d)) = direction(&apart) {
                    let feature = 16 + edge_a * 12 + edge_b;
                    best.consider(d, n, p + u * s + apart * 0.5, feature);
                }
            }
        }
    }
}

impl Best {
    fn consider(&mut self, d: f64, n: Vec3, middle: Vec3, feature: u32) {
        if d < self.d * NEARER {
            *self = Self { d, n, middle, feature: APART + feature };
        }
    }
}

/// Middle, direction and half length of an edge.
fn edge(half: &Vec3, number: u32) -> (Vec3, Vec3, f64) {
    let axis = (number / 4) as usize;
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let (mut middle, mut along) = (Vec3::zeros(), Vec3::zeros());
    middle[j] = if number & 1 == 1 { half[j] } else { -half[j] };
    middle[k] = if number & 2 == 2 { half[k] } else { -half[k] };
    along[axis] = 1.0;
    (middle, along, half[axis])
}
