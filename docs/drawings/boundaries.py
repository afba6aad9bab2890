#!/usr/bin/env python3
"""Draws boundaries.svg, the figure of docs/guide/boundaries.md: what each boundary rule returns beyond the low edge.

    docs/drawings/boundaries.py      writes the .svg file
"""
from draw import BLUE, FAINT, INK, LINE, ORANGE, Drawing

INSIDE = [0.55, 0.85, 0.7, 1.0, 0.8]  # the field at 0, 1, 2, ...
CONSTANT = 0.25
SLOPE = -0.1  # along the outward normal
FIXED = 0.4


def linear(k):
    return INSIDE[0] + k * (INSIDE[0] - INSIDE[1])


# rule, value at -k, position of the wall (None: no wall), condition that holds there
RULES = [
    ("clamp", lambda k: INSIDE[0], -0.5, "slope 0 for a radius of 1"),
    ("symmetric", lambda k: INSIDE[k - 1], -0.5, "slope 0, half a cell outside the edge point"),
    ("mirror", lambda k: INSIDE[k], 0, "slope 0, on the edge point"),
    ("gradient -0.1", lambda k: INSIDE[k - 1] + (2 * k - 1) * SLOPE, -0.5, "slope -0.1, half a cell outside"),
    ("mirror gradient -0.1", lambda k: INSIDE[k] + 2 * k * SLOPE, 0, "slope -0.1, on the edge point"),
    ("constant 0.25", lambda k: CONSTANT, -1, "value 0.25, one point outside"),
    ("antisymmetric", lambda k: -INSIDE[k - 1], -0.5, "value 0, half a cell outside"),
    ("odd", lambda k: -INSIDE[k], 0, "value 0, on the edge point, which must hold 0"),
    ("fixed 0.4", lambda k: 2 * FIXED - INSIDE[k], 0, "value 0.4, on the edge point, which has it"),
    ("linear", linear, None, "no wall: the line through points 0 and 1"),
    ("periodic", lambda k: [0.8, 1.0, 0.7][k - 1], None, "no wall: the opposite edge"),
]
STEP, ROW, LEFT, TOP, SCALE = 46, 96, 290, 40, 36


def main():
    out = Drawing(LEFT + 8 * STEP, TOP + ROW * len(RULES), "Boundary rules: the values beyond the low edge of a field")
    for place in range(-3, 5):
        out.text(LEFT + (place + 3) * STEP, 20, str(place), 12, "middle", FAINT)
    for row, (rule, value, wall, meaning) in enumerate(RULES):
        zero = TOP + row * ROW + 58
        x = lambda place: LEFT + (place + 3) * STEP
        out.text(14, zero - 18, rule, 15, bold=True, mono=True)
        out.text(14, zero + 2, meaning, 11, fill=FAINT)
        out.add(f'<line x1="{x(-3.4):g}" y1="{zero}" x2="{x(4.4):g}" y2="{zero}" stroke="{LINE}"/>')
        if wall is not None:
            out.add(f'<line x1="{x(wall):g}" y1="{zero - 44}" x2="{x(wall):g}" y2="{zero + 38}" stroke="{INK}" '
                    'stroke-width="2" stroke-dasharray="5 3"/>')
        points = [(-k, value(k)) for k in (3, 2, 1)] + list(enumerate(INSIDE))
        if rule == "odd":
            points[3] = (0, 0)
        if rule.startswith("fixed"):
            points[3] = (0, FIXED)
        path = " ".join(f"{x(place):g},{zero - SCALE * height:g}" for place, height in points)
        out.add(f'<polyline points="{path}" fill="none" stroke="{LINE}"/>')
        for place, height in points:
            inside = place >= 0
            out.add(f'<circle cx="{x(place):g}" cy="{zero - SCALE * height:g}" r="5" fill="{BLUE if inside else "white"}" '
                    f'stroke="{BLUE if inside else ORANGE}" stroke-width="2"/>')
    out.write("boundaries.svg")


if __name__ == "__main__":
    main()
