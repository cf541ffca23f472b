//! How well each step was solved, and at what cost.

use super::{Run, WIDE, fit, line, over_time, time_axis, title, with_largest};
use crate::{Arrangement, Axis, Figure, GREY, Line, Panel, Scale, Stroke};

/// The residual of each step beside the tolerance, with crosses where a step is not certified; below, iterations and contacts.
pub fn residuals(run: &Run) -> Figure {
    let panels = vec![residual_panel(run), cost(run)];
    Figure { title: title(run, "residuals"), arrangement: Arrangement::Column, panels }
}

/// The tolerance from one end to the other, where it is known.
pub(super) fn tolerance(x: &Axis, tol: f64) -> Option<Line> {
    let points = vec![(x.range.0, tol), (x.range.1, tol)];
    let line = Line { label: "tolerance".into(), colour: GREY, stroke: Stroke::Dashed, points };
    (tol > 0.0).then_some(line)
}

fn residual_panel(run: &Run) -> Panel {
    let x = time_axis(std::slice::from_ref(run));
    let mut lines: Vec<Line> = tolerance(&x, run.names.tol).into_iter().collect();
    lines.extend(with_largest("residual", 0, over_time(run, &run.residual)));
    let y = fit("residual", Scale::Log, &lines);
    let failed = run.uncertified.iter().filter(|u| **u > 0.0).count();
    if failed > 0 {
        // a residual that is no number still has its cross, at the top
        let height = |r: f64| if r > 0.0 && r.is_finite() { r } else { y.range.1 / 1.05 };
        let places = over_time(run, &run.residual).into_iter().zip(&run.uncertified);
        let crosses = places.filter(|(_, u)| **u > 0.0).map(|((t, r), _)| (t, height(r)));
        let points = crosses.collect();
        lines.push(Line { label: String::new(), colour: 1, stroke: Stroke::Crosses, points });
    }
    let zero = run.residual.iter().filter(|r| **r == 0.0).count();
    let share = 100.0 * zero as f64 / run.residual.len().max(1) as f64;
    let nothing = (share >= 1.0).then(|| format!("0 in {share:.0} % of the steps"));
    let crosses = (failed > 0).then(|| "crosses: steps without a certificate".to_string());
    let title = crosses.into_iter().chain(nothing).collect::<Vec<String>>().join("; ");
    Panel { title, size: WIDE, x, y, lines }
}

fn cost(run: &Run) -> Panel {
    let iterations = with_largest("iterations", 2, over_time(run, &run.iterations));
    let contacts = line("contacts", 3, over_time(run, &run.contacts));
    let lines: Vec<Line> = iterations.into_iter().chain([contacts]).collect();
    let mut y = fit("iterations, contacts", Scale::Linear, &lines);
    y.range.0 = 0.0;
    Panel {
        title: String::new(),
        size: (WIDE.0, 150.0),
        x: time_axis(std::slice::from_ref(run)),
        y,
        lines,
    }
}
