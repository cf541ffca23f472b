"""Solvers of other libraries on problem files: answers each line `SOLVER PATH` with one JSON object.

    python corpora_peer.py quantecon|siconos|drake SECONDS

The first line it prints names its version and its solvers by kind of problem. Seconds are processor time of one thread,
the least of several runs; reading a file and making the library's own matrices does not count, reducing a global problem does. A process of its own,
so that a solver can be ended, as it is after so many processor seconds, and so that Siconos can run in the Python it is installed for.
"""

import importlib.metadata
import json
import math
import os
import signal
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)

from problems import Problem  # noqa: E402

RUNS, LONG = 5, 0.5  # runs; seconds after which a solve is not repeated
TOLERANCE = 1e-10  # asked of every solver that has one
ITERATIONS = 10**6


class QuantEcon:
    solvers = {"lcp": ["lemke"]}

    def __init__(self):
        from quantecon.optimize import lcp_lemke

        self.version = importlib.metadata.version("quantecon")
        self.lemke = lcp_lemke
        self.lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -7.0]))  # compiles it

    def prepare(self, solver, problem):
        A = problem.A.toarray() if hasattr(problem.A, "toarray") else problem.A
        return lambda: self.lemke(A, problem.b, max_iter=ITERATIONS).z


class Drake:
    solvers = {"lcp": ["moby"]}

    def __init__(self):
        from pydrake.solvers import MathematicalProgram, MobyLcpSolver

        self.version = importlib.metadata.version("drake")
        self.program, self.moby = MathematicalProgram, MobyLcpSolver()

    def prepare(self, solver, problem):
        program = self.program()
        z = program.NewContinuousVariables(len(problem.b))
        program.AddLinearComplementarityConstraint(problem.A, problem.b, z)

        def solve():
            return self.moby.Solve(program).GetSolution(z)

        return solve


class Siconos:
    solvers = {
        "lcp": ["LEMKE", "NEWTON_FB_FBLSA", "NEWTON_MIN_FBLSA", "PGS"],
        "mlcp": ["FB", "LCP_LEMKE", "PGS"],
        "fc2d": ["NSGS", "LEMKE", "CPG"],
        "fc3d": ["NSGS", "PROX", "ADMM", "NSN_AC"],
    }
    prefix = {"lcp": "LCP", "mlcp": "MLCP", "fc2d": "FRICTION_2D", "fc3d": "FRICTION_3D"}

    def __init__(self):
        import siconos.numerics as numerics

        self.numerics = numerics
        self.version = getattr(numerics, "__version__", "") or "4"

    def options(self, kind, solver):
        options = self.numerics.SolverOptions(getattr(self.numerics, f"SICONOS_{self.prefix[kind]}_{solver}"))
        options.dparam[0] = TOLERANCE
        options.iparam[0] = ITERATIONS if solver in ("LEMKE", "PGS", "NSGS", "ADMM", "CPG", "LCP_LEMKE") else 1000
        return options

    def prepare(self, solver, problem):
        library, kind, n = self.numerics, problem.kind, len(problem.b)
        if kind in ("lcp", "mlcp"):
            A = np.asfortranarray(problem.A)
            theirs = library.LCP(A, problem.b) if kind == "lcp" else library.MLCP(problem.equations, A, problem.b)
            drive = library.linearComplementarity_driver if kind == "lcp" else library.mlcp_driver
        else:
            # the storage each is made for: blocks or columns
            A = np.asfortranarray(problem.A.toarray()) if kind == "fc2d" else problem.A
            theirs = library.FrictionContactProblem(int(kind[2]), len(problem.mu), A, problem.b, problem.mu)
            drive = library.fc2d_driver if kind == "fc2d" else library.fc3d_driver

        def solve():
            z, w = np.zeros(n), np.zeros(n)
            options = self.options(kind, solver)
            if kind == "mlcp":
                library.mlcp_driver_init(theirs, options)
            drive(theirs, z, w, options)
            return z

        return solve


LIBRARIES = {"quantecon": QuantEcon, "siconos": Siconos, "drake": Drake}


def answer(library, solver, path, limit):
    problem = Problem(path)
    solve = library.prepare(solver, problem)
    best, spent = math.inf, 0.0
    for _ in range(RUNS):
        signal.setitimer(signal.ITIMER_PROF, limit)  # whose signal ends the process
        start = time.thread_time()
        z = solve()
        seconds = time.thread_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        best, spent = min(best, seconds), spent + seconds
        if spent > LONG:
            break
    return {"seconds": best + problem.reduction, "reduction": problem.reduction, "residual": problem.residual(z)}


def main():
    # libraries print as they like: their standard output is not ours
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    library, limit = LIBRARIES[sys.argv[1]](), float(sys.argv[2])
    print(json.dumps({"version": library.version, "solvers": library.solvers}), file=out, flush=True)
    for line in sys.stdin:
        solver, path = line.rstrip("\n").split(" ", 1)
        try:
            said = answer(library, solver, path, limit)
        except Exception as error:  # whatever a library raises is its answer
            said = {"error": str(error)}
        print(json.dumps(said), file=out, flush=True)


if __name__ == "__main__":
    main()
