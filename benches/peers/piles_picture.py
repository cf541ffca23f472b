"""The picture of the piles: time of a step over contacts, and over what a step leaves open, as an SVG of two panels."""

import math

from picture import FONT, GREY, INK, line, text

WIDTH, HEIGHT = 1250, 600
TOP, BOTTOM = 104, 78
LEFT_PANEL, RIGHT_PANEL = (86, 500), (750, 1090)  # x from, to
COLOURS = {
    "ours": "#0b6bcb",
    "MuJoCo": "#2e8b57",
    "Drake": "#d9730d",
    "DART": "#8250df",
    "Bullet": "#6e7781",
    "Rapier": "#b3261e",
    "Rapier Coulomb": "#e0709a",
}
NAMES = {"ours": "Stiction"}
MARKS = {"spheres-1240": "square", "wall-510": "circle", "mixed-1000": "triangle", "spheres-385": "diamond"}
TITLES = {"spheres-1240": "pyramid of 1240", "spheres-385": "pyramid of 385", "wall-510": "wall of 510", "mixed-1000": "1000 mixed bodies"}


class Panel:
    """Logarithmic axes over a rectangle."""

    def __init__(self, across, points):
        self.left, self.right = across
        self.ends = []
        for values in zip(*points):
            logs = [math.log10(v) for v in values]
            self.ends.append((min(logs) - 0.2, max(logs) + 0.25))

    def at(self, point):
        (x0, x1), (y0, y1) = self.ends
        x = self.left + (math.log10(point[0]) - x0) / (x1 - x0) * (self.right - self.left)
        y = HEIGHT - BOTTOM - (math.log10(point[1]) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)
        return x, y

    def draw(self, title, below, across, up):
        """Frame and grid; `across` and `up` name a decade."""
        (x0, x1), (y0, y1) = self.ends
        bottom = HEIGHT - BOTTOM
        for decade in range(math.ceil(x0), math.floor(x1) + 1):
            x, _ = self.at((10.0**decade, 10.0**y0))
            yield line(x, TOP, x, bottom)
            yield text(x, bottom + 20, across(decade), 12.5, GREY, "middle")
        skip = 1 if y1 - y0 < 9 else 2
        for decade in range(math.ceil(y0), math.floor(y1) + 1):
            if decade % skip:
                continue
            _, y = self.at((10.0**x0, 10.0**decade))
            yield line(self.left, y, self.right, y)
            yield text(self.left - 8, y + 4.5, up(decade), 12.5, GREY, "end")
        yield line(self.left, bottom, self.right, bottom, GREY, 1.2)
        yield line(self.left, TOP, self.left, bottom, GREY, 1.2)
        yield text(self.left, TOP - 16, title, 14.5, extra='font-weight="600"')
        yield text((self.left + self.right) / 2, HEIGHT - 30, below, 13, anchor="middle")


def duration(decade):
    """Of milliseconds."""
    power = decade
    return f"{10**power:g} ms" if 0 <= power < 3 else f"{10 ** (power - 3):g} s" if power >= 3 else f"{10 ** (power + 3):g} µs"


def speed(decade):
    return {-3: "1 mm/s", 0: "1 m/s", -6: "1 µm/s", -9: "1 nm/s"}.get(decade, f"1e{decade} m/s")


def count(decade):
    return f"{10**decade:,}".replace(",", " ")


def said(scene, who):
    return scene["ours"] if who == "ours" else scene["peers"][who]


def growth(lines, names):
    """{who: [(contacts, ms)]} of the pyramids: cold of ours, warm of all."""
    pyramids = [scene for scene in lines if scene["scene"].startswith("spheres-") and scene["ours"].get("contacts")]
    curves = {}
    for who in ["ours", *names]:
        points = [(scene["ours"]["contacts"], said(scene, who).get("warm")) for scene in pyramids]
        curves[who] = [(n, t) for n, t in points if t]
    curves["ours, first step"] = [(s["ours"]["contacts"], s["ours"]["cold"]) for s in pyramids if s["ours"].get("cold")]
    return {who: points for who, points in curves.items() if points}


