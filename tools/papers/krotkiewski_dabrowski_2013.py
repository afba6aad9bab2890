"""M. Krotkiewski, M. Dabrowski: Efficient 3D stencil computations using CUDA (Parallel Computing 39,
2013): the footprint model, formulas (5) to (9), and tables 2 to 6.

A block of 32 x 6 threads reads a tile with its halo in two passes, as 48 x 4 threads. It keeps one plane in
shared memory and partial sums of three planes in registers.
"""
import json
import math
import re

import pages
import style
from measurements import DEVICES, ROOT, Command

NAME = "krotkiewski-dabrowski-2013"
TITLE = "Krotkiewski, Dabrowski 2013: 7- and 27-point stencils"
PREFETCH, PLAIN, COPY = "@krotkiewski", "@krotkiewski-noprefetch", "@krotkiewski-copycube"
HALOED, TWO, DOUBLE = "@krotkiewski memory=haloed", "@krotkiewski-m2", "@krotkiewski-double"
BLOCK = (32, 6)
TILES = {PREFETCH: BLOCK, PLAIN: BLOCK, HALOED: BLOCK, TWO: (64, 10), DOUBLE: (16, 6)}  # points of a plane
SECTOR = 32  # bytes of the smallest transaction
FOLDER = "tools/papers/programs"
BYTES = {"float": 4, "double": 8}

# nx is a multiple of 32 and ny a multiple of 6, as in the paper; x is the last dimension (L), y the second to last (M).
SIZES = tuple({"N": n, "M": m, "L": n} for n, m in ((192, 192), (256, 252), (320, 318), (384, 384), (448, 444),
                                                    (512, 510)))
TABLE_SIZE = SIZES[1]
AUTO_SIZES = (TABLE_SIZE,)
UPDATES = 1e10  # per timed run

# program -> (name, operations per point that the paper counts for GFLOP/s, operations that its kernel executes)
STENCILS = {
    "stencil7": ("7-point", 8, 8),
    "box27_flat": ("symmetric 27-point, as written", 30, 30),
    "box27_planes": ("symmetric 27-point, by planes", 18, 18),
    "box27_general": ("general 27-point", 53, 53),
}
COPIES = {"copycube": "copycube", "copycube_halo": "copycube_halo"}
# Gpts/s in the paper: program -> {real: (Tesla C1060, Tesla C2050)}, averaged over grid sizes. Its symmetric
# kernel is box27_planes.
PAPER = {
    "copycube": {"float": (9.2, 13.3)},
    "copycube_halo": {"float": (7.4, 12.4), "double": (3.8, 6.5)},
    "stencil7": {"float": (7.2, 12.3), "double": (3.4, 6.5)},
    "box27_planes": {"float": (7.2, 10.9), "double": (2.1, 5.8)},
    "box27_general": {"float": (5.9, 8.6), "double": (1.0, 2.9)},
}
# Table 2: GB/s and Gpts/s and ms at 256 x 252 x 256, average Gpts/s, GB/s of the SDK's bandwidthTest. Single precision.
PAPER_COPY = {"Tesla C1060": (74.1, 9.3, 1.78, 9.2, 77.1), "Tesla C2050": (109.8, 13.7, 1.20, 13.3, 95.8)}
# Table 3: GB/s at 12 bytes a point, Gpts/s and ms at 256 x 252 x 256, average Gpts/s, % of copycube.
PAPER_HALO = {("Tesla C1060", "pointer"): (58.6, 4.9, 3.38, 4.8, 52), ("Tesla C2050", "pointer"): (125.5, 10.5, 1.58, 8.5, 64),
              ("Tesla C1060", "texture"): (88.9, 7.4, 2.22, 7.4, 81), ("Tesla C2050", "texture"): (160.0, 13.3, 1.23, 12.4, 93)}
# Table 4: Gpts/s, % of the peak instructions per cycle, GFLOP/s, % of copycube_halo. Single precision, averages.
PAPER_27 = {"box27_planes": {"Tesla C1060": (7.2, None, 130, 97), "Tesla C2050": (10.9, 86, 196, 88)},
            "box27_general": {"Tesla C1060": (5.9, None, 313, 79), "Tesla C2050": (8.6, 91, 456, 71)}}
