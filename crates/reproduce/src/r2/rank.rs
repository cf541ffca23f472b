//! Singular values of the lead matrices over the phantom inertia.

use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::MatX;
use stiction_sim::contact::law::{Law, LawProblem, assemble};
use stiction_sim::contact::space::ContactSpace;

use super::{H, phantom, pyramid};
use crate::Effort;
use crate::item::{Item, Table, number};
use crate::scene::{BRISTLE, NORMAL};

/// Singular values below this part of the largest count as zero.
const ZERO: f64 = 1e-12;
/// Powers of ten of ρ [kg] that are scanned: those of the paper's question, and on to where ρ meets 1/ε_t.
const SCAN: (i32, i32) = (-12, 6);
/// From here on isolated values are looked for: below, ρ is lost beside the masses.
const ISOLATED_FROM: f64 = 1e-2;
const DIRECTIONS: [usize; 3] = [2, 4, 8];

/// Falling singular values of a law's lead matrix, divided by the largest; empty where the law is no LCP.
fn singular_values(space: &ContactSpace, law: &Law) -> Vec<f64> {
    let Ok(LawProblem::Lcp(problem)) = assemble(space, law).map(|assembled| assembled.problem)
    else {
        return Vec::new();
    };
    let A = MatX::from_fn(problem.n(), problem.n(), |i, j| problem.A().get(i, j));
    let mut values: Vec<f64> = A.singular_values().iter().copied().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let largest = values[0];
    values.iter().map(|value| value / largest).collect()
}

fn missing(values: &[f64]) -> usize {
    values.iter().filter(|value| !(**value > ZERO)).count()
}

/// The phantom law with k directions on relaxed or rigid contacts.
struct Case<'a> {
    name: String,
    space: &'a ContactSpace,
    k: usize,
    /// Ranks that are missing whatever ρ is.
    always: usize,
}

/// A ρ at which ranks are missing that are there beside it.
struct Isolated {
    rho: f64,
    ranks: usize,
}

impl Case<'_> {
    fn values(&self, rho: f64) -> Vec<f64> {
        singular_values(self.space, &phantom(self.k, rho))
    }

    fn smallest(&self, rho: f64) -> f64 {
        self.values(rho).last().copied().unwrap_or(0.0)
    }

    /// Product of the two smallest singular values that are not zero for every ρ. One of them is small everywhere
    /// on relaxed contacts, by the redundancy of the corners; the product is zero where ρ makes another one so.
    fn product(&self, rho: f64) -> f64 {
        let values = self.values(rho);
        let n = values.len() - self.always;
        values[n - 1] * values[n - 2]
    }

    /// Minima of the product on a grid, narrowed down by golden sections.
    fn isolated(&self, grid: &[f64]) -> Vec<Isolated> {
        let grid: Vec<f64> = grid.iter().copied().filter(|rho| *rho >= ISOLATED_FROM).collect();
        let values: Vec<f64> = grid.iter().map(|rho| self.product(*rho)).collect();
        let mut found = Vec::new();
        for i in 1..grid.len() - 1 {
            if values[i] <= values[i - 1] && values[i] < values[i + 1] {
                let rho = self.narrow(grid[i - 1], grid[i + 1]);
                let ranks = missing(&self.values(rho)).saturating_sub(self.always);
                if ranks > 0 {
                    found.push(Isolated { rho, ranks });
                }
            }
        }
        found
    }

    fn narrow(&self, mut low: f64, mut high: f64) -> f64 {
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        // 70 sections leave 2e-15 of the bracket
        for _ in 0..70 {
            let (a, b) = (high - golden * (high - low), low + golden * (high - low));
            if self.product(a) < self.product(b) { high = b } else { low = a }
        }
        0.5 * (low + high)
    }
}

/// What the derivation says: (name, eigenvalue of W_tt + ε_t − …, how often).
fn eigenvalues(is_relaxed: bool) -> Vec<(&'static str, f64, usize)> {
    if !is_relaxed {
        return vec![("12", 12.0, 1), ("4", 4.0, 2)];
    }
    let eps = |k: f64, b: f64| 1.0 / (k * H * H + b * H);
    let (eps_t, eps_n) = (eps(BRISTLE.k, BRISTLE.b), eps(NORMAL.k, NORMAL.b));
    vec![
        ("12 + ε_t", 12.0 + eps_t, 1),
        ("10 + ε_t − 36/(6 + ε_n)", 10.0 + eps_t - 36.0 / (6.0 + eps_n), 2),
        // friction that moves nothing but bristles: 8 rows, 3 motions
        ("ε_t", eps_t, 5),
    ]
}

