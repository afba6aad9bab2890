#!/usr/bin/env python3
"""Draws the figures of docs/design/architecture.md and host-program.md, beside this file:

    docs/drawings/draw.py                           # writes the .svg files
    docs/drawings/draw.py --check build/bin/stencilc   # compares their numbers with `explain`, too

Boxes, margins, lags and queues are computed here from what the programs read, as
compiler/analysis/time_tile.cpp and compiler/schedule/streaming/plan.cpp do it. Python's standard
library is all it takes.
"""
import argparse
import pathlib
import re
import subprocess
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STEPS = 3
OUTPUT = 8  # points (planes) that a tile writes

INK, FAINT, PAPER, LINE = "#22262b", "#5d656e", "#f6f6f3", "#9aa1a9"
BLUE, ORANGE, GREEN = "#3b76af", "#d9822b", "#4d8f5a"
PALE_BLUE, PALE_ORANGE, PALE_GREEN = "#c7dbee", "#f7dcbc", "#d2e6d5"


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, text):
        self.parts.append(text)

    def rect(self, x, y, w, h, fill, stroke=LINE, width=1.0, radius=0, dash=""):
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius}" fill="{fill}" '
                 f'stroke="{stroke}" stroke-width="{width:g}"'
                 + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def text(self, x, y, words, size=13, anchor="start", fill=INK, bold=False, mono=False):
        self.add(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"'
                 + (' font-weight="bold"' if bold else "")
                 + (' font-family="monospace"' if mono else "") + f">{escape(str(words))}</text>")

    def path(self, points, color=INK, width=1.4, arrow=True, dash=""):
        d = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
        self.add(f'<path d="{d}" fill="none" stroke="{color}" stroke-width="{width:g}"'
                 + (' marker-end="url(#tip)"' if arrow else "")
                 + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def brace(self, x0, x1, y, words, below=False, color=INK, size=12):
        """A bracket over (or under) x0 .. x1, with a word at its middle."""
        tick = -5 if below else 5
        self.path([(x0, y + tick), (x0, y), (x1, y), (x1, y + tick)], color, 1.2, arrow=False)
        self.text((x0 + x1) / 2, y + 16 if below else y - 6, words, size, "middle", color)

    def write(self, name):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="sans-serif" role="img">\n'
                f"<title>{escape(self.title)}</title>\n"
                '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
                f'markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{INK}"/>'
                "</marker></defs>\n"
                f'<rect width="{self.width}" height="{self.height}" rx="8" fill="{PAPER}"/>\n')
        (HERE / name).write_text(head + "\n".join(self.parts) + "\n</svg>\n")


# --- Reach of the programs' reads -----------------------------------------------------------------


def reach(program, dimension=0):
    """How far the one stencil function of a program reads, below and above, in a dimension."""
    text = (ROOT / "dsl-examples" / program).read_text()
    body = re.search(r"^stencil\s+\w+\s*:[^=]*=(.*?);", text, re.M | re.S).group(1)
    offsets = [int(access.split(",")[dimension]) for access in re.findall(r"A\[([-\d,\s]+)\]", body)]
    return max(0, -min(offsets)), max(0, max(offsets))


def boxes(low, high, steps):
    """Per state (0: in memory, then each step): how far it is needed beyond the output box."""
    return [(low * (steps - s), high * (steps - s)) for s in range(steps + 1)]


def box_text(low, high):
    def term(sign, number):
        return f"{sign}{number}" if number else ""
    return f"(x0{term('-', low)}, l0{term('+', low + high)})"


# --- The drawings ---------------------------------------------------------------------------------


