//! Semismooth Newton on the min map or the Fischer–Burmeister function.
//!
//! # Problem
//!
//! `w = A z + b` with `lower ≤ z ≤ upper`, written as n equations `Φ(z) = 0`, row by row:
//!
//! ```text
//!  min                 Φ = max(min(w, z − lower), z − upper)
//!  Fischer–Burmeister  Φ = φ(z − lower, −φ(upper − z, −w)),   φ(a, b) = a + b − √(a² + b²)
//! ```
//!
//! A missing bound leaves its φ out; a free row is `Φ = w`.
//!
//! # Method
//!
//! `J d = −Φ` with `J = D_z + D_w A`, an element of the generalized Jacobian; then a line search on
//! the merit function `θ = ½ ‖Φ‖²` (Armijo, against the largest of the last few θ). If d does not
//! descend: Levenberg's direction, then the gradient. Theory: `docs/theory/newton.md`, \[Pang90\],
//! \[DFK96\], \[Billups95\].
//!
//! # Cost
//!
//! One dense factorization of order n an iteration; 5 to 30 iterations when it goes well.
//!
//! # When it fails
//!
//! θ has local minima where A is not a P₀-matrix (friction): [`Status::Stalled`]. Fischer–Burmeister
//! is smoother than the min map and stalls less; the min map ends in finitely many steps.

mod map;

use crate::linalg::DenseLu;
use crate::measure::{Measure, into_bounds};
use crate::problem::BoxLcp;
use crate::report::{Report, Status, Stop, Unfit};
use map::row;

pub use map::Map;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Stop after this many iterations. Any; default 200.
    pub max_iterations: usize,
    /// Default `FischerBurmeister`.
    pub map: Map,
    /// A step must win this part of what the slope promises. In (0, 0.5); default 1e−4.
    pub armijo: f64,
    /// θ is compared with the largest of this many last values; 1 is monotone. 1 to 16; default 5.
    pub memory: usize,
    /// Levenberg's term, relative to the largest diagonal entry of `JᵀJ`. Positive; default 1e−8.
    pub regularization: f64,
    /// "Solved" is said of a natural residual, divided by max(1, max|b|), up to this, or as small
    /// as rounding allows. Positive; default 1e−12.
    pub tolerance: f64,
    /// Problems with more rows are refused: the Jacobian is dense. Default 3000.
    pub max_rows: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            max_iterations: 200,
            map: Map::FischerBurmeister,
            armijo: 1e-4,
            memory: 5,
            regularization: 1e-8,
            tolerance: 1e-12,
            max_rows: 3000,
        }
    }
}

const MEMORY: usize = 16;
const HALVINGS: usize = 40;
/// A pivot below this times its column makes the column dependent.
const PIVOT: f64 = 1e-14;

/// The ways to a direction, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Newton,
    Levenberg,
    Gradient,
}

/// Memory for a problem of n rows.
#[derive(Clone, Debug, Default)]
pub struct NewtonWorkspace {
    phi: Vec<f64>,
    /// ∂Φ_i/∂z_i at fixed w, and ∂Φ_i/∂w_i.
    by_z: Vec<f64>,
    by_w: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    /// J, column by column, for Levenberg's normal equations.
    jacobian: Vec<f64>,
    lu: DenseLu,
    measure: Measure,
}

impl NewtonWorkspace {
    pub fn new(n: usize) -> Self {
        let vector = || Vec::with_capacity(n);
        Self {
            phi: vector(),
            by_z: vector(),
            by_w: vector(),
            gradient: vector(),
            direction: vector(),
            trial: vector(),
            jacobian: Vec::new(),
            lu: DenseLu::new(n),
            measure: Measure::new(n),
        }
    }
}

