//! R7: [AP]'s impacts: compression and decompression, the closed form, and what they do to energy. Theory:
//! `docs/theory/impact.md`.

mod scenes;

use std::error::Error;

use stiction_lcp::families::Rng;
use stiction_plot::{Axis, Line, Panel, Stroke, svg};
use stiction_sim::impact::{ImpactLaw, ImpactReport, ImpactSettings, Treatment, impact};
use stiction_sim::{Data, Model, State};

use crate::Effort;
use crate::item::{Item, Table, number};
use scenes::{PileOf, Slender, cradle, pile};

const TEXT: &str = "\
[AP] resolves an impact by two solves with h = 0: a plastic compression v⁻ → v^c, then a decompression in which each contact returns e times its normal impulse and may push once more (c^x). Under its assumptions (a) no friction, (b) one \
restitution ε where bodies approach, (c) none larger elsewhere, (d) all other contacts at rest, the second solve has a closed form, v⁺ = v⁻ + (1 + ε)(v^c − v⁻) and c_n^x = (ε − e) c_n^c, and energy does not grow. (The slide prints v⁺ = (1 + ε) v^c − v⁻, which \
is that for ε = 1; by the impulses it is (1 + ε) v^c − ε v⁻.) The piles are random: balls that touch on the ground and each other, rods between some, a bar on a joint, and a ball that comes down on two of them; v^c is found by a third solve, \
of the same pile without restitution. Outside of (a)–(d) Poisson's and Newton's laws can gain energy, and the report is to say so; the closed form as a strategy and the dissipative law are never to.";

const LAWS: [ImpactLaw; 4] =
    [ImpactLaw::Poisson, ImpactLaw::Newton, ImpactLaw::ClosedForm, ImpactLaw::Dissipative];

pub fn item(effort: Effort) -> Item {
    let mut item = Item::new("R7", "Impacts: two solves, the closed form, and energy", TEXT);
    if let Err(error) = fill(&mut item, effort) {
        item.fail(error.as_ref());
    }
    item
}

fn fill(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    assumed(item, effort)?;
    elsewhere(item, effort)?;
    one_rod(item)?;
    rows_of_balls(item)
}

/// The velocities after an impact and its report; the contacts are in `data`.
fn hit(
    (model, start): &(Model, State),
    law: ImpactLaw,
    treatment: Treatment,
    data: &mut Data,
) -> Result<(Vec<f64>, ImpactReport), Box<dyn Error>> {
    let mut state = start.clone();
    // places of touching balls have roundings
    let settings = ImpactSettings { law, treatment, distance: 1e-12, ..Default::default() };
    let report = impact(model, &settings, &mut state, data)?;
    Ok((state.v, report))
}

/// NaN counts as infinite.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// How far piles under (a)–(d) are from the closed form.
#[derive(Clone, Copy, Debug, Default)]
struct Off {
    /// Of the velocities and of c^x, as shares of the fastest velocity and of the largest impulse.
    v: f64,
    c_x: f64,
    /// The closed form as a law against the two solves.
    law: f64,
    /// Largest (K⁺ − K⁻)/K⁻.
    gain: f64,
    piles: usize,
    /// Old contacts that press, with e < ε: they push again.
    again: usize,
}

fn assumed(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let n = if effort == Effort::Whole { 2000 } else { 300 };
    let of = PileOf { mu: 0.0, assumed: true };
    let mut off = Off { gain: f64::NEG_INFINITY, ..Default::default() };
    for seed in 0..n {
        let (scene, eps) = pile(seed, of, 1.0)?;
        let mut data = Data::new(&scene.0);
        let (closed, _) = hit(&scene, ImpactLaw::ClosedForm, Treatment::Simultaneous, &mut data)?;
        let (v, report) = hit(&scene, ImpactLaw::Poisson, Treatment::Simultaneous, &mut data)?;
        if !report.assumptions.all() {
            continue;
        }
        let (plastic, _) = pile(seed, of, 0.0)?;
        let (v_c, _) =
            hit(&plastic, ImpactLaw::Poisson, Treatment::Simultaneous, &mut Data::new(&plastic.0))?;
        let size = scene.1.v.iter().fold(0.0, |m: f64, v| larger(m, v.abs()));
        for (i, before) in scene.1.v.iter().enumerate() {
            let expected = (1.0 + eps) * v_c[i] - eps * before;
            off.v = larger(off.v, (v[i] - expected).abs() / size);
            off.law = larger(off.law, (v[i] - closed[i]).abs() / size);
        }
        compare_impulses(&scene.0, &data, &report, eps, &mut off);
        off.gain = larger(off.gain, report.K_after / report.K_before - 1.0);
        off.piles += 1;
    }
    let caption = "Piles under (a)–(d), Poisson's two solves against the closed form: shares of the fastest velocity, of the largest impulse, and of K⁻.";
    let head = [
        "piles",
        "v⁺ − (1+ε)v^c + εv⁻",
        "c^x − (ε−e)c^c",
        "closed form as a law",
        "contacts that push again",
        "largest (K⁺−K⁻)/K⁻",
    ];
    let mut table = Table::new(caption, &head);
    let [v, c_x, law, gain] = [off.v, off.c_x, off.law, off.gain].map(number);
    table.row(vec![off.piles.to_string(), v, c_x, law, off.again.to_string(), gain]);
    item.tables.push(table);
    item.at_most("v⁺ of two solves off (1 + ε)v^c − εv⁻", off.v, 1e-10);
    item.at_most("c_n^x of two solves off (ε − e) c_n^c", off.c_x, 1e-10);
    item.at_most("closed form as a law off the two solves", off.law, 1e-10);
    item.at_most("(K⁺ − K⁻)/K⁻ under (a)–(d)", off.gain, 1e-12);
    item.is("most piles are under (a)–(d)", off.piles * 2 > n as usize);
    item.is("in many of them contacts push again", off.again > off.piles);
    item.figure("closed_form_v", off.v);
    item.figure("closed_form_c", off.c_x);
    Ok(())
}