# Table 5: machine, authors, stencil; Gpts/s and GFLOP/s in single and in double precision.
PAPER_ALL = (
    ("Tesla C1060", "Krotkiewski, Dabrowski", "copycube_halo", 7.4, None, 3.8, None),
    ("Tesla C1060", "Krotkiewski, Dabrowski", "7-point", 7.2, 58, 3.4, 27),
    ("Tesla C1060", "Krotkiewski, Dabrowski", "symmetric 27-point", 7.2, 130, 2.1, 38),
    ("Tesla C1060", "Krotkiewski, Dabrowski", "general 27-point", 5.9, 313, 1.0, 56),
    ("Tesla C1060", "FDTD3d", "7-point", 4.3, 34, None, None),
    ("Tesla C1060", "Zhang, Mueller", "7-point", 7.2, 57, 3.6, 29),
    ("Tesla C1060", "Zhang, Mueller", "symmetric 27-point", 3.2, 95, "1", 29),
    ("Tesla C2050", "Krotkiewski, Dabrowski", "copycube_halo", 12.4, None, 6.5, None),
    ("Tesla C2050", "Krotkiewski, Dabrowski", "7-point", 12.3, 98, 6.5, 52),
    ("Tesla C2050", "Krotkiewski, Dabrowski", "symmetric 27-point", 10.9, 196, 5.8, 104),
    ("Tesla C2050", "Krotkiewski, Dabrowski", "general 27-point", 8.6, 456, 2.9, 164),
    ("Tesla C2050", "FDTD3d", "7-point", 6.7, 54, None, None),
    ("Tesla C2050", "Holewinski et al.", "7-point", 5.9, 48, 3.2, 26),
    ("GTX 280", "Datta et al.", "7-point", None, None, 4.5, 36),
    ("GTX 280", "Kamil et al.", "7-point", None, None, 1.6, 13),
    ("GTX 285", "Nguyen et al.", "7-point", 9.2, 74, 4.6, 37),
    ("GTX 285", "Nguyen et al.", "7-point, temporal blocking", 17.0, 136, None, None),
    ("Tesla C2050", "Christen et al.", "7-point", "3", 24, None, None),
    ("Tesla C2050", "Zhang, Mueller", "7-point", 10.9, 87, 5.7, 46),
    ("Tesla C2050", "Zhang, Mueller", "symmetric 27-point", 5.3, 158, 3.3, 98),
    ("Xeon X5550", "Kamil et al.", "7-point", None, None, 1.4, 11),
    ("Xeon X5650", "Tang et al.", "7-point", None, None, 2.5, 20),
    ("Xeon X5650", "Tang et al.", "symmetric 27-point", None, None, 0.9, 27),
    ("Xeon X5550", "Datta et al.", "symmetric 27-point", None, None, 1.2, 22),
)
# Table 6: V-cycles per second in single precision.
CYCLES = {"129 cubed": ({"NZ": 129, "NY": 129, "NX": 129, "L": 6}, 6000),
          "257 cubed": ({"NZ": 257, "NY": 257, "NX": 257, "L": 7}, 2000),
          "513 x 513 x 257": ({"NZ": 257, "NY": 513, "NX": 513, "L": 8}, 500)}
PAPER_CYCLES = {"Tesla C1060": (150, 35, 10), "Tesla C2050": (233, 53, 15)}
EARLIER_CYCLES = "benchmarks/results/multigrid-h100.json"  # of examples/multigrid/measure.py, the same cycle


def optimal_bytes(size):
    """Formula (5): bytes per point of one read and one write."""
    return 2 * size


def values_read(block, size):
    """Formula (6): values that a block of (BX, BY) points requests for a plane with its halo, in whole
    sectors."""
    x, y = block
    return x * y + 2 * x + 2 * (y + 2) * SECTOR // size


def footprint(block, size):
    """Formula (9) for any block: bytes per point without any reuse of halos by caches."""
    return size * values_read(block, size) / (block[0] * block[1]) + size


def steps_of(define):
    return max(20, int(UPDATES / math.prod(define.values())))


def variants(real):
    """Lines beside the paper's own, which are timed at the size of its tables."""
    return [HALOED, TWO, *([DOUBLE] if real == "double" else [])]


