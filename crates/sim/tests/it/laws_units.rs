//! Units that are powers of two change no bit, law U; and what a state is enough for.

use crate::mechanisms::{METHODS, Mechanism, Run, SETS, gears, settings, ten};
use stiction_sim::model::{ConstraintKind, FrameSpec, JointKind, Law, SpringKind};
use stiction_sim::{Coordinates, Data, Drift, Inertia, Joint, StepSettings, Stiffness};

/// What one unit of the old system is in the new one.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    pub(crate) m: f64,
    pub(crate) s: f64,
    pub(crate) kg: f64,
}

impl Units {
    pub(crate) fn new([m, s, kg]: [i32; 3]) -> Self {
        Self { m: 2f64.powi(m), s: 2f64.powi(s), kg: 2f64.powi(kg) }
    }

    /// Of position `index` of a joint with `nq` of them.
    fn position(&self, kind: &JointKind, index: usize) -> f64 {
        let is_length = match kind {
            JointKind::Prismatic { .. } => true,
            JointKind::Cylindrical { .. } => index == 1,
            JointKind::Planar => index < 2,
            JointKind::Free => index < 3,
            _ => false,
        };
        if is_length { self.m } else { 1.0 }
    }

    /// [N/m or N·m/rad] for a position of this unit.
    fn stiffness(&self, position: f64) -> f64 {
        self.kg * self.m * self.m / (self.s * self.s) / (position * position)
    }
}

fn scale_inertia(inertia: &mut Inertia, u: Units) {
    inertia.mass *= u.kg;
    inertia.com *= u.m;
    inertia.I_com *= u.kg * u.m * u.m;
}

fn scale_joint(kind: &mut JointKind, u: Units) {
    if let JointKind::Screw { pitch, .. } = kind {
        *pitch *= u.m;
    }
}

fn scale_law(law: &mut Law, u: Units, position: f64) {
    match law {
        Law::Polynomial(c) => {
            let mut power = 1.0;
            for c in c {
                *c *= position / power;
                power *= u.s;
            }
        }
        Law::Sine { offset, amplitude, omega, .. } => {
            *offset *= position;
            *amplitude *= position;
            *omega /= u.s;
        }
        Law::Custom(_) => unreachable!("no mechanism has one"),
    }
}

/// The same mechanism in other units.
pub(crate) fn scaled(m: &Mechanism, u: Units) -> Mechanism {
    let mut m = m.clone();
    let kinds: Vec<(String, JointKind)> =
        m.spec.joints.iter().map(|joint| (joint.name.clone(), joint.kind)).collect();
    let unit = |joint: &str, index: usize| {
        let kind = kinds.iter().find(|(name, _)| name == joint).expect("a joint");
        u.position(&kind.1, index)
    };
    let spec = &mut m.spec;
    spec.gravity *= u.m / (u.s * u.s);
    spec.bodies.iter_mut().for_each(|body| scale_inertia(&mut body.inertia, u));
    let scale_frame = |frame: &mut FrameSpec| frame.p *= u.m;
    for joint in &mut spec.joints {
        scale_joint(&mut joint.kind, u);
        scale_frame(&mut joint.parent);
        scale_frame(&mut joint.child);
        let force = u.stiffness(unit(&joint.name, 0)) * u.s;
        joint.damping.iter_mut().for_each(|b| *b *= force);
        joint.armature.iter_mut().for_each(|a| *a *= force * u.s);
    }
    for constraint in &mut spec.constraints {
        match &mut constraint.kind {
            ConstraintKind::Joint { kind, a, b } => {
                scale_joint(kind, u);
                scale_frame(a);
                scale_frame(b);
            }
            ConstraintKind::Distance { a, b, length } => {
                scale_frame(a);
                scale_frame(b);
                *length *= u.m;
            }
            // only angles are coupled here
            ConstraintKind::Coupling { .. } => {}
            ConstraintKind::Drive { coordinate, law } => {
                scale_law(law, u, unit(&coordinate.joint, coordinate.index));
            }
        }
    }
    for spring in &mut spec.springs {
        let position = match &mut spring.kind {
            SpringKind::Points { a, b, rest } => {
                scale_frame(a);
                scale_frame(b);
                *rest *= u.m;
                u.m
            }
            SpringKind::Coordinate { coordinate, rest } => {
                let position = unit(&coordinate.joint, coordinate.index);
                *rest *= position;
                position
            }
            SpringKind::Torsion { a, b } => {
                scale_frame(a);
                scale_frame(b);
                1.0
            }
        };
        spring.stiffness *= u.stiffness(position);
        spring.damping *= u.stiffness(position) * u.s;
    }
    for start in &mut m.start {
        let joint = start.joint.clone();
        start.q.iter_mut().enumerate().for_each(|(i, q)| *q *= unit(&joint, i));
        start.v.iter_mut().enumerate().for_each(|(i, v)| *v *= unit(&joint, i) / u.s);
    }
    m
}

