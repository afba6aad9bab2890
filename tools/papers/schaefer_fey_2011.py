"""A. Schaefer, D. Fey: High Performance Stencil Code Algorithms for GPGPUs (ICCS 2011): table 1,
figures 4 and 8.

Table 1 and figure 4 are micro-benchmarks, which are part of `stencilc devices --measure` (docs/design/measure.md).
Figure 8 is a Jacobi sweep of 8 operations in double precision on n^3 points with three kernels.
"""
import pages
import style
from measurements import DEVICES

NAME = "schaefer-fey-2011"
TITLE = "Schaefer, Fey 2011: stencil codes on Fermi"
PROGRAM = "dsl-examples/jacobi3d.stn"
OPERATIONS = 8
KERNELS = {"naive": "@schaefer-naive", "cached plane sweep": "@schaefer-sweep",
           "pipelined wavefront, T = 2": "@schaefer-wavefront"}
AUTO = "auto"

# Grid widths: multiples of 16 values (128 bytes), among them powers of two and the paper's best width
# (304 = 19 * 16); and widths that are not multiples of 16 (72, 100, 200, 250, 300, 500).
SIZES = (64, 72, 96, 100, 128, 160, 192, 200, 224, 250, 256, 272, 288, 300, 304, 320, 352, 384, 400, 416, 448, 464,
         480, 500, 512)
AUTO_SIZES = (64, 128, 256, 304, 512)
COUNTED = 256
UPDATES = 1.5e10  # minimum per timed run, unless launch overhead dominates

# Numbers of the paper: from data sheets and from its benchmarks (GB/s, GFLOP/s).
PAPER = {
    "Multiprocessors": (15, 14),
    "Shaders": (480, 448),
    "Clock, GHz": (1.4, 1.15),
    "Double precision, data sheet, GFLOP/s": (168, 515.2),
    "Memory bandwidth, data sheet, GB/s": (177, 144),
    "Double multiply-adds, GFLOP/s": (167.9, 506.1),
    "Register bandwidth, GB/s": (2689.4, 8103.8),
    "Shared memory bandwidth, GB/s": (1343.2, 1020.3),
    "L1 bandwidth, GB/s": (1129.6, 1000.3),
    "L2 bandwidth, GB/s": (None, None),
    "Copy of memory, GB/s": (142.9, 113.0),
}
FERMI_PEAK = {"cached plane sweep": 8.68, "pipelined wavefront, T = 2": 9.52}  # GLUPS, Tesla C2050
FERMI_COPY = 113.0  # GB/s, Tesla C2050