pub(super) fn fill(item: &mut Item, relaxed: &ContactSpace, rigid: &ContactSpace, effort: Effort) {
    let per_decade = if effort == Effort::Whole { 20 } else { 8 };
    let steps = (SCAN.1 - SCAN.0) * per_decade;
    let exponent = |i: i32| f64::from(SCAN.0) + f64::from(i) / f64::from(per_decade);
    let grid: Vec<f64> = (0..=steps).map(|i| libm::pow(10.0, exponent(i))).collect();
    ranks(item, relaxed, rigid);
    let mut cases = Vec::new();
    for (space, name, always) in [(relaxed, "relaxed", 0), (rigid, "rigid", 1)] {
        for k in DIRECTIONS {
            cases.push(Case { name: format!("phantom {k}, {name}"), space, k, always });
        }
    }
    let found: Vec<Vec<Isolated>> = cases.iter().map(|case| case.isolated(&grid)).collect();
    isolated(item, &cases, &found);
    tiny(item, &cases[0]);
    let caption = "Smallest singular value of the lead matrix, relative to the largest, against ρ";
    item.picture("r2-rank", caption, picture(relaxed, &cases, &found, &grid));
}

/// Which ranks are missing at plain values of ρ.
fn ranks(item: &mut Item, relaxed: &ContactSpace, rigid: &ContactSpace) {
    let caption = "Ranks that are missing, of the rows of the matrix.";
    let head = ["law", "rows", "relaxed, ρ = 1 kg", "relaxed, ρ = 0", "rigid, ρ = 1 kg"];
    let mut table = Table::new(caption, &head);
    let diamond = [relaxed, rigid].map(|space| singular_values(space, &pyramid()));
    let [of_relaxed, of_rigid] = [0, 1].map(|i| missing(&diamond[i]));
    // one dependent β a contact, and five combinations of friction that move nothing
    item.equal("pyramid(4), relaxed: ranks missing", of_relaxed, 4 + 5);
    let rows = diamond[0].len().to_string();
    let [of_relaxed, of_rigid] = [of_relaxed, of_rigid].map(|count| count.to_string());
    table.row(vec!["pyramid(4)".into(), rows, of_relaxed, "–".into(), of_rigid]);
    for k in DIRECTIONS {
        // four and eight directions are singular at ρ = 1 kg and 2 kg
        let rho = if k == 2 { 1.0 } else { 0.7 };
        let values = [(relaxed, rho), (relaxed, 0.0), (rigid, rho)];
        let counts = values.map(|(space, rho)| missing(&singular_values(space, &phantom(k, rho))));
        item.equal(format!("phantom {k}, relaxed, ρ = {rho} kg: ranks missing"), counts[0], 0);
        // w_up and w_lo are told apart by ρ alone, and only two of k directions are independent
        item.equal(
            format!("phantom {k}, relaxed, ρ = 0: ranks missing"),
            counts[1],
            4 * (2 * k - 2),
        );
        // four corners are redundant
        item.equal(format!("phantom {k}, rigid, ρ = {rho} kg: ranks missing"), counts[2], 1);
        let rows = (12 + 8 * k).to_string();
        let [a, b, c] = counts.map(|count| count.to_string());
        let note = if k == 2 { String::new() } else { format!(" (ρ = {rho})") };
        table.row(vec![
            format!("phantom {k}"),
            rows,
            format!("{a}{note}"),
            b,
            format!("{c}{note}"),
        ]);
    }
    item.tables.push(table);
}

