"""Our `auto` beside QuantEcon's Lemke on the same LCPs: times, ratios, residuals.

Times are processor seconds, the least of several runs of one thread. Each problem is a file that
`pyramids write` makes; both read it, ours sparse, QuantEcon's as the dense matrix it asks for.
Reading does not count. Both answers are judged here, by code that shares nothing with either.
"""

import argparse
import datetime
import json
import math
import multiprocessing
import os
import pathlib
import resource
import subprocess
import tempfile
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)

import picture  # noqa: E402
from machine import processor  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results"
SOLVED = 1e-8  # residual up to which an answer counts as solved
FALSE = 1e-6  # residual above which a claimed success is a false claim
FIT_FROM = 50  # contacts; smaller ones are bent by fixed costs
RUNS, LONG = 5, 1.0  # runs; seconds after which a solve is not repeated
TARGETS = {50: 3, 100: 10, 200: 40}  # ratio asked for at this many contacts
LARGE = 574


def read(path):
    """(A, b) of a problem file, A dense."""
    with open(path) as file:
        problem = json.load(file)
    shape, csc = problem["M"]["shape"], problem["M"]["csc"]
    A = np.zeros(shape)
    columns = np.repeat(np.arange(shape[1]), np.diff(csc["p"]))
    np.add.at(A, (np.array(csc["i"]), columns), np.array(csc["x"]))
    return A, np.array(problem["q"])


def judge(A, b, z):
    """max|min(z, w)| / max(1, max|b|), and what rounding z to f64 alone may cost of it."""
    z = np.asarray(z, dtype=float)
    scale = max(1.0, float(np.max(np.abs(b))))
    residual = float(np.max(np.abs(np.minimum(z, A @ z + b))) / scale)
    floor = float(2.0**-53 * np.max(np.abs(A) @ np.abs(z) + np.abs(b)) / scale)
    return (residual if math.isfinite(residual) else math.inf), floor


def peer(pipe):
    """Solves files by QuantEcon's Lemke, in a process of its own so that it can be ended."""
    from quantecon.optimize import lcp_lemke

    def solve(A, b):
        return lcp_lemke(A, b, max_iter=10**6)

    solve(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -7.0]))  # compiles it
    pipe.send("ready")
    while True:
        path, limit = pipe.recv()
        A, b = read(path)
        used = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + limit), resource.RLIM_INFINITY))
        best, spent = math.inf, 0.0
        for _ in range(RUNS):
            start = time.thread_time()
            answer = solve(A, b)
            seconds = time.thread_time() - start
            best, spent = min(best, seconds), spent + seconds
            if spent > LONG:
                break
        residual, floor = judge(A, b, answer.z)
        claims, solved = bool(answer.success), residual <= SOLVED
        pipe.send(
            {
                "status": {0: "solved", 1: "iteration limit", 2: "ray"}[int(answer.status)],
                "solved": solved,
                "false_claim": claims and not residual <= FALSE,
                "false_refusal": solved and not claims,
                "pivots": int(answer.num_iter),
                "residual": residual if math.isfinite(residual) else None,
                "floor": floor,
                "time_s": best,
            }
        )


class Peer:
    def __init__(self):
        self.process = None

    def start(self):
        self.pipe, child = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=peer, args=(child,), daemon=True)
        self.process.start()
        child.close()  # so that its end is seen
        self.pipe.recv()

    def solve(self, path, limit):
        """The peer's line for this file, or one that says it was stopped after `limit` seconds."""
        if self.process is None:
            self.start()
        self.pipe.send((str(path), limit))
        try:
            return self.pipe.recv()
        except EOFError:
            self.process.join()
            self.process = None
        return {
            "status": f"stopped after {limit:.0f} s",
            "solved": False,
            "false_claim": False,
            "false_refusal": False,
            "pivots": None,
            "residual": None,
            "floor": None,
            "time_s": None,
            "limit_s": limit,
        }


def ours(binary, path, limit):
    done = subprocess.run(
        [binary, "time", "--z", "--limit", str(limit), path], check=True, capture_output=True, text=True
    )
    line = json.loads(done.stdout)
    residual, floor = judge(*read(path), line.pop("z"))
    line["judged"] = residual if math.isfinite(residual) else None
    line["solved"] = line["status"] == "certified" and residual <= SOLVED
    line["false_claim"] = line["status"] == "certified" and not residual <= max(1e-12, 3.0 * floor)
    return line


