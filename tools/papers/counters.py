"""Counters of Nsight Compute, beside what stencil_bench --counts counts.

    ncu --csv --page raw --print-units base --metrics METRICS \\
        build/bin/stencil_bench NAME-counts.json --threads 1 > FILE.csv

with METRICS as below, joined by commas, and the suite NAME-counts.json that `run --suites` writes:
kernels are named after their jobs, so the same suite has to be counted and profiled. Of several
launches of a kernel the last one counts, which is of a timed run: a whole time tile.
"""
import csv

import pages
from measurements import Problem

# Of ncu's metric -> of "counts". Per thread unless said otherwise.
METRICS = {
    "smsp__sass_thread_inst_executed_op_global_ld.sum": "global_loads",
    "smsp__sass_thread_inst_executed_op_global_st.sum": "global_stores",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load_requests",  # per warp
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store_requests",  # per warp
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "load_sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "store_sectors",
    "smsp__sass_thread_inst_executed_op_shared_ld.sum": "shared_loads",
    "smsp__sass_thread_inst_executed_op_shared_st.sum": "shared_stores",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared_load_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared_store_wavefronts",
    "smsp__sass_branch_targets_threads_divergent.sum": "divergent_branches",  # per warp
    "smsp__sass_thread_inst_executed.sum": "operations",
}


def read(path):
    """kernel name -> counter -> value of a raw CSV page. Problem if it is none."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise Problem(f"{path} is no CSV of ncu: no line begins with \"ID\"; see tools/papers/counters.py")
    out = {}
    for row in csv.DictReader(lines[start:]):
        if not row.get("ID"):
            continue  # the line of units
        values = {}
        for metric, name in METRICS.items():
            try:
                values[name] = float(row[metric].replace(",", ""))
            except (KeyError, TypeError, ValueError, AttributeError):
                continue  # not asked for, or not had ("n/a")
        out[row["Kernel Name"]] = values
    return out


def table(results):
    """Counts of `results` beside the counters given, as Markdown."""
    rows = []
    for record in results.counting.get("results", []):
        for kernel, values in results.counters.items():
            if not kernel.startswith(record["name"]):
                continue
            title = f'{record["program"]} {pages.code(record["schedule"])}'
            for name, value in values.items():
                if name in record.get("counts", {}):
                    counted = record["counts"][name]
                    rows.append((title, name, counted, value, pages.ratio(counted, value)))
    if not results.counters:
        return "No counters of `ncu` were given (`--ncu`).\n"
    return pages.table(["Job", "Counter", "Counted", "ncu", "Counted / ncu"], rows)
