//! `stiction inspect`: a model at a state, in numbers.

mod json;
mod problem;

use std::fmt::Write;

use stiction_record::{Coordinate, Frame};
use stiction_scene::Simulation;
use stiction_sim::tree::rnea::{self, BiasOf};
use stiction_sim::tree::{crba, kinematics};
use stiction_sim::{MatX, StepError};

use crate::Output;
use crate::args::InspectArgs;
use crate::load;
use crate::print::{self, short};
use crate::run::{frame, header};
use problem::ContactProblem;

/// What a state of a model shows.
pub(crate) struct View {
    pub(crate) simulation: Simulation,
    /// The state after the steps that were asked for.
    pub(crate) frame: Frame,
    pub(crate) q: Vec<Coordinate>,
    pub(crate) v: Vec<Coordinate>,
    pub(crate) M: MatX,
    /// `c(q, v)`: Coriolis, centrifugal and gravity forces [N or N·m].
    pub(crate) bias: Vec<f64>,
    /// The next step, taken on a copy: its contacts and its problem.
    pub(crate) next: ContactProblem,
}

pub(crate) fn inspect(args: &InspectArgs) -> Result<Output, Output> {
    let scene = load::scene(&args.scene)?;
    let mut simulation = Simulation::new(&scene).map_err(load::complaints)?;
    for step in 1..=args.step {
        let taken = simulation.step();
        taken.map_err(|error| no_next_state(args, step, &error))?;
    }
    let view = View::of(simulation, args.step);
    let text = if args.json { print::line(&json::object(&view)) } else { view.text(&scene.title) };
    Ok(Output::said(text))
}

fn no_next_state(args: &InspectArgs, step: u64, error: &StepError) -> Output {
    let path = args.scene.path.display();
    load::bad_input(format!("{path}: --step {}: step {step} has no next state: {error}", args.step))
}

impl View {
    fn of(mut simulation: Simulation, step: u64) -> Self {
        let mut frame = Frame::default();
        frame::fill(&mut frame, &mut simulation, step, None);
        let (q, v) = header::coordinates(&simulation.model);
        let (model, state, data) = (&simulation.model, &simulation.state, &mut simulation.data);
        kinematics::update(model, &state.q, &state.v, data);
        let M = crba::mass_matrix(model, data).to_dense(model.pattern());
        let mut bias = vec![0.0; model.nv()];
        rnea::bias(model, data, BiasOf::All, &mut bias);
        let next = ContactProblem::of(&simulation);
        Self { simulation, frame, q, v, M, bias, next }
    }

    fn text(&self, title: &str) -> String {
        let model = &self.simulation.model;
        let mut text = format!(
            "{title} · {} bodies, {} joints, {} shapes · nq {}, nv {} · at {} s\n\n",
            model.bodies().len(),
            model.joints().len(),
            model.geoms().len(),
            model.nq(),
            model.nv(),
            self.frame.time
        );
        self.coordinates(&mut text);
        self.bodies(&mut text);
        self.next.text(&mut text, model);
        text
    }

    fn coordinates(&self, text: &mut String) {
        text.push_str("  q\n");
        for (coordinate, value) in self.q.iter().zip(&self.frame.q) {
            let _ =
                writeln!(text, "    {:<24} {value:>14.6e} {}", coordinate.name, coordinate.unit);
        }
        text.push_str("  v, bias c(q, v), diagonal of M\n");
        for (i, (coordinate, value)) in self.v.iter().zip(&self.frame.v).enumerate() {
            let (name, unit) = (&coordinate.name, &coordinate.unit);
            let (c, m) = (self.bias[i], self.M[(i, i)]);
            let _ = writeln!(text, "    {name:<24} {value:>14.6e} {unit:<6} {c:>14.6e} {m:>12.4e}");
        }
    }

    fn bodies(&self, text: &mut String) {
        text.push_str("  poses of bodies: x, y, z [m], quaternion w, x, y, z\n");
        for (body, pose) in self.simulation.model.bodies().iter().zip(&self.frame.poses) {
            let numbers: Vec<String> = pose.iter().map(|x| format!("{x:>9.5}")).collect();
            let _ = writeln!(text, "    {:<24} {}", body.name, numbers.join(" "));
        }
        let energy = &self.frame.energy;
        let (kinetic, potential) = (print::joules(energy.kinetic), print::joules(energy.potential));
        let _ = writeln!(text, "  energy: kinetic {kinetic} J, potential {potential} J");
        let _ = writeln!(text, "  condition of M: {}", short(condition(&self.M)));
    }
}

/// Largest over smallest singular value; 1 of nothing.
pub(crate) fn condition(M: &MatX) -> f64 {
    if M.is_empty() || M.nrows() > problem::MOST_ROWS {
        return f64::NAN;
    }
    let values = M.clone().singular_values();
    values.max() / values.min()
}