def timed(scale):
    out = []
    sizes = ({"N": 20, "M": 26, "L": 70},) if scale.quick else SIZES
    for real in BYTES:
        for program in (*COPIES, *STENCILS):
            for define in sizes:
                at_table = scale.quick or define == TABLE_SIZE
                if program == "box27_flat" and not at_table:  # not in the paper's tables
                    continue
                lines = [COPY] if program == "copycube" else [PREFETCH, PLAIN]
                if at_table and program != "copycube":
                    lines += variants(real)
                if define in AUTO_SIZES:
                    lines = [*lines, "direct", "auto"]
                entry = {"program": f"{FOLDER}/{program}.stn", "real": real, "define": define, "repeat": 3,
                         "steps": 4 if scale.quick else steps_of(define), "check_steps": 5, "schedules": lines}
                out.append(entry)
    return out


def counted_size(scale):
    return {"N": 8, "M": 26, "L": 98} if scale.quick else {"N": 64, "M": 126, "L": 128}


def counted(scale):
    return [{"program": f"{FOLDER}/{program}.stn", "real": real, "define": counted_size(scale), "steps": 1,
             "schedules": [COPY] if program == "copycube" else [PREFETCH, PLAIN, *variants(real)]}
            for real in BYTES for program in (*COPIES, *STENCILS)]


def cycles_call(size, scale):
    """The call that runs V-cycles. The first such call lets `auto` time schedules, the second one counts."""
    define, steps = CYCLES[size]
    if scale.quick:
        define, steps = {"NZ": 9, "NY": 9, "NX": 17, "L": 3}, 3
    words = ["run", f"{FOLDER}/poisson27_cycles.stn", "--real", "float", "--steps", str(steps)]
    for name, value in define.items():
        words += ["-D", f"{name}={value}"]
    return tuple(words)


def name_of_cycles(size):
    return "cycles-" + size.replace(" cubed", "").replace(" ", "")


def commands(scale):
    calls = []
    for size in CYCLES:
        calls += [Command(name_of_cycles(size) + first, cycles_call(size, scale), device=True)
                  for first in ("-first", "")]
    return calls if scale.quick else [DEVICES, *calls]


def cycles_per_second(results, size):
    """V-cycles per second of the second call, or None."""
    text = results.text(name_of_cycles(size))
    steps = text and re.search(r"^steps +(\d+)", text, re.M)
    seconds = text and re.search(r"^time +([0-9.e+-]+) s", text, re.M)
    return int(steps[1]) / float(seconds[1]) if steps and seconds and float(seconds[1]) > 0 else None


def average(results, program, line, real):
    """Mean rate over all grid sizes in Gpts/s; None unless all are available."""
    rates = [results.rate(program, line, real=real, define=define) for define in SIZES]
    return sum(rates) / len(rates) if all(rates) else None


def issue_rate(results, program, line, real, rate):
    """Operations per second in percent of the machine's peak issue rate."""
    operations = results.per_point(results.counts(program, line, real=real), "operations")
    device = results.machine()
    if not operations or not rate or not device:
        return None
    return 100 * operations * rate * 1e9 / device["machine"]["instructions_per_second"]


def sector_bytes(results, program, line, real):
    """Bytes of requested sectors per point, or None."""
    counts = results.counts(program, line, real=real)
    loads, stores = results.per_point(counts, "load_sectors"), results.per_point(counts, "store_sectors")
    return None if loads is None or stores is None else SECTOR * (loads + stores)


def line_of(program):
    return COPY if program == "copycube" else PREFETCH


def at_table_size(results, program, line, real, size):
    """GB/s at `size` bytes per point (None: not stated), Gpts/s and ms at the size of the paper's tables."""
    rate = results.rate(program, line, real=real, define=TABLE_SIZE)
    gigabytes = pages.NOTHING if size is None else pages.measured(rate and rate * size)
    return gigabytes, pages.measured(rate), pages.measured(rate and math.prod(TABLE_SIZE.values()) / rate / 1e6)