/// `p^d = e p^c + c^x` of each contact.
fn compare_impulses(model: &Model, data: &Data, report: &ImpactReport, eps: f64, off: &mut Off) {
    let size = report.p_c.iter().fold(0.0, |m: f64, p| larger(m, p.abs()));
    for (i, contact) in data.contacts().iter().enumerate() {
        let geom = |shape: u32| &model.geoms()[shape as usize];
        let e = model.surface(geom(contact.key.shape_a), geom(contact.key.shape_b)).e;
        let (p_c, p_d) = (report.p_c[3 * i], report.p_d[3 * i]);
        let c_x = p_d - e * p_c;
        off.c_x = larger(off.c_x, (c_x - (eps - e) * p_c).abs() / size);
        off.again += usize::from(c_x > 1e-6 * size);
    }
}

/// How often and how much laws gain where the assumptions do not hold.
fn elsewhere(item: &mut Item, effort: Effort) -> Result<(), Box<dyn Error>> {
    let (rods, piles) = if effort == Effort::Whole { (20_000, 2000) } else { (2000, 200) };
    let caption = "Impacts outside of (a)–(d): how many gained energy, and the largest gain as a share of K⁻.";
    let mut head = vec!["impacts".to_string()];
    head.extend(LAWS.map(|law| format!("{} gained", law.name())));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(caption, &head);
    let rough = PileOf { mu: 1.0, assumed: false };
    let smooth = PileOf { mu: 0.0, ..rough };
    type Maker<'a> = Box<dyn Fn(u64) -> Result<(Model, State), Box<dyn Error>> + 'a>;
    let cases: [(String, u64, Maker<'_>); 3] = [
        (
            format!("{rods} slender rods, e ≤ 1, μ ≤ 1.5"),
            rods,
            Box::new(|seed| Slender::random(&mut Rng::new(seed)).scene()),
        ),
        (
            format!("{piles} piles, all moving, any e, μ ≤ 1"),
            piles,
            Box::new(|seed| Ok(pile(seed, rough, 1.0)?.0)),
        ),
        (
            format!("{piles} piles, all moving, any e, no friction"),
            piles,
            Box::new(|seed| Ok(pile(seed, smooth, 1.0)?.0)),
        ),
    ];
    for (name, n, make) in cases {
        let mut row = vec![name.clone()];
        for law in LAWS {
            let gains = gains(n, &make, law)?;
            row.push(format!("{}, at most {}", gains.count, number(gains.largest)));
            item.equal(
                format!("{name}, {}: gains that the report does not tell", law.name()),
                gains.untold,
                0,
            );
            if matches!(law, ImpactLaw::ClosedForm | ImpactLaw::Dissipative) {
                item.equal(format!("{name}, {}: gains", law.name()), gains.count, 0);
            }
            item.figure(format!("gained {}, {name}", law.name()), gains.count as f64 / n as f64);
        }
        table.row(row);
    }
    item.tables.push(table);
    Ok(())
}

#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    count: usize,
    /// Share of K⁻.
    largest: f64,
    /// Rises of K beyond rounding that are not what `gained` says.
    untold: usize,
}

fn gains(
    n: u64,
    make: &dyn Fn(u64) -> Result<(Model, State), Box<dyn Error>>,
    law: ImpactLaw,
) -> Result<Gains, Box<dyn Error>> {
    let mut gains = Gains::default();
    for seed in 0..n {
        let scene = make(seed)?;
        let (_, report) = hit(&scene, law, Treatment::Simultaneous, &mut Data::new(&scene.0))?;
        let K = report.K_before;
        let grew = report.K_after - K;
        // rounding of K
        let told = (grew - report.gained).abs() <= 1e-12 * K || grew <= 1e-12 * K;
        gains.untold += usize::from(!told);
        if report.gained > 0.0 {
            gains.count += 1;
            gains.largest = larger(gains.largest, grew / K);
        }
    }
    Ok(gains)
}