/// Globalized semismooth Newton. `Report::iterations` counts steps.
pub fn newton(
    problem: &BoxLcp,
    settings: &NewtonSettings,
    work: &mut NewtonWorkspace,
    stop: Stop<'_>,
    z: &mut [f64],
) -> Report {
    assert_eq!(z.len(), problem.n(), "warm start has the wrong length");
    into_bounds(problem, z);
    if problem.n() > settings.max_rows {
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        return Report::new(Status::NotApplicable(unfit), 0, 0);
    }
    if !work.merit(problem, settings.map, z).is_finite() {
        z.fill(0.0); // a warm start whose w overflows
        into_bounds(problem, z);
    }
    let mut theta = work.merit(problem, settings.map, z);
    let mut last = [0.0; MEMORY];
    let (mut iterations, mut factorizations) = (0, 0);
    let status = loop {
        if work.measure.meets(settings.tolerance) {
            break Status::Solved;
        }
        if !theta.is_finite() {
            break Status::Diverged;
        }
        if iterations == settings.max_iterations {
            break Status::IterationLimit;
        }
        if stop() {
            break Status::Stopped;
        }
        last[iterations % MEMORY] = theta;
        let memory = settings.memory.clamp(1, MEMORY).min(iterations + 1);
        let reference = (0..memory).map(|k| last[(iterations - k) % MEMORY]).fold(theta, f64::max);
        work.linearize(problem, settings.map, z);
        let mut next = None;
        for way in [Way::Newton, Way::Levenberg, Way::Gradient] {
            factorizations += usize::from(way != Way::Gradient);
            let slope = work.find_direction(problem, settings, way);
            if slope < -1e-10 * theta {
                next = work.search(problem, settings, (reference, slope), z);
            }
            if next.is_some() {
                break;
            }
        }
        let Some(next) = next else { break Status::Stalled };
        theta = next;
        iterations += 1;
    };
    work.trim(problem, settings.tolerance, status, z);
    Report::new(status, iterations, factorizations)
}

impl NewtonWorkspace {
    /// θ(z); leaves w and the residual behind.
    fn merit(&mut self, problem: &BoxLcp, map: Map, z: &[f64]) -> f64 {
        self.measure.evaluate(problem, z);
        let mut sum = 0.0;
        for i in 0..z.len() {
            let bounds = (problem.lower()[i], problem.upper()[i]);
            let (phi, ..) = row(map, z[i], self.measure.w[i], bounds);
            sum += phi * phi;
        }
        0.5 * sum
    }

    /// Φ and its derivatives at z, whose w is known, and the gradient `JᵀΦ` of θ.
    fn linearize(&mut self, problem: &BoxLcp, map: Map, z: &[f64]) {
        for buffer in
            [&mut self.phi, &mut self.by_z, &mut self.by_w, &mut self.trial, &mut self.gradient]
        {
            buffer.clear();
        }
        for i in 0..z.len() {
            let bounds = (problem.lower()[i], problem.upper()[i]);
            let (phi, by_z, by_w) = row(map, z[i], self.measure.w[i], bounds);
            self.phi.push(phi);
            self.by_z.push(by_z);
            self.by_w.push(by_w);
            self.trial.push(by_w * phi);
        }
        for j in 0..z.len() {
            let by_A = problem.A().column_dot(j, &self.trial);
            self.gradient.push(self.by_z[j] * self.phi[j] + by_A);
        }
    }

    /// Fills `direction` and returns the slope of θ along it (NaN if there is none).
    fn find_direction(&mut self, problem: &BoxLcp, settings: &NewtonSettings, way: Way) -> f64 {
        self.direction.clear();
        match way {
            Way::Newton => {
                self.direction.extend(self.phi.iter().map(|phi| -phi));
                self.solve_newton(problem);
            }
            Way::Levenberg => {
                self.direction.extend(self.gradient.iter().map(|g| -g));
                self.solve_levenberg(problem, settings.regularization);
            }
            Way::Gradient => {
                let step = self.cauchy_step(problem);
                self.direction.extend(self.gradient.iter().map(|g| -step * g));
            }
        }
        self.gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum()
    }

    /// `d ← J⁻¹ d`. Unknowns of dependent columns stay zero.
    fn solve_newton(&mut self, problem: &BoxLcp) {
        let n = problem.n();
        self.lu.reset(n);
        for j in 0..n {
            let (column, by_w) = (self.lu.column_mut(j), &self.by_w);
            problem.A().for_column(j, |i, a_ij| column[i] = by_w[i] * a_ij);
            column[j] += self.by_z[j];
        }
        self.lu.factor(PIVOT);
        self.lu.solve(&mut self.direction);
    }