def tables(results):
    out = {"footprint": footprint_table(results), "table2": table2(results), "table3": table3(results),
           "table4": table4(results), "table5": table5(results), "table6": table6(results), "variants": variants_table(results)}
    rows = []
    for real in BYTES:
        for program in (*COPIES, *STENCILS):
            rates = [results.best(program, line, real=real, define=TABLE_SIZE)
                     for line in (line_of(program), "direct", "auto")]
            values = [each and each["gcells"] for each in rates]
            rows.append((program, real, *values, pages.ratio(values[2], values[0]),
                         rates[2] and rates[2].get("copy_gcells"),
                         pages.code(rates[2] and rates[2].get("settings", rates[2]["schedule"]))))
    out["best"] = pages.table(["Program", "Type", "Preset, Gpts/s", "`direct`", "`auto`", "`auto` / preset", "Copy bound",
                               "`auto` took"], rows)
    rows = []
    for real in BYTES:
        for program in (*COPIES, *STENCILS):
            for line in ([COPY] if program == "copycube" else [PREFETCH, PLAIN, *variants(real)]):
                counts = results.counts(program, line, real=real)
                rows.append((program, real, pages.code(line), *[results.per_point(counts, key) for key in (
                    "global_loads", "load_sectors", "shared_stores", "shared_loads", "flops", "operations")],
                    counts and counts.get("shared_bytes"), counts and counts.get("divergent_branches")))
    out["counts"] = pages.table(["Program", "Type", "Line", "Global loads", "Sectors loaded", "Shared stores", "Shared loads",
                                 "FLOPs", "Operations", "Shared bytes of a block", "Divergent branches"], rows)
    return out


def footprint_table(results):
    rows = []
    for real, size in BYTES.items():
        counted = {"copycube": sector_bytes(results, "copycube", COPY, real)}
        counted |= {program: sector_bytes(results, program, PREFETCH, real)
                    for program in ("copycube_halo", *STENCILS)}
        copy = average(results, "copycube", COPY, real)
        for program, requested in counted.items():
            model = optimal_bytes(size) if program == "copycube" else footprint(BLOCK, size)
            mean = average(results, program, line_of(program), real)
            paper = [pages.NOTHING, pages.NOTHING]
            if program != "copycube" and real == "float":
                paper = [pages.number(optimal_bytes(size) * PAPER["copycube"][real][i] / PAPER[program][real][i])
                         if program in PAPER else pages.NOTHING for i in (0, 1)]
            rows.append((program, real, str(optimal_bytes(size)), model, requested, *paper,
                         optimal_bytes(size) * copy / mean if copy and mean else None))
    return pages.table(["Program", "Type", "Optimal (5)", "No reuse (6), (9)", "Sectors counted", "Effective, C1060",
                        "Effective, C2050", "Effective, here"], rows)


def table2(results):
    rows = [(machine, "float", pages.NOTHING, *values) for machine, values in PAPER_COPY.items()]
    for real, size in BYTES.items():
        for line in (COPY, "direct", "auto"):
            at = results.best("copycube", line, real=real, define=TABLE_SIZE)
            mean = pages.measured(average(results, "copycube", line, real)) if line == COPY else pages.NOTHING
            rows.append(("here", real, pages.code(line), *at_table_size(results, "copycube", line, real, optimal_bytes(size)),
                         mean, pages.measured(at and at.get("copy_gbs"))))
    return pages.table(["Machine", "Type", "Line", "GB/s", "Gpts/s", "ms", "Average, Gpts/s", "Copy without a kernel, GB/s"], rows)


def table3(results):
    rows = [(machine, "float", way, *values[:4], f"{values[4]} %") for (machine, way), values in PAPER_HALO.items()]
    for real, size in BYTES.items():
        of = average(results, "copycube", COPY, real)
        for line in (PREFETCH, PLAIN, *variants(real), "direct", "auto"):
            means = line in (PREFETCH, PLAIN)
            mean = average(results, "copycube_halo", line, real) if means else None
            bytes_read = footprint(TILES[line], size) if line in TILES else None
            rows.append(("here", real, pages.code(line), *at_table_size(results, "copycube_halo", line, real, bytes_read),
                         pages.measured(mean) if means else pages.NOTHING,
                         pages.measured(mean and of and pages.percent(mean, of)) if means else pages.NOTHING))
    return pages.table(["Machine", "Type", "Loads", "GB/s by (9)", "Gpts/s", "ms", "Average, Gpts/s", "Average, of `copycube`"], rows)