def pipeline():
    d = Drawing(960, 778, "From a program to a device: values and who makes them")
    middle, width, height, gap, top = 355, 250, 42, 45, 20
    values = ["program text (.stn)", "AST", "stencil IR", "time tiles, T = 1, 2, ...",
              "plan of a family", "kernel IR and host plan", "legalised kernel IR", "text of a target",
              "device"]
    makers = [("syntax", "parse"), ("sema", "names, types, bounds, contraction"),
              ("analysis", "backwards from the output box"), ("schedule", "Family::plan"),
              ("schedule", "Plan::lower, reductions"), ("emit", "legalise: passes"),
              ("emit", "write: one writer"), ("runtime/devices", "compile, load, run")]
    y_of = [top + i * (height + gap) for i in range(len(values))]
    for i, value in enumerate(values):
        end = i in (0, len(values) - 1)
        d.rect(middle, y_of[i], width, height, PALE_GREEN if end else PALE_BLUE,
               GREEN if end else BLUE, 1.5, 6)
        d.text(middle + width / 2, y_of[i] + 27, value, 15, "middle", bold=True)
    for i, (layer, what) in enumerate(makers):
        x, y = middle + width / 2, y_of[i] + height
        d.path([(x, y), (x, y + gap)])
        d.text(x - 12, y + 28, layer, 12, "end", BLUE, bold=True)
        d.text(x + 12, y + 28, what, 12, "start", FAINT)

    def left(i, words, note, shift=0):
        y = y_of[i] + shift
        d.rect(30, y, 200, height, PALE_ORANGE, ORANGE, 1.5, 6)
        d.text(130, y + 19, words, 14, "middle", bold=True)
        d.text(130, y + 35, note, 11, "middle", FAINT)
        return y + height / 2

    def right(i, words, note):
        y = y_of[i]
        d.rect(715, y, 220, height, "#ffffff", LINE, 1.2, 6)
        d.text(825, y + 18, words, 13, "middle", bold=True)
        d.text(825, y + 34, note, 11, "middle", FAINT)
        d.path([(middle + width, y + height / 2), (715, y + height / 2)], FAINT)

    at = left(0, "calls in C++", "builder: writes the text")
    d.path([(230, at), (middle, at)])
    at = left(4, "Schedule", "--schedule, or propose()", -34)
    d.path([(230, at), (290, at), (290, y_of[4] + 15), (middle, y_of[4] + 15)])
    at = left(4, "Machine", "a row, or a device's own", 34)
    d.path([(230, at), (290, at), (290, y_of[4] + 29), (middle, y_of[4] + 29)])
    at = left(6, "Target", "a row, with its dialect")
    d.path([(230, at), (middle, at)])
    bottom = y_of[8] + height / 2
    d.path([(middle, bottom), (12, bottom), (12, y_of[4] + 55), (30, y_of[4] + 55)], FAINT, 1.4,
           dash="5 4")
    d.text(130, bottom - 8, "says what it has", 12, "middle", FAINT)

    right(2, "interpreter", "reference: the oracle of tests")
    right(4, "Footprint", "cost(): explain and auto")
    right(5, "kernel::verify", "types, barriers, copies")
    right(6, "the same verifier", "and counts of operations")
    right(7, "users' files", ".cu .hip .cl .cpp, --main")
    right(8, "fields, files, checks", "run, verify, the C++ library")
    d.write("pipeline.svg")


