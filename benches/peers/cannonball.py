"""The largest piles of the cannonball table as friction pyramids: our `auto` beside QuantEcon's Lemke on the same LCP.

    python cannonball.py [--rows 4,6,8,10,12,14,16,20] [--mu 0.8,0.2] [--gap 0,1e-3] [--limit 600]

A triangle of equal balls (1 kg, radius 0.5 m) on the ground, all in one plane, every gap zero or random up to a millimetre, its first step from rest, h = 0.05 s; in space,
eight facets, ten unknowns a contact. Minutes and a gigabyte for the peer at 20 rows. Writes results/cannonball-peers.md and .svg. Where the
peer was stopped, larger piles of the same friction are given to it only if they are the largest asked for.
"""

import argparse
import datetime
import itertools
import json
import pathlib
import sys
import tempfile

import numpy as np
import scipy.sparse

import cannonball_picture
from corpora import HERE, ROOT, Library, Ours, is_solved, seconds
from machine import processor

RADIUS, MASS, STEP, GRAVITY, FACETS = 0.5, 1.0, 0.05, 9.81, 8


def pile(rows):
    """(first ball, second ball or None for the ground, normal from the first to the second), as in the touching lattice."""
    place = {}
    for row in range(rows):
        for k in range(rows - row):
            place[row, k] = len(place)
    up = np.array([0.5, 0.0, np.sqrt(0.75)])
    contacts = []
    for (row, k), ball in place.items():
        if row == 0:
            contacts.append((ball, None, np.array([0.0, 0.0, -1.0])))
        if (row, k + 1) in place:
            contacts.append((ball, place[row, k + 1], np.array([1.0, 0.0, 0.0])))
            contacts.append((ball, place[row + 1, k], up))
            contacts.append((place[row, k + 1], place[row + 1, k], up * [-1.0, 1.0, 1.0]))
    return len(place), contacts


def directions(normal):
    """The normal, then the facets around it."""
    first = np.array([0.0, 1.0, 0.0])
    second = np.cross(normal, first)
    angles = 2.0 * np.pi * np.arange(FACETS) / FACETS
    return [normal, *(np.cos(a) * first + np.sin(a) * second for a in angles)]


def problem(rows, mu, gap):
    """A and b of w = A z + b; of each contact the normal, the facets, the slip. Gaps are random up to `gap` [m], always the same."""
    balls, contacts = pile(rows)
    wide = FACETS + 2
    entries, values = [], []
    for c, (first, second, normal) in enumerate(contacts):
        for k, d in enumerate(directions(normal)):
            # the gap grows by the second ball's velocity less the first one's, at the point where they touch
            for ball, sign, arm in ((first, -1.0, RADIUS * normal), (second, 1.0, -RADIUS * normal)):
                if ball is not None:
                    row = sign * np.concatenate([d, np.cross(arm, d)])
                    for i in np.flatnonzero(row):
                        entries.append((wide * c + k, 6 * ball + i))
                        values.append(row[i])
    n = wide * len(contacts)
    at, into = np.array(entries).T
    J = scipy.sparse.csr_matrix((values, (at, into)), shape=(n, 6 * balls))
    inertia = 0.4 * MASS * RADIUS**2
    inverse = scipy.sparse.diags(np.tile([1 / MASS] * 3 + [1 / inertia] * 3, balls))
    fall = np.tile([0.0, 0.0, -GRAVITY * STEP, 0.0, 0.0, 0.0], balls)
    law = scipy.sparse.lil_matrix((n, n))
    for c in range(len(contacts)):
        slip = wide * c + FACETS + 1
        law[slip, wide * c] = mu
        for facet in range(wide * c + 1, slip):
            law[slip, facet], law[facet, slip] = -1.0, 1.0
    b = J @ fall
    b[::wide] += np.random.default_rng(1).uniform(0.0, gap, len(contacts)) / STEP
    return (J @ inverse @ J.T + law).tocsc(), b


