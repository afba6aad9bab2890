"""A. Vizitiu, L. Itu, C. Nita, C. Suciu: Optimized Three-Dimensional Stencil Computation on Fermi and
Kepler GPUs (HPEC 2014): tables I and II, and the steady state, on which all kernels agree.

Heat conduction on 128^3 points in double precision. Counts are for one time step. EXPECTED gives the
loads that follow from a kernel's construction on N^3 points, of which n = N - 2 per dimension are
computed.
"""
import re

import pages
import style
from measurements import Command

NAME = "vizitiu-2014"
TITLE = "Vizitiu et al. 2014: heat conduction on Fermi and Kepler"
PROGRAM = "dsl-examples/heat3d.stn"
STEADY = "tools/papers/programs/heat3d_steady.stn"
SIZE, QUICK_SIZE = 128, 26  # (N - 2) is a multiple of 6, the tile size of 3DShMOverL
STEPS = 5000

# kernel -> (preset, time of a step in ms on GTX 480, GTX 660M and GTX 680; registers, divergent branches, shared
# bytes per block, 64-bit loads and stores on GTX 680)
KERNELS = {
    "3DBase": ("@vizitiu-3dbase", (1.7, 3.45, 0.62), (25, 12016, None, 14002632, 2000376)),
    "3DShMOverL": ("@vizitiu-3dshmoverl", (3.5, 6.17, 1.13), (19, 20811, 4096, 4741632, 2000376)),
    "3DShMNoOverL": ("@vizitiu-3dshmnooverl", (1.8, 3.78, 0.73), (21, 12694, 8000, 3524851, 2000376)),
    "2DBase": ("@vizitiu-2dbase", (1.2, 3.09, 0.63), (25, 94, None, 14002632, 2000376)),
    "2DReg": ("@vizitiu-2dreg", (0.9, 2.47, 0.58), (25, 94, None, 10033632, 2000376)),
    "2DShM": ("@vizitiu-2dshm", (1.2, 2.87, 0.59), (25, 94, 800, 6953688, 2000376)),
    "2DShMReg": ("@vizitiu-2dshmreg", (1.09, 2.32, 0.48), (25, 94, 640, 2984688, 2000376)),
}
GTX680_BYTES = 192.3e9  # memory bandwidth in bytes/s, data sheet


