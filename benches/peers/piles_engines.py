"""The scenes of `stiction bench` in other engines, built from what `stiction bench --describe` says.

Every engine is a class with `version`, a constructor that takes a world, `step()`, and `look()` that says how the contacts
are after a step: their number, the deepest overlap [m] and the largest approaching speed [m/s] (None where the engine does
not say). Those that tell impulses have `moving()`, the bodies before a step, and `impulses()` of the step, both as `judge_answer`
reads them; for bodies that move by themselves. Frames of bodies sit in their centres of mass along their principal axes.
"""

import importlib.metadata
import math

import numpy as np


def matrix(quat):
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose(thing):
    """4 × 4, from origin and quaternion."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = matrix(thing["quat"]), thing["p"]
    return X


def quaternion(R):
    """w, x, y, z of a rotation matrix."""
    w = math.sqrt(max(0.0, 1 + R[0, 0] + R[1, 1] + R[2, 2])) / 2
    x = math.copysign(math.sqrt(max(0.0, 1 + R[0, 0] - R[1, 1] - R[2, 2])) / 2, R[2, 1] - R[1, 2])
    y = math.copysign(math.sqrt(max(0.0, 1 - R[0, 0] + R[1, 1] - R[2, 2])) / 2, R[0, 2] - R[2, 0])
    z = math.copysign(math.sqrt(max(0.0, 1 - R[0, 0] - R[1, 1] + R[2, 2])) / 2, R[1, 0] - R[0, 1])
    return [w, x, y, z]


def corners(half):
    a, b, c = half
    return [[a, 0, 0], [-a, 0, 0], [0, b, 0], [0, -b, 0], [0, 0, c], [0, 0, -c]]


def faces():
    """Of the octahedron, counterclockwise from outside."""
    for i in (0, 1):
        for j in (2, 3):
            for k in (4, 5):
                yield (i, j, k) if (i + j + k) % 2 == 0 else (i, k, j)


def local(body, point):
    """A point of the world in a body's frame."""
    return matrix(body["quat"]).T @ (np.array(point) - np.array(body["p"]))


def hinge(joint):
    """(kind, axis in the world) of a joint."""
    if joint["kind"] == "ball":
        return "ball", None
    return next(iter(joint["kind"].items()))


class Unable(Exception):
    """The engine, or this file, does not build such a scene."""


