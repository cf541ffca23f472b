//! A body on a rail that jams: impulses of the convex law without a bound, and the velocities that they must have.

use stiction_lcp::families::Rng;

use super::*;

/// A free body of 1 kg and 0.1 kg·m², and one that a rail lets move along one direction; each touches the ground.
fn jam(rng: &mut Rng) -> ContactSpace {
    let mut W = MatX::zeros(6, 6);
    for (i, w) in [1.2, 4.0, 3.9].into_iter().enumerate() {
        W[(i, i)] = w;
    }
    // n, t1, t2 of the rail, flat enough for friction to hold the body whatever pushes it down
    let heavy = 10f64.powf(rng.between(-4.0, 0.0));
    let rail = [rng.between(0.0, 0.3), rng.between(0.8, 1.0), rng.between(-0.1, 0.1)];
    // a little of the one moves the other
    let other = [0.0; 3].map(|_: f64| 1e-4 * rng.between(-1.0, 1.0));
    let column: Vec<f64> = other.into_iter().chain(rail).collect();
    for i in 0..6 {
        for j in 0..6 {
            W[(i, j)] += heavy * column[i] * column[j];
        }
    }
    let speed = rng.between(-1e-3, 1e-3);
    let free = [-0.94, -1.5, -0.4, 0.0, 0.0, 0.0];
    let u_free = free.iter().zip(&column).map(|(u, c)| u + speed * c).collect();
    ContactSpace {
        h: 1e-3,
        W: Matrix::Dense(W).into(),
        u_free,
        contacts: vec![contact(0.64); 2],
        rows: Vec::new(),
    }
}

#[test]
fn impulses_that_brace_without_end_are_small_ones_with_velocities_that_have_digits() {
    let rng = &mut Rng::new(1);
    for i in 0..300 {
        let space = jam(rng);
        let answer = certified(&space, &Law::Convex(Convex::default()));
        let largest = answer.p.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
        // braced by no more than a million times the impulse of about 1 N·s that stops what moves
        assert!(largest <= 1e6, "{i}: {largest:e} {answer:?}");
        let LawResidual { gap_velocity, .. } = answer.residual;
        assert!(gap_velocity <= 1e-10, "{i}: {answer:?}");
    }
}
