"""Our tree algorithms beside Pinocchio's on the same mechanisms: answers compared, then times.

`mechanics print` says what a mechanism is; the peer's model is built from that here. Before anything
is timed, both must give the same mass matrix, joint forces and accelerations. Times are processor
seconds of one thread, the least of many batches; ours and the peer's take turns in one run.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import time
from itertools import repeat

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)
import pinocchio as pin  # noqa: E402

from machine import processor  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results"
MECHANISMS = {  # name for the binary: name for the reader
    "arm-7": "arm, 7 revolute joints",
    "quadruped-18": "quadruped, free base and 12 revolute joints",
    "humanoid-36": "humanoid, free base and 30 revolute joints",
    "chain-100": "chain, 100 revolute joints",
}
ALGORITHMS = {"rnea": "RNEA", "crba": "CRBA", "aba": "ABA"}
LENGTHS = [10, 20, 50, 100, 200, 500, 1000]  # links of the chains for the growth
PEER_LENGTH = 200  # links at most for the peer, whose data holds tensors of the cube of their number
GROWTH = ["rnea", "aba"]  # what must grow linearly
EXPONENT = 1.1  # at most
SAME = 1e-10  # largest relative difference of answers
BATCH = 1e-3  # seconds of one batch, so that reading the clock does not count


class Peer:
    """A Pinocchio model of a mechanism, and the arguments of each call."""

    def __init__(self, mechanism):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(mechanism["gravity"])
        for i, link in enumerate(mechanism["links"]):
            w, x, y, z = link["quat_wxyz"]
            place = pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(link["p"]))
            parent = 0 if link["parent"] is None else link["parent"] + 1
            joint = self.model.addJoint(parent, joint_model(link), place, f"joint-{i}")
            inertia = pin.Inertia(link["mass"], np.array(link["com"]), np.array(link["I_com"]))
            self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        q, v, a, tau = (np.array(mechanism[key]) for key in ("q", "v", "a", "tau"))
        self.T, self.bias = velocity_map(mechanism, q, v)
        q, v, a = positions(mechanism, q), self.T @ v, self.acceleration(a)
        tau = np.linalg.solve(self.T.T, tau)
        self.calls = {
            "rnea": (pin.rnea, (self.model, self.data, q, v, a)),
            "crba": (pin.crba, (self.model, self.data, q)),
            "aba": (pin.aba, (self.model, self.data, q, v, tau)),
        }

    def acceleration(self, a):
        """Ours, in the peer's coordinates."""
        return self.T @ a + self.bias

    def call(self, algorithm):
        function, args = self.calls[algorithm]
        return np.array(function(*args))

    def seconds(self, algorithm, calls):
        function, args = self.calls[algorithm]
        start = time.thread_time()
        for _ in repeat(None, calls):
            function(*args)
        return time.thread_time() - start


def joint_model(link):
    """The peer's fastest joint for this axis."""
    if link["joint"] == "free":
        return pin.JointModelFreeFlyer()
    aligned = {(1, 0, 0): pin.JointModelRX, (0, 1, 0): pin.JointModelRY, (0, 0, 1): pin.JointModelRZ}
    joint = aligned.get(tuple(link["axis"]))
    return joint() if joint else pin.JointModelRevoluteUnaligned(*link["axis"])


def positions(mechanism, q):
    """q in the peer's order: quaternions x, y, z, w."""
    q, start = q.copy(), 0
    for link in mechanism["links"]:
        if link["joint"] == "free":
            w, x, y, z = q[start + 3 : start + 7]
            q[start + 3 : start + 7] = x, y, z, w
        start += 7 if link["joint"] == "free" else 1
    return q


def velocity_map(mechanism, q, v):
    """T and b with `v_peer = T v`, `a_peer = T a + b`: of a free joint ours moves in J, theirs in B."""
    T, bias, qi, vi = np.eye(len(v)), np.zeros(len(v)), 0, 0
    for link in mechanism["links"]:
        if link["joint"] == "free":
            w, x, y, z = q[qi + 3 : qi + 7]
            R_BJ = pin.Quaternion(w, x, y, z).matrix().T
            T[vi : vi + 3, vi : vi + 3] = R_BJ
            bias[vi : vi + 3] = -np.cross(v[vi + 3 : vi + 6], R_BJ @ v[vi : vi + 3])
        qi, vi = (qi + 7, vi + 6) if link["joint"] == "free" else (qi + 1, vi + 1)
    return T, bias


