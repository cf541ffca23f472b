//! Proximal Alart–Curnier Newton: exact Coulomb by a sequence of compliant problems.
//!
//! # Method
//!
//! Coulomb's law is a fixed point, `r = Π(r − κ m u)`, with Π the map of Alart and Curnier (1991):
//!
//! ```text
//!  z_n ≤ 0            open   r = 0
//!  ‖z_t‖ ≤ μ z_n      stick  r = z
//!  else               slip   r_n = z_n,  r_t = μ z_n z_t / ‖z_t‖
//! ```
//!
//! Newton on it directly fails cold, and its matrix is singular when contacts are redundant. Here the
//! centre c of `r = Π(c − κ m u(r))` is held fixed: that is contact with the compliance 1/(κ m), its
//! Newton matrix is `W + 1/(κ m)` and regular whatever the rank of W. When the inner problem is
//! solved, c ← r (a proximal-point step) and κ grows; if Newton fails κ shrinks. At the fixed point
//! c = r the compliance has no effect and the law is exact.
//!
//! With modes held, a slipping contact has two unknowns, the impulse along `n + μ t̂` and that along
//! ŝ ⊥ t̂; its rows are the velocities along n and ŝ, the latter with the compliance 1/(θ κ m),
//! `θ = μ z_n / ‖z_t‖`. So the matrix is `Rᵀ W C` plus a diagonal, unsymmetric by `μ t̂` alone. The
//! same holds for a polygon in place of the disc (`section.rs`), which is how friction pyramids are
//! solved by [`pyramid`](crate::pyramid).
//!
//! Iterations are Newton steps; each costs one sparse factorization. Fails on strongly mixed stick
//! and slip (folds: several pieces with opposite determinants): [`Status::Stalled`].
//!
//! Theory: `docs/theory/alart-curnier.md`.

