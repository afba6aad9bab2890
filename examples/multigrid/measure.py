#!/usr/bin/env python3
"""Times the cycles of the example programs, as JSON.

usage: measure.py STENCILC [DEVICE] > results.json

Each program runs without its norm and stop condition, so that a step is one cycle. The first run of a
program lets `auto` time schedules on the device, the second one is recorded. For poisson27, one sweep of
the smoother on the finest level is timed beside the cycle, with the faster one of two schedules that
pass through memory for each sweep. A step of "full" is full multigrid and one V-cycle, which together
reach the error of the discretisation.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

# program, definitions, type of real, cycles. "half": the first dimension has half as many intervals.
# "sweep": a step is one sweep of the smoother.
CASES = [
    ("poisson27", {"N": 129, "L": 6}, "float", 6000),
    ("poisson27 sweep", {"N": 129, "L": 6}, "float", 60000),
    ("poisson27", {"N": 257, "L": 7}, "float", 2000),
    ("poisson27 sweep", {"N": 257, "L": 7}, "float", 12000),
    ("poisson27 half", {"N": 513, "L": 7}, "float", 800),
    ("poisson27 half sweep", {"N": 513, "L": 7}, "float", 4000),
    ("vcycle7", {"N": 128, "L": 6}, "double", 2000),
    ("vcycle7", {"N": 256, "L": 7}, "double", 400),
    ("vcycle7", {"N": 512, "L": 8}, "double", 60),
    ("vcycle7", {"N": 512, "L": 8}, "float", 100),
    ("full", {"N": 257, "L": 7}, "double", 400),
    ("full", {"N": 513, "L": 8}, "double", 60),
]
SWEEPS = ["direct", "streaming T=1 block=32x8 elements=2x4 loads=bulk"]


def cycle_alone(case):
    folder = os.path.dirname(os.path.abspath(__file__))
    name, *changes = case.split()
    text = open(os.path.join(folder, name + ".stn"), encoding="utf-8").read()
    if "half" in changes:
        text = text.replace("[0..N-1, 0..N-1, 0..N-1]", "[0..(N-1)/2, 0..N-1, 0..N-1]")
    text = re.sub(r"^(reduce|stop)\b[^;]*;\n", "", text, flags=re.M)
    cycle = "smooth" if "sweep" in changes else "full; v" if name == "full" else "v"
    if name == "full":
        text = re.sub(r"^start .*\n", "", text, flags=re.M)
    return re.sub(r"^step \{.*\}$", f"step {{ {cycle}; }}", text, flags=re.M)


def run(stencilc, file, definitions, real, device, cycles, line="auto"):
    command = [stencilc, "run", file, "--real", real, "--device", device, "--steps", str(cycles),
               "--schedule", line]
    for param, value in definitions.items():
        command += ["-D", f"{param}={value}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"measure.py: status {done.returncode} of " + " ".join(command))
    out = done.stdout
    schedule = re.search(r"^schedule +(.*(?:\n +.*)*)", out, flags=re.M).group(1)
    schedule = re.sub(r" \([^()]*\)$", "", re.sub(r"\s+", " ", schedule))
    seconds = float(re.search(r"^time +([0-9.e+-]+) s", out, flags=re.M).group(1))
    return schedule, seconds


def main():
    stencilc = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, definitions, real, cycles in CASES:
            file = os.path.join(folder, name.split()[0] + ".stn")
            with open(file, "w", encoding="utf-8") as program:
                program.write(cycle_alone(name))
            if "sweep" in name:
                schedule, seconds = min((run(stencilc, file, definitions, real, device, cycles, line)
                                         for line in SWEEPS), key=lambda result: result[1])
            else:
                for _ in range(2):
                    schedule, seconds = run(stencilc, file, definitions, real, device, cycles)
            results.append({"program": name, "params": definitions, "real": real,
                            "schedule": schedule, "cycles": cycles, "seconds": seconds,
                            "milliseconds_per_cycle": round(1e3 * seconds / cycles, 4)})
            print(json.dumps(results[-1]), file=sys.stderr)
    devices = subprocess.run([stencilc, "devices"], capture_output=True, text=True).stdout
    described = re.search(rf"^{device} +yes +(.*)$", devices, flags=re.M)
    print(json.dumps({"device": described.group(1) if described else device, "results": results},
                     indent=1))


if __name__ == "__main__":
    main()
