//! From a description to a [`Model`]: everything is checked before anything is made.

use super::check;
use super::error::ModelError;
use super::spec::{
    ConstraintKind, ConstraintSpec, CoordinateSpec, FrameSpec, JointSpec, ModelSpec, SpringKind,
    SpringSpec,
};
use super::{
    Attachment, Body, Carrier, Constraint, Coordinate, Coordinates, JointInfo, Model, Rows, Spring,
    SpringForm,
};
use crate::flight::Top;
use crate::inertia::SpatialInertia;
use crate::joint::Joint;
use crate::math::Quat;
use crate::spatial::{Motion, Pose};
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
    pub fn build(&self, coordinates: Coordinates) -> Result<Model, ModelError> {
        check::names_of(self)?;
        if !self.gravity.iter().all(|g| g.is_finite()) {
            return Err(ModelError::NotFinite { user: "world".to_string(), what: "gravity" });
        }
        for body in &self.bodies {
            let named = |error| ModelError::Inertia { body: body.name.clone(), error };
            body.inertia.check().map_err(named)?;
        }
        let mut links =
            self.joints.iter().map(|joint| self.link(joint)).collect::<Result<Vec<_>, _>>()?;
        let carrier = self.carriers(&mut links)?;
        let order = self.order(&links, &carrier)?;

        let mut model = self.tree(&links, &carrier, &order);
        if coordinates == Coordinates::Maximal {
            model.make_maximal();
        }
        // from here on bodies are known by their place in the model
        for constraint in &self.constraints {
            model.add_constraint(constraint)?;
        }
        for spring in &self.springs {
            model.add_spring(spring)?;
        }
        Ok(model)
    }

    fn link(&self, spec: &JointSpec) -> Result<Link, ModelError> {
        let (joint, R) = check::canonical(&spec.name, &spec.kind)?;
        let aligned = |X: Pose| Pose { R: X.R * R, p: X.p };
        let parent = self.find(&spec.name, &spec.parent)?;
        let child = self.find(&spec.name, &spec.child)?;
        let child = match child {
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
        };
        let X_PJ = aligned(check::pose(&spec.name, &spec.parent)?);
        let X_CM = aligned(check::pose(&spec.name, &spec.child)?);
        Ok(Link { info, parent, child, X_PJ, X_CM })
    }

    /// The place of a frame's body in the description; None for the world.
    fn find(&self, user: &str, frame: &FrameSpec) -> Result<Option<usize>, ModelError> {
        let Some(name) = &frame.body else { return Ok(None) };
        match self.bodies.iter().position(|body| body.name == *name) {
            Some(i) => Ok(Some(i)),
            None => Err(ModelError::UnknownBody { user: user.to_string(), body: name.clone() }),
        }
    }

    /// The joint that carries each body. A body without one becomes free.
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
        Ok((0..self.bodies.len())
            .map(|body| {
                carrier[body].unwrap_or_else(|| {
                    links.push(free_link(&self.bodies[body].name, body));
                    links.len() - 1
                })
            })
            .collect())
    }

    /// The bodies with parents first, otherwise in the order of the description.
    fn order(&self, links: &[Link], carrier: &[usize]) -> Result<Vec<usize>, ModelError> {
        let n = self.bodies.len();
        let mut children = vec![Vec::new(); n];
        let mut ready = std::collections::BTreeSet::new();
        for body in 0..n {
            match links[carrier[body]].parent {
                Some(parent) => children[parent].push(body),
                None => {
                    ready.insert(body);
                }
            }
        }
        let mut order = Vec::with_capacity(n);
        while let Some(body) = ready.pop_first() {
            order.push(body);
            ready.extend(&children[body]);
        }
        if order.len() == n {
            return Ok(order);
        }
        let left = (0..n).filter(|body| !order.contains(body));
        Err(ModelError::Cycle { bodies: left.map(|body| self.bodies[body].name.clone()).collect() })
    }

    /// The model in generalized coordinates, without constraints and springs.
    fn tree(&self, links: &[Link], carrier: &[usize], order: &[usize]) -> Model {
        let mut place = vec![0; order.len()];
        for (i, &body) in order.iter().enumerate() {
            place[body] = i;
        }
        let X_MU = |body: usize| links[carrier[body]].X_CM.inverse();
        let (mut bodies, mut armature, mut damping) = (Vec::new(), Vec::new(), Vec::new());
        let (mut nq, mut nv) = (0, 0);
        for &body in order {
            let link = &links[carrier[body]];
            let spec = &self.bodies[body];
            let X_BU = X_MU(body);
            let X_PJ = match link.parent {
                Some(parent) => X_MU(parent) * link.X_PJ,
                None => link.X_PJ,
            };
            bodies.push(Body {
                name: spec.name.clone(),
                parent: link.parent.map(|parent| place[parent]),
                joint: link.info.joint,
                X_PJ,
                X_BU,
                I: SpatialInertia::new(&spec.inertia, &X_BU),
                inertia: spec.inertia,
                q0: nq,
                v0: nv,
                alone: false,
                top: None,
            });
            nq += link.info.joint.nq();
            nv += link.info.joint.nv();
            armature.extend_from_slice(&link.info.armature);
            damping.extend_from_slice(&link.info.damping);
        }
        let joints = links
            .iter()
            .map(|link| {
                let body = place[link.child];
                let parent = Attachment { body: bodies[body].parent, X_BF: bodies[body].X_PJ };
                let child = Attachment { body: Some(body), X_BF: Pose::identity() };
                JointInfo { carrier: Carrier::Tree { body }, parent, child, ..link.info.clone() }
            })
            .collect();
        let mut model = Model {
            coordinates: Coordinates::Generalized,
            gravity: self.gravity,
            pattern: TreePattern::default(),
            bodies,
            nq,
            nv,
            armature,
            damping,
            joints,
            constraints: Vec::new(),
            springs: Vec::new(),
            q_neutral: vec![0.0; nq],
            angles: 0,
        };
        model.find_pattern();
        for body in &model.bodies {
            body.joint.neutral(&mut model.q_neutral[body.q0..body.q0 + body.joint.nq()]);
        }
        model
    }
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

    /// Frees every body and makes every joint a constraint.
    fn make_maximal(&mut self) {
        let poses = self.neutral_poses();
        let X_UB: Vec<Pose> = self.bodies.iter().map(|body| body.X_BU.inverse()).collect();
        let moved = |at: &Attachment| match at.body {
            Some(body) => Attachment { body: Some(body), X_BF: X_UB[body] * at.X_BF },
            None => *at,
        };
        for i in 0..self.joints.len() {
            let (a, b) = (moved(&self.joints[i].parent), moved(&self.joints[i].child));
            let joint = self.joints[i].joint;
            let angle = matches!(joint, Joint::Screw { .. }).then_some(self.angles);
            self.angles += usize::from(angle.is_some());
            let info = &mut self.joints[i];
            (info.parent, info.child) = (a, b);
            info.carrier = Carrier::Rows { constraint: self.constraints.len() };
            self.constraints.push(Constraint {
                name: info.name.clone(),
                rows: Rows::Joint { joint, a, b, angle },
                relaxation: None,
            });
        }

        self.coordinates = Coordinates::Maximal;
        (self.nq, self.nv) = (0, 0);
        self.q_neutral.clear();
        for (body, X_WB) in self.bodies.iter_mut().zip(&poses) {
            let X_WU = *X_WB * body.X_BU;
            self.q_neutral.extend_from_slice(X_WU.p.as_slice());
            self.q_neutral.extend_from_slice(&Quat::from_matrix(&X_WU.R).to_wxyz());
            *body = Body {
                name: std::mem::take(&mut body.name),
                parent: None,
                joint: Joint::Free,
                X_PJ: Pose::identity(),
                X_BU: Pose::identity(),
                I: SpatialInertia::new(&body.inertia, &Pose::identity()),
                inertia: body.inertia,
                q0: self.nq,
                v0: self.nv,
                alone: true,
                top: None,
            };
            self.nq += Joint::Free.nq();
            self.nv += Joint::Free.nv();
        }
        self.armature = vec![0.0; self.nv];
        self.damping = vec![0.0; self.nv];
        self.find_pattern();
    }

    /// `X_WB` of each body when all joints are neutral.
    fn neutral_poses(&self) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.bodies.len());
        let mut S = [Motion::zero(); 6];
        for body in &self.bodies {
            let q = &self.q_neutral[body.q_range()];
            let X_PB = body.joint.place(&body.X_PJ, q, &mut S[..body.joint.nv()]);
            poses.push(body.parent.map_or(X_PB, |parent| poses[parent] * X_PB));
        }
        poses
    }

    fn attach(&self, user: &str, frame: &FrameSpec) -> Result<Attachment, ModelError> {
        let X_UF = check::pose(user, frame)?;
        let Some(name) = &frame.body else {
            return Ok(Attachment { body: None, X_BF: X_UF });
        };
        match self.bodies.iter().position(|body| body.name == *name) {
            Some(i) => Ok(Attachment { body: Some(i), X_BF: self.bodies[i].X_BU * X_UF }),
            None => Err(ModelError::UnknownBody { user: user.to_string(), body: name.clone() }),
        }
    }

    /// Two frames on different bodies.
    fn attach_pair(
        &self,
        user: &str,
        a: &FrameSpec,
        b: &FrameSpec,
    ) -> Result<(Attachment, Attachment), ModelError> {
        let (a, b) = (self.attach(user, a)?, self.attach(user, b)?);
        if a.body == b.body {
            return Err(ModelError::SameBody { user: user.to_string() });
        }
        Ok((a, b))
    }

    fn coordinate(&mut self, user: &str, spec: &CoordinateSpec) -> Result<Coordinate, ModelError> {
        let Some(place) = self.joints.iter().position(|joint| joint.name == spec.joint) else {
            return Err(ModelError::UnknownJoint {
                user: user.to_string(),
                joint: spec.joint.clone(),
            });
        };
        let info = &self.joints[place];
        let (joint, index) = (info.joint, spec.index);
        if joint.quaternion().is_some() || index >= joint.nq() {
            return Err(ModelError::Coordinate {
                user: user.to_string(),
                joint: spec.joint.clone(),
                index,
            });
        }
        match info.carrier {
            Carrier::Tree { body } => {
                let body = &self.bodies[body];
                Ok(Coordinate::Tree { q: body.q0 + index, v: body.v0 + index })
            }
            Carrier::Rows { .. } => {
                let angle = joint.is_angle(index).then_some(self.angles);
                self.angles += usize::from(angle.is_some());
                Ok(Coordinate::Relative { joint: place, index, angle })
            }
        }
    }

    fn add_constraint(&mut self, spec: &ConstraintSpec) -> Result<(), ModelError> {
        let name = &spec.name;
        if let Some(relaxation) = &spec.relaxation {
            check::relaxation(name, relaxation)?;
        }
        let rows = match &spec.kind {
            ConstraintKind::Joint { kind, a, b } => {
                let (joint, R) = check::canonical(name, kind)?;
                let (mut a, mut b) = self.attach_pair(name, a, b)?;
                a.X_BF.R *= R;
                b.X_BF.R *= R;
                let angle = matches!(joint, Joint::Screw { .. }).then_some(self.angles);
                self.angles += usize::from(angle.is_some());
                Rows::Joint { joint, a, b, angle }
            }
            ConstraintKind::Distance { a, b, length } => {
                check::not_negative(name, "length", *length)?;
                if *length == 0.0 {
                    return Err(ModelError::Negative {
                        user: name.clone(),
                        what: "length (must be positive; a ball joint holds points together)",
                        value: 0.0,
                    });
                }
                let (a, b) = self.attach_pair(name, a, b)?;
                Rows::Distance { a, b, length: *length }
            }
            ConstraintKind::Coupling { terms, offset } => {
                check::finite(name, "offset", *offset)?;
                let mut resolved = Vec::with_capacity(terms.len());
                for (coordinate, coefficient) in terms {
                    check::finite(name, "coefficient", *coefficient)?;
                    resolved.push((self.coordinate(name, coordinate)?, *coefficient));
                }
                Rows::Coupling { terms: resolved, offset: *offset }
            }
            ConstraintKind::Drive { coordinate, law } => {
                let [value, rate, _] = law.at(0.0);
                check::finite(name, "law at t = 0", value + rate)?;
                Rows::Drive { coordinate: self.coordinate(name, coordinate)?, law: *law }
            }
        };
        let relaxation = spec.relaxation;
        self.constraints.push(Constraint { name: name.clone(), rows, relaxation });
        Ok(())
    }

    fn add_spring(&mut self, spec: &SpringSpec) -> Result<(), ModelError> {
        let name = &spec.name;
        check::not_negative(name, "stiffness", spec.stiffness)?;
        check::not_negative(name, "damping", spec.damping)?;
        let kind = match &spec.kind {
            SpringKind::Points { a, b, rest } => {
                check::not_negative(name, "rest length", *rest)?;
                let (a, b) = self.attach_pair(name, a, b)?;
                SpringForm::Points { a, b, rest: *rest }
            }
            SpringKind::Coordinate { coordinate, rest } => {
                check::finite(name, "rest position", *rest)?;
                let coordinate = self.coordinate(name, coordinate)?;
                SpringForm::Coordinate { coordinate, rest: *rest }
            }
            SpringKind::Torsion { a, b } => {
                let (a, b) = self.attach_pair(name, a, b)?;
                SpringForm::Torsion { a, b }
            }
        };
        let (stiffness, damping) = (spec.stiffness, spec.damping);
        self.springs.push(Spring { name: name.clone(), kind, stiffness, damping });
        Ok(())
    }
}