class Ours:
    """The process that answers with times."""

    def __init__(self, binary):
        self.binary = binary
        self.process = subprocess.Popen([binary, "time"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def print(self, name):
        done = subprocess.run([self.binary, "print", name], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def seconds(self, name, algorithm, calls):
        print(name, algorithm, calls, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def compare(name, mechanism, peer):
    """The relative difference of each answer; ends the run if the two models are not one.

    An acceleration is what is left when weight and velocities have taken their part of M⁻¹τ: rounding is
    relative to that.
    """
    T, M, tau = peer.T, np.array(mechanism["mass_matrix"]), np.array(mechanism["tau"])
    pairs = {
        "rnea": (tau, T.T @ peer.call("rnea"), tau),
        "crba": (M, T.T @ peer.call("crba") @ T, M),
        "aba": (peer.acceleration(mechanism["aba"]), peer.call("aba"), np.linalg.solve(M, tau)),
    }
    differences = {}
    for algorithm, (ours, theirs, scale) in pairs.items():
        difference = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(scale)))
        if not difference <= SAME:
            sys.exit(f"{name}: the {ALGORITHMS[algorithm]} of the two differ by {difference:.1e}")
        differences[algorithm] = difference
    return differences


class Least:
    """The least seconds of one call over many batches."""

    def __init__(self, seconds):
        self.seconds, self.calls, self.least = seconds, 1, math.inf
        while self.seconds(self.calls) < BATCH:
            self.calls *= 2

    def again(self):
        self.least = min(self.least, self.seconds(self.calls) / self.calls)


def measure(args):
    """Differences of the answers, and seconds by (who, mechanism, algorithm)."""
    ours = Ours(args.binaries / "mechanics")
    growth = [f"chain-{n}" for n in LENGTHS]
    names = [*MECHANISMS, *(name for name in [*growth, "chain-1"] if name not in MECHANISMS)]
    differences, clocks = {}, {}
    for name in names:
        mechanism = ours.print(name)
        peer = Peer(mechanism) if len(mechanism["links"]) <= PEER_LENGTH else None
        if name in MECHANISMS:
            differences[name] = compare(name, mechanism, peer)
        for algorithm in ALGORITHMS if name in MECHANISMS or name == "chain-1" else GROWTH:
            clocks["ours", name, algorithm] = Least(lambda calls, n=name, a=algorithm: ours.seconds(n, a, calls))
            if peer:
                clocks["peer", name, algorithm] = Least(lambda calls, p=peer, a=algorithm: p.seconds(a, calls))
    for _ in range(args.rounds):
        for clock in clocks.values():
            clock.again()
    return differences, {key: clock.least for key, clock in clocks.items()}


def instructions(binary):
    """Instructions of one call by (mechanism, algorithm), by valgrind; empty without it."""
    counts = {}
    if not shutil.which("valgrind"):
        return counts
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, "time"]

    def count(name, algorithm, calls):
        done = subprocess.run(command, input=f"{name} {algorithm} {calls}\n", check=True, capture_output=True, text=True)
        line = next(line for line in done.stderr.splitlines() if "Collected" in line)
        return int(line.split(":")[1])

    for name in MECHANISMS:
        for algorithm in ALGORITHMS:
            # what starting and building the model costs is in both
            counts[name, algorithm] = (count(name, algorithm, 101) - count(name, algorithm, 1)) / 100
    return counts


def exponent(seconds, who, algorithm):
    """Slope of log time over log links."""
    times = {n: seconds.get((who, f"chain-{n}", algorithm)) for n in LENGTHS}
    points = [(n, t) for n, t in times.items() if t]
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def beside(seconds, differences):
    yield "| mechanism | algorithm | ours [µs] | Pinocchio [µs] | ratio | of it the call [µs] | Pinocchio without the call [µs] | ratio | answers differ by |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, reader in MECHANISMS.items():
        for algorithm, title in ALGORITHMS.items():
            own, peer = seconds["ours", name, algorithm], seconds["peer", name, algorithm]
            call = seconds["peer", "chain-1", algorithm]
            yield (
                f"| {reader} | {title} | {own * 1e6:.3g} | {peer * 1e6:.3g} | {peer / own:.2f} | {call * 1e6:.2g} "
                f"| {(peer - call) * 1e6:.3g} | {(peer - call) / own:.2f} | {differences[name][algorithm]:.0e} |"
            )


def by_length(seconds):
    yield f"| | {' | '.join(map(str, LENGTHS))} | exponent |"
    yield f"|---|{'---|' * len(LENGTHS)}---|"
    for who, title in (("ours", "ours"), ("peer", "Pinocchio")):
        for algorithm in GROWTH:
            times = (seconds.get((who, f"chain-{n}", algorithm)) for n in LENGTHS)
            cells = (f"{t * 1e6:.3g}" if t else "–" for t in times)
            yield f"| {ALGORITHMS[algorithm]}, {title} [µs] | {' | '.join(cells)} | {exponent(seconds, who, algorithm):.2f} |"


def counted(counts):
    yield f"| mechanism | {' | '.join(ALGORITHMS.values())} |"
    yield f"|---|{'---|' * len(ALGORITHMS)}"
    for name, reader in MECHANISMS.items():
        yield f"| {reader} | {' | '.join(f'{counts[name, algorithm]:.0f}' for algorithm in ALGORITHMS)} |"


def verdict(seconds):
    """What is asked for, and whether it holds: as lines and as one answer."""
    pairs = [(name, algorithm) for name in MECHANISMS for algorithm in ALGORITHMS]
    reached = sum(seconds["ours", *pair] <= seconds["peer", *pair] for pair in pairs)
    bare = sum(seconds["ours", *pair] <= seconds["peer", *pair] - seconds["peer", "chain-1", pair[1]] for pair in pairs)
    slopes = {algorithm: exponent(seconds, "ours", algorithm) for algorithm in GROWTH}
    lines = [
        f"No longer than Pinocchio as called from Python: {reached} of {len(pairs)}. Without the call: {bare} of {len(pairs)}.",
        f"Growth exponent at most {EXPONENT}: " + ", ".join(f"{ALGORITHMS[a]} {slope:.2f}" for a, slope in slopes.items()) + ".",
    ]
    return lines, reached == len(pairs) and all(slope <= EXPONENT for slope in slopes.values())


def write(seconds, differences, counts, results):
    text = [
        "# Tree algorithms beside Pinocchio",
        "",
        "`cargo xtask bench-peers mechanics`. The mechanisms of `benches/src/mechanisms.rs`, built on both sides from the same numbers: turned joint frames, full",
        "inertias, axes along coordinate axes (the peer's specialized joints). Ours: sines and cosines, poses and velocities of the bodies, then the algorithm. Pinocchio's: `pin.rnea`,",
        "`pin.crba`, `pin.aba` called from Python. Processor time of one thread, least of many batches, both by turns in one run. *The call* is the same function on a",
        "chain of one link: what Python costs, and a little more. Ratio: Pinocchio's time over ours. Before timing, the answers must agree to 1e−10 of the largest entry",
        "(accelerations: of M⁻¹τ).",
        "",
        f"{datetime.date.today().isoformat()} · {processor()} · Pinocchio {pin.__version__}, numpy {np.__version__}",
        "",
        *verdict(seconds)[0],
        "",
        *beside(seconds, differences),
        "",
        "## Growth",
        "",
        f"Chains of so many links; the exponent is the slope of log time over log links. Pinocchio up to {PEER_LENGTH} links: beyond, its data does not fit a small machine's memory.",
        "",
        *by_length(seconds),
        "",
    ]
    if counts:
        text += ["## Instructions", "", "Of one of our calls, counted by callgrind.", "", *counted(counts), ""]
    results.mkdir(exist_ok=True)
    (results / "mechanics.md").write_text("\n".join(text))
    print("\n".join(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "target" / "release", help="folder of the release build")
    parser.add_argument("--rounds", type=int, default=100, help="batches of each measurement")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS, help="folder for the table")
    args = parser.parse_args()
    differences, seconds = measure(args)
    write(seconds, differences, instructions(args.binaries / "mechanics"), args.results)
    if not verdict(seconds)[1]:
        sys.exit("a target is missed")


if __name__ == "__main__":
    main()
