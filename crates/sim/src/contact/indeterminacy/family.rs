//! All impulses that give the motion of a step and obey its law: a convex set around those that were found.
//!
//! ```text
//!  p = p* + N z,    W N = 0,    a_iᵀp + b_i ≥ 0,    ‖p_t‖ ≤ μ p_n
//! ```
//!
//! N spans what changes no velocity. Each disc is between two polygons, of tangents and of chords at the same points: what
//! is farthest in the inner polygons is attained, what is farthest in the outer ones is not surpassed. Points are added
//! where the two differ until they do not.

use stiction_lcp::MatX;
use stiction_lcp::farkas::{Extreme, Polyhedron};

use super::IndeterminacyError;
use super::disc::Disc;
use super::freedom::Freedom;
use crate::contact::space::ContactSpace;

/// An eigenvalue of the scaled Delassus matrix below this is zero: rounding is 1e-15 times the rows, and bodies of which one
/// is 1e11 times heavier than the other seem to stand still.
const RANK: f64 = 1e-11;
/// A contact that gives way by less than this part of the easiest one is held by the joints of a tree: what is left is
/// rounding, squared.
const IMMOVABLE: f64 = 1e-24;
/// Entries of N below this part of the largest are rounding.
const NOISE: f64 = 1e-11;
/// How near the two polygons' answers must be, as a part of the force.
const GAP: f64 = 1e-9;
/// A direction in which a component grows by less than this part of the others is none in which it grows.
const GROWTH: f64 = 1e-7;
/// Each round leaves a quarter of the gap or less, which is a tenth of the force at first: more rounds mean that the ray is
/// on the edge of a cone.
const MAX_ROUNDS: usize = 60;

/// Impulses in units of `unit` around p.
pub(super) struct Family<'a> {
    p: &'a [f64],
    /// [N·s]
    unit: f64,
    /// 3k × dimension.
    N: MatX,
    /// Of those that stick in one.
    discs: Vec<Disc>,
    sides: Vec<(Vec<f64>, f64)>,
}

/// How far an impulse can go.
pub(super) struct Reach {
    pub(super) value: f64,
    /// Impulses that have it or, where it is infinite, the direction in which they grow.
    pub(super) witness: Vec<f64>,
}

/// The farthest impulses of a polyhedron, or the direction in which they go for ever.
enum Farthest {
    Point(Vec<f64>),
    Ray(Vec<f64>),
}

impl<'a> Family<'a> {
    /// `free`: the diagonal of W without joints.
    pub(super) fn new(
        space: &ContactSpace,
        freedoms: &[Freedom],
        p: &'a [f64],
        (unit, free): (f64, &[f64]),
    ) -> Self {
        let N = motionless(space, freedoms, free);
        let mut family = Self { p, unit, N, discs: Vec::new(), sides: Vec::new() };
        for (i, freedom) in freedoms.iter().enumerate() {
            let sides = freedom.sides.iter().map(|side| family.side(i, side.a, side.b));
            let mut sides: Vec<_> = sides.collect();
            family.sides.append(&mut sides);
            if let Some(mu) = freedom.disc {
                family.discs.push(Disc::new(i, mu, [p[3 * i + 1], p[3 * i + 2]]));
            }
        }
        family
    }

    pub(super) fn dimension(&self) -> usize {
        self.N.ncols()
    }

    /// `a·p + b ≥ 0` of one contact as a condition on z; p* meets it but for rounding.
    fn side(&self, contact: usize, a: [f64; 3], b: f64) -> (Vec<f64>, f64) {
        let slack = (b + dot3(a, &self.p[3 * contact..])) / self.unit;
        let along = |j: usize| dot3(a, &self.N.as_slice()[j * self.N.nrows() + 3 * contact..]);
        ((0..self.dimension()).map(along).collect(), slack.max(0.0))
    }

    /// The end of the interval of component `row` in the direction of `sign`.
    pub(super) fn end(&mut self, row: usize, sign: f64) -> Result<Reach, IndeterminacyError> {
        if self.N.row(row).iter().all(|&x| x == 0.0) {
            return Ok(Reach { value: self.p[row], witness: self.p.to_vec() });
        }
        let discs = self.discs.clone();
        let found = self.search(row, sign);
        self.discs = discs;
        found.ok_or(IndeterminacyError::Undecided { contact: row / 3 })
    }

