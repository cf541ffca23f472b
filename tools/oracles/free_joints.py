"""The velocity of a free body as Pinocchio, MuJoCo and Drake keep it.

Each peer is given a velocity in its own convention and says what it means: the angular velocity and the velocity
of the body's origin, both in the world. It also says in which order it keeps the quaternion.
"""

import mujoco
import numpy as np
import pinocchio as pin
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import SpatialInertia, UnitInertia

import trees


def twist_of_pinocchio(p, quat, v):
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "j")
    data = model.createData()
    w, x, y, z = quat
    pin.forwardKinematics(model, data, np.array([*p, x, y, z, w]), v)
    V = pin.getVelocity(model, data, 1, pin.LOCAL_WORLD_ALIGNED)
    # how Pinocchio stores the same orientation
    return [*V.angular, *V.linear], pin.Quaternion(w, x, y, z).coeffs()


def twist_of_mujoco(p, quat, v):
    model = mujoco.MjModel.from_xml_string("""
    <mujoco><worldbody><body name="b"><freejoint/>
      <inertial pos="0.1 -0.2 0.3" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = [*p, *quat], v
    mujoco.mj_forward(model, data)
    V = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, 1, V, 0)
    return V, data.qpos[3:]


def twist_of_drake(p, quat, v):
    plant = MultibodyPlant(0.0)
    body = plant.AddRigidBody("b", SpatialInertia(1.0, np.array([0.1, -0.2, 0.3]), UnitInertia(1.0, 1.0, 1.0)))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, np.array([*quat, *p]))
    plant.SetVelocities(context, v)
    V = plant.EvalBodySpatialVelocityInWorld(context, body)
    return [*V.rotational(), *V.translational()], plant.GetPositions(context)[:4]


def entries(rng):
    for peer, twist in [
        ("pinocchio", twist_of_pinocchio),
        ("mujoco", twist_of_mujoco),
        ("drake", twist_of_drake),
    ]:
        for _ in range(3):
            p, quat, v = rng.uniform(-1, 1, 3), trees.quaternion(rng), rng.uniform(-2, 2, 6)
            V, kept = twist(p, quat, v)
            yield {
                "peer": peer,
                "position": p.tolist(),
                "quaternion": quat,
                "velocity": v.tolist(),
                "quaternion_kept": [float(x) for x in kept],
                "twist": [float(x) for x in V],
            }
