//! Residual of Coulomb's law in velocity space: the same numbers as of the local form, from its root.

use super::exact::Sums;
use super::{FrictionResidual, Judge};
use crate::motion::MotionProblem;

impl Judge {
    /// Judges impulses; [`Judge::w`] gives `u = Hᵀ H r + ε r + q` afterwards, three rows a contact. The
    /// sizes of the terms, of which rounding is a part, are those of `|H|ᵀ |H| |r| + ε |r| + |q|`.
    ///
    /// # Panics
    ///
    /// If `r` is not of the contacts of the problem.
    pub fn motion(&mut self, problem: &MotionProblem, r: &[[f64; 3]]) -> FrictionResidual {
        self.motion_of(problem, r, None)
    }

    /// Judges impulses `r + low`, low being at most rounding of r: the sums take both. Nothing of |r| is rounding then but where r lies on
    /// its cone: the sizes of the terms are those of `|H|ᵀ |x| + ε |r| + |q|`, `x = H (r + low)`.
    ///
    /// # Panics
    ///
    /// If `r` or `low` is not of the contacts of the problem.
    pub fn motion_in_two_parts(
        &mut self,
        problem: &MotionProblem,
        (r, low): (&[[f64; 3]], &[[f64; 3]]),
    ) -> FrictionResidual {
        assert_eq!(low.len(), r.len(), "the second part has the wrong length");
        let is_rounding = |(r, low): (&f64, &f64)| low.abs() <= f64::EPSILON * r.abs();
        if !r.as_flattened().iter().zip(low.as_flattened()).all(is_rounding) {
            return FrictionResidual::WORST;
        }
        self.motion_of(problem, r, Some(low))
    }

    fn motion_of(
        &mut self,
        problem: &MotionProblem,
        r: &[[f64; 3]],
        low: Option<&[[f64; 3]]>,
    ) -> FrictionResidual {
        assert_eq!(r.len(), problem.contacts(), "the answer has the wrong length");
        if !r.iter().flatten().all(|x| x.is_finite()) {
            return FrictionResidual::WORST;
        }
        // what is too large for halves is not finite then, and added up once more without them
        let is_finite =
            self.add_up::<true>(problem, (r, low)) || self.add_up::<false>(problem, (r, low));
        if !is_finite {
            return FrictionResidual::WORST;
        }
        let mass = |c: usize| {
            let trace: f64 = problem.eps()[c].iter().chain(&self.squares[c]).sum();
            if trace > 0.0 { problem.dim() as f64 / trace } else { 0.0 }
        };
        let q_norm = super::friction::norm(problem.q().as_flattened());
        self.coulomb((3, problem.mu()), r.as_flattened(), q_norm, mass)
    }

    /// `x = H r`, `u = Hᵀ x + ε r + q`, and the sizes of their terms. False if something is not finite.
    fn add_up<const TAME: bool>(
        &mut self,
        problem: &MotionProblem,
        (r, low): (&[[f64; 3]], Option<&[[f64; 3]]>),
    ) -> bool {
        self.momenta.clear(problem.coordinates());
        for (c, r_c) in r.iter().enumerate().filter(|(_, r_c)| !is_empty(r_c)) {
            for (_, first, rows) in problem.spans(c) {
                self.momenta.add::<TAME>(first, rows, r_c);
                if let Some(low) = low {
                    self.momenta.add::<TAME>(first, rows, &low[c]);
                }
            }
        }
        self.x.clear();
        // of two parts nothing is excused but the rounding of x
        let is_split = low.is_some();
        self.x.extend(
            self.momenta.totals().map(|(x, size)| [x, if is_split { x.abs() } else { size }]),
        );
        self.w.clear();
        self.size.clear();
        self.squares.clear();
        for (c, r_c) in r.iter().enumerate() {
            let (eps, q) = (&problem.eps()[c], &problem.q()[c]);
            let size = std::array::from_fn(|i| q[i].abs() + eps[i] * r_c[i].abs());
            let mut own = Velocity { sums: Sums::of(twice(*q, [0.0; 3])), size, squares: [0.0; 3] };
            if !is_empty(eps) {
                own.sums.add_products(&twice(*eps, [0.0; 3]), &twice(*r_c, [0.0; 3]));
                if let Some(low) = low {
                    own.sums.add_products(&twice(*eps, [0.0; 3]), &twice(low[c], [0.0; 3]));
                }
            }
            for (_, first, rows) in problem.spans(c) {
                add_velocities::<TAME>(rows, &self.x[first..], &mut own);
            }
            self.w.extend_from_slice(&own.sums.folded().values());
            self.size.extend_from_slice(&own.size);
            self.squares.push(own.squares);
        }
        self.w.iter().chain(&self.size).all(|x| x.is_finite())
    }
}