def table4(results):
    rows = []
    for program, machines in PAPER_27.items():
        name, operations, _ = STENCILS[program]
        rows += [(name, machine, pages.NOTHING, *values[:3], f"{values[3]} %") for machine, values in machines.items()]
        halo = average(results, "copycube_halo", PREFETCH, "float")
        for line in (PREFETCH, PLAIN):
            mean = average(results, program, line, "float")
            rows.append((name, "here", pages.code(line), pages.measured(mean), pages.measured(issue_rate(results, program, line, "float", mean)),
                         pages.measured(mean and operations * mean), pages.measured(mean and halo and pages.percent(mean, halo))))
    return pages.table(["Stencil", "Machine", "Line", "Gpts/s", "Issue rate, %", "GFLOP/s", "of `copycube_halo`"], rows)


def table5(results):
    rows = [(machine, authors, stencil, *values) for machine, authors, stencil, *values in PAPER_ALL]
    for program in ("copycube_halo", "stencil7", "box27_planes", "box27_general"):
        name, operations, _ = STENCILS.get(program, (program, None, None))
        for line in (PREFETCH, PLAIN):
            row = ["here", pages.code(line), name]
            for real in BYTES:
                mean = average(results, program, line, real)
                row += [pages.measured(mean), pages.NOTHING if operations is None else pages.measured(mean and operations * mean)]
            rows.append(row)
    return pages.table(["Machine", "Authors, or line", "Stencil", "Single, Gpts/s", "GFLOP/s", "Double, Gpts/s", "GFLOP/s"], rows)


def table6(results):
    rows = [(machine, *values) for machine, values in PAPER_CYCLES.items()]
    earlier = json.loads((ROOT / EARLIER_CYCLES).read_text(encoding="utf-8"))
    known = {(each["program"], each["params"]["N"]): 1000 / each["milliseconds_per_cycle"]
             for each in earlier["results"] if each["real"] == "float"}
    halves = {define["NX"]: "poisson27" if define["NZ"] == define["NX"] else "poisson27 half" for define, _ in CYCLES.values()}
    of_examples = [known.get((program, points)) for points, program in halves.items()]
    rows.append((earlier["device"].split(" (")[0] + ", `poisson27.stn`", *map(pages.measured, of_examples)))
    rows.append(("here, `poisson27_cycles.stn`", *[pages.measured(cycles_per_second(results, size)) for size in CYCLES]))
    return pages.table(["Machine", *CYCLES], rows)


def variants_table(results):
    rows = []
    for real in BYTES:
        for program in ("copycube_halo", *STENCILS):
            rates = {line: results.rate(program, line, real=real, define=TABLE_SIZE) for line in (PREFETCH, HALOED, TWO, DOUBLE)}
            rows.append((program, real, *[pages.NOTHING if line == DOUBLE and real == "float" else pages.measured(rate)
                                          for line, rate in rates.items()]))
    return pages.table(["Program", "Type", *map(pages.code, (PREFETCH, HALOED, TWO, DOUBLE))], rows)


def plots(results):
    name = results.device().split(" (")[0]
    out = {}
    for real in BYTES:
        series = []
        for program in ("copycube", "copycube_halo", "stencil7", "box27_planes", "box27_general"):
            points = [(round(math.prod(d.values()) ** (1 / 3)),
                       results.rate(program, line_of(program), real=real, define=d)) for d in SIZES]
            series.append((program, points))
        out[f"sizes-{real}"] = style.lines(f"Rates over the size of the grid, {real}; {name}", "points, cube root", "Gpts/s", series)
    return out


def faults(results):
    out = []
    if footprint(BLOCK, 4) != 12 or values_read(BLOCK, 4) != 2 * BLOCK[0] * BLOCK[1]:
        out.append(f"{NAME}: the footprint of 32 x 6 is not the paper's 12 bytes a point")
    for (x, y), size, m in ((TILES[TWO], 4, 2), (TILES[DOUBLE], 8, 1)):
        if m * (values_read((x, y), size) - x * y) != x * y:
            out.append(f"{NAME}: a tile of {x} x {y} does not solve formula (8) with M = {m}")
    if results.scale.stand_in:
        return out
    lengths = counted_size(results.scale).values()
    inside, grid = (math.prod(length - cut for length in lengths) for cut in (2, 0))
    for real in BYTES:
        for program in ("copycube_halo", *STENCILS):
            for line in (PREFETCH, PLAIN):
                counts = results.counts(program, line, real=real)
                if counts is not None and not inside <= counts["global_stores"] <= grid:
                    out.append(f"{NAME}: {program} in {real} by {line} stores {counts['global_stores']} values, not "
                               f"{inside} to {grid}")
    return out
