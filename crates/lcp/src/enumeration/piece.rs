//! A leaf of the tree: all modes chosen, what remains is a polyhedron.

use super::{EnumerationWorkspace, SolutionPiece};
use crate::farkas::{FarkasWorkspace, Twofold, Variable, refuting};
use crate::judge::Mode;
use crate::problem::BoxLcp;

/// Equations hold and signs are right within this part of their terms …
const ACCEPT: f64 = 1e-11;
/// … and two points are the same within this.
const SAME: f64 = 1e-9;
/// What solving leaves where every term vanishes, against the size of z or b in equilibrated units.
const ROUNDING: f64 = 1e-13;
/// A column below this part of itself after elimination is dependent.
const RANK: f64 = 1e-11;

pub(super) enum Leaf {
    Piece(SolutionPiece),
    /// A Farkas vector.
    Refuted(Vec<f64>),
    /// Neither refuted nor solved within rounding.
    Unclear,
}

/// Row i is an equation `w_i = 0` under its mode.
fn is_equation(problem: &BoxLcp, modes: &[Mode], i: usize) -> bool {
    modes[i] == Mode::Between || problem.is_free(i)
}

/// What the modes leave, given a point of it from the simplex method (whose state is still there).
pub(super) fn of_leaf(
    problem: &BoxLcp,
    modes: &[Mode],
    point: Option<Vec<f64>>,
    work: &mut EnumerationWorkspace,
) -> Leaf {
    let unknown: Vec<usize> =
        (0..problem.n()).filter(|&i| is_equation(problem, modes, i)).collect();
    if let Some(z) = unique_point(problem, modes, &unknown, work) {
        if obeys(problem, modes, &z, (ACCEPT, &work.farkas)) {
            return single(modes, z);
        }
        return match refutation(problem, modes, &unknown, &z, work) {
            Some(y) => Leaf::Refuted(y),
            None => Leaf::Unclear,
        };
    }
    match point {
        Some(z) => family(problem, modes, &unknown, z, work),
        None => Leaf::Unclear,
    }
}

fn single(modes: &[Mode], z: Vec<f64>) -> Leaf {
    let (vertices, directions) = (Vec::new(), Vec::new());
    Leaf::Piece(SolutionPiece { modes: modes.to_vec(), z, dimension: 0, vertices, directions })
}

/// The value of z_i where its mode or its bounds fix it.
fn fixed_value(problem: &BoxLcp, mode: Mode, i: usize) -> f64 {
    if mode == Mode::AtUpper { problem.upper()[i] } else { problem.lower()[i] }
}

/// Solves the equations for the unknown z, corrected twice; `None` if they are singular.
fn unique_point(
    problem: &BoxLcp,
    modes: &[Mode],
    unknown: &[usize],
    work: &mut EnumerationWorkspace,
) -> Option<Vec<f64>> {
    let lu = &mut work.lu;
    let (row, column) = work.farkas.scales();
    let n = problem.n();
    let mut place = vec![usize::MAX; n];
    for (p, &i) in unknown.iter().enumerate() {
        place[i] = p;
    }
    lu.reset(unknown.len());
    for (p, &j) in unknown.iter().enumerate() {
        problem.A().for_column(j, |i, a_ij| {
            if place[i] != usize::MAX {
                lu.set(place[i], p, a_ij * row[i] * column[j]);
            }
        });
    }
    lu.factor(RANK);
    if !lu.dependent().is_empty() {
        return None;
    }
    let mut z: Vec<f64> = (0..n)
        .map(|i| if place[i] == usize::MAX { fixed_value(problem, modes[i], i) } else { 0.0 })
        .collect();
    let (mut w, mut step) = (vec![0.0; n], vec![0.0; unknown.len()]);
    for _ in 0..3 {
        problem.A().affine(&z, problem.b(), &mut w);
        for (p, &i) in unknown.iter().enumerate() {
            step[p] = -w[i] * row[i];
        }
        lu.solve(&mut step);
        for (p, &i) in unknown.iter().enumerate() {
            z[i] += step[p] * column[i];
        }
    }
    // rounding may put z a little outside its bounds
    let size = largest(&z, column) + work.farkas.unit() * ROUNDING / SAME;
    for &i in unknown {
        let inside = problem.clamp(i, z[i]);
        if (inside - z[i]).abs() <= SAME * size * column[i] {
            z[i] = inside;
        }
    }
    z.iter().all(|z_i| z_i.is_finite()).then_some(z)
}

