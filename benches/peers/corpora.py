"""Our `auto` beside other people's solvers on the same problem files: solved, times, and where we are slower.

    python corpora.py FOLDER [--sets fc-,lcp-st] [--limit 5]

A set is a folder of problem files (docs/format.md). Each solver has `--limit` processor seconds for a problem; an answer with a
residual of at most 1e-8 counts as solved, whatever the solver says, judged here by code that shares nothing with any of
them. Of a set the best peer is the one that solves most, then the fastest; times are compared over what both solved.
Libraries that are not there are said to be missing: QuantEcon and Drake come with requirements-piles.txt, Siconos
from Debian's python3-siconos and python3-scipy.
"""

import argparse
import datetime
import json
import math
import pathlib
import signal
import subprocess
import sys

from machine import processor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOLVED = 1e-8
SLOWER = 2.0  # times the best peer: what is listed


class Library:
    """A process of corpora_peer.py, started again after it was ended or broke down."""

    def __init__(self, name, python, limit):
        self.name, self.python, self.limit, self.process = name, python, limit, None
        self.missing = ""
        self.start()

    def start(self):
        command = [self.python, HERE / "corpora_peer.py", self.name, str(self.limit)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, bufsize=1)
        first = self.process.stdout.readline()
        if not first:
            self.missing = f"{self.name} is not there for {self.python}"
            return
        about = json.loads(first)
        self.version, self.solvers = about["version"], about["solvers"]

    def solve(self, solver, path):
        """Seconds and residual, or what happened instead."""
        print(solver, path, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        stopped = self.process.wait() == -signal.SIGPROF
        self.start()
        return {"error": "stopped" if stopped else "broke down"}


class Ours:
    """The process that answers with times."""

    def __init__(self, binary):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([binary], stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def solve(self, path, tol, limit):
        print(tol, limit, path, file=self.process.stdin, flush=True)
        said = json.loads(self.process.stdout.readline())
        if "error" in said:
            return said
        is_proof = said["status"] == "no_solution"
        residual = 0.0 if is_proof else said["residual"]
        return {"seconds": said["time_s"], "residual": math.inf if residual is None else residual, "chain": said["chain"], "proof": is_proof}


def is_solved(said):
    return "error" not in said and said["residual"] <= SOLVED


def local_kind(path):
    with open(path) as file:
        kind = json.load(file)["kind"]
    return kind[1:] if kind.startswith("gfc") else kind


def chosen(folder, starts):
    """Sets by the beginnings of their names, in that order; all of them for none."""
    found = sorted(p for p in folder.iterdir() if p.is_dir())
    return list(dict.fromkeys(p for start in starts.split(",") for p in found if p.name.startswith(start)))


def measure(args, libraries, about):
    """{set: {problem: {solver: what it said}}}; what is there is written after each set."""
    sets, own = {}, Ours(args.binaries / "corpora")
    for folder in chosen(args.folder, args.sets):
        for path in sorted(folder.glob("*.json")):
            kind = local_kind(path)
            if kind not in ("lcp", "mlcp", "fc2d", "fc3d"):
                continue
            said = {"ours": own.solve(path.resolve(), args.tol, args.limit)}
            for library in libraries:
                for solver in library.solvers.get(kind, []):
                    said[f"{library.name} {solver}"] = library.solve(solver, path.resolve())
            sets.setdefault(folder.name, {})[path.stem] = said
            best = min((s["seconds"] for who, s in said.items() if who != "ours" and is_solved(s)), default=None)
            print(f"{folder.name}/{path.stem}: ours {seconds(said['ours'])}, best peer {best and f'{best * 1e3:.3g} ms'}", flush=True)
        write(sets, about, args.results)
    return sets


def seconds(said):
    if "error" in said:
        return said["error"]
    return f"{said['seconds'] * 1e3:.3g} ms" + ("" if is_solved(said) else " unsolved")


def best_peer(problems):
    """Of a set: the peer that solves most, then the fastest."""
    peers = sorted({who for said in problems.values() for who in said if who != "ours"})

    def rank(who):
        times = [said[who]["seconds"] for said in problems.values() if who in said and is_solved(said[who])]
        return (-len(times), sum(times))

    return min(peers, key=rank, default=None)


def both(problems, who):
    """Names of the problems that we and this peer solved."""
    return [name for name, said in problems.items() if who in said and is_solved(said[who]) and is_solved(said["ours"])]


def set_rows(sets):
    yield "| set | problems | ours solved | best peer | it solved | ours, where both did [ms] | the peer [ms] | ours / peer | worst problem, beside the fastest of all peers |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, problems in sets.items():
        solved = sum(is_solved(said["ours"]) for said in problems.values())
        who = best_peer(problems)
        if who is None:
            yield f"| {name} | {len(problems)} | {solved} | none | | | | | |"
            continue
        common = both(problems, who)
        own = sum(problems[p]["ours"]["seconds"] for p in common)
        peer = sum(problems[p][who]["seconds"] for p in common)
        count = sum(who in said and is_solved(said[who]) for said in problems.values())
        worst = max(((ratio, p) for p, said in problems.items() if (ratio := against_all(said)) is not None), default=None)
        ratio = own / peer if common else math.nan
        mark = "**" if ratio > SLOWER else ""
        tail = f"{worst[0]:.2g} ({worst[1]})" if worst else "–"
        yield f"| {name} | {len(problems)} | {solved} | {who} | {count} | {own * 1e3:.3g} | {peer * 1e3:.3g} | {mark}{ratio:.2g}{mark} | {tail} |"


def against_all(said):
    """Our time over that of the fastest peer, where we and one of them solved it."""
    best = min((s["seconds"] for who, s in said.items() if who != "ours" and is_solved(s)), default=None)
    return said["ours"]["seconds"] / best if best and is_solved(said["ours"]) else None


def slow_rows(sets):
    yield "| problem | ours [ms] | links | fastest peer | [ms] | ours / peer |"
    yield "|---|---|---|---|---|---|"
    slow = []
    for name, problems in sets.items():
        for p, said in problems.items():
            ratio = against_all(said)
            if ratio is not None and ratio > SLOWER:
                who = min((w for w in said if w != "ours" and is_solved(said[w])), key=lambda w: said[w]["seconds"])
                slow.append((ratio, f"{name}/{p}", said["ours"], who, said[who]["seconds"]))
    for ratio, problem, own, who, peer in sorted(slow, reverse=True, key=lambda row: row[0]):
        yield f"| {problem} | {own['seconds'] * 1e3:.3g} | {', '.join(own['chain'])} | {who} | {peer * 1e3:.3g} | {ratio:.3g} |"


def unsolved_rows(sets):
    for name, problems in sets.items():
        for p, said in problems.items():
            if not is_solved(said["ours"]):
                who = [w for w in said if w != "ours" and is_solved(said[w])]
                yield f"- `{name}/{p}`: {', '.join(who) or 'no peer either'}"


def write(sets, about, results):
    text = [
        "# The corpora beside other people's solvers",
        "",
        "`cargo xtask bench-peers corpora FOLDER`. Solved: residual at most 1e−8, computed by the script. Processor time of one thread, the least of several",
        "runs in one process, for all; reading does not count, reducing global problems does (for the peers by SuperLU of scipy). Best peer of a set: the one that solves most, then",
        "the fastest. A ratio above 2 stands out. Proofs that there is no solution count as solved by us.",
        "",
        about,
        "",
        *set_rows(sets),
        "",
        f"## Problems on which a peer is more than {SLOWER:g} times faster",
        "",
        *slow_rows(sets),
        "",
        "## Not solved by ours, and who did",
        "",
        *unsolved_rows(sets),
        "",
    ]
    results.mkdir(parents=True, exist_ok=True)
    (results / "corpora-peers.md").write_text("\n".join(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="folder of sets")
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "target" / "release", help="folder of the release build")
    parser.add_argument("--sets", default="", help="beginnings of names of sets, in the order in which they are measured; all if empty")
    parser.add_argument("--limit", type=float, default=5.0, help="processor seconds for each solver and problem")
    parser.add_argument("--tol", type=float, default=1e-10, help="tolerance that ours is asked for")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benches" / "results", help="folder for the table")
    parser.add_argument("--python-of-siconos", default="/usr/bin/python3", help="the Python that Siconos is installed for")
    args = parser.parse_args()
    if args.folder is None:
        sys.exit("which folder of problem files?")
    names = [("quantecon", sys.executable), ("drake", sys.executable), ("siconos", args.python_of_siconos)]
    libraries = []
    for name, python in names:
        library = Library(name, python, args.limit)
        print(library.missing or f"{name} {library.version}", flush=True)
        if not library.missing:
            libraries.append(library)
    versions = ", ".join(f"{library.name} {library.version}" for library in libraries)
    about = f"{datetime.date.today().isoformat()} · {processor()} · {versions} · ours at {args.tol:g}, {args.limit:g} s each"
    measure(args, libraries, about)
    print((args.results / "corpora-peers.md").read_text())


if __name__ == "__main__":
    main()
