"""Random forests in neutral terms, and random states for them.

A description names bodies (mass, centre, rotational inertia about the centre, in the body's frame) and
joints (kind, the frame on the parent and the frame on the child, axes in the joint's frame). Positions
and velocities follow the table at the top of crates/sim/src/joint.rs, joint after joint in the order of
the bodies, which is parents first.
"""

import numpy as np

KINDS = ["fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "ball", "planar", "free"]
# "l": linear velocity, "a": angular velocity
VELOCITIES = {
    "fixed": "", "revolute": "a", "prismatic": "l", "screw": "a", "cylindrical": "al", "universal": "aa",
    "ball": "aaa", "planar": "lla", "free": "lllaaa",
}
WITH_AXIS = ["revolute", "prismatic", "screw", "cylindrical"]


def unit(rng):
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def quaternion(rng):
    x = rng.normal(size=4)
    return (x / np.linalg.norm(x)).tolist()


def frame(rng, plain):
    if plain:
        return {"p": [0.0, 0.0, 0.0], "quat": [1.0, 0.0, 0.0, 0.0]}
    return {"p": rng.uniform(-0.5, 0.5, 3).tolist(), "quat": quaternion(rng)}


def spread(rng, mass):
    """Principal moments of a body of this mass: a cloud, a plate or a rod of random sizes, turned."""
    shape = rng.integers(3)
    size = rng.uniform(0.05, 0.5, 3)
    if shape == 1:
        size[rng.integers(3)] *= 1e-3
    if shape == 2:
        thick = np.delete(np.arange(3), rng.integers(3))
        size[thick] *= 0.03
    squares = mass / 3 * size**2
    moments = squares.sum() - squares
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    inertia = R @ np.diag(moments) @ R.T
    return [inertia[i, j] for i, j in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]]


def masses(rng, n, extreme):
    if not extreme:
        return rng.uniform(0.5, 5.0, n)
    m = 10.0 ** rng.uniform(-3, 3, n)
    if n > 1:
        # the whole range is really used
        light, heavy = rng.permutation(n)[:2]
        m[light], m[heavy] = 1e-3, 1e3
    return m


def parents(rng, n, branching, roots):
    """None is the world. Small `branching` makes chains."""
    result = []
    for i in range(n):
        if i == 0 or rng.random() < roots:
            result.append(None)
        elif rng.random() < branching:
            result.append(int(rng.integers(i)))
        else:
            result.append(i - 1)
    return result


def joint(rng, kind, i, parent, plain):
    result = {
        "name": f"j{i}",
        "kind": kind,
        "parent": None if parent is None else f"b{parent}",
        "child": f"b{i}",
        "frame_parent": frame(rng, plain),
        "frame_child": frame(rng, plain),
    }
    if kind in WITH_AXIS:
        result["axis"] = unit(rng).tolist()
    if kind == "screw":
        result["pitch"] = float(rng.uniform(-0.5, 0.5))
    if kind == "universal":
        first = unit(rng)
        second = np.cross(first, unit(rng))
        result["first"] = first.tolist()
        result["second"] = (second / np.linalg.norm(second)).tolist()
    if kind != "fixed" and rng.random() < 0.3:
        result["armature"] = armature(rng, kind)
    return result


def armature(rng, kind):
    """On the angular velocities. The linear ones of planar and free joints have none: the velocities of the
    oracle turn with the body, and an armature along them would be another mechanism. Equal numbers for
    the three axes of a ball for the same reason."""
    if kind in ["ball", "planar", "free"]:
        value = float(rng.uniform(0.01, 0.1))
        return [value if x == "a" else 0.0 for x in VELOCITIES[kind]]
    return rng.uniform(0.01, 0.1, len(VELOCITIES[kind])).tolist()


def describe(rng, name, kinds, parent, extreme=False, plain=False):
    n = len(kinds)
    bodies = []
    for i, mass in enumerate(masses(rng, n, extreme)):
        bodies.append({
            "name": f"b{i}",
            "mass": float(mass),
            "com": rng.uniform(-0.3, 0.3, 3).tolist(),
            "inertia": spread(rng, mass),
        })
    return {
        "name": name,
        "gravity": (9.81 * unit(rng)).tolist(),
        "bodies": bodies,
        "joints": [joint(rng, kinds[i], i, parent[i], plain) for i in range(n)],
    }


def state(rng, tree):
    """Positions, velocities and accelerations in our order."""
    q, v, a = [], [], []
    for j in tree["joints"]:
        kind = j["kind"]
        nv = len(VELOCITIES[kind])
        if kind == "ball":
            q += quaternion(rng)
        elif kind == "free":
            q += rng.uniform(-1, 1, 3).tolist() + quaternion(rng)
        else:
            q += [float(rng.uniform(-3, 3) if x == "a" else rng.uniform(-1, 1)) for x in VELOCITIES[kind]]
        v += rng.uniform(-2, 2, nv).tolist()
        a += rng.uniform(-3, 3, nv).tolist()
    return {"q": q, "v": v, "a": a}


def forces(rng, tree):
    """On about every third body, in its own frame about its own origin, in proportion to its mass."""
    result = []
    for body in tree["bodies"]:
        if rng.random() < 0.35:
            result.append({
                "body": body["name"],
                "torque": (body["mass"] * rng.normal(size=3)).tolist(),
                "force": (body["mass"] * 5 * rng.normal(size=3)).tolist(),
            })
    return result


def points(rng, tree, count):
    """Points of bodies, in their own frames, whose Jacobians are wanted; the last body is among them."""
    n = len(tree["bodies"])
    chosen = sorted({n - 1, *rng.integers(n, size=count - 1).tolist()})
    return [{"body": f"b{i}", "p": rng.uniform(-0.5, 0.5, 3).tolist()} for i in chosen]


def all_trees(rng):
    """Every kind alone and in the middle of a chain; small forests; a few large ones."""
    trees = []
    for kind in KINDS:
        trees.append(describe(rng, f"{kind} alone", [kind], [None], plain=True))
    for kind in KINDS:
        trees.append(describe(rng, f"{kind} in a chain", ["revolute", kind, "universal"], [None, 0, 1]))
    for i in range(16):
        n = int(rng.integers(2, 13))
        kinds = rng.choice(KINDS, n).tolist()
        extreme = i % 2 == 1
        parent = parents(rng, n, rng.choice([0.2, 0.6, 1.0]), rng.choice([0.1, 0.3]))
        trees.append(describe(rng, f"forest {i}", kinds, parent, extreme))
    for i, n in enumerate([16, 20, 24, 30, 45, 60]):
        kinds = rng.choice(KINDS, n).tolist()
        parent = parents(rng, n, 0.4, 0.1)
        trees.append(describe(rng, f"large forest {i}", kinds, parent, i % 2 == 0))
    # a robot arm: a long chain of revolute joints with a drive each
    arm = describe(rng, "arm", ["revolute"] * 12, [None, *range(11)])
    for j in arm["joints"]:
        j["armature"] = [float(rng.uniform(0.01, 0.1))]
    return trees + [arm]
