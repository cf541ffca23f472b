//! How fast the end pose comes to its limit when the step length falls, and what the relaxation has to do with it.

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::model::Relaxation;

use super::COULOMB;
use crate::Effort;
use crate::item::{Item, Table, number};
use crate::scene::{BRISTLE, NORMAL, Scene, Softness, distance, laws};

/// The longest step [s]; the others are halves of it.
const LONGEST: f64 = 1e-2;
/// How far the two integrations behind the stated limit are apart.
const STATED_TO: f64 = 2e-4;

/// End poses for h, h/2, h/4, …
struct Ladder {
    name: &'static str,
    ends: Vec<[f64; 3]>,
}

impl Ladder {
    fn h(i: usize) -> f64 {
        LONGEST / (1_u64 << i) as f64
    }

    /// From the last two, for an error in proportion to h.
    fn limit(&self) -> [f64; 3] {
        let n = self.ends.len();
        [0, 1, 2].map(|a| 2.0 * self.ends[n - 1][a] - self.ends[n - 2][a])
    }

    /// (h, distance from `limit`) of all but the last two, which made it.
    fn errors(&self, limit: [f64; 3]) -> Vec<(f64, f64)> {
        let ends = &self.ends[..self.ends.len() - 2];
        ends.iter().enumerate().map(|(i, end)| (Self::h(i), distance(*end, limit))).collect()
    }
}

/// Slope of the line nearest to the logarithms of the points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (libm::log(*x), libm::log(*y)));
    let (x_mean, y_mean) = logs().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x / n, sy + y / n));
    let up: f64 = logs().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let across: f64 = logs().map(|(x, _)| (x - x_mean) * (x - x_mean)).sum();
    up / across
}

pub(super) fn fill(
    item: &mut Item,
    scene: &Scene,
    effort: Effort,
) -> Result<(), Box<dyn std::error::Error>> {
    let levels = if effort == Effort::Whole { 9 } else { 6 };
    let [_, _, hybrid, phantom, cone] = laws();
    let mut ladders = Vec::new();
    for named in [cone, phantom, hybrid] {
        let ends = (0..levels).map(|i| Ok(scene.run(named.law, Ladder::h(i))?.end()));
        let ends = ends.collect::<Result<_, Box<dyn std::error::Error>>>()?;
        ladders.push(Ladder { name: named.name, ends });
    }
    let limit = ladders[0].limit();
    for (a, axis) in ["x", "y", "yaw"].into_iter().enumerate() {
        item.near(format!("cone, limit h → 0: {axis}"), limit[a], COULOMB[a], STATED_TO);
        item.figure(format!("cone_limit_{axis}"), limit[a]);
    }
    for ladder in &ladders {
        let order = slope(&ladder.errors(limit));
        // first order: from 10 ms down the next term bends the line by a few hundredths
        item.between(
            format!("{}: order of convergence to the cone's limit", ladder.name),
            order,
            (0.9, 1.2),
        );
        item.figure(format!("{}_order", ladder.name), order);
    }
    item.tables.push(table(&ladders, limit));
    item.picture(
        "r1-convergence",
        "Error of the end pose against the step length",
        picture(&ladders, limit),
    );
    stiffness(item, limit, effort)
}

fn table(ladders: &[Ladder], limit: [f64; 3]) -> Table {
    let [x, y, yaw] = limit.map(|x| format!("{x:.5}"));
    let caption = format!(
        "Distance of the end pose from the cone's own limit {x}, {y}, {yaw} (Richardson, from the last two), and of the cone from \
         the stated limit, which has four digits."
    );
    let mut head = vec!["h [ms]"];
    head.extend(ladders.iter().map(|ladder| ladder.name));
    head.push("cone from the stated");
    let mut table = Table::new(caption, &head);
    for (i, end) in ladders[0].ends.iter().enumerate() {
        let mut row = vec![number(1e3 * Ladder::h(i))];
        row.extend(ladders.iter().map(|ladder| format!("{:.2e}", distance(ladder.ends[i], limit))));
        row.push(format!("{:.2e}", distance(*end, COULOMB)));
        table.row(row);
    }
    table
}