def exponent(points):
    """Slope of log time over log contacts."""
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def measure(args, head, problems):
    """Writes the problems of each size to a folder, solves them by both, and removes them."""
    lemke, lines = Peer(), []
    binary = args.binaries / "pyramids"
    for contacts in args.contacts:
        choice = ["--contacts", str(contacts)] + (["--scenes", args.scenes] if args.scenes else [])
        written = subprocess.run([binary, "write", problems, *choice], check=True, capture_output=True, text=True)
        for path in map(pathlib.Path, written.stdout.splitlines()):
            own = ours(binary, path, args.limit)
            line = {"scene": own.pop("scene"), "contacts": contacts, "n": own.pop("n")}
            own.pop("contacts")
            line["ours"], line["quantecon"] = own, None
            if contacts < LARGE or line["scene"] == args.full:
                line["quantecon"] = lemke.solve(path, 360.0 if contacts >= LARGE else args.peer_limit)
            lines.append(line)
            say(line)
            path.unlink()
            write(lines, head, args.results)
    return lines


def say(line):
    peer = line["quantecon"] or {"status": "not run", "time_s": None}
    print(
        f"{line['scene']:20} {line['contacts']:4} contacts   "
        f"ours {line['ours']['status']} {seconds(line['ours']['time_s'])}   "
        f"QuantEcon {peer['status']} {seconds(peer['time_s'])}",
        flush=True,
    )


def seconds(t):
    if t is None:
        return "–"
    return f"{t * 1e3:.3g} ms" if t < 1 else f"{t:.3g} s"


def ratio(line):
    """How many times faster we are, where both solved."""
    both = line["quantecon"] and line["quantecon"]["solved"] and line["ours"]["solved"]
    return line["quantecon"]["time_s"] / line["ours"]["time_s"] if both else None


def bound(line):
    """How many times faster we are at least, where the peer was stopped."""
    stopped = line["ours"]["solved"] and line["quantecon"] and line["quantecon"]["time_s"] is None
    return line["quantecon"]["limit_s"] / line["ours"]["time_s"] if stopped else None


def factor(line):
    return number(ratio(line), ".3g") if bound(line) is None else f"> {bound(line):.3g}"


def number(x, form):
    return "–" if x is None else format(x, form)


def of_scene(lines, scene, who):
    return [
        (line["contacts"], line[who]["time_s"])
        for line in lines
        if line["scene"] == scene and line["contacts"] >= FIT_FROM and line[who] and line[who]["solved"]
    ]


def by_size(lines):
    yield "| contacts | ratio, least | median | largest | target | reaches it | where QuantEcon was stopped, at least | ours certified | QuantEcon solved |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for contacts in sorted({line["contacts"] for line in lines}):
        here = [line for line in lines if line["contacts"] == contacts]
        tried = [line for line in here if line["quantecon"]]
        ratios = [r for r in map(ratio, here) if r is not None]
        target = TARGETS.get(contacts)
        reach = f"{sum(r >= target for r in ratios)} of {len(ratios)}" if target else ""
        bounds = [r for r in map(bound, here) if r is not None]
        stopped = f"{min(bounds):.3g} ({len(bounds)})" if bounds else ""
        ends = [number(x, ".3g") for x in (min(ratios, default=None), picture.median(ratios) if ratios else None, max(ratios, default=None))]
        yield (
            f"| {contacts} | {' | '.join(ends)} | {f'≥ {target}' if target else ''} | {reach} | {stopped} "
            f"| {sum(line['ours']['solved'] for line in here)} of {len(here)} "
            f"| {sum(line['quantecon']['solved'] for line in tried)} of {len(tried)} |"
        )


def by_problem(lines):
    yield "| scene | contacts | n | ours | QuantEcon | ratio | residual, ours | floor | residual, QuantEcon | chain |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    order = {scene: k for k, scene in enumerate(dict.fromkeys(line["scene"] for line in lines))}
    for line in sorted(lines, key=lambda line: (order[line["scene"]], line["contacts"])):
        own, peer = line["ours"], line["quantecon"]
        own_time = seconds(own["time_s"]) + ("" if own["solved"] else f", **{own['status']}**")
        peer_time = "not run" if peer is None else seconds(peer["time_s"])
        if peer and peer["false_refusal"]:
            peer_time += f", says {peer['status']}"
        elif peer and not peer["solved"]:
            peer_time += f", **{'false claim' if peer['false_claim'] else peer['status']}**"
        yield (
            f"| {line['scene']} | {line['contacts']} | {line['n']} | {own_time} | {peer_time} "
            f"| {factor(line)} | {number(own['judged'], '.1e')} | {number(own['floor'], '.1e')} "
            f"| {number(peer and peer['residual'], '.1e')} | {', '.join(own['chain'][1:])} |"
        )


