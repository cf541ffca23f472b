//! A scene that runs.

use std::num::NonZeroUsize;

use stiction_sim::located::Event;
use stiction_sim::{
    BodyId, BodyLoad, Data, Input, JointId, JointLoad, Ledger, Model, State, StepError, StepReport,
    step, step_located,
};

use crate::error::SceneError;
use crate::scene::{ForceOn, ForceSpec, Scene, Stepping};

/// Model, state and memory of a scene.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub model: Model,
    pub state: State,
    pub data: Data,
    pub stepping: Stepping,
    forces: Vec<Push>,
}

/// A force on what it acts on.
#[derive(Clone, Debug)]
struct Push {
    on: Target,
    spec: ForceSpec,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Body(BodyId),
    Joint(JointId),
}

/// What a step did, fixed or located.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stepped {
    /// The step, or the last one of those that a located step is made of.
    pub last: StepReport,
    /// Impacts that were located, in their order.
    pub events: Vec<Event>,
    /// The judge has accepted everything.
    pub certified: bool,
    /// Where the energy went, where the settings ask for it.
    pub ledger: Option<Ledger>,
    /// Steps it is made of: 1 unless impacts are located.
    pub steps: usize,
    /// There were too many impacts, and the rest was one ordinary step.
    pub is_cut_short: bool,
}

impl Simulation {
    pub fn new(scene: &Scene) -> Result<Self, Vec<SceneError>> {
        let (model, state) = scene.build()?;
        let data = Data::new(&model);
        let mut forces = Vec::new();
        for spec in &scene.forces {
            // unknown names were told when the scene was read
            let on = match &spec.on {
                ForceOn::Body { body, .. } => model.body(body).map(Target::Body),
                ForceOn::Joint { joint, index, .. } => model
                    .joint(joint)
                    .filter(|id| *index < model.joints()[id.0 as usize].joint.nv())
                    .map(Target::Joint),
            };
            match on {
                Some(on) => forces.push(Push { on, spec: spec.clone() }),
                None => return Err(vec![scene.bad_force(spec)]),
            }
        }
        Ok(Self { model, state, data, stepping: scene.stepping, forces })
    }

    /// So many threads share the work of the steps to come. They change no bit.
    pub fn set_threads(&mut self, threads: NonZeroUsize) {
        self.data = Data::with_threads(&self.model, threads);
    }

    /// One step. On an error the state is as it was.
    pub fn step(&mut self) -> Result<Stepped, StepError> {
        let (bodies, joints) = self.loads();
        let input = Input { bodies: &bodies, joints: &joints, ..Input::default() };
        match &self.stepping {
            Stepping::Fixed(settings) => {
                let report = step(&self.model, settings, &input, &mut self.state, &mut self.data)?;
                Ok(Stepped {
                    last: report,
                    certified: report.contact.is_none_or(|contact| contact.certified),
                    ledger: report.ledger,
                    steps: 1,
                    ..Stepped::default()
                })
            }
            Stepping::Located(settings) => {
                let report =
                    step_located(&self.model, settings, &input, &mut self.state, &mut self.data)?;
                Ok(Stepped {
                    last: report.last,
                    events: report.events,
                    certified: report.certified,
                    ledger: report.ledger,
                    steps: report.steps,
                    is_cut_short: report.is_cut_short,
                })
            }
        }
    }

    /// The forces of this moment.
    fn loads(&self) -> (Vec<BodyLoad>, Vec<JointLoad>) {
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        for Push { on, spec } in &self.forces {
            let factor = spec.law.as_ref().map_or(1.0, |law| law.at(self.state.time)[0]);
            match (on, &spec.on) {
                (Target::Body(body), ForceOn::Body { point, force, torque, .. }) => {
                    let (f, t) = (force * factor, torque * factor);
                    bodies.push(BodyLoad { body: *body, p_UoQ_U: *point, f, t });
                }
                (Target::Joint(joint), ForceOn::Joint { index, force, .. }) => {
                    let force = force * factor;
                    joints.push(JointLoad { joint: *joint, index: *index, force });
                }
                _ => {}
            }
        }
        (bodies, joints)
    }
}