/// Energy of one rod against its restitution.
fn one_rod(item: &mut Item) -> Result<(), Box<dyn Error>> {
    let rod = Slender { tilt: 0.7, mu: 0.9, e: 0.0, slip: -1.0, fall: 1.0, spin: 0.0 };
    let mut panels = Vec::new();
    for (title, rod) in [
        ("lower end slips away", rod),
        ("lower end slips under the rod", Slender { slip: 1.0, ..rod }),
    ] {
        let mut lines = Vec::new();
        for (colour, law) in LAWS.into_iter().enumerate() {
            let mut points = Vec::new();
            for i in 0..=50 {
                let e = f64::from(i) / 50.0;
                let scene = Slender { e, ..rod }.scene()?;
                let mut data = Data::new(&scene.0);
                let (_, report) = hit(&scene, law, Treatment::Simultaneous, &mut data)?;
                points.push((e, report.K_after / report.K_before));
            }
            let most = points.iter().map(|point| point.1).fold(0.0, larger);
            if matches!(law, ImpactLaw::ClosedForm | ImpactLaw::Dissipative) {
                let what = format!("rod whose {title}, {}: largest K⁺/K⁻", law.name());
                item.at_most(what, most, 1.0 + 1e-12);
            }
            item.figure(format!("rod_{}_{}", law.name(), rod.slip), most);
            let stroke = [Stroke::Solid, Stroke::Dashed, Stroke::Solid, Stroke::Dotted][colour];
            lines.push(Line { label: law.name().into(), colour, stroke, points });
        }
        let one = vec![(0.0, 1.0), (1.0, 1.0)];
        lines.push(Line { label: String::new(), colour: 5, stroke: Stroke::Dashed, points: one });
        panels.push(Panel {
            title: title.into(),
            size: (380.0, 340.0),
            x: Axis::linear("restitution e", (0.0, 1.0)),
            y: Axis::linear("K⁺/K⁻", (0.0, 1.6)),
            lines,
        });
    }
    let caption = "Energy after an impact over that before it, for a slender rod that leans by 0.7 rad and falls on its lower end with 1 m/s, μ = 0.9: laws that can gain, and two that cannot";
    item.picture("r7-rod", caption, svg("A rod with friction falls on its end", &panels));
    Ok(())
}

/// Velocities after the first of five touching balls has come with 1 m/s.
fn rows_of_balls(item: &mut Item) -> Result<(), Box<dyn Error>> {
    let n = 5;
    let caption = "Five equal balls that touch in a row, the first coming with 1 m/s: velocities afterwards [m/s], energy.";
    let head = ["e", "treatment", "v₁", "v₂", "v₃", "v₄", "v₅", "K⁺/K⁻"];
    let mut table = Table::new(caption, &head);
    let mut panels = Vec::new();
    for e in [1.0, 0.8] {
        let mut lines = Vec::new();
        let treatments = [
            ("all at once", Treatment::Simultaneous),
            ("one after the other", Treatment::Sequential),
        ];
        for (colour, (name, treatment)) in treatments.into_iter().enumerate() {
            let scene = cradle(n, e)?;
            let mut data = Data::new(&scene.0);
            let (v, report) = hit(&scene, ImpactLaw::Poisson, treatment, &mut data)?;
            let v: Vec<f64> = v.iter().step_by(6).copied().collect();
            let ratio = report.K_after / report.K_before;
            if e == 1.0 {
                let at_once = |i: usize| 2.0 / n as f64 - f64::from(i == 0);
                let wave = |i: usize| f64::from(i == n - 1);
                let expected = |i| if colour == 0 { at_once(i) } else { wave(i) };
                let off = (0..n).map(|i| (v[i] - expected(i)).abs()).fold(0.0, larger);
                item.at_most(format!("cradle, {name}: off its closed form [m/s]"), off, 1e-12);
            }
            item.at_most(format!("cradle, e = {e}, {name}: K⁺/K⁻"), ratio, 1.0 + 1e-12);
            let mut row = vec![number(e), name.to_string()];
            row.extend(v.iter().map(|v| number(*v)));
            row.push(number(ratio));
            table.row(row);
            let points = v.iter().enumerate().map(|(i, v)| ((i + 1) as f64, *v)).collect();
            let colour = 2 * colour;
            lines.push(Line { label: name.into(), colour, stroke: Stroke::Marked, points });
        }
        panels.push(Panel {
            title: format!("e = {e}"),
            size: (300.0, 300.0),
            x: Axis::linear("ball", (0.8, 5.2)),
            y: Axis::linear("velocity afterwards [m/s]", (-0.8, 1.2)),
            lines,
        });
    }
    item.tables.push(table);
    let caption = "Velocities of five touching balls after the first has come with 1 m/s: contacts that share an impact at once, and one after the other";
    item.picture("r7-cradle", caption, svg("One row of balls, two treatments", &panels));
    Ok(())
}
