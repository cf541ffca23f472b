"""What MuJoCo says about trees of hinges, slides, balls and free joints, in our conventions.

MuJoCo keeps joint axes and anchors in the child's frame and free joints at the world: the descriptions made
here have child frames that are parallel to the body, and free joints with both frames plain. Then q and v
are the same numbers as ours, joint by joint.
"""

import mujoco
import numpy as np

import trees
from rotations import compose, inverse, matrix, pose

KINDS = {"revolute": "hinge", "prismatic": "slide", "ball": "ball", "free": "free"}


def describe(rng, name, kinds, parent, armature, extreme=False):
    """Like trees.describe, with the moments and axes of each inertia kept: MuJoCo finds those of a full
    matrix to 1e-12 only."""
    tree = trees.describe(rng, name, kinds, parent, extreme)
    principal = {}
    for body in tree["bodies"]:
        size = rng.uniform(0.05, 0.5, 3) ** 2 * body["mass"]
        moments, quat = size.sum() - size, trees.quaternion(rng)
        inertia = matrix(quat) @ np.diag(moments) @ matrix(quat).T
        body["inertia"] = [inertia[i, j] for i, j in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]]
        principal[body["name"]] = (moments, quat)
    for j in tree["joints"]:
        j["frame_child"]["quat"] = [1.0, 0.0, 0.0, 0.0]
        if j["kind"] == "free":
            j["frame_parent"] = j["frame_child"] = trees.frame(rng, plain=True)
        j.pop("armature", None)
        if armature:
            # MuJoCo takes one number for all velocities of a joint
            j["armature"] = [float(rng.uniform(0.01, 0.1))] * len(trees.VELOCITIES[j["kind"]])
    return tree, principal


def numbers(x):
    return " ".join(repr(float(value)) for value in x)


def quaternion_of(R):
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, R.flatten())
    return quat


def body_xml(tree, principal, parent):
    xml = ""
    for body, j in zip(tree["bodies"], tree["joints"]):
        if j["parent"] != parent:
            continue
        # the child's own frame in the parent's, when the joint is neutral
        R, p = compose(pose(j["frame_parent"]), inverse(pose(j["frame_child"])))
        moments, quat = principal[body["name"]]
        axis = f'axis="{numbers(j["axis"])}"' if "axis" in j else ""
        anchor = f'pos="{numbers(j["frame_child"]["p"])}"' if j["kind"] != "free" else ""
        armature = j.get("armature", [0.0])[0]
        xml += f"""
        <body name="{body["name"]}" pos="{numbers(p)}" quat="{numbers(j["frame_parent"]["quat"])}">
          <joint name="{j["name"]}" type="{KINDS[j["kind"]]}" {anchor} {axis} armature="{armature!r}"/>
          <inertial pos="{numbers(body["com"])}" quat="{numbers(quat)}" mass="{body["mass"]!r}"
                    diaginertia="{numbers(moments)}"/>
          {body_xml(tree, principal, body["name"])}
        </body>"""
    return xml


def build(tree, principal):
    return mujoco.MjModel.from_xml_string(f"""
    <mujoco>
      <compiler angle="radian" boundmass="0" boundinertia="0"/>
      <option gravity="{numbers(tree["gravity"])}"><flag energy="enable"/></option>
      <worldbody>{body_xml(tree, principal, None)}</worldbody>
    </mujoco>""")


def places(model, tree):
    """Where our positions and velocities stand in MuJoCo's lists."""
    q, v = [], []
    for j in tree["joints"]:
        n = len(trees.VELOCITIES[j["kind"]])
        joint = model.joint(j["name"])
        q += range(joint.qposadr[0], joint.qposadr[0] + n + (j["kind"] in ["ball", "free"]))
        v += range(joint.dofadr[0], joint.dofadr[0] + n)
    return q, v


def results(tree, principal, state, tau_of, forces):
    model = build(tree, principal)
    data = mujoco.MjData(model)
    q, v = places(model, tree)
    data.qpos[q], data.qvel[v] = state["q"], state["v"]
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    M = M[np.ix_(v, v)]
    tau = tau_of(M)
    data.qfrc_applied[v] = tau
    for force in forces:
        body = model.body(force["body"])
        R = data.xmat[body.id].reshape(3, 3)
        # about the centre of mass, in the world
        torque = np.array(force["torque"]) - np.cross(body.ipos, force["force"])
        data.xfrc_applied[body.id] = np.concatenate([R @ force["force"], R @ torque])
    mujoco.mj_forward(model, data)
    return {
        "mass_matrix": [M[i, : i + 1].tolist() for i in range(len(M))],
        "bias": data.qfrc_bias[v].tolist(),
        "tau": tau.tolist(),
        "forward_dynamics": data.qacc[v].tolist(),
        "com": data.subtree_com[0].tolist(),
        "potential_energy": float(data.energy[0]),
        "kinetic_energy": float(data.energy[1]),
    }


def all_models(rng):
    yield describe(rng, "pendulum of hinges", ["revolute"] * 3, [None, 0, 1], armature=False)
    yield describe(rng, "driven arm", ["prismatic", *["revolute"] * 6], [None, *range(6)], armature=True)
    yield describe(rng, "free body", ["free"], [None], armature=False)
    yield describe(rng, "free body with drives", ["free", "ball"], [None, 0], armature=True)
    yield describe(rng, "chain of balls", ["ball"] * 5, [None, 0, 1, 2, 3], armature=False)
    walker = ["free", *["ball", "revolute", "revolute"] * 4]
    yield describe(rng, "walker", walker, [None, 0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10, 11], armature=True)
    kinds = rng.choice(["revolute", "prismatic", "ball"], 16).tolist()
    parent = trees.parents(rng, 16, 0.6, 0.2)
    kinds = ["free" if p is None and i % 2 else kind for i, (kind, p) in enumerate(zip(kinds, parent))]
    yield describe(rng, "forest", kinds, parent, armature=False, extreme=True)
