"""J. Holewinski, L.-N. Pouchet, P. Sadayappan: High-Performance Code Generation for Stencil
Computations on GPU Architectures (ICS 2012), section 5: figures 6, 7 and 8 and the table of programs.

The paper searches block sizes, time tiles and elements per thread exhaustively. Here the search is a
grid of `overlapped` lines with regions=hull, which computes the largest box in every step like the
paper's kernels: SEARCH, with T = 1 for "without time tiling".
"""
import re

import pages
import style
from measurements import Command

NAME = "holewinski-2012"
TITLE = "Holewinski, Pouchet, Sadayappan 2012: overlapped tiling"
PRESET, SPATIAL = "@holewinski-overlapped", "@holewinski-spatial"

ONE_D = "overlapped T={%s} block={128,256,512} elements={4,8,16} regions=hull"
TWO_D = ("overlapped T={%s} block={32x8,32x16,64x8} elements={1x4,1x8,2x4,4x4} regions=hull",
         "overlapped T={%s} block=16x16 elements={2x2,2x4,4x4} regions=hull")
THREE_D = ("overlapped T={%s} block={32x4,32x8} elements={1x2x8,1x2x16,1x4x8} regions=hull",
           "overlapped T={%s} block=32x4x4 elements={1x2x2,1x3x4,1x3x8} regions=hull",
           "overlapped T={%s} block=32x8x2 elements={1x3x4,1x3x8} regions=hull")
SEARCH = {1: ((ONE_D,), "4,8,16,32"), 2: (TWO_D, "2,3,4,6,8"), 3: (THREE_D, "2,3,4")}  # dimensions -> lines, T above 1

FIG7_LINE = "overlapped T={%s} block=32x16 elements={%s} regions=hull"
FIG7_ELEMENTS = ("1x6", "1x8", "1x10", "1x12")
FIG7_STEPS = tuple(range(1, 11))
FIG8_ELEMENTS = {"1x10": "GTX 280", "1x12": "GTX 580"}  # elements per thread -> the paper's device

# program -> (the paper's name, dimensions, (the paper's elements per point, arrays, operations per point), folder,
# params of timed runs, steps)
LARGE_2D, MEDIUM_2D = {"N": 8192, "M": 8192}, {"N": 4096, "M": 4096}
PROGRAMS = {
    "jacobi1d3": ("Jacobi 1-D 3-Pt", 1, ("3", 1, 3), "dsl-examples", {"N": 1 << 26}, 1440),
    "jacobi1d5": ("Jacobi 1-D 5-Pt", 1, ("5", 1, 5), "dsl-examples", {"N": 1 << 26}, 1440),
    "jacobi1d7": ("Jacobi 1-D 7-Pt", 1, ("7", 1, 7), "dsl-examples", {"N": 1 << 26}, 1440),
    "jacobi2d": ("Jacobi 2-D", 2, ("5", 1, 5), "dsl-examples", LARGE_2D, 720),
    "jacobi3d": ("Jacobi 3-D", 3, ("7", 1, 7), "dsl-examples", {"N": 512}, 180),
    "poisson9": ("Poisson Solver", 2, ("9", 1, 9), "tools/papers/programs", LARGE_2D, 720),
    "fdtd2d": ("Electromagnetics", 2, ("2/2/3", 3, 11), "dsl-examples", MEDIUM_2D, 1200),
    "rician2d": ("Rician Denoising", 2, ("5", 2, 44), "dsl-examples", MEDIUM_2D, 720),
    "gradient2d": ("Gradient", 2, ("5", 1, 18), "dsl-examples", LARGE_2D, 360),
    "tv2d": ("TV Update 2D", 2, ("7", 1, 59), "dsl-examples", LARGE_2D, 360),
}
# Programs with the paper's operations or arrays where the program above has others. Only `auto` is timed.
VARIANTS = {
    "jacobi3d7": ("Jacobi 3-D, one weight", 3, ("7", 1, 7), "tools/papers/programs", {"N": 512}, 1800),
    "rician2d_two": ("Rician Denoising, two arrays", 2, ("5", 2, 44), "tools/papers/programs", MEDIUM_2D, 7200),
}
# GFLOP/s from the paper's text on figure 6; the figure itself has no numbers.
STATED = {"jacobi3d": "GTX 580: 50 (double: 28.7)", "jacobi2d": "GTX 580, double: 49.5", "poisson9": "GTX 280: 81.7",
          "gradient2d": "GTX 580: 350 (44.3 % of 790)"}


def file_of(program):
    return f"{(PROGRAMS | VARIANTS)[program][3]}/{program}.stn"


def search_lines(dimensions, tiled):
    """Lines of the search, with braces: with or without time tiling, including the corresponding preset."""
    lines, steps = SEARCH[dimensions]
    return [*(line % (steps if tiled else "1") for line in lines), PRESET if tiled else SPATIAL]


def fig7_line(steps, elements):
    return FIG7_LINE % (steps, elements)


