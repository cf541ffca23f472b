"""One engine on one scene: `piles_peer.py ENGINE WORLD STEPS ROUNDS [ANSWER]` prints one JSON object.

A process of its own, so that it can be ended. Of each step the least processor time of several rounds counts; how the
contacts look is asked outside of the clock, after the first step and the last. The last step goes to the file ANSWER, for
`judge_answer`, where the engine tells its impulses. At its limit of processor time it ends the step that has begun, and tells of
those that were taken.
"""

import json
import os
import signal
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)

from piles_engines import ENGINES, Unable  # noqa: E402


def larger(a, b):
    return b if a is None else a if b is None else max(a, b)


class Limit:
    """Set by the signal of the limit, which Python hears after a step and not within it."""

    reached = False

    @classmethod
    def watch(cls):
        signal.signal(signal.SIGXCPU, lambda *_: setattr(cls, "reached", True))


def run(engine, world, steps, rounds, path):
    times, looks, before = [float("inf")] * (steps + 1), [], None
    is_judged = path and hasattr(engine, "impulses") and not world["joints"] and not any(body["planar"] for body in world["bodies"])
    for turn in range(rounds):
        made = engine(world)
        for k in range(steps + 1):
            # a single round may end with any step
            is_last = turn == rounds - 1
            if is_judged and is_last and (rounds == 1 or k == steps):
                before = made.moving()
            start = time.thread_time()
            made.step()
            times[k] = min(times[k], time.thread_time() - start)
            if is_last and (k in (0, steps) or Limit.reached):
                looks.append(made.look())
            if Limit.reached:
                break
        if Limit.reached:
            times = [seconds for seconds in times if seconds < float("inf")]
            break
    if before:
        with open(path, "w") as file:
            json.dump({"bodies": before, "impulses": made.impulses()}, file)
    start = np.array([body["p"] for body in world["bodies"]])
    moved = np.linalg.norm(made.places() - start, axis=1)
    seen = {key: None for key in looks[0]}
    for look in looks:
        seen = {key: larger(seen[key], look[key]) for key in seen}
    return {"version": made.version, "times": times, "moved": float(np.max(moved)), **seen}


def main():
    Limit.watch()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    name, path, steps, rounds, *answer = sys.argv[1:]
    with open(path) as file:
        world = json.load(file)
    try:
        said = run(ENGINES[name], world, int(steps), int(rounds), answer[0] if answer else None)
    except ImportError:
        said = {"error": "not installed"}
    except Unable as reason:
        said = {"error": str(reason)}
    except Exception as error:  # whatever an engine raises is its answer
        said = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    print(json.dumps(said), file=out, flush=True)


if __name__ == "__main__":
    main()
