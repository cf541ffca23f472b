use super::*;
use crate::families::piles::{PileSettings, disk_pile};
use crate::motion::mode::{Mode, respond, shifted};
use crate::motion::path::{PathSettings, PathWork, follow};
use crate::never;

/// Steps of the path from zero, each of the stiffness given.
fn steps(problem: &crate::motion::MotionProblem, stiffness: &[f64]) -> (PlanarPath, Vec<Place>) {
    let (mut path, mut factor) = (PlanarPath::default(), Factor::default());
    factor.analyse(problem);
    path.begin(problem, &vec![[0.0; 3]; problem.contacts()]);
    let mut places = Vec::new();
    for &kappa in stiffness {
        let status = path.step(problem, kappa, (5000, f64::INFINITY), &mut factor);
        assert_eq!(status, Status::Solved, "κ = {kappa}");
        places.push(path.at.clone());
    }
    (path, places)
}

fn pile(rows: usize, mu: f64, v: f64) -> crate::motion::MotionProblem {
    disk_pile(rows, &PileSettings { mu, v_ground: [v, 0.0, 0.0], ..PileSettings::default() })
}

#[test]
fn a_step_ends_at_the_proximal_step_of_coulombs_law() {
    for (rows, mu, v) in [(4, 0.3, 0.1), (6, 0.5, 0.2), (8, 0.2, 0.3)] {
        let problem = pile(rows, mu, v);
        let kappas = [1.0, 3.0, 3.0, 3.0, 10.0];
        let (path, places) = steps(&problem, &kappas);
        assert!(path.factorizations < path.corners / 4 + 10, "{}", path.factorizations);
        let mut centre = vec![[0.0; 3]; problem.contacts()];
        for (place, kappa) in places.iter().zip(kappas) {
            for c in 0..problem.contacts() {
                let s = kappa * Space::mass(&problem, c);
                let z = shifted(&problem, c, (&centre[c], s), &place.x);
                let expected = respond(Mode::of(&z, mu), &z, mu);
                let size = 1.0 + z[0].abs() + z[1].abs();
                for i in 0..2 {
                    let misses = (place.r[c][i] - expected[i]).abs();
                    assert!(misses <= 1e-9 * size, "{rows} rows, {c}: {misses}");
                }
            }
            centre = place.r.iter().map(|r| [r[0], r[1], 0.0]).collect();
        }
    }
}

/// The twin that factors at every corner it cannot follow, for the same shift.
#[test]
fn a_step_ends_where_the_path_of_all_contacts_does() {
    let problem = pile(6, 0.4, 0.2);
    let (_, places) = steps(&problem, &[3.0, 3.0, 30.0]);
    let triples = |pairs: &[Pair]| pairs.iter().map(|p| [p[0], p[1], 0.0]).collect::<Vec<Triple>>();
    let mut r = triples(&places[1].r);
    let settings = PathSettings {
        stiffness: 30.0,
        max_corners: 5000,
        farthest: f64::INFINITY,
        is_backward: false,
    };
    let memory = (&mut PathWork::default(), &mut Factor::default());
    let shift = triples(&places[1].d);
    let report = follow(&problem, &settings, memory, (&shift, &never), &mut r);
    assert_eq!(report.status, Status::Solved);
    let size = r.iter().flatten().fold(0.0_f64, |m, r| m.max(r.abs()));
    for (r, expected) in places[2].r.iter().zip(&r) {
        let misses = (r[0] - expected[0]).abs() + (r[1] - expected[1]).abs();
        assert!(misses <= 1e-7 * size, "{misses} of {size}");
    }
}
