//! Whether springs and dampers are too stiff for an explicit step.
//!
//! With the forces of the beginning of the step a mode of frequency ω and damping rate c (`M⁻¹K`, `M⁻¹C`) is multiplied
//! by the eigenvalues of
//!
//! ```text
//!  ⎡ 1 − h²ω²   h (1 − hc) ⎤      trace 2 − h²ω² − hc,   determinant 1 − hc
//!  ⎣  − hω²       1 − hc   ⎦
//! ```
//!
//! which lie in the unit circle as long as `h²ω² + 2hc < 4` (and hc < 2, which follows). The *load* is the largest
//! eigenvalue of `M⁻¹ (h²K + 2hC)/4`: above 1 the step is unstable. It is found by the power method from the
//! stiffest row, so it is approached from below; springs that share modes make it larger than any alone.

use crate::constraint::rows::{Answer, RowSet};
use crate::model::Model;
use crate::tree::matrix::TreeFactor;

/// Rounds of the power method: the error falls with the ratio of the two largest eigenvalues.
const ROUNDS: usize = 30;

/// What the rows and the dampings of the tree weigh: `h² k + 2 h b` of each [kg or kg·m²].
fn weight(rows: &RowSet, row: usize, h: f64) -> f64 {
    match rows.rows[row].answer {
        Answer::Elastic { k, b } => h * h * k + 2.0 * h * b,
        Answer::Rigid | Answer::Inertia(_) | Answer::Bounded => 0.0,
    }
}

/// The load of explicit springs `rows` and of the dampings of the tree, with M factored. `x` and `y` are scratch.
pub(crate) fn load(
    model: &Model,
    M: &TreeFactor,
    rows: &RowSet,
    h: f64,
    x: &mut [f64],
    y: &mut [f64],
) -> f64 {
    let pattern = &model.pattern;
    let mut largest = 0.0;
    // the stiffest row or damping alone is where the power method starts
    for row in 0..rows.len() {
        y.copy_from_slice(rows.jacobian(row));
        M.solve(pattern, y);
        let alone = weight(rows, row, h) * rows.rate(row, y);
        if alone > largest {
            largest = alone;
            x.copy_from_slice(y);
        }
    }
    for v in (0..model.nv).filter(|&v| model.damping[v] > 0.0) {
        y.fill(0.0);
        y[v] = 1.0;
        M.solve(pattern, y);
        let alone = 2.0 * h * model.damping[v] * y[v];
        if alone > largest {
            largest = alone;
            x.copy_from_slice(y);
        }
    }
    if largest == 0.0 {
        return 0.0;
    }
    for _ in 0..ROUNDS {
        stiffness(model, rows, h, x, y);
        let power: f64 = x.iter().zip(&*y).map(|(x, y)| x * y).sum();
        largest = power / M.square(pattern, x);
        M.solve(pattern, y);
        // divided by its own eigenvalue, which is a pure number, x keeps its size
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = y / largest;
        }
    }
    largest / 4.0
}

/// `y = (h² K + 2 h C) x`.
fn stiffness(model: &Model, rows: &RowSet, h: f64, x: &[f64], y: &mut [f64]) {
    for v in 0..model.nv {
        y[v] = 2.0 * h * model.damping[v] * x[v];
    }
    for row in 0..rows.len() {
        let push = weight(rows, row, h) * rows.rate(row, x);
        for (y, J) in y.iter_mut().zip(rows.jacobian(row)) {
            *y += J * push;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::inertia::Inertia;
    use crate::math::Vec3;
    use crate::model::{Coordinates, FrameSpec, JointKind, Model, ModelSpec, SpringKind};
    use crate::{Data, Input, StepSettings, Stiffness, step};

    /// Masses of 1 kg on one line, neighbours connected by springs and dampers, the first one to the wall.
    fn line(masses: usize, stiffness: f64, damping: f64) -> Model {
        let mut spec = ModelSpec::new();
        spec.gravity = Vec3::zeros();
        let slide = JointKind::Prismatic { axis: Vec3::x() };
        let mut before = FrameSpec::world();
        for i in 0..masses {
            let name = format!("mass {i}");
            spec.body(&name, Inertia::principal(1.0, [0.1; 3]));
            let at = FrameSpec::world().at(1.0 + i as f64, 0.0, 0.0);
            spec.joint(&name, slide, at, FrameSpec::of(&name));
            let spring = SpringKind::Points { a: before, b: FrameSpec::of(&name), rest: 1.0 };
            spec.spring(&name, spring, stiffness, damping);
            before = FrameSpec::of(&name);
        }
        spec.build(Coordinates::Generalized).expect("a line of masses")
    }

    /// The load of a step of 0.1 s, and how much a small motion has grown after 400 of them.
    fn load_and_growth(model: &Model) -> (f64, f64) {
        let settings =
            StepSettings { h: 0.1, stiffness: Stiffness::Explicit, ..Default::default() };
        let (mut state, mut data) = (model.state(), Data::new(model));
        for (i, v) in state.v.iter_mut().enumerate() {
            *v = if i % 2 == 0 { 1e-9 } else { -1.3e-9 };
        }
        let mut load = 0.0;
        for _ in 0..400 {
            let report = step(model, &settings, &Input::default(), &mut state, &mut data);
            load = report.expect("finite").explicit_load;
        }
        (load, state.v.iter().fold(0.0, |m: f64, v| m.max(v.abs())) / 1e-9)
    }

    #[test]
    fn one_spring_has_the_load_of_its_formula_and_diverges_above_one() {
        // ω h = 2 √load
        for (load, diverges) in [(0.25, false), (0.99, false), (1.01, true), (1.2, true)] {
            let (found, growth) = load_and_growth(&line(1, 400.0 * load, 0.0));
            assert!((found - load).abs() < 1e-12, "{found}");
            assert_eq!(growth > 100.0, diverges, "load {load}: {growth}");
        }
        // a damper alone: h δ/m = 2 load
        for (load, diverges) in [(0.9, false), (1.1, true)] {
            let (found, growth) = load_and_growth(&line(1, 0.0, 20.0 * load));
            assert!((found - load).abs() < 1e-12, "{found}");
            assert_eq!(growth > 100.0, diverges, "load {load}: {growth}");
        }
    }

    #[test]
    fn springs_in_a_row_share_their_modes() {
        // k/m (2 − 2 cos(π (2n − 1)/(2n + 1))) is the largest square frequency of n masses
        let n = 6;
        let angle = std::f64::consts::PI * 11.0 / 13.0;
        let square = 2.0 - 2.0 * angle.cos();
        for (load, diverges) in [(0.95, false), (1.05, true)] {
            let (found, growth) = load_and_growth(&line(n, 400.0 * load / square, 0.0));
            // the power method comes from below
            assert!(found <= load * (1.0 + 1e-12) && found > 0.97 * load, "{found} of {load}");
            assert_eq!(growth > 100.0, diverges, "load {load}: {growth}");
        }
    }
}
