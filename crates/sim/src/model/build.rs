//! From a description to a [`Model`]: everything is checked before anything is made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::check;
use super::error::ModelError;
use super::spec::{FrameSpec, JointSpec, ModelSpec};
use super::{Attachment, Body, Carrier, Coordinates, JointInfo, Model};
use crate::flight::Top;
use crate::inertia::SpatialInertia;
use crate::joint::Joint;
use crate::spatial::Pose;
use crate::tree::pattern::TreePattern;

/// A joint of the description with its bodies found; bodies by their place in the description.
struct Link {
    info: JointInfo,
    parent: Option<usize>,
    child: usize,
    /// The two sides in the bodies' U frames, z along the axis.
    X_PJ: Pose,
    X_CM: Pose,
}

impl ModelSpec {
    /// Checks the description and freezes it. On an error nothing is built.
    ///
    /// Besides each number by itself, what they make together is checked where all joints are neutral: frames and
    /// inertias are finite there and the mass matrix has factors. Numbers that are too large, or
    /// too far apart, for that are errors here and not surprises of the first step. One factorization is the larger
    /// part of the cost for long chains.
    pub fn build(&self, coordinates: Coordinates) -> Result<Model, ModelError> {
        check::names_of(self)?;
        for g in self.gravity.iter() {
            check::finite("world", "gravity", *g)?;
        }
        for body in &self.bodies {
            let named = |error| ModelError::Inertia { body: body.name.clone(), error };
            body.inertia.check().map_err(named)?;
        }
        let places: BTreeMap<&str, usize> =
            self.bodies.iter().enumerate().map(|(i, body)| (body.name.as_str(), i)).collect();
        let mut links =
            self.joints.iter().map(|joint| link(joint, &places)).collect::<Result<Vec<_>, _>>()?;
        let carrier = self.carriers(&mut links)?;
        let order = self.order(&links, &carrier)?;

        let mut model = self.tree(&links, &carrier, &order);
        if coordinates == Coordinates::Maximal {
            model.make_maximal();
        }
        model.find_pattern();
        model.connect(self)?;
        model.add_materials(self)?;
        model.add_shapes(self)?;
        check::numbers(&model)?;
        Ok(model)
    }

    /// The joint that carries each body. A body without one becomes free, with a joint of its own name.
    fn carriers(&self, links: &mut Vec<Link>) -> Result<Vec<usize>, ModelError> {
        let mut carrier: Vec<Option<usize>> = vec![None; self.bodies.len()];
        for (i, link) in links.iter().enumerate() {
            if let Some(other) = carrier[link.child] {
                return Err(ModelError::CarriedTwice {
                    body: self.bodies[link.child].name.clone(),
                    joints: [links[other].info.name.clone(), link.info.name.clone()],
                });
            }
            carrier[link.child] = Some(i);
        }
        let carrier = (0..self.bodies.len())
            .map(|body| {
                carrier[body].unwrap_or_else(|| {
                    links.push(free_link(&self.bodies[body].name, body));
                    links.len() - 1
                })
            })
            .collect();
        check::names("joints", links.iter().map(|link| &link.info.name))?;
        Ok(carrier)
    }

    /// The bodies with parents first, otherwise in the order of the description.
    fn order(&self, links: &[Link], carrier: &[usize]) -> Result<Vec<usize>, ModelError> {
        let n = self.bodies.len();
        let parent = |body: usize| links[carrier[body]].parent;
        let mut children = vec![Vec::new(); n];
        let mut ready = BTreeSet::new();
        for body in 0..n {
            match parent(body) {
                Some(parent) => children[parent].push(body),
                None => {
                    ready.insert(body);
                }
            }
        }
        let mut order = Vec::with_capacity(n);
        let mut reached = vec![false; n];
        while let Some(body) = ready.pop_first() {
            order.push(body);
            reached[body] = true;
            ready.extend(&children[body]);
        }
        let Some(mut body) = (0..n).find(|&body| !reached[body]) else { return Ok(order) };

        // a body that is not reached is in a circle or below one: go up until a body comes again
        let mut walked = Vec::new();
        while !reached[body] {
            reached[body] = true;
            walked.push(body);
            body = parent(body).expect("a body carried by the world is reached");
        }
        let start = walked.iter().position(|&other| other == body).unwrap_or(0);
        let circle = walked[start..].iter().rev();
        Err(ModelError::Cycle { bodies: circle.map(|&i| self.bodies[i].name.clone()).collect() })
    }