fn isolated(item: &mut Item, cases: &[Case<'_>], found: &[Vec<Isolated>]) {
    let caption = "Isolated ρ at which further ranks are lost, found by scanning and golden sections, against k/λ.";
    let head = ["case", "ρ found [kg]", "k/λ [kg]", "λ [1/kg]", "relative difference", "ranks"];
    let mut table = Table::new(caption, &head);
    for (case, found) in cases.iter().zip(found) {
        let expected = eigenvalues(case.always == 0);
        item.equal(format!("{}: isolated ρ found", case.name), found.len(), expected.len());
        for (isolated, (name, lambda, ranks)) in found.iter().zip(expected) {
            let rho = case.k as f64 / lambda;
            let off = (isolated.rho / rho - 1.0).abs();
            let what = format!("{}: ρ = {}/({name})", case.name, case.k);
            // singular values are known to 1e-16 of the largest, which is about 10 kg or ρ, and k/ρ no better: beside a
            // large ρ it is small
            let limit = 1e-15 * (rho * rho).max(1e4);
            item.at_most(format!("{what}, relative difference"), off, limit);
            item.equal(format!("{what}, ranks"), isolated.ranks, ranks);
            item.figure(
                format!("rho_{}_{}", case.name.replace([' ', ','], ""), name.replace(' ', "")),
                isolated.rho,
            );
            table.row(vec![
                case.name.clone(),
                digits(isolated.rho),
                digits(rho),
                name.into(),
                number(off),
                isolated.ranks.to_string(),
            ]);
        }
    }
    item.tables.push(table);
}

/// Nine digits: the compliances are 1e-5 and less.
fn digits(x: f64) -> String {
    let before = libm::floor(libm::log10(x)).max(0.0) as usize;
    format!("{x:.*}", 9_usize.saturating_sub(before))
}

/// Below which ρ the relaxed matrix with two directions is numerically singular.
fn tiny(item: &mut Item, case: &Case<'_>) {
    let lost = |rho: f64| missing(&case.values(rho));
    let mut table = Table::new(
        "Phantom 2, relaxed: ranks missing at small ρ.",
        &["ρ [kg]", "ranks missing", "smallest singular value"],
    );
    for power in [-2, -3, -4, -5, -6, -8, -10, -11, -12] {
        let rho = libm::pow(10.0, f64::from(power));
        table.row(vec![format!("1e{power}"), lost(rho).to_string(), number(case.smallest(rho))]);
    }
    item.tables.push(table);
    // the smallest value falls with ρ: between full and lost there is one threshold
    let (mut low, mut high) = (1e-12_f64, 1e-2);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if lost(middle) > 0 { low = middle } else { high = middle }
    }
    item.figure("phantom2_rank_lost_below_rho", high);
    // where exactly depends on scaling; the paper says 1e-8, trials in other units up to 1e-4
    item.between("phantom 2, relaxed: a rank is lost below ρ [kg]", high, (1e-8, 1e-4));
    // with zero meaning the rounding of one number, as where nothing else is said: the paper's 1e-8 kg, read as an order
    let at_rounding = f64::EPSILON * 1e-4 / case.smallest(1e-4);
    item.figure("phantom2_rank_lost_to_rounding_below_rho", at_rounding);
    item.between(
        "phantom 2, relaxed: lost to rounding, 2.2e-16, below ρ [kg]",
        at_rounding,
        (3e-9, 3e-8),
    );
    // all of ρ's part is below the zero: as with none
    item.equal("phantom 2, relaxed, ρ = 1e-12 kg: ranks missing", lost(1e-12), 8);
}

fn picture(
    relaxed: &ContactSpace,
    cases: &[Case<'_>],
    found: &[Vec<Isolated>],
    grid: &[f64],
) -> String {
    // what is zero up to rounding
    let floor = f64::EPSILON;
    let mut lines = Vec::new();
    for (i, (case, found)) in cases.iter().zip(found).enumerate().filter(|(i, _)| *i < 4) {
        let mut rho = grid.to_vec();
        for isolated in found {
            for power in 2..22 {
                let off = libm::pow(10.0, -0.5 * f64::from(power));
                rho.extend([isolated.rho * (1.0 - off), isolated.rho * (1.0 + off)]);
            }
            rho.push(isolated.rho);
        }
        rho.sort_by(f64::total_cmp);
        let smallest = |rho: f64| case.smallest(rho).max(floor);
        lines.push(Line {
            label: case.name.clone(),
            colour: [0, 1, 2, 3][i],
            stroke: [Stroke::Solid, Stroke::Solid, Stroke::Solid, Stroke::Dashed][i],
            points: rho.iter().map(|rho| (*rho, smallest(*rho))).collect(),
        });
    }
    let none = singular_values(relaxed, &pyramid()).last().copied().unwrap_or(0.0).max(floor);
    lines.push(Line {
        label: "pyramid(4), relaxed".into(),
        colour: 5,
        stroke: Stroke::Dotted,
        points: grid.iter().map(|rho| (*rho, none)).collect(),
    });
    let panel = Panel {
        title: "smallest singular value over the largest; rounding is drawn at 2.2e−16".into(),
        size: (620.0, 400.0),
        x: Axis::log("phantom inertia ρ [kg]", (1e-12, 1e6)),
        y: Axis::log("σ_min / σ_max", (1e-17, 1e-6)),
        lines,
    };
    svg("Rank of the lead matrix: the cube at rest", &[panel])
}