/// The Farkas vector of the inequality that the only point of the equations violates most: with
/// w = 0 on the equations, `Σ y_i w_i` is that inequality's own side.
fn refutation(
    problem: &BoxLcp,
    modes: &[Mode],
    unknown: &[usize],
    z: &[f64],
    work: &mut EnumerationWorkspace,
) -> Option<Vec<f64>> {
    let n = problem.n();
    let mut w = vec![0.0; n];
    problem.A().affine(z, problem.b(), &mut w);
    let (row, column) = work.farkas.scales();
    let mut worst = (0.0, None);
    for (variable, sign) in inequalities(problem, modes) {
        let outside = match variable {
            Variable::W(i) => -sign * w[i] * row[i],
            Variable::Z(i) if sign > 0.0 => (problem.lower()[i] - z[i]) / column[i],
            Variable::Z(i) => (z[i] - problem.upper()[i]) / column[i],
        };
        if outside > worst.0 {
            worst = (outside, Some((variable, sign)));
        }
    }
    let (variable, sign) = worst.1?;
    // Aᵀy on the unknown columns: nothing for a sign of w, −sign e_i for a bound of z_i
    let mut precise = vec![Twofold::default(); n];
    let mut wanted = vec![0.0; n];
    match variable {
        Variable::W(i) => precise[i] = Twofold::of(sign),
        Variable::Z(i) => wanted[i] = -sign / column[i],
    }
    let lu = &mut work.lu;
    lu.reset(unknown.len());
    for (p, &j) in unknown.iter().enumerate() {
        for (q, &i) in unknown.iter().enumerate() {
            lu.set(p, q, problem.A().get(i, j) * row[i] * column[j]);
        }
    }
    lu.factor(RANK);
    let mut step = vec![0.0; unknown.len()];
    for _ in 0..4 {
        for (p, &j) in unknown.iter().enumerate() {
            let mut rest = Twofold::of(wanted[j]);
            problem.A().for_column(j, |i, a_ij| rest = rest.plus_product(-a_ij, precise[i]));
            step[p] = rest.value() * column[j];
        }
        lu.solve(&mut step);
        for (q, &i) in unknown.iter().enumerate() {
            precise[i] = precise[i].plus(step[q] * row[i]);
        }
    }
    refuting(problem, modes, precise.iter().map(|y_i| y_i.value()).collect())
}

/// Largest entry of z in the units of `scale`.
fn largest(z: &[f64], scale: &[f64]) -> f64 {
    z.iter().zip(scale).fold(0.0, |m, (z_i, s_i)| m.max((z_i / s_i).abs()))
}

/// `z` meets equations and signs of these modes within `tolerance` of the terms, and bounds within
/// `tolerance` of the largest z in equilibrated units; rounding is allowed in any case.
fn obeys(
    problem: &BoxLcp,
    modes: &[Mode],
    z: &[f64],
    (tolerance, scales): (f64, &FarkasWorkspace),
) -> bool {
    let n = z.len();
    let (row, column) = scales.scales();
    let z_size = largest(z, column);
    let rounding = ROUNDING * z_size.max(scales.unit());
    let z_right = (0..n).all(|i| {
        let z_near = (tolerance * z_size + rounding) * column[i];
        let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
        z[i] >= lower - z_near
            && z[i] <= upper + z_near
            && (modes[i] != Mode::AtLower || z[i] <= lower + z_near)
            && (modes[i] != Mode::AtUpper || z[i] >= upper - z_near)
    });
    if !z_right {
        return false;
    }
    let mut w = problem.b().to_vec();
    let mut size: Vec<f64> = problem.b().iter().map(|b_i| b_i.abs()).collect();
    for j in 0..n {
        if z[j] != 0.0 {
            problem.A().for_column(j, |i, a_ij| {
                w[i] += a_ij * z[j];
                size[i] += (a_ij * z[j]).abs();
            });
        }
    }
    (0..n).all(|i| {
        let w_near = tolerance * size[i] + rounding / row[i];
        match modes[i] {
            Mode::AtLower => w[i] >= -w_near,
            Mode::AtUpper => w[i] <= w_near,
            Mode::Between => w[i].abs() <= w_near,
            Mode::Any => !problem.is_free(i) || w[i].abs() <= w_near,
        }
    })
}

/// The point belongs to the piece. With the point in the relative interior of another piece, that
/// one lies within this piece: an inequality that is tight there is tight on all of it.
pub(super) fn contains(
    problem: &BoxLcp,
    piece: &SolutionPiece,
    z: &[f64],
    scales: &FarkasWorkspace,
) -> bool {
    obeys(problem, &piece.modes, z, (SAME, scales))
}