    /// The model in generalized coordinates, without pattern, constraints and springs.
    fn tree(&self, links: &[Link], carrier: &[usize], order: &[usize]) -> Model {
        let mut place = vec![0; order.len()];
        for (i, &body) in order.iter().enumerate() {
            place[body] = i;
        }
        let X_MU = |body: usize| links[carrier[body]].X_CM.inverse();
        let mut model = self.without_bodies();
        for &body in order {
            let link = &links[carrier[body]];
            let (spec, joint, X_BU) = (&self.bodies[body], link.info.joint, X_MU(body));
            model.bodies.push(Body {
                name: spec.name.clone(),
                parent: link.parent.map(|parent| place[parent]),
                joint,
                X_PJ: link.parent.map_or(link.X_PJ, |parent| X_MU(parent) * link.X_PJ),
                X_BU,
                I: SpatialInertia::new(&spec.inertia, &X_BU),
                inertia: spec.inertia,
                q0: model.nq,
                v0: model.nv,
                alone: false,
                top: None,
            });
            model.q_neutral.resize(model.nq + joint.nq(), 0.0);
            joint.neutral(&mut model.q_neutral[model.nq..]);
            model.nq += joint.nq();
            model.nv += joint.nv();
            model.armature.extend_from_slice(&link.info.armature);
            model.damping.extend_from_slice(&link.info.damping);
        }
        for link in links {
            let i = place[link.child];
            let body = &model.bodies[i];
            let parent = Attachment { body: body.parent, X_BF: body.X_PJ };
            let child = Attachment { body: Some(i), X_BF: Pose::identity() };
            let carrier = Carrier::Tree { body: i };
            model.joints.push(JointInfo { carrier, parent, child, ..link.info.clone() });
        }
        model
    }

    /// The world.
    fn without_bodies(&self) -> Model {
        Model {
            identity: Arc::new(()),
            coordinates: Coordinates::Generalized,
            gravity: self.gravity,
            bodies: Vec::with_capacity(self.bodies.len()),
            nq: 0,
            nv: 0,
            pattern: TreePattern::default(),
            armature: Vec::new(),
            damping: Vec::new(),
            joints: Vec::with_capacity(self.bodies.len()),
            constraints: Vec::new(),
            springs: Vec::new(),
            motors: Vec::new(),
            limits: Vec::new(),
            frictions: Vec::new(),
            guides: Vec::new(),
            geoms: Vec::new(),
            materials: Vec::new(),
            pairs: BTreeMap::new(),
            combine: self.combine,
            neighbours_collide: self.neighbours_collide,
            q_neutral: Vec::new(),
            angles: Vec::new(),
        }
    }
}

/// Finds the bodies of a joint, by their `places` in the description, and checks its numbers.
fn link(spec: &JointSpec, places: &BTreeMap<&str, usize>) -> Result<Link, ModelError> {
    let (joint, R) = check::canonical(&spec.name, &spec.kind)?;
    let aligned = |X: Pose| Pose { R: X.R * R, p: X.p };
    let place = |frame: &FrameSpec| match &frame.body {
        None => Ok(None),
        Some(name) => match places.get(name.as_str()) {
            Some(&i) => Ok(Some(i)),
            None => Err(ModelError::UnknownBody { user: spec.name.clone(), body: name.clone() }),
        },
    };
    let parent = place(&spec.parent)?;
    let child = match place(&spec.child)? {
        Some(child) if Some(child) != parent => child,
        _ => return Err(ModelError::Child { joint: spec.name.clone() }),
    };
    check::limits(spec, joint)?;
    let info = JointInfo {
        name: spec.name.clone(),
        joint,
        carrier: Carrier::Tree { body: 0 },
        parent: Attachment::world(),
        child: Attachment::world(),
        limits: spec.limits.clone(),
        armature: check::per_velocity(spec, joint, "armature", &spec.armature)?,
        damping: check::per_velocity(spec, joint, "damping", &spec.damping)?,
        friction: check::per_velocity(spec, joint, "friction", &spec.friction)?,
    };
    let X_PJ = aligned(check::pose(&spec.name, &spec.parent)?);
    let X_CM = aligned(check::pose(&spec.name, &spec.child)?);
    Ok(Link { info, parent, child, X_PJ, X_CM })
}

/// The joint of a body that nothing carries.
fn free_link(body: &str, child: usize) -> Link {
    let info = JointInfo {
        name: body.to_string(),
        joint: Joint::Free,
        carrier: Carrier::Tree { body: 0 },
        parent: Attachment::world(),
        child: Attachment::world(),
        limits: Vec::new(),
        armature: vec![0.0; 6],
        damping: vec![0.0; 6],
        friction: vec![0.0; 6],
    };
    Link { info, parent: None, child, X_PJ: Pose::identity(), X_CM: Pose::identity() }
}

impl Model {
    /// What hangs below what, for bodies and for their velocities, and which bodies fly.
    fn find_pattern(&mut self) {
        // the last velocity at or above each body
        let mut last: Vec<Option<usize>> = Vec::with_capacity(self.bodies.len());
        let mut parent_of_velocity = Vec::with_capacity(self.nv);
        let mut carries = vec![false; self.bodies.len()];
        for body in &self.bodies {
            let mut above = body.parent.and_then(|parent| last[parent]);
            for v in body.v_range() {
                parent_of_velocity.push(above);
                above = Some(v);
            }
            last.push(above);
            if let Some(parent) = body.parent {
                carries[parent] = true;
            }
        }
        self.pattern = TreePattern::new(&parent_of_velocity);
        for (body, carries) in self.bodies.iter_mut().zip(carries) {
            let turns = matches!(body.joint, Joint::Free | Joint::Ball | Joint::Planar);
            let bare = self.armature[body.v_range()].iter().all(|a| *a == 0.0);
            body.alone = body.parent.is_none() && !carries && (bare || !turns);
            body.top = if body.flies() { Top::of(body) } else { None };
        }
    }
}
