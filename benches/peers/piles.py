"""Ours beside other engines on the scenes of `stiction bench`: time of a step, and what is left of the contacts after it.

Every engine builds the scenes from `stiction bench --describe`, in a process of its own, one after the other in one run.
Times are processor milliseconds of one thread; of each step the least of several rounds. Cold is the first step, warm the
mean of the others. An engine that runs into the time limit ends its step, if it can within a second limit, and is measured on what it
did. One that is missing or cannot build a scene is said to, and the rest goes on.
"""

import argparse
import datetime
import json
import math
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

import piles_picture
from machine import processor
from piles_engines import ENGINES

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "benches" / "results"
RAPIER = {"Rapier": "default", "Rapier Coulomb": "coulomb"}
JUDGED = ["MuJoCo", "Bullet", "Rapier Coulomb"]  # those that tell their impulses
PEERS = [*ENGINES, *RAPIER]
SCENES = [
    *("disks-210-mu02", "disks-210-mu08", "row-210-mu02", "row-210-mu08"),
    *("spheres-30", "spheres-385", "spheres-1240", "spheres-9455"),
    *("wall-510", "tower-512", "tower-1e9", "mixed-1000", "quadruped", "chain-200", "crane"),
]
FEWEST = 10  # steps after the first: in those of an exact lattice engines with soft contact have little to carry yet
AGAIN = 0.2  # share of the limit below which a run is repeated for its least times


def used():
    """Processor seconds of all processes that have ended."""
    all_ = resource.getrusage(resource.RUSAGE_CHILDREN)
    return all_.ru_utime + all_.ru_stime


def call(command, limit, grace=5.0):
    """What a process says within `limit` processor seconds, or why it does not; and its processor seconds. Those of ours in
    Python go on to the end of their step, for `grace` seconds."""
    start = used()

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit + grace)))

    try:
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=bound)
    except FileNotFoundError:
        return {"error": "not built"}, 0.0
    seconds = used() - start
    if done.returncode == -signal.SIGXCPU or done.returncode == -signal.SIGKILL:
        return {"error": f"stopped after {seconds:.0f} s"}, seconds
    line = done.stdout.strip().splitlines()[-1:]
    if not line:
        reason = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
        return {"error": reason[:200]}, seconds
    return json.loads(line[0]), seconds


def measured(command, rounds, limit, grace):
    """`command` makes the arguments from a number of rounds: once, and if that was quick once more with all of them."""
    said, seconds = call(command(1), limit, grace)
    if "error" not in said and rounds > 1 and seconds < AGAIN * limit:
        again, _ = call(command(rounds), limit)
        is_whole = len(again.get("times", [])) == len(said.get("times", []))
        said = again if is_whole and "error" not in again else said
    return said


def ours(binary, scene, steps, rounds, limit):
    said = {}
    for count in (1, rounds):
        answer, seconds = call([binary, "bench", "--json", "--scene", scene, "--steps", str(steps), "--rounds", str(count)], limit)
        if isinstance(answer, dict):
            return said or answer
        said = answer[0]
        if seconds > AGAIN * limit:
            break
    return said | {"cold": said["cold_ms"], "warm": said["warm_ms"]}


def peer(args, name, scene, world, steps):
    answer = world.with_suffix(".answer")

    def command(rounds):
        if name in RAPIER:
            rapier = args.binaries.parent / "rapier" / "release" / "piles-in-rapier"
            return [rapier, world, str(steps), str(rounds), RAPIER[name], answer]
        return [sys.executable, HERE / "piles_peer.py", name, world, str(steps), str(rounds), answer]

    said = measured(command, args.rounds, args.limit, args.grace)
    if name in RAPIER:
        said["version"] = "0.36"
    if "times" in said:
        times = [1e3 * seconds for seconds in said.pop("times")]
        said["cold"], said["warm"], said["last"] = times[0], sum(times[1:]) / max(1, len(times) - 1), times[-1]
        if len(times) <= steps:
            said["ended_after"], said["warm"] = len(times), times[-1]
    if "error" not in said and name in JUDGED and answer.is_file():
        said["judged"], _ = call([args.binaries / "judge_answer", scene, answer], args.limit)
    answer.unlink(missing_ok=True)
    return said


