//! A repeated solve of the same size allocates nothing. `enumeration`, `farkas`, `auto` and the
//! reduction of friction pyramids to cones are exempt: their answers are lists of unknown length.
//! The fill of sparse factors depends on the path, so there only the same problem is asked again.

use allocation_counter::measure;
use stiction_lcp::families::scenes::{self, Interface, SceneSettings};
use stiction_lcp::families::{Family, positive};
use stiction_lcp::judge::Judge;
use stiction_lcp::{BoxLcp, FrictionProblem};

use crate::solvers::{self, Solver, planar};

fn allocations(solve: impl FnOnce()) -> u64 {
    measure(solve).count_total
}

/// The first solve may allocate; no later one may, also on problems that differ only in values.
fn second_solve_is_free<P: 'static>(
    place: &str,
    solver: &mut Solver<P>,
    (problem, x): (&P, &[f64]),
    others: &[(P, Vec<f64>)],
) -> Option<String> {
    let mut answer = x.to_vec();
    solver.run(problem, &mut answer);
    answer.copy_from_slice(x);
    let again = allocations(|| {
        solver.run(problem, &mut answer);
    });
    let mut other = 0;
    for (problem, x) in others {
        answer.copy_from_slice(x);
        other += allocations(|| {
            solver.run(problem, &mut answer);
        });
    }
    let failed = again > 0 || other > 0;
    failed.then(|| format!("{}, {place}: {again} again, {other} on other values", solver.name))
}

fn assert_none(failures: &[String]) {
    assert!(failures.is_empty(), "allocations in a repeated solve:\n{}", failures.join("\n"));
}

#[test]
fn an_allocation_is_counted() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 3]))), 1);
}

#[test]
fn solvers_of_dense_lcps() {
    let mut failures = Vec::new();
    for family in Family::ALL {
        let problem = family.make(12, 0).problem;
        let x = solvers::start(&problem);
        for mut solver in solvers::of_lcps() {
            failures.extend(second_solve_is_free(family.name(), &mut solver, (&problem, &x), &[]));
        }
    }
    assert_none(&failures);
}

#[test]
fn solvers_of_dense_lcps_with_other_values() {
    let mut failures = Vec::new();
    let with_start = |problem: BoxLcp| {
        let x = solvers::start(&problem);
        (problem, x)
    };
    for n in [10, 40] {
        let others: Vec<_> =
            (1..6).map(|seed| with_start(positive::definite(n, 1e3, seed).problem)).collect();
        let (problem, x) = with_start(positive::definite(n, 1e3, 0).problem);
        for mut solver in solvers::of_lcps() {
            failures.extend(second_solve_is_free("definite", &mut solver, (&problem, &x), &others));
        }
    }
    assert_none(&failures);
}

#[test]
fn solvers_of_sparse_lcps() {
    let mut failures = Vec::new();
    let scene = scenes::pile(12, &SceneSettings::shaken(3));
    let pyramid = scene.pyramid(4);
    let bounded = solvers::sparse(&Family::Boxed.make(20, 1).problem);
    for (place, problem) in [("sparse pyramid", pyramid), ("sparse box", bounded)] {
        assert!(problem.A().is_sparse());
        let x = solvers::start(&problem);
        for mut solver in solvers::of_lcps() {
            failures.extend(second_solve_is_free(place, &mut solver, (&problem, &x), &[]));
        }
    }
    assert_none(&failures);
}

#[test]
fn solvers_of_cones() {
    let mut failures = Vec::new();
    let scene = |seed| scenes::wall(12, Interface::Two, &SceneSettings::shaken(seed)).friction();
    let cases = |make: &dyn Fn(u64) -> FrictionProblem| {
        let problem = make(0);
        let others: Vec<_> = (1..4).map(|seed| (make(seed), vec![0.0; problem.n()])).collect();
        (problem, others)
    };
    let planar_scene = |seed| planar(&scene(seed));
    for (place, (problem, others)) in
        [("wall", cases(&scene)), ("planar wall", cases(&planar_scene))]
    {
        let x = vec![0.0; problem.n()];
        for mut solver in solvers::of_cones() {
            let is_sparse = solver.name == "alart-curnier";
            let others = if is_sparse { &[] } else { &others[..] };
            failures.extend(second_solve_is_free(place, &mut solver, (&problem, &x), others));
        }
    }
    assert_none(&failures);
}

#[test]
fn the_judge() {
    let problem = Family::Boxed.make(12, 0).problem;
    let friction = scenes::pile(4, &SceneSettings::default()).friction();
    let (z, r) = (solvers::start(&problem), vec![0.1; friction.n()]);
    let mut judge = Judge::new(12);
    let mut total = 0.0;
    assert_eq!(allocations(|| total += judge.lcp(&problem, &z).natural), 0);
    assert_eq!(allocations(|| total += judge.friction(&friction, &r).natural), 0);
    assert!(total > 0.0);
}
