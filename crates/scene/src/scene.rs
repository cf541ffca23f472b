//! A scene: everything a run needs.

use std::collections::BTreeMap;

use stiction_sim::collide::{Collider, Contact};
use stiction_sim::contact::ContactMemory;
use stiction_sim::model::Law;
use stiction_sim::tree::kinematics;
use stiction_sim::{
    BodyId, Coordinates, Data, JointId, LocatedSettings, Model, ModelError, ModelSpec, Motion,
    Pose, Quat, State, StepSettings, Vec3,
};

use crate::error::{Errors, SceneError};
use crate::lower::{Places, Thing};
use crate::tree::{At, Node, Sources};
use crate::urdf::Robot;
use crate::write;

/// What a file describes, ready to be built and stepped.
#[derive(Clone, Debug)]
pub struct Scene {
    pub title: String,
    pub description: String,
    pub spec: ModelSpec,
    pub coordinates: Coordinates,
    pub start: Start,
    pub stepping: Stepping,
    /// Of a run.
    pub steps: u64,
    pub forces: Vec<ForceSpec>,
    pub recording: RecordingSpec,
    pub seed: u64,
    /// What URDF files gave to the model, and what became of them.
    pub robots: Vec<PlacedRobot>,
    /// The file with all that it includes and every default.
    pub(crate) tree: Node,
    pub(crate) sources: Sources,
    pub(crate) places: Places,
}

/// Equal scenes run alike; where they were read from does not matter.
impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        self.title == other.title
            && self.description == other.description
            && self.spec == other.spec
            && self.coordinates == other.coordinates
            && self.start == other.start
            && self.stepping == other.stepping
            && self.steps == other.steps
            && self.forces == other.forces
            && self.recording == other.recording
            && self.seed == other.seed
            && self.robots == other.robots
            && self.tree == other.tree
    }
}

/// The state a run begins with, by names. What is not in it is neutral and at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// [s]
    pub time: f64,
    /// Free bodies.
    pub bodies: Vec<BodyStart>,
    pub joints: Vec<JointStart>,
    /// Remembered at each contact that is there [N].
    pub normal_force: f64,
}

/// Where a free body starts, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyStart {
    pub body: String,
    /// [m]
    pub p: Vec3,
    pub quat: Quat,
    /// Of its origin, in the world [m/s].
    pub v: Vec3,
    /// In the world [rad/s].
    pub w: Vec3,
}

/// Positions and velocities of a joint; empty: neutral, at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct JointStart {
    pub joint: String,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// How time goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stepping {
    Fixed(StepSettings),
    /// Steps end where gaps close.
    Located(LocatedSettings),
}

/// A force from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceSpec {
    pub name: String,
    pub on: ForceOn,
    /// A factor of time, taken at the beginning of each step. None: 1.
    pub law: Option<Law>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ForceOn {
    /// At a point of the body's frame [m], in the world [N, N·m].
    Body { body: String, point: Vec3, force: Vec3, torque: Vec3 },
    /// Along a velocity of a joint [N or N·m].
    Joint { joint: String, index: usize, force: f64 },
}

/// A robot of a scene. Its parts are in the model, their names after `name.`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedRobot {
    pub name: String,
    /// As the scene names it.
    pub file: String,
    pub robot: Robot,
}

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingSpec {
    /// Steps per frame.
    pub every: u64,
    pub contacts: bool,
}

impl Stepping {
    /// Between impacts, where they are located.
    pub fn step(&self) -> &StepSettings {
        match self {
            Self::Fixed(settings) => settings,
            Self::Located(settings) => &settings.step,
        }
    }
}

impl Scene {
    /// The scene as TOML, with every default. It loads again to an equal scene, files that it names being where they were.
    pub fn resolved(&self) -> String {
        write::scene(&self.tree)
    }

    /// The model and the state it starts in.
    pub fn build(&self) -> Result<(Model, State), Vec<SceneError>> {
        let mut errors = Errors::default();
        let built = self.try_build(&mut errors);
        built.ok_or_else(|| errors.told(&self.sources))
    }

    fn try_build(&self, errors: &mut Errors) -> Option<(Model, State)> {
        let model = self.spec.build(Coordinates::Generalized);
        let model = model.map_err(|error| self.tell(&error, errors)).ok()?;
        let state = self.generalized(&model, errors)?;
        let (model, mut state) = match self.coordinates {
            Coordinates::Generalized => (model, state),
            Coordinates::Maximal => {
                let maximal = self.spec.build(Coordinates::Maximal);
                let maximal = maximal.map_err(|error| self.tell(&error, errors)).ok()?;
                let carried = maximal.state_from(&model, &state);
                let state = carried.map_err(|error| errors.push(At::default(), error.to_string()));
                (maximal, state.ok()?)
            }
        };
        state.time = self.start.time;
        if self.start.normal_force > 0.0 {
            remember(&model, &mut state, self.start.normal_force);
        }
        Some((model, state))
    }

