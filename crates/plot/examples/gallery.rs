//! All figures, on friendly and on nasty data, as SVG and, with the feature `png`, as PNG in light and dark, into
//! `target/gallery` or the folder that is named. Something must be true of each.
//!
//! `cargo run --release -p stiction-plot --features png --example gallery`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::path::{Path, PathBuf};

use stiction_plot::recording::{
    Coordinate, Curve, Names, Run, Step, Touch, compare, convergence, standard,
};
use stiction_plot::{Arrangement, Axis, Figure, Line, NAMED, Panel, Scale, Stroke, Theme};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or("target/gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let sliding = sliding_box("box on the ground", "cone", 0.5);
    for (set, run) in [("box", &sliding), ("crowd", &crowd()), ("bare", &one_step())] {
        for named in standard(run) {
            write(&folder, &format!("{set}-{}", named.name), &named.figure)?;
        }
    }
    let runs = [("cone", 0.5), ("pyramid(4)", 0.47), ("box", 0.55), ("frictionless", 0.0)];
    let runs = runs.map(|(law, mu)| sliding_box("box on the ground", law, mu));
    for named in compare("box on the ground", &runs) {
        write(&folder, named.name, &named.figure)?;
    }
    let (errors, orders) = (convergence_of_three(), [1.0, 2.0]);
    let axes = ("h [s]", "error [m]");
    let figure = convergence("Order of three methods", axes, &errors, &orders);
    let svg = write(&folder, "convergence", &figure)?;
    assert!(svg.contains("euler, slope 1.0") && svg.contains("symmetric, slope 2.0"));
    let svg = write(&folder, "nasty", &nasty())?;
    assert!(svg.contains("no data") && svg.contains("9.81") && !svg.contains("NaN"));
    let svg = write(&folder, "million", &million())?;
    assert!(svg.len() < 300_000, "{} bytes", svg.len());
    println!("pictures are in {}", folder.display());
    Ok(())
}

/// Writes a figure in all its forms; returns the SVG. Every picture is small, and none is blank.
fn write(folder: &Path, name: &str, figure: &Figure) -> Result<String, Box<dyn Error>> {
    let auto = figure.svg(Theme::Auto);
    assert!(auto.len() < 300_000, "{name}: {} bytes", auto.len());
    std::fs::write(folder.join(format!("{name}.svg")), &auto)?;
    #[cfg(feature = "png")]
    for (theme, end) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let picture = stiction_plot::png(&figure.svg(theme), 1.5)?;
        assert!(picture.len() > 4000, "{name} is blank");
        std::fs::write(folder.join(format!("{name}-{end}.png")), picture)?;
    }
    Ok(auto)
}

fn coordinate(name: &str, unit: &str) -> Coordinate {
    Coordinate { name: name.into(), unit: unit.into() }
}

/// A box that slides to a stop while a ball bounces beside it, over 10 000 steps.
fn sliding_box(title: &str, law: &str, mu: f64) -> Run {
    let (h, g) = (2e-4, 9.81);
    let mut run = Run::new(Names {
        title: title.into(),
        label: law.into(),
        h,
        tol: 1e-10,
        bodies: vec!["box".into(), "ball".into()],
        shapes: vec!["ground".into(), "box".into(), "ball".into()],
        ledger: vec!["gravity".into(), "friction".into(), "impact".into(), "drives".into()],
        q: vec![coordinate("box.x", "m"), coordinate("ball.z", "m")],
        v: vec![coordinate("box.x", "m/s"), coordinate("ball.z", "m/s")],
    });
    let (mut x, mut v, mut z, mut w) = (0.0_f64, 3.0_f64, 1.0_f64, 0.0_f64);
    for i in 0..10_000_u32 {
        let before = 0.5 * (v * v + w * w);
        let slows = (mu * g * h).min(v);
        v -= slows;
        let friction = 0.5 * (v * v + w * w) - before;
        w -= g * h;
        z += h * w;
        let gravity = 0.5 * (v * v + w * w) - before - friction;
        let mut contacts = vec![Touch {
            shapes: (0, 1),
            gap: -1e-6 * (1.0 + 0.2 * libm::sin(0.01 * f64::from(i))),
            normal: [0.0, 0.0, 1.0],
            impulse: [-slows, 0.0, g * h],
        }];
        let (fell, mut impact) = (w, 0.0);
        if z < 0.1 && w < 0.0 {
            w *= -0.7;
            impact = 0.5 * (w * w - fell * fell);
            let impulse = [0.0, 0.0, 0.02 * (w - fell)];
            contacts.push(Touch { shapes: (0, 2), gap: z - 0.1, normal: [0.0, 0.0, 1.0], impulse });
        } else if z < 0.12 {
            let normal = [0.0, 0.0, 1.0];
            contacts.push(Touch { shapes: (0, 2), gap: z - 0.1, normal, impulse: [0.0; 3] });
        }
        x += h * v;
        let turn = 0.3 * libm::sin(x);
        run.push(&Step {
            time: f64::from(i) * h,
            positions: &[[x, turn, 0.5], [0.5 + 0.2 * f64::from(i) * h, -0.4, z]],
            kinetic: 0.5 * (v * v + w * w),
            potential: g * z,
            terms: &[gravity, friction, impact, 0.0],
            contacts: &contacts,
            residual: 1e-13 * libm::exp(3.0 * libm::sin(f64::from(i) * 0.7)),
            uncertified: i == 4000,
            iterations: 3 + i % 4,
            q: &[x, z],
            v: &[v, w],
        });
    }
    run
}

