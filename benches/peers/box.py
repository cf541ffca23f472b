"""Work against precision: the box on the ground, ours beside Drake, MuJoCo, DART and Rapier in one run.

The error is the distance of the box, at rest, from where exact Coulomb friction stops it as h → 0. Every engine is given several
settings and steps from 10 ms down; times are processor seconds of one thread for all steps, the least of several
rounds in which all take turns.
"""

import argparse
import datetime
import json
import math
import pathlib
import sys

import box_picture
from box_engines import Dart, Drake, Mujoco, Process
from machine import processor

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results"
PICTURE = ROOT / "docs" / "pictures" / "box-work-precision.svg"
END = (0.4407, 1.5840)  # m, exact Coulomb as h → 0; two independent integrations agree to 2e-4
TIME = 1.0  # s, simulated; the box rests after 0.7
STEPS = [1e-2, 7e-3, 5e-3, 3e-3, 2e-3, 1.4e-3, 1e-3, 7e-4, 5e-4, 2e-4, 1e-4]  # s
ACCURACIES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]  # of Drake's continuous plant, instead of steps
ASKED = 3e-3  # m
LONG = 1.0  # s of processor time: not repeated, and smaller steps left out
OURS = {
    "cone": "cone",
    "cone, geometry at the middle": "cone-middle",
    "cone, rigid normals": "cone-rigid",
    "phantom": "phantom",
    "phantom, geometry at the middle": "phantom-middle",
    "hybrid": "hybrid",
    "box": "box",
    "pyramid, 4 facets": "pyramid4",
    "pyramid, 8 facets": "pyramid8",
}
RAPIER = {
    "default": "default",
    "Coulomb": "coulomb-4-1",
    "Coulomb, 50 sweeps": "coulomb-4-50",
    "Coulomb, 100 small steps": "coulomb-100-1",
    "Coulomb, stiff": "coulomb-4-1-stiff",
    "Coulomb, stiff, 50 sweeps": "coulomb-4-50-stiff",
}


def engines(binaries):
    return {
        "ours": Process(binaries / "box_on_ground", "", OURS),
        "Drake": Drake(),
        "MuJoCo": Mujoco(),
        "DART": Dart(),
        "Rapier": Process(binaries.parent / "rapier" / "release" / "box-in-rapier", "0.36", RAPIER),
    }


def is_continuous(who, name):
    return who == "Drake" and name in Drake.continuous


def measure(all_engines, rounds):
    """Runs by (engine, setting): a list of one run per step, each with its error and least seconds."""
    lines = {(who, name): {} for who, engine in all_engines.items() for name in engine.settings}
    for turn in range(rounds):
        for (who, name), runs in lines.items():
            for step in ACCURACIES if is_continuous(who, name) else STEPS:
                if turn and (step not in runs or runs[step]["seconds"] > LONG):
                    continue
                run = tried(all_engines[who], name, step)
                if run is None:
                    break
                if turn:
                    run["seconds"] = min(run["seconds"], runs[step]["seconds"])
                runs[step] = run
                if run["seconds"] > LONG:
                    break
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return {key: list(runs.values()) for key, runs in lines.items()}


def tried(engine, name, step):
    """A run, or nothing where the engine gives up."""
    try:
        run = engine.run(name, step, TIME)
    except RuntimeError:
        return None
    error = math.hypot(run["x"] - END[0], run["y"] - END[1])
    return run | {"step": step, "error": error if math.isfinite(error) else math.inf}


def cheapest(lines, who):
    """(setting, run) with the least time within the error asked for, or nothing."""
    fits = [(name, run) for (w, name), runs in lines.items() if w == who for run in runs if run["error"] <= ASKED]
    return min(fits, key=lambda fit: fit[1]["seconds"], default=None)


def most_precise(lines, who, finest=False):
    """(setting, run) with the least error, of all runs or of the one with the smallest step in each setting."""
    runs = [(name, run) for (w, name), runs in lines.items() if w == who for run in (runs[-1:] if finest else runs)]
    return min(runs, key=lambda fit: fit[1]["error"])


def step_text(who, name, run):
    if is_continuous(who, name):
        return f"accuracy {run['step']:.0e}"
    return f"{run['step'] * 1e3:g} ms"


def summary(lines, names):
    own = cheapest(lines, "ours")
    yield "| | setting | step | error [mm] | steps | µs per step | CPU in all [ms] | ratio to ours | best error [mm] | best error at a smallest step [mm] |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for who in names:
        cells = ["never", "", "", "", "", "", ""]
        if best := cheapest(lines, who):
            name, run = best
            cells = [name, step_text(who, name, run), f"{run['error'] * 1e3:.2f}", f"{run['steps']}"]
            cells += [f"{run['seconds'] / run['steps'] * 1e6:.1f}", f"{run['seconds'] * 1e3:.2f}"]
            cells.append(f"{run['seconds'] / own[1]['seconds']:.2f}" if own else "–")
        for finest in (False, True):
            name, run = most_precise(lines, who, finest)
            cells.append(f"{run['error'] * 1e3:.2f} ({name}, {step_text(who, name, run)}, {run['seconds'] * 1e3:.3g} ms)")
        yield f"| {who} | {' | '.join(cells)} |"