/// q and v of a run in the units it was scaled from.
pub(crate) fn numbers(run: &Run, u: Units) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut v) = (run.state.q.clone(), run.state.v.clone());
    for body in run.model.bodies() {
        let lengths = match body.joint {
            Joint::Prismatic => 0..1,
            Joint::Cylindrical => 1..2,
            Joint::Planar => 0..2,
            Joint::Free => 0..3,
            _ => 0..0,
        };
        for i in lengths {
            q[body.q0 + i] /= u.m;
            v[body.v0 + i] /= u.m;
        }
    }
    v.iter_mut().for_each(|v| *v *= u.s);
    (q, v)
}

/// Settings of every method, and every way of the Euler step.
fn all_settings() -> Vec<StepSettings> {
    let mut all: Vec<StepSettings> = METHODS.map(|method| settings(1e-3, method)).to_vec();
    for drift in [Drift::Free, Drift::Stabilize { beta: 0.25 }, Drift::Project] {
        all.push(StepSettings { drift, ..all[0] });
    }
    all.push(StepSettings { stiffness: Stiffness::Explicit, ..all[0] });
    all
}

fn run(m: &Mechanism, set: Coordinates, s: &StepSettings, n: usize) -> Run {
    let mut run = m.run(set);
    for i in 0..n {
        if let Err(error) = run.try_step(s) {
            panic!("{} {set:?} {s:?}, step {i}: {error}", m.name);
        }
    }
    run
}

#[test]
fn units_that_are_powers_of_two_change_no_bit_of_any_mechanism() {
    let systems = [
        [20, 0, 0],
        [-20, 0, 0],
        [0, 20, 0],
        [0, -20, 0],
        [0, 0, 20],
        [10, -10, -20],
        [-10, 20, 10],
    ];
    for (m, set) in ten().iter().chain([&gears()]).flat_map(|m| SETS.map(|set| (m, set))) {
        for s in all_settings() {
            let plain = numbers(&run(m, set, &s, 50), Units::new([0; 3]));
            for exponents in systems {
                let u = Units::new(exponents);
                let in_units = StepSettings { h: s.h * u.s, ..s };
                let found = numbers(&run(&scaled(m, u), set, &in_units, 50), u);
                assert!(plain == found, "{} {set:?} {s:?} {exponents:?}", m.name);
            }
        }
    }
}

#[test]
fn a_state_is_all_that_the_future_depends_on() {
    for (m, set) in ten().iter().chain([&gears()]).flat_map(|m| SETS.map(|set| (m, set))) {
        for s in all_settings() {
            let whole = run(m, set, &s, 40);
            let mut half = run(m, set, &s, 20);
            assert!(half.state != whole.state);
            half.data = Data::new(&half.model);
            half.steps(&s, 20);
            assert!(half.state == whole.state, "{} {set:?} {s:?}", m.name);
            assert!(run(m, set, &s, 40).state == whole.state, "{} {set:?} {s:?}", m.name);
        }
    }
}