fn picture(ladders: &[Ladder], limit: [f64; 3]) -> String {
    let milli = |points: Vec<(f64, f64)>| points.into_iter().map(|(h, e)| (1e3 * h, e)).collect();
    let strokes = [Stroke::Wide, Stroke::Marked, Stroke::Dashed];
    let mut lines = Vec::new();
    for (i, ladder) in ladders.iter().enumerate() {
        let mut points = ladder.errors(limit);
        points.reverse();
        let label = format!("{}, order {:.2}", ladder.name, slope(&points));
        lines.push(Line { label, colour: [5, 0, 3][i], stroke: strokes[i], points: milli(points) });
    }
    let stated = ladders[0].ends.iter().enumerate().rev();
    lines.push(Line {
        label: "cone, from the stated limit".into(),
        colour: 1,
        stroke: Stroke::Dotted,
        points: stated.map(|(i, end)| (1e3 * Ladder::h(i), distance(*end, COULOMB))).collect(),
    });
    let panel = Panel {
        title: "distance of the end pose (x, y, yaw) from its limit".into(),
        size: (430.0, 330.0),
        x: Axis::log("h [ms]", (0.03, 12.0)),
        y: Axis::log("error [m, rad]", (1e-4, 0.1)),
        lines,
    };
    svg("Box on the ground: first order in h", &[panel])
}

/// Whether the contacts of table 1 are stiff enough to speak of rigid ones.
fn stiffness(
    item: &mut Item,
    limit: [f64; 3],
    effort: Effort,
) -> Result<(), Box<dyn std::error::Error>> {
    let levels = if effort == Effort::Whole { 6 } else { 5 };
    let times = |r: Relaxation, s: f64| Relaxation { k: s * r.k, b: s * r.b };
    let soft =
        |s: f64| Softness { normal: Some(times(NORMAL, s)), bristle: Some(times(BRISTLE, s)) };
    let cases = [
        ("1/100 of table 1", soft(1e-2)),
        ("table 1", Softness::TABLE_1),
        ("100 times table 1", soft(1e2)),
        ("rigid", Softness::RIGID),
    ];
    let caption = "Limits h → 0 (Richardson) with other stiffnesses k, b, solved to 1e−12, and their distance from the cone's limit above. The stiffness of \
                   table 1 does not show in the convergence: a hundred times more of it, or less, moves the limit by 1e−5. Without any, four corners are \
                   redundant: how they share the weight is not determined, their friction is not either, and each law follows the share that its solver happens to find. A \
                   tolerance above the compliance has the same effect: at the default 1e−10 the stiffest cone would end 3e−4 away.";
    let mut table = Table::new(caption, &["contacts", "law", "x", "y", "yaw", "apart"]);
    let [_, _, _, phantom, cone] = laws();
    for (name, softness) in cases {
        let mut scene = Scene::new(softness)?;
        // far below the compliance of the stiffest, which decides how the corners share the weight
        scene.tol = 1e-12;
        for named in [cone, phantom] {
            let ends: Result<Vec<_>, _> = (levels - 2..levels)
                .map(|i| scene.run(named.law, Ladder::h(i)).map(|run| run.end()))
                .collect();
            let own = Ladder { name: named.name, ends: ends? }.limit();
            let [x, y, yaw] = own.map(|x| format!("{x:.5}"));
            let apart = distance(own, limit);
            table.row(vec![name.into(), named.name.into(), x, y, yaw, format!("{apart:.1e}")]);
            item.figure(format!("{}_limit_apart_{}", named.name, name.replace(' ', "_")), apart);
            if softness != Softness::RIGID {
                let what = format!("{}, {name}: its limit from the cone's", named.name);
                item.at_most(what, apart, STATED_TO);
            }
        }
    }
    item.tables.push(table);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_power_is_its_exponent() {
        let points: Vec<_> = [1.0, 2.0, 4.0, 8.0].map(|x: f64| (x, 0.3 * x * x)).to_vec();
        assert!((slope(&points) - 2.0).abs() < 1e-13);
    }

    #[test]
    fn the_limit_of_an_error_in_proportion_to_h_is_exact() {
        let ends = [1.0, 0.5, 0.25].map(|h| [2.0 + h, -h, 3.0 * h]).to_vec();
        assert_eq!(Ladder { name: "", ends }.limit(), [2.0, 0.0, 0.0]);
    }
}
