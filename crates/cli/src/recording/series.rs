//! Frames as the series that plots are made of.

use stiction_plot::recording::{Coordinate, Names, Run, Step, Touch};
use stiction_record::{Frame, Header};

pub(crate) struct Series {
    pub(crate) run: Run,
    positions: Vec<[f64; 3]>,
    touches: Vec<Touch>,
}

impl Series {
    pub(crate) fn new(header: &Header) -> Self {
        Self { run: Run::new(names(header)), positions: Vec::new(), touches: Vec::new() }
    }

    pub(crate) fn push(&mut self, frame: &Frame) {
        self.positions.clear();
        self.positions.extend(frame.poses.iter().map(|&[x, y, z, ..]| [x, y, z]));
        self.touches.clear();
        self.touches.extend(frame.contacts.iter().map(|contact| Touch {
            shapes: (contact.shape_a, contact.shape_b),
            gap: contact.gap,
            normal: contact.normal,
            impulse: contact.impulse,
        }));
        self.run.push(&Step {
            time: frame.time,
            positions: &self.positions,
            kinetic: frame.energy.kinetic,
            potential: frame.energy.potential,
            terms: &frame.energy.terms,
            contacts: &self.touches,
            residual: frame.certificate.residual,
            uncertified: !frame.certificate.certified,
            iterations: frame.certificate.iterations,
            q: &frame.q,
            v: &frame.v,
        });
    }
}

fn names(header: &Header) -> Names {
    let copy =
        |c: &stiction_record::Coordinate, name: String| Coordinate { name, unit: c.unit.clone() };
    Names {
        title: header.title.clone(),
        label: format!("{}, {}", header.law, header.solver),
        h: header.h,
        tol: header.tol,
        bodies: header.bodies.iter().map(|body| body.name.clone()).collect(),
        shapes: header.shapes.iter().map(|shape| shape.name.clone()).collect(),
        ledger: header.ledger.clone(),
        q: header.q.iter().map(|c| copy(c, c.name.clone())).collect(),
        v: header.v.iter().map(|c| copy(c, moved(&c.name))).collect(),
    }
}

/// The coordinate that a velocity moves: of `hinge.rate` it is `hinge`, of `box.vx` it is `box.x`.
fn moved(velocity: &str) -> String {
    if let Some(name) = velocity.strip_suffix(".rate") {
        return name.to_string();
    }
    match velocity.rsplit_once(".v") {
        Some((body, axis)) if axis.len() == 1 => format!("{body}.{axis}"),
        _ => velocity.to_string(),
    }
}
