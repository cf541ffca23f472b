//! Bounds in velocity space against the same problems with W made.

use super::*;
use crate::cone::Triple;
use crate::judge::Judge;
use crate::motion::MotionProblem;
use crate::motion::tests::random_problem;
use crate::testing::Random;
use crate::{BoxLcp, Csc, LcpSolver, Matrix, Verdict, never, solve_lcp};

/// The rows of a problem of cones with other bounds, compliances among them.
fn bounded(rows: &MotionProblem, bounds: impl Fn(usize) -> Bounds, eps: f64) -> BoxProblem {
    let mut problem = BoxProblem::default();
    problem.clear((0..rows.nodes()).map(|node| rows.width(node)));
    for j in 0..3 {
        let angle = f64::from(j) * std::f64::consts::FRAC_PI_3;
        problem.push_direction([angle.cos(), angle.sin()]);
    }
    for c in 0..rows.contacts() {
        for (node, _, span) in rows.spans(c) {
            problem.push_span(node, span.iter().copied());
        }
        // tangents of one compliance: polygons ask for it
        problem.end_contact([0.5 * eps, eps, eps], rows.q()[c], bounds(c));
    }
    problem.check().unwrap();
    problem
}

/// `W + ε` by its entries.
fn matrix(problem: &BoxProblem) -> Matrix {
    problem.rows().to_local().unwrap().W().clone()
}

/// The same problem as a box LCP.
fn boxed(problem: &BoxProblem) -> BoxLcp {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for bounds in problem.bounds() {
        let Bounds::Fixed { lower: l, upper: u } = bounds else { panic!("bounds are known") };
        lower.extend(l);
        upper.extend(u);
    }
    let q = problem.rows().q().as_flattened().to_vec();
    BoxLcp::new(matrix(problem), q, lower, upper).unwrap()
}

/// Friction bounded by the normal impulse as a mixed LCP: `W r + q = slip`, a slack for each side of a section.
fn mixed(problem: &BoxProblem) -> BoxLcp {
    let (W, m) = (matrix(problem), 3 * problem.contacts());
    let mut sides = Vec::new();
    for (c, bounds) in problem.bounds().iter().enumerate() {
        match *bounds {
            Bounds::Axes { mu } => {
                sides.push((c, [1.0, 0.0], mu[0]));
                sides.push((c, [0.0, 1.0], mu[1]));
            }
            Bounds::Polygon { mu } => {
                sides.extend(problem.directions().iter().map(|e| (c, *e, mu)));
            }
            Bounds::Fixed { .. } => panic!("friction is bounded by the normal impulse"),
        }
    }
    let mut entries = Vec::new();
    (0..m).for_each(|j| W.for_column(j, |i, w| entries.push((i, j, w))));
    for (j, &(c, e, mu)) in sides.iter().enumerate() {
        for (row, sign) in [(m + 2 * j, 1.0), (m + 2 * j + 1, -1.0)] {
            for a in 0..2 {
                entries.push((3 * c + 1 + a, row, sign * e[a]));
                entries.push((row, 3 * c + 1 + a, -sign * e[a]));
            }
            entries.push((row, 3 * c, mu));
        }
    }
    let n = m + 2 * sides.len();
    let mut q = problem.rows().q().as_flattened().to_vec();
    q.resize(n, 0.0);
    let free: Vec<usize> = (0..m).filter(|i| i % 3 != 0).collect();
    BoxLcp::mixed(Csc::from_triplets((n, n), &mut entries), q, &free).unwrap()
}

fn solved(problem: &BoxProblem, r: &mut [Triple]) -> (BoxReport, BoxWork) {
    let mut work = BoxWork::default();
    let report = solve_boxes(problem, 1e-10, &mut work, &never, r);
    (report, work)
}

/// What impulses do.
fn motion(problem: &BoxProblem, r: &[Triple]) -> Vec<f64> {
    let mut x = vec![0.0; problem.rows().coordinates()];
    problem.rows().motion(r, &mut x);
    x
}

fn random_box(seed: u64) -> impl Fn(usize) -> Bounds {
    move |c| {
        let mut random = Random::new(seed + 1000 * c as u64);
        let [a, b] = [random.next().abs(), random.next().abs()];
        let (mut lower, mut upper) = ([0.0, -a, -0.5 * b], [f64::INFINITY, a, b]);
        match c % 5 {
            0 => (lower[1], upper[1]) = (0.0, 0.0),
            1 => (lower[0], upper[0]) = (f64::NEG_INFINITY, f64::INFINITY),
            2 => upper[0] = 0.1,
            _ => {}
        }
        Bounds::Fixed { lower, upper }
    }
}