    /// `d ← (JᵀJ + ν)⁻¹ d`.
    fn solve_levenberg(&mut self, problem: &BoxLcp, regularization: f64) {
        let n = problem.n();
        self.jacobian.clear();
        self.jacobian.resize(n * n, 0.0);
        for (j, column) in self.jacobian.chunks_exact_mut(n).enumerate() {
            problem.A().for_column(j, |i, a_ij| column[i] = self.by_w[i] * a_ij);
            column[j] += self.by_z[j];
        }
        self.lu.reset(n);
        let mut largest = 0.0_f64;
        for j in 0..n {
            let column_j = &self.jacobian[j * n..(j + 1) * n];
            for i in 0..=j {
                let column_i = &self.jacobian[i * n..(i + 1) * n];
                let product: f64 = column_i.iter().zip(column_j).map(|(x, y)| x * y).sum();
                self.lu.set(i, j, product);
                self.lu.set(j, i, product);
                largest = if i == j { largest.max(product) } else { largest };
            }
        }
        for j in 0..n {
            self.lu.column_mut(j)[j] += regularization * largest;
        }
        self.lu.factor(PIVOT);
        self.lu.solve(&mut self.direction);
    }

    /// The step along −g that minimizes `‖Φ − t J g‖`.
    fn cauchy_step(&mut self, problem: &BoxLcp) -> f64 {
        let a_times_g = &mut self.trial;
        a_times_g.clear();
        a_times_g.resize(problem.n(), 0.0);
        for (j, &g_j) in self.gradient.iter().enumerate() {
            problem.A().add_column(j, g_j, a_times_g);
        }
        let (mut along, mut squared) = (0.0, 0.0);
        for (i, a_g) in a_times_g.iter().enumerate() {
            let j_g = self.by_z[i] * self.gradient[i] + self.by_w[i] * a_g;
            along += j_g * self.phi[i];
            squared += j_g * j_g;
        }
        if squared > 0.0 { along / squared } else { 0.0 }
    }

    /// Halves the step until θ is below the reference by Armijo's rule. Moves z and returns the new
    /// θ; `None` leaves z as it is.
    fn search(
        &mut self,
        problem: &BoxLcp,
        settings: &NewtonSettings,
        (reference, slope): (f64, f64),
        z: &mut [f64],
    ) -> Option<f64> {
        let mut t = 1.0;
        let mut trial = std::mem::take(&mut self.trial);
        let mut found = None;
        for _ in 0..HALVINGS {
            trial.clear();
            trial.extend(z.iter().zip(&self.direction).map(|(z_i, d_i)| z_i + t * d_i));
            let theta = self.merit(problem, settings.map, &trial);
            if theta <= reference + settings.armijo * t * slope {
                found = (trial != z).then_some(theta);
                z.copy_from_slice(&trial);
                break;
            }
            t *= 0.5;
        }
        self.trial = trial;
        found
    }

