"""The box on the ground in each engine: a cube of 1 kg and 1 m, 5 m/s along y, 2π rad/s about z, μ = 1.

Every engine has settings by name, and `run(name, step, time)` that returns where the box is at the end, the number of steps
and the processor seconds of the steps alone. The contacts are the four lower corners in all of them.
"""

import importlib.metadata
import json
import math
import os
import subprocess
import sys
import time as clock
import warnings

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import dartpy as dart  # noqa: E402  (after the number of threads is set)
import mujoco  # noqa: E402
import numpy as np  # noqa: E402
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere  # noqa: E402
from pydrake.math import RigidTransform  # noqa: E402
from pydrake.multibody.math import SpatialVelocity  # noqa: E402
from pydrake.multibody.plant import (  # noqa: E402
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import SpatialInertia, UnitInertia  # noqa: E402
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig  # noqa: E402
from pydrake.systems.framework import DiagramBuilder  # noqa: E402

warnings.simplefilter("ignore", DeprecationWarning)

GRAVITY, SPEED, SPIN = 9.81, 5.0, 2.0 * math.pi
CORNERS = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
RIGID = 1e30  # N/m: the ground leaves all of the give to the corners


def answer(p, yaw, steps, seconds):
    return {"x": float(p[0]), "y": float(p[1]), "z": float(p[2]), "yaw": yaw, "steps": steps, "seconds": seconds}


class Process:
    """A program that answers lines `SETTING STEP TIME` with JSON: ours, and Rapier's."""

    def __init__(self, binary, version, settings):
        self.version, self.settings = version, settings
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, name, step, time):
        print(self.settings[name], step, time, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended at {name}, {step}")
        return json.loads(line)


class Drake:
    """Point contact of four small spheres; `step` is the length of a step, or the accuracy of the continuous plant.

    Stiffness k [N/m], Hunt–Crossley dissipation d [s/m] (for SAP a relaxation time of 0), stiction tolerance v [m/s].
    """

    version = importlib.metadata.version("drake")
    radius = 1e-3
    discrete = {
        "TAMSI, k 1e6": ("kTamsi", 1e6, 400.0, 1e-3),
        "TAMSI, k 1e8": ("kTamsi", 1e8, 0.0, 1e-3),
        "lagged, k 1e5": ("kLagged", 1e5, 100.0, 1e-3),
        "lagged, k 1e6": ("kLagged", 1e6, 400.0, 1e-3),
        "SAP, k 1e4": ("kSap", 1e4, 0.0, 1e-3),
        "SAP, k 1e6": ("kSap", 1e6, 0.0, 1e-3),
        "similar, k 1e6": ("kSimilar", 1e6, 400.0, 1e-3),
    }
    # half of critical damping and more, so that the box does not rattle; stiction tolerances as coarse as the answer allows.
    # k 3e4 is the cheapest within 3 mm of a search over scheme, k, d, v and accuracy
    continuous = {
        "RK3, k 1e4": ("runge_kutta3", 1e4, 20.0, 3e-2),
        "RK3, k 3e4": ("runge_kutta3", 3e4, 35.0, 3e-2),
        "RK3, k 1e5": ("runge_kutta3", 1e5, 64.0, 3e-2),
        "RK3, k 1e6": ("runge_kutta3", 1e6, 204.0, 1e-2),
        "RK3, k 1e6, d 408": ("runge_kutta3", 1e6, 408.0, 1e-2),
        "Radau3, k 1e5": ("radau3", 1e5, 100.0, 1e-2),
    }
    settings = discrete | continuous

    def plant(self, step, k, d):
        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=step)
        plant.set_contact_model(ContactModel.kPoint)

        def surface(k):
            properties = ProximityProperties()
            AddContactMaterial(dissipation=d, point_stiffness=k, friction=CoulombFriction(1.0, 1.0), properties=properties)
            properties.AddProperty("material", "relaxation_time", 0.0)
            return properties

        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", surface(RIGID))
        body = plant.AddRigidBody("box", SpatialInertia(1.0, np.zeros(3), UnitInertia(1 / 6, 1 / 6, 1 / 6)))
        for i, (x, y) in enumerate(CORNERS):
            place = RigidTransform([x, y, self.radius - 0.5])
            plant.RegisterCollisionGeometry(body, place, Sphere(self.radius), f"corner {i}", surface(k))
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        return builder, plant, body

    def run(self, name, step, time):
        kind, k, d, v = self.settings[name]
        is_discrete = name in self.discrete
        builder, plant, body = self.plant(step if is_discrete else 0.0, k, d)
        if is_discrete:
            plant.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, kind))
        plant.Finalize()
        plant.set_stiction_tolerance(v)
        simulator = Simulator(builder.Build())
        context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        # as deep in the ground as it stands
        plant.SetFreeBodyPose(context, body, RigidTransform([0.0, 0.0, 0.5 - GRAVITY / (4.0 * k)]))
        plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity([0.0, 0.0, SPIN], [0.0, SPEED, 0.0]))
        if not is_discrete:
            config = SimulatorConfig(integration_scheme=kind, accuracy=step, max_step_size=0.1, use_error_control=True)
            ApplySimulatorConfig(config, simulator)
        simulator.Initialize()
        start = clock.thread_time()
        simulator.AdvanceTo(time)
        seconds = clock.thread_time() - start
        steps = round(time / step) if is_discrete else simulator.get_integrator().get_num_steps_taken()
        X = plant.EvalBodyPoseInWorld(context, body)
        R = X.rotation().matrix()
        return answer(X.translation(), math.atan2(R[1, 0], R[0, 0]), steps, seconds)