#[test]
fn boxes_move_as_by_pivots_on_the_matrix() {
    for seed in 0..40 {
        let (nodes, contacts) = (4 + seed as usize / 4, 12 + seed as usize);
        let rows = random_problem(seed, nodes, contacts);
        let eps = if seed % 2 == 0 { 0.0 } else { 0.03 };
        let problem = bounded(&rows, random_box(seed), eps);
        let mut r = vec![[0.0; 3]; contacts];
        let (report, work) = solved(&problem, &mut r);
        assert!(report.certified, "{seed}: {report:?} {:?}", work.links);
        let twin = boxed(&problem);
        let answer = solve_lcp(&twin, LcpSolver::Auto, 1e-10, &never);
        assert_eq!(answer.verdict, Verdict::Certified);
        let other: Vec<Triple> = answer.z.chunks_exact(3).map(|r| [r[0], r[1], r[2]]).collect();
        for (x, y) in motion(&problem, &r).iter().zip(motion(&problem, &other)) {
            assert!((x - y).abs() < 1e-8, "{seed}: {x} {y}");
        }
        // the judges have the same numbers
        let mut judge = Judge::default();
        let flat = r.as_flattened();
        let (own, lcp) = (judge.boxes(&problem, &r).scaled, judge.lcp(&twin, flat).scaled);
        assert!((own - lcp).abs() <= 1e-12, "{own} {lcp}");
    }
}

#[test]
fn friction_within_sections_obeys_the_mixed_problem() {
    let mut certified = 0;
    for seed in 0..40 {
        let (nodes, contacts) = (4 + seed as usize / 4, 10 + seed as usize / 2);
        let rows = random_problem(seed, nodes, contacts);
        let section = |c: usize| match (seed + c as u64) % 3 {
            0 => Bounds::Axes { mu: [0.3, 0.7] },
            1 => Bounds::Axes { mu: [0.5, 0.0] },
            _ => Bounds::Polygon { mu: 0.4 },
        };
        let eps = if seed % 2 == 0 { 0.0 } else { 0.05 };
        let problem = bounded(&rows, section, eps);
        let mut r = vec![[0.0; 3]; contacts];
        let (report, _) = solved(&problem, &mut r);
        certified += usize::from(report.certified);
        if !report.certified {
            continue;
        }
        // the slips that belong to r, read off its velocities, solve the mixed problem
        let twin = mixed(&problem);
        let mut judge = Judge::default();
        judge.boxes(&problem, &r);
        let mut z = r.as_flattened().to_vec();
        let u = judge.w().to_vec();
        for (c, bounds) in problem.bounds().iter().enumerate() {
            let u_t = [u[3 * c + 1], u[3 * c + 2]];
            z.extend(slips(bounds, problem.directions(), &r[c], u_t));
        }
        let residual = judge.lcp(&twin, &z);
        assert!(residual.natural < 1e-8, "{seed}: {residual:?}");
    }
    assert!(certified >= 38, "{certified} of 40");
}

