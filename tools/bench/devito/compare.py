#!/usr/bin/env python3
"""Times the acoustic wave equation in 3-D, 8th order in space, with Devito and with the `host` device.

  python3 -m venv build/devito && build/devito/bin/pip install devito
  build/devito/bin/python tools/bench/devito/compare.py [--sizes 256,512] [--rounds N] [RESULTS.json]

Both solve the same problem: a grid of N^3 points in float with a border of zeros, a constant or a variable
velocity, a Ricker wavelet injected between grid points with linear weights, and 400 receivers between grid
points, sampled after every step. First the wave fields and the records are compared at a small size;
contestants with wrong results are not timed. Then the contestants take turns, and the median is reported.
Rates are in GCells/s, 10^9 point updates per second, from the section times in Devito's summary and the
kernel time of `stencilc run`; `copy` copies an array with as many points. Both use OMP_NUM_THREADS threads
(default: the CPUs available to the process); Devito's are bound to cores.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CPUS = os.sched_getaffinity(0)
THREADS = int(os.environ.setdefault("OMP_NUM_THREADS", str(len(CPUS))))
os.environ.setdefault("OMP_PROC_BIND", "close")
os.environ.setdefault("OMP_PLACES", "cores")
os.environ["STENCIL_THREADS"] = str(THREADS)
os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
os.environ.setdefault("DEVITO_LOGGING", "ERROR")

import numpy  # noqa: E402  (after the thread settings)
import devito  # noqa: E402

COURANT2 = 0.16
DEVITO = {  # name: (options of the operator, autotuning)
    "devito": ({}, False),
    "devito autotuned": ({}, "basic"),
    "devito blocklevels=2 autotuned": ({"blocklevels": 2}, "basic"),
    "devito skewing autotuned": ({"skewing": True}, "basic"),
}


def output_of(command):
    """Output of a process on all CPUs: OpenMP binds the calling thread to one CPU once it has run an operator."""
    process = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, CPUS))
    if process.returncode:
        raise RuntimeError(process.stderr)
    return process.stdout


def wavelet(steps):
    x = numpy.pi * (numpy.arange(steps) / 12 - 1.2)
    return ((1 - 2 * x**2) * numpy.exp(-(x**2))).astype("f4")[:, None]  # exact in both precisions


def layers(size):
    i = 3 * numpy.arange(size)
    of_row = numpy.where(i < size, 0.04, numpy.where(i < 2 * size, 0.09, 0.16))
    return numpy.broadcast_to(of_row[:, None, None], (size, size, size))


def receivers(size):
    spread = 2.25 + (size - 5) / 19 * numpy.arange(20)
    y, x = numpy.meshgrid(spread, spread, indexing="ij")
    return numpy.stack([numpy.full(400, size // 8 + 0.5), y.ravel(), x.ravel()], axis=1)


class Devito:
    """One operator; lengths are in grid spacings and times in steps."""

    def __init__(self, variable, size, steps, real, options, autotuning):
        grid = devito.Grid(shape=(size,) * 3, extent=(size - 1.0,) * 3, dtype=real)
        self.steps = steps
        self.u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=8)
        if variable:
            m = devito.Function(name="m", grid=grid, space_order=8)
            m.data[:] = 1 / layers(size)
        else:
            m = devito.Constant(name="m", dtype=real, value=real(1 / COURANT2))
        source = devito.SparseTimeFunction(name="source", grid=grid, npoint=1, nt=steps)
        source.coordinates.data[0, :] = size // 2 + 0.4
        source.data[:] = wavelet(steps)
        dt = grid.stepping_dim.spacing
        wave = devito.Eq(self.u.forward, devito.solve(m * self.u.dt2 - self.u.laplace, self.u.forward))
        inject = source.inject(field=self.u.forward, expr=source * dt**2 / m)
        self.received = devito.SparseTimeFunction(name="received", grid=grid, npoint=400, nt=steps)
        self.received.coordinates.data[:] = receivers(size)
        receive = self.received.interpolate(expr=self.u.forward)
        self.operator = devito.Operator([wave] + inject + receive, opt=("advanced", options))
        self.tuned = {}
        if autotuning:
            self.apply(autotune=autotuning)
            self.tuned = dict(self.operator._state["autotuning"][-1]["tuned"])

    def apply(self, **arguments):
        self.u.data[:] = 0
        return self.operator.apply(time_m=0, time_M=self.steps - 1, dt=1.0, **arguments)

    def seconds(self):
        return sum(section.time for section in self.apply(**self.tuned).values())

    def field(self):
        self.seconds()
        return numpy.concatenate([numpy.array(self.u.data[self.steps % 3]).ravel(), numpy.array(self.received.data).ravel()])


class Stencilc:
    """One schedule with --fp=fast, because Devito uses -ffast-math."""

    def __init__(self, command, directory, variable, size, steps, real, schedule):
        program = HERE / f"acoustic_{'variable' if variable else 'constant'}.stn"
        numpy.save(f"{directory}/w.npy", wavelet(steps))
        self.out = f"{directory}/u.npy"
        self.received = f"{directory}/trace.npy"
        self.command = [command, "run", str(program), "--device", "host", "--real", "float" if real == numpy.float32 else "double",
                        "--fp", "fast", "--schedule", schedule, "--full", "-D", f"N={size}", "-D", f"K={steps}", "--steps", str(steps),
                        "--in", f"w={directory}/w.npy"]
        self.tuned = ""

    def run(self, *arguments):
        text = output_of([*self.command, *arguments])
        self.tuned = " ".join(re.search(r"^schedule +(.*(?:\n {2,}.*)*)", text, re.M).group(1).split())
        return float(re.search(r"^time +([0-9.e+-]+) s", text, re.M).group(1))

    def seconds(self):
        return self.run()

    def field(self):
        self.run("--out", f"U={self.out}", "--out", f"trace={self.received}")
        return numpy.concatenate([numpy.load(self.out)[4:-4, 4:-4, 4:-4].ravel(), numpy.load(self.received).ravel()])


def differences(program, contestants):
    """Contestants with correct results -> maximum difference from the first contestant, relative to the largest value,
    in double (limited by Devito's coefficients, which have nine digits) and in float."""
    right = {}
    for real, tolerance in (numpy.float64, 1e-6), (numpy.float32, 1e-4):
        reference = None
        for name, make in contestants(real).items():
            field = make().field()
            reference = field if reference is None else reference
            difference = float(abs(field - reference).max() / abs(reference).max())
            print(f"{program}, {real.__name__}: {name} differs by {difference:.1e} of the largest value", flush=True)
            right.setdefault(name, []).append(difference)
            if not difference < tolerance:
                right[name].append("wrong")
    return {name: each for name, each in right.items() if "wrong" not in each}


def copy_rate(directory, size):
    nests = f"{directory}/host_nests"
    if not os.path.exists(nests):
        flags = ["-O3", "-march=native", "-fopenmp", "-ffp-contract=off"]
        output_of(["g++", *flags, str(ROOT / "tools/bench/host_nests.cpp"), "-o", nests])
    return float(output_of([nests, "copy", str(size), str(20 * 512**3 // size**3)]))


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?")
    parser.add_argument("--stencilc", default=str(ROOT / "build/bin/stencilc"))
    parser.add_argument("--sizes", default="256,512", help="points per dimension")
    parser.add_argument("--updates", type=float, default=8e9, help="point updates of a timed run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", type=int, default=96, help="the size at which fields are compared")
    parser.add_argument("--schedule", action="append", default=[], help="also time this schedule; repeatable")
    parser.add_argument("--contestants", default=".", help="regular expression: only matching contestants")
    arguments = parser.parse_args()
    out = {"processor": processor(), "threads": THREADS, "devito": devito.__version__,
           "compiler": str(devito.configuration["compiler"]), "results": []}
    lines = ["auto", "planes T=1", "direct", *arguments.schedule]

    with tempfile.TemporaryDirectory() as directory:
        def contestants(variable, size, steps, real):
            problem = (variable, size, steps, real)
            makers = {name: lambda row=row: Devito(*problem, *row) for name, row in DEVITO.items()}
            makers |= {line: lambda line=line: Stencilc(arguments.stencilc, directory, *problem, line) for line in lines}
            return {name: maker for name, maker in makers.items() if re.search(arguments.contestants, name)}

        for variable in (False, True):
            program = "variable velocity" if variable else "one velocity"
            right = differences(program, lambda real: contestants(variable, arguments.check, 2 * arguments.check, real))
            for size in map(int, arguments.sizes.split(",")):
                steps = max(2, round(arguments.updates / size**3))
                copy = copy_rate(directory, size)
                print(f"{program}, {size}^3, {steps} steps, copy {copy:.2f} GCells/s", flush=True)
                running = {name: make() for name, make in contestants(variable, size, steps, numpy.float32).items() if name in right}
                seconds = {name: [] for name in running}
                for _ in range(arguments.rounds):
                    for name, contestant in running.items():
                        seconds[name].append(contestant.seconds())
                for name, contestant in running.items():
                    rate = 1e-9 * size**3 * steps / statistics.median(seconds[name])
                    print(f"  {name:36} {rate:7.3f} GCells/s, {rate / copy:5.2f} of the copy   {contestant.tuned}", flush=True)
                    out["results"].append({"program": program, "size": size, "steps": steps, "contestant": name, "gcells": rate,
                                           "copy_gcells": copy, "seconds": seconds[name], "tuned": str(contestant.tuned),
                                           "difference": right[name]})
                running.clear()
                if arguments.results:
                    pathlib.Path(arguments.results).write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