def table(lines, who, steps, columns):
    """Error and time of every setting of one engine: a row for each, a column for each step."""
    yield f"| setting | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for (w, name), runs in lines.items():
        if w != who or (steps is ACCURACIES) != is_continuous(who, name):
            continue
        by_step = {run["step"]: run for run in runs}
        cells = []
        for step in steps:
            run = by_step.get(step)
            cells.append(f"{run['error'] * 1e3:.3g} mm, {run['seconds'] * 1e3:.3g} ms" if run else "–")
        yield f"| {name} | {' | '.join(cells)} |"


def all_tables(lines, names):
    for who in names:
        yield from ["", f"## {who[0].upper() + who[1:]}", ""]
        yield from table(lines, who, STEPS, [f"h = {step * 1e3:g} ms" for step in STEPS])
        if who == "Drake":
            yield from ["", "The continuous plant, by the accuracy asked of the integrator:", ""]
            yield from table(lines, who, ACCURACIES, [f"{accuracy:.0e}" for accuracy in ACCURACIES])


def verdict(lines, names):
    """What is asked for, and whether it holds: as a line and as an answer."""
    own, others = cheapest(lines, "ours"), {who: cheapest(lines, who) for who in names if who != "ours"}
    rivals = {who: best for who, best in others.items() if best}
    if not own:
        return f"Ours does not come within {ASKED * 1e3:g} mm.", False
    first = f"Within {ASKED * 1e3:g} mm: ours in {own[1]['seconds'] * 1e3:.2f} ms ({own[0]}, h = {own[1]['step'] * 1e3:g} ms)"
    if not rivals:
        return f"{first}, no other.", True
    who = min(rivals, key=lambda who: rivals[who][1]["seconds"])
    name, run = rivals[who]
    ratio = run["seconds"] / own[1]["seconds"]
    return f"{first}; the least of the others is {who}'s {run['seconds'] * 1e3:.2f} ms ({name}, {step_text(who, name, run)}): {ratio:.2f} times ours.", ratio > 1.0


def write(lines, versions, results):
    names = list(versions)
    text = [
        "# The box on the ground: work against precision",
        "",
        "`cargo xtask bench-peers box`. [PKF17] table 1: a cube of 1 kg and 1 m on four corners, 5 m/s along y and 2π rad/s, μ = 1, g = 9.81 m/s². Error: distance of the",
        f"box after {TIME:g} s, when it rests, from where exact Coulomb friction stops it as h → 0, x = {END[0]}, y = {END[1]:.4f} m, which is known to 0.2 mm. CPU: processor time",
        "of one thread for all steps, least of several rounds in which all engines take turns; building the scene does not count. Ours: `Model` and `step()`, certified answers;",
        "normals (and bristles, where the law has them) of table 1, unless rigid. Each peer at the stiffness it needs, and at several settings of its own; those of Drake's continuous plant and",
        "MuJoCo's *direct* are the best of searches that were made beforehand with the reference at hand, ours are not. A dash is a step left out because a larger one took a second already, or",
        "because the engine gave up. Ratio: the peer's CPU over ours.",
        "",
        f"{datetime.date.today().isoformat()} · {processor()} · " + ", ".join(f"{who} {v}" for who, v in versions.items() if v),
        "",
        verdict(lines, names)[0],
        "",
        f"Least CPU within {ASKED * 1e3:g} mm, and the best errors at any cost; where the two differ, the error jumps with the step and the better one is luck:",
        "",
        *summary(lines, names),
        "",
        "![error over CPU time](../../docs/pictures/box-work-precision.svg)",
        *all_tables(lines, names),
        "",
        "## Why",
        "",
        "MuJoCo's contacts and Drake's SAP and *similar* are convex: what slides is lifted, so the box rattles, and tips over where contacts are stiff. Friction in DART's default is bounded along two",
        "axes; Rapier's default makes one patch of the four corners: both converge, to another motion. Rapier's Coulomb friction stays where it is with more sweeps and small steps. Rigid normals (*cone,",
        "rigid normals*, and DART's) leave the share of each corner open, and with it their friction: the limit is some millimetres away. Semi-implicit Euler stops short by h v₀/2, 2.5 mm at",
        "1 ms, in every engine that uses it. Drake's continuous plant does not: third order, on soft corners that are damped; what is left is their give.",
        "",
    ]
    results.mkdir(exist_ok=True)
    (results / "box.md").write_text("\n".join(text))
    print("\n".join(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "target" / "release", help="folder of the release build")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each measurement")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS, help="folder for the table")
    parser.add_argument("--picture", type=pathlib.Path, default=PICTURE, help="where the picture goes")
    parser.add_argument("--save", type=pathlib.Path, help="keep the numbers in this file")
    parser.add_argument("--draw", type=pathlib.Path, help="table and picture anew from numbers that were kept")
    args = parser.parse_args()
    if args.draw:
        kept = json.loads(args.draw.read_text())
        lines, versions = {tuple(key): runs for key, runs in kept["lines"]}, kept["versions"]
    else:
        all_engines = engines(args.binaries)
        versions = {who: engine.version for who, engine in all_engines.items()}
        lines = measure(all_engines, args.rounds)
    if args.save:
        args.save.write_text(json.dumps({"versions": versions, "lines": list(lines.items())}))
    write(lines, versions, args.results)
    box_picture.draw(lines, [key for key in lines if is_continuous(*key)], ASKED, args.picture)
    if not verdict(lines, list(versions))[1]:
        sys.exit("a target is missed")


if __name__ == "__main__":
    main()
