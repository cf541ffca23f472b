//! Every solver on every family: the status that theory promises, no claim that the judge refuses, the
//! same bits from a used workspace as from a fresh one, and from other units.

use stiction_lcp::families::scenes::{self, Interface, SceneSettings};
use stiction_lcp::families::{Family, Known, Scene};
use stiction_lcp::judge::Judge;
use stiction_lcp::{BoxLcp, FrictionProblem, Report, Status};

use crate::solvers::{self, Solver, friction_in_units, lcp_in_units, planar};

const SIZES: [usize; 4] = [2, 5, 9, 14];
const SEEDS: u64 = 3;

/// (z, w) counted in other units, by even and odd powers of two.
const UNITS: [(f64, f64); 6] = [
    (4.0, 1.0),
    (1.0, 1024.0),
    (64.0, 0.25),
    (2.0, 1.0),
    (1.0, 0.125),
    (9.313_225_746_154_785e-10, 1_048_576.0), // 2⁻³⁰, 2²⁰
];

/// `(family, n, seed)`, the problem, and what is known of it.
fn specimens() -> Vec<(Family, String, BoxLcp, Known)> {
    let mut all = Vec::new();
    for family in Family::ALL {
        for n in SIZES {
            for seed in 0..SEEDS {
                let place = format!("{}, n = {n}, seed {seed}", family.name());
                let specimen = family.make(n, seed);
                all.push((family, place, specimen.problem, specimen.known));
            }
        }
    }
    all
}

/// What theory promises of a solver on a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    Solved,
    Ray,
    NotApplicable,
    /// Anything but a false claim.
    Nothing,
}

impl Promise {
    fn is_kept(self, status: Status) -> bool {
        match self {
            Self::Solved => status == Status::Solved,
            Self::Ray => status == Status::Ray,
            Self::NotApplicable => matches!(status, Status::NotApplicable(_)),
            Self::Nothing => true,
        }
    }
}

fn is_p_matrix(family: Family) -> bool {
    use Family as F;
    matches!(
        family,
        F::Definite
            | F::Nonsymmetric
            | F::KMatrix
            | F::FarFromDefinite
            | F::BadlyScaled
            | F::MurtyLower
            | F::MurtyUpper
            | F::Fathi
            | F::Ties
            | F::Mixed
            | F::Boxed
    )
}

fn has_zero_diagonal(family: Family) -> bool {
    use Family as F;
    matches!(
        family,
        F::Assignment
            | F::CyclingProgram
            | F::DegenerateProgram
            | F::ZeroMatrix
            | F::UnboundedProgram
            | F::FeasibleUnsolvable
            | F::PyramidShaken
            | F::PyramidAtRest
    )
}

fn promise(solver: &str, family: Family, known: &Known) -> Promise {
    use Family as F;
    use Promise::{NotApplicable, Nothing, Ray, Solved};
    let solved_if = |yes: bool| if yes { Solved } else { Nothing };
    match solver {
        // copositive, P or a linear program: all of them are processed
        "lemke" | "lemke, largest pivot" => match (family, known) {
            (F::Boxed, _) => NotApplicable,
            (_, Known::Unsolvable) => Ray,
            _ => Solved,
        },
        "block-pivoting" | "murty" => solved_if(is_p_matrix(family)),
        // symmetric positive semidefinite
        "keller" => match family {
            F::Definite
            | F::BadlyScaled
            | F::HalfRank
            | F::DegenerateSemidefinite
            | F::Fathi
            | F::Ties
            | F::AllOnes
            | F::ZeroMatrix => Solved,
            F::Wedge | F::UnsolvableSemidefinite => Ray,
            F::Nonsymmetric
            | F::FarFromDefinite
            | F::MurtyLower
            | F::MurtyUpper
            | F::Assignment
            | F::CyclingProgram
            | F::PyramidShaken
            | F::PyramidAtRest => NotApplicable,
            _ => Nothing,
        },
        "psor" | "nncg" => match family {
            _ if has_zero_diagonal(family) => NotApplicable,
            F::MinusIdentity => NotApplicable,
            F::KMatrix | F::BadlyScaled | F::Fathi | F::AllOnes => Solved,
            _ => Nothing,
        },
        "prox" => match family {
            F::Nonsymmetric | F::KMatrix | F::BadlyScaled | F::Fathi | F::AllOnes => Solved,
            _ => Nothing,
        },
        "newton-min" | "newton-fb" => solved_if(is_p_matrix(family)),
        _ => panic!("no promise is written down for {solver}"),
    }
}

#[test]
fn lcp_solvers_keep_their_promises_and_claim_nothing_false() {
    let mut judge = Judge::default();
    for (family, place, problem, known) in specimens() {
        for mut solver in solvers::of_lcps() {
            let mut z = solvers::start(&problem);
            let status = solver.run(&problem, &mut z).status;
            let promise = promise(solver.name, family, &known);
            let name = solver.name;
            assert!(promise.is_kept(status), "{name} promised {promise:?}: {status:?}, {place}");
            if status == Status::Solved {
                assert_ne!(known, Known::Unsolvable, "{name} solved the unsolvable: {place}");
                let residual = judge.lcp(&problem, &z);
                assert!(residual.accepts(solver.tolerance), "{name}, {place}: {residual:?}");
                assert!(residual.scaled <= 1e-6, "{name}, {place}: {residual:?}");
            }
        }
    }
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x_i| x_i.to_bits()).collect()
}

