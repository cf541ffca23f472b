//! H and the laws of contacts in short numbers: four contacts side by side.

use crate::motion::MotionProblem;
use crate::motion::metric::Metric;

/// Contacts side by side, and one number for each of them.
pub(super) const LANES: usize = 4;
pub(super) type Lanes = [f32; LANES];
/// A triple (n, t1, t2) for each of them. The last block is filled up with contacts without rows.
pub(super) type Block = [Lanes; 3];
/// Six coordinates, and nothing twice.
pub(super) type Node = [f32; 8];

/// The two nodes of a contact, the same one twice where there is no second, and its rows: the first four coordinates of both, and the last two of both.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    node: [u32; 2],
    rows: [[f32; 12]; 3],
}

/// What a pass reads of a block of contacts beside H, in the units of [`Metric`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    pub(super) q: Block,
    /// Added to the normal velocity.
    pub(super) shift: Lanes,
    mu: Lanes,
    /// `1/(1 + μ²)`.
    inverse_cone: Lanes,
    /// `dim / trace W_cc`.
    pub(super) mass: Lanes,
    pub(super) inverse_mass: Lanes,
    /// s of the units, and 1/s.
    units: [Lanes; 2],
}

/// Reads H; false where it is not made of rigid contacts of at most two nodes of six coordinates.
pub(super) fn load(problem: &MotionProblem, metric: &Metric, pairs: &mut Vec<Pair>) -> bool {
    pairs.clear();
    if (0..problem.nodes()).any(|node| problem.width(node) != 6)
        || problem.eps().iter().any(|eps| *eps != [0.0; 3])
        || u32::try_from(problem.nodes()).is_err()
    {
        return false;
    }
    for c in 0..problem.contacts() {
        let (mut pair, mut count) = (Pair::default(), 0);
        for (node, _, values) in problem.spans(c) {
            if count == 2 {
                return false;
            }
            pair.node[count] = node as u32;
            for (k, h) in values.iter().enumerate() {
                let h = metric.scale(c, h);
                let at = if k < 4 { 4 * count + k } else { 8 + 2 * count + (k - 4) };
                (0..3).for_each(|i| pair.rows[i][at] = h[i] as f32);
            }
            count += 1;
        }
        if count == 1 {
            pair.node[1] = pair.node[0];
        }
        pairs.push(pair);
    }
    pairs.resize(problem.contacts().next_multiple_of(LANES), Pair::default());
    problem.nodes() > 0
}

/// Reads the laws; `‖q‖₂`, or 1 where q = 0.
pub(super) fn load_laws(problem: &MotionProblem, metric: &Metric, laws: &mut Vec<Law>) -> f32 {
    let ones = [1.0; LANES];
    let empty = Law { mass: ones, inverse_mass: ones, units: [ones; 2], ..Law::default() };
    laws.clear();
    laws.resize(problem.contacts().div_ceil(LANES), empty);
    let mut square = 0.0;
    for c in 0..problem.contacts() {
        let (law, lane) = (&mut laws[c / LANES], c % LANES);
        let (s, q) = (metric.s(c), &problem.q()[c]);
        (law.units[0][lane], law.units[1][lane]) = (s as f32, (1.0 / s) as f32);
        let (mu, scaled) = (problem.mu()[c] / s, metric.scale(c, q));
        (0..3).for_each(|i| law.q[i][lane] = scaled[i] as f32);
        (law.mu[lane], law.inverse_cone[lane]) = (mu as f32, (1.0 / (1.0 + mu * mu)) as f32);
        let scaled = metric.scale(c, &metric.scale(c, &problem.diagonal(c)));
        let inverse = scaled.iter().sum::<f64>() / problem.dim() as f64;
        // what nothing moves stays as light as others are
        if inverse > 0.0 {
            (law.mass[lane], law.inverse_mass[lane]) = ((1.0 / inverse) as f32, inverse as f32);
        }
        square += q.iter().map(|q| q * q).sum::<f64>();
    }
    if square > 0.0 { square.sqrt() as f32 } else { 1.0 }
}

/// `u = Hᵀ x + q` of a block.
#[inline(always)]
pub(super) fn velocity(pairs: &[Pair; LANES], q: &Block, x: &[Node]) -> Block {
    let mut parts = [[Lanes::default(); LANES]; 3];
    find_parts(pairs, x, &mut parts);
    std::array::from_fn(|i| plus(&q[i], &sums(&parts[i])))
}

