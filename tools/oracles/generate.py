"""Writes data/oracles/*.json. Takes no arguments; see README.md."""

import importlib.metadata
import json
import pathlib

import numpy as np

import free_joints
import mujoco_oracle
import pinocchio_oracle
import trees

SEED = 20240717
OUT = pathlib.Path(__file__).resolve().parents[2] / "data" / "oracles"


def versions(*packages):
    return {package: importlib.metadata.version(package) for package in packages}


def write(name, about, key, entries):
    """One entry per line; numbers as Python writes them: the shortest that read back to the same bits."""
    lines = ",\n".join(json.dumps(compact(entry), separators=(",", ":")) for entry in entries)
    head = json.dumps(about, indent=1)[:-2]
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / name).write_text(f'{head},\n "{key}": [\n{lines}\n]}}\n')


def compact(x):
    """Zeros without sign and point."""
    if isinstance(x, dict):
        return {key: compact(value) for key, value in x.items()}
    if isinstance(x, list):
        return [compact(value) for value in x]
    return 0 if isinstance(x, float) and x == 0.0 else x


def pinocchio():
    rng = np.random.default_rng(SEED)
    entries = []
    for tree in trees.all_trees(rng):
        state = trees.state(rng, tree)
        forces = trees.forces(rng, tree)
        points = trees.points(rng, tree, 2)
        # so that all accelerations are of like size
        tau_of = lambda M: np.diag(M) * rng.uniform(-5, 5, len(M))
        results = pinocchio_oracle.results(tree, state, tau_of, forces, points)
        entries.append({**tree, **state, "forces": forces, "points": points, "results": results})
    about = {"versions": versions("pin", "numpy"), "seed": SEED}
    write("pinocchio.json", about, "trees", entries)


def mujoco():
    rng = np.random.default_rng(SEED)
    entries = []
    for tree, principal in mujoco_oracle.all_models(rng):
        state = trees.state(rng, tree)
        forces = trees.forces(rng, tree)
        tau_of = lambda M: np.diag(M) * rng.uniform(-5, 5, len(M))
        results = mujoco_oracle.results(tree, principal, state, tau_of, forces)
        del state["a"]
        entries.append({**tree, **state, "forces": forces, "results": results})
    write("mujoco.json", {"versions": versions("mujoco", "numpy"), "seed": SEED}, "trees", entries)


def free():
    about = {"versions": versions("pin", "mujoco", "drake", "numpy"), "seed": SEED}
    write("free_joints.json", about, "velocities", free_joints.entries(np.random.default_rng(SEED)))


if __name__ == "__main__":
    pinocchio()
    mujoco()
    free()
