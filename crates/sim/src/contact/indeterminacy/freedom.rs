//! What the law leaves to one contact while everything moves as it does.
//!
//! With u given, each law asks p_t to lie on the face of its set P that is farthest along −ũ_t: all of P where the contact
//! sticks, a side or a corner where it slips. So the impulse of a contact keeps a few directions, and sides
//!
//! ```text
//!  aᵀp + b ≥ 0
//! ```
//!
//! Compliant rows have no freedom: their part ε p of the velocity would change.

use std::f64::consts::PI;

use crate::contact::law::Law;
use crate::contact::law::judge::demand::{Demand, Section, demand, slip_coefficient};
use crate::contact::space::ContactData;

/// `a·(p_n, p_t1, p_t2) + b ≥ 0`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) a: [f64; 3],
    pub(super) b: f64,
}

/// Of one contact, in the order n, t1, t2.
#[derive(Clone, Debug, Default)]
pub(super) struct Freedom {
    /// Along which the impulse may change.
    pub(super) directions: Vec<[f64; 3]>,
    pub(super) sides: Vec<Side>,
    /// Friction lies in the disc of this times p_n.
    pub(super) disc: Option<f64>,
}

/// One contact of a step that was solved.
pub(super) struct Solved<'a> {
    pub(super) contact: &'a ContactData,
    pub(super) h: f64,
    pub(super) p: [f64; 3],
    pub(super) u: [f64; 3],
    /// Sizes of the velocities and impulses of the step [m/s, N·s].
    pub(super) v_scale: f64,
    pub(super) p_scale: f64,
    /// What is slower rests [m/s].
    pub(super) v_rest: f64,
}

pub(super) fn freedom(law: &Law, solved: &Solved<'_>) -> Freedom {
    let (c, [p_n, p_1, p_2]) = (solved.contact, solved.p);
    let u_t = [solved.u[1], solved.u[2]];
    // the set P is affine in p_n
    let [at_0, at_1, now] = [0.0, 1.0, p_n].map(|p_n| demand(law, c, solved.h, p_n));
    let lift = now.dilation * slip_coefficient(law, c) * length(u_t);
    let opening = solved.u[0] + c.eps_n * p_n + now.d_n - lift;
    let parts = opening / solved.v_scale > p_n / solved.p_scale;
    if opening > solved.v_rest && parts {
        return Freedom::default();
    }
    let slip = now.moved([p_1, p_2], u_t);
    let mut tangent = match (&at_0.section, &at_1.section) {
        (Section::Disc { .. }, Section::Disc { radius: mu }) => disc(*mu, slip, solved.v_rest),
        (Section::Rectangle { half: h_0, .. }, Section::Rectangle { half: h_1, .. }) => {
            let half = [0, 1].map(|a| [h_0[a], h_1[a] - h_0[a]]);
            rectangle(&now, half, u_t, slip, solved.v_rest)
        }
        (Section::Polygon { .. }, Section::Polygon { corners, first, radius }) => {
            let polygon = Polygon { corners: *corners, first: *first, radius: *radius };
            polygon.tangent(&now, u_t, slip, solved.v_rest)
        }
        _ => unreachable!("a law has one kind of set"),
    };
    if c.eps_n == 0.0 {
        let [x, y] = tangent.along_normal;
        tangent.freedom.directions.push([1.0, x, y]);
    }
    tangent.freedom.sides.push(Side { a: [1.0, 0.0, 0.0], b: 0.0 });
    tangent.freedom
}

/// What friction may do, and how much of it goes with one unit of p_n.
struct Tangent {
    freedom: Freedom,
    along_normal: [f64; 2],
}

impl Tangent {
    fn new() -> Self {
        Self { freedom: Freedom::default(), along_normal: [0.0; 2] }
    }

    fn free(&mut self, [x, y]: [f64; 2]) {
        self.freedom.directions.push([0.0, x, y]);
    }

    fn side(&mut self, n: f64, [x, y]: [f64; 2], b: f64) {
        self.freedom.sides.push(Side { a: [n, x, y], b });
    }
}

fn disc(mu: f64, slip: [f64; 2], v_rest: f64) -> Tangent {
    let (mut tangent, speed) = (Tangent::new(), length(slip));
    if mu == 0.0 {
        return tangent;
    }
    if speed > v_rest {
        tangent.along_normal = slip.map(|x| -mu * x / speed);
    } else {
        tangent.free([1.0, 0.0]);
        tangent.free([0.0, 1.0]);
        tangent.freedom.disc = Some(mu);
    }
    tangent
}

