//! A scene as `stiction bench --describe` prints it, and as Rapier has it.

use rapier3d_f64::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct World {
    h: f64,
    mu: f64,
    gravity: f64,
    bodies_collide: bool,
    fixed: Vec<Part>,
    pub bodies: Vec<Body>,
    joints: Vec<Joint>,
    loops: Vec<Loop>,
}

#[derive(Deserialize)]
pub struct Body {
    mass: f64,
    moments: [f64; 3],
    pub p: [f64; 3],
    quat: [f64; 4],
    planar: bool,
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    p: [f64; 3],
    quat: [f64; 4],
    form: Form,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Form {
    HalfSpace,
    Sphere { radius: f64 },
    Box { half: [f64; 3] },
    Capsule { radius: f64, half_length: f64 },
    Cylinder { radius: f64, half_length: f64 },
    Octahedron { half: [f64; 3] },
}

#[derive(Deserialize)]
struct Joint {
    parent: Option<usize>,
    child: usize,
    kind: Hinge,
    at: [f64; 3],
    stiffness: f64,
    damping: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Hinge {
    Revolute([f64; 3]),
    Prismatic([f64; 3]),
    Ball,
}

#[derive(Deserialize)]
struct Loop {
    a: usize,
    b: usize,
    at: [f64; 3],
    axis: [f64; 3],
}

fn pose(p: [f64; 3], [w, x, y, z]: [f64; 4]) -> Pose {
    Pose::from_parts(Vector::from_array(p), Rotation::from_xyzw(x, y, z, w))
}

impl Form {
    fn collider(&self) -> ColliderBuilder {
        match *self {
            Self::HalfSpace => ColliderBuilder::new(SharedShape::halfspace(Vector::Z)),
            Self::Sphere { radius } => ColliderBuilder::ball(radius),
            Self::Box { half: [x, y, z] } => ColliderBuilder::cuboid(x, y, z),
            Self::Capsule { radius, half_length } => {
                ColliderBuilder::capsule_z(half_length, radius)
            }
            Self::Cylinder { radius, half_length } => {
                ColliderBuilder::cylinder(half_length, radius)
            }
            Self::Octahedron { half: [x, y, z] } => {
                let corners = [Vector::X * x, Vector::Y * y, Vector::Z * z];
                let all: Vec<Vector> = corners.into_iter().flat_map(|c| [c, -c]).collect();
                ColliderBuilder::convex_hull(&all).expect("six corners have a hull")
            }
        }
    }
}

impl World {
    pub fn build(&self, is_coulomb: bool) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
        let friction_model =
            if is_coulomb { FrictionModel::Coulomb } else { FrictionModel::Simplified };
        let mut physics = PhysicsWorld {
            gravity: Vector::new(0.0, 0.0, -self.gravity),
            integration_parameters: IntegrationParameters {
                dt: self.h,
                friction_model,
                ..Default::default()
            },
            ..Default::default()
        };
        let ground = physics.insert_body(RigidBodyBuilder::fixed());
        for part in &self.fixed {
            self.collider(&mut physics, part, ground, true);
        }
        let handles: Vec<RigidBodyHandle> =
            self.bodies.iter().map(|body| self.body(&mut physics, body)).collect();
        for joint in &self.joints {
            let a = joint.parent.map_or(ground, |parent| handles[parent]);
            let (mask, axis, free) = match joint.kind {
                Hinge::Revolute(axis) => {
                    (JointAxesMask::LOCKED_REVOLUTE_AXES, axis, JointAxis::AngX)
                }
                Hinge::Prismatic(axis) => {
                    (JointAxesMask::LOCKED_PRISMATIC_AXES, axis, JointAxis::LinX)
                }
                Hinge::Ball => {
                    (JointAxesMask::LOCKED_SPHERICAL_AXES, [1.0, 0.0, 0.0], JointAxis::AngX)
                }
            };
            let mut generic = self.frames(mask, joint.parent, joint.child, joint.at, axis);
            if joint.stiffness > 0.0 || joint.damping > 0.0 {
                generic.set_motor_model(free, MotorModel::ForceBased);
                generic.set_motor(free, 0.0, 0.0, joint.stiffness, joint.damping);
            }
            physics.insert_multibody_joint(a, handles[joint.child], generic);
        }
        for closed in &self.loops {
            let mask = JointAxesMask::LOCKED_REVOLUTE_AXES;
            let generic = self.frames(mask, Some(closed.a), closed.b, closed.at, closed.axis);
            physics.insert_impulse_joint(handles[closed.a], handles[closed.b], generic);
        }
        (physics, handles)
    }

    fn body(&self, physics: &mut PhysicsWorld, body: &Body) -> RigidBodyHandle {
        let moments = Vector::from_array(body.moments);
        let mut builder = RigidBodyBuilder::dynamic()
            .pose(pose(body.p, body.quat))
            .can_sleep(false)
            .additional_mass_properties(MassProperties::new(Vector::ZERO, body.mass, moments));
        if body.planar {
            builder = builder.locked_axes(
                LockedAxes::TRANSLATION_LOCKED_Y
                    | LockedAxes::ROTATION_LOCKED_X
                    | LockedAxes::ROTATION_LOCKED_Z,
            );
        }
        let handle = physics.insert_body(builder);
        for part in &body.parts {
            self.collider(physics, part, handle, false);
        }
        handle
    }

    fn collider(
        &self,
        physics: &mut PhysicsWorld,
        part: &Part,
        body: RigidBodyHandle,
        fixed: bool,
    ) {
        let mut place = pose(part.p, part.quat);
        if matches!(part.form, Form::Cylinder { .. }) {
            // theirs lies along y
            place = place
                * Pose::from_parts(
                    Vector::ZERO,
                    Rotation::from_rotation_x(std::f64::consts::FRAC_PI_2),
                );
        }
        let mut builder = part.form.collider().density(0.0).friction(self.mu).position(place);
        if !self.bodies_collide {
            let (own, other) = if fixed {
                (Group::GROUP_1, Group::GROUP_2)
            } else {
                (Group::GROUP_2, Group::GROUP_1)
            };
            let groups = InteractionGroups::new(own, other, InteractionTestMode::And);
            builder = builder.collision_groups(groups);
        }
        physics.colliders.insert_with_parent(builder, body, &mut physics.bodies);
    }

    /// A joint whose x axis is `axis`, at a point of the world.
    fn frames(
        &self,
        mask: JointAxesMask,
        a: Option<usize>,
        b: usize,
        at: [f64; 3],
        axis: [f64; 3],
    ) -> GenericJoint {
        let turn = Rotation::from_rotation_arc(Vector::X, Vector::from_array(axis));
        let place = Pose::from_parts(Vector::from_array(at), turn);
        let of = |body: usize| pose(self.bodies[body].p, self.bodies[body].quat).inverse() * place;
        GenericJointBuilder::new(mask)
            .local_frame1(a.map_or(place, of))
            .local_frame2(of(b))
            .contacts_enabled(false)
            .build()
    }
}
