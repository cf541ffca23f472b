"""The picture of the box on the ground: error over processor time, a line for each engine and law, as an SVG."""

import math

from picture import FONT, GREY, GRID, INK, line, text

WIDTH, HEIGHT = 1000, 660
LEFT, RIGHT, TOP, BOTTOM = 92, 268, 84, 74
KNOWN = 2e-4  # m: what the reference is known to
OURS, DRAKE, MUJOCO, DART, RAPIER = "#0b6bcb", "#d9730d", "#2e8b57", "#8250df", "#b3261e"
SHOWN = {  # what is drawn: (name, colour, dashes)
    ("ours", "cone, geometry at the middle"): ("Stiction cone, middle", OURS, ""),
    ("ours", "cone"): ("Stiction cone", OURS, "7 3"),
    ("ours", "hybrid"): ("Stiction hybrid", OURS, "2 3"),
    ("ours", "pyramid, 8 facets"): ("Stiction pyramid, 8 facets", OURS, "1 4"),
    ("ours", "pyramid, 4 facets"): ("Stiction pyramid, 4 facets", OURS, "1 4"),
    ("ours", "box"): ("Stiction box", OURS, "1 4"),
    ("Drake", "front"): ("Drake continuous, best of each", DRAKE, ""),
    ("Drake", "TAMSI, k 1e8"): ("Drake TAMSI", DRAKE, "7 3"),
    ("Drake", "lagged, k 1e5"): ("Drake lagged", DRAKE, "2 3"),
    ("Drake", "SAP, k 1e6"): ("Drake SAP", DRAKE, "1 4"),
    ("MuJoCo", "pyramid (default)"): ("MuJoCo default", MUJOCO, "1 4"),
    ("MuJoCo", "elliptic, impratio 10, direct"): ("MuJoCo elliptic, tuned", MUJOCO, ""),
    ("DART", "Dantzig (default)"): ("DART default", DART, "1 4"),
    ("DART", "FBF"): ("DART FBF", DART, ""),
    ("Rapier", "default"): ("Rapier default", RAPIER, "1 4"),
    ("Rapier", "Coulomb, stiff"): ("Rapier Coulomb, stiff", RAPIER, ""),
}


class Axes:
    def __init__(self, points):
        self.x0, self.x1 = (f(math.log10(t) for t, _ in points) for f in (min, max))
        self.x0, self.x1 = self.x0 - 0.15, self.x1 + 0.1
        self.y0 = math.log10(min(KNOWN, min(e for _, e in points))) - 0.15
        self.y1 = math.log10(max(e for _, e in points)) + 0.15

    def at(self, point):
        seconds, error = point
        x = LEFT + (math.log10(seconds) - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (math.log10(error) - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)
        return x, y

    def draw(self, asked):
        left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
        _, known = self.at((1.0, KNOWN))
        yield f'<rect x="{left}" y="{known:.1f}" width="{right - left}" height="{bottom - known:.1f}" fill="{GRID}" fill-opacity="0.6"/>'
        yield text(right - 6, bottom - 6, "below what the reference is known to", 12, GREY, "end")
        for decade in range(math.ceil(self.y0), math.floor(self.y1) + 1):
            _, y = self.at((1.0, 10.0**decade))
            yield line(left, y, right, y)
            yield text(left - 10, y + 4.5, length(decade), colour=GREY, anchor="end")
        for decade in range(math.ceil(self.x0), math.floor(self.x1) + 1):
            x, _ = self.at((10.0**decade, 1.0))
            yield line(x, top, x, bottom)
            yield text(x, bottom + 21, duration(decade), colour=GREY, anchor="middle")
        _, y = self.at((1.0, asked))
        yield line(left, y, right, y, INK, 1.2)
        yield text(left + 6, y - 5, f"{asked * 1e3:g} mm", 12, INK)
        yield line(left, bottom, right, bottom, GREY, 1.2)
        yield line(left, top, left, bottom, GREY, 1.2)
        yield text((left + right) / 2, HEIGHT - 24, "processor time for one simulated second", 14, anchor="middle")
        y = (top + bottom) / 2
        yield text(26, y, "error of where the box stops", 14, anchor="middle", extra=f'transform="rotate(-90 26 {y:.1f})"')


def length(decade):
    return f"{10**decade:g} m" if decade >= 0 else f"{10 ** (decade + 3):g} mm"


def duration(decade):
    return f"{10**decade:g} s" if decade >= 0 else f"{10 ** (decade + 3):g} ms"


def front(lines, keys):
    """Runs of these lines that no other one of them beats in both."""
    best = []
    for seconds, error in sorted((run["seconds"], run["error"]) for key in keys for run in lines[key]):
        if not best or error < best[-1][1]:
            best.append((seconds, error))
    return best


def curves(lines, continuous):
    """{key: [(seconds, error)]} of what is drawn."""
    shown = {}
    for key in SHOWN:
        points = [(run["seconds"], run["error"]) for run in lines.get(key, [])]
        if key == ("Drake", "front"):
            points = front(lines, continuous)
        points = [point for point in points if math.isfinite(point[1]) and point[1] > 0.0]
        if points:
            shown[key] = points
    return shown


def curve(axes, points, colour, dashes):
    places = [axes.at(point) for point in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}" stroke-linejoin="round"/>'
    for x, y in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{colour}" stroke="white" stroke-width="1"/>'


def labels(axes, shown):
    """Names right of the frame, each joined to the end of its line, as near to its height as the others leave room."""
    ends = sorted((axes.at(points[-1])[::-1], key) for key, points in shown.items())
    gap, place, placed = 18.0, TOP - 4.0, []
    for (y, x), key in ends:
        place = max(place + gap, y)
        placed.append([place, x, y, key])
    limit = HEIGHT - BOTTOM + 8.0
    for label in reversed(placed):
        label[0] = limit = min(label[0], limit - gap)
    for place, x, y, key in placed:
        name, colour, _ = SHOWN[key]
        start = WIDTH - RIGHT + 26
        yield f'<path d="M{x + 5:.1f},{y:.1f}L{WIDTH - RIGHT + 4:.1f},{y:.1f}L{start - 4:.1f},{place:.1f}" fill="none" stroke="{colour}" stroke-width="0.8" stroke-opacity="0.45"/>'
        yield text(start, place + 4.5, name, 13, colour, extra='font-weight="600"' if key[0] == "ours" else "")


def draw(lines, continuous, asked, path):
    """`lines`: runs by (engine, setting); `continuous`: those of Drake's continuous plant; `asked`: the error in question [m]."""
    shown = curves(lines, continuous)
    axes = Axes([point for points in shown.values() for point in points])
    body = [
        text(LEFT, 34, "A box slides and spins on the ground: work against precision", 19, extra='font-weight="600"'),
        text(LEFT, 58, "from left to right: steps of 10 ms … 0.1 ms, or finer accuracy; further down and left is better", 13.5, GREY),
        *axes.draw(asked),
    ]
    for key, points in shown.items():
        body += curve(axes, points, *SHOWN[key][1:])
    body += labels(axes, shown)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" {FONT}>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