/// Four parts of each velocity; apart from what is done with them, for a compiler to see that they are taken together.
#[inline(never)]
fn find_parts(pairs: &[Pair; LANES], x: &[Node], parts: &mut [[Lanes; LANES]; 3]) {
    for (lane, pair) in pairs.iter().enumerate() {
        let [a, b] = pair.node.map(|node| &x[node as usize]);
        let last = [a[4], a[5], b[4], b[5]];
        for (row, parts) in pair.rows.iter().zip(&mut *parts) {
            for k in 0..LANES {
                parts[lane][k] = row[k] * a[k] + row[4 + k] * b[k] + row[8 + k] * last[k];
            }
        }
    }
}

#[inline(always)]
fn plus(a: &Lanes, b: &Lanes) -> Lanes {
    std::array::from_fn(|k| a[k] + b[k])
}

/// The sum of each of them.
#[inline(always)]
fn sums([a, b, c, d]: &[Lanes; 4]) -> Lanes {
    let half = |a: &Lanes, b: &Lanes| plus(&[a[0], a[1], b[0], b[1]], &[a[2], a[3], b[2], b[3]]);
    let (a, c) = (half(a, b), half(c, d));
    plus(&[a[0], a[2], c[0], c[2]], &[a[1], a[3], c[1], c[3]])
}

/// `x += H r` of a block.
#[inline(never)]
pub(super) fn add_motion(pairs: &[Pair; LANES], r: &Block, x: &mut [Node]) {
    for (lane, pair) in pairs.iter().enumerate() {
        let [n, s, t] = &pair.rows;
        let [r_n, r_s, r_t] = [r[0][lane], r[1][lane], r[2][lane]];
        let moved: [f32; 12] = std::array::from_fn(|k| n[k] * r_n + s[k] * r_s + t[k] * r_t);
        for (side, &node) in pair.node.iter().enumerate() {
            let x = &mut x[node as usize];
            (0..4).for_each(|k| x[k] += moved[4 * side + k]);
            (0..2).for_each(|k| x[4 + k] += moved[8 + 2 * side + k]);
        }
    }
}

impl Law {
    /// The nearest points of the cones, without branches.
    #[inline(always)]
    pub(super) fn project(&self, x: &Block) -> Block {
        let mut p = Block::default();
        for l in 0..LANES {
            let tangent = (x[1][l] * x[1][l] + x[2][l] * x[2][l]).sqrt();
            let reach = self.mu[l] * tangent;
            let foot = (x[0][l] + reach) * self.inverse_cone[l];
            let share = self.mu[l] * foot / tangent;
            // the polar cone, then the cone itself: zero is in both
            let polar = reach <= -x[0][l];
            let (n, share) = if polar { (0.0, 0.0) } else { (foot, share) };
            let inside = (tangent <= self.mu[l] * x[0][l]) & (x[0][l] >= 0.0);
            let (n, share) = if inside { (x[0][l], 1.0) } else { (n, share) };
            p[0][l] = n;
            p[1][l] = share * x[1][l];
            p[2][l] = share * x[2][l];
        }
        p
    }

    /// `‖r − P_K(r − u − s n)‖²` in the judge's units.
    #[inline(always)]
    pub(super) fn natural(&self, r: &Block, u: &Block) -> Lanes {
        let [s, inverse] = &self.units;
        let (mut r, mut z, mut cone) = (*r, *r, *self);
        for l in 0..LANES {
            z[0][l] -= u[0][l] + self.shift[l];
            cone.mu[l] *= s[l];
            cone.inverse_cone[l] = 1.0 / (1.0 + cone.mu[l] * cone.mu[l]);
            for i in 1..3 {
                r[i][l] *= s[l];
                z[i][l] = r[i][l] - inverse[l] * u[i][l];
            }
        }
        let p = cone.project(&z);
        let square = |i: usize, l: usize| (r[i][l] - p[i][l]) * (r[i][l] - p[i][l]);
        std::array::from_fn(|l| square(0, l) + square(1, l) + square(2, l))
    }

    /// `μ ‖u_t‖`.
    #[inline(always)]
    pub(super) fn slip(&self, u: &Block) -> Lanes {
        std::array::from_fn(|l| self.mu[l] * (u[1][l] * u[1][l] + u[2][l] * u[2][l]).sqrt())
    }
}
