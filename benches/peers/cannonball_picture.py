"""The picture of the cannonball pile as pyramids: processor time over contacts, ours and QuantEcon's, as an SVG."""

from corpora import is_solved
from picture import FONT, GREY, text
from piles_picture import HEIGHT, Panel, count, duration, spread

WIDTH = 860
PANEL = (86, 600)
OURS, PEER = "#0b6bcb", "#d9730d"
DASHES = ["", "7 5", "2 4", "12 3 2 3"]  # of one kind of pile after the other


def curves(lines):
    """[(name, colour, dashes, [(contacts, ms)], (contacts, ms) where it was stopped or None)]"""
    found = []
    for k, (mu, gap) in enumerate(dict.fromkeys(line[:2] for line in lines)):
        of_mu = [line[2:] for line in lines if line[:2] == (mu, gap)]
        own = [(contacts, 1e3 * said["seconds"]) for contacts, _, said, _ in of_mu if is_solved(said)]
        peer = [(contacts, 1e3 * said["seconds"]) for contacts, _, _, said in of_mu if is_solved(said)]
        stopped = [(contacts, 1e3 * said["limit"]) for contacts, _, _, said in of_mu if said.get("limit")]
        dashes = DASHES[k % len(DASHES)]
        kind = f"μ = {mu:g}" + (", gaps" if gap else "")
        found.append((f"Stiction, {kind}", OURS, dashes, own, None))
        found.append((f"QuantEcon, {kind}", PEER, dashes, peer, stopped[-1] if stopped else None))
    return [curve for curve in found if curve[3] or curve[4]]


def draw_curve(panel, curve, height):
    name, colour, dashes, points, stopped = curve
    places = [panel.at(point) for point in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.4" stroke-dasharray="{dashes}" stroke-linejoin="round"/>'
    for x, y in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" stroke="white" stroke-width="1"/>'
    if stopped:
        # an arrow: it takes longer than this
        x, y = panel.at(stopped)
        yield f'<path d="M{x:.1f},{y:.1f}v-16m-5,6l5,-6l5,6" stroke="{colour}" stroke-width="2" fill="none"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="{colour}" stroke-width="2"/>'
        places.append((x, y))
    x, y = places[-1]
    start = panel.right + 20
    yield f'<path d="M{x + 6:.1f},{y:.1f}L{start - 4:.1f},{height:.1f}" stroke="{colour}" stroke-width="0.8" stroke-opacity="0.5" fill="none"/>'
    yield text(start, height + 4.5, name, 13, colour, extra='font-weight="600"' if colour == OURS else "")


def draw(lines, path):
    found = curves(lines)
    if not found:
        return
    everything = [point for _, _, _, points, stopped in found for point in [*points, *([stopped] if stopped else [])]]
    panel = Panel(PANEL, everything)
    ends = [panel.at(stopped or points[-1])[1] for _, _, _, points, stopped in found]
    body = [
        text(PANEL[0], 36, "First step of the cannonball pile, friction pyramids", 19, extra='font-weight="600"'),
        text(PANEL[0], 60, "the same LCP of eight facets for both; processor time of one thread; an arrow: stopped there", 13.5, GREY),
        *panel.draw("", "contacts", count, duration),
    ]
    for curve, height in zip(found, spread(ends)):
        body += draw_curve(panel, curve, height)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" {FONT}>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