    fn generalized(&self, model: &Model, errors: &mut Errors) -> Option<State> {
        let mut state = model.state();
        let bodies: BTreeMap<&str, BodyId> = model
            .bodies()
            .iter()
            .enumerate()
            .map(|(i, body)| (body.name.as_str(), BodyId(i as u32)))
            .collect();
        for start in &self.start.bodies {
            let Some(&body) = bodies.get(start.body.as_str()) else { continue };
            let pose = Pose::from_parts(start.p, start.quat.normalized());
            let set = model
                .set_pose(&mut state, body, pose)
                .and_then(|()| model.set_velocity(&mut state, body, Motion::new(start.w, start.v)));
            if let Err(error) = set {
                errors.push(self.at(Thing::Body, &start.body), error.to_string());
            }
        }
        let joints = model.joints().iter().enumerate();
        let joints: BTreeMap<&str, JointId> =
            joints.map(|(i, joint)| (joint.name.as_str(), JointId(i as u32))).collect();
        for start in &self.start.joints {
            let Some(&joint) = joints.get(start.joint.as_str()) else { continue };
            if let (Some(q), Some(v)) = (model.q_range(joint), model.v_range(joint)) {
                copy(&mut state.q[q], &start.q);
                copy(&mut state.v[v], &start.v);
            }
        }
        if let Err(error) = model.check_state(&state) {
            let joint = self
                .start
                .joints
                .iter()
                .find(|start| error.to_string().contains(&format!("`{}`", start.joint)));
            let at = joint.map_or(At::default(), |start| self.at(Thing::Joint, &start.joint));
            errors.push(at, error.to_string());
        }
        errors.is_empty().then_some(state)
    }

    /// A force on a velocity that its joint does not have.
    pub(crate) fn bad_force(&self, force: &ForceSpec) -> SceneError {
        let place = self.sources.place(self.at(Thing::Force, &force.name));
        let message = "found a force on what is not there, expected a velocity of the joint";
        SceneError { place, message: message.to_string() }
    }

    fn at(&self, thing: Thing, name: &str) -> At {
        self.places.find(thing, name).unwrap_or(self.tree.at)
    }

    /// Gives an error of the model the place of the thing that it names.
    fn tell(&self, error: &ModelError, errors: &mut Errors) {
        let (things, name): (&[Thing], &str) = match error {
            ModelError::Inertia { body, .. } | ModelError::CarriedTwice { body, .. } => {
                (&[Thing::Body], body)
            }
            ModelError::Cycle { bodies } => {
                (&[Thing::Body], bodies.first().map_or("", String::as_str))
            }
            ModelError::Axis { joint, .. }
            | ModelError::AxesNotPerpendicular { joint }
            | ModelError::Limits { joint, .. }
            | ModelError::Length { joint, .. }
            | ModelError::Child { joint }
            | ModelError::MassMatrix { joint } => {
                (&[Thing::Joint, Thing::Constraint, Thing::Body], joint)
            }
            ModelError::MovingSurface { shape }
            | ModelError::EmptyShape { shape }
            | ModelError::FlatHull { shape }
            | ModelError::Triangle { shape, .. }
            | ModelError::Grid { shape, .. } => (&[Thing::Shape, Thing::Body], shape),
            ModelError::NoTerms { constraint } | ModelError::Term { constraint, .. } => {
                (&[Thing::Constraint], constraint)
            }
            ModelError::DuplicateName { name, .. } => (USERS, name),
            ModelError::PairTwice { materials: [a, b] } => {
                let at = self.at(Thing::Material, &format!("{a}–{b}"));
                return errors.push(at, error.to_string());
            }
            ModelError::UnknownBody { user, .. }
            | ModelError::UnknownJoint { user, .. }
            | ModelError::UnknownMaterial { user, .. }
            | ModelError::Quaternion { user, .. }
            | ModelError::NotFinite { user, .. }
            | ModelError::Negative { user, .. }
            | ModelError::NotPositive { user, .. }
            | ModelError::SameBody { user }
            | ModelError::Coordinate { user, .. }
            | ModelError::Overflow { user }
            | ModelError::KineticFriction { user, .. }
            | ModelError::Restitution { user, .. } => (USERS, user),
            ModelError::EmptyName { .. } => (&[], ""),
        };
        let at = things.iter().find_map(|thing| self.places.find(*thing, name));
        errors.push(at.unwrap_or(self.tree.at), error.to_string());
    }
}

/// Whoever may be meant by a name, the likeliest first.
const USERS: &[Thing] = &[
    Thing::Constraint,
    Thing::Spring,
    Thing::Motor,
    Thing::Guide,
    Thing::Joint,
    Thing::Shape,
    Thing::Material,
    Thing::Body,
];

fn copy(to: &mut [f64], from: &[f64]) {
    if to.len() == from.len() {
        to.copy_from_slice(from);
    }
}

/// Gaps of rounding between what is meant to touch [m].
const ROUNDING: f64 = 1e-9;

/// Gives all contacts of the state a normal force [N] and no friction.
fn remember(model: &Model, state: &mut State, lambda_n: f64) {
    let mut data = Data::new(model);
    kinematics::update(model, &state.q, &state.v, &mut data);
    let mut contacts: Vec<Contact> = Vec::new();
    Collider::new(model).detect(model, data.positions(), ROUNDING, &mut contacts);
    let memory =
        |contact: &Contact| ContactMemory { key: contact.key, lambda_n, lambda_t_W: Vec3::zeros() };
    state.memory.contacts = contacts.iter().map(memory).collect();
}
