#!/usr/bin/env python3
"""Draws boundaries.svg, the figure of docs/guide/boundaries.md: what each boundary rule returns beyond the low edge.
The rules are the rows of compiler/support/boundaries.def.

    docs/drawings/boundaries.py      writes the .svg file
"""
import pathlib
import sys

from draw import BLUE, FAINT, HERE, INK, LINE, ORANGE, Drawing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/generators"))
from boundaries import rows  # noqa: E402

INSIDE = [0.55, 0.85, 0.7, 1.0, 0.8]  # the field at 0, 1, 2, ...
VALUES = {"Nothing": None, "Value": 0.4, "Slope": -0.1}  # slopes are along the outward normal

# By image of a row: the value at the image of the place -k, the place of the wall (None: no wall), and a name of that place.
IMAGES = {
    "Given": (lambda k, given: given, -1, "one point outside"),
    "Edge": (lambda k, given: INSIDE[0], -0.5, "half a cell outside for a radius of 1"),
    "Point": (lambda k, given: INSIDE[k], 0, "on the edge point"),
    "Cell": (lambda k, given: INSIDE[k - 1], -0.5, "half a cell outside"),
    "Line": (lambda k, given: INSIDE[0] + k * (INSIDE[0] - INSIDE[1]), None, "the line through points 0 and 1"),
    "Wrap": (lambda k, given: INSIDE[-k], None, "the opposite edge"),
}


def beyond(row, k):
    """The value at the place -k."""
    image, wall, _ = IMAGES[row.image]
    given = VALUES[row.takes]
    added = {"None": 0, "Rise": (2 * k + 2 * (wall or 0)) * (given or 0), "Twice": 2 * (given or 0)}[row.addend]
    return row.sign * image(k, given) + added


def edge(row):
    """The value of the edge point: a wall on it with a given value holds it."""
    on_edge = row.sign < 0 and IMAGES[row.image][1] == 0
    return (VALUES[row.takes] or 0) if on_edge else INSIDE[0]


def meaning(row):
    _, wall, place = IMAGES[row.image]
    if wall is None:
        return f"no wall: {place}" + (", with the opposite sign" if row.sign < 0 else "")
    if row.addend == "Rise":
        return f"slope {VALUES[row.takes]}, {place}"
    if row.image == "Given" or row.addend == "Twice":
        return f"value {VALUES[row.takes]}, {place}" + ("" if row.image == "Given" else ", which has it")
    if row.sign < 0:
        return f"value 0, {place}" + (", which must hold 0" if wall == 0 else "")
    return f"slope 0, {place}"


STEP, ROW, LEFT, TOP, SCALE = 46, 96, 290, 40, 36


def drawing():
    rules = [row for row in rows() if row.image != "Nowhere"]
    out = Drawing(LEFT + 8 * STEP, TOP + ROW * len(rules), "Boundary rules: the values beyond the low edge of a field")
    for place in range(-3, 5):
        out.text(LEFT + (place + 3) * STEP, 20, str(place), 12, "middle", FAINT)
    for number, rule in enumerate(rules):
        wall = IMAGES[rule.image][1]
        given = VALUES[rule.takes]
        zero = TOP + number * ROW + 58
        x = lambda place: LEFT + (place + 3) * STEP
        out.text(14, zero - 18, rule.keyword + (f" {given}" if rule.value else ""), 15, bold=True, mono=True)
        out.text(14, zero + 2, meaning(rule), 11, fill=FAINT)
        out.add(f'<line x1="{x(-3.4):g}" y1="{zero}" x2="{x(4.4):g}" y2="{zero}" stroke="{LINE}"/>')
        if wall is not None:
            out.add(f'<line x1="{x(wall):g}" y1="{zero - 44}" x2="{x(wall):g}" y2="{zero + 38}" stroke="{INK}" '
                    'stroke-width="2" stroke-dasharray="5 3"/>')
        points = [(-k, beyond(rule, k)) for k in (3, 2, 1)] + [(0, edge(rule))] + list(enumerate(INSIDE))[1:]
        path = " ".join(f"{x(place):g},{zero - SCALE * height:g}" for place, height in points)
        out.add(f'<polyline points="{path}" fill="none" stroke="{LINE}"/>')
        for place, height in points:
            inside = place >= 0
            out.add(f'<circle cx="{x(place):g}" cy="{zero - SCALE * height:g}" r="5" fill="{BLUE if inside else "white"}" '
                    f'stroke="{BLUE if inside else ORANGE}" stroke-width="2"/>')
    return out.svg()


def files():
    return {HERE / "boundaries.svg": drawing()}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text)