def timed(scale):
    entries = []
    for program, (_, dimensions, _, _, define, steps) in PROGRAMS.items():
        lines = [*search_lines(dimensions, False), *search_lines(dimensions, True), "direct", "auto"]
        entry = {"program": file_of(program), "define": define, "steps": steps, "repeat": 3, "schedules": lines}
        if scale.quick:
            small = {1: "1,8", 2: "1,3", 3: "1,2"}[dimensions]
            entry |= {"define": {key: {1: 3001, 2: 75, 3: 30}[dimensions] for key in define}, "check_steps": 7,
                      "schedules": [SEARCH[dimensions][0][0] % small, PRESET, SPATIAL, "direct"]}
        entries.append(entry)
    lines = [fig7_line(",".join(map(str, FIG7_STEPS)), ",".join(FIG7_ELEMENTS))]
    fig7 = {"program": file_of("jacobi2d"), "define": LARGE_2D, "steps": 720, "repeat": 3, "schedules": lines}
    if scale.quick:
        fig7 |= {"define": {"N": 75, "M": 75}, "schedules": [fig7_line("4", "1x6,1x12")]}
    return entries + [fig7]


def counted_size(scale):
    return {"N": 96, "M": 96} if scale.quick else {"N": 2048, "M": 2048}


def counted(scale):
    steps = ",".join(map(str, (1, 2) if scale.quick else FIG7_STEPS))
    fig8 = {"program": file_of("jacobi2d"), "define": counted_size(scale),
            "schedules": [fig7_line(steps, ",".join(FIG8_ELEMENTS))]}
    operations = []
    for program, (_, dimensions, _, _, define, _) in (PROGRAMS | VARIANTS).items():
        size = {1: 2048, 2: 64, 3: 34} if scale.quick else {1: 65536, 2: 512, 3: 66}
        operations.append({"program": file_of(program), "define": {key: size[dimensions] for key in define},
                           "fp": "strict", "schedules": ["direct"]})
    return [{**entry, "steps": 10} for entry in [fig8, *operations]]


def run_call(program, scale):
    """The call that runs a variant. The first such call lets `auto` time schedules, the second one counts."""
    _, dimensions, _, _, define, steps = VARIANTS[program]
    if scale.quick:
        define, steps = {key: {2: 75, 3: 30}[dimensions] for key in define}, 7
    words = ["run", file_of(program), "--steps", str(steps)]
    for name, value in define.items():
        words += ["-D", f"{name}={value}"]
    return tuple(words)


def commands(scale):
    explain = [Command(f"explain-{program}", ("explain", file_of(program), "--schedule", "direct", "--fp", "strict"))
               for program in PROGRAMS | VARIANTS]
    runs = [Command(f"run-{program}{first}", run_call(program, scale), device=True)
            for program in VARIANTS for first in ("-first", "")]
    return explain + runs


def rate_of_run(results, program):
    """GCells/s of the second call that runs a variant, or None."""
    text = results.text(f"run-{program}")
    found = text and re.search(r"^time .*?([0-9.e+-]+) GCells/s", text, re.M)
    return float(found[1]) if found else None


def operations_of(results, program):
    """Operations per point and step as counted by `explain`, equal ones once; None without its text."""
    text = results.text(f"explain-{program}")
    if text is None:
        return None
    found = re.search(r"^Stencil functions.*?operations\n(.*?)\n\n", text, re.S | re.M)
    return sum(int(row.split()[-1]) for row in found[1].splitlines()) if found else None


def size_of(program):
    define = PROGRAMS[program][4]
    return " x ".join(str(value) for value in define.values()) if len(define) > 1 else (
        f"{define['N']}" + (" cubed" if PROGRAMS[program][1] == 3 else ""))


def bests(results, program):
    """The best records: without and with time tiling, the preset, and auto."""
    dimensions = PROGRAMS[program][1]
    define = {} if results.scale.quick else PROGRAMS[program][4]
    def best(lines):
        found = [results.best(program, line, **define) for line in lines]
        return max((each for each in found if each), key=lambda each: each["gcells"], default=None)
    tiled = search_lines(dimensions, True)
    if program == "jacobi2d":
        tiled = tiled + [fig7_line(",".join(map(str, FIG7_STEPS[1:])), ",".join(FIG7_ELEMENTS))]
    return [best(search_lines(dimensions, False)), best(tiled), best([PRESET]), best(["auto"])]


def rate(record):
    return record and record["gcells"]