class Mujoco:
    """A box on a plane, Newton's solver.

    `solref` "2h": the stiffest that the safe reference allows. "direct": stiffness and damping of the normals stated, those of friction apart.
    """

    version = mujoco.__version__
    margin = 0.01  # of "direct" [m]: what slides is lifted, and must not lose its contacts
    xml = """<mujoco><option timestep="{h}" gravity="0 0 -9.81" solver="Newton" iterations="100" tolerance="1e-10"
        cone="{cone}" impratio="{impratio}" integrator="{integrator}"><flag refsafe="{safe}"/></option>
        <worldbody><geom name="ground" type="plane" size="0 0 1"/>
        <body pos="0 0 0.5"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="{I} {I} {I}"/>
        <geom name="box" type="box" size=".5 .5 {half}"/></body></worldbody>
        <contact><pair geom1="ground" geom2="box" condim="3" friction="1 1 0 0 0" {contact}/></contact></mujoco>"""
    settings = {  # cone, impratio, integrator, contact
        "pyramid (default)": ("pyramidal", 1, "Euler", ""),
        "elliptic": ("elliptic", 1, "Euler", ""),
        "elliptic, impratio 100": ("elliptic", 100, "Euler", ""),
        "elliptic, impratio 100, RK4": ("elliptic", 100, "RK4", ""),
        "elliptic, impratio 100, solref 2h": ("elliptic", 100, "Euler", "2h"),
        "elliptic, impratio 10, direct": ("elliptic", 10, "Euler", "direct"),
    }

    def contact(self, word, h):
        if word == "2h":
            return f'solref="{2.0 * h} 1" solimp="0.99 0.99 0.001 0.5 2"'
        if word == "direct":
            # the best of a hundred and fifty random settings of these, by the largest error of three steps from 0.5 ms down
            normal, friction = f"{-0.0065 / h**2} {-0.4 / h}", f"-1e-12 {-0.48 / h}"
            return f'solref="{normal}" solreffriction="{friction}" solimp="0.99 0.99 0.001 0.5 2" margin="{self.margin}"'
        return ""

    def run(self, name, step, time):
        cone, impratio, integrator, contact = self.settings[name]
        words = {"h": step, "cone": cone, "impratio": impratio, "integrator": integrator, "I": 1 / 6}
        words |= {"contact": self.contact(contact, step), "safe": "enable", "half": 0.5}
        if contact == "direct":
            words |= {"safe": "disable", "half": 0.5 - self.margin}
        model = mujoco.MjModel.from_xml_string(self.xml.format(**words))
        data = mujoco.MjData(model)
        data.qvel[:] = [0.0, SPEED, 0.0, 0.0, 0.0, SPIN]
        steps = round(time / step)
        start = clock.thread_time()
        mujoco.mj_step(model, data, steps)
        seconds = clock.thread_time() - start
        w, x, y, z = data.qpos[3:7]
        yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return answer(data.qpos[:3], yaw, steps, seconds)


class Dart:
    """A box on a box, four contacts of ODE's detector."""

    version = importlib.metadata.version("dartpy")
    settings = {
        "Dantzig (default)": None,
        "FBF": ("FbfFrictionSolver", {}),
        "FBF, tol 1e-9": ("FbfFrictionSolver", {"tolerance": 1e-9, "maxOuterIterations": 1000}),
        "NSGS": ("NsgsFrictionSolver", {}),
        "NSGS, tol 1e-9": ("NsgsFrictionSolver", {"tolerance": 1e-9, "maxSweeps": 10000}),
    }

    def world(self, step):
        world = dart.simulation.World()
        world.setGravity([0.0, 0.0, -GRAVITY])
        world.setTimeStep(step)
        world.setCollisionDetector(dart.collision.OdeCollisionDetector())
        box, ground = dart.dynamics.Skeleton("box"), dart.dynamics.Skeleton("ground")
        _, body = box.createFreeJointAndBodyNodePair()
        body.setInertia(dart.dynamics.Inertia(1.0, [0.0, 0.0, 0.0], np.eye(3) / 6.0))
        _, floor = ground.createWeldJointAndBodyNodePair()
        for node, size, z in ((body, [1.0, 1.0, 1.0], 0.0), (floor, [20.0, 20.0, 1.0], -0.5)):
            shape = node.createShapeNode(dart.dynamics.BoxShape(size))
            shape.createCollisionAspect()
            shape.setRelativeTranslation([0.0, 0.0, z])
            surface = shape.createDynamicsAspect()
            surface.setFrictionCoeff(1.0)
            surface.setRestitutionCoeff(0.0)
        ground.setMobile(False)
        world.addSkeleton(box)
        world.addSkeleton(ground)
        return world, box, body

    def run(self, name, step, time):
        world, box, body = self.world(step)
        if self.settings[name]:
            solver, values = self.settings[name]
            solver = getattr(dart.constraint, solver)
            options = solver.Options()
            for key, value in values.items():
                setattr(options, key, value)
            world.getConstraintSolver().setBoxedLcpSolver(solver(options))
        box.setPositions([0.0, 0.0, 0.0, 0.0, 0.0, 0.5])
        box.setVelocities([0.0, 0.0, SPIN, 0.0, SPEED, 0.0])
        steps = round(time / step)
        start = clock.thread_time()
        for _ in range(steps):
            world.step()
        seconds = clock.thread_time() - start
        X = body.getWorldTransform().matrix()
        return answer(X[:3, 3], math.atan2(X[1, 0], X[0, 0]), steps, seconds)
