#!/usr/bin/env python3
"""Draws the figures of docs/design/ (architecture.md, families.md, host-program.md), beside this file:

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

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="sans-serif" role="img">\n'
                f"<title>{escape(self.title)}</title>\n"
                '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
                f'markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{INK}"/>'
                "</marker></defs>\n"
                f'<rect width="{self.width}" height="{self.height}" rx="8" fill="{PAPER}"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"

    def write(self, name):
        (HERE / name).write_text(self.svg())


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
    d = Drawing(960, 826, "The path of a program: values, the functions that make them, and who reads what")
    middle, width, height, gap, top = 355, 250, 44, 46, 20
    values = [("program text (.stn)", ""), ("syntax tree", "syntax/ast.h"),
              ("stencil IR: mathematics", "ir/program.h"), ("stencil IR: lowered", "ir/program.h"),
              ("time tiles, T = 1, 2, ...", "analysis/time_tile.h"),
              ("plan of a family", "schedule/family.h"),
              ("module: kernel IR, host plan", "kernel/kernel.h, kernel/plan.h")]
    makers = [("syntax", "parse_with_errors"), ("sema", "analyze_mathematics"),
              ("ir", "lower: lowering_passes()"), ("analysis", "unroll, after passes for kernels"),
              ("schedule", "Family::plan"), ("schedule", "Scheduler::lower")]
    y_of = [top + i * (height + gap) for i in range(9)]
    y_of[8] += 32

    def box(x, y, w, words, note, fill, stroke, size=14):
        d.rect(x, y, w, height, fill, stroke, 1.5, 6)
        d.text(x + w / 2, y + (20 if note else 27), words, size, "middle", bold=True)
        if note:
            d.text(x + w / 2, y + 36, note, 11, "middle", FAINT)

    for i, (value, note) in enumerate(values):
        box(middle, y_of[i], width, value, note, *((PALE_GREEN, GREEN) if i == 0 else (PALE_BLUE, BLUE)))
    for i, (layer, what) in enumerate(makers):
        x, y = middle + width / 2, y_of[i] + height
        d.path([(x, y), (x, y + gap)])
        d.text(x - 12, y + 28, layer, 12, "end", BLUE, bold=True)
        d.text(x + 12, y + 28, what, 12, "start", FAINT)

    def table(y, words, note):
        box(25, y, 210, words, note, PALE_ORANGE, ORANGE)
        return y + height / 2

    def reader(i, words, note):
        box(715, y_of[i], 225, words, note, "#ffffff", LINE, 13)
        d.path([(middle + width, y_of[i] + height / 2), (715, y_of[i] + height / 2)], FAINT)

    at = table(y_of[0], "C++ calls, Python, C files", "builder, lift: write the text")
    d.path([(235, at), (middle, at)])
    at = table(y_of[2], "boundaries.def", "support: a row per boundary rule")
    d.path([(235, at), (middle, at)], ORANGE)
    for row in (1, 3):
        d.path([(285, at), (285, y_of[row] + height / 2), (middle, y_of[row] + height / 2)], ORANGE)
    at = table(y_of[5] - 48, "settings rows", "Family::settings, one Schedule")
    d.path([(235, at), (290, at), (290, y_of[5] + 15), (middle, y_of[5] + 15)], ORANGE)
    at = table(y_of[5] + 20, "machine rows", "schedule/machine.cpp, or a device")
    d.path([(235, at), (290, at), (290, y_of[5] + 29), (middle, y_of[5] + 29)], ORANGE)

    reader(1, "fmt, --emit ast", "syntax: write, print")
    reader(2, "--emit stn", "ir/write.h")
    reader(3, "interpreter", "reference: the oracle of all tests")
    reader(4, "subdomains", "decompose: halos; programs again")
    reader(5, "auto, explain", "Plan::work and cost, the model")
    reader(6, "kernel::verify, counts, traces", "types, barriers, copies")

    # Two values of a module, two ends that read both.
    left, right, wide = 260, 510, 190
    box(left, y_of[7], wide, "legalised kernel IR", "for one dialect", PALE_BLUE, BLUE)
    box(right, y_of[7], wide, "host program", "host_ir/program.h", PALE_BLUE, BLUE)
    box(left, y_of[8], wide, "emitted file", ".cu .hip .cl .cpp", PALE_GREEN, GREEN)
    box(right, y_of[8], wide, "session", "runtime/devices", PALE_GREEN, GREEN)
    y = y_of[6] + height
    d.path([(430, y), (430, y_of[7])])
    d.path([(530, y), (530, y_of[7])])
    d.text(422, y + 28, "emit::legalise", 12, "end", FAINT)
    d.text(538, y + 28, "host_ir::lower", 12, "start", FAINT)
    y = y_of[7] + height
    d.path([(left + 40, y), (left + 40, y_of[8])])
    d.path([(right + 150, y), (right + 150, y_of[8])])
    d.path([(left + 150, y), (right + 40, y_of[8])])
    d.path([(right + 40, y), (left + 150, y_of[8])])
    d.text(left + 32, y + 43, "Writer", 12, "end", FAINT)
    d.text(right + 158, y + 43, "HostRunner", 12, "start", FAINT)
    d.text(right - 72, y + 60, "HostWriter", 12, "end", FAINT)
    d.text(right + 12, y + 60, "Device::load", 12, "start", FAINT)
    at = table(y_of[7], "dialects", "emit/targets.cpp, dialect_*.cpp")
    d.path([(235, at), (left, at)], ORANGE)
    d.path([(245, at), (245, y_of[8] + 22), (left, y_of[8] + 22)], ORANGE)
    box(765, y_of[8], 175, "devices", "device_table.cpp", PALE_ORANGE, ORANGE)
    d.path([(765, y_of[8] + 22), (right + wide, y_of[8] + 22)], ORANGE)
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