def time_tile():
    low, high = reach("jacobi1d3.stn")
    needed = boxes(low, high, STEPS)
    cell, lane, row = 22, 17, 62
    left, top = 150, 74
    first = -needed[0][0] - 1
    count = 2 * OUTPUT + needed[0][0] + needed[0][1] + 2
    d = Drawing(left + count * cell + 200, top + (STEPS + 1) * row + 70,
                f"A time tile of jacobi1d3.stn, T = {STEPS}, and its right neighbour")

    def x_of(point):
        return left + (point - first) * cell

    for s in range(STEPS, -1, -1):
        y = top + (STEPS - s) * row
        below, above = needed[s]
        d.text(left - 14, y + 16, f"step {s}" if s else "in memory", 14, "end", bold=True)
        d.text(left - 14, y + 32, ("computed, written" if s == STEPS else "computed") if s else "loaded",
               11, "end", FAINT)
        for tile, (deep, pale) in enumerate([(BLUE, PALE_BLUE), (ORANGE, PALE_ORANGE)]):
            begin = tile * OUTPUT
            for point in range(begin - below, begin + OUTPUT + above):
                inside = begin <= point < begin + OUTPUT
                fill = deep if s == STEPS else pale if inside else "#ffffff"
                d.rect(x_of(point), y + tile * (lane + 3), cell, lane, fill,
                       PAPER if s == STEPS else deep, 1)
        d.text(x_of(first + count) + 8, y + 17, box_text(below, above), 14)
        note = {0: "the halo that is loaded", 1: "the hull of what is computed"}.get(s)
        if note:
            d.text(x_of(first + count) + 8, y + 33, note, 11, "start", FAINT)
    d.text(x_of(first + count) + 8, top - 14, "needed by the left tile", 11, "start", FAINT)
    d.brace(x_of(0), x_of(OUTPUT), top - 16, f"output box, l0 = {OUTPUT}", color=BLUE, size=13)
    d.brace(x_of(OUTPUT), x_of(2 * OUTPUT), top - 16, "output box of the next tile", color=ORANGE,
            size=13)
    d.path([(x_of(0), top - 10), (x_of(0), top + STEPS * row + 44)], BLUE, 1.2, False, "3 3")
    d.path([(x_of(OUTPUT), top - 10), (x_of(OUTPUT), top + STEPS * row + 44)], BLUE, 1.2, False, "3 3")
    y = top + STEPS * row + 52
    d.brace(x_of(-needed[0][0]), x_of(0), y, f"margin {needed[0][0]}", True, BLUE)
    d.brace(x_of(OUTPUT), x_of(OUTPUT + needed[0][1]), y, f"margin {needed[0][1]}", True, BLUE)
    computed = sum(OUTPUT + a + b for a, b in needed[1:])
    shared = sum(a + b for a, b in needed[1:])
    d.text(30, y + 42, f"White cells are halo. At the edge that the tiles share, {shared} points of steps 1 "
           f"to {STEPS - 1} are computed by both;", 12.5)
    d.text(30, y + 60, f"a tile computes {computed} points for {STEPS * OUTPUT} useful ones, "
           f"{computed / (STEPS * OUTPUT):g} per useful point (regions=shrink).", 12.5)
    d.write("time_tile.svg")
    return needed, computed / (STEPS * OUTPUT)


def streaming():
    low, high = reach("jacobi2d.stn")
    needed = boxes(low, high, STEPS)
    lags = [0]
    for _ in range(STEPS):
        lags.append(lags[-1] + high)  # the least with which all that is read is there
    ages = [lags[s + 1] + low - lags[s] + 1 for s in range(STEPS)] + [1]
    fill = needed[0][0]
    now = fill + 7  # the iteration that is shown
    cell, row, left, top = 40, 58, 150, 96
    first, count = -fill, OUTPUT + needed[0][0] + needed[0][1]
    d = Drawing(left + count * cell + 165, top + (STEPS + 1) * row + 106,
                f"A chunk of the streaming family in space and time, T = {STEPS}")

    def x_of(plane):
        return left + (plane - first) * cell

    front = first + now
    for s in range(STEPS, -1, -1):
        y = top + (STEPS - s) * row
        below, above = needed[s]
        newest = front - lags[s]
        for plane in range(newest - low, newest + high + 1) if s > 0 else []:  # what it reads
            d.path([(x_of(plane) + cell / 2, y + row), (x_of(newest) + cell / 2, y + 36)], FAINT, 1.2,
                   False)
        d.text(left - 14, y + 18, f"step {s}" if s else "loaded", 14, "end", bold=True)
        d.text(left - 14, y + 34, f"lag {lags[s]}" if s else "the front", 12, "end", FAINT)
        for plane in range(-below, OUTPUT + above):
            made = plane + lags[s] - first  # in this iteration
            if made == now:
                fill, ink = ORANGE, "#ffffff"
            elif made > now:
                fill, ink = "#ffffff", FAINT
            elif newest - plane < ages[s]:
                fill, ink = BLUE, "#ffffff"
            else:
                fill, ink = (PALE_GREEN if s == STEPS else "#dfe2e4"), FAINT
            d.rect(x_of(plane), y, cell, 36, fill, LINE, 1)
            d.text(x_of(plane) + cell / 2, y + 23, made, 13, "middle", ink)
        kept = f"queue of {ages[s]} planes" if s < STEPS else "written at once"
        d.text(x_of(first + count) + 12, y + 23, kept, 13)
    d.brace(x_of(0), x_of(OUTPUT), top - 14, f"chunk: {OUTPUT} planes that the block writes", size=13)
    y = top - 50
    d.path([(x_of(0), y), (x_of(OUTPUT), y)])
    d.text(x_of(0), y - 8, "planes of the outermost dimension; the front moves on by one per iteration",
           12, "start", FAINT)
    y = top + (STEPS + 1) * row - 12
    d.brace(x_of(first), x_of(0), y, f"fill {fill}", True)
    d.brace(x_of(OUTPUT), x_of(first + count), y, f"drain {lags[-1]}", True)
    y += 44
    legend = [(ORANGE, f"made in iteration {now}"), (BLUE, "kept for it"),
              ("#dfe2e4", "no longer kept"), (PALE_GREEN, "in memory"), ("#ffffff", "still to come")]
    x = left - 100
    for fill, words in legend:
        d.rect(x, y, 18, 18, fill, LINE, 1)
        d.text(x + 25, y + 14, words, 12.5)
        x += 55 + 7.6 * len(words)
    d.text(left - 100, y + 46, "A cell's number is the iteration that makes the plane: a stage is at the "
           "plane that lies its lag behind the front.", 12.5)
    d.write("streaming.svg")


