"""The picture of the README: time over contacts, ours beside QuantEcon's, as an SVG."""

import math

WIDTH, HEIGHT = 860, 620
LEFT, RIGHT, TOP, BOTTOM = 100, 34, 84, 74
INK, GREY, GRID = "#24292f", "#6e7781", "#e4e7eb"
FONT = "font-family=\"'Helvetica Neue', Helvetica, Arial, sans-serif\""
WHO = {  # key: (name, colour)
    "quantecon": ("QuantEcon Lemke", "#d9730d"),
    "ours": ("Stiction auto", "#0b6bcb"),
}


def solves(lines, who, solved):
    """{contacts: [seconds]} of what was solved, or of what was not."""
    times = {}
    for problem in lines:
        result = problem[who]
        if result and bool(result["solved"]) == solved:
            spent = result["limit_s"] if result["time_s"] is None else result["time_s"]
            times.setdefault(problem["contacts"], []).append(spent)
    return {contacts: sorted(times[contacts]) for contacts in sorted(times)}


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else math.sqrt(values[half - 1] * values[half])


def over_all(lines, who):
    """{contacts: median seconds} over all scenes, failures taken as infinite; ends before an infinite one."""
    medians = {}
    missed = solves(lines, who, False)
    for contacts, all_seconds in solves(lines, who, True).items():
        # no mean of two: with an even number the later one counts
        ranked = all_seconds + [math.inf] * len(missed.get(contacts, []))
        middle = ranked[len(ranked) // 2]
        if not math.isfinite(middle):
            break
        medians[contacts] = middle
    return medians


def text(x, y, words, size=13, colour=INK, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" {extra}>{words}</text>'


def line(x0, y0, x1, y1, colour=GRID, width=1.0):
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" stroke-width="{width}"/>'


class Axes:
    def __init__(self, contacts, times):
        self.x0, self.x1 = math.log10(min(contacts)) - 0.08, math.log10(max(contacts)) + 0.1
        self.y0, self.y1 = math.log10(min(times)) - 0.4, math.ceil(math.log10(max(times)) + 0.5)

    def x(self, contacts):
        return LEFT + (math.log10(contacts) - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, seconds):
        return HEIGHT - BOTTOM - (math.log10(seconds) - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)

    def draw(self, contacts):
        left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
        for decade in range(math.ceil(self.y0), self.y1 + 1):
            y = self.y(10.0**decade)
            yield line(left, y, right, y)
            yield text(left - 10, y + 4.5, name_of_time(decade), colour=GREY, anchor="end")
        for count in contacts:
            x = self.x(count)
            yield line(x, top, x, bottom)
            yield text(x, bottom + 21, str(count), colour=GREY, anchor="middle")
        yield line(left, bottom, right, bottom, GREY, 1.2)
        yield line(left, top, left, bottom, GREY, 1.2)
        yield text((left + right) / 2, HEIGHT - 24, "contacts (unknowns: 10 × contacts)", 14, anchor="middle")
        y = (top + bottom) / 2
        yield text(26, y, "processor time per solve", 14, anchor="middle", extra=f'transform="rotate(-90 26 {y:.1f})"')


def name_of_time(decade):
    for start, unit in ((0, "s"), (-3, "ms"), (-6, "µs")):
        if decade >= start:
            return f"{10 ** (decade - start)} {unit}"
    return f"1e{decade} s"


def cross(x, y, colour, opacity=0.75):
    arms = f"M{x - 3.2:.1f},{y - 3.2:.1f}l6.4,6.4m0,-6.4l-6.4,6.4"
    return f'<path d="{arms}" stroke="{colour}" stroke-width="1.5" stroke-opacity="{opacity}" fill="none"/>'


def marks(axes, lines, who, shift):
    """Every solve as a dot beside its size, every failure as a cross."""
    colour = WHO[who][1]
    for contacts, all_seconds in solves(lines, who, True).items():
        for seconds in all_seconds:
            x, y = axes.x(contacts) + shift, axes.y(seconds)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{colour}" fill-opacity="0.3"/>'
    for contacts, all_seconds in solves(lines, who, False).items():
        for seconds in all_seconds:
            yield cross(axes.x(contacts) + 1.8 * shift, axes.y(seconds), colour, 0.45)


def medians(axes, lines, who):
    colour = WHO[who][1]
    middle = [(axes.x(contacts), axes.y(seconds)) for contacts, seconds in over_all(lines, who).items()]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in middle)
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.6" stroke-linejoin="round" stroke-linecap="round"/>'
    for x, y in middle:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.6" fill="{colour}" stroke="white" stroke-width="1.4"/>'


def ratios(axes, lines, contacts):
    """Between the lines: how many times faster, over the scenes that both solved."""
    for count in contacts:
        both = [
            (problem["quantecon"]["time_s"], problem["ours"]["time_s"])
            for problem in lines
            if problem["contacts"] == count and problem["quantecon"] and problem["quantecon"]["solved"] and problem["ours"]["solved"]
        ]
        if len(both) < 2:
            continue
        factor = median([peer / own for peer, own in both])
        if factor < 2.5:
            continue
        x = axes.x(count)
        drawn = [over_all(lines, who).get(count) for who in WHO]
        top, bottom = (axes.y(drawn[k] or median([pair[k] for pair in both])) for k in (0, 1))
        if all(drawn):
            yield line(x, top + 7, x, bottom - 7, INK, 1.0)
        label = f"{factor:.0f}×" if factor >= 9.95 else f"{factor:.1f}×"
        y = (top + bottom) / 2
        yield f'<rect x="{x - 21:.1f}" y="{y - 11:.1f}" width="42" height="22" rx="11" fill="white" stroke="{INK}" stroke-width="0.8"/>'
        yield text(x, y + 4.8, label, 13, anchor="middle", extra='font-weight="600"')


def legend(x, y, lines):
    yield f'<rect x="{x - 14}" y="{y - 20}" width="464" height="110" fill="white" fill-opacity="0.9"/>'
    for k, who in enumerate(WHO):
        name, colour = WHO[who]
        tried = [problem[who] for problem in lines if problem[who]]
        count = f"solves {sum(result['solved'] for result in tried)} of {len(tried)} tried"
        row = y + 24 * k
        yield line(x, row, x + 30, row, colour, 2.6)
        yield f'<circle cx="{x + 15}" cy="{row}" r="4.6" fill="{colour}" stroke="white" stroke-width="1.4"/>'
        yield text(x + 40, row + 4.8, f'<tspan font-weight="600">{name}</tspan><tspan dx="8" fill="{GREY}">{count}</tspan>', 14)
    row = y + 48
    yield f'<circle cx="{x + 8}" cy="{row}" r="2.8" fill="{GREY}" fill-opacity="0.6"/>'
    yield cross(x + 22, row, GREY)
    yield text(x + 40, row + 4.6, "one scene: solved, not solved; lines: medians of all scenes", 13, GREY)
    yield f'<rect x="{x}" y="{row + 14}" width="30" height="18" rx="9" fill="white" stroke="{INK}" stroke-width="0.8"/>'
    yield text(x + 15, row + 27.2, "×", 12, anchor="middle", extra='font-weight="600"')
    yield text(x + 40, row + 27.6, "median of the ratio, scenes that both solve", 13, GREY)


def draw(lines, path):
    contacts = sorted({problem["contacts"] for problem in lines})
    times = [t for who in WHO for solved in (True, False) for all_seconds in solves(lines, who, solved).values() for t in all_seconds]
    if not times:
        return
    axes = Axes(contacts, times)
    scenes = len({problem["scene"] for problem in lines})
    body = [
        text(LEFT, 34, "Friction pyramids of piles, towers and walls: time of one solve", 19, extra='font-weight="600"'),
        text(LEFT, 58, f"Stewart–Trinkle LCPs with 8 facets, {scenes} scenes, both solvers on the same problems in one run", 13.5, GREY),
        *axes.draw(contacts),
        *marks(axes, lines, "quantecon", -9),
        *marks(axes, lines, "ours", 9),
        *medians(axes, lines, "quantecon"),
        *medians(axes, lines, "ours"),
        *ratios(axes, lines, contacts),
        *legend(WIDTH - RIGHT - 450, HEIGHT - BOTTOM - 96, lines),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" {FONT}>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
