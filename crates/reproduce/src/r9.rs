//! R9: the prox fixed point where there are two solutions, and none, [SNT] 4.2. Derivation: `docs/theory/paradox.md`.

use std::error::Error;

use stiction_lcp::{BoxLcp, LcpSolver, MatX, Verdict, never, solve_lcp};
use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::paradox::fixed_point::{
    Existence, Meaning, RunEnd, Study, basin_edge, largest_r, run, study,
};
use stiction_sim::paradox::rod::Rod;
use stiction_sim::paradox::{ParadoxSettings, explore};
use stiction_sim::{Coordinates, Input};

use crate::Effort;
use crate::item::{Item, Table, number};

const TEXT: &str = "\
0 ≤ λ ⊥ a λ + c ≥ 0, taken from sliding rods as the model assembles them, and with numbers of its own. Enumeration finds all solutions or a proof that there is none; pivoting (Lemke) finds one. \
The prox fixed point λ ← max(0, λ − r (a λ + c)) has another fate ([paradox.md](theory/paradox.md)): for a < 0 < c it converges to λ₁ = 0 from below λ₂ = −c/a and runs away from above, whatever r, as λ₂ repels by 1 − r a; \
for a, c < 0 it runs away from everywhere; for a > 0 it contracts for 0 < r < 2/a. That it runs away says nothing about existence; the enumeration with its proof does. A run counts as away when its residual has grown by 1e30; the solver's own limit, 1e6, would count starts \
within 5e-7 of λ₂ as away that come back to 0.";

/// Enough steps to tell 2/a from 2/a (1 ± 3e-4).
const STEPS: usize = 100_000;
/// Steps of a run with a < 0: the error doubles within a hundred of them.
const FEW: usize = 20_000;

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R9", "Prox fixed point beside two solutions, and none", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

struct Case {
    name: String,
    problem: BoxLcp,
    a: f64,
    c: f64,
}

impl Case {
    fn of(a: f64, c: f64) -> Result<Self, Box<dyn Error>> {
        let problem = BoxLcp::lcp(MatX::from_element(1, 1, a), vec![c])?;
        Ok(Self { name: format!("a = {a}, c = {c}"), problem, a, c })
    }

    fn rod(name: &str, rod: &Rod) -> Result<Self, Box<dyn Error>> {
        let model = rod.model(Coordinates::Generalized)?;
        let state = rod.state(&model);
        let explored = explore(&model, &ParadoxSettings::default(), &Input::default(), &state)?;
        let problem = explored.problem.ok_or("a rod that does not touch")?;
        let (a, c) = (problem.A().get(0, 0), problem.b()[0]);
        Ok(Self { name: name.to_string(), problem, a, c })
    }
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let turning = Rod { omega: 4.0, ..Rod::baraff() };
    two(
        item,
        &[Case::of(-1.0, 2.0)?, Case::of(-30.0, 0.5)?, Case::rod("rod of [AP], ω = 4", &turning)?],
    )?;
    none(item, &[Case::of(-1.0, -2.0)?, Case::rod("rod of [AP], ω = 0", &Rod::baraff())?])?;
    one(
        item,
        &[
            Case::of(4.0, -4.0)?,
            Case::rod("rod of [AP], μ = 0.3", &Rod { mu: 0.3, ..Rod::baraff() })?,
        ],
    )?;
    let caption = "Where the fixed point goes from a start λ⁰ with r: two solutions, and none";
    item.picture("r9-basin", caption, basins(if effort == Effort::Whole { 50 } else { 10 })?);
    Ok(())
}

fn two(item: &mut Item, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let caption = "Two solutions: edge of the starts that converge, by bisection, over λ₂, for three r; factor above λ₂ over 1 − r a, the farthest from 1.";
    let head =
        ["problem", "solutions", "λ₂ = −c/a", "Lemke", "edge/λ₂, −r a = 0.1", "1", "10", "factor"];
    let mut table = Table::new(caption, &head);
    for case in cases {
        let (name, upper) = (&case.name, -case.c / case.a);
        let rs = [0.1, 1.0, 10.0].map(|x| x / case.a.abs());
        let starts = [0.0, 0.5, 0.999, 1.001, 2.0, 100.0].map(|x| vec![x * upper]);
        let study = study(&case.problem, &starts, &rs, FEW);
        let solutions = known(&study);
        item.equal(format!("{name}: solutions by enumeration"), solutions.len(), 2);
        let lemke = solve_lcp(&case.problem, LcpSolver::Lemke, 1e-12, &never);
        item.is(format!("{name}: Lemke finds one"), lemke.verdict == Verdict::Certified);
        let as_said = |run: &&stiction_sim::paradox::fixed_point::Run| match run.start[0] < upper {
            true => study.meaning(run) == Meaning::Solved && run.z == [0.0],
            false => {
                run.end == RunEnd::Diverged && study.meaning(run) == Meaning::FailedBesideSolutions
            }
        };
        let good = study.runs.iter().filter(as_said).count();
        item.equal(
            format!("{name}: runs that end at 0 from below λ₂ and run away from above"),
            good,
            18,
        );
        let away = study.runs.iter().filter(|run| run.start[0] > upper);
        let ratios = away.map(|run| run.factor / (1.0 + run.r * case.a.abs()));
        let factor =
            ratios.fold(
                1.0,
                |worst: f64, x| if (x - 1.0).abs() > (worst - 1.0).abs() { x } else { worst },
            );
        item.near(format!("{name}: factor of runs away over 1 − r a"), factor, 1.0, 1e-9);
        let mut row = vec![name.clone(), join(&solutions), number(upper), number(lemke.z[0])];
        for r in rs {
            let edge = basin_edge(&case.problem, r, (&[0.0], &[10.0 * upper]), FEW);
            let edge = edge.map_or(f64::NAN, |edge| edge[0] / upper);
            item.near(
                format!("{name}, −r a = {}: edge over λ₂", number(r * case.a.abs())),
                edge,
                1.0,
                1e-11,
            );
            row.push(format!("1 {:+.1e}", edge - 1.0));
        }
        row.push(format!("1 {:+.1e}", factor - 1.0));
        table.row(row);
    }
    item.tables.push(table);
    Ok(())
}