/// The polyhedron of a singular leaf: pushes away from each inequality that no point so far leaves,
/// and averages what was met.
fn family(
    problem: &BoxLcp,
    modes: &[Mode],
    unknown: &[usize],
    start: Vec<f64>,
    work: &mut EnumerationWorkspace,
) -> Leaf {
    let n = problem.n();
    let mut vertices = vec![start];
    let mut directions: Vec<Vec<f64>> = Vec::new();
    let mut tight = Vec::new(); // inequalities that hold as equations on the whole family
    for (variable, sign) in inequalities(problem, modes) {
        let goal = (variable, sign, f64::INFINITY);
        let before = work.farkas.slack(variable, sign);
        let Some(pushed) = work.farkas.push(problem, modes, goal) else { return Leaf::Unclear };
        let after = work.farkas.slack(variable, sign);
        if pushed.direction.is_none() && before.max(after) <= SAME {
            tight.push(variable);
        }
        add_new(&mut vertices, pushed.point);
        if let Some(direction) = pushed.direction {
            let size = direction.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
            if size > 0.0 {
                add_new(&mut directions, direction.iter().map(|d| d / size).collect());
            }
        }
    }
    if !vertices.iter().all(|z| obeys(problem, modes, z, (10.0 * ACCEPT, &work.farkas))) {
        return Leaf::Unclear;
    }
    let count = vertices.len() as f64;
    let size = vertices.iter().flatten().fold(0.0_f64, |m, z| m.max(z.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    let mut z: Vec<f64> =
        (0..n).map(|j| vertices.iter().map(|v| v[j]).sum::<f64>() / count).collect();
    for direction in &directions {
        (0..n).for_each(|j| z[j] += size * direction[j]);
    }
    (0..n).for_each(|j| z[j] = problem.clamp(j, z[j]));
    let scale = work.farkas.scales().1;
    let dimension = unknown.len() - rank(problem, modes, (unknown, scale), &tight);
    if dimension == 0 {
        return single(modes, z);
    }
    Leaf::Piece(SolutionPiece { modes: modes.to_vec(), z, dimension, vertices, directions })
}

/// Inequalities of a leaf: bounds of unknown z (away from lower, away from upper) and signs of w.
fn inequalities(problem: &BoxLcp, modes: &[Mode]) -> Vec<(Variable, f64)> {
    let mut all = Vec::new();
    for (i, &mode) in modes.iter().enumerate() {
        match mode {
            Mode::AtLower => all.push((Variable::W(i), 1.0)),
            Mode::AtUpper => all.push((Variable::W(i), -1.0)),
            Mode::Between => {
                if problem.lower()[i].is_finite() {
                    all.push((Variable::Z(i), 1.0));
                }
                if problem.upper()[i].is_finite() {
                    all.push((Variable::Z(i), -1.0));
                }
            }
            Mode::Any => {}
        }
    }
    all
}

fn add_new(points: &mut Vec<Vec<f64>>, point: Vec<f64>) {
    let size = point.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let same =
        |other: &Vec<f64>| other.iter().zip(&point).all(|(p, q)| (p - q).abs() <= SAME * size);
    if !points.iter().any(same) {
        points.push(point);
    }
}

/// Rank of the equations and the tight inequalities in the unknown z.
fn rank(
    problem: &BoxLcp,
    modes: &[Mode],
    (unknown, scale): (&[usize], &[f64]),
    tight: &[Variable],
) -> usize {
    let entry = |i: usize, j: usize| problem.A().get(i, j) * scale[j];
    let row_of = |i: usize| unknown.iter().map(|&j| entry(i, j)).collect::<Vec<_>>();
    let mut rows: Vec<Vec<f64>> = (0..problem.n())
        .filter(|&i| is_equation(problem, modes, i))
        .map(row_of)
        .chain(tight.iter().map(|&variable| match variable {
            Variable::W(i) => row_of(i),
            Variable::Z(i) => unknown.iter().map(|&j| f64::from(i == j)).collect(),
        }))
        .collect();
    for row in &mut rows {
        let size = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if size > 0.0 {
            row.iter_mut().for_each(|x| *x /= size);
        }
    }
    let mut rank = 0;
    while rank < rows.len() && rank < unknown.len() {
        // complete pivoting: largest entry left
        let (mut best, mut place) = (RANK, None);
        for (r, row) in rows.iter().enumerate().skip(rank) {
            for (c, x) in row.iter().enumerate() {
                if x.abs() > best {
                    (best, place) = (x.abs(), Some((r, c)));
                }
            }
        }
        let Some((r, c)) = place else { break };
        rows.swap(rank, r);
        let pivot_row = rows[rank].clone();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[c] / pivot_row[c];
            for (x, p) in row.iter_mut().zip(&pivot_row) {
                *x -= factor * p;
            }
            row[c] = 0.0;
        }
        rank += 1;
    }
    rank
}
