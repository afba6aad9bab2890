#!/usr/bin/env python3
"""Times PyAMG and smoothers.stn on the same problem, as JSON: the 7-point Poisson equation on a cube with
N points per dimension, zero on its faces, to a residual of 1e-10 of the first one, in double precision.

usage: compare_pyamg.py STENCILC [N] > results.json        (needs numpy, scipy and pyamg)

N is 2^k + 1. PyAMG is given the N-2 points inside. Both run on the CPU of this computer. PyAMG works
with any matrix, so that it must set up its levels first.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time

GOAL = 1e-10


def by_pyamg(points):
    import numpy
    import pyamg
    inside = points - 2
    matrix = pyamg.gallery.poisson((inside, inside, inside), format="csr")
    right = numpy.random.default_rng(0).random(inside**3) - 0.5
    for name in ("ruge_stuben", "smoothed_aggregation"):
        begin = time.time()
        solver = getattr(pyamg, name + "_solver")(matrix, max_coarse=500)
        setup = time.time() - begin
        for acceleration in (None, "cg"):
            residuals = []
            begin = time.time()
            solver.solve(right, tol=GOAL, accel=acceleration, residuals=residuals, maxiter=60)
            yield {"solver": f"PyAMG {name}" + (", conjugate gradients" if acceleration else ""),
                   "setup_seconds": round(setup, 2), "seconds": round(time.time() - begin, 3),
                   "cycles": len(residuals) - 1}


def by_stencilc(stencilc, points, smoother):
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "smoothers.stn")
    levels = (points - 1).bit_length() - 2
    with tempfile.TemporaryDirectory() as folder:
        history = os.path.join(folder, "history.csv")
        command = [stencilc, "run", program, "-D", f"N={points}", "-D", f"L={levels}", "-D",
                   f"smoother={smoother}", "--real", "double", "--device", "host"]
        subprocess.run(command + ["--steps", "20", "--history", history], check=True,
                       stdout=subprocess.DEVNULL)
        with open(history, encoding="utf-8") as file:
            norms = [float(row["norm"]) for row in csv.DictReader(file)]
        # The source is random, up to 0.5, and the first guess is zero.
        cycles = next(n for n, norm in enumerate(norms, 1) if norm <= GOAL * 0.5)
        begin = time.time()
        out = subprocess.run(command + ["--steps", str(cycles)], check=True, capture_output=True,
                             text=True).stdout
        whole = time.time() - begin
    seconds = float(re.search(r"^time +([0-9.e+-]+) s", out, flags=re.M).group(1))
    name = ("damped Jacobi", "red-black Gauss-Seidel", "Chebyshev")[smoother]
    return {"solver": f"stencilc, V-cycles, {name}", "setup_seconds": round(whole - seconds, 2),
            "seconds": seconds, "cycles": cycles}


def main():
    stencilc = sys.argv[1]
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 129
    results = [by_stencilc(stencilc, points, smoother) for smoother in (0, 1)]
    results += by_pyamg(points)
    print(json.dumps({"points": points, "threads": os.cpu_count(), "results": results}, indent=1))


if __name__ == "__main__":
    main()