def seams(n):
    """Halo values that 8 x 8 tiles read from each other, for n planes of n x n points."""
    return n * n * ((n + 7) // 8 - 1) * 2 * 2


# 64-bit loads per step that follow from a kernel's construction, for n computed points per dimension. With
# n = 126 they equal the paper's counts.
EXPECTED = {
    "3DBase": ("7 n³", lambda n: 7 * n**3),
    "3DShMOverL": ("8³ ⌈n/6⌉³", lambda n: 512 * -(-n // 6) ** 3),
    "3DShMNoOverL": ("(n+1)³ + 3 (2 ⌈n/8⌉ - 1) n²", lambda n: (n + 1) ** 3 + 3 * (2 * -(-n // 8) - 1) * n**2),
    "2DBase": ("7 n³", lambda n: 7 * n**3),
    "2DReg": ("5 n³ + 2 n²", lambda n: 5 * n**3 + 2 * n**2),
    "2DShM": ("3 n³ + 4 (⌈n/8⌉ - 1) n²", lambda n: 3 * n**3 + seams(n)),
    "2DShMReg": ("n³ + 2 n² + 4 (⌈n/8⌉ - 1) n²", lambda n: n**3 + 2 * n**2 + seams(n)),
}
MUST_AGREE = ("3DBase", "3DShMOverL", "2DBase", "2DReg")  # kernels whose counts must equal EXPECTED


def size_of(scale):
    return QUICK_SIZE if scale.quick else SIZE


def lines():
    return [preset for preset, *_ in KERNELS.values()]


def timed(scale):
    entry = {"program": PROGRAM, "real": "double", "define": {"N": size_of(scale)}, "steps": STEPS, "repeat": 5,
             "schedules": [*lines(), "direct", "auto"]}
    if scale.quick:
        entry |= {"check_steps": 5, "steps": 4, "schedules": [*lines(), "direct"]}
    return [entry]


def counted(scale):
    return [{"program": PROGRAM, "real": "double", "define": {"N": size_of(scale)}, "steps": 1, "schedules": lines()}]


def commands(scale):
    out = []
    for kernel, (preset, *_) in KERNELS.items():
        arguments = ("run", STEADY, "-D", f"N={size_of(scale)}", "--schedule", scale.line(preset))
        out.append(Command(f"steady-{kernel.lower()}", arguments, field="T", device=True))
    return out


def steady(results, kernel):
    """(step at which the run stopped, hash of the temperatures), None where missing."""
    text = results.text(f"steady-{kernel.lower()}") or ""
    stopped = re.search(r"^steps +(\d+) of \d+: the stop condition holds$", text, re.M)
    digest = re.search(r"^sha256 ([0-9a-f]{64})$", text, re.M)
    return (int(stopped[1]) if stopped else None, digest and digest[1])


def milliseconds(results, line):
    """The time of one step in ms, or None."""
    record = results.best("heat3d", line)
    return record and record["time_ms"] / record["steps"]


def tables(results):
    base = milliseconds(results, KERNELS["3DBase"][0])
    rows = []
    for kernel, (preset, times, _) in KERNELS.items():
        here = milliseconds(results, preset)
        rows.append((kernel, pages.code(preset), *[pages.number(each) for each in times], here,
                     *[pages.ratio(KERNELS["3DBase"][1][i], each) for i, each in ((0, times[0]), (2, times[2]))],
                     pages.ratio(base, here), results.rate("heat3d", preset)))
    for line in ("direct", "auto"):
        record = results.best("heat3d", line)
        here = milliseconds(results, line)
        rows.append((pages.code(line), pages.code(record and record.get("settings")), None, None, None, here, None,
                     None, pages.ratio(base, here), results.rate("heat3d", line)))
    out = {"table1": pages.table(
        ["Kernel", "Line", "GTX 480, ms", "GTX 660M, ms", "GTX 680, ms", "here, ms", "3DBase / it, GTX 480", "GTX 680",
         "here", "here, GCells/s"], rows)}
    rows, loads = [], []
    n = size_of(results.scale) - 2
    for kernel, (preset, _, (registers, branches, shared, paper_loads, paper_stores)) in KERNELS.items():
        counts = results.counts("heat3d", preset) or {}
        record = results.best("heat3d", preset) or {}
        rows.append((kernel, registers, record.get("registers"), branches, counts.get("divergent_branches"),
                     shared, counts.get("shared_bytes")))
        formula, value = EXPECTED[kernel]
        ours = counts.get("loads64")
        loads.append((kernel, paper_loads, ours, pages.ratio(ours, paper_loads), formula,
                      value(n), paper_stores, counts.get("stores64"),
                      results.per_point(counts, "load_sectors"), counts.get("shared_loads")))
    out["table2"] = pages.table(
        ["Kernel", "Registers, GTX 680", "here", "Divergent branches, GTX 680", "here", "Shared bytes, GTX 680", "here"],
        rows)
    out["table2-loads"] = pages.table(
        ["Kernel", "64-bit loads, paper", "here", "here / paper", "by construction", "", "Stores, paper", "here",
         "Sectors loaded per point", "Shared loads"], loads)
    rows = []
    first = steady(results, "3DBase")[1]
    for kernel in KERNELS:
        stopped, digest = steady(results, kernel)
        rows.append((kernel, stopped, digest and digest[:16], digest and ("yes" if digest == first else "**no**")))
    out["steady"] = pages.table(["Kernel", "Steps until steady", "SHA-256 of the temperatures", "as 3DBase"], rows)
    return out


def plots(results):
    names = ["GTX 480", "GTX 660M", "GTX 680", "here"]
    groups = []
    base = milliseconds(results, KERNELS["3DBase"][0])
    for kernel, (preset, times, _) in KERNELS.items():
        here = milliseconds(results, preset)
        old = [KERNELS["3DBase"][1][i] / times[i] for i in range(3)]
        groups.append((kernel, [*old, base / here if base and here else None]))
    return {"table1": style.bars("Table I: speed by that of 3DBase on the same GPU", "times 3DBase", names, groups)}


def faults(results):
    out = []
    n = size_of(results.scale) - 2
    digests = {kernel: steady(results, kernel)[1] for kernel in KERNELS}
    for kernel, digest in digests.items():
        if digest is None:
            if results.text(f"steady-{kernel.lower()}") is not None:
                out.append(f"{NAME}: the run to the steady state by {kernel} wrote no temperatures; its text says why")
        elif digest != digests["3DBase"]:
            out.append(f"{NAME}: the steady state by {kernel} is not that by 3DBase")
    for kernel in () if results.scale.stand_in else KERNELS:
        counts = results.counts("heat3d", KERNELS[kernel][0])
        if counts is None:
            continue
        if not n**3 <= counts["stores64"] <= (n + 2) ** 3:
            out.append(f"{NAME}: {kernel} has {counts['stores64']} 64-bit stores, not {n**3} to {(n + 2) ** 3}")
        if kernel in MUST_AGREE and counts["loads64"] != EXPECTED[kernel][1](n):
            out.append(f"{NAME}: {kernel} has {counts['loads64']} 64-bit loads, not {EXPECTED[kernel][1](n)}")
    return out