/// Speeds beyond the sides of a section, against and along each direction.
fn slips(bounds: &Bounds, directions: &[[f64; 2]], r: &Triple, u_t: [f64; 2]) -> Vec<f64> {
    let axes = [[1.0, 0.0], [0.0, 1.0]];
    let (e, mu) = match *bounds {
        Bounds::Axes { mu } => (&axes[..], mu.to_vec()),
        Bounds::Polygon { mu } => (directions, vec![mu; directions.len()]),
        Bounds::Fixed { .. } => panic!("friction is bounded by the normal impulse"),
    };
    // sides that r touches; −u_t is a sum of their outward normals, at most two of them
    let mut normals: Vec<(usize, [f64; 2])> = Vec::new();
    for (j, (e, mu)) in e.iter().zip(&mu).enumerate() {
        let reach = e[0] * r[1] + e[1] * r[2];
        for (side, sign) in [(2 * j, 1.0), (2 * j + 1, -1.0)] {
            if sign * reach >= mu * r[0] - 1e-7 {
                normals.push((side, [sign * e[0], sign * e[1]]));
            }
        }
    }
    let mut best = (u_t[0].abs() + u_t[1].abs(), vec![0.0; 2 * e.len()]);
    let mut offer = |parts: &[(usize, [f64; 2], f64)]| {
        let mut left = u_t;
        let mut w = vec![0.0; 2 * e.len()];
        for (side, normal, speed) in parts {
            w[*side] += speed;
            left = [left[0] + speed * normal[0], left[1] + speed * normal[1]];
        }
        let is_positive = parts.iter().all(|(_, _, speed)| *speed >= -1e-9);
        if is_positive && left[0].abs() + left[1].abs() < best.0 {
            best = (left[0].abs() + left[1].abs(), w);
        }
    };
    for &(a, n) in &normals {
        let speed = -(n[0] * u_t[0] + n[1] * u_t[1]);
        offer(&[(a, n, speed.max(0.0))]);
        for &(b, k) in &normals {
            let det = n[0] * k[1] - n[1] * k[0];
            if det.abs() > 1e-9 {
                let first = -(u_t[0] * k[1] - u_t[1] * k[0]) / det;
                let second = -(n[0] * u_t[1] - n[1] * u_t[0]) / det;
                offer(&[(a, n, first), (b, k, second)]);
            }
        }
    }
    best.1
}

#[test]
fn the_last_active_set_takes_one_factorization() {
    for seed in 0..20 {
        let rows = random_problem(seed, 12, 30);
        let problem = bounded(&rows, random_box(seed), 0.0);
        let mut r = vec![[0.0; 3]; 30];
        assert!(solved(&problem, &mut r).0.certified);
        // impulses that are a little off, between the same bounds
        for (c, r) in r.iter_mut().enumerate() {
            let Bounds::Fixed { lower, upper } = problem.bounds()[c] else { continue };
            for i in 0..3 {
                if r[i] > lower[i] + 1e-6 && r[i] < upper[i] - 1e-6 {
                    r[i] += 1e-7;
                }
            }
        }
        let (report, work) = solved(&problem, &mut r);
        let factorizations: usize = work.links.iter().map(|link| link.report.factorizations).sum();
        assert!(report.certified && factorizations <= 2, "{seed}: {:?}", work.links);
    }
}

#[test]
fn many_contacts_of_one_body_are_redundant_and_are_solved() {
    // 60 contacts on two bodies: W has rank 12 of 180. They squeeze from all sides, so impulses end at their bounds
    for seed in 0..10 {
        let rows = random_problem(seed, 2, 60);
        let half = |c: usize| 0.01 * (c % 7) as f64;
        let lagged = |c: usize| Bounds::Fixed {
            lower: [0.0, -half(c), -half(c)],
            upper: [5.0, half(c), half(c)],
        };
        let problem = bounded(&rows, lagged, 0.0);
        let mut r = vec![[0.0; 3]; 60];
        let (report, work) = solved(&problem, &mut r);
        assert!(report.certified, "{seed}: {:?}", work.links);
    }
}

#[test]
fn a_stop_is_heard_and_the_answer_is_within_bounds() {
    let rows = random_problem(3, 12, 30);
    let problem = bounded(&rows, random_box(3), 0.0);
    let mut r = vec![[0.0; 3]; 30];
    let report = solve_boxes(&problem, 1e-10, &mut BoxWork::default(), &|| true, &mut r);
    assert!(!report.certified && r.iter().flatten().all(|r| r.is_finite()));
}

/// With one active set again and again there is nothing to factor: the limit of factorizations alone would never end it.
#[test]
fn newton_ends_where_the_tolerance_is_out_of_reach() {
    use super::newton::{NewtonSettings, NewtonWork, newton};
    let settings = NewtonSettings { tol: 0.0, good: 0.0, max_factorizations: 150, stiffness: 10.0 };
    for seed in 0..40 {
        let rows = random_problem(seed, 6, 14);
        let problem = bounded(&rows, |_| Bounds::Polygon { mu: 0.4 }, 0.0);
        let mut r = vec![[0.0; 3]; 14];
        let (mut work, mut factor) =
            (NewtonWork::default(), crate::motion::factor::Factor::default());
        let memory = (&mut work, &mut factor);
        let report = newton(problem.view(), &settings, memory, &never, &mut r);
        assert!(report.iterations <= 10 * 150 + 60, "{seed}: {report:?}");
    }
}