/// Axis by axis; `half` = `half[0] + half[1]` p_n.
fn rectangle(
    demand: &Demand,
    half: [[f64; 2]; 2],
    u_t: [f64; 2],
    slip: [f64; 2],
    v_rest: f64,
) -> Tangent {
    let mut tangent = Tangent::new();
    for (a, axis) in demand.axes.into_iter().enumerate() {
        let ([fixed, per_p_n], eps) = (half[a], demand.eps[a]);
        let speed = dot(axis, slip);
        let has_width = fixed > 0.0 || per_p_n > 0.0;
        if speed.abs() > v_rest {
            let against = -speed.signum();
            (0..2).for_each(|i| tangent.along_normal[i] += against * per_p_n * axis[i]);
            if eps > 0.0 {
                // the bristle goes on giving way
                let b = -against * (dot(axis, u_t) + demand.d[a]);
                tangent.side(0.0, scale(-against * eps, axis), b);
            }
        } else if has_width {
            if eps == 0.0 {
                tangent.free(axis);
            }
            tangent.side(per_p_n, axis, fixed);
            tangent.side(per_p_n, scale(-1.0, axis), fixed);
        }
    }
    tangent
}

/// Corners at equal angles, the first at `first` [rad], `radius` p_n from the middle.
struct Polygon {
    corners: usize,
    first: f64,
    radius: f64,
}

impl Polygon {
    fn angle(&self, j: f64) -> [f64; 2] {
        let angle = self.first + 2.0 * PI * j / self.corners as f64;
        [libm::cos(angle), libm::sin(angle)]
    }

    fn tangent(&self, demand: &Demand, u_t: [f64; 2], slip: [f64; 2], v_rest: f64) -> Tangent {
        let mut tangent = Tangent::new();
        if self.radius == 0.0 {
            return tangent;
        }
        let is_soft = demand.eps[0] > 0.0;
        let inner = self.radius * libm::cos(PI / self.corners as f64);
        let side = |j: usize| self.angle(j as f64 + 0.5);
        let reach = |j: usize| -dot(slip, self.angle(j as f64));
        let farthest = (0..self.corners).map(reach).fold(f64::NEG_INFINITY, f64::max);
        let on: Vec<usize> = (0..self.corners).filter(|&j| reach(j) >= farthest - v_rest).collect();
        // −ũ_t must stay in the normal cone, which it can leave where ε p_t is a part of it
        let (eps, given) = (demand.eps[0], demand.moved([0.0; 2], u_t));
        let opposes = |tangent: &mut Tangent, e: [f64; 2]| {
            if is_soft {
                tangent.side(0.0, scale(-eps, e), -dot(e, given));
            }
        };
        match on[..] {
            [j] if length(slip) > v_rest => {
                tangent.along_normal = scale(self.radius, self.angle(j as f64));
                let corner = |j: usize| self.angle(j as f64);
                for next in [(j + 1) % self.corners, (j + self.corners - 1) % self.corners] {
                    let [from, to] = [corner(next), corner(j)];
                    opposes(&mut tangent, [to[0] - from[0], to[1] - from[1]]);
                }
            }
            [i, j] if length(slip) > v_rest => {
                // the side after the first of the two; the last corner and the first one are neighbours too
                let middle = if j == i + 1 { side(i) } else { side(j) };
                tangent.along_normal = scale(inner, middle);
                let along = [-middle[1], middle[0]];
                let half = self.radius * libm::sin(PI / self.corners as f64);
                tangent.side(half, along, 0.0);
                tangent.side(half, scale(-1.0, along), 0.0);
                if is_soft {
                    opposes(&mut tangent, middle);
                } else {
                    tangent.free(along);
                }
            }
            _ => {
                if !is_soft {
                    tangent.free([1.0, 0.0]);
                    tangent.free([0.0, 1.0]);
                }
                for j in 0..self.corners {
                    tangent.side(inner, scale(-1.0, side(j)), 0.0);
                }
            }
        }
        tangent
    }
}

fn scale(s: f64, a: [f64; 2]) -> [f64; 2] {
    [s * a[0], s * a[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn length(a: [f64; 2]) -> f64 {
    libm::hypot(a[0], a[1])
}
