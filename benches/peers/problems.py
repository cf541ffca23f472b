"""Problem files as in docs/format.md and the corpora, for other people's solvers, and a judge of answers to them.

The judge shares nothing with any solver, nor with the judge of the library.
"""

import json
import math
import time

import numpy as np


def matrix(stored):
    """Dense, or by columns where scipy is there."""
    rows, columns = stored["shape"]
    if "dense" in stored:
        return np.array(stored["dense"], dtype=float).reshape(rows, columns)
    csc = stored["csc"]
    try:
        import scipy.sparse

        return scipy.sparse.csc_matrix((csc["x"], csc["i"], csc["p"]), shape=(rows, columns))
    except ImportError:
        dense = np.zeros((rows, columns))
        np.add.at(dense, (np.array(csc["i"], dtype=int), np.repeat(np.arange(columns), np.diff(csc["p"]))), csc["x"])
        return dense


def full(A):
    return A.toarray() if hasattr(A, "toarray") else A


def by_columns(A):
    import scipy.sparse

    return scipy.sparse.csc_matrix(A)


class Problem:
    """`kind` is lcp, mlcp, fc2d or fc3d; global problems are made local, mixed ones have their equations first.

    Linear: w = A z + b. Friction: u = A r + b, contacts in turn, the normal first.
    """

    def __init__(self, path):
        with open(path) as file:
            stored = json.load(file)
        self.kind, self.mu, self.equations = stored["kind"], None, 0
        self.reduction = 0.0  # processor seconds that the local form costs
        if self.kind.startswith("gfc"):
            self.kind = self.kind[1:]
            self.reduce(stored)
        else:
            self.A, self.b = matrix(stored["M"]), np.array(stored["q"], dtype=float)
        if self.kind.startswith("fc"):
            self.A, self.mu = by_columns(self.A), np.array(stored["mu"], dtype=float)
        else:
            self.A = full(self.A)
        if self.kind == "mlcp":
            self.order_equations(stored)

    def reduce(self, stored):
        """The local form, by sparse factors of the mass matrix; the least time of several."""
        from scipy.sparse.linalg import splu

        mass, H = by_columns(matrix(stored["Mass"])), by_columns(matrix(stored["H"]))
        q, b = np.array(stored["q"], dtype=float), np.array(stored["b"], dtype=float)
        self.reduction = math.inf
        for _ in range(5):
            start = time.thread_time()
            factors = splu(mass)
            self.A = by_columns(H.T @ factors.solve(H.toarray()))
            self.b = H.T @ factors.solve(q) + b
            self.reduction = min(self.reduction, time.thread_time() - start)

    def order_equations(self, stored):
        if self.A.shape[0] != self.A.shape[1]:
            raise ValueError("more rows than columns")
        equations = list(stored.get("eq", []))
        order = equations + [i for i in range(len(self.b)) if i not in set(equations)]
        self.A, self.b, self.equations = self.A[np.ix_(order, order)].copy(), self.b[order].copy(), len(equations)

    def residual(self, z):
        """Relative to the data; what is not finite is infinite."""
        z = np.asarray(z, dtype=float)
        w = self.A @ z + self.b
        error = self.cone_error(z, w) if self.mu is not None else self.linear_error(z, w)
        return error if math.isfinite(error) else math.inf

    def linear_error(self, z, w):
        error = np.minimum(z, w)
        error[: self.equations] = w[: self.equations]
        return float(np.max(np.abs(error), initial=0.0) / max(1.0, np.max(np.abs(self.b), initial=0.0)))

    def cone_error(self, r, u):
        """max |r − Proj_K(r − m (u + μ|u_t| n))| / (m |b| + |r|), m the mass each contact feels, both maxima over all contacts."""
        d = int(self.kind[2])
        r, u = r.reshape(-1, d), u.reshape(-1, d).copy()
        mass = d / np.maximum(self.A.diagonal().reshape(-1, d).sum(axis=1), 1e-300)
        u[:, 0] += self.mu * np.linalg.norm(u[:, 1:], axis=1)
        apart = r - project(r - mass[:, None] * u, self.mu)
        scale = np.max(mass * np.linalg.norm(self.b.reshape(-1, d), axis=1)) + np.max(np.linalg.norm(r, axis=1))
        return float(np.max(np.linalg.norm(apart, axis=1)) / max(scale, 1e-300))


def project(x, mu):
    """Each row onto its cone |x_t| ≤ μ x_n."""
    normal, slip = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    on_axis = np.maximum((normal + mu * slip) / (1.0 + mu**2), 0.0)
    shrunk = mu * on_axis / np.maximum(slip, 1e-300)
    inside = slip <= mu * normal
    out = np.empty_like(x)
    out[:, 0] = np.where(inside, normal, on_axis)
    out[:, 1:] = np.where(inside[:, None], x[:, 1:], x[:, 1:] * shrunk[:, None])
    return out