/// Solves with a workspace that has seen other problems, twice, and with a fresh one.
fn solve_three_times<P: 'static>(
    place: &str,
    (used, fresh): (&mut Solver<P>, &mut Solver<P>),
    (problem, x): (&P, &[f64]),
) -> (Report, Vec<f64>) {
    let (mut first, mut second, mut third) = (x.to_vec(), x.to_vec(), x.to_vec());
    let report = used.run(problem, &mut first);
    assert_eq!(report, used.run(problem, &mut second), "{}, {place}", used.name);
    assert_eq!(report, fresh.run(problem, &mut third), "{}, {place}", used.name);
    assert_eq!(bits(&first), bits(&second), "a second run differs: {}, {place}", used.name);
    assert_eq!(bits(&first), bits(&third), "a used workspace differs: {}, {place}", used.name);
    (report, first)
}

#[test]
fn lcp_solvers_give_the_same_bits_from_any_workspace() {
    let mut used = solvers::of_lcps();
    for (_, place, problem, _) in specimens() {
        let x = solvers::start(&problem);
        for (used, mut fresh) in used.iter_mut().zip(solvers::of_lcps()) {
            solve_three_times(&place, (used, &mut fresh), (&problem, &x));
        }
    }
}

#[test]
fn lemke_and_block_pivoting_do_not_feel_units() {
    for (_, place, problem, _) in specimens() {
        for mut solver in solvers::of_lcps().into_iter().take(3) {
            let mut z = solvers::start(&problem);
            let report = solver.run(&problem, &mut z);
            for (unit_z, unit_w) in UNITS {
                let other = lcp_in_units(&problem, unit_z, unit_w);
                let mut z_other = solvers::start(&other);
                let name = solver.name;
                let report_other = solver.run(&other, &mut z_other);
                assert_eq!(report, report_other, "{name}, {place}, units {unit_z} {unit_w}");
                let back: Vec<f64> = z_other.iter().map(|z_i| z_i / unit_z).collect();
                assert_eq!(z, back, "{name}, {place}, units {unit_z} {unit_w}");
            }
        }
    }
}

/// Scenes at rest, shaken and without friction, in space and in the plane.
fn cones() -> Vec<(String, FrictionProblem)> {
    let mut all = Vec::new();
    let smooth = SceneSettings { mu: 0.0, ..SceneSettings::shaken(3) };
    let settings = [
        ("at rest", SceneSettings::default()),
        ("shaken", SceneSettings::shaken(1)),
        ("shaken otherwise", SceneSettings::shaken(2)),
        ("smooth", smooth),
    ];
    for (state, settings) in settings {
        for contacts in [1, 4, 12, 24] {
            let scenes: [(&str, Scene); 4] = [
                ("pile", scenes::pile(contacts, &settings)),
                ("towers", scenes::towers(contacts, 3, &settings)),
                ("wall of two", scenes::wall(contacts, Interface::Two, &settings)),
                ("wall of four", scenes::wall(contacts, Interface::Four, &settings)),
            ];
            for (name, scene) in scenes {
                let problem = scene.friction();
                all.push((format!("planar {name} of {contacts}, {state}"), planar(&problem)));
                all.push((format!("{name} of {contacts}, {state}"), problem));
            }
        }
    }
    all
}

#[test]
fn cone_solvers_claim_nothing_false_from_any_workspace() {
    let mut judge = Judge::default();
    let mut used = solvers::of_cones();
    let mut solved = vec![0; used.len()];
    let cones = cones();
    for (place, problem) in &cones {
        let x = vec![0.0; problem.n()];
        for (k, mut fresh) in solvers::of_cones().into_iter().enumerate() {
            let (report, r) = solve_three_times(place, (&mut used[k], &mut fresh), (problem, &x));
            let (name, residual) = (fresh.name, judge.friction(problem, &r));
            if report.status == Status::Solved {
                assert!(residual.accepts(fresh.tolerance), "{name}, {place}: {residual:?}");
                assert!(residual.scaled <= 1e-6, "{name}, {place}: {residual:?}");
                solved[k] += 1;
            }
        }
    }
    // interior point is exact only where nothing slips, and one wall takes Gauss–Seidel too long
    let all = cones.len();
    for (solver, solved) in used.iter().zip(solved) {
        let least = match solver.name {
            "interior-point" => all / 2,
            "nsgs" => all - 1,
            _ => all,
        };
        assert!(solved >= least, "{} solved only {solved} of {all}", solver.name);
    }
}

/// The others stop by the field's number too, which mixes the units of impulse and velocity.
#[test]
fn alart_curnier_does_not_feel_units() {
    for (place, problem) in cones() {
        for mut solver in solvers::of_cones().into_iter().filter(|s| s.name == "alart-curnier") {
            let mut r = vec![0.0; problem.n()];
            let report = solver.run(&problem, &mut r);
            for (unit_r, unit_u) in UNITS {
                let other = friction_in_units(&problem, unit_r, unit_u);
                let mut r_other = vec![0.0; problem.n()];
                let name = solver.name;
                let report_other = solver.run(&other, &mut r_other);
                assert_eq!(report, report_other, "{name}, {place}, units {unit_r} {unit_u}");
                let back: Vec<f64> = r_other.iter().map(|r_i| r_i / unit_r).collect();
                assert_eq!(r, back, "{name}, {place}, units {unit_r} {unit_u}");
            }
        }
    }
}