class Mujoco:
    """Newton's solver, elliptic cones, the rest as it comes."""

    def __init__(self, world):
        import mujoco

        self.mujoco, self.version = mujoco, mujoco.__version__
        self.meshes, self.world = [], world
        self.children = {}
        for joint in world["joints"]:
            self.children.setdefault(joint["parent"], []).append(joint)
        carried = {joint["child"] for joint in world["joints"]}
        bodies = "".join(self.body(i, None) for i in range(len(world["bodies"])) if i not in carried)
        bodies += "".join(self.body(joint["child"], joint) for joint in self.children.get(None, []))
        fixed = "".join(self.geom(part, fixed=True) for part in world["fixed"])
        assets = "".join(f'<mesh name="mesh{k}" vertex="{vertices}"/>' for k, vertices in enumerate(self.meshes))
        loops = "".join(
            f'<connect body1="b{c["a"]}" body2="b{c["b"]}" anchor="{numbers(local(world["bodies"][c["a"]], c["at"]))}"/>' for c in world["loops"]
        )
        xml = (
            f'<mujoco><compiler angle="radian"/><size memory="6G"/><option timestep="{world["h"]}" gravity="0 0 {-world["gravity"]}" cone="elliptic" solver="Newton"/>'
            f"<asset>{assets}</asset><worldbody>{fixed}{bodies}</worldbody><equality>{loops}</equality></mujoco>"
        )
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.loops = len(world["loops"])

    def geom(self, part, fixed=False):
        form, world = part["form"], self.world
        kind = form["kind"]
        size = {
            "half_space": 'type="plane" size="0 0 1"',
            "sphere": f'type="sphere" size="{form.get("radius")}"',
            "box": f'type="box" size="{numbers(form.get("half", []))}"',
            "capsule": f'type="capsule" size="{form.get("radius")} {form.get("half_length")}"',
            "cylinder": f'type="cylinder" size="{form.get("radius")} {form.get("half_length")}"',
        }.get(kind)
        if kind == "octahedron":
            vertices = " ".join(numbers(corner) for corner in corners(form["half"]))
            if vertices not in self.meshes:
                self.meshes.append(vertices)
            size = f'type="mesh" mesh="mesh{self.meshes.index(vertices)}"'
        meets = "" if world["bodies_collide"] else f' contype="{int(fixed)}" conaffinity="{int(not fixed)}"'
        return f'<geom {size} pos="{numbers(part["p"])}" quat="{numbers(part["quat"])}" friction="{world["mu"]} 0 0" condim="3"{meets}/>'

    def body(self, i, joint):
        body = self.world["bodies"][i]
        parent = np.eye(4) if joint is None or joint["parent"] is None else pose(self.world["bodies"][joint["parent"]])
        X = np.linalg.inv(parent) @ pose(body)
        return (
            f'<body name="b{i}" pos="{numbers(X[:3, 3])}" quat="{numbers(quaternion(X[:3, :3]))}">{self.joint(body, joint)}'
            f'<inertial pos="0 0 0" mass="{body["mass"]}" diaginertia="{numbers(body["moments"])}"/>'
            + "".join(self.geom(part) for part in body["parts"])
            + "".join(self.body(child["child"], child) for child in self.children.get(i, []))
            + "</body>"
        )

    def joint(self, body, joint):
        if joint is None and body["planar"]:
            return '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 1 0"/>'
        if joint is None:
            return "<freejoint/>"
        kind, axis = hinge(joint)
        at = f'pos="{numbers(local(body, joint["at"]))}"'
        if kind == "ball":
            return f'<joint type="ball" {at}/>'
        axis = matrix(body["quat"]).T @ np.array(axis)
        kind = {"revolute": "hinge", "prismatic": "slide"}[kind]
        return f'<joint type="{kind}" {at} axis="{numbers(axis)}" stiffness="{joint["stiffness"]}" damping="{joint["damping"]}"/>'

    def step(self):
        self.mujoco.mj_step(self.model, self.data)

    def look(self):
        model, data = self.model, self.data
        if not np.all(np.isfinite(data.qpos)) or data.warning[self.mujoco.mjtWarning.mjWARN_BADQACC].number:
            raise Unable("it diverges")
        rows = np.zeros(data.nefc)
        self.mujoco.mj_mulJacVec(model, data, rows, data.qvel)
        addresses = [contact.efc_address for contact in data.contact[: data.ncon] if contact.efc_address >= 0]
        gap = float(np.max(np.abs(data.efc_pos[: 3 * self.loops]), initial=0.0)) if self.loops else None
        return {
            "contacts": int(data.ncon),
            "overlap": float(max((-c.dist for c in data.contact[: data.ncon]), default=0.0)),
            "approach": float(max((-rows[a] for a in addresses), default=0.0)) + 0.0,
            "joint_gap": gap,
        }

    def places(self):
        return np.array(self.data.xpos[1:])

    def moving(self):
        model, data, bodies = self.model, self.data, []
        for i in range(1, model.nbody):
            q, v = model.jnt_qposadr[model.body_jntadr[i]], model.body_dofadr[i]
            quat = data.qpos[q + 3 : q + 7]
            spin = matrix(quat) @ data.qvel[v + 3 : v + 6]  # theirs is the body's own
            bodies.append({"p": list(data.qpos[q : q + 3]), "quat": list(quat), "v": list(data.qvel[v : v + 3]), "w": list(spin)})
        return bodies

    def impulses(self):
        model, data, force, found = self.model, self.data, np.zeros(6), []
        for k in range(data.ncon):
            contact = data.contact[k]
            self.mujoco.mj_contactForce(model, data, k, force)
            a, b = (model.geom_bodyid[geom] for geom in contact.geom)
            impulse = model.opt.timestep * contact.frame.reshape(3, 3).T @ force[:3]
            found.append({"a": None if a == 0 else int(a) - 1, "b": None if b == 0 else int(b) - 1, "point": list(contact.pos), "impulse": list(impulse)})
        return found


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