/// `x = H r`: of each coordinate the sums over the three rows of contacts, apart, and the size of their terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Momenta {
    high: Vec<[f64; 3]>,
    low: Vec<[f64; 3]>,
    size: Vec<f64>,
}

impl Momenta {
    fn clear(&mut self, coordinates: usize) {
        for sums in [&mut self.high, &mut self.low] {
            sums.clear();
            sums.resize(coordinates, [0.0; 3]);
        }
        self.size.clear();
        self.size.resize(coordinates, 0.0);
    }

    /// `x += H_c r_c`, H_c from the first coordinate of a node on, two coordinates at a time.
    #[inline(never)]
    fn add<const TAME: bool>(&mut self, first: usize, rows: &[[f64; 3]], r: &[f64; 3]) {
        let range = first..first + rows.len();
        let (high, low) = (&mut self.high[range.clone()], &mut self.low[range.clone()]);
        for (size, h) in self.size[range].iter_mut().zip(rows) {
            *size += (h[0] * r[0]).abs() + (h[1] * r[1]).abs() + (h[2] * r[2]).abs();
        }
        let (pairs, last) = rows.as_chunks::<2>();
        let (high, last_high) = high.as_chunks_mut::<2>();
        let (low, last_low) = low.as_chunks_mut::<2>();
        // a leg of a robot has nothing to say of the others
        for ((high, low), h) in high.iter_mut().zip(low).zip(pairs).filter(|(_, h)| !are_empty(h)) {
            let mut sums = Sums { high: twice(high[0], high[1]), low: twice(low[0], low[1]) };
            add::<TAME, 6>(&mut sums, &twice(h[0], h[1]), &twice(*r, *r));
            (*high, *low) = (halved(sums.high), halved(sums.low));
        }
        for ((high, low), h) in last_high.iter_mut().zip(last_low).zip(last) {
            let mut sums = Sums { high: *high, low: *low };
            add::<TAME, 3>(&mut sums, h, r);
            (*high, *low) = (sums.high, sums.low);
        }
    }

    /// Each coordinate, and the size of its terms.
    fn totals(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let sums = self.high.iter().zip(&self.low).map(|(&high, &low)| Sums { high, low }.total());
        sums.zip(self.size.iter().copied())
    }
}

/// Of the three rows of a contact: u, of coordinates at even places and at odd ones apart; the sizes of its terms, and squares of the rows.
struct Velocity {
    sums: Sums<6>,
    size: [f64; 3],
    squares: [f64; 3],
}

/// `u += H_cᵀ x`.
#[inline(never)]
fn add_velocities<const TAME: bool>(rows: &[[f64; 3]], x: &[[f64; 2]], own: &mut Velocity) {
    let Velocity { mut sums, mut size, mut squares } = *own;
    let x = &x[..rows.len()];
    for (h, x) in rows.iter().zip(x) {
        for i in 0..3 {
            size[i] += h[i].abs() * x[1];
            squares[i] += h[i] * h[i];
        }
    }
    let ((pairs, last), (x_pairs, x_last)) = (rows.as_chunks::<2>(), x.as_chunks::<2>());
    for (h, x) in pairs.iter().zip(x_pairs).filter(|(h, _)| !are_empty(h)) {
        add::<TAME, 6>(&mut sums, &twice(h[0], h[1]), &twice([x[0][0]; 3], [x[1][0]; 3]));
    }
    for (h, x) in last.iter().zip(x_last) {
        add::<TAME, 6>(&mut sums, &twice(*h, [0.0; 3]), &twice([x[0]; 3], [0.0; 3]));
    }
    *own = Velocity { sums, size, squares };
}

#[inline(always)]
fn add<const TAME: bool, const N: usize>(sums: &mut Sums<N>, a: &[f64; N], b: &[f64; N]) {
    if TAME { sums.add_tame_products(a, b) } else { sums.add_products(a, b) }
}

#[inline(always)]
fn twice(a: [f64; 3], b: [f64; 3]) -> [f64; 6] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

#[inline(always)]
fn halved(x: [f64; 6]) -> [[f64; 3]; 2] {
    [[x[0], x[1], x[2]], [x[3], x[4], x[5]]]
}

fn is_empty(row: &[f64; 3]) -> bool {
    row[0] == 0.0 && row[1] == 0.0 && row[2] == 0.0
}

