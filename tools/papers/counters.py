"""Compares counters of Nsight Compute with the counts of stencil_bench --counts.

    ncu --csv --page raw --print-units base --metrics METRICS \\
        build/bin/stencil_bench NAME-counts.json --threads 1 > FILE.csv

with METRICS as below, joined by commas, and the suite NAME-counts.json that `run --suites` writes.
Kernels are named after their jobs, so the same suite must be counted and profiled. If a kernel has
several launches, the last one is used, which belongs to a timed run and is a full time tile.
"""
import csv

import pages
from measurements import Problem

# Metric of ncu -> member of "counts"; per warp except the last. GH100 has no per-thread metric of loads.
METRICS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load_requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "load_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "store_sectors",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts",
    "smsp__sass_branch_targets_threads_divergent.sum": "divergent_branches",
    "smsp__sass_thread_inst_executed.sum": "operations",
}


def read(path):
    """kernel name -> counter -> value, from a raw CSV page. Raises Problem for other files."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise Problem(f"{path} is not a CSV of ncu: no line begins with \"ID\"; see tools/papers/counters.py")
    out = {}
    for row in csv.DictReader(lines[start:]):
        if not row.get("ID"):
            continue  # the line with units
        values = {}
        for metric, name in METRICS.items():
            try:
                values[name] = float(row[metric].replace(",", ""))
            except (KeyError, TypeError, ValueError, AttributeError):
                continue  # not requested or not available ("n/a")
        out[row["Kernel Name"]] = values
    return out


def table(results):
    """Ratio of counts to counters as Markdown: one row per job, "=" where both are equal."""
    names = list(METRICS.values())
    rows = []
    for record in results.counting.get("results", []):
        for kernel, values in results.counters.items():
            if not kernel.startswith(record["name"]):
                continue
            counts = record.get("counts", {})
            title = " ".join(filter(None, (record["program"], record.get("real"), pages.code(record["schedule"]))))
            rows.append((title, *(cell(counts.get(name), values.get(name)) for name in names)))
    if not rows:
        return "No counters of `ncu` were given (`--ncu`).\n"
    return pages.table(["Job", *(name.replace("_", " ") for name in names)], rows)


def cell(counted, measured):
    if counted is None or measured is None:
        return None
    if counted == measured:
        return "="
    return pages.ratio(counted, measured) if measured else f"{pages.number(counted)} / 0"