def steps_of(n):
    """An even number of steps for a timed run."""
    return max(20, min(20000, int(UPDATES / n**3) // 2 * 2))


def timed(scale):
    if scale.quick:
        return [{"program": PROGRAM, "real": "double", "define": {"N": n}, "check_steps": 5, "steps": 4,
                 "schedules": list(KERNELS.values())} for n in (20, 33)]
    out = []
    for n in SIZES:
        lines = [*KERNELS.values(), *([AUTO, "direct"] if n in AUTO_SIZES else [])]
        out.append({"program": PROGRAM, "real": "double", "define": {"N": n}, "steps": steps_of(n), "repeat": 3,
                    "schedules": lines})
    return out


def counted_size(scale):
    return {"N": 20 if scale.quick else COUNTED}


def counted(scale):
    return [{"program": PROGRAM, "real": "double", "define": counted_size(scale), "steps": 2,
             "schedules": list(KERNELS.values())}]


def commands(scale):
    return [] if scale.quick else [DEVICES]


def measured(results):
    """The column of this device in table 1, with the rows of the paper."""
    found = results.machine()
    if found is None:
        return {}
    value = {key: figure["value"] for key, figure in found["figures"].items()}
    machine = found["machine"]
    def giga(key, times=1.0):
        return value[key] * times / 1e9 if value.get(key) is not None else None
    return {
        "Multiprocessors": machine.get("multiprocessors"),
        "Clock, GHz": found["hertz"] / 1e9 if found.get("hertz") else None,
        "Double precision, data sheet, GFLOP/s":
            2 * machine["instructions_per_second"] / machine["double_cost"] / 1e9,
        "Memory bandwidth, data sheet, GB/s": machine["bytes_per_second"] / 1e9,
        "Double multiply-adds, GFLOP/s": giga("multiply_adds_double", 2),
        "Register bandwidth, GB/s": giga("register_bandwidth_double"),
        "Shared memory bandwidth, GB/s": giga("shared_read_bandwidth_double"),
        "L1 bandwidth, GB/s": giga("l1_read_bandwidth_double"),
        "L2 bandwidth, GB/s": giga("l2_read_bandwidth_double"),
        "Copy of memory, GB/s": giga("memory_copy_bandwidth"),
    }


def tables(results):
    here = measured(results)
    found = results.machine()
    name = found["machine"]["description"] if found else "this device"
    rows = [(row, *(pages.number(each, 5) for each in paper), here.get(row)) for row, paper in PAPER.items()]
    copy = here.get("Copy of memory, GB/s")
    for text, key, base in (("Double FLOPs per byte copied", "Double multiply-adds, GFLOP/s", 1),
                            ("Registers / copy", "Register bandwidth, GB/s", 1),
                            ("Shared memory / copy", "Shared memory bandwidth, GB/s", 1),
                            ("L1 / copy", "L1 bandwidth, GB/s", 1), ("L2 / copy", "L2 bandwidth, GB/s", 1)):
        old = [value and value / memory for value, memory in zip(PAPER[key], PAPER["Copy of memory, GB/s"])]
        rows.append((f"**{text}**", *old, here[key] / copy if copy and here.get(key) else None))
    out = {"table1": pages.table(["", "GeForce GTX 480", "Tesla C2050", name], rows)}
    rows = [("FLOPs that a load and a store hide, double", "about 25", "about 50", figure(found, "hidden_flops_double")),
            ("FLOPs that take as long as the load and the store, double", pages.NOTHING, pages.NOTHING,
             figure(found, "balance_flops_double")),
            ("FLOPs that a load and a store hide, float", pages.NOTHING, pages.NOTHING,
             figure(found, "hidden_flops_float"))]
    out["fig4"] = pages.table(["", "GeForce GTX 480", "Tesla C2050", name], rows)
    rows = []
    for n in SIZES:
        rates = [results.rate("jacobi3d", line, N=n) for line in (*KERNELS.values(), AUTO)]
        record = results.best("jacobi3d", KERNELS["naive"], N=n)
        rows.append((str(n), "yes" if n % 16 == 0 else "no", *rates, record and record.get("copy_gcells"),
                     pages.ratio(rates[2], rates[1])))
    head = ["n", "128-byte rows", *KERNELS, "`auto`", "Copy bound", "wavefront / sweep"]
    out["fig8"] = pages.table(head, rows)
    rows = []
    for kernel, line in (*KERNELS.items(), ("`auto`", AUTO)):
        best = results.best("jacobi3d", line)
        glups = best and best["gcells"]
        old = FERMI_PEAK.get(kernel)
        rows.append((kernel, old, old and pages.percent(old * 16, FERMI_COPY), glups,
                     best and pages.percent(glups, best["copy_gcells"]), best and str(best["define"]["N"]),
                     glups and OPERATIONS * glups, pages.code(best and best.get("settings", best["schedule"]))))
    out["peaks"] = pages.table(["Kernel", "Tesla C2050, GLUPS", "of its copy", "here, GLUPS", "of its copy", "at n",
                                "GFLOP/s", "Line"], rows)
    rows = []
    for kernel, line in KERNELS.items():
        counts = results.counts("jacobi3d", line, **counted_size(results.scale))
        rows.append((kernel, *[results.per_point(counts, key) for key in (
            "global_loads", "global_stores", "shared_loads", "shared_stores", "flops", "operations")],
            sector_bytes(results, counts)))
    out["counts"] = pages.table(["Kernel", "Global loads", "Global stores", "Shared loads", "Shared stores", "FLOPs",
                                 "Operations", "Bytes in sectors"], rows)
    return out


def sector_bytes(results, counts):
    """Bytes of requested 32-byte sectors, per point and step."""
    loads, stores = results.per_point(counts, "load_sectors"), results.per_point(counts, "store_sectors")
    return None if loads is None or stores is None else 32 * (loads + stores)


def figure(found, key):
    return found["figures"].get(key, {}).get("value") if found else None


def plots(results):
    found = results.machine()
    series = []
    for key, name in (("time_over_flops_double", "double"), ("time_over_flops_float", "float")):
        if found and key in found["curves"]:
            points = found["curves"][key]["points"]
            series.append((name, [(x, y / points[0][1]) for x, y in points if x <= 512]))
    name = results.device().split(" (")[0]
    kernels = [(kernel, [(n, results.rate("jacobi3d", line, N=n)) for n in SIZES])
               for kernel, line in (*KERNELS.items(), ("auto", AUTO))]
    copies = [results.best("jacobi3d", KERNELS["naive"], N=n) for n in SIZES]
    kernels.append(("copy", [(n, each and each.get("copy_gcells")) for n, each in zip(SIZES, copies)]))
    return {
        "fig4": style.lines("Figure 4: time of a value that is loaded and stored, over the FLOPs in between",
                            "FLOPs per value", "of the time without any", series),
        "fig8": style.lines(f"Figure 8: Jacobi 3-D in double precision, n x n x n points; {name}", "n", "GLUPS",
                            kernels),
    }


# Checks the counts of the naive kernel: 7 loads and 1 store per inner point and step.
def faults(results):
    out = []
    naive = results.counts("jacobi3d", KERNELS["naive"], **counted_size(results.scale))
    if naive is not None and not results.scale.stand_in:
        interior = (counted_size(results.scale)["N"] - 2) ** 3
        steps = naive["steps"]
        for key, each in (("global_loads", 7), ("global_stores", 1)):
            if naive[key] != each * interior * steps:
                out.append(f"{NAME}: the naive kernel has {naive[key]} {key}, not {each} a point and step")
    return out