def growth(lines):
    yield "| scene | ours | up to | QuantEcon | up to |"
    yield "|---|---|---|---|---|"
    for scene in dict.fromkeys(line["scene"] for line in lines):
        cells = []
        for who in ("ours", "quantecon"):
            points = of_scene(lines, scene, who)
            cells += [number(exponent(points), ".2f"), str(max((p[0] for p in points), default="–"))]
        yield f"| {scene} | {' | '.join(cells)} |"


def write(lines, about, results):
    refusals = sum(bool(line["quantecon"] and line["quantecon"]["false_refusal"]) for line in lines)
    false_claims = {who: sum(bool(line[who] and line[who]["false_claim"]) for line in lines) for who in ("ours", "quantecon")}
    text = [
        "# Friction pyramids beside QuantEcon's Lemke",
        "",
        "`cargo xtask bench-peers`. Stewart–Trinkle LCPs with 8 facets, n = 10 × contacts, of the scenes in `benches/src/scenes.rs`. Ours is `auto` at",
        "1e−12; QuantEcon's is `quantecon.optimize.lcp_lemke` with `max_iter` 10⁶, compiled before it is timed. Processor time of one thread, least of several runs",
        "(a run above a second once). Residual: `max|min(z, w)| / max(1, max|b|)`, computed by the script. Solved: the residual is at",
        "most 1e−8, whatever the solver says of itself (QuantEcon's often reports a ray beside a good answer: counted as solved). The ratio is QuantEcon's time over ours where both solved.",
        "",
        f"{about['date']} · {about['processor']} · QuantEcon {about['quantecon']}, numba {about['numba']}, numpy {about['numpy']} · ours stops after {about['limit_s']:g} s, "
        f"QuantEcon after {about['peer_limit_s']:g} s (360 s at {LARGE} contacts)",
        "",
        f"False claims: ours {false_claims['ours']}, QuantEcon {false_claims['quantecon']}. Good answers called failures: QuantEcon {refusals}.",
        "",
        "## By size",
        "",
        *by_size(lines),
        "",
        f"## Growth exponent, from {FIT_FROM} contacts",
        "",
        "Slope of log time over log contacts, over what was solved. The target is 2.3.",
        "",
        *growth(lines),
        "",
        "## Every problem",
        "",
        *by_problem(lines),
        "",
    ]
    results.mkdir(exist_ok=True)
    (results / "pyramids.md").write_text("\n".join(text))
    with open(results / "pyramids.json", "w") as file:
        head = json.dumps(about)
        file.write('{"about": ' + head + ',\n "problems": [\n  ')
        file.write(",\n  ".join(json.dumps(line) for line in lines) + "\n]}\n")


def families(args):
    table = subprocess.run([args.binaries / "families"], check=True, capture_output=True, text=True).stdout
    (args.results / "families.md").write_text(table)


def about(args):
    import numba
    import quantecon

    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "quantecon": quantecon.__version__,
        "numba": numba.__version__,
        "numpy": np.__version__,
        "limit_s": args.limit,
        "peer_limit_s": args.peer_limit,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "target" / "release", help="folder of the release build")
    parser.add_argument("--contacts", default="10,25,50,100,200,574", help="sizes")
    parser.add_argument("--scenes", default="", help="beginnings of names of scenes; all if empty")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds for each of our solves")
    parser.add_argument("--peer-limit", type=float, default=120.0, help="the same for QuantEcon's")
    parser.add_argument("--full", nargs="?", const="towers-shaken-3", metavar="SCENE", help="QuantEcon at 574 contacts as well, on one scene: minutes")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS, help="folder for the tables; give one for a run of a part only")
    parser.add_argument("--draw", action="store_true", help="only tables and the picture, from the last results")
    args = parser.parse_args()
    args.contacts = [int(contacts) for contacts in args.contacts.split(",")]

    if args.draw:
        with open(args.results / "pyramids.json") as file:
            last = json.load(file)
        lines, head = last["problems"], last["about"]
    else:
        head = about(args)
        with tempfile.TemporaryDirectory() as problems:
            lines = measure(args, head, problems)
        families(args)
    write(lines, head, args.results)
    pictures = ROOT / "docs" / "pictures" if args.results == RESULTS else args.results
    picture.draw(lines, pictures / "pyramids.svg")


if __name__ == "__main__":
    main()