def measure(args, about):
    """[{scene, about, bodies, steps, ours, peers: {name: …}}]; what is there is written after each scene."""
    binary, lines = args.binaries / "stiction", []
    with tempfile.TemporaryDirectory() as folder:
        for scene in args.scenes:
            described, _ = call([binary, "bench", "--describe", "--scene", scene], args.limit)
            if isinstance(described, dict):
                sys.exit(f"{scene}: {described['error']}")
            described = described[0]
            world = pathlib.Path(folder) / f"{scene}.json"
            world.write_text(json.dumps(described["world"]))
            line = {"scene": scene, "about": described["about"], "bodies": len(described["world"]["bodies"])}
            steps = args.steps.get(scene, max(FEWEST, described["steps"]))
            line |= {"h": described["world"]["h"], "steps": steps, "peers": {}}
            line["ours"] = ours(binary, scene, steps, args.rounds, args.own_limit)
            say(scene, "ours", line["ours"])
            for name in args.peers:
                line["peers"][name] = peer(args, name, scene, world, steps)
                say(scene, name, line["peers"][name])
            lines.append(line)
            world.unlink()
            write(lines, about, args.results)
    return lines


def say(scene, who, said):
    text = said.get("error") or f"cold {ms(said['cold'])}, warm {ms(said['warm'])} ms"
    print(f"{scene:16} {who:15} {text}", flush=True)


def ms(x):
    return "–" if x is None else f"{x:.3g}"


def number(x, form=".1e"):
    return "–" if x is None else format(x, form)


def ratio(line, name, key):
    """The peer's time of a step over our time of the first, or of a warm one."""
    own, their = line["ours"].get(key), line["peers"][name].get("warm")
    return their / own if own and their else None


def time_cell(line, name):
    said = line["peers"][name]
    first, warm = (ratio(line, name, key) for key in ("cold", "warm"))
    if said.get("warm") is None:
        return "–"
    after = f", step {said['ended_after']}" if "ended_after" in said else ""
    return f"{ms(said['warm'])}{after} (**{number(first, '.2g')}, {number(warm, '.2g')}**)"


def times_table(lines, names):
    yield f"| scene | contacts | ours, first [ms] | ours, warm [ms] | {' | '.join(f'{name} [ms]' for name in names)} |"
    yield "|---|---|---|---|" + "---|" * len(names)
    for line in lines:
        own = line["ours"]
        cells = [own.get("contacts", "–"), ms(own.get("cold")), ms(own.get("warm"))]
        cells += [time_cell(line, name) for name in names]
        yield f"| {line['scene']} | {' | '.join(map(str, cells))} |"


def quality_table(lines, names):
    yield "| scene | who | contacts | overlap [m] | approach [m/s] | moved [m] | joint gap [m] | residual | judged: contacts | approach [m/s] | impulses lost |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for line in lines:
        own = line["ours"]
        if own.get("error"):
            yield f"| {line['scene']} | ours | {own['error']} |" + " |" * 8
        if own.get("cold") is not None:
            certified = f"{own['certified']} of {own['steps'] + 1} certified, {number(own['residual'])}"
            yield (
                f"| {line['scene']} | ours | {own['contacts']} | {number(own['overlap'])} | {number(own['approach'])} | | {number(own['joint_gap'])} "
                f"| {certified} | | | |"
            )
        for name in names:
            said = line["peers"][name]
            if "error" in said:
                yield f"| | {name} | {said['error']} |" + " |" * 8
                continue
            judged = said.get("judged") or {}
            lost = "" if judged.get("lost") is None else f"{judged['lost']:.1%}"
            residual, found, approach = (judged.get(key) for key in ("residual", "contacts", "approach"))
            yield (
                f"| | {name} | {said['contacts']} | {number(said['overlap'])} | {number(said['approach'])} | {number(said['moved'])} | {number(said.get('joint_gap'))} "
                f"| {number(residual)} | {'' if found is None else found} | {number(approach)} | {lost} |"
            )


def exponent(points):
    """Slope of log time over log contacts."""
    if len(points) < 2:
        return None
    xs, ys = ([math.log(v) for v in column] for column in zip(*points))
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0) ** 2 for x in xs)


def growth(lines, names):
    yield "| who | cold | warm |"
    yield "|---|---|---|"
    pyramids = [line for line in lines if line["scene"].startswith("spheres-") and line["ours"].get("contacts")]
    for who in ["ours", *names]:
        cells = []
        for key in ("cold", "warm"):
            said = [(line["ours"]["contacts"], (line["ours"] if who == "ours" else line["peers"][who]).get(key)) for line in pyramids]
            cells.append(number(exponent([(n, t) for n, t in said if t]), ".2f"))
        yield f"| {who} | {' | '.join(cells)} |"