def host_program():
    d = Drawing(960, 330, "The host program: what makes it, what changes it, what reads it")

    def box(x, y, w, words, note, fill=PALE_BLUE, stroke=BLUE):
        d.rect(x, y, w, 50, fill, stroke, 1.5, 6)
        d.text(x + w / 2, y + 22, words, 14, "middle", bold=True)
        d.text(x + w / 2, y + 40, note, 11, "middle", FAINT)

    box(25, 125, 150, "plan", "kernel/plan.h", PALE_ORANGE, ORANGE)
    box(275, 125, 200, "host program", "host_ir/program.h")
    d.path([(175, 150), (275, 150)])
    d.text(225, 142, "lower", 12, "middle", FAINT)
    box(275, 20, 200, "verify, print", "K001; --emit host-ir", "#ffffff", LINE)
    d.path([(375, 125), (375, 70)], FAINT)
    box(275, 245, 200, "passes", "overlap_exchanges, set_cycle")
    d.path([(355, 175), (355, 245)])
    d.path([(395, 245), (395, 175)])
    box(575, 65, 190, "HostWriter", "emit/host_writer.h")
    box(575, 190, 190, "HostRunner", "devices/host_runner.h")
    d.path([(475, 140), (525, 140), (525, 90), (575, 90)])
    d.path([(475, 160), (525, 160), (525, 215), (575, 215)])
    box(815, 20, 125, "C++", "cpp dialect", PALE_GREEN, GREEN)
    box(815, 110, 125, "CUDA, HIP", "their dialects", PALE_GREEN, GREEN)
    box(815, 190, 125, "Accelerator", "host, cuda, opencl", PALE_GREEN, GREEN)
    box(815, 260, 125, "Communicator", "other subdomains", PALE_GREEN, GREEN)
    d.path([(765, 80), (790, 80), (790, 45), (815, 45)])
    d.path([(765, 100), (790, 100), (790, 135), (815, 135)])
    d.path([(765, 215), (815, 215)])
    d.path([(765, 230), (790, 230), (790, 285), (815, 285)])
    d.write("host_program.svg")


def check(stencilc, needed, redundancy):
    threads = OUTPUT + sum(needed[1])
    line = f"overlapped T={STEPS} block={threads} elements=1 regions=shrink"
    out = subprocess.run([stencilc, "explain", str(ROOT / "dsl-examples/jacobi1d3.stn"), "--schedule",
                          line], check=True, capture_output=True, text=True).stdout
    for s in range(1, STEPS + 1):
        assert re.search(rf"^\s+{s}\s+\w+\s+A\s+{re.escape(box_text(*needed[s]))}$", out, re.M), s
    assert re.search(rf"^\s+A\s+{re.escape(box_text(*needed[0]))}\s", out, re.M)
    assert f"redundant work     {redundancy:.3f} " in out, out
    print("explain says the same")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--check", metavar="STENCILC", help="compare with what explain prints")
    options = arguments.parse_args()
    pipeline()
    needed, redundancy = time_tile()
    streaming()
    host_program()
    if options.check:
        check(options.check, needed, redundancy)


if __name__ == "__main__":
    main()