def tables(results):
    rows = []
    for program, (name, dimensions, (elements, arrays, operations), *_) in PROGRAMS.items():
        counts = results.counts(program, "direct", fp="strict")
        rows.append((name, code_name(program), dimensions, elements, arrays, operations,
                     operations_of(results, program), results.per_point(counts, "flops")))
    out = {"programs": pages.table(
        ["Paper's program", "File", "Dim.", "Elements", "Arrays", "Operations, paper", "stencilc, equal ones once",
         "Counted in `direct`"], rows)}
    rows = []
    for program, (name, dimensions, (elements, arrays, operations), *_) in VARIANTS.items():
        counts = results.counts(program, "direct", fp="strict")
        found = rate_of_run(results, program)
        rows.append((name, code_name(program), dimensions, elements, arrays, operations, pages.measured(operations_of(results, program)),
                     pages.measured(results.per_point(counts, "flops")), pages.measured(found), pages.measured(found and operations * found)))
    out["variants"] = pages.table(
        ["Program", "File", "Dim.", "Elements, paper", "Arrays, paper", "Operations, paper", "stencilc, equal ones once",
         "Counted in `direct`", "`auto`, GCells/s", "`auto`, GFLOP/s at the paper's operations"], rows)
    rows, lines = [], []
    for program, (name, _, (_, _, operations), *_) in PROGRAMS.items():
        plain, tiled, preset, auto = bests(results, program)
        rows.append((name, size_of(program), rate(plain), rate(tiled), pages.ratio(rate(tiled), rate(plain)),
                     rate(preset), rate(auto), pages.ratio(rate(auto), rate(tiled)),
                     tiled and tiled.get("copy_gcells"),
                     tiled and operations * tiled["gcells"], auto and operations * auto["gcells"],
                     STATED.get(program, pages.NOTHING)))
        lines.append((name, *[pages.code(record and record.get("settings", record["schedule"]))
                              for record in (plain, tiled, auto)]))
    out["fig6"] = pages.table(
        ["Program", "Points", "T = 1", "Time tiling", "Gain", "`" + PRESET + "`", "`auto`", "`auto` / time tiling",
         "Copy bound", "Time tiling, GFLOP/s", "`auto`, GFLOP/s", "Paper, GFLOP/s"], rows)
    out["fig6-lines"] = pages.table(["Program", "Best with T = 1", "Best with time tiling", "`auto` took"], lines)
    steps = FIG7_STEPS
    out["fig7"] = pages.table(["T"] + [f"{each.split('x')[1]} elements" for each in FIG7_ELEMENTS],
                              [(str(t), *[fig7_rate(results, t, each) for each in FIG7_ELEMENTS]) for t in steps])
    rows = []
    for t in steps:
        for elements, device in FIG8_ELEMENTS.items():
            values = fig8_values(results, t, elements)
            rows.append((str(t), f"{elements.split('x')[1]} ({device})", *[values[key] for key in FIG8]))
    out["fig8"] = pages.table(["T", "Elements", *FIG8.values()], rows)
    return out


def code_name(program):
    return f"`{program}.stn`"


def fig7_rate(results, steps, elements):
    """GFLOP/s at 5 operations per point, or None."""
    found = results.rate("jacobi2d", fig7_line(steps, elements))
    return found and 5 * found


FIG8 = {"global_loads": "Global loads", "shared_loads": "Shared loads", "shared_stores": "Shared stores",
        "operations": "Instructions", "time": "Time"}


def fig8_values(results, steps, elements):
    """The counts of figure 8 and the time in ps, per useful point and step."""
    counts = results.counts("jacobi2d", fig7_line(steps, elements), **counted_size(results.scale))
    values = {key: results.per_point(counts, key) for key in FIG8 if key != "time"}
    found = results.rate("jacobi2d", fig7_line(steps, elements))
    return values | {"time": found and 1000 / found}


def plots(results):
    groups = []
    for program, (name, *_) in PROGRAMS.items():
        groups.append((program.replace("jacobi", "j"), [rate(each) for each in bests(results, program)]))
    out = {"fig6": style.bars(f"Figure 6: {results.device().split(' (')[0]}, float", "GCells/s",
                              ["T = 1", "time tiling", PRESET, "auto"], groups)}
    out["fig7"] = style.lines("Figure 7: Jacobi 2-D, time tile and elements per thread", "T, steps of a tile", "GFLOP/s",
                              [(f"{each.split('x')[1]} elements", [(t, fig7_rate(results, t, each)) for t in FIG7_STEPS])
                               for each in FIG7_ELEMENTS])
    values = [(t, fig8_values(results, t, "1x12")) for t in FIG7_STEPS]
    series = []
    for key, text in FIG8.items():
        most = max((each[key] for _, each in values if each[key]), default=None)
        series.append((text, [(t, each[key] / most if most and each[key] is not None else None) for t, each in values]))
    out["fig8"] = style.lines("Figure 8: per useful point and step, by the largest of each (12 elements)",
                              "T, steps of a tile", "of the largest", series)
    return out


def faults(results):
    out = []
    for program, (name, _, (_, _, operations), *_) in (PROGRAMS | VARIANTS).items():
        found = operations_of(results, program)
        if found is None:
            if results.text(f"explain-{program}") is not None:
                out.append(f"{NAME}: explain of {program} has no operations")
        elif program in (*LINEAR, "rician2d") and found != operations:
            out.append(f"{NAME}: {program} has {found} operations a point; the paper's {name} has {operations}")
        counts = results.counts(program, "direct", fp="strict")
        flops = results.per_point(counts, "flops")
        if flops is not None and program in LINEAR and not 0.8 * operations <= flops <= operations:
            out.append(f"{NAME}: {program} is counted at {flops:.2f} operations a point, not {operations}")
    return out


# Programs of sums and products only, with exactly the paper's operation count if equal
# subexpressions count once.
LINEAR = ("jacobi1d3", "jacobi1d5", "jacobi1d7", "jacobi2d", "jacobi3d7", "poisson9", "fdtd2d")
