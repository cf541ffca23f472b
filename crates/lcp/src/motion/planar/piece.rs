//! The four pieces of a planar contact: what it does on each, where each ends, and what lies beyond.

/// What a planar contact does; slip with the direction of its impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::motion) enum Piece {
    Open,
    Stick,
    Slip(f64),
}

/// n and t.
pub(in crate::motion) type Pair = [f64; 2];

/// The piece on which r is exact at velocities u with the smallest shift, and the shift; contacts without impulse are lifted.
pub(super) fn exact(r: &Pair, u: &Pair, mu: f64, lift: f64) -> (Piece, Pair) {
    let tau = r[1].signum();
    if !(r[0] > 0.0) {
        (Piece::Open, [(-u[0]).max(0.0) + lift, 0.0])
    } else if r[1].abs() >= mu * r[0] && tau * u[1] < 0.0 {
        (Piece::Slip(tau), [-u[0], 0.0])
    } else {
        (Piece::Stick, [-u[0], -u[1]])
    }
}

/// Functions of z that are positive inside a piece: at most two, the other one being zero.
pub(super) fn sides(piece: Piece, mu: f64) -> [Pair; 2] {
    match piece {
        Piece::Open => [[-1.0, 0.0], [0.0; 2]],
        Piece::Stick => [[mu, -1.0], [mu, 1.0]],
        Piece::Slip(tau) => [[1.0, 0.0], [-mu, tau]],
    }
}

/// The piece beyond a side, and which of its own sides that is.
pub(super) fn beyond(piece: Piece, side: usize, z: &Pair) -> (Piece, usize) {
    match (piece, side) {
        (Piece::Open, _) => (Piece::Slip(z[1].signum()), 0),
        (Piece::Stick, 0) => (Piece::Slip(1.0), 1),
        (Piece::Stick, _) => (Piece::Slip(-1.0), 1),
        (Piece::Slip(_), 0) => (Piece::Open, 0),
        (Piece::Slip(tau), _) => (Piece::Stick, usize::from(tau < 0.0)),
    }
}

/// a and g of the change `a gᵀ` of a block from one piece to its neighbour.
pub(super) fn change(before: Piece, after: Piece, mu: f64, slope: &Pair) -> (Pair, Pair) {
    match (before, after) {
        (Piece::Slip(tau), Piece::Open) => ([1.0, tau * mu], [-slope[0], 0.0]),
        (Piece::Slip(tau), _) => ([0.0, 1.0], [-tau * mu * slope[0], slope[1]]),
        (Piece::Stick, Piece::Slip(tau)) => ([0.0, 1.0], [tau * mu * slope[0], -slope[1]]),
        (_, Piece::Slip(tau)) => ([1.0, tau * mu], [slope[0], 0.0]),
        _ => ([0.0; 2], [0.0; 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::mode::{Mode, respond};
    use crate::testing::Random;

    fn piece_of(z: &Pair, mu: f64) -> Piece {
        match Mode::of(&[z[0], z[1], 0.0], mu) {
            Mode::Open => Piece::Open,
            Mode::Stick => Piece::Stick,
            Mode::Slip => Piece::Slip(z[1].signum()),
        }
    }

    fn response(piece: Piece, z: &Pair, mu: f64) -> Pair {
        match piece {
            Piece::Open => [0.0; 2],
            Piece::Stick => *z,
            Piece::Slip(tau) => [z[0], tau * mu * z[0]],
        }
    }

    #[test]
    fn sides_are_positive_inside_and_the_impulse_is_that_of_the_law() {
        let mut random = Random::new(4);
        for _ in 0..1000 {
            let (z, mu) = ([random.next(), random.next()], random.next().abs());
            let piece = piece_of(&z, mu);
            assert!(sides(piece, mu).iter().all(|s| s[0] * z[0] + s[1] * z[1] >= 0.0));
            let z3 = [z[0], z[1], 0.0];
            let expected = respond(Mode::of(&z3, mu), &z3, mu);
            let r = response(piece, &z, mu);
            assert!((r[0] - expected[0]).abs() + (r[1] - expected[1]).abs() < 1e-15);
        }
    }

    /// At a side the two pieces agree, the side that is entered is the one that was left, and the blocks differ by `a gᵀ`.
    #[test]
    fn beyond_a_side_the_other_piece_goes_on() {
        let (mu, slope) = (0.4, [2.0, 3.0]);
        let corners: [(Piece, usize, Pair); 6] = [
            (Piece::Open, 0, [0.0, -0.7]),
            (Piece::Slip(-1.0), 0, [0.0, -0.7]),
            (Piece::Stick, 0, [1.0, 0.4]),
            (Piece::Stick, 1, [1.0, -0.4]),
            (Piece::Slip(1.0), 1, [1.0, 0.4]),
            (Piece::Slip(-1.0), 1, [1.0, -0.4]),
        ];
        let block = |piece: Piece| {
            let column = |z: Pair| response(piece, &z, mu);
            let (n, t) = (column([1.0, 0.0]), column([0.0, 1.0]));
            [n[0] * slope[0], t[0] * slope[1], n[1] * slope[0], t[1] * slope[1]]
        };
        for (piece, side, z) in corners {
            let (next, entered) = beyond(piece, side, &z);
            assert_eq!(beyond(next, entered, &z).0, piece);
            let s = sides(next, mu)[entered];
            assert!((s[0] * z[0] + s[1] * z[1]).abs() < 1e-15, "{piece:?} {side}");
            let (r, r_next) = (response(piece, &z, mu), response(next, &z, mu));
            assert!((r[0] - r_next[0]).abs() + (r[1] - r_next[1]).abs() < 1e-15);
            let (a, g) = change(piece, next, mu, &slope);
            let (before, after) = (block(piece), block(next));
            for k in 0..4 {
                assert!((before[k] + a[k / 2] * g[k % 2] - after[k]).abs() < 1e-15, "{piece:?}");
            }
        }
    }

    #[test]
    fn impulses_are_exact_with_the_shift() {
        let mut random = Random::new(9);
        for trial in 0..300 {
            let (n, mu) = (random.next(), 0.5);
            let share = if trial % 3 == 0 { random.next().signum() } else { random.next() };
            let r = if n > 0.0 { [n, mu * share * n] } else { [0.0; 2] };
            let u = [random.next(), random.next()];
            let (_, d) = exact(&r, &u, mu, 0.01);
            let z = [r[0] - u[0] - d[0], r[1] - u[1] - d[1]];
            let expected = response(piece_of(&z, mu), &z, mu);
            assert!((r[0] - expected[0]).abs() + (r[1] - expected[1]).abs() < 1e-14, "{r:?} {u:?}");
        }
    }
}