def write(lines, about, results):
    names = list(lines[0]["peers"])
    versions = {name: line["peers"][name]["version"] for line in lines for name in names if line["peers"][name].get("version")}
    text = [
        "# Piles, walls and mechanisms beside other engines",
        "",
        "`cargo xtask bench-peers piles`. The scenes of `stiction bench`, built in each engine from the same numbers (`stiction bench --describe`), one after the other in one",
        "run. Processor time of one thread: ours of the first step, which remembers nothing, and of those that follow in the mean; the others' of all but the first in the mean; of each",
        "step the least of several rounds. In bold the engine's time over our first step's and over our warm step's; *step k*: the limit ended the engine after so many steps, and this is the last of them. Ours: exact Coulomb cones, every step asked for 1e−10 and judged. MuJoCo: Newton, elliptic cones. Drake: SAP. DART: Dantzig. Bullet, Rapier: sweeps, their",
        "defaults; Rapier in f64. Theirs are not asked for a residual: the second half says what they leave.",
        "",
        f"{about['date']} · {about['processor']} · " + ", ".join(f"{name} {version}" for name, version in versions.items())
        + f" · {about['rounds']} rounds, {about['limit_s']:g} s for an engine and a scene"
        + (f", {about['grace_s']:g} s more for a step that has begun" if "grace_s" in about else ""),
        "",
        "## Time of a step",
        "",
        *times_table(lines, names),
        "",
        "![time over contacts](piles.svg)",
        "",
        "## Growth over contacts, pyramids of spheres",
        "",
        "Slope of log time over log contacts.",
        "",
        *growth(lines, names),
        "",
        "## What is left of the contacts",
        "",
        "Deepest overlap and largest approaching speed of a loaded contact after a step, of the first and the last; how far the body that moved most is from where it began",
        "(piles, walls and towers rest: 0 is an exact answer but where μ = 0.2). Ours: the worst of all steps, on the law we solve. *Judged*: the impulses that an engine tells of its",
        "last step, put onto the contacts that we find in its state before that step, and the scaled residual of Coulomb's law by our judge (`judge_answer`); *lost* is the share of the impulses",
        "on pairs that do not touch for us. Overlaps that the engine has come to count: our rows part them within the step.",
        "",
        *quality_table(lines, names),
        "",
    ]
    results.mkdir(parents=True, exist_ok=True)
    (results / "piles.md").write_text("\n".join(text))
    with open(results / "piles.json", "w") as file:
        file.write('{"about": ' + json.dumps(about) + ',\n "scenes": [\n  ')
        file.write(",\n  ".join(json.dumps(line) for line in lines) + "\n]}\n")
    piles_picture.draw(lines, names, results / "piles.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "target" / "release", help="folder of the release build")
    parser.add_argument("--scenes", default=",".join(SCENES), help="names of scenes")
    parser.add_argument("--peers", default=",".join(PEERS), help="engines")
    parser.add_argument("--rounds", type=int, default=3, help="how often the steps are taken")
    parser.add_argument("--limit", type=float, default=120.0, help="processor seconds for an engine and a scene")
    parser.add_argument("--own-limit", type=float, default=900.0, help="processor seconds for ours and a scene")
    parser.add_argument("--grace", type=float, default=900.0, help="processor seconds more to end a step that has begun")
    parser.add_argument("--steps", default="", help="steps after the first of some scenes, mixed-1000=60,spheres-9455=4; of the others those of the bench, and at least 10")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS, help="folder for tables and picture; give one for a run of a part only")
    parser.add_argument("--draw", action="store_true", help="only tables and the picture, from the last results")
    args = parser.parse_args()
    args.scenes, args.peers = args.scenes.split(","), args.peers.split(",")
    args.steps = {name: int(steps) for name, steps in (pair.split("=") for pair in args.steps.split(",") if pair)}
    if args.draw:
        with open(args.results / "piles.json") as file:
            last = json.load(file)
        lines, about = last["scenes"], last["about"]
    else:
        about = {"date": datetime.date.today().isoformat(), "processor": processor(), "rounds": args.rounds, "limit_s": args.limit}
        about["grace_s"] = args.grace
        lines = measure(args, about)
    write(lines, about, args.results)
    print((args.results / "piles.md").read_text())


if __name__ == "__main__":
    main()