fn none(item: &mut Item, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let head =
        ["problem", "enumeration", "Lemke says", "runs", "diverged", "told apart by the proof"];
    let mut table = Table::new("No solution: runs from four starts with three r.", &head);
    for case in cases {
        let name = &case.name;
        let rs = [0.1, 1.0, 10.0].map(|x| x / case.a.abs());
        let starts = [0.0, 1.0, 10.0, 1000.0].map(|start| vec![start]);
        let study = study(&case.problem, &starts, &rs, FEW);
        let diverged = study.runs.iter().filter(|run| run.end == RunEnd::Diverged).count();
        let told =
            study.runs.iter().filter(|run| study.meaning(run) == Meaning::NoSolution).count();
        item.is(format!("{name}: absence proved"), matches!(study.existence, Existence::None(_)));
        item.equal(format!("{name}: runs that diverge"), diverged, study.runs.len());
        item.equal(format!("{name}: of which the proof says why"), told, study.runs.len());
        let lemke = solve_lcp(&case.problem, LcpSolver::Lemke, 1e-12, &never);
        item.is(format!("{name}: Lemke claims nothing"), lemke.verdict == Verdict::Uncertified);
        let said = format!("{:?}", lemke.chain[0].report.status).to_lowercase();
        let counts = [study.runs.len(), diverged, told].map(|count| count.to_string());
        let words = vec![name.clone(), "proof, checked".to_string(), said];
        table.row([words, counts.to_vec()].concat());
    }
    item.tables.push(table);
    Ok(())
}

fn one(item: &mut Item, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let head = ["problem", "λ = −c/a", "largest r", "2/a", "factor at r a = 0.5", "at 1.5"];
    let mut table = Table::new("One solution: interval of r by bisection, and factors.", &head);
    for case in cases {
        let name = &case.name;
        let expected = 2.0 / case.a;
        let found = largest_r(&case.problem, &[0.0], (0.5 * expected, 3.0 * expected), 1e-4, STEPS);
        let found = found.unwrap_or(f64::NAN);
        item.near(format!("{name}: largest r over 2/a"), found / expected, 1.0, 1e-3);
        let factors = [0.5, 1.5].map(|ra| run(&case.problem, ra / case.a, &[0.0], FEW).factor);
        for (ra, factor) in [0.5, 1.5].into_iter().zip(factors) {
            item.near(format!("{name}: factor at r a = {ra}"), factor, 0.5, 1e-6);
        }
        let numbers = [-case.c / case.a, found, expected, factors[0], factors[1]].map(number);
        table.row([vec![name.clone()], numbers.to_vec()].concat());
    }
    item.tables.push(table);
    Ok(())
}

fn known(study: &Study) -> Vec<f64> {
    let Existence::Solutions(list) = &study.existence else { return Vec::new() };
    let mut list: Vec<f64> = list.iter().map(|z| z[0]).collect();
    list.sort_by(f64::total_cmp);
    list
}

fn join(numbers: &[f64]) -> String {
    numbers.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ")
}

/// n × n runs over start and r, for both problems.
fn basins(n: u32) -> Result<String, Box<dyn Error>> {
    let mut panels = Vec::new();
    let cases =
        [(1.0, "a < 0 < c: solutions 0 and λ₂"), (-1.0, "a < 0, c < 0: no solution, proved")];
    for (c, title) in cases {
        let case = Case::of(-1.0, c)?;
        let middle = |i: u32, to: f64| to * (f64::from(i) + 0.5) / f64::from(n);
        let mut ends = [Vec::new(), Vec::new(), Vec::new()];
        for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
            let (start, r) = (middle(i, 2.0), middle(j, 3.0));
            let end = run(&case.problem, r, &[start], FEW).end;
            let place = match end {
                RunEnd::Converged => 0,
                RunEnd::Diverged => 1,
                RunEnd::Unsettled => 2,
            };
            ends[place].push((start, r));
        }
        let (width, height) = (320_u32, 260_u32);
        let stroke = Stroke::Cells { width: width.div_ceil(n), height: height.div_ceil(n) };
        let names = [("converges to 0", 0), ("runs away", 1), ("neither", 5)];
        let of = ends.into_iter().zip(names).filter(|(points, _)| !points.is_empty());
        let mut lines: Vec<Line> = of
            .map(|(points, (label, colour))| Line { label: label.into(), colour, stroke, points })
            .collect();
        if c > 0.0 {
            let points = vec![(1.0, 0.0), (1.0, 3.0)];
            lines.push(Line { label: String::new(), colour: 5, stroke: Stroke::Dashed, points });
        }
        panels.push(Panel {
            title: title.into(),
            size: (f64::from(width), f64::from(height)),
            x: Axis::linear("start λ⁰ |a/c|", (0.0, 2.0)),
            y: Axis::linear("r |a|", (0.0, 3.0)),
            lines,
        });
    }
    Ok(svg("Starts of the prox fixed point; dashed: λ₂", &panels))
}