    fn search(&mut self, row: usize, sign: f64) -> Option<Reach> {
        let c: Vec<f64> = self.N.row(row).iter().map(|x| sign * x).collect();
        for _ in 0..MAX_ROUNDS {
            let outer = self.farthest(&c, Disc::tangents)?;
            let inner = self.farthest(&c, Disc::chords)?;
            let grows = |ray: &[f64]| {
                let largest = ray.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                sign * ray[row] > GROWTH * largest
            };
            match (&outer, inner) {
                (Farthest::Point(bound), Farthest::Point(witness)) => {
                    let value = witness[row];
                    if (bound[row] - value).abs() <= GAP * (self.unit + value.abs()) {
                        return Some(Reach { value, witness });
                    }
                    self.refine(&witness);
                }
                (_, Farthest::Ray(witness)) => {
                    return grows(&witness)
                        .then_some(Reach { value: sign * f64::INFINITY, witness });
                }
                (_, Farthest::Point(witness)) => self.refine(&witness),
            }
            let (Farthest::Point(p) | Farthest::Ray(p)) = outer;
            self.refine(&p);
        }
        None
    }

    /// Adds points to the discs where p has its friction.
    fn refine(&mut self, p: &[f64]) {
        for disc in &mut self.discs {
            let i = disc.contact;
            disc.add([p[3 * i + 1], p[3 * i + 2]]);
        }
    }

    /// With a polygon in the place of each disc.
    fn farthest(&self, c: &[f64], sides: fn(&Disc) -> Vec<[f64; 3]>) -> Option<Farthest> {
        let mut polyhedron = Polyhedron::new(self.dimension());
        self.sides.iter().for_each(|(a, b)| polyhedron.cut(a, *b));
        for disc in &self.discs {
            for a in sides(disc) {
                let (a, b) = self.side(disc.contact, a, 0.0);
                polyhedron.cut(&a, b);
            }
        }
        match polyhedron.maximize(c) {
            Extreme::Point(z) => Some(Farthest::Point(self.moved(self.p.to_vec(), &z))),
            Extreme::Ray(z) => Some(Farthest::Ray(self.moved(vec![0.0; self.p.len()], &z))),
            Extreme::Undecided => None,
        }
    }

    fn moved(&self, mut p: Vec<f64>, z: &[f64]) -> Vec<f64> {
        for (j, z_j) in z.iter().enumerate() {
            p.iter_mut().zip(self.N.column(j).iter()).for_each(|(p, N)| *p += self.unit * N * z_j);
        }
        p
    }
}

/// The impulses along the freedoms that change no velocity: a basis, of largest entries 1.
fn motionless(space: &ContactSpace, freedoms: &[Freedom], free: &[f64]) -> MatX {
    let mut T = Vec::new();
    for ((i, freedom), give) in freedoms.iter().enumerate().zip(gives(free)) {
        // contacts of a heavy body count as much as those of a light one
        let scaled = |direction: &[f64; 3]| (3 * i, direction.map(|x| x / give.sqrt()));
        T.extend(freedom.directions.iter().map(scaled));
    }
    if T.is_empty() {
        return MatX::zeros(free.len(), 0);
    }
    let W_of = |i: usize, j: usize| {
        let ((row, a), (column, b)) = (&T[i], &T[j]);
        let entry = |r: usize, c: usize| a[r] * space.W.get(row + r, column + c) * b[c];
        (0..9).map(|rc| entry(rc / 3, rc % 3)).sum::<f64>()
    };
    let G = MatX::from_fn(T.len(), T.len(), |i, j| W_of(i.min(j), i.max(j)));
    let eigen = G.symmetric_eigen();
    let null: Vec<usize> = (0..T.len()).filter(|&j| !(eigen.eigenvalues[j] > RANK)).collect();
    let mut N = MatX::zeros(free.len(), null.len());
    for (column, &j) in null.iter().enumerate() {
        for (i, (row, direction)) in T.iter().enumerate() {
            let y = eigen.eigenvectors[(i, j)];
            (0..3).for_each(|a| N[(row + a, column)] += y * direction[a]);
        }
        let largest = N.column(column).amax();
        let is_noise = |x: f64| !(x.abs() > NOISE * largest);
        N.column_mut(column).apply(|x| *x = if is_noise(*x) { 0.0 } else { *x / largest });
    }
    N
}

/// How easily each contact moves if no bilateral row holds it, along the axis where that is easiest [1/kg].
fn gives(free: &[f64]) -> Vec<f64> {
    let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(*x));
    let least = if largest(free) > 0.0 { IMMOVABLE * largest(free) } else { 1.0 };
    free.chunks_exact(3).map(|contact| largest(contact).max(least)).collect()
}

fn dot3(a: [f64; 3], b: &[f64]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