def write(path, A, b):
    A.eliminate_zeros()
    A.sort_indices()
    csc = {"p": A.indptr.tolist(), "i": A.indices.tolist(), "x": A.data.tolist()}
    with open(path, "w") as file:
        json.dump({"format": "cplab-1", "kind": "lcp", "M": {"shape": list(A.shape), "csc": csc}, "q": b.tolist()}, file)


def table(lines, about):
    yield "# The cannonball pile beside QuantEcon's Lemke"
    yield ""
    yield "`benches/peers/run.sh cannonball`. The same LCP of the first step (eight facets) for both; processor time of one thread, a run above half a second once. Solved: residual at most 1e−8."
    yield "In the exact lattice ties abound, and the peer's rule against cycling does not see them through rounding: it may pivot until it is stopped. With random gaps it has none."
    yield ""
    yield about
    yield ""
    yield "| μ | gaps up to [m] | contacts | n | ours at 1e−10 | residual | links | QuantEcon | residual | ratio |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for mu, gap, contacts, n, own, peer in lines:
        ratio = f"{peer['seconds'] / own['seconds']:.3g}" if is_solved(peer) and is_solved(own) else "–"
        limit = peer.get("limit")
        if is_solved(own) and limit:
            ratio = f"> {limit / own['seconds']:.3g}"
        residual = "" if "error" in peer else f"{peer['residual']:.1e}"
        said = f"stopped after {limit:g} s" if limit else seconds(peer)
        mine = own.get("residual")
        chain = ", ".join(own.get("chain", []))
        yield f"| {mu} | {gap:g} | {contacts} | {n} | {seconds(own)} | {'' if mine is None else f'{mine:.1e}'} | {chain} | {said} | {residual} | {ratio} |"
    yield ""
    yield "![time over contacts](cannonball-peers.svg)"
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "target" / "release", help="folder of the release build")
    parser.add_argument("--rows", default="4,6,8,10,12,14,16,20", help="rows of balls; 20 are 210 balls")
    parser.add_argument("--mu", default="0.8,0.2", help="coefficients of friction")
    parser.add_argument("--gap", default="0,1e-3", help="largest gaps [m]")
    parser.add_argument("--limit", type=float, default=600.0, help="processor seconds for the peer")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benches" / "results", help="folder for the table")
    args = parser.parse_args()
    args.results.mkdir(parents=True, exist_ok=True)
    peer = Library("quantecon", sys.executable, args.limit)
    if peer.missing:
        sys.exit(peer.missing)
    own = Ours(args.binaries / "corpora")
    about = f"{datetime.date.today().isoformat()} · {processor()} · quantecon {peer.version}"
    rows = sorted(map(int, args.rows.split(",")))
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for mu, gap in itertools.product(map(float, args.mu.split(",")), map(float, args.gap.split(","))):
            was_stopped = False
            for count in rows:
                path = pathlib.Path(folder) / f"cannonball-{mu}-{gap}-{count}.json"
                A, b = problem(count, mu, gap)
                write(path, A, b)
                mine = own.solve(path, 1e-10, 60.0)
                contacts = A.shape[0] // (FACETS + 2)
                name = f"μ {mu}, gaps up to {gap:g} m, {contacts} contacts"
                print(f"{name}: ours {seconds(mine)}", flush=True)
                is_asked = not was_stopped or count == rows[-1]
                theirs = peer.solve("lemke", path) if is_asked else {"error": "not asked"}
                if theirs.get("error") == "stopped":
                    theirs["limit"], was_stopped = args.limit, True
                print(f"{name}: QuantEcon {seconds(theirs)}", flush=True)
                path.unlink()
                lines.append((mu, gap, contacts, A.shape[0], mine, theirs))
                (args.results / "cannonball-peers.md").write_text("\n".join(table(lines, about)))
                cannonball_picture.draw(lines, args.results / "cannonball-peers.svg")


if __name__ == "__main__":
    main()
