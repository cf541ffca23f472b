//! A block slides to a stop on a table: distance and time against v²/(2μg) and v/(μg), under three friction laws, and where
//! its energy went.
//!
//! `cargo run --release -p stiction-sim --example sliding_block`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use stiction_sim::contact::ContactSettings;
use stiction_sim::contact::law::{Cone, Convex, Law, Pyramid};
use stiction_sim::model::{FrameSpec, Shape, Surface};
use stiction_sim::{
    Coordinates, Data, Geometry, Inertia, Input, Model, ModelSpec, StepSettings, Vec3, step,
};

const MU: f64 = 0.4;
const SPEED: f64 = 2.0; // m/s
const H: f64 = 5e-3; // s
const G: f64 = 9.81; // m/s²

/// A cube of 1 kg and 20 cm, and the table.
fn block() -> Result<Model, Box<dyn Error>> {
    let mut spec = ModelSpec::new();
    spec.material("wood", Surface::rigid(MU));
    spec.shape("table", FrameSpec::world(), Shape::HalfSpace, "wood");
    spec.body("block", Inertia::principal(1.0, [0.04 / 6.0; 3]));
    let half = Vec3::new(0.1, 0.1, 0.1);
    spec.shape("cube", FrameSpec::of("block"), Shape::Box { half }, "wood");
    Ok(spec.build(Coordinates::Generalized)?)
}

/// Way, and largest height over the table, of a slide at 30° to the block's sides; energies by their names.
fn slide(law: Law) -> Result<(f64, f64, [f64; 3]), Box<dyn Error>> {
    let model = block()?;
    let (mut state, mut data) = (model.state(), Data::new(&model));
    state.q[2] = 0.1;
    let (s, c) = (std::f64::consts::PI / 6.0).sin_cos();
    (state.v[0], state.v[1]) = (SPEED * c, SPEED * s);
    let contact = ContactSettings { law, ..Default::default() };
    let settings = StepSettings {
        h: H,
        geometry: Geometry::Middle,
        ledger: true,
        contact,
        ..Default::default()
    };
    let (mut height, mut energy) = (0.0_f64, [0.0; 3]);
    for _ in 0..200 {
        // an error would leave the state as it was and say why; a step that comes back is certified
        let report = step(&model, &settings, &Input::default(), &mut state, &mut data)?;
        height = height.max(state.q[2] - 0.1);
        if let Some(ledger) = report.ledger {
            energy[0] += ledger.friction;
            energy[1] += ledger.impact;
            energy[2] += ledger.numerical + ledger.stabilization;
        }
    }
    Ok((state.q[0].hypot(state.q[1]), height, energy))
}

fn main() -> Result<(), Box<dyn Error>> {
    let exact = SPEED * SPEED / (2.0 * MU * G);
    println!("v²/(2μg) = {exact:.4} m, ½mv² = {:.3} J\n", 0.5 * SPEED * SPEED);
    println!("law            way [m]   lift [mm]   friction [J]   impact [J]   other [J]");
    let four = Pyramid { facets: 4, ..Default::default() };
    let laws = [
        ("cone", Law::Cone(Cone::default())),
        ("pyramid, 4", Law::Pyramid(four)),
        ("convex", Law::Convex(Convex::default())),
    ];
    for (name, law) in laws {
        let (way, height, [friction, impact, other]) = slide(law)?;
        let lift = 1e3 * height;
        println!("{name:12} {way:9.4} {lift:11.3} {friction:14.3} {impact:12.3} {other:11.3}");
        if name == "cone" {
            // the last step is cut short: up to μ g h²/8
            assert!((way - exact).abs() <= MU * G * H * H / 8.0 + 1e-9, "{way}");
            assert!(height < 1e-9 && (friction + 0.5 * SPEED * SPEED).abs() < 1e-3);
        }
    }
    println!(
        "\nThe pyramid is too weak off its corners, the convex law lifts what slides: the cone is Coulomb's law."
    );
    Ok(())
}
