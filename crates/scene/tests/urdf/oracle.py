"""Writes data/oracles/urdf.json: what Pinocchio reads from our URDF files, in our conventions.

Needs `pin` and `numpy` (tools/oracles/requirements.txt). Run from the root of the repository:

    python crates/scene/tests/urdf/oracle.py

Pinocchio has free and planar velocities of its own: with v_pin = T(q) v, T orthogonal, one has
M = Tᵀ M_pin T and c = Tᵀ (c_pin + M_pin Ṫ v). Quaternions are x, y, z, w there, w, x, y, z in the file.
"""

import json

import numpy as np
import pinocchio as pin

FILES = [
    ("data/urdf/arm.urdf", "fixed"),
    ("data/urdf/joints.urdf", "fixed"),
    ("data/urdf/gripper.urdf", "fixed"),
    ("data/urdf/gripper.urdf", "free"),
    ("scenes/quadruped.urdf", "free"),
]
SAMPLES = 4


def kind(joint):
    name = joint.shortname()
    if "FreeFlyer" in name:
        return "free"
    return "planar" if "Planar" in name else "single"


def random_joint(kind, rng):
    """q and v of one joint, ours."""
    if kind == "free":
        quat = rng.normal(size=4)
        return [*rng.uniform(-1, 1, 3), *(quat / np.linalg.norm(quat))], rng.normal(size=6)
    n = 3 if kind == "planar" else 1
    return list(rng.uniform(-1.5, 1.5, n)), rng.normal(size=n)


def to_pin(kind, joint, q):
    if kind == "free":
        return [*q[:3], *q[4:], q[3]]
    if kind == "planar":
        return [q[0], q[1], np.cos(q[2]), np.sin(q[2])]
    # continuous joints are kept as cosine and sine
    return [np.cos(q[0]), np.sin(q[0])] if joint.nq == 2 else list(q)


def velocity_map(kind, q, v):
    """T and Ṫ v of one joint."""
    T, T_dot_v = np.eye(len(v)), np.zeros(len(v))
    if kind == "planar":
        s, c = np.sin(q[2]), np.cos(q[2])
        T[:2, :2] = [[c, s], [-s, c]]
        T_dot_v[:2] = v[2] * np.array([[-s, c], [-c, -s]]) @ v[:2]
    if kind == "free":
        w, x, y, z = q[3:]
        T[:3, :3] = pin.Quaternion(w, x, y, z).toRotationMatrix().T
        T_dot_v[:3] = -np.cross(v[3:], T[:3, :3] @ v[:3])
    return T, T_dot_v


def build(path, base):
    if base == "free":
        return pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    return pin.buildModelFromUrdf(path)


def poses(model, data):
    pin.updateFramePlacements(model, data)
    bodies = [frame for frame in model.frames if frame.type == pin.FrameType.BODY and frame.name != "universe"]
    place = lambda frame: data.oMf[model.getFrameId(frame.name, pin.FrameType.BODY)]
    return {
        frame.name: {"p": place(frame).translation.tolist(), "R": place(frame).rotation.flatten().tolist()}
        for frame in bodies
    }


def sample(model, rng):
    data = model.createData()
    q_pin, joints, v, T, T_dot_v = [], [], [], np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    for name, joint in zip(list(model.names)[1:], list(model.joints)[1:]):
        of = kind(joint)
        q_j, v_j = random_joint(of, rng)
        q_pin += to_pin(of, joint, q_j)
        at = slice(joint.idx_v, joint.idx_v + joint.nv)
        T[at, at], T_dot_v[at] = velocity_map(of, q_j, v_j)
        v += list(v_j)
        joints.append({"name": name, "q": list(q_j), "v": list(v_j)})
    q, v_pin = np.array(q_pin), T @ np.array(v)
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    c = pin.nonLinearEffects(model, data, q, v_pin)
    pin.forwardKinematics(model, data, q, v_pin)
    return {
        "joints": joints,
        "mass_matrix": (T.T @ M @ T).tolist(),
        "bias": (T.T @ (c + M @ T_dot_v)).tolist(),
        "links": poses(model, data),
    }


def mimicked(path, rng):
    """Followers where Pinocchio puts them, of one position of the leader.

    Pinocchio has no mimics of mimics: the one that follows a follower follows the leader here,
    by −2 (−0.75 q + 0.1) − 0.05 = 1.5 q − 0.25.
    """
    chained = 'joint="finger_3" multiplier="-2" offset="-0.05"'
    with open(path) as file:
        text = file.read()
    assert chained in text
    text = text.replace(chained, 'joint="finger_1" multiplier="1.5" offset="-0.25"')
    model = pin.buildModelFromXML(text, mimic=True)
    assert model.nq == 1
    data = model.createData()
    q = rng.uniform(-0.5, 0.5, model.nq)
    pin.forwardKinematics(model, data, q)
    M = pin.crba(model, data, q)
    return {"q": q.tolist(), "mass_matrix": M.tolist(), "links": poses(model, data)}


def main():
    rng = np.random.default_rng(20261116)
    robots = []
    for path, base in FILES:
        model = build(path, base)
        model.gravity.linear = np.array([0, 0, -9.81])
        robots.append({"file": path, "base": base, "samples": [sample(model, rng) for _ in range(SAMPLES)]})
    result = {
        "from": f"Pinocchio {pin.__version__}",
        "robots": robots,
        "mimic": mimicked("data/urdf/gripper.urdf", rng),
    }
    with open("data/oracles/urdf.json", "w") as file:
        json.dump(result, file, indent=None, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