#[inline(always)]
fn are_empty(rows: &[[f64; 3]; 2]) -> bool {
    is_empty(&rows[0]) && is_empty(&rows[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::random_problem;

    #[test]
    fn the_root_and_the_matrix_are_judged_alike() {
        for seed in 0..20 {
            let problem = random_problem(seed, 12, 30);
            let local = problem.to_local().unwrap();
            let mut random = crate::testing::Random::new(seed);
            let r: Vec<[f64; 3]> = (0..problem.contacts())
                .map(|_| [random.next().abs(), 0.3 * random.next(), 0.3 * random.next()])
                .collect();
            let flat: Vec<f64> = r.iter().flatten().copied().collect();
            let (mut one, mut other) = (Judge::default(), Judge::default());
            let (by_root, by_matrix) = (one.motion(&problem, &r), other.friction(&local, &flat));
            for (a, b) in [
                (by_root.scaled, by_matrix.scaled),
                (by_root.scale_free, by_matrix.scale_free),
                (by_root.misalignment, by_matrix.misalignment),
                (by_root.gap_velocity, by_matrix.gap_velocity),
            ] {
                assert!(a > 0.0 && (a / b - 1.0).abs() < 0.7, "{a} {b}");
            }
            assert!((by_root.scaled / by_matrix.scaled - 1.0).abs() < 1e-12);
            assert!(one.w().iter().zip(other.w()).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    /// Points on each other, each about ten times as heavy as the one below: no impulse is a number of 53 bits.
    fn column(levels: i32) -> MotionProblem {
        let mut problem = MotionProblem::default();
        problem.clear(3, (0..levels).map(|_| 3));
        for i in 0..levels {
            for (node, sign) in (i > 0).then_some((i - 1, -1.0)).into_iter().chain([(i, 1.0)]) {
                let h = sign / (10_f64.powi(node) * (1.0 + f64::from(node) / 7.0)).sqrt();
                let rows = [[h, 0.0, 0.0], [0.0, h, 0.0], [0.0, 0.0, h]];
                problem.push_span(node as usize, rows);
            }
            problem.end_contact([0.0; 3], [if i == 0 { -0.0981 } else { 0.0 }, 0.0, 0.0], 0.5);
        }
        problem
    }

    #[test]
    fn two_parts_say_what_one_does_not_hold() {
        let problem = column(10);
        let (mut r, mut work) = (vec![[0.0; 3]; 10], crate::motion::MotionWork::default());
        let report = crate::motion::solve_motion(&problem, 1e-10, &mut work, &crate::never, &mut r);
        assert!(!report.certified && report.residual.floor > 1e-8, "{report:?}");
        let found = (report, &mut r[..]);
        let report = crate::motion::with_second_part(&problem, 1e-10, &mut work, found);
        assert!(report.certified && report.residual.scaled <= 1e-10, "{report:?}");
        let mut judge = Judge::default();
        let low = work.low.clone();
        let mut judged = |r: &[[f64; 3]], low: &[[f64; 3]]| {
            judge.motion_in_two_parts(&problem, (r, low)).accepts(1e-10)
        };
        assert!(judged(&r, &low) && !judged(&r, &vec![[0.0; 3]; 10]));
        for c in 0..10 {
            // the last bits of each impulse count; and a second part is no first one
            for change in [1e-10, -1e-10, 0.3, f64::NAN, f64::INFINITY] {
                let mut other = low.clone();
                other[c][0] += change * r[c][0].max(1e3);
                assert!(!judged(&r, &other), "{c} {change}");
                let mut other = r.clone();
                other[c][0] += change * r[c][0].max(1e3);
                assert!(!judged(&other, &low), "{c} {change}");
            }
        }
    }

    #[test]
    fn what_is_too_large_for_halves_is_judged_in_plain_numbers() {
        // one coordinate, and an impulse beyond the largest number that has halves: u = 1e-151² · 1e302 − 1
        let mut problem = MotionProblem::default();
        problem.clear(3, [1]);
        problem.push_span(0, [[1e-151, 0.0, 0.0]]);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        let mut judge = Judge::default();
        let residual = judge.motion(&problem, &[[1e302, 0.0, 0.0]]);
        assert!((judge.w()[0]).abs() < 1e-15 && residual.scaled < 1e-15, "{residual:?}");
        // and one beyond which nothing is finite
        problem.clear(3, [1]);
        problem.push_span(0, [[1e200, 0.0, 0.0]]);
        problem.end_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5);
        assert_eq!(judge.motion(&problem, &[[1e200, 0.0, 0.0]]), FrictionResidual::WORST);
    }

    #[test]
    fn what_is_not_finite_is_the_worst() {
        let problem = random_problem(1, 3, 4);
        let mut r = vec![[0.0; 3]; 4];
        assert!(Judge::default().motion(&problem, &r).scaled.is_finite());
        r[2][1] = f64::NAN;
        assert_eq!(Judge::default().motion(&problem, &r), FrictionResidual::WORST);
    }
}
