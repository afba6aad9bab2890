"""M. Krotkiewski, M. Dabrowski: Efficient 3D stencil computations using CUDA (Parallel Computing 39,
2013): the footprint model, formulas (5) to (9), and tables 2 to 5.

A block of 32 x 6 threads reads a tile with its halo in two passes, as 48 x 4 threads. It keeps one plane in
shared memory and partial sums of three planes in registers.
"""
import math

import pages
import style
from measurements import DEVICES

NAME = "krotkiewski-dabrowski-2013"
TITLE = "Krotkiewski, Dabrowski 2013: 7- and 27-point stencils"
PREFETCH, PLAIN, COPY = "@krotkiewski", "@krotkiewski-noprefetch", "@krotkiewski-copycube"
BLOCK = (32, 6)
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
PAPER_AT_TABLE_SIZE = {"copycube": (9.3, 13.7), "copycube_halo": (7.4, 13.3)}  # float, 256 x 252 x 256
PAPER_ISSUE = {"box27_planes": 86, "box27_general": 91}  # % of the peak issue rate, Tesla C2050, float


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


def timed(scale):
    out = []
    sizes = ({"N": 20, "M": 26, "L": 70},) if scale.quick else SIZES
    for real in BYTES:
        for program in (*COPIES, *STENCILS):
            for define in sizes:
                lines = [COPY] if program == "copycube" else [PREFETCH, PLAIN]
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
             "schedules": [COPY] if program == "copycube" else [PREFETCH, PLAIN]}
            for real in BYTES for program in (*COPIES, *STENCILS)]


def commands(scale):
    return [] if scale.quick else [DEVICES]


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


def tables(results):
    out = {"footprint": footprint_table(results)}
    for name, program in (("table2", "copycube"), ("table3", "copycube_halo")):
        rows = [(f"{gpu}, float", pages.number(PAPER_AT_TABLE_SIZE[program][i]), PAPER[program]["float"][i], None, None)
                for i, gpu in enumerate(("Tesla C1060", "Tesla C2050"))]
        lines = [COPY, "direct", "auto"] if program == "copycube" else [PREFETCH, PLAIN, "direct", "auto"]
        for real, size in BYTES.items():
            for line in lines:
                at = results.best(program, line, real=real, define=TABLE_SIZE)
                mean = average(results, program, line, real)
                of = average(results, "copycube", COPY, real)
                rows.append((f"here, {real}, {pages.code(line)}", at and at["gcells"], mean,
                             at and at["gcells"] * optimal_bytes(size), pages.percent(mean, of)))
        out[name] = pages.table(["", "256 x 252 x 256, Gpts/s", "Average, Gpts/s", "GB/s at 2 values a point",
                                 "Average, of `copycube`"], rows)
    out["table4"] = speed_table(results, [each for each in STENCILS if each != "stencil7"], ["float"], issue=True)
    out["table5"] = speed_table(results, ["copycube_halo", *STENCILS], list(BYTES), issue=False)
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
            for line in ([COPY] if program == "copycube" else [PREFETCH, PLAIN]):
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


def speed_table(results, programs, reals, issue):
    rows = []
    for real in reals:
        for program in programs:
            name, operations, _ = STENCILS.get(program, (program, None, None))
            paper = PAPER.get(program, {}).get(real, (None, None))
            halo = average(results, "copycube_halo", PREFETCH, real)
            for line in (PREFETCH, PLAIN):
                mean = average(results, program, line, real)
                row = [name, real, pages.code(line), *(paper if line == PREFETCH else (None, None)), mean,
                       results.rate(program, line, real=real, define=TABLE_SIZE), operations and mean and operations * mean,
                       pages.percent(mean, halo)]
                if issue:
                    row += [PAPER_ISSUE.get(program) if line == PREFETCH else None,
                            issue_rate(results, program, line, real, mean)]
                rows.append(row)
    head = ["Stencil", "Type", "Line", "C1060, Gpts/s", "C2050, Gpts/s", "Average, here", "256 x 252 x 256, here",
            "GFLOP/s, here", "of `copycube_halo`"]
    return pages.table(head + (["Issue rate, C2050, %", "here, %"] if issue else []), rows)


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
