//! The disc `‖p_t‖ ≤ μ p_n` between two polygons.

use std::f64::consts::FRAC_1_SQRT_2;

/// Points nearer to each other than this, on a circle of radius 1, are one: their chord is 1e-15 inside.
const SAME: f64 = 1e-7;

const OCTAGON: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [0.0, 1.0],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-1.0, 0.0],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [0.0, -1.0],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
];

#[derive(Clone, Debug)]
pub(super) struct Disc {
    pub(super) contact: usize,
    mu: f64,
    /// Points of the unit circle, around it.
    points: Vec<[f64; 2]>,
}

impl Disc {
    /// Both polygons contain p_t if the disc does.
    pub(super) fn new(contact: usize, mu: f64, p_t: [f64; 2]) -> Self {
        let mut disc = Self { contact, mu, points: OCTAGON.to_vec() };
        disc.add(p_t);
        disc
    }

    /// One more point, in the direction of p_t.
    pub(super) fn add(&mut self, p_t: [f64; 2]) {
        let length = libm::hypot(p_t[0], p_t[1]);
        if !(length > 0.0) {
            return;
        }
        let e = p_t.map(|x| x / length);
        let is_same = |p: &[f64; 2]| libm::hypot(p[0] - e[0], p[1] - e[1]) <= SAME;
        if !self.points.iter().any(is_same) {
            self.points.push(e);
            let angle = |p: &[f64; 2]| libm::atan2(p[1], p[0]);
            self.points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
        }
    }

    /// Sides `aᵀp ≥ 0` of the polygon around the disc.
    pub(super) fn tangents(&self) -> Vec<[f64; 3]> {
        self.points.iter().map(|[x, y]| [self.mu, -x, -y]).collect()
    }

    /// Sides `aᵀp ≥ 0` of the polygon in the disc.
    pub(super) fn chords(&self) -> Vec<[f64; 3]> {
        let next = self.points.iter().cycle().skip(1);
        let chord = |([x, y], [x_2, y_2]): (&[f64; 2], &[f64; 2])| {
            let (x, y) = (x + x_2, y + y_2);
            let length = libm::hypot(x, y);
            [0.5 * self.mu * length, -x / length, -y / length]
        };
        self.points.iter().zip(next).map(chord).collect()
    }
}