def quality(lines, names):
    """[(who, scene, ms, approach)]"""
    points = []
    for scene in lines:
        for who in ["ours", *names] if scene["scene"] in MARKS else []:
            answer = said(scene, who)
            if answer.get("warm") and answer.get("approach") is not None:
                points.append((who, scene["scene"], answer["warm"], max(answer["approach"], 1e-17)))
    return points


def mark(kind, x, y, colour):
    style = f'fill="{colour}" stroke="white" stroke-width="1"'
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" {style}/>'
    shapes = {
        "square": [(-5, -5), (5, -5), (5, 5), (-5, 5)],
        "triangle": [(0, -6.5), (6, 5), (-6, 5)],
        "diamond": [(0, -6.5), (6.5, 0), (0, 6.5), (-6.5, 0)],
    }
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[kind])
    return f'<polygon points="{path}" {style}/>'


def spread(places, gap=17.0, lowest=HEIGHT - BOTTOM + 6.0):
    """Heights of labels as near to those wanted as `gap` allows, in the same order."""
    order = sorted(range(len(places)), key=lambda k: places[k])
    heights, last = [0.0] * len(places), -math.inf
    for k in order:
        last = heights[k] = max(places[k], last + gap)
    limit = lowest + gap
    for k in reversed(order):
        limit = heights[k] = min(heights[k], limit - gap)
    return heights


def draw_growth(curves):
    panel = Panel(LEFT_PANEL, [point for points in curves.values() for point in points])
    yield from panel.draw("Pyramids of spheres, μ = 0.8", "contacts", count, duration)
    ends = [panel.at(points[-1]) for points in curves.values()]
    heights = spread([y for _, y in ends])
    for (who, points), (x, y), height in zip(curves.items(), ends, heights):
        colour = COLOURS[who.split(",")[0]]
        dashes = "6 4" if "first" in who else ""
        width = 3 if who == "ours" else 2
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in map(panel.at, points))
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}" stroke-linejoin="round"/>'
        for px, py in map(panel.at, points):
            yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.6" fill="{colour}" stroke="white" stroke-width="1"/>'
        start = panel.right + 20
        yield f'<path d="M{x + 5:.1f},{y:.1f}L{start - 4:.1f},{height:.1f}" stroke="{colour}" stroke-width="0.8" stroke-opacity="0.5" fill="none"/>'
        name = who.replace("ours", "Stiction")
        yield text(start, height + 4.5, name, 13, colour, extra='font-weight="600"' if "ours" in who else "")


def draw_quality(points):
    panel = Panel(RIGHT_PANEL, [(ms, approach) for _, _, ms, approach in points])
    yield from panel.draw("What the contacts still approach with", "a step, warm", duration, speed)
    for who, scene, ms, approach in points:
        x, y = panel.at((ms, approach))
        yield mark(MARKS[scene], x, y, COLOURS[who])
    x, y = panel.right + 18, TOP + 4
    for who in dict.fromkeys(who for who, *_ in points):
        yield f'<rect x="{x}" y="{y - 9}" width="12" height="12" rx="2" fill="{COLOURS[who]}"/>'
        yield text(x + 19, y + 1.5, NAMES.get(who, who), 12.5, COLOURS[who], extra='font-weight="600"' if who == "ours" else "")
        y += 20
    y += 10
    for scene in dict.fromkeys(scene for _, scene, *_ in points):
        yield mark(MARKS[scene], x + 6, y - 3, INK)
        yield text(x + 19, y + 1.5, TITLES[scene], 12.5)
        y += 20


def draw(lines, names, path):
    curves, points = growth(lines, names), quality(lines, names)
    body = [
        text(LEFT_PANEL[0], 36, "Certified contact beside approximate contact", 19, extra='font-weight="600"'),
        text(LEFT_PANEL[0], 60, "processor time of a step, one thread; further down is better in both panels", 13.5, GREY),
    ]
    if curves:
        body += draw_growth(curves)
    if points:
        body += draw_quality(points)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" {FONT}>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