/// Thirty bodies with long names, some without numbers, and as many pairs.
fn crowd() -> Run {
    let name = |i: u32| format!("left_front_lower_leg_collision_box_number_{i}");
    let mut run = Run::new(Names {
        title:
            "A crowd of thirty bodies with names as long as those that converters of robots make up"
                .into(),
        h: 1e-2,
        bodies: (0..30).map(name).collect(),
        shapes: (0..30).map(name).collect(),
        ledger: (0..11).map(|i| format!("term of the ledger {i}")).collect(),
        ..Names::default()
    });
    for i in 0..400_u32 {
        let t = f64::from(i) * 1e-2;
        let place = |b: u32| {
            let (turn, reach) =
                (0.7 * f64::from(b) + 0.2 * t * f64::from(b % 5), 1.0 + 0.1 * f64::from(b));
            let x = if b == 7 && i % 50 < 5 { f64::NAN } else { reach * libm::cos(turn) };
            [x, reach * libm::sin(turn), 0.05 * f64::from(b) * (1.0 + libm::sin(t))]
        };
        let touch = |b: u32| Touch {
            shapes: (0, b),
            gap: 1e-4 * libm::sin(t + f64::from(b)),
            normal: [0.0, 0.0, 1.0],
            impulse: [0.01, 0.02, 0.1 * (2.0 + libm::cos(t * f64::from(b % 7)))],
        };
        let positions: Vec<[f64; 3]> = (0..30).map(place).collect();
        let contacts: Vec<Touch> =
            (1..30).filter(|b| (b * 37 + i) % 400 < 250).map(touch).collect();
        let terms: Vec<f64> = (0..11).map(|k| 0.01 * (f64::from(k) - 5.0)).collect();
        let residual = if i % 3 == 0 { 0.0 } else { 1e-9 };
        let (kinetic, potential) = (1e7 + t, -1e7);
        run.push(&Step {
            time: t,
            positions: &positions,
            kinetic,
            potential,
            terms: &terms,
            contacts: &contacts,
            residual,
            ..Step::default()
        });
    }
    run
}

/// A single step, most of it without numbers.
fn one_step() -> Run {
    let mut run = Run::new(Names {
        bodies: vec!["a".into()],
        q: vec![coordinate("a", "rad")],
        v: vec![coordinate("a", "rad/s")],
        ..Names::default()
    });
    let positions = &[[1.0, -2.0, 1e-20]];
    run.push(&Step { positions, potential: f64::NAN, q: &[0.1], v: &[1e-20], ..Step::default() });
    run
}

fn convergence_of_three() -> Vec<Curve> {
    let steps = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
    let curve = |label: &str, error: fn(f64) -> f64| Curve {
        label: label.into(),
        points: steps.map(|h| (h, error(h))).to_vec(),
    };
    vec![
        curve("euler", |h| 0.3 * h),
        curve("symmetric", |h| 0.8 * h * h),
        curve("extrapolated", |h| 5.0 * h * h * h * h + 1e-11),
    ]
}

fn panel(title: &str, points: Vec<(f64, f64)>, scale: Scale) -> Panel {
    let x = Axis::fit("x [m]", Scale::Linear, points.iter().map(|p| p.0));
    let y = Axis::fit("y [m]", scale, points.iter().map(|p| p.1));
    let line = Line { label: "line".into(), colour: 0, stroke: Stroke::Solid, points };
    Panel { title: title.into(), size: (250.0, 160.0), x, y, lines: vec![line] }
}

/// Ranges that are hard to draw.
fn nasty() -> Figure {
    let over = |y: fn(f64) -> f64| (0..40).map(f64::from).map(|x| (x, y(x))).collect();
    let wave = |x: f64| libm::sin(0.5 * x);
    let panels = vec![
        panel("noise about 9.81", over(|x| 9.81 + 1e-15 * libm::sin(0.5 * x)), Scale::Linear),
        panel("1e-20", over(|x| 1e-20 * libm::sin(0.5 * x)), Scale::Linear),
        panel("constant", over(|_| -3.0), Scale::Linear),
        panel("gaps", over(|x| if x % 9.0 < 2.0 { f64::NAN } else { x }), Scale::Linear),
        panel("nothing", Vec::new(), Scale::Log),
        panel("one point", vec![(1e9, wave(1.0))], Scale::Log),
        panel("half a decade", over(|x| 2.0 + 0.1 * x), Scale::Log),
        panel("two decades", over(|x| 1.0 + x * x), Scale::Log),
    ];
    Figure { title: "Nasty <data> & names".into(), arrangement: Arrangement::Row, panels }
}

/// A million points in a line, a path and a scatter.
fn million() -> Figure {
    let wave = |i: u32| libm::sin(f64::from(i) * 0.37) * f64::from(i % 977);
    let line: Vec<(f64, f64)> = (0..1_000_000).map(|i| (f64::from(i), wave(i))).collect();
    let path: Vec<(f64, f64)> = (0..1_000_000)
        .map(|i| (libm::sin(f64::from(i) * 3e-5), libm::sin(f64::from(i) * 7.1e-5)))
        .collect();
    let scatter: Vec<(f64, f64)> = (0..1_000_000).map(|i| (wave(i), wave(3 * i + 1))).collect();
    let strokes = [(line, Stroke::Solid), (path, Stroke::Solid), (scatter, Stroke::Dots)];
    let panels = strokes.into_iter().zip(NAMED).map(|((points, stroke), colour)| {
        let mut panel = panel("", points, Scale::Linear);
        panel.size = (260.0, 260.0);
        panel.lines[0].stroke = stroke;
        panel.lines[0].colour = colour;
        panel
    });
    Figure {
        title: "A million points".into(),
        arrangement: Arrangement::Row,
        panels: panels.collect(),
    }
}