    /// Puts z exactly into its bounds, unless that spoils a solved answer.
    fn trim(&mut self, problem: &BoxLcp, tolerance: f64, status: Status, z: &mut [f64]) {
        self.trial.clear();
        self.trial.extend_from_slice(z);
        into_bounds(problem, &mut self.trial);
        self.measure.evaluate(problem, &self.trial);
        if status != Status::Solved || self.measure.meets(tolerance) {
            z.copy_from_slice(&self.trial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;
    use crate::report::never;
    use crate::testing::*;

    const MAPS: [Map; 2] = [Map::Min, Map::FischerBurmeister];

    fn solve(problem: &BoxLcp, settings: &NewtonSettings, z: &mut [f64]) -> Report {
        newton(problem, settings, &mut NewtonWorkspace::new(problem.n()), &never, z)
    }

    fn with(map: Map) -> NewtonSettings {
        NewtonSettings { map, ..Default::default() }
    }

    #[test]
    fn problems_solved_by_hand_come_out() {
        for map in MAPS {
            solves_the_catalogue((1e-12, 1e-10), |p, z| solve(p, &with(map), z));
        }
    }

    #[test]
    fn random_p_matrices_and_boxes_are_solved() {
        let mut work = NewtonWorkspace::default();
        for seed in 0..40 {
            let n = 1 + seed as usize % 23;
            for problem in [random_p_lcp(n, seed), random_box(n, seed)] {
                let mut z = vec![0.0; n];
                let report =
                    newton(&problem, &NewtonSettings::default(), &mut work, &never, &mut z);
                let residual = judged(&problem, &z);
                assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
                assert!(residual.accepts(1e-12), "seed {seed}: {residual:?}");
            }
        }
    }

    #[test]
    fn semidefinite_degenerate_problems_are_solved() {
        for seed in 0..20 {
            let problem = degenerate_psd_lcp(16, seed);
            let mut z = [0.0; 16];
            let report = solve(&problem, &NewtonSettings::default(), &mut z);
            let residual = judged(&problem, &z);
            assert_eq!(report.status, Status::Solved, "seed {seed}: {residual:?}");
            assert!(residual.accepts(1e-12), "seed {seed}: {residual:?}");
        }
    }

    #[test]
    fn a_warm_start_saves_steps_and_bad_ones_do_no_harm() {
        let problem = random_p_lcp(15, 3);
        for map in MAPS {
            let mut z = vec![0.0; 15];
            let cold = solve(&problem, &with(map), &mut z);
            let warm = solve(&problem, &with(map), &mut z);
            assert!(cold.iterations > 0 && warm.iterations == 0);
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300] {
                let mut z = vec![bad; 15];
                let report = solve(&problem, &with(map), &mut z);
                assert_eq!(report.status, Status::Solved, "{map:?} {bad}");
                assert!(judged(&problem, &z).accepts(1e-12));
            }
        }
    }

    #[test]
    fn a_problem_without_solution_is_not_called_solved() {
        let wedge = MatX::from_row_slice(2, 2, &[1., -1., -1., 1.]);
        let wedge = BoxLcp::lcp(wedge, vec![-1.0, -1.0]).unwrap();
        for map in MAPS {
            let mut z = [0.0; 2];
            assert_ne!(solve(&wedge, &with(map), &mut z).status, Status::Solved);
            assert!(z.iter().all(|z_i| z_i.is_finite()));
        }
    }

    #[test]
    fn a_sparse_problem_too_large_for_a_dense_factor_is_refused() {
        let problem = sparse_identity(200_000);
        let (settings, mut z) = (NewtonSettings::default(), vec![0.0; 200_000]);
        let report = newton(&problem, &settings, &mut NewtonWorkspace::default(), &never, &mut z);
        let unfit = Unfit::TooLarge { limit: settings.max_rows };
        assert_eq!(report, Report::new(Status::NotApplicable(unfit), 0, 0));
    }

    #[test]
    fn each_setting_changes_something() {
        let problem = random_p_lcp(20, 7);
        let default = NewtonSettings::default();
        let run = |problem: &BoxLcp, settings: &NewtonSettings| {
            let mut z = vec![0.0; problem.n()];
            (solve(problem, settings, &mut z), z)
        };
        let (plain, _) = run(&problem, &default);
        assert_eq!(run(&problem, &NewtonSettings { max_iterations: 1, ..default }).0.iterations, 1);
        assert!(run(&problem, &NewtonSettings { tolerance: 1e-2, ..default }).0 != plain);
        assert!(run(&problem, &with(Map::Min)).0 != plain);
        // a problem without solution is left where the settings of the search lead
        let wedge = MatX::from_row_slice(2, 2, &[1., -1., -1., 1.]);
        let wedge = BoxLcp::lcp(wedge, vec![-1.0, -2.0]).unwrap();
        let (_, left) = run(&wedge, &default);
        for other in
            [NewtonSettings { armijo: 0.49, ..default }, NewtonSettings { memory: 1, ..default }]
        {
            assert_ne!(run(&wedge, &other).1, left, "{other:?}");
        }
        // two equations that contradict each other
        let both = BoxLcp::mixed(MatX::from_element(2, 2, 1.0), vec![-1., -2.], &[0, 1]).unwrap();
        let rough = NewtonSettings { regularization: 0.1, ..default };
        assert_ne!(run(&both, &rough), run(&both, &default));
        let small = NewtonSettings { max_rows: 19, ..default };
        let unfit = Status::NotApplicable(Unfit::TooLarge { limit: 19 });
        assert_eq!(solve(&problem, &small, &mut [0.0; 20]).status, unfit);
        let mut work = NewtonWorkspace::new(20);
        let report = newton(&problem, &default, &mut work, &|| true, &mut [0.0; 20]);
        assert_eq!((report.status, report.iterations), (Status::Stopped, 0));
    }
}