class Drake:
    """SAP, point contact, materials as they come."""

    def __init__(self, world):
        from pydrake.geometry import AddContactMaterial, ProximityProperties
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction, DiscreteContactApproximation
        from pydrake.multibody.tree import SpatialInertia, UnitInertia
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        self.version = importlib.metadata.version("drake")
        builder = DiagramBuilder()
        self.plant, self.scene = AddMultibodyPlantSceneGraph(builder, time_step=world["h"])
        plant = self.plant
        plant.set_contact_model(ContactModel.kPoint)
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -world["gravity"]])
        self.surface = ProximityProperties()
        AddContactMaterial(friction=CoulombFriction(world["mu"], world["mu"]), properties=self.surface)
        self.geometries = []
        for part in world["fixed"]:
            self.shape(plant.world_body(), part)
        self.bodies = []
        for i, body in enumerate(world["bodies"]):
            unit = [moment / body["mass"] for moment in body["moments"]]
            self.bodies.append(plant.AddRigidBody(f"b{i}", SpatialInertia(body["mass"], np.zeros(3), UnitInertia(*unit))))
            for part in body["parts"]:
                self.geometries.append(self.shape(self.bodies[-1], part))
        carried = {joint["child"] for joint in world["joints"]}
        for i, body in enumerate(world["bodies"]):
            if body["planar"]:
                self.planar(i, body)
            elif i not in carried:
                plant.SetDefaultFloatingBaseBodyPose(self.bodies[i], self.transform(pose(body)))
        for joint in world["joints"]:
            self.joint(world, joint)
        for closed in world["loops"]:
            a, b = closed["a"], closed["b"]
            plant.AddBallConstraint(
                self.bodies[a], local(world["bodies"][a], closed["at"]), self.bodies[b], local(world["bodies"][b], closed["at"])
            )
        plant.Finalize()
        if not world["bodies_collide"] and self.geometries:
            from pydrake.geometry import CollisionFilterDeclaration, GeometrySet

            among = CollisionFilterDeclaration().ExcludeWithin(GeometrySet(self.geometries))
            self.scene.collision_filter_manager().Apply(among)
        self.simulator = Simulator(builder.Build())
        self.simulator.Initialize()
        self.context = plant.GetMyContextFromRoot(self.simulator.get_context())
        self.h, self.k = world["h"], 0

    def transform(self, X):
        from pydrake.math import RigidTransform

        return RigidTransform(X)

    def shape(self, body, part):
        from pydrake import geometry
        from pydrake.common import MemoryFile

        form = part["form"]
        radius, length = form.get("radius"), 2.0 * form.get("half_length", 0.0)
        shapes = {
            "half_space": lambda: geometry.HalfSpace(),
            "sphere": lambda: geometry.Sphere(radius),
            "box": lambda: geometry.Box(*(2.0 * x for x in form["half"])),
            "capsule": lambda: geometry.Capsule(radius, length),
            "cylinder": lambda: geometry.Cylinder(radius, length),
            "octahedron": lambda: geometry.Convex(geometry.InMemoryMesh(mesh_file=MemoryFile(wavefront(form["half"]).encode(), ".obj", "octahedron")), 1.0),
        }
        name = f"g{len(self.geometries)}-{body.name()}-{part['p']}"
        return self.plant.RegisterCollisionGeometry(body, self.transform(pose(part)), shapes[form["kind"]](), name, self.surface)

    def frame(self, body, X, name):
        from pydrake.multibody.tree import FixedOffsetFrame

        return self.plant.AddFrame(FixedOffsetFrame(name, body.body_frame(), self.transform(X)))

    def planar(self, i, body):
        from pydrake.multibody.tree import PlanarJoint

        upright = np.eye(4)
        upright[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # the joint's y is −z of the world
        parent = self.frame(self.plant.world_body(), pose(body) @ upright, f"p{i}")
        child = self.frame(self.bodies[i], upright, f"c{i}")
        self.plant.AddJoint(PlanarJoint(f"j{i}", parent, child, np.zeros(3)))

    def joint(self, world, joint):
        from pydrake.multibody import tree

        kind, axis = hinge(joint)
        i, p = joint["child"], joint["parent"]
        at = np.eye(4)
        at[:3, 3] = joint["at"]
        parent = self.plant.world_body() if p is None else self.bodies[p]
        X_PJ = at if p is None else np.linalg.inv(pose(world["bodies"][p])) @ at
        frames = self.frame(parent, X_PJ, f"p{i}"), self.frame(self.bodies[i], np.linalg.inv(pose(world["bodies"][i])) @ at, f"c{i}")
        if kind == "ball":
            self.plant.AddJoint(tree.BallRpyJoint(f"j{i}", *frames))
            return
        kinds = {"revolute": (tree.RevoluteJoint, tree.RevoluteSpring), "prismatic": (tree.PrismaticJoint, tree.PrismaticSpring)}
        make, spring = kinds[kind]
        added = self.plant.AddJoint(make(f"j{i}", *frames, axis, damping=joint["damping"]))
        if joint["stiffness"] > 0.0:
            self.plant.AddForceElement(spring(added, 0.0, joint["stiffness"]))

    def step(self):
        self.k += 1
        self.simulator.AdvanceTo(self.k * self.h)

    def look(self):
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        pairs = [results.point_pair_contact_info(k) for k in range(results.num_point_pair_contacts())]
        return {
            "contacts": len(pairs),
            "overlap": max((pair.point_pair().depth for pair in pairs), default=0.0),
            "approach": max((-pair.separation_speed() for pair in pairs), default=0.0),
            "joint_gap": None,
        }

    def places(self):
        return np.array([self.plant.EvalBodyPoseInWorld(self.context, body).translation() for body in self.bodies])


def wavefront(half):
    lines = [f"v {x} {y} {z}" for x, y, z in corners(half)]
    lines += ["f " + " ".join(str(i + 1) for i in face) for face in faces()]
    return "\n".join(lines) + "\n"


class Dart:
    """Dantzig with its fallback, Bullet's detector, as many contacts as there are."""

    def __init__(self, world):
        import dartpy as dart

        self.dart, self.version = dart, importlib.metadata.version("dartpy")
        if world["loops"]:
            raise Unable("loops are not built here")
        if not world["bodies_collide"] and world["fixed"] and world["fixed"][0]["form"]["kind"] == "cylinder":
            raise Unable("chains are not built here")
        self.world = dart.simulation.World()
        self.world.setGravity([0.0, 0.0, -world["gravity"]])
        self.world.setTimeStep(world["h"])
        solver = self.world.getConstraintSolver()
        solver.setCollisionDetector(dart.collision.BulletCollisionDetector())
        solver.getCollisionOption().maxNumContacts = 10**6
        ground = dart.dynamics.Skeleton("ground")
        _, node = ground.createWeldJointAndBodyNodePair()
        for part in world["fixed"]:
            self.shape(node, part, world["mu"])
        ground.setMobile(False)
        self.world.addSkeleton(ground)
        self.nodes = [None] * len(world["bodies"])
        carried = {joint["child"]: joint for joint in world["joints"]}
        for i, body in enumerate(world["bodies"]):
            if i in carried:
                continue
            skeleton = dart.dynamics.Skeleton(f"s{i}")
            joint, node = skeleton.createFreeJointAndBodyNodePair()
            self.fill(i, node, body, world["mu"])
            joint.setTransformFromParentBodyNode(self.isometry(pose(body)))
            for step in world["joints"]:
                self.link(skeleton, world, step)
            self.world.addSkeleton(skeleton)

    def isometry(self, X):
        isometry = self.dart.math.Isometry3()
        isometry.set_rotation(X[:3, :3])
        isometry.set_translation(X[:3, 3])
        return isometry

    def fill(self, i, node, body, mu):
        self.nodes[i] = node
        node.setInertia(self.dart.dynamics.Inertia(body["mass"], [0.0, 0.0, 0.0], np.diag(body["moments"])))
        for part in body["parts"]:
            self.shape(node, part, mu)

    def link(self, skeleton, world, joint):
        bodies, (kind, axis) = world["bodies"], hinge(joint)
        if kind != "revolute":
            raise Unable("only hinges are built here")
        properties = self.dart.dynamics.RevoluteJointProperties()
        made, node = skeleton.createRevoluteJointAndBodyNodePair(self.nodes[joint["parent"]], properties)
        at = np.eye(4)
        at[:3, 3] = joint["at"]
        made.setTransformFromParentBodyNode(self.isometry(np.linalg.inv(pose(bodies[joint["parent"]])) @ at))
        made.setTransformFromChildBodyNode(self.isometry(np.linalg.inv(pose(bodies[joint["child"]])) @ at))
        made.setAxis(axis)
        made.setSpringStiffness(0, joint["stiffness"])
        made.setDampingCoefficient(0, joint["damping"])
        self.fill(joint["child"], node, bodies[joint["child"]], world["mu"])

    def shape(self, node, part, mu):
        shapes, form = self.dart.dynamics, part["form"]
        radius, length = form.get("radius"), 2.0 * form.get("half_length", 0.0)
        kinds = {
            "half_space": lambda: shapes.BoxShape([100.0, 100.0, 1.0]),
            "sphere": lambda: shapes.SphereShape(radius),
            "box": lambda: shapes.BoxShape([2.0 * x for x in form["half"]]),
            "capsule": lambda: shapes.CapsuleShape(radius, length),
        }
        if form["kind"] not in kinds:
            raise Unable(f"no {form['kind']} is built here")
        place = np.array(part["p"]) - ([0.0, 0.0, 0.5] if form["kind"] == "half_space" else [0.0, 0.0, 0.0])
        made = node.createShapeNode(kinds[form["kind"]]())
        made.createCollisionAspect()
        made.setRelativeTransform(self.isometry(pose({"p": place, "quat": part["quat"]})))
        surface = made.createDynamicsAspect()
        surface.setFrictionCoeff(mu)
        surface.setRestitutionCoeff(0.0)

    def step(self):
        self.world.step()

    def look(self):
        contacts = self.world.getLastCollisionResult().getContacts()
        return {"contacts": len(contacts), "overlap": max((c.penetrationDepth for c in contacts), default=0.0), "approach": None, "joint_gap": None}

    def places(self):
        return np.array([node.getWorldTransform().translation() for node in self.nodes])


class Bullet:
    """Sequential impulses, 50 sweeps, as they come; damping off."""

    def __init__(self, world):
        import pybullet

        if world["joints"]:
            raise Unable("joints are not built here")
        self.bullet, self.version = pybullet, importlib.metadata.version("pybullet")
        if pybullet.isConnected():
            pybullet.disconnect()  # the world of the last round, into which the bodies would go once more
        self.client, self.h = pybullet.connect(pybullet.DIRECT), world["h"]
        pybullet.setGravity(0, 0, -world["gravity"])
        pybullet.setPhysicsEngineParameter(fixedTimeStep=world["h"], numSubSteps=1)
        self.shapes = {}
        for part in world["fixed"]:
            body = pybullet.createMultiBody(0.0, self.shape(part["form"]), basePosition=part["p"], baseOrientation=turned(part["quat"]))
            pybullet.changeDynamics(body, -1, lateralFriction=math.sqrt(world["mu"]))
        self.bodies = [self.body(body, world["mu"]) for body in world["bodies"]]

    def body(self, body, mu):
        shape = self.shape(body["parts"][0]["form"])
        made = self.bullet.createMultiBody(body["mass"], shape, basePosition=body["p"], baseOrientation=turned(body["quat"]))
        # friction of a pair is the product
        self.bullet.changeDynamics(
            made, -1, localInertiaDiagonal=body["moments"], lateralFriction=math.sqrt(mu), linearDamping=0, angularDamping=0, activationState=4
        )
        return made

    def shape(self, form):
        key = str(form)
        if key not in self.shapes:
            b = self.bullet
            radius, length = form.get("radius"), 2.0 * form.get("half_length", 0.0)
            kinds = {
                "half_space": lambda: b.createCollisionShape(b.GEOM_PLANE),
                "sphere": lambda: b.createCollisionShape(b.GEOM_SPHERE, radius=radius),
                "box": lambda: b.createCollisionShape(b.GEOM_BOX, halfExtents=form["half"]),
                "capsule": lambda: b.createCollisionShape(b.GEOM_CAPSULE, radius=radius, height=length),
                "octahedron": lambda: b.createCollisionShape(b.GEOM_MESH, vertices=corners(form["half"])),
            }
            self.shapes[key] = kinds[form["kind"]]()
        return self.shapes[key]

    def step(self):
        self.bullet.stepSimulation()

    def look(self):
        velocities = {}

        def at(body, point):
            if body not in velocities:
                velocities[body] = self.bullet.getBaseVelocity(body), self.bullet.getBasePositionAndOrientation(body)[0]
            (v, w), p = velocities[body]
            return np.array(v) + np.cross(w, np.array(point) - np.array(p))

        contacts = self.bullet.getContactPoints()
        approach = overlap = 0.0
        for contact in contacts:
            _, a, b, _, _, _, point, normal, distance, force = contact[:10]
            overlap = max(overlap, -distance)
            if force > 0.0:
                approach = max(approach, -float(np.dot(at(a, point) - at(b, point), normal)))
        return {"contacts": len(contacts), "overlap": overlap, "approach": approach, "joint_gap": None}

    def places(self):
        return np.array([self.bullet.getBasePositionAndOrientation(body)[0] for body in self.bodies])

    def moving(self):
        bodies = []
        for body in self.bodies:
            p, (x, y, z, w) = self.bullet.getBasePositionAndOrientation(body)
            v, spin = self.bullet.getBaseVelocity(body)
            bodies.append({"p": p, "quat": [w, x, y, z], "v": v, "w": spin})
        return bodies

    def impulses(self):
        place = {body: i for i, body in enumerate(self.bodies)}
        found = []
        for contact in self.bullet.getContactPoints():
            _, a, b, _, _, _, point, normal, _, force, along, first, across, second = contact[:14]
            impulse = self.h * (force * np.array(normal) + along * np.array(first) + across * np.array(second))
            found.append({"a": place.get(b), "b": place.get(a), "point": point, "impulse": list(impulse)})
        return found


def turned(quat):
    w, x, y, z = quat
    return [x, y, z, w]


ENGINES = {"MuJoCo": Mujoco, "Drake": Drake, "DART": Dart, "Bullet": Bullet}
