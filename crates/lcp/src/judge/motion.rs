//! Residual of Coulomb's law in velocity space: the same numbers as of the local form, from its root.

use super::exact::{Sum, is_tame};
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
        let are_tame = |rows: &[[f64; 3]]| rows.as_flattened().iter().all(|h| is_tame(*h));
        let is_root_tame = (0..r.len()).all(|c| problem.spans(c).all(|(.., rows)| are_tame(rows)));
        if is_root_tame && are_tame(r) && low.is_none_or(are_tame) {
            self.add_up_momenta(problem, (r, low), Sum::add_tame_product);
        } else {
            self.add_up_momenta(problem, (r, low), Sum::add_product);
        }
        if is_root_tame && self.x.iter().all(|x| is_tame(x[0])) {
            self.add_up_velocities(problem, (r, low), Sum::add_tame_product);
        } else {
            self.add_up_velocities(problem, (r, low), Sum::add_product);
        }
        if !self.w.iter().chain(&self.size).all(|x| x.is_finite()) {
            return FrictionResidual::WORST;
        }
        let mass = |c: usize| {
            let mut trace: f64 = problem.eps()[c].iter().sum();
            for (_, _, rows) in problem.spans(c) {
                trace += rows.iter().flatten().map(|h| h * h).sum::<f64>();
            }
            if trace > 0.0 { problem.dim() as f64 / trace } else { 0.0 }
        };
        let q_norm = super::friction::norm(problem.q().as_flattened());
        self.coulomb((3, problem.mu()), r.as_flattened(), q_norm, mass)
    }

    /// `u = Hᵀ x + ε r + q`, and the sizes of its terms.
    #[inline(always)]
    fn add_up_velocities(
        &mut self,
        problem: &MotionProblem,
        (r, low): (&[[f64; 3]], Option<&[[f64; 3]]>),
        add: impl Fn(&mut Sum, f64, f64),
    ) {
        self.w.clear();
        self.size.clear();
        for (c, r_c) in r.iter().enumerate() {
            let (eps, q) = (&problem.eps()[c], &problem.q()[c]);
            let mut u: [Sum; 3] = std::array::from_fn(|i| Sum::of(q[i]));
            let mut size: [f64; 3] = std::array::from_fn(|i| q[i].abs() + eps[i] * r_c[i].abs());
            for i in 0..3 {
                u[i].add_product(eps[i], r_c[i]);
                if let Some(low) = low {
                    u[i].add_product(eps[i], low[c][i]);
                }
            }
            for (_, first, rows) in problem.spans(c) {
                for (x, h) in self.x[first..].iter().zip(rows).filter(|(_, h)| **h != [0.0; 3]) {
                    for i in 0..3 {
                        add(&mut u[i], h[i], x[0]);
                        size[i] += h[i].abs() * x[1];
                    }
                }
            }
            self.w.extend(u.map(Sum::value));
            self.size.extend(size);
        }
    }

    /// `x = H r`, and `|H| |r|`.
    #[inline(always)]
    fn add_up_momenta(
        &mut self,
        problem: &MotionProblem,
        (r, low): (&[[f64; 3]], Option<&[[f64; 3]]>),
        add: impl Fn(&mut Sum, f64, f64),
    ) {
        self.sum.clear();
        self.sum.resize(problem.coordinates(), Sum::default());
        self.x.clear();
        self.x.resize(problem.coordinates(), [0.0; 2]);
        for (c, r_c) in r.iter().enumerate().filter(|(_, r_c)| **r_c != [0.0; 3]) {
            for (_, first, rows) in problem.spans(c) {
                let own = self.sum[first..].iter_mut().zip(&mut self.x[first..]);
                // zero rows add nothing: coordinates of a tree that the contact does not move
                for ((sum, x), h) in own.zip(rows).filter(|(_, h)| **h != [0.0; 3]) {
                    for i in 0..3 {
                        add(sum, h[i], r_c[i]);
                        x[1] += (h[i] * r_c[i]).abs();
                        if let Some(low) = low {
                            add(sum, h[i], low[c][i]);
                        }
                    }
                }
            }
        }
        for (x, sum) in self.x.iter_mut().zip(&self.sum) {
            x[0] = sum.value();
            // of two parts nothing is excused but the rounding of x
            if low.is_some() {
                x[1] = x[0].abs();
            }
        }
    }
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
    fn what_is_not_finite_is_the_worst() {
        let problem = random_problem(1, 3, 4);
        let mut r = vec![[0.0; 3]; 4];
        assert!(Judge::default().motion(&problem, &r).scaled.is_finite());
        r[2][1] = f64::NAN;
        assert_eq!(Judge::default().motion(&problem, &r), FrictionResidual::WORST);
    }
}