use super::blocks::{Blocks, zeros};
use super::section::{Piece, Section};
use super::{Triple, block_times};
use crate::friction::FrictionProblem;
use crate::linalg::{SparseLu, minimum_degree};
use crate::matrix::{Csc, Matrix};
use crate::report::{Report, Status, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlartCurnierSettings {
    /// Stop when the solver's own error, a velocity relative to ‖q‖, is at most this. Default 1e-14.
    pub tol: f64,
    /// Newton steps in all. Default 1000.
    pub max_steps: usize,
    /// Stiffness κ of the first inner problem, in units of each contact's own mass. Default 1.
    pub stiffness: f64,
    /// Factor by which κ grows when an inner problem was easy. Default 1.3; 3 already
    /// hops between basins of attraction.
    pub growth: f64,
    /// Largest κ. Default 1e8.
    pub max_stiffness: f64,
    /// Newton steps for one inner problem. Default 15.
    pub max_inner: usize,
    /// An inner problem is solved when its merit is at most this part of that of the way r has
    /// moved from the centre. Default 1e-2: more would be wasted on a centre that moves anyway.
    pub inner_tol: f64,
}

impl Default for AlartCurnierSettings {
    fn default() -> Self {
        Self {
            tol: 1e-14,
            max_steps: 1000,
            stiffness: 1.0,
            growth: 1.3,
            max_stiffness: 1e8,
            max_inner: 15,
            inner_tol: 1e-2,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct AlartCurnierWorkspace {
    blocks: Blocks,
    /// What bounds the friction of each contact.
    sections: Vec<Section>,
    dim: usize,
    /// Blocks by column: `column_start[d]..` are (row, block W_row,d), the diagonal one included.
    column_start: Vec<usize>,
    column: Vec<(u32, [f64; 9])>,
    order: Vec<usize>,
    /// Blocks by column for which `order` was found.
    pattern_start: Vec<usize>,
    pattern: Vec<u32>,
    r: Vec<Triple>,
    best: Vec<Triple>,
    center: Vec<Triple>,
    u: Vec<Triple>,
    trial: Vec<Triple>,
    target: Vec<Triple>,
    piece: Vec<Piece>,
    /// First unknown of each contact, and one past the last.
    first: Vec<u32>,
    owner: Vec<u32>,
    lu: SparseLu,
    x: Vec<f64>,
}

/// Below this error an iteration without progress is at its rounding floor.
const NEARLY: f64 = 1e-11;

/// Solves by proximal Alart–Curnier Newton.
pub fn alart_curnier(
    problem: &FrictionProblem,
    settings: &AlartCurnierSettings,
    work: &mut AlartCurnierWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.sections.clear();
    work.sections.extend(problem.mu().iter().map(|&mu| Section::Disc { mu }));
    solve_sections(problem, settings, work, stop, r)
}

/// The same for the sections in the workspace, whatever their shape.
pub(crate) fn solve_with_sections(
    problem: &FrictionProblem,
    sections: &[Section],
    (settings, work): (&AlartCurnierSettings, &mut AlartCurnierWorkspace),
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.sections.clear();
    work.sections.extend_from_slice(sections);
    solve_sections(problem, settings, work, stop, r)
}

fn solve_sections(
    problem: &FrictionProblem,
    settings: &AlartCurnierSettings,
    work: &mut AlartCurnierWorkspace,
    stop: Stop<'_>,
    r: &mut [f64],
) -> Report {
    work.load(problem, r);
    let (status, steps) = work.proximal_point(settings, stop);
    work.blocks.store(&work.best, r);
    Report::new(status, steps, steps)
}

impl AlartCurnierWorkspace {
    fn load(&mut self, problem: &FrictionProblem, r: &[f64]) {
        let mut start = std::mem::take(&mut self.r);
        self.blocks.load(problem, r, &mut start);
        self.r = start;
        self.dim = problem.dim();
        let k = self.blocks.contacts();
        self.column_start.clear();
        self.column_start.resize(k + 1, 0);
        for c in 0..k {
            for &d in self.blocks.row(c).0.iter().chain([&c]) {
                self.column_start[d + 1] += 1;
            }
        }
        for d in 0..k {
            self.column_start[d + 1] += self.column_start[d];
        }
        self.column.clear();
        self.column.resize(self.column_start[k], (0, [0.0; 9]));
        self.first.clear();
        self.first.extend(self.column_start[..k].iter().map(|&s| s as u32));
        for c in 0..k {
            let (columns, blocks) = self.blocks.row(c);
            let own = [self.blocks.diagonal[c]];
            for (&d, block) in columns.iter().zip(blocks).chain([&c].into_iter().zip(&own)) {
                self.column[self.first[d] as usize] = (c as u32, *block);
                self.first[d] += 1;
            }
        }
        self.find_order();
        zeros(&mut self.u, k);
        zeros(&mut self.trial, k);
        zeros(&mut self.target, k);
        zeros(&mut self.center, k);
        zeros(&mut self.best, k);
        self.piece.clear();
        self.piece.resize(k, Piece::Open);
    }

    /// Elimination order of the contacts, kept while the pattern of blocks stays the same.
    fn find_order(&mut self) {
        let same = self.pattern_start == self.column_start
            && self.pattern.len() == self.column.len()
            && self.pattern.iter().zip(&self.column).all(|(p, (i, _))| p == i);
        if same {
            return;
        }
        let k = self.blocks.contacts();
        let mut triplets = Vec::with_capacity(self.column.len());
        for d in 0..k {
            for (c, _) in &self.column[self.column_start[d]..self.column_start[d + 1]] {
                triplets.push((*c as usize, d, 1.0));
            }
        }
        self.order = minimum_degree(&Matrix::from(Csc::from_triplets((k, k), &mut triplets)));
        self.pattern_start.clone_from(&self.column_start);
        self.pattern.clear();
        self.pattern.extend(self.column.iter().map(|(i, _)| *i));
    }

    fn proximal_point(
        &mut self,
        settings: &AlartCurnierSettings,
        stop: Stop<'_>,
    ) -> (Status, usize) {
        let mut kappa = settings.stiffness;
        let mut steps = 0;
        let mut lowest = self.note_best(f64::INFINITY);
        let mut idle = 0;
        while lowest > settings.tol.max(self.floor()) {
            if stop() {
                return (Status::Stopped, steps);
            }
            if steps >= settings.max_steps {
                return (Status::IterationLimit, steps);
            }
            self.center.copy_from_slice(&self.r);
            let inner = self.newton(kappa, settings, stop);
            steps += inner.unwrap_or(settings.max_inner);
            match inner {
                Some(taken) => {
                    if taken <= 3 {
                        kappa = (kappa * settings.growth).min(settings.max_stiffness);
                    } else if taken > 6 {
                        kappa *= 0.5;
                    }
                }
                None => {
                    self.r.copy_from_slice(&self.center);
                    kappa /= 3.0;
                    if kappa < 1e-6 {
                        return (Status::Stalled, steps);
                    }
                }
            }
            let before = lowest;
            lowest = self.note_best(lowest);
            // as good as solved, and rounding alone moves it now
            idle = if lowest < 0.5 * before { 0 } else { idle + 1 };
            if lowest < NEARLY && idle >= 8 {
                break;
            }
        }
        (Status::Solved, steps)
    }

    /// Keeps r if its error is lower than any before; gives the lowest error.
    fn note_best(&mut self, lowest: f64) -> f64 {
        self.blocks.velocity(&self.r, &mut self.u);
        let error = self.error();
        if error < lowest {
            self.best.copy_from_slice(&self.r);
            return error;
        }
        lowest
    }

    /// The error that rounding the impulses alone may cause.
    fn floor(&self) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.r.len() {
            let (columns, blocks) = self.blocks.row(c);
            let mut size = square(&self.blocks.q[c]).sqrt();
            let own = (&c, &self.blocks.diagonal[c]);
            for (&d, block) in columns.iter().zip(blocks).chain([own]) {
                let w = block_times(&block.map(f64::abs), &self.r[d].map(f64::abs));
                size += square(&w).sqrt();
            }
            sum += size * size;
        }
        0.5 * f64::EPSILON * sum.sqrt() / self.blocks.q_norm()
    }

    /// `‖(‖r − Π(r − m u)‖ / m)‖₂ / ‖q‖₂` over the contacts: a velocity against the free one.
    fn error(&self) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.r.len() {
            let m = self.blocks.mass[c];
            let p = self.sections[c].map(&shifted(&self.r[c], m, &self.u[c]));
            let e = std::array::from_fn(|a| (self.r[c][a] - p[a]) / m);
            sum += square(&e);
        }
        let error = sum.sqrt() / self.blocks.q_norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// Solves `r = Π(center − κ m u(r))`; gives the number of steps, or none if it did not converge.
    fn newton(
        &mut self,
        kappa: f64,
        settings: &AlartCurnierSettings,
        stop: Stop<'_>,
    ) -> Option<usize> {
        self.blocks.velocity(&self.r, &mut self.u);
        let mut merit = self.merit(kappa, &self.r, &self.u);
        for step in 1..=settings.max_inner {
            if stop() {
                return None;
            }
            self.choose_pieces(kappa);
            if !self.newton_step(kappa) {
                return None;
            }
            // backtracking on the merit; a full step that lands on a solution ends it
            let mut length = 1.0;
            let mut accepted = false;
            for _ in 0..15 {
                for c in 0..self.r.len() {
                    for a in 0..3 {
                        self.trial[c][a] =
                            self.r[c][a] + length * (self.target[c][a] - self.r[c][a]);
                    }
                }
                let mut u = std::mem::take(&mut self.u);
                self.blocks.velocity(&self.trial, &mut u);
                let next = self.merit(kappa, &self.trial, &u);
                self.u = u;
                if next < (1.0 - 1e-4 * length) * merit || next <= 1e-30 {
                    merit = next;
                    accepted = true;
                    break;
                }
                length *= 0.5;
            }
            if !accepted {
                // rounding stops the descent just before the solution
                let scale = self.scale(kappa);
                return (merit <= 1e-22 * scale).then_some(step);
            }
            std::mem::swap(&mut self.r, &mut self.trial);
            let scale = self.scale(kappa);
            if merit <= 1e-24 * scale || merit <= settings.inner_tol * self.moved() {
                return Some(step);
            }
        }
        None
    }

    /// `Σ ‖r − center‖² / m`.
    fn moved(&self) -> f64 {
        let mut sum = 0.0;
        for (c, m) in self.blocks.mass.iter().enumerate() {
            sum += square(&std::array::from_fn(|a| self.r[c][a] - self.center[c][a])) / m;
        }
        sum
    }

    /// Size of the terms in the merit.
    fn scale(&self, kappa: f64) -> f64 {
        let mut sum = 0.0;
        for c in 0..self.r.len() {
            let m = self.blocks.mass[c];
            let softness = kappa.min(1.0);
            sum += square(&self.r[c]) / m + softness * softness * m * square(&self.blocks.q[c]);
        }
        sum
    }

    /// `Σ ‖r − Π(z)‖² / m`, an energy.
    fn merit(&self, kappa: f64, r: &[Triple], u: &[Triple]) -> f64 {
        let mut sum = 0.0;
        for c in 0..r.len() {
            let m = self.blocks.mass[c];
            let z = shifted(&self.center[c], kappa * m, &u[c]);
            let p = self.sections[c].map(&z);
            sum += square(&std::array::from_fn(|a| r[c][a] - p[a])) / m;
        }
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn choose_pieces(&mut self, kappa: f64) {
        for c in 0..self.r.len() {
            let z = shifted(&self.center[c], kappa * self.blocks.mass[c], &self.u[c]);
            self.piece[c] = self.sections[c].piece(&z);
        }
    }

    /// Solves the linear problem of the present pieces; its solution goes to `target`.
    fn newton_step(&mut self, kappa: f64) -> bool {
        self.number_unknowns();
        let n = self.owner.len();
        self.x.clear();
        for x in 0..n {
            let c = self.owner[x] as usize;
            let (row, root) = (self.row_direction(c, x), self.blocks.mass[c].sqrt());
            let along = |v: &Triple| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
            self.x.push(along(&self.center[c]) / (kappa * root) - root * along(&self.blocks.q[c]));
        }
        let mut lu = std::mem::take(&mut self.lu);
        let this = &*self;
        let order =
            this.order.iter().flat_map(|&c| (this.first[c] as usize)..(this.first[c + 1] as usize));
        lu.factor(order, 1e-14, |x, entries| this.fill_column(kappa, x, entries));
        let regular = lu.dependent().is_empty();
        if regular {
            let mut x = std::mem::take(&mut self.x);
            lu.solve(&mut x);
            self.x = x;
        }
        self.lu = lu;
        for c in 0..self.r.len() {
            self.target[c] = [0.0; 3];
            let root = self.blocks.mass[c].sqrt();
            for x in self.first[c] as usize..self.first[c + 1] as usize {
                let d = self.column_direction(c, x);
                for a in 0..3 {
                    self.target[c][a] += root * d[a] * self.x[x];
                }
            }
        }
        regular && self.x.iter().all(|x| x.is_finite())
    }

    fn number_unknowns(&mut self) {
        self.first.clear();
        self.owner.clear();
        for (c, piece) in self.piece.iter().enumerate() {
            self.first.push(self.owner.len() as u32);
            let unknowns = match piece {
                Piece::Open => 0,
                Piece::Stick => self.dim,
                Piece::Slip { theta, .. } if *theta > 0.0 => self.dim - 1,
                Piece::Slip { .. } => 1,
            };
            self.owner.extend(std::iter::repeat_n(c as u32, unknowns));
        }
        self.first.push(self.owner.len() as u32);
    }

    /// Impulse per unit of unknown x of contact c.
    fn column_direction(&self, c: usize, x: usize) -> Triple {
        let place = x - self.first[c] as usize;
        match self.piece[c] {
            Piece::Slip { along, .. } if place == 0 => [1.0, along[0], along[1]],
            Piece::Slip { side, .. } => [0.0, side[0], side[1]],
            Piece::Open | Piece::Stick => std::array::from_fn(|a| f64::from(u8::from(a == place))),
        }
    }

    /// Velocity that equation x of contact c is about.
    fn row_direction(&self, c: usize, x: usize) -> Triple {
        let place = x - self.first[c] as usize;
        match self.piece[c] {
            Piece::Slip { .. } if place == 0 => [1.0, 0.0, 0.0],
            _ => self.column_direction(c, x),
        }
    }

    /// Column x of `√m Rᵀ W C √m + 1/κ (or 1/(θκ))`.
    fn fill_column(&self, kappa: f64, x: usize, entries: &mut Vec<(u32, f64)>) {
        let d = self.owner[x] as usize;
        let direction = self.column_direction(d, x);
        let root_d = self.blocks.mass[d].sqrt();
        for (c, block) in &self.column[self.column_start[d]..self.column_start[d + 1]] {
            let c = *c as usize;
            let (first, end) = (self.first[c] as usize, self.first[c + 1] as usize);
            if first == end {
                continue;
            }
            let w = block_times(block, &direction);
            let scale = root_d * self.blocks.mass[c].sqrt();
            for y in first..end {
                let row = self.row_direction(c, y);
                let mut a = scale * (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]);
                if x == y {
                    a += match self.piece[c] {
                        Piece::Slip { theta, .. } if y > first => 1.0 / (theta * kappa),
                        _ => 1.0 / kappa,
                    };
                }
                entries.push((y as u32, a));
            }
        }
    }
}

fn shifted(center: &Triple, s: f64, u: &Triple) -> Triple {
    [center[0] - s * u[0], center[1] - s * u[1], center[2] - s * u[2]]
}

fn square(x: &Triple) -> f64 {
    x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{POINT_CASES, catalogue, judged, planar, point, stack};
    use super::*;
    use crate::report::never;

    fn solve(problem: &FrictionProblem, settings: &AlartCurnierSettings) -> (Vec<f64>, Report) {
        let mut r = vec![0.0; problem.n()];
        let mut work = AlartCurnierWorkspace::default();
        let report = alart_curnier(problem, settings, &mut work, &never, &mut r);
        (r, report)
    }

    fn solved(problem: &FrictionProblem) -> Vec<f64> {
        let (r, report) = solve(problem, &AlartCurnierSettings::default());
        assert_eq!(report.status, Status::Solved);
        r
    }

    #[test]
    fn a_point_opens_sticks_or_slips() {
        for (q, expected) in POINT_CASES {
            let r = solved(&point(0.5, q));
            assert!((0..3).all(|a| (r[a] - expected[a]).abs() < 1e-13), "{q:?}: {r:?}");
        }
    }

    #[test]
    fn the_catalogue_is_solved_to_rounding() {
        for (name, problem) in catalogue() {
            let r = solved(&problem);
            assert!(judged(&problem, &r) < 1e-13, "{name}: {}", judged(&problem, &r));
        }
    }

    #[test]
    fn a_box_on_four_corners_is_carried_and_braked_as_a_whole() {
        // W has rank six and twelve rows: single impulses are not determined, their sums are.
        // Four corners carry 0.981; the push of 3 stops at μ 0.981.
        let r = solved(&stack(1, 1.0, 0.2, [3.0, 0.0]));
        let sum = |a: usize| (0..4).map(|c| r[3 * c + a]).sum::<f64>();
        assert!((sum(0) - 0.981).abs() < 1e-12, "{r:?}");
        assert!((sum(1) + 0.2 * 0.981).abs() < 1e-12, "{r:?}");
        assert!(sum(2).abs() < 1e-12, "{r:?}");
    }

    #[test]
    fn in_the_plane_there_is_one_tangent() {
        let W = crate::MatX::identity(2, 2);
        for (q, expected) in
            [([1., 2.], [0., 0.]), ([-2., 0.5], [2., -0.5]), ([-2., -3.], [2., 1.])]
        {
            let problem = FrictionProblem::new(2, W.clone(), q.to_vec(), vec![0.5]).unwrap();
            let r = solved(&problem);
            assert!((0..2).all(|a| (r[a] - expected[a]).abs() < 1e-13), "{q:?}: {r:?}");
        }
        let problem = planar(&stack(3, 10.0, 0.3, [2.0, 0.0]));
        assert!(judged(&problem, &solved(&problem)) < 1e-13);
    }

    #[test]
    fn without_friction_there_is_no_tangential_impulse() {
        let problem = stack(2, 1.0, 0.0, [3.0, 1.0]);
        let r = solved(&problem);
        assert!((0..8).all(|c| r[3 * c + 1] == 0.0 && r[3 * c + 2] == 0.0), "{r:?}");
        assert!(judged(&problem, &r) < 1e-13);
    }

    #[test]
    fn a_warm_start_that_is_not_finite_counts_as_none() {
        let problem = stack(2, 1.0, 0.2, [2.0, 0.3]);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut r = vec![0.1; problem.n()];
            r[4] = bad;
            let mut work = AlartCurnierWorkspace::default();
            let settings = AlartCurnierSettings::default();
            let report = alart_curnier(&problem, &settings, &mut work, &never, &mut r);
            assert_eq!(report.status, Status::Solved, "{bad}");
            assert!(judged(&problem, &r) < 1e-13, "{bad}");
        }
    }

    #[test]
    fn a_solution_as_warm_start_is_left_alone() {
        let problem = stack(2, 1.0, 0.2, [2.0, 0.3]);
        let mut r = solved(&problem);
        let before = r.clone();
        let mut work = AlartCurnierWorkspace::default();
        let settings = AlartCurnierSettings { tol: 1e-12, ..Default::default() };
        let report = alart_curnier(&problem, &settings, &mut work, &never, &mut r);
        assert_eq!((report.status, report.iterations), (Status::Solved, 0));
        assert_eq!(r, before);
    }

    #[test]
    fn every_setting_changes_something() {
        let problem = stack(3, 10.0, 0.2, [2.0, 0.3]);
        let base = AlartCurnierSettings::default();
        let (r, report) = solve(&problem, &base);
        assert_eq!(report.status, Status::Solved);
        let others = [
            AlartCurnierSettings { tol: 1e-3, ..base },
            AlartCurnierSettings { max_steps: 2, ..base },
            AlartCurnierSettings { stiffness: 30.0, ..base },
            AlartCurnierSettings { growth: 2.0, ..base },
            AlartCurnierSettings { max_stiffness: 4.0, ..base },
            AlartCurnierSettings { max_inner: 2, ..base },
        ];
        for settings in others {
            assert_ne!(solve(&problem, &settings), (r.clone(), report), "{settings:?}");
        }
    }

    #[test]
    fn limits_and_stops_are_said_and_leave_the_best_answer() {
        let problem = stack(3, 100.0, 0.2, [2.0, 0.3]);
        let settings = AlartCurnierSettings { max_steps: 1, ..Default::default() };
        let (r, report) = solve(&problem, &settings);
        assert_eq!(report.status, Status::IterationLimit);
        let residual = judged(&problem, &r);
        assert!(residual > 1e-9 && residual <= judged(&problem, &vec![0.0; problem.n()]));
        let mut r = vec![0.0; problem.n()];
        let mut work = AlartCurnierWorkspace::default();
        let base = AlartCurnierSettings::default();
        let report = alart_curnier(&problem, &base, &mut work, &|| true, &mut r);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
}
