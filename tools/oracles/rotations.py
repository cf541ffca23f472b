"""Rotations and poses in plain numpy: quaternions are w, x, y, z; a pose is (R, p)."""

import numpy as np


def matrix(quat):
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def pose(frame):
    """Of a frame {"p", "quat"} of a description."""
    return matrix(frame["quat"]), np.array(frame["p"], float)


def compose(X, Y):
    return X[0] @ Y[0], X[0] @ Y[1] + X[1]


def inverse(X):
    return X[0].T, -X[0].T @ X[1]


def rotational_inertia(body):
    """About the centre of mass, as a matrix, of a body of a description."""
    xx, xy, xz, yy, yz, zz = body["inertia"]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
